/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels of what is being built: names, GUIDs, LIDs, levels, positions.
 */
#include "base/array.h"
#include "base/utf8.h"
#include "fabric/builder_private.h"

#include <stdio.h>

enum { MAX_NAME_BYTES = 256, MAX_LMC = 7 };

/* An LMC says how many LIDs a port has, which later is a shift by it. */
static bool builder_labels_is_lmc(ik_builder *b, unsigned lmc)
{
    if (lmc > MAX_LMC)
        STICK(b, IK_ERR_INTERNAL, "an LMC of %u, expected 0 to %d", lmc, MAX_LMC);
    return lmc <= MAX_LMC;
}

static void IK_PRINTF(4, 0) builder_labels_set_name(ik_builder *b, bool is_host, uint32_t index,
                                                    const char *format, va_list args)
{
    char **names = builder_node_column(b, is_host, index, NAME);
    if (!names)
        return;
    char *name = fabric_vprintf(&b->f->priv->arena, format, args);
    if (!name)
        STICK(b, IK_ERR_MEMORY, "out of memory for the names of a fabric");
    else
        utf8_clean(name, MAX_NAME_BYTES);
    names[index] = name && *name ? name : NULL; /* an empty name is none */
}

void ik_builder_switch_name(ik_builder *b, uint32_t sw, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    builder_labels_set_name(b, false, sw, format, args);
    va_end(args);
}

void ik_builder_host_name(ik_builder *b, uint32_t host, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    builder_labels_set_name(b, true, host, format, args);
    va_end(args);
}

static void builder_labels_set_ids(ik_builder *b, bool is_host, uint32_t index, uint64_t guid,
                                   uint32_t lid)
{
    uint64_t *guids = guid ? builder_node_column(b, is_host, index, GUID) : NULL;
    uint32_t *lids = lid ? builder_node_column(b, is_host, index, LID) : NULL;
    if (guids)
        guids[index] = guid;
    if (lids)
        lids[index] = lid;
}

void ik_builder_switch_ids(ik_builder *b, uint32_t sw, uint64_t guid, uint32_t lid)
{
    builder_labels_set_ids(b, false, sw, guid, lid);
}

void ik_builder_host_ids(ik_builder *b, uint32_t host, uint64_t guid, uint32_t lid)
{
    builder_labels_set_ids(b, true, host, guid, lid);
}

void ik_builder_port_ids(ik_builder *b, ik_end end, uint64_t guid, uint16_t label)
{
    uint32_t port = builder_end_port(b, end);
    if (port == IK_NONE)
        return;
    uint64_t *guids = guid ? builder_column(b, &b->nodes[end.is_host], PORT_GUID) : NULL;
    uint16_t *labels = label ? builder_column(b, &b->nodes[end.is_host], PORT_LABEL) : NULL;
    if (guids)
        guids[port] = guid;
    if (labels)
        labels[port] = label;
}

void ik_builder_port_lid(ik_builder *b, ik_end end, uint32_t lid, unsigned lmc)
{
    uint32_t port = builder_end_port(b, end);
    if (port == IK_NONE || !builder_labels_is_lmc(b, lmc))
        return;
    uint32_t *lids = lid ? builder_column(b, &b->nodes[end.is_host], PORT_LID) : NULL;
    uint8_t *lmcs = lid && lmc ? builder_column(b, &b->nodes[end.is_host], PORT_LMC) : NULL;
    if (lids)
        lids[port] = lid;
    if (lmcs)
        lmcs[port] = (uint8_t)lmc;
}

void ik_builder_node_lmc(ik_builder *b, ik_end end, unsigned lmc)
{
    uint8_t *lmcs = lmc && builder_labels_is_lmc(b, lmc)
                        ? builder_node_column(b, end.is_host, end.index, LMC)
                        : NULL;
    if (lmcs)
        lmcs[end.index] = (uint8_t)lmc;
}

void ik_builder_switch_level(ik_builder *b, uint32_t sw, unsigned level)
{
    uint8_t *levels = builder_node_column(b, false, sw, LEVEL);
    if (!levels)
        return;
    if (level == 0 || level > 255)
        STICK(b, IK_ERR_INTERNAL, "switch %u on level %u, expected 1 to 255", sw, level);
    else
        levels[sw] = (uint8_t)level;
}

void ik_builder_switch_xy(ik_builder *b, uint32_t sw, int32_t x, int32_t y)
{
    ik_xy *xy = builder_node_column(b, false, sw, XY);
    if (xy)
        xy[sw] = (ik_xy){x, y};
}

void ik_builder_switch_place(ik_builder *b, uint32_t sw, unsigned layer, unsigned group,
                             unsigned pos)
{
    ik_place *places = builder_node_column(b, false, sw, PLACE);
    if (places)
        places[sw] = (ik_place){(uint16_t)layer, (uint16_t)group, pos};
}

void ik_builder_endpoint(ik_builder *b, ik_end at, const ik_endpoint *endpoint)
{
    ik_fabric *f = b->f;
    uint32_t port = builder_end_port(b, at);
    if (port == IK_NONE || !builder_labels_is_lmc(b, endpoint->lmc))
        return;
    const uint32_t *peer = b->nodes[0].column[PEER];
    if (at.is_host || peer[port] != IK_NONE) {
        STICK(b, IK_ERR_INTERNAL, "an endpoint is at a port of a switch without a cable");
        return;
    }
    ik_endpoint e = *endpoint;
    e.port = port;
    e.name = ik_arena_strdup(&f->priv->arena, endpoint->name ? endpoint->name : "");
    if (!e.name || !IK_ARRAY_ROOM(f->endpoints, f->priv->endpoint_cap, f->num_endpoints + 1)) {
        STICK(b, IK_ERR_MEMORY, "out of memory for the endpoints of a fabric");
        return;
    }
    utf8_clean(e.name, MAX_NAME_BYTES);
    f->endpoints[f->num_endpoints++] = e;
}
