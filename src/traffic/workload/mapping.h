/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/mapping.h: which host each process of a workload runs on: a set of hosts, and an order
 * of them.
 *
 * Every member of the family that has processes has the same parameters: PROCESSES_PARAM where
 * their number is the user's choice, and MAPPING_PARAMS, in its table of parameters:
 *
 *     static const ik_param params[] = {… PROCESSES_PARAM, MAPPING_PARAMS, {NULL, …}};
 *
 * A host runs one process at most. */
#ifndef IK_MAPPING_H
#define IK_MAPPING_H

#include "ikat/traffic.h"

#define PROCESSES_PARAM                                                                            \
    {                                                                                              \
        "processes", IK_PARAM_UINT, "", 1, 4294967294.0, NULL,                                     \
            "number of processes (default: one per host of `hosts`)"                               \
    }

#define MAPPING_RULES "linear|random|by_leaf|by_pod"
#define MAPPING_PARAMS                                                                             \
    {"hosts",                                                                                      \
     IK_PARAM_RANGES,                                                                              \
     "",                                                                                           \
     0,                                                                                            \
     4294967294.0,                                                                                 \
     NULL,                                                                                         \
     "set of hosts that run processes, such as 0..63:70 (default: all hosts that have a cable)",   \
     "mapping=" MAPPING_RULES,                                                                     \
     "the file names the hosts"},                                                                  \
    {                                                                                              \
        "mapping", IK_PARAM_PATH, "linear", 0, 0, MAPPING_RULES,                                   \
            "host of process i: linear: the i-th host of `hosts`; random; by_leaf: from the leaf " \
            "switches in turn; by_pod: from the pods in turn; or a file whose line i has a "       \
            "host's number or name"                                                                \
    }

typedef struct mapping {
    uint32_t num;   /* processes */
    uint32_t *host; /* [num] */
    /* process i runs on host i, and these are all hosts */
    bool identity;
    bool of_fabric; /* another fabric of as many hosts would map otherwise */
} mapping;

/* The mapping that the parameters above say. owner: whose they are, in messages; processes: their
 * number, 0 = as many as there are hosts in the set, or lines in the file; seed: of the random
 * rule. Refused: more processes than hosts (IK_ERR_USAGE), hosts that are not there, have no cable
 * or are named twice (IK_ERR_USAGE, or IK_ERR_INPUT with a place in the file), by_pod where there
 * are no pods (IK_ERR_UNSUPPORTED). Free with mapping_free. Cost: O(hosts log hosts + cables). */
ik_status mapping_make(const ik_fabric *f, const char *owner, const ik_params *p,
                       uint64_t processes, uint64_t seed, const ik_env *env, mapping *out,
                       ik_error *err);
void mapping_free(mapping *m);
/* [num_hosts] the process of a host, IK_NONE = none; the caller's to free(). */
ik_status mapping_inverse(const mapping *m, uint32_t num_hosts, uint32_t **process, ik_error *err);

/* What ik_traffic.portable is to be: the spec `t->spec` with the hosts of m written out, where
 * another fabric would map otherwise; NULL in *out where it would not. */
ik_status mapping_portable(const ik_traffic *t, const ik_params *p, const mapping *m, char **out,
                           ik_error *err);

#endif
