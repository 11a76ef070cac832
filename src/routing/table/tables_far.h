/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_far.h: tables of adaptive routing, as ibdiagnet2.far has them. A switch has groups of
 * ports, and an entry names beside its port a group, any port of which a packet may take.
 *
 *   Switch 0x0002c90200000001 ...                  further words and lines are not read
 *   Groups Definition:
 *   Group  Sub Group  WHBF  Ports
 *   1      0          0     5,6,7,
 *   LFT Definition:
 *   PLFT_NUM: 0, top: 0x30
 *   LID     Static Port  Lid State  Group
 *   0x0001  5            Free       1              or HBF, Bounded: the group; Static: the port
 */
#ifndef IKAT_ROUTING_TABLES_FAR_H
#define IKAT_ROUTING_TABLES_FAR_H

#include "ikat/lids.h"
#include "routing/table/tables_line.h"

/* A set of printed port numbers, 0 … 254. */
typedef struct tables_ports {
    uint64_t bits[4];
} tables_ports;

/* The groups of all switches, and which of them the entries name. */
typedef struct tables_groups {
    uint32_t num;
    size_t cap;
    tables_ports *ports; /* [num] by switch */
    uint32_t *first;     /* [switches] of a switch's groups */
    /* [switches][lids] 1 + number of the group among those of the switch, 0 = the entry's port
     * alone */
    uint16_t *of;
} tables_groups;

/* ik_lid_tables_read for files of either kind: what entries leave to the switch goes to `groups`,
 * free them with tables_groups_free. tables_read.c */
ik_status tables_read_adaptive(const ik_lids *lids, const char *path, const ik_env *env,
                               ik_lid_tables *out, tables_groups *groups,
                               ik_tables_matched *matched, ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status tables_parse_adaptive(const ik_lids *lids, const char *text, size_t size,
                                const char *file, ik_lid_tables *out, tables_groups *groups,
                                ik_tables_matched *matched, ik_error *err);

/* Groups for no entry yet. Free with tables_groups_free. Bytes: 2 x switches x LIDs. */
ik_status tables_groups_new(const ik_lids *lids, const ik_env *env, tables_groups *out,
                            ik_error *err);
void tables_groups_free(tables_groups *g);

typedef enum tables_far_section { FAR_NONE, FAR_TITLE, FAR_GROUPS, FAR_ENTRIES } tables_far_section;

/* Where in such a file a reader is. */
typedef struct tables_far {
    tables_far_section section; /* FAR_NONE: in no block of such a file */
    tables_groups *groups;      /* NULL: the reader's user needs entries with one port */
    const ik_lids *lids;
    uint32_t sw;          /* of the block, IK_NONE = unknown to the fabric */
    const bool *has_port; /* [256] by printed number, of that switch */
    uint32_t *index_of;   /* [1 << 16] by number: 1 + index of the group; those below `begun` are
                              of earlier blocks */
    uint32_t begun;       /* 1 + groups of earlier blocks */
} tables_far;

/* Whether the line belongs to such a file: it is within a block, or begins one. */
bool tables_far_has_line(const tables_far *far, const char *line, const char *end);
/* tables_read_line for these; groups and what entries say of them are kept. */
ik_status tables_far_read_line(tables_far *far, const char *line, const char *end, const char *file,
                               unsigned number, tables_line *out, ik_error *err);
/* A block of switch sw (IK_NONE = unknown) begins. */
void tables_far_begin(tables_far *far, uint32_t sw, const bool *has_port);

#endif
