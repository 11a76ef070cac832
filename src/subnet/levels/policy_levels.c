/* SPDX-License-Identifier: Apache-2.0
 *
 * policy_levels.c: see policy.h.
 *
 * Ports that no rule tells apart are one class: the classes are split rule by rule. The SL of a
 * pair of classes is that of the first rule that has both, found by the bits of their rules. */
#include "base/array.h"
#include "subnet/levels/policy.h"

#include <stdlib.h>
#include <string.h>

void policy_init(policy *p, const ik_lids *lids)
{
    *p = (policy){.lids = lids, .words = lids->num / 64 + 1};
}

void policy_free(policy *p)
{
    ik_arena_free(&p->sets);
    name_map_free(&p->group_names);
    name_map_free(&p->level_names);
    name_map_free(&p->host_names);
    free(p->first_port);
    free(p->next_port);
    free(p->groups);
    free(p->levels);
    free(p->rules);
}

uint64_t *policy_new_set(policy *p)
{
    return ik_arena_alloc(&p->sets, p->words * sizeof(uint64_t));
}

uint64_t *policy_new_group(policy *p)
{
    p->matched.groups++;
    return policy_new_set(p);
}

static bool policy_levels_is_host(const ik_lids *lids, uint32_t i)
{
    return lids->of[i].port != IK_NONE && lids->of[i].path == 0;
}

static void policy_levels_put(policy *p, uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ULL << (i % 64);
    p->matched.ports++;
}

void policy_add_guids(policy *p, uint64_t *set, uint64_t first, uint64_t last)
{
    uint32_t found = first == last ? ik_lids_find_guid(p->lids, first) : IK_NONE;
    if (first == last && found != IK_NONE && policy_levels_is_host(p->lids, found)) {
        policy_levels_put(p, set, found);
    } else if (first == last) {
        if (found == IK_NONE && p->matched.unknown_guids++ == 0)
            p->matched.first_unknown_guid = first;
    } else {
        for (uint32_t i = 0; i < p->lids->num; i++)
            if (policy_levels_is_host(p->lids, i) && p->lids->of[i].guid >= first &&
                p->lids->of[i].guid <= last)
                policy_levels_put(p, set, i);
    }
}

/* Ports of hosts by the names of their nodes, those of one name ascending by LID. */
static bool policy_levels_index_hosts(policy *p)
{
    char buffer[300];
    p->next_port = ik_calloc((size_t)p->lids->num + 1, sizeof *p->next_port);
    for (uint32_t i = p->next_port ? p->lids->num : 0; i-- > 0;) {
        if (!policy_levels_is_host(p->lids, i))
            continue;
        ik_node_name(p->lids->fabric, p->lids->of[i].node, buffer, sizeof buffer);
        const char *name = ik_arena_strdup(&p->sets, buffer);
        bool is_new = false;
        uint32_t number =
            name ? name_map_add(&p->host_names, (slice){name, strlen(name)}, &is_new) : IK_NONE;
        if (number == IK_NONE || !IK_ARRAY_ROOM(p->first_port, p->first_cap, number + 1))
            return false;
        p->next_port[i] = is_new ? IK_NONE : p->first_port[number];
        p->first_port[number] = i;
    }
    return p->next_port != NULL;
}

bool policy_add_name(policy *p, uint64_t *set, slice node, unsigned port)
{
    if (!p->next_port && !policy_levels_index_hosts(p))
        return false;
    uint32_t number = p->host_names.num ? name_map_find(&p->host_names, node) : IK_NONE;
    uint32_t i = number == IK_NONE ? IK_NONE : p->first_port[number];
    while (i != IK_NONE && ik_port_number(p->lids->fabric, p->lids->of[i].port) != port)
        i = p->next_port[i];
    if (i == IK_NONE)
        p->matched.unknown_names++;
    else
        policy_levels_put(p, set, i);
    return true;
}

bool policy_name_group(policy *p, slice name, uint64_t *set)
{
    bool is_new = false;
    uint32_t number = name_map_add(&p->group_names, name, &is_new);
    if (number == IK_NONE || !IK_ARRAY_ROOM(p->groups, p->groups_cap, number + 1))
        return false;
    p->groups[number] = set;
    return true;
}

bool policy_name_level(policy *p, slice name, uint8_t sl)
{
    bool is_new = false;
    uint32_t number = name_map_add(&p->level_names, name, &is_new);
    if (number == IK_NONE || !IK_ARRAY_ROOM(p->levels, p->levels_cap, number + 1))
        return false;
    p->levels[number] = sl;
    p->matched.levels += is_new;
    return true;
}

bool policy_add_group(policy *p, uint64_t *set, slice name)
{
    uint32_t number = p->group_names.num ? name_map_find(&p->group_names, name) : IK_NONE;
    if (number == IK_NONE)
        return false;
    for (uint32_t w = 0; w < p->words; w++)
        set[w] |= p->groups[number][w];
    return true;
}

bool policy_find_level(const policy *p, slice name, uint8_t *sl)
{
    uint32_t number = p->level_names.num ? name_map_find(&p->level_names, name) : IK_NONE;
    if (number == IK_NONE)
        return false;
    *sl = p->levels[number];
    return true;
}

bool policy_add_rule(policy *p, policy_rule rule)
{
    p->matched.rules++;
    p->matched.conditional_rules += rule.conditional;
    if (rule.conditional)
        return true;
    if (!IK_ARRAY_ROOM(p->rules, p->rules_cap, (size_t)p->num_rules + 1))
        return false;
    p->rules[p->num_rules++] = rule;
    return true;
}

/* ---- classes */

static bool policy_levels_has(const policy *p, uint32_t i, const uint64_t *set)
{
    return p->lids->of[i].port != IK_NONE && (!set || set[i / 64] >> (i % 64) & 1);
}

static const uint64_t *policy_levels_set_of(const policy_rule *rule, bool source)
{
    return source ? rule->source : rule->dest;
}

/* Splits the classes by one set: class_of[i] of base LIDs. fresh: scratch [num classes]. */
static uint32_t policy_levels_split(const policy *p, const uint64_t *set, uint32_t *class_of,
                                    uint32_t num, uint32_t *fresh, uint32_t *size, uint32_t *inside)
{
    uint32_t made = num;
    for (uint32_t c = 0; c < num; c++) {
        size[c] = inside[c] = 0;
        fresh[c] = IK_NONE;
    }
    for (uint32_t i = 0; i < p->lids->num; i++) {
        if (p->lids->of[i].path)
            continue;
        size[class_of[i]]++;
        inside[class_of[i]] += policy_levels_has(p, i, set);
    }
    for (uint32_t i = 0; i < p->lids->num; i++) {
        uint32_t c = class_of[i];
        if (p->lids->of[i].path || !policy_levels_has(p, i, set) || inside[c] == size[c])
            continue;
        if (fresh[c] == IK_NONE)
            fresh[c] = made++;
        class_of[i] = fresh[c];
    }
    return made;
}

/* Classes of sources or destinations, and the rules of each: bits [classes][rule words]. */
static ik_status policy_levels_classify(const policy *p, bool source, const ik_env *env,
                                        uint32_t *class_of, uint32_t *num, uint64_t **bits,
                                        ik_error *err)
{
    size_t n = p->lids->num + (size_t)1, words = p->num_rules / 64 + 1;
    uint32_t *scratch = ik_calloc(n, 3 * sizeof *scratch);
    ik_status status = scratch ? IK_OK : ik_fail_memory(err, n * 12, "a QoS policy");
    *num = 1;
    for (uint32_t r = 0; status == IK_OK && r < p->num_rules; r++) {
        const uint64_t *set = policy_levels_set_of(&p->rules[r], source);
        if (r == 0 || set != policy_levels_set_of(&p->rules[r - 1], source))
            *num =
                policy_levels_split(p, set, class_of, *num, scratch, scratch + n, scratch + 2 * n);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    free(scratch);
    if (status == IK_OK)
        status = ik_env_refuse_bytes(env, 8.0 * *num * (double)words, "a QoS policy", err);
    if (status != IK_OK)
        return status;
    *bits = ik_calloc(*num, words * sizeof **bits);
    bool *done = ik_calloc(*num, sizeof *done);
    for (uint32_t i = 0; done && *bits && i < p->lids->num; i++) {
        uint64_t *row = *bits + class_of[i] * words;
        for (uint32_t r = 0; p->lids->of[i].path == 0 && !done[class_of[i]] && r < p->num_rules;
             r++)
            if (policy_levels_has(p, i, policy_levels_set_of(&p->rules[r], source)))
                row[r / 64] |= 1ULL << (r % 64);
        done[class_of[i]] |= p->lids->of[i].path == 0;
    }
    bool room = done && *bits;
    free(done);
    return room ? IK_OK : ik_fail_memory(err, *num * words * 8, "a QoS policy");
}

static uint8_t policy_levels_first_match(const policy *p, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t w = 0; w < p->num_rules / 64 + 1; w++)
        if (a[w] & b[w])
            return p->rules[w * 64 + (uint32_t)__builtin_ctzll(a[w] & b[w])].sl;
    return p->default_sl;
}

static void policy_levels_fill_levels(policy *p, const uint64_t *sources, const uint64_t *dests,
                                      ik_service_levels *s)
{
    size_t words = p->num_rules / 64 + 1;
    for (uint32_t a = 0; a < s->num_sources; a++)
        for (uint32_t b = 0; b < s->num_dests; b++)
            s->sl[(size_t)a * s->num_dests + b] =
                policy_levels_first_match(p, sources + a * words, dests + b * words);
    for (uint32_t i = 0; i < p->lids->num; i++)
        if (p->lids->of[i].path) { /* the LIDs of a port follow its base LID */
            s->source_of[i] = s->source_of[i - 1];
            s->dest_of[i] = s->dest_of[i - 1];
        }
}

/* The highest SL of a pair. */
static unsigned policy_levels_highest(const ik_service_levels *s)
{
    unsigned most = 0;
    for (uint32_t c = 0; c < s->num_sources * (size_t)s->num_dests; c++)
        most = s->sl[c] > most ? s->sl[c] : most;
    return most;
}

ik_status policy_levels(policy *p, const ik_env *env, ik_service_levels *out, ik_error *err)
{
    ik_service_levels s = {.lids = p->lids};
    uint64_t *sources = NULL, *dests = NULL;
    size_t n = (size_t)p->lids->num + 1;
    s.source_of = ik_calloc(n, sizeof *s.source_of);
    s.dest_of = ik_calloc(n, sizeof *s.dest_of);
    ik_status status =
        s.source_of && s.dest_of ? IK_OK : ik_fail_memory(err, n * 8, "service levels");
    if (status == IK_OK)
        status = policy_levels_classify(p, true, env, s.source_of, &s.num_sources, &sources, err);
    if (status == IK_OK)
        status = policy_levels_classify(p, false, env, s.dest_of, &s.num_dests, &dests, err);
    if (status == IK_OK)
        status =
            ik_env_refuse_bytes(env, (double)s.num_sources * s.num_dests, "service levels", err);
    if (status == IK_OK) {
        s.sl = ik_calloc(s.num_sources, s.num_dests);
        if (!s.sl)
            status = ik_fail_memory(err, (size_t)s.num_sources * s.num_dests, "service levels");
    }
    if (status == IK_OK) {
        policy_levels_fill_levels(p, sources, dests, &s);
        p->matched.max_sl = policy_levels_highest(&s);
        *out = s;
    } else {
        ik_service_levels_free(&s);
    }
    free(sources);
    free(dests);
    return status;
}
