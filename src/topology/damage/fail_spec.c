/* SPDX-License-Identifier: Apache-2.0
 *
 * What has failed: a share, drawn without replacement with an address (seed, IK_RNG_FAULT, 0 =
 * links, 1 = switches), or a list. A share of n parts is round(share * n) parts, so the number does
 * not depend on the seed.
 */
#include "topology/damage/fail_spec.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_LINKS, FAULT_SWITCHES };

/* Moves a random `share` of items to the front and returns how many these are. */
static size_t fail_spec_draw(uint32_t *items, size_t count, double share, uint64_t seed,
                             uint64_t entity)
{
    assert(share >= 0 && share <= 1 && count <= UINT32_MAX);
    ik_rng rng = ik_rng_at(seed, IK_RNG_FAULT, entity);
    size_t chosen = (size_t)floor(share * (double)count + 0.5);
    for (size_t i = 0; i < chosen && i + 1 < count; i++) {
        size_t j = i + ik_rng_below(&rng, (uint32_t)(count - i));
        uint32_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
    return chosen;
}

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

typedef struct losses {
    uint32_t *ports, *switches;
    size_t num_ports, num_switches;
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
    l->num_ports =
        fail_spec_draw(l->ports, fail_spec_list_links(f, l->ports), share, spec->seed, FAULT_LINKS);
    return IK_OK;
}

ik_status fail_spec_apply(const fail_spec *spec, const ik_fabric *f, ik_fabric **out, ik_error *err)
{
    /* A list has at most as many items as characters. */
    size_t items = spec->text ? strlen(spec->text) : 0;
    losses l = {.ports = ik_calloc((size_t)f->num_ports + items + 1, sizeof *l.ports),
                .switches = ik_calloc((size_t)f->num_switches + items + 1, sizeof *l.switches)};
    ik_status status = l.ports && l.switches
                           ? IK_OK
                           : ik_fail_memory(err, f->num_ports * sizeof *l.ports, "failed links");
    if (status == IK_OK && spec->switch_share > 0) {
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            l.switches[sw] = sw;
        l.num_switches = fail_spec_draw(l.switches, f->num_switches, spec->switch_share, spec->seed,
                                        FAULT_SWITCHES);
    }
    if (status == IK_OK)
        status = fail_spec_choose_links(spec, f, &l, err);
    if (status == IK_OK)
        status = ik_fabric_degrade(f, l.ports, l.num_ports, l.switches, l.num_switches, out, err);
    free(l.ports);
    free(l.switches);
    return status;
}
