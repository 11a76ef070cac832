/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/storage_graph.c: the messages of accesses, what they wait for, and traces written.
 *
 * Open loop: as in a recording, who asks does not wait for the answers before; a disk answers when
 * its time has come and the request is there. Each process has a chain of calculations, one up to
 * each message that it sends at a time of the trace.
 *
 * Closed loop: a disk answers so long after the request has come as it took in the trace. Each
 * client plays its accesses and completions in the trace's order, with the trace's times between
 * them, as a chain of calculations; at a completion it goes on when the answer is there. So all
 * that the trace's host asked for after an answer waits for that answer, and what overlapped in the
 * trace may overlap.
 *
 * Times are divided by the compression and cut to whole ns, so that a workload can be written as a
 * program. */
#include "traffic/storage/storage.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PS_PER_NS = 1000, BYTES_PER_ACCESS = 7 * 125 };

/* What happens at a process at a time: the n-th access, or the answer to it. */
typedef struct event {
    uint64_t ns;
    uint32_t process, access;
    uint32_t wait, next; /* the calculation that ends then, and the one of the event behind it */
    bool answer;
} event;

ik_status storage_check_room(uint64_t accesses, const ik_env *env, const char *about, ik_error *err)
{
    size_t each = BYTES_PER_ACCESS + sizeof(io_access) + 2 * sizeof(event);
    ik_status status =
        ik_env_refuse_bytes(env, (double)accesses * (double)each, STORAGE_OWNER, err);
    return status == IK_OK ? IK_OK : ik_about(err, status, "%s", about);
}

/* By process, then by time, then by number: a total order. */
static int storage_graph_by_process(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->access != y->access ? (x->access < y->access ? -1 : 1) : x->answer - y->answer;
}

static int storage_graph_by_access(const void *a, const void *b)
{
    const event *x = a, *y = b;
    return x->access != y->access ? (x->access < y->access ? -1 : 1) : x->answer - y->answer;
}

static uint64_t storage_graph_at_speed(const storage *s, uint64_t ns)
{
    double fast = s->compression == 1 ? (double)ns : floor((double)ns / s->compression);
    return fast > (double)STORAGE_MOST_NS ? STORAGE_MOST_NS + 1 : (uint64_t)fast;
}

static ik_status storage_graph_make_events(const storage *s, event *events, ik_error *err)
{
    for (uint32_t n = 0; n < s->trace.num; n++) {
        const io_access *a = &s->trace.list[n];
        uint32_t client = s->at.client[a->key], disk = s->at.disk[a->disk];
        uint64_t asked = storage_graph_at_speed(s, a->ns),
                 done = storage_graph_at_speed(s, a->done_ns);
        if (done > STORAGE_MOST_NS)
            return ik_about(
                err,
                ik_fail(err, IK_ERR_USAGE,
                        STORAGE_OWNER
                        ": a message would be sent after %.3g s, and %g s is the maximum",
                        (double)a->done_ns * 1e-9 / s->compression, (double)STORAGE_MOST_NS * 1e-9),
                "compression from duration burst_gap burst service trace");
        events[2 * (size_t)n] = (event){asked, client, n, IK_NONE, IK_NONE, false};
        events[2 * (size_t)n + 1] =
            (event){done, s->closed ? client : disk, n, IK_NONE, IK_NONE, true};
    }
    return IK_OK;
}

/* A process waits from each of its events to the next. */
static void storage_graph_add_times(const storage *s, event *events, const mapping *map,
                                    graph_builder *b)
{
    size_t num = 2 * s->trace.num;
    qsort(events, num, sizeof *events, storage_graph_by_process);
    for (size_t k = 0; k < num; k++) {
        event *e = &events[k];
        bool first = k == 0 || e[-1].process != e->process;
        e->wait = graph_add(b, map->host[e->process], IK_OP_CALC,
                            (e->ns - (first ? 0 : e[-1].ns)) * PS_PER_NS, 0, 0, 0);
        if (first)
            continue;
        graph_wait(b, e->wait, e[-1].wait, false);
        e[-1].next = e->wait;
    }
    qsort(events, num, sizeof *events, storage_graph_by_access);
}

/* What the answer, `send`, waits for: the request that has come, and its time. */
static void storage_graph_time_answer(const storage *s, const event *ask, uint32_t disk,
                                      uint32_t arrived, uint32_t send, graph_builder *b)
{
    const event *answer = ask + 1;
    if (!s->closed) {
        graph_wait(b, send, answer->wait, false);
        graph_wait(b, send, arrived, false);
        return;
    }
    /* accesses overlap at a disk as they did in the trace: no processor is taken */
    uint32_t service =
        graph_add(b, disk, IK_OP_CALC, (answer->ns - ask->ns) * PS_PER_NS, IK_NO_CPU, 0, 0);
    graph_wait(b, service, arrived, false);
    graph_wait(b, send, service, false);
}

static void storage_graph_add_messages(const storage *s, const event *events, const mapping *map,
                                       graph_builder *b, uint16_t requests, uint16_t answers)
{
    for (uint32_t n = 0; n < s->trace.num; n++) {
        const event *ask = &events[2 * (size_t)n], *answer = ask + 1;
        const io_access *a = &s->trace.list[n];
        uint32_t client = map->host[ask->process], disk = map->host[s->at.disk[a->disk]], arrived,
                 answered;
        assert(!ask->answer && answer->answer && ask->access == n);
        b->class_now = requests;
        uint32_t send = graph_message(b, client, disk, a->reads ? s->control : a->bytes, &arrived);
        graph_wait(b, send, ask->wait, false);
        b->class_now = answers;
        send = graph_message(b, disk, client, a->reads ? a->bytes : s->control, &answered);
        storage_graph_time_answer(s, ask, disk, arrived, send, b);
        if (s->closed)
            graph_wait(b, answer->next, answered, false);
    }
}

ik_status storage_graph(storage *s, const mapping *map, uint32_t num_hosts, const ik_env *env,
                        ik_workload *work, ik_error *err)
{
    graph_builder b = {.num_hosts = num_hosts,
                       .source = STORAGE_OWNER,
                       .settings = "accesses bytes control trace",
                       .memory_limit = env ? env->memory_limit_bytes : 0};
    event *events = ik_calloc(2 * s->trace.num, sizeof *events);
    ik_status status = events
                           ? storage_graph_make_events(s, events, err)
                           : ik_fail_memory(err, 2 * s->trace.num * sizeof *events, STORAGE_OWNER);
    if (status != IK_OK) {
        free(events);
        return status;
    }
    uint16_t requests = graph_class(&b, "requests"), answers = graph_class(&b, "answers");
    storage_graph_add_times(s, events, map, &b);
    storage_graph_add_messages(s, events, map, &b, requests, answers);
    free(events);
    return graph_finish(&b, work, err);
}

/* ---- written */

ik_status storage_write(const storage *s, FILE *out, ik_error *err)
{
    const io_trace *t = &s->trace;
    for (uint32_t disk = 0; disk < t->num_disks && t->disk_names; disk++)
        if (memchr(t->disk_names[disk].at, ',', t->disk_names[disk].length))
            return ik_fail(err, IK_ERR_UNSUPPORTED, "disk '%.80s' has a comma in its name",
                           t->disk_names[disk].at);
    if (t->num_declared)
        fprintf(out, "disks=%" PRIu32 "\n", t->num_disks);
    fputs("time_ns,done_ns,device,op,offset,bytes,host\n", out);
    for (size_t k = 0; k < t->num; k++) {
        const io_access *a = &t->list[k];
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",", a->ns, a->done_ns);
        if (t->disk_names)
            fwrite(t->disk_names[a->disk].at, 1, t->disk_names[a->disk].length, out);
        else
            fprintf(out, "%" PRIu32, a->disk);
        fprintf(out, ",%c,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", a->reads ? 'R' : 'W', a->offset,
                a->bytes, a->key);
    }
    return IK_OK;
}

void storage_free(storage *s)
{
    io_trace_free(&s->trace);
    placement_free(&s->at);
}
