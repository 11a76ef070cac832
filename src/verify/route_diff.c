/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing the routes of two plans pair by pair, and their forwarding tables entry by entry where
 * both have them.
 */
#include "ikat/verify.h"

#include "vc/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct diff_job {
    const ik_plan *before, *after;
    uint32_t max;          /* channels of a path */
    uint32_t **paths;      /* [threads] two paths */
    ik_route_diff *counts; /* [threads] */
} diff_job;

static bool diff_comes_before(uint32_t src, uint32_t dst, uint32_t other_src, uint32_t other_dst)
{
    return src < other_src || (src == other_src && dst < other_dst);
}

/* Keeps the lowest pairs in order, so that the examples do not depend on who found them. */
static void diff_add_example(ik_route_diff *d, uint32_t src, uint32_t dst)
{
    assert(src != dst && d->num_examples <= IK_DIFF_EXAMPLES);
    uint32_t i = d->num_examples;
    if (i == IK_DIFF_EXAMPLES) {
        if (!diff_comes_before(src, dst, d->examples[i - 1].src, d->examples[i - 1].dst))
            return;
        i--;
    } else {
        d->num_examples++;
    }
    for (; i > 0 && diff_comes_before(src, dst, d->examples[i - 1].src, d->examples[i - 1].dst);
         i--)
        d->examples[i] = d->examples[i - 1];
    d->examples[i].src = src;
    d->examples[i].dst = dst;
}

static const ik_fabric *diff_whole(const ik_plan *plan)
{
    return plan->fabric->split ? plan->fabric->split->whole : plan->fabric;
}

/* Paths between one pair of ports of each plan. Returns whether they are the same; the lengths are
 * those of the first, IK_NONE when out of memory. */
static bool diff_compare_ports(const diff_job *job, uint32_t *paths, const uint32_t a[2],
                               const uint32_t b[2], uint32_t lengths[2])
{
    uint32_t *path_a = paths, *path_b = paths + job->max;
    uint32_t starts = ik_plan_num_starts(job->before, a[0], a[1]);
    bool same = ik_plan_num_starts(job->after, b[0], b[1]) == starts;
    for (uint32_t n = 0; n < starts && (same || n == 0); n++) {
        uint32_t one = ik_plan_path(job->before, a[0], a[1], n, path_a, job->max);
        uint32_t other = ik_plan_path(job->after, b[0], b[1], n, path_b, job->max);
        if (one == IK_NONE || other == IK_NONE) {
            lengths[0] = lengths[1] = IK_NONE;
            return false;
        }
        lengths[0] = n == 0 ? one : lengths[0];
        lengths[1] = n == 0 ? other : lengths[1];
        same = same && one == other && memcmp(path_a, path_b, one * sizeof *path_a) == 0;
    }
    return same;
}

static bool diff_compare_pair(const diff_job *job, unsigned thread, uint32_t src, uint32_t dst)
{
    ik_route_diff *d = &job->counts[thread];
    const ik_routing *before = job->before->routing, *after = job->after->routing;
    uint32_t pairs = ik_rails_count(before, src, dst), lengths[2] = {0, 0};
    bool same = ik_rails_count(after, src, dst) == pairs;
    for (uint32_t k = 0; k < pairs && (same || k == 0); k++) {
        uint32_t a[2], b[2], found[2] = {0, 0};
        ik_rails_nth(before, src, dst, k, &a[0], &a[1]);
        ik_rails_nth(after, src, dst, k, &b[0], &b[1]);
        same = diff_compare_ports(job, job->paths[thread], a, b, found) && same;
        if (found[0] == IK_NONE)
            return false;
        for (int i = 0; i < 2 && k == 0; i++)
            lengths[i] = found[i];
    }
    uint32_t length_a = lengths[0], length_b = lengths[1];
    d->pairs++;
    if (same)
        return true;
    if (length_a && length_b) {
        d->moved++;
        d->longer += length_b > length_a;
        d->shorter += length_b < length_a;
    } else {
        d->lost += length_a > 0;
        d->gained += length_b > 0;
    }
    if (length_a || length_b)
        diff_add_example(d, src, dst);
    return true;
}

static ik_status diff_compare_source(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    const diff_job *job = ctx;
    uint32_t src = (uint32_t)index;
    for (uint32_t dst = 0; dst < diff_whole(job->before)->num_hosts; dst++)
        if (src != dst && !diff_compare_pair(job, thread, src, dst))
            return ik_fail_memory(err, job->before->max_radix * sizeof(uint32_t), "a path");
    return IK_OK;
}

static void diff_merge(ik_route_diff *into, const ik_route_diff *from)
{
    into->pairs += from->pairs;
    into->moved += from->moved;
    into->longer += from->longer;
    into->shorter += from->shorter;
    into->lost += from->lost;
    into->gained += from->gained;
    for (uint32_t i = 0; i < from->num_examples; i++)
        diff_add_example(into, from->examples[i].src, from->examples[i].dst);
}

static bool diff_has_table(const ik_plan *plan)
{
    return plan->routing->kind == IK_ROUTE_DETERMINISTIC &&
           /* tables of ports where hosts have several, in the same order */ (
               plan->routing->traits & IK_ROUTE_DEST_BASED);
}

static ik_status diff_compare_tables(const diff_job *job, const ik_env *env, ik_route_diff *d,
                                     ik_error *err)
{
    const ik_fabric *f = job->before->fabric;
    uint16_t *a = NULL, *b = NULL;
    ik_status status = ik_lft_compile(job->before->routing, env, &a, err);
    if (status == IK_OK)
        status = ik_lft_compile(job->after->routing, env, &b, err);
    size_t entries = (size_t)f->num_switches * f->num_hosts;
    for (size_t i = 0; status == IK_OK && i < entries; i++)
        d->changed_entries += a[i] != b[i];
    d->table_entries = entries;
    d->has_tables = true;
    free(a);
    free(b);
    return status;
}

static ik_status diff_run(diff_job *job, unsigned threads, const ik_env *env, ik_route_diff *out,
                          ik_error *err)
{
    for (unsigned t = 0; t < threads; t++) {
        job->paths[t] = ik_calloc((size_t)job->max * 2, sizeof **job->paths);
        if (!job->paths[t])
            return ik_fail_memory(err, (size_t)job->max * 8, "two paths");
    }
    ik_status status = ik_parallel_for(env, "comparing routes", diff_whole(job->before)->num_hosts,
                                       diff_compare_source, job, err);
    ik_route_diff sum = {0};
    for (unsigned t = 0; t < threads; t++)
        diff_merge(&sum, &job->counts[t]);
    if (status == IK_OK && diff_has_table(job->before) && diff_has_table(job->after))
        status = diff_compare_tables(job, env, &sum, err);
    if (status == IK_OK)
        *out = sum;
    return status;
}

ik_status ik_route_diff_measure(const ik_plan *before, const ik_plan *after, const ik_env *env,
                                ik_route_diff *out, ik_error *err)
{
    if (diff_whole(before) != diff_whole(after))
        return ik_fail(err, IK_ERR_USAGE, "routes can only be compared on one fabric");
    unsigned threads = ik_env_threads(env);
    diff_job job = {.before = before,
                    .after = after,
                    .max = 2 * before->fabric->num_switches + 4,
                    .paths = ik_calloc(threads, sizeof *job.paths),
                    .counts = ik_calloc(threads, sizeof *job.counts)};
    ik_status status = job.paths && job.counts
                           ? diff_run(&job, threads, env, out, err)
                           : ik_fail_memory(err, threads, "a comparison of routes");
    for (unsigned t = 0; job.paths && t < threads; t++)
        free(job.paths[t]);
    free(job.paths);
    free(job.counts);
    return status;
}
