/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/placement.h: which processes have disks, and which access them. */
#ifndef IK_PLACEMENT_H
#define IK_PLACEMENT_H

#include "format/name_map.h"
#include "ikat/traffic.h"

#define PLACEMENT_RULES "even|first|last|random"
#define PLACEMENT_PARAM                                                                            \
    {                                                                                              \
        "placement", IK_PARAM_PATH, "even", 0, 0, PLACEMENT_RULES,                                 \
            "process of disk i of D, out of P processes: even: floor(i * P / D); first: i; last: " \
            "P - D + i; random; or as a file says, whose lines have a disk's name and a "          \
            "process's number"                                                                     \
    }

typedef struct placement {
    uint32_t num_disks, num_clients;
    uint32_t *disk;   /* [num_disks] the process that has it */
    uint32_t *client; /* [num_clients] processes without a disk */
} placement;

/* names: [disks], NULL = their numbers. Refused (IK_ERR_USAGE): no process is left to access them;
 * IK_ERR_INPUT with a place: lines of a file that are wrong, disks that it does not name. Free with
 * placement_free. O(disks + processes). */
ik_status placement_make(const char *owner, const ik_params *p, uint32_t processes, uint32_t disks,
                         const slice *names, uint64_t seed, const ik_env *env, placement *out,
                         ik_error *err);
void placement_free(placement *p);

#endif
