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

/* Workloads and failures, as far as they were asked for. */
static void design_csv_more(const designs *d, const design_row *row)
{
    const bool built = row->built;
    for (int k = 0; k < d->num_workloads; k++) {
        const design_time *time = &row->times[k];
        design_csv_real(built ? time->least_ns : NAN);
        design_csv_real(built ? time->phases_ns : NAN);
        design_csv_real(built ? time->simulated_ns : NAN);
    }
    for (int k = 0; k < d->num_shares; k++) {
        const design_damage *x = &row->damages[k];
        design_csv_real(built ? x->connected : NAN);
        design_csv_real(built ? x->least_connected : NAN);
        design_csv_real(built ? x->mean_hops : NAN);
        design_csv_real(built ? x->saturation : NAN);
        design_csv_real(built ? x->least_saturation : NAN);
        design_csv_text(!built ? "" : x->refused ? "refused" : x->proved ? "yes" : "no");
    }
    if (d->rails > 1)
        design_csv_text(row->whole);
}

static void design_csv_more_names(const designs *d)
{
    static const char *const times[] = {"at least ns", "by phases ns", "simulated ns"};
    static const char *const left[] = {"connected",  "connected least",  "mean hops",
                                       "saturation", "saturation least", "proved"};
    char name[200], share[32];
    for (int k = 0; k < d->num_workloads; k++) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            snprintf(name, sizeof name, "%.160s %s", d->workloads[k], times[i]);
            design_csv_text(name);
        }
    }
    for (int k = 0; k < d->num_shares; k++) {
        for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
            snprintf(name, sizeof name, "%s, %s failed", left[i],
                     design_share_text(d->shares[k], share, sizeof share));
            design_csv_text(name);
        }
    }
    if (d->rails > 1)
        design_csv_text("whole_spec");
}

static void design_csv_row(const designs *d, const design_row *row)
{
    char reason[400];
    design_number numbers[DESIGN_NUMBERS];
    ik_text_csv(stdout, row->topology->name);
    design_csv_text(row->series->name);
    design_csv_text(row->fits ? row->spec : "");
    design_csv_text(row->fits ? row->fit.routing : "");
    design_csv_text(row->vc);
    design_csv_text(row->built ? (row->proved ? "yes" : "no") : "");
    design_numbers(d, row, numbers);
    for (size_t i = 0; i < DESIGN_NUMBERS; i++)
        design_csv_real(numbers[i].value);
    for (int k = 0; k < d->num_patterns; k++)
        design_csv_real(design_saturation(row, k));
    design_csv_more(d, row);
    design_csv_text(row->fits ? "" : design_reason(d, row, reason, sizeof reason));
    putchar('\n');
}

int designs_show_csv(const designs *d)
{
    design_number numbers[DESIGN_NUMBERS];
    design_numbers(d, &d->rows[0], numbers);
    printf("family,series,spec,routing,vc,proved");
    for (size_t i = 0; i < DESIGN_NUMBERS; i++)
        printf(",%s", numbers[i].name);
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

static void design_json_time(ik_json *j, const char *workload, const design_time *time)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "traffic", workload);
    ik_json_real(j, "at_least_ns", time->least_ns, CLI_DIGITS);
    ik_json_real(j, "phases_ns", time->phases_ns, CLI_DIGITS);
    ik_json_real(j, "simulated_ns", time->simulated_ns, CLI_DIGITS);
    ik_json_close(j);
}

static void design_json_damage(ik_json *j, double share, const design_row *row,
                               const design_damage *x)
{
    ik_json_object(j, NULL);
    ik_json_real(j, "share", share, CLI_DIGITS);
    ik_json_text(j, "routing", row->reroute);
    ik_json_text(j, "fallback", row->fallback);
    ik_json_uint(j, "draws", DESIGN_DRAWS);
    ik_json_uint(j, "failed_cables", x->failed);
    ik_json_real(j, "connected", x->connected, CLI_DIGITS);
    ik_json_real(j, "connected_least", x->least_connected, CLI_DIGITS);
    ik_json_real(j, "mean_hops", x->mean_hops, CLI_DIGITS);
    ik_json_real(j, "saturation", x->saturation, CLI_DIGITS);
    ik_json_real(j, "saturation_least", x->least_saturation, CLI_DIGITS);
    ik_json_uint(j, "vcs", x->lanes);
    ik_json_uint(j, "fell_back", x->fell_back);
    ik_json_uint(j, "refused", x->refused);
    ik_json_bool(j, "proved", x->proved);
    ik_json_close(j);
}

static void design_json_more(ik_json *j, const designs *d, const design_row *row)
{
    ik_json_optional(j, "whole_spec", row->whole[0] ? row->whole : NULL);
    ik_json_uint(j, "host_rate_bps", d->rails * d->rate_bps);
    ik_json_array(j, "workloads");
    for (int k = 0; row->built && k < d->num_workloads; k++)
        design_json_time(j, d->workloads[k], &row->times[k]);
    ik_json_close(j);
    ik_json_array(j, "failures");
    for (int k = 0; row->built && k < d->num_shares; k++)
        design_json_damage(j, d->shares[k], row, &row->damages[k]);
    ik_json_close(j);
}

static void design_json_member(ik_json *j, const designs *d, const design_row *row)
{
    design_number numbers[DESIGN_NUMBERS];
    ik_json_object(j, NULL);
    ik_json_text(j, "family", row->topology->name);
    ik_json_text(j, "series", row->series->name);
    ik_json_text(j, "spec", row->spec);
    ik_json_text(j, "routing", row->fit.routing);
    ik_json_optional(j, "vc", row->built ? row->vc : NULL);
    if (row->built)
        ik_json_bool(j, "proved", row->proved);
    else
        ik_json_null(j, "proved");
    design_numbers(d, row, numbers);
    for (size_t i = 0; i < DESIGN_NUMBERS; i++)
        if (numbers[i].decimals < 0 && !isnan(numbers[i].value))
            ik_json_uint(j, numbers[i].name, (uint64_t)numbers[i].value);
        else
            ik_json_real(j, numbers[i].name, numbers[i].value, CLI_DIGITS);
    ik_json_array(j, "saturation");
    for (int k = 0; row->built && k < d->num_patterns; k++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "pattern", d->patterns[k]);
        ik_json_real(j, "load", design_saturation(row, k), CLI_DIGITS);
        ik_json_close(j);
    }
    ik_json_close(j);
    design_json_more(j, d, row);
    ik_json_close(j);
}

static void design_json_infeasible(ik_json *j, const designs *d, const design_row *row)
{
    char reason[400];
    ik_json_object(j, NULL);
    ik_json_text(j, "family", row->topology->name);
    ik_json_text(j, "series", row->series->name);
    ik_json_text(j, "reason", design_reason(d, row, reason, sizeof reason));
    ik_json_optional(j, "nearest", row->most_hosts > 0 ? row->spec : NULL);
    ik_json_uint(j, "most_hosts", (uint64_t)row->most_hosts);
    ik_json_known(j, "radix_needed", row->least_radix > 0, row->least_radix);
    ik_json_close(j);
}

int designs_show_json(const designs *d)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_object(&j, "wish");
    ik_json_uint(&j, "hosts", (uint64_t)d->wish.hosts);
    ik_json_uint(&j, "radix", d->wish.radix);
    ik_json_real(&j, "oversubscription", d->wish.oversubscription, CLI_DIGITS);
    ik_json_uint(&j, "rate_bps", d->rate_bps);
    ik_json_uint(&j, "rails", d->rails);
    ik_json_close(&j);
    ik_json_text(&j, "currency", ik_prices_currency(d->prices));
    ik_json_optional(&j, "prices", d->prices_file);
    ik_json_array(&j, "members");
    for (size_t i = 0; i < d->num_fits; i++)
        design_json_member(&j, d, &d->rows[i]);
    ik_json_close(&j);
    ik_json_array(&j, "infeasible");
    for (size_t i = d->num_fits; i < d->num; i++)
        design_json_infeasible(&j, d, &d->rows[i]);
    ik_json_close(&j);
    return cli_json_end(d->c, &j);
}
