/* SPDX-License-Identifier: Apache-2.0
 *
 * fail=, fail_switches=: which links and switches of a fabric have failed.
 */
#ifndef IKAT_FAIL_SPEC_H
#define IKAT_FAIL_SPEC_H

#include "ikat/fabric.h"

typedef struct fail_spec {
    const char *text;    /* "3%", "0.03" or "sw12:sw7.3:leaf-4"; NULL = nothing */
    double switch_share; /* of the switches */
    uint64_t seed;
} fail_spec;

/* Whether a text of fail= is a share, which is drawn, and no list. */
bool fail_spec_is_share(const char *text);
/* The port of a switch that "sw7.3", "leaf-4.1" or a GUID with a port's number names; IK_NONE:
 * there is none. item: `length` characters. */
uint32_t fail_spec_find_port(const ik_fabric *f, const char *item, size_t length);
/* A copy of f in which these parts have failed. */
ik_status fail_spec_apply(const fail_spec *spec, const ik_fabric *f, ik_fabric **out,
                          ik_error *err);

#endif
