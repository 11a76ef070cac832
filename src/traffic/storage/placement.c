/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/placement.c: see placement.h. */
#include "traffic/storage/placement.h"
#include "base/text_lines.h"
#include "format/scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_FILE, RULE_EVEN, RULE_FIRST, RULE_LAST, RULE_RANDOM }; /* ik_params_word */
enum { PLACEMENT_ENTITY = 23 };

/* ---- rules */

static ik_status placement_draw(uint32_t processes, uint64_t seed, placement *out, ik_error *err)
{
    assert(out->num_disks <= processes); /* placement_refuse_disks */
    uint32_t *order = malloc(((size_t)processes + 1) * sizeof *order);
    if (!order)
        return ik_fail_memory(err, processes * sizeof *order, "a placement");
    for (uint32_t i = 0; i < processes; i++)
        order[i] = i;
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, PLACEMENT_ENTITY);
    ik_rng_shuffle_u32(&rng, order, processes);
    memcpy(out->disk, order, out->num_disks * sizeof *order);
    free(order);
    return IK_OK;
}

static ik_status placement_refuse_disks(const char *owner, uint32_t disks, uint32_t processes,
                                        ik_error *err)
{
    return ik_about(err,
                    ik_fail(err, IK_ERR_USAGE, "%s: %s and %s: none is left to access them", owner,
                            IK_COUNT(disks, "disk"), IK_COUNT(processes, "process")),
                    "disks processes hosts trace");
}

static ik_status placement_apply_rule(const char *owner, unsigned rule, uint32_t processes,
                                      uint64_t seed, placement *out, ik_error *err)
{
    if (out->num_disks >= processes)
        return placement_refuse_disks(owner, out->num_disks, processes, err);
    if (rule == RULE_RANDOM)
        return placement_draw(processes, seed, out, err);
    for (uint32_t i = 0; i < out->num_disks; i++)
        out->disk[i] = rule == RULE_EVEN    ? (uint32_t)((uint64_t)i * processes / out->num_disks)
                       : rule == RULE_FIRST ? i
                                            : processes - out->num_disks + i;
    return IK_OK;
}

/* ---- files */

typedef struct place_file {
    ik_text_lines lines;
    name_map names; /* of the disks; their numbers, where they have none, are in `made` */
    ik_arena made;
    uint32_t processes;
} place_file;

static ik_status placement_add_names(place_file *f, const slice *names, uint32_t disks,
                                     ik_error *err)
{
    bool is_new = true;
    for (uint32_t i = 0; i < disks; i++) {
        const char *number = names ? NULL : ik_arena_printf(&f->made, "%" PRIu32, i);
        if (!names && !number)
            return ik_fail_memory(err, 16, "a placement");
        slice name = names ? names[i] : (slice){number, strlen(number)};
        if (name_map_add(&f->names, name, &is_new) == IK_NONE)
            return ik_fail_memory(err, disks * sizeof name, "a placement");
    }
    return IK_OK;
}

/* "hm.0 17": names of other disks are skipped, so that a file serves all parts of a trace. */
static ik_status read_place(place_file *f, scan *s, placement *out, ik_error *err)
{
    uint64_t process = 0;
    const char *start = s->at;
    uint32_t disk = name_map_find(&f->names, scan_token(s));
    scan_blanks(s);
    if (!scan_uint(s, f->processes - 1, &process))
        return scan_fail(s, err, "expected a process, a number up to %" PRIu32, f->processes - 1);
    if (!scan_at_end(s) && *s->at != '#')
        return scan_fail(s, err, "expected the end of the line");
    if (disk == IK_NONE)
        return IK_OK;
    if (out->disk[disk] != IK_NONE) {
        s->at = start;
        return scan_fail(s, err, "expected a disk that has no line yet");
    }
    out->disk[disk] = (uint32_t)process;
    return IK_OK;
}

static ik_status read_places(place_file *f, placement *out, ik_error *err)
{
    bool more = true;
    ik_status status = ik_text_lines_next(&f->lines, &more, err);
    for (; status == IK_OK && more;
         status = status == IK_OK ? ik_text_lines_next(&f->lines, &more, err) : status) {
        const ik_text_lines *l = &f->lines;
        scan s = scan_line_of(l);
        if (!scan_at_end(&s) && *s.at != '#')
            status = read_place(f, &s, out, err);
        if (status != IK_OK)
            return status;
    }
    return status;
}

static ik_status placement_read_file(const char *path, uint32_t processes, const slice *names,
                                     const ik_env *env, placement *out, ik_error *err)
{
    place_file f = {.processes = processes};
    ik_status status = ik_text_lines_open(&f.lines, path, env, err);
    if (status == IK_ERR_IO)
        ik_hint(err, status, "placement is one of " PLACEMENT_RULES ", or a file");
    if (status == IK_OK)
        status = placement_add_names(&f, names, out->num_disks, err);
    memset(out->disk, 0xff, out->num_disks * sizeof *out->disk);
    if (status == IK_OK)
        status = read_places(&f, out, err);
    for (uint32_t i = 0; i < out->num_disks && status == IK_OK; i++)
        if (out->disk[i] == IK_NONE) {
            status = ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "no line is for disk '%.*s'",
                                (int)(f.names.names[i].length < 80 ? f.names.names[i].length : 80),
                                f.names.names[i].at);
            ik_hint(err, status, "lines are a disk's name and a process's number");
        }
    ik_text_lines_close(&f.lines);
    name_map_free(&f.names);
    ik_arena_free(&f.made);
    return status;
}

/* ---- both */

static ik_status placement_find_clients(const char *owner, uint32_t processes, placement *out,
                                        ik_error *err)
{
    bool *has_disk = ik_calloc((size_t)processes + 1, sizeof *has_disk);
    out->client = malloc(((size_t)processes + 1) * sizeof *out->client);
    if (!has_disk || !out->client) {
        free(has_disk);
        return ik_fail_memory(err, processes * (sizeof *out->client + 1), "a placement");
    }
    for (uint32_t i = 0; i < out->num_disks; i++)
        has_disk[out->disk[i]] = true;
    for (uint32_t i = 0; i < processes; i++)
        if (!has_disk[i])
            out->client[out->num_clients++] = i;
    free(has_disk);
    return out->num_clients ? IK_OK : placement_refuse_disks(owner, out->num_disks, processes, err);
}

ik_status placement_make(const char *owner, const ik_params *p, uint32_t processes, uint32_t disks,
                         const slice *names, uint64_t seed, const ik_env *env, placement *out,
                         ik_error *err)
{
    unsigned rule = ik_params_word(p, "placement");
    *out = (placement){.num_disks = disks};
    out->disk = malloc(((size_t)disks + 1) * sizeof *out->disk);
    if (!out->disk)
        return ik_fail_memory(err, disks * sizeof *out->disk, "a placement");
    ik_status status =
        rule == RULE_FILE
            ? placement_read_file(ik_params_text(p, "placement"), processes, names, env, out, err)
            : placement_apply_rule(owner, rule, processes, seed, out, err);
    return status == IK_OK ? placement_find_clients(owner, processes, out, err) : status;
}

void placement_free(placement *p)
{
    free(p->disk);
    free(p->client);
    p->disk = p->client = NULL;
}
