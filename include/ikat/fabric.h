/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/fabric.h: the fabric: hosts, switches, ports, links; immutable once built.
 *
 * Numbering. A *node* is a switch or a host: node ids 0 … num_switches-1 are the switches,
 * num_switches … num_switches+num_hosts-1 the hosts; host h is node num_switches + h. The ports of
 * all nodes stand in one array, node by node (compressed sparse rows): the ports of node n are
 * port_base[n] … port_base[n+1]-1, its local port index is the difference to port_base[n]. A
 * *channel* is one directed port-to-port wire; its id is its sending port's id. Parallel links,
 * unconnected ports (peer IK_NONE), hosts with several ports and unequal rates are ordinary.
 */
#ifndef IKAT_FABRIC_H
#define IKAT_FABRIC_H

#include "ikat/base.h"

IK_BEGIN_DECLS

/* A class of links: few distinct ones exist, so ports carry a 16-bit class index. */
typedef struct ik_link_class {
    uint64_t rate_bps;
    uint64_t latency_ps;
    char name[16]; /* "4xEDR", "100 Gb/s"; used by exports */
} ik_link_class;

typedef enum ik_severity { IK_NOTE, IK_WARNING, IK_ERROR } ik_severity;
const char *ik_severity_name(ik_severity severity); /* "note", "warning", "error" */

/* One finding about a fabric: something that its owner should know. */
typedef struct ik_finding {
    ik_severity severity;
    /* stable word: "slow-link", "oversubscribed", "levels", "asymmetric-cable", "unreachable",
     * "no-cable", "duplicate-guid", "failed-link", … */
    char code[32];
    char *text;    /* one sentence with both ends named; owned by the fabric */
    uint32_t port; /* a channel it is about, IK_NONE if none */
    uint32_t node; /* a node it is about, IK_NONE if none */
} ik_finding;

/* A port of the subnet that has a LID although no program runs behind it: an aggregation node
 * inside a switch (SHARP). The subnet manager must route to and from it as to a host. */
typedef struct ik_endpoint {
    uint32_t port; /* of the switch that it is in; unconnected in ik_fabric.port_peer */
    char *name;    /* owned by the fabric */
    uint64_t node_guid, port_guid; /* 0 = none */
    uint32_t lid;                  /* base LID, 0 = none */
    uint8_t lmc;
    ik_link_class link;
} ik_endpoint;

typedef struct ik_xy {
    int32_t x, y; /* position on the floor, in grid units */
} ik_xy;

/* Where a drawing puts a switch, as the family's paper draws it: row `layer`, position `pos` in it,
 * group for aggregation. */
typedef struct ik_place {
    uint16_t layer;
    uint16_t group; /* pod, subgraph, dragonfly group … */
    uint32_t pos;
} ik_place;

typedef struct ik_fabric {
    uint32_t num_switches, num_hosts;
    uint32_t num_ports;     /* of all nodes */
    uint32_t *port_base;    /* [num_switches + num_hosts + 1] */
    uint32_t *port_peer;    /* [num_ports] peer port, IK_NONE = unconnected */
    uint32_t *port_node;    /* [num_ports] owner */
    uint16_t *port_class;   /* [num_ports] index into classes (meaningless if unconnected) */
    ik_link_class *classes; /* [num_classes] */
    uint32_t num_classes;

    /* Provenance. family is "xgft", "slimfly", "file" …; spec the canonical text that rebuilds
     * it. */
    char *family;
    char *spec;
    /* parameters that routings compute with (struct declared by the family's header), or NULL */
    const void *family_data;
    /* true: exactly the generated graph (no failure, no empty host port): arithmetic routing is
     * valid */
    bool intact;

    /* Labels; each array may be NULL. */
    char **node_name;    /* [nodes] display name */
    uint64_t *node_guid; /* [nodes] 0 = none */
    uint64_t *port_guid; /* [num_ports] */
    uint32_t *node_lid;  /* [nodes] 0 = none; a host's: of its first cabled port */
    uint8_t *node_lmc;   /* [nodes] of that LID: it is the first of 2^lmc */
    /* [num_ports] of hosts with several cables, 0 = none; read them with ik_port_lid */
    uint32_t *port_lid;
    uint8_t *port_lmc;      /* [num_ports] of these */
    uint16_t *port_label;   /* [num_ports] printed port number; NULL = local index + 1 */
    ik_xy *switch_xy;       /* [num_switches] floor position */
    ik_place *switch_place; /* [num_switches] drawing position */

    /* Tree levels: NULL unless the fabric is (recognised as) a multi-level tree. Hosts' switches
     * are level 1, roots the top. */
    uint8_t *switch_level; /* [num_switches] */
    uint32_t num_levels;   /* 0 = not a tree */

    /* [num_endpoints] by port. They are no hosts: they take no part in traffic, loads and levels.
     * ik_fabric_with_endpoints makes them hosts for what concerns every LID. */
    ik_endpoint *endpoints;
    uint32_t num_endpoints;
    /* in a fabric that ik_fabric_with_endpoints made: so many of the last hosts are endpoints */
    uint32_t num_silent;

    /* the hosts are ports of hosts, see ik_fabric_split; NULL for any other fabric */
    struct ik_split *split;

    ik_finding *findings;
    size_t num_findings;
    struct ik_fabric_private *priv; /* private to src/fabric */
} ik_fabric;

/* ---- reading */
static inline uint32_t ik_num_nodes(const ik_fabric *f)
{
    return f->num_switches + f->num_hosts;
}
static inline uint32_t ik_host_node(const ik_fabric *f, uint32_t host)
{
    return f->num_switches + host;
}
static inline bool ik_is_switch(const ik_fabric *f, uint32_t node)
{
    return node < f->num_switches;
}
static inline uint32_t ik_node_host(const ik_fabric *f, uint32_t node)
{
    return node - f->num_switches;
}
static inline uint32_t ik_radix(const ik_fabric *f, uint32_t node)
{
    return f->port_base[node + 1] - f->port_base[node];
}
static inline uint32_t ik_port_local(const ik_fabric *f, uint32_t port)
{
    return port - f->port_base[f->port_node[port]];
}
/* Node at the other end of a connected port, IK_NONE if unconnected. */
static inline uint32_t ik_peer_node(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = f->port_peer[port];
    return peer == IK_NONE ? IK_NONE : f->port_node[peer];
}
static inline uint64_t ik_port_rate_bps(const ik_fabric *f, uint32_t port)
{
    return f->classes[f->port_class[port]].rate_bps;
}
static inline uint64_t ik_port_latency_ps(const ik_fabric *f, uint32_t port)
{
    return f->classes[f->port_class[port]].latency_ps;
}
/* A host's first port that is connected to a switch, IK_NONE if there is none. Hosts may have
 * several: who wants all packets of a host asks for ik_fabric_split first, as routings do. */
uint32_t ik_host_port(const ik_fabric *f, uint32_t host);
/* How many of a host's ports are connected: a dual-port adapter may well have one cable. */
uint32_t ik_host_cables(const ik_fabric *f, uint32_t host);
/* The switch at the other end of that port, IK_NONE if the host hangs on none. */
uint32_t ik_host_switch(const ik_fabric *f, uint32_t host);
/* "leaf3", or "sw12" and "host5" for nodes without names (generated fabrics keep none). Returns
 * buffer. */
char *ik_node_name(const ik_fabric *f, uint32_t node, char *buffer, size_t size);
/* Printed number of a port: its label, else local index + 1. */
unsigned ik_port_number(const ik_fabric *f, uint32_t port);
/* Global id of the node's port that bears this number, IK_NONE if there is none. Cost O(1) where
 * ports are numbered as they stand, else O(radix). */
uint32_t ik_port_of_number(const ik_fabric *f, uint32_t node, unsigned number);
/* "leaf3 (0x0200c9a000ec0060) port 11": what findings, proofs and messages call a port or node.
 * Returns buffer. */
char *ik_port_describe(const ik_fabric *f, uint32_t port, char *buffer, size_t size);
char *ik_node_describe(const ik_fabric *f, uint32_t node, char *buffer, size_t size);
/* The node's or port's own GUID; without one, a locally administered GUID made of its number, the
 * same in every export. */
uint64_t ik_node_guid(const ik_fabric *f, uint32_t node);
uint64_t ik_port_guid(const ik_fabric *f, uint32_t port);
/* Base LID and LMC of a host's port, 0 = none. Where no port of a host has one of its own, the
 * host's LID is that of its first cabled port. Ports of switches have none: node_lid. */
uint32_t ik_port_lid(const ik_fabric *f, uint32_t port);
unsigned ik_port_lmc(const ik_fabric *f, uint32_t port);
/* Largest radix of any switch. */
uint32_t ik_max_radix(const ik_fabric *f);

/* ---- building. A builder takes nodes and links in any order and gives the immutable fabric. */
typedef struct ik_builder ik_builder;

ik_builder *ik_builder_new(void); /* NULL when out of memory */
void ik_builder_free(ik_builder *b);
/* Errors of the add/set calls are sticky and reported by ik_builder_finish, so that generators stay
 * readable. */
/* Adds `count` switches with `radix` ports each; returns the first new switch id. */
uint32_t ik_builder_switches(ik_builder *b, uint32_t count, uint32_t radix);
/* Adds `count` hosts with `radix` ports each; returns the first new host id. */
uint32_t ik_builder_hosts(ik_builder *b, uint32_t count, uint32_t radix);
/* Link class with these properties, existing or new; name NULL = printed rate. */
uint16_t ik_builder_class(ik_builder *b, uint64_t rate_bps, uint64_t latency_ps, const char *name);
/* A copy of the class's properties. */
ik_link_class ik_builder_class_of(const ik_builder *b, uint16_t link_class);
/* The classes that readers of files give to links whose rate the file does not say; before the
 * first call 100 Gb/s, 6 ns. */
void ik_builder_set_default_links(ik_builder *b, uint16_t link, uint16_t host_link);
uint16_t ik_builder_default_link(ik_builder *b, bool to_host);
/* The class of such a link at another rate: the default's latency. name as for ik_builder_class. */
uint16_t ik_builder_rated_link(ik_builder *b, bool to_host, uint64_t rate_bps, const char *name);
/* An end of a link while building: a switch or host and its local port index. */
typedef struct ik_end {
    bool is_host;
    uint32_t index; /* switch or host id */
    uint32_t port;  /* local port index; IK_NONE in a finding: about the node */
} ik_end;
static inline ik_end ik_sw(uint32_t sw, uint32_t port)
{
    ik_end e = {false, sw, port};
    return e;
}
static inline ik_end ik_hs(uint32_t host, uint32_t port)
{
    ik_end e = {true, host, port};
    return e;
}
/* Cables two ports. Connecting a port twice is an error. */
void ik_builder_link(ik_builder *b, ik_end a, ik_end c, uint16_t link_class);
/* Labels. Text is copied; a name is cut to 256 bytes, bytes that are no UTF-8 and control
 * characters become '?', an empty name is none. */
void ik_builder_switch_name(ik_builder *b, uint32_t sw, const char *format, ...) IK_PRINTF(3, 4);
void ik_builder_host_name(ik_builder *b, uint32_t host, const char *format, ...) IK_PRINTF(3, 4);
void ik_builder_switch_ids(ik_builder *b, uint32_t sw, uint64_t guid, uint32_t lid);
void ik_builder_host_ids(ik_builder *b, uint32_t host, uint64_t guid, uint32_t lid);
/* label 0 = local index + 1 */
void ik_builder_port_ids(ik_builder *b, ik_end end, uint64_t guid, uint16_t label);
/* Base LID of a port of a host with several cables, and its LMC (up to 7). */
void ik_builder_port_lid(ik_builder *b, ik_end end, uint32_t lid, unsigned lmc);
/* An endpoint (ik_endpoint) at a port of a switch, which no cable may use. */
void ik_builder_endpoint(ik_builder *b, ik_end at, const ik_endpoint *endpoint);
/* LMC of the LID of a switch or host; end.port is ignored. */
void ik_builder_node_lmc(ik_builder *b, ik_end end, unsigned lmc);
/* makes it a tree */
void ik_builder_switch_level(ik_builder *b, uint32_t sw, unsigned level);
void ik_builder_switch_xy(ik_builder *b, uint32_t sw, int32_t x, int32_t y);
void ik_builder_switch_place(ik_builder *b, uint32_t sw, unsigned layer, unsigned group,
                             unsigned pos);
/* Provenance. data is copied (bytes) and kept as family_data. */
void ik_builder_family(ik_builder *b, const char *family, const char *spec, const void *data,
                       size_t data_bytes);
/* Adds a finding. */
void ik_builder_finding(ik_builder *b, ik_severity severity, const char *code,
                        ik_end *end /* may be NULL */, const char *format, ...) IK_PRINTF(5, 6);
/* The first error of the add/set calls so far, as ik_builder_finish would report it; IK_OK: there
 * is none. */
ik_status ik_builder_status(const ik_builder *b, ik_error *err);
/* Ends the building: *out is the fabric (free with ik_fabric_free), the builder is empty afterwards
 * but must still be freed. Drops classes that no link uses. Marks the fabric intact. Errors: the
 * first sticky one. Cost: O(nodes + ports). */
ik_status ik_builder_finish(ik_builder *b, ik_fabric **out, ik_error *err);
void ik_fabric_free(ik_fabric *f);

/* ---- changing means copying */
/* A copy of f without some links and switches (their ports stay, unconnected; a failed switch keeps
 * its id with all ports unconnected), each loss recorded as a finding; intact = false. `ports`: any
 * port of each failed link. */
ik_status ik_fabric_degrade(const ik_fabric *f, const uint32_t *ports, size_t num_ports,
                            const uint32_t *switches, size_t num_switches, ik_fabric **out,
                            ik_error *err);
/* A copy keeping only hosts whose flag is set (others' ports become unconnected; hosts are
 * renumbered); intact = false. */
ik_status ik_fabric_keep_hosts(const ik_fabric *f, const bool *keep, ik_fabric **out,
                               ik_error *err);

/* ---- every LID */
/* A copy in which the endpoints are hosts behind the others (num_silent of them), each cabled to
 * the port of its switch: what routes and judges all LIDs of a subnet works on it. Switches, hosts,
 * ports and levels keep their numbers; intact = false. Cost O(nodes + ports). */
ik_status ik_fabric_with_endpoints(const ik_fabric *f, ik_fabric **out, ik_error *err);
/* Is this node such a host? It sends nothing of its own when all hosts send to all others. */
static inline bool ik_is_silent(const ik_fabric *f, uint32_t node)
{
    return node >= f->num_switches + f->num_hosts - f->num_silent;
}

/* ---- hosts with several cables */
/* A split fabric has one host for each connected port of a host, so that every host has one cable.
 * Channels keep their numbers, switches too. */
typedef struct ik_split {
    const ik_fabric *whole; /* borrowed: the fabric that was split */
    uint32_t *host_of;      /* [num_hosts] host of `whole` whose port this host is */
    /* [whole->num_hosts + 1] the ports of host h of `whole` are the hosts first[h] ... first[h + 1]
     * - 1 */
    uint32_t *first;
} ik_split;
/* The host of the whole fabric that this one is a port of; itself in a fabric that was not
 * split. */
static inline uint32_t ik_whole_host(const ik_fabric *f, uint32_t host)
{
    return f->split ? f->split->host_of[host] : host;
}
/* The first port of the next host behind that of `port`; port + 1 in a fabric that was not
 * split. */
static inline uint32_t ik_split_next(const ik_fabric *f, uint32_t port)
{
    return f->split ? f->split->first[f->split->host_of[port] + 1] : port + 1;
}
/* Cables of a host that lead to switches. */
uint32_t ik_host_rails(const ik_fabric *f, uint32_t host);
/* Does some host have several? */
bool ik_fabric_has_rails(const ik_fabric *f);
/* The split fabric of f, which must outlive it. Ports without a cable stay with a neighbouring port
 * of their host; a host without any cable stays one host. It has no family data and is not intact:
 * arithmetic routing does not fit its host numbers. Cost O(nodes + ports). */
ik_status ik_fabric_split(const ik_fabric *f, ik_fabric **out, ik_error *err);

/* ---- drawing */
typedef struct ik_point {
    float x, y; /* 0 … 1, y downwards */
} ik_point;
/* Where a drawing puts each switch: at [num_switches], owned by the caller. Floor coordinates if
 * there are any; groups around a circle if every row is a group (dragonflies, PolarFly); the
 * family's rows; tree levels (roots on top); else a circle. Cost O(switches). */
ik_status ik_fabric_layout(const ik_fabric *f, ik_point *at, ik_error *err);
/* Pods of a tree: what hangs together below its top level, numbered by lowest switch; pod
 * [num_switches]: IK_NONE for the top level, and everywhere where it is no tree (*num_pods =
 * 0). Cost O(switches + ports). */
ik_status ik_fabric_pods(const ik_fabric *f, uint32_t *pod, uint32_t *num_pods, ik_error *err);
/* Which switches a drawing of a large fabric shows as one: the pods of a tree of three levels or
 * more and the planes of its top level (what hangs together in the two highest levels alone),
 * numbered after them; else the family's own groups; else leaf switches and planes of a tree of two
 * levels. group [num_switches] is set if *num_groups > 0. Cost O(switches + ports). */
ik_status ik_fabric_groups(const ik_fabric *f, uint32_t *group, uint32_t *num_groups,
                           ik_error *err);
/* Does ik_fabric_layout put the switches in rows (then a picture is better wide than square)? */
bool ik_fabric_in_rows(const ik_fabric *f);

/* ---- which hosts are connected: by ways through switches, for hosts pass no packets on */
/* Parts of a fabric that no link joins, and on which of them each host hangs: those of host h,
 * ascending, are part[base[h]] … part[base[h + 1] - 1]. */
typedef struct ik_parts {
    uint32_t num_hosts, num_parts;
    uint32_t *base; /* [num_hosts + 1] */
    uint32_t *part;
} ik_parts;
/* Free with ik_parts_free. Cost O(ports). */
ik_status ik_parts_find(const ik_fabric *f, ik_parts *out, ik_error *err);
void ik_parts_free(ik_parts *p);
/* Is there a way from host a to host b? */
bool ik_parts_join(const ik_parts *p, uint32_t a, uint32_t b);

typedef struct ik_reach {
    /* hosts without any cable: a finding, no pair of theirs is counted below */
    uint32_t uncabled, first_uncabled;
    /* ordered pairs of different other hosts, with and without a way */
    uint64_t connected, unconnected;
    uint32_t first_src, first_dst; /* the first unconnected pair, IK_NONE if none */
} ik_reach;
/* Cost O(ports); O(hosts^2) if hosts hang on different sets of several parts. */
ik_status ik_reach_measure(const ik_fabric *f, ik_reach *out, ik_error *err);
/* Are all hosts that have a cable connected, and any at all? */
bool ik_reach_whole(const ik_reach *reach);
/* One clause: "8 of 12 pairs of hosts are not connected, the first from host0 to host2". Returns
 * text. */
char *ik_reach_describe(const ik_fabric *f, const ik_reach *r, char *text, size_t size);

/* ---- invariants and judgement */
/* Every structural invariant: CSR monotone, peers mutual, classes in range, levels consistent,
 * names present or absent as a whole. IK_ERR_INTERNAL with the broken one. Run after every builder
 * in tests. */
ik_status ik_fabric_check(const ik_fabric *f, ik_error *err);
/* Recognises a multi-level tree in an imported fabric: levels from the hosts upwards. Fills
 * switch_level/num_levels or leaves them empty if the fabric is not level-structured (every
 * switch-switch link joins neighbouring levels). */
ik_status ik_fabric_find_levels(ik_fabric *f, ik_error *err);
/* Appends findings: levels, oversubscription per leaf switch, links below the common rate,
 * unreachable hosts, duplicate GUIDs. */
ik_status ik_fabric_judge(ik_fabric *f, ik_error *err);
/* Gives every link below the common rate of its kind (between switches, to hosts) that rate, a note
 * for each: what the fabric would be once repaired. Before ik_fabric_judge. */
ik_status ik_fabric_repair_rates(ik_fabric *f, ik_error *err);
/* Same graph, labels, classes and order? (round-trip tests) Writes the first difference to why. */
bool ik_fabric_equal(const ik_fabric *a, const ik_fabric *b, char *why, size_t size);

IK_END_DECLS
#endif
