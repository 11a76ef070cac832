/* SPDX-License-Identifier: Apache-2.0
 *
 * fail=, fail_switches=, fail_racks=, fail_trays=: which parts of a fabric have failed.
 */
#ifndef IKAT_FAIL_SPEC_H
#define IKAT_FAIL_SPEC_H

#include "ikat/floor_plan.h"

typedef struct fail_spec {
    const char *text;    /* "3%", "0.03" or "sw12:sw7.3:leaf-4"; NULL = nothing */
    double switch_share; /* of the switches */
    uint64_t seed;
    const char *racks, *trays;  /* "2", "5%", or "r2c13:r1c1", "r2:c13"; NULL = nothing */
    const ik_floor_plan *floor; /* of the fabric; needed for racks and trays alone */
} fail_spec;

/* Whether a text of fail= is a share, which is drawn, and no list. */
bool fail_spec_is_share(const char *text);
/* The port of a switch that "sw7.3", "leaf-4.1" or a GUID with a port's number names; IK_NONE:
 * there is none. item: `length` characters. */
uint32_t fail_spec_find_port(const ik_fabric *f, const char *item, size_t length);
/* A copy of f in which these parts have failed; NULL: only racks and trays are asked for, and none
 * has failed, so that f is as it was. */
ik_status fail_spec_apply(const fail_spec *spec, const ik_fabric *f, ik_fabric **out,
                          ik_error *err);

#endif
