/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_storage.c: processes read from disks and write to them, as a recorded trace of block I/O
 * says or a made-up one. Drawn and recorded accesses become one list (storage.h), and that a graph
 * of messages. */
#include "traffic/pattern.h"
#include "traffic/storage/storage.h"

#include <stdlib.h>

static const ik_param params[] = {
    {"trace", IK_PARAM_PATH, "", 0, 0, NULL,
     "a recorded trace of block I/O; packed with gzip is read as well (not given: made up)"},
    {"format", IK_PARAM_ENUM, "auto", 0, 0, "auto|" IO_FORMATS,
     "of the trace; auto: by its contents, where these are certain", "trace"},
    {"from", IK_PARAM_TIME, "", 0, 1e18, NULL,
     "the run begins at this time after the trace's beginning (default: 0 s)", "trace"},
    {"disks", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL,
     "their number; a trace has its own. The processes without a disk access them", "not trace"},
    PLACEMENT_PARAM,
    {"accesses", IK_PARAM_UINT, "", 1, 1e8, NULL,
     "of all processes together (default: 1000; of a trace: all); of a trace the first ones"},
    {"bytes", IK_PARAM_SIZE, "8 KiB", 1, 1e12, NULL, "that an access reads or writes (the mean)",
     "not trace and sizes=fixed|geometric"},
    {"sizes", IK_PARAM_PATH, "fixed", 0, 0, "fixed|geometric",
     "of accesses: all `bytes`; whole sectors of 512 B, geometric; or a file, whose lines are a "
     "size in bytes and its weight",
     "not trace"},
    {"control", IK_PARAM_SIZE, "64 B", 1, 1e12, NULL,
     "the other message: request of a read, answer to a write"},
    {"reads", IK_PARAM_FRACTION, "50 %", 0, 1, NULL, "share of the accesses that read",
     "not trace"},
    {"skew", IK_PARAM_REAL, "1", 0, 10, NULL,
     "the disk that is n-th in a random order is accessed in proportion to n^-skew; 0: all "
     "equally",
     "not trace"},
    {"duration", IK_PARAM_TIME, "", 0, 1e18, NULL,
     "within which bursts of accesses begin (default: 1 ms); of a trace, accesses (default: up to "
     "its end)"},
    {"burst", IK_PARAM_REAL, "8", 1, 1e6, NULL, "accesses of a burst, on average (geometric)",
     "not trace"},
    {"burst_gap", IK_PARAM_TIME, "1 us", 0, 1e15, NULL,
     "mean time between accesses of a burst (exponential)", "burst>1 and not trace",
     "there is one in a burst"},
    {"service", IK_PARAM_TIME, "", 0, 1e15, NULL,
     "mean time from an access until the disk answers (default: 20 us; a trace has its own, or "
     "needs it)"},
    {"service_times", IK_PARAM_ENUM, "exponential", 0, 0, "exponential|fixed",
     "distribution of these times"},
    {"compression", IK_PARAM_REAL, "1", 1e-3, 1e6, NULL,
     "all times are divided by it: the same accesses, so much faster"},
    {"loop", IK_PARAM_ENUM, "open", 0, 0, "open|closed",
     "open: accesses and answers at their times; closed: a disk takes as long as in the trace, "
     "and a process goes on when the answers are there that it had then"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of what is drawn: accesses, hosts and times that a trace does not say, random mappings "
     "and placements (default: the experiment's)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status make_accesses(storage *s, ik_traffic *t, const ik_params *p, uint32_t processes,
                               const ik_env *env, ik_error *err)
{
    uint64_t seed = pattern_seed(t, p);
    if (!ik_params_has(p, "trace"))
        return storage_draw(s, p, processes, seed, env, err);
    ik_status status = storage_read(s, p, env, err);
    if (status == IK_OK)
        status = storage_place(s, p, processes, seed, env, err);
    return status == IK_OK ? storage_note(s, &t->note, err) : status;
}

static void free_kept(void *kept)
{
    storage_free(kept);
    free(kept);
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    workload_member *m = member_new(t, STORAGE_OWNER, err);
    if (!m)
        return IK_ERR_MEMORY;
    storage *s = ik_calloc(1, sizeof *s);
    if (!s)
        return ik_fail_memory(err, sizeof *s, STORAGE_OWNER);
    m->kept = s;
    m->free_kept = free_kept;
    s->compression = ik_params_real(p, "compression");
    s->control = ik_params_uint(p, "control");
    s->closed = ik_params_enum(p, "loop") == 1;
    uint64_t wanted = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    ik_status status =
        mapping_make(t->fabric, STORAGE_OWNER, p, wanted, pattern_seed(t, p), env, &m->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &m->map, &t->portable, err);
    if (status == IK_OK)
        status = make_accesses(s, t, p, m->map.num, env, err);
    if (status == IK_OK)
        status = storage_graph(s, &m->map, t->num_hosts, env, &m->work, err);
    return status == IK_OK ? member_finish(t, m, err) : status;
}

static ik_status write_trace(const ik_traffic *t, FILE *out, ik_error *err)
{
    return storage_write(((const workload_member *)t->impl)->kept, out, err);
}

const ik_traffic_family ik_traffic_storage = {
    .name = "storage",
    .summary = "processes read from disks and write to them: a recorded trace of block I/O, or a "
               "made-up one",
    .source = "messages of accesses: C. Gomez et al., Deterministic versus Adaptive Routing in "
              "Fat-Trees, IPDPS 2007; what is traced: C. Ruemmler, J. Wilkes, UNIX Disk Access "
              "Patterns, Winter USENIX 1993",
    .details =
        "A workload that ends: `measure: {until: delivered, at_most: 10 ms}` goes with it. With "
        "`trace` the accesses are those of a file (docs/formats.md); without, bursts of accesses "
        "begin at random times of random processes and go to disks of different popularity. A read "
        "is a request of `control` bytes and an answer of the data, a write the other way round. "
        "In the open loop times are those of the trace: a process does not wait for answers, a "
        "disk answers at its time, or when the request has come, if that is later. In the closed "
        "loop answers that come later delay what the process did after them. Other values of "
        "`compression` have the same accesses. Requests and answers are classes of messages. "
        "`ikat load … --trace FILE` writes the accesses as a trace. docs/workloads.md.",
    .params = params,
    .create = create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .write_trace = write_trace,
    .ends = true,
    .same_anywhere = true,
};
