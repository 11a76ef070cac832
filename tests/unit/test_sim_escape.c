/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans that an escape layer makes free from deadlock, at full load: whatever selects the outputs
 * and however the switch keeps its packets, a run proved by Duato's condition never stands still.
 * Where the condition is not proved the run is left out. */
#include "ikat/verify.h"
#include "sim_helper.h"
#include "unit/part.h"
#include <stdlib.h>

static const struct {
    const char *fabric, *vc;
} layers[] = {
    {"mesh:dims=4:4,p=4", "escape:routing=updown"},
    {"mesh:dims=4:4,p=4", "escape:routing=dor"},
    {"hyperx:dims=3:3,p=6", "escape:routing=updown"},
    {"torus:dims=4:4,p=3", "escape:routing=updown"},
    {"torus:dims=5:5,p=3", "escape:routing=updown"},
    {"mesh:dims=3:3:3,p=3", "escape:routing=dor"},
    {"polarfly:q=4,p=4", "escape:routing=updown"},
};
static const char *const selections[] = {
    "first_free", "first_free:skip_busy=true", "random", "most_credits", "least_queued", "cyclic"};
static const char *const switches[] = {
    "queues=fifo;buffer=8 KiB",
    "queues=fifo;buffer=24 KiB",
    "queues=voqsw;buffer=8 KiB",
    "queues=voqsw;buffer=24 KiB",
    "queues=damq;buffer=24 KiB",
    "model=ioq;queues=fifo;buffer=8 KiB;output_buffer=8 KiB",
    "model=ioq;buffer=24 KiB;output_buffer=24 KiB",
};
static const char *const traffics[] = {"uniform", "complement", "permutation"};

static uint64_t delivered(const ik_sim_result *r, size_t hosts)
{
    uint64_t sum = 0;
    for (size_t h = 0; h < hosts; h++)
        sum += r->host_bytes[h];
    return sum;
}

/* Whether the run may rest on the layer. */
static bool proved(const ik_plan *plan, const scenario *c)
{
    sections s;
    ik_error err = {0};
    assert_int_equal(open_sections(&s, c, &err), IK_OK);
    bool whole = ik_sim_flow_of(&s.sw) == IK_SIM_CUT_THROUGH;
    close_sections(&s);
    ik_verify_config config = {.flow = whole ? IK_FLOW_CUT_THROUGH : IK_FLOW_SETTLED};
    ik_env env = env_of(c);
    ik_proof proof = {0};
    assert_int_equal(ik_verify(plan, &config, &env, &proof, &err), IK_OK);
    bool yes = proof.deadlock_free == IK_YES && proof.condition != IK_CONDITION_ACYCLIC;
    ik_proof_free(&proof);
    return yes;
}

typedef struct runs {
    unsigned made, still;
} runs;

static unsigned print_still(const scenario *c, const ik_sim_result *r)
{
    print_error("%s, %s, %s, %s, %s: stands still%s\n", c->fabric, c->vc, c->selection, c->sw,
                c->traffic, r->deadlock ? ", in a deadlock" : "");
    return 1;
}

/* Makes the run if it is proved. */
static void run_case(const ik_fabric *f, const scenario *c, runs *tally)
{
    ik_env env = env_of(c);
    ik_error err = {0};
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_sim_result r = {0};
    assert_int_equal(
        ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &env, &plan, &err),
        IK_OK);
    if (proved(plan, c)) {
        assert_int_equal(ik_traffic_from_spec(f, c->traffic, &env, &traffic, &err), IK_OK);
        if (run_plan(plan, traffic, c, &r, &err) != IK_OK)
            fail_msg("%s: %s (%s)", c->sw, err.text, err.hint);
        if (r.deadlock || delivered(&r, f->num_hosts) == 0)
            tally->still += print_still(c, &r);
        tally->made++;
        sim_result_clear(&r);
        ik_traffic_free(traffic);
    }
    ik_plan_free(plan);
}

/* All combinations with IKAT_TEST_ALL; else every `step`-th, and those of the first layer in which
 * heads of one input once waited for each other's outputs. */
static void test_proved_layers_keep_moving(void **state)
{
    (void)state;
    unsigned step = as_many(1, 33, 99), number = 0;
    runs tally = {0};
    for (size_t l = 0; l < sizeof layers / sizeof *layers; l++) {
        ik_fabric *f = fabric_of(layers[l].fabric);
        for (size_t w = 0; w < sizeof switches / sizeof *switches; w++)
            for (size_t s = 0; s < sizeof selections / sizeof *selections; s++)
                for (size_t t = 0; t < sizeof traffics / sizeof *traffics; t++) {
                    scenario c = {layers[l].fabric,
                                  "minimal",
                                  layers[l].vc,
                                  selections[s],
                                  traffics[t],
                                  switches[w],
                                  .measure = "warmup=150 us;duration=20 us",
                                  .load = 100};
                    bool crossed = l == 0 && w == 4 && s < 2 && t == 0;
                    if (number++ % step == 0 || crossed)
                        run_case(f, &c, &tally);
                }
        ik_fabric_free(f);
    }
    assert_true(tally.made > number / step / 3);
    assert_int_equal(tally.still, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_proved_layers_keep_moving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
