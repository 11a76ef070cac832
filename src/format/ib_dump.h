/* SPDX-License-Identifier: Apache-2.0
 *
 * An InfiniBand dump between its lines and its cables.
 */
#ifndef IKAT_IB_DUMP_H
#define IKAT_IB_DUMP_H

#include "format/scan.h"
#include "ikat/fabric.h"

enum { IB_MAX_PORTS = 254, IB_MAX_LMC = 7 };

typedef struct ib_node {
    uint32_t key;       /* its identifier */
    uint32_t next_same; /* another node of this identifier, IK_NONE = none */
    bool is_host, defined;
    bool merged;                /* a section repeated: nothing but what another section says */
    bool left_out;              /* no host: the in-network computing unit of a switch */
    size_t first_end, num_ends; /* of its section */
    uint32_t radix;             /* of a mentioned node: largest port mentioned */
    uint32_t first;             /* first slot; as soon as all sections are read */
    uint32_t id;                /* switch or host id */
    slice name;
    uint64_t guid;
    uint32_t lid;
    uint8_t lmc;     /* of a switch */
    uint32_t cables; /* laid */
    unsigned line;
} ib_node;

/* One end of a cable as its section tells it. */
typedef struct ib_end {
    uint32_t node, port; /* this end */
    uint32_t peer, peer_port;
    uint64_t guid, peer_guid; /* of the ports, 0 = not said */
    uint32_t lid, peer_lid;   /* the same */
    uint8_t lmc;              /* of this end */
    slice rate;               /* "4xEDR", empty = not said */
    unsigned line;
    bool laid;
} ib_end;

typedef struct ib_file {
    scan s;
    name_map keys;      /* "S-0002c90200000008" … */
    uint32_t *first_of; /* [keys] the first node of the identifier */
    size_t first_cap;
    ib_node *nodes;
    uint32_t num_nodes;
    size_t node_cap;
    ib_end *ends;
    size_t num_ends, end_cap;
    uint32_t *slot; /* [all ports] index of the end told there, IK_NONE = none */
    uint32_t num_slots;
    uint32_t current; /* node of the section */
    uint64_t pending_guid;
    uint32_t repeated, one_sided, unrated, left_out;
    bool tells_lids; /* 'lid' stands somewhere */
    ik_builder *b;
} ib_file;

/* GUID in an identifier like "H-0200c9b000400108", 0 if there is none. */
uint64_t ib_guid_in_key(slice key);
/* Compares what the two ends of every cable say, fills the builder and tells what is odd. */
ik_status ib_lay_cables(ib_file *ib, ik_error *err);

#endif
