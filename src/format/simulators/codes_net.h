/* SPDX-License-Identifier: Apache-2.0
 *
 * The networks of the simulator CODES, from the settings of a configuration.
 */
#ifndef IKAT_CODES_NET_H
#define IKAT_CODES_NET_H

#include "format/scan.h"
#include "format/simulators/sim_net.h"

enum { CODES_MAX = 1000000 };

typedef struct codes_reader {
    sim_net net;
    scan s;
    ik_arena arena;
    sim_net_setting model;                   /* its name */
    slice section;                           /* the outermost */
    uint64_t repetitions, terminals, listed; /* of the group that is read; hosts of all groups */
    uint64_t hosts;                          /* of the network */
} codes_reader;

typedef struct codes_model {
    const char *name, *local, *global, *host; /* settings with bandwidths */
    double bare;                              /* what these are in without a unit, in bit/s */
    /* The settings are there; sets r->hosts. */
    ik_status (*build)(codes_reader *r);
} codes_model;

/* A file of up to 16 MiB; free *text. */
ik_status codes_net_load(codes_reader *r, const char *path, char **text, size_t *size);
/* NULL: there is no such model. '-' counts as '_'. */
const codes_model *codes_net_find(slice name);

#endif
