/* SPDX-License-Identifier: Apache-2.0
 *
 * Random experiments: a tiny fabric of any family, a routing, a VC scheme, a selection, a pattern
 * and settings of the simulator are drawn; what the simulator refuses is made smaller until it is
 * taken. Then must hold:
 *
 *   - books and order of flows (paranoid), on one and on several threads with the same result;
 *   - the specialised engine, where it fits, returns what the general one returns;
 *   - no deadlock where the proof says that there is none;
 *   - what is delivered and what is left adds up; shares lie between 0 and 1;
 *   - a run that is interrupted again and again and continues from checkpoints, asked for another
 *     number of threads, has the same result.
 *
 * So must it for finite workloads, exchanges and random programs, and for schedules.
 *
 * A case that fails is reduced, setting by setting, and printed as an experiment. IKAT_TEST_ALL
 * tries thousands; IKAT_TEST_CASE=N tries case N alone: of workloads from 100000 on, of schedules
 * from 200000 on.
 */
#include "goal_model.h"
#include "sim/checkpoint.h"
#include "sim/run.h"
#include "sim_draw.h"
#include "sim_hash.h"
#include "sim_helper.h"

#include "unit/part.h"
#include <math.h>
#include <unistd.h>

enum { CASES = 200, ALL_CASES = 4000, SANITIZED_CASES = THREAD_SANITIZED ? 20 : 50 };

/* ---- an experiment that a user can run */

static void join(const random_case *c, const char *section, const char *first, char *out)
{
    size_t length = strlen(section);
    int used = snprintf(out, 512, "%s", first);
    for (unsigned k = 0; k < MOST_SETTINGS; k++)
        if (c->setting[k] && strncmp(c->setting[k], section, length) == 0)
            used += snprintf(out + used, 512 - (size_t)used, ";%s", c->setting[k] + length + 1);
}

static void measure_of(const random_case *c, bool paranoid, char *out)
{
    char first[100];
    snprintf(first, sizeof first, "%s;watchdog=%s%s",
             c->ends ? "until=delivered;at_most=300 us" : "duration=6 us;warmup=0 ns",
             c->ends && c->number % 5 == 4 ? "0 ns" : "1 us", paranoid ? ";paranoid=true" : "");
    join(c, "measure", first, out);
}

/* "a=1;b=2" as a section. */
static void print_section(const char *section, const char *list)
{
    bool open = false;
    for (const char *s = list; *s; s += strcspn(s, ";")) {
        s += *s == ';';
        int name = (int)strcspn(s, "=;");
        if (!name)
            continue;
        if (!open)
            print_message("%s:\n", section);
        open = true;
        print_message("  %.*s: %.*s\n", name, s, (int)strcspn(s + name + 1, ";"), s + name + 1);
    }
}

static void print_case(const random_case *c, const char *what)
{
    char sw[512], adapter[512], measure[512];
    join(c, "switch", "", sw);
    join(c, "adapter", "", adapter);
    measure_of(c, false, measure);
    print_message("# case %u: %s\n", c->number, what);
    print_message("fabric: \"%s\"\nrouting: %s\ntraffic: \"%s\"\nseeds: [1]\n", c->fabric,
                  c->routing, c->pattern);
    if (!c->ends)
        print_message("load: %g%%\n", c->load * 100);
    if (c->vc)
        print_message("vc: \"%s\"\n", c->vc);
    if (c->num_vcs)
        print_message("vcs: %u\n", c->num_vcs);
    if (c->selection)
        print_message("selection: %s\n", c->selection);
    print_section("switch", sw);
    print_section("adapter", adapter);
    print_section("measure", measure);
}

/* ---- running */

typedef struct bench {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    sections at;
    bool open;
} bench;

static void bench_free(bench *b)
{
    if (b->open)
        close_sections(&b->at);
    ik_traffic_free(b->traffic);
    ik_plan_free(b->plan);
    ik_fabric_free(b->f);
}

static ik_status bench_make(const random_case *c, bool paranoid, bench *b, ik_error *err)
{
    static const ik_env env = {.seed = 1};
    char sw[512], adapter[512], measure[512];
    join(c, "switch", "", sw);
    join(c, "adapter", "", adapter);
    measure_of(c, paranoid, measure);
    const scenario s = {.sw = sw, .adapter = adapter, .measure = measure, .load = c->load};
    *b = (bench){0};
    ik_status status = ik_fabric_from_spec(c->fabric, &env, &b->f, err);
    if (status == IK_OK)
        status = ik_plan_from_specs(b->f, c->routing, c->vc, c->selection, c->num_vcs, &env,
                                    &b->plan, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(b->f, c->pattern, &env, &b->traffic, err);
    if (status == IK_OK) {
        b->open = true;
        status = open_sections(&b->at, &s, err);
    }
    return status;
}

static ik_status run_once(const random_case *c, bool paranoid, unsigned threads, uint64_t *print,
                          ik_sim_result *r, ik_error *err)
{
    bench b;
    ik_env env = {.seed = 1, .num_threads = threads};
    ik_status status = bench_make(c, paranoid, &b, err);
    if (status == IK_OK)
        status = sim_run(b.plan, b.traffic, &b.at.config, &env, r, err);
    if (status == IK_OK)
        *print = hash_result(b.f, r);
    bench_free(&b);
    return status;
}

/* The pipelined router has one engine; the messages of hosts with several cables are given to ports
 * by ik_sim_run. */
static bool has_engines(const random_case *c, const bench *b)
{
    bool pipelined = false;
    for (unsigned k = 0; k < MOST_SETTINGS; k++)
        pipelined |= c->setting[k] && strcmp(c->setting[k], "switch.model=pipelined") == 0;
    return !pipelined && !ik_fabric_has_rails(b->f);
}

/* All that one engine returns but its events; *fast: it was the specialised one. */
static ik_status run_engine(const random_case *c, bool may_be_fast, bool *fast, bool *chooses,
                            bool *steps, uint64_t *sum, ik_error *err)
{
    static const ik_env env = {.seed = 1};
    bench b;
    sim s;
    ik_sim_result r = {0};
    ik_status status = bench_make(c, false, &b, err);
    if (status == IK_OK && has_engines(c, &b)) {
        status = sim_setup_engine(&s, b.plan, b.traffic, &b.at.config, &env,
                                  may_be_fast ? NULL : &sim_general_engine, err);
        *fast = s.engine.ops == &sim_fast_engine;
        *chooses = s.choice.adaptive;
        *steps = !s.choice.static_lane;
        if (status == IK_OK) {
            sim_run_partition(&s.parallel.partitions[0]);
            status = s.parallel.partitions[0].status;
        }
        if (status == IK_OK)
            status = sim_export_results(&s, &r, err);
        if (status == IK_OK) {
            r.events = 0;
            *sum = hash_result(b.f, &r);
        }
        sim_result_clear(&r);
        sim_free(&s);
    }
    bench_free(&b);
    return status;
}

/* ---- what must hold; each returns what does not, or NULL */

/* Two threads, or three; of the many cases on trees some. */
static const char *judge_threads(const random_case *c, uint64_t print)
{
    static char text[sizeof(((ik_error *)0)->text) + 32];
    unsigned threads = 2 + c->number % 2;
    if (is_on_tree(c) && c->number % 16 > 1) /* threads wait at every window: costly */
        return NULL;
    ik_sim_result r = {0};
    ik_error err = {0};
    uint64_t other = 0;
    ik_status status = run_once(c, true, threads, &other, &r, &err);
    sim_result_clear(&r);
    if (status == IK_OK && other == print)
        return NULL;
    snprintf(text, sizeof text, "%u threads: %s", threads,
             status == IK_OK ? "another result" : err.text);
    return text;
}

/* Cases that both engines ran; of them those that choose, those whose packets change their VC, and
 * those that the watchdog ended, those that put packets in order, and workloads that got stuck
 * without a deadlock. */
static unsigned compared, adaptive, stepping, stopped, ordered, stuck;

static const char *judge_engines(const random_case *c, const ik_sim_result *r)
{
    bool fast = false, never = false, chooses = false, steps = false;
    uint64_t special = 0, general = 0;
    ik_error err = {0};
    if (run_engine(c, true, &fast, &chooses, &steps, &special, &err) != IK_OK)
        return "an engine fails without checks";
    if (!fast)
        return NULL;
    compared++;
    adaptive += chooses;
    stepping += steps;
    ordered += r->reorder.out_of_order > 0;
    stopped += r->deadlock && r->end_ps < 6000000;
    stuck += r->finite && !r->completed && !r->deadlock && r->end_ps < 300000000;
    if (run_engine(c, false, &never, &chooses, &steps, &general, &err) != IK_OK || never)
        return "the general engine fails without checks";
    return special != general ? "the engines differ" : NULL;
}

/* Runs of the case that were interrupted and continued, and how often. */
static unsigned continued, interruptions;

/* Ends with IK_ERR_CANCELLED after `steps` steps, more of them as it goes on, until it is over. */
static ik_status run_interrupted(const random_case *c, bool paranoid, unsigned threads,
                                 uint64_t steps, const char *path, uint64_t *print, ik_error *err)
{
    bench b;
    ik_sim_result r = {0};
    ik_status status = bench_make(c, paranoid, &b, err);
    for (unsigned times = 0; status == IK_OK; times++) {
        sim_checkpoints at = {.path = path,
                              .identity = c->fabric,
                              .every_s = INFINITY,
                              .every_steps = steps << times / 3,
                              .ends = times < 18};
        ik_env env = {.seed = 1, .num_threads = times % 2 ? 1 : threads};
        status = sim_run_kept(b.plan, b.traffic, &b.at.config, &env, &at, &r, err);
        continued += status == IK_OK && times > 0;
        if (status == IK_OK)
            break;
        interruptions += status == IK_ERR_CANCELLED;
        status = status == IK_ERR_CANCELLED && at.written == 1 ? IK_OK : status;
    }
    if (status == IK_OK)
        *print = hash_result(b.f, &r);
    sim_result_clear(&r);
    bench_free(&b);
    return status;
}

static const char *judge_checkpoints(const random_case *c)
{
    static char text[sizeof(((ik_error *)0)->text) + 64];
    char path[] = "/tmp/ikat_checkpoint_XXXXXX";
    bool paranoid = c->number % 4 == 0;
    unsigned threads = c->number % 8 == 1 ? 2 : 1;
    uint64_t steps = 1 + c->number % 7 * (threads > 1 ? 9 : 1), print = 0, other = 0;
    ik_sim_result r = {0};
    ik_error err = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    ik_status status = run_once(c, paranoid, threads, &print, &r, &err);
    sim_result_clear(&r);
    if (status == IK_OK)
        status = run_interrupted(c, paranoid, threads, steps, path, &other, &err);
    unlink(path);
    if (status == IK_ERR_UNSUPPORTED || (status == IK_OK && other == print))
        return NULL;
    snprintf(text, sizeof text, "%u threads, interrupted every %llu steps: %s", threads,
             (unsigned long long)steps, status == IK_OK ? "another result" : err.text);
    return text;
}

static const char *judge_proof(const random_case *c, const ik_sim_result *r)
{
    static const ik_env env = {.seed = 1, .num_threads = 1};
    if (!r->deadlock)
        return NULL;
    bench b;
    ik_error err = {0};
    ik_proof proof = {0};
    const char *wrong = NULL;
    if (bench_make(c, true, &b, &err) == IK_OK) {
        ik_verify_config config = {.flow = ik_sim_flow_of(&b.at.sw) == IK_SIM_CUT_THROUGH
                                               ? IK_FLOW_CUT_THROUGH
                                               : IK_FLOW_SETTLED};
        if (ik_verify(b.plan, &config, &env, &proof, &err) != IK_OK)
            wrong = "no proof";
        else if (proof.deadlock_free == IK_YES)
            wrong = "a deadlock where the proof excludes it";
        ik_proof_free(&proof);
    }
    bench_free(&b);
    return wrong;
}

static const char *judge_sums(const ik_sim_result *r)
{
    /* What waited before the measured time may come in it, faster than hosts send. */
    if (r->throughput < 0 || r->throughput > (double)r->end_ps / (double)r->window_ps + 1e-9)
        return "more arrives than hosts can send";
    if (r->fairness < -1e-9 || r->fairness > 1 + 1e-9)
        return "the fairness is not a share";
    if (r->latency.count &&
        (r->latency.min > r->latency.max || r->latency.mean < (double)r->latency.min))
        return "latencies contradict each other";
    return r->packets_delivered > r->packets_generated ? "more is delivered than was made" : NULL;
}

/* What is wrong with a case that is taken, or NULL; *taken: false if it was refused. */
static const char *judge(const random_case *c, bool *taken)
{
    static char text[sizeof(((ik_error *)0)->text) + 32];
    ik_sim_result r = {0};
    ik_error err = {0};
    uint64_t print = 0;
    ik_status status = run_once(c, true, 1, &print, &r, &err);
    *taken = status == IK_OK;
    if (status == IK_ERR_USAGE || status == IK_ERR_INPUT || status == IK_ERR_UNSUPPORTED)
        return NULL;
    const char *wrong = NULL;
    if (status != IK_OK) {
        *taken = true;
        snprintf(text, sizeof text, "%s: %s", ik_status_name(status), err.text);
        wrong = text;
    }
    wrong = wrong ? wrong : judge_sums(&r);
    wrong = wrong ? wrong : judge_proof(c, &r);
    wrong = wrong ? wrong : judge_threads(c, print);
    wrong = wrong || !*taken ? wrong : judge_checkpoints(c);
    wrong = wrong || threads_only() ? wrong : judge_engines(c, &r); /* on one thread */
    sim_result_clear(&r);
    return wrong;
}

/* Takes out what the case fails without. */
static void reduce(random_case *c)
{
    for (unsigned k = 0; k < MOST_SETTINGS; k++) {
        random_case less = *c;
        bool taken = false;
        less.setting[k] = NULL;
        if (c->setting[k] && judge(&less, &taken))
            *c = less;
    }
    random_case less = *c;
    bool taken = false;
    less.pattern = "uniform";
    less.ends = false;
    if (judge(&less, &taken))
        *c = less;
    less = *c;
    less.selection = NULL;
    if (judge(&less, &taken))
        *c = less;
}

/* Takes settings out, the last first, then the scheme of VCs and the selection, until the case is
 * taken. False if it never is. */
static bool try_case(random_case c, unsigned *failures)
{
    bool taken = false;
    const char *wrong = judge(&c, &taken);
    for (unsigned k = MOST_SETTINGS; !taken && k-- > 0;) {
        if (!c.setting[k])
            continue;
        c.setting[k] = NULL;
        wrong = judge(&c, &taken);
    }
    if (!taken) {
        c.selection = c.vc = NULL;
        c.num_vcs = 0;
        wrong = judge(&c, &taken);
    }
    if (wrong) {
        reduce(&c);
        print_case(&c, judge(&c, &taken));
        (*failures)++;
    }
    return taken;
}

/* Cases of workloads and of schedules are numbered from here on. */
enum { WORKLOADS = 100000, SCHEDULES = 200000 };

/* Whether one case alone is to be tried; *number: which, of those from `first` on, and *wanted: 0
 * if it is none of them. */
static bool is_one_asked(unsigned first, unsigned *number, unsigned *wanted)
{
    const char *only = getenv("IKAT_TEST_CASE");
    if (only) {
        unsigned asked = (unsigned)atoi(only);
        *wanted = asked / WORKLOADS == first / WORKLOADS;
        *number = *wanted ? asked - first : 0;
    }
    return only;
}

static void random_experiments(void **state)
{
    (void)state;
    unsigned wanted = all_asked() ? ALL_CASES
                      : SANITIZED ? SANITIZED_CASES
                                  : CASES,
             taken = 0, failures = 0, number = 0;
    bool only = is_one_asked(0, &number, &wanted);
    for (unsigned last = only ? number : UINT32_MAX; taken < wanted && number <= last; number++)
        taken += try_case(draw_case(number), &failures);
    print_message("%u random experiments of %u drawn, %u by both engines, %u of them adaptive, %u "
                  "whose packets change their VC, %u ended by the watchdog, %u put in order\n",
                  taken, number, compared, adaptive, stepping, stopped, ordered);
    print_message("%u runs continued after %u interruptions\n", continued, interruptions);
    assert_int_equal(failures, 0);
    /* the proportions of few cases say nothing */
    assert_true(only || wanted < CASES ||
                (number < 4 * wanted && compared > wanted / 2 && adaptive > wanted / 5 &&
                 stepping > wanted / 8 && stopped > wanted / 40 && ordered > wanted / 60 &&
                 continued > wanted / 2));
}

/* ---- finite workloads, on the same fabrics and with the same settings */

enum { PROGRAMS = 8 };

static char programs[PROGRAMS][80];

/* Random programs; every other one with receives from anywhere. */
static void write_programs(void)
{
    static model m;
    for (unsigned k = 0; k < PROGRAMS; k++) {
        char *path = strchr(strcpy(programs[k], "graph:path=/tmp/ikat_random_XXXXXX"), '=') + 1;
        int fd = mkstemp(path);
        FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
        assert_non_null(to);
        model_draw(&m, 500 + k, k % 2 ? 3 : 0);
        model_write(&m, to);
        fclose(to);
        strcat(programs[k], k % 4 < 2 ? ",eager=100 B" : ",overhead=30 ns,mapping=random");
    }
}

static void remove_programs(void)
{
    for (unsigned k = 0; k < PROGRAMS; k++) {
        char *path = strchr(programs[k], '=') + 1;
        path[strcspn(path, ",")] = '\0';
        unlink(path);
    }
}

/* Cables are missing, so that some pairs have no route. */
static void part_fabric(random_case *c)
{
    static const char *const parted[] = {"pgft:m=6:6,w=1:1,p=1:1,latency=2 ns,fail=10%,fail_seed=1",
                                         "pgft:m=3:4,w=1:1,p=1:1,fail=20%,fail_seed=3",
                                         "ring:n=6,p=2,fail=40%,fail_seed=1",
                                         "mesh:dims=3:3,p=2,latency=40 ns,fail=50%,fail_seed=2"};
    static const char *const routings[] = {"dfsssp", "minimal:paths=one", "minimal", "updown"};
    dice d = {c->number, 1000};
    snprintf(c->fabric, sizeof c->fabric, "%s", DRAW(&d, parted));
    snprintf(c->routing, sizeof c->routing, "%s", DRAW(&d, routings));
    c->vc = NULL;
    c->num_vcs = 0;
    c->selection = NULL;
}

static random_case draw_workload(unsigned number)
{
    static const char *const series[] = {"measure.series=2 us", "measure.series=700 ns",
                                         "measure.series=130 ns"};
    static const char *const exchanges[] = {
        "exchange:bytes=700 B",
        "exchange:bytes=256 B,order=shift,repeat=3",
        "exchange:bytes=1 KiB,visits=2,order=nearest_first",
        "exchange:pattern=shift:by=1,bytes=3000 B,repeat=3",
        "exchange:pattern=permutation,bytes=5 KiB,visits=3,mapping=random",
        "batch:messages=30,bytes=700 B",
        "batch:pattern=60%*shift:by=1+40%*hotspot:nodes=0;fraction=40%;rest=silent,messages=20",
        "graph:path=" SOURCE_DIR "/experiments/taskfarm.goal,eager=4 KiB,overhead=20 ns"};
    random_case c = draw_case(WORKLOADS + number);
    if (number % 3 == 0)
        part_fabric(&c);
    if (number % 2 == 0)
        set(&c, 0, series[number / 2 % COUNT(series)]);
    unsigned k = number % (COUNT(exchanges) + PROGRAMS);
    c.pattern = k < COUNT(exchanges) ? exchanges[k] : programs[k - COUNT(exchanges)];
    c.ends = true;
    c.load = 1;
    return c;
}

static void random_workloads(void **state)
{
    /* the credit of a packet without a way came before that of the packet before it; messages
     * drawn ahead did not count as waiting */
    static const unsigned once_wrong[] = {432, 453, 517};
    unsigned wanted = all_asked() ? 1000 : SANITIZED ? 12 : 60, taken = 0, failures = 0;
    unsigned number = 0, before = compared;
    bool only = is_one_asked(WORKLOADS, &number, &wanted);
    (void)state;
    write_programs();
    for (unsigned last = only ? number : 4 * wanted; taken < wanted && number <= last; number++)
        taken += try_case(draw_workload(number), &failures);
    for (unsigned k = 0; k < COUNT(once_wrong) && !only; k++)
        assert_true(try_case(draw_workload(once_wrong[k]), &failures));
    remove_programs();
    print_message("%u random workloads of %u drawn, %u by both engines, %u of them stuck\n", taken,
                  number, compared - before, stuck);
    assert_int_equal(failures, 0);
    assert_true(only || taken == wanted);
    assert_true(only || SANITIZED || (compared - before > wanted / 4 && stuck > wanted / 20));
}

/* ---- one pattern after the other, likewise */

/* Borders that messages straddle, a host that is silent for a time, loads of their own. */
static void random_schedules(void **state)
{
    static const char *const schedules[] = {
        "schedule:entries=@2500 ns=uniform&b@3 us@90%=shift:by=1&@5100 ns@5%=hotspot:nodes=0|"
        "fraction=60%|rest=silent&permutation",
        "schedule:entries=@1 us@100%=alltoall&@10%=tornado",
        "schedule:entries=@1 ps=uniform&@5999999 "
        "ps=mix:60%*uniform+40%*in=hotspot:nodes=1&uniform"};
    unsigned wanted = all_asked() ? 1000 : SANITIZED ? 12 : 60, taken = 0, failures = 0;
    unsigned number = 0, before = compared;
    bool only = is_one_asked(SCHEDULES, &number, &wanted);
    (void)state;
    for (unsigned last = only ? number : 4 * wanted; taken < wanted && number <= last; number++) {
        random_case c = draw_case(SCHEDULES + number);
        c.pattern = schedules[number % COUNT(schedules)];
        taken += try_case(c, &failures);
    }
    print_message("%u random schedules of %u drawn, %u by both engines\n", taken, number,
                  compared - before);
    assert_int_equal(failures, 0);
    assert_true(only || taken == wanted);
    assert_true(only || threads_only() || compared - before > wanted / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_experiments),
                                       cmocka_unit_test(random_workloads),
                                       cmocka_unit_test(random_schedules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
