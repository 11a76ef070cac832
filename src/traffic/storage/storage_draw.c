/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/storage_draw.c: a generated trace of block I/O.
 *
 * Accesses are drawn in bursts: who (any process without a disk), when the burst begins (uniformly
 * within `duration`), how many (geometric), and of each access the time since the one before, the
 * disk (Zipf), whether it reads, and after what time the disk answers. Sizes are draws of their
 * own, so that all distributions of sizes have the same accesses. Cost: O(n log n). */
#include "traffic/storage/storage.h"

#include "base/array.h"
#include "base/text_lines.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define MOST_PS (1000.0 * (double)IO_MOST_NS / 16)
enum { SECTOR = 512, PS_PER_NS = 1000, SIZES_FILE = 0, SIZES_FIXED, SIZES_GEOMETRIC };
enum { TIMES_EXPONENTIAL, TIMES_FIXED };
enum { DEFAULT_ACCESSES = 1000, MOST_SIZES = 100000 };
#define DEFAULT_DURATION 1e9 /* ps */
#define DEFAULT_SERVICE  2e7

typedef struct weighted {
    uint64_t bytes;
    double upto; /* running sum of weights */
} weighted;

typedef struct drawing {
    const ik_params *p;
    uint32_t *order; /* [disks] the most accessed first */
    double *upto;    /* [disks] running sum of their shares */
    weighted *sizes; /* of a file */
    size_t num_sizes, room_sizes;
    double duration, gap, service, go_on, read_share, latest; /* times in ps */
    ik_rng size_rng;
} drawing;

static double storage_draw_exponential(ik_rng *rng, double mean)
{
    return mean > 0 ? -log(1 - ik_rng_unit(rng)) * mean : 0;
}

uint64_t storage_service_ns(const ik_params *p, double mean_ps, ik_rng *rng)
{
    bool fixed = ik_params_enum(p, "service_times") == TIMES_FIXED;
    double ps = fixed ? mean_ps : storage_draw_exponential(rng, mean_ps);
    return (uint64_t)(ps / PS_PER_NS);
}

/* ---- sizes */

/* "8192 0.6": a size in bytes and its weight. */
static ik_status storage_draw_read_size(drawing *d, scan *s, ik_error *err)
{
    uint64_t bytes = 0;
    scan_blanks(s);
    const char *start = s->at;
    if (!scan_uint(s, IO_MOST_BYTES, &bytes) || !bytes) {
        s->at = start;
        return scan_fail(s, err, "expected a size, 1 to %.0f bytes", (double)IO_MOST_BYTES);
    }
    scan_blanks(s);
    slice token = scan_token(s);
    char text[32], *end = text;
    snprintf(text, sizeof text, "%.*s", (int)(token.length < 31 ? token.length : 31), token.at);
    double weight = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (end == text || *end || !(weight > 0 && weight <= 1e15)) {
        s->at = token.at;
        return scan_fail(s, err, "expected a weight, a number above 0");
    }
    if (!scan_at_end(s) && *s->at != '#')
        return scan_fail(s, err, "expected the end of the line");
    if (d->num_sizes == MOST_SIZES)
        return scan_fail(s, err, "expected at most %d sizes", MOST_SIZES);
    if (!IK_ARRAY_ROOM(d->sizes, d->room_sizes, d->num_sizes + 1))
        return ik_fail_memory(err, d->num_sizes * sizeof *d->sizes, "sizes");
    double before = d->num_sizes ? d->sizes[d->num_sizes - 1].upto : 0;
    d->sizes[d->num_sizes++] = (weighted){bytes, before + weight};
    return IK_OK;
}

static ik_status storage_draw_read_sizes(drawing *d, const char *path, const ik_env *env,
                                         ik_error *err)
{
    ik_text_lines l;
    bool more = true;
    ik_status status = ik_text_lines_open(&l, path, env, err);
    if (status == IK_ERR_IO)
        ik_hint(err, status, "sizes is fixed, geometric, or a file");
    while (status == IK_OK && more) {
        status = ik_text_lines_next(&l, &more, err);
        scan s = scan_line_of(&l);
        if (status == IK_OK && more && !scan_at_end(&s) && *s.at != '#')
            status = storage_draw_read_size(d, &s, err);
    }
    ik_text_lines_close(&l);
    if (status == IK_OK && !d->num_sizes)
        return ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "there is no size in it");
    return status;
}

static uint64_t storage_draw_size(drawing *d, unsigned rule, uint64_t bytes)
{
    if (rule == SIZES_FIXED)
        return bytes;
    double u = ik_rng_unit(&d->size_rng);
    if (rule == SIZES_GEOMETRIC) { /* whole sectors, at least one */
        double stop = bytes > SECTOR ? SECTOR / (double)bytes : 1;
        double more = stop < 1 ? floor(log(1 - u) / log1p(-stop)) : 0;
        return SECTOR * (1 + (uint64_t)fmin(more, (double)(IO_MOST_BYTES / SECTOR) - 1));
    }
    size_t low = 0, high = d->num_sizes - 1;
    u *= d->sizes[high].upto;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->sizes[middle].upto > u)
            high = middle;
        else
            low = middle + 1;
    }
    return d->sizes[low].bytes;
}

/* ---- accesses */

static uint32_t storage_draw_disk(const drawing *d, uint32_t disks, ik_rng *rng)
{
    assert(disks > 0);
    double u = ik_rng_unit(rng) * d->upto[disks - 1];
    uint32_t low = 0, high = disks - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->upto[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return d->order[low];
}

static uint64_t storage_draw_whole_ns(drawing *d, double ps)
{
    assert(ps >= 0);
    d->latest = fmax(d->latest, ps);
    return (uint64_t)(fmin(ps, MOST_PS) / PS_PER_NS);
}

static void draw_accesses(storage *s, drawing *d, uint64_t seed)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, STORAGE_ACCESSES);
    unsigned sizes = ik_params_word(d->p, "sizes");
    uint64_t bytes = ik_params_uint(d->p, "bytes");
    bool fixed = ik_params_enum(d->p, "service_times") == TIMES_FIXED;
    uint32_t client = 0;
    double ps = 0;
    for (size_t n = 0; n < s->trace.num; n++) {
        if (n == 0 || ik_rng_unit(&rng) >= d->go_on) {
            client = ik_rng_below(&rng, s->at.num_clients);
            ps = ik_rng_unit(&rng) * d->duration;
        } else {
            ps += storage_draw_exponential(&rng, d->gap);
        }
        io_access *a = &s->trace.list[n];
        *a = (io_access){.key = client, .line = (uint32_t)n, .asks = IO_BY_HOST};
        a->disk = storage_draw_disk(d, s->at.num_disks, &rng);
        a->reads = ik_rng_unit(&rng) < d->read_share;
        a->ns = storage_draw_whole_ns(d, ps);
        a->done_ns = storage_draw_whole_ns(
            d, ps + (fixed ? d->service : storage_draw_exponential(&rng, d->service)));
        a->bytes = storage_draw_size(d, sizes, bytes);
    }
}

static int storage_draw_by_time(const void *a, const void *b)
{
    const io_access *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static double storage_draw_time_or(const ik_params *p, const char *name, double otherwise)
{
    return ik_params_has(p, name) ? (double)ik_params_uint(p, name) : otherwise;
}

/* Room, the order of the disks and their shares, and sizes. */
static ik_status storage_draw_prepare(storage *s, drawing *d, uint64_t seed, const ik_env *env,
                                      ik_error *err)
{
    const ik_params *p = d->p;
    uint32_t disks = s->at.num_disks;
    d->duration = storage_draw_time_or(p, "duration", DEFAULT_DURATION);
    d->gap = (double)ik_params_uint(p, "burst_gap");
    d->service = storage_draw_time_or(p, "service", DEFAULT_SERVICE);
    d->go_on = 1 - 1 / ik_params_real(p, "burst");
    d->read_share = ik_params_real(p, "reads");
    d->size_rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, STORAGE_SIZES);
    d->order = ik_calloc(disks, sizeof *d->order);
    d->upto = ik_calloc(disks, sizeof *d->upto);
    s->trace.list = ik_calloc(s->trace.num, sizeof *s->trace.list);
    if (!d->order || !d->upto || !s->trace.list)
        return ik_fail_memory(err, sizeof *s->trace.list * s->trace.num + 12 * (size_t)disks,
                              STORAGE_OWNER);
    double skew = ik_params_real(p, "skew"), sum = 0;
    for (uint32_t i = 0; i < disks; i++) {
        d->order[i] = i;
        d->upto[i] = sum += pow(i + 1.0, -skew);
    }
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, STORAGE_DISKS);
    ik_rng_shuffle_u32(&rng, d->order, disks);
    return ik_params_word(p, "sizes") == SIZES_FILE
               ? storage_draw_read_sizes(d, ik_params_text(p, "sizes"), env, err)
               : IK_OK;
}

ik_status storage_draw(storage *s, const ik_params *p, uint32_t processes, uint64_t seed,
                       const ik_env *env, ik_error *err)
{
    drawing d = {.p = p};
    ik_status status =
        placement_make(STORAGE_OWNER, p, processes, (uint32_t)ik_params_uint(p, "disks"), NULL,
                       seed, env, &s->at, err);
    s->trace.num_disks = s->trace.num_declared = s->at.num_disks;
    s->trace.num =
        ik_params_has(p, "accesses") ? (size_t)ik_params_uint(p, "accesses") : DEFAULT_ACCESSES;
    if (status == IK_OK)
        status = storage_check_room(s->trace.num, env, "accesses", err);
    if (status == IK_OK)
        status = storage_draw_prepare(s, &d, seed, env, err);
    if (status == IK_OK) {
        draw_accesses(s, &d, seed);
        qsort(s->trace.list, s->trace.num, sizeof *s->trace.list, storage_draw_by_time);
    }
    if (status == IK_OK && d.latest > MOST_PS)
        status = ik_about(err,
                          ik_fail(err, IK_ERR_USAGE,
                                  STORAGE_OWNER
                                  ": an access would be after %.3g s, and %.3g s is the maximum",
                                  d.latest / 1e12, MOST_PS / 1e12),
                          "burst_gap burst duration service");
    free(d.order);
    free(d.upto);
    free(d.sizes);
    return status;
}
