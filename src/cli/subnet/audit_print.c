/* SPDX-License-Identifier: Apache-2.0 */
#include "audit_show.h"

#include <string.h>

enum { MOST_SHOWN = 8 }; /* of one severity and code; --all shows the others */

static const char *audit_print_verdict_text(ik_verdict v)
{
    return v == IK_YES ? "yes" : v == IK_NO ? "NO" : "not known";
}

/* ---- what is audited */

static void print_subject(const cli *c, const ik_audit *a)
{
    const ik_fabric *f = a->fabric;
    printf("%s\n", cli_line(f->spec ? f->spec : c->args[0]));
    printf("  %-15s %s, %s", "fabric", cli_counted(f->num_hosts - f->num_silent, "host"),
           cli_counted(f->num_switches, "switch"));
    if (f->num_silent)
        printf(", %s inside switches", cli_counted(f->num_silent, "endpoint"));
    if (f->num_levels)
        printf(", a tree of %s", cli_counted(f->num_levels, "level"));
    printf("\n");
    if (a->cabling.summary)
        printf("  %-15s %s\n", "cabling", cli_line(a->cabling.summary));
    if (!a->has_tables) {
        printf("  %-15s none given: only the fabric is audited (--lfts FILE)\n", "tables");
        return;
    }
    printf("  %-15s of %s, %s, read as %s\n", "tables", cli_counted(a->matched.switches, "switch"),
           cli_counted(a->matched.entries, "entry"), a->matched.format);
    printf("  %-15s %s\n", "lanes",
           a->has_levels ? "service levels as the files say"
                         : "every packet on SL 0: no service levels are given");
    printf("  %-15s %s: %s\n", "made by", a->engine.name ? a->engine.name : "unknown",
           a->engine.text);
    if (a->partial)
        printf("  %-15s what follows holds for the part that the files describe\n", "PARTIAL");
}

/* ---- installed beside proposed */

/* One row of the table: a name and a cell for each column. */
typedef void put_cell(cli_table *t, const ik_audit *a, const ik_audit_routing *r);

static void audit_print_put_pairs(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%s of %s", cli_count(r->verdict.delivered), cli_count(r->verdict.pairs));
}

static void audit_print_put_switches(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    cli_table_cell(t, "%s of %s",
                   cli_count(a->fabric->num_switches - r->verdict.switches_unreached),
                   cli_count(a->fabric->num_switches));
}

static void audit_print_put_deadlock(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%s", audit_print_verdict_text(r->verdict.deadlock_free));
}

static void audit_print_put_management(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%s%s", audit_print_verdict_text(r->verdict.management_free),
                   r->verdict.management_free == IK_NO && r->verdict.one_manager_free == IK_YES
                       ? " (one host: yes)"
                       : "");
}

static void audit_print_put_lanes(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%u", r->verdict.vls_used);
}

static void audit_print_put_hops(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%.4g, at most %u", r->verdict.mean_hops, r->verdict.max_hops);
}

static void audit_print_put_load(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%.4g", r->max_load);
}

static void audit_print_put_saturation(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%.4g", r->saturation);
}

static void audit_print_put_worst(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%u", r->worst);
}

static void audit_print_put_idle(cli_table *t, const ik_audit *a, const ik_audit_routing *r)
{
    (void)a;
    cli_table_cell(t, "%s of %s", cli_count(r->idle_channels), cli_count(r->channels));
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

static void print_routings(const cli *c, const ik_audit *a)
{
    const char *headers[] = {"", a->has_tables ? "installed>" : NULL, NULL, NULL};
    char name[160];
    size_t at = a->has_tables ? 2 : 1;
    if (a->has_proposed) {
        snprintf(name, sizeof name, "%.60s, %.60s>", cli_line(a->proposed.spec),
                 cli_line(a->proposed.vc));
        headers[at] = name;
    }
    if (!headers[1])
        return;
    cli_heading(c, a->has_tables && a->has_proposed ? "Installed, and what ikat would install"
                   : a->has_tables                  ? "Installed"
                                                    : "What ikat would install");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cli_table_cell(t, "%s", rows[i].name);
        if (a->has_tables)
            rows[i].put(t, a, &a->installed);
        if (a->has_proposed)
            rows[i].put(t, a, &a->proposed);
    }
    cli_table_print(t, stdout, c->colour_out);
    printf("  loads are in units of a host's rate\n");
}

/* The routings between which ikat chose. */
static void audit_print_compared(const cli *c, const ik_audit *a)
{
    static const char *const headers[] = {"routing",     "VC scheme", "lanes>", "largest load>",
                                          "saturation>", "",          NULL};
    const ik_routing_choice *choice = &a->choice;
    if (ik_routing_choice_compared(choice) == 0)
        return;
    cli_heading(c, "Routings compared");
    cli_table *t = cli_table_new(headers);
    for (unsigned i = 0; i < choice->num; i++) {
        const ik_routing_compared *row = &choice->of[i];
        if (row->state != IK_COMPARED && row->state != IK_COMPARED_UNPROVED)
            continue;
        cli_table_cell(t, "%s", cli_line(row->routing));
        cli_table_cell(t, "%s", cli_line(row->vc));
        cli_table_cell(t, "%u", row->lanes);
        cli_table_cell(t, "%.4g", row->max_load);
        cli_table_cell(t, "%.4g", row->saturation);
        cli_table_cell(t, "%s",
                       i == choice->chosen                  ? "chosen"
                       : row->state == IK_COMPARED_UNPROVED ? "not proved"
                       : row->better                        ? "better than what is installed"
                                                            : "");
    }
    cli_table_print(t, stdout, c->colour_out);
    for (unsigned i = 0; i < choice->num; i++) {
        char name[200];
        if (choice->of[i].why[0])
            printf("  %s: %s\n",
                   cli_line(ik_routing_compared_name(&choice->of[i], name, sizeof name)),
                   choice->of[i].why);
    }
}

/* ---- balance */

static void print_balance(const cli *c, const ik_audit *a)
{
    static const char *const headers[] = {"channels", "level>", "number>", "min load>",
                                          "mean>",    "max>",   NULL};
    if (!a->has_tables)
        return;
    cli_heading(c, "Balance of the installed routing");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < a->installed.num_groups; i++) {
        const ik_load_group *g = &a->installed.groups[i];
        cli_table_cell(t, "%s", ik_direction_name(g->direction));
        if (g->level)
            cli_table_cell(t, "%u", g->level);
        else
            cli_table_cell(t, "%s", "");
        cli_table_cell(t, "%s", cli_count(g->channels));
        cli_table_cell(t, "%.4g", g->min);
        cli_table_cell(t, "%.4g", g->mean);
        cli_table_cell(t, "%.4g", g->max);
    }
    cli_table_print(t, stdout, c->colour_out);
}

/* ---- multicast */

static void print_multicast(const cli *c, const ik_audit *a)
{
    const ik_audit_multicast *m = &a->multicast;
    if (!a->has_multicast)
        return;
    cli_heading(c, "Multicast");
    printf("  groups             %s, %s\n", cli_count(m->groups),
           cli_counted(m->members, "member"));
    printf("  delivered          %s of %s pairs of members of a group\n",
           cli_count(m->pairs - m->missing), cli_count(m->pairs));
    printf("  loops, duplicates  %s, %s\n", cli_counted(m->looping, "group"),
           cli_counted(m->repeating, "group"));
}

/* ---- counters */

static void print_counters(const cli *c, const ik_audit *a)
{
    const ik_audit_measured *m = &a->measured;
    char name[300];
    if (!a->has_counters || m->channels == 0)
        return;
    cli_heading(c, "Measured between the readings");
    printf("  time between them  %.4g s\n", a->counters.interval_s);
    printf("  mean load          %.2f %% of the rate, of %s between switches\n", 100 * m->mean,
           cli_counted(m->channels, "channel"));
    printf("  busiest            %.2f %%: %s\n", 100 * (double)a->counters.used[m->busiest],
           cli_line(ik_port_describe(a->fabric, m->busiest, name, sizeof name)));
    if (!m->predicted)
        return;
    printf("  predicted there    %.2f %% if as much were sent evenly by all hosts to all others\n",
           100 * (double)m->predicted[m->busiest]);
    printf("  likeness           %.2f: correlation of measured and predicted loads\n", m->likeness);
}

/* ---- findings */

static void print_lines(const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char line[2048];
        snprintf(line, sizeof line, "%.*s", (int)(length < 2000 ? length : 2000), lines);
        printf("      %s\n", cli_line(line));
        lines += length + (lines[length] != '\0');
    }
}

/* repeats: the finding before had the same remedy. */
static void print_finding(const cli *c, const ik_audit_finding *f, bool repeats)
{
    const char *colour = cli_severity_colour(c, f->severity);
    printf("  %s%s%s [%s] %s\n", colour, ik_severity_name(f->severity), *colour ? cli_reset(c) : "",
           f->code, cli_line(f->text));
    if (f->place && !strstr(f->text, f->place))
        printf("    at %s\n", cli_line(f->place));
    if (f->evidence)
        print_lines(f->evidence);
    if (f->remedy && !repeats)
        printf("    %s\n", f->remedy);
}

static bool audit_print_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The new findings of one severity and code, from *index on, which is moved behind them. */
static void audit_print_group(const cli *c, const ik_audit *a, size_t *index)
{
    const ik_audit_finding *first = &a->findings[*index], *last = NULL;
    uint64_t more = 0, shown = 0;
    for (; *index < a->num_findings; ++*index) {
        const ik_audit_finding *f = &a->findings[*index];
        if (f->severity != first->severity || strcmp(f->code, first->code) != 0)
            break;
        if (f->known)
            continue;
        if (shown == MOST_SHOWN && !cli_has(c, "--all")) {
            more++;
            continue;
        }
        print_finding(c, f, last && audit_print_same(f->remedy, last->remedy));
        last = f;
        shown++;
    }
    if (more)
        printf("  %s [%s] and %s more: --all shows them\n", ik_severity_name(first->severity),
               first->code, cli_count(more));
}

static void audit_print_findings(const cli *c, const ik_audit *a)
{
    char heading[160];
    snprintf(heading, sizeof heading, "%sindings: %s, %s, %s",
             cli_has(c, "--baseline") ? "New f" : "F", cli_counted(a->counts[IK_ERROR], "error"),
             cli_counted(a->counts[IK_WARNING], "warning"),
             cli_counted(a->counts[IK_NOTE], "note"));
    cli_heading(c, heading);
    for (size_t i = 0; i < a->num_findings;)
        audit_print_group(c, a, &i);
    if (a->num_findings == a->num_known)
        printf("  nothing\n");
    if (cli_has(c, "--baseline"))
        printf("  %s known from the baseline, %s of the baseline gone\n", cli_count(a->num_known),
               cli_count(a->num_gone));
}

void audit_print(const cli *c, const ik_audit *a)
{
    print_subject(c, a);
    audit_print_findings(c, a);
    print_routings(c, a);
    audit_print_compared(c, a);
    print_balance(c, a);
    print_multicast(c, a);
    print_counters(c, a);
}
