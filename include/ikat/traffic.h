/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/traffic.h: traffic patterns: who sends to whom. The same object drives static analysis and
 * the simulator. Add one: src/traffic/traffic_NAME.c defining `const ik_traffic_family
 * ik_traffic_NAME` and a row in src/traffic/traffics.def.
 */
#ifndef IKAT_TRAFFIC_H
#define IKAT_TRAFFIC_H

#include "ikat/fabric.h"
#include "ikat/workload.h"

IK_BEGIN_DECLS

typedef struct ik_traffic ik_traffic;

/* One static flow: `weight`/`scale` of what src offers goes to dst (the weights of one source sum
 * to at most its scale). */
typedef void (*ik_flow_fn)(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale);

typedef struct ik_traffic_family {
    const char *name, *summary, *source, *details;
    const ik_param *params;
    ik_status (*create)(ik_traffic *t, const ik_params *params, const ik_env *env, ik_error *err);
    void (*destroy)(ik_traffic *t);
    /* Destination of the n-th message of src; IK_NONE = src is silent, or with `gaps` this message
     * is left out. A pure function of (t, src, n). */
    uint32_t (*dest)(const ik_traffic *t, uint32_t src, uint64_t n);
    /* Those of `count` messages in turn, dst[k] = dest(t, src, n + k); NULL: there is no quicker
     * way than to ask for each. */
    void (*dests)(const ik_traffic *t, uint32_t src, uint64_t n, uint32_t count, uint32_t *dst);
    /* Whether src sends nothing at all; only asked of patterns with gaps. */
    bool (*silent)(const ik_traffic *t, uint32_t src);
    /* Calls fn for every flow of src in ascending dst. Probabilities are exact rationals where 64
     * bits suffice. */
    void (*flows)(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx);
    /* Optional: whether every host sends the same share `weight`/`scale` to each other host (flows
     * of a host to itself do not count): measures then need not call flows(), which takes hosts
     * hosts calls. */
    bool (*even)(const ik_traffic *t, uint64_t *weight, uint64_t *scale);
    /* Optional: so many messages of src in turn must be seen before their destinations are about
     * what its flows say: all of a round, where each has the same order. NULL or 0: as many as of
     * destinations that are drawn one by one. */
    uint64_t (*round)(const ik_traffic *t, uint32_t src);
    /* Class of a message, see ik_traffic.classes. NULL = there are no classes. */
    /* of the n-th message of src; as pure as dest */
    unsigned (*class_of)(const ik_traffic *t, uint32_t src, uint64_t n);
    /* Probability that a message of src is of that class; families with class_of have it. */
    double (*class_share)(const ik_traffic *t, uint32_t src, unsigned number);
    /* Optional: see ik_traffic_write_trace. */
    ik_status (*write_trace)(const ik_traffic *t, FILE *out, ik_error *err);
    bool permutation; /* at most one destination a source, at most one source a destination */
    /* the weights of its flows are numbers of messages, not probabilities: it can be exchanged
     * once (traffic 'exchange'). Permutations can. */
    bool listed;
    /* who sends to whom depends on more of the fabric than its number of hosts: it is no pattern of
     * processes that run elsewhere */
    bool of_fabric;
    bool ends; /* its members are workloads: ik_traffic.workload */
    /* once its processes are mapped to hosts, its workload is the same on every fabric of as many
     * hosts, which need not make it again */
    bool same_anywhere;
} ik_traffic_family;

/* One pattern after the other (traffic 'schedule'): entry k from the time when the one before ends.
 * Its entries are its classes of messages. Number n of a source is of the last entry whose `first`
 * is at most n; who knows when messages are made fills that in (src/traffic/schedule.h). Without it
 * messages are of the entries in turn, and flows give every entry the same share. */
typedef struct ik_schedule_entry {
    ik_traffic *traffic;
    const char *name;
    uint64_t until_ps; /* UINT64_MAX of the last one */
    double load;       /* fraction of each host's injection rate; NAN = that of the run */
} ik_schedule_entry;
/* Its load in a run at `load`. */
double ik_schedule_load(const ik_schedule_entry *entry, double load);
typedef struct ik_schedule {
    unsigned num;
    ik_schedule_entry *entries; /* [num] */
    uint64_t *first;            /* [num_hosts][num] or NULL */
} ik_schedule;

struct ik_traffic {
    const ik_traffic_family *family;
    const ik_fabric *fabric; /* borrowed */
    uint32_t num_hosts;
    uint64_t seed;
    void *impl;
    char *spec;
    /* NULL, or the spec that makes the same workload on any fabric of as many hosts, where `spec`
     * would not: it maps processes by what this fabric looks like */
    char *portable;
    /* its messages are made for this fabric: no spec makes the same ones on another */
    bool of_fabric;
    /* what the user should know of what was read (lines skipped), one line; NULL = nothing */
    char *note;
    /* names of the classes of messages, which only statistics distinguish, ending with NULL;
     * NULL = one class. Owned by family or impl */
    const char *const *classes;
    /* a host may leave messages out and send others: it offers less than its load */
    bool gaps;
    /* What ends: messages that are sent once, owned by impl; dest() and flows() then say what share
     * of a host's bytes goes where. NULL: the pattern goes on for ever. */
    const ik_workload *workload;
    const ik_schedule *schedule; /* owned by impl; NULL: the same pattern at all times */
};

/* ---- patterns that are lists of flows: create() calls ik_traffic_set_flows, and the descriptor
 * has destroy, dest and flows of here. Flows of one source with equal weights are served in turn,
 * others are drawn in proportion. */
typedef struct ik_traffic_flow {
    uint32_t src, dst;
    uint64_t weight;
} ik_traffic_flow;
/* Makes t->impl of num flows in any order, which are reordered: equal pairs are merged, flows of a
 * host to itself are dropped. A host without a flow is silent. IK_ERR_INPUT: a host that is not
 * there, or weights of a source whose sum has more than 63 bits. Cost O(num log num). */
ik_status ik_traffic_set_flows(ik_traffic *t, ik_traffic_flow *flows, size_t num, ik_error *err);
void ik_traffic_flows_destroy(ik_traffic *t);
uint32_t ik_traffic_flows_dest(const ik_traffic *t, uint32_t src, uint64_t n);
void ik_traffic_flows_each(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx);

const ik_traffic_family *const *ik_traffics(void);
const ik_traffic_family *ik_traffic_find(const char *name);
/* From "uniform", "shift:by=24", "hotspot:nodes=600,fraction=10%", "mix:80%*uniform+20%*shift".
 * Free with ik_traffic_free. */
ik_status ik_traffic_from_spec(const ik_fabric *f, const char *spec, const ik_env *env,
                               ik_traffic **out, ik_error *err);
void ik_traffic_free(ik_traffic *t);
/* Writes the accesses of traffic 'storage' as a trace of block I/O, in the form of ikat's own
 * (docs/formats.md) and at the trace's own speed. Read by 'storage' on as many processes, with the
 * same compression, control and loop, it is the same workload. Refused (IK_ERR_UNSUPPORTED): any
 * other traffic, and names of disks that have a comma. Whether `out` took it, its owner sees. */
ik_status ik_traffic_write_trace(const ik_traffic *t, FILE *out, ik_error *err);
/* Whether src sends nothing at all. */
bool ik_traffic_is_silent(const ik_traffic *t, uint32_t src);

IK_END_DECLS
#endif
