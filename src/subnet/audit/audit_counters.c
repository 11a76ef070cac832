/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_counters.c: what ports have counted, and the measured load of channels beside the one that
 * the installed tables predict.
 *
 * Measured and predicted loads are compared by how alike they are, not by their sums: the predicted
 * ones are those of even traffic among all hosts, scaled so that channels between switches carry as
 * much in the mean as was measured.
 */
#include "subnet/audit/audit_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool audit_counters_inner(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = ik_peer_node(f, port);
    return peer != IK_NONE && ik_is_switch(f, f->port_node[port]) && ik_is_switch(f, peer);
}

/* ---- reading */

static ik_status audit_counters_interval_of(const audit_work *w, const ik_counters *first,
                                            const ik_counters *later, double *interval_s)
{
    *interval_s = w->config->interval_s;
    if (*interval_s > 0)
        return IK_OK;
    *interval_s = later->time_s - first->time_s;
    if (first->time_s > 0 && later->time_s > 0 && *interval_s > 0)
        return IK_OK;
    ik_fail(w->err, IK_ERR_INPUT, "%s is not later than %s by the times of the files",
            w->config->counters_later, w->config->counters);
    return ik_hint(w->err, IK_ERR_INPUT,
                   "say the time between the two readings: --interval 10s; or exchange them");
}

static ik_status audit_counters_note_unknown(audit_work *w, const ik_counters *c, const char *path)
{
    const audit_about about = {
        IK_WARNING, "unknown-counters", IK_NONE, IK_NONE, NULL, "Take a new dump of the fabric."};
    if (c->unknown == 0)
        return IK_OK;
    w->a->partial = true;
    if (c->first_unknown_guid)
        return audit_add(w->a, &about, w->err,
                         "%s has counters of %" PRIu32
                         " ports that the fabric does not have, the first of GUID 0x%016" PRIx64,
                         path, c->unknown, c->first_unknown_guid);
    return audit_add(w->a, &about, w->err,
                     "%s has counters of %" PRIu32
                     " ports that the fabric does not have, the first of LID %" PRIu32,
                     path, c->unknown, c->first_unknown_lid);
}

/* Queries that were not answered: what installed tables without entries for switches lead to. */
static ik_status audit_counters_note_failures(audit_work *w, const ik_counters *c, const char *path)
{
    const audit_about about = {
        IK_ERROR, "query-failures",
        IK_NONE,  IK_NONE,
        NULL,     "Look for missing entries for LIDs of switches in the tables."};
    if (c->failures == 0)
        return IK_OK;
    return audit_add(w->a, &about, w->err, "%s: %s not answered", path,
                     IK_COUNT(c->failures, "query of counters was|queries of counters were"));
}

/* ---- findings of ports */

/* How many findings of one kind there are. */
typedef struct audit_counters_kind {
    audit_about about;
    uint64_t found;
} audit_counters_kind;

static ik_status audit_counters_add_findings(audit_work *w)
{
    enum { KINDS = 8 }; /* more than there are */
    const ik_counter_changes *c = &w->a->counters;
    audit_counters_kind kinds[KINDS] = {0};
    ik_status status = IK_OK;
    for (size_t i = 0; i < c->num_findings && status == IK_OK; i++) {
        const ik_finding *f = &c->findings[i];
        const audit_about about = {f->severity, f->code, f->node, f->port, NULL, NULL};
        audit_counters_kind *k = kinds;
        while (k->found && strcmp(k->about.code, f->code) != 0)
            k++;
        assert(k < kinds + KINDS);
        k->about = about;
        if (k->found++ < w->named)
            status = audit_add(w->a, &about, w->err, "%s", f->text);
        ik_audit_finding *added =
            w->a->num_findings ? &w->a->findings[w->a->num_findings - 1] : NULL;
        if (status == IK_OK && f->port != IK_NONE)
            added->key = added->place; /* which counters is no matter */
    }
    for (size_t k = 0; k < KINDS && status == IK_OK; k++)
        status = audit_rest(w, &kinds[k].about, kinds[k].found, "ports with such counters");
    return status;
}

/* ---- loads */

typedef struct sums {
    double n, measured, predicted, squares_m, squares_p, products;
} sums;

static double audit_counters_likeness(const sums *s)
{
    double m = s->n * s->squares_m - s->measured * s->measured,
           p = s->n * s->squares_p - s->predicted * s->predicted;
    return m > 0 && p > 0 ? (s->n * s->products - s->measured * s->predicted) / (sqrt(m) * sqrt(p))
                          : 0;
}

/* Share of the channel's rate that even traffic takes, but for a factor. */
static double audit_counters_even_share(const ik_audit *a, uint32_t port)
{
    return a->installed.load[port] / (double)ik_port_rate_bps(a->fabric, port);
}

static ik_status audit_counters_predict(audit_work *w)
{
    ik_audit *a = w->a;
    ik_audit_measured *m = &a->measured;
    sums s = {0};
    m->predicted = ik_calloc((size_t)a->fabric->num_ports + 1, sizeof *m->predicted);
    if (!m->predicted)
        return ik_fail_memory(w->err, a->fabric->num_ports * sizeof *m->predicted, "loads");
    for (uint32_t port = 0; port < a->fabric->num_ports; port++) {
        double used = (double)a->counters.used[port], even = 0;
        if (!audit_counters_inner(a->fabric, port) || used < 0)
            continue;
        even = audit_counters_even_share(a, port);
        s.n += 1;
        s.measured += used;
        s.predicted += even;
        s.squares_m += used * used;
        s.squares_p += even * even;
        s.products += used * even;
    }
    m->likeness = audit_counters_likeness(&s);
    double scale = s.predicted > 0 ? s.measured / s.predicted : 0;
    for (uint32_t port = 0; port < a->fabric->num_ports; port++)
        m->predicted[port] = a->fabric->port_peer[port] == IK_NONE
                                 ? -1.0F
                                 : (float)(scale * audit_counters_even_share(a, port));
    return IK_OK;
}

static void audit_counters_measure(ik_audit *a)
{
    ik_audit_measured *m = &a->measured;
    double sum = 0;
    m->busiest = IK_NONE;
    for (uint32_t port = 0; port < a->fabric->num_ports; port++) {
        float used = a->counters.used[port];
        if (!audit_counters_inner(a->fabric, port) || used < 0)
            continue;
        m->channels++;
        sum += (double)used;
        if (m->busiest == IK_NONE || used > a->counters.used[m->busiest])
            m->busiest = port;
    }
    m->mean = m->channels ? sum / (double)m->channels : 0;
}

static ik_status audit_counters_compare(audit_work *w, const ik_counters *first,
                                        const ik_counters *later)
{
    double interval_s = 0;
    ik_status status = later ? audit_counters_interval_of(w, first, later, &interval_s) : IK_OK;
    if (status == IK_OK)
        status = ik_counters_compare(first, later, interval_s, &w->a->counters, w->err);
    if (status != IK_OK)
        return status;
    w->a->has_counters = true;
    status = audit_counters_add_findings(w);
    if (status != IK_OK || !later)
        return status;
    audit_counters_measure(w->a);
    return w->a->has_tables && w->a->measured.channels ? audit_counters_predict(w) : IK_OK;
}

ik_status audit_counters(audit_work *w)
{
    ik_counters first = {0}, later = {0};
    const ik_audit_config *c = w->config;
    if (!c->counters)
        return IK_OK;
    ik_status status = ik_counters_read(w->a->fabric, c->counters, w->env, &first, w->err);
    if (status == IK_OK)
        status = audit_counters_note_unknown(w, &first, c->counters);
    if (status == IK_OK && c->counters_later)
        status = ik_counters_read(w->a->fabric, c->counters_later, w->env, &later, w->err);
    if (status == IK_OK && c->counters_later)
        status = audit_counters_note_unknown(w, &later, c->counters_later);
    if (status == IK_OK)
        status = c->counters_later ? audit_counters_note_failures(w, &later, c->counters_later)
                                   : audit_counters_note_failures(w, &first, c->counters);
    if (status == IK_OK)
        status = audit_counters_compare(w, &first, c->counters_later ? &later : NULL);
    ik_counters_free(&first);
    ik_counters_free(&later);
    return status;
}
