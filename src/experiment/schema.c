/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/schema.c: the sections of an experiment: one table for reading, messages, help and
 * documentation.
 */
#include "experiment/schema.h"

#include "ikat/topology.h"

#include <stddef.h>
#include <string.h>

static const ik_param vcs_row[] = {
    {"vcs", IK_PARAM_UINT, "0", 0, 255, NULL,
     "number of virtual channels; 0 = as many as the VC scheme needs"},
    {0}};
static const ik_param load_row[] = {{"load", IK_PARAM_FRACTION, "0.5", 1e-6, 1, NULL,
                                     "offered load, as a fraction of each host's injection rate"},
                                    {0}};
const ik_param ik_load_search_params[] = {
    {"find", IK_PARAM_ENUM, NULL, 0, 0, "saturation",
     "what is searched: saturation, the highest load that is accepted in the long run"},
    {"precision", IK_PARAM_FRACTION, "0.01", 1e-4, 0.2, NULL,
     "step between the loads that are tried, as a fraction of each host's injection rate"},
    {0}};
static const ik_param seeds_row[] = {
    {"seeds", IK_PARAM_UINT, "1", 0, 4294967295.0, NULL,
     "seeds of the random numbers: a list, a range, or a number N for the seeds 1 to N"},
    {0}};
static const ik_param allow_unreachable_row[] = {
    {"allow_unreachable", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "accept fabrics that do not connect all hosts that have a cable"},
    {0}};
static const ik_param proof_row[] = {{"proof", IK_PARAM_ENUM, "full", 0, 0, "full|sampled|off",
                                      "what is proved before the first packet"},
                                     {0}};
static const ik_param proof_pairs_row[] = {
    {"proof_pairs", IK_PARAM_UINT, "10000", 1, 1e12, NULL,
     "number of pairs of hosts that are drawn for a sampled proof"},
    {0}};
static const ik_param skip_misfits_row[] = {{"skip_misfits", IK_PARAM_BOOL, "false", 0, 0, NULL,
                                             "leave out routings that do not support a fabric of "
                                             "the sweep, and points whose settings do not "
                                             "fit together, instead of refusing the experiment"},
                                            {0}};
static const ik_param simulate_row[] = {
    {"simulate", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "false: only the static measures are computed, and nothing is simulated"},
    {0}};
static const ik_param patterns_row[] = {
    {"patterns", IK_PARAM_UINT, "100", 1, 1e6, NULL,
     "number of random patterns over which effective_bandwidth is a mean; if given, also "
     "the number of permutations that are drawn, instead of counting all"},
    {0}};

const ik_param ik_reference_params[] = {
    {"switch", IK_PARAM_ENUM, "ideal", 0, 0, "ideal|same",
     "switch model of the crossbar against which slowdowns are measured: ideal, without delays; or "
     "same: the experiment's own switch with one virtual channel"},
    {"links", IK_PARAM_ENUM, "hosts", 0, 0, "hosts|unlimited",
     "rate of the crossbar's links: hosts: that of the hosts' links; unlimited: 1000 Tb/s, so that "
     "a message takes only its latency and never waits for another"},
    {0}};

/* Of experiments alone: a pattern is none the other for its name. */
static const ik_param traffic_label[] = {
    {TRAFFIC_LABEL, IK_PARAM_STRING, "", 0, 0, NULL,
     "name of the pattern in figures and claims (traffic.label)"},
    {0}};

static const ik_experiment_section sections[] = {
    [SECTION_FABRIC] = {"fabric", IK_SECTION_FAMILY, NULL, NULL,
                        "the network that is built or imported: 'ikat list topologies'"},
    [SECTION_ROUTING] = {"routing", IK_SECTION_FAMILY, NULL, NULL,
                         "how packets are routed: 'ikat list routings'"},
    [SECTION_VC] = {"vc", IK_SECTION_FAMILY, NULL, "auto",
                    "virtual-channel scheme; auto = the routing's default scheme: 'ikat list vcs'"},
    [SECTION_VCS] = {"vcs", IK_SECTION_VALUE, vcs_row, "0",
                     "number of virtual channels; 0 = as many as the scheme needs"},
    [SECTION_SELECTION] =
        {"selection", IK_SECTION_FAMILY, NULL, "auto",
         "how an adaptive routing chooses among its allowed ports: 'ikat list selections'"},
    [SECTION_SWITCH] = {"switch", IK_SECTION_PARAMS, ik_switch_params, "", "the switch model"},
    [SECTION_ADAPTER] = {"adapter", IK_SECTION_PARAMS, ik_adapter_params, "",
                         "the host adapters: packets, messages, queues"},
    [SECTION_MEASURE] = {"measure", IK_SECTION_PARAMS, ik_measure_params, "",
                         "warm-up, measured time, series"},
    [SECTION_REFERENCE] = {"reference", IK_SECTION_PARAMS, ik_reference_params, "",
                           "the crossbar against which slowdowns of finite workloads are measured"},
    [SECTION_WATCH] = {"watch", IK_SECTION_PARAMS, ik_watch_params, "",
                       "packets that are traced from their generation to their delivery"},
    [SECTION_TRAFFIC] = {"traffic", IK_SECTION_FAMILY, NULL, "uniform",
                         "traffic pattern or workload: 'ikat list traffic'; with a name for "
                         "figures and claims: {family: uniform, label: background}"},
    [SECTION_LOAD] = {"load", IK_SECTION_VALUE, load_row, "0.5",
                      "offered load, as a fraction of each host's injection rate; or, to search "
                      "the saturation load, {find: saturation, precision: 1 %}"},
    [SECTION_SEEDS] =
        {"seeds", IK_SECTION_VALUE, seeds_row, "1",
         "seeds of the random numbers: a list, a range, or a number N for the seeds 1 to N"},
    [NUM_SECTIONS + OPTION_ALLOW_UNREACHABLE] =
        {"allow_unreachable", IK_SECTION_OPTION, allow_unreachable_row, "false",
         "accept fabrics that do not connect all hosts that have a cable"},
    [NUM_SECTIONS + OPTION_PROOF] =
        {"proof", IK_SECTION_OPTION, proof_row, "full",
         "what is proved before the simulation: full; sampled (delivery and dependencies of drawn "
         "pairs of hosts); or off (only the watchdog looks for deadlocks)"},
    [NUM_SECTIONS +
        OPTION_PROOF_PAIRS] = {"proof_pairs", IK_SECTION_OPTION, proof_pairs_row, "10000",
                               "number of pairs of hosts that are drawn with proof: sampled"},
    [NUM_SECTIONS + OPTION_SKIP_MISFITS] = {"skip_misfits", IK_SECTION_OPTION, skip_misfits_row,
                                            "false",
                                            "leave out routings that do not support a fabric, and "
                                            "points whose settings do not fit together"},
    [NUM_SECTIONS + OPTION_SIMULATE] =
        {"simulate", IK_SECTION_OPTION, simulate_row, "true",
         "false: only the static measures are computed, and nothing is simulated"},
    [NUM_SECTIONS +
        OPTION_PATTERNS] = {"patterns", IK_SECTION_OPTION, patterns_row, "100",
                            "number of random patterns over which effective_bandwidth is a mean"},
    {"measures", IK_SECTION_WORDS, NULL, "",
     "static measures that are computed, with or without a simulation: proof, mean_hops, entries, "
     "least_t_max, contention, saturation, effective_bandwidth, cost, bisection, size, paths, nca, "
     "permutations, queues; those that a figure or claim needs are always computed"},
    {"plugins", IK_SECTION_WORDS, NULL, "",
     "shared objects whose members the experiment uses, a list of files: 'ikat help plugins'"},
    {"over", IK_SECTION_WORDS, NULL, "",
     "axes of the sweep that count as samples, such as fabric.seed: curves are means over them"},
    {"designs", IK_SECTION_DESIGNS, NULL, "",
     "complete designs as one axis of the sweep: a list of {name, fabric, routing, vc, vcs, "
     "selection, switch, adapter, traffic}"},
    {"jobs", IK_SECTION_JOBS, NULL, "",
     "instead of traffic: workloads that run at the same time: a list of {name, traffic, hosts, "
     "mapping, "
     "start, load}"},
    {"schedule", IK_SECTION_JOBS, NULL, "",
     "instead of traffic: one pattern after the other: a list of {until, traffic, load, name}"},
    {"figures", IK_SECTION_LIST, ik_figure_params, "",
     "figures that are drawn from the results: a list of {name, x, y, kind, series, …}: 'ikat help "
     "figures'"},
    {"expect", IK_SECTION_LIST, ik_claim_params, "",
     "claims that are checked against the results: a list of {claim, metric, of, op, …}: 'ikat "
     "help expect'"},
    {"scales", IK_SECTION_SCALES, NULL, "",
     "other sizes of the experiment: names, each with the sections that it replaces (scales: "
     "{full: "
     "{seeds: 60}}); 'ikat run --scale full'. cost, like and why of a scale say what it costs, "
     "which one it begins with, and why"},
    {"reproduction", IK_SECTION_MAP, ik_reproduction_params, "",
     "which part of a paper the experiment reproduces: 'ikat help reproduction'"},
    {"title", IK_SECTION_TEXT, NULL, "", "title of the report, one line"},
    {"description", IK_SECTION_TEXT, NULL, "", "description for the report, one paragraph"},
    {NULL, IK_SECTION_TEXT, NULL, NULL, NULL},
};

const ik_experiment_section *ik_experiment_sections(void)
{
    return sections;
}

const ik_experiment_section *schema_section(section_id id)
{
    return &sections[id];
}

const ik_experiment_section *schema_option(option_id id)
{
    return &sections[NUM_SECTIONS + id];
}

const char *schema_kind(section_id id)
{
    switch (id) {
    case SECTION_FABRIC:
        return "topology";
    case SECTION_ROUTING:
        return "routing";
    case SECTION_VC:
        return "VC scheme";
    case SECTION_SELECTION:
        return "selection function";
    default:
        return "traffic pattern";
    }
}

/* Calls visit for every name of a family; stops and returns true when visit does. */
typedef bool (*visit_fn)(void *ctx, const schema_member *member);

static bool visit_topologies(visit_fn visit, void *ctx)
{
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        schema_member m = {(*t)->name, (*t)->params, ik_topology_common_params};
        if (visit(ctx, &m))
            return true;
        for (const ik_shorthand *s = (*t)->shorthands; s && s->name; s++) {
            schema_member sm = {s->name, s->params, ik_topology_common_params};
            if (visit(ctx, &sm))
                return true;
        }
    }
    return false;
}

#define VISIT_FAMILY(type, table, common)                                                          \
    for (const type *const *f = table(); *f; f++) {                                                \
        schema_member m = {(*f)->name, (*f)->params, common};                                      \
        if (visit(ctx, &m))                                                                        \
            return true;                                                                           \
    }                                                                                              \
    return false

static bool schema_visit_family(section_id id, visit_fn visit, void *ctx)
{
    switch (id) {
    case SECTION_FABRIC:
        return visit_topologies(visit, ctx);
    case SECTION_ROUTING:
        VISIT_FAMILY(ik_routing_family, ik_routings, NULL);
    case SECTION_VC:
        VISIT_FAMILY(ik_vc_family, ik_vcs, NULL);
    case SECTION_SELECTION:
        VISIT_FAMILY(ik_selection_family, ik_selections, ik_selection_common_params);
    case SECTION_TRAFFIC:
        VISIT_FAMILY(ik_traffic_family, ik_traffics, traffic_label);
    default:
        return false;
    }
}

typedef struct search {
    const char *name;
    schema_member *found;
} search;

static bool schema_match(void *ctx, const schema_member *member)
{
    search *s = ctx;
    if (strcmp(s->name, member->name) != 0)
        return false;
    *s->found = *member;
    return true;
}

bool schema_find(section_id id, const char *name, schema_member *out)
{
    search s = {name, out};
    return schema_visit_family(id, schema_match, &s);
}

const void *schema_member_of(section_id id, const char *name)
{
    switch (id) {
    case SECTION_FABRIC:
        return ik_topology_find(name, NULL);
    case SECTION_ROUTING:
        return ik_routing_find(name);
    case SECTION_VC:
        return ik_vc_find(name);
    case SECTION_SELECTION:
        return ik_selection_find(name);
    case SECTION_TRAFFIC:
        return ik_traffic_find(name);
    default:
        return NULL;
    }
}

typedef struct collector {
    const char **names;
    size_t num;
} collector;

static bool schema_collect(void *ctx, const schema_member *member)
{
    collector *c = ctx;
    if (c->names)
        c->names[c->num] = member->name;
    c->num++;
    return false;
}

const char *const *schema_names(section_id id, ik_arena *arena)
{
    collector c = {0};
    schema_visit_family(id, schema_collect, &c);
    c.names = ik_arena_alloc(arena, (c.num + 1) * sizeof *c.names);
    if (!c.names)
        return NULL;
    c.num = 0;
    schema_visit_family(id, schema_collect, &c);
    return c.names;
}
