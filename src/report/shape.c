/* SPDX-License-Identifier: Apache-2.0
 *
 * report/shape.c: the shapes of the JSON texts of a results file, and checking a value against one.
 */
#include "report/shape.h"

#include <stdio.h>
#include <string.h>

/* ---- shapes */

static const shape text = {SHAPE_TEXT}, count = {SHAPE_COUNT}, real = {SHAPE_REAL},
                   boolean = {SHAPE_BOOL}, verdict = {SHAPE_BOOL, .or_null = true},
                   count_if_any = {SHAPE_COUNT, .or_null = true},
                   real_if_any = {SHAPE_REAL, .or_null = true},
                   counts = {SHAPE_LIST, .item = &count}, reals = {SHAPE_LIST, .item = &real},
                   reals_if_any = {SHAPE_LIST, .item = &real_if_any},
                   texts = {SHAPE_LIST, .item = &text}, count_rows = {SHAPE_LIST, .item = &counts},
                   real_rows = {SHAPE_LIST, .item = &reals};

#define MEMBERS(...)                                                                               \
    (const shape_member[])                                                                         \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define OBJECT(...)                                                                                \
    {                                                                                              \
        SHAPE_OBJECT, .members = MEMBERS(__VA_ARGS__)                                              \
    }

static const shape rate = OBJECT({"name", &text}, {"rate_bps", &count}, {"latency_ps", &count},
                                 {"links", &count}, {"switch_links", &count}),
                   rates = {SHAPE_LIST, .item = &rate},
                   finding = OBJECT({"severity", &text}, {"code", &text}, {"text", &text},
                                    {"channel", &count, true}, {"node", &count, true}),
                   findings = {SHAPE_LIST, .item = &finding};
const shape shape_summary =
    OBJECT({"family", &text}, {"hosts", &count}, {"switches", &count}, {"switch_ports", &count},
           {"radix", &count}, {"links", &count}, {"switch_links", &count}, {"levels", &count},
           {"intact", &boolean}, {"rates", &rates}, {"findings", &findings});

static const shape link_class =
                       OBJECT({"name", &text}, {"rate_bps", &count}, {"latency_ps", &count}),
                   link_classes = {SHAPE_LIST, .item = &link_class};
const shape shape_drawing =
    OBJECT({"names", &texts}, {"switches", &count}, {"hosts", &count}, {"channels", &count},
           {"levels", &counts, true}, {"groups", &counts, true}, {"layout", &real_rows},
           {"classes", &link_classes}, {"links", &count_rows});

static const shape step = OBJECT({"channel", &count}, {"vc", &count}, {"from", &text},
                                 {"to", &text}, {"source", &text}, {"destination", &text}),
                   steps = {SHAPE_LIST, .item = &step};
const shape shape_proof =
    OBJECT({"proof", &text}, {"pairs", &count}, {"sampled_pairs", &count}, {"flow", &text},
           {"delivered", &verdict}, {"loop_free", &verdict}, {"minimal", &verdict},
           {"deadlock_free", &verdict}, {"deadlock_reason", &text}, {"undelivered", &count_if_any},
           {"loops", &count_if_any}, {"unconnected", &count_if_any}, {"not_minimal", &count_if_any},
           {"vcs_used", &count_if_any}, {"channels", &count_if_any},
           {"dependencies", &count_if_any}, {"max_hops", &count_if_any},
           {"mean_hops", &real_if_any}, {"path_lengths", &counts}, {"witness", &steps});

const shape shape_params = {SHAPE_MAP};

static const shape traffic_class =
    OBJECT({"name", &text}, {"offered", &real_if_any}, {"throughput", &real_if_any},
           {"packets_delivered", &count}, {"latency_mean_ns", &real_if_any},
           {"latency_p50_ns", &real_if_any}, {"latency_p95_ns", &real_if_any},
           {"latency_p99_ns", &real_if_any}, {"latency_max_ns", &real_if_any},
           {"culprit_time_ns", &real_if_any}, {"victim_time_ns", &real_if_any});
const shape shape_classes = {SHAPE_LIST, .item = &traffic_class};

static const shape root = OBJECT({"channel", &count}, {"samples", &count}, {"first", &count},
                                 {"last", &count}, {"buffers", &count}, {"hosts", &count},
                                 {"depth", &count}, {"blocked", &count}),
                   roots = {SHAPE_LIST, .item = &root},
                   flow = OBJECT({"src", &count}, {"dst", &count}, {"packets", &count}),
                   flows = {SHAPE_LIST, .item = &flow};
const shape shape_congestion =
    OBJECT({"period_ps", &count}, {"samples", &count}, {"stride", &count}, {"flow_error", &count},
           {"all_roots", &count}, {"all_culprits", &count}, {"all_victims", &count},
           {"roots", &roots}, {"culprits", &flows}, {"victims", &flows});

static const shape class_series = OBJECT({"name", &text}, {"throughput", &reals_if_any},
                                         {"latency_mean_ns", &reals_if_any}),
                   class_list = {SHAPE_LIST, .item = &class_series};
const shape shape_congestion_series = OBJECT(
    {"roots", &counts}, {"buffers", &counts}, {"hosts", &counts}, {"cyclic", &counts},
    {"bytes", &counts}, {"hol_bytes", &counts}, {"fairness", &reals_if_any}, {"trees", &count_rows},
    {"blocked", &real_rows}, {"hol", &real_rows}, {"classes", &class_list});

static const shape host_finish = OBJECT({"host", &count}, {"finish_ps", &count}),
                   host_finishes = {SHAPE_LIST, .item = &host_finish},
                   message_class = OBJECT({"name", &text}, {"messages", &count}, {"bytes", &count},
                                          {"first_start_ps", &count_if_any},
                                          {"last_delivery_ps", &count_if_any}),
                   message_classes = {SHAPE_LIST, .item = &message_class},
                   segment = OBJECT({"kind", &text}, {"host", &count}, {"peer", &count_if_any},
                                    {"operation", &count}, {"bytes", &count}, {"begin_ps", &count},
                                    {"end_ps", &count}),
                   segments = {SHAPE_LIST, .item = &segment},
                   critical_path = OBJECT(
                       {"messages", &count}, {"compute_ps", &count}, {"processor_ps", &count},
                       {"queue_ps", &count}, {"credit_ps", &count}, {"sending_ps", &count},
                       {"latency_ps", &count}, {"network_ps", &count},
                       /* files of earlier versions lack these */
                       {"throttled_ps", &count, true}, {"reorder_ps", &count, true},
                       {"memory_ps", &count, true}, {"gap_ps", &count, true}, {"left_out", &count},
                       {"segments", &segments});
static const shape rank_times =
                       OBJECT({"rank", &count}, {"host", &count}, {"end_ps", &count},
                              {"compute_ps", &count}, {"send_ps", &count}, {"receive_ps", &count},
                              {"wait_ps", &count}, {"collective_ps", &count}),
                   ranks = {SHAPE_LIST, .item = &rank_times},
                   matrix = OBJECT({"block", &count}, {"rows", &count_rows});
const shape shape_workload =
    OBJECT({"messages", &count}, {"bytes", &count}, {"local_messages", &count, true},
           {"local_bytes", &count, true}, {"control_messages", &count, true},
           {"slowdown_reason", &text, true}, {"last_hosts", &host_finishes},
           {"finish_percentiles_ps", &counts}, {"classes", &message_classes},
           {"classes_left_out", &count, true}, {"critical_path", &critical_path},
           {"ranks", &ranks, true}, {"timeline", &count_rows, true}, {"matrix", &matrix, true});

static const shape reason = OBJECT({"first", &count}, /* number of the first of the points */
                                   {"points", &count}, {"what", &text}, {"why", &text});
const shape shape_left_out = {SHAPE_LIST, .item = &reason};

static const shape event = OBJECT({"time_ps", &count}, {"until_ps", &count, true}, {"stage", &text},
                                  {"reason", &text, true}, {"channel", &count, true},
                                  {"vc", &count}, {"ahead", &count, true}),
                   events = {SHAPE_LIST, .item = &event},
                   watched = OBJECT({"source", &count}, {"number", &count}, {"sent", &boolean},
                                    {"delivered", &boolean}, {"destination", &count, true},
                                    {"bytes", &count, true}, {"events", &events});
const shape shape_watch = {SHAPE_LIST, .item = &watched};

static const shape job =
    OBJECT({"name", &text}, {"hosts", &count}, {"messages", &count}, {"bytes", &count},
           {"start_ns", &real}, {"completion_ns", &real_if_any}, {"alone_ns", &real_if_any},
           {"slowdown", &real_if_any}, {"load", &real_if_any, true},
           {"throughput", &real_if_any, true}, {"latency_mean_ns", &real_if_any, true});
const shape shape_jobs = {SHAPE_LIST, .item = &job};

static const shape probe =
    OBJECT({"load", &real}, {"offered", &real}, {"throughput", &real}, {"measured_ns", &real, true},
           {"accepted", &boolean}, {"steady", &text, true}, {"steady_reason", &text, true});
const shape shape_probes = {SHAPE_LIST, .item = &probe};

const shape shape_values = {SHAPE_LIST, .item = &real};

static const shape placed = OBJECT({"place", &text}, {"value", &real});
const shape shape_placed_values = {SHAPE_LIST, .item = &placed};

const shape shape_routes = OBJECT({"above", &text, true}, {"ends", &boolean, true},
                                  {"lists", &count_rows, true}, {"of", &count_rows, true});

/* ---- checking */

/* The place of the value that is being checked. */
typedef struct path {
    char *text;
    size_t size, used;
} path;

static void shape_enter_key(path *p, const char *key)
{
    int n = snprintf(p->text + p->used, p->size - p->used, p->used ? ".%.40s" : "%.40s", key);
    p->used += n < 0 ? 0 : (size_t)n;
    p->used = p->used < p->size ? p->used : p->size - 1;
}

static void shape_enter_index(path *p, size_t index)
{
    int n = snprintf(p->text + p->used, p->size - p->used, "[%zu]", index);
    p->used += n < 0 ? 0 : (size_t)n;
    p->used = p->used < p->size ? p->used : p->size - 1;
}

static void shape_leave(path *p, size_t used)
{
    p->used = used;
    p->text[used] = '\0';
}

static bool report_shape_differs(path *p, const char *what)
{
    snprintf(p->text + p->used, p->size - p->used, "%s%s", p->used ? " " : "it ", what);
    return true;
}

static bool shape_value_differs(const shape *s, const json_t *value, path *p);

static bool shape_list_differs(const shape *s, const json_t *value, path *p)
{
    size_t i, used = p->used;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        shape_enter_index(p, i);
        if (shape_value_differs(s->item, item, p))
            return true;
        shape_leave(p, used);
    }
    return false;
}

static bool shape_object_differs(const shape *s, const json_t *value, path *p)
{
    size_t used = p->used, known = 0;
    for (const shape_member *m = s->members; m->key; m++) {
        const json_t *member = json_object_get(value, m->key);
        shape_enter_key(p, m->key);
        if (!member && !m->optional)
            return report_shape_differs(p, "is missing");
        if (member && shape_value_differs(m->shape, member, p))
            return true;
        known += member != NULL;
        shape_leave(p, used);
    }
    return known < json_object_size(value) &&
           report_shape_differs(p, "has a member that is unknown");
}

static bool shape_is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool shape_map_differs(const json_t *value, path *p)
{
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        if (!json_is_string(item) && !shape_is_count(item)) {
            shape_enter_key(p, key);
            return report_shape_differs(p, "is neither a text nor a whole number");
        }
    }
    return false;
}

static bool shape_value_differs(const shape *s, const json_t *value, path *p)
{
    if (s->or_null && json_is_null(value))
        return false;
    switch (s->kind) {
    case SHAPE_TEXT:
        return !json_is_string(value) && report_shape_differs(p, "is not text");
    case SHAPE_COUNT:
        return !shape_is_count(value) && report_shape_differs(p, "is not a whole number");
    case SHAPE_REAL:
        return !json_is_number(value) && report_shape_differs(p, "is not a number");
    case SHAPE_BOOL:
        return !json_is_boolean(value) && report_shape_differs(p, "is neither true nor false");
    case SHAPE_LIST:
        return json_is_array(value) ? shape_list_differs(s, value, p)
                                    : report_shape_differs(p, "is not a list");
    case SHAPE_OBJECT:
    case SHAPE_MAP:
        break;
    }
    if (!json_is_object(value))
        return report_shape_differs(p, "is not an object");
    return s->kind == SHAPE_MAP ? shape_map_differs(value, p) : shape_object_differs(s, value, p);
}

const char *shape_differs(const shape *s, const json_t *value, char *message, size_t size)
{
    path p = {.text = message, .size = size};
    message[0] = '\0';
    return shape_value_differs(s, value, &p) ? message : NULL;
}
