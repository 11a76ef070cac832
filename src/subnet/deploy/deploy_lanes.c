/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_lanes.c: which service level each lane of the plan becomes.
 *
 * Performance queries, and what hosts ask the subnet manager, travel on SL 0. Their paths are whole
 * trees to and from a host, which with tables that need several lanes can close a cycle with the
 * data there. So ways to number the lanes are tried, and the first is taken under which the queries
 * of one host at a time are free of it: as the plan has them; with another lane as SL 0, those with
 * least data first; and if a lane may be spent on that, with SL 0 for queries alone. */
#include "subnet/deploy/deploy.h"
#include "subnet/tables/complete.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HOSTS = 2000 }; /* for trying every lane as SL 0, not the one with least data alone */

typedef struct lane_settling {
    ik_deployment *d;
    const ik_env *env;
    uint8_t *lane;              /* [cells] of the levels: lanes of the plan */
    size_t cells;               /* of the levels */
    uint64_t pairs[IK_NUM_SLS]; /* of hosts on each lane of the plan */
    unsigned order[IK_NUM_SLS]; /* lanes of the plan, those with least data first */
} lane_settling;

ik_status deploy_count_pairs(const ik_service_levels *l, uint64_t *pairs, ik_error *err)
{
    size_t cells = (size_t)l->num_sources * l->num_dests;
    uint32_t *sources = ik_calloc((size_t)l->num_sources + 1, sizeof *sources);
    uint32_t *dests = ik_calloc((size_t)l->num_dests + 1, sizeof *dests);
    bool room = sources && dests;
    for (uint32_t i = 0; room && i < l->lids->num; i++)
        if (l->lids->of[i].port != IK_NONE && l->lids->of[i].path == 0) {
            sources[l->source_of[i]]++;
            dests[l->dest_of[i]]++;
        }
    for (size_t c = 0; room && c < cells; c++)
        pairs[l->sl[c]] += (uint64_t)sources[c / l->num_dests] * dests[c % l->num_dests];
    for (uint32_t i = 0; room && i < l->lids->num; i++) /* no host sends to itself */
        if (l->lids->of[i].port != IK_NONE && l->lids->of[i].path == 0)
            pairs[ik_sl_of(l, i, i)]--;
    free(sources);
    free(dests);
    return room ? IK_OK : ik_fail_memory(err, cells, "service levels");
}

static ik_status deploy_lanes_count_pairs(lane_settling *s, ik_error *err)
{
    const ik_service_levels *l = &s->d->levels;
    s->cells = (size_t)l->num_sources * l->num_dests;
    s->lane = malloc(s->cells + 1);
    if (!s->lane)
        return ik_fail_memory(err, s->cells, "service levels");
    memcpy(s->lane, l->sl, s->cells);
    ik_status status = deploy_count_pairs(l, s->pairs, err);
    for (unsigned n = 0; status == IK_OK && n < s->d->plan->vc->num_vcs; n++) {
        unsigned i = n;
        for (; i > 0 && s->pairs[s->order[i - 1]] > s->pairs[n]; i--)
            s->order[i] = s->order[i - 1];
        s->order[i] = n;
    }
    return status;
}

/* The SL of a lane of the plan where lane `first` is SL 0; first = the number of lanes: none is. */
static unsigned deploy_lanes_sl_of_lane(const lane_settling *s, unsigned first, unsigned lane)
{
    if (first == s->d->plan->vc->num_vcs)
        return lane + 1;
    return lane == first ? 0 : lane == 0 ? first : lane;
}

static void deploy_lanes_number(lane_settling *s, unsigned first)
{
    for (size_t c = 0; c < s->cells; c++)
        s->d->levels.sl[c] = (uint8_t)deploy_lanes_sl_of_lane(s, first, s->lane[c]);
}

static void deploy_lanes_free_tables(ik_deployment *d)
{
    ik_lid_tables_free(&d->tables);
    ik_sl2vl_free(&d->vls);
    if (d->judged)
        ik_subnet_verdict_free(&d->verdict);
    d->judged = false;
}

static ik_status deploy_lanes_make(lane_settling *s, unsigned first, ik_error *err)
{
    ik_deployment *d = s->d;
    unsigned lanes = d->plan->vc->num_vcs;
    deploy_lanes_number(s, first);
    d->lanes = lanes + (first == lanes);
    d->shared = first < lanes ? s->pairs[first] : 0;
    deploy_lanes_free_tables(d);
    ik_status status =
        complete_tables(d->plan, first, &d->lids, s->env, &d->tables, &d->unsafe, NULL, err);
    return status == IK_OK ? ik_sl2vl_make(d->fabric, d->lanes, &d->vls, err) : status;
}

static ik_status deploy_lanes_try_lane(lane_settling *s, unsigned first, bool *fits, ik_error *err)
{
    ik_status status = deploy_lanes_make(s, first, err);
    if (status == IK_OK)
        status = deploy_judge(s->d, s->env, err);
    *fits = status == IK_OK &&
            (s->d->verdict.management_free == IK_YES || s->d->verdict.one_manager_free == IK_YES);
    return status;
}

/* The ways behind the first. */
static ik_status deploy_lanes_try_others(lane_settling *s, const ik_deploy_config *config,
                                         bool *fits, ik_error *err)
{
    const ik_deployment *d = s->d;
    unsigned most = deploy_most_lanes(config), lanes = d->plan->vc->num_vcs,
             tried = d->fabric->num_hosts > MOST_HOSTS ? 1 : lanes;
    ik_status status = IK_OK;
    for (unsigned i = 0; status == IK_OK && !*fits && i < tried; i++)
        if (s->order[i] != 0)
            status = deploy_lanes_try_lane(s, s->order[i], fits, err);
    if (status == IK_OK && !*fits && config->query_lane && lanes < most)
        status = deploy_lanes_try_lane(s, lanes, fits, err);
    return status;
}

/* Tries the ways; if none does, it is as planned, which was the first: its tables and verdict are
 * kept until then. */
static ik_status deploy_lanes_try_ways(lane_settling *s, const ik_deploy_config *config,
                                       ik_error *err)
{
    ik_deployment *d = s->d;
    bool fits = false;
    ik_status status = deploy_lanes_try_lane(s, 0, &fits, err);
    if (status != IK_OK || fits)
        return status;
    ik_deployment planned = *d;
    d->tables = (ik_lid_tables){0};
    d->vls = (ik_sl2vl){0};
    d->judged = false;
    status = deploy_lanes_try_others(s, config, &fits, err);
    if (status == IK_OK && fits) {
        deploy_lanes_free_tables(&planned);
        return IK_OK;
    }
    deploy_lanes_free_tables(d);
    *d = planned;
    deploy_lanes_number(s, 0);
    return status;
}

ik_status deploy_settle_lanes(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                              ik_error *err)
{
    lane_settling s = {.d = d, .env = env};
    d->lanes = d->plan->vc->num_vcs;
    ik_status status = ik_service_levels_from_plan(d->plan, &d->lids, env, &d->levels, err);
    if (status == IK_OK)
        status = deploy_lanes_count_pairs(&s, err);
    d->shared = s.pairs[0];
    bool one_lane = d->lanes == 1;
    if (status == IK_OK && one_lane)
        status = complete_tables(d->plan, 0, &d->lids, env, &d->tables, &d->unsafe, NULL, err);
    if (status == IK_OK && (!one_lane || d->unsafe))
        status = deploy_lanes_try_ways(&s, config, err);
    free(s.lane);
    return status;
}
