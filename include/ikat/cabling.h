/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/cabling.h: is a fabric cabled as it should be? Its family is recognised, or a plan is given;
 * what differs is named, with the cables to be moved.
 */
#ifndef IKAT_CABLING_H
#define IKAT_CABLING_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

typedef enum ik_cable_work {
    IK_CABLE_MOVE,  /* one end of a cable goes to another port */
    IK_CABLE_SWAP,  /* the ends of two cables are exchanged */
    IK_CABLE_ADD,   /* a cable is missing */
    IK_CABLE_REMOVE /* a cable is one too many */
} ik_cable_work;

/* One piece of work; ports are global port ids of the examined fabric. */
typedef struct ik_cable_change {
    ik_cable_work work;
    uint32_t stays; /* the end that stays; ADD, REMOVE: one end */
    uint32_t from;  /* the other end as it is; ADD: IK_NONE */
    uint32_t to;    /* the port that it should end at; REMOVE: IK_NONE */
    uint32_t other; /* SWAP: the end of the second cable that stays: it goes from `to` to `from` */
    bool blocked;   /* a switch has no free port for it: its ports only name the switches */
} ik_cable_change;

/* What is known of a fabric's cabling. */
typedef struct ik_cabling {
    /* Specification of the family that it was recognised as ("rlft:ports=36,levels=2"), NULL:
     * none, or a plan was given. */
    char *family;
    char *summary;    /* one sentence */
    bool known;       /* there was a plan or a family to compare with */
    bool exact;       /* nothing differs */
    bool by_ports;    /* compared port by port; else by which switches are joined */
    uint64_t missing; /* cables of the plan that are not there */
    uint64_t wrong;   /* cables that the plan does not have */
    uint32_t missing_switches, unknown_switches; /* of the plan; of the fabric */
    ik_cable_change *changes; /* [num_changes] made together they give the plan */
    size_t num_changes;
    /* Texts are owned by this. Codes: "family", "miscabled" (error; warning if more than one cable
     * of 12 does not fit a tree that was recognised), "other-port", "missing-cable",
     * "extra-cable", "missing-switch", "unknown-switch", "missing-host", "unknown-host" (warnings),
     * "name-gap", "odd-cable" (warnings),
     * "unused-ports", "upper-host" (notes), and those of ik_fabric_judge. */
    ik_finding *findings;
    size_t num_findings;
    size_t finding_cap, change_cap; /* private */
    ik_arena arena;                 /* private */
} ik_cabling;

/* Compares a fabric with a plan; plan NULL: with the family that it is recognised as: fat trees
 * (PGFTs, host ports may be empty), complete graphs, hypercubes, meshes, tori, HyperX, dragonflies,
 * Slim Flies; damaged and miscabled ones included, as long as nine of ten cables are where they
 * should be and three of four are there. A family says nothing of which port a cable uses. Nodes of
 * a plan are found by GUID, then by name; if most switches are found so, cables are compared port
 * by port; otherwise switches are found by structure. A family that fabrics cabled at
 * random fit as well is none. Nothing recognised is no error. Free with
 * ik_cabling_free. Cost O(switches * degree^2), a plan with names O(ports log ports). */
ik_status ik_cabling_audit(const ik_fabric *f, const ik_fabric *plan, const ik_env *env,
                           ik_cabling *out, ik_error *err);
void ik_cabling_free(ik_cabling *c);
/* A copy of f with these changes made together; blocked ones are skipped. IK_ERR_USAGE: a port
 * would have two cables. */
ik_status ik_cabling_apply(const ik_fabric *f, const ik_cable_change *changes, size_t num,
                           ik_fabric **out, ik_error *err);

IK_END_DECLS
#endif
