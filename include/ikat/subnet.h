/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/subnet.h: the routing that an InfiniBand subnet really has: tables by LID, service levels
 * and virtual lanes, judged as they are; and what a subnet manager needs to install another one.
 */
#ifndef IKAT_SUBNET_H
#define IKAT_SUBNET_H

#include "ikat/lids.h"
#include "ikat/verify.h"

IK_BEGIN_DECLS

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
    /* [num_switches + 1] where a switch's maps begin in map_of: [in][out], [radix + 1] of each,
     * 0 = port 0, else the local port + 1; NULL: map 0 everywhere */
    uint64_t *base;
    uint16_t *map_of;
    uint16_t *host_map; /* [num_ports] maps of hosts' ports; NULL: map 0 */
} ik_sl2vl;

/* VL of a packet with this SL that leaves switch sw by local port out, having come by local port in
 * (IK_NONE = port 0, the switch itself). */
static inline unsigned ik_vl_of(const ik_sl2vl *v, uint32_t sw, uint32_t in, uint32_t out,
                                unsigned sl)
{
    if (!v || !v->base)
        return v ? v->map[0][sl] : 0;
    uint32_t ports = ik_radix(v->fabric, sw) + 1, i = in == IK_NONE ? 0 : in + 1;
    return v->map[v->map_of[v->base[sw] + (uint64_t)i * ports + out + 1]][sl];
}
/* VL on the channel of a host's port (global id). */
static inline unsigned ik_vl_of_host(const ik_sl2vl *v, uint32_t port, unsigned sl)
{
    return v ? v->map[v->host_map ? v->host_map[port] : 0][sl] : 0;
}

/* ---- judging */

/* What becomes of the packets of a (host port, destination LID) pair. */
typedef enum ik_fate {
    IK_FATE_DELIVERED,
    IK_FATE_NO_ENTRY,    /* a switch on the way has no entry for the LID */
    IK_FATE_DEAD_PORT,   /* an entry on the way points at a port without a cable */
    IK_FATE_LOOP,        /* round and round */
    IK_FATE_WRONG_PORT,  /* ends at a host or at a switch's port 0 that is not the destination */
    IK_FATE_DROPPED,     /* would arrive, but the SL is mapped to VL 15 somewhere on the way */
    IK_FATE_UNCONNECTED, /* the fabric itself does not connect the two */
    IK_NUM_FATES
} ik_fate;
/* "delivered", "no-entry", "dead-port", "loop", "wrong-port", "dropped", "unconnected". */
const char *ik_fate_name(ik_fate fate);

/* How packets use service levels. All zero = hosts' data alone, each packet on its own SL. */
typedef struct ik_subnet_config {
    /* Does a reply take the initiator's SL? Both directions of a connection are on one SL then:
     * every path is judged on its own SL and on that of the opposite direction. */
    bool replies;
    /* requests from hosts to switches and to other hosts, and the replies, on SL 0 (performance
     * queries); for management_free those of all hosts, for one_manager_free those of each host */
    bool management;
    /* channels crossed and dependencies examined for one_manager_free before it is given up as
     * IK_UNKNOWN; 0: 1e9, some seconds */
    double most_work;
} ik_subnet_config;

/* One step of a cycle of dependencies: a packet that holds `channel` on `vl` waits for the channel
 * of the next step (the last for the first). */
typedef struct ik_subnet_loop {
    uint32_t channel; /* global port id of the sending port */
    uint8_t vl, sl;
    bool reply;        /* the packet travels on the SL of the opposite direction */
    bool query;        /* it is a performance query or the reply to one */
    uint32_t src, dst; /* indexes of LIDs: the path that holds it and waits for the next */
} ik_subnet_loop;

/* Verdict on tables, pair by pair of (host port, destination LID of another host port): each LID of
 * a port is a path. */
typedef struct ik_subnet_verdict {
    uint64_t pairs; /* the sum of the seven that follow */
    uint64_t delivered, no_entry, dead_port, loops, wrong_port, dropped, unconnected;
    uint64_t
        switch_undelivered; /* (host port, switch) pairs that the fabric connects without a way,
                                    there or back */
    uint32_t switches_unreached; /* switches with such a pair */
    /* [IK_NUM_FATES] the first pair of each, by (source, destination): indexes of LIDs, IK_NONE */
    struct {
        uint32_t src, dst;
    } first[IK_NUM_FATES];
    uint32_t first_bad_src, first_bad_dst; /* the first pair that is neither delivered nor
                                              unconnected, IK_NONE */
    uint64_t *lost_to;          /* [lids->num] such pairs by destination; of a switch's LID: host
                                   ports that are part of switch_undelivered */
    uint64_t *lost_from;        /* [lids->num] such pairs by source, at its first LID */
    uint64_t dead_entries;      /* entries of tables that point at ports without a cable */
    uint64_t missing_entries;   /* switch x LID without an entry although connected */
    ik_verdict deadlock_free;   /* hosts' data, lost packets' too as far as they come */
    ik_verdict management_free; /* the same with performance queries; IK_UNKNOWN: not asked */
    /* With performance queries of one host at a time, which is what holds where management_free
     * does not; IK_UNKNOWN: not asked, or too costly. */
    ik_verdict one_manager_free;
    /* [loop_length] a shortest cycle, of data if there is one, else with performance queries; NULL
     * if there is none */
    ik_subnet_loop *loop;
    size_t loop_length;
    unsigned vls_used;     /* different VLs of data on channels of switches */
    uint64_t dependencies; /* of data, between channels between switches on their VLs */
    uint32_t max_hops;     /* between switches, of delivered pairs of hosts, and the mean */
    double mean_hops;
    /* From here on without silent hosts (ik_is_silent), which send nothing of their own.
     * [num_ports] delivered paths (source port, destination LID) over each channel: uniform load */
    uint64_t *paths_over;
    /* [num_ports] how many flows of a permutation of host ports can cross each channel at most: all
     * sources of switches whose delivered paths cross it, or their destination ports, if fewer */
    uint32_t *most_over;
} ik_subnet_verdict;

/* Judges tables with the SLs and VLs that packets really take (sls NULL = SL 0; vls NULL = VL 0;
 * config NULL = all zero), independently of plans and ik_verify. It is not assumed that tables make
 * any sense. Results do not depend on the number of threads. Free with ik_subnet_verdict_free.
 * Cost: O(switches * LIDs) on one lane; with SLs also O(host ports * LIDs), times the number of SLs
 * in use where VLs depend on ports. A cycle of dependencies costs a search for a shortest one.
 * Bytes: about 130 a channel and VL. */
ik_status ik_subnet_judge(const ik_lid_tables *t, const ik_service_levels *sls, const ik_sl2vl *vls,
                          const ik_subnet_config *config, const ik_env *env, ik_subnet_verdict *out,
                          ik_error *err);
void ik_subnet_verdict_free(ik_subnet_verdict *v);

/* One channel on the way of a packet. */
typedef struct ik_subnet_hop {
    uint32_t channel; /* global port id of the sending port */
    uint8_t vl;
} ik_subnet_hop;
typedef struct ik_subnet_way {
    ik_subnet_hop *hops; /* [num]; the caller's to free() */
    size_t num;
    ik_fate fate;
    uint32_t end; /* the node where the packet ends: it arrives, is dropped or stays in a loop */
} ik_subnet_way;
/* The way of one packet of the port of LID index src (port 0 of a switch, too) to LID index dst on
 * this SL, as ibtracert shows it; a loop is shown until a channel and VL are crossed again. Fate
 * IK_FATE_UNCONNECTED is not distinguished. Cost O(hops). */
ik_status ik_subnet_walk(const ik_lid_tables *t, const ik_sl2vl *vls, uint32_t src, uint32_t dst,
                         unsigned sl, ik_subnet_way *out, ik_error *err);

/* ---- completing */

/* Tables of a deterministic routing by destination for every LID of the subnet: those of hosts as
 * the routing has them, and what it leaves out filled in: hosts from switches that no host's path
 * crosses, every switch from everywhere. What is filled in is as short as the dependencies of lane
 * 0 (paths of hosts, requests from hosts to switches and replies) can bear without a cycle.
 * *unsafe: destinations for which that could not be; their paths are the shortest. */
ik_status ik_lid_tables_complete(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                 ik_lid_tables *out, uint32_t *unsafe, ik_error *err);

IK_END_DECLS
#endif
