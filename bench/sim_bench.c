/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_sim: what a packet-hop costs. Each case runs in a process of its own, so that its peak
 * memory is its own; counters are read with perf_event_open where the system allows it. Started by
 * bench/run. */
#include "ikat/ikat.h"
#include "sim/measure/sim_result.h"
#include "sim_cases.h"
#include <jansson.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct outcome {
    bool ok;
    char error[512];
    uint32_t hosts, ports;
    uint64_t hops, state_bytes, peak_bytes, checksum;
    double throughput, seconds, wall, setup_seconds;
    double instructions, cache_misses, branch_misses; /* < 0 = not allowed here */
} outcome;

/* ---- counters of the processor */

enum { NUM_COUNTERS = 3 };

static int open_counter(uint64_t config)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = config,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .inherit = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static double read_counter(int fd)
{
    uint64_t value = 0;
    return fd >= 0 && read(fd, &value, sizeof value) == (ssize_t)sizeof value && value > 0
               ? (double)value
               : -1;
}

/* ---- one case */

static bool set(ik_params *p, const char *owner, const char *name, const char *text, ik_error *err)
{
    return ik_params_set(p, owner, name, text, 0, 0, err) == IK_OK;
}

static double now_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "name=value;name=value"; NULL = nothing. */
static bool set_all(ik_params *p, const char *owner, const char *pairs, ik_error *err)
{
    char *copy = strdup(pairs ? pairs : ""), *rest = copy;
    bool ok = copy;
    for (char *pair; ok && (pair = strsep(&rest, ";")) && *pair;) {
        char *value = strchr(pair, '=');
        *value++ = 0;
        ok = set(p, owner, pair, value, err);
    }
    free(copy);
    return ok;
}

static bool set_switch(const bench_case *c, ik_params *sw, ik_error *err)
{
    const char *pairs = c->sw ? c->sw : "";
    bool own = strstr(pairs, "model=pipelined") || strstr(pairs, "queues=");
    return set(sw, "switch", "buffer", c->buffer, err) &&
           (own || set(sw, "switch", "voq", c->voq ? "true" : "false", err)) &&
           set_all(sw, "switch", pairs, err);
}

static bool simulate(const bench_case *c, const ik_plan *plan, const ik_traffic *traffic,
                     const ik_env *env, outcome *o, ik_error *err)
{
    static const uint64_t events[NUM_COUNTERS] = {
        PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES};
    ik_params sw, adapter, measure;
    char duration[32];
    snprintf(duration, sizeof duration, "%llu ps", (unsigned long long)c->duration_ps);
    if (ik_params_init(&sw, ik_switch_params, NULL, err) != IK_OK ||
        ik_params_init(&adapter, ik_adapter_params, NULL, err) != IK_OK ||
        ik_params_init(&measure, ik_measure_params, NULL, err) != IK_OK)
        return false;
    bool ok = set_switch(c, &sw, err) && set(&adapter, "adapter", "packet", c->packet, err) &&
              set_all(&adapter, "adapter", c->adapter, err) &&
              set_all(&measure, "measure", c->measure, err) &&
              set(&measure, "measure", "warmup", "0 ns", err) &&
              set(&measure, "measure", "duration", duration, err);
    ik_sim_config config = {&sw, &adapter, &measure, c->load};
    ik_sim_result r;
    int fd[NUM_COUNTERS];
    for (int k = 0; k < NUM_COUNTERS; k++)
        fd[k] = open_counter(events[k]);
    for (int k = 0; k < NUM_COUNTERS; k++)
        if (fd[k] >= 0)
            syscall(SYS_ioctl, fd[k], PERF_EVENT_IOC_ENABLE, 0);
    double wall = now_seconds(CLOCK_MONOTONIC);
    ok = ok && sim_run(plan, traffic, &config, env, &r, err) == IK_OK;
    o->wall = now_seconds(CLOCK_MONOTONIC) - wall;
    o->instructions = read_counter(fd[0]);
    o->cache_misses = read_counter(fd[1]);
    o->branch_misses = read_counter(fd[2]);
    if (ok) {
        o->hops = r.packet_hops;
        o->state_bytes = r.state_bytes;
        o->checksum = r.checksum;
        o->throughput = r.throughput;
        o->seconds = r.cpu_seconds;
        sim_result_clear(&r);
    }
    ik_params_free(&sw);
    ik_params_free(&adapter);
    ik_params_free(&measure);
    return ok;
}

static bool run_case(const bench_case *c, outcome *o, ik_error *err)
{
    ik_env env = {.seed = 1, .num_threads = c->threads};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    char spec[160];
    snprintf(spec, sizeof spec, "%s,link_rate=%s", c->fabric, c->link);
    double begin = now_seconds(CLOCK_MONOTONIC);
    bool ok = ik_fabric_from_spec(spec, &env, &f, err) == IK_OK &&
              ik_plan_from_specs(f, c->routing ? c->routing : "dmodk", c->vc, c->selection, c->vcs,
                                 &env, &plan, err) == IK_OK &&
              ik_traffic_from_spec(f, "uniform", &env, &traffic, err) == IK_OK;
    o->setup_seconds = now_seconds(CLOCK_MONOTONIC) - begin;
    if (ok) {
        o->hosts = f->num_hosts;
        o->ports = f->num_ports;
        ok = simulate(c, plan, traffic, &env, o, err);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    o->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return ok;
}

/* In a child process: its peak memory is its own. */
static outcome run_apart(const bench_case *c)
{
    outcome o = {0};
    int pipe_fd[2];
    if (pipe(pipe_fd) != 0) {
        snprintf(o.error, sizeof o.error, "no pipe");
        return o;
    }
    pid_t child = fork();
    if (child == 0) {
        ik_error err = {0};
        o.ok = run_case(c, &o, &err);
        if (!o.ok)
            snprintf(o.error, sizeof o.error, "%s", err.text);
        ssize_t written = write(pipe_fd[1], &o, sizeof o);
        _exit(written == (ssize_t)sizeof o ? 0 : 1);
    }
    close(pipe_fd[1]);
    if (child < 0 || read(pipe_fd[0], &o, sizeof o) != (ssize_t)sizeof o)
        snprintf(o.error, sizeof o.error, "the measuring process failed");
    close(pipe_fd[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return o;
}

/* ---- instructions by callgrind, where the processor's counters are not ours to read */

/* What one run counted inside the simulator's loop. */
typedef struct count {
    double instructions, lines, hops; /* lines: of data, beyond a second level of 1 MiB */
} count;

/* A shorter run of case number `index` of the list that `list` names. */
static bool callgrind_run(const char *self, const char *list, long index, double scale,
                          bool with_lines, count *out)
{
    char command[1024], line[512];
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null "
             "--toggle-collect=sim_run_partition "
             "--toggle-collect=sim_run_pipelined %s '%s' --json "
             "--uncounted %s --only %ld --scale %.6f 2>&1",
             with_lines ? "--cache-sim=yes --LL=1048576,16,64" : "", self, list, index, scale);
    FILE *from = popen(command, "r");
    *out = (count){-1, -1, -1};
    if (!from)
        return false;
    while (fgets(line, sizeof line, from)) {
        const char *collected = strstr(line, "Collected : "),
                   *counted = strstr(line, "\"packet_hops\": ");
        /* Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw, or Ir alone */
        double value[9] = {-1};
        char *at = collected ? line + (collected - line) + 12 : line;
        for (int k = 0; collected && k < 9; k++)
            value[k] = strtod(at, &at);
        if (value[0] > out->instructions) {
            out->instructions = value[0];
            out->lines = value[7] + value[8];
        }
        if (counted)
            out->hops = strtod(counted + 15, NULL);
    }
    return pclose(from) == 0 && out->instructions > 0 && out->hops > 0;
}

/* Instructions a hop of a run that is short where it is slow to count, at the margin: the
 * difference of two runs leaves out filling the empty network. */
static double instructions_per_hop(const char *self, const char *list, long index,
                                   const bench_case *c)
{
    count more, fewer;
    bool big = strstr(c->fabric, "rlft") != NULL;
    double most = strcmp(list, "--large") == 0 ? 1.5e6 : 8e6,
           scale = big ? most / (double)c->duration_ps : 0.04;
    if (scale > 1)
        scale = 1;
    if (!callgrind_run(self, list, index, scale, false, &more) ||
        !callgrind_run(self, list, index, scale * 0.7, false, &fewer))
        return -1;
    return more.hops > fewer.hops
               ? (more.instructions - fewer.instructions) / (more.hops - fewer.hops)
               : -1;
}

/* ---- output */

static void add_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, value >= 0 ? json_real(value) : json_null());
}

static json_t *to_json(const bench_case *c, const outcome *o)
{
    json_t *j = json_object();
    double hops = o->hops ? (double)o->hops : 1;
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)o->checksum);
    json_object_set_new(j, "name", json_string(c->name));
    json_object_set_new(j, "fabric", json_string(c->fabric));
    json_object_set_new(j, "hosts", json_integer(o->hosts));
    json_object_set_new(j, "voq", json_boolean(c->voq));
    json_object_set_new(j, "vcs", json_integer(c->vcs));
    json_object_set_new(j, "threads", json_integer(c->threads));
    add_real(j, "load", c->load);
    add_real(j, "throughput", o->throughput);
    json_object_set_new(j, "packet_hops", json_integer((json_int_t)o->hops));
    add_real(j, "hops_per_cpu_second", hops / o->seconds);
    add_real(j, "ns_per_hop", o->seconds * 1e9 / hops);
    add_real(j, "wall_seconds", o->wall);
    add_real(j, "setup_seconds", o->setup_seconds);
    add_real(j, "instructions_per_hop", o->instructions < 0 ? -1 : o->instructions / hops);
    add_real(j, "cache_misses_per_hop", o->cache_misses < 0 ? -1 : o->cache_misses / hops);
    add_real(j, "branch_misses_per_hop", o->branch_misses < 0 ? -1 : o->branch_misses / hops);
    add_real(j, "bytes_per_port", (double)o->state_bytes / (double)o->ports);
    json_object_set_new(j, "state_bytes", json_integer((json_int_t)o->state_bytes));
    json_object_set_new(j, "peak_bytes", json_integer((json_int_t)o->peak_bytes));
    json_object_set_new(j, "checksum", json_string(checksum));
    return j;
}

static void print_count(double value, double hops)
{
    if (value < 0)
        printf(" %8s", "n/a");
    else
        printf(" %8.1f", value / hops);
}

static void print_row(const bench_case *c, const outcome *o)
{
    double hops = o->hops ? (double)o->hops : 1;
    printf("%-26s %6u %4s %3u %3u %5.0f%% %7.3f %8.2fM %7.1f", c->name, o->hosts,
           c->voq ? "yes" : "no", c->vcs, c->threads, c->load * 100, o->throughput,
           hops / o->seconds / 1e6, o->seconds * 1e9 / hops);
    print_count(o->instructions, hops);
    print_count(o->cache_misses, hops);
    print_count(o->branch_misses, hops);
    printf(" %8.0f %7.1f %7.2f\n", (double)o->state_bytes / (double)o->ports,
           (double)o->peak_bytes / 1e6, o->wall);
    fflush(stdout);
}

/* ---- multiples of the first case, each measured right after it */

/* Runs the program that does the first case and nothing else; ns per hop, < 0 = it said none. */
static double limit_ns(const char *program, const bench_case *c)
{
    char command[1024], line[512];
    double ns = -1;
    snprintf(command, sizeof command, "'%s' 3 %g %llu", program, c->load,
             (unsigned long long)(c->duration_ps / 1000000));
    FILE *from = popen(command, "r");
    while (from && fgets(line, sizeof line, from)) {
        const char *at = strstr(line, "ns/hop ");
        if (at)
            ns = strtod(at + 7, NULL);
    }
    return from && pclose(from) == 0 ? ns : -1;
}

static const bench_case *case_named(const bench_case *cases, const char *name)
{
    while (name && strcmp(cases->name, name) != 0)
        cases++;
    return cases;
}

static double ns_of(const outcome *o)
{
    return o->seconds * 1e9 / (double)(o->hops ? o->hops : 1);
}

static bool report_failure(const bench_case *c, const outcome *o)
{
    if (!o->ok)
        fprintf(stderr, "%s: %s\n", c->name, o->error);
    return !o->ok;
}

/* Instructions and lines per hop of a short run; false if there is no valgrind. */
static bool print_counts(const char *self, long index)
{
    const bench_case *c = &multiples[index];
    double part = 1e6 / (double)c->duration_ps;
    count n;
    if (!callgrind_run(self, "--multiples", index + 1, part < 1 ? part : 1, true, &n))
        return false;
    printf(" %8.0f %7.1f", n.instructions / n.hops, n.lines / n.hops);
    return true;
}

/* One row; false if a run failed. */
static bool print_multiple(const char *self, long index, double scale, bool counted)
{
    const bench_case *c = &multiples[index], *base = case_named(multiples, c->against);
    bench_case scaled = *c, scaled_base = *base;
    scaled.duration_ps = (uint64_t)((double)c->duration_ps * scale);
    scaled_base.duration_ps = (uint64_t)((double)base->duration_ps * scale);
    outcome first = run_apart(&scaled_base), o = run_apart(&scaled);
    if (report_failure(base, &first) || report_failure(c, &o))
        return false;
    double per_hop = 1e9 / (double)(o.hops ? o.hops : 1),
           wall_base = first.wall * 1e9 / (double)(first.hops ? first.hops : 1);
    printf("%-30s %6u %3u %3u %4.0f%% %8.1f %8.1f %7.2f %7.2f %7.2f", c->name, o.hosts, c->vcs,
           c->threads, c->load * 100, ns_of(&o), ns_of(&first), ns_of(&o) / ns_of(&first),
           o.wall * per_hop / wall_base, o.setup_seconds);
    if (counted)
        print_counts(self, index);
    printf("\n");
    fflush(stdout);
    return true;
}

static bool print_limit(const char *program, double scale)
{
    bench_case base = multiples[0];
    base.duration_ps = (uint64_t)((double)base.duration_ps * scale);
    outcome o = run_apart(&base);
    double ns = limit_ns(program, &base);
    if (report_failure(&base, &o))
        return false;
    if (ns <= 0) {
        fprintf(stderr, "%s printed no \"ns/hop\"\n", program);
        return false;
    }
    printf("%-30s %6u %3u %3u %4.0f%% %8.1f %8.1f %7.2f\n", "dmodk over the given program", o.hosts,
           1, 1, base.load * 100, ns_of(&o), ns, ns_of(&o) / ns);
    return true;
}

/* For the test that guards them. */
static int count_only(const char *self, long only)
{
    printf("%s, load %g", multiples[only - 1].name, multiples[only - 1].load);
    bool ok = print_counts(self, only - 1);
    printf("\n");
    return !ok;
}

static int print_multiples(const char *self, long only, double scale, bool counted,
                           const char *program)
{
    bool ok = true;
    printf("%-30s %6s %3s %3s %5s %8s %8s %7s %7s %7s%s\n", "case", "hosts", "VCs", "thr", "load",
           "ns/hop", "of first", "times", "in wall", "set-up s", counted ? "    instr  lines" : "");
    if (program && !only)
        ok = print_limit(program, scale);
    for (long k = 0; multiples[k].name; k++)
        if (!only || only == k + 1)
            ok &= print_multiple(self, k, scale, counted);
    return !ok;
}

static int usage(const char *name, int status)
{
    fprintf(
        status ? stderr : stdout,
        "usage: %s [--json] [--large] [--only N] [--scale X]\n"
        "       %s --multiples [--counted] [--limit-program P] [--only N] [--scale X]\n"
        "  --json       one list of objects\n"
        "  --large      the 209,952-host network instead\n"
        "  --only N     case N alone (from 1)\n"
        "  --scale X    X times the simulated time\n"
        "  --uncounted  no instructions by callgrind where the processor's counters cannot be "
        "read (that is slow)\n"
        "  --multiples  cases of published scale, as multiples of D-mod-K with one VC, which is "
        "run before each\n"
        "  --counted    instructions, and lines beyond a second-level cache of 1 MiB, a hop of "
        "short runs, by callgrind\n"
        "  --limit-program P  P LEVELS LOAD MICROSECONDS does the first case alone and prints "
        "\"ns/hop X\"\n",
        name, name);
    return status;
}

typedef struct options {
    bool as_json, count, counted, as_multiples, only_counts;
    const bench_case *cases;
    const char *list, *program;
    long only;
    double scale;
} options;

/* false: an argument that is none. */
static bool read_options(int argc, char **argv, options *o)
{
    for (int k = 1; k < argc; k++) {
        bool more = k + 1 < argc;
        if (strcmp(argv[k], "--json") == 0)
            o->as_json = true;
        else if (strcmp(argv[k], "--large") == 0)
            o->cases = large, o->list = "--large";
        else if (strcmp(argv[k], "--multiples") == 0)
            o->cases = multiples, o->list = "--multiples", o->as_multiples = true;
        else if (strcmp(argv[k], "--uncounted") == 0)
            o->count = false;
        else if (strcmp(argv[k], "--counted") == 0)
            o->counted = true;
        else if (strcmp(argv[k], "--count-only") == 0)
            o->only_counts = true;
        else if (strcmp(argv[k], "--only") == 0 && more)
            o->only = strtol(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--scale") == 0 && more)
            o->scale = strtod(argv[++k], NULL);
        else if (strcmp(argv[k], "--limit-program") == 0 && more)
            o->program = argv[++k];
        else
            return false;
    }
    return true;
}

static void print_head(void)
{
    printf("%-26s %6s %4s %3s %3s %6s %7s %9s %7s %8s %8s %8s %8s %7s %7s\n", "network", "hosts",
           "VOQ", "VCs", "thr", "load", "thruput", "hops/s", "ns/hop", "instr", "c-miss", "b-miss",
           "B/port", "peak MB", "wall s");
}

int main(int argc, char **argv)
{
    options given = {.count = true, .cases = standard, .list = "", .scale = 1};
    if (!read_options(argc, argv, &given)) {
        bool help = strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0;
        return usage(argv[0], help ? 0 : 2);
    }
    if (given.as_multiples && given.only_counts && given.only > 0 &&
        given.only < (long)(sizeof multiples / sizeof *multiples))
        return count_only(argv[0], given.only);
    if (given.as_multiples && !given.as_json)
        return print_multiples(argv[0], given.only, given.scale, given.counted, given.program);
    if (!given.as_json)
        print_head();
    json_t *list = json_array();
    int status = 0;
    for (long k = 0; given.cases[k].name; k++) {
        if (given.only && given.only != k + 1)
            continue;
        bench_case c = given.cases[k];
        c.duration_ps = (uint64_t)((double)c.duration_ps * given.scale);
        outcome o = run_apart(&c);
        if (o.ok && o.instructions < 0 && given.count) {
            double each = instructions_per_hop(argv[0], given.list, k + 1, &given.cases[k]);
            o.instructions = each < 0 ? -1 : each * (double)o.hops;
        }
        if (report_failure(&c, &o))
            status = 1;
        else if (given.as_json)
            json_array_append_new(list, to_json(&c, &o));
        else
            print_row(&c, &o);
    }
    if (given.as_json) {
        json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        printf("\n");
    }
    json_decref(list);
    return status;
}
