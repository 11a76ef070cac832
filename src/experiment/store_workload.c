/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_workload.c: what became of a finite workload, as JSON text: what reports show
 * as it stands. */
#include "experiment/store_texts.h"

#include "base/array.h"
#include "ikat/json.h"

#include <stdlib.h>

enum { LAST_HOSTS = 10 };

/* ---- hosts by the time when they were done */

typedef struct finish {
    uint64_t ps;
    uint32_t host;
} finish;

static int store_workload_by_finish(const void *a, const void *b)
{
    const finish *x = a, *y = b;
    if (x->ps != y->ps)
        return (x->ps > y->ps) - (x->ps < y->ps);
    return (x->host < y->host) - (x->host > y->host); /* of one time the first host comes last */
}

static void store_workload_put_last(ik_json *j, const finish *order, uint32_t hosts)
{
    ik_json_array(j, "last_hosts");
    for (uint32_t k = 0; k < LAST_HOSTS && k < hosts; k++) {
        ik_json_object(j, NULL);
        ik_json_uint(j, "host", order[hosts - 1 - k].host);
        ik_json_uint(j, "finish_ps", order[hosts - 1 - k].ps);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* By when every hundredth part of the hosts was done. */
static void store_workload_put_percentiles(ik_json *j, const finish *order, uint32_t hosts)
{
    ik_json_array(j, "finish_percentiles_ps");
    for (uint32_t k = 0; k <= 100 && hosts; k++)
        ik_json_uint(j, NULL, order[(uint64_t)k * (hosts - 1) / 100].ps);
    ik_json_close(j);
}

static void store_workload_put_hosts(ik_json *j, const ik_sim_result *r, uint32_t hosts)
{
    finish *order = ik_calloc(hosts + (size_t)1, sizeof *order);
    if (!order) {
        ik_json_fail(j, IK_ERR_MEMORY);
        return;
    }
    uint32_t num = 0;
    for (uint32_t host = 0; host < hosts; host++)
        if (r->host_finish_ps[host] > 0) /* it takes part */
            order[num++] = (finish){r->host_finish_ps[host], host};
    qsort(order, num, sizeof *order, store_workload_by_finish);
    store_workload_put_last(j, order, num);
    store_workload_put_percentiles(j, order, num);
    free(order);
}

/* ---- classes of messages */

static void store_workload_put_classes(ik_json *j, const ik_sim_result *r)
{
    ik_json_array(j, "classes");
    for (size_t k = 0; k < r->num_message_classes; k++) {
        const ik_message_class *c = &r->message_classes[k];
        ik_json_object(j, NULL);
        ik_json_text(j, "name", c->name);
        ik_json_uint(j, "messages", c->messages);
        ik_json_uint(j, "bytes", c->bytes);
        if (c->first_ps == UINT64_MAX)
            ik_json_null(j, "first_start_ps");
        else
            ik_json_uint(j, "first_start_ps", c->first_ps);
        if (c->last_ps)
            ik_json_uint(j, "last_delivery_ps", c->last_ps);
        else
            ik_json_null(j, "last_delivery_ps");
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- the critical path */

static void store_workload_put_segment(ik_json *j, const ik_path_segment *one)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "kind", ik_path_kind_name(one->kind));
    ik_json_uint(j, "host", one->host);
    if (one->peer == IK_NONE)
        ik_json_null(j, "peer");
    else
        ik_json_uint(j, "peer", one->peer);
    ik_json_uint(j, "operation", one->op);
    ik_json_uint(j, "bytes", one->bytes);
    ik_json_uint(j, "begin_ps", one->begin_ps);
    ik_json_uint(j, "end_ps", one->end_ps);
    ik_json_close(j);
}

static void store_workload_put_path(ik_json *j, const ik_critical_path *path)
{
    ik_json_object(j, "critical_path");
    ik_json_uint(j, "messages", path->messages);
    for (unsigned kind = 0; kind < IK_PATH_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ps", ik_path_kind_name((ik_path_kind)kind));
        ik_json_uint(j, key, path->kind_ps[kind]);
    }
    ik_json_uint(j, "left_out", path->left_out);
    ik_json_array(j, "segments");
    for (size_t k = 0; k < path->num_segments; k++)
        store_workload_put_segment(j, &path->segments[k]);
    ik_json_close(j);
    ik_json_close(j);
}

/* ---- ranks of programs */

/* Of each rank what it was in and until when, one after the other: a list of numbers. */
static void store_workload_put_timeline(ik_json *j, const ik_sim_result *r)
{
    size_t k = 0;
    ik_json_array(j, "timeline");
    for (uint32_t rank = 0; rank < r->num_ranks; rank++) {
        ik_json_array(j, NULL);
        for (; k < r->num_timeline && r->timeline[k].rank == rank; k++) {
            ik_json_uint(j, NULL, r->timeline[k].kind);
            ik_json_uint(j, NULL, r->timeline[k].to_ps);
        }
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void store_workload_put_ranks(ik_json *j, const ik_sim_result *r)
{
    static const char *const keys[IK_CALL_KINDS] = {NULL,         "compute_ps", "send_ps",
                                                    "receive_ps", "wait_ps",    "collective_ps"};
    if (!r->ranks)
        return;
    ik_json_array(j, "ranks");
    for (uint32_t k = 0; k < r->num_ranks; k++) {
        const ik_rank_times *t = &r->ranks[k];
        ik_json_object(j, NULL);
        ik_json_uint(j, "rank", t->rank);
        ik_json_uint(j, "host", t->host);
        ik_json_uint(j, "end_ps", t->end_ps);
        for (unsigned kind = 1; kind < IK_CALL_KINDS; kind++)
            ik_json_uint(j, keys[kind], t->ps[kind]);
        ik_json_close(j);
    }
    ik_json_close(j);
    store_workload_put_timeline(j, r);
    ik_json_object(j, "matrix");
    ik_json_uint(j, "block", r->matrix_block);
    ik_json_array(j, "rows");
    for (size_t k = 0; k < r->num_matrix; k++) {
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, r->matrix[k].src);
        ik_json_uint(j, NULL, r->matrix[k].dst);
        ik_json_uint(j, NULL, r->matrix[k].messages);
        ik_json_uint(j, NULL, r->matrix[k].bytes);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void store_workload_put_unless_0(ik_json *j, const char *key, uint64_t value)
{
    if (value)
        ik_json_uint(j, key, value);
}

/* Why a workload ended sooner than on the crossbar. */
static void put_slowdown_reason(ik_json *j, const ik_sim_result *r, double reference_ns)
{
    char text[256];
    if (!r->completed || (double)r->completion_ps / 1e3 >= reference_ns)
        return;
    snprintf(text, sizeof text,
             "a crossbar serves packets in the order in which they arrive, which is not the best "
             "order: it took %.6g us; here packets met in another order, which took %.6g us",
             reference_ns / 1e3, (double)r->completion_ps / 1e6);
    ik_json_text(j, "slowdown_reason", text);
}

ik_status workload_text(const ik_sim_result *r, uint32_t num_hosts, double reference_ns,
                        char **text, ik_error *err)
{
    ik_json j;
    if (!r->finite) {
        *text = ik_calloc(1, 1);
        return *text ? IK_OK : ik_fail_memory(err, 1, "a result");
    }
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_json_uint(&j, "messages", r->workload_messages);
    ik_json_uint(&j, "bytes", r->workload_bytes);
    store_workload_put_unless_0(&j, "local_messages", r->local_messages);
    store_workload_put_unless_0(&j, "local_bytes", r->local_bytes);
    store_workload_put_unless_0(&j, "control_messages", r->control_messages);
    put_slowdown_reason(&j, r, reference_ns);
    store_workload_put_hosts(&j, r, num_hosts);
    store_workload_put_classes(&j, r);
    store_workload_put_path(&j, &r->critical_path);
    store_workload_put_ranks(&j, r);
    ik_json_close(&j);
    return ik_json_end_text(&j, text, NULL, err);
}
