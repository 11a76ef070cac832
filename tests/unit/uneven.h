/* SPDX-License-Identifier: Apache-2.0
 *
 * uneven.h: hosts with several cables, and cables of several rates. */
#ifndef UNIT_UNEVEN_H
#define UNIT_UNEVEN_H

#include "unit/made.h"

/* A ring of five switches, two hosts each; some hosts have a second cable at the next switch, and
 * `rates` says which cables are slow: those of hosts, those of switches. */
static inline ik_fabric *uneven_ring(bool several, bool slow_hosts, bool slow_links)
{
    enum { SWITCHES = 5, HOSTS = 10 };
    ik_builder *b = ik_builder_new();
    uint16_t fast = ik_builder_class(b, 100000000000, 6000, NULL),
             slow = ik_builder_class(b, 40000000000, 6000, NULL);
    ik_builder_switches(b, SWITCHES, 6);
    ik_builder_hosts(b, HOSTS, 2);
    for (uint32_t sw = 0; sw < SWITCHES; sw++)
        ik_builder_link(b, ik_sw(sw, 0), ik_sw((sw + 1) % SWITCHES, 1),
                        slow_links && sw == 2 ? slow : fast);
    for (uint32_t host = 0; host < HOSTS; host++) {
        uint32_t sw = host / 2, port = 2 + host % 2;
        ik_builder_link(b, ik_hs(host, 0), ik_sw(sw, port), slow_hosts && host < 3 ? slow : fast);
        if (several && host % 4 != 1)
            ik_builder_link(b, ik_hs(host, 1), ik_sw((sw + 1) % SWITCHES, 4 + host % 2),
                            slow_hosts && host % 4 == 2 ? slow : fast);
    }
    ik_builder_family(b, "file", "uneven_ring", NULL, 0);
    ik_fabric *f = NULL;
    ik_error err;
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    return f;
}

#endif
