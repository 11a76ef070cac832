/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h: what the judgement of installed tables works on.
 *
 * For one destination the entries of all switches are a graph in which every switch has at most one
 * way on: trees that end somewhere, and loops with trees that lead into them. One pass over its
 * switches, those nearest to the end first, gives every switch its fate; the pass back carries the
 * sources and the VLs of their packets along.
 *
 * Destinations that hang on one switch are judged together, switch by switch: the ways to them are
 * mostly equally long, so that one order of the switches serves them all, and what belongs to a
 * switch is at hand for all of them. Those that the order does not fit are judged one by one.
 */
#ifndef IKAT_SUBNET_JUDGE_H
#define IKAT_SUBNET_JUDGE_H

#include "ikat/subnet.h"
#include "subnet/judge/lane_graph.h"

/* Destinations of a group, and those of one more port. */
#define JUDGE_GROUP 32

/* A connected port of a host. */
typedef struct judge_source {
    uint32_t lid; /* index of its first LID; it has `paths` of them */
    uint32_t paths;
    uint32_t port; /* global id */
    uint32_t sw;   /* its switch, IK_NONE: cabled to another host */
    bool silent;   /* an endpoint, ik_is_silent() */
} judge_source;

/* Where a port's number in an entry of a switch leads. */
typedef struct judge_hop {
    uint32_t port; /* global id, IK_NONE: there is none with a cable */
    uint32_t next; /* the switch behind it, IK_NONE: none */
} judge_hop;
typedef struct judge_hops {
    unsigned numbers; /* of each switch: 0 … numbers - 1 */
    judge_hop *of;    /* [num_switches][numbers] */
} judge_hops;

typedef struct judge {
    const ik_lid_tables *t;
    const ik_lids *lids;
    const ik_fabric *f;
    const ik_service_levels *sls; /* NULL: SL 0 */
    const ik_sl2vl *vls;          /* NULL: VL 0 */
    ik_subnet_config config;
    bool by_port; /* VLs depend on the ports of a switch or host */
    bool drops;   /* some map has VL 15 */
    judge_hops hops;
    /* LIDs by the switch that they hang on, and the groups of them that are judged together; all
     * LIDs of a port are in one chunk */
    uint32_t *by_place; /* [lids->num] */
    uint32_t *chunk;    /* [num_chunks + 1] where each begins in by_place */
    uint32_t num_chunks;
    uint32_t longest; /* LIDs of a chunk */
    uint32_t num_sources;
    judge_source *sources; /* by switch, then by LID */
    uint32_t *first;       /* [num_switches + 1] where a switch's sources begin */
    uint32_t *silent;      /* [num_switches] how many of its last sources are no hosts, but
                              endpoints: they count in all but loads and lengths of paths */
    uint32_t *source_of;   /* [lids->num] source whose port has this LID, IK_NONE: a switch's */
    uint32_t *part;        /* [num_switches] the connected part that it is in */
    lane_graph graph;      /* of data */
    lane_graph queries;    /* of performance queries, if judged: the same with bits of its own */
    uint64_t *unasked; /* [num_sources][ask_words] bits of switches that it has no way to or from */
    size_t ask_words;  /* of a bit for each switch */
} judge;

/* Packets to one LID that stand at one switch. */
typedef struct lid_stand {
    uint32_t out;   /* port that the entry leads out by, IK_NONE: ends here */
    uint32_t next;  /* the switch behind it, IK_NONE: none */
    uint32_t way;   /* an ik_fate; plus WAY_HOP for each hop from there to the last switch, of no
                      meaning in loops */
    uint32_t count; /* delivered sources behind the switch, itself included, as far as counted */
} lid_stand;

/* The entries of all switches for destinations that hang on the same switch. */
typedef struct lid_group {
    uint32_t num;  /* LIDs */
    uint32_t *dst; /* [num] their indexes, ascending */
    uint32_t sw;   /* that they hang on; IK_NONE: on none, or host to host */
    lid_stand *at; /* [num_switches][num] */
    /* [num_switches] those in loops of the first LID, then a switch before those whose way leads
     * through it; and where in it each stands */
    uint32_t *order, *rank;
    uint32_t num_looped;
    uint32_t *next, *depth, *before, *queue; /* [num_switches + 1] scratch, of the first LID */
    bool *misfits;                           /* [num] LIDs that the order does not fit */
    uint32_t *alone; /* [longest] those of the chunk, and what shares a port with them */
} lid_group;

#define WAY_HOP 8u
static inline ik_fate lid_stand_fate(const lid_stand *at)
{
    return (ik_fate)(at->way % WAY_HOP);
}

static inline lid_stand *judge_stands(const lid_group *g, uint32_t sw)
{
    return g->at + (size_t)sw * g->num;
}

/* What a channel carries. */
typedef struct judge_load {
    /* Of channels of switches; of a source's what is to be added, modulo 2^64, to its switch's
     * `delivered`. */
    uint64_t paths;
    uint32_t dests; /* destination ports of these paths */
    uint32_t most;  /* sources of these paths to one destination */
    uint32_t seen;  /* 1 + the port that was counted last in dests */
} judge_load;

/* What one thread counts: sums and minima, so that it does not matter which thread had what. */
typedef struct judge_tally {
    uint64_t fates[IK_NUM_FATES];
    uint64_t first[IK_NUM_FATES]; /* source << 32 | destination, UINT64_MAX: none */
    uint64_t dead_entries, missing_entries;
    uint64_t paths, hops; /* delivered between hosts that are not silent; their lengths */
    uint32_t max_hops;
    uint32_t vls;        /* mask of VLs that data takes on channels of switches */
    judge_load *loads;   /* [num_ports] */
    uint64_t *delivered; /* [num_switches] destinations that packets reach from there */
    uint64_t *lost_from; /* [num_sources] */
} judge_tally;

/* Masks of the VLs of packets to one LID at one switch. */
typedef struct judge_vls {
    uint16_t data, queries;
} judge_vls;

/* What one thread works with. */
typedef struct judge_scratch {
    lid_group group;
    judge_tally tally;
    uint16_t *sls;  /* [num_sources] mask of SLs on which packets to a destination travel */
    judge_vls *vls; /* [num_switches][longest] of packets on its way out */
    bool *via_drop; /* [num_switches] packets on its way out are dropped later */
    bool *dropped;  /* [num_sources] on one of its SLs */
} judge_scratch;

static inline uint32_t judge_local(const judge *j, uint32_t port)
{
    return port - j->f->port_base[j->f->port_node[port]];
}
static inline judge_hop judge_hop_by(const judge *j, uint32_t sw, unsigned number)
{
    return number < j->hops.numbers ? j->hops.of[(size_t)sw * j->hops.numbers + number]
                                    : (judge_hop){IK_NONE, IK_NONE};
}
/* The port that entry `number` of a switch leads out by, IK_NONE if there is none with a cable. */
static inline uint32_t judge_out(const judge *j, uint32_t sw, unsigned number)
{
    return judge_hop_by(j, sw, number).port;
}

/* The switch that a LID hangs on; IK_NONE: none, or its port is cabled to a host's. */
static inline uint32_t judge_place(const judge *j, uint32_t lid)
{
    const ik_lid *l = &j->lids->of[lid];
    uint32_t at = l->port == IK_NONE ? l->node : ik_peer_node(j->f, l->port);
    return at != IK_NONE && ik_is_switch(j->f, at) ? at : IK_NONE;
}

/* judge_setup.c */
ik_status judge_init(judge *j, const ik_lid_tables *t, const ik_service_levels *sls,
                     const ik_sl2vl *vls, const ik_subnet_config *config, const ik_env *env,
                     ik_error *err);
void judge_free(judge *j);
ik_status judge_scratch_init(const judge *j, judge_scratch *s, ik_error *err);
void judge_scratch_free(judge_scratch *s);
ik_status judge_group_init(const judge *j, lid_group *g, ik_error *err);
void judge_group_free(lid_group *g);
/* Where the ports of all switches lead; free() h->of. */
ik_status judge_find_hops(const ik_fabric *f, judge_hops *h, ik_error *err);

/* judge_group.c */
typedef void judge_look(void *ctx, lid_group *g);
/* Has all LIDs of a chunk looked at, in one group or more; one by one where the judge has to. Cost
 * O(switches x LIDs). */
void judge_chunk(const judge *j, size_t chunk, lid_group *g, judge_look *look, void *ctx);
/* Must every LID be judged alone? */
static inline bool judge_is_alone(const judge *j)
{
    return j->by_port || j->drops;
}

/* judge_lanes.c */
/* Adds to the graphs what packets to the group's destinations depend on: data of all sources, and
 * performance queries on SL 0, to a switch from all sources, to a host from all switches too. Finds
 * the sources of data that is dropped. */
void judge_lanes(judge *j, judge_scratch *s);

/* judge_count.c */
/* Counts the fates of all pairs to the group's destinations, and what channels carry. lost_to:
 * [lids->num] */
void judge_count(judge *j, judge_scratch *s, uint64_t *lost_to);
/* Of these sources of one switch, from which packets reach a destination whose port is `own`. */
static inline uint32_t judge_delivered(const judge *j, const judge_scratch *s, uint32_t own,
                                       uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    if (!j->drops)
        return to - from - (own >= from && own < to);
    for (uint32_t i = from; i < to; i++)
        count += i != own && !s->dropped[i];
    return count;
}

/* judge_most.c */
/* v->most_over, from what was counted and the dependencies of data. scratch: of each thread */
ik_status judge_most(judge *j, judge_scratch *scratch, const judge_tally *t, const ik_env *env,
                     ik_subnet_verdict *v, ik_error *err);

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
/* What a walk needs of a judge: t, lids, f, vls, hops. */
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
