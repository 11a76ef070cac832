/* SPDX-License-Identifier: Apache-2.0
 *
 * The proof of a plan: walks every pair by the fitting method, then reads the verdicts off the
 * counts and the dependency graph.
 */
#include "ikat/verify.h"

#include "verify/prove.h"

#include "vc/legs.h"

#include <assert.h>
#include <stdlib.h>

static void verify_job_free(prove_job *job)
{
    for (unsigned t = 0; job->tallies && t < job->num_threads; t++)
        tally_free(&job->tallies[t]);
    free(job->tallies);
    cdg_free(&job->graph);
    walk_groups_free(&job->groups);
}

/* Hosts, not their ports. */
static uint64_t verify_num_hosts(const ik_fabric *f)
{
    return f->split ? f->split->whole->num_hosts : f->num_hosts;
}

static uint64_t verify_num_pairs(const ik_fabric *f)
{
    uint64_t hosts = verify_num_hosts(f);
    return hosts > 0 ? hosts * (hosts - 1) : 0;
}

/* By legs if the plan goes in legs; state by state otherwise. */
static ik_status verify_prove_states(prove_job *job, ik_error *err)
{
    bool fits = legs_fit(job->plan) && !job->config.pairwise;
    ik_status status = fits ? prove_by_legs(job, &fits, err) : IK_OK;
    if (status != IK_OK || fits)
        return status;
    cdg_clear(&job->graph);
    for (unsigned t = 0; t < job->num_threads; t++) {
        tally_free(&job->tallies[t]);
        tally_init(&job->tallies[t]);
    }
    return prove_by_walking(job, err);
}

/* Level by level if the plan is one of the most regular; else destination by destination, or state
 * by state. */
static ik_status verify_prove_all(prove_job *job, bool trees, ik_error *err)
{
    job->levels = !job->config.pairwise && prove_fits_by_levels(job->plan);
    ik_status status = job->levels ? prove_by_levels(job, &job->levels, err) : IK_OK;
    if (status != IK_OK || job->levels)
        return status;
    return trees ? prove_by_in_trees(job, err) : verify_prove_states(job, err);
}

static ik_status verify_job_make(const ik_plan *plan, ik_verify_config config, const ik_env *env,
                                 prove_job *job, ik_error *err)
{
    bool trees = prove_fits_in_trees(plan) && !config.pairwise;
    *job =
        (prove_job){.plan = plan, .config = config, .env = env, .num_threads = ik_env_threads(env)};
    job->sampled = config.sample_pairs > 0 && config.sample_pairs < verify_num_pairs(plan->fabric);
    ik_status status =
        walk_groups_make(plan->fabric, !trees && prove_by_switch(plan), &job->groups, err);
    if (status == IK_OK) {
        status = cdg_make(plan->fabric, plan->num_vcs, plan->vc->family->static_lane, env,
                          &job->graph, err);
    }
    if (status == IK_OK) {
        job->tallies = ik_calloc(job->num_threads, sizeof *job->tallies);
        status = job->tallies ? IK_OK : ik_fail_memory(err, sizeof *job->tallies, "a proof");
    }
    for (unsigned t = 0; job->tallies && t < job->num_threads; t++)
        tally_init(&job->tallies[t]);
    if (status == IK_OK)
        status = job->sampled ? prove_by_sample(job, err) : verify_prove_all(job, trees, err);
    return status;
}

void ik_json_verdict(ik_json *j, const char *key, ik_verdict verdict)
{
    if (verdict == IK_UNKNOWN)
        ik_json_null(j, key);
    else
        ik_json_bool(j, key, verdict == IK_YES);
}

static ik_verdict verify_verdict(bool holds)
{
    return holds ? IK_YES : IK_NO;
}

static ik_status verify_read_counts(const prove_job *job, ik_proof *proof, ik_error *err)
{
    tally sum;
    tally_init(&sum);
    for (unsigned t = 0; t < job->num_threads; t++) {
        ik_status status = tally_merge(&sum, &job->tallies[t], err);
        if (status != IK_OK) {
            tally_free(&sum);
            return status;
        }
    }
    proof->flow = job->config.flow;
    /* A host without a cable is one host of a split fabric too. */
    uint64_t wired = verify_num_hosts(job->plan->fabric) - job->groups.stray, states = 0;
    proof->sampled_pairs = job->sampled ? job->config.sample_pairs : 0;
    proof->pairs = job->sampled ? job->config.sample_pairs : verify_num_pairs(job->plan->fabric);
    proof->unconnected = sum.unconnected;
    if (!job->sampled) /* pairs of hosts without a cable stand in no group */
        proof->unconnected += proof->pairs - (wired > 0 ? wired * (wired - 1) : 0);
    proof->undelivered = sum.undelivered;
    proof->loops = sum.loops;
    proof->not_minimal = sum.not_minimal;
    proof->first_undelivered_src = sum.first_src;
    proof->first_undelivered_dst = sum.first_dst;
    proof->max_hops = sum.max_hops;
    proof->path_lengths = sum.lengths;
    proof->num_path_lengths = sum.num_lengths;
    double hops = 0;
    for (size_t i = 0; i < sum.num_lengths; i++) {
        states += sum.lengths[i];
        hops += (double)sum.lengths[i] * (double)i;
    }
    proof->mean_hops = states ? hops / (double)states : 0;
    for (size_t i = 0; i < IK_MAX_VCS / 64; i++)
        proof->vcs_used += (unsigned)__builtin_popcountll(sum.vcs[i]);
    proof->delivered = verify_verdict(sum.undelivered == 0);
    proof->loop_free = verify_verdict(sum.loops == 0);
    proof->minimal = verify_verdict(sum.not_minimal == 0 && sum.undelivered == 0);
    return IK_OK;
}

/* A shortest cycle of all channels as the witness. */
static ik_status verify_explain_cycle(prove_job *job, ik_proof *proof, ik_error *err)
{
    size_t *cycle = NULL, length = 0;
    ik_status status = cdg_cycle(&job->graph, &cycle, &length, err);
    ik_dependency *witness = status == IK_OK ? ik_calloc(length, sizeof *witness) : NULL;
    if (status == IK_OK && !witness)
        status = ik_fail_memory(err, length * sizeof *witness, "a witness cycle");
    if (status != IK_OK) {
        free(cycle);
        return status;
    }
    for (size_t i = 0; i < length; i++) {
        witness[i] =
            (ik_dependency){.channel = job->graph.port_of_channel[cycle[i] / job->graph.num_vcs],
                            .vc = (uint8_t)(cycle[i] % job->graph.num_vcs),
                            .src = IK_NONE,
                            .dst = IK_NONE};
    }
    free(cycle);
    proof->witness = witness;
    proof->witness_length = length;
    return prove_causes(job, witness, length, err);
}

/* A cyclic graph is no verdict yet if the scheme declares an escape layer. */
static ik_status verify_judge_cycle(prove_job *job, ik_proof *proof, ik_error *err)
{
    bool layered = job->plan->vc->escape_vcs > 0;
    if (layered && job->sampled && job->config.flow != IK_FLOW_SETTLED) {
        proof->deadlock_free = IK_UNKNOWN;
        proof->deadlock_reason = "cyclic; a sample of pairs does not judge the escape layer";
        return IK_OK;
    }
    proof->deadlock_free = IK_NO;
    proof->deadlock_reason = "channel dependency graph cyclic";
    ik_status status = layered ? prove_escape(job, proof, err) : IK_OK;
    if (status == IK_OK && proof->deadlock_free == IK_NO && !proof->witness)
        status = verify_explain_cycle(job, proof, err);
    return status;
}

static ik_status verify_read_graph(prove_job *job, ik_proof *proof, ik_error *err)
{
    cdg_count(&job->graph, &proof->channels, &proof->dependencies);
    uint32_t *rank = NULL;
    ik_status status = cdg_order(&job->graph, &rank, err);
    if (status != IK_OK)
        return status;
    if (!rank)
        return verify_judge_cycle(job, proof, err);
    proof->deadlock_free = IK_YES;
    proof->deadlock_reason = job->levels ? "channel dependency graph acyclic, proved level by level"
                                         : "channel dependency graph acyclic";
    status = certificate_make(job, rank, job->graph.num_vcs, false, err);
    free(rank);
    return status;
}

/* What a sample shows to hold need not hold for the pairs that were not drawn. */
static void verify_doubt(ik_proof *proof)
{
    ik_verdict *const verdicts[] = {&proof->delivered, &proof->loop_free, &proof->minimal,
                                    &proof->deadlock_free};
    if (proof->deadlock_free == IK_YES)
        proof->deadlock_reason = "channel dependency graph of the sampled pairs acyclic";
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        *verdicts[i] = *verdicts[i] == IK_YES ? IK_UNKNOWN : *verdicts[i];
}

/* A proof speaks of hosts, not of their ports; channels say which port. */
static void verify_name_hosts(const ik_split *split, ik_proof *proof)
{
    assert(split);
    uint32_t *named[] = {&proof->first_undelivered_src, &proof->first_undelivered_dst,
                         &proof->gap_src, &proof->gap_dst};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        *named[i] = *named[i] == IK_NONE ? IK_NONE : split->host_of[*named[i]];
    for (size_t i = 0; i < proof->witness_length; i++) {
        ik_dependency *d = &proof->witness[i];
        d->src = d->src == IK_NONE ? IK_NONE : split->host_of[d->src];
        d->dst = d->dst == IK_NONE ? IK_NONE : split->host_of[d->dst];
    }
}

ik_status ik_verify(const ik_plan *plan, const ik_verify_config *config, const ik_env *env,
                    ik_proof *out, ik_error *err)
{
    ik_certificate certificate;
    ik_status status = ik_verify_certified(plan, config, env, out, &certificate, err);
    if (status == IK_OK)
        ik_certificate_free(&certificate);
    return status;
}

ik_status ik_verify_certified(const ik_plan *plan, const ik_verify_config *config,
                              const ik_env *env, ik_proof *out, ik_certificate *certificate,
                              ik_error *err)
{
    prove_job job;
    ik_proof proof = {.gap_src = IK_NONE, .gap_dst = IK_NONE, .gap_port = IK_NONE};
    ik_status status =
        verify_job_make(plan, config ? *config : (ik_verify_config){0}, env, &job, err);
    if (status == IK_OK)
        status = verify_read_counts(&job, &proof, err);
    if (status == IK_OK && proof.undelivered > 0) {
        status = prove_lost_path(&job, proof.first_undelivered_src, proof.first_undelivered_dst,
                                 &proof.lost_path, &proof.lost_path_length, err);
    }
    if (status == IK_OK)
        status = prove_order(&job, &proof.ordered, err);
    if (status == IK_OK)
        status = verify_read_graph(&job, &proof, err);
    if (status == IK_OK && plan->fabric->split)
        verify_name_hosts(plan->fabric->split, &proof);
    if (status == IK_OK)
        status = certificate_look(&job, &proof, err);
    if (status == IK_OK && job.sampled)
        verify_doubt(&proof);
    if (status != IK_OK) {
        ik_certificate_free(&job.certificate);
        ik_proof_free(&proof);
    } else {
        *out = proof;
        *certificate = job.certificate;
    }
    verify_job_free(&job);
    return status;
}

void ik_proof_free(ik_proof *proof)
{
    free(proof->path_lengths);
    free(proof->witness);
    free(proof->lost_path);
    free(proof->kept_reason);
    *proof = (ik_proof){0};
}
