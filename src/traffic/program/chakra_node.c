/* SPDX-License-Identifier: Apache-2.0
 *
 * chakra_node.c: a node of a Chakra execution trace.
 *
 * Older schemas had other fields under the same numbers (texts of inputs where data_deps and times
 * are now): what is certainly of one of them is refused, for it would be read as another trace. */
#include "traffic/program/chakra_node.h"

#include "base/array.h"

#include <string.h>

enum { NODE_ID = 1, NODE_TYPE = 3, CTRL_DEPS = 4, DATA_DEPS = 5, NODE_START = 6, DURATION = 7 };
enum { INPUTS = 8, OUTPUTS = 9, ATTRIBUTE = 10 };

static const char broken[] = "this is not a message of Chakra's schema",
                  older[] =
                      "the trace is of a schema before 0.0.4, whose fields have other numbers",
                  no_number[] = "an attribute that ikat needs is not a number";

/* ---- attributes */

static bool chakra_node_is_text(wire w, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(w.end - w.at) == size && memcmp(w.at, text, size) == 0;
}

/* Numbers of the fields of an attribute's value. */
enum {
    V_DOUBLE = 3,
    V_FLOAT = 5,
    V_INT32 = 7,
    V_UINT64 = 13,
    V_SINT32 = 15,
    V_SINT64 = 17,
    V_FIXED32 = 19,
    V_FIXED64 = 21,
    V_SFIXED32 = 23,
    V_SFIXED64 = 25,
    V_BOOL = 27,
    V_BOOLS = 28,
    V_STRING = 29
};

/* Whole numbers of every type that the schema has; what is above 2^63 becomes negative. */
static bool chakra_node_number_of(const wire_field *f, int64_t *number)
{
    static const wire_type types[V_BOOL + 1] = {[V_FIXED32] = WIRE_32,
                                                [V_FIXED64] = WIRE_64,
                                                [V_SFIXED32] = WIRE_32,
                                                [V_SFIXED64] = WIRE_64};
    if (f->number < V_INT32 || f->number > V_BOOL || f->number % 2 == 0 ||
        f->type != types[f->number])
        return false;
    if (f->number == V_SINT32 || f->number == V_SINT64)
        *number = wire_zigzag(f->value);
    else if (f->number == V_INT32 || f->number == V_SFIXED32)
        *number = (int32_t)(uint32_t)f->value;
    else
        *number = (int64_t)f->value;
    return true;
}

/* A list of bool in which one is false. */
static bool chakra_node_some_false(wire list)
{
    for (wire_field f; wire_next_field(&list, &f);) {
        if (f.number == 1 && f.type == WIRE_VARINT && !f.value)
            return true;
        uint64_t value = 0;
        if (f.number == 1 && f.type == WIRE_BYTES)
            while (wire_next_varint(&f.bytes, &value))
                if (!value)
                    return true;
    }
    return false;
}

static chakra_value *chakra_node_number_named(chakra_node *n, wire name)
{
    static const struct {
        const char *name;
        size_t offset;
    } known[] = {
        {"is_cpu_op", offsetof(chakra_node, cpu_op)},
        {"num_ops", offsetof(chakra_node, num_ops)},
        {"comm_type", offsetof(chakra_node, comm_type)},
        {"comm_size", offsetof(chakra_node, comm_size)},
        {"comm_src", offsetof(chakra_node, comm_src)},
        {"comm_dst", offsetof(chakra_node, comm_dst)},
        {"comm_tag", offsetof(chakra_node, comm_tag)},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (chakra_node_is_text(name, known[k].name))
            return (chakra_value *)((char *)n + known[k].offset);
    return NULL;
}

static const char *chakra_node_read_attribute(chakra_node *n, wire w)
{
    wire name = {0};
    wire_field value = {0};
    for (wire_field f; wire_next_field(&w, &f);)
        if (f.number == 1 && f.type == WIRE_BYTES)
            name = f.bytes;
        else if (f.number > 2)
            value = f;
    if (w.broken)
        return broken;
    if (chakra_node_is_text(name, "pg_name") && value.number == V_STRING &&
        value.type == WIRE_BYTES)
        n->group = value.bytes;
    else if (chakra_node_is_text(name, "involved_dim") && value.number == V_BOOLS &&
             value.type == WIRE_BYTES)
        n->some_dims = chakra_node_some_false(value.bytes);
    chakra_value *known = chakra_node_number_named(n, name);
    if (!known)
        return NULL;
    /* a value of the type's default may be left out */
    known->is = value.number == 0 || chakra_node_number_of(&value, &known->number);
    return known->is ? NULL : no_number;
}

/* ---- nodes */

static ik_status chakra_node_add_dep(chakra_node *n, uint64_t id)
{
    if (!IK_ARRAY_ROOM(n->deps, n->room_deps, n->num_deps + 1))
        return IK_ERR_MEMORY;
    n->deps[n->num_deps++] = id;
    return IK_OK;
}

static ik_status chakra_node_read_deps(chakra_node *n, const wire_field *f, const char **why)
{
    if (f->type == WIRE_VARINT)
        return chakra_node_add_dep(n, f->value);
    wire list = f->bytes;
    ik_status status = IK_OK;
    for (uint64_t id; status == IK_OK && wire_next_varint(&list, &id);)
        status = chakra_node_add_dep(n, id);
    if (list.broken)
        *why = broken;
    return status;
}

static wire chakra_node_first_text(wire message)
{
    wire text = {0};
    for (wire_field f; wire_next_field(&message, &f);)
        if (f.number == 1 && f.type == WIRE_BYTES)
            text = f.bytes;
    return text;
}

static const char *chakra_node_wrong_type(const wire_field *f)
{
    static const uint8_t is_bytes[ATTRIBUTE + 1] = {
        [2] = 1, [INPUTS] = 1, [OUTPUTS] = 1, [ATTRIBUTE] = 1};
    if ((f->number == NODE_START || f->number == DURATION) && f->type == WIRE_BYTES)
        return older;
    if (f->number == ATTRIBUTE + 1)
        return older;
    if (f->number > ATTRIBUTE)
        return NULL;
    if (f->number == CTRL_DEPS || f->number == DATA_DEPS)
        return f->type == WIRE_BYTES || f->type == WIRE_VARINT ? NULL : broken;
    return f->type == (is_bytes[f->number] ? WIRE_BYTES : WIRE_VARINT) ? NULL : broken;
}

static ik_status chakra_node_take_field(chakra_node *n, const wire_field *f, const char **why)
{
    *why = chakra_node_wrong_type(f);
    if (*why)
        return IK_OK;
    switch (f->number) {
    case NODE_ID:
        n->id = f->value;
        break;
    case NODE_TYPE:
        n->type = f->value;
        break;
    case CTRL_DEPS:
    case DATA_DEPS:
        return chakra_node_read_deps(n, f, why);
    case DURATION:
        n->duration_us = f->value;
        break;
    case INPUTS:
        n->inputs = chakra_node_first_text(f->bytes);
        break;
    case ATTRIBUTE:
        *why = chakra_node_read_attribute(n, f->bytes);
        break;
    default:
        break;
    }
    return IK_OK;
}

ik_status chakra_node_read(chakra_node *n, wire message, const char **why)
{
    ik_status status = IK_OK;
    *n = (chakra_node){.deps = n->deps, .room_deps = n->room_deps};
    *why = NULL;
    for (wire_field f; status == IK_OK && !*why && wire_next_field(&message, &f);)
        status = chakra_node_take_field(n, &f, why);
    if (message.broken && !*why)
        *why = broken;
    return status != IK_OK ? status : *why ? IK_ERR_INPUT : IK_OK;
}
