/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_engine.c: the routing engine `ikat` of OpenSM. At each sweep that routes: the subnet is read,
 * routed and proved; what is proved is installed. If nothing can be proved, the last proved tables
 * stay if they are proved on the subnet as it is now, else OpenSM's next engine takes over.
 *
 * OpenSM routes under its lock, and asks for service levels under the same one, shared.
 */
#include "ikat/routing.h"
#include "opensm/sm.h"

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_version.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((format(printf, 3, 4))) static void
sm_engine_log(const sm_engine *s, osm_log_level_t level, const char *format, ...)
{
    char text[1024], shown[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sm_options_rename(text, shown, sizeof shown);
    size_t length = strlen(shown);
    if (length > 1 && shown[length - 1] == '.' && strchr(".?!", shown[length - 2]))
        shown[length - 1] = '\0'; /* the text of an error or a hint had its own */
    osm_log(&s->osm->log, level, "ikat: %s\n", shown);
}

/* ---- what is installed */

static void sm_engine_forget(sm_engine *s)
{
    if (s->now)
        ik_deployment_free(s->now);
    free(s->now);
    ik_fabric_free(s->fabric);
    s->now = NULL;
    s->fabric = NULL;
}

static void sm_engine_install(sm_engine *s)
{
    const ik_deployment *d = s->now;
    for (uint32_t sw = 0; sw < d->fabric->num_switches; sw++) {
        osm_switch_t *to = sm_fabric_switch(s->osm, d->fabric, sw);
        const uint8_t *row = ik_lid_tables_row(&d->tables, sw);
        if (!to || !to->new_lft)
            continue;
        memset(to->new_lft, OSM_NO_PATH, to->lft_size);
        for (uint32_t i = 0; i < d->lids.num; i++)
            if (!d->lids.of[i].made && d->lids.of[i].lid < to->lft_size)
                to->new_lft[d->lids.of[i].lid] = row[i];
    }
}

/* ---- making it */

static bool sm_engine_gives_up(ik_status status)
{
    return status == IK_ERR_MEMORY || status == IK_ERR_CANCELLED;
}

static ik_deploy_config sm_engine_config(const sm_engine *s, const char *routing, const char *vc,
                                         const sm_watch *watch)
{
    unsigned most = s->options.vls ? s->options.vls : IK_DEPLOY_VLS,
             lanes = sm_fabric_lanes(s->osm);
    return (ik_deploy_config){.routing = routing,
                              .vc = vc,
                              .max_vls = lanes < most ? lanes : most,
                              .query_lane = s->options.query_lane,
                              .enough = &watch->half};
}

static ik_status sm_engine_try(sm_engine *s, const char *routing, const char *vc,
                               const sm_watch *watch, const ik_env *env, ik_deployment *d,
                               ik_error *err)
{
    const ik_deploy_config config = sm_engine_config(s, routing, vc, watch);
    return ik_deploy_in_memory(s->seen, &config, s->now, env, d, err);
}

/* Later sweeps stay with what was chosen. */
static void sm_engine_note_choice(sm_engine *s, const ik_deployment *d)
{
    if (!d->choice.num)
        return;
    s->routing = d->choice.of[d->choice.chosen].given[0];
    s->vc = d->choice.of[d->choice.chosen].given[1];
}

/* As the options say; else with what was chosen before, as long as it is proved; else with what is
 * the best now. */
static ik_status sm_engine_make(sm_engine *s, const sm_watch *watch, const ik_env *env,
                                ik_deployment *d, ik_error *err)
{
    const sm_options *o = &s->options;
    const char *routing = o->routing ? o->routing : s->routing, *vc = o->routing ? o->vc : s->vc;
    ik_status status = sm_engine_try(s, routing, vc, watch, env, d, err);
    if (status != IK_OK && !o->routing && routing && !sm_engine_gives_up(status))
        status = sm_engine_try(s, NULL, NULL, watch, env, d, err);
    if (status == IK_OK)
        sm_engine_note_choice(s, d);
    return status;
}

/* What sm_engine_prove() makes. */
typedef enum sm_making {
    SM_NEW,    /* as the options say */
    SM_KEPT,   /* what is installed is to stay */
    SM_BETTER, /* what is better than that, of the routings that were not compared yet, if any is */
} sm_making;

/* Under the limits of the options: time, memory, threads. *better: see ik_deploy_resume. */
static ik_status sm_engine_prove(sm_engine *s, sm_making making, ik_deployment *d, bool *better,
                                 ik_error *err)
{
    sm_watch watch;
    ik_status status = sm_watch_begin(&watch, s->options.time_ps, err);
    if (status != IK_OK)
        return status;
    const ik_env env = {.num_threads = s->options.threads,
                        .memory_limit_bytes = s->options.memory_bytes,
                        .cancel = &watch.over};
    const ik_deploy_config config = sm_engine_config(s, NULL, NULL, &watch);
    status = making == SM_KEPT  ? ik_deploy_keep(s->seen, s->now, &env, d, err)
             : making == SM_NEW ? sm_engine_make(s, &watch, &env, d, err)
                                : ik_deploy_resume(s->seen, &config, s->now, &env, d, better, err);
    sm_watch_end(&watch);
    if (status == IK_ERR_CANCELLED)
        ik_fail(err, status, "the time limit of %g s has passed",
                (double)s->options.time_ps * 1e-12);
    return status;
}

static void sm_engine_tell(const sm_engine *s, double seconds)
{
    const ik_deployment *d = s->now;
    const ik_deploy_update *u = &d->update;
    char changes[160] = "";
    if (u->from)
        snprintf(changes, sizeof changes,
                 "; of the entries that stay, %llu are kept and %llu changed, and %llu are new",
                 (unsigned long long)u->kept, (unsigned long long)u->changed,
                 (unsigned long long)u->added);
    sm_engine_log(s, OSM_LOG_INFO,
                  "%u switch%s and %u host%s are routed with '%.100s' and VC scheme '%.100s' on %u "
                  "lane%s, and proved, in %.3f s%s.",
                  d->fabric->num_switches, d->fabric->num_switches == 1 ? "" : "es",
                  d->fabric->num_hosts, d->fabric->num_hosts == 1 ? "" : "s",
                  d->plan->routing->spec, d->plan->vc->spec, d->lanes, d->lanes == 1 ? "" : "s",
                  seconds, changes);
}

/* Takes over what was proved for the subnet that was seen. What was compared is known on. */
static void sm_engine_take(sm_engine *s, ik_deployment *d)
{
    if (s->now && !d->choice.num) {
        d->choice = s->now->choice;
        s->now->choice = (ik_routing_choice){0};
    }
    sm_engine_forget(s);
    s->now = d;
    s->fabric = s->seen;
    s->seen = NULL;
    s->lanes = sm_fabric_lanes(s->osm);
}

/* Where time ran out before all routings were compared, the next sweep routes again, even if the
 * subnet is as it was. */
static void sm_engine_ask_for_more(sm_engine *s)
{
    if (!s->now || !s->now->choice.stopped)
        return;
    s->osm->subn.force_heavy_sweep = TRUE;
    sm_engine_log(s, OSM_LOG_INFO,
                  "time ran out before all routings were compared: the next sweep goes on.");
}

/* On the subnet as it was: compares the routings for which there was no time yet. */
static void sm_engine_improve(sm_engine *s)
{
    ik_error why = {0};
    bool better = false;
    double begin = ik_clock_s(CLOCK_MONOTONIC);
    ik_deployment *d = calloc(1, sizeof *d);
    ik_status status = d ? sm_engine_prove(s, SM_BETTER, d, &better, &why)
                         : ik_fail_memory(&why, sizeof *d, "a deployment");
    if (status != IK_OK) {
        s->now->choice.stopped = false; /* else each sweep would be followed by one more */
        sm_engine_log(s, OSM_LOG_ERROR,
                      "no other routing was made: %.400s%s%.300s. The proved tables stay.",
                      why.text, why.hint[0] ? "; " : "", why.hint);
    }
    if (status == IK_OK && !better)
        sm_engine_log(s, OSM_LOG_INFO,
                      "of the routings for which there was no time before, none is better yet.");
    if (!better) {
        free(d);
        return;
    }
    sm_engine_take(s, d);
    sm_engine_note_choice(s, d);
    sm_engine_log(s, OSM_LOG_INFO, "a routing for which there was no time before is better.");
    sm_engine_tell(s, ik_clock_s(CLOCK_MONOTONIC) - begin);
}

/* The subnet's new tables; false: there are none that are proved. */
static bool sm_engine_reroute(sm_engine *s)
{
    ik_error why = {0}, kept = {0};
    double begin = ik_clock_s(CLOCK_MONOTONIC);
    if (!s->seen->num_hosts && !s->seen->num_endpoints) {
        sm_engine_log(s, OSM_LOG_INFO,
                      "the subnet has no hosts yet: OpenSM's next engine takes over.");
        return false;
    }
    ik_deployment *d = calloc(1, sizeof *d);
    ik_status status = d ? sm_engine_prove(s, SM_NEW, d, NULL, &why)
                         : ik_fail_memory(&why, sizeof *d, "a deployment");
    if (status == IK_OK) {
        sm_engine_take(s, d);
        sm_engine_tell(s, ik_clock_s(CLOCK_MONOTONIC) - begin);
        return true;
    }
    sm_engine_log(s, OSM_LOG_ERROR, "the subnet cannot be routed: %.400s%s%.300s.", why.text,
                  why.hint[0] ? "; " : "", why.hint);
    if (s->now && d && sm_engine_prove(s, SM_KEPT, d, NULL, &kept) == IK_OK) {
        sm_engine_take(s, d);
        sm_engine_log(s, OSM_LOG_ERROR,
                      "the last proved tables stay, for they are proved on the subnet as it is.");
        return true;
    }
    if (s->now && d)
        sm_engine_log(s, OSM_LOG_ERROR,
                      "the last proved tables do not fit the subnet as it is: %.400s.", kept.text);
    free(d);
    sm_engine_log(s, OSM_LOG_ERROR,
                  "OpenSM's next engine takes over, whose tables ikat has not proved.");
    return false;
}

/* ---- OpenSM's calls */

static int sm_engine_read(void *context)
{
    sm_engine *s = context;
    ik_error why;
    const ik_env env = {.num_threads = 1};
    ik_fabric_free(s->seen);
    s->seen = NULL;
    ik_status status = sm_fabric_read(s->osm, &env, &s->seen, &why);
    if (status == IK_OK)
        status = sm_hops_make(s->osm, s->seen, &why);
    if (status == IK_OK)
        return 0;
    sm_engine_log(s, OSM_LOG_ERROR, "the subnet cannot be read: %.400s.", why.text);
    return 1; /* OpenSM makes the matrices itself */
}

static int sm_engine_route(void *context)
{
    sm_engine *s = context;
    char why[256];
    if (!s->seen) {
        sm_engine_log(s, OSM_LOG_ERROR, "without the subnet, OpenSM's next engine takes over.");
        return -1;
    }
    bool same = s->now && s->lanes == sm_fabric_lanes(s->osm) &&
                ik_fabric_equal(s->seen, s->fabric, why, sizeof why);
    if (!same && !sm_engine_reroute(s))
        return -1;
    bool more = same && s->now->choice.stopped;
    if (more)
        sm_engine_improve(s);
    else if (same)
        sm_engine_log(s, OSM_LOG_INFO, "the subnet is as it was, and so are the proved tables.");
    sm_engine_ask_for_more(s);
    sm_engine_install(s);
    return 0;
}

static uint8_t sm_engine_path_sl(void *context, uint8_t hint, const ib_net16_t from,
                                 const ib_net16_t to)
{
    const ik_deployment *d = ((sm_engine *)context)->now;
    if (!d || d->lanes == 1)
        return hint;
    uint32_t src = ik_lids_find(&d->lids, cl_ntoh16(from)),
             dst = ik_lids_find(&d->lids, cl_ntoh16(to));
    return src == IK_NONE || dst == IK_NONE ? 0 : (uint8_t)ik_sl_of(&d->levels, src, dst);
}

static void sm_engine_update_sl2vl(void *context, osm_physp_t *port, uint8_t in, uint8_t out,
                                   ib_slvl_table_t *table)
{
    const ik_deployment *d = ((sm_engine *)context)->now;
    (void)port, (void)in, (void)out; /* the same at every port */
    for (unsigned sl = 0; d && d->lanes > 1 && sl < IK_NUM_SLS; sl++)
        ib_slvl_table_set(table, (uint8_t)sl, d->vls.map[0][sl]);
}

/* Equal shares, all in the table of low priority, whose first block is number 0. */
static void sm_engine_update_vlarb(void *context, osm_physp_t *port, uint8_t number,
                                   ib_vl_arb_table_t *block, unsigned length, unsigned which)
{
    const ik_deployment *d = ((sm_engine *)context)->now;
    (void)port, (void)number;
    for (unsigned i = 0; d && d->lanes > 1 && i < length; i++) {
        bool shares = which == 0 && i < d->lanes;
        block->vl_entry[i] =
            (ib_vl_arb_element_t){.vl = shares ? (uint8_t)i : 0, .weight = shares ? 64 : 0};
    }
}

static int sm_engine_setup(struct osm_routing_engine *engine, osm_opensm_t *osm)
{
    (void)osm;
    engine->build_lid_matrices = sm_engine_read;
    engine->ucast_build_fwd_tables = sm_engine_route;
    engine->path_sl = sm_engine_path_sl;
    engine->update_sl2vl = sm_engine_update_sl2vl;
    engine->update_vlarb = sm_engine_update_vlarb;
    return 0;
}

/* ---- the plug-in */

static void sm_engine_delete(void *data)
{
    sm_engine *s = data;
    sm_engine_forget(s);
    ik_fabric_free(s->seen);
    free(s->options.text);
    free(s);
}

static void *sm_engine_create(osm_opensm_t *osm)
{
    ik_error why;
    sm_engine *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->osm = osm;
    const external_routing_engine_module_t module = {.name = "ikat", .setup = sm_engine_setup};
    ik_status status = sm_options_read(osm->subn.opt.event_plugin_options, &s->options, &why);
    if (status == IK_OK && osm_register_external_routing_engine(osm, &module, s) != CL_SUCCESS)
        status = ik_fail(&why, IK_ERR_FAILED, "OpenSM does not take the engine");
    if (status == IK_OK)
        return s;
    sm_engine_log(s, OSM_LOG_ERROR, "the plug-in is not loaded: %.400s%s%.300s.", why.text,
                  why.hint[0] ? "; " : "", why.hint);
    sm_engine_delete(s);
    return NULL;
}

/* OpenSM looks for this name, and takes a plug-in for its own version alone. */
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {
    .osm_version = OSM_VERSION, .create = sm_engine_create, .delete = sm_engine_delete};
