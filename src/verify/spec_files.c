/* SPDX-License-Identifier: Apache-2.0
 *
 * verify/spec_files.c: see spec_files.h. */
#include "verify/spec_files.h"

#include "base/file_list.h"
#include "ikat/routing.h"
#include "ikat/traffic.h"
#include "ikat/vc.h"
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, LONGEST_PATH = 4096 };

typedef struct walk {
    spec_files_fn file, plugin;
    void *ctx;
    unsigned depth; /* of specs within specs, of files within files */
} walk;

static bool spec_files_walk_params(walk *w, const ik_params *params);

/* ---- files that belong to a file */

static bool spec_files_ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size > tail && strcmp(text + size - tail, end) == 0;
}

/* "NAME.otf2" is little more than a name: events and definitions are in NAME.def and below NAME. */
static bool spec_files_walk_archive(walk *w, const char *anchor)
{
    char path[LONGEST_PATH], **files = NULL;
    uint32_t num = 0;
    int stem = (int)(strlen(anchor) - strlen(".otf2"));
    if (snprintf(path, sizeof path, "%.*s.def", stem, anchor) >= (int)sizeof path)
        return true; /* nobody can open it either */
    bool good = w->file(w->ctx, path);
    path[stem] = '\0';
    if (good && ik_file_list(path, &files, &num, NULL) != IK_OK)
        return true;
    for (uint32_t k = 0; k < num && good; k++)
        good = w->file(w->ctx, files[k]);
    ik_file_list_free(files, num);
    return good;
}

/* Whether a line of a netlist is `include "NAME"`. */
static bool spec_files_is_include(const char *line, const char *end, const char **name,
                                  size_t *length)
{
    static const char word[] = "include";
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if ((size_t)(end - line) < sizeof word || memcmp(line, word, sizeof word - 1) != 0)
        return false;
    const char *open = memchr(line, '"', (size_t)(end - line));
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (!close)
        return false;
    *name = open + 1;
    *length = (size_t)(close - open - 1);
    return true;
}

/* The files that a netlist includes, which lie in its folder or below. */
static bool spec_files_walk_netlist(walk *w, const char *netlist)
{
    char *text = NULL, path[LONGEST_PATH];
    size_t size = 0;
    bool good = true;
    const char *slash = strrchr(netlist, '/');
    int folder = slash ? (int)(slash - netlist) + 1 : 0;
    if (w->depth == MAX_DEPTH || ik_text_read(netlist, 0, &text, &size, NULL) != IK_OK)
        return true;
    w->depth++;
    for (const char *line = text, *end = text + size; line < end && good;) {
        const char *next = memchr(line, '\n', (size_t)(end - line)), *name = NULL;
        size_t length = 0;
        next = next ? next : end;
        if (spec_files_is_include(line, next, &name, &length) &&
            length + (size_t)folder < sizeof path) {
            snprintf(path, sizeof path, "%.*s%.*s", folder, netlist, (int)length, name);
            good = w->file(w->ctx, path) && spec_files_walk_netlist(w, path);
        }
        line = next + (next < end);
    }
    w->depth--;
    free(text);
    return good;
}

/* The files that a name stands for, and what belongs to each. */
static bool spec_files_walk_path(walk *w, const char *path, bool netlist)
{
    char **files = NULL;
    uint32_t num = 0;
    bool good = true;
    if (ik_file_list(path, &files, &num, NULL) != IK_OK)
        return w->file(w->ctx, path);
    for (uint32_t k = 0; k < num && good; k++) {
        good = w->file(w->ctx, files[k]);
        if (good && netlist)
            good = spec_files_walk_netlist(w, files[k]);
        else if (good && spec_files_ends_with(files[k], ".otf2"))
            good = spec_files_walk_archive(w, files[k]);
    }
    ik_file_list_free(files, num);
    return good;
}

/* ---- specs within values */

/* The member that a spec in this row's value names, and its parameters; NULL = none. */
static const void *spec_files_member(const ik_param *row, const char *name, const ik_param **rows)
{
    if (row->type != IK_PARAM_SPEC) {
        const ik_traffic_family *family = ik_traffic_find(name);
        *rows = family ? family->params : NULL;
        return family;
    }
    if (strcmp(row->name, "routing") == 0) {
        const ik_routing_family *family = ik_routing_find(name);
        *rows = family ? family->params : NULL;
        return family;
    }
    const ik_vc_family *family = ik_vc_find(name);
    *rows = family ? family->params : NULL;
    return family;
}

static bool spec_files_walk_spec(walk *w, const ik_param *row, const char *text)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params = {0};
    bool good = w->depth < MAX_DEPTH && ik_spec_parse(text, &arena, &spec, NULL) == IK_OK;
    const ik_param *rows = NULL;
    const void *member = good ? spec_files_member(row, spec.name, &rows) : NULL;
    good &= member && ik_params_from_spec(&params, "member", &spec, rows, NULL, NULL) == IK_OK;
    if (good && registry_identity(member)[0])
        good = w->plugin(w->ctx, registry_identity(member));
    w->depth++;
    good = good && spec_files_walk_params(w, &params);
    w->depth--;
    ik_params_free(&params);
    ik_arena_free(&arena);
    return good;
}

static bool spec_files_walk_params(walk *w, const ik_params *params)
{
    bool netlist = false, good = true;
    for (size_t i = 0; i < params->num; i++) /* of a fabric's file, no other */
        netlist |= strcmp(params->decl[i].name, "guid2lid") == 0;
    for (size_t i = 0; i < params->num && good; i++) {
        const ik_param *row = &params->decl[i];
        const ik_value *value = &params->values[i];
        if (!value->has || value->word)
            continue;
        if (row->type == IK_PARAM_PATH)
            good = spec_files_walk_path(w, value->text, netlist && i == 0);
        for (size_t k = 0; k < value->num_members && good; k++)
            good = spec_files_walk_spec(w, row, value->members[k].spec);
    }
    return good;
}

bool spec_files_each(const ik_params *params, spec_files_fn file, spec_files_fn plugin, void *ctx)
{
    walk w = {.file = file, .plugin = plugin, .ctx = ctx};
    return spec_files_walk_params(&w, params);
}
