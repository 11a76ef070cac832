/* SPDX-License-Identifier: Apache-2.0
 *
 * What several generators share: hosts on consecutive switches, places in a box, and the global
 * wiring of dragonfly and dragonfly+.
 *
 * Global wiring. Every group has the same number of global ports. With n = groups - 1 neighbours,
 * ports come in full rounds of n (one link to each other group a round, in the chosen arrangement)
 * and a rest of fewer than n. The rest is wired as a circulant: port 2j to the group j+1 ahead,
 * port 2j+1 to the group j+1 behind, and a last odd one to the opposite group if the number of
 * groups is even. So every two groups have equally many links, up to one, and at most one port a
 * group stays unconnected.
 */
#include "topology/build.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void topo_add_hosts(ik_builder *b, const ik_topo_ctx *ctx, uint32_t first_switch, uint32_t count,
                    uint32_t p)
{
    uint32_t host = ik_builder_hosts(b, count * p, 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < p; j++)
            ik_builder_link(b, ik_hs(host++, 0), ik_sw(first_switch + i, j), ctx->host_link);
}

ik_xy topo_place_in_box(ik_builder *b, const uint32_t *dims, uint32_t num_dims, uint32_t sw,
                        bool line)
{
    uint32_t at[2] = {0, 0}, unit[2] = {1, 1}, wide = 0, last = 0, rest = sw;
    for (uint32_t d = 0; d < num_dims; d++) {
        if (dims[d] > 1) {
            assert(wide < num_dims);
            last = rest % dims[d];
            at[wide % 2] += last * unit[wide % 2];
            unit[wide % 2] *= dims[d];
            wide++;
        }
        rest /= dims[d];
    }
    if (wide < 2 && !line)
        return (ik_xy){-1, -1};
    ik_builder_switch_place(b, sw, at[1], last, at[0]);
    return (ik_xy){(int32_t)at[0], (int32_t)at[1]};
}

/* One round: port y in [0, n) of `group`, n = g - 1. */
static void build_round_peer(uint32_t arrangement, uint32_t g, uint32_t group, uint32_t y,
                             uint32_t *target, uint32_t *peer_y)
{
    assert(g > 1 && group < g && y < g - 1);
    if (arrangement == IK_ARRANGE_ABSOLUTE) {
        *target = y < group ? y : y + 1;
        *peer_y = group < *target ? group : group - 1;
        return;
    }
    *target = (arrangement == IK_ARRANGE_RELATIVE ? group + y + 1 : group + g - y - 1) % g;
    *peer_y = g - 2 - y;
    assert(*target < g && *target != group && *peer_y < g - 1); /* no group is linked to itself */
}

/* The rest: port y in [0, rest). */
static bool build_rest_peer(uint32_t g, uint32_t rest, uint32_t group, uint32_t y, uint32_t *target,
                            uint32_t *peer_y)
{
    assert(rest < g - 1 && group < g && y < rest); /* else it would be a full round */
    if (y < rest - rest % 2) {
        uint32_t offset = y / 2 + 1;
        *target = (y % 2 == 0 ? group + offset : group + g - offset) % g;
        *peer_y = y ^ 1;
        return true;
    }
    *target = (group + g / 2) % g;
    *peer_y = y;
    return g % 2 == 0;
}

bool ik_global_peer(const ik_global_links *links, uint32_t group, uint32_t x, uint32_t *peer_group,
                    uint32_t *peer_x)
{
    uint32_t g = links->groups, n = g - 1;
    if (g < 2 || x >= links->ports)
        return false;
    assert(group < g);
    uint32_t rounds = links->ports / n, base = x / n * n, target = 0, peer_y = 0;
    if (x / n < rounds)
        build_round_peer(links->arrangement, g, group, x - base, &target, &peer_y);
    else if (!build_rest_peer(g, links->ports % n, group, x - base, &target, &peer_y))
        return false;
    *peer_group = target;
    *peer_x = base + peer_y;
    return true;
}

/* The port of a full round that leads from `group` to `target`. */
static uint32_t build_round_port(uint32_t arrangement, uint32_t g, uint32_t group, uint32_t target)
{
    assert(group < g && target < g && group != target);
    switch (arrangement) {
    case IK_ARRANGE_ABSOLUTE:
        return target < group ? target : target - 1;
    case IK_ARRANGE_RELATIVE:
        return (target + g - group) % g - 1;
    default:
        return (group + g - target) % g - 1;
    }
}

uint32_t ik_global_ports_to(const ik_global_links *links, uint32_t group, uint32_t target,
                            uint32_t *x, uint32_t max)
{
    uint32_t g = links->groups, n = g - 1, count = 0;
    if (g < 2 || group == target)
        return 0;
    uint32_t rounds = links->ports / n, y = build_round_port(links->arrangement, g, group, target);
    for (uint32_t t = 0; t < rounds; t++, count++)
        if (count < max)
            x[count] = t * n + y;
    uint32_t rest = links->ports % n, ahead = (target + g - group) % g, candidate = UINT32_MAX;
    if (ahead * 2 == g) {
        candidate = rest % 2 == 1 ? rest - 1 : UINT32_MAX;
    } else {
        candidate = ahead * 2 < g ? 2 * (ahead - 1) : 2 * (g - ahead - 1) + 1;
        candidate = candidate < rest - rest % 2 ? candidate : UINT32_MAX;
    }
    if (candidate != UINT32_MAX) {
        if (count < max)
            x[count] = rounds * n + candidate;
        count++;
    }
    return count;
}

void topo_link_groups(ik_builder *b, const ik_topo_ctx *ctx, const ik_global_links *links,
                      topo_global_end end, const void *data)
{
    uint32_t unconnected = 0;
    for (uint32_t group = 0; group < links->groups; group++) {
        for (uint32_t x = 0; x < links->ports; x++) {
            uint32_t peer_group = 0, peer_x = 0;
            if (!ik_global_peer(links, group, x, &peer_group, &peer_x))
                unconnected++;
            else if (group < peer_group)
                ik_builder_link(b, end(data, group, x), end(data, peer_group, peer_x), ctx->link);
        }
    }
    if (unconnected && links->groups > 1) {
        ik_builder_finding(b, IK_NOTE, "unconnected-global", NULL,
                           "%u global ports stay unconnected: %s per group do not spread "
                           "evenly over %u other groups",
                           unconnected, IK_COUNT(links->ports, "port"), links->groups - 1);
    }
}

uint64_t topo_num_groups(const ik_params *given, uint64_t ports)
{
    return ik_params_has(given, "g") ? ik_params_uint(given, "g") : ports + 1;
}

ik_status topo_set_groups(const ik_params *given, uint64_t groups, uint64_t ports,
                          ik_global_links *out, ik_error *err)
{
    if (groups > ports + 1) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "g = %" PRIu64 " groups cannot all be linked by %" PRIu64
                         " global ports per group",
                         groups, ports),
                 "g");
        return ik_hint(err, IK_ERR_USAGE, "at most %" PRIu64 " groups", ports + 1);
    }
    assert(groups > 0 && ports < UINT32_MAX);
    *out = (ik_global_links){.groups = (uint32_t)groups,
                             .ports = (uint32_t)ports,
                             .arrangement = ik_params_enum(given, "arrangement")};
    return IK_OK;
}

uint32_t topo_uint_or(const ik_params *given, const char *name, uint32_t otherwise)
{
    return ik_params_has(given, name) ? (uint32_t)ik_params_uint(given, name) : otherwise;
}

/* ---- latencies */

static uint16_t build_link_of_latency(uint64_t latency_ps, const ik_topo_ctx *ctx, ik_builder *b)
{
    return ik_builder_class(b, ik_builder_class_of(b, ctx->link).rate_bps, latency_ps, NULL);
}

ik_status topo_latency_links(const ik_params *given, const char *name, bool any,
                             const ik_topo_ctx *ctx, ik_builder *b, ik_topo_ctx *out, ik_error *err)
{
    assert(ctx != out);
    bool has = ik_params_has(given, name);
    if (has && !any) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "%s has no effect: this fabric has no such links", name),
            "%s", name);
        return ik_hint(err, IK_ERR_USAGE,
                       "leave it out; latency is that of all links between switches, host_latency "
                       "of the hosts'");
    }
    *out = *ctx;
    if (has)
        out->link = build_link_of_latency(ik_params_uint(given, name), ctx, b);
    return IK_OK;
}

/* One value of the list, which ends at a colon or the end. */
static ik_status build_read_latency(const char *text, size_t length, uint64_t *latency_ps,
                                    ik_error *err)
{
    char value[64];
    ik_status status = IK_ERR_USAGE;
    if (length > 0 && length < sizeof value) {
        snprintf(value, sizeof value, "%.*s", (int)length, text);
        status = ik_parse_quantity(value, IK_DIM_TIME, latency_ps, NULL);
        if (status == IK_OK && *latency_ps <= UINT64_C(1000000000000))
            return IK_OK;
    }
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     TOPO_LEVEL_LATENCY " has '%.*s', which is not a time from 0 to 1 s",
                     (int)length, text),
             "%s", TOPO_LEVEL_LATENCY);
    return ik_hint(err, IK_ERR_USAGE, "times by level, separated by colons, as in 5 ns:20 ns");
}

ik_status topo_level_links(const ik_params *given, uint32_t levels, const ik_topo_ctx *ctx,
                           ik_builder *b, uint16_t *links, ik_error *err)
{
    assert(levels <= IK_XGFT_MAX_H); /* the room in links */
    for (uint32_t l = 1; l < levels; l++)
        links[l] = ctx->link;
    if (!ik_params_has(given, TOPO_LEVEL_LATENCY))
        return IK_OK;
    uint32_t count = 0;
    for (const char *p = ik_params_text(given, TOPO_LEVEL_LATENCY), *end = p; end; p = end + 1) {
        uint64_t latency_ps;
        end = strchr(p, ':');
        ik_status status =
            build_read_latency(p, end ? (size_t)(end - p) : strlen(p), &latency_ps, err);
        if (status != IK_OK)
            return status;
        if (++count < levels)
            links[count] = build_link_of_latency(latency_ps, ctx, b);
    }
    for (uint32_t l = 2; count == 1 && l < levels; l++)
        links[l] = links[1];
    if (levels > 1 && (count == 1 || count == levels - 1))
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     TOPO_LEVEL_LATENCY " has %u time%s; this tree has %u level%s of switches",
                     count, count == 1 ? "" : "s", levels, levels == 1 ? "" : "s"),
             "%s", TOPO_LEVEL_LATENCY);
    return ik_hint(err, IK_ERR_USAGE,
                   levels > 1
                       ? "give one time for all, or one fewer than levels: the first is that of "
                         "the cables from leaf switches up; hosts' cables have host_latency"
                       : "this tree has no such cables; hosts' cables have host_latency");
}
