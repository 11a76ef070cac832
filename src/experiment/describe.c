/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/describe.c: fabrics and proofs as JSON.
 */
#include "experiment/describe.h"

#include "experiment/json_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_count(FILE *out, const char *key, uint64_t value)
{
    json_put_key(out, key, false);
    fprintf(out, "%" PRIu64, value);
}

/* The end that stands for its link: the lower port id. */
static bool leads(const ik_fabric *f, uint32_t port)
{
    return f->port_peer[port] != IK_NONE && port < f->port_peer[port];
}

static bool joins_switches(const ik_fabric *f, uint32_t port)
{
    return ik_is_switch(f, f->port_node[port]) && ik_is_switch(f, ik_peer_node(f, port));
}

/* ---- summary */

static void put_rates(FILE *out, const ik_fabric *f)
{
    json_put_key(out, "rates", false);
    putc('[', out);
    bool first = true;
    for (uint32_t c = 0; c < f->num_classes; c++) {
        uint64_t links = 0, switch_links = 0;
        for (uint32_t p = 0; p < f->num_ports; p++)
            if (leads(f, p) && f->port_class[p] == c) {
                links++;
                switch_links += joins_switches(f, p);
            }
        if (links == 0)
            continue;
        fputs(first ? "{" : ",{", out);
        first = false;
        json_put_key(out, "name", true);
        json_put_string(out, f->classes[c].name);
        put_count(out, "rate_bps", f->classes[c].rate_bps);
        put_count(out, "latency_ps", f->classes[c].latency_ps);
        put_count(out, "links", links);
        put_count(out, "switch_links", switch_links);
        putc('}', out);
    }
    putc(']', out);
}

static void put_findings(FILE *out, const ik_fabric *f)
{
    static const char *const severities[] = {"note", "warning", "error"};
    json_put_key(out, "findings", false);
    putc('[', out);
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *finding = &f->findings[i];
        fputs(i ? ",{" : "{", out);
        json_put_key(out, "severity", true);
        json_put_string(out, severities[finding->severity]);
        json_put_key(out, "code", false);
        json_put_string(out, finding->code);
        json_put_key(out, "text", false);
        json_put_string(out, finding->text);
        if (finding->port != IK_NONE)
            put_count(out, "channel", finding->port);
        if (finding->node != IK_NONE)
            put_count(out, "node", finding->node);
        putc('}', out);
    }
    putc(']', out);
}

ik_status describe_fabric(const ik_fabric *f, char **json, ik_error *err)
{
    json_text t;
    ik_status status = json_text_begin(&t, err);
    if (status != IK_OK)
        return status;
    uint64_t links = 0, switch_links = 0,
             switch_ports = f->num_switches ? f->port_base[f->num_switches] : 0;
    for (uint32_t p = 0; p < f->num_ports; p++)
        if (leads(f, p)) {
            links++;
            switch_links += joins_switches(f, p);
        }
    putc('{', t.out);
    json_put_key(t.out, "family", true);
    json_put_string(t.out, f->family ? f->family : "");
    put_count(t.out, "hosts", f->num_hosts);
    put_count(t.out, "switches", f->num_switches);
    put_count(t.out, "switch_ports", switch_ports);
    put_count(t.out, "radix", ik_max_radix(f));
    put_count(t.out, "links", links);
    put_count(t.out, "switch_links", switch_links);
    put_count(t.out, "levels", f->num_levels);
    json_put_key(t.out, "intact", false);
    fputs(f->intact ? "true" : "false", t.out);
    put_rates(t.out, f);
    put_findings(t.out, f);
    putc('}', t.out);
    return json_text_end(&t, json, NULL, err);
}

/* ---- drawing */

static void put_names(FILE *out, const ik_fabric *f)
{
    char text[160];
    json_put_key(out, "names", true);
    putc('[', out);
    for (uint32_t n = 0; n < ik_num_nodes(f); n++) {
        if (n)
            putc(',', out);
        json_put_string(out, ik_node_describe(f, n, text, sizeof text));
    }
    putc(']', out);
}

static void put_levels(FILE *out, const ik_fabric *f)
{
    if (!f->switch_level)
        return;
    json_put_key(out, "levels", false);
    putc('[', out);
    for (uint32_t s = 0; s < f->num_switches; s++)
        fprintf(out, "%s%u", s ? "," : "", f->switch_level[s]);
    putc(']', out);
}

static ik_status put_groups(FILE *out, const ik_fabric *f, ik_error *err)
{
    uint32_t *group = ik_calloc((size_t)f->num_switches + 1, sizeof *group), num = 0;
    if (!group)
        return ik_fail_memory(err, f->num_switches * sizeof *group, "a layout");
    ik_status status = ik_fabric_groups(f, group, &num, err);
    if (status == IK_OK && num > 0) {
        json_put_key(out, "groups", false);
        putc('[', out);
        for (uint32_t s = 0; s < f->num_switches; s++)
            fprintf(out, "%s%" PRIu32, s ? "," : "", group[s]);
        putc(']', out);
    }
    free(group);
    return status;
}

static ik_status put_layout(FILE *out, const ik_fabric *f, ik_error *err)
{
    ik_point *at = ik_calloc(f->num_switches ? f->num_switches : 1, sizeof *at);
    if (!at)
        return ik_fail_memory(err, f->num_switches * sizeof *at, "a layout");
    ik_status status = ik_fabric_layout(f, at, err);
    json_put_key(out, "layout", false);
    putc('[', out);
    for (uint32_t s = 0; s < f->num_switches && status == IK_OK; s++)
        fprintf(out, "%s[%.5g,%.5g]", s ? "," : "", (double)at[s].x, (double)at[s].y);
    putc(']', out);
    free(at);
    return status;
}

static unsigned port_label(const ik_fabric *f, uint32_t port)
{
    return f->port_label ? f->port_label[port] : ik_port_local(f, port) + 1;
}

/* [channel, node, port label, opposite channel, node, port label, class] a link. */
static void put_links(FILE *out, const ik_fabric *f)
{
    json_put_key(out, "links", false);
    putc('[', out);
    bool first = true;
    for (uint32_t p = 0; p < f->num_ports; p++) {
        if (!leads(f, p))
            continue;
        uint32_t q = f->port_peer[p];
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%u,%" PRIu32 ",%" PRIu32 ",%u,%u]",
                first ? "" : ",", p, f->port_node[p], port_label(f, p), q, f->port_node[q],
                port_label(f, q), f->port_class[p]);
        first = false;
    }
    putc(']', out);
}

ik_status describe_drawing(const ik_fabric *f, char **json, size_t *size, ik_error *err)
{
    json_text t;
    ik_status status = json_text_begin(&t, err);
    if (status != IK_OK)
        return status;
    putc('{', t.out);
    put_names(t.out, f);
    put_count(t.out, "switches", f->num_switches);
    put_count(t.out, "hosts", f->num_hosts);
    put_count(t.out, "channels", f->num_ports);
    put_levels(t.out, f);
    status = put_groups(t.out, f, err);
    if (status == IK_OK)
        status = put_layout(t.out, f, err);
    json_put_key(t.out, "classes", false);
    putc('[', t.out);
    for (uint32_t c = 0; c < f->num_classes; c++) {
        fputs(c ? ",{" : "{", t.out);
        json_put_key(t.out, "name", true);
        json_put_string(t.out, f->classes[c].name);
        put_count(t.out, "rate_bps", f->classes[c].rate_bps);
        put_count(t.out, "latency_ps", f->classes[c].latency_ps);
        putc('}', t.out);
    }
    putc(']', t.out);
    put_links(t.out, f);
    putc('}', t.out);
    char *text = NULL;
    ik_status ended = json_text_end(&t, &text, size, status == IK_OK ? err : NULL);
    status = status == IK_OK ? ended : status;
    if (status == IK_OK)
        *json = text;
    else
        free(text);
    return status;
}

/* ---- proofs */

static void put_verdict(FILE *out, const char *key, ik_verdict verdict)
{
    json_put_key(out, key, false);
    fputs(verdict == IK_YES ? "true" : verdict == IK_NO ? "false" : "null", out);
}

static void put_witness(FILE *out, const ik_fabric *f, const ik_proof *proof)
{
    char text[200];
    json_put_key(out, "witness", false);
    putc('[', out);
    for (size_t i = 0; i < proof->witness_length; i++) {
        const ik_dependency *d = &proof->witness[i];
        fputs(i ? ",{" : "{", out);
        json_put_key(out, "channel", true);
        fprintf(out, "%" PRIu32, d->channel);
        put_count(out, "vc", d->vc);
        json_put_key(out, "from", false);
        json_put_string(out, ik_port_describe(f, d->channel, text, sizeof text));
        uint32_t peer = f->port_peer[d->channel];
        json_put_key(out, "to", false);
        json_put_string(out,
                        peer == IK_NONE ? "nothing" : ik_port_describe(f, peer, text, sizeof text));
        json_put_key(out, "source", false);
        json_put_string(out, ik_node_describe(f, ik_host_node(f, d->src), text, sizeof text));
        json_put_key(out, "destination", false);
        json_put_string(out, ik_node_describe(f, ik_host_node(f, d->dst), text, sizeof text));
        putc('}', out);
    }
    putc(']', out);
}

/* What a proof counted; nothing, where there was no proof, is not 0. */
static void put_counted(FILE *out, const char *key, uint64_t value, bool proved)
{
    if (proved) {
        put_count(out, key, value);
        return;
    }
    json_put_key(out, key, false);
    fputs("null", out);
}

static void put_numbers(FILE *out, const ik_proof *proof, bool proved)
{
    put_counted(out, "undelivered", proof->undelivered, proved);
    put_counted(out, "loops", proof->loops, proved);
    put_counted(out, "unconnected", proof->unconnected, proved);
    put_counted(out, "not_minimal", proof->not_minimal, proved);
    put_counted(out, "vcs_used", proof->vcs_used, proved);
    put_counted(out, "channels", proof->channels, proved);
    put_counted(out, "dependencies", proof->dependencies, proved);
    put_counted(out, "max_hops", proof->max_hops, proved);
    json_put_key(out, "mean_hops", false);
    if (proved)
        json_put_real(out, proof->mean_hops);
    else
        fputs("null", out);
}

ik_status describe_proof(const ik_fabric *f, const ik_proof *proof, const char *extent,
                         const char *flow, char **json, ik_error *err)
{
    json_text t;
    ik_status status = json_text_begin(&t, err);
    if (status != IK_OK)
        return status;
    putc('{', t.out);
    json_put_key(t.out, "proof", true);
    json_put_string(t.out, extent);
    put_count(t.out, "pairs", proof->pairs);
    put_count(t.out, "sampled_pairs", proof->sampled_pairs);
    json_put_key(t.out, "flow", false);
    json_put_string(t.out, flow);
    put_verdict(t.out, "delivered", proof->delivered);
    put_verdict(t.out, "loop_free", proof->loop_free);
    put_verdict(t.out, "minimal", proof->minimal);
    put_verdict(t.out, "deadlock_free", proof->deadlock_free);
    json_put_key(t.out, "deadlock_reason", false);
    json_put_string(t.out, proof->deadlock_reason ? proof->deadlock_reason : "");
    put_numbers(t.out, proof, strcmp(extent, "off") != 0);
    json_put_key(t.out, "path_lengths", false);
    putc('[', t.out);
    for (size_t i = 0; i < proof->num_path_lengths; i++)
        fprintf(t.out, "%s%" PRIu64, i ? "," : "", proof->path_lengths[i]);
    putc(']', t.out);
    put_witness(t.out, f, proof);
    putc('}', t.out);
    return json_text_end(&t, json, NULL, err);
}
