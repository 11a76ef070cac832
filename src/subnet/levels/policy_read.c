/* SPDX-License-Identifier: Apache-2.0
 *
 * policy_read.c: QoS policies of OpenSM, as far as they decide on the SL of a pair of ports.
 *
 * A section is a word, its blocks and `end-` with the word; a block has lines KEY: VALUE. Groups
 * and levels stand before what names them, as OpenSM wants it. What the rules make of pairs is
 * worked out in policy_levels.c. */
#include "subnet/levels/policy.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines */

typedef struct parser {
    scan s;
    policy *p;
    slice key, value; /* of the line: KEY: VALUE; without ':' all of it is the key */
    bool has_value, more;
    ik_error *err;
} parser;

static slice policy_read_trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (slice){at, (size_t)(end - at)};
}

static char policy_read_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static bool policy_read_is_text(slice s, const char *word)
{
    if (s.length != strlen(word))
        return false;
    for (size_t i = 0; i < s.length; i++)
        if (policy_read_lower(s.at[i]) != policy_read_lower(word[i]))
            return false;
    return true;
}

/* Goes to the next line that is more than a comment. */
static void policy_read_next_line(parser *r)
{
    while ((r->more = scan_line(&r->s))) {
        const char *mark = memchr(r->s.at, '#', (size_t)(r->s.end - r->s.at));
        slice line = policy_read_trimmed(r->s.at, mark ? mark : r->s.end);
        if (line.length == 0)
            continue;
        const char *colon = memchr(line.at, ':', line.length), *end = line.at + line.length;
        r->has_value = colon != NULL;
        r->key = policy_read_trimmed(line.at, colon ? colon : end);
        r->value = policy_read_trimmed(colon ? colon + 1 : end, end);
        r->s.at = line.at;
        return;
    }
}

/* At the value of the line, or at an item of it. */
static ik_status policy_read_fail_at(parser *r, const char *at, const char *text)
{
    r->s.at = at;
    return scan_fail(&r->s, r->err, "expected %s", text);
}

/* Moves to the next line of a block or section; *ended: it is the word that ends it. */
static ik_status policy_read_next_in(parser *r, const char *end, bool *ended)
{
    policy_read_next_line(r);
    *ended = r->more && !r->has_value && policy_read_is_text(r->key, end);
    if (r->more)
        return IK_OK;
    ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, r->s.line, 0, "the file ends without '%s'", end);
    return ik_hint(r->err, IK_ERR_INPUT, "the file seems to be cut off");
}

/* The next item of a list: items are separated by commas. */
static bool policy_read_next_item(const char **at, const char *end, slice *item)
{
    if (*at > end)
        return false;
    const char *comma = memchr(*at, ',', (size_t)(end - *at)), *stop = comma ? comma : end;
    *item = policy_read_trimmed(*at, stop);
    *at = stop + 1;
    return true;
}

static bool policy_read_sl(parser *r, uint64_t *sl)
{
    scan value = r->s;
    value.at = r->value.at;
    value.end = r->value.at + r->value.length;
    return scan_uint(&value, IK_NUM_SLS - 1, sl) && scan_at_end(&value);
}

/* ---- port groups */

static bool policy_read_guid(const parser *r, slice text, uint64_t *guid, uint64_t *last)
{
    scan s = r->s;
    s.at = text.at;
    s.end = text.at + text.length;
    if (!scan_hex(&s, guid))
        return false;
    *last = *guid;
    scan_blanks(&s);
    if (scan_char(&s, '-')) {
        scan_blanks(&s);
        if (!scan_hex(&s, last) || *last < *guid)
            return false;
    }
    return scan_at_end(&s);
}

static ik_status read_guids(parser *r, uint64_t *bits)
{
    const char *at = r->value.at, *end = at + r->value.length;
    slice item;
    while (policy_read_next_item(&at, end, &item)) {
        uint64_t guid = 0, last = 0;
        if (!policy_read_guid(r, item, &guid, &last))
            return policy_read_fail_at(r, item.at, "a port GUID, or two with '-' between them");
        policy_add_guids(r->p, bits, guid, last);
    }
    return IK_OK;
}

/* Ports by name: NODE/P1. */
static ik_status read_names(parser *r, uint64_t *bits)
{
    const char *at = r->value.at, *end = at + r->value.length;
    slice item;
    while (policy_read_next_item(&at, end, &item)) {
        size_t slash = item.length;
        while (slash > 0 && item.at[slash - 1] != '/')
            slash--;
        uint64_t number = 0;
        scan s = r->s;
        s.at = item.at + slash + (slash < item.length);
        s.end = item.at + item.length;
        if (slash < 2 || slash == item.length || policy_read_lower(item.at[slash]) != 'p' ||
            !scan_uint(&s, 255, &number) || s.at != s.end)
            return policy_read_fail_at(r, item.at, "the name of a port, NODE/P1");
        if (!policy_add_name(r->p, bits, (slice){item.at, slash - 1}, (unsigned)number))
            return ik_fail_memory(r->err, (size_t)r->p->lids->num * 4, "names of hosts");
    }
    return IK_OK;
}

static ik_status read_types(parser *r, uint64_t *bits, bool *conditional)
{
    const char *at = r->value.at, *end = at + r->value.length;
    slice item;
    while (policy_read_next_item(&at, end, &item))
        if (policy_read_is_text(item, "ALL") || policy_read_is_text(item, "CA"))
            policy_add_guids(r->p, bits, 0, UINT64_MAX);
        else if (policy_read_is_text(item, "SELF"))
            *conditional = true; /* the subnet manager's port */
        else if (!policy_read_is_text(item, "SWITCH") && !policy_read_is_text(item, "ROUTER"))
            return policy_read_fail_at(r, item.at, "a node type: ALL, CA, SWITCH, ROUTER or SELF");
    return IK_OK;
}

/* Every port is in the default partition; the fabric says of no other who is. */
static void read_partitions(parser *r, uint64_t *bits, bool *conditional)
{
    const char *at = r->value.at, *end = at + r->value.length;
    slice item;
    while (policy_read_next_item(&at, end, &item))
        if (policy_read_is_text(item, "0x7fff") || policy_read_is_text(item, "0xffff") ||
            policy_read_is_text(item, "Default"))
            policy_add_guids(r->p, bits, 0, UINT64_MAX);
        else
            *conditional = true;
}

static ik_status policy_read_group(parser *r)
{
    bool ended = false, conditional = false;
    slice name = {0};
    uint64_t *bits = policy_new_group(r->p);
    unsigned line = r->s.line;
    if (!bits)
        return ik_fail_memory(r->err, (size_t)r->p->words * 8, "a QoS policy");
    for (;;) {
        ik_status status = policy_read_next_in(r, "end-port-group", &ended);
        if (status != IK_OK || ended)
            break;
        if (policy_read_is_text(r->key, "name"))
            name = r->value;
        else if (policy_read_is_text(r->key, "port-guid"))
            status = read_guids(r, bits);
        else if (policy_read_is_text(r->key, "port-name"))
            status = read_names(r, bits);
        else if (policy_read_is_text(r->key, "node-type"))
            status = read_types(r, bits, &conditional);
        else if (policy_read_is_text(r->key, "pkey") || policy_read_is_text(r->key, "partition"))
            read_partitions(r, bits, &conditional);
        else if (!policy_read_is_text(r->key, "use"))
            status = policy_read_fail_at(
                r, r->key.at,
                "name, use, port-guid, port-name, node-type, pkey, partition or "
                "end-port-group");
        if (status != IK_OK)
            return status;
    }
    if (!ended)
        return IK_ERR_INPUT;
    if (name.length == 0)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, line, 1, "a port group without a name");
    r->p->matched.conditional_groups += conditional;
    return policy_name_group(r->p, name, bits) ? IK_OK : ik_fail_memory(r->err, 64, "a QoS policy");
}

/* ---- levels */

static ik_status read_level(parser *r)
{
    bool ended = false;
    slice name = {0};
    uint64_t sl = 0;
    unsigned line = r->s.line;
    for (;;) {
        ik_status status = policy_read_next_in(r, "end-qos-level", &ended);
        if (status != IK_OK || ended)
            break;
        if (policy_read_is_text(r->key, "name"))
            name = r->value;
        else if (policy_read_is_text(r->key, "sl") && !policy_read_sl(r, &sl))
            status = policy_read_fail_at(r, r->value.at, "a service level from 0 to 15");
        else if (!r->has_value)
            status = policy_read_fail_at(r, r->key.at, "KEY: VALUE or end-qos-level");
        if (status != IK_OK)
            return status;
    }
    if (!ended)
        return IK_ERR_INPUT;
    if (name.length == 0)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, line, 1, "a QoS level without a name");
    if (policy_read_is_text(name, "default"))
        r->p->default_sl = (uint8_t)sl;
    return policy_name_level(r->p, name, (uint8_t)sl) ? IK_OK
                                                      : ik_fail_memory(r->err, 64, "a QoS policy");
}

/* ---- rules */

static ik_status policy_read_groups(parser *r, uint64_t *bits)
{
    const char *at = r->value.at, *end = at + r->value.length;
    slice item;
    while (policy_read_next_item(&at, end, &item))
        if (!policy_add_group(r->p, bits, item))
            return policy_read_fail_at(r, item.at,
                                       "the name of a port group that is defined above");
    return IK_OK;
}

/* One line of a rule. */
static ik_status read_condition(parser *r, policy_rule *rule, bool *has_level)
{
    if (policy_read_is_text(r->key, "source") || policy_read_is_text(r->key, "destination")) {
        uint64_t **bits = policy_read_is_text(r->key, "source") ? &rule->source : &rule->dest;
        if (!*bits && !(*bits = policy_new_set(r->p)))
            return ik_fail_memory(r->err, (size_t)r->p->words * 8, "a QoS policy");
        return policy_read_groups(r, *bits);
    }
    if (policy_read_is_text(r->key, "qos-level-name")) {
        *has_level = policy_find_level(r->p, r->value, &rule->sl);
        return *has_level ? IK_OK
                          : policy_read_fail_at(r, r->value.at,
                                                "the name of a QoS level that is defined above");
    }
    if (policy_read_is_text(r->key, "qos-class") || policy_read_is_text(r->key, "service-id") ||
        policy_read_is_text(r->key, "pkey"))
        rule->conditional = true;
    else if (!policy_read_is_text(r->key, "use"))
        return policy_read_fail_at(
            r, r->key.at,
            "source, destination, qos-level-name, qos-class, service-id, pkey, use or "
            "end-qos-match-rule");
    return IK_OK;
}

static ik_status policy_read_rule(parser *r)
{
    bool ended = false, has_level = false;
    policy_rule rule = {0};
    unsigned line = r->s.line;
    for (;;) {
        ik_status status = policy_read_next_in(r, "end-qos-match-rule", &ended);
        if (status == IK_OK && !ended)
            status = read_condition(r, &rule, &has_level);
        if (status != IK_OK)
            return status;
        if (ended)
            break;
    }
    if (!has_level)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, line, 1,
                          "a rule without qos-level-name");
    return policy_add_rule(r->p, rule) ? IK_OK : ik_fail_memory(r->err, 64, "a QoS policy");
}

/* ---- sections */

/* Shares by protocol: but for the default they look at more than ports. */
static ik_status policy_read_ulps(parser *r)
{
    for (;;) {
        bool ended = false;
        uint64_t sl = 0;
        ik_status status = policy_read_next_in(r, "end-qos-ulps", &ended);
        if (status != IK_OK || ended)
            return status;
        if (!policy_read_is_text(r->key, "default"))
            r->p->matched.conditional_rules++;
        else if (!policy_read_sl(r, &sl))
            return policy_read_fail_at(r, r->value.at, "a service level from 0 to 15");
        else
            r->p->default_sl = (uint8_t)sl;
    }
}

static ik_status policy_read_pass_over(parser *r, const char *end)
{
    bool ended = false;
    ik_status status = IK_OK;
    while (status == IK_OK && !ended)
        status = policy_read_next_in(r, end, &ended);
    return status;
}

typedef ik_status (*block_fn)(parser *r);
static ik_status policy_read_blocks(parser *r, const char *block, const char *end, block_fn read)
{
    for (;;) {
        bool ended = false;
        ik_status status = policy_read_next_in(r, end, &ended);
        if (status != IK_OK || ended)
            return status;
        if (!policy_read_is_text(r->key, block) || r->has_value) {
            char text[80];
            snprintf(text, sizeof text, "'%s' or '%s'", block, end);
            return policy_read_fail_at(r, r->key.at, text);
        }
        status = read(r);
        if (status != IK_OK)
            return status;
    }
}

static ik_status policy_read_section(parser *r)
{
    if (!r->has_value && policy_read_is_text(r->key, "port-groups"))
        return policy_read_blocks(r, "port-group", "end-port-groups", policy_read_group);
    if (!r->has_value && policy_read_is_text(r->key, "qos-levels"))
        return policy_read_blocks(r, "qos-level", "end-qos-levels", read_level);
    if (!r->has_value && policy_read_is_text(r->key, "qos-match-rules"))
        return policy_read_blocks(r, "qos-match-rule", "end-qos-match-rules", policy_read_rule);
    if (!r->has_value && policy_read_is_text(r->key, "qos-ulps"))
        return policy_read_ulps(r);
    if (!r->has_value && policy_read_is_text(r->key, "qos-setup"))
        return policy_read_pass_over(r, "end-qos-setup");
    return policy_read_fail_at(
        r, r->key.at, "a section: qos-ulps, port-groups, qos-setup, qos-levels or qos-match-rules");
}

static ik_status parse_policy(const ik_lids *lids, const ik_env *env, const char *text, size_t size,
                              const char *file, ik_service_levels *out, ik_policy_matched *matched,
                              ik_error *err)
{
    policy p;
    ik_status status = ik_text_begin(&text, &size, file, err);
    if (status != IK_OK)
        return status;
    policy_init(&p, lids);
    parser r = {.s = scan_text(text, size, file), .p = &p, .err = err};
    bool any = false;
    for (policy_read_next_line(&r); status == IK_OK && r.more; policy_read_next_line(&r)) {
        status = policy_read_section(&r);
        any = true;
        if (status != IK_OK)
            break;
    }
    if (status == IK_OK && !any)
        status = ik_fail_at(err, IK_ERR_INPUT, file, 1, 1, "no section of a QoS policy");
    if (status == IK_OK)
        status = policy_levels(&p, env, out, err);
    if (status == IK_OK && matched)
        *matched = p.matched;
    policy_free(&p);
    return status;
}

ik_status ik_qos_policy_parse(const ik_lids *lids, const char *text, size_t size, const char *file,
                              ik_service_levels *out, ik_policy_matched *matched, ik_error *err)
{
    return parse_policy(lids, NULL, text, size, file, out, matched, err);
}

ik_status ik_qos_policy_read(const ik_lids *lids, const char *path, const ik_env *env,
                             ik_service_levels *out, ik_policy_matched *matched, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(path, 1ULL << 30, &text, &size, err);
    if (status == IK_OK)
        status = parse_policy(lids, env, text, size, path, out, matched, err);
    free(text);
    return status;
}
