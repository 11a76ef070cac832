/* SPDX-License-Identifier: Apache-2.0
 *
 * Partitions in processes of their own, joined by sockets that carry the messages as they are:
 * everything that the run returns is what one process returns. A process that dies ends the others,
 * with a message. */
#include "sim/run.h"
#include "sim/workload/finite_state.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PARTITIONS = 3 };

/* ---- an exchange over sockets */

typedef struct sockets {
    sim_exchange exchange;
    unsigned num_partitions;
    int to[MAX_PARTITIONS]; /* of this process */
    uint64_t dies_at_step;  /* 0 = never */
} sockets;

static bool put(int fd, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool take(int fd, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t n = read(fd, at, size);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool put_list(int fd, const sim_message_list *box)
{
    return put(fd, box->messages, box->count * sizeof *box->messages);
}

static bool take_list(int fd, sim_message_list *box)
{
    box->count = 0;
    do {
        sim_message *m = sim_message_list_add(box);
        if (!m || !take(fd, m, sizeof *m))
            return false;
    } while (box->messages[box->count - 1].more);
    return true;
}

/* The lower number of a pair speaks first, and all go through their pairs in the same order: nobody
 * waits in a circle. */
static ik_status swap_by_sockets(sim_exchange *exchange, unsigned id, const sim_message_list *out,
                                 sim_message_list *own, const sim_message_list **in, ik_error *err)
{
    sockets *x = (sockets *)exchange;
    for (unsigned q = 0; q < x->num_partitions; q++) {
        if (q == id)
            continue;
        if (x->dies_at_step && out[q].messages->step == x->dies_at_step)
            _exit(7);
        bool ok = id < q ? put_list(x->to[q], &out[q]) && take_list(x->to[q], &own[q])
                         : take_list(x->to[q], &own[q]) && put_list(x->to[q], &out[q]);
        if (!ok || own[q].messages->step != out[q].messages->step)
            return ik_fail(err, IK_ERR_IO, "partition %u is gone", q);
        in[q] = &own[q];
    }
    return IK_OK;
}

/* ---- a run in processes */

typedef struct opened {
    ik_plan *plan;
    ik_traffic *traffic;
    sections sections;
    ik_env env;
} opened;

static void open_run(opened *o, const ik_fabric *f, const scenario *c, unsigned num_partitions)
{
    ik_error err = {0};
    o->env = (ik_env){.seed = c->seed ? c->seed : 1, .num_threads = num_partitions};
    if (ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &o->env, &o->plan,
                           &err) != IK_OK ||
        ik_traffic_from_spec(f, c->traffic, &o->env, &o->traffic, &err) != IK_OK ||
        open_sections(&o->sections, c, &err) != IK_OK)
        fail_msg("%s", err.text);
}

static void close_run(opened *o)
{
    close_sections(&o->sections);
    ik_traffic_free(o->traffic);
    ik_plan_free(o->plan);
}

typedef struct ending {
    ik_status status;
    char text[160];
    size_t bytes; /* of results that follow */
} ending;

/* A child: runs its part and tells the parent. */
static void child(sim *s, unsigned id, sockets *x, int parent)
{
    partition *p = &s->parallel.partitions[id];
    s->parallel.exchange = &x->exchange;
    sim_run_partition(p);
    ending e = {.status = p->status, .bytes = sim_results_pack(s, id, NULL)};
    snprintf(e.text, sizeof e.text, "%.150s", p->err.text);
    unsigned char *bytes = malloc(e.bytes);
    bool ok = bytes && sim_results_pack(s, id, bytes) == e.bytes && put(parent, &e, sizeof e) &&
              put(parent, bytes, e.bytes);
    _exit(ok ? 0 : 1);
}

/* Runs s, one process a part; the parent takes the results in. Returns the first failure. dying:
 * the part that dies, or none. */
static ik_status run_processes(sim *s, unsigned dying, char *text, size_t size)
{
    int pair[MAX_PARTITIONS][MAX_PARTITIONS], up[MAX_PARTITIONS], both[2];
    pid_t pids[MAX_PARTITIONS];
    for (unsigned a = 0; a < s->parallel.num_partitions; a++)
        for (unsigned b = a + 1; b < s->parallel.num_partitions; b++) {
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
            pair[a][b] = both[0];
            pair[b][a] = both[1];
        }
    fflush(NULL);
    for (unsigned id = 0; id < s->parallel.num_partitions; id++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
        pids[id] = fork();
        assert_true(pids[id] >= 0);
        if (pids[id] == 0) {
            sockets x = {.exchange = {.swap = swap_by_sockets},
                         .num_partitions = s->parallel.num_partitions,
                         .dies_at_step = id == dying ? 20 : 0};
            for (unsigned a = 0; a < s->parallel.num_partitions; a++)
                for (unsigned b = 0; b < s->parallel.num_partitions; b++)
                    if (a == id && a != b)
                        x.to[b] = pair[a][b];
                    else if (a != b)
                        close(pair[a][b]); /* else nobody would see that a process is gone */
            child(s, id, &x, both[1]);
        }
        close(both[1]);
        up[id] = both[0];
    }
    for (unsigned a = 0; a < s->parallel.num_partitions; a++)
        for (unsigned b = 0; b < s->parallel.num_partitions; b++)
            if (a != b)
                close(pair[a][b]);
    ik_status first = IK_OK;
    for (unsigned id = 0; id < s->parallel.num_partitions; id++) {
        ending e = {0};
        int how;
        if (take(up[id], &e, sizeof e) && e.status == IK_OK) {
            unsigned char *bytes = malloc(e.bytes);
            assert_true(bytes && take(up[id], bytes, e.bytes));
            assert_int_equal(sim_results_unpack(s, id, bytes), e.bytes);
            free(bytes);
        } else if (e.status != IK_OK && first == IK_OK) {
            first = e.status;
            snprintf(text, size, "%s", e.text);
        }
        close(up[id]);
        assert_int_equal(waitpid(pids[id], &how, 0), pids[id]);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), id == dying ? 7 : 0);
    }
    return first;
}

static void compare(const ik_fabric *f, scenario c)
{
    ik_sim_result one = {0};
    ik_error err = {0};
    if (simulate_on(f, &c, &one, &err) != IK_OK)
        fail_msg("%s, %s: %s", c.sw, c.routing, err.text);
    for (unsigned parts = 2; parts <= MAX_PARTITIONS; parts++) {
        sim s;
        opened o = {0};
        ik_sim_result r = {0};
        char text[160] = "";
        open_run(&o, f, &c, parts);
        assert_int_equal(sim_setup(&s, o.plan, o.traffic, &o.sections.config, &o.env, &err), IK_OK);
        assert_int_equal(s.parallel.num_partitions, parts);
        if (run_processes(&s, IK_NONE, text, sizeof text) != IK_OK)
            fail_msg("%s, %s: %s", c.sw, c.routing, text);
        assert_int_equal(sim_export_results(&s, &r, &err), IK_OK);
        assert_true(r.packets_delivered > 100);
        if (hash_result(f, &r) != hash_result(f, &one))
            fail_msg("%s, %s: %u processes give another result than one", c.sw, c.routing, parts);
        sim_result_clear(&r);
        sim_free(&s);
        close_run(&o);
    }
    sim_result_clear(&one);
}

/* ---- tests */

static scenario base_of(const char *sw)
{
    return (scenario){.sw = sw,
                      .routing = "dmodk",
                      .vc = "1q",
                      .num_vcs = 1,
                      .traffic = "uniform",
                      .load = 0.95,
                      .adapter = "packet=1 kB;injection=poisson",
                      .measure =
                          "warmup=1 us;duration=5 us;series=500 ns;congestion=false;watchdog=0 ns"};
}

static void test_same_results(void **state)
{
    (void)state;
    static const char *const switches[] = {"model=iq;voq=true",
                                           "model=iq;voq=false;routing_delay=5 ns",
                                           "model=ioq;speedup=2", "model=ideal"};
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=3,latency=10 ns", NULL, &f, NULL), IK_OK);
    for (unsigned k = 0; k < 4; k++)
        compare(f, base_of(switches[k]));
    scenario adaptive = base_of(switches[0]);
    adaptive.routing = "adaptive_tree";
    compare(f, adaptive);
    adaptive.adapter = "packet=1 kB;injection=poisson;in_order=true;reorder_buffer=5 kB";
    compare(f, adaptive);
    adaptive.adapter = "packet=1 kB;in_order=true;reorder_buffer=0 B;throttle=strict";
    compare(f, adaptive);
    adaptive.adapter = "packet=1 kB;reply=3 kB;max_outstanding=3";
    compare(f, adaptive);
    scenario classes = base_of(switches[0]);
    classes.traffic = "hotspot:nodes=3,fraction=20%";
    compare(f, classes);
    classes.traffic = "mix:uniform+40%*hotspot:nodes=3;fraction=50%;rest=silent";
    compare(f, classes);
    ik_fabric_free(f);
}

/* What a partition tells of a program is all that results are made of: where every rank receives
 * from any source, also what each receive took. */
static void test_program(void **state)
{
    (void)state;
    enum { RANKS = 9, ROUNDS = 6 };
    char path[] = "/tmp/ikat_goal_XXXXXX", spec[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fprintf(out, "num_ranks %d\n", RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        fprintf(out, "rank %u {\n", r);
        for (unsigned k = 0; k < ROUNDS; k++) {
            fprintf(out, "c%u: calc %u\ns%u: send %ub to %u\nr%u: recv 5000b from -1\n", k,
                    100 + 37 * (r * k % 5), k, 1000 + 3000 * (r % 2), (r + k + 1) % RANKS, k);
            fprintf(out, "s%u requires c%u\nr%u requires c%u\n", k, k, k, k);
            if (k)
                fprintf(out, "c%u requires r%u\n", k, k - 1);
        }
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    scenario c = base_of("model=iq;voq=true");
    snprintf(spec, sizeof spec, "program:trace=%s", path);
    c.traffic = spec;
    c.load = 1;
    c.adapter = "packet=500 B";
    c.measure = "until=delivered;at_most=1 ms;watchdog=0 ns";
    sim s;
    opened o = {0};
    ik_error err = {0};
    ik_sim_result one = {0}, r = {0};
    assert_int_equal(simulate_on(f, &c, &one, &err), IK_OK);
    open_run(&o, f, &c, 1);
    assert_int_equal(sim_setup(&s, o.plan, o.traffic, &o.sections.config, &o.env, &err), IK_OK);
    sim_run_partition(&s.parallel.partitions[0]);
    size_t size = sim_results_pack(&s, 0, NULL);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(sim_results_pack(&s, 0, bytes), size);
    finite *of = s.workload.finite;
    memset(of->ops, 0xff, of->w->graph->num_ops * sizeof *of->ops);
    memset(of->mate, 0xff, of->w->graph->num_ops * sizeof *of->mate);
    assert_int_equal(sim_results_unpack(&s, 0, bytes), size);
    assert_int_equal(sim_export_results(&s, &r, &err), IK_OK);
    assert_true(r.completed && r.critical_path.messages > 3);
    assert_true(hash_result(f, &r) == hash_result(f, &one));
    free(bytes);
    sim_result_clear(&r);
    sim_result_clear(&one);
    sim_free(&s);
    close_run(&o);
    ik_fabric_free(f);
    unlink(path);
}

/* Long links between switches and short ones to hosts: a step has many windows, its mail several
 * messages. Slow links: times of more than 32 bits. */
static void test_long_steps(void **state)
{
    (void)state;
    ik_fabric *f = NULL, *slow = NULL;
    assert_int_equal(
        ik_fabric_from_spec("karytree:k=8,n=2,latency=700 ns,host_latency=5 ns", NULL, &f, NULL),
        IK_OK);
    compare(f, base_of("buffer=64 KiB"));
    ik_fabric_free(f);
    assert_int_equal(
        ik_fabric_from_spec("karytree:k=3,n=2,latency=4 ms,link_rate=1 Mb/s", NULL, &slow, NULL),
        IK_OK);
    scenario c = base_of("buffer=64 KiB");
    c.measure = "warmup=0 ns;duration=3 s;watchdog=0 ns";
    compare(slow, c);
    ik_fabric_free(slow);
}

static void test_a_process_dies(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    scenario c = base_of("voq=true");
    for (unsigned dying = 0; dying < MAX_PARTITIONS; dying++) {
        sim s;
        opened o = {0};
        ik_error err = {0};
        char text[160] = "";
        open_run(&o, f, &c, MAX_PARTITIONS);
        assert_int_equal(sim_setup(&s, o.plan, o.traffic, &o.sections.config, &o.env, &err), IK_OK);
        assert_int_equal(run_processes(&s, dying, text, sizeof text), IK_ERR_IO);
        assert_non_null(strstr(text, "is gone"));
        sim_free(&s);
        close_run(&o);
    }
    ik_fabric_free(f);
}

/* What looks at all parts at once cannot work here, and says so. */
static void test_refuses_watchdog(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    sim s;
    opened o = {0};
    ik_error err = {0};
    char text[160] = "";
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    scenario c = base_of("voq=true");
    c.measure = "warmup=0 ns;duration=5 us;watchdog=1 us";
    open_run(&o, f, &c, 2);
    assert_int_equal(sim_setup(&s, o.plan, o.traffic, &o.sections.config, &o.env, &err), IK_OK);
    assert_int_equal(run_processes(&s, IK_NONE, text, sizeof text), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(text, "one process"));
    sim_free(&s);
    close_run(&o);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_results),     cmocka_unit_test(test_program),
        cmocka_unit_test(test_long_steps),       cmocka_unit_test(test_a_process_dies),
        cmocka_unit_test(test_refuses_watchdog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
