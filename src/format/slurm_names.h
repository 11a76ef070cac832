/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and lists of hosts as Slurm's configuration files take them.
 */
#ifndef IKAT_SLURM_NAMES_H
#define IKAT_SLURM_NAMES_H

#include "ikat/fabric.h"

#include <stdio.h>

typedef struct slurm_names {
    ik_arena arena;
    /* [nodes] NULL: the node is left out (a host without a cable, a further adapter of a host that
     * is there already); names of switches differ from each other, and so do those of hosts */
    char **name;
    uint32_t cleaned;                /* names with characters that Slurm cannot take */
    uint32_t first_cleaned;          /* the first such node, IK_NONE */
    uint32_t further, first_further; /* adapters beside the first of their host */
    uint32_t uncabled, first_uncabled;
} slurm_names;

/* Hosts: the first word of the description. Switches: the description where all switches have
 * different ones, else their GUIDs. IK_ERR_UNSUPPORTED: several hosts of one description. Free with
 * slurm_names_free. O(nodes log nodes). */
ik_status slurm_names_make(const ik_fabric *f, slurm_names *out, ik_error *err);
void slurm_names_free(slurm_names *n);
/* Comment lines on what was changed or left out. */
void slurm_names_remark(const slurm_names *n, const ik_fabric *f, FILE *out);
/* Writes names [num] as node[001-044,046],gpu[1-2]; sorts them. */
void slurm_hostlist(char **names, size_t num, FILE *out);
/* Hosts with names of each switch, a host at the switch of its first cable: those of switch s are
 * [base[s]] … [base[s + 1] - 1] of the array of names. Both to be freed. */
ik_status slurm_hosts_of(const ik_fabric *f, const slurm_names *n, uint32_t **base, char ***names,
                         ik_error *err);

#endif
