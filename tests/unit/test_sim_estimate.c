/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run is said to need before its first packet against what it has allocated when its
 * partitions begin, model by model and fabric by fabric. The linker hands the library's allocations
 * and the start of its partitions to the functions below. */
#include "sim_helper.h"
#include "unit/part.h"

#include <malloc.h>
#include <stdatomic.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);
ik_status __wrap_sim_workers_run(unsigned num, void *items, size_t size, void (*run)(void *item),
                                 double *seconds, ik_error *err);

/* ---- bytes in use; a large block as many as were asked for, since what its alignment costs
 * depends on where the system puts it */

enum { LARGE = 1 << 17, MOST_LARGE = 512 };
static struct {
    void *block;
    size_t bytes;
} large[MOST_LARGE];
static uint64_t in_use, at_start;

static void *counted(void *block, size_t bytes)
{
    size_t at = 0;
    if (!block)
        return NULL;
    in_use += bytes < LARGE ? malloc_usable_size(block) : bytes;
    while (bytes >= LARGE && large[at].block && at < MOST_LARGE - 1)
        at++;
    if (bytes >= LARGE) {
        large[at].block = block;
        large[at].bytes = bytes;
    }
    return block;
}

static void forget(void *block)
{
    for (size_t at = 0; block && at < MOST_LARGE; at++)
        if (large[at].block == block) {
            in_use -= large[at].bytes;
            large[at].block = NULL;
            return;
        }
    in_use -= block ? malloc_usable_size(block) : 0;
}

void *__wrap_malloc(size_t bytes)
{
    return counted(__real_malloc(bytes), bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    forget(old);
    return counted(__real_realloc(old, bytes), bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return counted(__real_aligned_alloc(alignment, bytes), bytes);
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}

ik_status __wrap_sim_workers_run(unsigned num, void *items, size_t size, void (*run)(void *item),
                                 double *seconds, ik_error *err)
{
    (void)num, (void)items, (void)size, (void)run, (void)seconds;
    at_start = in_use;
    return ik_fail(err, IK_ERR_CANCELLED, "set up, not run");
}

/* ---- */

static const struct {
    const char *fabric, *routing;
} fabrics[] = {{"karytree:k=2,n=2", "dmodk"},          {"karytree:k=4,n=3", "dmodk"},
               {"karytree:k=4,n=3", "adaptive_tree"},  {"crossbar:n=100", "minimal"},
               {"torus:dims=8:8", "updown"},           {"rlft:ports=16,levels=3", "dmodk"},
               {"jellyfish:N=200,d=8,p=4", "shortest"}};

static const struct {
    const char *sw, *adapter, *measure, *vc;
    unsigned vcs;
} models[] = {
    {.sw = ""},
    {.sw = "arbiter=round_robin"},
    {.sw = "queues=fifo"},
    {.sw = "queues=damq", .vcs = 2, .vc = "any"},
    {.sw = "queues=voqnet;buffer=8 MiB"},
    {.sw = "model=ioq"},
    {.sw = "model=ioq;queues=fifo", .vcs = 2, .vc = "any"},
    {.sw = "model=ideal"},
    {.sw = "", .adapter = "message=64 KiB"},
    {.sw = "", .adapter = "queues=destination", .vcs = 2, .vc = "any"},
    {.sw = "", .adapter = "in_order=true"},
    {.sw = "", .adapter = "in_order=true;reorder_buffer=8 KiB", .vcs = 2, .vc = "any"},
    {.sw = "", .adapter = "reply=64 B"},
    {.sw = "model=ioq", .adapter = "packet=1 KiB;reply=4 KiB;max_outstanding=20"},
    {.sw = "", .measure = "series=1 us"},
    {.sw = "model=pipelined;buffer=1 KiB", .adapter = "packet=64 B"},
    {.sw = "model=pipelined;speedup=2;buffer=4 KiB",
     .adapter = "packet=64 B",
     .vcs = 4,
     .vc = "any"},
    {.sw = "model=pipelined;buffer=1 KiB;sw_allocator=wavefront", .adapter = "packet=64 B"},
    {.sw = "model=pipelined;buffer=1 KiB", .adapter = "packet=64 B", .measure = "series=1 us"}};

/* Nothing where the model does not serve the fabric. */
static unsigned compare(const scenario *c, const ik_plan *plan, const ik_traffic *traffic,
                        unsigned threads)
{
    ik_error err = {0};
    ik_env env = {.seed = 1, .num_threads = threads};
    ik_sim_result r = {0};
    ik_sim_estimate e;
    sections s;
    open_sections(&s, c, &err);
    uint64_t further = threads < plan->fabric->num_switches ? threads : plan->fabric->num_switches,
             more, bytes = ik_sim_estimate_bytes(plan, &s.config);
    ik_sim_estimate_run(plan, &s.config, &e);
    more = (further ? further - 1 : 0) * e.thread_bytes;
    uint64_t before = in_use;
    at_start = 0;
    ik_status status = sim_run(plan, traffic, &s.config, &env, &r, &err);
    uint64_t taken = at_start - before;
    if (status == IK_ERR_CANCELLED)
        assert_true(e.bytes >= bytes);
    double share = (double)(bytes + more) / (double)taken;
    if (getenv("IKAT_TEST_SHOW"))
        print_message("%-24s %-13s %-44s %-20s %u threads: %8.1f kB, %.3f\n", c->fabric, c->routing,
                      c->sw, c->adapter, threads, (double)taken / 1e3, share);
    else if (status == IK_ERR_CANCELLED && !(share > 0.9 && share < 1.3))
        fail_msg("%s %s \"%s\" \"%s\", %u threads: %llu B estimated, %llu B allocated", c->fabric,
                 c->routing, c->sw, c->adapter, threads, (unsigned long long)(bytes + more),
                 (unsigned long long)taken);
    close_sections(&s);
    return status == IK_ERR_CANCELLED;
}

static void test_bytes_before_the_first_packet(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_env env = {.seed = 1, .num_threads = 1};
    unsigned compared = 0;
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        ik_fabric *f = NULL;
        ik_traffic *traffic = NULL;
        assert_int_equal(ik_fabric_from_spec(fabrics[k].fabric, &env, &f, &err), IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &traffic, &err), IK_OK);
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            char measure[80];
            snprintf(measure, sizeof measure, "warmup=1 us;duration=10 us%s%s",
                     models[m].measure ? ";" : "", models[m].measure ? models[m].measure : "");
            scenario c = {.fabric = fabrics[k].fabric,
                          .routing = fabrics[k].routing,
                          .sw = models[m].sw,
                          .adapter = models[m].adapter ? models[m].adapter : "",
                          .measure = measure,
                          .vc = models[m].vc,
                          .num_vcs = models[m].vcs,
                          .load = 0.5};
            ik_plan *plan = NULL;
            if (ik_plan_from_specs(f, c.routing, c.vc, NULL, c.num_vcs, &env, &plan, &err) != IK_OK)
                continue;
            for (unsigned threads = 1; threads <= 3; threads += 2)
                compared += compare(&c, plan, traffic, threads);
            ik_plan_free(plan);
        }
        ik_traffic_free(traffic);
        ik_fabric_free(f);
    }
    assert_true(compared >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {on_one_thread(test_bytes_before_the_first_packet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
