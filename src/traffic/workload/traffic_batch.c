/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_batch.c: so many messages of every host to destinations that a pattern draws, then it is
 * over. Nothing is stored: message n of a host goes where the pattern says of its message n.
 *
 * With replies (section adapter) and at most so many requests outstanding it is the closed-loop
 * measurement that W. Dally and B. Towles describe (Principles and Practices of Interconnection
 * Networks, 2004, section 24.2) and BookSim's batch mode. */
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "traffic 'batch'"

static const ik_param params[] = {
    {"pattern", IK_PARAM_PATTERNS, "uniform", 0, 0, NULL,
     "traffic pattern that says where each message goes, in parentheses if it has parameters: "
     "(hotspot:nodes=5,fraction=10%), or several with shares (80%*uniform+20%*shift)"},
    {"messages", IK_PARAM_UINT, "1000", 1, 2147483647.0, NULL,
     "messages of every host that is not silent in the pattern; requests, if there are replies"},
    {"bytes", IK_PARAM_SIZE, "4 KiB", 1, 1e15, NULL, "size of a message"},
    {"repeat", IK_PARAM_UINT, "1", 1, 10000, NULL,
     "number of batches; a host begins the next one when all of its requests have their reply, so "
     "more than one batch needs adapter.reply"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct batch {
    ik_traffic *pattern;
    ik_workload work;
} batch;

static void batch_destroy(ik_traffic *t)
{
    batch *b = t->impl;
    ik_traffic_free(b->pattern);
    ik_workload_clear(&b->work);
    free(b);
    t->impl = NULL;
}

static ik_status batch_refuse_pattern(const char *spec, const char *why, const char *hint,
                                      ik_error *err)
{
    ik_status status = ik_fail(err, IK_ERR_USAGE, OWNER ", pattern '%.80s': %s", spec, why);
    ik_about(err, status, "pattern");
    return ik_hint(err, status, "%s", hint);
}

static ik_status batch_open_pattern(ik_traffic *t, batch *b, const ik_params *p, const ik_env *env,
                                    ik_error *err)
{
    ik_arena arena = {0};
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "pattern", &num);
    const char *spec = list[0].spec;
    if (num != 1 || list[0].share || list[0].name)
        spec = ik_arena_printf(&arena, "mix:members=%s", ik_params_text(p, "pattern"));
    ik_status status = spec ? ik_traffic_from_spec(t->fabric, spec, env, &b->pattern, err)
                            : ik_fail_memory(err, 1, OWNER);
    if (status != IK_OK && spec && num == 1)
        ik_about_within(err, status, "pattern/0/pattern");
    else if (status != IK_OK && spec) /* a mix of what is listed here */
        ik_about(err, status, "pattern");
    if (status == IK_OK && b->pattern->workload)
        status =
            batch_refuse_pattern(spec, "it is itself a finite workload",
                                 "a batch is made of an endless pattern, such as uniform", err);
    else if (status == IK_OK && b->pattern->schedule)
        status = batch_refuse_pattern(spec, "it changes with time, and a batch has no times",
                                      "one pattern for all of the batch", err);
    ik_arena_free(&arena);
    return status == IK_OK ? pattern_join_notes(t, &b->pattern, 1, err) : status;
}

uint64_t ik_batch_count(const ik_workload *w, uint32_t host, uint64_t number)
{
    assert(host < w->num_hosts);
    const ik_traffic *of = w->batch;
    uint64_t count = 0;
    if (ik_traffic_is_silent(of, host))
        return 0;
    if (!of->gaps)
        return w->batch_messages;
    for (uint64_t n = 0; n < w->batch_messages; n++)
        count += of->family->dest(of, host, number * w->batch_messages + n) != IK_NONE;
    return count;
}

/* Messages that are examined one by one, since the pattern leaves some of them out. */
#define MOST_WITH_GAPS (UINT64_C(1) << 28)

static ik_status batch_check_gaps(const ik_traffic *of, const ik_workload *w, ik_error *err)
{
    uint64_t senders = 0, each = w->batch_messages * w->repeat;
    for (uint32_t host = 0; host < of->num_hosts; host++)
        senders += !ik_traffic_is_silent(of, host);
    if (!of->gaps || senders == 0 || each <= MOST_WITH_GAPS / senders)
        return IK_OK;
    ik_status status = ik_about(
        err,
        ik_fail(err, IK_ERR_UNSUPPORTED,
                OWNER
                ": %llu messages of each of %llu hosts are too many for '%.80s', which leaves "
                "single messages out, so that they are counted one by one",
                (unsigned long long)each, (unsigned long long)senders, of->spec),
        "messages repeat");
    return ik_hint(err, status, "at most %llu of each host",
                   (unsigned long long)(MOST_WITH_GAPS / senders));
}

static ik_status batch_count_messages(const ik_traffic *t, ik_workload *w, uint64_t bytes,
                                      ik_error *err)
{
    for (uint32_t host = 0; host < t->num_hosts; host++) {
        if (ik_host_port(t->fabric, host) == IK_NONE) {
            ik_fail(err, IK_ERR_USAGE,
                    OWNER ": host %u has no cable: it can neither send nor receive", host);
            return ik_hint(err, IK_ERR_USAGE,
                           "leave such hosts out of the fabric (parameter hosts)");
        }
        for (uint64_t r = 0; r < w->repeat; r++)
            w->num_messages += ik_batch_count(w, host, r);
    }
    if (w->num_messages == 0)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, OWNER ": the pattern has no message among %s",
                                IK_COUNT(t->num_hosts, "host")),
                        "pattern");
    if (bytes > (UINT64_C(1) << 60) / w->num_messages)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                OWNER ": %llu messages of %llu B are more than 2^60 B",
                                (unsigned long long)w->num_messages, (unsigned long long)bytes),
                        "bytes messages repeat");
    w->bytes = w->num_messages * bytes;
    return IK_OK;
}

static ik_status batch_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    batch *b = ik_calloc(1, sizeof *b);
    if (!b)
        return ik_fail_memory(err, sizeof *b, OWNER);
    t->impl = b;
    uint64_t bytes = ik_params_uint(p, "bytes");
    b->work = (ik_workload){.num_hosts = t->num_hosts,
                            .num_classes = 1,
                            .uniform = true,
                            .largest = bytes,
                            .batch_messages = ik_params_uint(p, "messages"),
                            .repeat = ik_params_uint(p, "repeat")};
    ik_status status = batch_open_pattern(t, b, p, env, err);
    if (status != IK_OK)
        return status;
    b->work.batch = b->pattern;
    t->of_fabric = b->pattern->family->of_fabric || b->pattern->of_fabric;
    t->gaps = b->pattern->gaps;
    t->workload = &b->work;
    status = batch_check_gaps(b->pattern, &b->work, err);
    return status == IK_OK ? batch_count_messages(t, &b->work, bytes, err) : status;
}

/* As a pattern it is the one that draws. */

static const ik_traffic *batch_pattern_of(const ik_traffic *t)
{
    return ((const batch *)t->impl)->pattern;
}

static uint32_t traffic_batch_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const ik_traffic *of = batch_pattern_of(t);
    return of->family->dest(of, src, n);
}

static bool traffic_batch_silent(const ik_traffic *t, uint32_t src)
{
    return ik_traffic_is_silent(batch_pattern_of(t), src);
}

static void traffic_batch_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const ik_traffic *of = batch_pattern_of(t);
    of->family->flows(of, src, fn, ctx);
}

static bool traffic_batch_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const ik_traffic *of = batch_pattern_of(t);
    return of->family->even && of->family->even(of, weight, scale);
}

const ik_traffic_family ik_traffic_batch = {
    .name = "batch",
    .summary = "a given number of messages from every host, to destinations of a pattern; the run "
               "ends when all are delivered",
    .source = "W. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 24.2 (closed-loop measurement); N. Jiang et al., A Detailed and Flexible "
              "Cycle-Accurate Network-on-Chip Simulator, ISPASS 2013 (batch mode)",
    .details =
        "This is a finite workload: use it with `measure: {until: delivered, at_most: 10 ms}`, "
        "without load and warm-up. Every host has `messages` messages from the start and sends "
        "them as fast as its link accepts packets. With `adapter: {reply, max_outstanding}` they "
        "are requests, of which at most max_outstanding wait for their reply at a time, and the "
        "workload ends with the arrival of the last reply. Hosts that are silent in the pattern "
        "send none; messages that the pattern leaves out are not replaced. See docs/workloads.md.",
    .params = params,
    .create = batch_create,
    .destroy = batch_destroy,
    .dest = traffic_batch_dest,
    .silent = traffic_batch_silent,
    .flows = traffic_batch_flows,
    .even = traffic_batch_even,
    .ends = true,
};
