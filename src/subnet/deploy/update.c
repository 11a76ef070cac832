/* SPDX-License-Identifier: Apache-2.0
 *
 * update.c: tables after a failure that keep what still delivers.
 *
 * For each LID, switches from which the old entries still lead to it keep them. Another switch
 * takes its new entry; following new entries one comes to such a switch or to the end, so there
 * is no loop. What this mixture of two routings does to credit loops, the judge says. If it does
 * not prove it, the rows are extended from the old entries alone, along links whose dependencies
 * close no cycle with theirs; if that is not proved either, the new tables stand as they are. With
 * several lanes, see update_lanes.c. */
#include "base/json_value.h"
#include "subnet/deploy/choose.h"
#include "subnet/deploy/deploy.h"
#include "subnet/deploy/update_lanes.h"
#include "subnet/tables/complete.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where entries lead */

/* The switch that the entry of a switch leads to; NEXT_HERE: the end; IK_NONE: elsewhere, or
 * nowhere. */
static uint32_t update_onward(const update_walk *w, uint32_t sw, uint32_t lid)
{
    const ik_fabric *f = w->d->fabric;
    const ik_lid *to = &w->d->lids.of[lid];
    uint8_t out = ik_lid_tables_row(w->tables, sw)[lid];
    if (w->ends && w->ends[sw][out])
        return NEXT_HERE;
    if (w->same && out != ik_lid_tables_row(w->same, sw)[lid])
        return IK_NONE;
    if (out == IK_PORT_SELF)
        return to->node == sw && !w->ends ? NEXT_HERE : IK_NONE;
    uint32_t port = out == IK_PORT_NONE ? IK_NONE : ik_port_of_number(f, sw, out);
    uint32_t peer = port == IK_NONE ? IK_NONE : f->port_peer[port];
    if (peer == IK_NONE)
        return IK_NONE;
    if (peer == to->port)
        return w->ends ? IK_NONE : NEXT_HERE;
    return ik_is_switch(f, f->port_node[peer]) ? f->port_node[peer] : IK_NONE;
}

bool update_delivers(const update_walk *w, uint8_t *fate, uint32_t sw, uint32_t lid)
{
    enum { FATE_OPEN, FATE_ON_PATH, FATE_DELIVERS, FATE_LOST };
    uint32_t n = 0;
    while (sw < NEXT_HERE && fate[sw] == FATE_OPEN) {
        fate[sw] = FATE_ON_PATH;
        w->path[n++] = sw;
        sw = update_onward(w, sw, lid);
    }
    bool delivers = sw == NEXT_HERE || (sw < NEXT_HERE && fate[sw] == FATE_DELIVERS);
    while (n > 0)
        fate[w->path[--n]] = delivers ? FATE_DELIVERS : FATE_LOST;
    return delivers;
}

/* ---- repairing */

enum { REPAIR_LIDS = 64 }; /* whose entries at a switch are looked at together */

typedef struct repair {
    update_walk walk; /* by old entries */
    /* by those of the deployment, to ports which no old entry uses; without ends: there are none */
    update_walk back;
    ik_lid_tables made;
    uint8_t *fate, *back_fate; /* [REPAIR_LIDS][switch] see update_delivers */
} repair;

/* Fills back[switch] from the tables of d. Returns whether there are some. */
static bool repair_find_back(const ik_deployment *d, const ik_lid_tables *old,
                             bool (*back)[NUM_ENTRIES])
{
    bool any = false;
    for (uint32_t sw = 0; sw < old->num_switches; sw++) {
        const uint8_t *before = ik_lid_tables_row(old, sw),
                      *now = ik_lid_tables_row(&d->tables, sw);
        bool used[NUM_ENTRIES] = {[IK_PORT_NONE] = true, [IK_PORT_SELF] = true};
        for (uint32_t i = 0; i < d->lids.num; i++)
            used[before[i]] = true;
        for (uint32_t i = 0; i < d->lids.num; i++)
            any = (back[sw][now[i]] = !used[now[i]]) || any;
    }
    return any;
}

/* Do the old entries lead from this switch to the LID? */
static bool repair_delivers(repair *r, uint32_t sw, uint32_t lid)
{
    size_t switches = r->walk.d->fabric->num_switches;
    return update_delivers(&r->walk, r->fate + lid % REPAIR_LIDS * switches, sw, lid);
}

/* Do the new ones lead over a cable that came back? */
static bool repair_comes_back(repair *r, uint32_t sw, uint32_t lid)
{
    size_t switches = r->walk.d->fabric->num_switches;
    return r->back.ends &&
           update_delivers(&r->back, r->back_fate + lid % REPAIR_LIDS * switches, sw, lid);
}

/* For LIDs from `first` on, where the two tables differ: elsewhere there is nothing to choose. */
static void update_repair_lids(repair *r, uint32_t first)
{
    uint32_t switches = r->walk.d->fabric->num_switches, most = r->walk.d->lids.num - first,
             num = most < REPAIR_LIDS ? most : REPAIR_LIDS;
    memset(r->fate, 0, (size_t)REPAIR_LIDS * switches);
    memset(r->back_fate, 0, (size_t)REPAIR_LIDS * switches);
    for (uint32_t sw = 0; sw < switches; sw++) {
        const uint8_t *old = ik_lid_tables_row(r->walk.tables, sw) + first;
        uint8_t *made = ik_lid_tables_row(&r->made, sw) + first;
        if (memcmp(old, made, num) == 0)
            continue;
        for (uint32_t i = 0; i < num; i++)
            if (old[i] != made[i] && !repair_comes_back(r, sw, first + i) &&
                repair_delivers(r, sw, first + i))
                made[i] = old[i];
    }
}

/* For LIDs from `first` on: the old entries that lead to them, and none elsewhere. */
static void update_keep_lids(repair *r, uint32_t first)
{
    uint32_t switches = r->walk.d->fabric->num_switches, most = r->walk.d->lids.num - first,
             num = most < REPAIR_LIDS ? most : REPAIR_LIDS;
    memset(r->fate, 0, (size_t)REPAIR_LIDS * switches);
    for (uint32_t sw = 0; sw < switches; sw++)
        for (uint32_t i = 0; i < num; i++)
            ik_lid_tables_row(&r->made, sw)[first + i] =
                repair_delivers(r, sw, first + i) ? ik_lid_tables_row(r->walk.tables, sw)[first + i]
                                                  : IK_PORT_NONE;
}

/* each: what is done with REPAIR_LIDS LIDs. back: see repair. */
static ik_status update_make_repaired(const ik_deployment *d, const ik_lid_tables *old,
                                      void (*each)(repair *, uint32_t),
                                      const bool (*back)[NUM_ENTRIES], const ik_env *env,
                                      ik_lid_tables *out, ik_error *err)
{
    size_t n = (size_t)d->fabric->num_switches + 1;
    uint32_t *path = ik_calloc(n, sizeof *path);
    repair r = {.walk = {.d = d, .tables = old, .path = path},
                .back = {.d = d, .tables = &d->tables, .ends = back, .path = path},
                .fate = ik_calloc(n, REPAIR_LIDS),
                .back_fate = ik_calloc(n, REPAIR_LIDS)};
    ik_status status = path && r.fate && r.back_fate
                           ? ik_lid_tables_new(&d->lids, env, &r.made, err)
                           : ik_fail_memory(err, n * 132, "repaired tables");
    if (status == IK_OK)
        memcpy(r.made.out, d->tables.out, (size_t)r.made.num_switches * d->lids.num);
    for (uint32_t lid = 0; status == IK_OK && lid < d->lids.num; lid += REPAIR_LIDS) {
        each(&r, lid);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    free(path);
    free(r.fate);
    free(r.back_fate);
    if (status == IK_OK)
        *out = r.made;
    else
        ik_lid_tables_free(&r.made);
    return status;
}

ik_status update_keep_tables(const ik_deployment *d, const ik_lid_tables *old, const ik_env *env,
                             ik_lid_tables *out, ik_error *err)
{
    return update_make_repaired(d, old, update_keep_lids, NULL, env, out, err);
}

ik_status update_mix_tables(const ik_deployment *d, const ik_lid_tables *old, bool *back,
                            const ik_env *env, ik_lid_tables *out, ik_error *err)
{
    bool(*ports)[NUM_ENTRIES] = NULL;
    if (*back) {
        ports = ik_calloc((size_t)old->num_switches + 1, sizeof *ports);
        if (!ports)
            return ik_fail_memory(err, (size_t)old->num_switches * NUM_ENTRIES, "ports in use");
        *back = repair_find_back(d, old, ports);
    }
    ik_status status = update_make_repaired(d, old, update_repair_lids,
                                            (const bool(*)[NUM_ENTRIES])ports, env, out, err);
    free(ports);
    return status;
}

ik_status update_make_rows(const ik_deployment *d, const ik_lid_tables *tables, ik_routing *rows,
                           ik_error *err)
{
    static const ik_routing_family family = {.name = "repaired", .next = ik_lft_next};
    const ik_fabric *f = d->plan->routing->fabric;
    *rows = (ik_routing){.family = &family,
                         .fabric = f,
                         .kind = IK_ROUTE_DETERMINISTIC,
                         .traits = IK_ROUTE_DEST_BASED,
                         .lft = ik_calloc((size_t)f->num_switches + 1,
                                          ((size_t)f->num_hosts + 1) * sizeof(uint16_t))};
    if (!rows->lft)
        return ik_fail_memory(err, (size_t)f->num_switches * f->num_hosts * 2, "repaired tables");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t h = 0; h < f->num_hosts; h++) {
            uint32_t at = ik_host_port(f, h),
                     lid = at == IK_NONE ? IK_NONE : ik_lids_of_port(&d->lids, at);
            uint8_t out_port = lid == IK_NONE ? IK_PORT_NONE : ik_lid_tables_row(tables, sw)[lid];
            uint32_t port = out_port == IK_PORT_NONE || out_port == IK_PORT_SELF
                                ? IK_NONE
                                : ik_port_of_number(f, sw, out_port);
            rows->lft[(size_t)sw * f->num_hosts + h] =
                port == IK_NONE ? 0xFFFF : (uint16_t)ik_port_local(f, port);
        }
    return IK_OK;
}

/* Tables that are tried, maybe twice: before the routing's own are judged, and beside these. */
typedef struct update_mixture {
    ik_lid_tables tables; /* none yet: without `out` */
    update_lack lacks;
} update_mixture;

/* Nothing can be better. */
static update_verdict update_best(const installed_tables *old)
{
    return (update_verdict){.proved = true,
                            .minhop = !old->beyond_minhop,
                            .management = old->management_loops ? IK_NO : IK_YES,
                            .one_manager = old->one_manager_loops ? IK_NO : IK_YES};
}

/* Not again where what they lacked is asked for once more. */
static ik_status update_try_again(ik_deployment *d, update_mixture *m, const installed_tables *old,
                                  const update_verdict *own, const ik_env *env, ik_error *err)
{
    update_verdict best = update_best(old);
    bool strict =
        own->proved && own->management == best.management && own->one_manager == best.one_manager;
    if (strict && (m->lacks == LACKS_PROOF || m->lacks == LACKS_QUERIES))
        return IK_OK;
    return update_try_tables(d, &m->tables, own, env, &m->lacks, err);
}

/* Beside the verdict on d's own. */
static ik_status update_try_others(ik_deployment *d, const installed_tables *old,
                                   update_mixture *mixed, update_mixture *anew, const ik_env *env,
                                   ik_error *err)
{
    update_verdict own;
    ik_status status = update_judge_own(d, old, env, &own, err);
    if (status == IK_OK)
        status = update_try_again(d, mixed, old, &own, env, err);
    if (status == IK_OK && !d->update.repaired && !anew->tables.out)
        status = update_complete_anew(d, &mixed->tables, env, &anew->tables, NULL, err);
    if (status == IK_OK && !d->update.repaired)
        status = update_try_again(d, anew, old, &own, env, err);
    return status == IK_OK && !d->update.repaired ? update_try_kept(d, &old->tables, &own, env, err)
                                                  : status;
}

/* First with the cables that came back, if there are some. */
static ik_status update_try_mixtures(ik_deployment *d, const installed_tables *old,
                                     update_mixture *mixed, update_mixture *anew, const ik_env *env,
                                     ik_error *err)
{
    const update_verdict best = update_best(old);
    bool back = true;
    ik_status status = update_mix_tables(d, &old->tables, &back, env, &mixed->tables, err);
    if (status == IK_OK)
        status = update_try_tables(d, &mixed->tables, &best, env, &mixed->lacks, err);
    if (status == IK_OK && back && (mixed->lacks == LACKS_PROOF || mixed->lacks == LACKS_QUERIES)) {
        back = false;
        ik_lid_tables_free(&mixed->tables);
        status = update_mix_tables(d, &old->tables, &back, env, &mixed->tables, err);
        if (status == IK_OK)
            status = update_try_tables(d, &mixed->tables, &best, env, &mixed->lacks, err);
    }
    if (status != IK_OK || mixed->lacks != LACKS_QUERIES)
        return status;
    status = update_complete_anew(d, &mixed->tables, env, &anew->tables, NULL, err);
    return status == IK_OK ? update_try_tables(d, &anew->tables, &best, env, &anew->lacks, err)
                           : status;
}

static ik_status update_try_repaired(ik_deployment *d, const installed_tables *old,
                                     const ik_env *env, ik_error *err)
{
    update_mixture mixed = {0}, anew = {0};
    ik_status status = update_try_mixtures(d, old, &mixed, &anew, env, err);
    if (status == IK_OK && !d->update.repaired)
        status = update_try_others(d, old, &mixed, &anew, env, err);
    ik_lid_tables_free(&mixed.tables);
    ik_lid_tables_free(&anew.tables);
    return status;
}

/* ---- what is installed */

static bool update_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool update_has_levels(const char *from)
{
    return update_is_folder(from);
}

/* What a folder's summary says: its routing is that of d, its lanes. A folder without one that can
 * be read says nothing. */
static ik_status update_read_summary(const ik_deployment *d, const char *folder, bool *same,
                                     installed_tables *old, ik_error *err)
{
    char path[DEPLOY_PATH + 64], *text = NULL;
    size_t size = 0;
    json_t *root = NULL;
    json_error_t why;
    snprintf(path, sizeof path, "%.4000s/%s", folder, deploy_file_name(DEPLOY_JSON));
    ik_status status = ik_text_read(path, 0, &text, &size, NULL);
    if (status == IK_OK)
        status = json_parse(text, size, &root, &why);
    if (status == IK_OK) {
        const char *routing = json_string_value(json_object_get(root, "routing"));
        json_t *verdict = json_object_get(root, "verdict"),
               *fill = json_object_get(verdict, "paths_per_gbps"),
               *own = json_object_get(verdict, "own_paths_per_gbps");
        double minhop = json_number_value(json_object_get(verdict, "minhop_paths_per_gbps"));
        json_int_t said = json_integer_value(json_object_get(root, "lanes"));
        *same = routing && strcmp(routing, d->plan->routing->spec) == 0;
        old->lanes = said > 0 && said <= IK_NUM_SLS ? (unsigned)said : 0;
        old->own_max_fill = fmax(json_number_value(own), 0);
        old->management_loops = json_is_false(json_object_get(verdict, "management_free"));
        old->one_manager_loops = json_is_false(json_object_get(verdict, "one_manager_free"));
        old->beyond_minhop = minhop > 0 && json_number_value(fill) > minhop;
    }
    json_decref(root);
    free(text);
    return status == IK_ERR_MEMORY ? ik_fail_memory(err, size, "a summary") : IK_OK;
}

static char *update_path(const char *from, deploy_file file, char *path, size_t size)
{
    bool folder = update_is_folder(from);
    snprintf(path, size, "%.4000s%s%s", from, folder ? "/" : "",
             folder ? deploy_file_name(file) : "");
    return path;
}

ik_status update_judge_installed(const ik_deployment *d, const char *from, const ik_env *env,
                                 ik_audit_routing *out, bool *partial, ik_error *err)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    char path[DEPLOY_PATH + 64];
    ik_lid_tables tables = {0};
    ik_service_levels levels = {0};
    ik_sl2vl vls = {0};
    ik_tables_matched matched = {0};
    ik_status status = ik_lid_tables_read(
        &d->lids, update_path(from, DEPLOY_LFTS, path, sizeof path), env, &tables, &matched, err);
    *partial = matched.missing_switches || matched.missing_last_lid;
    bool lanes = status == IK_OK && update_is_folder(from) &&
                 access(update_path(from, DEPLOY_POLICY, path, sizeof path), F_OK) == 0;
    if (lanes)
        status = ik_qos_policy_read(&d->lids, path, env, &levels, NULL, err);
    if (status == IK_OK && lanes)
        status = ik_sl2vl_make(d->fabric, IK_VL_MANAGEMENT, &vls, err);
    if (status == IK_OK)
        status = ik_subnet_judge(&tables, lanes ? &levels : NULL, lanes ? &vls : NULL, &config, env,
                                 &out->verdict, err);
    if (status == IK_OK)
        status = choose_measure(d->fabric, &d->lids, out, err);
    ik_lid_tables_free(&tables);
    ik_service_levels_free(&levels);
    ik_sl2vl_free(&vls);
    return status;
}

static void update_count_entries(const uint8_t *a, const uint8_t *b, size_t num,
                                 ik_deploy_update *u)
{
    for (size_t i = 0; i < num; i++) {
        u->kept += a[i] == b[i] && a[i] != IK_PORT_NONE;
        u->changed += a[i] != b[i] && a[i] != IK_PORT_NONE && b[i] != IK_PORT_NONE;
        u->added += a[i] == IK_PORT_NONE && b[i] != IK_PORT_NONE;
        u->removed += a[i] != IK_PORT_NONE && b[i] == IK_PORT_NONE;
    }
}

static void update_count_changes(const ik_deployment *d, const ik_lid_tables *old,
                                 ik_deploy_update *u)
{
    enum { SOME = 256 }; /* entries that mostly are equal */
    for (uint32_t sw = 0; sw < old->num_switches; sw++) {
        const uint8_t *a = ik_lid_tables_row(old, sw), *b = ik_lid_tables_row(&d->tables, sw);
        uint64_t before = u->changed + u->added + u->removed;
        for (size_t i = 0; i < d->lids.num; i += SOME) {
            size_t num = d->lids.num - i < SOME ? d->lids.num - i : SOME;
            if (memcmp(a + i, b + i, num) == 0 && !memchr(a + i, IK_PORT_NONE, num))
                u->kept += num;
            else
                update_count_entries(a + i, b + i, num, u);
        }
        u->switches += u->changed + u->added + u->removed > before;
    }
}

/* Are most of the old entries those of the new tables? Then the same routing has made them. */
static bool update_mostly_equal(const ik_deployment *d, const ik_lid_tables *old)
{
    ik_deploy_update u = {0};
    update_count_changes(d, old, &u);
    return u.kept > u.changed + u.added + u.removed;
}

/* Keeps the old entries, and service levels, that can be, if the same routing has made them, and
 * counts what changes. */
static ik_status update_take_over(ik_deployment *d, const installed_tables *old,
                                  const ik_deploy_config *config, const ik_env *env, ik_error *err)
{
    bool one_lane = d->lanes == 1 && old->lanes <= 1;
    unsigned most = deploy_most_lanes(config);
    ik_status status = IK_OK;
    d->own_max_fill = old->own_max_fill;
    if (d->update.same_routing && one_lane)
        status = update_try_repaired(d, old, env, err);
    else if (d->update.same_routing && old->lanes > 0 && old->lanes <= most)
        status = update_try_lanes(d, old, most, env, err);
    if (status == IK_OK && d->update.same_routing && !d->update.repaired && d->lanes == 1)
        status = update_relieve_own(d, old, env, err);
    if (status == IK_ERR_CANCELLED && d->judged && d->proved && ik_cancel_raised(config->enough))
        status = IK_OK; /* time is over: d's own tables do */
    if (status == IK_OK)
        update_count_changes(d, &old->tables, &d->update);
    if (status == IK_OK && !one_lane && old->lanes > 0)
        status = update_count_levels(d, old, err);
    return status;
}

static void update_free_installed(installed_tables *old)
{
    ik_lid_tables_free(&old->tables);
    ik_service_levels_free(&old->levels);
}

/* Where the commands to go back find what is installed: not in the folder that is replaced. */
static ik_status update_name_folder(ik_deployment *d, const char *folder, unsigned lanes,
                                    ik_error *err)
{
    char *path = realpath(folder, NULL);
    if (!path)
        return errno == ENOMEM ? ik_fail_memory(err, DEPLOY_PATH, "a path") : IK_OK;
    if (strcmp(path, d->folder) == 0) {
        free(path);
        return IK_OK;
    }
    d->update.folder = path;
    d->update.lanes = lanes;
    return IK_OK;
}

ik_status update_apply(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                       ik_error *err)
{
    const char *from = config->from;
    char path[DEPLOY_PATH + 64];
    installed_tables old = {0};
    bool folder = from && update_is_folder(from);
    ik_tables_matched matched = {0};
    if (!from)
        return IK_OK;
    ik_status status =
        ik_lid_tables_read(&d->lids, update_path(from, DEPLOY_LFTS, path, sizeof path), env,
                           &old.tables, &matched, err);
    if (status != IK_OK)
        return status;
    d->update = (ik_deploy_update){.from = from,
                                   .missing = matched.missing_switches,
                                   .lane_assumed = !update_has_levels(from)};
    if (folder)
        status = update_read_summary(d, from, &d->update.same_routing, &old, err);
    else
        d->update.same_routing = update_mostly_equal(d, &old.tables);
    if (old.lanes > 1 && access(update_path(from, DEPLOY_POLICY, path, sizeof path), F_OK) != 0)
        old.lanes = 0;
    if (status == IK_OK && old.lanes > 1)
        status = ik_qos_policy_read(&d->lids, update_path(from, DEPLOY_POLICY, path, sizeof path),
                                    env, &old.levels, NULL, err);
    if (status == IK_OK && old.lanes > 0)
        status = update_name_folder(d, from, old.lanes, err);
    if (status == IK_OK)
        status = update_take_over(d, &old, config, env, err);
    d->update.mixing = IK_MIXING_LANES;
    if (status == IK_OK && d->lanes == 1 && old.lanes <= 1)
        status = update_find_order(&old.tables, &d->tables, env, &d->update, err);
    update_free_installed(&old);
    return status;
}

ik_status update_relieve_chosen(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                                ik_error *err)
{
    ik_env here = env ? *env : (ik_env){0};
    if (d->lanes > 1)
        return IK_OK;
    if (config->enough)
        here.cancel = config->enough;
    ik_status status = update_relieve_own(d, NULL, &here, err);
    /* what was chosen is there nevertheless */
    return status == IK_ERR_CANCELLED && !ik_env_cancelled(env) ? IK_OK : status;
}

/* ---- what is installed, in memory */

/* Index that a LID has in other tables: that of the same path to the same port. */
static uint32_t update_index_in(const ik_lids *other, const ik_lid *lid)
{
    uint32_t first = ik_lids_find_guid(other, lid->guid);
    return first != IK_NONE && lid->path < ik_lids_paths(other, first) ? first + lid->path
                                                                       : IK_NONE;
}

/* LIDs that are new are in class 0. index: [lids->num] */
static ik_status update_carry_levels(const ik_service_levels *from, const ik_lids *lids,
                                     const uint32_t *index, ik_service_levels *out, ik_error *err)
{
    size_t n = (size_t)lids->num + 1, cells = (size_t)from->num_sources * from->num_dests;
    ik_service_levels made = {.lids = lids,
                              .num_sources = from->num_sources,
                              .num_dests = from->num_dests,
                              .source_of = ik_calloc(n, sizeof *made.source_of),
                              .dest_of = ik_calloc(n, sizeof *made.dest_of),
                              .sl = ik_calloc(cells + 1, 1)};
    if (!made.source_of || !made.dest_of || !made.sl) {
        ik_service_levels_free(&made);
        return ik_fail_memory(err, 8 * n + cells, "installed service levels");
    }
    for (uint32_t i = 0; i < lids->num; i++)
        if (index[i] != IK_NONE) {
            made.source_of[i] = from->source_of[index[i]];
            made.dest_of[i] = from->dest_of[index[i]];
        }
    memcpy(made.sl, from->sl, cells);
    *out = made;
    return IK_OK;
}

ik_status update_carry_over(const ik_deployment *from, const ik_lids *lids, const ik_env *env,
                            ik_lid_tables *out, ik_service_levels *levels, ik_error *err)
{
    const ik_fabric *f = lids->fabric;
    size_t n = (size_t)lids->num + 1;
    uint32_t *index = ik_calloc(n, sizeof *index);
    if (!index)
        return ik_fail_memory(err, n * sizeof *index, "installed tables");
    for (uint32_t i = 0; i < lids->num; i++)
        index[i] = update_index_in(&from->lids, &lids->of[i]);
    ik_status status = ik_lid_tables_new(lids, env, out, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++) {
        uint32_t own = ik_lids_of_node(lids, sw), before = own == IK_NONE ? IK_NONE : index[own];
        if (before == IK_NONE || from->lids.of[before].port != IK_NONE)
            continue;
        const uint8_t *old = ik_lid_tables_row(&from->tables, from->lids.of[before].node);
        uint8_t *row = ik_lid_tables_row(out, sw);
        for (uint32_t i = 0; i < lids->num; i++)
            if (index[i] != IK_NONE)
                row[i] = old[index[i]];
    }
    if (status == IK_OK && levels)
        status = update_carry_levels(&from->levels, lids, index, levels, err);
    if (status != IK_OK)
        ik_lid_tables_free(out);
    free(index);
    return status;
}

ik_status update_from_memory(ik_deployment *d, const ik_deployment *from,
                             const ik_deploy_config *config, const ik_env *env, ik_error *err)
{
    installed_tables old = {.lanes = from->lanes,
                            .own_max_fill = from->own_max_fill,
                            .management_loops = from->verdict.management_free == IK_NO,
                            .one_manager_loops = from->verdict.one_manager_free == IK_NO,
                            .beyond_minhop =
                                from->minhop_fill > 0 && from->max_fill > from->minhop_fill};
    ik_status status = update_carry_over(from, &d->lids, env, &old.tables,
                                         from->lanes > 1 ? &old.levels : NULL, err);
    if (status != IK_OK)
        return status;
    d->update = (ik_deploy_update){.from = "installed", .mixing = IK_MIXING_LANES};
    d->update.same_routing = from->plan
                                 ? strcmp(from->plan->routing->spec, d->plan->routing->spec) == 0
                                 : update_mostly_equal(d, &old.tables);
    status = update_take_over(d, &old, config, env, err);
    update_free_installed(&old);
    return status;
}
