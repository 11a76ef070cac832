/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/verify.h: proofs about a plan: delivery, loops, minimality, deadlock.
 */
#ifndef IKAT_VERIFY_H
#define IKAT_VERIFY_H

#include "ikat/json.h"
#include "ikat/routing.h"
#include "ikat/vc.h"

IK_BEGIN_DECLS

/* One step of a witness cycle: a packet holding `channel` on `vc` waits for the next step's
 * channel; the pair src -> dst does so. In the cycle of an escape layer a dependency may be
 * indirect: the channels of the steps with `through`, which lie outside the layer, are held by the
 * same packet as the last step without it, and what that packet waits for is the next step without
 * it.
 */
typedef struct ik_dependency {
    uint32_t channel;
    uint8_t vc;
    bool through;
    uint32_t src, dst;
} ik_dependency;

/* The flow control under which freedom from deadlock is judged. */
typedef enum ik_flow {
    /* every flow control in which a VC's buffer holds flits of one packet only, wormhole in buffers
     * smaller than a packet included; and what IK_FLOW_CUT_THROUGH stands for */
    IK_FLOW_ANY,
    /* a packet enters a buffer only when all of it fits (virtual cut-through, store-and-forward) */
    IK_FLOW_CUT_THROUGH,
    /* a packet settles on one output on arrival, or flits of several packets share a VC's buffer
     * that may be too small for them: no escape layer counts, only a graph without any cycle */
    IK_FLOW_SETTLED
} ik_flow;

/* What the verdict on deadlocks rests on. */
typedef enum ik_condition {
    IK_CONDITION_ACYCLIC, /* whether the dependency graph of all channels has a cycle */
    /* the escape layer: leads on from every state; no cycle of direct and indirect dependencies */
    IK_CONDITION_EXTENDED,
    /* the escape layer: leads on from every state; no cycle of direct dependencies */
    IK_CONDITION_DIRECT
} ik_condition;

typedef enum ik_verdict {
    IK_NO,
    IK_YES,
    IK_UNKNOWN /* not asked, or not decidable within limits; text says */
} ik_verdict;

/* A member of the object at hand: true, false, or null where it is unknown. Errors and cost are
 * those of ik_json_bool. */
void ik_json_verdict(ik_json *j, const char *key, ik_verdict verdict);

typedef struct ik_proof {
    uint64_t pairs; /* host pairs s != d examined (with all their initial states) */
    /* 0: every pair was examined. Otherwise `pairs` were drawn of all, the counts are theirs, and
     * of the verdicts delivered, loop_free, minimal and deadlock_free none is IK_YES: IK_NO if
     * the sample shows a counterexample, IK_UNKNOWN if it shows none */
    uint64_t sampled_pairs;
    uint64_t undelivered; /* pairs without a route, dead end or loop */
    uint64_t loops;       /* pairs with a reachable loop */
    /* pairs that the fabric itself does not connect (not counted as undelivered) */
    uint64_t unconnected;
    uint64_t not_minimal; /* pairs with a path longer than the shortest */
    ik_verdict delivered, loop_free, minimal, deadlock_free;
    /* the routing's livelock order falls at every hop; IK_UNKNOWN if it declares none, or hosts
     * have several cables */
    ik_verdict ordered;
    ik_flow flow;           /* the flow control that deadlock_free is judged for */
    ik_condition condition; /* what deadlock_free rests on */
    /* static text: "channel dependency graph acyclic ...", "cyclic, but the escape layer satisfies
     * Duato's condition ...": names the condition */
    const char *deadlock_reason;
    uint32_t first_undelivered_src, first_undelivered_dst; /* IK_NONE if none */
    /* [lost_path_length] channels of a way of that pair until it ends or crosses a channel again */
    uint32_t *lost_path;
    size_t lost_path_length;
    /* [num_path_lengths] pairs (averaged states: counts of states) by switch-to-switch hops */
    uint64_t *path_lengths;
    size_t num_path_lengths;
    double mean_hops; /* over pairs and states, switch-to-switch hops */
    uint32_t max_hops;
    unsigned vcs_used;
    uint64_t channels, dependencies; /* size of the extended channel dependency graph */
    /* [witness_length] a shortest cycle unless deadlock_free; NULL otherwise */
    ik_dependency *witness;
    size_t witness_length;
    /* If the escape layer does not lead on: a packet of this pair that came to a switch by this
     * port may take no channel of the layer there. IK_NONE otherwise. */
    uint32_t gap_src, gap_dst, gap_port;
    /* owns deadlock_reason if the proof comes from a cache; NULL: it is static */
    char *kept_reason;
} ik_proof;

/* How to prove. All zero = every pair, judged for every flow control. */
typedef struct ik_verify_config {
    ik_flow flow;
    /* 0 = every pair; n = n different pairs, one of each n-th part of all in the order of
     * (destination, source), drawn by env->seed: the same for any number of threads. Every pair if
     * there are no more than n. */
    uint64_t sample_pairs;
    /* state by state for every pair, though a faster method would do: for comparing methods */
    bool pairwise;
} ik_verify_config;

/* Proves everything about plan. config: NULL = all zero. IK_OK even if proofs fail (read the
 * verdicts). Free with ik_proof_free. Cost: destination-based routings O(hosts * switches);
 * routings that go in legs as docs/proofs.md says; others O(pairs * states
 * * hops). */
ik_status ik_verify(const ik_plan *plan, const ik_verify_config *config, const ik_env *env,
                    ik_proof *out, ik_error *err);
/* The same by way of the folder env->cache_folder: a proof that this build of ikat has made of the
 * same fabric, routing, VC scheme, seed and configuration is read instead of made, and what is made
 * is kept there. Damaged files are made anew; a folder that cannot be written is none. *cached (may
 * be NULL): it was read. Several processes may share the folder. */
ik_status ik_verify_cached(const ik_plan *plan, const ik_verify_config *config, const ik_env *env,
                           ik_proof *out, bool *cached, ik_error *err);
void ik_proof_free(ik_proof *proof);

/* ---- certificates */

/* Why a plan is free of deadlock, for a checker that does not believe the prover: an order of
 * channels between switches, by VC, in which every dependency goes up. docs/proofs.md says what has
 * to be checked. */
typedef struct ik_certificate {
    /* VCs 0 … ordered_vcs-1 are ordered: all, or those of the escape layer */
    unsigned ordered_vcs;
    bool direct; /* of an escape layer: direct dependencies alone (IK_CONDITION_DIRECT) */
    /* [num_ports][ordered_vcs] position of the channel that a port sends on, from 1; 0: no packet
     * uses it. NULL: there is no order */
    uint32_t *rank;
    size_t num; /* channels and VCs that have a position */
} ik_certificate;
void ik_certificate_free(ik_certificate *c);
/* ik_verify() with its certificate. Unless the plan is proved free of deadlock, that has no order,
 * and the proof's witness and gap say why it is not. */
ik_status ik_verify_certified(const ik_plan *plan, const ik_verify_config *config,
                              const ik_env *env, ik_proof *proof, ik_certificate *certificate,
                              ik_error *err);
/* Walks the packets of all pairs through the plan, with no code of the prover. IK_ERR_INTERNAL: the
 * verdict on deadlocks does not hold, and where. most_steps: after so many states the rest of the
 * pairs is left out, which are spread evenly; 0 = none is. *pairs: of hosts, walked. ik_verify()
 * does so itself for a part of the pairs. */
ik_status ik_certificate_check(const ik_plan *plan, const ik_proof *proof,
                               const ik_certificate *certificate, uint64_t most_steps,
                               const ik_env *env, uint64_t *pairs, ik_error *err);
/* As text, which docs/proofs.md describes. */
ik_status ik_certificate_print(const ik_plan *plan, const ik_proof *proof,
                               const ik_certificate *certificate, FILE *out, ik_error *err);

/* A hop that a packet may make: it holds channel `in` (the host's, on the first hop) and may take
 * `out` next. Channels are sending ports. */
typedef struct ik_hop {
    uint32_t in, out;
    uint8_t in_vc, out_vc;
} ik_hop;
typedef void (*ik_hop_fn)(void *ctx, const ik_hop *hop);
typedef struct ik_hops ik_hops;
/* The plan is borrowed. NULL when out of memory. For one thread. */
ik_hops *ik_hops_new(const ik_plan *plan);
void ik_hops_free(ik_hops *hops);
/* Every hop that packets between two hosts of the plan's fabric may make from initial state n, over
 * all choices; the same hop may come several times. */
ik_status ik_hops_each(ik_hops *hops, uint32_t from, uint32_t to, uint32_t n, ik_hop_fn fn,
                       void *ctx, ik_error *err);

/* How many different destination hosts packets on a channel can have, over every allowed choice of
 * every pair: the fewer, the less a hot destination's packets stand in the way of others.
 * *destinations: [num_ports] by channel, host channels included; free it. Cost as ik_verify. */
ik_status ik_destinations_count(const ik_plan *plan, const ik_env *env, uint32_t **destinations,
                                ik_error *err);

/* What switches must store to route so. */
typedef struct ik_table_size {
    /* static text: "linear tables", "compact tables", "computed", "set up at the source" */
    const char *form;
    bool has_entries; /* the first two; then: */
    /* entries of all switches: reachable hosts (linear), entries really stored (compact) */
    uint64_t total;
    uint32_t min, max; /* of a switch */
    double mean;
    unsigned entry_bits; /* linear: a port; compact: a target switch and a port */
    /* entries * entry_bits, switch by switch rounded up to whole bytes */
    uint64_t max_bytes, total_bytes;
} ik_table_size;
/* Linear tables are counted for every destination-based routing that does not compute its ports. */
ik_status ik_table_size_measure(const ik_routing *r, const ik_env *env, ik_table_size *out,
                                ik_error *err);

/* What changes when the routes of one plan are replaced by those of another on the same fabric. A
 * pair moves if any path of preferred choices from any of its initial states does. */
#define IK_DIFF_EXAMPLES 16
typedef struct ik_route_diff {
    uint64_t pairs;           /* s != d */
    uint64_t moved;           /* delivered by both, by different channels */
    uint64_t longer, shorter; /* of the moved: the second one's first path is longer, shorter */
    uint64_t lost, gained;    /* delivered by the first only, by the second only */
    bool has_tables;          /* both can be written as forwarding tables; then: */
    uint64_t table_entries;   /* of either */
    uint64_t changed_entries;
    /* the first pairs that move or are lost or gained, ascending in (source, destination) */
    uint32_t num_examples;
    struct {
        uint32_t src, dst;
    } examples[IK_DIFF_EXAMPLES];
} ik_route_diff;
/* IK_ERR_USAGE if the plans have different fabrics. Cost O(pairs * initial states * hops). */
ik_status ik_route_diff_measure(const ik_plan *before, const ik_plan *after, const ik_env *env,
                                ik_route_diff *out, ik_error *err);

IK_END_DECLS
#endif
