/* SPDX-License-Identifier: Apache-2.0
 *
 * The seldom paths of posting events: beyond the wheel, into the window being worked on, to another partition; and growing. */
#include "sim/sim_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sim_part_fail(part *p, size_t bytes, const char *what)
{
    if (p->status == IK_OK)
        p->status = ik_fail_memory(&p->err, bytes, what);
}

void sim_broken(part *p, const char *format, ...)
{
    char text[400];
    va_list args;
    if (p->status != IK_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = ik_fail(&p->err, IK_ERR_INTERNAL, "simulation: %s", text);
}

bool sim_post_far(part *p, uint64_t time, const event *e)
{
    if (sim_wheel_add_far(&p->wheel, time, e))
        return true;
    sim_part_fail(p, sizeof(far_event), "far events");
    return false;
}

/* Inserts into the sorted rest of the node's events of this window; new events mostly come last. */
void sim_post_now(part *p, const event *e)
{
    if (p->local_count == p->local_cap) {
        uint32_t cap = p->local_cap * 2;
        event *local = realloc(p->local, cap * sizeof *local);
        if (!local) {
            sim_part_fail(p, cap * sizeof *local, "events of a window");
            return;
        }
        p->local = local;
        p->local_cap = cap;
    }
    uint32_t at = p->local_count++;
    while (at > p->local_at && p->local[at - 1].key > e->key) {
        p->local[at] = p->local[at - 1];
        at--;
    }
    p->local[at] = *e;
}

void sim_post_mail(part *p, unsigned to, uint64_t time, const event *e, const packet *pk)
{
    mailbox *box = &p->out[p->step & 1][to];
    if (box->count == box->cap) {
        size_t cap = box->cap ? box->cap * 2 : 256;
        mail *items = realloc(box->items, cap * sizeof *items);
        if (!items) {
            sim_part_fail(p, cap * sizeof *items, "events between partitions");
            return;
        }
        box->items = items;
        box->cap = cap;
    }
    mail *m = &box->items[box->count++];
    m->time = time;
    m->ev = *e;
    if (pk) {
        m->pk = *pk;
        free_packet(p, e->data);
    }
    uint64_t window = time / p->sim->lookahead;
    if (window < p->out_next)
        p->out_next = window;
}

bool sim_grow_pool(part *p)
{
    uint32_t cap = p->pool_cap + p->pool_cap / 2 + 1024;
    packet *pool = sim_alloc(cap, sizeof *pool); /* one packet, one cache line */
    if (!pool) {
        sim_part_fail(p, cap * sizeof *pool, "packets");
        return false;
    }
    if (p->pool)
        memcpy(pool, p->pool, p->pool_size * sizeof *pool);
    free(p->pool);
    p->pool = pool;
    p->pool_cap = cap;
    return true;
}
