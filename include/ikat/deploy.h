/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/deploy.h: what a subnet manager needs to install a routing, written and read back: QoS
 * policies, maps of service levels to virtual lanes, whole folders for OpenSM; and the way from the
 * tables that are installed to others.
 */
#ifndef IKAT_DEPLOY_H
#define IKAT_DEPLOY_H

#include "ikat/subnet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- service levels */

/* Service levels of a plan whose packets keep the lane of their source and destination: SL = lane.
 * Switches are on SL 0, and so is what does not leave its switch if nothing else fits better.
 * Sources with equal rows are one class, and so are destinations. IK_ERR_UNSUPPORTED: a scheme that
 * ik_vc_deployable refuses, or several starts per pair. Free with ik_service_levels_free. Cost
 * O(hosts^2), O(LIDs) for one lane. */
ik_status ik_service_levels_from_plan(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                      ik_service_levels *out, ik_error *err);
void ik_service_levels_free(ik_service_levels *s);

/* ---- QoS policies of OpenSM (-Q -Y FILE) */

typedef struct ik_policy_size {
    uint32_t source_groups, dest_groups, rules, levels;
    uint64_t bytes;
} ik_policy_size;
/* Writes the policy that gives path records these service levels: one port group per class, one
 * rule for each different pair of (destinations, SL) with all sources that have it; what no rule
 * names is on SL 0. Byte-stable. `size` may be NULL. */
ik_status ik_qos_policy_print(const ik_service_levels *s, FILE *out, ik_policy_size *size,
                              ik_error *err);

/* What a policy had that did not fit the fabric, or that a fabric cannot say. */
typedef struct ik_policy_matched {
    uint32_t groups, rules, levels;
    uint64_t ports;                        /* named ports that the fabric has */
    uint32_t unknown_guids, unknown_names; /* ports that it has not */
    uint64_t first_unknown_guid;           /* 0 if none */
    /* rules and ULP lines that look at service IDs, QoS classes or partitions: taken for rules that
     * do not match */
    uint32_t conditional_rules;
    uint32_t conditional_groups; /* groups by partition other than the default one: without ports */
    unsigned max_sl;             /* the highest SL that a pair of hosts has */
} ik_policy_matched;
/* Reads a QoS policy: port groups (port-guid with ranges, port-name, node-type, pkey, partition),
 * levels (sl), match rules, the first that matches a pair counts; `default` of qos-ulps. Pairs with
 * a switch are on the default level. `matched` may be NULL. IK_ERR_INPUT with the place: unknown
 * words, groups and levels that are not defined, sections that do not end. Free with
 * ik_service_levels_free. */
ik_status ik_qos_policy_read(const ik_lids *lids, const char *path, const ik_env *env,
                             ik_service_levels *out, ik_policy_matched *matched, ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status ik_qos_policy_parse(const ik_lids *lids, const char *text, size_t size, const char *file,
                              ik_service_levels *out, ik_policy_matched *matched, ik_error *err);

/* ---- service levels to virtual lanes */

/* SL i on VL i for i < lanes, others on VL 0; the same at every port. Free with ik_sl2vl_free. */
ik_status ik_sl2vl_make(const ik_fabric *f, unsigned lanes, ik_sl2vl *out, ik_error *err);
void ik_sl2vl_free(ik_sl2vl *v);
/* The lines of opensm.conf that install it: qos, qos_policy_file (if policy is not NULL), and for
 * adapters and switches max_vls, arbitration and sl2vl. */
ik_status ik_sl2vl_conf_print(unsigned lanes, const char *policy, FILE *out, ik_error *err);
/* Reads those lines from an opensm.conf, other lines are passed over: what OpenSM does with them,
 * VLs beyond max_vls wrapped around. *enabled (may be NULL): it says `qos TRUE`; without, or
 * without a map, SL i is on VL i mod 8 as OpenSM's default has it. IK_ERR_INPUT: a map that is not
 * 16 VLs from 0 to 15. */
ik_status ik_sl2vl_conf_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             bool *enabled, ik_error *err);
ik_status ik_sl2vl_conf_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, bool *enabled, ik_error *err);

typedef struct ik_sl2vl_matched {
    uint32_t switches, hosts;                 /* blocks of known ones */
    uint32_t unknown;                         /* blocks of unknown ones */
    uint64_t first_unknown;                   /* GUID, 0 if none */
    uint32_t missing_switches, missing_hosts; /* with a cable and without a block */
    /* (in, out) pairs of connected ports, and of a switch's port 0, without a line: taken for VL 0;
     * those of switches without a block too */
    uint64_t holes;
    uint32_t first_hole_switch; /* IK_NONE if there is none */
    unsigned first_hole_in, first_hole_out;
} ik_sl2vl_matched;
/* Reads what OpenSM dumps (opensm-sl2vl.dump), line by line. `matched` may be NULL. IK_ERR_INPUT
 * with the place: lines that are none, VLs beyond 15, ports that a switch has not, no known switch.
 */
ik_status ik_sl2vl_dump_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             ik_sl2vl_matched *matched, ik_error *err);
ik_status ik_sl2vl_dump_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, ik_sl2vl_matched *matched, ik_error *err);

#ifdef __cplusplus
}
#endif
#endif
