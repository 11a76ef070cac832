/* SPDX-License-Identifier: Apache-2.0
 *
 * rings.h: rings of switches with different numbers of hosts. */
#ifndef UNIT_RINGS_H
#define UNIT_RINGS_H

#include "unit/made.h"

/* A ring of switches with any numbers of hosts, split into two rings where `split` says so. */
static inline ik_fabric *uneven_rings(const uint32_t *hosts, uint32_t n, uint32_t split)
{
    ik_builder *b = ik_builder_new();
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t i = 0; i < n; i++)
        ik_builder_switches(b, 1, 2 + hosts[i]);
    for (uint32_t i = 0, host = 0; i < n; i++) {
        uint32_t next = i + 1 == split ? 0 : i + 1 == n ? split : i + 1;
        ik_builder_link(b, ik_sw(i, 0), ik_sw(next, 1), cable);
        for (uint32_t h = 0; h < hosts[i]; h++) {
            ik_builder_hosts(b, 1, 1);
            ik_builder_link(b, ik_sw(i, 2 + h), ik_hs(host++, 0), cable);
        }
    }
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    return f;
}

#endif
