/* SPDX-License-Identifier: Apache-2.0
 *
 * counters_compare.c: what happened between two readings of counters, and what one reading tells
 * of the time since counters were cleared.
 */
#include "subnet/counters/counters.h"

#include <stdlib.h>

enum { BITS_PER_WORD = 32 };
static const double TOO_MUCH = 1.02; /* of a rate: more is no error of measuring the time */

static bool counters_compare_known(const ik_counters *c, uint32_t port, ik_counter counter)
{
    return c->known[port] >> counter & 1;
}

/* Growth of one counter. ibqueryerrors leaves out what is 0, but for traffic. */
static uint64_t counters_compare_growth(const ik_counters *first, const ik_counters *later,
                                        uint32_t port, ik_counter counter, bool *restarted)
{
    if (!later)
        return first->value[port][counter];
    uint64_t before = first->value[port][counter], after = later->value[port][counter];
    if (!counters_compare_known(later, port, counter) ||
        (counter_is_traffic(counter) && !counters_compare_known(first, port, counter)))
        return 0;
    *restarted |= after < before;
    return after < before ? after : after - before;
}

static void counters_compare_note_changes(const ik_counters *first, const ik_counters *later,
                                          ik_counter_changes *c)
{
    for (uint32_t port = 0; port < c->fabric->num_ports; port++) {
        bool restarted = false, at_limit = false;
        for (ik_counter i = 0; i < IK_NUM_COUNTERS; i++) {
            c->change[port][i] = counters_compare_growth(first, later, port, i, &restarted);
            at_limit |= (later ? later : first)->value[port][i] == counter_kinds[i].limit;
        }
        c->restarted += restarted;
        c->at_limit += at_limit;
    }
}

static bool counters_compare_both_know(const ik_counters *first, const ik_counters *later,
                                       uint32_t port, ik_counter counter)
{
    return counters_compare_known(first, port, counter) &&
           (!later || counters_compare_known(later, port, counter));
}

/* What a channel carried, in words; false: not known. */
static bool counters_compare_words_over(const ik_counters *first, const ik_counters *later,
                                        const ik_counter_changes *c, uint32_t port, uint64_t *words)
{
    uint32_t peer = c->fabric->port_peer[port];
    if (counters_compare_both_know(first, later, port, IK_COUNTER_XMIT_DATA))
        *words = c->change[port][IK_COUNTER_XMIT_DATA];
    else if (peer != IK_NONE && counters_compare_both_know(first, later, peer, IK_COUNTER_RCV_DATA))
        *words = c->change[peer][IK_COUNTER_RCV_DATA];
    else
        return false;
    return true;
}

static void counters_compare_measure_channel(const ik_counters *first, const ik_counters *later,
                                             ik_counter_changes *c, uint32_t port)
{
    uint64_t words = 0;
    c->used[port] = c->waited[port] = -1.0F;
    if (c->fabric->port_peer[port] == IK_NONE ||
        !counters_compare_words_over(first, later, c, port, &words))
        return;
    double wait = (double)c->change[port][IK_COUNTER_XMIT_WAIT];
    if (wait + (double)words > 0)
        c->waited[port] = (float)(wait / (wait + (double)words));
    if (!later)
        return;
    double used =
        (double)words * BITS_PER_WORD / ((double)ik_port_rate_bps(c->fabric, port) * c->interval_s);
    c->used[port] = (float)used;
    c->measured++;
    c->impossible += used > TOO_MUCH;
}

static ik_status counters_compare_allocate(ik_counter_changes *c, ik_error *err)
{
    size_t ports = (size_t)c->fabric->num_ports + 1;
    c->change = ik_calloc(ports, sizeof *c->change);
    c->used = ik_calloc(ports, sizeof *c->used);
    c->waited = ik_calloc(ports, sizeof *c->waited);
    if (!c->change || !c->used || !c->waited)
        return ik_fail_memory(err, ports * sizeof *c->change, "counters of ports");
    return IK_OK;
}

ik_status ik_counters_compare(const ik_counters *first, const ik_counters *later, double interval_s,
                              ik_counter_changes *out, ik_error *err)
{
    if (later && later->fabric != first->fabric)
        return ik_fail(err, IK_ERR_INPUT, "the two readings are of different fabrics");
    if (later && !(interval_s > 0)) {
        ik_fail(err, IK_ERR_INPUT, "the later reading must be later than the first, not %g s",
                interval_s);
        return ik_hint(err, IK_ERR_INPUT,
                       "the time between two readings is that between the changes of their files, "
                       "or what --interval says");
    }
    ik_counter_changes c = {.fabric = first->fabric, .interval_s = later ? interval_s : 0};
    ik_status status = counters_compare_allocate(&c, err);
    if (status == IK_OK) {
        counters_compare_note_changes(first, later, &c);
        for (uint32_t port = 0; port < c.fabric->num_ports; port++)
            counters_compare_measure_channel(first, later, &c, port);
        status = counters_judge(&c, err);
    }
    if (status == IK_OK)
        *out = c;
    else
        ik_counter_changes_free(&c);
    return status;
}

void ik_counter_changes_free(ik_counter_changes *c)
{
    for (size_t i = 0; i < c->num_findings; i++)
        free(c->findings[i].text);
    free(c->findings);
    free(c->change);
    free(c->used);
    free(c->waited);
    *c = (ik_counter_changes){0};
}
