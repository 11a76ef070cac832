/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_file.c: flows read from a text file.
 *
 * One flow a line: source, destination, optional weight (a whole number, 1 if left out); hosts by number or by name; # starts a
 * comment.
 */
#include "traffic/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ik_param params[] = {
    {"path", IK_PARAM_STRING, NULL, 0, 0, NULL, "text file, a line a flow: source destination [weight]"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct reader {
    ik_traffic *t;
    const char *path;
    unsigned line;
    pattern_flow *flows;
    size_t count, room;
} reader;

static bool whole_number(const char *word, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
    return isdigit((unsigned char)*word) && *end == 0 && errno == 0;
}

static ik_status find_host(const reader *r, const char *word, unsigned column, uint32_t *host, ik_error *err)
{
    const ik_fabric *f = r->t->fabric;
    uint64_t number;
    if (whole_number(word, &number) && number < r->t->num_hosts) {
        *host = (uint32_t)number;
        return IK_OK;
    }
    for (uint32_t h = 0; f->node_name && h < f->num_hosts; h++) {
        const char *name = f->node_name[ik_host_node(f, h)];
        if (name && strcmp(name, word) == 0) {
            *host = h;
            return IK_OK;
        }
    }
    ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, column, "no host '%.60s' in this fabric", word);
    return ik_hint(err, IK_ERR_INPUT, "a number from 0 to %u, or a host's name", r->t->num_hosts ? r->t->num_hosts - 1 : 0);
}

static ik_status add_flow(reader *r, pattern_flow flow, ik_error *err)
{
    if (r->count == r->room) {
        size_t room = r->room ? r->room * 2 : 256;
        pattern_flow *grown = realloc(r->flows, room * sizeof *grown);
        if (!grown) {
            return ik_fail_memory(err, room * sizeof *grown, "a traffic file's flows");
        }
        r->flows = grown;
        r->room = room;
    }
    r->flows[r->count++] = flow;
    return IK_OK;
}

/* Splits the line in place; returns the number of words (at most 4), their columns beside them. */
static int split(char *line, char **words, unsigned *columns)
{
    int n = 0;
    char *hash = strchr(line, '#');
    if (hash) {
        *hash = 0;
    }
    for (char *p = line; *p && n < 4;) {
        while (isspace((unsigned char)*p)) {
            p++;
        }
        if (!*p) {
            break;
        }
        words[n] = p;
        columns[n++] = (unsigned)(p - line) + 1;
        while (*p && !isspace((unsigned char)*p)) {
            p++;
        }
        if (*p) {
            *p++ = 0;
        }
    }
    return n;
}

static ik_status read_line(reader *r, char *line, ik_error *err)
{
    char *words[4];
    unsigned columns[4];
    pattern_flow flow = {.weight = 1};
    int n = split(line, words, columns);
    if (n == 0) {
        return IK_OK;
    }
    if (n == 1 || n > 3) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[n - 1], "%d words on the line", n);
        return ik_hint(err, IK_ERR_INPUT, "expected: source destination [weight]");
    }
    if (n == 3 && (!whole_number(words[2], &flow.weight) || flow.weight == 0 || flow.weight > UINT32_MAX)) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[2], "'%.60s' is no weight", words[2]);
        return ik_hint(err, IK_ERR_INPUT, "a whole number from 1 to 4294967295");
    }
    ik_status s = find_host(r, words[0], columns[0], &flow.src, err);
    if (s == IK_OK) {
        s = find_host(r, words[1], columns[1], &flow.dst, err);
    }
    return s == IK_OK ? add_flow(r, flow, err) : s;
}

static ik_status read_file(reader *r, FILE *in, ik_error *err)
{
    char line[1024];
    ik_status s = IK_OK;
    while (s == IK_OK && fgets(line, sizeof line, in)) {
        r->line++;
        if (!strchr(line, '\n') && !feof(in)) {
            return ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, 0, "the line is longer than %zu characters", sizeof line - 2);
        }
        s = read_line(r, line, err);
    }
    if (s == IK_OK && ferror(in)) {
        s = ik_fail_at(err, IK_ERR_IO, r->path, r->line, 0, "cannot read on: %s", strerror(errno));
    }
    return s;
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    reader r = {.t = t, .path = ik_params_text(p, "path")};
    FILE *in = fopen(r.path, "r");
    if (!in) {
        return ik_fail_at(err, IK_ERR_IO, r.path, 0, 0, "cannot open: %s", strerror(errno));
    }
    ik_status s = read_file(&r, in, err);
    fclose(in);
    if (s == IK_OK && r.count == 0) {
        s = ik_fail_at(err, IK_ERR_INPUT, r.path, 0, 0, "no flow in the file");
    }
    if (s == IK_OK) {
        s = pattern_lists_new(t, r.flows, r.count, err);
    }
    free(r.flows);
    return s;
}

const ik_traffic_family ik_traffic_file = {
    .name = "file",
    .summary = "flows from a text file: source destination [weight]",
    .source = "ikat",
    .details = "One flow a line; hosts by number or name; # starts a comment; equal pairs are added up. A host with equal "
               "weights serves its destinations in turn, with unequal ones it draws. Hosts without a line are silent.",
    .params = params,
    .create = create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .flows = pattern_lists_flows,

};
