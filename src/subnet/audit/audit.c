/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "fabric/fabric_private.h"
#include "subnet/audit/audit_impl.h"
#include "subnet/deploy/choose.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings */

char *audit_lid(const ik_audit *a, uint32_t index, char *buffer, size_t size)
{
    const ik_lid *lid = &a->lids.of[index];
    char name[AUDIT_TEXT];
    if (lid->port != IK_NONE && ik_radix(a->fabric, lid->node) > 1)
        ik_port_describe(a->fabric, lid->port, name, sizeof name);
    else
        ik_node_describe(a->fabric, lid->node, name, sizeof name);
    if (lid->made && a->fabric->node_guid)
        snprintf(buffer, size, "%s, no LID", name);
    else
        snprintf(buffer, size, "%s, LID %u", name, lid->lid);
    return buffer;
}

static bool audit_place_of(ik_audit *a, const audit_about *about, const char **place)
{
    char name[AUDIT_TEXT];
    *place = NULL;
    if (about->port != IK_NONE)
        ik_port_describe(a->fabric, about->port, name, sizeof name);
    else if (about->node != IK_NONE)
        ik_node_describe(a->fabric, about->node, name, sizeof name);
    else
        return true;
    return (*place = ik_arena_strdup(&a->arena, name)) != NULL;
}

static bool audit_copy_text(ik_audit *a, const char *text, const char **copy)
{
    *copy = text ? ik_arena_strdup(&a->arena, text) : NULL;
    return !text || *copy;
}

ik_status audit_add(ik_audit *a, const audit_about *about, ik_error *err, const char *format, ...)
{
    ik_audit_finding f = {.severity = about->severity, .node = about->node, .port = about->port};
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!IK_ARRAY_ROOM(a->findings, a->finding_cap, a->num_findings + 1) ||
        !audit_copy_text(a, about->code, &f.code) || !audit_place_of(a, about, &f.place) ||
        !audit_copy_text(a, text, &f.text) || !audit_copy_text(a, about->evidence, &f.evidence) ||
        !audit_copy_text(a, about->remedy, &f.remedy))
        return ik_fail_memory(err, sizeof f, "the findings of an audit");
    a->findings[a->num_findings++] = f;
    a->counts[f.severity]++;
    return IK_OK;
}

ik_status audit_rest(audit_work *w, const audit_about *about, uint64_t shown, const char *what)
{
    audit_about rest = {about->severity, about->code, IK_NONE, IK_NONE, NULL, about->remedy};
    return shown > w->named
               ? audit_add(w->a, &rest, w->err, "and %" PRIu64 " more: %s", shown - w->named, what)
               : IK_OK;
}

/* A finding and where the first of its severity and code is. */
typedef struct audit_order {
    const ik_audit_finding *finding;
    size_t first;
} audit_order;

static int audit_compare(const void *x, const void *y)
{
    const audit_order *a = x, *b = y;
    if (a->finding->severity != b->finding->severity)
        return a->finding->severity > b->finding->severity ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->finding < b->finding ? -1 : a->finding > b->finding;
}

static size_t audit_first_alike(const ik_audit *a, size_t index)
{
    const ik_audit_finding *f = &a->findings[index];
    size_t i = 0;
    while (a->findings[i].severity != f->severity || strcmp(a->findings[i].code, f->code) != 0)
        i++;
    return i;
}

/* Errors first, then warnings, then notes; those of one code together. */
static ik_status audit_sort_findings(ik_audit *a, ik_error *err)
{
    size_t num = a->num_findings;
    audit_order *order = ik_calloc(num + 1, sizeof *order);
    ik_audit_finding *sorted = ik_calloc(num + 1, sizeof *sorted);
    if (!order || !sorted) {
        free(order);
        free(sorted);
        return ik_fail_memory(err, num * sizeof *sorted, "the findings of an audit");
    }
    for (size_t i = 0; i < num; i++)
        order[i] = (audit_order){&a->findings[i], audit_first_alike(a, i)};
    qsort(order, num, sizeof *order, audit_compare);
    for (size_t i = 0; i < num; i++)
        sorted[i] = *order[i].finding;
    free(order);
    free(a->findings);
    a->findings = sorted;
    a->finding_cap = num + 1;
    return IK_OK;
}

/* ---- an audit */

static ik_status audit_read_files(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_audit_config *c = w->config;
    ik_status status = IK_OK;
    if (c->tables) {
        status = ik_lid_tables_read_reporting(&a->lids, c->tables, w->env, &w->tables, &a->matched,
                                              w->err);
        a->has_tables = status == IK_OK;
    }
    if (status == IK_OK && c->policy) {
        status = ik_qos_policy_read(&a->lids, c->policy, w->env, &w->sls, &w->policy, w->err);
        a->has_levels = status == IK_OK;
    }
    if (status == IK_OK && c->path_records) {
        status =
            ik_path_records_read(&a->lids, c->path_records, w->env, &w->sls, &w->records, w->err);
        a->has_levels = status == IK_OK;
    }
    if (status == IK_OK && c->sl2vl) {
        status = ik_sl2vl_read(a->fabric, c->sl2vl, w->env, &w->vls, &w->maps, w->err);
        a->has_maps = status == IK_OK;
    } else if (status == IK_OK && a->has_levels) {
        status = ik_sl2vl_make(a->fabric, IK_VL_MANAGEMENT, &w->vls, w->err);
    }
    return status;
}

/* The tables as they are: judged in both directions where there are service levels. */
static ik_status audit_judge_installed(audit_work *w)
{
    ik_audit_routing *r = &w->a->installed;
    const ik_subnet_config config = {.replies = true, .management = true};
    ik_status status = ik_subnet_judge(&w->tables, audit_impl_audit_sls(w), audit_impl_audit_vls(w),
                                       &config, w->env, &r->verdict, w->err);
    return status == IK_OK ? choose_measure(w->a->fabric, &w->a->lids, r, w->err) : status;
}

static ik_status audit_run(audit_work *w)
{
    static ik_status (*const parts[])(audit_work *) = {
        audit_files, audit_judge_installed, audit_pairs, audit_loops, audit_engine, audit_balance};
    ik_status status = audit_baseline_open(w);
    if (status == IK_OK)
        status = audit_make_lids(w);
    if (status == IK_OK)
        status = audit_cabling(w);
    if (status == IK_OK)
        status = audit_lids(w);
    if (status == IK_OK)
        status = audit_lid_matrix(w);
    if (status == IK_OK && !w->a->lid_clashes)
        status = audit_read_files(w);
    for (size_t i = 0; w->a->has_tables && i < sizeof parts / sizeof *parts && status == IK_OK; i++)
        status = parts[i](w);
    if (status == IK_OK)
        status = audit_multicast(w);
    if (status == IK_OK)
        status = audit_counters(w);
    if (status == IK_OK)
        status = audit_propose(w);
    if (status == IK_OK)
        status = audit_baseline_mark(w);
    return status == IK_OK ? audit_sort_findings(w->a, w->err) : status;
}

/* What would have no effect, or be read in place of something else that was given. */
static ik_status audit_check_config(const ik_audit_config *c, ik_error *err)
{
    bool compares = c->routing && strcmp(c->routing, "none") != 0;
    const struct {
        bool given, with;
        const char *name, *needs;
    } rules[] = {
        {c->sl2vl, c->tables, "SL-to-VL maps", "forwarding tables"},
        {c->policy, c->tables, "a QoS policy", "forwarding tables"},
        {c->path_records, c->tables, "path records", "forwarding tables"},
        {c->engine, c->tables, "the name of a routing engine", "forwarding tables"},
        {c->vc, compares, "a VC scheme", "a routing to compare with"},
        {c->counters_later, c->counters, "later counters", "earlier counters"},
        {c->interval_s > 0, c->counters_later, "an interval", "two readings of counters"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !rules[i].with)
            return ik_fail(err, IK_ERR_USAGE, "%s: without effect on an audit without %s",
                           rules[i].name, rules[i].needs);
    if (c->path_records && c->policy)
        return ik_fail(err, IK_ERR_USAGE,
                       "path records and a QoS policy: both say which service levels packets have");
    return IK_OK;
}

/* The order of a dump is that of answers to its program, which wanders: findings that name both
 * ends of a cable, or the first of several nodes, would wander with it. */
static ik_status audit_order_nodes(ik_audit *a, const ik_fabric *f, ik_error *err)
{
    return f->node_guid && !f->family_data ? fabric_sorted(f, &a->sorted, &a->given, err) : IK_OK;
}

ik_status ik_audit_run(const ik_fabric *f, const ik_audit_config *config, const ik_env *env,
                       ik_audit *out, ik_error *err)
{
    enum { NAMED = 8 };
    static const ik_audit_config defaults = {0};
    ik_audit a = {.fabric = f};
    audit_work w = {
        .a = &a, .given = f, .config = config ? config : &defaults, .env = env, .err = err};
    w.named = w.config->named ? w.config->named : NAMED;
    ik_status status = audit_check_config(w.config, err);
    if (status == IK_OK)
        status = audit_order_nodes(&a, f, err);
    w.given = a.sorted ? a.sorted : f;
    if (status == IK_OK && f->num_endpoints)
        status = ik_fabric_with_endpoints(w.given, &a.whole, err);
    a.fabric = a.whole ? a.whole : w.given;
    if (status == IK_OK)
        status = audit_run(&w);
    audit_baseline_close(&w);
    ik_lid_tables_free(&w.tables);
    ik_service_levels_free(&w.sls);
    ik_sl2vl_free(&w.vls);
    if (status != IK_OK) {
        ik_audit_free(&a);
        return status;
    }
    *out = a;
    return IK_OK;
}

void ik_audit_free(ik_audit *a)
{
    free(a->findings);
    if (a->has_cabling)
        ik_cabling_free(&a->cabling);
    ik_lids_free(&a->lids);
    choose_discard(&a->installed);
    choose_discard(&a->proposed);
    free(a->choice.of);
    ik_counter_changes_free(&a->counters);
    free(a->measured.predicted);
    ik_arena_free(&a->arena);
    ik_fabric_free(a->whole);
    ik_fabric_free(a->sorted);
    free(a->given);
    *a = (ik_audit){0};
}
