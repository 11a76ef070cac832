/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_read.c: see goal_read.h.
 *
 *     line  = [ [LABEL ":"] op | LABEL ("requires"|"irequires") LABEL ]
 *     op    = "send" INT "b" "to" INT attrs | "recv" INT "b" "from" (INT|"-1") attrs
 *           | "calc" INT ["cpu" INT]
 *     attrs = ["tag" (INT|"-1")] ["cpu" INT] ["nic" INT] */
#include "traffic/workload/goal_read.h"

#include <inttypes.h>
#include <string.h>

enum { NS = 1000 };
#define MOST_NS    UINT64_C(1000000000000000) /* 11 days */
#define MOST_BYTES UINT64_C(1000000000000000)

/* ---- words */

static bool goal_read_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool goal_read_in_word(char c)
{
    return goal_read_is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool goal_read_comments_end(goal_reader *g)
{
    scan *s = &g->s;
    for (;;) {
        if (g->in_comment) {
            while (s->at < s->end && !(s->at[0] == '*' && s->at + 1 < s->end && s->at[1] == '/'))
                s->at++;
            if (s->at == s->end)
                return true;
            s->at += 2;
            g->in_comment = false;
        }
        scan_blanks(s);
        if (s->end - s->at < 2 || s->at[0] != '/' || (s->at[1] != '/' && s->at[1] != '*'))
            return s->at == s->end;
        g->in_comment = s->at[1] == '*';
        g->comment_line = s->line;
        s->at = g->in_comment ? s->at + 2 : s->end;
    }
}

/* Passes blanks and comments; whether nothing else is left of the line. */
static inline bool goal_read_line_ends(goal_reader *g)
{
    const char *at = g->s.at, *end = g->s.end;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    g->s.at = at;
    if (g->in_comment || (at < end && *at == '/')) /* few lines have any */
        return goal_read_comments_end(g);
    return at == end;
}

static ik_status goal_read_next_line(goal_reader *g, ik_error *err)
{
    bool more = false;
    ik_status status = ik_text_lines_next(&g->lines, &more, err);
    g->at_end = status == IK_OK && !more;
    if (status != IK_OK || !more)
        return status;
    g->s = scan_line_of(&g->lines);
    return IK_OK;
}

/* The next line with anything on it. */
static ik_status goal_read_next_full_line(goal_reader *g, ik_error *err)
{
    ik_status status;
    do {
        status = goal_read_next_line(g, err);
    } while (status == IK_OK && !g->at_end && goal_read_line_ends(g));
    return status;
}

static slice goal_read_peek_word(goal_reader *g)
{
    const scan *s = &g->s;
    goal_read_line_ends(g);
    slice word = {s->at, 0};
    while (s->at + word.length < s->end && goal_read_in_word(s->at[word.length]))
        word.length++;
    if (word.length && !goal_read_is_letter(*word.at))
        word.length = 0;
    return word;
}

/* Inlined, so that lengths and texts of constants are compared without calls. */
static inline __attribute__((always_inline)) bool goal_read_is_word(slice word, const char *text)
{
    size_t length = strlen(text);
    return length == word.length && memcmp(word.at, text, length) == 0;
}

static inline __attribute__((always_inline)) bool goal_read_take_word(goal_reader *g,
                                                                      const char *text)
{
    slice word = goal_read_peek_word(g);
    if (!goal_read_is_word(word, text))
        return false;
    g->s.at += word.length;
    return true;
}

static ik_status goal_read_expect_word(goal_reader *g, const char *text, ik_error *err)
{
    return goal_read_take_word(g, text) ? IK_OK : scan_fail(&g->s, err, "expected '%s'", text);
}

static ik_status goal_read_expect_number(goal_reader *g, const char *what, uint64_t most,
                                         uint64_t *value, ik_error *err)
{
    goal_read_line_ends(g);
    const char *start = g->s.at;
    if (scan_uint(&g->s, most, value) && (g->s.at == g->s.end || !goal_read_in_word(*g->s.at)))
        return IK_OK;
    g->s.at = start;
    return scan_fail(&g->s, err, "expected %s, a number up to %" PRIu64, what, most);
}

static ik_status goal_read_expect_end(goal_reader *g, const char *or_what, ik_error *err)
{
    return goal_read_line_ends(g)
               ? IK_OK
               : scan_fail(&g->s, err, "expected %sthe end of the line", or_what);
}

/* ---- operations */

typedef struct attributes {
    uint32_t tag, cpu;
} attributes;

/* A number, or -1 for any. */
static ik_status goal_read_any(goal_reader *g, const char *what, uint32_t most, uint32_t *value,
                               ik_error *err)
{
    uint64_t number = 0;
    goal_read_line_ends(g);
    scan *s = &g->s;
    if (s->end - s->at >= 2 && s->at[0] == '-' && s->at[1] == '1' &&
        (s->end - s->at == 2 || !goal_read_in_word(s->at[2]))) {
        s->at += 2;
        *value = GRAPH_ANY;
        return IK_OK;
    }
    ik_status status = goal_read_expect_number(g, what, most, &number, err);
    *value = (uint32_t)number;
    return status;
}

static ik_status goal_read_cpu(goal_reader *g, uint32_t *cpu, ik_error *err)
{
    uint64_t number = 0;
    if (!goal_read_take_word(g, "cpu"))
        return IK_OK;
    ik_status status = goal_read_expect_number(g, "a processor", GOAL_CPUS - 1, &number, err);
    *cpu = (uint32_t)number;
    return status;
}

static ik_status goal_read_nic(goal_reader *g, ik_error *err)
{
    uint64_t number = 0;
    if (!goal_read_take_word(g, "nic"))
        return IK_OK;
    goal_read_line_ends(g);
    const char *start = g->s.at;
    ik_status status = goal_read_expect_number(g, "an adapter", UINT32_MAX, &number, err);
    if (status != IK_OK || number == 0)
        return status;
    g->s.at = start;
    scan_fail(&g->s, err, "expected nic 0");
    return ik_hint(err, IK_ERR_INPUT, "hosts have one adapter");
}

static ik_status goal_read_attributes(goal_reader *g, attributes *a, ik_error *err)
{
    ik_status status = IK_OK;
    if (goal_read_take_word(g, "tag"))
        status = goal_read_any(g, "a tag", GRAPH_ASK - 1, &a->tag, err);
    if (status == IK_OK)
        status = goal_read_cpu(g, &a->cpu, err);
    if (status == IK_OK)
        status = goal_read_nic(g, err);
    return status == IK_OK ? goal_read_expect_end(g, "'tag', 'cpu', 'nic' (in this order) or ", err)
                           : status;
}

static void goal_read_add(goal_reader *g, ik_op_kind kind, uint64_t amount, uint32_t peer,
                          attributes a, uint32_t *op)
{
    g->b->cpu_now = (uint8_t)a.cpu;
    if (kind != IK_OP_CALC && a.tag != GRAPH_ANY)
        g->b->class_now = goal_class(&g->classes, a.tag);
    *op = graph_add(g->b, g->host_of[g->rank], kind, amount, peer, a.tag, g->s.line);
}

/* "4096b to 1" or "4096b from -1". */
static ik_status goal_read_ends(goal_reader *g, bool sends, uint64_t *bytes, uint32_t *rank,
                                ik_error *err)
{
    goal_read_line_ends(g);
    const char *start = g->s.at;
    if (!scan_uint(&g->s, MOST_BYTES, bytes) || !goal_read_take_word(g, "b")) {
        g->s.at = start;
        return scan_fail(&g->s, err, "expected a size up to %" PRIu64 "b", MOST_BYTES);
    }
    ik_status status = goal_read_expect_word(g, sends ? "to" : "from", err);
    if (status != IK_OK)
        return status;
    goal_read_line_ends(g);
    start = g->s.at;
    uint64_t number = 0;
    status = sends ? goal_read_expect_number(g, "a rank", UINT32_MAX - 1, &number, err)
                   : goal_read_any(g, "a rank", UINT32_MAX - 1, rank, err);
    *rank = sends ? (uint32_t)number : *rank;
    if (status != IK_OK || *rank < g->num_ranks || (!sends && *rank == GRAPH_ANY))
        return status;
    g->s.at = start;
    return scan_fail(&g->s, err, "expected one of the ranks 0 to %" PRIu32, g->num_ranks - 1);
}

static ik_status goal_read_message(goal_reader *g, bool sends, uint32_t *op, ik_error *err)
{
    uint64_t bytes = 0;
    uint32_t rank = 0;
    attributes a = {0, 0};
    ik_status status = goal_read_ends(g, sends, &bytes, &rank, err);
    if (status == IK_OK)
        status = goal_read_attributes(g, &a, err);
    if (status != IK_OK)
        return status;
    if (sends && a.tag == GRAPH_ANY)
        return ik_fail_at(err, IK_ERR_INPUT, g->s.file, g->s.line, 1,
                          "a send needs a tag: -1 means any tag, and only a receive can have it");
    bytes = graph_scaled(bytes, g->size_scale);
    if (bytes == 0 && sends)
        g->first_empty = g->empty++ ? g->first_empty : g->s.line;
    goal_read_add(g, sends ? IK_OP_SEND : IK_OP_RECV, bytes ? bytes : 1,
                  rank == GRAPH_ANY ? GRAPH_ANY : g->host_of[rank], a, op);
    return IK_OK;
}

static ik_status goal_read_calc(goal_reader *g, uint32_t *op, ik_error *err)
{
    uint64_t ns = 0;
    attributes a = {0, 0};
    ik_status status = goal_read_expect_number(g, "a time in ns", MOST_NS, &ns, err);
    if (status == IK_OK)
        status = goal_read_cpu(g, &a.cpu, err);
    if (status == IK_OK)
        status = goal_read_expect_end(g, "'cpu' or ", err);
    if (status == IK_OK)
        goal_read_add(g, IK_OP_CALC, graph_scaled(ns * NS, g->calc_scale), a.cpu, a, op);
    return status;
}

static ik_status goal_read_op(goal_reader *g, uint32_t *op, ik_error *err)
{
    if (goal_read_take_word(g, "calc"))
        return goal_read_calc(g, op, err);
    if (goal_read_take_word(g, "send"))
        return goal_read_message(g, true, op, err);
    if (goal_read_take_word(g, "recv"))
        return goal_read_message(g, false, op, err);
    return scan_fail(&g->s, err, "expected send, recv or calc");
}

/* ---- labels */

/* Line of the rest of the block that defines the label; 0 = none does. */
static unsigned goal_read_defined_later(goal_reader *g, const char *name)
{
    while (goal_read_next_full_line(g, NULL) == IK_OK && !g->at_end && *g->s.at != '}') {
        slice word = goal_read_peek_word(g);
        g->s.at += word.length;
        if (goal_read_is_word(word, name) && !goal_read_line_ends(g) && *g->s.at == ':')
            return g->s.line;
    }
    return 0;
}

static ik_status goal_read_refuse_label(goal_reader *g, slice word, ik_error *err)
{
    char name[80];
    unsigned line = g->s.line, column = (unsigned)(word.at - g->s.line_start) + 1;
    snprintf(name, sizeof name, "%.*s", (int)(word.length < 79 ? word.length : 79), word.at);
    unsigned later = word.length < sizeof name ? goal_read_defined_later(g, name) : 0;
    if (later) {
        ik_fail_at(err, IK_ERR_INPUT, g->lines.path, line, column,
                   "label '%s' is used before it is defined, in line %u", name, later);
        return ik_hint(err, IK_ERR_INPUT, "an operation comes before the lines that refer to it");
    }
    ik_fail_at(err, IK_ERR_INPUT, g->lines.path, line, column, "rank %" PRIu32 " has no label '%s'",
               g->rank, name);
    const char *nearest = goal_labels_nearest(&g->labels, name);
    if (nearest)
        return ik_meant(err, IK_ERR_INPUT, nearest);
    return ik_hint(err, IK_ERR_INPUT, "labels are those of the same rank: 'l1: send 8b to 1'");
}

static ik_status goal_read_find_label(goal_reader *g, slice word, uint32_t *op, ik_error *err)
{
    *op = goal_labels_find(&g->labels, word);
    return *op != IK_NONE ? IK_OK : goal_read_refuse_label(g, word, err);
}

static ik_status goal_read_wait(goal_reader *g, slice word, ik_error *err)
{
    uint32_t op = 0, before = 0;
    bool on_start = goal_read_take_word(g, "irequires");
    if (!on_start && !goal_read_take_word(g, "requires"))
        return scan_fail(&g->s, err, "expected ':', 'requires' or 'irequires'");
    slice other = goal_read_peek_word(g);
    if (!other.length)
        return scan_fail(&g->s, err, "expected a label");
    g->s.at += other.length;
    ik_status status = goal_read_expect_end(g, "", err);
    if (status == IK_OK)
        status = goal_read_find_label(g, word, &op, err);
    if (status == IK_OK)
        status = goal_read_find_label(g, other, &before, err);
    if (status != IK_OK)
        return status;
    if (op == before)
        return ik_fail_at(err, IK_ERR_INPUT, g->s.file, g->s.line,
                          (unsigned)(other.at - g->s.line_start) + 1, "'%.*s' requires itself",
                          (int)(other.length < 80 ? other.length : 80), other.at);
    graph_wait(g->b, op, before, on_start);
    return IK_OK;
}

static ik_status goal_read_define(goal_reader *g, slice word, ik_error *err)
{
    uint32_t op = IK_NONE, old = IK_NONE, number = (uint32_t)g->b->num_ops;
    unsigned column = (unsigned)(word.at - g->s.line_start) + 1;
    if (!goal_labels_add(&g->labels, word, number, &old))
        return ik_fail_memory(err, g->labels.used, "the labels of a block");
    if (old != IK_NONE)
        return ik_fail_at(err, IK_ERR_INPUT, g->s.file, g->s.line, column,
                          "label '%.*s' appears twice, first in line %u",
                          (int)(word.length < 80 ? word.length : 80), word.at,
                          graph_line(g->b, old, NULL));
    return goal_read_op(g, &op, err);
}

/* ---- blocks */

static ik_status goal_read_line(goal_reader *g, ik_error *err)
{
    uint32_t op = IK_NONE;
    slice word = goal_read_peek_word(g);
    if (!word.length)
        return scan_fail(&g->s, err, "expected an operation, a label or '}'");
    g->s.at += word.length;
    if (!goal_read_line_ends(g) && scan_char(&g->s, ':'))
        return goal_read_define(g, word, err);
    slice next = goal_read_peek_word(g);
    if (goal_read_is_word(next, "requires") || goal_read_is_word(next, "irequires"))
        return goal_read_wait(g, word, err);
    bool is_op = goal_read_is_word(word, "send") || goal_read_is_word(word, "recv") ||
                 goal_read_is_word(word, "calc");
    if (!is_op) {
        scan_fail(&g->s, err, "expected ':', 'requires' or 'irequires'");
        return ik_hint(err, IK_ERR_INPUT, "operations are send, recv and calc");
    }
    g->s.at = word.at;
    return goal_read_op(g, &op, err);
}

static ik_status goal_read_cut_off(const goal_reader *g, const char *what, ik_error *err)
{
    unsigned line = g->lines.number;
    if (g->in_comment)
        return ik_fail_at(err, IK_ERR_INPUT, g->lines.path, g->comment_line, 1,
                          "the comment that begins here does not end");
    ik_fail_at(err, IK_ERR_INPUT, g->lines.path, line ? line : 1, 1, "the file ends before %s",
               what);
    return ik_hint(err, IK_ERR_INPUT, "the file seems to be cut off");
}

static ik_status read_block_head(goal_reader *g, ik_error *err)
{
    char what[60];
    uint64_t number = 0;
    snprintf(what, sizeof what, "the block of rank %" PRIu32 " of %" PRIu32, g->rank, g->num_ranks);
    ik_status status = goal_read_next_full_line(g, err);
    if (status == IK_OK && g->at_end)
        return goal_read_cut_off(g, what, err);
    if (status == IK_OK)
        status = goal_read_expect_word(g, "rank", err);
    if (status != IK_OK)
        return status;
    goal_read_line_ends(g);
    const char *start = g->s.at;
    status = goal_read_expect_number(g, "a rank", UINT32_MAX, &number, err);
    if (status != IK_OK)
        return status;
    if (number != g->rank) {
        g->s.at = start;
        scan_fail(&g->s, err, "expected rank %" PRIu32, g->rank);
        return ik_hint(err, IK_ERR_INPUT, "blocks come in the order 0, 1, 2, …");
    }
    if (goal_read_line_ends(g) || !scan_char(&g->s, '{'))
        return scan_fail(&g->s, err, "expected '{'");
    return goal_read_expect_end(g, "", err);
}

static ik_status read_block(goal_reader *g, ik_error *err)
{
    ik_status status = read_block_head(g, err);
    goal_labels_clear(&g->labels);
    while (status == IK_OK && !g->b->no_memory) {
        status = goal_read_next_full_line(g, err);
        if (status == IK_OK && g->at_end)
            return goal_read_cut_off(g, "the '}' of its block", err);
        if (status == IK_OK && scan_char(&g->s, '}'))
            return goal_read_expect_end(g, "", err);
        if (status == IK_OK)
            status = goal_read_line(g, err);
    }
    return status;
}

ik_status goal_read(goal_reader *g, const uint32_t *host_of, graph_builder *b, ik_error *err)
{
    ik_status status = IK_OK;
    g->host_of = host_of;
    g->b = b;
    for (g->rank = 0; status == IK_OK && g->rank < g->num_ranks && !b->no_memory; g->rank++)
        status = read_block(g, err);
    if (status == IK_OK && !b->no_memory)
        status = goal_read_next_full_line(g, err);
    if (status == IK_OK && !b->no_memory && !g->at_end)
        return scan_fail(&g->s, err, "expected the end of the file after rank %" PRIu32,
                         g->num_ranks - 1);
    if (status == IK_OK && g->in_comment)
        return goal_read_cut_off(g, "", err);
    goal_name_classes(&g->classes, b);
    return status;
}

static ik_status goal_read_head(goal_reader *g, ik_error *err)
{
    uint64_t number = 0;
    ik_status status = goal_read_next_full_line(g, err);
    if (status == IK_OK && g->at_end)
        return goal_read_cut_off(g, "'num_ranks'", err);
    if (status == IK_OK)
        status = goal_read_expect_word(g, "num_ranks", err);
    if (status == IK_OK)
        status = goal_read_expect_number(g, "a number of ranks", UINT32_MAX - 1, &number, err);
    if (status == IK_OK)
        status = goal_read_expect_end(g, "", err);
    if (status == IK_OK && number == 0)
        return ik_fail_at(err, IK_ERR_INPUT, g->s.file, g->s.line, 1, "a program of no rank");
    g->num_ranks = (uint32_t)number;
    return status;
}

ik_status goal_open(goal_reader *g, const char *path, const ik_env *env, ik_error *err)
{
    *g = (goal_reader){0};
    ik_status status = ik_text_lines_open(&g->lines, path, env, err);
    return status == IK_OK ? goal_read_head(g, err) : status;
}

ik_status goal_open_memory(goal_reader *g, const char *text, size_t size, const char *path,
                           ik_error *err)
{
    *g = (goal_reader){0};
    ik_text_lines_memory(&g->lines, text, size, path);
    return goal_read_head(g, err);
}

void goal_close(goal_reader *g)
{
    ik_text_lines_close(&g->lines);
    goal_labels_free(&g->labels);
}
