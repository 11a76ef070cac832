/* SPDX-License-Identifier: Apache-2.0
 *
 * service_levels.c: service levels from the lanes of a plan.
 *
 * The matrix of lanes [source][destination] is reduced to its different rows, then to the different
 * columns of what is left. Cells of pairs on one switch fit anything: their packets cross no
 * channel between switches. So a host goes into the first class that differs from it in no other
 * cell; what the class left open, it fills. */
#include "ikat/deploy.h"
#include "ikat/vc.h"

#include <stdlib.h>
#include <string.h>

enum { ANY_LANE = 255 }; /* of a cell that fits anything */

typedef struct reduction {
    const ik_plan *plan;
    const ik_fabric *f; /* of the routing: hosts are ports */
    uint32_t hosts;     /* and one more row and column, number `hosts`: switches */
    uint8_t *rows;      /* [rows there are][hosts + 1] of the classes of sources */
    uint32_t num_rows;
    uint8_t *columns; /* [num_columns][num_rows] of the classes of destinations */
    uint32_t num_columns;
    uint32_t *source, *dest; /* [hosts + 1] class */
    uint8_t *row;            /* [hosts + 1] scratch */
} reduction;

/* Does the row fit the class? Then it is merged into it. */
static bool service_levels_merge(uint8_t *into, const uint8_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (into[i] != row[i] && into[i] != ANY_LANE && row[i] != ANY_LANE)
            return false;
    for (size_t i = 0; i < n; i++)
        if (into[i] == ANY_LANE)
            into[i] = row[i];
    return true;
}

/* The class of a row among *num of them, of n cells each; a new one if it fits none. IK_NONE = out
 * of memory. */
static uint32_t service_levels_class_of(uint8_t **classes, uint32_t *num, const uint8_t *row,
                                        size_t n)
{
    for (uint32_t c = 0; c < *num; c++)
        if (service_levels_merge(*classes + c * n, row, n))
            return c;
    if ((*num & (*num - 1)) == 0) { /* room for twice as many at each power of two */
        size_t cells = (*num ? 2 * (size_t)*num : 1) * n;
        uint8_t *grown = realloc(*classes, cells ? cells : 1);
        if (!grown)
            return IK_NONE;
        *classes = grown;
    }
    memcpy(*classes + *num * n, row, n);
    return (*num)++;
}

static ik_status service_levels_make_row(reduction *r, uint32_t src, ik_error *err)
{
    memset(r->row, 0, (size_t)r->hosts + 1);
    if (src == r->hosts)
        return IK_OK;
    uint32_t sw = ik_host_switch(r->f, src);
    for (uint32_t dst = 0; dst < r->hosts; dst++) {
        ik_packet pk;
        if (ik_host_switch(r->f, dst) == sw || sw == IK_NONE) {
            r->row[dst] = ANY_LANE;
            continue;
        }
        ik_plan_start_nth(r->plan, src, dst, 0, &pk);
        if (pk.vc >= IK_DEPLOYABLE_VCS)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "VC scheme '%s' puts packets on lane %u; InfiniBand has %d lanes for "
                           "data",
                           r->plan->vc->spec, pk.vc, IK_DEPLOYABLE_VCS);
        r->row[dst] = pk.vc;
    }
    return IK_OK;
}

static ik_status service_levels_reduce_rows(reduction *r, const ik_env *env, ik_error *err)
{
    for (uint32_t src = 0; src <= r->hosts; src++) {
        ik_status status = service_levels_make_row(r, src, err);
        if (status != IK_OK)
            return status;
        r->source[src] =
            service_levels_class_of(&r->rows, &r->num_rows, r->row, (size_t)r->hosts + 1);
        if (r->source[src] == IK_NONE)
            return ik_fail_memory(err, r->hosts, "service levels");
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

static ik_status service_levels_reduce_columns(reduction *r, ik_error *err)
{
    uint8_t *column = ik_calloc((size_t)r->num_rows + 1, 1);
    ik_status status = column ? IK_OK : ik_fail_memory(err, r->num_rows, "service levels");
    for (uint32_t dst = 0; status == IK_OK && dst <= r->hosts; dst++) {
        for (uint32_t s = 0; s < r->num_rows; s++)
            column[s] = r->rows[s * ((size_t)r->hosts + 1) + dst];
        r->dest[dst] = service_levels_class_of(&r->columns, &r->num_columns, column, r->num_rows);
        if (r->dest[dst] == IK_NONE)
            status = ik_fail_memory(err, r->num_rows, "service levels");
    }
    free(column);
    return status;
}

static ik_status levels_new(const ik_lids *lids, uint32_t sources, uint32_t dests,
                            ik_service_levels *out, ik_error *err)
{
    ik_service_levels s = {.lids = lids, .num_sources = sources, .num_dests = dests};
    size_t n = (size_t)lids->num + 1;
    s.source_of = ik_calloc(n, sizeof *s.source_of);
    s.dest_of = ik_calloc(n, sizeof *s.dest_of);
    s.sl = ik_calloc(sources ? sources : 1, dests ? dests : 1);
    if (!s.source_of || !s.dest_of || !s.sl) {
        ik_service_levels_free(&s);
        return ik_fail_memory(err, n * 8, "service levels");
    }
    *out = s;
    return IK_OK;
}

/* The classes of hosts as classes of LIDs. */
static ik_status service_levels_finish(const reduction *r, const ik_lids *lids,
                                       ik_service_levels *out, ik_error *err)
{
    ik_service_levels s;
    ik_status status = levels_new(lids, r->num_rows, r->num_columns, &s, err);
    if (status != IK_OK)
        return status;
    for (uint32_t i = 0; i < lids->num; i++) {
        s.source_of[i] = r->source[r->hosts];
        s.dest_of[i] = r->dest[r->hosts];
    }
    for (uint32_t h = 0; h < r->hosts; h++) {
        uint32_t port = ik_host_port(r->f, h);
        uint32_t i = port == IK_NONE ? IK_NONE : ik_lids_of_port(lids, port);
        for (; i != IK_NONE && i < lids->num && lids->of[i].port == port; i++) {
            s.source_of[i] = r->source[h];
            s.dest_of[i] = r->dest[h];
        }
    }
    for (uint32_t a = 0; a < r->num_rows; a++)
        for (uint32_t b = 0; b < r->num_columns; b++) {
            uint8_t lane = r->columns[b * (size_t)r->num_rows + a];
            s.sl[a * (size_t)r->num_columns + b] = lane == ANY_LANE ? 0 : lane;
        }
    *out = s;
    return IK_OK;
}

static ik_status service_levels_check_scheme(const ik_plan *plan, ik_error *err)
{
    const ik_routing *r = plan->routing;
    if (r->kind != IK_ROUTE_DETERMINISTIC) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "routing '%.100s' gives a pair several paths; service levels are for one", r->spec);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "'ikat check' proves such a routing; 'dmodc', 'updown' and 'nue' give one "
                       "path");
    }
    return ik_vc_deployable(plan->vc, err);
}

ik_status ik_service_levels_from_plan(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                      ik_service_levels *out, ik_error *err)
{
    ik_status status = service_levels_check_scheme(plan, err);
    if (status != IK_OK)
        return status;
    if (plan->vc->num_vcs == 1)
        return levels_new(lids, 1, 1, out, err);
    reduction r = {.plan = plan, .f = plan->routing->fabric};
    r.hosts = r.f->num_hosts;
    size_t n = (size_t)r.hosts + 1;
    r.source = ik_calloc(n, sizeof *r.source);
    r.dest = ik_calloc(n, sizeof *r.dest);
    r.row = ik_calloc(n, 1);
    if (!r.source || !r.dest || !r.row)
        status = ik_fail_memory(err, n * 9, "service levels");
    if (status == IK_OK)
        status = service_levels_reduce_rows(&r, env, err);
    if (status == IK_OK)
        status = service_levels_reduce_columns(&r, err);
    if (status == IK_OK)
        status = service_levels_finish(&r, lids, out, err);
    free(r.rows);
    free(r.columns);
    free(r.source);
    free(r.dest);
    free(r.row);
    return status;
}

void ik_service_levels_free(ik_service_levels *s)
{
    free(s->source_of);
    free(s->dest_of);
    free(s->sl);
    *s = (ik_service_levels){0};
}
