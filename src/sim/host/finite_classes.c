/* SPDX-License-Identifier: Apache-2.0
 *
 * What became of each class of a workload's messages. Cost: a pass over the operations. */
#include "sim/host/finite_state.h"
#include <stdlib.h>
#include <string.h>

static void finite_classes_count_send(const finite *f, uint32_t host, uint32_t op,
                                      ik_message_class *of)
{
    const ik_op *what = &f->w->graph->ops[op];
    const op_state *o = &f->ops[op];
    bool own = what->peer == host; /* it takes no time, and no packet is sent */
    of->messages++;
    of->bytes += what->amount;
    if (own ? o->done_ps == UINT64_MAX : o->left == what->amount)
        return; /* not begun */
    uint64_t begin = own ? o->done_ps : o->moved_ps;
    of->first_ps = begin < of->first_ps ? begin : of->first_ps;
}

static void finite_classes_count_graph(const finite *f, ik_message_class *classes)
{
    const ik_graph *g = f->w->graph;
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            if (finite_is_control(g, op))
                continue;
            /* a receive from anywhere is of the class of what it got */
            uint32_t send = g->kind[op] == IK_OP_RECV ? finite_send_of(f, op) : op;
            ik_message_class *of = &classes[g->op_class[send != IK_NONE ? send : op]];
            uint64_t done = f->ops[op].done_ps;
            if (g->kind[op] == IK_OP_SEND)
                finite_classes_count_send(f, host, op, of);
            else if (g->kind[op] == IK_OP_RECV && f->ops[op].left == 0 && done != UINT64_MAX)
                of->last_ps = done > of->last_ps ? done : of->last_ps;
        }
}

static void finite_classes_count_alltoall(const sim *s, const ik_sim_result *r,
                                          ik_message_class *all)
{
    const finite *f = s->workload.finite;
    all->messages = r->workload_messages;
    all->bytes = r->workload_bytes;
    all->first_ps = f->w->num_messages ? 0 : UINT64_MAX;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        all->last_ps = f->finish_ps[host] > all->last_ps ? f->finish_ps[host] : all->last_ps;
}

static void free_classes(ik_message_class *classes, size_t num)
{
    for (size_t k = 0; k < num; k++)
        free(classes[k].name);
    free(classes);
}

ik_status sim_finite_classes(const sim *s, ik_sim_result *r, ik_error *err)
{
    const ik_workload *w = s->workload.finite->w;
    size_t num = w->classes ? w->num_classes : 1;
    ik_message_class *classes = ik_calloc(num + 1, sizeof *classes);
    bool ok = classes != NULL;
    for (size_t k = 0; k < num && ok; k++) {
        classes[k].first_ps = UINT64_MAX;
        classes[k].name = strdup(w->classes ? w->classes[k] : "");
        ok = classes[k].name != NULL;
    }
    if (!ok) {
        if (classes)
            free_classes(classes, num);
        return ik_fail_memory(err, num * sizeof *classes, "classes of messages");
    }
    if (s->workload.has_graph)
        finite_classes_count_graph(s->workload.finite, classes);
    else
        finite_classes_count_alltoall(s, r, &classes[0]);
    r->message_classes = classes;
    r->num_message_classes = num;
    return IK_OK;
}
