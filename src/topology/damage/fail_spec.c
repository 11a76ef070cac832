/* SPDX-License-Identifier: Apache-2.0
 *
 * What has failed: shares that are drawn, or lists. All of it is taken from the whole fabric at
 * once.
 */
#include "topology/damage/fail_spec.h"
#include "fabric/fabric_private.h"
#include "topology/damage/fail_draw.h"
#include "topology/damage/fail_floor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Links between switches, each by its lower port. */
static size_t fail_spec_list_links(const ik_fabric *f, uint32_t *ports)
{
    size_t num = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer != IK_NONE && peer > port && ik_is_switch(f, f->port_node[peer]))
            ports[num++] = port;
    }
    return num;
}

/* ---- lists of names */

static uint32_t fail_spec_find_switch(const ik_fabric *f, const char *name, size_t length)
{
    for (uint32_t sw = 0; f->node_name && sw < f->num_switches; sw++)
        if (strlen(f->node_name[sw]) == length && memcmp(f->node_name[sw], name, length) == 0)
            return sw;
    char text[32], *end;
    if (length >= sizeof text)
        return IK_NONE;
    memcpy(text, name, length);
    text[length] = '\0';
    bool guid = strncmp(text, "0x", 2) == 0,
         id = strncmp(text, "sw", 2) == 0 && text[2] >= '0' && text[2] <= '9';
    unsigned long long value = guid ? strtoull(text, &end, 16)
                               : id ? strtoull(text + 2, &end, 10)
                                    : 0;
    if ((!guid && !id) || *end)
        return IK_NONE;
    if (id)
        return value < f->num_switches ? (uint32_t)value : IK_NONE;
    for (uint32_t sw = 0; f->node_guid && sw < f->num_switches; sw++)
        if (f->node_guid[sw] == value)
            return sw;
    return IK_NONE;
}

uint32_t fail_spec_find_port(const ik_fabric *f, const char *item, size_t length)
{
    size_t dot = length;
    while (dot > 0 && item[dot - 1] != '.')
        dot--;
    uint32_t sw = dot > 1 ? fail_spec_find_switch(f, item, dot - 1) : IK_NONE;
    if (sw == IK_NONE || dot == length)
        return IK_NONE;
    unsigned number = 0;
    for (size_t i = dot; i < length; i++) {
        if (item[i] < '0' || item[i] > '9' || number > 65535)
            return IK_NONE;
        number = 10 * number + (unsigned)(item[i] - '0');
    }
    return ik_port_of_number(f, sw, number);
}

static ik_status fail_spec_refuse_item(const ik_fabric *f, const char *item, size_t length,
                                       ik_error *err)
{
    char first[160], last[160];
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "fail: there is no switch and no port '%.*s'",
                     (int)(length < 80 ? length : 80), item),
             "fail");
    if (!f->num_switches)
        return ik_hint(err, IK_ERR_USAGE, "this fabric has no switches");
    return ik_hint(err, IK_ERR_USAGE,
                   "a share like 3%%, or a list like sw0:sw0.1 of switches (sw0 to sw%" PRIu32
                   ", a GUID, a name like %.100s) and ports (%.100s.1)",
                   f->num_switches - 1, ik_node_name(f, 0, first, sizeof first),
                   ik_node_name(f, f->num_switches - 1, last, sizeof last));
}

enum { MOST_TOLD = 100 }; /* racks, or trays, in findings */

typedef struct losses {
    uint32_t *ports, *switches;
    size_t num_ports, num_switches;
    fail_floor_parts racks, trays;
} losses;

static ik_status fail_spec_parse_list(const char *text, const ik_fabric *f, losses *l,
                                      ik_error *err)
{
    for (const char *item = text; *item;) {
        size_t length = strcspn(item, ":");
        uint32_t sw = fail_spec_find_switch(f, item, length),
                 port = sw == IK_NONE ? fail_spec_find_port(f, item, length) : IK_NONE;
        if (sw == IK_NONE && port == IK_NONE)
            return fail_spec_refuse_item(f, item, length, err);
        if (sw != IK_NONE)
            l->switches[l->num_switches++] = sw;
        else
            l->ports[l->num_ports++] = port;
        item += length + (item[length] == ':');
    }
    return IK_OK;
}

bool fail_spec_is_share(const char *text)
{
    return text[strspn(text, "0123456789.eE+- %")] == '\0';
}

static ik_status fail_spec_choose_links(const fail_spec *spec, const ik_fabric *f, losses *l,
                                        ik_error *err)
{
    double share;
    if (!spec->text || !*spec->text)
        return IK_OK;
    if (!fail_spec_is_share(spec->text))
        return fail_spec_parse_list(spec->text, f, l, err);
    ik_status status = ik_parse_real(spec->text, IK_DIM_FRACTION, &share, err);
    if (status != IK_OK)
        return status;
    if (!(share >= 0 && share <= 1)) {
        ik_about(err, ik_fail(err, IK_ERR_USAGE, "fail = %s is not a share", spec->text), "fail");
        return ik_hint(err, IK_ERR_USAGE,
                       "a share of the links between switches, from 0%% to 100%%");
    }
    size_t links = fail_spec_list_links(f, l->ports);
    l->num_ports = fail_draw_part(share, links);
    fail_draw(l->ports, links, l->num_ports, spec->seed, FAIL_DRAW_LINKS);
    return IK_OK;
}

static void fail_spec_choose_switches(const fail_spec *spec, const ik_fabric *f, losses *l)
{
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        l->switches[sw] = sw;
    l->num_switches = fail_draw_part(spec->switch_share, f->num_switches);
    fail_draw(l->switches, f->num_switches, l->num_switches, spec->seed, FAIL_DRAW_SWITCHES);
}

/* Behind what fails by itself. */
static ik_status fail_spec_choose_floor(const fail_spec *spec, const ik_fabric *f, losses *l,
                                        ik_error *err)
{
    ik_status status = IK_OK;
    assert((!spec->racks && !spec->trays) || spec->floor);
    if (spec->racks)
        status = fail_floor_choose_racks(spec->floor, spec->racks, spec->seed, &l->racks, err);
    if (status == IK_OK && spec->trays)
        status = fail_floor_choose_trays(spec->floor, f, spec->trays, spec->seed, &l->trays, err);
    if (status != IK_OK)
        return status;
    fail_floor_add_racks(spec->floor, f, &l->racks, l->switches, &l->num_switches, l->ports,
                         &l->num_ports);
    fail_floor_add_trays(spec->floor, f, &l->trays, l->ports, &l->num_ports);
    return IK_OK;
}

/* Each switch once, at its first place. */
static ik_status fail_spec_drop_repeated(const ik_fabric *f, losses *l, ik_error *err)
{
    bool *seen = ik_calloc((size_t)f->num_switches + 1, sizeof *seen);
    size_t num = 0;
    if (!seen)
        return ik_fail_memory(err, f->num_switches * sizeof *seen, "failed switches");
    for (size_t i = 0; i < l->num_switches; i++) {
        if (!seen[l->switches[i]])
            l->switches[num++] = l->switches[i];
        seen[l->switches[i]] = true;
    }
    l->num_switches = num;
    free(seen);
    return IK_OK;
}

typedef char *(*floor_namer)(const ik_floor_plan *plan, uint32_t item, char *buffer, size_t size);

static char *fail_spec_name_rack(const ik_floor_plan *plan, uint32_t rack, char *buffer,
                                 size_t size)
{
    return ik_rack_name(&plan->racks[rack], buffer, size);
}

/* A finding for each of the first MOST_TOLD parts, and one that says how many more there are. */
static ik_status fail_spec_tell_parts(const ik_floor_plan *plan, const fail_floor_parts *parts,
                                      floor_namer namer, const char *code, const char *before,
                                      const char *after, ik_fabric *f, ik_error *err)
{
    char name[32];
    ik_status status = IK_OK;
    for (size_t i = 0; i < parts->chosen && i < MOST_TOLD && status == IK_OK; i++)
        status = fabric_add_finding(f, IK_WARNING, code, IK_NONE, IK_NONE, err, "%s %s %s", before,
                                    namer(plan, parts->items[i], name, sizeof name), after);
    if (status != IK_OK || parts->chosen <= MOST_TOLD)
        return status;
    return fabric_add_finding(f, IK_WARNING, code, IK_NONE, IK_NONE, err,
                              "%zu more %ss have failed, %zu in all", parts->chosen - MOST_TOLD,
                              parts->one, parts->chosen);
}

/* Racks and trays by name, which findings of single switches and links do not say. */
static ik_status fail_spec_tell(const fail_spec *spec, const losses *l, ik_fabric *f, ik_error *err)
{
    ik_status status = fail_spec_tell_parts(spec->floor, &l->racks, fail_spec_name_rack,
                                            "failed-rack", "rack", "has failed", f, err);
    if (status != IK_OK)
        return status;
    return fail_spec_tell_parts(spec->floor, &l->trays, ik_tray_name, "failed-tray",
                                "the cables in tray", "have failed", f, err);
}

static void fail_spec_reverse(ik_finding *findings, size_t num)
{
    for (size_t i = 0; i < num / 2; i++) {
        ik_finding first = findings[i];
        findings[i] = findings[num - 1 - i];
        findings[num - 1 - i] = first;
    }
}

/* Puts those from `before` on before all others: what was asked for comes first. */
static void fail_spec_tell_first(ik_fabric *f, size_t before)
{
    fail_spec_reverse(f->findings, before);
    fail_spec_reverse(f->findings + before, f->num_findings - before);
    fail_spec_reverse(f->findings, f->num_findings);
}

static ik_status fail_spec_degrade(const fail_spec *spec, const losses *l, const ik_fabric *f,
                                   ik_fabric **out, ik_error *err)
{
    ik_fabric *copy = NULL;
    ik_status status =
        ik_fabric_degrade(f, l->ports, l->num_ports, l->switches, l->num_switches, &copy, err);
    if (status != IK_OK)
        return status;
    size_t before = copy->num_findings;
    status = fail_spec_tell(spec, l, copy, err);
    if (status != IK_OK) {
        ik_fabric_free(copy);
        return status;
    }
    if (copy->num_findings > before)
        fail_spec_tell_first(copy, before);
    *out = copy;
    return IK_OK;
}

/* A list has at most as many items as characters, a fabric at most num_ports / 2 cables. */
static ik_status fail_spec_make_room(const fail_spec *spec, const ik_fabric *f, losses *l,
                                     ik_error *err)
{
    size_t items = spec->text ? strlen(spec->text) : 0;
    *l = (losses){.ports = ik_calloc(2 * (size_t)f->num_ports + items + 1, sizeof *l->ports),
                  .switches =
                      ik_calloc(2 * (size_t)f->num_switches + items + 1, sizeof *l->switches)};
    return l->ports && l->switches
               ? IK_OK
               : ik_fail_memory(err, 2 * f->num_ports * sizeof *l->ports, "failed links");
}

ik_status fail_spec_apply(const fail_spec *spec, const ik_fabric *f, ik_fabric **out, ik_error *err)
{
    losses l;
    ik_status status = fail_spec_make_room(spec, f, &l, err);
    if (status == IK_OK && spec->switch_share > 0)
        fail_spec_choose_switches(spec, f, &l);
    if (status == IK_OK)
        status = fail_spec_choose_links(spec, f, &l, err);
    if (status == IK_OK && (spec->racks || spec->trays))
        status = fail_spec_choose_floor(spec, f, &l, err);
    if (status == IK_OK)
        status = fail_spec_drop_repeated(f, &l, err);
    const bool floor_alone = !spec->text && spec->switch_share == 0;
    if (status == IK_OK && floor_alone && l.racks.chosen + l.trays.chosen == 0)
        *out = NULL;
    else if (status == IK_OK)
        status = fail_spec_degrade(spec, &l, f, out, err);
    fail_floor_free(&l.racks);
    fail_floor_free(&l.trays);
    free(l.ports);
    free(l.switches);
    return status;
}
