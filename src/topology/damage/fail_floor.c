/* SPDX-License-Identifier: Apache-2.0
 *
 * Racks and trays that fail: a number or a share of them, drawn, or a list of their names. A rack
 * takes its switches and the cables of its hosts with it, a tray the cables that lie in it.
 */
#include "topology/damage/fail_floor.h"
#include "topology/damage/fail_draw.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FAIL_FLOOR_LISTED = 12 }; /* names that a hint lists */

fail_floor_way fail_floor_read(const char *text)
{
    size_t digits = strspn(text, "0123456789"), numbers = strspn(text, "0123456789.eE+- %");
    return !*text                      ? FAIL_FLOOR_NONE
           : digits && !text[digits]   ? FAIL_FLOOR_NUMBER
           : numbers && !text[numbers] ? FAIL_FLOOR_SHARE
                                       : FAIL_FLOOR_NAMES;
}

bool fail_floor_is_drawn(const char *text)
{
    const fail_floor_way way = fail_floor_read(text);
    return way == FAIL_FLOOR_NUMBER || way == FAIL_FLOOR_SHARE;
}

typedef struct floor_names {
    const ik_floor_plan *plan;
    bool trays;
} floor_names;

static char *fail_floor_name(const floor_names *n, uint32_t item, char *buffer, size_t size)
{
    return n->trays ? ik_tray_name(n->plan, item, buffer, size)
                    : ik_rack_name(&n->plan->racks[item], buffer, size);
}

/* "r1c1, r1c2, … r4c12". */
static void fail_floor_list(const floor_names *n, const fail_floor_parts *p, char *out, size_t size)
{
    const size_t all = p->num <= FAIL_FLOOR_LISTED ? p->num : FAIL_FLOOR_LISTED - 1;
    char name[32];
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < all && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 fail_floor_name(n, p->items[i], name, sizeof name));
    if (all < p->num && used < size)
        snprintf(out + used, size - used, ", … %s",
                 fail_floor_name(n, p->items[p->num - 1], name, sizeof name));
}

static ik_status fail_floor_hint(const floor_names *n, const fail_floor_parts *p, ik_error *err)
{
    char names[240];
    fail_floor_list(n, p, names, sizeof names);
    ik_about(err, IK_ERR_USAGE, "%s", p->key);
    if (!p->num)
        return ik_hint(err, IK_ERR_USAGE, "no cable of this fabric leaves its rack");
    return ik_hint(err, IK_ERR_USAGE, "there %s %s: %s", p->num == 1 ? "is" : "are",
                   IK_COUNT(p->num, p->one), names);
}

static ik_status fail_floor_count(const floor_names *n, fail_floor_parts *p, const char *text,
                                  ik_error *err)
{
    uint64_t number = 0; /* too large to be read is more, too */
    if (ik_parse_quantity(text, IK_DIM_NONE, &number, NULL) != IK_OK || number > p->num) {
        ik_fail(err, IK_ERR_USAGE, "%s = %.40s is more than the floor plan has", p->key, text);
        return fail_floor_hint(n, p, err);
    }
    p->chosen = (size_t)number;
    return IK_OK;
}

static ik_status fail_floor_part(fail_floor_parts *p, const char *text, ik_error *err)
{
    double share = -1;
    if (!strchr(text, '%') || ik_parse_real(text, IK_DIM_FRACTION, &share, NULL) != IK_OK ||
        !(share >= 0 && share <= 1)) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "%s = %.40s is neither a number nor a share", p->key, text),
            "%s", p->key);
        return ik_hint(err, IK_ERR_USAGE,
                       "a number of %ss such as 2, a share from 0%% to 100%% such as 5%%, or names",
                       p->one);
    }
    p->chosen = fail_draw_part(share, p->num);
    return IK_OK;
}

/* Moves an item that is not among the chosen ones behind them. false: it is no part. */
static bool fail_floor_choose_one(fail_floor_parts *p, uint32_t item)
{
    size_t at = 0;
    while (at < p->num && p->items[at] != item)
        at++;
    if (item == IK_NONE || at == p->num)
        return false;
    if (at < p->chosen)
        return true;
    p->items[at] = p->items[p->chosen];
    p->items[p->chosen++] = item;
    return true;
}

static int fail_floor_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static ik_status fail_floor_take_names(const floor_names *n, fail_floor_parts *p, const char *text,
                                       ik_error *err)
{
    for (const char *name = text; *name;) {
        const size_t length = strcspn(name, ":");
        uint32_t item = n->trays ? ik_floor_find_tray(n->plan, name, length)
                                 : ik_floor_find_rack(n->plan, name, length);
        if (!fail_floor_choose_one(p, item)) {
            ik_fail(err, IK_ERR_USAGE, "%s: there is no %s '%.*s'%s", p->key, p->one,
                    (int)(length < 80 ? length : 80), name,
                    n->trays && item != IK_NONE ? " with cables" : "");
            qsort(p->items, p->num, sizeof *p->items, fail_floor_compare);
            return fail_floor_hint(n, p, err);
        }
        name += length + (name[length] == ':');
    }
    return IK_OK;
}

static ik_status fail_floor_choose(const floor_names *n, fail_floor_parts *p, const char *text,
                                   uint64_t seed, ik_error *err)
{
    const fail_floor_way way = fail_floor_read(text);
    ik_status status = way == FAIL_FLOOR_NUMBER  ? fail_floor_count(n, p, text, err)
                       : way == FAIL_FLOOR_SHARE ? fail_floor_part(p, text, err)
                       : way == FAIL_FLOOR_NAMES ? fail_floor_take_names(n, p, text, err)
                                                 : IK_OK;
    if (status == IK_OK && fail_floor_is_drawn(text))
        fail_draw(p->items, p->num, p->chosen, seed, n->trays ? FAIL_DRAW_TRAYS : FAIL_DRAW_RACKS);
    for (size_t i = 0; status == IK_OK && i < p->chosen; i++)
        p->failed[p->items[i]] = true;
    if (status != IK_OK)
        fail_floor_free(p);
    return status;
}

void fail_floor_free(fail_floor_parts *p)
{
    free(p->items);
    free(p->failed);
    *p = (fail_floor_parts){0};
}

/* Room for so many items. */
static ik_status fail_floor_make(fail_floor_parts *p, size_t room, ik_error *err)
{
    p->items = ik_calloc(room + 1, sizeof *p->items);
    p->failed = ik_calloc(room + 1, sizeof *p->failed);
    if (p->items && p->failed)
        return IK_OK;
    fail_floor_free(p);
    return ik_fail_memory(err, room * sizeof *p->items, "racks and trays that fail");
}

ik_status fail_floor_choose_racks(const ik_floor_plan *plan, const char *text, uint64_t seed,
                                  fail_floor_parts *out, ik_error *err)
{
    *out = (fail_floor_parts){.key = "fail_racks", .one = "rack", .num = plan->num_racks};
    ik_status status = fail_floor_make(out, plan->num_racks, err);
    if (status != IK_OK)
        return status;
    for (uint32_t r = 0; r < plan->num_racks; r++)
        out->items[r] = r;
    return fail_floor_choose(&(floor_names){plan, false}, out, text, seed, err);
}

/* Trays with a cable, in the order of their numbers. */
static void fail_floor_list_trays(const ik_floor_plan *plan, const ik_fabric *f,
                                  fail_floor_parts *p)
{
    bool *used = p->failed; /* until some have */
    uint32_t trays[2];
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE || f->port_peer[port] < port)
            continue;
        for (unsigned num = ik_floor_cable_trays(plan, f, port, trays); num-- > 0;)
            used[trays[num]] = true;
    }
    for (uint32_t t = 0; t < plan->rows + plan->row_racks; t++)
        if (used[t])
            p->items[p->num++] = t;
    for (size_t i = 0; i < p->num; i++)
        used[p->items[i]] = false;
}

ik_status fail_floor_choose_trays(const ik_floor_plan *plan, const ik_fabric *f, const char *text,
                                  uint64_t seed, fail_floor_parts *out, ik_error *err)
{
    *out = (fail_floor_parts){.key = "fail_trays", .one = "tray"};
    ik_status status = fail_floor_make(out, (size_t)plan->rows + plan->row_racks, err);
    if (status != IK_OK)
        return status;
    fail_floor_list_trays(plan, f, out);
    return fail_floor_choose(&(floor_names){plan, true}, out, text, seed, err);
}

/* ---- what fails with them */

void fail_floor_add_racks(const ik_floor_plan *plan, const ik_fabric *f,
                          const fail_floor_parts *racks, uint32_t *switches, size_t *num_switches,
                          uint32_t *ports, size_t *num_ports)
{
    for (uint32_t node = 0; racks->chosen && node < ik_num_nodes(f); node++) {
        if (!racks->failed[plan->node_rack[node]])
            continue;
        if (ik_is_switch(f, node)) {
            switches[(*num_switches)++] = node;
            continue;
        }
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
            if (f->port_peer[port] != IK_NONE)
                ports[(*num_ports)++] = port;
    }
}

void fail_floor_add_trays(const ik_floor_plan *plan, const ik_fabric *f,
                          const fail_floor_parts *trays, uint32_t *ports, size_t *num_ports)
{
    uint32_t in[2];
    for (uint32_t port = 0; trays->chosen && port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE || f->port_peer[port] < port)
            continue;
        bool lost = false;
        for (unsigned num = ik_floor_cable_trays(plan, f, port, in); num-- > 0;)
            lost |= trays->failed[in[num]];
        if (lost)
            ports[(*num_ports)++] = port;
    }
}
