/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_file.c: flows read from a text file.
 *
 * One flow a line: source, destination, optional weight (a number above zero, 1 if left out); hosts
 * by number or by name (the first host of that name); # starts a comment. Lines of a host to itself
 * are passed over, with a note. Cost O(hosts + size of the file).
 */
#include "base/array.h"
#include "traffic/host_names.h"
#include "traffic/pattern.h"
#include "traffic/weight.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ik_param params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "text file, a line a flow: source destination [weight]"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct reader {
    ik_traffic *t;
    const char *path;
    host_names hosts;
    unsigned line;
    pattern_flow *flows; /* weights are set at the end, from `weights` */
    weight *weights;     /* beside flows */
    size_t count, flow_room, weight_room;
    uint64_t own_lines; /* of a host to itself */
    unsigned first_own; /* line number */
} reader;

static ik_status add_flow(reader *r, uint32_t src, uint32_t dst, weight w, ik_error *err)
{
    if (src == dst) {
        r->first_own = r->own_lines++ ? r->first_own : r->line;
        return IK_OK;
    }
    if (!IK_ARRAY_ROOM(r->flows, r->flow_room, r->count + 1) ||
        !IK_ARRAY_ROOM(r->weights, r->weight_room, r->count + 1))
        return ik_fail_memory(err, 2 * r->count * (sizeof *r->flows + sizeof *r->weights),
                              "a traffic file's flows");
    r->flows[r->count] = (pattern_flow){.src = src, .dst = dst};
    r->weights[r->count++] = w;
    return IK_OK;
}

/* Splits the line in place; returns the number of words (at most 4), their columns beside them. */
static int split(char *line, char **words, unsigned *columns)
{
    int n = 0;
    char *hash = strchr(line, '#');
    if (hash)
        *hash = 0;
    for (char *p = line; *p && n < 4;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        words[n] = p;
        columns[n++] = (unsigned)(p - line) + 1;
        while (*p && !isspace((unsigned char)*p))
            p++;
        if (*p)
            *p++ = 0;
    }
    return n;
}

static ik_status read_line(reader *r, char *line, ik_error *err)
{
    char *words[4];
    unsigned columns[4];
    weight w = {.value = 1, .digits = 1};
    uint32_t src = 0, dst = 0;
    int n = split(line, words, columns);
    if (n == 0)
        return IK_OK;
    if (n == 1 || n > 3) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[n - 1], "%d words on the line", n);
        return ik_hint(err, IK_ERR_INPUT, "expected: source destination [weight]");
    }
    if (n == 3 && !weight_read(words[2], &w)) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[2], "'%.60s' is no weight",
                   words[2]);
        return ik_hint(err, IK_ERR_INPUT, "a number above zero, as 3, 0.5 or 1e-3");
    }
    ik_status s = host_names_find(&r->hosts, words[0], r->path, r->line, columns[0], &src, err);
    if (s == IK_OK)
        s = host_names_find(&r->hosts, words[1], r->path, r->line, columns[1], &dst, err);
    return s == IK_OK ? add_flow(r, src, dst, w, err) : s;
}

static ik_status read_lines(reader *r, char *text, const char *end, ik_error *err)
{
    for (char *line = text; line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop)
            *stop = 0;
        r->line++;
        ik_status s = read_line(r, line, err);
        if (s != IK_OK)
            return s;
        /* a comment has been cut from the line: its length says nothing */
        line = stop ? stop + 1 : (char *)end;
    }
    if (r->count == 0 && r->own_lines)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->first_own, 0,
                          "no flow in the file, only hosts to themselves");
    if (r->count == 0)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, 0, 0, "no flow in the file");
    return IK_OK;
}

static ik_status read_file(reader *r, const ik_env *env, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status s = ik_text_read(r->path, env ? env->memory_limit_bytes : 0, &text, &size, err);
    if (s != IK_OK)
        return s;
    const char *start = text;
    s = ik_text_begin(&start, &size, r->path, err);
    if (s == IK_OK)
        s = host_names_new(&r->hosts, r->t->fabric, err);
    if (s == IK_OK)
        s = read_lines(r, text + (start - text), start + size, err);
    free(text);
    return s;
}

/* Says what was passed over. */
static ik_status note_own_lines(const reader *r, ik_error *err)
{
    size_t size = strlen(r->path) + 160;
    if (!r->own_lines)
        return IK_OK;
    r->t->note = malloc(size);
    if (!r->t->note)
        return ik_fail_memory(err, size, "a note");
    snprintf(r->t->note, size,
             "%s: %llu %s of a host to itself %s passed over, the first is line %u", r->path,
             (unsigned long long)r->own_lines, r->own_lines == 1 ? "line" : "lines",
             r->own_lines == 1 ? "is" : "are", r->first_own);
    return IK_OK;
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    reader r = {.t = t, .path = ik_params_text(p, "path")};
    ik_status s = read_file(&r, env, err);
    if (s == IK_OK)
        s = weights_to_whole(r.weights, r.flows, r.count, t->num_hosts, err);
    if (s == IK_OK)
        s = note_own_lines(&r, err);
    if (s == IK_OK)
        s = pattern_lists_new(t, r.flows, r.count, err);
    host_names_free(&r.hosts);
    free(r.flows);
    free(r.weights);
    return s;
}

const ik_traffic_family ik_traffic_file = {
    .name = "file",
    .summary = "flows from a text file: source destination [weight]",
    .source = "ikat",
    .details = "One flow a line; hosts by number or name; # starts a comment; equal pairs are "
               "added up. Weights are numbers above zero; a line of a host to itself is passed "
               "over, with a note. A host with equal weights serves its destinations in turn, with "
               "unequal ones it draws. Hosts without a line are silent.",
    .params = params,
    .create = create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .flows = pattern_lists_flows,
    .listed = true,
};
