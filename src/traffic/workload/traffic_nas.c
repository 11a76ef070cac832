/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_nas.c: the messages of a NAS Parallel Benchmark, iteration by iteration. */
#include "traffic/nas_partners.h"
#include "traffic/pattern.h"
#include "traffic/workload/member.h"
#include "traffic/workload/nas.h"

#define OWNER "traffic 'nas'"

static const ik_param params[] = {
    {"benchmark", IK_PARAM_ENUM, NULL, 0, 0, NAS_BENCHMARK_NAMES,
     "conjugate gradient, block and scalar tridiagonal solver, LU, Fourier transform, multigrid"},
    {"class", IK_PARAM_ENUM, "A", 0, 0, NAS_CLASS_NAMES, "problem size", "not bytes",
     "every message has `bytes`"},
    {"bytes", IK_PARAM_SIZE, "", 1, 1e12, NULL,
     "size of every message, instead of the sizes of a class"},
    {"iterations", IK_PARAM_UINT, "1", 1, 10000, NULL,
     "number of times; a process begins again when it has done its part of the time before"},
    {"scalars", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "also the two dot products of each iteration, as exchanges of 8 B", "benchmark=cg",
     "the other benchmarks have none"},
    {"planes", IK_PARAM_UINT, "", 1, 100000, NULL,
     "planes of a sweep (default: those of the class; 1 if bytes is given)", "benchmark=lu",
     "the other benchmarks have no planes"},
    {"layout", IK_PARAM_ENUM, "1d", 0, 0, "1d|2d",
     "1d: one all-to-all of all processes; 2d: one within columns and one within rows",
     "benchmark=ft", "the other benchmarks have one layout"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of a random mapping (default: the experiment's seed)", "mapping=random",
     "nothing else is drawn"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* In the builder, in the graph, and for finishing it. */
enum { BYTES_PER_OPERATION = 125 };

static ik_status refuse_processes(const nas *n, uint64_t processes, ik_error *err)
{
    bool square = n->benchmark == NAS_BT || n->benchmark == NAS_SP;
    uint32_t most =
        nas_most(n->benchmark, processes < UINT32_MAX ? (uint32_t)processes : UINT32_MAX);
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, OWNER ": %s; the benchmark runs on %s",
                     IK_COUNT(processes, "process"),
                     square ? "a square number of at least 4" : "a power of two of at least 2"),
             "processes hosts benchmark");
    return most ? ik_hint(err, IK_ERR_USAGE, "%u would do", most) : IK_ERR_USAGE;
}

/* As many processes as are given, else as many as the benchmark can use of the hosts. */
static ik_status nas_find_hosts(ik_traffic *t, workload_member *k, nas *n, const ik_params *p,
                                const ik_env *env, ik_error *err)
{
    uint64_t wanted = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    if (wanted && !nas_fits(n->benchmark, (uint32_t)wanted))
        return refuse_processes(n, wanted, err);
    ik_status status =
        mapping_make(t->fabric, OWNER, p, wanted, pattern_seed(t, p), env, &k->map, err);
    if (status != IK_OK)
        return status;
    n->processes = nas_most(n->benchmark, k->map.num);
    if (!n->processes)
        return refuse_processes(n, k->map.num, err);
    k->map.num = n->processes; /* the first of them */
    return mapping_portable(t, p, &k->map, &t->portable, err);
}

static void nas_read_sizes(nas *n, const ik_params *p)
{
    n->size = ik_params_enum(p, "class");
    n->bytes = ik_params_has(p, "bytes") ? ik_params_uint(p, "bytes") : 0;
    n->scalars = ik_params_bool(p, "scalars");
    n->planes = ik_params_has(p, "planes") ? (uint32_t)ik_params_uint(p, "planes")
                : n->bytes                 ? 1
                                           : nas_planes(n->size);
    n->columns =
        ik_params_enum(p, "layout") ? (uint32_t)1 << nas_partners_nas_log2(n->processes) / 2 : 1;
}

/* One iteration says how much all will need; where that alone is too much, it is only counted. */
static ik_status traffic_nas_run(const nas *n, uint64_t iterations, steps *s, const ik_env *env,
                                 ik_error *err)
{
    for (uint64_t i = 0; i < iterations && !s->b.no_memory; i++) {
        nas_run(n, s);
        ik_status status = i ? IK_OK
                             : ik_env_refuse_bytes(env,
                                                   (double)s->b.asked_ops * (double)iterations *
                                                       BYTES_PER_OPERATION,
                                                   OWNER, err);
        if (status != IK_OK)
            return ik_about(err, status, "iterations planes processes");
    }
    return IK_OK;
}

static ik_status nas_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    workload_member *k = member_new(t, OWNER, err);
    if (!k)
        return IK_ERR_MEMORY;
    nas n = {.benchmark = (nas_benchmark)ik_params_enum(p, "benchmark")};
    steps s;
    ik_status status = nas_find_hosts(t, k, &n, p, env, err);
    if (status == IK_OK)
        status =
            steps_open(&s, OWNER, "bytes class iterations processes", t->num_hosts, &k->map, err);
    if (status != IK_OK)
        return status;
    s.b.memory_limit = env ? env->memory_limit_bytes : 0;
    nas_read_sizes(&n, p);
    status = traffic_nas_run(&n, ik_params_uint(p, "iterations"), &s, env, err);
    if (status != IK_OK) {
        steps_free(&s);
        return status;
    }
    return member_finish_steps(t, k, &s, err);
}

const ik_traffic_family ik_traffic_nas = {
    .name = "nas",
    .summary = "the messages of a NAS Parallel Benchmark: cg, bt, sp, lu, ft, mg",
    .source = "D. Bailey et al., The NAS Parallel Benchmarks, NAS-95-020; sizes and order from the "
              "MPI sources of NPB 3",
    .details =
        "This is a finite workload (`measure: {until: delivered, at_most: 10 ms}`) without "
        "computations: what a process sends waits for what it has sent and received before. cg: "
        "row reductions, then the transpose. bt, sp: the six faces, then a sweep forward and back "
        "in x, y and z. lu: for each plane, a wavefront through the grid of processes, and one "
        "back. ft: all-to-all transposes. mg: faces at every level of a V-cycle; at coarse levels "
        "fewer processes take part, and they are farther apart. The number of processes is a power "
        "of two for cg, lu, ft and mg, and a square for bt and sp; without `processes`, it is the "
        "largest for which there are hosts. Phases are classes of messages.",
    .params = params,
    .create = nas_create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .ends = true,
    .same_anywhere = true,
};
