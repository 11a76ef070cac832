/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_json.c: all of an audit as JSON.
 */
#include "subnet/audit/audit_impl.h"
#include "subnet/deploy/deploy.h"

#include <math.h>

enum { DIGITS = 12 };

static void audit_json_put_port(ik_json *j, const char *key, const ik_fabric *f, uint32_t port)
{
    char name[320];
    if (port == IK_NONE)
        ik_json_null(j, key);
    else
        ik_json_text(j, key, ik_port_describe(f, port, name, sizeof name));
}

static void audit_json_put_node(ik_json *j, const char *key, const ik_fabric *f, uint32_t node)
{
    char name[320];
    if (node == IK_NONE)
        ik_json_null(j, key);
    else
        ik_json_text(j, key, ik_node_describe(f, node, name, sizeof name));
}

static void audit_json_put_lid(ik_json *j, const char *key, const ik_audit *a, uint32_t index)
{
    ik_json_known(j, key, index != IK_NONE, index == IK_NONE ? 0 : a->lids.of[index].lid);
}

/* ---- findings */

static void audit_json_put_findings(ik_json *j, const ik_audit *a)
{
    char guid[32];
    ik_json_array(j, "findings");
    for (size_t i = 0; i < a->num_findings; i++) {
        const ik_audit_finding *f = &a->findings[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "severity", ik_severity_name(f->severity));
        ik_json_text(j, "code", f->code);
        ik_json_text(j, "text", f->text);
        ik_json_bool(j, "known", f->known);
        ik_json_optional(j, "place", f->place);
        ik_json_optional(j, "evidence", f->evidence);
        ik_json_optional(j, "remedy", f->remedy);
        uint32_t node = f->port != IK_NONE ? a->fabric->port_node[f->port] : f->node;
        ik_json_known(j, "port", f->port != IK_NONE,
                      f->port == IK_NONE ? 0 : ik_port_number(a->fabric, f->port));
        if (node != IK_NONE)
            snprintf(guid, sizeof guid, "0x%016llx",
                     (unsigned long long)ik_node_guid(a->fabric, node));
        ik_json_optional(j, "guid", node == IK_NONE ? NULL : guid);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- a routing */

static void audit_json_put_loop(ik_json *j, const ik_audit *a, const ik_subnet_verdict *v)
{
    ik_json_array(j, "credit_loop");
    for (size_t i = 0; i < v->loop_length; i++) {
        const ik_subnet_loop *s = &v->loop[i];
        ik_json_object(j, NULL);
        audit_json_put_port(j, "from", a->fabric, s->channel);
        audit_json_put_port(j, "to", a->fabric, a->fabric->port_peer[s->channel]);
        ik_json_uint(j, "vl", s->vl);
        ik_json_uint(j, "sl", s->sl);
        ik_json_bool(j, "reply", s->reply);
        ik_json_bool(j, "query", s->query);
        audit_json_put_lid(j, "source_lid", a, s->src);
        audit_json_put_lid(j, "destination_lid", a, s->dst);
        audit_json_put_node(j, "source", a->fabric,
                            s->src == IK_NONE ? IK_NONE : a->lids.of[s->src].node);
        audit_json_put_node(j, "destination", a->fabric,
                            s->dst == IK_NONE ? IK_NONE : a->lids.of[s->dst].node);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void audit_json_put_verdicts(ik_json *j, const ik_audit *a, const ik_subnet_verdict *v)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"pairs", v->pairs},
        {"delivered", v->delivered},
        {"no_entry", v->no_entry},
        {"dead_port", v->dead_port},
        {"loops", v->loops},
        {"wrong_port", v->wrong_port},
        {"dropped", v->dropped},
        {"unconnected", v->unconnected},
        {"switch_undelivered", v->switch_undelivered},
        {"switches_unreached", v->switches_unreached},
        {"dead_entries", v->dead_entries},
        {"missing_entries", v->missing_entries},
        {"vls_used", v->vls_used},
        {"dependencies", v->dependencies},
        {"max_hops", v->max_hops},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ik_json_uint(j, counts[i].key, counts[i].value);
    ik_json_real(j, "mean_hops", v->mean_hops, DIGITS);
    audit_json_put_lid(j, "first_lost_source_lid", a, v->first_bad_src);
    audit_json_put_lid(j, "first_lost_destination_lid", a, v->first_bad_dst);
    ik_json_verdict(j, "deadlock_free", v->deadlock_free);
    ik_json_verdict(j, "management_free", v->management_free);
    ik_json_verdict(j, "one_manager_free", v->one_manager_free);
    audit_json_put_loop(j, a, v);
}

static void audit_json_put_routing(ik_json *j, const char *key, const ik_audit *a,
                                   const ik_audit_routing *r, bool there)
{
    if (!there) {
        ik_json_null(j, key);
        return;
    }
    ik_json_object(j, key);
    if (r->spec) {
        ik_json_text(j, "routing", r->spec);
        ik_json_text(j, "vc", r->vc);
        ik_json_uint(j, "lanes", r->lanes);
    }
    audit_json_put_verdicts(j, a, &r->verdict);
    ik_json_real(j, "max_load", r->max_load, DIGITS);
    ik_json_real(j, "mean_load", r->mean_load, DIGITS);
    audit_json_put_port(j, "max_channel", a->fabric, r->max_channel);
    ik_json_real(j, "saturation", r->saturation, DIGITS);
    audit_json_put_port(j, "tightest_channel", a->fabric, r->tightest);
    ik_json_uint(j, "worst_flows", r->worst);
    audit_json_put_port(j, "worst_channel", a->fabric, r->worst_channel);
    ik_json_uint(j, "channels", r->channels);
    ik_json_uint(j, "idle_channels", r->idle_channels);
    ik_json_array(j, "balance");
    for (size_t i = 0; i < r->num_groups; i++) {
        ik_json_object(j, NULL);
        ik_load_group_json(&r->groups[i], j);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

/* ---- files */

static void audit_json_put_cabling(ik_json *j, const ik_audit *a)
{
    const ik_cabling *c = &a->cabling;
    ik_json_object(j, "cabling");
    ik_json_bool(j, "known", c->known);
    ik_json_optional(j, "family", c->family);
    ik_json_optional(j, "summary", c->summary);
    ik_json_bool(j, "exact", c->exact);
    ik_json_bool(j, "by_ports", c->by_ports);
    ik_json_uint(j, "missing", c->missing);
    ik_json_uint(j, "wrong", c->wrong);
    ik_json_uint(j, "missing_switches", c->missing_switches);
    ik_json_uint(j, "unknown_switches", c->unknown_switches);
    ik_json_array(j, "changes");
    for (size_t i = 0; i < c->num_changes; i++) {
        static const char *const works[] = {"move", "swap", "add", "remove"};
        const ik_cable_change *k = &c->changes[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "work", works[k->work]);
        audit_json_put_port(j, "stays", a->fabric, k->stays);
        audit_json_put_port(j, "from", a->fabric, k->from);
        audit_json_put_port(j, "to", a->fabric, k->to);
        audit_json_put_port(j, "other", a->fabric, k->work == IK_CABLE_SWAP ? k->other : IK_NONE);
        ik_json_bool(j, "blocked", k->blocked);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void audit_json_put_tables(ik_json *j, const ik_audit *a)
{
    const ik_tables_matched *m = &a->matched;
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"entries", m->entries},
        {"by_guid", m->by_guid},
        {"by_lid", m->by_lid},
        {"guid_disagrees", m->guid_disagrees},
        {"unknown_entries", m->unknown_entries},
        {"unknown_lids", m->unknown_lids},
        {"switches", m->switches},
        {"unknown_switches", m->unknown_switches},
        {"missing_switches", m->missing_switches},
        {"unnamed_hosts", m->unnamed_hosts},
        {"zero_lids", m->zero_lids},
        {"missing_last_lid", m->missing_last_lid},
    };
    if (!a->has_tables) {
        ik_json_null(j, "tables");
        return;
    }
    ik_json_object(j, "tables");
    ik_json_text(j, "format", m->format);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ik_json_uint(j, counts[i].key, counts[i].value);
    ik_json_close(j);
}

static void audit_json_put_engine(ik_json *j, const ik_audit *a)
{
    const ik_engine_evidence *e = &a->engine;
    if (!a->has_tables) {
        ik_json_null(j, "engine");
        return;
    }
    ik_json_object(j, "engine");
    ik_json_optional(j, "name", e->name);
    ik_json_text(j, "evidence", e->text);
    ik_json_uint(j, "entries", e->entries);
    ik_json_uint(j, "minimal", e->minimal);
    ik_json_uint(j, "minhop", e->minhop);
    ik_json_known(j, "updn", e->has_levels, e->updn);
    if (e->has_levels)
        ik_json_bool(j, "up_down", e->up_down);
    else
        ik_json_null(j, "up_down");
    ik_json_uint(j, "together", e->together);
    ik_json_uint(j, "apart", e->apart);
    ik_json_close(j);
}

static void audit_json_put_real(ik_json *j, const char *key, bool known, double value)
{
    ik_json_real(j, key, known ? value : (double)NAN, DIGITS);
}

static void audit_json_put_channels(ik_json *j, const ik_audit *a)
{
    const ik_counter_changes *c = &a->counters;
    const float *predicted = a->measured.predicted;
    ik_json_array(j, "channels");
    for (uint32_t port = 0; c->interval_s > 0 && port < a->fabric->num_ports; port++) {
        if (c->used[port] < 0)
            continue;
        ik_json_object(j, NULL);
        audit_json_put_port(j, "port", a->fabric, port);
        ik_json_real(j, "used", (double)c->used[port], DIGITS);
        audit_json_put_real(j, "predicted", predicted != NULL,
                            predicted ? (double)predicted[port] : 0);
        audit_json_put_real(j, "waited", c->waited[port] >= 0, (double)c->waited[port]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void audit_json_put_counters(ik_json *j, const ik_audit *a)
{
    const ik_counter_changes *c = &a->counters;
    const ik_audit_measured *m = &a->measured;
    bool any = m->channels > 0;
    if (!a->has_counters) {
        ik_json_null(j, "counters");
        return;
    }
    ik_json_object(j, "counters");
    audit_json_put_real(j, "interval_s", c->interval_s > 0, c->interval_s);
    ik_json_uint(j, "ports_restarted", c->restarted);
    ik_json_uint(j, "ports_at_limit", c->at_limit);
    ik_json_uint(j, "measured_channels", m->channels);
    audit_json_put_real(j, "mean_used", any, m->mean);
    audit_json_put_port(j, "busiest_channel", a->fabric, any ? m->busiest : IK_NONE);
    audit_json_put_real(j, "busiest_used", any, any ? (double)c->used[m->busiest] : 0);
    audit_json_put_real(j, "likeness", m->predicted != NULL, m->likeness);
    audit_json_put_channels(j, a);
    ik_json_close(j);
}

static void audit_json_put_multicast(ik_json *j, const ik_audit *a)
{
    const ik_audit_multicast *m = &a->multicast;
    if (!a->has_multicast) {
        ik_json_null(j, "multicast");
        return;
    }
    ik_json_object(j, "multicast");
    ik_json_uint(j, "groups", m->groups);
    ik_json_uint(j, "members", m->members);
    ik_json_uint(j, "pairs", m->pairs);
    ik_json_uint(j, "missing", m->missing);
    ik_json_uint(j, "looping", m->looping);
    ik_json_uint(j, "repeating", m->repeating);
    ik_json_close(j);
}

void ik_audit_json(const ik_audit *a, const char *name, ik_json *j)
{
    const ik_fabric *f = a->fabric;
    bool has_spec = f->spec && *f->spec; /* "" = of nodes and links */
    ik_json_text(j, "spec", has_spec ? f->spec : name ? name : "fabric");
    ik_json_uint(j, "hosts", f->num_hosts - f->num_silent);
    ik_json_uint(j, "endpoints", f->num_silent);
    ik_json_uint(j, "switches", f->num_switches);
    ik_json_known(j, "levels", f->num_levels > 0, f->num_levels);
    ik_json_uint(j, "lids", a->lids.num);
    ik_json_uint(j, "lids_missing", a->lids.assigned);
    ik_json_uint(j, "max_lmc", a->lids.max_lmc);
    ik_json_uint(j, "errors", a->counts[IK_ERROR]);
    ik_json_uint(j, "warnings", a->counts[IK_WARNING]);
    ik_json_uint(j, "notes", a->counts[IK_NOTE]);
    ik_json_uint(j, "known", a->num_known);
    ik_json_uint(j, "gone", a->num_gone);
    ik_json_bool(j, "partial", a->partial);
    audit_json_put_findings(j, a);
    audit_json_put_cabling(j, a);
    audit_json_put_tables(j, a);
    audit_json_put_engine(j, a);
    audit_json_put_routing(j, "installed", a, &a->installed, a->has_tables);
    audit_json_put_routing(j, "proposed", a, &a->proposed, a->has_proposed);
    audit_json_put_multicast(j, a);
    ik_json_bool(j, "keeps_installed", a->choice.keeps);
    ik_routing_choice_json(&a->choice, "compared", j);
    audit_json_put_counters(j, a);
}
