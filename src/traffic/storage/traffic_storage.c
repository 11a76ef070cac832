/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_storage.c: processes read from disks and write to them, as a recorded trace of block I/O
 * says or a generated one. Drawn and recorded accesses become one list (storage.h), and that a
 * graph of messages. */
#include "traffic/pattern.h"
#include "traffic/storage/storage.h"

#include <stdlib.h>

static const ik_param params[] = {
    {"trace", IK_PARAM_PATH, "", 0, 0, NULL,
     "a recorded trace of block I/O, which may be packed with gzip (not given: synthetic "
     "accesses)"},
    {"format", IK_PARAM_ENUM, "auto", 0, 0, "auto|" IO_FORMATS,
     "format of the trace; auto: recognised by its contents, where these are unambiguous", "trace"},
    {"from", IK_PARAM_TIME, "", 0, 1e18, NULL,
     "time in the trace at which the run begins, from the trace's beginning (default: 0 s)",
     "trace"},
    {"disks", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL,
     "number of disks; a trace has its own. The processes without a disk access them", "not trace"},
    PLACEMENT_PARAM,
    {"accesses", IK_PARAM_UINT, "", 1, 1e8, NULL,
     "number of accesses of all processes together (default: 1000; with a trace: all); with a "
     "trace, the first ones"},
    {"bytes", IK_PARAM_SIZE, "8 KiB", 1, 1e12, NULL,
     "bytes that an access reads or writes (the mean)", "not trace and sizes=fixed|geometric"},
    {"sizes", IK_PARAM_PATH, "fixed", 0, 0, "fixed|geometric",
     "sizes of accesses: fixed: all of `bytes`; geometric: whole sectors of 512 B, geometrically "
     "distributed; or a file whose lines have a size in bytes and its weight",
     "not trace"},
    {"control", IK_PARAM_SIZE, "64 B", 1, 1e12, NULL,
     "size of the message without data: the request of a read, the answer to a write"},
    {"reads", IK_PARAM_FRACTION, "50 %", 0, 1, NULL, "fraction of the accesses that are reads",
     "not trace"},
    {"skew", IK_PARAM_REAL, "1", 0, 10, NULL,
     "the n-th disk of a random order is accessed in proportion to n^-skew; 0: all disks equally",
     "not trace"},
    {"duration", IK_PARAM_TIME, "", 0, 1e18, NULL,
     "time within which bursts of accesses begin (default: 1 ms); with a trace, accesses (default: "
     "up to its end)"},
    {"burst", IK_PARAM_REAL, "8", 1, 1e6, NULL,
     "mean number of accesses per burst (geometrically distributed)", "not trace"},
    {"burst_gap", IK_PARAM_TIME, "1 us", 0, 1e15, NULL,
     "mean time between accesses of a burst (exponentially distributed)", "burst>1 and not trace",
     "there is one in a burst"},
    {"service", IK_PARAM_TIME, "", 0, 1e15, NULL,
     "mean time from an access until the disk answers (default: 20 us; a trace may have its own "
     "times, otherwise it is required)"},
    {"service_times", IK_PARAM_ENUM, "exponential", 0, 0, "exponential|fixed",
     "distribution of these times"},
    {"compression", IK_PARAM_REAL, "1", 1e-3, 1e6, NULL,
     "all times are divided by this: the same accesses, faster by this factor"},
    {"loop", IK_PARAM_ENUM, "open", 0, 0, "open|closed",
     "open: accesses and answers at the times of the trace; closed: a disk takes as long as in the "
     "trace, and a process goes on when it has the answers that it had then in the trace"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of everything random: accesses, hosts and times that a trace does not give, mappings "
     "and placements (default: the experiment's seed)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status storage_make_accesses(storage *s, ik_traffic *t, const ik_params *p,
                                       uint32_t processes, const ik_env *env, ik_error *err)
{
    uint64_t seed = pattern_seed(t, p);
    if (!ik_params_has(p, "trace"))
        return storage_draw(s, p, processes, seed, env, err);
    ik_status status = storage_read(s, p, env, err);
    if (status == IK_OK)
        status = storage_place(s, p, processes, seed, env, err);
    return status == IK_OK ? storage_note(s, &t->note, err) : status;
}

static void storage_free_kept(void *kept)
{
    storage_free(kept);
    free(kept);
}

static ik_status storage_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    workload_member *m = member_new(t, STORAGE_OWNER, err);
    if (!m)
        return IK_ERR_MEMORY;
    storage *s = ik_calloc(1, sizeof *s);
    if (!s)
        return ik_fail_memory(err, sizeof *s, STORAGE_OWNER);
    m->kept = s;
    m->free_kept = storage_free_kept;
    s->compression = ik_params_real(p, "compression");
    s->control = ik_params_uint(p, "control");
    s->closed = ik_params_enum(p, "loop") == 1;
    uint64_t wanted = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    ik_status status =
        mapping_make(t->fabric, STORAGE_OWNER, p, wanted, pattern_seed(t, p), env, &m->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &m->map, &t->portable, err);
    if (status == IK_OK)
        status = storage_make_accesses(s, t, p, m->map.num, env, err);
    if (status == IK_OK)
        status = storage_graph(s, &m->map, t->num_hosts, env, &m->work, err);
    return status == IK_OK ? member_finish(t, m, err) : status;
}

static ik_status storage_write_trace(const ik_traffic *t, FILE *out, ik_error *err)
{
    return storage_write(((const workload_member *)t->impl)->kept, out, err);
}

const ik_traffic_family ik_traffic_storage = {
    .name = "storage",
    .summary =
        "processes read from and write to disks: a recorded trace of block I/O, or a synthetic one",
    .source =
        "the messages of an access: C. Gomez et al., Deterministic versus Adaptive Routing in "
        "Fat-Trees, IPDPS 2007; what traces contain: C. Ruemmler, J. Wilkes, UNIX Disk Access "
        "Patterns, Winter USENIX 1993",
    .details =
        "This is a finite workload: use it with `measure: {until: delivered, at_most: 10 ms}`. "
        "With `trace`, the accesses are those of a file (docs/formats.md); without it, random "
        "processes begin bursts of accesses at random times, to disks of different popularity. A "
        "read is a request of `control` bytes and an answer with the data; a write is a request "
        "with the data and an answer of `control` bytes. In the open loop, times are those of the "
        "trace: a process does not wait for answers, and a disk answers at the time of the trace, "
        "or when the request has arrived, if that is later. In the closed loop, answers that "
        "arrive later delay what the process did after them. All values of `compression` have the "
        "same accesses. Requests and answers are classes of messages. `ikat load … --trace FILE` "
        "writes the accesses as a trace. See docs/workloads.md.",
    .params = params,
    .create = storage_create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .write_trace = storage_write_trace,
    .ends = true,
    .same_anywhere = true,
};
