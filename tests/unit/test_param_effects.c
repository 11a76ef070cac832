/* SPDX-License-Identifier: Apache-2.0
 *
 * Every declared parameter either changes something or is refused: each parameter of the
 * simulator's sections under each model, and each parameter of a family that says beside what it
 * counts. */
#include "sim_helper.h"

static const char *const models[] = {"iq", "ioq", "ideal", "pipelined"};
enum { NUM_MODELS = sizeof models / sizeof *models };

/* A value that differs from what the run would have, and what must be said beside it so that it
 * counts: "section.key=value;..."
 */
typedef struct sample {
    const char *section, *name, *value;
    const char *beside[3]; /* tried in turn; NULL = nothing more */
} sample;

static const sample samples[] = {
    {"switch", "buffer", "4 KiB", {""}},
    {"switch", "queues", "fifo", {""}},
    {"switch", "voq", "false", {""}},
    {"switch",
     "damq_bounds",
     "output",
     {"switch.queues=damq;switch.queue_min=4 KiB;switch.queue_max=12 KiB"}},
    {"switch", "queue_min", "12 KiB", {"switch.queues=damq;switch.buffer=24 KiB;vcs=2"}},
    {"switch", "queue_max", "6 KiB", {"switch.queues=damq"}},
    {"switch",
     "adaptive_choice",
     "at_arrival",
     {"routing=adaptive_tree",
      "routing=adaptive_tree;switch.speedup=2;switch.output_buffer=4 KiB"}},
    {"switch", "output_buffer", "8 KiB", {"", "switch.speedup=2"}},
    {"switch", "output_sharing", "shared", {"switch.output_buffer=12 KiB;vcs=2"}},
    {"switch", "arbiter", "oldest_first", {""}},
    {"switch", "age", "injected", {"switch.arbiter=oldest_first;adapter.message=20 KiB"}},
    {"switch", "iterations", "1", {"", "vcs=2;adapter.packet=64 B;switch.flit=32 B"}},
    {"switch", "input_speedup", "2", {"vcs=2"}},
    {"switch", "output_speedup", "2", {"vcs=2;adapter.packet=64 B;switch.flit=32 B"}},
    {"switch", "speedup", "2", {""}},
    {"switch", "switching", "saf", {""}},
    {"switch", "routing_delay", "10 ns", {""}},
    {"switch", "traversal_delay", "10 ns", {""}},
    {"switch", "flit", "64 B", {""}},
    {"switch", "routing_cycles", "3", {""}},
    {"switch", "vc_alloc_cycles", "3", {""}},
    {"switch", "sw_alloc_cycles", "3", {""}},
    {"switch", "traversal_cycles", "3", {""}},
    {"switch", "vc_allocator", "wavefront", {"vcs=2"}},
    {"switch", "hold_switch_for_packet", "true", {"vcs=2;adapter.packet=64 B;switch.flit=16 B"}},
    {"switch", "sw_allocator", "wavefront", {"vcs=2;adapter.packet=64 B;switch.flit=32 B"}},
    {"adapter", "packet", "1 KiB", {""}},
    {"adapter", "message", "20 KiB", {""}},
    {"adapter", "message_sizes", "100 B..20 KiB", {""}},
    {"adapter", "message_histogram", TEST_DATA "/sizes.txt", {""}},
    {"adapter", "injection", "poisson", {""}},
    {"adapter",
     "burst_alpha",
     "20%",
     {"adapter.injection=bursty;adapter.burst_rate=100%;adapter.burst_alpha=30%"}},
    {"adapter",
     "burst_beta",
     "2%",
     {"adapter.injection=bursty;adapter.burst_rate=100%;adapter.burst_beta=5%"}},
    {"adapter",
     "burst_rate",
     "95%",
     {"adapter.injection=bursty;adapter.burst_rate=100%;adapter.burst_beta=1%"}},
    {"adapter", "interleave", "fifo", {"adapter.message=20 KiB;adapter.injection=poisson"}},
    {"adapter", "active", "1", {"adapter.message=20 KiB;adapter.injection=poisson"}},
    {"adapter",
     "queues",
     "one",
     {"vcs=2;adapter.injection=poisson;adapter.ejection_fraction=60%", "vcs=2"}},
    {"adapter", "injection_rate", "60 Gb/s", {""}},
    {"adapter", "injection_fraction", "60%", {""}},
    {"adapter", "ejection_rate", "60 Gb/s", {""}},
    {"adapter", "ejection_fraction", "60%", {""}},
    {"adapter", "buffer", "8 KiB", {"adapter.ejection_fraction=70%", ""}},
    {"adapter",
     "in_order",
     "true",
     {"routing=adaptive_tree",
      "routing=adaptive_tree;switch.speedup=2;switch.output_buffer=4 KiB"}},
    {"adapter", "reorder_buffer", "8 KiB", {"routing=adaptive_tree;adapter.in_order=true"}},
    {"adapter",
     "reorder_scope",
     "flow",
     {"routing=adaptive_tree;adapter.in_order=true;adapter.reorder_buffer=8 KiB"}},
    {"adapter",
     "throttle",
     "strict",
     {"routing=adaptive_tree;adapter.in_order=true;adapter.reorder_buffer=8 KiB"}},
    {"adapter",
     "control_delay",
     "ideal",
     {"routing=adaptive_tree;adapter.in_order=true;adapter.reorder_buffer=8 KiB"}},
    {"adapter", "reply", "512 B", {""}},
    {"adapter", "service_time", "100 ns", {"adapter.reply=512 B"}},
    {"adapter", "max_outstanding", "2", {"adapter.reply=512 B"}},
    {"measure", "warmup", "3 us", {""}},
    {"measure", "duration", "7 us", {""}},
    {"measure", "series", "1 us", {""}},
    {"measure", "congestion", "false", {"measure.series=1 us"}},
    {"measure", "paranoid", "true", {"routing=adaptive_tree"}}, /* counts what is out of order */
    {"measure", "watchdog", "1 us", {"deadlock;switch.buffer=4 KiB"}},
};

/* ---- runs */

typedef struct setup {
    char sw[256], adapter[256], measure[256];
    const char *routing;
    unsigned vcs;
    bool deadlock;
} setup;

static void append(char *to, const char *pair)
{
    size_t used = strlen(to);
    snprintf(to + used, 256 - used, "%s%s", used ? ";" : "", pair);
}

static void put(setup *s, const char *section, const char *pair)
{
    append(strcmp(section, "switch") == 0    ? s->sw
           : strcmp(section, "adapter") == 0 ? s->adapter
                                             : s->measure,
           pair);
}

static void put_beside(setup *s, const char *beside)
{
    char *copy = strdup(beside), *rest = copy;
    for (char *item; (item = strsep(&rest, ";"));) {
        char *dot = strchr(item, '.');
        if (strncmp(item, "vcs=", 4) == 0)
            s->vcs = (unsigned)atoi(item + 4);
        else if (strncmp(item, "routing=", 8) == 0)
            s->routing = "adaptive_tree";
        else if (strcmp(item, "deadlock") == 0)
            s->deadlock = true;
        else if (dot) {
            *dot = '\0';
            put(s, item, dot + 1);
        }
    }
    free(copy);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

/* Everything that a result says, but for times and memory of the machine. */
static uint64_t hash_of(const ik_sim_result *r)
{
    uint64_t hash = mix(r->checksum, r->latency.sum);
    hash = mix(mix(mix(hash, r->packets_generated), r->packets_delivered), r->order_violations);
    hash = mix(mix(mix(hash, r->num_series), r->congestion.num_samples), r->window_ps);
    return mix(mix(hash, r->end_ps), r->deadlock);
}

static ik_status run_setup(const setup *s, uint64_t *hash, ik_error *err)
{
    scenario c = {.fabric = s->deadlock ? "ring:n=5,p=3" : "karytree:k=3,n=2",
                  .routing = s->deadlock  ? "shortest"
                             : s->routing ? s->routing
                                          : "dmodk",
                  .vc = s->deadlock  ? "1q"
                        : s->vcs > 1 ? "dbbm"
                                     : "1q",
                  .num_vcs = s->vcs,
                  .sw = s->sw,
                  .adapter = s->adapter,
                  .measure = s->measure,
                  .load = 0.9};
    ik_sim_result r = {0};
    ik_status status = try_simulate(&c, &r, err);
    if (status == IK_OK)
        *hash = hash_of(&r);
    sim_result_clear(&r);
    return status;
}

static setup base_of(const sample *x, const char *model, const char *beside, const char *duration)
{
    setup s = {.vcs = 1};
    char pair[96];
    snprintf(pair, sizeof pair, "model=%s", model);
    put(&s, "switch", pair);
    if (strcmp(x->name, "buffer") != 0 || strcmp(x->section, "switch") != 0)
        put(&s, "switch", "buffer=32 KiB");
    /* a window of its own, since one that is found takes seconds */
    if (strcmp(x->name, "warmup") != 0)
        put(&s, "measure", "warmup=5 us");
    snprintf(pair, sizeof pair, "duration=%s", duration);
    put(&s, "measure", pair);
    put_beside(&s, beside);
    return s;
}

typedef enum outcome { CHANGES, REFUSED, NOTHING } outcome;

static outcome outcome_of(const sample *x, const char *model, const char *beside, char *why)
{
    setup s = base_of(x, model, beside, strcmp(x->name, "watchdog") == 0 ? "200 us" : "15 us");
    uint64_t before = 0, after = 0;
    ik_error err = {0};
    char pair[96];
    if (run_setup(&s, &before, &err) != IK_OK) {
        /* what stands beside it is refused: then it is too */
        snprintf(why, 256, "%.200s", err.text);
        return strstr(err.text, "no effect") ? REFUSED : NOTHING;
    }
    snprintf(pair, sizeof pair, "%s=%s", x->name, x->value);
    if (strcmp(x->name, "duration") == 0)
        s = base_of(x, model, beside, x->value);
    else
        put(&s, x->section, pair);
    ik_status status = run_setup(&s, &after, &err);
    snprintf(why, 256, "%.200s", err.text);
    if (status != IK_OK)
        return strstr(err.text, "no effect") && strstr(err.text, x->name) && err.hint[0] ? REFUSED
                                                                                         : NOTHING;
    return before == after ? NOTHING : CHANGES;
}

/* Whether the declaration says that it can count with a model. */
static bool declares(const ik_param *row, const char *model)
{
    const char *at = row->needs ? strstr(row->needs, "model=") : NULL;
    if (!at)
        return true;
    for (; at; at = strstr(at + 1, "model=")) {
        size_t n = strcspn(at, " ");
        const char *found = strstr(at, model);
        if (found && found < at + n &&
            (found[strlen(model)] == '|' || found + strlen(model) == at + n) &&
            (found[-1] == '=' || found[-1] == '|'))
            return true;
    }
    return false;
}

static unsigned faults;

static void check_sample(const sample *x, const ik_param *row, const char *model)
{
    outcome best = NOTHING;
    char why[256] = "";
    for (int k = 0; k < 3 && x->beside[k] && best != CHANGES; k++) {
        outcome now = outcome_of(x, model, x->beside[k], why);
        best = now == NOTHING && k > 0 ? best : now;
    }
    bool declared = declares(row, model);
    if ((best == CHANGES) != declared || (best == NOTHING))
        print_error("%s.%s with model %s: %s, %s (%s)\n", x->section, x->name, model,
                    declared ? "declared for it" : "not declared for it",
                    best == CHANGES   ? "changes the run"
                    : best == REFUSED ? "refused"
                                      : "accepted without effect, or refused without saying so",
                    why);
    faults += (best == CHANGES) != declared || best == NOTHING;
}

static void check_section(const char *section, const ik_param *rows)
{
    for (const ik_param *row = rows; row->name; row++) {
        /* until and at_most go with finite workloads: test_sim_finite.c; class_priority with
         * classes of traffic: test_sim_priority.c; stop_… with each other: test_sim_stop.c */
        bool found = strcmp(row->name, "model") == 0 || strcmp(row->name, "class_priority") == 0 ||
                     strcmp(row->name, "until") == 0 || strcmp(row->name, "at_most") == 0 ||
                     strncmp(row->name, "stop_", 5) == 0;
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
            if (strcmp(samples[k].section, section) == 0 &&
                strcmp(samples[k].name, row->name) == 0) {
                found = true;
                for (int m = 0; m < NUM_MODELS; m++)
                    check_sample(&samples[k], row, models[m]);
            }
        if (!found)
            fail_msg("%s.%s: give this test a value to try", section, row->name);
    }
}

static void test_sections(void **state)
{
    (void)state;
    check_section("switch", ik_switch_params);
    check_section("adapter", ik_adapter_params);
    check_section("measure", ik_measure_params);
    assert_int_equal(faults, 0);
}

/* ---- specs whose parameters another one makes void */

static void expect_refused(const char *fabric, const char *kind, const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    ik_traffic *t = NULL;
    ik_status status = ik_fabric_from_spec(kind[0] == 'f' ? spec : fabric, NULL, &f, &err);
    if (kind[0] == 'r')
        status = ik_routing_from_spec(f, spec, NULL, &r, &err);
    if (kind[0] == 't')
        status = ik_traffic_from_spec(f, spec, NULL, &t, &err);
    if (status != IK_ERR_INPUT || !strstr(err.text, "no effect") || !err.hint[0])
        fail_msg("%s: %s: %s (%s)", spec, ik_status_name(status), err.text, err.hint);
    ik_traffic_free(t);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void test_void_parameters(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"karytree:k=4,n=2", "routing", "minimal:seed=3"},
        {"karytree:k=4,n=2", "routing", "minimal:paths=all,seed=3"},
        {"slimfly:q=5", "routing", "valiant:seed=3"},
        {"slimfly:q=5", "routing", "ugal_l:seed=3"},
        {"slimfly:q=5", "routing", "ugal_l:cost=ratio,c=2"},
        {"slimfly:q=5", "routing", "ugal_l:cost=constant,csf=2"},
        {"slimfly:q=5", "routing", "ugal_l:c=2,csf=2"},
        {"mlfm:h=3", "routing", "ugal_l:csf=2"},
        {"slimfly:q=5", "routing", "ugal_l:buffer=10 KiB"},
        {"slimfly:q=5", "routing", "ugal_l:buffer=10 KiB,t=0"},
        {"slimfly:q=5", "routing", "ugal_l:paths=one,first=random"},
        {"karytree:k=4,n=2", "routing", "adaptive_tree:filter=port"},
        {"karytree:k=4,n=2", "routing", "adaptive_tree:delta=1,filter=digit"},
        {"karytree:k=4,n=2", "routing", "adaptive_tree:low=10%"},
        {"karytree:k=4,n=2", "routing", "adaptive_tree:triggering=th,high=60%"},
        {"jellyfish:N=20,d=4", "routing", "cowen:alpha=0.5,t_max=32"},
        {"jellyfish:N=20,d=4", "routing", "cowen:alpha=0.3333333333333333,t_max=32"},
        {"karytree:k=4,n=2", "routing", "updown:order=levels,root=1"},
        {"karytree:k=4,n=2", "traffic", "hotspot:nodes=3,count=1"},
        {"karytree:k=4,n=2", "traffic", "hotspot:pick=fixed"},
        {"karytree:k=4,n=2", "traffic", "hotspot:nodes=3,share=messages,seed=2"},
        {"karytree:k=4,n=2", "traffic", "alltoall:order=shift,seed=2"},
        {"karytree:k=4,n=2", "traffic", "worst:method=shift,seed=2"},
        {"", "fabric", "karytree:k=4,n=2,fail_seed=3"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refused(cases[k][0], cases[k][1], cases[k][2]);
}

/* A selection that would never be asked, and a choice that nobody makes. */
static void test_nothing_to_choose(void **state)
{
    (void)state;
    scenario c = {
        .fabric = "karytree:k=4,n=2", .routing = "dmodk", .selection = "first_free", .load = 0.1};
    refuse(c, IK_ERR_USAGE, "no effect");
    c.routing = "adaptive_tree:triggering=th";
    refuse(c, IK_ERR_USAGE, "picks among its choices itself");
    c = (scenario){.fabric = "karytree:k=4,n=2",
                   .routing = "dmodk",
                   .sw = "adaptive_choice=until_granted",
                   .load = 0.1};
    refuse(c, IK_ERR_USAGE, "does not adapt");
    c.routing = "adaptive_tree";
    c.sw = "adaptive_choice=until_granted;queues=voqnet";
    refuse(c, IK_ERR_INPUT, "no effect with queues = voqnet");
}

/* ---- what the declarations say can be read */

static void check_rows(const char *owner, const ik_param *rows, const ik_param *common)
{
    ik_params p;
    ik_error err = {0};
    assert_int_equal(ik_params_init(&p, rows, common, &err), IK_OK);
    for (size_t i = 0; i < p.num; i++)
        p.values[i].given = true; /* asks every row; an unknown name is an assertion */
    (void)ik_params_check_needs(&p, owner, NULL, NULL, &err);
    ik_params_free(&p);
}

static void test_declarations(void **state)
{
    (void)state;
    check_rows("switch", ik_switch_params, NULL);
    check_rows("adapter", ik_adapter_params, NULL);
    check_rows("measure", ik_measure_params, NULL);
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        check_rows((*t)->name, (*t)->params, ik_topology_common_params);
    for (const ik_routing_family *const *f = ik_routings(); *f; f++)
        check_rows((*f)->name, (*f)->params, NULL);
    for (const ik_selection_family *const *f = ik_selections(); *f; f++)
        check_rows((*f)->name, (*f)->params, ik_selection_common_params);
    for (const ik_vc_family *const *f = ik_vcs(); *f; f++)
        check_rows((*f)->name, (*f)->params, NULL);
    for (const ik_traffic_family *const *f = ik_traffics(); *f; f++)
        check_rows((*f)->name, (*f)->params, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections), cmocka_unit_test(test_void_parameters),
        cmocka_unit_test(test_nothing_to_choose), cmocka_unit_test(test_declarations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
