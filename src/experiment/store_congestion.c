/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_congestion.c: congestion and classes of a point as JSON texts: what reports show
 * as it stands.
 */
#include "experiment/store_texts.h"

#include "ikat/json.h"

#include <math.h>
#include <stdlib.h>

enum { DIGITS = 9 };

static void store_congestion_put_reals(ik_json *j, const char *key, const double *values,
                                       size_t num)
{
    ik_json_array(j, key);
    for (size_t n = 0; n < num; n++)
        ik_json_real(j, NULL, values[n], DIGITS);
    ik_json_close(j);
}

/* ---- what stands in every report */

static void store_congestion_put_roots(ik_json *j, const ik_congestion *k)
{
    ik_json_array(j, "roots");
    for (size_t n = 0; n < k->num_roots; n++) {
        const ik_congestion_root *r = &k->root_list[n];
        ik_json_object(j, NULL);
        ik_json_uint(j, "channel", r->port);
        ik_json_uint(j, "samples", r->samples);
        ik_json_uint(j, "first", r->first);
        ik_json_uint(j, "last", r->last);
        ik_json_uint(j, "buffers", r->buffers);
        ik_json_uint(j, "hosts", r->hosts);
        ik_json_uint(j, "depth", r->depth);
        ik_json_uint(j, "blocked", r->blocked);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void store_congestion_put_flows(ik_json *j, const char *key, const ik_congestion_flow *flows,
                                       size_t num, bool victims)
{
    ik_json_array(j, key);
    for (size_t n = 0; n < num; n++) {
        ik_json_object(j, NULL);
        ik_json_uint(j, "src", flows[n].src);
        ik_json_uint(j, "dst", flows[n].dst);
        ik_json_uint(j, "packets", victims ? flows[n].victim : flows[n].culprit);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void store_congestion_put_summary(ik_json *j, const ik_sim_result *r)
{
    const ik_congestion *k = &r->congestion;
    ik_json_object(j, NULL);
    ik_json_uint(j, "period_ps", k->period_ps);
    ik_json_uint(j, "samples", k->num_samples);
    ik_json_uint(j, "stride", k->stride);
    ik_json_uint(j, "flow_error", k->flow_error);
    ik_json_uint(j, "all_roots", k->all_roots);
    ik_json_uint(j, "all_culprits", k->all_culprits);
    ik_json_uint(j, "all_victims", k->all_victims);
    store_congestion_put_roots(j, k);
    store_congestion_put_flows(j, "culprits", k->culprits, k->num_culprits, false);
    store_congestion_put_flows(j, "victims", k->victims, k->num_victims, true);
    ik_json_close(j);
}

static void store_congestion_put_class(ik_json *j, const ik_class_result *c, bool sampled)
{
    const ik_histogram *h = &c->latency;
    ik_json_object(j, NULL);
    ik_json_text(j, "name", c->name);
    ik_json_real(j, "offered", c->offered, DIGITS);
    ik_json_real(j, "throughput", c->throughput, DIGITS);
    ik_json_uint(j, "packets_delivered", h->count);
    const struct {
        const char *name;
        double ps;
    } latencies[] = {{"latency_mean_ns", h->mean},
                     {"latency_p50_ns", ik_histogram_percentile(h, 0.50)},
                     {"latency_p95_ns", ik_histogram_percentile(h, 0.95)},
                     {"latency_p99_ns", ik_histogram_percentile(h, 0.99)},
                     {"latency_max_ns", (double)h->max}};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        ik_json_real(j, latencies[i].name, h->count ? latencies[i].ps / 1e3 : NAN, DIGITS);
    ik_json_real(j, "culprit_time_ns", sampled ? c->culprit_time_ns : NAN, DIGITS);
    ik_json_real(j, "victim_time_ns", sampled ? c->victim_time_ns : NAN, DIGITS);
    ik_json_close(j);
}

static void store_congestion_put_classes(ik_json *j, const ik_sim_result *r)
{
    ik_json_array(j, NULL);
    for (size_t n = 0; n < r->num_classes; n++)
        store_congestion_put_class(j, &r->classes[n], r->congestion.num_samples > 0);
    ik_json_close(j);
}

/* ---- over time */

static void store_congestion_put_counts(ik_json *j, const char *key, const uint32_t *values,
                                        size_t num)
{
    ik_json_array(j, key);
    for (size_t n = 0; n < num; n++)
        ik_json_uint(j, NULL, values[n]);
    ik_json_close(j);
}

static void store_congestion_put_bytes(ik_json *j, const char *key, const uint64_t *values,
                                       size_t num)
{
    ik_json_array(j, key);
    for (size_t n = 0; n < num; n++)
        ik_json_uint(j, NULL, values[n]);
    ik_json_close(j);
}

static void store_congestion_put_switches(ik_json *j, const char *key, const float *shares,
                                          size_t samples, uint32_t switches)
{
    ik_json_array(j, key);
    for (size_t t = 0; t < samples; t++) {
        ik_json_array(j, NULL);
        for (uint32_t sw = 0; sw < switches; sw++)
            ik_json_real(j, NULL, (double)shares[t * switches + sw], 3);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void store_congestion_put_trees(ik_json *j, const ik_congestion *k)
{
    ik_json_array(j, "trees");
    for (size_t n = 0; n < k->num_trees; n++) {
        const ik_congestion_tree *t = &k->trees[n];
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, t->sample);
        ik_json_uint(j, NULL, t->port);
        ik_json_uint(j, NULL, t->buffers);
        ik_json_uint(j, NULL, t->hosts);
        ik_json_uint(j, NULL, t->depth);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void put_class_series(ik_json *j, const ik_sim_result *r)
{
    ik_json_array(j, "classes");
    for (size_t n = 0; n < r->num_classes; n++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "name", r->classes[n].name);
        store_congestion_put_reals(j, "throughput", r->classes[n].series_throughput, r->num_series);
        store_congestion_put_reals(j, "latency_mean_ns", r->classes[n].series_latency_ns,
                                   r->num_series);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void store_congestion_put_series(ik_json *j, const ik_sim_result *r, uint32_t num_switches)
{
    const ik_congestion *k = &r->congestion;
    ik_json_object(j, NULL);
    store_congestion_put_counts(j, "roots", k->roots, k->num_samples);
    store_congestion_put_counts(j, "buffers", k->buffers, k->num_samples);
    store_congestion_put_counts(j, "hosts", k->hosts, k->num_samples);
    store_congestion_put_counts(j, "cyclic", k->cyclic, k->num_samples);
    store_congestion_put_bytes(j, "bytes", k->bytes, k->num_samples);
    store_congestion_put_bytes(j, "hol_bytes", k->hol_bytes, k->num_samples);
    store_congestion_put_reals(j, "fairness", k->fairness, k->num_samples);
    store_congestion_put_trees(j, k);
    store_congestion_put_switches(j, "blocked", k->switch_blocked, k->num_samples, num_switches);
    store_congestion_put_switches(j, "hol", k->switch_hol, k->num_samples, num_switches);
    put_class_series(j, r);
    ik_json_close(j);
}

/* ---- */

/* The n-th text: summary, classes, series; "" if there is nothing to say. */
static ik_status store_congestion_make_text(const ik_sim_result *r, uint32_t num_switches, int n,
                                            char **text, ik_error *err)
{
    bool sampled = r->congestion.num_samples > 0, classes = r->num_classes > 0;
    const bool any[3] = {sampled, classes, r->num_series && (sampled || classes)};
    ik_json j;
    if (!any[n]) {
        *text = ik_calloc(1, 1);
        return *text ? IK_OK : ik_fail_memory(err, 1, "a result");
    }
    ik_json_to_text(&j, IK_JSON_PACKED);
    if (n == 0)
        store_congestion_put_summary(&j, r);
    else if (n == 1)
        store_congestion_put_classes(&j, r);
    else
        store_congestion_put_series(&j, r, num_switches);
    return ik_json_end_text(&j, text, NULL, err);
}

ik_status congestion_texts(const ik_sim_result *r, uint32_t num_switches, congestion_text *out,
                           ik_error *err)
{
    char *text[3] = {NULL};
    ik_status status = IK_OK;
    for (int n = 0; n < 3 && status == IK_OK; n++)
        status = store_congestion_make_text(r, num_switches, n, &text[n], err);
    *out = (congestion_text){text[0], text[1], text[2]};
    if (status != IK_OK)
        congestion_text_free(out);
    return status;
}

void congestion_text_free(congestion_text *t)
{
    free(t->summary);
    free(t->classes);
    free(t->series);
    *t = (congestion_text){NULL, NULL, NULL};
}
