/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/steps.c: see steps.h.
 *
 * Of each process the operations are kept that the next step waits for: those of the last step in
 * which it sent something (they wait for all before them) and the receives since. Where there are
 * many, a calculation of no time joins them. */
#include "traffic/workload/steps.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_ENDS = 6 };

typedef struct ends {
    uint32_t op[MOST_ENDS];
    unsigned num;
} ends;

typedef struct step_process {
    ends last, next; /* what is waited for; what this step has added */
    bool sent, touched;
} step_process;

ik_status steps_open(steps *s, const char *source, const char *settings, uint32_t num_hosts,
                     const mapping *map, ik_error *err)
{
    assert(map && map->host);
    *s = (steps){.b = {.num_hosts = num_hosts, .source = source, .settings = settings}, .map = map};
    s->process = ik_calloc(map->num, sizeof *s->process);
    s->touched = ik_calloc(map->num, sizeof *s->touched);
    if (s->process && s->touched)
        return IK_OK;
    steps_free(s);
    return ik_fail_memory(err, map->num * (sizeof *s->process + sizeof *s->touched), source);
}

void steps_free(steps *s)
{
    graph_builder_free(&s->b);
    free(s->process);
    free(s->touched);
    s->process = NULL;
    s->touched = NULL;
}

void steps_phase(steps *s, const char *name)
{
    graph_class(&s->b, name);
}

static void steps_add_end(steps *s, uint32_t process, ends *e, uint32_t op)
{
    if (e->num == MOST_ENDS) {
        uint32_t join = graph_add(&s->b, s->map->host[process], IK_OP_CALC, 0, 0, 0, 0);
        for (unsigned k = 0; k < e->num; k++)
            graph_wait(&s->b, join, e->op[k], false);
        e->op[0] = join;
        e->num = 1;
    }
    e->op[e->num++] = op;
}

static step_process *steps_touch(steps *s, uint32_t process)
{
    assert(process < s->map->num);
    step_process *p = &s->process[process];
    if (!p->touched)
        s->touched[s->num_touched++] = process;
    p->touched = true;
    return p;
}

void steps_send(steps *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    assert(src < s->map->num && dst < s->map->num);
    if (src == dst || !bytes)
        return;
    uint32_t recv, send = graph_message(&s->b, s->map->host[src], s->map->host[dst], bytes, &recv);
    step_process *from = steps_touch(s, src);
    for (unsigned k = 0; k < from->last.num; k++)
        graph_wait(&s->b, send, from->last.op[k], false);
    from->sent = true;
    steps_add_end(s, src, &from->next, send);
    steps_touch(s, dst);
    steps_add_end(s, dst, &s->process[dst].next, recv);
}

void steps_next(steps *s)
{
    for (uint32_t k = 0; k < s->num_touched; k++) {
        step_process *p = &s->process[s->touched[k]];
        if (p->sent)
            p->last = p->next;
        for (unsigned i = 0; !p->sent && i < p->next.num; i++)
            steps_add_end(s, s->touched[k], &p->last, p->next.op[i]);
        p->next.num = 0;
        p->sent = p->touched = false;
    }
    s->num_touched = 0;
}

ik_status steps_finish(steps *s, ik_workload *w, ik_error *err)
{
    ik_status status = graph_finish(&s->b, w, err);
    steps_free(s);
    return status;
}
