/* SPDX-License-Identifier: Apache-2.0
 *
 * fail_racks=, fail_trays=: which racks and trays of a floor plan have failed, and what with them.
 */
#ifndef IKAT_FAIL_FLOOR_H
#define IKAT_FAIL_FLOOR_H

#include "ikat/floor_plan.h"

/* What a text of fail_racks= or fail_trays= says. */
typedef enum fail_floor_way {
    FAIL_FLOOR_NONE,   /* empty */
    FAIL_FLOOR_NUMBER, /* "2", drawn */
    FAIL_FLOOR_SHARE,  /* "5%", drawn */
    FAIL_FLOOR_NAMES   /* "r2c13:r1c1" */
} fail_floor_way;
fail_floor_way fail_floor_read(const char *text);
/* Whether it is a number or a share. */
bool fail_floor_is_drawn(const char *text);

/* Racks or trays of a plan, and those that have failed. */
typedef struct fail_floor_parts {
    const char *key; /* of the parameter: "fail_racks", "fail_trays" */
    const char *one; /* "rack" */
    uint32_t *items; /* [num] numbers of racks or trays; the chosen ones come first */
    size_t num, chosen;
    bool *failed; /* by number */
} fail_floor_parts;

/* The racks of a plan, or the trays of it that have a cable, of which those that `text` says are
 * chosen. Free with fail_floor_free. IK_ERR_USAGE: there is no such rack or tray, or there are too
 * few. */
ik_status fail_floor_choose_racks(const ik_floor_plan *plan, const char *text, uint64_t seed,
                                  fail_floor_parts *out, ik_error *err);
ik_status fail_floor_choose_trays(const ik_floor_plan *plan, const ik_fabric *f, const char *text,
                                  uint64_t seed, fail_floor_parts *out, ik_error *err);
void fail_floor_free(fail_floor_parts *p);
/* Behind the *num switches and ports: the switches of the chosen racks, and a port of each cable of
 * a host in them, [num_switches] and [num_ports] at most; a port of each cable in the chosen trays,
 * [num_ports / 2] at most. */
void fail_floor_add_racks(const ik_floor_plan *plan, const ik_fabric *f,
                          const fail_floor_parts *racks, uint32_t *switches, size_t *num_switches,
                          uint32_t *ports, size_t *num_ports);
void fail_floor_add_trays(const ik_floor_plan *plan, const ik_fabric *f,
                          const fail_floor_parts *trays, uint32_t *ports, size_t *num_ports);

#endif
