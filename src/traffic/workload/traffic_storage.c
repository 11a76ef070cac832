/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_storage.c: processes read from disks and write to them: a made-up trace of block I/O.
 *
 * Accesses are drawn in bursts: who (any process without a disk), when the burst begins (uniformly
 * within `duration`), how many (geometric), and of each access the time since the one before, the
 * disk (Zipf), whether it reads, and after what time the disk answers (both times exponential).
 * All draws are of the trace at its own speed; `compression` divides the times afterwards, so that
 * traces of all speeds have the same accesses. As in a recording, who asks does not wait for the
 * answers before; a disk answers when its time has come and the request is there.
 *
 * In the graph each process has a chain of calculations, one up to each message that it sends.
 * Cost: O(n log n) for n accesses, of 6 operations each. */
#include "traffic/pattern.h"
#include "traffic/workload/member.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define OWNER "traffic 'storage'"

#define MOST_PS 1e18

enum { ENTITY_DISKS = 20, ENTITY_ACCESSES, BYTES_PER_ACCESS = 6 * 125, PS_PER_NS = 1000 };

static const ik_param params[] = {
    {"disks", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL,
     "disks: of P processes, number floor(i * P / disks) has disk i; the others access them"},
    {"accesses", IK_PARAM_UINT, "1000", 1, 1e8, NULL, "of all processes together"},
    {"bytes", IK_PARAM_SIZE, "8 KiB", 1, 1e12, NULL, "that an access reads or writes"},
    {"control", IK_PARAM_SIZE, "64 B", 1, 1e12, NULL,
     "the other message: request of a read, answer to a write"},
    {"reads", IK_PARAM_FRACTION, "50 %", 0, 1, NULL, "share of the accesses that read"},
    {"skew", IK_PARAM_REAL, "1", 0, 10, NULL,
     "the disk that is n-th in a random order is accessed in proportion to n^-skew; 0: all "
     "equally"},
    {"duration", IK_PARAM_TIME, "1 ms", 0, 1e15, NULL, "within which bursts of accesses begin"},
    {"burst", IK_PARAM_REAL, "8", 1, 1e6, NULL, "accesses of a burst, on average (geometric)"},
    {"burst_gap", IK_PARAM_TIME, "1 us", 0, 1e15, NULL,
     "mean time between accesses of a burst (exponential)", "burst>1", "there is one in a burst"},
    {"service", IK_PARAM_TIME, "20 us", 0, 1e15, NULL,
     "mean time from an access until the disk answers (exponential)"},
    {"compression", IK_PARAM_REAL, "1", 1e-3, 1e6, NULL,
     "the times above are divided by it: the same accesses, so much faster"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the accesses and a random mapping (default: the experiment's)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* What a process sends at a time: the n-th access, or the answer to it. */
typedef struct event {
    uint64_t ps;
    uint32_t process, access, wait; /* wait: the calculation that ends at ps */
    bool answer;
} event;

typedef struct storage {
    uint32_t processes, disks, *order; /* [disks] the most accessed first */
    double *upto;                      /* [disks] running sum of their shares */
    uint32_t num;
    event *events; /* [2 num]: accesses and answers in turn, then sorted */
    bool *reads;   /* [num] */
    double duration, gap, service, compression, go_on, read_share; /* times in ps */
    uint64_t bytes, control;
    double latest; /* time of an event, ps */
} storage;

static void storage_free(storage *s)
{
    free(s->order);
    free(s->upto);
    free(s->events);
    free(s->reads);
}

static uint32_t disk_process(const storage *s, uint32_t disk)
{
    return (uint32_t)((uint64_t)disk * s->processes / s->disks);
}

/* The i-th of the processes without a disk: those between disks d and d + 1 begin with number
 * disk_process(d) - d of them. */
static uint32_t client_process(const storage *s, uint32_t i)
{
    uint32_t low = 0, high = s->disks - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (disk_process(s, middle) - middle <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return i + low + 1;
}

static double exponential(ik_rng *rng, double mean)
{
    return mean > 0 ? -log(1 - ik_rng_unit(rng)) * mean : 0;
}

static uint32_t draw_disk(const storage *s, ik_rng *rng)
{
    double u = ik_rng_unit(rng) * s->upto[s->disks - 1];
    uint32_t low = 0, high = s->disks - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->upto[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return s->order[low];
}

/* Whole ns, so that the workload can be written as a program. Notes what is too late to count. */
static uint64_t at_speed(storage *s, double ps)
{
    ps /= s->compression;
    s->latest = fmax(s->latest, ps);
    return (uint64_t)(fmin(ps, MOST_PS) / PS_PER_NS) * PS_PER_NS;
}

static void draw_accesses(storage *s, uint64_t seed)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, ENTITY_ACCESSES);
    uint32_t client = 0;
    double ps = 0;
    for (uint32_t n = 0; n < s->num; n++) {
        if (n == 0 || ik_rng_unit(&rng) >= s->go_on) {
            client = client_process(s, ik_rng_below(&rng, s->processes - s->disks));
            ps = ik_rng_unit(&rng) * s->duration;
        } else {
            ps += exponential(&rng, s->gap);
        }
        uint32_t disk = disk_process(s, draw_disk(s, &rng));
        s->reads[n] = ik_rng_unit(&rng) < s->read_share;
        double answered = ps + exponential(&rng, s->service);
        s->events[2 * (size_t)n] = (event){at_speed(s, ps), client, n, IK_NONE, false};
        s->events[2 * (size_t)n + 1] = (event){at_speed(s, answered), disk, n, IK_NONE, true};
    }
}

/* By process, then by time, then by number: a total order. */
static int by_process(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->ps != y->ps)
        return x->ps < y->ps ? -1 : 1;
    return x->access != y->access ? (x->access < y->access ? -1 : 1) : x->answer - y->answer;
}

static int by_access(const void *a, const void *b)
{
    const event *x = a, *y = b;
    return x->access != y->access ? (x->access < y->access ? -1 : 1) : x->answer - y->answer;
}

/* A process waits from each of its messages to the next. */
static void add_times(storage *s, const mapping *map, graph_builder *b)
{
    size_t num = 2 * (size_t)s->num;
    qsort(s->events, num, sizeof *s->events, by_process);
    for (size_t k = 0; k < num; k++) {
        event *e = &s->events[k];
        bool first = k == 0 || e[-1].process != e->process;
        e->wait = graph_add(b, map->host[e->process], IK_OP_CALC, e->ps - (first ? 0 : e[-1].ps), 0,
                            0, 0);
        if (!first)
            graph_wait(b, e->wait, e[-1].wait, false);
    }
    qsort(s->events, num, sizeof *s->events, by_access);
}

static void add_messages(const storage *s, const mapping *map, graph_builder *b, uint16_t requests,
                         uint16_t answers)
{
    for (uint32_t n = 0; n < s->num; n++) {
        const event *ask = &s->events[2 * (size_t)n], *answer = ask + 1;
        uint32_t client = map->host[ask->process], disk = map->host[answer->process], arrived;
        assert(!ask->answer && answer->answer && ask->access == n);
        b->class_now = requests;
        uint32_t send =
            graph_message(b, client, disk, s->reads[n] ? s->control : s->bytes, &arrived);
        graph_wait(b, send, ask->wait, false);
        b->class_now = answers;
        send = graph_message(b, disk, client, s->reads[n] ? s->bytes : s->control, NULL);
        graph_wait(b, send, answer->wait, false);
        graph_wait(b, send, arrived, false);
    }
}

static void read_settings(storage *s, const ik_params *p)
{
    s->duration = (double)ik_params_uint(p, "duration");
    s->gap = (double)ik_params_uint(p, "burst_gap");
    s->service = (double)ik_params_uint(p, "service");
    s->compression = ik_params_real(p, "compression");
    s->go_on = 1 - 1 / ik_params_real(p, "burst");
    s->read_share = ik_params_real(p, "reads");
    s->bytes = ik_params_uint(p, "bytes");
    s->control = ik_params_uint(p, "control");
}

/* Room, the order of the disks and their shares. */
static ik_status prepare(storage *s, const ik_params *p, uint64_t seed, const ik_env *env,
                         ik_error *err)
{
    s->num = (uint32_t)ik_params_uint(p, "accesses");
    ik_status status = ik_env_refuse_bytes(
        env, (double)s->num * (BYTES_PER_ACCESS + 2 * sizeof *s->events), OWNER, err);
    if (status != IK_OK)
        return ik_about(err, status, "accesses");
    s->order = ik_calloc(s->disks, sizeof *s->order);
    s->upto = ik_calloc(s->disks, sizeof *s->upto);
    s->events = ik_calloc(2 * (size_t)s->num, sizeof *s->events);
    s->reads = ik_calloc(s->num, sizeof *s->reads);
    if (!s->order || !s->upto || !s->events || !s->reads)
        return ik_fail_memory(err, (2 * sizeof *s->events + 1) * s->num + 12 * (size_t)s->disks,
                              OWNER);
    double skew = ik_params_real(p, "skew"), sum = 0;
    for (uint32_t i = 0; i < s->disks; i++) {
        s->order[i] = i;
        s->upto[i] = sum += pow(i + 1.0, -skew);
    }
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, ENTITY_DISKS);
    ik_rng_shuffle_u32(&rng, s->order, s->disks);
    return IK_OK;
}

static ik_status build(storage *s, uint64_t seed, workload_member *k, const ik_traffic *t,
                       const ik_env *env, ik_error *err)
{
    graph_builder b = {.num_hosts = t->num_hosts,
                       .source = OWNER,
                       .settings = "accesses bytes control",
                       .memory_limit = env ? env->memory_limit_bytes : 0};
    draw_accesses(s, seed);
    if (s->latest > MOST_PS)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                OWNER
                                ": a message would be sent after %.3g s, and %g s is the most",
                                s->latest / 1e12, MOST_PS / 1e12),
                        "compression burst_gap burst duration service");
    uint16_t requests = graph_class(&b, "requests"), answers = graph_class(&b, "answers");
    add_times(s, &k->map, &b);
    add_messages(s, &k->map, &b, requests, answers);
    return graph_finish(&b, &k->work, err);
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    workload_member *k = member_new(t, OWNER, err);
    if (!k)
        return IK_ERR_MEMORY;
    storage s = {0};
    uint64_t seed = pattern_seed(t, p);
    uint64_t wanted = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    ik_status status = mapping_make(t->fabric, OWNER, p, wanted, seed, env, &k->map, err);
    if (status != IK_OK)
        return status;
    s.processes = k->map.num;
    s.disks = (uint32_t)ik_params_uint(p, "disks");
    if (s.disks >= s.processes)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                OWNER ": %u disks and %u processes: none is left to access them",
                                s.disks, s.processes),
                        "disks processes hosts");
    status = mapping_portable(t, p, &k->map, &t->portable, err);
    read_settings(&s, p);
    if (status == IK_OK)
        status = prepare(&s, p, seed, env, err);
    if (status == IK_OK)
        status = build(&s, seed, k, t, env, err);
    if (status == IK_OK)
        status = member_finish(t, k, err);
    storage_free(&s);
    return status;
}

const ik_traffic_family ik_traffic_storage = {
    .name = "storage",
    .summary =
        "processes read from disks and write to them, in bursts: a made-up trace of block I/O",
    .source = "ikat; what is traced: C. Ruemmler, J. Wilkes, UNIX Disk Access Patterns, Winter "
              "USENIX 1993",
    .details =
        "A workload that ends: `measure: {until: delivered, at_most: 10 ms}` goes with it. Bursts "
        "of accesses begin at random times of random processes and go to disks of different "
        "popularity. A read is a request of `control` bytes and an answer of `bytes`, a write the "
        "other way round. As in a recorded trace the times are given: a process does not wait for "
        "answers, a disk answers at its time, or when the request has come, if that is later. "
        "Other values of `compression` have the same accesses. Requests and answers are classes of "
        "messages.",
    .params = params,
    .create = create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .ends = true,
};
