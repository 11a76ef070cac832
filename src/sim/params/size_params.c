/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of messages: message_sizes = MIX { ";" MIX }, MIX = [ CLASS "=" ] ITEM { "," ITEM } (or
 * "+"), ITEM = SIZE [ ".." SIZE ] [ ":" SHARE ]; shares all in percent, all as weights, or all left
 * out. message_histogram names a file with a line an item: SIZE [ ".." SIZE ] WEIGHT. */
#include "sim/params/parameters.h"

#include "base/quantity.h"

#include "base/array.h"
#include "ikat/sim.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So that the arena goes with what it holds. */
typedef struct owned_sizes {
    sim_sizes z;
    ik_arena arena;
} owned_sizes;

static const uint64_t largest_size = UINT64_C(1000000000000000);

/* What is being read: ranges have shares until they are summed up. */
typedef struct reader {
    owned_sizes *own;
    sim_size_range *ranges; /* of the mix; upto: its share, NAN = left out */
    size_t num, room;
    unsigned percents, open; /* shares in percent, and left out */
    const char *file;        /* of a histogram; NULL = a parameter */
    unsigned line;
} reader;

static ik_status size_params_refuse(const reader *r, unsigned column, ik_error *err,
                                    const char *text, const char *why)
{
    if (r->file)
        return ik_fail_at(err, IK_ERR_INPUT, r->file, r->line, column, "'%.60s' %s", text, why);
    return ik_about(err, ik_fail(err, IK_ERR_USAGE, "adapter.message_sizes: '%.60s' %s", text, why),
                    "adapter.message_sizes");
}

static ik_status size_params_refuse_item(const reader *r, unsigned column, ik_error *err,
                                         const char *text, const char *why)
{
    ik_status status = size_params_refuse(r, column, err, text, why);
    const char *meant = ik_quantity_meant(text, IK_DIM_SIZE);
    if (meant)
        return ik_meant(err, status, meant);
    return ik_hint(err, status,
                   r->file
                       ? "a line reads like \"64 B 0.5\" or \"1 KiB..4 KiB 20\", sizes are of 1 "
                         "B to 1000 TB"
                       : "message_sizes reads like \"64 B:50%%, 1 KiB..4 KiB:50%%\", sizes are "
                         "of 1 B to 1000 TB");
}

/* ---- pieces of text, cut in place */

static char *size_params_trim(char *text)
{
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text + strspn(text, " \t\r");
}

/* Ends *text at the first character of `marks`; returns what is behind it, NULL = it has none. */
static char *size_params_cut(char *text, const char *marks)
{
    char *at = strpbrk(text, marks);
    if (at)
        *at++ = '\0';
    return at;
}

/* ---- items */

static bool size_params_read_size(char *text, uint64_t *size)
{
    char *word = size_params_trim(text), *end;
    if (word[0] && word[strspn(word, "0123456789")] == '\0') { /* bytes */
        *size = strlen(word) <= 15 ? strtoull(word, &end, 10) : 0;
        return *size > 0;
    }
    return ik_parse_quantity(word, IK_DIM_SIZE, size, NULL) == IK_OK && *size > 0 &&
           *size <= largest_size;
}

static ik_status size_params_add_range(reader *r, char *text, double share, unsigned column,
                                       ik_error *err)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    char *dots = strstr(text, "..");
    uint64_t from = 0, to = 0;
    if (dots)
        *dots = '\0';
    if (!size_params_read_size(text, &from) || !size_params_read_size(dots ? dots + 2 : text, &to))
        return size_params_refuse_item(r, column, err, copy, "is not a size");
    if (from > to)
        return size_params_refuse_item(r, column, err, copy, "is a range that goes down");
    if (!IK_ARRAY_ROOM(r->ranges, r->room, r->num + 1))
        return ik_fail_memory(err, 2 * r->num * sizeof *r->ranges, "sizes of messages");
    r->ranges[r->num++] = (sim_size_range){from, to, share};
    if (to > r->own->z.largest)
        r->own->z.largest = to;
    return IK_OK;
}

static ik_status size_params_read_item(reader *r, char *text, ik_error *err)
{
    double value = NAN;
    char *share = size_params_cut(text, ":");
    if (share) {
        share = size_params_trim(share);
        bool percent = strchr(share, '%');
        r->percents += percent;
        if (ik_parse_real(share, percent ? IK_DIM_FRACTION : IK_DIM_NONE, &value, NULL) != IK_OK ||
            !(value > 0 && value <= 1e15))
            return size_params_refuse_item(r, 0, err, share, "is not a share above zero");
    }
    r->open += !share;
    return size_params_add_range(r, size_params_trim(text), value, 0, err);
}

/* ---- mixes */

/* Shares become running sums of probabilities. */
static ik_status size_params_sum_shares(reader *r, ik_error *err)
{
    double sum = 0, upto = 0;
    if ((r->open && r->open < r->num) || (r->percents && r->percents < r->num))
        return ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "adapter.message_sizes: shares are all in percent, all without %%, or all "
                    "left out"),
            "adapter.message_sizes");
    for (size_t k = 0; k < r->num; k++) {
        r->ranges[k].upto = r->open ? 1 : r->ranges[k].upto;
        sum += r->ranges[k].upto;
    }
    if (r->percents && fabs(sum - 1) > 0.0005) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "adapter.message_sizes: the shares sum to %.6g %%",
                         sum * 100),
                 "adapter.message_sizes");
        return ik_hint(err, IK_ERR_USAGE,
                       "shares in percent sum to 100 %%; without %% they are weights with any sum");
    }
    for (size_t k = 0; k < r->num; k++) {
        upto += r->ranges[k].upto;
        r->ranges[k].upto = k + 1 == r->num ? 1 : upto / sum;
    }
    return IK_OK;
}

/* What was read becomes a mix of the sizes. */
static ik_status size_params_end_mix(reader *r, const char *class, ik_error *err)
{
    sim_sizes *z = &r->own->z;
    size_t bytes = r->num * sizeof *r->ranges;
    sim_size_range *kept = ik_arena_alloc(&r->own->arena, bytes);
    const char *name = class ? ik_arena_strdup(&r->own->arena, class) : NULL;
    if (!kept || (class && !name))
        return ik_fail_memory(err, bytes, "sizes of messages");
    memcpy(kept, r->ranges, bytes);
    z->mixes[z->num++] = (sim_size_mix){name, kept, r->num};
    r->num = r->percents = r->open = 0;
    return IK_OK;
}

static bool size_params_is_named(const sim_sizes *z, const char *class)
{
    for (size_t k = 0; k < z->num; k++)
        if (class && z->mixes[k].class ? strcmp(class, z->mixes[k].class) == 0
                                       : class == z->mixes[k].class)
            return true;
    return false;
}

static ik_status size_params_read_mix(reader *r, char *text, ik_error *err)
{
    char *items = size_params_cut(text, "="), *class = items ? size_params_trim(text) : NULL;
    items = items ? items : text;
    if (size_params_is_named(&r->own->z, class))
        return size_params_refuse_item(r, 0, err, class ? class : size_params_trim(text),
                                       "gives sizes of a class again");
    for (char *rest; items; items = rest) {
        rest = size_params_cut(items, ",+");
        ik_status status = size_params_read_item(r, items, err);
        if (status != IK_OK)
            return status;
    }
    ik_status status = size_params_sum_shares(r, err);
    return status == IK_OK ? size_params_end_mix(r, class, err) : status;
}

static ik_status size_params_read_mixes(reader *r, char *text, ik_error *err)
{
    size_t num = 1;
    for (const char *c = text; *c; c++)
        num += *c == ';';
    r->own->z.mixes = ik_arena_alloc(&r->own->arena, num * sizeof *r->own->z.mixes);
    if (!r->own->z.mixes)
        return ik_fail_memory(err, num * sizeof *r->own->z.mixes, "sizes of messages");
    for (char *rest; text; text = rest) {
        rest = size_params_cut(text, ";");
        ik_status status = size_params_read_mix(r, text, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* ---- histograms */

static ik_status size_params_read_line(reader *r, char *line, ik_error *err)
{
    size_params_cut(line, "#");
    char *item = size_params_trim(line), *last = item + strlen(item), *end;
    while (last > item && !strchr(" \t,;", last[-1]))
        last--;
    if (!item[0])
        return IK_OK;
    unsigned column = (unsigned)(last - line) + 1;
    double weight = strtod(last, &end);
    if (last == item)
        return size_params_refuse_item(r, column, err, item, "has no weight");
    if (end == last || *end || !(weight >= 0 && weight <= 1e15))
        return size_params_refuse_item(r, column, err, last, "is not a weight");
    while (last > item && strchr(" \t,;", last[-1]))
        last--;
    *last = '\0';
    return weight > 0 ? size_params_add_range(r, item, weight, (unsigned)(item - line) + 1, err)
                      : IK_OK;
}

static ik_status size_params_read_lines(reader *r, char *text, const char *end, ik_error *err)
{
    ik_status status = IK_OK;
    for (char *line = text; line < end && status == IK_OK;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop)
            *stop = '\0';
        r->line++;
        status = size_params_read_line(r, line, err);
        line = stop ? stop + 1 : (char *)end;
    }
    if (status == IK_OK && r->num == 0)
        return ik_fail_at(err, IK_ERR_INPUT, r->file, 0, 0, "no size in the histogram");
    return status;
}

static ik_status size_params_read_histogram(reader *r, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(r->file, 0, &text, &size, err);
    if (status != IK_OK)
        return status;
    const char *start = text;
    status = ik_text_begin(&start, &size, r->file, err);
    if (status == IK_OK)
        status = size_params_read_lines(r, text + (start - text), start + size, err);
    free(text);
    r->own->z.mixes = ik_arena_alloc(&r->own->arena, sizeof *r->own->z.mixes);
    if (status == IK_OK && !r->own->z.mixes)
        status = ik_fail_memory(err, sizeof *r->own->z.mixes, "sizes of messages");
    if (status == IK_OK)
        status = size_params_sum_shares(r, err);
    return status == IK_OK ? size_params_end_mix(r, NULL, err) : status;
}

/* ---- classes */

static unsigned size_params_count_classes(const ik_traffic *t)
{
    unsigned num = 0;
    while (t->classes && t->classes[num])
        num++;
    return num;
}

static ik_status size_params_refuse_class(const ik_traffic *t, const char *name, ik_error *err)
{
    if (t->classes)
        ik_fail_unknown(err, "adapter.message_sizes: class of the traffic", name, t->classes);
    else
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "adapter.message_sizes: messages of traffic '%.60s' have no classes, '%.60s' was "
                "given",
                t->spec, name),
            "adapter.message_sizes");
    if (!t->classes)
        ik_hint(err, IK_ERR_USAGE, "members of traffic 'mix' are classes");
    return IK_ERR_USAGE;
}

static ik_status size_params_match_classes(owned_sizes *own, const ik_traffic *t, ik_error *err)
{
    sim_sizes *z = &own->z;
    unsigned num = size_params_count_classes(t);
    for (size_t k = 0; k < z->num; k++) {
        unsigned c = 0;
        while (z->mixes[k].class && c < num && strcmp(t->classes[c], z->mixes[k].class) != 0)
            c++;
        if (z->mixes[k].class && c == num)
            return size_params_refuse_class(t, z->mixes[k].class, err);
    }
    if (num == 0)
        return IK_OK;
    z->of_class = ik_arena_alloc(&own->arena, num * sizeof *z->of_class);
    if (!z->of_class)
        return ik_fail_memory(err, num * sizeof *z->of_class, "sizes of messages");
    for (unsigned c = 0; c < num; c++) {
        size_t other = z->num, named = z->num;
        for (size_t k = 0; k < z->num; k++)
            if (!z->mixes[k].class)
                other = k;
            else if (strcmp(z->mixes[k].class, t->classes[c]) == 0)
                named = k;
        z->of_class[c] = named < z->num ? named : other;
        if (z->of_class[c] == z->num) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             "adapter.message_sizes: class '%.60s' of the traffic has no "
                             "sizes",
                             t->classes[c]),
                     "adapter.message_sizes");
            return ik_hint(err, IK_ERR_USAGE,
                           "name it (%.60s=64 B), or say sizes without a name for all other "
                           "classes",
                           t->classes[c]);
        }
    }
    z->num_classes = num;
    return IK_OK;
}

/* ---- */

void sim_sizes_free(sim_sizes *z)
{
    owned_sizes *own = (owned_sizes *)(void *)z;
    if (!own)
        return;
    ik_arena_free(&own->arena);
    free(own);
}

static ik_status size_params_read_sizes(owned_sizes *own, const ik_params *adapter, ik_error *err)
{
    reader r = {.own = own};
    ik_status status;
    if (ik_params_has(adapter, "message_histogram")) {
        r.file = ik_params_text(adapter, "message_histogram");
        status = size_params_read_histogram(&r, err);
    } else {
        char *text = strdup(ik_params_text(adapter, "message_sizes"));
        status = text ? size_params_read_mixes(&r, text, err)
                      : ik_fail_memory(err, 1, "sizes of messages");
        free(text);
    }
    free(r.ranges);
    return status;
}

ik_status sim_sizes_new(const ik_params *adapter, const ik_traffic *traffic, sim_sizes **out,
                        ik_error *err)
{
    *out = NULL;
    if (!ik_params_has(adapter, "message_sizes") && !ik_params_has(adapter, "message_histogram"))
        return IK_OK;
    owned_sizes *own = ik_calloc(1, sizeof *own);
    if (!own)
        return ik_fail_memory(err, sizeof *own, "sizes of messages");
    ik_status status = size_params_read_sizes(own, adapter, err);
    if (status == IK_OK && traffic)
        status = size_params_match_classes(own, traffic, err);
    if (status != IK_OK) {
        sim_sizes_free(&own->z);
        return status;
    }
    *out = &own->z;
    return IK_OK;
}

double sim_sizes_mean_of_host(const sim_sizes *z, const ik_traffic *traffic, uint32_t host,
                              uint64_t packet, uint64_t unit)
{
    double mean = 0;
    if (z->num_classes == 0)
        return sim_sizes_mean(z, 0, packet, unit);
    for (unsigned c = 0; c < z->num_classes; c++)
        mean += traffic->family->class_share(traffic, host, c) * sim_sizes_mean(z, c, packet, unit);
    return mean;
}

void sim_sizes_spread(const sim_sizes *z, const ik_traffic *traffic, double *mean, double *of_bytes,
                      double *each)
{
    double m[3] = {0};
    if (z->num_classes == 0)
        sim_sizes_add_moments(z, 0, 1, m);
    for (uint32_t host = 0; z->num_classes && host < traffic->num_hosts; host++)
        for (unsigned c = 0; c < z->num_classes; c++)
            sim_sizes_add_moments(z, c, traffic->family->class_share(traffic, host, c), m);
    *mean = z->num_classes == 0 ? m[0] : m[0] / fmax(traffic->num_hosts, 1);
    *of_bytes = m[0] > 0 ? m[1] / m[0] : 0;
    *each = m[1] > 0 ? m[0] / m[1] * (m[2] / m[1]) : 0;
}

ik_status ik_sim_check_sizes(const ik_params *adapter, const ik_traffic *traffic, ik_error *err)
{
    sim_sizes *z = NULL;
    ik_status status = sim_sizes_new(adapter, traffic, &z, err);
    sim_sizes_free(z);
    return status;
}
