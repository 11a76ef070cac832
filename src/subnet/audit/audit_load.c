/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_load.c: how evenly the installed tables load the channels.
 */
#include "subnet/audit/audit_impl.h"
#include "subnet/deploy/choose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Above this multiple of the mean of its kind a channel is named. */
static const double uneven = 1.5;

/* ---- balance */

/* Of one kind: channels without a path, and the busiest one. */
static uint64_t audit_load_idle_of(const ik_audit *a, const ik_load_group *g, uint32_t *idle,
                                   uint32_t *most)
{
    const ik_audit_routing *r = &a->installed;
    uint64_t count = 0;
    *idle = *most = IK_NONE;
    for (uint32_t port = 0; port < a->fabric->num_ports; port++) {
        ik_direction direction;
        uint32_t level;
        if (!ik_channel_kind(a->fabric, port, &direction, &level) || direction != g->direction ||
            level != g->level)
            continue;
        if (*most == IK_NONE || r->load[port] > r->load[*most])
            *most = port;
        if (r->verdict.paths_over[port])
            continue;
        if (!count++)
            *idle = port;
    }
    return count;
}

static void audit_load_name_kind(const ik_audit *a, const ik_load_group *g, char *text, size_t size)
{
    if (!a->fabric->num_levels)
        snprintf(text, size, "channels between switches");
    else
        snprintf(text, size, "channels %s level %" PRIu32,
                 g->direction == IK_DIR_UP     ? "up from"
                 : g->direction == IK_DIR_DOWN ? "down to"
                                               : "across",
                 g->level);
}

static ik_status audit_load_judge_kind(audit_work *w, const ik_load_group *g)
{
    ik_audit *a = w->a;
    uint32_t idle, most;
    uint64_t unused = audit_load_idle_of(a, g, &idle, &most);
    char kind[96], name[AUDIT_TEXT];
    audit_about about = {a->fabric->num_levels ? IK_WARNING : IK_NOTE,
                         "unused-links",
                         IK_NONE,
                         idle,
                         NULL,
                         "Another routing spreads the paths over all cables: see what ikat would "
                         "install."};
    ik_status status = IK_OK;
    audit_load_name_kind(a, g, kind, sizeof kind);
    if (unused)
        status = audit_add(a, &about, w->err,
                           "%" PRIu64 " of %" PRIu64 " %s %s no path of any two hosts", unused,
                           g->channels, kind, unused == 1 ? "carries" : "carry");
    about.code = "imbalance";
    about.port = most;
    if (status == IK_OK && g->mean > 0 && g->max > uneven * g->mean)
        status = audit_add(a, &about, w->err,
                           "the busiest of the %s carries %.3g times the mean of its kind: %.4g of "
                           "a host's rate on %s when all hosts send evenly",
                           kind, g->max / g->mean, g->max,
                           ik_port_describe(a->fabric, most, name, sizeof name));
    return status;
}

/* A link below the rate of the others carries as many paths as they do. */
static ik_status judge_bottleneck(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_audit_routing *r = &a->installed;
    uint64_t rate = choose_host_rate(a->fabric), best = 0;
    double repaired = 1;
    char name[AUDIT_TEXT];
    audit_about about = {IK_WARNING,
                         "bottleneck",
                         IK_NONE,
                         r->tightest,
                         NULL,
                         "Repair the link; until then, pull it: the subnet manager routes around "
                         "a missing link, not around a slow one."};
    if (r->tightest == IK_NONE || !choose_inner(a->fabric, r->tightest))
        return IK_OK;
    for (uint32_t port = 0; port < a->fabric->num_ports; port++)
        if (choose_inner(a->fabric, port) && ik_port_rate_bps(a->fabric, port) > best)
            best = ik_port_rate_bps(a->fabric, port);
    if (r->max_load * (double)rate > (double)best)
        repaired = (double)best / (r->max_load * (double)rate);
    if (r->saturation > 0.9 * repaired)
        return IK_OK;
    return audit_add(a, &about, w->err,
                     "when all hosts send evenly to all, %s is full at %.3g %% of their rate; at "
                     "the rate of the other links it would be %.3g %%",
                     ik_port_describe(a->fabric, r->tightest, name, sizeof name),
                     100 * r->saturation, 100 * repaired);
}

ik_status audit_balance(audit_work *w)
{
    const ik_audit_routing *r = &w->a->installed;
    ik_status status = judge_bottleneck(w);
    for (size_t i = 0; i < r->num_groups && status == IK_OK; i++)
        if (r->groups[i].direction != IK_DIR_INJECTION && r->groups[i].direction != IK_DIR_EJECTION)
            status = audit_load_judge_kind(w, &r->groups[i]);
    return status;
}
