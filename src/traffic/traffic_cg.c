/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_cg.c: one communication phase of the NAS CG benchmark.
 */
#include "traffic/pattern.h"

static const ik_param params[] = {
    {"processes", IK_PARAM_UINT, "", 2, 4294967294.0, NULL,
     "a power of two (default: the largest that the hosts hold)"},
    {"phase", IK_PARAM_UINT, "", 1, 64, NULL,
     "1 … log2(columns): row reduction; one more: the transpose (default)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* Partner in the transpose of a rows x columns grid, columns = rows or 2 * rows. */
static uint32_t transposed(uint32_t me, uint32_t rows, uint32_t columns)
{
    if (rows == columns)
        return me % rows * rows + me / rows;
    return 2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2;
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    uint64_t processes = 1;
    unsigned bits = 0;
    uint32_t *to;
    while (processes * 2 <= t->num_hosts)
        processes *= 2;
    if (ik_params_has(p, "processes"))
        processes = ik_params_uint(p, "processes");
    if ((processes & (processes - 1)) || processes < 2 || processes > t->num_hosts) {
        ik_fail(err, IK_ERR_USAGE, "traffic 'cg': %llu processes on %u hosts",
                (unsigned long long)processes, t->num_hosts);
        return ik_hint(
            err, IK_ERR_USAGE,
            "the number of processes is a power of two, at least 2, at most the number of hosts");
    }
    while (((uint64_t)1 << bits) < processes)
        bits++;
    uint32_t columns = (uint32_t)1 << (bits + 1) / 2, rows = (uint32_t)1 << bits / 2;
    unsigned reductions = (bits + 1) / 2;
    uint64_t phase = ik_params_has(p, "phase") ? ik_params_uint(p, "phase") : reductions + 1;
    if (phase > reductions + 1) {
        return ik_fail(err, IK_ERR_USAGE,
                       "traffic 'cg': %llu processes have phases 1 to %u, not %llu",
                       (unsigned long long)processes, reductions + 1, (unsigned long long)phase);
    }
    ik_status s = pattern_map_new(t, &to, err);
    for (uint32_t me = 0; s == IK_OK && me < processes; me++) {
        to[me] =
            phase <= reductions ? me ^ (uint32_t)1 << (phase - 1) : transposed(me, rows, columns);
    }
    return s;
}

const ik_traffic_family ik_traffic_cg = {
    .name = "cg",
    .summary = "one exchange phase of NAS CG: row reduction or transpose",
    .source = "D. Bailey et al., The NAS Parallel Benchmarks, NAS-95-020 (CG, routine "
              "setup_proc_info); its fifth phase is studied by G. Rodriguez et al., Oblivious "
              "Routing Schemes in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details = "P = 2^L processes, process i on host i, in a grid of 2^floor(L/2) rows and "
               "2^ceil(L/2) columns. Phase i exchanges with the process whose number differs in "
               "bit i - 1 of the column; the last phase is the transpose. Of 128 processes phase 5 "
               "is the transpose, 16 processes of which are their own partners and silent.",
    .params = params,
    .create = create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
