/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_multicast.c: whether the installed multicast tables bring every packet of a group's members
 * to all others once.
 */
#include "subnet/audit/audit_impl.h"
#include "subnet/judge/multicast.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char audit_multicast_sweep[] =
    "Let the subnet manager make its multicast trees anew (a heavy sweep, or a restart), and dump "
    "the tables again.";

enum { OF_LOOPS, OF_MISSING, OF_REPEATS, OF_NO_CABLE, OF_DEAD_ENDS, OF_KINDS };

static const audit_about audit_multicast_kinds[OF_KINDS] = {
    {IK_ERROR, "multicast-loop", IK_NONE, IK_NONE, NULL, audit_multicast_sweep},
    {IK_ERROR, "multicast-undelivered", IK_NONE, IK_NONE, NULL, audit_multicast_sweep},
    {IK_ERROR, "multicast-duplicates", IK_NONE, IK_NONE, NULL, audit_multicast_sweep},
    {IK_WARNING, "multicast-no-cable", IK_NONE, IK_NONE, NULL, audit_multicast_sweep},
    {IK_NOTE, "multicast-dead-end", IK_NONE, IK_NONE, NULL, NULL},
};

/* A member in the administrator's names: the port of a host, or a switch. */
static const char *audit_multicast_member(const ik_fabric *f, uint32_t member, char *name,
                                          size_t size)
{
    return member < f->num_ports ? ik_port_describe(f, f->port_peer[member], name, size)
                                 : ik_node_describe(f, member - f->num_ports, name, size);
}

static const char *audit_multicast_cycle(const ik_fabric *f, const multicast_group *g, char *text,
                                         size_t size)
{
    size_t used = 0;
    uint32_t told = g->num_cycle < MULTICAST_CYCLE ? g->num_cycle : MULTICAST_CYCLE;
    for (uint32_t i = 0; i < told && used < size; i++) {
        char name[AUDIT_TEXT];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "\n" : "",
                                 ik_port_describe(f, g->cycle[i], name, sizeof name));
    }
    if (told < g->num_cycle && used < size)
        snprintf(text + used, size - used, "\nand %" PRIu32 " more", g->num_cycle - told);
    return text;
}

static ik_status audit_multicast_say(audit_work *w, const multicast_group *g, unsigned kind)
{
    const ik_fabric *f = w->a->fabric;
    char from[AUDIT_TEXT], to[AUDIT_TEXT], cycle[MULTICAST_CYCLE * AUDIT_TEXT];
    audit_about about = audit_multicast_kinds[kind];
    switch (kind) {
    case OF_LOOPS:
        about.port = g->cycle[0];
        about.evidence = audit_multicast_cycle(f, g, cycle, sizeof cycle);
        return audit_add(w->a, &about, w->err,
                         "copies of a packet to group 0x%04X go round for ever", g->lid);
    case OF_MISSING:
        return audit_add(w->a, &about, w->err,
                         "packets to group 0x%04X are lost for %" PRIu64 " of %" PRIu64
                         " pairs of members, the first is from %s to %s",
                         g->lid, g->missing, g->pairs,
                         audit_multicast_member(f, g->sender, from, sizeof from),
                         audit_multicast_member(f, g->receiver, to, sizeof to));
    case OF_REPEATS:
        about.node = g->again < f->num_ports ? IK_NONE : g->again - f->num_ports;
        about.port = g->again < f->num_ports ? g->again : IK_NONE;
        return audit_add(w->a, &about, w->err,
                         "members of group 0x%04X get several copies of a packet: here a second "
                         "one comes by",
                         g->lid);
    case OF_NO_CABLE:
        about.port = g->no_cable;
        return audit_add(w->a, &about, w->err,
                         "copies of packets to group 0x%04X go to a port without a cable", g->lid);
    default:
        about.port = g->dead_end;
        return audit_add(w->a, &about, w->err,
                         "copies of packets to group 0x%04X go to a switch that sends them to "
                         "nobody: of no use, but to members that only send",
                         g->lid);
    }
}

static ik_status audit_multicast_group(audit_work *w, const multicast_group *g,
                                       uint64_t shown[OF_KINDS])
{
    ik_audit_multicast *m = &w->a->multicast;
    const bool found[OF_KINDS] = {[OF_LOOPS] = g->num_cycle > 0,
                                  [OF_MISSING] = g->missing > 0,
                                  [OF_REPEATS] = g->again != IK_NONE && !g->num_cycle,
                                  [OF_NO_CABLE] = g->no_cable != IK_NONE,
                                  [OF_DEAD_ENDS] = g->dead_end != IK_NONE};
    ik_status status = IK_OK;
    m->groups++;
    m->members += g->members;
    m->pairs += g->pairs;
    m->missing += g->missing;
    m->looping += found[OF_LOOPS];
    m->repeating += found[OF_REPEATS];
    for (unsigned kind = 0; kind < OF_KINDS && status == IK_OK; kind++)
        if (found[kind] && shown[kind]++ < w->named)
            status = audit_multicast_say(w, g, kind);
    return status;
}

/* How the file fits the fabric. */
static ik_status audit_multicast_file(audit_work *w, const multicast_tables *t)
{
    char name[AUDIT_TEXT];
    audit_about about = {IK_WARNING,
                         "unknown-switch-tables",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "Dump the fabric and the tables together, with nothing changed between "
                         "the two."};
    ik_status status = IK_OK;
    w->a->partial |= t->unknown_switches > 0 || t->wrong_ports > 0;
    if (t->unknown_switches)
        status = audit_add(w->a, &about, w->err,
                           "%s has multicast tables of %s that the fabric does not have, the first "
                           "has GUID 0x%016" PRIx64,
                           w->config->multicast, IK_COUNT(t->unknown_switches, "switch"),
                           t->first_unknown);
    about.severity = IK_ERROR;
    about.code = "wrong-ports";
    about.node = t->wrong_switch;
    if (status == IK_OK && t->wrong_ports)
        status = audit_add(
            w->a, &about, w->err,
            "%s:%u:%u: %s has no port %u, but %s; such ports (%" PRIu64 ") are left out",
            w->config->multicast, t->wrong_line, t->wrong_column,
            ik_node_describe(w->a->fabric, t->wrong_switch, name, sizeof name), t->wrong_port,
            IK_COUNT(ik_radix(w->a->fabric, t->wrong_switch), "port"), t->wrong_ports);
    return status;
}

static ik_status audit_multicast_groups(audit_work *w, const multicast_tables *t)
{
    uint64_t shown[OF_KINDS] = {0};
    multicast_walk *walk = NULL;
    multicast_group group;
    ik_status status = multicast_walk_new(t, &walk, w->err);
    for (size_t first = 0, end; first < t->num && status == IK_OK; first = end) {
        for (end = first; end < t->num && t->entries[end].lid == t->entries[first].lid;)
            end++;
        if (ik_env_cancelled(w->env))
            status = ik_fail(w->err, IK_ERR_CANCELLED, "cancelled");
        else
            multicast_judge(walk, first, end, &group);
        if (status == IK_OK)
            status = audit_multicast_group(w, &group, shown);
    }
    for (unsigned kind = 0; kind < OF_KINDS && status == IK_OK; kind++)
        status = audit_rest(w, &audit_multicast_kinds[kind], shown[kind], "groups are alike");
    multicast_walk_free(walk);
    return status;
}

ik_status audit_multicast(audit_work *w)
{
    multicast_tables t = {0};
    if (!w->config->multicast)
        return IK_OK;
    ik_status status = multicast_read(w->a->fabric, w->config->multicast, w->env, &t, w->err);
    if (status == IK_OK)
        status = audit_multicast_file(w, &t);
    if (status == IK_OK)
        status = audit_multicast_groups(w, &t);
    w->a->has_multicast = status == IK_OK;
    multicast_free(&t);
    return status;
}
