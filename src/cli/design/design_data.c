/* SPDX-License-Identifier: Apache-2.0
 *
 * design_data.c: what `ikat design` found as CSV and JSON.
 */
#include "design_show.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------
 * CSV */

static void design_csv_real(double value)
{
    if (isnan(value))
        putchar(',');
    else
        printf(",%.12g", value);
}

static void design_csv_text(const char *text)
{
    putchar(',');
    ik_text_csv(stdout, text);
}

static void design_csv_floor(const ik_floor_plan *p)
{
    design_csv_real(p ? p->num_racks : NAN);
    for (int k = 0; k < IK_NUM_CABLE_KINDS; k++) {
        design_csv_real(p ? (double)p->cables[k] : NAN);
        design_csv_real(p ? (double)p->length_mm[k] / 1000 : NAN);
    }
    design_csv_real(p ? (double)p->longest_mm / 1000 : NAN);
}

/* Workloads and failures, as far as they were asked for. */
static void design_csv_more(const ik_designs *d, const ik_design_member *m)
{
    const bool built = m->built;
    for (size_t k = 0; k < d->num_workloads; k++) {
        const ik_design_time *time = &m->times[k];
        design_csv_real(built ? time->least_ns : NAN);
        design_csv_real(built ? time->phases_ns : NAN);
        design_csv_real(built ? time->simulated_ns : NAN);
    }
    for (size_t k = 0; k < d->num_losses; k++) {
        const ik_design_failure *x = &m->failures[k];
        design_csv_real(built ? x->connected : NAN);
        design_csv_real(built ? x->least_connected : NAN);
        design_csv_real(built ? x->mean_hops : NAN);
        design_csv_real(built ? x->saturation : NAN);
        design_csv_real(built ? x->least_saturation : NAN);
        design_csv_text(!built ? "" : x->refused ? "refused" : x->proved ? "yes" : "no");
        if (d->losses[k].kind != IK_LOSS_CABLES)
            design_csv_real(built ? x->lost_hosts : NAN);
    }
    if (d->has_floors)
        design_csv_floor(m->floor);
    ik_design_number grown[IK_GROWTH_NUMBERS];
    if (m->growth)
        ik_growth_numbers(m->growth, d->rails, grown);
    for (size_t i = 0; d->from && i < IK_GROWTH_NUMBERS; i++)
        design_csv_real(m->growth ? grown[i].value : NAN);
    if (d->rails > 1)
        design_csv_text(m->whole_spec ? m->whole_spec : "");
}

static void design_csv_more_names(const ik_designs *d)
{
    static const char *const times[] = {"at least ns", "by phases ns", "simulated ns"};
    static const char *const left[] = {"connected",  "connected least",  "mean hops",
                                       "saturation", "saturation least", "proved",
                                       "hosts lost"};
    char name[200], loss[48];
    for (size_t k = 0; k < d->num_workloads; k++) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            snprintf(name, sizeof name, "%.160s %s", d->workloads[k], times[i]);
            design_csv_text(name);
        }
    }
    for (size_t k = 0; k < d->num_losses; k++) {
        const size_t num = sizeof left / sizeof *left - (d->losses[k].kind == IK_LOSS_CABLES);
        for (size_t i = 0; i < num; i++) {
            snprintf(name, sizeof name, "%s, %s failed", left[i],
                     ik_loss_text(&d->losses[k], loss, sizeof loss));
            design_csv_text(name);
        }
    }
    if (d->has_floors)
        printf(",racks,copper_cables,copper_m,optical_cables,optical_m,longest_m");
    const ik_growth none = {0};
    ik_design_number grown[IK_GROWTH_NUMBERS];
    ik_growth_numbers(&none, 1, grown);
    for (size_t i = 0; d->from && i < IK_GROWTH_NUMBERS; i++)
        printf(",%s", grown[i].name);
    if (d->rails > 1)
        design_csv_text("whole_spec");
}

/* reason: why there is no member, of which all numbers are empty then; "": there is one. */
static void design_csv_row(const ik_designs *d, const ik_design_member *m, const char *reason)
{
    ik_design_number numbers[IK_DESIGN_NUMBERS];
    ik_text_csv(stdout, m->family);
    design_csv_text(m->series);
    design_csv_text(m->spec);
    design_csv_text(m->fit->routing);
    design_csv_text(m->vc);
    design_csv_text(m->built ? (m->proved ? "yes" : "no") : "");
    ik_design_numbers(d, m, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        design_csv_real(reason[0] ? NAN : numbers[i].value);
    for (size_t k = 0; k < d->num_patterns; k++)
        design_csv_real(design_saturation(m, k));
    design_csv_more(d, m);
    design_csv_text(reason);
    putchar('\n');
}

static void design_csv_misfit(const ik_designs *d, const ik_design_misfit *m)
{
    static const ik_cost cost;
    const ik_fit fit = {.routing = ""};
    const ik_design_member none = {
        .family = m->family, .series = m->series, .spec = "", .vc = "", .fit = &fit, .cost = &cost};
    design_csv_row(d, &none, m->reason);
}

/* The names of the numbers: those of any member. */
static void design_csv_names(const ik_designs *d)
{
    static const ik_cost cost;
    const ik_fit fit = {.routing = ""};
    const ik_design_member none = {.fit = &fit, .cost = &cost};
    ik_design_number numbers[IK_DESIGN_NUMBERS];
    ik_design_numbers(d, &none, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        printf(",%s", numbers[i].name);
}

int designs_show_csv(const ik_designs *d)
{
    printf("family,series,spec,routing,vc,proved");
    design_csv_names(d);
    for (size_t k = 0; k < d->num_patterns; k++) {
        char name[200];
        snprintf(name, sizeof name, "saturation %.180s", d->patterns[k]);
        design_csv_text(name);
    }
    design_csv_more_names(d);
    printf(",reason\n");
    for (size_t i = 0; i < d->num_members; i++)
        design_csv_row(d, &d->members[i], "");
    for (size_t i = 0; i < d->num_misfits; i++)
        design_csv_misfit(d, &d->misfits[i]);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

int designs_show_json(const cli *c, const ik_designs *d)
{
    ik_json j;
    cli_json_begin(&j);
    ik_designs_json(d, &j);
    return cli_json_end(c, &j);
}
