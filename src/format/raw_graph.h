/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph as graph files tell it: nodes and links with attributes by name, in any order. From here
 * to the builder is one way for all such formats; the attributes that they write are made here too.
 */
#ifndef IKAT_RAW_GRAPH_H
#define IKAT_RAW_GRAPH_H

#include "format/name_map.h"
#include "ikat/fabric.h"
#include <stdio.h>

#define RAW_NO_NUMBER UINT64_MAX
/* Most that any file may say, as for generated links: with more, a packet's time would round to
 * nothing. */
#define RAW_MAX_RATE_BPS UINT64_C(1000000000000000)

typedef struct raw_node {
    bool is_host, has_kind, has_xy, has_place;
    bool left_out; /* stands in the file alone */
    /* order among its kind if every node has one, RAW_NO_NUMBER = order of appearance */
    uint64_t number;
    slice name;  /* empty = none */
    slice role;  /* what the file says that it is for, empty = nothing (devices.h) */
    slice whose; /* of which device with this name: a site or a number, empty = not said */
    uint64_t guid;
    uint32_t lid, lmc, level, ports;
    ik_xy xy;
    ik_place place;
    uint32_t id, first, radix; /* while building */
} raw_node;

typedef struct raw_link {
    uint32_t a, b;             /* nodes */
    uint32_t pa, pb;           /* ports from 1, 0 = the next free one */
    slice port_a, port_b;      /* their names, empty = none */
    uint16_t label_a, label_b; /* the numbers that they bear, 0 = their own */
    uint64_t rate_bps;         /* 0 = not said */
    uint64_t latency_ps;       /* if has_latency */
    bool has_latency;
    uint64_t hops; /* latency in units of the default latency, 0 = not said */
    slice name;    /* of the class */
    unsigned line;
} raw_link;

typedef struct raw_graph {
    const char *file;
    size_t text_size;
    name_map keys;
    raw_node *nodes; /* [keys.num] */
    size_t node_cap;
    raw_link *links;
    size_t num_links, link_cap;
    bool rates_meant; /* the file says that no rate is to be reported as slow */
} raw_graph;

/* Node of this key, made if it is new; IK_NONE when out of memory (err is filled). */
uint32_t raw_graph_node(raw_graph *g, slice key, ik_error *err);
/* NULL when out of memory (err is filled). Valid until the next call. */
raw_link *raw_graph_link(raw_graph *g, uint32_t a, uint32_t b, unsigned line, ik_error *err);
/* Sets an attribute from text. Attributes of other tools are ignored; a known one with a bad value:
 * IK_ERR_INPUT. */
ik_status raw_node_set(raw_node *node, slice attribute, slice value, ik_error *err);
ik_status raw_link_set(raw_link *link, slice attribute, slice value, ik_error *err);
/* Numbers nodes and ports and fills the builder. */
ik_status raw_graph_build(raw_graph *g, ik_builder *b, ik_error *err);
void raw_graph_free(raw_graph *g);
/* An attribute of the whole graph: rates_meant = true. Others are ignored. */
#define RAW_RATES_MEANT "rates_meant"
void raw_graph_set(raw_graph *g, slice attribute, slice value);
bool raw_rates_meant(const ik_fabric *f);

/* What a node or link of a fabric is written with: pairs of attribute and value. */
typedef struct raw_pair {
    const char *attribute;
    bool is_text; /* else a whole number */
    char value[272];
} raw_pair;
enum { RAW_MAX_PAIRS = 12 };
size_t raw_node_pairs(const ik_fabric *f, uint32_t node, raw_pair pairs[RAW_MAX_PAIRS]);
/* port: the sending end, whose node is the link's first. */
size_t raw_link_pairs(const ik_fabric *f, uint32_t port, raw_pair pairs[RAW_MAX_PAIRS]);
/* All attributes that may appear, NULL-terminated; whether text or number, of nodes or links. */
typedef struct raw_attribute {
    const char *name;
    bool is_text, of_link;
} raw_attribute;
extern const raw_attribute raw_attributes[];
/* What names a node in the file: sw3, host7. */
void raw_write_id(const ik_fabric *f, uint32_t node, FILE *out);
/* Is this the port of a link that is written here, so that every link is written once? */
bool raw_writes_link(const ik_fabric *f, uint32_t port);

slice slice_of(const char *text); /* NULL: nothing */
bool slice_is(slice text, const char *word);
/* Without blanks and line ends around it. */
slice raw_trimmed(slice value);
bool slice_uint(slice text, uint64_t max, uint64_t *value);

#endif
