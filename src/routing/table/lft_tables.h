/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_tables.h: from tables by LID to tables by host. */
#ifndef IKAT_ROUTING_LFT_TABLES_H
#define IKAT_ROUTING_LFT_TABLES_H

#include "ikat/lids.h"
#include "ikat/routing.h"
#include "routing/table/tables_far.h"

/* Tables from a file and where they are used. */
typedef struct file_tables {
    ik_fabric *whole; /* the fabric with its endpoints, whose LIDs the file has too; or NULL */
    ik_lids lids;
    ik_lid_tables tables;
    tables_groups groups; /* of the routing `ar` */
    /* `lft` has these only where ports of hosts have several LIDs */
    uint32_t *base; /* [num_hosts] index of the first LID, IK_NONE = none */
    uint8_t *num;   /* [num_hosts] LIDs */
} file_tables;

/* Reads a routing's file, with groups or without, and puts down what it is to say of that.
 * file_tables_free(), also after a failure. */
ik_status file_tables_read(ik_routing *r, const char *path, bool groups, const ik_env *env,
                           file_tables *p, ik_error *err);
/* Fills base and num. */
ik_status file_tables_number_paths(const ik_fabric *f, file_tables *p, ik_error *err);
void file_tables_free(file_tables *p);
/* num_starts and start_nth of routings with several LIDs a port, whose impl is a file_tables. */
uint32_t file_tables_num_starts(const ik_routing *r, uint32_t src, uint32_t dst);
void file_tables_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk);
bool file_tables_have_paths(const file_tables *p);

/* The first LID of every host of a fabric (split or not): its index, IK_NONE = none, and how many
 * there are. Both [num_hosts]. */
void lft_paths(const ik_fabric *f, const ik_lids *lids, uint32_t *base, uint8_t *num);
/* [num_switches][num_hosts] local output ports for path number `path` of every host (of a host
 * that has fewer: its number modulo them); free(). */
ik_status lft_of_tables(const ik_fabric *f, const ik_lid_tables *t, uint32_t path, uint16_t **lft,
                        ik_error *err);
/* The tables of a routing `lft` as its file has them, NULL for any other routing. */
const ik_lid_tables *lft_file_tables(const ik_routing *r);

#endif
