/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_trace.c: see io_trace.h.
 *
 * Where a trace has the times of a wall clock it begins with its earliest access, which need not be
 * the first in the file. Until no earlier one can come (times run backwards by at most back_ns) all
 * accesses are kept; then those outside of the window go, and later ones are not taken up. */
#include "traffic/storage/io_trace.h"
#include "base/array.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const io_format *const formats[] = {
    &io_csv, &io_fio, &io_msr, &io_spc, &io_blkparse, &io_blkparse_queue, &io_srt, &io_disksim};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

/* ---- the window */

static uint64_t io_trace_add_ns(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t io_trace_window_begin(const io_trace *t)
{
    return io_trace_add_ns(t->begin_ns, t->window.from_ns);
}

static bool io_trace_is_inside(const io_trace *t, uint64_t ns)
{
    uint64_t begin = io_trace_window_begin(t);
    return ns >= begin && ns - begin < t->window.length_ns;
}

/* The beginning is known: what lies outside goes. */
static void io_trace_settle(io_trace *t)
{
    size_t kept = 0;
    assert(!t->format->completes_later);
    t->begun = true;
    t->list_latest_ns = 0;
    for (size_t k = 0; k < t->num; k++) {
        if (!io_trace_is_inside(t, t->list[k].ns)) {
            t->num_outside++;
            continue;
        }
        t->list_latest_ns = t->list[k].ns > t->list_latest_ns ? t->list[k].ns : t->list_latest_ns;
        t->list[kept++] = t->list[k];
    }
    t->num = kept;
}

/* Whether nothing that is still to come can be wanted. */
static bool io_trace_is_past(const io_trace *t)
{
    uint64_t back = t->format->back_ns;
    if (!t->begun || back == UINT64_MAX || t->pending.num)
        return false;
    uint64_t earliest = t->latest_ns > back ? t->latest_ns - back : 0;
    return (earliest >= io_trace_window_begin(t) &&
            earliest - io_trace_window_begin(t) >= t->window.length_ns) ||
           (t->num >= t->window.most && earliest >= t->list_latest_ns);
}

/* ---- accesses */

ik_status io_disk(io_trace *t, slice name, uint32_t *disk, ik_error *err)
{
    *disk = name_map_find(&t->names, name);
    if (*disk != IK_NONE)
        return IK_OK;
    if (t->names.num >= IO_MOST_DISKS)
        return io_fail(t, err, "more than %d disks", IO_MOST_DISKS);
    char *copy = ik_arena_alloc(&t->arena, name.length + 1);
    bool is_new = false;
    if (copy) {
        memcpy(copy, name.at, name.length);
        copy[name.length] = '\0';
        *disk = name_map_add(&t->names, (slice){copy, name.length}, &is_new);
    }
    return *disk != IK_NONE ? IK_OK : ik_fail_memory(err, name.length + 1, "the names of disks");
}

static ik_status io_trace_note_time(io_trace *t, uint64_t ns, ik_error *err)
{
    uint64_t back = t->format->back_ns;
    if (t->any && t->latest_ns > ns && t->latest_ns - ns > back) {
        io_fail(t, err, "the access is %.9g s before one above it",
                (double)(t->latest_ns - ns) * 1e-9);
        return back ? ik_hint(err, IK_ERR_INPUT,
                              "times of format %s may run backwards by %.9g s at most",
                              t->format->name, (double)back * 1e-9)
                    : ik_hint(err, IK_ERR_INPUT, "accesses of format %s are in the order of time",
                              t->format->name);
    }
    t->first_ns = t->any ? t->first_ns : ns;
    t->latest_ns = !t->any || ns > t->latest_ns ? ns : t->latest_ns;
    if (!t->begun) {
        t->begin_ns = !t->any || ns < t->begin_ns ? ns : t->begin_ns;
        if (t->latest_ns - t->first_ns > back)
            io_trace_settle(t);
    }
    t->any = true;
    return IK_OK;
}

static ik_status io_trace_append(io_trace *t, const io_access *a, ik_error *err)
{
    size_t most = t->window.memory_limit ? (size_t)(t->window.memory_limit / sizeof *a) : SIZE_MAX;
    if (t->num >= most || t->num >= UINT32_MAX || !IK_ARRAY_ROOM(t->list, t->room, t->num + 1))
        return ik_fail_memory(err, (t->num + 1) * sizeof *a, "a trace");
    t->list[t->num++] = *a;
    t->list_latest_ns = a->ns > t->list_latest_ns ? a->ns : t->list_latest_ns;
    return IK_OK;
}

static uint32_t io_trace_pending_tag(const io_access *a)
{
    return ik_hash_tag2(a->offset, a->disk + (a->bytes << 32 | a->bytes >> 32));
}

/* The first access of these sectors that waits for its completion, IK_NONE: there is none. */
static uint32_t io_trace_find_pending(const io_trace *t, const io_access *like)
{
    uint32_t tag = io_trace_pending_tag(like), id;
    for (size_t at = ik_hash_first(&t->pending, tag);
         (id = ik_hash_find(&t->pending, tag, &at)) != IK_NONE; at++) {
        const io_access *a = &t->list[id];
        if (a->disk == like->disk && a->offset == like->offset && a->bytes == like->bytes)
            break;
    }
    return id;
}

static ik_status await_completion(io_trace *t, uint32_t id, ik_error *err)
{
    if (!IK_ARRAY_ROOM(t->queue, t->queue_room, (size_t)id + 1))
        return ik_fail_memory(err, ((size_t)id + 1) * sizeof *t->queue, "a trace");
    uint32_t first = io_trace_find_pending(t, &t->list[id]);
    t->queue[id] = (struct io_queue){IK_NONE, id};
    if (first != IK_NONE) {
        t->queue[t->queue[first].last].next = id;
        t->queue[first].last = id;
        return IK_OK;
    }
    return ik_hash_add(&t->pending, io_trace_pending_tag(&t->list[id]), id)
               ? IK_OK
               : ik_fail_memory(err, ik_hash_bytes(&t->pending), "a trace");
}

ik_status io_add(io_trace *t, io_access a, slice disk, ik_error *err)
{
    assert(a.bytes <= IO_MOST_BYTES && a.ns <= IO_MOST_NS);
    a.line = t->record;
    if (a.done_ns != IO_UNKNOWN && a.done_ns < a.ns)
        return io_fail(t, err, "the access is done %" PRIu64 " ns before it begins",
                       a.ns - a.done_ns);
    ik_status status = io_trace_note_time(t, a.ns, err);
    if (status != IK_OK)
        return status;
    if (!a.bytes) {
        t->first_empty = t->num_empty++ ? t->first_empty : a.line;
        return IK_OK;
    }
    if (t->begun &&
        (!io_trace_is_inside(t, a.ns) || (t->num >= t->window.most && a.ns >= t->list_latest_ns))) {
        t->num_outside++;
        return IK_OK;
    }
    status = io_disk(t, disk, &a.disk, err);
    if (status == IK_OK)
        status = io_trace_append(t, &a, err);
    if (status != IK_OK || !t->format->completes_later)
        return status;
    return await_completion(t, (uint32_t)(t->num - 1), err);
}

ik_status io_complete(io_trace *t, slice disk, uint64_t offset, uint64_t bytes, uint64_t ns,
                      ik_error *err)
{
    io_access done = {.disk = name_map_find(&t->names, disk), .offset = offset, .bytes = bytes};
    if (done.disk == IK_NONE)
        return IK_OK; /* of an access outside of the window, or before the trace */
    uint32_t first = io_trace_find_pending(t, &done);
    if (first == IK_NONE)
        return IK_OK;
    if (ns < t->list[first].ns)
        return io_fail(t, err,
                       "the access of line %" PRIu32 " is done %" PRIu64 " ns before it begins",
                       t->list[first].line, t->list[first].ns - ns);
    t->list[first].done_ns = ns;
    ik_hash_remove(&t->pending, io_trace_pending_tag(&done), first);
    uint32_t next = t->queue[first].next;
    if (next == IK_NONE)
        return IK_OK;
    t->queue[next].last = t->queue[first].last;
    return ik_hash_add(&t->pending, io_trace_pending_tag(&done), next)
               ? IK_OK
               : ik_fail_memory(err, ik_hash_bytes(&t->pending), "a trace");
}

/* ---- disks in the order of their names */

static size_t io_trace_digits(slice s, size_t at)
{
    size_t num = 0;
    while (at + num < s.length && s.at[at + num] >= '0' && s.at[at + num] <= '9')
        num++;
    return num;
}

/* Numbers within names by their values: hm.2 is before hm.10. */
static int io_trace_by_name(slice a, slice b)
{
    size_t i = 0, j = 0;
    while (i < a.length && j < b.length) {
        size_t n = io_trace_digits(a, i), m = io_trace_digits(b, j);
        if (!n || !m) {
            if (a.at[i] != b.at[j])
                return (unsigned char)a.at[i] < (unsigned char)b.at[j] ? -1 : 1;
            i++;
            j++;
            continue;
        }
        for (; n > 1 && a.at[i] == '0'; n--)
            i++;
        for (; m > 1 && b.at[j] == '0'; m--)
            j++;
        int order = n != m ? (n < m ? -1 : 1) : memcmp(a.at + i, b.at + j, n);
        if (order)
            return order;
        i += n;
        j += m;
    }
    return a.length - i != b.length - j ? (a.length - i < b.length - j ? -1 : 1) : 0;
}

typedef struct named {
    slice name;
    uint32_t number;
} named;

static int io_trace_by_disk(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = io_trace_by_name(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Those that are used or listed get numbers. */
static ik_status io_trace_number_disks(io_trace *t, ik_error *err)
{
    uint32_t all = t->names.num, *number = ik_calloc((size_t)all + 1, sizeof *number);
    named *disks = ik_calloc((size_t)all + 1, sizeof *disks);
    t->disk_names = ik_calloc((size_t)all + 1, sizeof *t->disk_names);
    bool fits = number && disks && t->disk_names;
    for (size_t k = 0; k < t->num && fits; k++)
        number[t->list[k].disk] = 1;
    for (uint32_t k = 0; k < all && fits; k++)
        if (number[k] || k < t->num_declared)
            disks[t->num_disks++] = (named){t->names.names[k], k};
    if (fits)
        qsort(disks, t->num_disks, sizeof *disks, io_trace_by_disk);
    for (uint32_t k = 0; k < t->num_disks && fits; k++) {
        number[disks[k].number] = k;
        t->disk_names[k] = disks[k].name;
    }
    for (size_t k = 0; k < t->num && fits; k++)
        t->list[k].disk = number[t->list[k].disk];
    free(number);
    free(disks);
    return fits ? IK_OK : ik_fail_memory(err, all * (sizeof *disks + 4), "the disks of a trace");
}

/* ---- all of it */

static int io_trace_by_time(const void *a, const void *b)
{
    const io_access *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static ik_status io_trace_refuse_empty(const io_trace *t, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, t->lines.path, 0, 0, "format %s: %s", t->format->name,
               t->num_outside ? "no access lies in the window of time"
                              : "there is no access in it");
    if (t->num_outside)
        return ik_hint(err, IK_ERR_INPUT, "it begins after %.9g s and ends after %.9g s",
                       (double)(t->first_ns - t->begin_ns) * 1e-9,
                       (double)(t->latest_ns - t->begin_ns) * 1e-9);
    if (t->format == &io_blkparse)
        return ik_hint(err, IK_ERR_INPUT,
                       "devices without events D are read with format blkparse_queue");
    return IK_ERR_INPUT;
}

static ik_status io_trace_finish(io_trace *t, ik_error *err)
{
    if (!t->begun)
        io_trace_settle(t);
    if (!t->num)
        return io_trace_refuse_empty(t, err);
    qsort(t->list, t->num, sizeof *t->list, io_trace_by_time);
    if (t->num > t->window.most)
        t->num = (size_t)t->window.most;
    uint64_t begin = io_trace_window_begin(t);
    for (size_t k = 0; k < t->num; k++) {
        io_access *a = &t->list[k];
        a->ns -= begin;
        if (a->done_ns != IO_UNKNOWN)
            a->done_ns -= begin;
        else
            t->first_unknown = t->num_unknown++ ? t->first_unknown : a->line;
    }
    return io_trace_number_disks(t, err);
}

static ik_status io_trace_choose_format(io_trace *t, const char *name, ik_error *err)
{
    size_t size = 0;
    for (unsigned k = 0; k < NUM_FORMATS && name; k++)
        if (strcmp(formats[k]->name, name) == 0)
            t->format = formats[k];
    assert(t->format || !name);
    ik_status status = ik_text_lines_peek(&t->lines, IO_LOOK, &size, err);
    if (status != IK_OK || t->format)
        return status;
    const char *head = t->lines.text + t->lines.at;
    size = size < IO_LOOK ? size : IO_LOOK;
    if (size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3; /* UTF-8's byte order mark, which is no part of the first line */
        size -= 3;
    }
    for (unsigned k = 0; k < NUM_FORMATS && !t->format; k++)
        if (formats[k]->is_certain && formats[k]->is_certain(head, size))
            t->format = formats[k];
    if (t->format)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, t->lines.path, 1, 1,
               "its beginning does not say what format it has");
    return ik_hint(err, IK_ERR_INPUT,
                   "name it with 'format', one of " IO_FORMATS
                   "; the first line of csv is '" IO_CSV_HEAD "', and spc's times have a point");
}

static ik_status io_trace_read_all(io_trace *t, const char *format, const io_window *window,
                                   ik_error *err)
{
    bool more = true;
    t->window = *window;
    assert(window->most > 0 && window->length_ns > 0);
    ik_status status = io_trace_choose_format(t, format, err);
    if (status != IK_OK)
        return status;
    t->begun = !t->format->wall_clock;
    if (t->format->completes_later && !ik_hash_init(&t->pending))
        return ik_fail_memory(err, sizeof *t->pending.places << IK_HASH_FIRST_BITS, "a trace");
    while (status == IK_OK && more && !io_trace_is_past(t))
        status = t->format->next(t, &more, err);
    return status == IK_OK ? io_trace_finish(t, err) : status;
}

ik_status io_trace_read(io_trace *t, const char *path, const char *format, const io_window *window,
                        const ik_env *env, ik_error *err)
{
    *t = (io_trace){.format = NULL};
    ik_status status = ik_text_lines_open(&t->lines, path, env, err);
    if (status == IK_OK)
        status = io_trace_read_all(t, format, window, err);
    ik_text_lines_close(&t->lines);
    return status;
}

ik_status io_trace_read_memory(io_trace *t, const char *text, size_t size, const char *path,
                               const char *format, const io_window *window, ik_error *err)
{
    *t = (io_trace){.format = NULL};
    ik_text_lines_memory(&t->lines, text, size, path);
    return io_trace_read_all(t, format, window, err);
}

void io_trace_free(io_trace *t)
{
    free(t->list);
    free(t->disk_names);
    free(t->queue);
    name_map_free(&t->names);
    ik_arena_free(&t->arena);
    ik_hash_free(&t->pending);
    t->list = NULL;
    t->queue = NULL;
    t->disk_names = NULL;
    t->num = t->num_disks = 0;
}
