/* SPDX-License-Identifier: Apache-2.0
 *
 * base/yaml/ytree.c: a YAML document as a tree with places, composed from libyaml's events.
 *
 * libyaml has a composer of its own, but it accepts duplicate keys and cycles and does not bound
 * the expansion of aliases.
 */
#include "base/yaml/ytree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* Names are looked up one by one: keys of a mapping, anchors. */
enum { MAX_DEPTH = 64, MAX_WEIGHT = 1000000, MAX_NAMES = 1024 };

typedef struct anchor {
    struct anchor *next;
    const char *name;
    ytree *node;
} anchor;

typedef struct composer {
    yaml_parser_t parser;
    const char *text;
    size_t size;
    const char *file;
    ik_arena *arena;
    anchor *anchors;
    unsigned depth, num_anchors;
    ik_error *err;
} composer;

const char *ytree_kind_name(ytree_kind kind)
{
    static const char *const names[] = {"text", "a list", "a mapping"};
    return names[kind];
}

ik_status ytree_fail(const ytree *node, ik_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ik_fail_at(err, IK_ERR_INPUT, node->file, node->line, node->column, "%s", text);
}

ytree *ytree_new(ytree_kind kind, const char *file, unsigned line, unsigned column, ik_arena *arena)
{
    ytree *node = ik_arena_alloc(arena, sizeof *node);
    if (node)
        *node = (ytree){.kind = kind,
                        .file = file,
                        .line = line,
                        .column = column,
                        .complete = true,
                        .weight = 1};
    return node;
}

ytree *ytree_get(const ytree *map, const char *key)
{
    if (!map || map->kind != YTREE_MAP)
        return NULL;
    for (size_t i = 0; i < map->num; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->items[i];
    return NULL;
}

/* Appends to a list (key NULL) or a mapping. */
static ik_status ytree_append(ytree *parent, ytree *key, ytree *item, ik_arena *arena,
                              ik_error *err)
{
    if (key && parent->num == MAX_NAMES)
        return ytree_fail(key, err, "a mapping with more than %d keys", MAX_NAMES);
    if (parent->num == parent->room) {
        size_t room = parent->room ? 2 * parent->room : 8;
        ytree **items = ik_arena_alloc(arena, room * sizeof *items);
        ytree **keys = ik_arena_alloc(arena, room * sizeof *keys);
        if (!items || !keys)
            return ik_fail_memory(err, 2 * room * sizeof *items, "a YAML document");
        if (parent->num) {
            memcpy(items, parent->items, parent->num * sizeof *items);
            memcpy(keys, parent->keys, parent->num * sizeof *keys);
        }
        parent->items = items;
        parent->keys = keys;
        parent->room = room;
    }
    parent->keys[parent->num] = key;
    parent->items[parent->num++] = item;
    parent->weight += item->weight;
    if (parent->weight > MAX_WEIGHT)
        return ytree_fail(item, err,
                          "the document expands to more than %d values here (aliases of aliases)",
                          MAX_WEIGHT);
    return IK_OK;
}

ik_status ytree_set(ytree *map, const char *key, ytree *value, ik_arena *arena, ik_error *err)
{
    for (size_t i = 0; i < map->num; i++)
        if (strcmp(map->keys[i]->text, key) == 0) {
            map->items[i] = value;
            return IK_OK;
        }
    ytree *name = ytree_new(YTREE_SCALAR, value->file, value->line, value->column, arena);
    if (!name || !(name->text = ik_arena_strdup(arena, key)))
        return ik_fail_memory(err, sizeof *name, "a YAML document");
    return ytree_append(map, name, value, arena, err);
}

/* ---- errors of libyaml */

static void ytree_place_of_offset(const composer *c, size_t offset, unsigned *line,
                                  unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < c->size; i++) {
        if (c->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    }
}

/* Is there a tab in the indentation of that line (1-based)? */
static bool ytree_indented_by_tab(const composer *c, unsigned line)
{
    const char *p = c->text, *end = c->text + c->size;
    for (unsigned i = 1; i < line && p; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    for (; p && p < end && (*p == ' ' || *p == '\t'); p++)
        if (*p == '\t')
            return true;
    return false;
}

static ik_status ytree_syntax_error(composer *c)
{
    const yaml_parser_t *p = &c->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return ik_fail_memory(c->err, 0, "a YAML document");
    unsigned line = (unsigned)p->problem_mark.line + 1,
             column = (unsigned)p->problem_mark.column + 1;
    if (p->error == YAML_READER_ERROR)
        ytree_place_of_offset(c, p->problem_offset, &line, &column);
    ik_status status = ik_fail_at(c->err, IK_ERR_INPUT, c->file, line, column,
                                  "not valid YAML: %s%s%s", p->problem ? p->problem : "?",
                                  p->context ? ", " : "", p->context ? p->context : "");
    if (ytree_indented_by_tab(c, line))
        return ik_hint(c->err, status,
                       "YAML is indented with spaces; this line is indented with a tab");
    if (p->problem && strstr(p->problem, "mapping values"))
        return ik_hint(
            c->err, status,
            "is a ':' missing behind the key before, or a brace '{'? A text that contains "
            "': ' is written in quotes");
    return status;
}

static ik_status ytree_next_event(composer *c, yaml_event_t *event)
{
    return yaml_parser_parse(&c->parser, event) ? IK_OK : ytree_syntax_error(c);
}

/* ---- composing */

static ik_status ytree_compose(composer *c, yaml_event_t *event, ytree **out);

static ytree *ytree_node_at(composer *c, ytree_kind kind, const yaml_event_t *event)
{
    return ytree_new(kind, c->file, (unsigned)event->start_mark.line + 1,
                     (unsigned)event->start_mark.column + 1, c->arena);
}

static ik_status ytree_remember(composer *c, const yaml_char_t *name, ytree *node)
{
    if (!name)
        return IK_OK;
    if (c->num_anchors++ == MAX_NAMES)
        return ytree_fail(node, c->err, "more than %d anchors", MAX_NAMES);
    anchor *a = ik_arena_alloc(c->arena, sizeof *a);
    if (!a || !(a->name = ik_arena_strdup(c->arena, (const char *)name)))
        return ik_fail_memory(c->err, sizeof *a, "a YAML document");
    a->node = node;
    a->next = c->anchors; /* the latest definition of a name wins, as YAML has it */
    c->anchors = a;
    return IK_OK;
}

static ik_status ytree_alias(composer *c, const yaml_event_t *event, ytree **out)
{
    const char *name = (const char *)event->data.alias.anchor;
    unsigned line = (unsigned)event->start_mark.line + 1,
             column = (unsigned)event->start_mark.column + 1;
    for (const anchor *a = c->anchors; a; a = a->next) {
        if (strcmp(a->name, name) != 0)
            continue;
        if (!a->node->complete)
            return ik_fail_at(c->err, IK_ERR_INPUT, c->file, line, column,
                              "alias *%s is inside its own anchor &%s (line %u): a cycle", name,
                              name, a->node->line);
        *out = a->node;
        return IK_OK;
    }
    return ik_fail_at(c->err, IK_ERR_INPUT, c->file, line, column,
                      "alias *%s has no anchor &%s before it", name, name);
}

static ik_status ytree_scalar(composer *c, const yaml_event_t *event, ytree **out)
{
    ytree *node = ytree_node_at(c, YTREE_SCALAR, event);
    size_t length = event->data.scalar.length;
    char *text = node ? ik_arena_alloc(c->arena, length + 1) : NULL;
    if (!text)
        return ik_fail_memory(c->err, length + 1, "a YAML document");
    memcpy(text, event->data.scalar.value, length);
    if (memchr(text, 0, length))
        return ytree_fail(node, c->err, "text with a NUL character");
    node->text = text;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    ik_status status = ytree_remember(c, event->data.scalar.anchor, node);
    if (status == IK_OK)
        *out = node;
    return status;
}

/* "<<: *base" and "<<: [*a, *b]": keys that the mapping does not have yet. Runs when the mapping's
 * end was read. */
static ik_status ytree_merge(composer *c, ytree *map, const ytree *from)
{
    if (from->kind == YTREE_LIST) {
        for (size_t i = 0; i < from->num; i++) {
            ik_status status = ytree_merge(c, map, from->items[i]);
            if (status != IK_OK)
                return status;
        }
        return IK_OK;
    }
    if (from->kind != YTREE_MAP)
        return ytree_fail(from, c->err, "'<<' merges mappings, found %s",
                          ytree_kind_name(from->kind));
    for (size_t i = 0; i < from->num; i++) {
        if (ytree_get(map, from->keys[i]->text))
            continue;
        ik_status status = ytree_append(map, from->keys[i], from->items[i], c->arena, c->err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status ytree_add_pair(composer *c, ytree *map, ytree *key, ytree *value, ytree **merged)
{
    if (key->kind != YTREE_SCALAR)
        return ytree_fail(key, c->err, "a key must be a word, found %s",
                          ytree_kind_name(key->kind));
    if (key->plain && strcmp(key->text, "<<") == 0) {
        *merged = value;
        return IK_OK;
    }
    for (size_t i = 0; i < map->num; i++)
        if (strcmp(map->keys[i]->text, key->text) == 0)
            return ytree_fail(key, c->err, "key '%.80s' is given twice; the first is in line %u",
                              key->text, map->keys[i]->line);
    return ytree_append(map, key, value, c->arena, c->err);
}

/* Reads the children of a list or mapping up to its end event. */
static ik_status ytree_children(composer *c, ytree *node, yaml_event_type_t end)
{
    ytree *key = NULL, *merged = NULL;
    for (;;) {
        yaml_event_t event;
        ytree *child = NULL;
        ik_status status = ytree_next_event(c, &event);
        if (status != IK_OK)
            return status;
        if (event.type == end) {
            yaml_event_delete(&event);
            return merged ? ytree_merge(c, node, merged) : IK_OK;
        }
        status = ytree_compose(c, &event, &child);
        yaml_event_delete(&event);
        if (status != IK_OK)
            return status;
        if (node->kind == YTREE_LIST) {
            status = ytree_append(node, NULL, child, c->arena, c->err);
        } else if (!key) {
            key = child;
        } else {
            status = ytree_add_pair(c, node, key, child, &merged);
            key = NULL;
        }
        if (status != IK_OK)
            return status;
    }
}

static ik_status ytree_container(composer *c, const yaml_event_t *event, ytree **out)
{
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    ytree *node = ytree_node_at(c, list ? YTREE_LIST : YTREE_MAP, event);
    if (!node)
        return ik_fail_memory(c->err, sizeof *node, "a YAML document");
    if (c->depth >= MAX_DEPTH)
        return ytree_fail(node, c->err, "nested deeper than %d levels", MAX_DEPTH);
    node->complete = false;
    ik_status status = ytree_remember(
        c, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor, node);
    if (status != IK_OK)
        return status;
    c->depth++;
    status = ytree_children(c, node, list ? YAML_SEQUENCE_END_EVENT : YAML_MAPPING_END_EVENT);
    c->depth--;
    node->complete = true;
    if (status == IK_OK)
        *out = node;
    return status;
}

static ik_status ytree_compose(composer *c, yaml_event_t *event, ytree **out)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return ytree_alias(c, event, out);
    case YAML_SCALAR_EVENT:
        return ytree_scalar(c, event, out);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return ytree_container(c, event, out);
    default:
        return ik_fail_at(c->err, IK_ERR_INPUT, c->file, (unsigned)event->start_mark.line + 1,
                          (unsigned)event->start_mark.column + 1, "not valid YAML here");
    }
}

/* Walks stream and document events around the one root node. */
static ik_status ytree_document(composer *c, ytree **out)
{
    ytree *root = NULL;
    for (bool end = false; !end;) {
        yaml_event_t event;
        ik_status status = ytree_next_event(c, &event);
        if (status != IK_OK)
            return status;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_STREAM_END_EVENT:
            end = true;
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (root)
                status =
                    ik_fail_at(c->err, IK_ERR_INPUT, c->file, (unsigned)event.start_mark.line + 1,
                               (unsigned)event.start_mark.column + 1,
                               "a second YAML document; a file holds only one");
            break;
        default:
            status = ytree_compose(c, &event, &root);
        }
        yaml_event_delete(&event);
        if (status != IK_OK)
            return status;
    }
    if (!root && !(root = ytree_new(YTREE_MAP, c->file, 1, 1, c->arena)))
        return ik_fail_memory(c->err, sizeof *root, "a YAML document");
    *out = root;
    return IK_OK;
}

ik_status ytree_parse(const char *text, size_t size, const char *file, ik_arena *arena, ytree **out,
                      ik_error *err)
{
    ik_error scratch;
    composer c = {.text = text, .size = size, .arena = arena, .err = err ? err : &scratch};
    c.file = ik_arena_strdup(arena, file);
    if (!c.file || !yaml_parser_initialize(&c.parser))
        return ik_fail_memory(err, sizeof c.parser, "a YAML parser");
    yaml_parser_set_input_string(&c.parser, (const unsigned char *)text, size);
    ik_status status = ytree_document(&c, out);
    yaml_parser_delete(&c.parser);
    return status;
}
