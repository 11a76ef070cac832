/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/subnet_files.h: small files beside an InfiniBand fabric: names of nodes, LIDs by GUID, root
 * switches, matrices of hops. All may be packed with gzip; wrong lines are IK_ERR_INPUT with their
 * place.
 */
#ifndef IKAT_SUBNET_FILES_H
#define IKAT_SUBNET_FILES_H

#include "ikat/lids.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* What a file named that the fabric has, and has not. */
typedef struct ik_guids_matched {
    uint32_t known, unknown;
    uint64_t first_unknown; /* GUID, 0 if none */
    uint32_t missing;       /* nodes or ports of the fabric that the file does not name */
    uint32_t changed;       /* that had another value */
} ik_guids_matched;

/* Gives nodes the names of a node-name map, as infiniband-diags take it (--node-name-map): a line
 * `0xGUID "name"` per node, comments behind '#'; the quotes may be left out. A GUID given twice is
 * an error. `matched` may be NULL. O(nodes log nodes). */
ik_status ik_node_names_apply(ik_fabric *f, const char *path, const ik_env *env,
                              ik_guids_matched *matched, ik_error *err);
/* Gives ports the LIDs of OpenSM's guid2lid: `0xPORTGUID 0xFIRST 0xLAST`, 2^LMC LIDs each; they
 * replace those that the fabric has. IK_ERR_INPUT also for ranges that are none, or overlap.
 * `matched` may be NULL. O(ports log ports). */
ik_status ik_guid2lid_apply(ik_fabric *f, const char *path, const ik_env *env,
                            ik_guids_matched *matched, ik_error *err);
/* Both, of files that may be NULL, and judges the fabric again. What they matched: names, LIDs.
 * IK_ERR_INPUT also if no name is of the fabric, which is called `fabric` then. */
ik_status ik_names_and_lids_apply(ik_fabric *f, const char *names, const char *guid2lid,
                                  const char *fabric, const ik_env *env,
                                  ik_guids_matched matched[2], ik_error *err);
/* Writes one, ascending GUIDs. */
ik_status ik_guid2lid_print(const ik_lids *lids, FILE *out, ik_error *err);

/* Switches of a root GUID file (-a of OpenSM): a hexadecimal GUID per line, comments behind '#'.
 * *roots [*num] ascending, free(). No known switch is an error. `matched` may be NULL. */
ik_status ik_roots_read(const ik_fabric *f, const char *path, const ik_env *env, uint32_t **roots,
                        uint32_t *num, ik_guids_matched *matched, ik_error *err);
ik_status ik_roots_print(const ik_fabric *f, const uint32_t *roots, uint32_t num, FILE *out,
                         ik_error *err);

/* What a lid matrix says, and what the fabric. */
typedef struct ik_lid_matrix {
    uint32_t switches, unknown_switches, missing_switches;
    uint64_t rows;                       /* (switch, LID of a switch) */
    uint64_t unknown_lids;               /* rows of LIDs that the fabric has not */
    uint64_t hosts;                      /* rows of LIDs of hosts, which are not compared */
    uint64_t differ;                     /* rows whose least number of hops is not the distance */
    uint32_t first_switch, first_lid;    /* of these, IK_NONE and 0 if there is none */
    unsigned first_hops, first_distance; /* 255 = none */
} ik_lid_matrix;
/* Reads opensm-lid-matrix.dump and compares its numbers of hops with the distances in the fabric.
 * Routings that avoid links (updn) have larger ones. IK_ERR_INPUT: malformed lines, no known
 * switch. The text is not held whole. Cost O(switches * links + size of the file). */
ik_status ik_lid_matrix_compare(const ik_lids *lids, const char *path, const ik_env *env,
                                ik_lid_matrix *out, ik_error *err);
/* Writes the matrix of the fabric's distances, as OpenSM's minhop has it: ascending GUIDs. Cost
 * O(switches * links). */
ik_status ik_lid_matrix_print(const ik_lids *lids, FILE *out, ik_error *err);

IK_END_DECLS
#endif
