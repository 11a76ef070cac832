/* SPDX-License-Identifier: Apache-2.0
 *
 * load_ends.c: what the hosts' own channels carry. Engines that take hosts together see neither
 * sources nor, switch by switch, single destinations; flow by flow they are filled in here, and for
 * even patterns from sums.
 */
#include "analysis/load.h"

#include <assert.h>

static uint32_t load_ends_ejection(const ik_fabric *f, uint32_t host)
{
    return f->port_peer[walk_injection(f, host)];
}

static void load_ends_add(load_job *job, uint32_t port, double amount, double count)
{
    assert(port < job->f->num_ports && amount >= 0 && count >= 0);
    job->parts[0].load[port] += amount;
    job->parts[0].crossing[port] += count;
}

/* ------------------------------------------------------------------------------------------ flow
 * by flow */

static void load_ends_book_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                uint64_t scale)
{
    load_job *job = ctx;
    const demand *d = job->d;
    if (src == dst || d->row_of[src] == IK_NONE || d->row_of[dst] == IK_NONE)
        return;
    uint32_t from = d->row_of[src], to = d->row_of[dst];
    double amount = demand_amount(d, src, weight, scale);
    if (load_is_lost(job, from, job->by_switch ? to : dst))
        return;
    load_ends_add(job, walk_injection(job->f, src), amount, 1);
    if (job->by_switch) {
        load_ends_add(job, load_ends_ejection(job->f, dst), amount, 1);
        job->parts[0].turns[d->row_switch[to]] += from == to;
    }
}

/* ------------------------------------------------------------------------------------------ even
 * patterns */

static uint32_t load_ends_goal_hosts(const load_job *job, uint32_t goal)
{
    assert(goal < job->num_goals);
    const demand *d = job->d;
    return job->by_switch ? d->row_base[goal + 1] - d->row_base[goal] : d->row_of[goal] != IK_NONE;
}

static double load_ends_own_amount(const demand *d, uint32_t host)
{
    assert(d->even_scale > 0);
    return demand_amount(d, host, d->even_weight, d->even_scale);
}

/* Hosts that flows from a row reach, those of the row itself included. */
static double load_ends_hosts_reached(const load_job *job, uint32_t row)
{
    double reached = 0;
    for (uint32_t goal = 0; goal < job->num_goals; goal++)
        reached += load_is_lost(job, row, goal) ? 0 : load_ends_goal_hosts(job, goal);
    return reached;
}

static void load_ends_inject_row(load_job *job, uint32_t row, double reached)
{
    const demand *d = job->d;
    for (uint32_t i = d->row_base[row]; i < d->row_base[row + 1]; i++) {
        uint32_t host = d->row_host[i];
        double others = reached - !load_is_lost(job, row, job->by_switch ? row : host);
        load_ends_add(job, walk_injection(job->f, host), load_ends_own_amount(d, host) * others,
                      others);
    }
}

/* What all rows but those in `lost` (NULL = none) offer each host, and how many flows that are. */
static void load_ends_sum_of_rows(const demand *d, const uint8_t *lost, double *amount,
                                  double *count)
{
    *amount = *count = 0;
    for (uint32_t row = 0; row < d->num_rows; row++) {
        if (lost && lost[row / 8] >> row % 8 & 1)
            continue;
        for (uint32_t i = d->row_base[row]; i < d->row_base[row + 1]; i++)
            *amount += load_ends_own_amount(d, d->row_host[i]);
        *count += d->row_base[row + 1] - d->row_base[row];
    }
}

static void load_ends_eject_row(load_job *job, uint32_t row, double amount, double count)
{
    const demand *d = job->d;
    double hosts = d->row_base[row + 1] - d->row_base[row];
    for (uint32_t i = d->row_base[row]; i < d->row_base[row + 1]; i++) {
        load_ends_add(job, load_ends_ejection(job->f, d->row_host[i]),
                      amount - load_ends_own_amount(d, d->row_host[i]), count - 1);
    }
    job->parts[0].turns[d->row_switch[row]] += hosts * (hosts - 1);
}

static void load_ends_book_even(load_job *job)
{
    const demand *d = job->d;
    bool any_lost = false;
    double all = 0, amount, count;
    for (uint32_t goal = 0; goal < job->num_goals; goal++) {
        any_lost = any_lost || job->lost[goal];
        all += load_ends_goal_hosts(job, goal);
    }
    load_ends_sum_of_rows(d, NULL, &amount, &count);
    for (uint32_t row = 0; row < d->num_rows; row++) {
        load_ends_inject_row(job, row, any_lost ? load_ends_hosts_reached(job, row) : all);
        if (job->by_switch && job->lost[row]) {
            double less, fewer;
            load_ends_sum_of_rows(d, job->lost[row], &less, &fewer);
            load_ends_eject_row(job, row, less, fewer);
        } else if (job->by_switch) {
            load_ends_eject_row(job, row, amount, count);
        }
    }
}

void load_book_ends(load_job *job)
{
    const ik_traffic *t = job->d->t;
    if (job->d->even_scale) {
        load_ends_book_even(job);
        return;
    }
    for (uint32_t h = 0; h < t->num_hosts; h++)
        t->family->flows(t, h, load_ends_book_flow, job);
}
