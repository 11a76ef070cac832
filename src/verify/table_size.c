/* SPDX-License-Identifier: Apache-2.0
 *
 * The size of the tables behind a routing.
 */
#include "ikat/verify.h"
#include "routing/routing.h"

#include <stdlib.h>

static unsigned table_size_bits_for(uint64_t values)
{
    unsigned bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < values)
        bits++;
    return bits ? bits : 1;
}

static uint32_t table_size_num_routes(const ik_routing *r, uint32_t sw, uint32_t *out)
{
    const ik_fabric *f = r->fabric;
    uint32_t routes = 0;
    for (uint32_t dst = 0; dst < f->num_hosts && ik_radix(f, sw) > 0; dst++) {
        bool paths = r->traits & IK_ROUTE_DEST_PATHS;
        for (uint32_t n = paths ? r->family->num_starts(r, dst, dst) : 1; n-- > 0;) {
            ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
            uint32_t preferred = 0;
            if (paths)
                r->family->start_nth(r, n, &pk);
            routes += r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred) > 0;
        }
    }
    return routes;
}

/* The same, read off a row of a table. */
static uint32_t table_size_num_filled(const uint16_t *row, uint32_t num)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < num; i++)
        filled += row[i] != LFT_NONE;
    return filled;
}

static void table_size_add_switch(ik_table_size *t, uint32_t sw, uint32_t entries)
{
    uint64_t bytes = ((uint64_t)entries * t->entry_bits + 7) / 8;
    t->total += entries;
    t->total_bytes += bytes;
    t->min = sw == 0 || entries < t->min ? entries : t->min;
    t->max = entries > t->max ? entries : t->max;
    t->max_bytes = bytes > t->max_bytes ? bytes : t->max_bytes;
}

typedef struct count_job {
    const ik_routing *r;
    uint32_t *entries; /* [num_switches] */
    uint32_t *out;     /* [threads][max radix] */
    uint32_t radix;
} count_job;

static ik_status table_size_count_switch(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    count_job *job = ctx;
    const ik_routing *r = job->r;
    uint32_t sw = (uint32_t)index, hosts = r->fabric->num_hosts;
    job->entries[sw] =
        r->family->num_entries ? r->family->num_entries(r, sw)
        : r->lft && r->family->next == ik_lft_next && !(r->traits & IK_ROUTE_DEST_PATHS)
            ? table_size_num_filled(r->lft + (size_t)sw * hosts, hosts)
            : table_size_num_routes(r, sw, job->out + (size_t)thread * job->radix);
    return IK_OK;
}

static ik_status table_size_count_entries(const ik_routing *r, const ik_env *env, ik_table_size *t,
                                          ik_error *err)
{
    const ik_fabric *f = r->fabric;
    count_job job = {.r = r, .radix = ik_max_radix(f) + 1};
    job.entries = ik_calloc((size_t)f->num_switches + 1, sizeof *job.entries);
    job.out = ik_calloc((size_t)ik_env_threads(env) * job.radix, sizeof *job.out);
    ik_status status =
        job.entries && job.out
            ? ik_parallel_for(env, "table entries", f->num_switches, table_size_count_switch, &job,
                              err)
            : ik_fail_memory(err, f->num_switches * sizeof *job.entries, "the sizes of tables");
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++)
        table_size_add_switch(t, sw, job.entries[sw]);
    t->mean = f->num_switches ? (double)t->total / f->num_switches : 0;
    free(job.entries);
    free(job.out);
    return status;
}

ik_status ik_table_size_measure(const ik_routing *r, const ik_env *env, ik_table_size *out,
                                ik_error *err)
{
    const ik_fabric *f = r->fabric;
    unsigned port_bits = table_size_bits_for(ik_max_radix(f));
    bool compact = r->family->num_entries != NULL;
    ik_table_size t = {.form = compact ? "compact tables" : "linear tables",
                       .has_entries = true,
                       .entry_bits = port_bits};
    if (compact)
        t.entry_bits += table_size_bits_for(f->num_switches);
    else if (r->traits & IK_ROUTE_ARITHMETIC)
        t = (ik_table_size){.form = "computed"};
    else if (!(r->traits & (IK_ROUTE_DEST_BASED | IK_ROUTE_DEST_PATHS)))
        t = (ik_table_size){.form = "set up at the source"};
    ik_status status = t.has_entries ? table_size_count_entries(r, env, &t, err) : IK_OK;
    if (status == IK_OK)
        *out = t;
    return status;
}
