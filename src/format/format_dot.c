/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `dot`: graphs of Graphviz. Read are undirected graphs: nodes, links and chains of links
 * with attributes, subgraphs taken as one graph; attributes that ikat does not know are ignored. A
 * node without kind is a switch. If no node has one and every link names its ports, as in Cumulus'
 * plans of cabling, devices.h tells which nodes are hosts.
 */
#include "format/devices.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* ---- words */

typedef enum dot_kind { DOT_END, DOT_ID, DOT_MARK, DOT_EDGE, DOT_ARROW, DOT_BAD } dot_kind;

typedef struct dot_reader {
    const char *at, *end, *line_start;
    unsigned line;
    dot_kind kind; /* of the current word */
    char mark;
    slice id;
    bool quoted, no_memory;
    const char *word; /* where it starts */
    unsigned word_line, word_column;
    const char *bad;
    raw_graph g;
    ik_arena arena;
    ik_error *err;
} dot_reader;

static bool dot_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

static void dot_new_line(dot_reader *r)
{
    r->line++;
    r->line_start = r->at;
}

static void dot_skip_line(dot_reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
}

/* Blanks and comments; false if a comment is never closed. */
static bool dot_skip_blanks(dot_reader *r)
{
    for (; r->at < r->end; r->at++) {
        bool slash = *r->at == '/' && r->at + 1 < r->end;
        if (*r->at == '\n') {
            r->at++;
            dot_new_line(r);
            r->at--;
        } else if ((slash && r->at[1] == '/') || (*r->at == '#' && r->at == r->line_start)) {
            dot_skip_line(r);
            r->at--;
        } else if (slash && r->at[1] == '*') {
            for (r->at += 2; r->at + 1 < r->end && !(r->at[0] == '*' && r->at[1] == '/'); r->at++)
                if (*r->at == '\n') {
                    r->line++;
                    r->line_start = r->at + 1;
                }
            if (r->at + 1 >= r->end)
                return false;
            r->at++;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r' && *r->at != '\f') {
            break;
        }
    }
    return true;
}

/* A quoted word; \" and \\ inside lose their backslash. */
static void dot_read_quoted(dot_reader *r)
{
    const char *start = ++r->at;
    bool escapes = false;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\\' && r->at + 1 < r->end) {
            escapes = true;
            r->at++;
        }
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        }
        r->at++;
    }
    if (r->at >= r->end) {
        r->kind = DOT_BAD;
        r->bad = "a quote is never closed";
        r->at = r->end;
        return;
    }
    r->kind = DOT_ID;
    r->id = (slice){start, (size_t)(r->at++ - start)};
    if (!escapes)
        return;
    char *plain = ik_arena_alloc(&r->arena, r->id.length + 1);
    size_t length = 0;
    for (size_t i = 0; plain && i < r->id.length; i++) {
        bool escaped = r->id.at[i] == '\\' && i + 1 < r->id.length &&
                       (r->id.at[i + 1] == '"' || r->id.at[i + 1] == '\\');
        i += escaped;
        plain[length++] = r->id.at[i];
    }
    if (!plain) {
        r->kind = DOT_BAD;
        r->no_memory = true;
        return;
    }
    r->id = (slice){plain, length};
}

static void dot_next(dot_reader *r)
{
    r->kind = DOT_END;
    r->quoted = false;
    if (!dot_skip_blanks(r)) {
        r->kind = DOT_BAD;
        r->bad = "a comment is never closed";
    }
    r->word = r->at;
    r->word_line = r->line;
    r->word_column = (unsigned)(r->at - r->line_start) + 1;
    if (r->kind == DOT_BAD || r->at >= r->end)
        return;
    char c = *r->at, after = r->at + 1 < r->end ? r->at[1] : '\0';
    if (c == '-' && (after == '-' || after == '>')) {
        r->kind = after == '-' ? DOT_EDGE : DOT_ARROW;
        r->at += 2;
    } else if (dot_word_char(c) || (c == '-' && dot_word_char(after))) {
        r->kind = DOT_ID;
        r->id.at = r->at++;
        while (r->at < r->end && dot_word_char(*r->at))
            r->at++;
        r->id.length = (size_t)(r->at - r->id.at);
    } else if (c == '"') {
        r->quoted = true;
        dot_read_quoted(r);
    } else {
        r->kind = strchr("{}[];,=:", c) ? DOT_MARK : DOT_BAD;
        r->bad = "an unexpected character";
        r->mark = c;
        r->at++;
    }
}

static bool dot_is_mark(const dot_reader *r, char mark)
{
    return r->kind == DOT_MARK && r->mark == mark;
}

/* Is it this keyword? In quotes it is a name. Case does not count. */
static bool dot_is_word(const dot_reader *r, const char *word)
{
    return r->kind == DOT_ID && !r->quoted && r->id.length == strlen(word) &&
           strncasecmp(r->id.at, word, r->id.length) == 0;
}

static ik_status dot_unexpected(dot_reader *r, const char *expected)
{
    size_t left = (size_t)(r->end - r->word), shown = 0;
    while (shown < left && shown < 24 && r->word[shown] != '\n')
        shown++;
    if (r->no_memory)
        return ik_fail_memory(r->err, r->g.text_size, "a quoted name");
    if (r->kind == DOT_BAD)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, r->word_line, r->word_column,
                          "%s: '%.*s'", r->bad, (int)shown, r->word);
    if (r->kind == DOT_END)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, r->word_line, r->word_column,
                          "expected %s, not the end of the file", expected);
    return ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, r->word_line, r->word_column,
                      "expected %s, not '%.*s'", expected, (int)shown, r->word);
}

/* ---- statements */

/* What a list of attributes applies to: a node, links from `first_link` on, or nothing. */
typedef struct target {
    uint32_t node;
    size_t first_link;
    bool links;
} target;

static ik_status dot_apply(dot_reader *r, const target *to, slice attribute, slice value)
{
    ik_status status = IK_OK;
    if (to->node != IK_NONE)
        status = raw_node_set(&r->g.nodes[to->node], attribute, value, r->err);
    for (size_t i = to->first_link; to->links && i < r->g.num_links && status == IK_OK; i++)
        status = raw_link_set(&r->g.links[i], attribute, value, r->err);
    if (status != IK_OK)
        ik_error_at(r->err, r->g.file, r->word_line, r->word_column);
    return status;
}

/* Any number of [a=b, c=d]. */
static ik_status dot_read_attributes(dot_reader *r, const target *to)
{
    while (dot_is_mark(r, '[')) {
        dot_next(r);
        while (!dot_is_mark(r, ']')) {
            slice attribute = r->id, value = {"true", 4};
            if (r->kind != DOT_ID)
                return dot_unexpected(r, "the name of an attribute or ']'");
            dot_next(r);
            if (dot_is_mark(r, '=')) {
                dot_next(r);
                if (r->kind != DOT_ID)
                    return dot_unexpected(r, "the value of an attribute");
                value = r->id;
                ik_status status = dot_apply(r, to, attribute, value);
                if (status != IK_OK)
                    return status;
                dot_next(r);
            }
            if (dot_is_mark(r, ',') || dot_is_mark(r, ';'))
                dot_next(r);
        }
        dot_next(r);
    }
    return IK_OK;
}

/* At which side of a node a line ends is no port. */
static bool dot_is_side(slice id)
{
    static const char *const sides[] = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (slice_is(id, sides[i]))
            return true;
    return false;
}

/* A node, with the name of a port behind a colon. */
static ik_status dot_read_node(dot_reader *r, uint32_t *node, slice *port)
{
    if (r->kind != DOT_ID)
        return dot_unexpected(r, "a node");
    *node = raw_graph_node(&r->g, r->id, r->err);
    if (*node == IK_NONE)
        return IK_ERR_MEMORY;
    dot_next(r);
    while (dot_is_mark(r, ':')) {
        dot_next(r);
        if (r->kind != DOT_ID)
            return dot_unexpected(r, "a port of a node");
        if (!port->length && !dot_is_side(r->id))
            *port = r->id;
        dot_next(r);
    }
    return IK_OK;
}

/* a, a [..], a -- b -- c [..] */
static ik_status read_nodes_and_links(dot_reader *r)
{
    uint32_t from, to;
    slice near = {0}, far;
    target t = {.first_link = r->g.num_links};
    ik_status status = dot_read_node(r, &from, &near);
    t.node = from;
    while (status == IK_OK && r->kind == DOT_EDGE) {
        unsigned line = r->word_line;
        dot_next(r);
        far = (slice){0};
        status = dot_read_node(r, &to, &far);
        if (status != IK_OK)
            return status;
        raw_link *link = raw_graph_link(&r->g, from, to, line, r->err);
        if (!link)
            return IK_ERR_MEMORY;
        link->port_a = near;
        link->port_b = near = far;
        t.node = IK_NONE;
        t.links = true;
        from = to;
    }
    if (status == IK_OK && r->kind == DOT_ARROW)
        return dot_unexpected(r, "'--': only undirected graphs are fabrics");
    return status == IK_OK ? dot_read_attributes(r, &t) : status;
}

static ik_status dot_read_statement(dot_reader *r, unsigned *depth)
{
    target nothing = {.node = IK_NONE};
    if (dot_is_mark(r, ';') || dot_is_mark(r, ',')) {
        dot_next(r);
        return IK_OK;
    }
    if (dot_is_mark(r, '{') || dot_is_mark(r, '}')) {
        *depth = r->mark == '{' ? *depth + 1 : *depth - 1;
        dot_next(r);
        return IK_OK;
    }
    if (dot_is_word(r, "subgraph")) {
        dot_next(r);
        if (r->kind == DOT_ID)
            dot_next(r);
        return dot_is_mark(r, '{') ? IK_OK : dot_unexpected(r, "'{'");
    }
    if (dot_is_word(r, "graph") || dot_is_word(r, "node") || dot_is_word(r, "edge")) {
        dot_next(r);
        return dot_read_attributes(r, &nothing);
    }
    dot_reader before = *r;
    if (r->kind == DOT_ID) {
        slice attribute = r->id;
        dot_next(r);
        if (dot_is_mark(r, '=')) { /* an attribute of the graph */
            dot_next(r);
            if (r->kind != DOT_ID)
                return dot_unexpected(r, "the value of an attribute");
            raw_graph_set(&r->g, attribute, r->id);
            dot_next(r);
            return IK_OK;
        }
        before.arena = r->arena;
        *r = before;
    }
    return read_nodes_and_links(r);
}

static ik_status dot_read_graph(dot_reader *r)
{
    unsigned depth = 1;
    dot_next(r);
    if (dot_is_word(r, "strict"))
        dot_next(r);
    if (dot_is_word(r, "digraph"))
        return dot_unexpected(r, "'graph': only undirected graphs are fabrics");
    if (!dot_is_word(r, "graph"))
        return dot_unexpected(r, "'graph'");
    dot_next(r);
    if (r->kind == DOT_ID)
        dot_next(r);
    if (!dot_is_mark(r, '{'))
        return dot_unexpected(r, "'{'");
    dot_next(r);
    while (depth) {
        if (r->kind == DOT_END || r->kind == DOT_BAD)
            return dot_unexpected(r, "'}'");
        ik_status status = dot_read_statement(r, &depth);
        if (status != IK_OK)
            return status;
    }
    return r->kind == DOT_END ? IK_OK : dot_unexpected(r, "the end of the file after the graph");
}

static ik_status dot_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                               ik_error *err)
{
    dot_reader r = {.at = text,
                    .end = text + size,
                    .line_start = text,
                    .line = 1,
                    .g = {.file = file, .text_size = size},
                    .err = err};
    ik_status status = dot_read_graph(&r);
    if (status == IK_OK)
        status = devices_build(&r.g, b, false, err);
    raw_graph_free(&r.g);
    ik_arena_free(&r.arena);
    return status;
}

/* ---- writing */

static void dot_write_pairs(const raw_pair *pairs, size_t num, FILE *out)
{
    for (size_t i = 0; i < num; i++) {
        fprintf(out, "%s%s=", i ? ", " : "", pairs[i].attribute);
        if (!pairs[i].is_text) {
            fputs(pairs[i].value, out);
            continue;
        }
        fputc('"', out);
        for (const char *c = pairs[i].value; *c; c++)
            fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputc('"', out);
    }
}

static ik_status dot_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    raw_pair pairs[RAW_MAX_PAIRS];
    (void)err;
    fprintf(out, "graph fabric {\n");
    if (raw_rates_meant(f))
        fprintf(out, "  %s=true;\n", RAW_RATES_MEANT);
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        fprintf(out, "  ");
        raw_write_id(f, node, out);
        fprintf(out, " [shape=%s, ", ik_is_switch(f, node) ? "box" : "point");
        dot_write_pairs(pairs, raw_node_pairs(f, node, pairs), out);
        fprintf(out, "];\n");
    }
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (!raw_writes_link(f, port))
            continue;
        fprintf(out, "  ");
        raw_write_id(f, f->port_node[port], out);
        fprintf(out, " -- ");
        raw_write_id(f, ik_peer_node(f, port), out);
        fprintf(out, " [");
        dot_write_pairs(pairs, raw_link_pairs(f, port, pairs), out);
        fprintf(out, "];\n");
    }
    fprintf(out, "}\n");
    return IK_OK;
}

static unsigned dot_probe(const char *text, size_t size)
{
    dot_reader r = {.at = text, .end = text + size, .line_start = text, .line = 1};
    unsigned sure = 0;
    dot_next(&r);
    if (dot_is_word(&r, "strict"))
        dot_next(&r);
    if (dot_is_word(&r, "graph") || dot_is_word(&r, "digraph")) {
        dot_next(&r);
        sure = dot_is_mark(&r, '{') || r.kind == DOT_ID ? 80 : 0;
    }
    ik_arena_free(&r.arena);
    return sure;
}

static const char *const extensions[] = {"dot", "gv", NULL};

const ik_format ik_format_dot = {
    .name = "dot",
    .summary =
        "a graph for Graphviz; also the plan of cabling that Cumulus' PTM compares with LLDP",
    .source = "E. R. Gansner, S. C. North: An open graph visualization system and its applications "
              "to software engineering, 2000",
    .extensions = extensions,
    .probe = dot_probe,
    .read = dot_read_text,
    .write = dot_write_text,
};
