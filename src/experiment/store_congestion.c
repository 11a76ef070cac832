/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_congestion.c: congestion and classes of a point as JSON texts: what reports show
 * as it stands.
 */
#include "experiment/store_congestion.h"

#include "experiment/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_int(FILE *out, const char *key, uint64_t value, bool first)
{
    json_put_key(out, key, first);
    fprintf(out, "%" PRIu64, value);
}

static void put_real(FILE *out, const char *key, double value)
{
    json_put_key(out, key, false);
    json_put_real(out, value);
}

static void put_reals(FILE *out, const char *key, const double *values, size_t num, bool first)
{
    json_put_key(out, key, first);
    putc('[', out);
    for (size_t n = 0; n < num; n++) {
        if (n)
            putc(',', out);
        json_put_real(out, values[n]);
    }
    putc(']', out);
}

/* ---- what stands in every report */

static void put_roots(FILE *out, const ik_congestion *k)
{
    json_put_key(out, "roots", false);
    putc('[', out);
    for (size_t n = 0; n < k->num_roots; n++) {
        const ik_congestion_root *r = &k->root_list[n];
        fputs(n ? ",{" : "{", out);
        put_int(out, "channel", r->port, true);
        put_int(out, "samples", r->samples, false);
        put_int(out, "first", r->first, false);
        put_int(out, "last", r->last, false);
        put_int(out, "buffers", r->buffers, false);
        put_int(out, "hosts", r->hosts, false);
        put_int(out, "depth", r->depth, false);
        put_int(out, "blocked", r->blocked, false);
        putc('}', out);
    }
    putc(']', out);
}

static void put_flows(FILE *out, const char *key, const ik_congestion_flow *flows, size_t num,
                      bool victims)
{
    json_put_key(out, key, false);
    putc('[', out);
    for (size_t n = 0; n < num; n++) {
        fputs(n ? ",{" : "{", out);
        put_int(out, "src", flows[n].src, true);
        put_int(out, "dst", flows[n].dst, false);
        put_int(out, "packets", victims ? flows[n].victim : flows[n].culprit, false);
        putc('}', out);
    }
    putc(']', out);
}

static void put_summary(FILE *out, const ik_sim_result *r)
{
    const ik_congestion *k = &r->congestion;
    putc('{', out);
    put_int(out, "period_ps", k->period_ps, true);
    put_int(out, "samples", k->num_samples, false);
    put_int(out, "stride", k->stride, false);
    put_int(out, "flow_error", k->flow_error, false);
    put_int(out, "all_roots", k->all_roots, false);
    put_int(out, "all_culprits", k->all_culprits, false);
    put_int(out, "all_victims", k->all_victims, false);
    put_roots(out, k);
    put_flows(out, "culprits", k->culprits, k->num_culprits, false);
    put_flows(out, "victims", k->victims, k->num_victims, true);
    putc('}', out);
}

static void put_classes(FILE *out, const ik_sim_result *r)
{
    putc('[', out);
    for (size_t n = 0; n < r->num_classes; n++) {
        const ik_class_result *c = &r->classes[n];
        const ik_histogram *h = &c->latency;
        fputs(n ? ",{" : "{", out);
        json_put_key(out, "name", true);
        json_put_string(out, c->name);
        put_real(out, "offered", c->offered);
        put_real(out, "throughput", c->throughput);
        put_int(out, "packets_delivered", h->count, false);
        put_real(out, "latency_mean_ns", h->mean / 1e3);
        put_real(out, "latency_p50_ns", ik_histogram_percentile(h, 0.50) / 1e3);
        put_real(out, "latency_p95_ns", ik_histogram_percentile(h, 0.95) / 1e3);
        put_real(out, "latency_p99_ns", ik_histogram_percentile(h, 0.99) / 1e3);
        put_real(out, "latency_max_ns", (double)h->max / 1e3);
        put_real(out, "culprit_time_ns", r->congestion.num_samples ? c->culprit_time_ns : NAN);
        put_real(out, "victim_time_ns", r->congestion.num_samples ? c->victim_time_ns : NAN);
        putc('}', out);
    }
    putc(']', out);
}

/* ---- over time */

static void put_counts(FILE *out, const char *key, const uint32_t *values, size_t num, bool first)
{
    json_put_key(out, key, first);
    putc('[', out);
    for (size_t n = 0; n < num; n++)
        fprintf(out, n ? ",%" PRIu32 : "%" PRIu32, values[n]);
    putc(']', out);
}

static void put_bytes(FILE *out, const char *key, const uint64_t *values, size_t num)
{
    json_put_key(out, key, false);
    putc('[', out);
    for (size_t n = 0; n < num; n++)
        fprintf(out, n ? ",%" PRIu64 : "%" PRIu64, values[n]);
    putc(']', out);
}

static void put_switches(FILE *out, const char *key, const float *shares, size_t samples,
                         uint32_t switches)
{
    json_put_key(out, key, false);
    putc('[', out);
    for (size_t t = 0; t < samples; t++) {
        fputs(t ? ",[" : "[", out);
        for (uint32_t sw = 0; sw < switches; sw++)
            fprintf(out, sw ? ",%.3g" : "%.3g", (double)shares[t * switches + sw]);
        putc(']', out);
    }
    putc(']', out);
}

static void put_trees(FILE *out, const ik_congestion *k)
{
    json_put_key(out, "trees", false);
    putc('[', out);
    for (size_t n = 0; n < k->num_trees; n++) {
        const ik_congestion_tree *t = &k->trees[n];
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                n ? "," : "", t->sample, t->port, t->buffers, t->hosts, t->depth);
    }
    putc(']', out);
}

static void put_class_series(FILE *out, const ik_sim_result *r)
{
    json_put_key(out, "classes", false);
    putc('[', out);
    for (size_t n = 0; n < r->num_classes; n++) {
        fputs(n ? ",{" : "{", out);
        json_put_key(out, "name", true);
        json_put_string(out, r->classes[n].name);
        put_reals(out, "throughput", r->classes[n].series_throughput, r->num_series, false);
        put_reals(out, "latency_mean_ns", r->classes[n].series_latency_ns, r->num_series, false);
        putc('}', out);
    }
    putc(']', out);
}

static void put_series(FILE *out, const ik_sim_result *r, uint32_t num_switches)
{
    const ik_congestion *k = &r->congestion;
    putc('{', out);
    put_counts(out, "roots", k->roots, k->num_samples, true);
    put_counts(out, "buffers", k->buffers, k->num_samples, false);
    put_counts(out, "hosts", k->hosts, k->num_samples, false);
    put_counts(out, "cyclic", k->cyclic, k->num_samples, false);
    put_bytes(out, "bytes", k->bytes, k->num_samples);
    put_bytes(out, "hol_bytes", k->hol_bytes, k->num_samples);
    put_reals(out, "fairness", k->fairness, k->num_samples, false);
    put_trees(out, k);
    put_switches(out, "blocked", k->switch_blocked, k->num_samples, num_switches);
    put_switches(out, "hol", k->switch_hol, k->num_samples, num_switches);
    put_class_series(out, r);
    putc('}', out);
}

/* ---- */

ik_status congestion_texts(const ik_sim_result *r, uint32_t num_switches, congestion_text *out,
                           ik_error *err)
{
    json_text parts[3];
    char *text[3] = {NULL};
    ik_status status = IK_OK;
    for (int n = 0; n < 3 && status == IK_OK; n++) {
        status = json_text_begin(&parts[n], err);
        if (status != IK_OK)
            break;
        if (n == 0 && r->congestion.num_samples)
            put_summary(parts[n].out, r);
        if (n == 1 && r->num_classes)
            put_classes(parts[n].out, r);
        if (n == 2 && r->num_series && (r->congestion.num_samples || r->num_classes))
            put_series(parts[n].out, r, num_switches);
        status = json_text_end(&parts[n], &text[n], NULL, err);
    }
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
