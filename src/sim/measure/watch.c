/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that are watched: measure/watch.h. */
#include "sim/measure/watch.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- which they are */

static uint64_t watch_key_of(uint32_t src, uint64_t number)
{
    return (uint64_t)src << 32 | (uint32_t)number;
}

uint32_t watch_find(const watch *w, uint32_t src, uint64_t number)
{
    size_t low = 0, high = w->looking ? 0 : w->num_keys;
    uint64_t of = watch_key_of(src, number);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->keys[middle].of < of)
            low = middle + 1;
        else
            high = middle;
    }
    return !w->looking && low < w->num_keys && w->keys[low].of == of ? w->keys[low].slot : IK_NONE;
}

static int watch_by_rank(const void *a, const void *b)
{
    const watch_candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->then != y->then)
        return x->then < y->then ? -1 : 1;
    uint64_t of = watch_key_of(x->src, x->number), than = watch_key_of(y->src, y->number);
    return (of > than) - (of < than);
}

static int watch_by_key(const void *a, const void *b)
{
    const watch_key *x = a, *y = b;
    return (x->of > y->of) - (x->of < y->of);
}

/* Takes its place among the best, the last of which it may push out. */
static void watch_consider(watch *w, unsigned id, const watch_candidate *c)
{
    watch_log *log = &w->logs[id];
    size_t at = log->num_best;
    if (at == w->want && watch_by_rank(c, &log->best[at - 1]) > 0)
        return;
    if (at < w->want)
        log->num_best++;
    else
        at--;
    for (; at > 0 && watch_by_rank(c, &log->best[at - 1]) < 0; at--)
        log->best[at] = log->best[at - 1];
    log->best[at] = *c;
}

static bool watch_fits(const watch *w, unsigned rank_by, uint32_t src, uint32_t dst, uint64_t t_gen)
{
    return w->looking && w->rank_by == rank_by && (w->src == IK_NONE || w->src == src) &&
           (w->dst == IK_NONE || w->dst == dst) && t_gen >= w->after_ps;
}

ik_status watch_settle(watch *w, ik_error *err)
{
    size_t num = 0, most = w->num_keys;
    for (unsigned id = 0; id < w->num_logs; id++)
        num += w->logs[id].num_best;
    watch_candidate *all = ik_calloc(num + 1, sizeof *all);
    watch_key *keys = realloc(w->keys, (most + w->want + 1) * sizeof *keys);
    if (keys)
        w->keys = keys;
    if (!all || !keys) {
        free(all);
        return ik_fail_memory(err, (num + most) * sizeof *all, "watched packets");
    }
    num = 0;
    for (unsigned id = 0; id < w->num_logs; id++)
        for (size_t k = 0; k < w->logs[id].num_best; k++)
            all[num++] = w->logs[id].best[k];
    qsort(all, num, sizeof *all, watch_by_rank);
    w->looking = false;
    for (size_t k = 0; k < num && k < w->want; k++)
        if (watch_find(w, all[k].src, all[k].number) == IK_NONE) { /* not named as well */
            keys[most] = (watch_key){watch_key_of(all[k].src, all[k].number), (uint32_t)most};
            most++;
        }
    w->num_keys = most;
    qsort(keys, most, sizeof *keys, watch_by_key);
    free(all);
    return IK_OK;
}

/* ---- logs */

static void watch_free_logs(watch *w)
{
    for (unsigned id = 0; w->logs && id < w->num_logs; id++) {
        free(w->logs[id].notes);
        free(w->logs[id].places);
        free(w->logs[id].best);
    }
    free(w->logs);
    w->logs = NULL;
    w->num_logs = 0;
}

void watch_free(watch *w)
{
    if (!w)
        return;
    watch_free_logs(w);
    free(w->begun);
    free(w->keys);
    free(w);
}

ik_status watch_begin(watch *w, unsigned num_partitions, ik_error *err)
{
    watch_free_logs(w);
    w->logs = ik_calloc(num_partitions, sizeof *w->logs);
    bool ok = w->logs;
    w->num_logs = ok ? num_partitions : 0;
    for (unsigned id = 0; ok && w->looking && id < num_partitions; id++)
        ok = (w->logs[id].best = ik_calloc((size_t)w->want + 1, sizeof *w->logs[id].best));
    return ok ? IK_OK
              : ik_fail_memory(err, num_partitions * w->want * sizeof(watch_candidate),
                               "watched packets");
}

static bool watch_grow(watch_log *log, void **items, size_t num, size_t *room, size_t bytes)
{
    if (num < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(*items, more * bytes);
    log->no_memory |= !grown;
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

void watch_add(watch *w, unsigned id, uint32_t slot, uint32_t data, const ik_watch_event *e)
{
    watch_log *log = &w->logs[id];
    void *notes = log->notes;
    bool fits_in = watch_grow(log, &notes, log->num, &log->room, sizeof *log->notes);
    log->notes = notes;
    if (fits_in)
        log->notes[log->num++] = (watch_note){*e, slot, data};
}

void watch_note_stage(watch *w, unsigned id, uint32_t slot, ik_watch_stage stage, uint64_t t_ps,
                      uint32_t channel, unsigned vc)
{
    watch_add(w, id, slot, 0,
              &(ik_watch_event){
                  .t_ps = t_ps, .channel = channel, .stage = (uint8_t)stage, .vc = (uint8_t)vc});
}

void watch_note_sent(watch *w, unsigned id, const watch_hosts *of, uint64_t link_ps,
                     uint64_t t_inject, uint64_t until_ps)
{
    uint32_t slot = watch_find(w, of->src, of->number);
    if (watch_fits(w, WATCH_FIRST, of->src, of->dst, of->t_gen))
        watch_consider(w, id, &(watch_candidate){t_inject, 0, of->src, (uint32_t)of->number});
    if (slot == IK_NONE)
        return;
    ik_watch_event e = {.t_ps = of->t_gen, .channel = of->channel, .vc = of->vc};
    watch_add(w, id, slot, of->dst, &e);
    e.stage = IK_WATCH_WAITS;
    if (link_ps > of->t_gen) {
        e.reason = IK_WATCH_LINK;
        watch_add(w, id, slot, 0, &e);
    }
    if (t_inject > link_ps) {
        e.reason = IK_WATCH_CREDIT;
        e.t_ps = link_ps;
        watch_add(w, id, slot, 0, &e);
    }
    e.stage = IK_WATCH_INJECTED;
    e.reason = IK_WATCH_NOTHING;
    e.t_ps = t_inject;
    e.until_ps = until_ps;
    watch_add(w, id, slot, of->bytes, &e);
}

void watch_note_delivered(watch *w, unsigned id, const watch_hosts *of, uint64_t t, bool in_window)
{
    uint32_t slot = watch_find(w, of->src, of->number);
    if (slot != IK_NONE)
        watch_note_stage(w, id, slot, IK_WATCH_DELIVERED, t, of->channel, of->vc);
    if (in_window && watch_fits(w, WATCH_SLOWEST, of->src, of->dst, of->t_gen))
        watch_consider(w, id,
                       &(watch_candidate){UINT64_MAX - (t - of->t_gen), of->t_gen, of->src,
                                          (uint32_t)of->number});
}

watch_place *watch_add_place(watch *w, unsigned id)
{
    watch_log *log = &w->logs[id];
    void *places = log->places;
    bool fits_in =
        watch_grow(log, &places, log->num_places, &log->room_places, sizeof *log->places);
    log->places = places;
    return fits_in ? &log->places[log->num_places++] : NULL;
}

watch_place *watch_place_of(watch *w, unsigned id, uint32_t packet)
{
    watch_log *log = &w->logs[id];
    for (size_t k = 0; k < log->num_places; k++)
        if (log->places[k].id == packet)
            return &log->places[k];
    return NULL;
}

void watch_remove_place(watch *w, unsigned id, uint32_t packet)
{
    watch_log *log = &w->logs[id];
    watch_place *at = watch_place_of(w, id, packet);
    if (at)
        *at = log->places[--log->num_places];
}

bool watch_failed(const watch *w)
{
    for (unsigned id = 0; id < w->num_logs; id++)
        if (w->logs[id].no_memory)
            return true;
    return false;
}

/* ---- the result */

typedef struct note_order {
    const watch_note *note;
    size_t place; /* in its partition's log, logs one after the other */
} note_order;

static int by_packet_and_time(const void *a, const void *b)
{
    const note_order *x = a, *y = b;
    if (x->note->slot != y->note->slot)
        return x->note->slot < y->note->slot ? -1 : 1;
    if (x->note->e.t_ps != y->note->e.t_ps)
        return x->note->e.t_ps < y->note->e.t_ps ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void watch_take_note(ik_watch_result *r, const watch_note *n)
{
    ik_watched *p = &r->packets[n->slot];
    if (p->num_events++ == 0)
        p->first = r->num_events;
    r->events[r->num_events++] = n->e;
    if (n->e.stage == IK_WATCH_GENERATED)
        p->dst = n->data;
    if (n->e.stage == IK_WATCH_INJECTED) {
        p->sent = true;
        p->bytes = n->data;
    }
    p->delivered |= n->e.stage == IK_WATCH_DELIVERED;
}

ik_status watch_export(watch *w, ik_watch_result *out, ik_error *err)
{
    size_t num = 0;
    for (unsigned id = 0; id < w->num_logs; id++)
        num += w->logs[id].num;
    ik_watch_result r = {.packets = ik_calloc(w->num_keys + 1, sizeof *r.packets),
                         .events = ik_calloc(num + 1, sizeof *r.events),
                         .num_packets = w->num_keys};
    note_order *all = ik_calloc(num + 1, sizeof *all);
    if (watch_failed(w) || !r.packets || !r.events || !all) {
        watch_result_free(&r);
        free(all);
        return ik_fail_memory(err, num * sizeof(watch_note), "watched packets");
    }
    for (size_t k = 0; k < w->num_keys; k++)
        r.packets[w->keys[k].slot] = (ik_watched){.src = (uint32_t)(w->keys[k].of >> 32),
                                                  .number = (uint32_t)w->keys[k].of,
                                                  .dst = IK_NONE};
    num = 0;
    for (unsigned id = 0; id < w->num_logs; id++)
        for (size_t k = 0; k < w->logs[id].num; k++, num++)
            all[num] = (note_order){&w->logs[id].notes[k], num};
    qsort(all, num, sizeof *all, by_packet_and_time);
    for (size_t k = 0; k < num; k++)
        watch_take_note(&r, all[k].note);
    free(all);
    *out = r;
    return IK_OK;
}

void watch_result_free(ik_watch_result *r)
{
    free(r->packets);
    free(r->events);
    *r = (ik_watch_result){0};
}
