/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.h: what the reader of QoS policies collects, and what it means for pairs of ports. Sets of
 * ports are bits by index of base LIDs of hosts.
 */
#ifndef IKAT_SUBNET_POLICY_H
#define IKAT_SUBNET_POLICY_H

#include "format/scan.h"
#include "ikat/deploy.h"

typedef struct policy_rule {
    uint64_t *source, *dest; /* NULL: any port */
    uint8_t sl;
    bool conditional; /* looks at more than ports */
} policy_rule;

typedef struct policy {
    const ik_lids *lids;
    uint32_t words;
    ik_arena sets; /* the sets of ports; names of hosts */
    name_map group_names, level_names;
    name_map host_names;  /* filled when the first port is named */
    uint32_t *first_port; /* [host_names.num] index of the first base LID of such a host */
    uint32_t *next_port;  /* [lids->num] the next base LID of a host of this name, IK_NONE */
    uint64_t **groups;    /* [group_names.num] */
    uint8_t *levels;      /* [level_names.num] SL */
    policy_rule *rules;
    size_t groups_cap, levels_cap, rules_cap, first_cap;
    uint32_t num_rules;
    uint8_t default_sl;
    ik_policy_matched matched;
} policy;

void policy_init(policy *p, const ik_lids *lids);
void policy_free(policy *p);

/* An empty set; NULL = out of memory. policy_new_group counts it as a group. */
uint64_t *policy_new_set(policy *p);
uint64_t *policy_new_group(policy *p);
/* Puts the ports with GUIDs from first to last in. One GUID that the fabric has not is counted. */
void policy_add_guids(policy *p, uint64_t *set, uint64_t first, uint64_t last);
/* Puts the port of a node in; one that the fabric has not is counted. false = out of memory. */
bool policy_add_name(policy *p, uint64_t *set, slice node, unsigned port);
/* Names: the last definition counts. false = out of memory. */
bool policy_name_group(policy *p, slice name, uint64_t *set);
bool policy_name_level(policy *p, slice name, uint8_t sl);
/* Puts a group's ports in; false = there is no such group. */
bool policy_add_group(policy *p, uint64_t *set, slice name);
bool policy_find_level(const policy *p, slice name, uint8_t *sl);
bool policy_add_rule(policy *p, policy_rule rule);

/* What the rules say of all pairs, see ik_qos_policy_read; fills p->matched. */
ik_status policy_levels(policy *p, const ik_env *env, ik_service_levels *out, ik_error *err);

#endif
