/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/floor_plan.h: where the switches and hosts of a fabric stand, in which racks on which floor,
 * and how long each cable is. docs/designing.md describes the rules and how lengths are counted.
 */
#ifndef IKAT_FLOOR_PLAN_H
#define IKAT_FLOOR_PLAN_H

#include "ikat/fabric.h"
#include "ikat/json.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* A floor: rows of racks, trays for cables above every row and, across the rows, above every
 * column. */
typedef struct ik_floor_rules {
    uint32_t rack_units, switch_units, host_units; /* heights, in rack units */
    uint32_t rows, row_racks;                      /* most of them; 0: as many as needed */
    uint32_t rack_width_mm, row_pitch_mm;          /* between neighbours of a row, between rows */
    uint32_t tray_mm;                              /* from the top of a rack up to the tray */
    uint32_t slack_mm;                             /* of each cable, both ends together */
    uint32_t step_mm;                              /* cables are bought in multiples of this */
    uint32_t copper_mm;                            /* longer cables are optical */
} ik_floor_rules;
/* The rules that stand in a file, in YAML, and the defaults of all others; path NULL: the defaults.
 * IK_ERR_INPUT with line and column: unknown keys, values out of range. */
ik_status ik_floor_rules_read(const char *path, ik_floor_rules *out, ik_error *err);

typedef struct ik_rack {
    uint32_t row, column; /* from 0 */
    uint32_t switches, hosts;
    uint32_t used_units;
} ik_rack;
typedef enum ik_cable_kind { IK_CABLE_COPPER, IK_CABLE_OPTICAL, IK_NUM_CABLE_KINDS } ik_cable_kind;

/* Every node stands in one rack, on units of its own: used_units <= rack_units, and no two racks
 * have the same place. */
typedef struct ik_floor_plan {
    ik_floor_rules rules;
    uint32_t num_switches, num_hosts; /* of the fabric */
    uint32_t planes;                  /* equal switches that stand where the fabric has one */
    uint32_t rows, row_racks;         /* of the floor that is used */
    uint32_t num_racks;
    ik_rack *racks;      /* [num_racks] by row and column */
    uint32_t *node_rack; /* [nodes] */
    uint32_t *node_unit; /* [nodes] the lowest of its units, 1 is at the floor */
    /* of all planes: number of cables by kind, and their length as they are bought */
    uint64_t cables[IK_NUM_CABLE_KINDS], length_mm[IK_NUM_CABLE_KINDS];
    uint64_t longest_mm;
    uint64_t inside_racks; /* cables that stay in their rack */
    /* lengths of all cables of one plane before they are rounded up: as the family stands, and
     * after the search */
    uint64_t first_mm, found_mm;
} ik_floor_plan;

/* Stands a fabric on a floor: in the order that its family declares (ik_topology.racking), then
 * improved by exchanges of racks, and of switches with equally many hosts, as long as they shorten
 * the cables. Always the same for the same fabric and rules. planes: as many equal networks share
 * the hosts; their switches stand together (1 = the fabric alone).
 * IK_ERR_INPUT: a node is higher than a rack, or the floor has too few places; IK_ERR_MEMORY,
 * IK_ERR_CANCELLED. Cost: O(ports) and a search of at most a few seconds. Memory: some 60 bytes per
 * port. Free with ik_floor_plan_free. */
ik_status ik_floor_plan_make(const ik_fabric *f, const ik_floor_rules *rules, uint32_t planes,
                             const ik_env *env, ik_floor_plan **out, ik_error *err);
void ik_floor_plan_free(ik_floor_plan *plan);
/* Length of the cable at a connected port, from either end: exact, without rounding; and as it is
 * bought. Cost O(1). */
uint64_t ik_floor_route_mm(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port);
uint64_t ik_floor_cable_mm(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port);
/* What kind a cable of this length is. */
ik_cable_kind ik_floor_cable_kind(const ik_floor_plan *plan, uint64_t cable_mm);
/* "r2c13": the rack in row 2, place 13 of it, from 1. Returns buffer (32 bytes do). */
char *ik_rack_name(const ik_rack *rack, char *buffer, size_t size);
/* The rack of this name, of `length` characters; IK_NONE: the plan has none. Cost O(racks). */
uint32_t ik_floor_find_rack(const ik_floor_plan *plan, const char *name, size_t length);

/* Trays have numbers below rows + row_racks: first those above the rows, then those that cross the
 * rows, above each place. A cable between two racks lies in the tray above the row of the end whose
 * row comes first, as far as the place of the other end; from there the tray across the rows leads
 * to the other row. A cable in one rack lies in none. */
/* "r2": the tray above row 2; "c13": the one across the rows above place 13. Rack r2c13 is where
 * both cross. Returns buffer (32 bytes do). */
char *ik_tray_name(const ik_floor_plan *plan, uint32_t tray, char *buffer, size_t size);
/* The tray of this name, of `length` characters; IK_NONE: the floor has none. Cost O(1). */
uint32_t ik_floor_find_tray(const ik_floor_plan *plan, const char *name, size_t length);
/* The trays in which the cable at a connected port lies, the same from either end: returns how many
 * of trays[] these are. Cost O(1). */
unsigned ik_floor_cable_trays(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port,
                              uint32_t trays[2]);
/* The cables as CSV, one per row, by rack and unit: what a person needs to pull them, in columns of
 * which format netbox reads those that make the fabric. IK_ERR_UNSUPPORTED: two nodes have the same
 * name, so that a list of names does not tell them apart. Cost O(cables log cables). */
ik_status ik_floor_plan_list_cables(const ik_floor_plan *plan, const ik_fabric *f, FILE *out,
                                    ik_error *err);
/* The sums as members of the object that is open in j: rows, racks, cables, metres. Errors are kept
 * in j. */
void ik_floor_plan_json(const ik_floor_plan *plan, ik_json *j);
/* The racks as one more member, "contents": of each, by row and column, an array of both, its used
 * units, and the ranges of switches and of hosts in it, as first and last number of each.
 * IK_ERR_MEMORY. Cost O(nodes). */
ik_status ik_floor_racks_json(const ik_floor_plan *plan, ik_json *j, ik_error *err);

IK_END_DECLS
#endif
