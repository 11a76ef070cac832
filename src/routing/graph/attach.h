/* SPDX-License-Identifier: Apache-2.0
 *
 * attach.h: which hosts hang on which switch: what table routings deliver to. */
#ifndef IKAT_ROUTING_ATTACH_H
#define IKAT_ROUTING_ATTACH_H

#include "ikat/fabric.h"

/* Every host at every switch that it has a port on; hosts without connected ports are left out. */
typedef struct attach {
    uint32_t *base; /* [num_switches + 1] */
    /* [base[num_switches]] hosts, switch by switch, in the order of the switch's ports */
    uint32_t *host;
    uint16_t *port; /* [base[num_switches]] local port of the switch */
    uint32_t *leaf; /* [num_leaves] switches that have hosts, ascending */
    uint32_t num_leaves;
    bool multi; /* some host hangs on several switches */
} attach;

ik_status attach_make(const ik_fabric *f, attach *out, ik_error *err);
void attach_free(attach *a);

#endif
