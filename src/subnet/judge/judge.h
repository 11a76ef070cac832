/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h: what the judgement of installed tables works on.
 *
 * For one destination the entries of all switches are a graph in which every switch has at most one
 * way on: trees that end somewhere, and loops with trees that lead into them. One pass over its
 * switches, those farthest from the end first, carries the sources and the VLs of their packets
 * along; the pass back gives every switch its fate.
 */
#ifndef IKAT_SUBNET_JUDGE_H
#define IKAT_SUBNET_JUDGE_H

#include "ikat/subnet.h"
#include "subnet/judge/lane_graph.h"

#define JUDGE_BLOCK 64 /* destinations that a thread takes at a time: those of a line of a cache */

/* A connected port of a host. */
typedef struct judge_source {
    uint32_t lid; /* index of its first LID; it has `paths` of them */
    uint32_t paths;
    uint32_t port; /* global id */
    uint32_t sw;   /* its switch, IK_NONE: cabled to another host */
    bool silent;   /* an endpoint, ik_is_silent() */
} judge_source;

typedef struct judge {
    const ik_lid_tables *t;
    const ik_lids *lids;
    const ik_fabric *f;
    const ik_service_levels *sls; /* NULL: SL 0 */
    const ik_sl2vl *vls;          /* NULL: VL 0 */
    ik_subnet_config config;
    bool by_port; /* VLs depend on the ports of a switch or host */
    bool drops;   /* some map has VL 15 */
    /* [num_switches][256] global id of the port with a number; IK_NONE: no such port */
    uint32_t *port_of;
    uint32_t num_sources;
    judge_source *sources; /* by switch, then by LID */
    uint32_t *first;       /* [num_switches + 1] where a switch's sources begin */
    uint32_t *silent;      /* [num_switches] how many of its last sources are no hosts, but
                              endpoints: they count in all but loads and lengths of paths */
    uint32_t *source_of;   /* [lids->num] source whose port has this LID, IK_NONE: a switch's */
    uint32_t *part;        /* [num_switches] the connected part that it is in */
    lane_graph graph;
    uint64_t *unasked; /* [num_sources][ask_words] bits of switches that it has no way to or from */
    size_t ask_words;  /* of a bit for each switch */
    uint64_t *from;    /* [num_ports][ask_words] bits of switches whose sources' paths cross it */
} judge;

/* The entries of all switches for one destination. */
typedef struct lid_tree {
    uint32_t dst;        /* index of the LID */
    uint32_t *out;       /* [num_switches] port that the entry leads out by, IK_NONE: ends here */
    uint32_t *next;      /* [num_switches] the switch behind it, IK_NONE: none */
    uint8_t *fate;       /* [num_switches] of packets that stand there */
    uint32_t *depth;     /* [num_switches] hops from there to the last switch; loops: 0 */
    uint32_t *order;     /* [num_switches] a switch after those whose way leads through it; then
                            those in loops */
    uint32_t num_sorted; /* how many are in no loop */
    uint32_t *before;    /* [num_switches] scratch */
} lid_tree;

/* What one thread counts: sums and minima, so that it does not matter which thread had what. */
typedef struct judge_tally {
    uint64_t fates[IK_NUM_FATES];
    uint64_t first[IK_NUM_FATES]; /* source << 32 | destination, UINT64_MAX: none */
    uint64_t dead_entries, missing_entries;
    uint64_t paths, hops; /* delivered between hosts that are not silent; their lengths */
    uint32_t max_hops;
    uint32_t vls; /* mask of VLs that data takes on channels of switches */
    /* [num_ports] channels of switches; of a source what is to be added, modulo 2^64, to its
     * switch's `delivered` */
    uint64_t *paths_over;
    uint64_t *delivered; /* [num_switches] destinations that packets reach from there */
    uint64_t *lost_from; /* [num_sources] */
    uint32_t *dests;     /* [num_ports] destination ports of paths over a channel */
} judge_tally;

/* What one thread works with. */
typedef struct judge_scratch {
    lid_tree tree;
    uint32_t *dest_seen; /* [num_ports] 1 + the port counted last in dests; 0 at a block's start */
    judge_tally tally;
    uint32_t *count;  /* [num_switches] delivered sources behind a switch, itself included */
    uint16_t *sls;    /* [num_sources] mask of SLs on which packets to the destination travel */
    uint16_t *sls_at; /* [num_switches] of its sources together */
    uint16_t *vls;    /* [num_switches] mask of VLs of packets on its way out */
    bool *via_drop;   /* [num_switches] packets on its way out are dropped later */
    bool *dropped;    /* [num_sources] on one of its SLs */
} judge_scratch;

static inline uint32_t judge_local(const judge *j, uint32_t port)
{
    return port - j->f->port_base[j->f->port_node[port]];
}
/* The port that entry `number` of a switch leads out by, IK_NONE if there is none with a cable. */
static inline uint32_t judge_out(const judge *j, uint32_t sw, unsigned number)
{
    uint32_t port = j->port_of[(size_t)sw * 256 + number];
    return port == IK_NONE || j->f->port_peer[port] == IK_NONE ? IK_NONE : port;
}

/* judge_setup.c */
ik_status judge_init(judge *j, const ik_lid_tables *t, const ik_service_levels *sls,
                     const ik_sl2vl *vls, const ik_subnet_config *config, const ik_env *env,
                     ik_error *err);
void judge_free(judge *j);
ik_status judge_scratch_init(const judge *j, judge_scratch *s, ik_error *err);
void judge_scratch_free(judge_scratch *s);
/* Port of every number of every switch: [num_switches][256], free() it; NULL: out of memory. */
uint32_t *judge_ports(const ik_fabric *f);

/* judge_tree.c */
/* Fills s->tree with the entries for LID index dst. O(switches). */
void judge_tree(const judge *j, uint32_t dst, lid_tree *tree);

/* judge_lanes.c */
/* SLs of every source's packets to the tree's destination, own port excluded (no SL). */
void judge_service_levels(const judge *j, judge_scratch *s);
/* Adds the dependencies of these packets to the graph, finds those that are dropped. */
void judge_data(judge *j, judge_scratch *s);
/* The same for packets of performance queries on SL 0: to a switch from all sources, to a host from
 * all switches too. */
void judge_queries(judge *j, judge_scratch *s);

/* A packet that is followed switch by switch. */
typedef struct judge_packet {
    uint32_t dst; /* index of a LID */
    unsigned sl;
    uint32_t sw, in;  /* the switch where it stands, IK_NONE: it is at a host; local port that it
                         came by, IK_NONE: it begins there */
    uint32_t channel; /* sending port of the channel that it crossed last, IK_NONE: none */
    unsigned vl;      /* its VL there */
} judge_packet;

/* judge_walk.c */
/* What a walk needs of a judge: t, lids, f, vls, port_of. */
/* Crosses a channel; the packet's fate if there is none to cross or it is dropped. IK_FATE_LOOP: it
 * went on (the caller counts hops: after 2 * switches + 2 it is in a loop). */
ik_fate judge_step(const judge *j, judge_packet *p);
/* Most hops of a packet that is in no loop. */
static inline uint32_t judge_most_hops(const judge *j)
{
    return 2 * j->f->num_switches + 2;
}
/* A packet that the LID's port sends, on its first channel; a switch's stands there yet. False: its
 * VL drops it at once. */
bool judge_send(const judge *j, uint32_t src, uint32_t dst, unsigned sl, judge_packet *p);

/* judge_loop.c */
/* v->loop: paths for the cycle of vertices. */
ik_status judge_loop(const judge *j, const uint32_t *cycle, size_t length, bool queries,
                     ik_subnet_verdict *v, ik_error *err);

/* judge_check.c */
/* Do packets, a part of them spread evenly over all pairs of LIDs, only go up in this order of the
 * graph's vertices (lane_graph_sort)? IK_ERR_INTERNAL: they do not. */
ik_status judge_check_order(const judge *j, const uint32_t *order, bool queries, ik_error *err);
/* Do the packets that are named for the steps of a cycle make its dependencies? */
ik_status judge_check_loop(const judge *j, const ik_subnet_loop *loop, size_t length,
                           ik_error *err);

/* judge_manager.c */
/* Do data and the performance queries of any one host have no cycle? The graph has the dependencies
 * of data alone, which are acyclic, and has them again on return. IK_UNKNOWN: too costly. */
ik_status judge_one_manager(judge *j, const ik_env *env, ik_verdict *verdict, ik_error *err);

#endif
