/* SPDX-License-Identifier: Apache-2.0
 *
 * An InfiniBand dump between its lines and its cables.
 */
#ifndef IKAT_IB_DUMP_H
#define IKAT_IB_DUMP_H

#include "format/scan.h"
#include "ikat/fabric.h"

enum { IB_MAX_PORTS = 254, IB_MAX_LMC = 7, IB_MAX_DEPTH = 8, IB_MAX_INCLUDES = 256 };

typedef struct ib_node {
    uint32_t key;       /* its identifier */
    uint32_t next_same; /* another node of this identifier that is not merged, IK_NONE = none */
    bool is_host, defined;
    bool again, followed;       /* there is a section of this identifier before, behind it */
    bool merged;                /* a section repeated: nothing but what another section says */
    uint32_t into;              /* the node of that other section, if merged */
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
    const char *file;
    uint32_t at; /* its section's place among all */
} ib_node;

/* A port that a netlist gave a name. */
typedef struct ib_alias {
    uint32_t node, port; /* node IK_NONE: only mentioned yet */
} ib_alias;

/* One end of a cable as its section tells it. */
typedef struct ib_end {
    uint32_t node, port; /* this end */
    uint32_t peer, peer_port;
    uint64_t guid, peer_guid; /* of the ports, 0 = not said */
    uint32_t lid, peer_lid;   /* the same */
    uint8_t lmc;              /* of this end */
    slice rate;               /* "4xEDR", empty = not said */
    unsigned line;
    const char *file;
    uint32_t alias; /* 1 + number of the alias that stands for the other end, 0 = none */
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
    uint32_t current;         /* node of the section */
    uint64_t pending_guid[2]; /* of the next switch, of the next host; 0 = not said */
    uint32_t repeated, one_sided, unrated, left_out;
    bool tells_lids; /* 'lid' stands somewhere */
    /* of netlists: ib_netlist.c */
    scan outer[IB_MAX_DEPTH]; /* files that include the current one */
    unsigned depth;
    char *texts[IB_MAX_INCLUDES]; /* of all included files */
    unsigned num_texts;
    bool cut;       /* an included file's last line has no end */
    ik_arena arena; /* names that stand in no file, paths */
    slice prefix;   /* of the module */
    name_map aliases;
    ib_alias *alias_of; /* [aliases] */
    size_t alias_cap;
    uint64_t base_guid[2], next_guid[2]; /* of switches, of hosts; 0 = not set */
    uint64_t enabled[3];                 /* width, speed, extended speed; 0 = not said */
    uint32_t commands;                   /* lines of the simulator's commands */
    uint32_t sections;
    unsigned heads;       /* of dumps */
    unsigned second_dump; /* line where another dump begins, 0 = nowhere */
    uint32_t inactive;    /* ports that have a cable, but are not active */
    uint32_t unread;      /* lines that are no part of the dump, as a log of a terminal has them */
    unsigned first_unread;
    scan behind; /* the first of them behind the dump's beginning; file NULL = none */
    ik_builder *b;
} ib_file;

/* GUID in an identifier like "H-0200c9b000400108", 0 if there is none. */
uint64_t ib_guid_in_key(slice key);
/* The first node with this identifier, made if there is none; appends an end to the cables. */
ik_status ib_node_of(ib_file *ib, slice name, uint32_t *node, ik_error *err);
ik_status ib_keep_end(ib_file *ib, const ib_end *end, ik_error *err);
/* The same, by kind and GUID. */
ik_status ib_node_of_guid(ib_file *ib, bool is_switch, uint64_t guid, uint32_t *node,
                          ik_error *err);
/* "4xEDR" from the two, kept with the file; empty if it is no rate (speed NULL: none is known). */
ik_status ib_rate_text(ib_file *ib, slice width, const char *speed, slice *rate, ik_error *err);
/* A port that has a cable, but is down or not active: the first of them are findings. */
void ib_tell_inactive(ib_file *ib, uint32_t node, uint32_t port, bool down);
/* Skips a line that is no part of the dump, which has begun or not. ib_goes_on: IK_ERR_INPUT
 * if another line of the dump comes behind such a line. */
void ib_skip_line(ib_file *ib, bool begun);
ik_status ib_goes_on(const ib_file *ib, ik_error *err);
void ib_file_free(ib_file *ib);
/* A text in quotes, like `what`; a port in brackets. */
ik_status ib_quoted(scan *s, const char *what, slice *text, ik_error *err);
ik_status ib_bracketed_port(scan *s, uint32_t *port, ik_error *err);

/* A line that only netlists have; *taken: it was one. */
ik_status ib_netlist_line(ib_file *ib, bool *taken, ik_error *err);
/* Comes back from an included file at its end; false: there is none to come back to. */
bool ib_netlist_leave(ib_file *ib);
/* The name of a node within the current module. */
ik_status ib_netlist_name(ib_file *ib, slice *name, ik_error *err);
bool ib_netlist_is_alias(slice name);
/* Number of an alias that a cable leads to; it may be given later. */
ik_status ib_netlist_refer(ib_file *ib, slice name, uint32_t *number, ik_error *err);
/* Sets the far ends of cables that lead to aliases. */
ik_status ib_netlist_resolve(ib_file *ib, ik_error *err);
/* An assignment `name=value`, or relative `name+value`, if it is one of a GUID; the GUID of a node.
 */
void ib_netlist_guid(ib_file *ib, slice name, uint64_t value, bool relative);
uint64_t ib_netlist_node_guid(ib_file *ib, bool is_host, slice key, uint32_t radix);
/* Options w=, s=, e= behind a port. */
ik_status ib_netlist_rate(ib_file *ib, ib_end *end, ik_error *err);
void ib_netlist_free(ib_file *ib);

/* Compares what the two ends of every cable say, fills the builder and tells what is odd. */
ik_status ib_lay_cables(ib_file *ib, ik_error *err);
/* ib_sections.c: marks sections that repeat others as merged, and lists those that contradict them
 * (next_same). IK_ERR_INPUT: too many do. */
ik_status ib_merge_sections(ib_file *ib, ik_error *err);
/* Of a node, for messages: at most *length bytes count. */
const char *ib_shown_key(const ib_file *ib, uint32_t node, int *length);

/* The LID that a dump gives: 65535, the permissive one, is what ports have that got none. */
static inline uint32_t ib_lid_given(uint32_t lid)
{
    return lid == 0xFFFF ? 0 : lid;
}

#endif
