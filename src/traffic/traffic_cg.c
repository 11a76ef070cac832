/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_cg.c: one communication phase of the NAS CG benchmark.
 */
#include "traffic/nas_partners.h"
#include "traffic/pattern.h"

#include <assert.h>

extern const ik_traffic_family ik_traffic_cg;

static const ik_param params[] = {
    {"processes", IK_PARAM_UINT, "", 2, 4294967294.0, NULL,
     "a power of two (default: the largest one for which there are enough hosts)"},
    {"phase", IK_PARAM_UINT, "", 1, 64, NULL,
     "1 … log2(columns): a step of the row reduction; log2(columns) + 1: the transpose (default)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status cg_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    uint64_t processes = 1;
    uint32_t *to;
    while (processes * 2 <= t->num_hosts)
        processes *= 2;
    if (ik_params_has(p, "processes"))
        processes = ik_params_uint(p, "processes");
    if (!nas_partners_nas_is_power(processes) || processes < 2 || processes > t->num_hosts) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "traffic 'cg': %s on %s",
                         IK_COUNT(processes, "process"), IK_COUNT(t->num_hosts, "host")),
                 "processes");
        return ik_hint(
            err, IK_ERR_USAGE,
            "the number of processes is a power of two, at least 2, at most the number of hosts");
    }
    unsigned reductions = nas_partners_cg_reductions((uint32_t)processes);
    uint64_t phase = ik_params_has(p, "phase") ? ik_params_uint(p, "phase") : reductions + 1;
    if (phase > reductions + 1) {
        return ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "traffic 'cg': %llu processes have phases 1 to %u, not %llu",
                    (unsigned long long)processes, reductions + 1, (unsigned long long)phase),
            "phase processes");
    }
    to = ik_calloc((size_t)t->num_hosts + 1, sizeof *to);
    if (!to)
        return ik_fail_memory(err, t->num_hosts * sizeof *to, "traffic 'cg'");
    t->impl = to;
    for (uint32_t me = 0; me < t->num_hosts; me++)
        to[me] = me < processes ? cg_partner((uint32_t)processes, (unsigned)phase, me) : IK_NONE;
    to[t->num_hosts] = ik_params_has(p, "phase") ? 0 : (uint32_t)processes;
    return IK_OK;
}

/* Behind the map stands what it says. */
uint32_t cg_all_phases(const ik_traffic *t)
{
    assert(t->family == &ik_traffic_cg);
    return ((const uint32_t *)t->impl)[t->num_hosts];
}

const ik_traffic_family ik_traffic_cg = {
    .name = "cg",
    .summary = "one exchange phase of NAS CG: row reduction or transpose",
    .source = "D. Bailey et al., The NAS Parallel Benchmarks, NAS-95-020 (CG, routine "
              "setup_proc_info); its fifth phase is studied by G. Rodriguez et al., Oblivious "
              "Routing Schemes in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details =
        "P = 2^L processes, process i on host i, form a grid of 2^floor(L/2) rows and 2^ceil(L/2) "
        "columns. In phase i a process exchanges with the process whose column number differs in "
        "bit i - 1; the last phase is the transpose. With 128 processes, phase 5 is the transpose, "
        "in which 16 processes are their own partners and are silent. Traffic 'exchange' sends the "
        "messages of all phases in turn if no phase is given.",
    .params = params,
    .create = cg_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
