/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_pairs.c: pairs that the installed tables do not deliver, entries that lead nowhere, credit
 * loops.
 */
#include "subnet/audit/audit_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE   8192
#define SHOWN_HOPS 24

/* ---- pairs */

static const struct {
    ik_fate fate;
    const char *code, *text, *remedy;
} kinds[] = {
    {IK_FATE_NO_ENTRY, "no-entry", "a switch on the way has no entry for the destination",
     "Let the subnet manager sweep again (SIGHUP); if the entries stay away, its log says why."},
    {IK_FATE_DEAD_PORT, "dead-port", "an entry on the way points at a port without a cable",
     "The tables are older than the fabric: let the subnet manager sweep again. Tables that were "
     "loaded from a file stay as they are: install new ones."},
    {IK_FATE_LOOP, "forwarding-loop", "the packets go round in a loop",
     "Install other tables at once: packets that circle fill the buffers of every switch on the "
     "loop."},
    {IK_FATE_WRONG_PORT, "wrong-port", "the packets end at a port that is not the destination",
     "The tables do not belong to this cabling: let the subnet manager sweep again."},
    {IK_FATE_DROPPED, "dropped", "the service level is mapped to VL 15 on the way, which drops it",
     "Correct the SL-to-VL maps: every SL in use needs a data VL at every port."},
};

static const char *audit_pairs_end_of(ik_fate fate)
{
    switch (fate) {
    case IK_FATE_NO_ENTRY:
        return "has no entry";
    case IK_FATE_DEAD_PORT:
        return "has an entry for a port without a cable";
    case IK_FATE_LOOP:
        return "is on a loop: from here the packet goes round again";
    case IK_FATE_WRONG_PORT:
        return "is where it ends, and is not the destination";
    case IK_FATE_DROPPED:
        return "drops it (VL 15)";
    default:
        return "is where it ends";
    }
}

static size_t audit_pairs_put(char *text, size_t used, const char *line)
{
    size_t length = strlen(line);
    if (used + length + 1 >= EVIDENCE)
        return used;
    memcpy(text + used, line, length + 1);
    return used + length;
}

/* The way of one packet, a line for each hop. */
static ik_status audit_pairs_way_text(audit_work *w, uint32_t src, uint32_t dst, char *text)
{
    const ik_fabric *f = w->a->fabric;
    char line[2 * AUDIT_TEXT], name[AUDIT_TEXT], other[AUDIT_TEXT];
    unsigned sl = ik_sl_of(audit_impl_audit_sls(w), src, dst);
    ik_subnet_way way;
    ik_status status =
        ik_subnet_walk(&w->tables, audit_impl_audit_vls(w), src, dst, sl, &way, w->err);
    if (status != IK_OK)
        return status;
    snprintf(line, sizeof line, "from %s to %s, SL %u", audit_lid(w->a, src, name, sizeof name),
             audit_lid(w->a, dst, other, sizeof other), sl);
    size_t used = audit_pairs_put(text, 0, line);
    for (size_t i = 0; i < way.num && i < SHOWN_HOPS; i++) {
        snprintf(line, sizeof line, "\n%s -> %s",
                 ik_port_describe(f, way.hops[i].channel, name, sizeof name),
                 ik_port_describe(f, f->port_peer[way.hops[i].channel], other, sizeof other));
        used = audit_pairs_put(text, used, line);
    }
    if (way.num > SHOWN_HOPS) {
        snprintf(line, sizeof line, "\n... %s more", IK_COUNT(way.num - SHOWN_HOPS, "hop"));
        used = audit_pairs_put(text, used, line);
    }
    snprintf(line, sizeof line, "\n%s %s", ik_node_describe(f, way.end, name, sizeof name),
             audit_pairs_end_of(way.fate));
    audit_pairs_put(text, used, line);
    free(way.hops);
    return IK_OK;
}

static ik_status audit_pairs_add_kind(audit_work *w, size_t k, uint64_t pairs, char *text)
{
    const ik_subnet_verdict *v = &w->a->installed.verdict;
    uint32_t src = v->first[kinds[k].fate].src, dst = v->first[kinds[k].fate].dst;
    char from[AUDIT_TEXT], to[AUDIT_TEXT];
    audit_about about = {IK_ERROR, kinds[k].code, IK_NONE, IK_NONE, text, kinds[k].remedy};
    ik_status status = audit_pairs_way_text(w, src, dst, text);
    return status == IK_OK
               ? audit_add(w->a, &about, w->err,
                           "%" PRIu64 " of %" PRIu64
                           " pairs of hosts %s not delivered: %s; the first is from %s to %s",
                           pairs, v->pairs, pairs == 1 ? "is" : "are", kinds[k].text,
                           audit_lid(w->a, src, from, sizeof from),
                           audit_lid(w->a, dst, to, sizeof to))
               : status;
}

/* Hosts that no other reaches: one cause for many pairs. */
static ik_status audit_pairs_lost_hosts(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_subnet_verdict *v = &a->installed.verdict;
    audit_about about = {IK_ERROR, "unreachable-host",
                         IK_NONE,  IK_NONE,
                         NULL,     "See the undelivered pairs below for where its packets end."};
    uint64_t shown = 0, ports = 0;
    ik_status status = IK_OK;
    for (uint32_t i = 0; i < a->lids.num; i++)
        ports += a->lids.of[i].port != IK_NONE && a->lids.of[i].path == 0;
    for (uint32_t i = 0; i < a->lids.num && status == IK_OK; i++) {
        char name[AUDIT_TEXT];
        if (a->lids.of[i].port == IK_NONE || !v->lost_to[i] || v->lost_to[i] + 1 < ports ||
            shown++ >= w->named)
            continue;
        about.node = a->lids.of[i].node;
        about.port = a->lids.of[i].port;
        status =
            audit_add(a, &about, w->err, "no host reaches %s", audit_lid(a, i, name, sizeof name));
    }
    return status == IK_OK ? audit_rest(w, &about, shown, "no host reaches them") : status;
}

static ik_status audit_pairs_lost_switches(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_subnet_verdict *v = &a->installed.verdict;
    audit_about about = {IK_ERROR,
                         "unreachable-switch",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "perfquery, ibqueryerrors and smpquery by LID fail there: install tables "
                         "with an entry for every LID of the subnet, those of switches included."};
    ik_status status = IK_OK;
    for (uint32_t i = 0; i < a->lids.num && status == IK_OK; i++) {
        char name[AUDIT_TEXT];
        if (a->lids.of[i].port != IK_NONE || !v->lost_to[i])
            continue;
        if (v->switches_unreached > 3)
            return audit_add(a, &about, w->err,
                             "%" PRIu32 " of %" PRIu32
                             " switches have ports of hosts without a way to them and back, the "
                             "first is %s with %" PRIu64,
                             v->switches_unreached, a->fabric->num_switches,
                             audit_lid(a, i, name, sizeof name), v->lost_to[i]);
        about.node = a->lids.of[i].node;
        status = audit_add(a, &about, w->err, "%s no way to switch %s and back",
                           IK_COUNT(v->lost_to[i], "port of hosts has|ports of hosts have"),
                           audit_lid(a, i, name, sizeof name));
    }
    return status;
}

static ik_status audit_pairs_bad_entries(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_subnet_verdict *v = &a->installed.verdict;
    audit_about about = {IK_WARNING,
                         "dead-entries",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "The tables are older than the fabric: let the subnet manager sweep "
                         "again, or install new tables."};
    ik_status status = IK_OK;
    if (v->dead_entries)
        status =
            audit_add(a, &about, w->err, "%s without a cable",
                      IK_COUNT(v->dead_entries, "entry points at a port|entries point at ports"));
    about =
        (audit_about){IK_WARNING, "missing-entries",
                      IK_NONE,    IK_NONE,
                      NULL,       "Install tables with an entry for every LID in every switch."};
    if (status == IK_OK && v->missing_entries)
        status = audit_add(a, &about, w->err,
                           "%s missing: switches without a port for a LID "
                           "that the fabric connects them to",
                           IK_COUNT(v->missing_entries, "entry is|entries are"));
    return status;
}

ik_status audit_pairs(audit_work *w)
{
    const ik_subnet_verdict *v = &w->a->installed.verdict;
    const uint64_t pairs[] = {v->no_entry, v->dead_port, v->loops, v->wrong_port, v->dropped};
    char *text = ik_calloc(1, EVIDENCE);
    if (!text)
        return ik_fail_memory(w->err, EVIDENCE, "the findings of an audit");
    ik_status status = audit_pairs_lost_hosts(w);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && status == IK_OK; k++)
        if (pairs[k])
            status = audit_pairs_add_kind(w, k, pairs[k], text);
    free(text);
    if (status == IK_OK)
        status = audit_pairs_lost_switches(w);
    return status == IK_OK ? audit_pairs_bad_entries(w) : status;
}

/* ---- credit loops */

static void audit_pairs_loop_text(const audit_work *w, char *text)
{
    const ik_subnet_verdict *v = &w->a->installed.verdict;
    const ik_fabric *f = w->a->fabric;
    size_t used = 0;
    for (size_t i = 0; i < v->loop_length; i++) {
        const ik_subnet_loop *s = &v->loop[i];
        char line[5 * AUDIT_TEXT], from[AUDIT_TEXT], to[AUDIT_TEXT], src[AUDIT_TEXT],
            dst[AUDIT_TEXT];
        snprintf(line, sizeof line,
                 "%s%s -> %s on VL %u: held by a packet from %s to %s on SL %u%s", i ? "\n" : "",
                 ik_port_describe(f, s->channel, from, sizeof from),
                 ik_port_describe(f, f->port_peer[s->channel], to, sizeof to), s->vl,
                 audit_lid(w->a, s->src, src, sizeof src), audit_lid(w->a, s->dst, dst, sizeof dst),
                 s->sl,
                 s->query   ? " (performance query)"
                 : s->reply ? " (replies take the SL of the other direction)"
                            : "");
        used = audit_pairs_put(text, used, line);
    }
    used = audit_pairs_put(text, used,
                           "\neach waits for the channel of the next, the last for the first");
    if (!w->a->has_levels)
        audit_pairs_put(
            text, used,
            "\nthis assumes that every packet is on SL 0, because no service levels were given");
}

/* What to do about the tables' own loop. */
static const char *audit_pairs_loop_remedy(const ik_audit *a)
{
    return a->has_levels
               ? "Install a routing without such circles: what ikat would install is shown below; "
                 "'ikat deploy' writes it."
               : "If the engine uses service levels (lash, dfsssp, nue, torus-2QoS), give them: "
                 "--path-records FILE ('saquery PR') or --policy FILE, and the maps with --sl2vl "
                 "FILE; for with SL 0 alone this verdict may not be that of the subnet. If all "
                 "packets are on SL 0, install a routing without such circles: 'ikat deploy' "
                 "writes one.";
}

ik_status audit_loops(audit_work *w)
{
    const ik_subnet_verdict *v = &w->a->installed.verdict;
    audit_about about = {IK_ERROR, "credit-loop", IK_NONE,
                         IK_NONE,  NULL,          audit_pairs_loop_remedy(w->a)};
    if (!v->loop)
        return IK_OK;
    /* Its first channel, wherever the search came upon it: another loop is another finding. */
    for (size_t i = 0; i < v->loop_length; i++)
        about.port = v->loop[i].channel < about.port ? v->loop[i].channel : about.port;
    char *text = ik_calloc(1, EVIDENCE);
    if (!text)
        return ik_fail_memory(w->err, EVIDENCE, "the findings of an audit");
    ik_status status;
    audit_pairs_loop_text(w, text);
    about.evidence = text;
    if (v->deadlock_free == IK_NO) {
        status = audit_add(w->a, &about, w->err,
                           "the fabric can deadlock%s: packets on %zu channels can wait for each "
                           "other in a circle (a credit loop)",
                           w->a->has_levels ? "" : " if all packets are on SL 0", v->loop_length);
    } else {
        about.severity = IK_WARNING;
        about.code = "credit-loop-of-queries";
        about.remedy = v->one_manager_free == IK_YES
                           ? "Read counters (perfquery, ibqueryerrors) from one host at a time."
                           : "Read counters while the fabric is quiet, or install a routing that "
                             "is free with queries.";
        status = audit_add(w->a, &about, w->err,
                           "performance queries to and from every host could deadlock with hosts' "
                           "data, a circle of %s; the data alone cannot%s",
                           IK_COUNT(v->loop_length, "channel"),
                           v->one_manager_free == IK_YES
                               ? ", and neither can it with the queries of one host at a time"
                               : "");
    }
    free(text);
    return status;
}
