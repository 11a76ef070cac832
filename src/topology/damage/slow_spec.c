/* SPDX-License-Identifier: Apache-2.0
 *
 * Links that run below their rate, as a bad cable does: both directions of each get another class,
 * with the latency that they had.
 */
#include "topology/damage/slow_spec.h"
#include "fabric/fabric_private.h"
#include "topology/damage/fail_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char slow_hint[] =
    "a list like sw0.1@25Gb/s:sw7.3@10Gb/s of ports with a cable and the rates of their links";

static ik_status slow_spec_refuse(const char *item, size_t length, const char *why, ik_error *err)
{
    ik_about(
        err,
        ik_fail(err, IK_ERR_USAGE, "slow: '%.*s' %s", (int)(length < 80 ? length : 80), item, why),
        "slow");
    return ik_hint(err, IK_ERR_USAGE, "%s", slow_hint);
}

/* The class of such a link at this rate. */
static ik_status slow_spec_class(ik_fabric *f, const ik_link_class *usual, uint64_t rate_bps,
                                 uint16_t *out, ik_error *err)
{
    ik_link_class wanted = {.rate_bps = rate_bps, .latency_ps = usual->latency_ps};
    ik_format_rate(wanted.name, sizeof wanted.name, rate_bps);
    for (uint32_t i = 0; i < f->num_classes; i++)
        if (f->classes[i].rate_bps == rate_bps && f->classes[i].latency_ps == wanted.latency_ps &&
            strcmp(f->classes[i].name, wanted.name) == 0) {
            *out = (uint16_t)i;
            return IK_OK;
        }
    if (f->num_classes == FABRIC_MAX_CLASSES)
        return ik_fail(err, IK_ERR_USAGE, "more than %d different kinds of links",
                       FABRIC_MAX_CLASSES);
    ik_link_class *larger = realloc(f->classes, (f->num_classes + 1) * sizeof *larger);
    if (!larger)
        return ik_fail_memory(err, sizeof *larger, "a kind of links");
    f->classes = larger;
    f->classes[f->num_classes] = wanted;
    *out = (uint16_t)f->num_classes++;
    return IK_OK;
}

static ik_status slow_spec_tell(ik_fabric *f, uint32_t port, const ik_link_class *usual,
                                ik_error *err)
{
    char a[160], b[160], common[32];
    return fabric_add_finding(
        f, IK_WARNING, "slow-link", port, IK_NONE, err,
        "link from %s to %s runs at %.15s instead of %s", ik_port_describe(f, port, a, sizeof a),
        ik_port_describe(f, f->port_peer[port], b, sizeof b), f->classes[f->port_class[port]].name,
        ik_format_rate(common, sizeof common, usual->rate_bps));
}

static ik_status slow_spec_parse_rate(const char *item, size_t length, size_t at,
                                      uint64_t *rate_bps, ik_error *err)
{
    char text[32];
    uint64_t value = 0;
    size_t digits = length - at - 1;
    if (digits == 0 || digits >= sizeof text)
        return slow_spec_refuse(item, length, "has no rate", err);
    memcpy(text, item + at + 1, digits);
    text[digits] = '\0';
    if (ik_parse_quantity(text, IK_DIM_RATE, &value, NULL) != IK_OK || !value)
        return slow_spec_refuse(item, length, "has no rate", err);
    *rate_bps = value;
    return IK_OK;
}

/* before: [num_ports] classes of the ports of f before any link was made slower. */
static ik_status slow_spec_item(ik_fabric *f, const uint16_t *before, const char *item,
                                size_t length, bool tell, ik_error *err)
{
    size_t at = length;
    uint64_t rate_bps = 0;
    uint16_t class = 0;
    while (at > 0 && item[at] != '@')
        at--;
    uint32_t port = at > 0 ? fail_spec_find_port(f, item, at) : IK_NONE;
    if (port == IK_NONE)
        return slow_spec_refuse(item, length, "names no port of a switch", err);
    if (f->port_peer[port] == IK_NONE)
        return slow_spec_refuse(item, length, "has no cable", err);
    if (f->port_class[port] != before[port])
        return slow_spec_refuse(item, length, "names a link that stands there before", err);
    ik_status status = slow_spec_parse_rate(item, length, at, &rate_bps, err);
    if (status != IK_OK)
        return status;
    ik_link_class usual = f->classes[f->port_class[port]];
    if (rate_bps >= usual.rate_bps)
        return slow_spec_refuse(item, length, "is not below the rate of the link", err);
    status = slow_spec_class(f, &usual, rate_bps, &class, err);
    if (status != IK_OK)
        return status;
    f->port_class[port] = f->port_class[f->port_peer[port]] = class;
    return tell ? slow_spec_tell(f, port, &usual, err) : IK_OK;
}

ik_status slow_spec_apply(const char *text, ik_fabric *f, bool tell, ik_error *err)
{
    size_t bytes = f->num_ports * sizeof *f->port_class;
    uint16_t *before = malloc(bytes + 1);
    if (!before)
        return ik_fail_memory(err, bytes, "kinds of links");
    memcpy(before, f->port_class, bytes);
    ik_status status = IK_OK;
    for (const char *item = text; *item && status == IK_OK;) {
        size_t length = strcspn(item, ":");
        status = slow_spec_item(f, before, item, length, tell, err);
        item += length + (item[length] == ':');
    }
    if (status == IK_OK)
        fabric_prune_classes(f);
    free(before);
    return status;
}
