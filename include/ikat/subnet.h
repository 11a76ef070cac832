/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/subnet.h: the routing that an InfiniBand subnet really has: tables by LID, service levels
 * and virtual lanes, judged as they are; and what a subnet manager needs to install another one.
 */
#ifndef IKAT_SUBNET_H
#define IKAT_SUBNET_H

#include "ikat/lids.h"
#include "ikat/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- service levels */

#define IK_NUM_SLS       16
#define IK_VL_MANAGEMENT 15

/* The service level of every (source port, destination LID): by classes of both. */
typedef struct ik_service_levels {
    const ik_lids *lids; /* borrowed */
    uint32_t num_sources, num_dests;
    uint32_t *source_of; /* [lids->num] class of a LID's port as source */
    uint32_t *dest_of;   /* [lids->num] class of a LID as destination */
    uint8_t *sl;         /* [num_sources][num_dests] */
} ik_service_levels;
static inline unsigned ik_sl_of(const ik_service_levels *s, uint32_t src, uint32_t dst)
{
    return s ? s->sl[(size_t)s->source_of[src] * s->num_dests + s->dest_of[dst]] : 0;
}

/* Which VL a packet of each SL takes, by the port it comes in by and the one it goes out by. */
typedef struct ik_sl2vl {
    const ik_fabric *fabric;    /* borrowed */
    uint8_t (*map)[IK_NUM_SLS]; /* [num_maps] different maps; VL 15: packets are dropped */
    uint32_t num_maps;
    /* [num_switches + 1] where a switch's maps begin in map_of: [in][out], both port numbers 0 …
     * radix; NULL: map 0 everywhere */
    uint64_t *base;
    uint16_t *map_of;
    uint16_t *host_map; /* [num_ports] maps of hosts' ports; NULL: map 0 */
} ik_sl2vl;

/* ---- judging */

/* Does a reply take the initiator's SL? Both directions of a connection are on one SL then: every
 * path is judged on its own SL and on that of the opposite direction. */
typedef struct ik_subnet_config {
    bool replies;
    /* requests from hosts to switches and the replies, on SL 0 (performance queries) */
    bool management;
} ik_subnet_config;

typedef struct ik_subnet_loop {
    uint32_t channel; /* global port id of the sending port */
    uint8_t vl, sl;
    uint32_t src, dst; /* indexes of LIDs: the path that holds it and waits for the next */
} ik_subnet_loop;

/* Verdict on tables, pair by pair of (host port, destination LID): each LID of a port is a path. */
typedef struct ik_subnet_verdict {
    uint64_t pairs;
    uint64_t delivered, no_entry, dead_port, loops, wrong_port; /* pairs; wrong_port: ends at a host
                                                                    that is not the destination */
    uint64_t unconnected;        /* pairs that the fabric itself does not connect */
    uint64_t switch_undelivered; /* (host port, switch's LID) pairs without a way, either way */
    uint64_t dropped;            /* pairs whose SL is mapped to VL 15 somewhere on the way */
    uint32_t first_bad_src, first_bad_dst; /* indexes of LIDs, IK_NONE */
    uint64_t dead_entries;      /* entries of tables that point at ports without a cable */
    uint64_t missing_entries;   /* switch x LID without an entry although connected */
    ik_verdict deadlock_free;   /* hosts' data */
    ik_verdict management_free; /* the same with performance queries; IK_UNKNOWN: not asked */
    ik_subnet_loop *loop;       /* [loop_length] a shortest cycle; NULL if there is none */
    size_t loop_length;
    unsigned vls_used;
    uint64_t dependencies;
    uint32_t max_hops;
    double mean_hops;
    /* [num_ports] paths (source port, destination LID) over each channel: uniform load */
    uint64_t *paths_over;
} ik_subnet_verdict;

/* Judges tables with the SLs and VLs that packets really take (NULL = SL 0, VL 0). Free with
 * ik_subnet_verdict_free. Cost: O(switches * LIDs) on one lane; with lanes O(classes of sources *
 * LIDs * hops). */
ik_status ik_subnet_judge(const ik_lid_tables *t, const ik_service_levels *sls, const ik_sl2vl *vls,
                          const ik_subnet_config *config, const ik_env *env, ik_subnet_verdict *out,
                          ik_error *err);
void ik_subnet_verdict_free(ik_subnet_verdict *v);

/* ---- completing */

/* Tables of a deterministic routing by destination for every LID of the subnet: those of hosts as
 * the routing has them, and what it leaves out filled in: hosts from switches that no host's path
 * crosses, every switch from everywhere. What is filled in is as short as the dependencies of lane
 * 0 (paths of hosts, requests from hosts to switches and replies) can bear without a cycle.
 * *unsafe: destinations for which that could not be; their paths are the shortest. */
ik_status ik_lid_tables_complete(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                 ik_lid_tables *out, uint32_t *unsafe, ik_error *err);

#ifdef __cplusplus
}
#endif
#endif
