/* SPDX-License-Identifier: Apache-2.0
 *
 * counters_judge.c: findings of counters: which cables and ports an administrator should look at.
 */
#include "base/array.h"
#include "subnet/counters/counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(counter) (1u << (counter))

/* Counters that one finding reports, and what helps. Packets that a switch could not relay
 * (PortRcvSwitchRelayErrors) and dropped management packets are ordinary. */
typedef struct counter_group {
    const char *code;
    ik_severity severity; /* of growth between two readings; in one, a warning */
    uint32_t counters;
    const char *remedy;
} counter_group;

static const counter_group groups[] = {
    {"link-downed", IK_ERROR, BIT(IK_COUNTER_LINK_DOWNED),
     "if neither end was restarted, reseat or replace the cable"},
    {"symbol-errors", IK_WARNING, BIT(IK_COUNTER_SYMBOL_ERRORS) | BIT(IK_COUNTER_LINK_RECOVERIES),
     "clean, reseat or replace the cable"},
    {"port-errors", IK_WARNING,
     BIT(IK_COUNTER_RCV_ERRORS) | BIT(IK_COUNTER_RCV_REMOTE_ERRORS) |
         BIT(IK_COUNTER_XMIT_CONSTRAINT_ERRORS) | BIT(IK_COUNTER_RCV_CONSTRAINT_ERRORS) |
         BIT(IK_COUNTER_INTEGRITY_ERRORS) | BIT(IK_COUNTER_OVERRUN_ERRORS),
     "look at the cable and at the port at its other end"},
    {"discards", IK_WARNING, BIT(IK_COUNTER_XMIT_DISCARDS),
     "packets waited too long or the link was down: look for congestion behind the port"},
};
enum { NUM_GROUPS = sizeof groups / sizeof groups[0], TEXT = 768 };
static const float CONGESTED = 0.1F;

bool counters_is_error(ik_counter counter)
{
    bool is = false;
    for (size_t i = 0; i < NUM_GROUPS; i++)
        is |= (groups[i].counters & BIT(counter)) != 0;
    return is;
}

static ik_status counters_judge_add(ik_counter_changes *c, size_t *cap, ik_finding finding,
                                    const char *text, ik_error *err)
{
    finding.text = strdup(text);
    if (!finding.text || !IK_ARRAY_ROOM(c->findings, *cap, c->num_findings + 1)) {
        free(finding.text);
        return ik_fail_memory(err, (c->num_findings + 1) * sizeof finding, "findings");
    }
    c->findings[c->num_findings++] = finding;
    return IK_OK;
}

/* Both ends of the port's cable. Returns text. */
static char *counters_judge_describe_cable(const ik_fabric *f, uint32_t port, char *text,
                                           size_t size)
{
    char here[256], there[256];
    uint32_t peer = f->port_peer[port];
    ik_port_describe(f, port, here, sizeof here);
    if (peer == IK_NONE)
        snprintf(text, size, "%s, without a cable", here);
    else
        snprintf(text, size, "%s, cable to %s", here,
                 ik_port_describe(f, peer, there, sizeof there));
    return text;
}

static const char *counters_judge_since(const ik_counter_changes *c, char *text, size_t size)
{
    if (c->interval_s > 0)
        snprintf(text, size, "more after %.3g s", c->interval_s);
    else
        snprintf(text, size, "since they were cleared");
    return text;
}

/* "SymbolErrorCounter 17, LinkErrorRecoveryCounter 1"; empty if none of the group counted. */
static void list_counters(const ik_counter_changes *c, const counter_group *g, uint32_t port,
                          char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (ik_counter i = 0; i < IK_NUM_COUNTERS; i++) {
        if (!(g->counters >> i & 1) || c->change[port][i] == 0 || used >= size)
            continue;
        int n = snprintf(text + used, size - used, "%s%s %" PRIu64, used ? ", " : "",
                         ik_counter_name(i), c->change[port][i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static ik_status judge_errors(ik_counter_changes *c, size_t *cap, uint32_t port, ik_error *err)
{
    char counted[256], cable[560], when[64], text[TEXT + 320];
    for (size_t i = 0; i < NUM_GROUPS; i++) {
        const counter_group *g = &groups[i];
        list_counters(c, g, port, counted, sizeof counted);
        if (!counted[0])
            continue;
        ik_finding finding = {.severity = c->interval_s > 0 ? g->severity : IK_WARNING,
                              .port = port,
                              .node = c->fabric->port_node[port]};
        snprintf(finding.code, sizeof finding.code, "%s", g->code);
        snprintf(text, sizeof text, "%s: %s %s; %s",
                 counters_judge_describe_cable(c->fabric, port, cable, sizeof cable), counted,
                 counters_judge_since(c, when, sizeof when), g->remedy);
        ik_status status = counters_judge_add(c, cap, finding, text, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status judge_waiting(ik_counter_changes *c, size_t *cap, uint32_t port, ik_error *err)
{
    char cable[560], text[TEXT];
    if (c->waited[port] < CONGESTED)
        return IK_OK;
    ik_finding finding = {.severity = c->interval_s > 0 ? IK_WARNING : IK_NOTE,
                          .code = "congestion",
                          .port = port,
                          .node = c->fabric->port_node[port]};
    snprintf(text, sizeof text,
             "%s: had something to send and waited for %.0f %% of the time (PortXmitWait %" PRIu64
             ")%s",
             counters_judge_describe_cable(c->fabric, port, cable, sizeof cable),
             100.0 * (double)c->waited[port], c->change[port][IK_COUNTER_XMIT_WAIT],
             c->interval_s > 0 ? "" : " since counters were cleared");
    return counters_judge_add(c, cap, finding, text, err);
}

static ik_status judge_loads(ik_counter_changes *c, size_t *cap, ik_error *err)
{
    char text[TEXT];
    if (c->impossible == 0)
        return IK_OK;
    ik_finding finding = {
        .severity = IK_WARNING, .code = "impossible-load", .port = IK_NONE, .node = IK_NONE};
    snprintf(
        text, sizeof text,
        "%s rate in %.3g s: the time "
        "between the readings or a rate is wrong",
        IK_COUNT(
            c->impossible,
            "channel would have carried more than its|channels would have carried more than their"),
        c->interval_s);
    return counters_judge_add(c, cap, finding, text, err);
}

ik_status counters_judge(ik_counter_changes *c, ik_error *err)
{
    size_t cap = 0;
    ik_status status = IK_OK;
    for (uint32_t port = 0; status == IK_OK && port < c->fabric->num_ports; port++) {
        status = judge_errors(c, &cap, port, err);
        if (status == IK_OK)
            status = judge_waiting(c, &cap, port, err);
    }
    return status == IK_OK ? judge_loads(c, &cap, err) : status;
}
