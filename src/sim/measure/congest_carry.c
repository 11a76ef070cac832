/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of congestion as a checkpoint has them: what later samples, and results, need of those
 * that were taken. All else of measure/congest_state.h is of one sample. */
#include "sim/measure/congest_state.h"

void congest_carry(congest *c, sim_carrier *to)
{
    const ik_fabric *f = c->f;
    size_t n = c->at.num_samples, cells = n * f->num_switches;
    ik_congestion *k = &c->k;
    uint64_t *const sums[] = {&c->sum_blocked, &c->sum_roots,   &c->sum_bytes,
                              &c->sum_hol,     &c->sum_packets, &c->window_samples};
    SIM_CARRY(to, c->at.warmup_ps);
    SIM_CARRY(to, c->next);
    SIM_CARRY(to, c->num_roots);
    SIM_CARRY(to, c->cap_roots);
    SIM_CARRY_GROWN(to, c->roots, c->num_roots, c->cap_roots);
    sim_carry_array(to, c->root_of, f->num_ports, sizeof *c->root_of);
    sim_carry_array(to, c->sent_before, f->num_hosts, sizeof *c->sent_before);
    SIM_CARRY(to, c->flows.cap);
    SIM_CARRY(to, c->flows.used);
    SIM_CARRY(to, c->flows.error);
    SIM_CARRY_GROWN(to, c->flows.flows, c->flows.cap, c->flows.cap);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        SIM_CARRY(to, *sums[i]);
    sim_carry_array(to, k->roots, n, sizeof *k->roots);
    sim_carry_array(to, k->buffers, n, sizeof *k->buffers);
    sim_carry_array(to, k->hosts, n, sizeof *k->hosts);
    sim_carry_array(to, k->cyclic, n, sizeof *k->cyclic);
    sim_carry_array(to, k->bytes, n, sizeof *k->bytes);
    sim_carry_array(to, k->hol_bytes, n, sizeof *k->hol_bytes);
    sim_carry_array(to, k->fairness, n, sizeof *k->fairness);
    sim_carry_array(to, k->switch_blocked, cells, sizeof *k->switch_blocked);
    sim_carry_array(to, k->switch_hol, cells, sizeof *k->switch_hol);
    SIM_CARRY(to, k->stride);
    SIM_CARRY(to, k->largest_tree);
    SIM_CARRY(to, k->num_trees);
    SIM_CARRY(to, c->cap_kept);
    SIM_CARRY_GROWN(to, k->trees, k->num_trees, c->cap_kept);
}
