/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/pair_sizes.c: see pair_sizes.h. */
#include "traffic/workload/pair_sizes.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_FILE, RULE_RANDOM, RULE_RAMP }; /* ik_params_word */

#define MOST_BYTES (UINT64_C(1) << 50) /* of a pair */

/* ---- files */

typedef struct reader {
    const char *path;
    uint32_t num, row;
    unsigned line;
    uint64_t *sizes;
} reader;

static ik_status pair_sizes_read_cell(const reader *r, uint32_t column, char **at, const char *line,
                                      ik_error *err)
{
    char *end = *at;
    unsigned place = (unsigned)(*at - line) + 1;
    if (column >= r->num)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, place,
                          "more than %u numbers in row %u", r->num, r->row);
    uint64_t value = **at >= '0' && **at <= '9' ? strtoull(*at, &end, 10) : UINT64_MAX;
    if (value > MOST_BYTES || (*end && !strchr(" \t\r,;", *end))) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, place, "'%.*s' is not a number of bytes",
                   (int)strcspn(*at, " \t\r,;"), *at);
        return ik_hint(err, IK_ERR_INPUT, "a whole number from 0 to 2^50");
    }
    r->sizes[(size_t)r->row * r->num + column] = value;
    *at = end;
    return IK_OK;
}

static ik_status pair_sizes_read_row(reader *r, char *line, ik_error *err)
{
    line[strcspn(line, "#")] = '\0';
    uint32_t column = 0;
    for (char *at = line + strspn(line, " \t\r,;"); *at; at += strspn(at, " \t\r,;")) {
        if (r->row >= r->num)
            return ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, (unsigned)(at - line) + 1,
                              "more than %u rows, one per process", r->num);
        ik_status status = pair_sizes_read_cell(r, column++, &at, line, err);
        if (status != IK_OK)
            return status;
    }
    if (column && column < r->num)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, 1,
                          "%u numbers in row %u, %u processes have %u", column, r->row, r->num,
                          r->num);
    r->row += column > 0;
    return IK_OK;
}

static ik_status pair_sizes_read_rows(reader *r, char *text, const char *end, ik_error *err)
{
    ik_status status = IK_OK;
    for (char *line = text; line < end && status == IK_OK;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop)
            *stop = '\0';
        r->line++;
        status = pair_sizes_read_row(r, line, err);
        line = stop ? stop + 1 : (char *)end;
    }
    if (status == IK_OK && r->row < r->num)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, 1, "%u rows, %u processes have %u",
                          r->row, r->num, r->num);
    return status;
}

static ik_status pair_sizes_read_file(reader *r, const ik_env *env, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(r->path, env ? env->memory_limit_bytes : 0, &text, &size, err);
    if (status == IK_ERR_IO)
        return ik_hint(err, status, "sizes is one of %s, or a file", PAIR_SIZES_RULES);
    if (status != IK_OK)
        return status;
    const char *start = text;
    status = ik_text_begin(&start, &size, r->path, err);
    if (status == IK_OK)
        status = pair_sizes_read_rows(r, text + (start - text), start + size, err);
    free(text);
    return status;
}

/* ---- rules */

static void pair_sizes_follow_rule(unsigned rule, uint32_t num, uint64_t bytes, uint64_t seed,
                                   uint64_t *sizes)
{
    for (uint32_t src = 0; src < num; src++)
        for (uint32_t dst = 0; dst < num; dst++) {
            uint64_t size = rule == RULE_RAMP
                                ? (uint64_t)((double)bytes * 2 * (dst + 1) / (num + 1.0) + 0.5)
                                : 1 + ik_random_u64(seed, IK_RNG_TRAFFIC_SETUP,
                                                    (uint64_t)src + ((uint64_t)1 << 41), dst) %
                                          (2 * bytes - 1);
            sizes[(size_t)src * num + dst] = src == dst ? 0 : size ? size : 1;
        }
}

ik_status pair_sizes_make(const char *owner, const ik_params *p, uint32_t num, uint64_t bytes,
                          uint64_t seed, const ik_env *env, uint64_t **sizes, ik_error *err)
{
    unsigned rule = ik_params_word(p, "sizes");
    ik_status status = ik_env_refuse_bytes(env, (double)num * num * sizeof **sizes, owner, err);
    if (status != IK_OK)
        return status;
    reader r = {.path = ik_params_text(p, "sizes"),
                .num = num,
                .sizes = ik_calloc((size_t)num * num + 1, sizeof *r.sizes)};
    if (!r.sizes)
        return ik_fail_memory(err, (size_t)num * num * sizeof *r.sizes, owner);
    if (rule == RULE_FILE)
        status = pair_sizes_read_file(&r, env, err);
    else if (bytes > MOST_BYTES / 2)
        status = ik_about(
            err, ik_fail(err, IK_ERR_USAGE, "%s: bytes is at most 2^49 B here", owner), "bytes");
    else
        pair_sizes_follow_rule(rule, num, bytes, seed, r.sizes);
    if (status == IK_OK)
        *sizes = r.sizes;
    else
        free(r.sizes);
    return status;
}
