/* SPDX-License-Identifier: Apache-2.0
 *
 * mapping.c: see mapping.h.
 *
 * A set of hosts in order, from the parameter or from a file, is put in the order of the rule; the
 * processes are on the first of them. */
#include "traffic/workload/mapping.h"

#include "base/array.h"
#include "base/spec_print.h"
#include "traffic/host_names.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_FILE, RULE_LINEAR, RULE_RANDOM, RULE_BY_LEAF, RULE_BY_POD }; /* ik_params_word */

/* Of random numbers: apart from those that patterns draw. */
#define MAPPING_ENTITY (UINT64_C(1) << 40)

typedef struct host_set {
    const ik_fabric *f;
    const char *owner;
    uint32_t *host; /* [num], room for all hosts */
    size_t num;
    unsigned
        *line; /* [num_hosts] where in the file, or 1, + 1 once a host is in the set; 0 = not */
    const char *path; /* the file, borrowed, and its last line; NULL = the set is from none */
    unsigned last_line;
} host_set;

void mapping_free(mapping *m)
{
    free(m->host);
    *m = (mapping){0};
}

/* ---- the set by the parameter */

static ik_status mapping_refuse_range(const host_set *s, uint32_t host, ik_error *err)
{
    ik_about(err, ik_fail(err, IK_ERR_USAGE, "%s, 'hosts': there is no host %u", s->owner, host),
             "hosts");
    return ik_hint(err, IK_ERR_USAGE, "the fabric has %s, numbered from 0",
                   IK_COUNT(s->f->num_hosts, "host"));
}

static ik_status mapping_add_listed(host_set *s, uint32_t host, ik_error *err)
{
    if (s->line[host])
        return ik_about(
            err, ik_fail(err, IK_ERR_USAGE, "%s, 'hosts': host %u appears twice", s->owner, host),
            "hosts");
    if (ik_host_port(s->f, host) == IK_NONE) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "%s, 'hosts': host %u has no cable: it can neither send nor receive",
                         s->owner, host),
                 "hosts");
        return ik_hint(err, IK_ERR_USAGE, "without 'hosts', all that have a cable are taken");
    }
    s->line[host] = 1;
    s->host[s->num++] = host;
    return IK_OK;
}

static ik_status mapping_read_set(host_set *s, const ik_params *p, ik_error *err)
{
    size_t count = 0;
    const uint32_t *list = ik_params_has(p, "hosts") ? ik_params_list(p, "hosts", &count) : NULL;
    for (size_t k = 0; k + 1 < count; k += 2) {
        if (list[k + 1] >= s->f->num_hosts)
            return mapping_refuse_range(s, list[k] >= s->f->num_hosts ? list[k] : list[k + 1], err);
        for (uint32_t host = list[k]; host <= list[k + 1]; host++) {
            ik_status status = mapping_add_listed(s, host, err);
            if (status != IK_OK)
                return status;
        }
    }
    for (uint32_t host = 0; !list && host < s->f->num_hosts; host++)
        if (ik_host_port(s->f, host) != IK_NONE)
            s->host[s->num++] = host;
    return IK_OK;
}

/* ---- the set by a file */

typedef struct map_file {
    host_set *set;
    host_names names;
    const char *path;
    unsigned line;
} map_file;

static ik_status mapping_add_line(map_file *m, const char *word, unsigned column, ik_error *err)
{
    host_set *s = m->set;
    uint32_t host = 0;
    ik_status status = host_names_find(&m->names, word, m->path, m->line, column, &host, err);
    if (status != IK_OK)
        return status;
    if (s->line[host])
        return ik_fail_at(err, IK_ERR_INPUT, m->path, m->line, column,
                          "host '%.60s' (number %u) has a process already, by line %u", word, host,
                          s->line[host]);
    if (ik_host_port(s->f, host) == IK_NONE)
        return ik_fail_at(err, IK_ERR_INPUT, m->path, m->line, column,
                          "host '%.60s' has no cable: it can neither send nor receive", word);
    s->line[host] = m->line;
    s->host[s->num++] = host;
    return IK_OK;
}

static ik_status mapping_read_line(map_file *m, char *line, ik_error *err)
{
    line[strcspn(line, "#")] = '\0';
    char *word = line;
    while (isspace((unsigned char)*word))
        word++;
    if (!*word)
        return IK_OK;
    char *end = word;
    while (*end && !isspace((unsigned char)*end))
        end++;
    char *rest = end;
    while (isspace((unsigned char)*rest))
        rest++;
    if (*rest) {
        ik_fail_at(err, IK_ERR_INPUT, m->path, m->line, (unsigned)(rest - line) + 1,
                   "more than one word on the line");
        return ik_hint(err, IK_ERR_INPUT, "expected: one host, by number or name; # comments");
    }
    *end = '\0';
    return mapping_add_line(m, word, (unsigned)(word - line) + 1, err);
}

static ik_status mapping_read_lines(map_file *m, char *text, const char *end, ik_error *err)
{
    ik_status status = IK_OK;
    for (char *line = text; line < end && status == IK_OK;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop)
            *stop = '\0';
        m->line++;
        status = mapping_read_line(m, line, err);
        line = stop ? stop + 1 : (char *)end;
    }
    if (status == IK_OK && !m->set->num)
        return ik_fail_at(err, IK_ERR_INPUT, m->path, m->line ? m->line : 1, 1,
                          "no host in the file: it ends here");
    return status;
}

static ik_status mapping_read_file(host_set *s, const char *path, const ik_env *env, ik_error *err)
{
    map_file m = {.set = s, .path = path};
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(path, env ? env->memory_limit_bytes : 0, &text, &size, err);
    if (status == IK_ERR_IO) {
        ik_arena arena = {0};
        const char *nearest = ik_nearest_word(path, MAPPING_RULES, &arena);
        ik_hint(err, status, "mapping is one of %s, or a file", MAPPING_RULES);
        ik_meant(err, status, nearest);
        ik_arena_free(&arena);
        return status;
    }
    if (status != IK_OK)
        return status;
    const char *start = text;
    status = ik_text_begin(&start, &size, path, err);
    if (status == IK_OK)
        status = host_names_new(&m.names, s->f, err);
    if (status == IK_OK)
        status = mapping_read_lines(&m, text + (start - text), start + size, err);
    host_names_free(&m.names);
    free(text);
    s->path = path;
    s->last_line = m.line;
    return status;
}

/* ---- rules */

typedef struct dealt {
    uint32_t round, group, host;
} dealt;

static int mapping_by_round(const void *a, const void *b)
{
    const dealt *x = a, *y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Takes hosts from their groups in turn, groups in the order of their first host. group_of:
 * [num_switches] of a host's switch. */
static ik_status mapping_deal(host_set *s, const uint32_t *group_of, ik_error *err)
{
    size_t switches = (size_t)s->f->num_switches + 1;
    uint32_t *rank = malloc(switches * sizeof *rank), *size = ik_calloc(switches, sizeof *size),
             groups = 0;
    dealt *cards = malloc((s->num + 1) * sizeof *cards);
    ik_status status = rank && size && cards
                           ? IK_OK
                           : ik_fail_memory(err, (s->num + 1) * sizeof *cards, "a mapping");
    if (status == IK_OK)
        memset(rank, 0xff, switches * sizeof *rank);
    for (size_t k = 0; status == IK_OK && k < s->num; k++) {
        uint32_t group = group_of[ik_host_switch(s->f, s->host[k])];
        if (rank[group] == IK_NONE)
            rank[group] = groups++;
        cards[k] = (dealt){size[group]++, rank[group], s->host[k]};
    }
    if (status == IK_OK) {
        qsort(cards, s->num, sizeof *cards, mapping_by_round);
        for (size_t k = 0; k < s->num; k++)
            s->host[k] = cards[k].host;
    }
    free(rank);
    free(size);
    free(cards);
    return status;
}

static ik_status mapping_refuse_no_pods(const host_set *s, ik_error *err)
{
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED, "%s, mapping = by_pod: %s has no pods", s->owner,
                     s->f->spec ? s->f->spec : "the fabric"),
             "mapping");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "trees have pods, below their top level; by_leaf goes by the hosts' switches");
}

static ik_status mapping_deal_by_pod(host_set *s, uint32_t *group_of, ik_error *err)
{
    uint32_t pods = 0;
    ik_status status = ik_fabric_pods(s->f, group_of, &pods, err);
    for (size_t k = 0; status == IK_OK && k < s->num; k++)
        if (!pods || group_of[ik_host_switch(s->f, s->host[k])] == IK_NONE)
            return mapping_refuse_no_pods(s, err);
    return status == IK_OK ? mapping_deal(s, group_of, err) : status;
}

static ik_status mapping_apply_rule(host_set *s, unsigned rule, uint64_t seed, ik_error *err)
{
    if (rule == RULE_FILE || rule == RULE_LINEAR)
        return IK_OK;
    if (rule == RULE_RANDOM) {
        ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, MAPPING_ENTITY);
        ik_rng_shuffle_u32(&rng, s->host, s->num);
        return IK_OK;
    }
    uint32_t *group_of = ik_calloc((size_t)s->f->num_switches + 1, sizeof *group_of);
    if (!group_of)
        return ik_fail_memory(err, s->f->num_switches * sizeof *group_of, "a mapping");
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        group_of[sw] = sw;
    ik_status status = rule == RULE_BY_POD ? mapping_deal_by_pod(s, group_of, err)
                                           : mapping_deal(s, group_of, err);
    free(group_of);
    return status;
}

/* ---- all together */

static ik_status mapping_refuse_count(const host_set *s, uint64_t processes, ik_error *err)
{
    if (s->path) {
        ik_fail_at(err, IK_ERR_INPUT, s->path, s->last_line, 0, "%zu %s for %s: the file ends here",
                   s->num, s->num == 1 ? "host" : "hosts", IK_COUNT(processes, "process"));
        return ik_hint(
            err, IK_ERR_INPUT,
            "a mapping has a line with a host for each process; a host runs one at most");
    }
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "%s: %s on %zu %s", s->owner,
                     IK_COUNT(processes, "process"), s->num, s->num == 1 ? "host" : "hosts"),
             "processes hosts mapping");
    return ik_hint(err, IK_ERR_USAGE, "a host runs one process at most");
}

static ik_status mapping_take(const host_set *s, uint64_t processes, mapping *out, ik_error *err)
{
    if (processes > s->num || !s->num)
        return mapping_refuse_count(s, processes, err);
    uint32_t num = (uint32_t)(processes ? processes : s->num);
    mapping m = {.num = num, .host = malloc(num * sizeof *m.host)};
    if (!m.host)
        return ik_fail_memory(err, num * sizeof *m.host, "a mapping");
    m.identity = num == s->f->num_hosts;
    for (uint32_t i = 0; i < num; i++) {
        m.host[i] = s->host[i];
        m.identity &= m.host[i] == i;
    }
    *out = m;
    return IK_OK;
}

ik_status mapping_make(const ik_fabric *f, const char *owner, const ik_params *p,
                       uint64_t processes, uint64_t seed, const ik_env *env, mapping *out,
                       ik_error *err)
{
    assert(f && owner && p && out);
    size_t room = (size_t)f->num_hosts + 1;
    unsigned rule = ik_params_word(p, "mapping");
    host_set s = {.f = f,
                  .owner = owner,
                  .host = ik_calloc(room, sizeof *s.host),
                  .line = ik_calloc(room, sizeof *s.line)};
    ik_status status =
        s.host && s.line ? IK_OK : ik_fail_memory(err, room * sizeof *s.host, "a mapping");
    if (status == IK_OK)
        status = rule == RULE_FILE ? mapping_read_file(&s, ik_params_text(p, "mapping"), env, err)
                                   : mapping_read_set(&s, p, err);
    if (status == IK_OK)
        status = mapping_apply_rule(&s, rule, seed, err);
    if (status == IK_OK)
        status = mapping_take(&s, processes, out, err);
    if (status == IK_OK)
        out->of_fabric = (rule != RULE_LINEAR && rule != RULE_RANDOM) ||
                         (!ik_params_has(p, "hosts") && s.num < f->num_hosts);
    free(s.host);
    free(s.line);
    return status;
}

ik_status mapping_inverse(const mapping *m, uint32_t num_hosts, uint32_t **process, ik_error *err)
{
    assert(m->num <= num_hosts); /* a host has one process at most */
    uint32_t *of = malloc(((size_t)num_hosts + 1) * sizeof *of);
    if (!of)
        return ik_fail_memory(err, num_hosts * sizeof *of, "a mapping");
    memset(of, 0xff, num_hosts * sizeof *of);
    for (uint32_t i = 0; i < m->num; i++)
        of[m->host[i]] = i;
    *process = of;
    return IK_OK;
}

/* ---- written out */

/* Given, and still of effect once the hosts are written out: not the mapping itself, nor the seed
 * of one that is drawn. */
static bool mapping_is_portable(const ik_params *listed, size_t i)
{
    const char *name = listed->decl[i].name;
    return listed->values[i].given && strcmp(name, "hosts") != 0 && strcmp(name, "mapping") != 0 &&
           ik_params_counts(listed, i);
}

static size_t mapping_write_hosts(const mapping *m, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "hosts=");
    for (uint32_t i = 0; i < m->num;) {
        uint32_t end = i + 1;
        while (end < m->num && m->host[end] == m->host[end - 1] + 1)
            end++;
        used += (size_t)snprintf(text + used, size - used, "%s%u", i ? ":" : "", m->host[i]);
        if (end - i > 1)
            used += (size_t)snprintf(text + used, size - used, "..%u", m->host[end - 1]);
        i = end;
    }
    return used;
}

ik_status mapping_portable(const ik_traffic *t, const ik_params *p, const mapping *m, char **out,
                           ik_error *err)
{
    *out = NULL;
    if (!m->of_fabric)
        return IK_OK;
    ik_arena arena = {0};
    ik_params listed = *p; /* with hosts instead of a rule */
    listed.values = ik_arena_alloc(&arena, p->num * sizeof *listed.values);
    const char *text = listed.values ? ik_arena_printf(&arena, "%s:", t->family->name) : NULL;
    for (size_t i = 0; text && i < p->num; i++) {
        listed.values[i] = p->values[i];
        if (strcmp(p->decl[i].name, "mapping") == 0)
            listed.values[i].text = "linear";
    }
    for (size_t i = 0; text && i < p->num; i++) {
        if (!mapping_is_portable(&listed, i))
            continue;
        const char *value = spec_print_value(&listed.values[i], &arena);
        text = value ? ik_arena_printf(&arena, "%s%s=%s,", text, p->decl[i].name, value) : NULL;
    }
    size_t used = text ? strlen(text) : 0, bytes = used + 12 * (size_t)m->num + 16;
    *out = text ? malloc(bytes) : NULL;
    if (*out) {
        memcpy(*out, text, used);
        used += mapping_write_hosts(m, *out + used, bytes - used);
        assert(used < bytes);
    }
    ik_arena_free(&arena);
    return *out ? IK_OK : ik_fail_memory(err, bytes, "a traffic spec");
}
