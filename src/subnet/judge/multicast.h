/* SPDX-License-Identifier: Apache-2.0
 *
 * multicast.h: multicast forwarding tables, and what they do with the packets of a group. OpenSM
 * and ibdiagnet dump them as
 *
 *   Switch 0x0002c90200000001               other words may stand before it
 *   LID    : Out Port(s)
 *   0xC000 : 0x001  0x005
 *
 * and dump_fts and ibroute, with -M, print a column for each port, port n in column 12 + 2 n:
 *
 *   Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x0002c90200000001 (leaf):
 *        Ports: 0 1 2 3 4 5
 *    MLid
 *   0xc000        x       x
 *
 * A switch sends a copy of a packet to every port of the group's entry, but not back to where it
 * came from. Port 0 is the switch's own. Members of a group are the ports of hosts, and the ports
 * 0, to which some switch sends copies: who only sends, and who has no entry anywhere, is not
 * known.
 */
#ifndef IKAT_SUBNET_MULTICAST_H
#define IKAT_SUBNET_MULTICAST_H

#include "routing/table/tables_far.h"

enum { MULTICAST_FIRST_LID = 0xC000, MULTICAST_LAST_LID = 0xFFFE };

typedef struct multicast_entry {
    uint16_t lid;
    uint32_t sw;
    unsigned line;
    tables_ports ports;
} multicast_entry;

typedef struct multicast_tables {
    const ik_fabric *fabric;  /* borrowed */
    multicast_entry *entries; /* [num] ascending by group, then switch */
    size_t num, cap;
    uint32_t unknown_switches; /* that the fabric does not have, with their entries left out */
    uint64_t first_unknown;    /* GUID */
    /* ports that their switch does not have, left out; the first one's place */
    uint64_t wrong_ports;
    uint32_t wrong_switch;
    unsigned wrong_port, wrong_line, wrong_column;
} multicast_tables;

/* IK_ERR_INPUT with the place: a line that is none of such a file, a second entry of a switch for a
 * group, no switch of the fabric. Free with multicast_free. Cost O(size). multicast_read.c */
ik_status multicast_read(const ik_fabric *f, const char *path, const ik_env *env,
                         multicast_tables *out, ik_error *err);
/* The same of a text; `file` is for messages. */
ik_status multicast_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                          multicast_tables *out, ik_error *err);
void multicast_free(multicast_tables *t);

/* A member is written as the channel to it, or as the number of ports + its switch: port 0. */
enum { MULTICAST_CYCLE = 16 }; /* channels of a cycle that are told */
typedef struct multicast_group {
    uint16_t lid;
    uint32_t members;
    uint64_t pairs;            /* a member that sends, and another one */
    uint64_t missing;          /* of these: no copy comes */
    uint32_t sender, receiver; /* the first of them; IK_NONE: none */
    uint32_t again;            /* a channel to members that gets several copies; IK_NONE: none */
    uint32_t dead_end;         /* one to a switch that sends the copy nowhere, IK_NONE: none */
    uint32_t no_cable;         /* port without a cable that gets copies, IK_NONE: none */
    uint32_t num_cycle;        /* channels of a cycle in which copies go round for ever, 0: none */
    uint32_t cycle[MULTICAST_CYCLE];
} multicast_group;

/* What a part of the tables does with packets of its group. */
typedef struct multicast_walk multicast_walk;
ik_status multicast_walk_new(const multicast_tables *t, multicast_walk **out, ik_error *err);
/* Entries from `first` on that are of one group, up to `end`. Every member's packets are followed,
 * once for all members of a switch. Cost O(switches with members * ports of the group's switches).
 */
void multicast_judge(multicast_walk *w, size_t first, size_t end, multicast_group *out);
void multicast_walk_free(multicast_walk *w);

#endif
