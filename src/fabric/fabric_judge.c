/* SPDX-License-Identifier: Apache-2.0
 *
 * What an owner should know of an imported fabric: its levels, oversubscription, slow links,
 * missing cables, hosts that cannot be reached, GUIDs and descriptions given twice. Judging again
 * replaces the earlier judgement. O((nodes + ports) log nodes).
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases of one kind named one by one; more are counted. */
enum { NAMED = 100, TEXT = 192 };

typedef struct judge {
    ik_fabric *f;
    /* [switches] links to switches of the next higher level; to lower switches and, below the top,
     * hosts */
    uint32_t *up, *down;
    bool guessed; /* the levels: few switches have hosts, to count them from */
    ik_error *err;
} judge;

/* ---- the earlier judgement goes */

static bool fabric_judge_own_code(const char *code)
{
    static const char *const codes[] = {
        "levels",         "oversubscribed",   "slow-link",      "missing-cable",   "unreachable",
        "duplicate-guid", "same-description", "separate-parts", "slower-adapters", NULL};
    for (size_t i = 0; codes[i]; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static void drop_judgement(ik_fabric *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->num_findings; i++)
        if (!fabric_judge_own_code(f->findings[i].code))
            f->findings[kept++] = f->findings[i];
    f->num_findings = kept;
}

/* "and N more": after NAMED findings of one kind. */
static ik_status fabric_judge_count_rest(judge *j, ik_severity severity, const char *code,
                                         const char *what, uint64_t total)
{
    if (total <= NAMED)
        return IK_OK;
    return fabric_add_finding(j->f, severity, code, IK_NONE, IK_NONE, j->err,
                              "%" PRIu64 " %s in all, the first %d are named", total, what, NAMED);
}

/* ---- levels */

static ik_status judge_levels(judge *j)
{
    ik_fabric *f = j->f;
    char text[TEXT] = "";
    int used = 0;
    if (!f->num_switches)
        return IK_OK;
    if (!f->switch_level)
        return fabric_add_finding(
            f, IK_NOTE, "levels", IK_NONE, IK_NONE, j->err,
            f->num_hosts ? "%s: some links join switches of the same or of distant levels"
                         : "%s that could be determined: it has no hosts",
            "not a multi-level tree");
    for (uint32_t level = 1; level <= f->num_levels && (size_t)used < sizeof text; level++) {
        uint32_t count = 0;
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            count += f->switch_level[sw] == level;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu32 " on level %" PRIu32,
                         level > 1 ? ", " : "", count, level);
    }
    return fabric_add_finding(
        f, IK_NOTE, "levels", IK_NONE, IK_NONE, j->err, "a tree of %s of switches: %s, with %s",
        IK_COUNT(f->num_levels, "level"), text, IK_COUNT(f->num_hosts, "host"));
}

/* Levels are counted from the leaf switches that have hosts. If these are far fewer than the
 * switches of another level, as where all hosts are at one switch, they are a guess. */
static void fabric_judge_trust_levels(judge *j)
{
    uint32_t count[256] = {0}, most = 0;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        count[j->f->switch_level[sw]]++;
    for (unsigned level = 0; level < 256; level++)
        most = count[level] > most ? count[level] : most;
    j->guessed = 2 * (uint64_t)count[1] < most;
}

static void fabric_judge_count_up_down(judge *j)
{
    const ik_fabric *f = j->f;
    assert(f->switch_level);
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t sw = f->port_node[port], peer = ik_peer_node(f, port);
        if (peer == IK_NONE)
            continue;
        if (f->switch_level[sw] == f->num_levels && !ik_is_switch(f, peer))
            continue; /* a server there says nothing of the cables to other switches */
        bool up = ik_is_switch(f, peer) && f->switch_level[peer] > f->switch_level[sw];
        *(up ? &j->up[sw] : &j->down[sw]) += 1;
    }
}

/* Switches below the top, sorted so that equal ones stand together. */
typedef struct kind {
    uint32_t level, radix, down, up, sw;
} kind;

static int fabric_judge_compare_kinds(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    const uint32_t xs[] = {x->level, x->down, x->up, x->sw},
                   ys[] = {y->level, y->down, y->up, y->sw};
    for (int i = 0; i < 4; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

/* The commonest number of cables, up and down, of kinds[0..count). */
static ik_status fabric_judge_usual_cables(const judge *j, const kind *kinds, size_t count,
                                           uint32_t *usual)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = kinds[i].up + kinds[i].down > most ? kinds[i].up + kinds[i].down : most;
    size_t *num = ik_calloc((size_t)most + 1, sizeof *num);
    if (!num)
        return ik_fail_memory(j->err, most * sizeof *num, "numbers of cables");
    for (size_t i = 0; i < count; i++)
        num[kinds[i].up + kinds[i].down]++;
    *usual = 0;
    for (uint32_t i = 1; i <= most; i++)
        *usual = num[i] >= num[*usual] ? i : *usual;
    free(num);
    return IK_OK;
}

/* Is a switch without a cable upwards one that lost them? One above the leaves that has as many
 * cables as most there is a root on a lower level than others. */
static ik_status fabric_judge_lost_uplinks(const judge *j, const kind *kinds, size_t num,
                                           const kind *k, bool *lost)
{
    size_t first = 0, count = 0;
    uint32_t usual = 0;
    while (kinds[first].level != k->level)
        first++;
    while (first + count < num && kinds[first + count].level == k->level)
        count++;
    ik_status status = fabric_judge_usual_cables(j, kinds + first, count, &usual);
    *lost = k->up == 0 && !j->guessed && (k->level == 1 || k->down < usual);
    return status;
}

static ik_status tell_oversubscribed(judge *j, const kind *k, size_t count, bool lost)
{
    assert(count > 0 && k->level < j->f->num_levels); /* the top has no way up */
    char name[TEXT] = "", ratio[48];
    uint32_t divisor = (uint32_t)ik_gcd(k->down, k->up);
    if (k->down <= k->up || k->down == 0)
        return IK_OK;
    if (count == 1)
        ik_node_describe(j->f, k->sw, name, sizeof name);
    if (k->up == 0)
        snprintf(ratio, sizeof ratio, "no way up");
    else if (k->up / divisor <= 12)
        snprintf(ratio, sizeof ratio, "%" PRIu32 ":%" PRIu32 " oversubscribed", k->down / divisor,
                 k->up / divisor);
    else
        snprintf(ratio, sizeof ratio, "%.2f:1 oversubscribed", (double)k->down / k->up);
    return fabric_add_finding(
        j->f, lost ? IK_WARNING : IK_NOTE, "oversubscribed", IK_NONE, count == 1 ? k->sw : IK_NONE,
        j->err, "%s%s%s with %s and %s%s: %s",
        IK_COUNT(count, k->level == 1 ? "leaf switch" : "switch"), count == 1 ? ", " : "", name,
        IK_COUNT(k->down, k->level == 1 ? "host link" : "link down|links down"),
        IK_COUNT(k->up, "uplink"), count == 1 ? "" : " each", ratio);
}

static ik_status judge_oversubscription(judge *j, kind *kinds, size_t num)
{
    ik_status status = IK_OK;
    uint64_t shown = 0;
    for (size_t i = 0, next; i < num && status == IK_OK; i = next) {
        for (next = i + 1; next < num && kinds[next].level == kinds[i].level &&
                           kinds[next].down == kinds[i].down && kinds[next].up == kinds[i].up;)
            next++;
        bool lost = false;
        if (kinds[i].level >= j->f->num_levels || shown++ >= NAMED)
            continue;
        status = kinds[i].up ? IK_OK : fabric_judge_lost_uplinks(j, kinds, num, &kinds[i], &lost);
        if (status == IK_OK)
            status = tell_oversubscribed(j, &kinds[i], next - i, lost);
    }
    return status == IK_OK ? fabric_judge_count_rest(j, IK_NOTE, "oversubscribed",
                                                     "kinds of switches below the top", shown)
                           : status;
}

/* ---- missing cables: fewer links up (on top: down) than most switches of the level */

static uint32_t fabric_judge_cables(const judge *j, const kind *k)
{
    return k->level < j->f->num_levels ? k->up : k->down;
}

/* The commonest number of cables in kinds[0..count), the larger of two equally common; *holders
 * have it. */
static uint32_t fabric_judge_commonest(const judge *j, const kind *kinds, size_t count,
                                       size_t *holders)
{
    assert(count > 0);
    uint32_t best = 0;
    *holders = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        uint32_t value = fabric_judge_cables(j, &kinds[i]);
        if (i && fabric_judge_cables(j, &kinds[i - 1]) == value)
            continue; /* counted just now */
        for (size_t k = i; k < count && fabric_judge_cables(j, &kinds[k]) == value; k++)
            same++;
        if (same > *holders || (same == *holders && value > best)) {
            *holders = same;
            best = value;
        }
    }
    return best;
}

static int fabric_judge_compare_cables(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->radix != y->radix)
        return x->radix < y->radix ? -1 : 1;
    if (x->up != y->up)
        return x->up < y->up ? -1 : 1;
    if (x->down != y->down)
        return x->down < y->down ? -1 : 1;
    return x->sw < y->sw ? -1 : x->sw > y->sw;
}

static ik_status judge_missing(judge *j, kind *kinds, size_t num)
{
    uint64_t shown = 0;
    qsort(kinds, num, sizeof *kinds, fabric_judge_compare_cables);
    for (size_t i = 0, next; i < num; i = next) {
        size_t holders;
        for (next = i + 1; next < num && kinds[next].level == kinds[i].level &&
                           kinds[next].radix == kinds[i].radix;)
            next++;
        uint32_t all = 0, usual = fabric_judge_commonest(j, kinds + i, next - i, &holders);
        ik_status status = fabric_judge_usual_cables(j, kinds + i, next - i, &all);
        for (size_t k = i; k < next && 2 * holders >= next - i && status == IK_OK; k++) {
            char name[TEXT];
            /* As many as usual, but not up: leaf switches without hosts pass for upper ones. */
            bool elsewhere = kinds[k].level > 1 && kinds[k].up + kinds[k].down >= all;
            if (elsewhere || fabric_judge_cables(j, &kinds[k]) >= usual || shown++ >= NAMED)
                continue;
            status = fabric_add_finding(
                j->f, IK_WARNING, "missing-cable", IK_NONE, kinds[k].sw, j->err,
                "switch %s on level %" PRIu32 " has %s %s, the usual number there is %" PRIu32,
                ik_node_describe(j->f, kinds[k].sw, name, sizeof name), kinds[k].level,
                IK_COUNT(fabric_judge_cables(j, &kinds[k]), "link"),
                kinds[k].level < j->f->num_levels ? "up" : "down", usual);
            if (status != IK_OK)
                return status;
        }
    }
    return fabric_judge_count_rest(j, IK_WARNING, "missing-cable", "switches lack cables", shown);
}

static ik_status fabric_judge_tree(judge *j)
{
    ik_fabric *f = j->f;
    if (!f->switch_level || f->num_levels < 2)
        return IK_OK;
    kind *kinds = ik_calloc((size_t)f->num_switches + 1, sizeof *kinds);
    if (!kinds)
        return ik_fail_memory(j->err, f->num_switches * sizeof *kinds, "kinds of switches");
    fabric_judge_count_up_down(j);
    fabric_judge_trust_levels(j);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        kinds[sw] = (kind){f->switch_level[sw], ik_radix(f, sw), j->down[sw], j->up[sw], sw};
    qsort(kinds, f->num_switches, sizeof *kinds, fabric_judge_compare_kinds);
    ik_status status = judge_oversubscription(j, kinds, f->num_switches);
    if (status == IK_OK && !j->guessed)
        status = judge_missing(j, kinds, f->num_switches);
    free(kinds);
    return status;
}

/* ---- hosts outside the largest connected part */

static void fabric_judge_mark_part(const ik_fabric *f, uint32_t start, uint32_t mark,
                                   uint32_t *part, uint32_t *stack, uint32_t *hosts)
{
    assert(mark && !part[start]);
    uint32_t depth = 0;
    part[start] = mark;
    stack[depth++] = start;
    while (depth) {
        uint32_t node = stack[--depth];
        *hosts += !ik_is_switch(f, node);
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && !part[peer]) {
                part[peer] = mark;
                stack[depth++] = peer;
            }
        }
    }
}

static ik_status tell_unreachable(judge *j, const uint32_t *part, uint32_t largest)
{
    ik_fabric *f = j->f;
    uint64_t shown = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t node = ik_host_node(f, host), sw = ik_host_switch(f, host);
        if (part[node] == largest || ik_host_cables(f, host) == 0 || shown++ >= NAMED)
            continue; /* hosts without a cable have a finding of their own */
        char name[TEXT], at[TEXT] = "";
        ik_status status = fabric_add_finding(
            f, IK_ERROR, "unreachable", IK_NONE, node, j->err,
            "host %s %s%s: most other hosts cannot be reached from it",
            ik_node_describe(f, node, name, sizeof name),
            sw == IK_NONE ? "is not connected to a switch" : "is in the separate part of ",
            sw == IK_NONE ? "" : ik_node_describe(f, sw, at, sizeof at));
        if (status != IK_OK)
            return status;
    }
    return fabric_judge_count_rest(j, IK_ERROR, "unreachable", "hosts are unreachable", shown);
}

static ik_status judge_reach(judge *j)
{
    ik_fabric *f = j->f;
    size_t nodes = (size_t)ik_num_nodes(f) + 1;
    uint32_t *part = ik_calloc(nodes, sizeof *part), *stack = ik_calloc(nodes, sizeof *stack);
    uint32_t parts = 0, largest = 0, most = 0, shared = 0;
    ik_status status = part && stack ? IK_OK : ik_fail_memory(j->err, 8 * nodes, "connected parts");
    for (uint32_t node = 0; status == IK_OK && node < ik_num_nodes(f); node++) {
        uint32_t hosts = 0;
        if (part[node])
            continue;
        fabric_judge_mark_part(f, node, ++parts, part, stack, &hosts);
        shared += hosts > 1;
        if (hosts > most) {
            most = hosts;
            largest = parts;
        }
    }
    if (status == IK_OK && shared > 1)
        status = fabric_add_finding(
            f, IK_WARNING, "separate-parts", IK_NONE, IK_NONE, j->err,
            "%" PRIu32
            " parts with several hosts each are not connected by any cable; the largest has "
            "%" PRIu32 " of %" PRIu32 " hosts: cables are missing, or these are several fabrics",
            shared, most, f->num_hosts);
    if (status == IK_OK)
        status = tell_unreachable(j, part, largest);
    if (status == IK_OK)
        status = fabric_find_uncabled(f, j->err);
    free(part);
    free(stack);
    return status;
}

/* ---- identifiers given twice */

typedef struct keyed {
    uint64_t guid;
    const char *name;
    uint32_t node;
} keyed;

static int fabric_judge_compare_guids(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int fabric_judge_compare_names(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->node < y->node ? -1 : x->node > y->node;
}

/* GUIDs that two nodes share, items[num] of nodes or ports; ports of nodes that share theirs, too,
 * are reported with the nodes. */
static ik_status report_same_guids(judge *j, keyed *items, uint32_t num, bool ports)
{
    assert(!ports || j->f->node_guid);
    ik_fabric *f = j->f;
    uint64_t shown = 0;
    ik_status status = IK_OK;
    qsort(items, num, sizeof *items, fabric_judge_compare_guids);
    for (uint32_t i = 1; i < num && status == IK_OK; i++) {
        uint32_t first = items[i - 1].node, second = items[i].node;
        char a[TEXT], b[TEXT];
        if (items[i].guid != items[i - 1].guid || first == second ||
            (ports && f->node_guid[first] == f->node_guid[second]) || shown++ >= NAMED)
            continue;
        status = fabric_add_finding(f, IK_ERROR, "duplicate-guid", IK_NONE, second, j->err,
                                    "%s%s and %s have the same GUID 0x%016" PRIx64,
                                    ports ? "ports of " : "", ik_node_name(f, first, a, sizeof a),
                                    ik_node_name(f, second, b, sizeof b), items[i].guid);
    }
    return status == IK_OK
               ? fabric_judge_count_rest(
                     j, IK_ERROR, "duplicate-guid",
                     ports ? "GUIDs of ports are given twice" : "GUIDs are given twice", shown)
               : status;
}

static ik_status judge_guids(judge *j, keyed *items)
{
    const ik_fabric *f = j->f;
    uint32_t num = 0;
    if (!f->node_guid)
        return IK_OK;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        if (f->node_guid[node])
            items[num++] = (keyed){f->node_guid[node], NULL, node};
    ik_status status = report_same_guids(j, items, num, false);
    num = 0;
    for (uint32_t p = f->port_base[f->num_switches]; f->port_guid && p < f->num_ports; p++)
        if (f->port_guid[p])
            items[num++] = (keyed){f->port_guid[p], NULL, f->port_node[p]};
    return status == IK_OK ? report_same_guids(j, items, num, true) : status;
}

static ik_status judge_names(judge *j, keyed *items)
{
    ik_fabric *f = j->f;
    uint32_t num = f->node_name ? f->num_switches : 0;
    uint64_t shown = 0;
    for (uint32_t sw = 0; sw < num; sw++)
        items[sw] = (keyed){0, f->node_name[sw], sw};
    qsort(items, num, sizeof *items, fabric_judge_compare_names);
    for (uint32_t i = 0, next; i < num; i = next) {
        for (next = i + 1; next < num && strcmp(items[next].name, items[i].name) == 0;)
            next++;
        if (next == i + 1 || shown++ >= NAMED)
            continue;
        ik_status status = fabric_add_finding(
            f, IK_NOTE, "same-description", IK_NONE, items[i].node, j->err,
            "%" PRIu32 " switches have the same description '%.100s'%s", next - i, items[i].name,
            f->node_guid ? "; only their GUIDs tell them apart" : "");
        if (status != IK_OK)
            return status;
    }
    return fabric_judge_count_rest(j, IK_NOTE, "same-description",
                                   "descriptions are given to several switches", shown);
}

static ik_status judge_identity(judge *j)
{
    size_t most = (size_t)ik_num_nodes(j->f) + j->f->num_ports + 1;
    keyed *items = ik_calloc(most, sizeof *items);
    if (!items)
        return ik_fail_memory(j->err, most * sizeof *items, "names and GUIDs");
    ik_status status = judge_guids(j, items);
    if (status == IK_OK)
        status = judge_names(j, items);
    free(items);
    return status;
}

ik_status ik_fabric_judge(ik_fabric *f, ik_error *err)
{
    size_t count = (size_t)f->num_switches + 1;
    judge j = {.f = f,
               .up = ik_calloc(count, sizeof *j.up),
               .down = ik_calloc(count, sizeof *j.down),
               .err = err};
    ik_status status =
        j.up && j.down ? IK_OK : ik_fail_memory(err, 8 * count, "the judgement of a fabric");
    if (status == IK_OK) {
        drop_judgement(f);
        status = judge_levels(&j);
    }
    if (status == IK_OK)
        status = fabric_judge_tree(&j);
    if (status == IK_OK)
        status = fabric_judge_rates(f, err);
    if (status == IK_OK)
        status = judge_reach(&j);
    if (status == IK_OK)
        status = judge_identity(&j);
    free(j.up);
    free(j.down);
    return status;
}
