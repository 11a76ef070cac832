/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_program.c: what the ranks of a parallel program do, read from a trace. */
#include "traffic/pattern.h"
#include "traffic/program/reader.h"
#include "traffic/workload/member.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "traffic 'program'"

static const char format_names[] = "auto"
#define X(name) "|" #name
#include "traffic/program/readers.def"
#undef X
    ;

enum { MATCH_RECORDED, MATCH_MPI };
enum { RENDEZVOUS_HANDSHAKE, RENDEZVOUS_ACK };

/* Of a collective operation; its name in collective.h. */
#define ALGORITHM(operation, names)                                                                \
    {                                                                                              \
        operation, IK_PARAM_ENUM, "auto", 0, 0, names,                                             \
            "algorithm for the trace's collective operations of this kind, as in traffic "         \
            "'collective'"                                                                         \
    }

static const ik_param params[] = {
    {"trace", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "the recorded program: a file, a folder, or a pattern (trace.*.txt) with one file per rank; "
     "text may be packed with gzip"},
    {"format", IK_PARAM_ENUM, "auto", 0, 0, format_names,
     "format of the trace; auto: recognised by its first bytes and its name"},
    {"matching", IK_PARAM_ENUM, "recorded", 0, 0, "recorded|mpi",
     "what receives from any source or with any tag match: recorded: the message that they "
     "received in the trace (as mpi where the trace does not say); mpi: messages as they arrive, "
     "by the rules of MPI"},
    {"ranks_per_host", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL,
     "number k of ranks per host: ranks i k to i k + k - 1 run on the host of process i of the "
     "mapping"},
    {"local_latency", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL,
     "latency of a message between ranks of one host, through shared memory", "ranks_per_host>1",
     "no two ranks share a host"},
    {"local_rate", IK_PARAM_RATE, "", 1, 1e18, NULL,
     "rate of messages between ranks of one host (default: unlimited)", "ranks_per_host>1",
     "no two ranks share a host"},
    {"gap", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL,
     "time between the beginnings of two messages of a host at its adapter (LogGP: g)"},
    {"eager", IK_PARAM_SIZE, "", 0, 1e15, NULL,
     "sends up to this size complete when the adapter has them; larger sends, and synchronous "
     "ones, wait for their receive (default: only synchronous ones do)"},
    {"rendezvous", IK_PARAM_ENUM, "handshake", 0, 0, "handshake|acknowledge",
     "how sends wait for their receive: handshake: a request of 1 byte, the receiver's answer when "
     "the receive has begun, then the data; acknowledge (LogGOPS): the data at once, then the "
     "receiver's acknowledgement",
     "eager", "no send is larger than 'eager'"},
    {"overhead", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL,
     "time of the rank's processor that each send and each receive takes (LogGP: o)"},
    {"clock", IK_PARAM_ENUM, "auto", 0, 0, "auto|wall|cpu",
     "what the computations of a recording last: wall: the time by the clock between two calls; "
     "cpu: how much of it the rank's thread had a processor core; auto: cpu where ranks shared "
     "cores while they were recorded, otherwise wall"},
    {"compute_scale", IK_PARAM_REAL, "1", 0, 1e6, NULL,
     "factor by which all times of computations are multiplied"},
    {"size_scale", IK_PARAM_REAL, "1", 1e-9, 1e6, NULL,
     "factor by which all sizes of messages are multiplied"},
    ALGORITHM("barrier", "auto|dissemination"),
    ALGORITHM("broadcast", "auto|binomial|scatter_allgather"),
    ALGORITHM("reduce", "auto|binomial|rabenseifner"),
    ALGORITHM("allreduce", "auto|recursive_doubling|ring|rabenseifner|halving_doubling"),
    ALGORITHM("allgather", "auto|ring|bruck|recursive_doubling"),
    ALGORITHM("reduce_scatter", "auto|recursive_halving|ring|pairwise"),
    ALGORITHM("alltoall", "auto|linear|pairwise|bruck"),
    ALGORITHM("alltoallv", "auto|linear|pairwise"),
    ALGORITHM("gather", "auto|binomial|linear"),
    ALGORITHM("scatter", "auto|binomial|linear"),
    ALGORITHM("scan", "auto|dissemination|linear"),
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of a random mapping (default: the experiment's seed)", "mapping=random",
     "nothing else is drawn"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct maker {
    ik_traffic *t;
    workload_member *of;
    const ik_params *p;
    const ik_env *env;
} maker;

static ik_status traffic_program_map_ranks(void *ctx, uint32_t num_ranks, uint32_t *host_of,
                                           ik_error *err)
{
    const maker *m = ctx;
    mapping *map = &m->of->map;
    uint64_t each = ik_params_uint(m->p, "ranks_per_host"), hosts = (num_ranks - 1) / each + 1;
    ik_status status =
        mapping_make(m->t->fabric, OWNER, m->p, hosts, pattern_seed(m->t, m->p), m->env, map, err);
    if (status == IK_OK)
        status = mapping_portable(m->t, m->p, map, &m->t->portable, err);
    for (uint32_t r = 0; r < num_ranks && status == IK_OK; r++)
        host_of[r] = map->host[r / each];
    return status;
}

/* The place of a word in "a|b|c". */
static unsigned program_word_place(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (unsigned place = 0;; place++, list++) {
        size_t here = strcspn(list, "|");
        if (here == length && memcmp(list, word, length) == 0)
            return place;
        list += here;
        assert(*list);
    }
}

/* Every operation has a parameter of its name. */
static void program_set_algorithms(const ik_params *p, collective_algorithm *of)
{
    char operation[32];
    const char *names = COLLECTIVE_OPERATION_NAMES;
    for (unsigned k = 0; k < COLLECTIVE_OPERATIONS; k++, names += *names == '|') {
        size_t length = strcspn(names, "|");
        snprintf(operation, sizeof operation, "%.*s", (int)length, names);
        names += length;
        of[k] = (collective_algorithm)program_word_place(COLLECTIVE_ALGORITHM_NAMES,
                                                         ik_params_text(p, operation));
    }
}

static program_settings program_settings_of(maker *m)
{
    const ik_params *p = m->p;
    double scale = ik_params_real(p, "compute_scale");
    program_settings set = {
        .name = ik_params_text(p, "trace"),
        .settings = "trace size_scale",
        .num_hosts = m->t->num_hosts,
        .most_ranks = m->t->num_hosts * ik_params_uint(p, "ranks_per_host"),
        .map = traffic_program_map_ranks,
        .ctx = m,
        .compute_scale = scale > 0 ? scale : PROGRAM_NO_TIME,
        .size_scale = ik_params_real(p, "size_scale"),
        .overhead_ps = ik_params_uint(p, "overhead"),
        .gap_ps = ik_params_uint(p, "gap"),
        .rendezvous = ik_params_has(p, "eager"),
        .eager_bytes = ik_params_has(p, "eager") ? ik_params_uint(p, "eager") : 0,
        .ack_only = ik_params_enum(p, "rendezvous") == RENDEZVOUS_ACK,
        .local_latency_ps = ik_params_uint(p, "local_latency"),
        .local_bps = ik_params_has(p, "local_rate") ? ik_params_uint(p, "local_rate") : 0,
        .clock = (program_clock)ik_params_enum(p, "clock"),
        .match_recorded = ik_params_enum(p, "matching") == MATCH_RECORDED,
        .memory_limit = m->env ? m->env->memory_limit_bytes : 0};
    program_set_algorithms(p, set.algorithm);
    return set;
}

static ik_status program_make_note(ik_traffic *t, const char *path, program *p, ik_error *err)
{
    uint64_t empty = program_empty(p);
    ik_status status = IK_OK;
    if (empty)
        status =
            program_note(p, err, "%llu %s of 0 bytes sent as 1 byte", (unsigned long long)empty,
                         empty == 1 ? "message is" : "messages are");
    if (status != IK_OK || !program_note_text(p))
        return status;
    size_t size = strlen(path) + strlen(program_note_text(p)) + 3;
    t->note = malloc(size);
    if (!t->note)
        return ik_fail_memory(err, size, "a note");
    snprintf(t->note, size, "%s: %s", path, program_note_text(p));
    return IK_OK;
}

static ik_status program_read_program(maker *m, ik_error *err)
{
    program_settings set = program_settings_of(m);
    unsigned format = ik_params_enum(m->p, "format");
    program *p = NULL;
    ik_status status = program_new(&set, &p, err);
    if (status == IK_OK)
        status = program_read(p, set.name, format ? program_readers()[format - 1]->name : NULL,
                              m->env, err);
    if (status == IK_OK)
        status = program_make_note(m->t, set.name, p, err);
    if (status == IK_OK)
        return program_close(p, &m->of->work, err);
    program_free(p);
    return status;
}

static ik_status program_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    workload_member *of = member_new(t, OWNER, err);
    if (!of)
        return IK_ERR_MEMORY;
    maker m = {t, of, p, env};
    ik_status status = program_read_program(&m, err);
    return status == IK_OK ? member_finish_file(t, of, err) : status;
}

const ik_traffic_family ik_traffic_program = {
    .name = "program",
    .summary = "a recorded parallel program: the computations and messages of its ranks",
    .source = "the replay of Dimemas (J. Labarta, S. Girona, V. Pillet, T. Cortes, L. Gregoris, "
              "Euro-Par 1996); GOAL: T. Hoefler, C. Siebert, A. Lumsdaine, ICPP 2009",
    .details = "This is a finite workload: use it with `measure: {until: delivered, at_most: 10 "
               "ms}`. `ikat replay` does the same from the command line. A rank does one thing "
               "after the other: it computes for as long as the trace says, and its messages use "
               "the network. Collective operations become the messages of the algorithm that is "
               "given here (gatherv and scatterv: linear). See docs/workloads.md.",
    .params = params,
    .create = program_create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .ends = true,
    .same_anywhere = true,
};
