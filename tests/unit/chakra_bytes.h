/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes Chakra execution traces into memory, field by field (program/chakra_node.h). */
#ifndef TEST_CHAKRA_BYTES_H
#define TEST_CHAKRA_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    uint8_t at[4096];
    size_t size;
} bytes;

static void put_varint(bytes *b, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        b->at[b->size++] = (uint8_t)(value | 0x80);
    b->at[b->size++] = (uint8_t)value;
}

static void put_number(bytes *b, unsigned field, uint64_t value)
{
    put_varint(b, field << 3);
    put_varint(b, value);
}

static void put_bytes(bytes *b, unsigned field, const void *data, size_t size)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, size);
    memcpy(b->at + b->size, data, size);
    b->size += size;
}

static void put_text(bytes *b, unsigned field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}

/* A message behind its length. */
static void put_message(bytes *b, const bytes *message)
{
    put_varint(b, message->size);
    memcpy(b->at + b->size, message->at, message->size);
    b->size += message->size;
}

static void put_head(bytes *b)
{
    bytes m = {.size = 0};
    put_text(&m, 1, "1.0.0");
    put_message(b, &m);
}

/* value_field: 9 int64, 13 uint64, 27 bool … */
static void put_attribute(bytes *node, const char *name, unsigned value_field, uint64_t value)
{
    bytes a = {.size = 0};
    put_text(&a, 1, name);
    put_number(&a, value_field, value);
    put_bytes(node, 10, a.at, a.size);
}

static void put_text_attribute(bytes *node, const char *name, const char *value)
{
    bytes a = {.size = 0};
    put_text(&a, 1, name);
    put_text(&a, 29, value);
    put_bytes(node, 10, a.at, a.size);
}

/* A node with its id, type and up to two data_deps (0 = none; ids are from 1 on). */
static bytes make_node(uint64_t id, unsigned type, uint64_t dep, uint64_t other)
{
    bytes n = {.size = 0}, list = {.size = 0};
    put_number(&n, 1, id);
    put_text(&n, 2, "a node");
    put_number(&n, 3, type);
    if (dep)
        put_varint(&list, dep);
    if (other)
        put_varint(&list, other);
    if (list.size)
        put_bytes(&n, 5, list.at, list.size);
    return n;
}

static void put_compute(bytes *b, uint64_t id, uint64_t micros, uint64_t dep, uint64_t other)
{
    bytes n = make_node(id, 4, dep, other);
    put_number(&n, 7, micros);
    put_attribute(&n, "is_cpu_op", 27, 0);
    put_message(b, &n);
}

/* type: 5 send, 6 receive */
static void put_transfer(bytes *b, uint64_t id, unsigned type, uint64_t peer, uint64_t size,
                         uint64_t dep)
{
    bytes n = make_node(id, type, dep, 0);
    put_attribute(&n, type == 5 ? "comm_dst" : "comm_src", 7, peer);
    put_attribute(&n, "comm_size", 9, size);
    put_attribute(&n, "comm_tag", 7, 3);
    put_message(b, &n);
}

static void put_collective(bytes *b, uint64_t id, unsigned type, uint64_t size, const char *group,
                           uint64_t dep)
{
    bytes n = make_node(id, 7, dep, 0);
    put_attribute(&n, "comm_type", 9, type);
    put_attribute(&n, "comm_size", 9, size);
    if (group)
        put_text_attribute(&n, "pg_name", group);
    put_message(b, &n);
}

/* A metadata node that lists process groups, as PyTorch's traces have it. */
static void put_groups(bytes *b, uint64_t id, const char *json)
{
    bytes n = make_node(id, 1, 0, 0), inputs = {.size = 0};
    char text[2048];
    snprintf(text, sizeof text, "['%s']", json);
    put_text(&inputs, 1, text);
    put_bytes(&n, 8, inputs.at, inputs.size);
    put_message(b, &n);
}

#endif
