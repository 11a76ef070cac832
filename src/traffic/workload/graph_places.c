/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_places.c: the files and lines of operations of a program that comes from several files.
 *
 * An operation keeps one number. Numbers go on from file to file: a run of lines of one file is a
 * row (its first number, its first line), found by binary search. */
#include "base/array.h"
#include "traffic/workload/graph_impl.h"

#include <stdlib.h>
#include <string.h>

static uint32_t graph_places_path_tag(const char *path)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    for (; *path; path++)
        key = (key ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return ik_hash_tag(key);
}

/* The copy of a path; NULL = no memory. */
static const char *graph_places_keep_path(graph_places *p, const char *path)
{
    uint32_t tag = graph_places_path_tag(path), id;
    if (!p->by_path.places && !ik_hash_init(&p->by_path))
        return NULL;
    for (size_t at = ik_hash_first(&p->by_path, tag);
         (id = ik_hash_find(&p->by_path, tag, &at)) != IK_NONE; at++)
        if (strcmp(p->paths[id], path) == 0)
            return p->paths[id];
    if (!IK_ARRAY_ROOM(p->paths, p->room_paths, p->num_paths + 1))
        return NULL;
    char *copy = strdup(path);
    if (!copy || !ik_hash_add(&p->by_path, tag, (uint32_t)p->num_paths)) {
        free(copy);
        return NULL;
    }
    return p->paths[p->num_paths++] = copy;
}

unsigned graph_place(graph_builder *b, const char *path, unsigned line)
{
    graph_places *p = &b->places;
    const ik_graph_file *last = p->num_files ? &p->files[p->num_files - 1] : NULL;
    bool same = last && line >= last->line && (path == last->path || !strcmp(path, last->path));
    if (same && line - last->line <= UINT32_MAX - last->first) {
        uint32_t number = last->first + (line - last->line);
        p->now = number > p->now ? number : p->now;
        return number;
    }
    const char *kept = p->now < UINT32_MAX ? graph_places_keep_path(p, path) : NULL;
    bool fits = kept && IK_ARRAY_ROOM(p->files, p->room_files, p->num_files + 1);
    b->no_memory |= p->now < UINT32_MAX && !fits;
    if (!fits)
        return 0;
    p->files[p->num_files++] = (ik_graph_file){p->now + 1, line, kept};
    return ++p->now;
}

static unsigned graph_places_find_line(const ik_graph_file *files, size_t num, uint32_t number,
                                       const char **path)
{
    size_t low = 0, high = num;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (files[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    if (path)
        *path = files[low].path;
    return number - files[low].first + files[low].line;
}

unsigned graph_line(const graph_builder *b, uint32_t op, const char **path)
{
    unsigned number = op < b->num_ops ? b->line[op] : 0;
    if (path)
        *path = b->source;
    return number && b->places.num_files
               ? graph_places_find_line(b->places.files, b->places.num_files, number, path)
               : number;
}

unsigned ik_graph_line(const ik_graph *g, uint32_t op, const char **path)
{
    unsigned number = g->line ? g->line[op] : 0;
    if (path)
        *path = g->source;
    return number && g->num_files ? graph_places_find_line(g->files, g->num_files, number, path)
                                  : number;
}

void graph_places_take(graph_places *p, ik_graph *g)
{
    g->files = p->files;
    g->num_files = (uint32_t)p->num_files;
    g->paths = p->paths;
    g->num_paths = (uint32_t)p->num_paths;
    ik_hash_free(&p->by_path);
    *p = (graph_places){0};
}

void graph_places_free(graph_places *p)
{
    for (size_t k = 0; k < p->num_paths; k++)
        free(p->paths[k]);
    free(p->paths);
    free(p->files);
    ik_hash_free(&p->by_path);
    *p = (graph_places){0};
}
