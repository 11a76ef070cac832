/* SPDX-License-Identifier: Apache-2.0
 *
 * load_groups.c: channels by level and direction, with a histogram each.
 */
#include "ikat/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BINS 32

const char *ik_direction_name(ik_direction d)
{
    static const char *const names[] = {"up", "down", "between", "injection", "ejection"};
    return names[d];
}

bool ik_channel_kind(const ik_fabric *f, uint32_t port, ik_direction *direction, uint32_t *level)
{
    assert(port < f->num_ports);
    uint32_t from = f->port_node[port], to = ik_peer_node(f, port);
    if (to == IK_NONE || ik_is_silent(f, from) || ik_is_silent(f, to))
        return false;
    *level = 0;
    if (!ik_is_switch(f, from)) {
        *direction = IK_DIR_INJECTION;
    } else if (!ik_is_switch(f, to)) {
        *direction = IK_DIR_EJECTION;
    } else if (!f->num_levels || f->switch_level[from] == f->switch_level[to]) {
        *direction = IK_DIR_SIDE;
        *level = f->num_levels ? f->switch_level[from] : 0;
    } else {
        bool up = f->switch_level[to] > f->switch_level[from];
        *direction = up ? IK_DIR_UP : IK_DIR_DOWN;
        *level = f->switch_level[up ? from : to];
    }
    return true;
}

/* Injection, up from low to high, down from high to low, sideways, ejection: the order of a
 * path. */
static uint32_t load_groups_rank_of(const ik_fabric *f, ik_direction direction, uint32_t level)
{
    uint32_t levels = f->num_levels + 1;
    switch (direction) {
    case IK_DIR_INJECTION:
        return 0;
    case IK_DIR_UP:
        return 1 + level;
    case IK_DIR_SIDE:
        return 1 + levels + level;
    case IK_DIR_DOWN:
        return 1 + 2 * levels + (levels - level);
    default:
        return 2 + 3 * levels;
    }
}

static int load_groups_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Values equal up to rounding are one. */
static bool load_groups_same_value(double a, double b)
{
    double slack = 1e-9 * (b > 1 ? b : 1);
    return b - a <= slack;
}

static size_t load_groups_count_distinct(const double *v, size_t n)
{
    size_t distinct = n > 0;
    for (size_t i = 1; i < n; i++)
        distinct += !load_groups_same_value(v[i - 1], v[i]);
    return distinct;
}

/* bins has room for MAX_BINS; v is sorted. */
static size_t load_groups_make_bins(const double *v, size_t n, ik_load_bin *bins)
{
    size_t num = 0;
    if (load_groups_count_distinct(v, n) <= MAX_BINS) {
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || !load_groups_same_value(v[i - 1], v[i]))
                bins[num++] = (ik_load_bin){v[i], v[i], 0};
            bins[num - 1].channels++;
        }
        return num;
    }
    double low = v[0], step = (v[n - 1] - v[0]) / MAX_BINS;
    for (num = 0; num < MAX_BINS; num++)
        bins[num] = (ik_load_bin){low + step * (double)num, low + step * (double)(num + 1), 0};
    for (size_t i = 0; i < n; i++) {
        size_t b = (size_t)((v[i] - low) / step);
        bins[b < MAX_BINS ? b : MAX_BINS - 1].channels++;
    }
    return num;
}

static ik_status finish_group(ik_load_group *g, double *v, ik_error *err)
{
    double sum = 0;
    g->bins = ik_calloc(MAX_BINS, sizeof *g->bins);
    if (!g->bins)
        return ik_fail_memory(err, MAX_BINS * sizeof *g->bins, "a load histogram");
    qsort(v, g->channels, sizeof *v, load_groups_compare_doubles);
    for (uint64_t i = 0; i < g->channels; i++)
        sum += v[i];
    g->min = v[0];
    g->max = v[g->channels - 1];
    g->mean = sum / (double)g->channels;
    g->num_bins = load_groups_make_bins(v, g->channels, g->bins);
    return IK_OK;
}

/* Values by channel, one or several each. counts: only those for which it is above 0 count; NULL:
 * all. */
typedef struct values {
    const ik_fabric *f;
    const double *value, *counts;
    size_t per_channel;
} values;

static bool load_groups_value_counts(const values *v, size_t i)
{
    return !v->counts || v->counts[i] > 0;
}

/* How many values of a channel count, into its group's number of them. */
static void load_groups_count_values(const values *v, ik_load_group *by_rank)
{
    ik_direction direction;
    uint32_t level;
    for (uint32_t p = 0; p < v->f->num_ports; p++) {
        if (!ik_channel_kind(v->f, p, &direction, &level))
            continue;
        ik_load_group *g = &by_rank[load_groups_rank_of(v->f, direction, level)];
        g->direction = direction;
        g->level = level;
        for (size_t k = 0; k < v->per_channel; k++)
            g->channels += load_groups_value_counts(v, p * v->per_channel + k);
    }
}

/* Sorts the values by group: those of rank r end at next[r]. */
static void load_groups_sort_by_rank(const values *v, const ik_load_group *by_rank, uint32_t ranks,
                                     uint64_t *next, double *sorted)
{
    ik_direction direction;
    uint32_t level;
    for (uint32_t r = 1; r < ranks; r++)
        next[r] = next[r - 1] + by_rank[r - 1].channels;
    for (uint32_t p = 0; p < v->f->num_ports; p++) {
        if (!ik_channel_kind(v->f, p, &direction, &level))
            continue;
        uint64_t *to = &next[load_groups_rank_of(v->f, direction, level)];
        for (size_t k = 0; k < v->per_channel; k++)
            if (load_groups_value_counts(v, p * v->per_channel + k))
                sorted[(*to)++] = v->value[p * v->per_channel + k];
    }
}

static ik_status load_groups_make_groups(const values *v, ik_load_group **groups, size_t *num,
                                         ik_error *err)
{
    uint32_t ranks = 3 + 3 * (v->f->num_levels + 1);
    size_t room = (size_t)v->f->num_ports * v->per_channel + 1;
    uint64_t *next = ik_calloc((size_t)ranks + 1, sizeof *next);
    double *sorted = ik_calloc(room, sizeof *sorted);
    ik_load_group *all = ik_calloc(ranks, sizeof *all);
    size_t kept = 0;
    ik_status s = IK_OK;
    if (!next || !sorted || !all) {
        s = ik_fail_memory(err, room * sizeof *sorted, "load histograms");
        goto done;
    }
    load_groups_count_values(v, all);
    load_groups_sort_by_rank(v, all, ranks, next, sorted);
    for (uint32_t r = 0; r < ranks && s == IK_OK; r++) {
        if (all[r].channels) {
            uint64_t first = next[r] - all[r].channels;
            all[kept] = all[r];
            s = finish_group(&all[kept++], sorted + first, err);
        }
    }
done:
    free(next);
    free(sorted);
    if (s == IK_OK) {
        *groups = all;
        *num = kept;
    } else {
        ik_load_groups_free(all, all ? kept : 0);
    }
    return s;
}

ik_status ik_load_groups(const ik_fabric *f, const double *value, ik_load_group **groups,
                         size_t *num, ik_error *err)
{
    const values v = {.f = f, .value = value, .per_channel = 1};
    return load_groups_make_groups(&v, groups, num, err);
}

ik_status ik_queue_groups(const ik_fabric *f, const ik_queues *q, bool destinations,
                          ik_load_group **groups, size_t *num, ik_error *err)
{
    size_t queues = (size_t)q->num_ports * q->num_vcs;
    values v = {.f = f, .value = q->crossing, .counts = q->crossing, .per_channel = q->num_vcs};
    double *hosts = destinations ? ik_calloc(queues + 1, sizeof *hosts) : NULL;
    if (destinations && !hosts)
        return ik_fail_memory(err, queues * sizeof *hosts, "destinations by queue");
    for (size_t i = 0; i < queues && destinations; i++)
        hosts[i] = q->destinations[i];
    v.value = destinations ? hosts : v.value;
    ik_status status = load_groups_make_groups(&v, groups, num, err);
    free(hosts);
    return status;
}

void ik_load_groups_free(ik_load_group *groups, size_t num)
{
    for (size_t i = 0; groups && i < num; i++)
        free(groups[i].bins);
    free(groups);
}

void ik_load_group_json(const ik_load_group *g, ik_json *j)
{
    enum { DIGITS = 12 };
    ik_json_text(j, "direction", ik_direction_name(g->direction));
    ik_json_uint(j, "level", g->level);
    ik_json_uint(j, "channels", g->channels);
    ik_json_real(j, "min", g->min, DIGITS);
    ik_json_real(j, "mean", g->mean, DIGITS);
    ik_json_real(j, "max", g->max, DIGITS);
}
