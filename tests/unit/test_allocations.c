/* SPDX-License-Identifier: Apache-2.0
 *
 * test_allocations.c: every allocation of a whole job is failed in turn: the job must end with a
 * clear error, leave its outputs untouched and (seen by the address sanitizer) leak nothing. The
 * linker hands the library's malloc family to the functions below.
 */
#include "unit/allocations.h"
#include "unit/io_samples.h"

#include <jansson.h>
#include <unistd.h>

/* ---- jobs: each frees all it got and returns the status of the first failing step */

static ik_status job_fabric(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status != IK_OK) {
        assert_null(f);
        return status;
    }
    ik_distances d;
    status = ik_distances_measure(f, NULL, &d, err);
    if (status == IK_OK) {
        take(answer, &d.mean_hops, sizeof d.mean_hops);
        take(answer, f->port_peer, f->num_ports * sizeof *f->port_peer);
        ik_distances_free(&d);
    }
    ik_fabric_free(f);
    return status;
}

static void take_proof(uint64_t *answer, const ik_proof *p)
{
    const uint64_t numbers[] = {p->delivered,   p->loop_free,     p->minimal,      p->deadlock_free,
                                p->pairs,       p->channels,      p->dependencies, p->max_hops,
                                p->undelivered, p->witness_length};
    take(answer, numbers, sizeof numbers);
    take(answer, p->deadlock_reason, strlen(p->deadlock_reason));
    take(answer, p->path_lengths, p->num_path_lengths * sizeof *p->path_lengths);
    for (size_t k = 0; k < p->witness_length; k++)
        take(answer, &p->witness[k].channel, sizeof p->witness[k].channel);
}

static ik_status prove(const ik_fabric *f, const char *routing, uint64_t *answer, ik_error *err)
{
    ik_plan *plan = NULL;
    ik_status status = ik_plan_from_specs(f, routing, NULL, NULL, 0, NULL, &plan, err);
    if (status != IK_OK) {
        assert_null(plan);
        return status;
    }
    ik_proof proof;
    status = ik_verify(plan, NULL, NULL, &proof, err);
    if (status == IK_OK) {
        assert_int_equal(proof.delivered, IK_YES);
        take_proof(answer, &proof);
        ik_proof_free(&proof);
    }
    ik_plan_free(plan);
    return status;
}

static const char *the_routing;

static ik_status job_proof(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status != IK_OK)
        return status;
    status = prove(f, the_routing, answer, err);
    ik_fabric_free(f);
    return status;
}

static const ik_fabric *the_fabric;

static ik_status load_job(const ik_routing *r, const ik_traffic *t, uint64_t *answer, ik_error *err)
{
    ik_load load;
    ik_contention contention;
    ik_status status = ik_load_measure(r, t, NULL, &load, err);
    if (status == IK_OK) {
        take(answer, &load.max_load, sizeof load.max_load);
        take(answer, &load.mean_load, sizeof load.mean_load);
        ik_load_free(&load);
        status = ik_contention_measure(r, t, NULL, &contention, err);
    }
    uint32_t *channels = NULL;
    if (status == IK_OK) {
        take(answer, &contention.c, sizeof contention.c);
        status = contention.split ? IK_OK : ik_contention_channels(r, t, NULL, &channels, err);
    }
    if (status == IK_OK && channels)
        take(answer, channels, r->fabric->num_ports * sizeof *channels);
    free(channels);
    return status;
}

/* Queues by one way each (smodk, dmodk), and by the states of packets. */
static ik_status job_queues(const char *vc, uint64_t *answer, ik_error *err)
{
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    ik_queues q;
    ik_status status = ik_plan_from_specs(the_fabric, the_routing, vc, NULL, 2, NULL, &plan, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(the_fabric, "shift", NULL, &t, err);
    if (status == IK_OK)
        status = ik_queues_measure(plan, t, NULL, &q, err);
    if (status == IK_OK) {
        ik_load_group *groups = NULL;
        size_t num = 0;
        take(answer, q.load, (size_t)q.num_ports * q.num_vcs * sizeof *q.load);
        status = ik_queue_groups(plan->fabric, &q, true, &groups, &num, err);
        if (status == IK_OK)
            take(answer, &groups[0].max, sizeof groups[0].max);
        ik_load_groups_free(groups, status == IK_OK ? num : 0);
        ik_queues_free(&q);
    }
    ik_traffic_free(t);
    ik_plan_free(plan);
    return status;
}

static ik_status job_traffic(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_traffic *t = NULL;
    ik_routing *r = NULL;
    ik_status status = ik_traffic_from_spec(the_fabric, spec, NULL, &t, err);
    if (status != IK_OK) {
        assert_null(t);
        return status;
    }
    status = ik_routing_from_spec(the_fabric, the_routing, NULL, &r, err);
    if (status == IK_OK)
        status = load_job(r, t, answer, err);
    ik_routing_free(r);
    ik_traffic_free(t);
    return status;
}

/* Every static measure in turn. */
static ik_status job_measures(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_description description = {0};
    ik_diversity diversity = {0};
    ik_bisection bisection = {0};
    ik_cables cables = {0};
    ik_fabric *f = NULL;
    uint32_t girth;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status == IK_OK)
        status = ik_fabric_describe(f, &description, err);
    if (status == IK_OK)
        status = ik_diversity_measure(f, NULL, &diversity, err);
    if (status == IK_OK)
        status = ik_girth(f, NULL, &girth, err);
    if (status == IK_OK)
        status = ik_cables_measure(f, 2, &cables, err);
    if (status == IK_OK)
        status = ik_bisection_measure(f, 1, NULL, &bisection, err);
    if (status == IK_OK) {
        const double reals[] = {diversity.mean_paths, (double)bisection.cut, bisection.lower_bound,
                                cables.total};
        take(answer, reals, sizeof reals);
        take(answer, &girth, sizeof girth);
        take(answer, &description.num_link_counts, sizeof description.num_link_counts);
    }
    ik_description_free(&description);
    ik_diversity_free(&diversity);
    ik_bisection_free(&bisection);
    ik_cables_free(&cables);
    ik_fabric_free(f);
    return status;
}

static ik_status job_permutations(const char *samples, uint64_t *answer, ik_error *err)
{
    ik_routing *r = NULL;
    ik_permutations permutations = {0};
    ik_pattern_means means;
    ik_status status = ik_routing_from_spec(the_fabric, "dmodk", NULL, &r, err);
    if (status == IK_OK)
        status = ik_permutations_measure(r, strtoull(samples, NULL, 10), NULL, &permutations, err);
    if (status == IK_OK)
        status = ik_pattern_means_measure(r, "permutation", 3, NULL, &means, err);
    if (status == IK_OK) {
        take(answer, &permutations.mean, sizeof permutations.mean);
        take(answer, &means.mean_efficiency, sizeof means.mean_efficiency);
    }
    ik_permutations_free(&permutations);
    ik_routing_free(r);
    return status;
}

static void fabrics(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:m=2:3,w=1:2", "karytree:k=2,n=3,fail=10%",
                                        "karytree:k=2,n=2,hosts=3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fail_each(job_fabric, specs[i], false);
        fail_each(job_fabric, specs[i], true);
    }
    fail_each(job_fabric, "file:" SOURCE_DIR "/data/cluster96.ibnetdiscover", false);
    fail_each(job_fabric, "file:" TEST_DATA "/../fuzz/corpus/subnet_lst/ibdiagnet", false);
}

static void every_topology(void **state)
{
    (void)state;
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        if (strcmp((*t)->name, "file") != 0)
            fail_each(job_fabric, (*t)->examples[0], false);
}

static void every_routing(void **state)
{
    (void)state;
    for (const ik_routing_family *const *r = ik_routings(); *r; r++) {
        if (!(*r)->example_fabrics || !(*r)->example_fabrics[0])
            continue;
        the_routing = (*r)->name;
        fail_each(job_proof, (*r)->example_fabrics[0], false);
    }
}

/* Members whose parameters must be given, and variants that take other ways. */
static void routings_with_parameters(void **state)
{
    (void)state;
    static const char *const jobs[][2] = {
        {"colored:traffic=wrf:rows=3;columns=4+shift:by=3", "xgft:m=4:3,w=1:2"},
        {"lft:path=" TEST_DATA "/opensm/ft2_8p.opensm-lfts.dump",
         "file:" TEST_DATA "/opensm/ft2_8p.ibnetdiscover"},
        {"updown:order=distance", "karytree:k=2,n=3,fail=10%"},
        {"dmodc", "xgft:m=2:3,w=2:2"},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        the_routing = jobs[i][0];
        fail_each(job_proof, jobs[i][1], false);
    }
}

/* Tables and registers of a routing, made, written and read again. */
static ik_status job_exports(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    ik_registers *regs = NULL;
    uint16_t *lft = NULL;
    static char text[1 << 16];
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status != IK_OK)
        return status;
    status = ik_routing_from_spec(f, "dmodk", NULL, &r, err);
    if (status == IK_OK)
        status = ik_registers_compile(r, true, &regs, err);
    FILE *out = status == IK_OK ? __real_fmemopen(text, sizeof text, "w") : NULL;
    if (out) {
        status = ik_lft_print(r, out, err);
        fclose(out);
        if (status == IK_OK)
            status = ik_lft_parse(f, text, strlen(text), "tables", &lft, err);
        take(answer, text, status == IK_OK ? strlen(text) : 0);
    }
    free(lft);
    ik_registers_free(regs);
    ik_routing_free(r);
    ik_fabric_free(f);
    return status;
}

static void exports(void **state)
{
    (void)state;
    fail_each(job_exports, "karytree:k=2,n=3", false);
}

/* Counters of ports read and compared. */
static ik_status job_counters(const char *path, uint64_t *answer, ik_error *err)
{
    ik_counters c = {0};
    ik_counter_changes said = {0};
    ik_fabric *f = NULL;
    ik_status status =
        ik_fabric_from_spec("file:" TEST_DATA "/counters/ring5.ibnetdiscover", NULL, &f, err);
    if (status == IK_OK)
        status = ik_counters_read(f, path, NULL, &c, err);
    if (status == IK_OK)
        status = ik_counters_compare(&c, NULL, 0, &said, err);
    for (size_t i = 0; i < said.num_findings; i++)
        take(answer, said.findings[i].text, strlen(said.findings[i].text));
    ik_counter_changes_free(&said);
    ik_counters_free(&c);
    ik_fabric_free(f);
    return status;
}

static void counters(void **state)
{
    (void)state;
    fail_each(job_counters, TEST_DATA "/counters/ring5.ibqueryerrors", false);
}

/* Service levels of path records. */
static ik_status job_path_records(const char *text, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_lids lids = {0};
    ik_service_levels levels = {0};
    ik_status status = ik_fabric_from_spec("ring:n=4", NULL, &f, err);
    if (status == IK_OK)
        status = ik_lids_make(f, &lids, err);
    if (status == IK_OK)
        status = ik_path_records_parse(&lids, text, strlen(text), "records", &levels, NULL, err);
    take(answer, levels.sl, status == IK_OK ? (size_t)levels.num_sources * levels.num_dests : 0);
    ik_service_levels_free(&levels);
    ik_lids_free(&lids);
    ik_fabric_free(f);
    return status;
}

static void path_records(void **state)
{
    (void)state;
    fail_each(job_path_records,
              "PathRecord dump:\n\tdlid....6\n\tslid....5\n\tsl......0x2\n0x02696b0000000000 7 1\n",
              false);
}

/* The families whose name alone is no traffic, or too little. */
static const char *traffic_of(const char *family)
{
    static const char *const specs[][2] = {
        {"jobs", "jobs:jobs=a=exchange:hosts=0..3|repeat=2&"
                 "b@1 us=collective:barrier|hosts=4..9|mapping=by_leaf"},
        {"collective", "collective:allreduce,processes=5,repeat=2,mapping=by_leaf"},
        {"file", "file:path=" TEST_DATA "/traffic/ring.flows"},
        {"graph", "graph:path=" SOURCE_DIR "/experiments/taskfarm.goal,eager=4 KiB,mapping=random"},
        {"nas", "nas:mg,processes=8,bytes=8 B,iterations=2"},
        {"program", "program:trace=" TEST_DATA "/programs/step,allreduce=ring"},
        {"storage", "storage:disks=2,accesses=20"},
        {"wrf", "wrf:rows=3,columns=2"},
        {"mix", "mix:uniform+2*a=hotspot:count=2;fraction=50%;rest=silent"},
        {"schedule", "schedule:a@5 us@20%=uniform&b@9 us=mix:uniform+shift&tornado"},
    };
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        if (strcmp(specs[k][0], family) == 0)
            return specs[k][1];
    return family;
}

/* Other formats than the one above. */
static const char *const traces[] = {
    "program:trace=" SOURCE_DIR "/experiments/halo.dim,eager=8 KiB",
    "program:trace=" SOURCE_DIR "/experiments/halo.dim,eager=1 KiB,ranks_per_host=2",
    "program:trace=" SOURCE_DIR "/experiments/taskfarm.goal",
    "program:trace=" TEST_DATA "/programs/allprof",
    "program:trace=" TEST_DATA "/programs/messages.csv"};

static void every_traffic(void **state)
{
    (void)state;
    ik_fabric *tree = NULL, *floor = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=2,n=4", NULL, &tree, NULL), IK_OK);
    assert_int_equal(ik_fabric_from_spec("lrt:N=16,d=3,r=2", NULL, &floor, NULL), IK_OK);
    for (const ik_traffic_family *const *t = ik_traffics(); *t; t++) {
        bool local = strcmp((*t)->name, "local") == 0, three = strcmp((*t)->name, "ihs") == 0;
        const char *spec = traffic_of((*t)->name);
        the_fabric = local ? floor : tree;
        for (int i = 0; i < 2 && !three; i++) {
            the_routing = i || local ? "minimal" : "dmodk";
            fail_each(job_traffic, spec, i);
        }
    }
    the_fabric = tree;
    for (size_t k = 0; k < sizeof traces / sizeof *traces; k++)
        fail_each(job_traffic, traces[k], false);
    the_routing = "valiant";
    fail_each(job_traffic, "uniform", false);
    the_fabric = tree;
    the_routing = "smodk";
    fail_each(job_queues, "dbbm", false);
    the_routing = "dmodk";
    fail_each(job_queues, "dbbm", true);
    fail_each(job_queues, "any", false);
    ik_fabric_free(tree);
    ik_fabric_free(floor);
}

/* Traces of block I/O in all formats. */
static void every_trace(void **state)
{
    (void)state;
    ik_fabric *tree = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=2,n=3", NULL, &tree, NULL), IK_OK);
    the_fabric = tree;
    the_routing = "dmodk";
    for (unsigned k = 0; k <= NUM_IO_SAMPLES; k++) {
        char path[] = "/tmp/ikat_io_XXXXXX", spec[300], bytes[SRT_BYTES];
        io_sample s = k < NUM_IO_SAMPLES ? io_samples[k] : srt_sample;
        bool unknown = false;
        if (!s.text) {
            s.size = put_srt(bytes, true, true);
            s.text = bytes;
        }
        for (unsigned n = 0; n < s.num; n++)
            unknown |= s.accesses[n].done_ns == IO_UNKNOWN;
        assert_true(io_write(path, s.text, s.size));
        snprintf(spec, sizeof spec, "storage:trace=%s,format=%s%s%s", path, s.format,
                 unknown ? ",service=1 us" : "", k % 2 ? ",loop=closed" : ",placement=random");
        fail_each(job_traffic, spec, false);
        unlink(path);
    }
    ik_fabric_free(tree);
}

static void hash_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    uint64_t *hash = ctx;
    *hash = ((((*hash * 31 + src) * 31 + dst) * 31 + weight) * 31 + scale) * 1099511628211u;
}

/* Where there is no memory to merge a mix's flows at once they are merged piece by piece, to the
 * same flows. */
static void flows_of_a_mix(void **state)
{
    (void)state;
    ik_fabric *tree = NULL;
    ik_traffic *t = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=9,n=3", NULL, &tree, NULL), IK_OK);
    assert_int_equal(ik_traffic_from_spec(
                         tree,
                         "mix:3*uniform+shift:by=7+alltoall+hotspot:fraction=30%;share=messages",
                         NULL, &t, NULL),
                     IK_OK);
    for (uint32_t src = 0; src < tree->num_hosts; src += 91) {
        uint64_t hash[2] = {src, src};
        uint64_t before = allocations;
        t->family->flows(t, src, hash_flow, &hash[0]);
        assert_true(allocations > before);
        failing_from = 0;
        sticky = true;
        t->family->flows(t, src, hash_flow, &hash[1]);
        failing_from = UINT64_MAX;
        sticky = false;
        assert_int_equal(hash[0], hash[1]);
    }
    ik_traffic_free(t);
    ik_fabric_free(tree);
}

static void every_measure(void **state)
{
    (void)state;
    ik_fabric *tree = NULL;
    fail_each(job_measures, "karytree:k=2,n=3", false);
    fail_each(job_measures, "lrt:N=16,d=3,r=2", true);
    assert_int_equal(ik_fabric_from_spec("karytree:k=2,n=2", NULL, &tree, NULL), IK_OK);
    the_fabric = tree;
    fail_each(job_permutations, "0", false);
    fail_each(job_permutations, "5", false);
    ik_fabric_free(tree);
}

static const char *the_scheme;

/* Everything that is known about a plan: proof with its witness, destinations, table sizes, what
 * another routing changes. */
static ik_status study(const ik_fabric *f, const ik_plan *plan, const ik_plan *other,
                       uint64_t *answer, ik_error *err)
{
    ik_proof proof;
    ik_status status = ik_verify(plan, NULL, NULL, &proof, err);
    if (status == IK_OK) {
        take_proof(answer, &proof);
        ik_proof_free(&proof);
    }
    uint32_t *destinations = NULL;
    if (status == IK_OK)
        status = ik_destinations_count(plan, NULL, &destinations, err);
    if (status == IK_OK)
        take(answer, destinations, f->num_ports * sizeof *destinations);
    free(destinations);
    ik_table_size size;
    if (status == IK_OK)
        status = ik_table_size_measure(plan->routing, NULL, &size, err);
    ik_route_diff diff;
    if (status == IK_OK)
        status = ik_route_diff_measure(plan, other, NULL, &diff, err);
    assert_true(status != IK_OK || diff.pairs == (uint64_t)f->num_hosts * (f->num_hosts - 1));
    if (status == IK_OK)
        take(answer, (uint64_t[]){size.total, size.total_bytes, diff.moved}, 3 * sizeof(uint64_t));
    return status;
}

static ik_status job_study(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_plan *plan = NULL, *other = NULL;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status == IK_OK)
        status = ik_plan_from_specs(f, the_routing, the_scheme, NULL, 0, NULL, &plan, err);
    if (status == IK_OK)
        status = ik_plan_from_specs(f, "updown", NULL, NULL, 0, NULL, &other, err);
    if (status == IK_OK)
        status = study(f, plan, other, answer, err);
    ik_plan_free(other);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return status;
}

static void vc_schemes_and_proofs(void **state)
{
    (void)state;
    static const char *const jobs[][3] = {
        {"minimal:paths=one", "1q", "ring:n=5"}, /* fails with a witness */
        {"dmodk", "vftree:form=matrix", "karytree:k=2,n=3"},
        {"dmodk", "flow2sl", "karytree:k=2,n=2"},
        {"dmodk", "voqnet", "karytree:k=2,n=2"},
        {"minimal", "any:last=1", "mesh:dims=3:2"},
        {"valiant", "hopclass", "torus:dims=3:3"},
        {"valiant", "phase", "mlfm:h=2"},
        {"dor", "dateline", "torus:dims=4:3"},
        {"minimal", "escape:routing=dor", "mesh:dims=3:3"},
        {"minimal", "escape:routing=dor", "torus:dims=5"},     /* its layer is cyclic */
        {"minimal", "escape:routing=updown", "mesh:dims=3:3"}, /* by way of adaptive channels */
        {"ugal_l", "escape", "mesh:dims=2:2"},                 /* does not lead on */
        {"updown", "lash_tor", "ring:n=5"},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        the_routing = jobs[i][0];
        the_scheme = jobs[i][1];
        fail_each(job_study, jobs[i][2], false);
    }
}

/* ---- files: every format written, and read again */

static const ik_format *the_format;

static ik_status job_format(const char *text, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    char *written = NULL;
    size_t size = 0;
    FILE *out = __real_open_memstream(&written, &size);
    ik_status status = the_format->write(the_fabric, out, err);
    fclose(out);
    take(answer, written, status == IK_OK ? size : 0);
    free(written);
    if (status == IK_OK && the_format->read)
        status = ik_fabric_read_memory(text, strlen(text), "text", the_format, NULL, &f, err);
    if (status != IK_OK)
        assert_null(f);
    ik_fabric_free(f);
    return status;
}

static void every_format(void **state)
{
    (void)state;
    ik_fabric *tree = NULL, *floor = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=2,n=2", NULL, &tree, NULL), IK_OK);
    assert_int_equal(ik_fabric_from_spec("lrt:N=16,d=3,r=2", NULL, &floor, NULL), IK_OK);
    for (const ik_format *const *format = ik_formats(); *format; format++) {
        if (!(*format)->write)
            continue;
        char *text = NULL;
        size_t size = 0;
        FILE *out = __real_open_memstream(&text, &size);
        the_format = *format;
        the_fabric = strcmp((*format)->name, "lrt") == 0 ? floor : tree;
        assert_int_equal((*format)->write(the_fabric, out, NULL), IK_OK);
        fclose(out);
        fail_each(job_format, text, false);
        free(text);
    }
    ik_fabric_free(tree);
    ik_fabric_free(floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fabrics),       cmocka_unit_test(every_topology),
        cmocka_unit_test(every_routing), cmocka_unit_test(routings_with_parameters),
        cmocka_unit_test(exports),       cmocka_unit_test(every_traffic),
        cmocka_unit_test(every_trace),   cmocka_unit_test(flows_of_a_mix),
        cmocka_unit_test(every_measure), cmocka_unit_test(vc_schemes_and_proofs),
        cmocka_unit_test(every_format),  cmocka_unit_test(counters),
        cmocka_unit_test(path_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
