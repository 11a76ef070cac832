/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.c: what request handles stand for. One handle may stand for several operations at once:
 * MPI libraries give the same handle to all sends that were over when they began. They are then
 * taken in the order in which they began.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uintptr_t key; /* 0 = empty */
    pending *first, *last;
} slot;

static slot *slots;
static size_t num_slots, num_used;
static pending *spare;
static uint64_t num_requests;
static uintptr_t null_key;
static bool null_known;

bool request_is_null(MPI_Request handle)
{
    if (!null_known) {
#ifdef OPEN_MPI
        null_key = (uintptr_t)recorder_symbol("ompi_request_null");
#else
        null_key = KEY(MPI_REQUEST_NULL);
#endif
        null_known = true;
    }
    return KEY(handle) == null_key;
}

uint64_t request_count(void)
{
    return num_requests;
}

static slot *slot_of(uintptr_t key)
{
    size_t at = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 20) & (num_slots - 1);
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & (num_slots - 1);
    return &slots[at];
}

/* Handles are never taken out: an MPI library uses them again. */
static bool make_room(void)
{
    if (2 * num_used < num_slots)
        return true;
    slot *old = slots;
    size_t num_old = num_slots;
    slot *new = calloc(num_old ? 2 * num_old : 1024, sizeof *new);
    if (!new)
        return false;
    slots = new;
    num_slots = num_old ? 2 * num_old : 1024;
    for (size_t i = 0; i < num_old; i++)
        if (old[i].key)
            *slot_of(old[i].key) = old[i];
    free(old);
    return true;
}

static pending *add(uintptr_t key)
{
    pending *p = spare;
    if (!p && make_room())
        p = malloc(sizeof *p);
    else if (p)
        spare = p->next;
    if (!p || !make_room()) {
        recorder_give_up("out of memory for a request");
        return NULL;
    }
    memset(p, 0, sizeof *p);
    slot *s = slot_of(key);
    num_used += !s->key;
    s->key = key;
    if (s->first)
        s->last->next = p;
    else
        s->first = p;
    s->last = p;
    return p;
}

pending *request_find(uintptr_t key)
{
    return num_slots ? slot_of(key)->first : NULL;
}

static void take(uintptr_t key)
{
    slot *s = slot_of(key);
    pending *p = s->first;
    s->first = p->next;
    comm_left(p->of);
    free(p->saved);
    p->next = spare;
    spare = p;
}

pending *request_new(MPI_Request handle, known_comm *of, bool wildcard)
{
    uint64_t number = ++num_requests;
    if (request_is_null(handle)) /* the record says one more request that nobody waits for */
        return NULL;
    pending *p = add(KEY(handle));
    if (p) {
        p->number = number;
        p->wildcard = wildcard;
        if ((p->of = of))
            of->users++;
    }
    return p;
}

void request_persist(MPI_Request handle, known_comm *of, bool wildcard, unsigned char operation,
                     operands *o)
{
    pending *p = add(KEY(handle));
    unsigned char *saved = p ? malloc(o->num + 1) : NULL;
    if (!saved) {
        recorder_give_up("out of memory for a request");
        return;
    }
    memcpy(saved, o->bytes, o->num);
    p->saved = saved;
    p->num_saved = o->num;
    p->operation = operation;
    p->persistent = true;
    p->wildcard = wildcard;
    if ((p->of = of))
        of->users++;
}

void put_request(operands *o, uint64_t number, unsigned flags)
{
    put(o, (num_requests + 1 - number) << 2 | flags);
}

static bool was_cancelled(const pending *p, const MPI_Status *status)
{
    int flag = 0;
    if (p->cancelled && status)
        real_mpi.Test_cancelled(status, &flag);
    return flag != 0;
}

bool request_completed(operands *o, uintptr_t key, const MPI_Status *status)
{
    pending *p = request_find(key);
    if (!p || !p->number)
        return false;
    bool cancelled = was_cancelled(p, status), actual = p->wildcard && status && !cancelled;
    put_request(o, p->number, (actual ? 1u : 0u) | (cancelled ? 2u : 0u));
    if (actual)
        put_actual(o, p->of, status);
    if (p->persistent) {
        p->number = 0;
        p->cancelled = false;
    } else {
        take(key);
    }
    return true;
}

void record_wait_for(call *c, unsigned kind, uint64_t number)
{
    operands o;
    put_begin(&o);
    put(&o, kind);
    put(&o, 1);
    put(&o, 1);
    put_request(&o, number, 0);
    record(c, REC_WAIT, &o);
    put_end(&o);
}

/* The first operand of what is saved is the request: 1, the next one. */
static void write_saved(call *c, pending *p)
{
    operands o;
    p->number = ++num_requests;
    put_begin(&o);
    o.bytes = p->saved;
    o.num = p->num_saved;
    record(c, p->operation, &o);
}

void request_started(call *c, uintptr_t key)
{
    pending *p = request_find(key);
    if (!p || !p->persistent)
        record_other(c, OTHER_CALL);
    else if (p->partitions)
        p->ready = 0, record_other(c, OTHER_PARTITION);
    else
        write_saved(c, p);
}

void request_ready(call *c, uintptr_t key, int num)
{
    pending *p = request_find(key);
    if (!p || !p->partitions) {
        record_other(c, OTHER_CALL);
        return;
    }
    p->ready += num;
    if (p->ready == p->partitions)
        write_saved(c, p);
    else
        record_other(c, OTHER_PARTITION);
}

void request_freed(call *c, uintptr_t key)
{
    operands o;
    pending *p = request_find(key);
    if (p && p->number) {
        put_begin(&o);
        put(&o, num_requests + 1 - p->number);
        record(c, REC_FREE, &o);
        put_end(&o);
    } else {
        record_other(c, OTHER_CALL);
    }
    if (p)
        take(key);
}

/* Messages of matched probes share the table; their handles could equal those of requests. */
static uintptr_t message_key(uintptr_t message)
{
    return ~message;
}

void message_new(uintptr_t message)
{
    pending *p = add(message_key(message));
    if (p)
        p->number = num_requests + 1; /* the record that follows says so */
    num_requests++;
}

uint64_t message_taken(uintptr_t message)
{
    pending *p = request_find(message_key(message));
    uint64_t number = p ? p->number : 0;
    if (p)
        take(message_key(message));
    return number;
}

void message_becomes(uintptr_t message, MPI_Request handle)
{
    uint64_t number = message_taken(message);
    pending *p = number && !request_is_null(handle) ? add(KEY(handle)) : NULL;
    if (p)
        p->number = number;
}
