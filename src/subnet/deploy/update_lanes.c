/* SPDX-License-Identifier: Apache-2.0
 *
 * update_lanes.c: tables and service levels after a failure, on several lanes.
 *
 * Entries are those of update.c: old ones that still deliver, new ones elsewhere. A pair of hosts
 * whose path and way back consist of old entries keeps its service level, so that hosts need not
 * ask anew; what these pairs wait for closed no cycle before. Each other pair gets the first lane
 * on which it closes none with them (see vc/lash.h). If one finds no lane, or many move, there may
 * be one lane more. If that does not help, or the whole is not proved, the new tables stand as
 * they are.
 */
#include "subnet/deploy/update_lanes.h"
#include "subnet/deploy/deploy.h"
#include "subnet/tables/complete.h"
#include "vc/lash.h"

#include <stdlib.h>
#include <string.h>

/* Which pairs leave lane 0 to queries. */
typedef enum lane_avoiding {
    AVOID_NOTHING,
    AVOID_IF_CHANGED, /* those that cannot keep their level anyway */
    AVOID_ALWAYS,     /* all */
    AVOIDINGS
} lane_avoiding;

typedef struct keeping {
    update_walk walk; /* by entries that stay */
    const installed_tables *old;
    const ik_fabric *f; /* of the plan: hosts are ports */
    uint32_t *lid;      /* [host] index, IK_NONE of those without a cable */
    uint8_t *fate;      /* [host][switch] see update_delivers */
    lane_avoiding avoid;
} keeping;

/* Does the old path from this switch to the host stay as it is? */
static bool update_lanes_stays(keeping *k, uint32_t sw, uint32_t host)
{
    uint8_t *fate = k->fate + (size_t)host * k->f->num_switches;
    return update_delivers(&k->walk, fate, sw, k->lid[host]);
}

/* NULL: all on SL 0. */
static const ik_service_levels *update_levels_of(const installed_tables *old)
{
    return old->lanes > 1 ? &old->levels : NULL;
}

/* See lash_before. */
static unsigned update_lane_before(void *ctx, uint32_t src, uint32_t dst, bool *stays)
{
    keeping *k = ctx;
    uint32_t from = ik_host_switch(k->f, src), to = ik_host_switch(k->f, dst);
    unsigned lane = ik_sl_of(update_levels_of(k->old), k->lid[src], k->lid[dst]);
    *stays = (lane > 0 || k->avoid != AVOID_ALWAYS) && update_lanes_stays(k, from, dst) &&
             update_lanes_stays(k, to, src);
    return lane;
}

/* Do packets for two hosts of a switch take the same ways there, and the same levels? */
static bool update_are_alike(const keeping *k, const ik_routing *rows, uint32_t h, uint32_t g)
{
    const ik_fabric *f = k->f;
    const ik_service_levels *l = update_levels_of(k->old);
    uint32_t a = k->lid[h], b = k->lid[g], at = ik_host_switch(f, h);
    if (l && (l->source_of[a] != l->source_of[b] || l->dest_of[a] != l->dest_of[b]))
        return false;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        const uint16_t *row = rows->lft + (size_t)sw * f->num_hosts;
        if (sw != at && row[h] != row[g])
            return false;
    }
    return true;
}

/* Are all hosts of each switch? */
static bool update_is_per_switch(keeping *k, const ik_routing *rows)
{
    uint32_t *first = k->walk.path;
    for (uint32_t sw = 0; sw < k->f->num_switches; sw++)
        first[sw] = IK_NONE;
    for (uint32_t h = 0; h < k->f->num_hosts; h++) {
        uint32_t at = ik_host_switch(k->f, h);
        if (at == IK_NONE || k->lid[h] == IK_NONE)
            continue;
        if (first[at] == IK_NONE)
            first[at] = h;
        if (!update_are_alike(k, rows, h, first[at]))
            return false;
    }
    return true;
}

static ik_status update_open_keeping(keeping *k, ik_error *err)
{
    const ik_fabric *f = k->f;
    size_t cells = (size_t)f->num_hosts * f->num_switches + 1;
    k->lid = ik_calloc((size_t)f->num_hosts + 1, sizeof *k->lid);
    k->fate = ik_calloc(cells, 1);
    k->walk.path = ik_calloc((size_t)f->num_switches + 1, sizeof *k->walk.path);
    if (!k->lid || !k->fate || !k->walk.path)
        return ik_fail_memory(err, cells, "paths that stay");
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t port = ik_host_port(f, h);
        k->lid[h] = port == IK_NONE ? IK_NONE : ik_lids_of_port(&k->walk.d->lids, port);
    }
    return IK_OK;
}

/* What d has, or had: taken out, to be put back or freed. */
typedef struct own_tables {
    ik_lid_tables tables;
    ik_service_levels levels;
    ik_sl2vl vls;
    unsigned lanes;
    uint64_t shared;
} own_tables;

static own_tables update_take_own(ik_deployment *d)
{
    own_tables own = {d->tables, d->levels, d->vls, d->lanes, d->shared};
    d->tables = (ik_lid_tables){0};
    d->levels = (ik_service_levels){0};
    d->vls = (ik_sl2vl){0};
    return own;
}

static void update_free_own(own_tables *own)
{
    ik_lid_tables_free(&own->tables);
    ik_service_levels_free(&own->levels);
    ik_sl2vl_free(&own->vls);
}

static void update_put_own(ik_deployment *d, own_tables *own)
{
    own_tables tried = update_take_own(d);
    update_free_own(&tried);
    d->tables = own->tables;
    d->levels = own->levels;
    d->vls = own->vls;
    d->lanes = own->lanes;
    d->shared = own->shared;
}

/* d with mixed tables and the levels of the plan; then with rows completed anew, for queries.
 * *lacks: what keeps the latter from being taken. */
static ik_status update_try_levels(ik_deployment *d, const ik_plan *plan, ik_lid_tables *mixed,
                                   const update_verdict *verdict, update_lack *lacks,
                                   const ik_env *env, ik_error *err)
{
    ik_lid_tables anew = {0};
    uint32_t unsafe = 0;
    own_tables own = update_take_own(d);
    d->lanes = plan->vc->num_vcs;
    ik_status status = ik_service_levels_from_plan(plan, &d->lids, env, &d->levels, err);
    if (status == IK_OK)
        status = ik_sl2vl_make(d->fabric, d->lanes, &d->vls, err);
    if (status == IK_OK)
        status = update_try_tables(d, mixed, verdict, env, NULL, err);
    if (status == IK_OK && !d->update.repaired)
        status = complete_tables(plan, 0, &d->lids, env, &anew, &unsafe, NULL, err);
    if (status == IK_OK && !d->update.repaired)
        status = update_try_tables(d, &anew, verdict, env, lacks, err);
    ik_lid_tables_free(&anew);
    if (status == IK_OK && d->update.repaired) {
        uint64_t pairs[IK_NUM_SLS] = {0};
        status = deploy_count_pairs(&d->levels, pairs, err);
        d->shared = pairs[0];
        update_free_own(&own);
    } else {
        update_put_own(d, &own);
    }
    return status;
}

/* The lanes that are tried. */
typedef struct lane_range {
    unsigned least, most;
} lane_range;

/* Lanes, as few as there are tried, or one more if it helps: pairs that stay then keep theirs. */
static ik_status update_find_lanes(keeping *k, ik_vc *vc, lane_range range, bool *fits,
                                   const ik_env *env, ik_error *err)
{
    enum { MANY = 50 }; /* one pair in so many */
    const lash_before before = {update_lane_before, k, k->avoid != AVOID_NOTHING};
    uint64_t fewest = UINT64_MAX, hosts = k->f->num_hosts;
    *fits = false;
    for (unsigned lanes = range.least; lanes <= range.most; lanes++) {
        ik_vc made = {.family = vc->family,
                      .fabric = vc->fabric,
                      .routing = vc->routing,
                      .spec = vc->spec,
                      .num_vcs = lanes};
        ik_error why;
        uint64_t moved = 0;
        ik_status status = lash_keep(&made, before, &moved, env, &why);
        if (status != IK_OK && status != IK_ERR_UNSUPPORTED) {
            if (*fits)
                vc->family->destroy(vc);
            *fits = false;
            if (err)
                *err = why;
            return status;
        }
        bool better = status == IK_OK && moved < fewest;
        if (status == IK_OK && !better)
            made.family->destroy(&made);
        if (better) {
            if (*fits)
                vc->family->destroy(vc);
            *vc = made;
            *fits = true;
            fewest = moved;
        }
        if (*fits && (lanes > range.least || fewest * MANY <= hosts * hosts))
            break;
    }
    return IK_OK;
}

/* Service levels on some of these lanes, and what the tables are worth with them. *lacks: queries,
 * if that is so. *used: lanes, 0: there are no such levels. */
static ik_status update_try_range(ik_deployment *d, keeping *k, ik_plan *plan, lane_range range,
                                  ik_lid_tables *mixed, const update_verdict *verdict,
                                  update_lack *lacks, unsigned *used, const ik_env *env,
                                  ik_error *err)
{
    ik_vc vc = {
        .family = ik_vc_find("lash"), .fabric = k->f, .routing = plan->routing, .spec = "lash"};
    bool fits = false;
    *lacks = LACKS_PROOF;
    *used = 0;
    ik_status status = update_find_lanes(k, &vc, range, &fits, env, err);
    plan->vc = &vc;
    if (status == IK_OK && fits) {
        *used = vc.num_vcs;
        status = update_try_levels(d, plan, mixed, verdict, lacks, env, err);
    }
    if (fits)
        vc.family->destroy(&vc);
    return status;
}

/* Service levels for mixed tables, and what they are worth: on as many lanes as there are, or one
 * more, or as many as two more than the routing's own tables have where that is too few. Where
 * queries would be worse off, pairs leave lane 0 to them, if need be for a lane more. */
static ik_status update_try_plan(ik_deployment *d, keeping *k, ik_plan *plan, ik_lid_tables *mixed,
                                 const update_verdict *verdict, unsigned most, const ik_env *env,
                                 ik_error *err)
{
    unsigned there = k->old->lanes > d->lanes ? k->old->lanes : d->lanes,
             limit = there + 1 > d->lanes + 2 ? there + 1 : d->lanes + 2, used = 0;
    update_lack lacks = LACKS_QUERIES;
    ik_status status = IK_OK;
    limit = limit < most ? limit : most;
    for (k->avoid = AVOID_NOTHING;
         status == IK_OK && lacks == LACKS_QUERIES && k->avoid < AVOIDINGS; k->avoid++) {
        lane_range range = {there, limit};
        do {
            status = update_try_range(d, k, plan, range, mixed, verdict, &lacks, &used, env, err);
            range.least = used + 1;
        } while (status == IK_OK && lacks == LACKS_QUERIES && k->avoid && range.least <= limit);
    }
    return status;
}

static ik_status update_try_mixed(ik_deployment *d, keeping *k, ik_lid_tables *mixed,
                                  const update_verdict *verdict, unsigned most, const ik_env *env,
                                  ik_error *err)
{
    ik_routing rows = {0};
    ik_plan plan = *d->plan;
    ik_status status = update_open_keeping(k, err);
    if (status == IK_OK)
        status = update_make_rows(d, mixed, &rows, err);
    if (status == IK_OK && update_is_per_switch(k, &rows))
        rows.traits |= IK_ROUTE_PER_SWITCH;
    plan.routing = &rows;
    if (status == IK_OK)
        status = update_try_plan(d, k, &plan, mixed, verdict, most, env, err);
    free(rows.lft);
    free(k->lid);
    free(k->fate);
    free(k->walk.path);
    return status;
}

/* What one lane was enough for, on one lane again, where the routing's own tables need more. */
static ik_status update_try_one_lane(ik_deployment *d, const installed_tables *old,
                                     const update_verdict *verdict, const ik_env *env,
                                     ik_error *err)
{
    own_tables own = {.levels = d->levels, .vls = d->vls, .lanes = d->lanes, .shared = d->shared};
    d->levels = (ik_service_levels){.lids = &d->lids};
    d->vls = (ik_sl2vl){0};
    d->lanes = 1;
    ik_status status = ik_sl2vl_make(d->fabric, 1, &d->vls, err);
    if (status == IK_OK)
        status = update_try_kept(d, &old->tables, verdict, env, err);
    if (status != IK_OK || !d->update.repaired) {
        own_tables tried = {.levels = d->levels, .vls = d->vls};
        d->levels = own.levels;
        d->vls = own.vls;
        d->lanes = own.lanes;
        d->shared = own.shared;
        own = tried;
    }
    update_free_own(&own);
    return status;
}

/* Is there memory for pairs of hosts, and the paths that stay? Else the routing's own tables do. */
static bool update_lanes_have_room(const ik_fabric *f, const ik_env *env)
{
    double hosts = f->num_hosts, switches = f->num_switches;
    return ik_env_refuse_bytes(env, hosts * (4 * hosts + 8 * switches), "pairs of hosts", NULL) ==
               IK_OK &&
           hosts * hosts < UINT32_MAX;
}

/* After others were tried: what is known of d's own tables, unless those were taken over. */
static void update_restore_verdict(ik_deployment *d, ik_deployment *own)
{
    if (d->update.repaired) {
        update_forget_verdict(own);
        return;
    }
    d->verdict = own->verdict;
    d->judged = own->judged;
    d->proved = own->proved;
    d->entries = own->entries;
    d->max_paths = own->max_paths;
    d->max_fill = own->max_fill;
    memcpy(d->why_not, own->why_not, sizeof d->why_not);
}

ik_status update_try_lanes(ik_deployment *d, const installed_tables *old, unsigned most,
                           const ik_env *env, ik_error *err)
{
    ik_lid_tables mixed = {0};
    keeping k = {.walk = {.d = d, .tables = &old->tables, .same = &mixed},
                 .old = old,
                 .f = d->plan->routing->fabric};
    update_verdict verdict;
    if (!update_lanes_have_room(k.f, env))
        return IK_OK;
    ik_status status = update_judge_own(d, old, env, &verdict, err);
    ik_deployment own = *d;
    d->judged = false;
    if (status == IK_OK && old->lanes == 1)
        status = update_try_one_lane(d, old, &verdict, env, err);
    bool back = true; /* first with the cables that came back, if there are some */
    for (bool tries = true; status == IK_OK && tries && !d->update.repaired;) {
        status = update_mix_tables(d, &old->tables, &back, env, &mixed, err);
        if (status == IK_OK)
            status = update_relieve_mixed(&mixed, &verdict, env, err);
        if (status == IK_OK)
            status = update_try_mixed(d, &k, &mixed, &verdict, most, env, err);
        ik_lid_tables_free(&mixed);
        tries = back;
        back = false;
    }
    update_restore_verdict(d, &own);
    return status;
}

/* Of the port of a LID; IK_NONE of switches, and of ports without a cable or, before, a path. */
static uint32_t update_switch_before(const ik_deployment *d, const ik_lid_tables *old, uint32_t lid)
{
    uint32_t port = d->lids.of[lid].port,
             at = port == IK_NONE ? IK_NONE : ik_peer_node(d->fabric, port);
    return at != IK_NONE && ik_is_switch(d->fabric, at) &&
                   ik_lid_tables_row(old, at)[lid] != IK_PORT_NONE
               ? at
               : IK_NONE;
}

ik_status update_count_levels(ik_deployment *d, const installed_tables *old, ik_error *err)
{
    const ik_service_levels *before = update_levels_of(old),
                            *now = d->lanes > 1 ? &d->levels : NULL;
    ik_deploy_update *u = &d->update;
    uint32_t num = d->lids.num, *at = ik_calloc((size_t)num + 1, sizeof *at);
    if (!at)
        return ik_fail_memory(err, 4 * (size_t)num, "switches of LIDs");
    for (uint32_t a = 0; a < num; a++)
        at[a] = update_switch_before(d, &old->tables, a);
    for (uint32_t a = 0; a < num; a++)
        for (uint32_t b = 0; b < num && at[a] != IK_NONE; b++)
            if (at[b] != IK_NONE && at[a] != at[b]) {
                bool same = ik_sl_of(before, a, b) == ik_sl_of(now, a, b);
                u->levels_kept += same;
                u->levels_changed += !same;
            }
    free(at);
    return IK_OK;
}
