/* SPDX-License-Identifier: Apache-2.0
 *
 * host_names.h: hosts that a file names, by number or by name. */
#ifndef IK_HOST_NAMES_H
#define IK_HOST_NAMES_H

#include "format/name_map.h"
#include "ikat/fabric.h"

typedef struct host_names {
    const ik_fabric *fabric;
    name_map names;    /* of the hosts, if the fabric has names */
    uint32_t *host_of; /* [names] the first host of each different name */
} host_names;

/* Free with host_names_free whatever it returns. O(hosts). */
ik_status host_names_new(host_names *h, const ik_fabric *f, ik_error *err);
void host_names_free(host_names *h);
/* The host of a word: a number below the fabric's hosts, else a name. IK_ERR_INPUT at the place,
 * with the nearest name. */
ik_status host_names_find(const host_names *h, const char *word, const char *file, unsigned line,
                          unsigned column, uint32_t *host, ik_error *err);

#endif
