/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/describe.c: fabrics and proofs as JSON.
 */
#include "experiment/describe.h"

#include "ikat/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The end that stands for its link: the lower port id. */
static bool describe_leads(const ik_fabric *f, uint32_t port)
{
    return f->port_peer[port] != IK_NONE && port < f->port_peer[port];
}

static bool describe_joins_switches(const ik_fabric *f, uint32_t port)
{
    return ik_is_switch(f, f->port_node[port]) && ik_is_switch(f, ik_peer_node(f, port));
}

/* ---- summary */

static void describe_put_class(ik_json *j, const ik_link_class *c)
{
    ik_json_text(j, "name", c->name);
    ik_json_uint(j, "rate_bps", c->rate_bps);
    ik_json_uint(j, "latency_ps", c->latency_ps);
}

static void describe_put_rates(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "rates");
    for (uint32_t c = 0; c < f->num_classes; c++) {
        uint64_t links = 0, switch_links = 0;
        for (uint32_t p = 0; p < f->num_ports; p++)
            if (describe_leads(f, p) && f->port_class[p] == c) {
                links++;
                switch_links += describe_joins_switches(f, p);
            }
        if (links == 0)
            continue;
        ik_json_object(j, NULL);
        describe_put_class(j, &f->classes[c]);
        ik_json_uint(j, "links", links);
        ik_json_uint(j, "switch_links", switch_links);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void describe_put_findings(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "findings");
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *finding = &f->findings[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "severity", ik_severity_name(finding->severity));
        ik_json_text(j, "code", finding->code);
        ik_json_text(j, "text", finding->text);
        if (finding->port != IK_NONE)
            ik_json_uint(j, "channel", finding->port);
        if (finding->node != IK_NONE)
            ik_json_uint(j, "node", finding->node);
        ik_json_close(j);
    }
    ik_json_close(j);
}

ik_status describe_fabric(const ik_fabric *f, char **json, ik_error *err)
{
    ik_json j;
    uint64_t links = 0, switch_links = 0;
    for (uint32_t p = 0; p < f->num_ports; p++)
        if (describe_leads(f, p)) {
            links++;
            switch_links += describe_joins_switches(f, p);
        }
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_json_text(&j, "family", f->family ? f->family : "");
    ik_json_uint(&j, "hosts", f->num_hosts);
    ik_json_uint(&j, "switches", f->num_switches);
    ik_json_uint(&j, "switch_ports", f->num_switches ? f->port_base[f->num_switches] : 0);
    ik_json_uint(&j, "radix", ik_max_radix(f));
    ik_json_uint(&j, "links", links);
    ik_json_uint(&j, "switch_links", switch_links);
    ik_json_uint(&j, "levels", f->num_levels);
    ik_json_bool(&j, "intact", f->intact);
    describe_put_rates(&j, f);
    describe_put_findings(&j, f);
    ik_json_close(&j);
    return ik_json_end_text(&j, json, NULL, err);
}

/* ---- drawing */

static void describe_put_names(ik_json *j, const ik_fabric *f)
{
    char text[160];
    ik_json_array(j, "names");
    for (uint32_t n = 0; n < ik_num_nodes(f); n++)
        ik_json_text(j, NULL, ik_node_describe(f, n, text, sizeof text));
    ik_json_close(j);
}

static void describe_put_levels(ik_json *j, const ik_fabric *f)
{
    if (!f->switch_level)
        return;
    ik_json_array(j, "levels");
    for (uint32_t s = 0; s < f->num_switches; s++)
        ik_json_uint(j, NULL, f->switch_level[s]);
    ik_json_close(j);
}

static ik_status describe_put_groups(ik_json *j, const ik_fabric *f, ik_error *err)
{
    uint32_t *group = ik_calloc((size_t)f->num_switches + 1, sizeof *group), num = 0;
    if (!group)
        return ik_fail_memory(err, f->num_switches * sizeof *group, "a layout");
    ik_status status = ik_fabric_groups(f, group, &num, err);
    if (status == IK_OK && num > 0) {
        ik_json_array(j, "groups");
        for (uint32_t s = 0; s < f->num_switches; s++)
            ik_json_uint(j, NULL, group[s]);
        ik_json_close(j);
    }
    free(group);
    return status;
}

static ik_status describe_put_layout(ik_json *j, const ik_fabric *f, ik_error *err)
{
    ik_point *at = ik_calloc(f->num_switches ? f->num_switches : 1, sizeof *at);
    if (!at)
        return ik_fail_memory(err, f->num_switches * sizeof *at, "a layout");
    ik_status status = ik_fabric_layout(f, at, err);
    ik_json_array(j, "layout");
    for (uint32_t s = 0; s < f->num_switches && status == IK_OK; s++) {
        ik_json_array(j, NULL);
        ik_json_real(j, NULL, (double)at[s].x, 5);
        ik_json_real(j, NULL, (double)at[s].y, 5);
        ik_json_close(j);
    }
    ik_json_close(j);
    free(at);
    return status;
}

static unsigned describe_port_label(const ik_fabric *f, uint32_t port)
{
    return f->port_label ? f->port_label[port] : ik_port_local(f, port) + 1;
}

/* [channel, node, port label, opposite channel, node, port label, class] a link. */
static void describe_put_links(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "links");
    for (uint32_t p = 0; p < f->num_ports; p++) {
        if (!describe_leads(f, p))
            continue;
        uint32_t q = f->port_peer[p];
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, p);
        ik_json_uint(j, NULL, f->port_node[p]);
        ik_json_uint(j, NULL, describe_port_label(f, p));
        ik_json_uint(j, NULL, q);
        ik_json_uint(j, NULL, f->port_node[q]);
        ik_json_uint(j, NULL, describe_port_label(f, q));
        ik_json_uint(j, NULL, f->port_class[p]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void describe_put_classes(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "classes");
    for (uint32_t c = 0; c < f->num_classes; c++) {
        ik_json_object(j, NULL);
        describe_put_class(j, &f->classes[c]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

ik_status describe_drawing(const ik_fabric *f, char **json, size_t *size, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    describe_put_names(&j, f);
    ik_json_uint(&j, "switches", f->num_switches);
    ik_json_uint(&j, "hosts", f->num_hosts);
    ik_json_uint(&j, "channels", f->num_ports);
    describe_put_levels(&j, f);
    ik_status status = describe_put_groups(&j, f, err);
    if (status == IK_OK)
        status = describe_put_layout(&j, f, err);
    describe_put_classes(&j, f);
    describe_put_links(&j, f);
    ik_json_close(&j);
    if (status == IK_OK)
        return ik_json_end_text(&j, json, size, err);
    ik_json_end(&j, NULL);
    return status;
}

/* ---- proofs */

static void describe_put_node(ik_json *j, const char *key, const ik_fabric *f, uint32_t node)
{
    char text[200];
    ik_json_text(j, key, ik_node_describe(f, node, text, sizeof text));
}

static void describe_put_port(ik_json *j, const char *key, const ik_fabric *f, uint32_t port)
{
    char text[200];
    ik_json_text(j, key,
                 port == IK_NONE ? "nothing" : ik_port_describe(f, port, text, sizeof text));
}

static void describe_put_witness(ik_json *j, const ik_fabric *f, const ik_proof *proof)
{
    ik_json_array(j, "witness");
    for (size_t i = 0; i < proof->witness_length; i++) {
        const ik_dependency *d = &proof->witness[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "channel", d->channel);
        ik_json_uint(j, "vc", d->vc);
        describe_put_port(j, "from", f, d->channel);
        describe_put_port(j, "to", f, f->port_peer[d->channel]);
        describe_put_node(j, "source", f, ik_host_node(f, d->src));
        describe_put_node(j, "destination", f, ik_host_node(f, d->dst));
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* What a proof counted; nothing, where there was no proof, is not 0. */
static void describe_put_numbers(ik_json *j, const ik_proof *p, bool proved)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"undelivered", p->undelivered},   {"loops", p->loops},
                  {"unconnected", p->unconnected},   {"not_minimal", p->not_minimal},
                  {"vcs_used", p->vcs_used},         {"channels", p->channels},
                  {"dependencies", p->dependencies}, {"max_hops", p->max_hops}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (proved)
            ik_json_uint(j, counts[i].key, counts[i].value);
        else
            ik_json_null(j, counts[i].key);
    ik_json_real(j, "mean_hops", proved ? p->mean_hops : NAN, 9);
    ik_json_array(j, "path_lengths");
    for (size_t i = 0; i < p->num_path_lengths; i++)
        ik_json_uint(j, NULL, p->path_lengths[i]);
    ik_json_close(j);
}

ik_status describe_proof(const ik_fabric *f, const ik_proof *proof, const char *extent,
                         const char *flow, char **json, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_json_text(&j, "proof", extent);
    ik_json_uint(&j, "pairs", proof->pairs);
    ik_json_uint(&j, "sampled_pairs", proof->sampled_pairs);
    ik_json_text(&j, "flow", flow);
    ik_json_verdict(&j, "delivered", proof->delivered);
    ik_json_verdict(&j, "loop_free", proof->loop_free);
    ik_json_verdict(&j, "minimal", proof->minimal);
    ik_json_verdict(&j, "deadlock_free", proof->deadlock_free);
    ik_json_text(&j, "deadlock_reason", proof->deadlock_reason ? proof->deadlock_reason : "");
    describe_put_numbers(&j, proof, strcmp(extent, "off") != 0);
    describe_put_witness(&j, f, proof);
    ik_json_close(&j);
    return ik_json_end_text(&j, json, NULL, err);
}
