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
static void design_csv_more(const designs *d, const design_row *row)
{
    const bool built = row->built;
    for (int k = 0; k < d->num_workloads; k++) {
        const ik_design_time *time = &row->times[k];
        design_csv_real(built ? time->least_ns : NAN);
        design_csv_real(built ? time->phases_ns : NAN);
        design_csv_real(built ? time->simulated_ns : NAN);
    }
    for (int k = 0; k < d->num_losses; k++) {
        const ik_design_failure *x = &row->failures[k];
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
        design_csv_floor(row->floor);
    ik_design_number grown[IK_GROWTH_NUMBERS];
    ik_growth_numbers(&row->growth, d->rails, grown);
    for (size_t i = 0; d->from && i < IK_GROWTH_NUMBERS; i++)
        design_csv_real(row->grown && built ? grown[i].value : NAN);
    if (d->rails > 1)
        design_csv_text(row->whole);
}

static void design_csv_more_names(const designs *d)
{
    static const char *const times[] = {"at least ns", "by phases ns", "simulated ns"};
    static const char *const left[] = {"connected",  "connected least",  "mean hops",
                                       "saturation", "saturation least", "proved",
                                       "hosts lost"};
    char name[200], loss[48];
    for (int k = 0; k < d->num_workloads; k++) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            snprintf(name, sizeof name, "%.160s %s", d->workloads[k], times[i]);
            design_csv_text(name);
        }
    }
    for (int k = 0; k < d->num_losses; k++) {
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

static void design_csv_row(const designs *d, const design_row *row)
{
    design_number numbers[IK_DESIGN_NUMBERS];
    ik_text_csv(stdout, row->topology->name);
    design_csv_text(row->series->name);
    design_csv_text(row->fits ? row->spec : "");
    design_csv_text(row->fits ? row->fit.routing : "");
    design_csv_text(row->vc);
    design_csv_text(row->built ? (row->proved ? "yes" : "no") : "");
    design_numbers(d, row, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        design_csv_real(numbers[i].of.value);
    for (int k = 0; k < d->num_patterns; k++)
        design_csv_real(design_saturation(row, k));
    design_csv_more(d, row);
    design_csv_text(row->fits ? "" : row->reason);
    putchar('\n');
}

int designs_show_csv(const designs *d)
{
    design_number numbers[IK_DESIGN_NUMBERS];
    design_numbers(d, &d->rows[0], numbers);
    printf("family,series,spec,routing,vc,proved");
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        printf(",%s", numbers[i].of.name);
    for (int k = 0; k < d->num_patterns; k++) {
        char name[200];
        snprintf(name, sizeof name, "saturation %.180s", d->patterns[k]);
        design_csv_text(name);
    }
    design_csv_more_names(d);
    printf(",reason\n");
    for (size_t i = 0; i < d->num; i++)
        design_csv_row(d, &d->rows[i]);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

int designs_show_json(const designs *d)
{
    ik_designs made;
    ik_error err;
    ik_json j;
    if (designs_make(d, &made, &err) != IK_OK)
        return cli_error(d->c, &err);
    cli_json_begin(&j);
    ik_designs_json(&made, &j);
    int status = cli_json_end(d->c, &j);
    designs_free(&made);
    return status;
}
