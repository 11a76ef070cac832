/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_print.c: an audit as text: what is audited, findings, the installed routing beside the
 * proposed one, balance, multicast, counters.
 */
#include "ikat/audit.h"
#include "ikat/cabling.h"
#include "ikat/table.h"

#include <errno.h>
#include <string.h>

enum { MOST_SHOWN = 8 }; /* of one severity and code, without `all` */

/* Where it is printed, and the first failure. */
typedef struct audit_printer {
    const ik_audit *a;
    const ik_audit_view *view;
    FILE *out;
    ik_status status;
    ik_error err;
} audit_printer;

/* A text that may come from a file, in a buffer of the block that it stands in. */
#define AUDIT_LINE(text) audit_print_line((char[4096]){""}, text)

static const char *audit_print_line(char *buffer, const char *text)
{
    snprintf(buffer, 4096, "%s", text);
    return ik_text_line(buffer);
}

static void audit_print_heading(const audit_printer *p, const char *text)
{
    bool colour = p->view->colour;
    fprintf(p->out, "\n%s%s%s\n", colour ? "\033[1m" : "", text, colour ? "\033[0m" : "");
}

/* Frees it; what follows is printed also where there is no memory for a table. */
static void audit_print_table(audit_printer *p, ik_table *t)
{
    ik_error err;
    ik_status status = ik_table_print(t, p->out, p->view->width, p->view->colour, &err);
    if (status == IK_OK || p->status != IK_OK)
        return;
    p->status = status;
    p->err = err;
}

static const char *audit_print_verdict_text(ik_verdict v)
{
    return v == IK_YES ? "yes" : v == IK_NO ? "NO" : "not known";
}

/* ---- what is audited */

static void audit_print_subject(audit_printer *p)
{
    const ik_audit *a = p->a;
    const ik_fabric *f = a->fabric;
    fprintf(p->out, "%s\n",
            AUDIT_LINE(f->spec         ? f->spec
                       : p->view->name ? p->view->name
                                       : "fabric"));
    fprintf(p->out, "  %-15s %s, %s", "fabric",
            IK_WHOLE_COUNT(f->num_hosts - f->num_silent, "host"),
            IK_WHOLE_COUNT(f->num_switches, "switch"));
    if (f->num_silent)
        fprintf(p->out, ", %s inside switches", IK_WHOLE_COUNT(f->num_silent, "endpoint"));
    if (f->num_levels)
        fprintf(p->out, ", a tree of %s", IK_WHOLE_COUNT(f->num_levels, "level"));
    fprintf(p->out, "\n");
    if (a->cabling.summary)
        fprintf(p->out, "  %-15s %s\n", "cabling", AUDIT_LINE(a->cabling.summary));
    if (!a->has_tables) {
        fprintf(p->out, "  %-15s none given: only the fabric is audited (--lfts FILE)\n", "tables");
        return;
    }
    fprintf(p->out, "  %-15s of %s, %s, read as %s\n", "tables",
            IK_WHOLE_COUNT(a->matched.switches, "switch"),
            IK_WHOLE_COUNT(a->matched.entries, "entry"), a->matched.format);
    fprintf(p->out, "  %-15s %s\n", "lanes",
            a->has_levels ? "service levels as the files say"
                          : "every packet on SL 0: no service levels are given");
    fprintf(p->out, "  %-15s %s: %s\n", "made by", a->engine.name ? a->engine.name : "unknown",
            a->engine.text);
    if (a->partial)
        fprintf(p->out, "  %-15s what follows holds for the part that the files describe\n",
                "PARTIAL");
}

/* ---- installed beside proposed */

/* One row of the table: a name and a cell for each column. */
typedef void put_cell(ik_table *t, const ik_audit *a, const ik_audit_routing *r);

static void audit_print_put_pairs(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%s of %s", IK_WHOLE(r->verdict.delivered), IK_WHOLE(r->verdict.pairs));
}

static void audit_print_put_switches(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    ik_table_cell(t, "%s of %s", IK_WHOLE(a->fabric->num_switches - r->verdict.switches_unreached),
                  IK_WHOLE(a->fabric->num_switches));
}

static void audit_print_put_deadlock(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%s", audit_print_verdict_text(r->verdict.deadlock_free));
}

static void audit_print_put_management(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%s%s", audit_print_verdict_text(r->verdict.management_free),
                  r->verdict.management_free == IK_NO && r->verdict.one_manager_free == IK_YES
                      ? " (one host: yes)"
                      : "");
}

static void audit_print_put_lanes(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%u", r->verdict.vls_used);
}

static void audit_print_put_hops(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%.4g, at most %u", r->verdict.mean_hops, r->verdict.max_hops);
}

static void audit_print_put_load(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%.4g", r->max_load);
}

static void audit_print_put_saturation(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%.4g", r->saturation);
}

static void audit_print_put_worst(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%u", r->worst);
}

static void audit_print_put_idle(ik_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    ik_table_cell(t, "%s of %s", IK_WHOLE(r->idle_channels), IK_WHOLE(r->channels));
}

static const struct {
    const char *name;
    put_cell *put;
} rows[] = {
    {"host pairs delivered", audit_print_put_pairs},
    {"switches that every host reaches", audit_print_put_switches},
    {"deadlock-free, replies included", audit_print_put_deadlock},
    {"and with performance queries", audit_print_put_management},
    {"virtual lanes in use", audit_print_put_lanes},
    {"hops between switches, mean", audit_print_put_hops},
    {"largest load, all hosts to all", audit_print_put_load},
    {"offered load at saturation", audit_print_put_saturation},
    {"most flows of a permutation on a link", audit_print_put_worst},
    {"channels without any path", audit_print_put_idle},
};

static void audit_print_routings(audit_printer *p)
{
    const ik_audit *a = p->a;
    const char *headers[] = {"", a->has_tables ? "installed>" : NULL, NULL, NULL};
    char name[160];
    size_t at = a->has_tables ? 2 : 1;
    if (a->has_proposed) {
        snprintf(name, sizeof name, "%.60s, %.60s>", AUDIT_LINE(a->proposed.spec),
                 AUDIT_LINE(a->proposed.vc));
        headers[at] = name;
    }
    if (!headers[1])
        return;
    audit_print_heading(p, a->has_tables && a->has_proposed
                               ? "Installed, and what ikat would install"
                           : a->has_tables ? "Installed"
                                           : "What ikat would install");
    ik_table *t = ik_table_new(headers);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_table_cell(t, "%s", rows[i].name);
        if (a->has_tables)
            rows[i].put(t, a, &a->installed);
        if (a->has_proposed)
            rows[i].put(t, a, &a->proposed);
    }
    audit_print_table(p, t);
    fprintf(p->out, "  loads are in units of a host's rate\n");
}

/* The routings between which ikat chose. */
static void audit_print_compared(audit_printer *p)
{
    const ik_audit *a = p->a;
    static const char *const headers[] = {"routing",     "VC scheme", "lanes>", "largest load>",
                                          "saturation>", "",          NULL};
    const ik_routing_choice *choice = &a->choice;
    if (ik_routing_choice_compared(choice) == 0)
        return;
    audit_print_heading(p, "Routings compared");
    ik_table *t = ik_table_new(headers);
    for (unsigned i = 0; i < choice->num; i++) {
        const ik_routing_compared *row = &choice->of[i];
        if (row->state != IK_COMPARED && row->state != IK_COMPARED_UNPROVED)
            continue;
        ik_table_cell(t, "%s", AUDIT_LINE(row->routing));
        ik_table_cell(t, "%s", AUDIT_LINE(row->vc));
        ik_table_cell(t, "%u", row->lanes);
        ik_table_cell(t, "%.4g", row->max_load);
        ik_table_cell(t, "%.4g", row->saturation);
        ik_table_cell(t, "%s",
                      i == choice->chosen                  ? "chosen"
                      : row->state == IK_COMPARED_UNPROVED ? "not proved"
                      : row->better                        ? "better than what is installed"
                                                           : "");
    }
    audit_print_table(p, t);
    for (unsigned i = 0; i < choice->num; i++) {
        char name[200];
        if (choice->of[i].why[0])
            fprintf(p->out, "  %s: %s\n",
                    AUDIT_LINE(ik_routing_compared_name(&choice->of[i], name, sizeof name)),
                    choice->of[i].why);
    }
}

/* ---- balance */

static void audit_print_balance(audit_printer *p)
{
    const ik_audit *a = p->a;
    static const char *const headers[] = {"channels", "level>", "number>", "min load>",
                                          "mean>",    "max>",   NULL};
    if (!a->has_tables)
        return;
    audit_print_heading(p, "Balance of the installed routing");
    ik_table *t = ik_table_new(headers);
    for (size_t i = 0; i < a->installed.num_groups; i++) {
        const ik_load_group *g = &a->installed.groups[i];
        ik_table_cell(t, "%s", ik_direction_name(g->direction));
        if (g->level)
            ik_table_cell(t, "%u", g->level);
        else
            ik_table_cell(t, "%s", "");
        ik_table_cell(t, "%s", IK_WHOLE(g->channels));
        ik_table_cell(t, "%.4g", g->min);
        ik_table_cell(t, "%.4g", g->mean);
        ik_table_cell(t, "%.4g", g->max);
    }
    audit_print_table(p, t);
}

/* ---- multicast */

static void audit_print_multicast(audit_printer *p)
{
    const ik_audit *a = p->a;
    const ik_audit_multicast *m = &a->multicast;
    if (!a->has_multicast)
        return;
    audit_print_heading(p, "Multicast");
    fprintf(p->out, "  groups             %s, %s\n", IK_WHOLE(m->groups),
            IK_WHOLE_COUNT(m->members, "member"));
    fprintf(p->out, "  delivered          %s of %s pairs of members of a group\n",
            IK_WHOLE(m->pairs - m->missing), IK_WHOLE(m->pairs));
    fprintf(p->out, "  loops, duplicates  %s, %s\n", IK_WHOLE_COUNT(m->looping, "group"),
            IK_WHOLE_COUNT(m->repeating, "group"));
}

/* ---- counters */

static void audit_print_counters(audit_printer *p)
{
    const ik_audit *a = p->a;
    const ik_audit_measured *m = &a->measured;
    char name[300];
    if (!a->has_counters || m->channels == 0)
        return;
    audit_print_heading(p, "Measured between the readings");
    fprintf(p->out, "  time between them  %.4g s\n", a->counters.interval_s);
    fprintf(p->out, "  mean load          %.2f %% of the rate, of %s between switches\n",
            100 * m->mean, IK_WHOLE_COUNT(m->channels, "channel"));
    fprintf(p->out, "  busiest            %.2f %%: %s\n",
            100 * (double)a->counters.used[m->busiest],
            AUDIT_LINE(ik_port_describe(a->fabric, m->busiest, name, sizeof name)));
    if (!m->predicted)
        return;
    fprintf(p->out,
            "  predicted there    %.2f %% if as much were sent evenly by all hosts to all others\n",
            100 * (double)m->predicted[m->busiest]);
    fprintf(p->out, "  likeness           %.2f: correlation of measured and predicted loads\n",
            m->likeness);
}

/* ---- findings */

static void audit_print_lines(audit_printer *p, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char line[2048];
        snprintf(line, sizeof line, "%.*s", (int)(length < 2000 ? length : 2000), lines);
        fprintf(p->out, "      %s\n", AUDIT_LINE(line));
        lines += length + (lines[length] != '\0');
    }
}

/* repeats: the finding before had the same remedy. */
static void audit_print_finding(audit_printer *p, const ik_audit_finding *f, bool repeats)
{
    static const char *const colours[] = {
        [IK_NOTE] = "", [IK_WARNING] = "\033[33m", [IK_ERROR] = "\033[1;31m"};
    const char *colour = p->view->colour ? colours[f->severity] : "";
    fprintf(p->out, "  %s%s%s [%s] %s\n", colour, ik_severity_name(f->severity),
            *colour ? "\033[0m" : "", f->code, AUDIT_LINE(f->text));
    if (f->place && !strstr(f->text, f->place))
        fprintf(p->out, "    at %s\n", AUDIT_LINE(f->place));
    if (f->evidence)
        audit_print_lines(p, f->evidence);
    if (f->remedy && !repeats)
        fprintf(p->out, "    %s\n", f->remedy);
}

static bool audit_print_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The new findings of one severity and code, from *index on, which is moved behind them. */
static void audit_print_group(audit_printer *p, size_t *index)
{
    const ik_audit *a = p->a;
    const ik_audit_finding *first = &a->findings[*index], *last = NULL;
    uint64_t more = 0, shown = 0;
    for (; *index < a->num_findings; ++*index) {
        const ik_audit_finding *f = &a->findings[*index];
        if (f->severity != first->severity || strcmp(f->code, first->code) != 0)
            break;
        if (f->known)
            continue;
        if (shown == MOST_SHOWN && !p->view->all) {
            more++;
            continue;
        }
        audit_print_finding(p, f, last && audit_print_same(f->remedy, last->remedy));
        last = f;
        shown++;
    }
    if (more)
        fprintf(p->out, "  %s [%s] and %s more: --all shows them\n",
                ik_severity_name(first->severity), first->code, IK_WHOLE(more));
}

static void audit_print_findings(audit_printer *p)
{
    const ik_audit *a = p->a;
    char heading[160];
    snprintf(heading, sizeof heading, "%sindings: %s, %s, %s", p->view->baseline ? "New f" : "F",
             IK_WHOLE_COUNT(a->counts[IK_ERROR], "error"),
             IK_WHOLE_COUNT(a->counts[IK_WARNING], "warning"),
             IK_WHOLE_COUNT(a->counts[IK_NOTE], "note"));
    audit_print_heading(p, heading);
    for (size_t i = 0; i < a->num_findings;)
        audit_print_group(p, &i);
    if (a->num_findings == a->num_known)
        fprintf(p->out, "  nothing\n");
    if (p->view->baseline)
        fprintf(p->out, "  %s known from the baseline, %s of the baseline gone\n",
                IK_WHOLE(a->num_known), IK_WHOLE(a->num_gone));
}

ik_status ik_audit_print(const ik_audit *a, const ik_audit_view *view, FILE *out, ik_error *err)
{
    static const ik_audit_view plain = {0};
    audit_printer p = {.a = a, .view = view ? view : &plain, .out = out};
    audit_print_subject(&p);
    audit_print_findings(&p);
    audit_print_routings(&p);
    audit_print_compared(&p);
    audit_print_balance(&p);
    audit_print_multicast(&p);
    audit_print_counters(&p);
    if (p.status == IK_OK && ferror(out))
        return ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno));
    if (p.status != IK_OK && err)
        *err = p.err;
    return p.status;
}
