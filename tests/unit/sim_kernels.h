/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_kernels.h: a case in the general engine and in all forms of the specialised one, and whether
 * they give the same. */
#ifndef IKAT_TEST_SIM_KERNELS_H
#define IKAT_TEST_SIM_KERNELS_H

#include "sim/fast/fast.h"
#include "sim/inspect/look.h"
#include "sim/run.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

enum { MOST_CHECKED = 30 }; /* us: longer runs are compared, but not checked on the way */

typedef struct variant {
    const char *fabric, *vc, *sw;
    unsigned num_vcs;
    double load;
    unsigned duration_us; /* short where packets are: there are many */
    const char *selection, *adapter;
    bool deadlocks;
} variant;

/* fast: the specialised engine without what is early or dense; plain: with it, nobody checks while
 * it runs */
typedef enum kernel { GENERAL, FAST, CHECKED, PLAIN } kernel;

/* Over the first packets of output buffers, and the bytes in transmission. */
static uint64_t hash_outputs(sim *s)
{
    uint64_t sum = 0;
    partition *p = &s->parallel.partitions[0];
    for (uint32_t port = 0; s->sw.out_buffers && port < s->f->port_base[s->f->num_switches]; port++)
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            uint32_t head = look_output_head(s, port, v);
            sum = sum * 31 + state_output_of(s, port)->link +
                  (unsigned)*state_space_of(s, s->sw.vcs, port, v);
            if (head != IK_NONE)
                sum += sim_delivery_hash(&look_packet(p, head)->rt, look_packet(p, head)->t_gen, 0);
        }
    return sum;
}

/* Over the heads of all queues as those see them who look at a network at rest; those are the same,
 * whatever a kernel does early. */
static uint64_t hash_heads(sim *s)
{
    uint64_t sum = 0, place = 1;
    partition *p = &s->parallel.partitions[0];
    p->window = s->window.last_ps / s->window.lookahead;
    p->start = s->window.last_ps;
    s->engine.ops->expose(p);
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        for (unsigned in = 0; in < s->net.switches[sw].radix; in++)
            for (unsigned v = 0; v < s->sw.vcs; v++)
                for (uint32_t n = 0; n < look_queues(s, sw); n++, place += 2) {
                    uint32_t head = look_head(s, sw, in, v, n);
                    if (head != IK_NONE)
                        sum += place * sim_delivery_hash(&look_packet(p, head)->rt,
                                                         look_packet(p, head)->t_gen, 0);
                }
    return sum + hash_outputs(s);
}

/* What a run returns, but its events, what stands in the queues at its end and, if it ends so,
 * the deadlock and its time. */
static uint64_t run_once(sim *s, const char *what, uint64_t *hops)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    sim_run_partition(&s->parallel.partitions[0]);
    if (s->parallel.partitions[0].status != IK_OK)
        fail_msg("%s: %s", what, s->parallel.partitions[0].err.text);
    uint64_t sum = s->outcome.deadlock ? s->outcome.stopped_ps : hash_heads(s);
    assert_int_equal(sim_export_results(s, &r, &err), IK_OK);
    *hops = r.packet_hops;
    r.events = r.order_violations = 0; /* the latter is counted by checks alone */
    sum = sum * 31 + hash_result(s->f, &r);
    sim_result_clear(&r);
    return sum;
}

static void set_up(sim *s, const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *c,
                   kernel which)
{
    static const ik_env env = {.seed = 3};
    ik_error err = {0};
    assert_int_equal(sim_setup_engine(s, plan, traffic, c, &env,
                                      which == GENERAL ? &sim_general_engine : NULL, &err),
                     IK_OK);
    assert_int_equal(s->engine.ops == &sim_fast_engine,
                     which != GENERAL);                     /* otherwise this compares nothing */
    assert_true(which == GENERAL || !s->net.allowed_store); /* of the general engine alone */
    if (which != GENERAL) /* adapters of its own, but where reorder space is limited */
        assert_int_equal(s->engine.fast->hosts != NULL, s->reorder.limit == REORDER_UNLIMITED &&
                                                            s->adapter.num_queues == s->sw.vcs);
    if (which >= CHECKED)
        assert_true(s->engine.fast->early || s->engine.fast->dense || s->sw.store_forward ||
                    s->choice.adaptive || s->engine.fast->mixed || s->engine.fast->steps ||
                    s->sw.out_buffers);
    if (which == FAST) {
        s->engine.fast->plain = s->engine.fast->early = s->engine.fast->dense = false;
        sim_choose_fast(s);
        sim_fast_choose_adapters(s);
    }
}

static uint64_t run_kernel(const variant *v, const char *routing, const char *pattern,
                           const char *watchdog, kernel which, uint64_t *hops)
{
    ik_env env = {.seed = 3};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    sim s;
    assert_int_equal(ik_fabric_from_spec(v->fabric, &env, &f, &err), IK_OK);
    assert_int_equal(
        ik_plan_from_specs(f, routing, v->vc, v->selection, v->num_vcs, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, pattern, &env, &traffic, &err), IK_OK);
    char times[120];
    snprintf(times, sizeof times, "warmup=0 ns;duration=%u us;watchdog=%s;series=%u ns;paranoid=%s",
             v->duration_us, watchdog, v->duration_us * 1000 / 13,
             which != PLAIN && v->duration_us <= MOST_CHECKED ? "true" : "false");
    const scenario c = {.sw = v->sw, .adapter = v->adapter, .measure = times, .load = v->load};
    sections at;
    assert_int_equal(open_sections(&at, &c, &err), IK_OK);
    set_up(&s, plan, traffic, &at.config, which);
    uint64_t sum = run_once(&s, v->fabric, hops);
    assert_int_equal(s.outcome.deadlock, v->deadlocks);
    sim_free(&s);
    close_sections(&at);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return sum;
}

static void compare_always(const variant *v, const char *routing, const char *pattern,
                           const char *watchdog)
{
    uint64_t hops[PLAIN + 1], sums[PLAIN + 1];
    for (kernel k = GENERAL; k <= PLAIN; k++)
        if (k != CHECKED || v->duration_us <= MOST_CHECKED) /* else it is as plain */
            sums[k] = run_kernel(v, routing, pattern, watchdog, k, &hops[k]);
    for (kernel k = FAST; k <= PLAIN; k++)
        if (k == CHECKED && v->duration_us > MOST_CHECKED)
            continue;
        else if (sums[k] != sums[GENERAL] || hops[k] != hops[GENERAL])
            fail_msg("%s %s %s: kernel %d differs from the general one (%llu and %llu hops)",
                     v->fabric, v->vc, v->sw, k, (unsigned long long)hops[k],
                     (unsigned long long)hops[GENERAL]);
}

static void compare(const variant *v, const char *routing, const char *pattern,
                    const char *watchdog)
{
    static unsigned number;
    number++;
    if (SANITIZED ? in_part(number, 5) : all_asked() || number % 2)
        compare_always(v, routing, pattern, watchdog);
}

#endif
