/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.c: what traffic patterns share.
 */
#include "traffic/pattern.h"

#include "base/array.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t pattern_seed(const ik_traffic *t, const ik_params *params)
{
    return ik_params_has(params, "seed") ? ik_params_uint(params, "seed") : t->seed;
}

void pattern_free_impl(ik_traffic *t)
{
    free(t->impl);
    t->impl = NULL;
}

/* ------------------------------------------------------------------------------------------
 * maps */

ik_status pattern_map_new(ik_traffic *t, uint32_t **to, ik_error *err)
{
    uint32_t *map = ik_calloc(t->num_hosts ? t->num_hosts : 1, sizeof *map);
    if (!map)
        return ik_fail_memory(err, (size_t)t->num_hosts * sizeof *map, "a traffic map");
    memset(map, 0xFF, (size_t)t->num_hosts * sizeof *map);
    t->impl = map;
    *to = map;
    return IK_OK;
}

ik_status pattern_map_make(ik_traffic *t, pattern_map_fn fn, unsigned constant, ik_error *err)
{
    uint32_t *to;
    ik_status status = pattern_map_new(t, &to, err);
    for (uint32_t h = 0; status == IK_OK && h < t->num_hosts; h++)
        to[h] = fn(t, h, constant);
    return status;
}

ik_status pattern_map_bits(ik_traffic *t, pattern_map_fn fn, ik_error *err)
{
    unsigned bits = 0;
    ik_status status = pattern_bits(t, &bits, err);
    return status == IK_OK ? pattern_map_make(t, fn, bits, err) : status;
}

uint32_t pattern_map_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    (void)n;
    uint32_t dst = ((const uint32_t *)t->impl)[src];
    return dst == src ? IK_NONE : dst;
}

void pattern_map_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    uint32_t dst = pattern_map_dest(t, src, 0);
    if (dst != IK_NONE)
        fn(ctx, src, dst, 1, 1);
}

/* ------------------------------------------------------------------------------------------
 * lists */

static int pattern_compare_flows(const void *a, const void *b)
{
    const pattern_flow *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* Sorts, drops self flows and zero weights, merges equal pairs; returns the number left. */
static size_t pattern_merge_flows(pattern_flow *flows, size_t count)
{
    size_t kept = 0;
    ik_array_sort(flows, count, sizeof *flows, pattern_compare_flows);
    for (size_t i = 0; i < count; i++) {
        if (flows[i].src == flows[i].dst || flows[i].weight == 0)
            continue;
        if (kept && pattern_compare_flows(&flows[kept - 1], &flows[i]) == 0)
            flows[kept - 1].weight += flows[i].weight;
        else
            flows[kept++] = flows[i];
    }
    return kept;
}

static void pattern_lists_fill(pattern_lists *l, uint32_t num_hosts, const pattern_flow *flows,
                               size_t count)
{
    size_t i = 0;
    for (uint32_t h = 0; h < num_hosts; h++) {
        uint64_t sum = 0;
        l->base[h] = i;
        l->equal[h] = true;
        for (; i < count && flows[i].src == h; i++) {
            l->dst[i] = flows[i].dst;
            l->weight[i] = flows[i].weight;
            l->upto[i] = sum += flows[i].weight;
            if (flows[i].weight != l->weight[l->base[h]])
                l->equal[h] = false;
        }
    }
    l->base[num_hosts] = i;
}

static void pattern_lists_free(pattern_lists *l)
{
    if (l) {
        free(l->base);
        free(l->dst);
        free(l->weight);
        free(l->upto);
        free(l->equal);
        free(l);
    }
}

ik_status pattern_lists_new(ik_traffic *t, pattern_flow *flows, size_t count, ik_error *err)
{
    size_t kept = pattern_merge_flows(flows, count), room = kept ? kept : 1;
    pattern_lists *l = ik_calloc(1, sizeof *l);
    if (l) {
        l->base = ik_calloc((size_t)t->num_hosts + 1, sizeof *l->base);
        l->equal = ik_calloc((size_t)t->num_hosts + 1, sizeof *l->equal);
        l->dst = ik_calloc(room, sizeof *l->dst);
        l->weight = ik_calloc(room, sizeof *l->weight);
        l->upto = ik_calloc(room, sizeof *l->upto);
    }
    if (!l || !l->base || !l->equal || !l->dst || !l->weight || !l->upto) {
        pattern_lists_free(l);
        return ik_fail_memory(err, room * (sizeof *l->dst + 2 * sizeof *l->weight),
                              "a traffic pattern's lists");
    }
    pattern_lists_fill(l, t->num_hosts, flows, kept);
    t->impl = l;
    return IK_OK;
}

void pattern_lists_destroy(ik_traffic *t)
{
    pattern_lists_free(t->impl);
    t->impl = NULL;
}

uint32_t pattern_lists_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const pattern_lists *l = t->impl;
    size_t first = l->base[src], end = l->base[src + 1];
    if (first == end)
        return IK_NONE;
    if (l->equal[src])
        return l->dst[first + (size_t)(n % (end - first))];
    uint64_t total = l->upto[end - 1];
    uint64_t u = ik_random_u64(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS) % total;
    while (end - first > 1) { /* last entry whose predecessor's running sum is <= u */
        size_t mid = first + (end - first) / 2;
        if (l->upto[mid - 1] <= u)
            first = mid;
        else
            end = mid;
    }
    return l->dst[first];
}

uint64_t pattern_round(const ik_traffic *t, uint32_t src)
{
    return t->family->round ? t->family->round(t, src) : 0;
}

uint64_t pattern_lists_round(const ik_traffic *t, uint32_t src)
{
    const pattern_lists *l = t->impl;
    return l->equal[src] ? l->base[src + 1] - l->base[src] : 0;
}

void pattern_lists_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const pattern_lists *l = t->impl;
    size_t end = l->base[src + 1];
    for (size_t i = l->base[src]; i < end; i++)
        fn(ctx, src, l->dst[i], l->weight[i], l->upto[end - 1]);
}

/* ---- the same for patterns that are not a part of ikat, with checks */

ik_status ik_traffic_set_flows(ik_traffic *t, ik_traffic_flow *flows, size_t num, ik_error *err)
{
    for (size_t i = 0; i < num; i++)
        if (flows[i].src >= t->num_hosts || flows[i].dst >= t->num_hosts)
            return ik_fail(err, IK_ERR_INPUT, "traffic '%s': a flow from host %u to host %u, of %s",
                           t->family->name, flows[i].src, flows[i].dst,
                           IK_COUNT(t->num_hosts, "host"));
    if (num)
        qsort(flows, num, sizeof *flows, pattern_compare_flows);
    uint64_t sum = 0;
    for (size_t i = 0; i < num; i++) {
        sum = i && flows[i - 1].src == flows[i].src ? sum : 0;
        if (flows[i].weight > (uint64_t)INT64_MAX - sum)
            return ik_fail(err, IK_ERR_INPUT,
                           "traffic '%s': the weights of host %u have a sum of more than 63 bits",
                           t->family->name, flows[i].src);
        sum += flows[i].weight;
    }
    return pattern_lists_new(t, flows, num, err);
}

void ik_traffic_flows_destroy(ik_traffic *t)
{
    pattern_lists_destroy(t);
}

uint32_t ik_traffic_flows_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    return pattern_lists_dest(t, src, n);
}

void ik_traffic_flows_each(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    pattern_lists_flows(t, src, fn, ctx);
}

/* ------------------------------------------------------------------------------------------
 * lists of patterns */

static bool pattern_is_taken(pattern_name *names, unsigned num, const char *name)
{
    for (unsigned k = 0; k < num; k++)
        if (strcmp(names[k], name) == 0)
            return true;
    return false;
}

/* `name`, or with the first number behind it that makes it the only one. */
static void pattern_name_by_family(const char *spec, pattern_name *names, unsigned num, char *out)
{
    pattern_name name;
    int length = (int)strcspn(spec, ":");
    length = length > PATTERN_NAME_CHARS ? PATTERN_NAME_CHARS : length;
    snprintf(name, sizeof name, "%.*s", length, spec);
    for (unsigned n = 2; pattern_is_taken(names, num, name); n++)
        snprintf(name, sizeof name, "%.*s%u", length, spec, n);
    memcpy(out, name, sizeof name);
}

ik_status pattern_name_members(const char *owner, const ik_spec_member *list, unsigned num,
                               pattern_name *names, ik_error *err)
{
    memset(names, 0, num * sizeof *names);
    for (unsigned k = 0; k < num; k++) {
        const char *name = list[k].name;
        if (name && strlen(name) > PATTERN_NAME_CHARS)
            return ik_about(err,
                            ik_fail(err, IK_ERR_USAGE,
                                    "%s: the name '%.60s' has more than %d characters", owner, name,
                                    PATTERN_NAME_CHARS),
                            "members/%u/name entries/%u/name", k, k);
        if (name && pattern_is_taken(names, num, name))
            return ik_about(
                err, ik_fail(err, IK_ERR_USAGE, "%s: two members are named '%s'", owner, name),
                "members/%u/name entries/%u/name", k, k);
        if (name)
            memcpy(names[k], name, strlen(name) + 1);
    }
    for (unsigned k = 0; k < num; k++)
        if (!list[k].name)
            pattern_name_by_family(list[k].spec, names, num, names[k]);
    return IK_OK;
}

ik_status pattern_join_notes(ik_traffic *t, ik_traffic *const *members, unsigned num, ik_error *err)
{
    size_t size = 1;
    for (unsigned k = 0; k < num; k++)
        size += members[k]->note ? strlen(members[k]->note) + 2 : 0;
    if (size == 1)
        return IK_OK;
    t->note = ik_calloc(size, 1);
    if (!t->note)
        return ik_fail_memory(err, size, "a note");
    for (unsigned k = 0; k < num; k++) {
        size_t used = strlen(t->note);
        if (members[k]->note)
            snprintf(t->note + used, size - used, "%s%s", used ? "; " : "", members[k]->note);
    }
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ draws
 * and numbers */

uint32_t pattern_other(const ik_traffic *t, uint32_t src, uint64_t n, unsigned draw)
{
    assert(src < t->num_hosts);
    if (t->num_hosts < 2)
        return IK_NONE;
    uint32_t d = ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS + draw,
                                 t->num_hosts - 1);
    return d + (d >= src);
}

void pattern_rational(double value, uint64_t *num, uint64_t *den)
{
    assert(value >= 0);
    /* Convergents of the continued fraction, as long as the denominator stays small. */
    uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    double x = value;
    for (int i = 0; i < 40; i++) {
        double whole = floor(x);
        uint64_t a = (uint64_t)whole, p2 = a * p1 + p0, q2 = a * q1 + q0;
        if (q2 > 1000000)
            break;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        if (fabs((double)p1 / (double)q1 - value) < 1e-12 || x - whole < 1e-12)
            break;
        x = 1 / (x - whole);
    }
    *num = p1;
    *den = q1;
}

/* The divisor of n nearest below or at its `parts`-th root. */
static uint32_t pattern_even_divisor(uint32_t n, unsigned parts)
{
    assert(n > 0);
    uint32_t best = 1;
    for (uint32_t d = 1; d <= n; d++) {
        double power = pow((double)d, (double)parts);
        if (power > (double)n * (1 + 1e-9))
            break;
        if (n % d == 0)
            best = d;
    }
    return best;
}

ik_status pattern_grid(const ik_traffic *t, const ik_params *params, unsigned wanted,
                       uint32_t *dims, unsigned *num_dims, ik_error *err)
{
    if (!ik_params_has(params, "dims")) {
        uint32_t left = t->num_hosts ? t->num_hosts : 1;
        for (unsigned i = 0; i < wanted; i++) {
            dims[wanted - 1 - i] = i + 1 == wanted ? left : pattern_even_divisor(left, wanted - i);
            left /= dims[wanted - 1 - i];
        }
        *num_dims = wanted;
        return IK_OK;
    }
    size_t count;
    const uint32_t *list = ik_params_list(params, "dims", &count);
    uint64_t product = 1;
    if (count == 0 || count > PATTERN_MAX_DIMS) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "traffic '%s': a grid has 1 to %d dimensions, not %zu",
                                t->family->name, PATTERN_MAX_DIMS, count),
                        "dims");
    }
    for (size_t i = 0; i < count; i++) {
        dims[i] = list[i];
        product *= list[i];
        if (list[i] == 0 || product > t->num_hosts) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE, "traffic '%s': the grid %s does not fit %s",
                             t->family->name, ik_params_text(params, "dims"),
                             IK_COUNT(t->num_hosts, "host")),
                     "dims");
            return ik_hint(err, IK_ERR_USAGE,
                           "the product of the dimensions may be at most the number of hosts, each "
                           "at least 1");
        }
    }
    *num_dims = (unsigned)count;
    return IK_OK;
}

ik_status pattern_bits(const ik_traffic *t, unsigned *bits, ik_error *err)
{
    uint32_t n = t->num_hosts;
    if (n == 0 || (n & (n - 1)) != 0) {
        uint32_t below = 1;
        while (below <= n / 2)
            below *= 2;
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "traffic '%s' permutes address bits: %u hosts are not a power of two",
                t->family->name, n);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "%u or %u hosts would do", below, below * 2);
    }
    *bits = 0;
    while ((1u << *bits) < n)
        ++*bits;
    return IK_OK;
}
