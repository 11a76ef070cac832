/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_designs.c: networks for a wish as JSON, and as a page that compares them: the page
 * of reports, which shows another kind of data.
 */
#include "ikat/design.h"
#include "report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 }; /* of real numbers, as in everything that commands print as JSON */

/* ---- numbers */

void ik_design_numbers(const ik_designs *d, const ik_design_member *m,
                       ik_design_number out[IK_DESIGN_NUMBERS])
{
    const ik_scale_point *p = &m->fit->point;
    const ik_cost *cost = m->cost;
    const double measured = m->built ? 0 : NAN, rails = d->rails;
    const ik_design_number all[IK_DESIGN_NUMBERS] = {
        {"cost_per_host", false, cost->total / p->hosts},
        {"watts_per_host", false, cost->watts / p->hosts},
        {"hosts", true, p->hosts},
        {"switches", true, rails * p->switches},
        {"ports_in_use", true, rails * p->ports},
        {"spare_host_ports", true, rails * (m->fit->capacity - p->hosts)},
        {"cables", true, rails * p->links},
        {"switch_cables", true, rails * (p->links - p->hosts)},
        {"diameter", true, m->diameter + measured},
        {"mean_hops", false, m->mean_hops + measured},
        {"vcs", true, m->num_vcs + measured},
        {"bisection_per_host", false, m->bisection_per_host + measured},
        {"cost_switches", false, cost->switches},
        {"cost_adapters", false, cost->adapters},
        {"cost_copper_cables", false, cost->copper_cables},
        {"cost_optical_cables", false, cost->optical_cables},
        {"cost", false, cost->total},
        {"watts", false, cost->watts},
        {"fewest_switches", true, m->fewest_switches > 0 ? rails * m->fewest_switches : NAN},
        {"fewest_switches_hosts", true, m->fewest_switches > 0 ? m->fewest_switches_hosts : NAN},
    };
    memcpy(out, all, sizeof all);
}

void ik_growth_numbers(const ik_growth *g, uint32_t rails, ik_design_number out[IK_GROWTH_NUMBERS])
{
    const ik_design_number all[IK_GROWTH_NUMBERS] = {
        {"switches_added", true, rails * (double)(g->new_switches - g->matched)},
        {"switches_removed", true, rails * (double)(g->old_switches - g->matched)},
        {"cables_pulled", true, rails * (double)(g->new_cables - g->kept)},
        {"cables_moved", true, rails * (double)(g->old_cables - g->kept)},
        {"cables_moved_least", true, rails * (double)(g->old_cables - g->most_kept)},
        {"cables_staying", true, rails * (double)g->kept},
        {"hosts_moved", true, g->moved_hosts},
        {"hosts_moved_least", true, g->least_moved_hosts},
    };
    memcpy(out, all, sizeof all);
}

/* ---- JSON */

/* The hosts that change their switch: the first and the last of each range. */
static void report_designs_put_growth(ik_json *j, const ik_designs *d, const ik_growth *g)
{
    ik_design_number numbers[IK_GROWTH_NUMBERS];
    ik_growth_numbers(g, d->rails, numbers);
    ik_json_object(j, "growth");
    for (size_t i = 0; i < IK_GROWTH_NUMBERS; i++)
        ik_json_uint(j, numbers[i].name, (uint64_t)numbers[i].value);
    ik_json_array(j, "moved_hosts");
    for (uint32_t h = 0; h < g->num_hosts; h++) {
        if (g->moves[h] && (h == 0 || !g->moves[h - 1]))
            ik_json_uint(j, NULL, h);
        if (g->moves[h] && (h + 1 == g->num_hosts || !g->moves[h + 1]))
            ik_json_uint(j, NULL, h);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void report_designs_put_time(ik_json *j, const char *workload, const ik_design_time *time)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "traffic", workload);
    ik_json_real(j, "at_least_ns", time->least_ns, DIGITS);
    ik_json_real(j, "phases_ns", time->phases_ns, DIGITS);
    ik_json_real(j, "simulated_ns", time->simulated_ns, DIGITS);
    ik_json_close(j);
}

/* A share, or a number of racks or trays: the other one is null. */
static void report_designs_put_loss(ik_json *j, const ik_loss *loss)
{
    ik_json_text(j, "what", ik_loss_kind_name(loss->kind));
    ik_json_real(j, "share", loss->counted ? NAN : loss->amount, DIGITS);
    if (loss->counted)
        ik_json_uint(j, "number", (uint64_t)loss->amount);
    else
        ik_json_null(j, "number");
}

static void report_designs_put_failure(ik_json *j, const ik_designs *d, size_t k,
                                       const ik_design_member *m)
{
    const ik_design_failure *x = &m->failures[k];
    ik_json_object(j, NULL);
    report_designs_put_loss(j, &d->losses[k]);
    ik_json_text(j, "routing", m->reroute);
    ik_json_text(j, "fallback", m->fallback);
    ik_json_uint(j, "draws", d->draws);
    ik_json_real(j, "failed_cables", x->failed, DIGITS);
    ik_json_real(j, "lost_hosts", x->lost_hosts, DIGITS);
    ik_json_real(j, "connected", x->connected, DIGITS);
    ik_json_real(j, "connected_least", x->least_connected, DIGITS);
    ik_json_real(j, "mean_hops", x->mean_hops, DIGITS);
    ik_json_real(j, "saturation", x->saturation, DIGITS);
    ik_json_real(j, "saturation_least", x->least_saturation, DIGITS);
    ik_json_uint(j, "vcs", x->lanes);
    ik_json_uint(j, "fell_back", x->fell_back);
    ik_json_uint(j, "refused", x->refused);
    ik_json_bool(j, "proved", x->proved);
    ik_json_close(j);
}

static void report_designs_put_numbers(ik_json *j, const ik_designs *d, const ik_design_member *m)
{
    ik_design_number numbers[IK_DESIGN_NUMBERS];
    ik_design_numbers(d, m, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (numbers[i].whole && !isnan(numbers[i].value))
            ik_json_uint(j, numbers[i].name, (uint64_t)numbers[i].value);
        else
            ik_json_real(j, numbers[i].name, numbers[i].value, DIGITS);
}

static void report_designs_put_measured(ik_json *j, const ik_designs *d, const ik_design_member *m)
{
    ik_json_array(j, "saturation");
    for (size_t k = 0; m->built && k < d->num_patterns; k++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "pattern", d->patterns[k]);
        ik_json_real(j, "load", m->saturation[k] < 0 ? NAN : m->saturation[k], DIGITS);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_optional(j, "whole_spec", m->whole_spec);
    ik_json_uint(j, "host_rate_bps", d->rails * d->rate_bps);
    ik_json_array(j, "workloads");
    for (size_t k = 0; m->built && k < d->num_workloads; k++)
        report_designs_put_time(j, d->workloads[k], &m->times[k]);
    ik_json_close(j);
    ik_json_array(j, "failures");
    for (size_t k = 0; m->built && k < d->num_losses; k++)
        report_designs_put_failure(j, d, k, m);
    ik_json_close(j);
    if (m->floor) {
        ik_json_object(j, "floor");
        ik_floor_plan_json(m->floor, j);
        ik_json_close(j);
    } else {
        ik_json_null(j, "floor");
    }
    if (m->growth)
        report_designs_put_growth(j, d, m->growth);
    else
        ik_json_null(j, "growth");
}

static void report_designs_put_member(ik_json *j, const ik_designs *d, const ik_design_member *m)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "family", m->family);
    ik_json_text(j, "series", m->series);
    ik_json_text(j, "spec", m->spec);
    ik_json_text(j, "routing", m->fit->routing);
    ik_json_optional(j, "vc", m->built ? m->vc : NULL);
    if (m->built)
        ik_json_bool(j, "proved", m->proved);
    else
        ik_json_null(j, "proved");
    report_designs_put_numbers(j, d, m);
    report_designs_put_measured(j, d, m);
    ik_json_close(j);
}

static void report_designs_put_misfit(ik_json *j, const ik_design_misfit *m)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "family", m->family);
    ik_json_text(j, "series", m->series);
    ik_json_text(j, "reason", m->reason);
    ik_json_optional(j, "nearest", m->nearest);
    ik_json_uint(j, "most_hosts", (uint64_t)m->most_hosts);
    ik_json_known(j, "radix_needed", m->least_radix > 0, m->least_radix);
    ik_json_close(j);
}

void ik_designs_json(const ik_designs *d, ik_json *j)
{
    ik_json_object(j, "wish");
    ik_json_uint(j, "hosts", (uint64_t)d->wish.hosts);
    ik_json_uint(j, "hosts_max", (uint64_t)fmax(d->wish.hosts, d->wish.hosts_max));
    ik_json_uint(j, "radix", d->wish.radix);
    ik_json_real(j, "oversubscription", d->wish.oversubscription, DIGITS);
    ik_json_uint(j, "rate_bps", d->rate_bps);
    ik_json_uint(j, "rails", d->rails);
    ik_json_optional(j, "goal", d->goal);
    ik_json_optional(j, "from", d->from);
    ik_json_close(j);
    ik_json_text(j, "currency", ik_prices_currency(d->prices));
    ik_json_optional(j, "prices", d->prices_file);
    ik_json_array(j, "members");
    for (size_t i = 0; i < d->num_members; i++)
        report_designs_put_member(j, d, &d->members[i]);
    ik_json_close(j);
    ik_json_array(j, "infeasible");
    for (size_t i = 0; i < d->num_misfits; i++)
        report_designs_put_misfit(j, &d->misfits[i]);
    ik_json_close(j);
}

/* ---- the page */

static void report_designs_put_texts(ik_json *j, const char *key, const char *const *texts,
                                     size_t num)
{
    ik_json_array(j, key);
    for (size_t i = 0; i < num; i++)
        ik_json_text(j, NULL, texts[i]);
    ik_json_close(j);
}

static ik_status report_designs_put_parts(ik_json *j, const ik_designs *d, ik_error *err)
{
    static const char *const names[] = {"switch", "adapter", "copper cable", "optical cable"};
    ik_status status = IK_OK;
    ik_json_array(j, "parts");
    for (unsigned part = 0; status == IK_OK && part < IK_NUM_PARTS; part++) {
        ik_part_price one;
        status = ik_prices_part(d->prices, (ik_part)part, d->rate_bps, d->wish.radix, &one, err);
        if (status != IK_OK)
            break;
        ik_json_object(j, NULL);
        ik_json_text(j, "part", names[part]);
        ik_json_known(j, "ports", one.ports > 0, one.ports);
        ik_json_real(j, "price", one.price, DIGITS);
        ik_json_real(j, "watts", one.watts, DIGITS);
        ik_json_real(j, "times", one.share, DIGITS);
        ik_json_bool(j, "assumed", one.assumed);
        ik_json_text(j, "source", one.source);
        ik_json_close(j);
    }
    ik_json_close(j);
    return status;
}

/* The racks of each member, in the order of members. */
static ik_status report_designs_put_floors(ik_json *j, const ik_designs *d, ik_error *err)
{
    ik_status status = IK_OK;
    ik_json_array(j, "floors");
    for (size_t i = 0; status == IK_OK && i < d->num_members; i++) {
        const ik_floor_plan *plan = d->members[i].floor;
        if (!plan) {
            ik_json_null(j, NULL);
            continue;
        }
        ik_json_object(j, NULL);
        ik_json_uint(j, "rack_units", plan->rules.rack_units);
        ik_json_uint(j, "rack_width_mm", plan->rules.rack_width_mm);
        ik_json_uint(j, "row_pitch_mm", plan->rules.row_pitch_mm);
        ik_json_uint(j, "copper_mm", plan->rules.copper_mm);
        status = ik_floor_racks_json(plan, j, err);
        ik_json_close(j);
    }
    ik_json_close(j);
    return status;
}

/* What the page knows beyond what --json has. */
static ik_status report_designs_put_all(ik_json *j, const ik_designs *d, ik_error *err)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "ikat", ik_version());
    ik_json_object(j, "designs");
    ik_designs_json(d, j);
    report_designs_put_texts(j, "command", d->command, d->num_words);
    report_designs_put_texts(j, "patterns", d->patterns, d->num_patterns);
    report_designs_put_texts(j, "workloads", d->workloads, d->num_workloads);
    ik_json_array(j, "losses");
    for (size_t k = 0; k < d->num_losses; k++) {
        ik_json_object(j, NULL);
        report_designs_put_loss(j, &d->losses[k]);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_uint(j, "draws", d->draws);
    ik_status status = report_designs_put_parts(j, d, err);
    if (status == IK_OK && d->has_floors)
        status = report_designs_put_floors(j, d, err);
    ik_json_close(j);
    ik_json_close(j);
    return status;
}

static ik_status report_designs_put_data(const void *of, FILE *out, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_status status = report_designs_put_all(&j, of, err);
    ik_status ended = ik_json_end_text(&j, &text, &size, status == IK_OK ? err : NULL);
    if (status == IK_OK)
        status = ended;
    if (status == IK_OK)
        status = report_html_put_element(out, "ikat-data", text, size, REPORT_PLAIN_LIMIT, err);
    if (ended == IK_OK)
        free(text);
    return status;
}

ik_status ik_designs_print_page(const ik_designs *d, FILE *out, ik_error *err)
{
    return report_html_put_page(out, report_designs_put_data, d, err);
}
