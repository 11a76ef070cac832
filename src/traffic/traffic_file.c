/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_file.c: flows read from a text file, in one of three formats that are distinguished by
 * their content: a MatrixMarket matrix (flow_market.c), comma-separated values (flow_csv.c), or
 *
 * one flow a line: source, destination, optional weight (a number above zero, 1 if left out); hosts
 * by number or by name (the first host of that name); # starts a comment.
 *
 * What a host would send to itself is skipped, with a note. Cost O(hosts + size of the file).
 */
#include "traffic/flow_reader.h"

#include "base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ik_param params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "text file with one flow per line (source destination [weight]), CSV (src,dst,weight or a "
     "matrix), or a MatrixMarket matrix"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* ---- for all formats */

char *flow_next_line(flow_reader *r)
{
    if (r->at >= r->end)
        return NULL;
    char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));
    if (stop)
        *stop = '\0';
    r->at = stop ? stop + 1 : (char *)r->end;
    r->line++;
    return line;
}

bool flow_is_host(const flow_reader *r, const char *word, uint32_t *host)
{
    return host_names_find(&r->hosts, word, r->path, r->line, 0, host, NULL) == IK_OK;
}

ik_status flow_find_host(const flow_reader *r, const char *word, unsigned column, uint32_t *host,
                         ik_error *err)
{
    return host_names_find(&r->hosts, word, r->path, r->line, column, host, err);
}

ik_status flow_add(flow_reader *r, uint32_t src, uint32_t dst, weight w, ik_error *err)
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

bool flow_is_zero(const char *word)
{
    char *end;
    return *word && !word[strspn(word, "0123456789.eE+-")] && strtod(word, &end) == 0 &&
           *end == '\0';
}

ik_status flow_add_entry(flow_reader *r, uint32_t src, uint32_t dst, const char *word,
                         unsigned column, ik_error *err)
{
    weight w;
    if (weight_read(word, &w))
        return flow_add(r, src, dst, w, err);
    if (flow_is_zero(word))
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, column, "'%.60s' is not a weight", word);
    return ik_hint(err, IK_ERR_INPUT, "zero, or a number above it, as 3, 0.5 or 1e-3");
}

/* ---- a flow a line */

/* Splits the line in place; returns the number of words (at most 4), their columns beside them. */
static int file_split(char *line, char **words, unsigned *columns)
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

static ik_status file_read_line(flow_reader *r, char *line, ik_error *err)
{
    char *words[4];
    unsigned columns[4];
    weight w = {.value = 1, .digits = 1};
    uint32_t src = 0, dst = 0;
    int n = file_split(line, words, columns);
    if (n == 0)
        return IK_OK;
    if (n == 1 || n > 3) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[n - 1], "%d words on the line", n);
        return ik_hint(err, IK_ERR_INPUT, "expected: source destination [weight]");
    }
    if (n == 3 && !weight_read(words[2], &w)) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, columns[2], "'%.60s' is not a weight",
                   words[2]);
        return ik_hint(err, IK_ERR_INPUT, "a number above zero, as 3, 0.5 or 1e-3");
    }
    ik_status s = flow_find_host(r, words[0], columns[0], &src, err);
    if (s == IK_OK)
        s = flow_find_host(r, words[1], columns[1], &dst, err);
    return s == IK_OK ? flow_add(r, src, dst, w, err) : s;
}

static ik_status file_read_lines(flow_reader *r, ik_error *err)
{
    ik_status s = IK_OK;
    for (char *line; s == IK_OK && (line = flow_next_line(r));)
        s = file_read_line(r, line, err);
    return s;
}

static ik_status file_read_format(flow_reader *r, ik_error *err)
{
    ik_status s = flow_is_market(r) ? flow_read_market(r, err)
                  : flow_is_csv(r)  ? flow_read_csv(r, err)
                                    : file_read_lines(r, err);
    if (s == IK_OK && r->count == 0 && r->own_lines)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->first_own, 0,
                          "no flow in the file, only hosts to themselves");
    if (s == IK_OK && r->count == 0)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, 0, 0, "no flow in the file");
    return s;
}

static ik_status file_read_file(flow_reader *r, const ik_env *env, ik_error *err)
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
    r->at = text + (start - text);
    r->end = start + size;
    if (s == IK_OK)
        s = file_read_format(r, err);
    free(text);
    return s;
}

/* Says what was skipped. */
static ik_status file_note_own_lines(const flow_reader *r, ik_error *err)
{
    size_t size = strlen(r->path) + 160;
    if (!r->own_lines)
        return IK_OK;
    r->t->note = malloc(size);
    if (!r->t->note)
        return ik_fail_memory(err, size, "a note");
    bool one = r->own_lines == 1;
    snprintf(r->t->note, size, "%s: %llu %s of a host to itself %s skipped, the first is %sline %u",
             r->path, (unsigned long long)r->own_lines,
             r->matrix ? one ? "entry" : "entries"
             : one     ? "line"
                       : "lines",
             one ? "is" : "are", r->matrix ? "in " : "", r->first_own);
    return IK_OK;
}

static ik_status file_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    flow_reader r = {.t = t, .path = ik_params_text(p, "path")};
    ik_status s = file_read_file(&r, env, err);
    if (s == IK_OK)
        s = weights_to_whole(r.weights, r.flows, r.count, t->num_hosts, err);
    if (s == IK_OK)
        s = file_note_own_lines(&r, err);
    if (s == IK_OK)
        s = pattern_lists_new(t, r.flows, r.count, err);
    host_names_free(&r.hosts);
    free(r.flows);
    free(r.weights);
    return s;
}

const ik_traffic_family ik_traffic_file = {
    .name = "file",
    .summary = "flows from a text file: lines 'source destination [weight]', CSV, or MatrixMarket",
    .source = "ikat",
    .details =
        "The file has one flow per line; hosts are given by number or name, # starts a comment, "
        "and the weights of equal pairs are added. Weights are positive numbers; a line from a "
        "host to itself is skipped, with a note. Two other forms are read as well. Comma-separated "
        "values: two or three columns are a list, with or without a header; more columns are a "
        "matrix whose rows are sources, with or without a header line of destinations and a first "
        "column of sources. MatrixMarket: coordinate or array; real, integer or pattern; general "
        "or symmetric; numbers from 1. In comma-separated values and in matrices, zero means no "
        "flow. Files whose names end in .gz are unpacked. A host whose weights are equal serves "
        "its destinations in turn; otherwise it draws each destination by weight. Hosts without a "
        "line are silent.",
    .params = params,
    .create = file_create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .round = pattern_lists_round,
    .flows = pattern_lists_flows,
    .listed = true,
};
