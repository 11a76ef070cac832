/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_measure.c: what is computed on a member that is built: distances,
 * proofs, loads, times, random failures.
 */
#include "report/design/designing.h"

#include <math.h>
#include <string.h>

static void design_note_pattern(void *ctx, const char *text)
{
    design_note(ctx, "note: %s", text);
}

static ik_status design_prove(designs *d, const ik_fabric *f, design_row *row, ik_error *err)
{
    const ik_env *env = d->env;
    const ik_verify_config config = {0};
    ik_plan *plan = NULL;
    ik_proof proof = {0};
    ik_status s = ik_plan_from_specs(f, row->fit.routing, NULL, NULL, 0, env, &plan, err);
    if (s == IK_OK) {
        design_stage(d, "proving %s on %s", row->fit.routing, row->spec);
        s = ik_verify_cached(plan, &config, env, &proof, NULL, err);
    }
    if (s == IK_OK) {
        row->proved =
            proof.delivered == IK_YES && proof.loop_free == IK_YES && proof.deadlock_free == IK_YES;
        row->num_vcs = plan->num_vcs;
        snprintf(row->vc, sizeof row->vc, "%s", plan->vc->spec);
        design_stage(d, "predicting loads of %s", row->spec);
    }
    for (int k = 0; s == IK_OK && k < d->num_patterns; k++) {
        ik_load_band band;
        s = ik_load_predict(plan->routing, f, d->patterns[k], env, &row->saturation[k], &band,
                            design_note_pattern, d, err);
    }
    if (s == IK_OK && d->num_workloads)
        s = design_time_workloads(d, f, plan, row, err);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    return s;
}

/* ------------------------------------------------------------------------------------------
 * random failures */

static void design_sum_up(const ik_resilience_point *points, ik_design_failure *out)
{
    unsigned known = 0;
    *out = (ik_design_failure){.proved = true, .least_connected = 1, .least_saturation = INFINITY};
    uint64_t failed = 0, lost_hosts = 0;
    for (unsigned i = 0; i < DESIGN_DRAWS; i++) {
        const ik_resilience_point *p = &points[i];
        failed += p->failed;
        lost_hosts += p->lost_hosts;
        out->connected += p->connected / DESIGN_DRAWS;
        out->least_connected = fmin(out->least_connected, p->connected);
        out->mean_hops += p->mean_hops / DESIGN_DRAWS;
        out->refused += p->refused;
        out->fell_back += p->fell_back;
        out->proved &= p->refused || p->proved;
        out->lanes = p->lanes > out->lanes ? p->lanes : out->lanes;
        if (!isnan(p->saturation)) {
            known++;
            out->saturation += p->saturation;
            out->least_saturation = fmin(out->least_saturation, p->saturation);
        }
    }
    out->failed = (double)failed / DESIGN_DRAWS;
    out->lost_hosts = (double)lost_hosts / DESIGN_DRAWS;
    out->saturation = known == DESIGN_DRAWS ? out->saturation / known : NAN;
    out->least_saturation = known == DESIGN_DRAWS ? out->least_saturation : NAN;
}

/* D-mod-k knows only whole trees, and damaged ones may connect hosts by no way up and then down.
 * The minimal routing of a Dragonfly takes one cable between groups, and finds no other way where
 * all between two have failed. */
static void design_choose_reroute(design_row *row)
{
    bool tree = strncmp(row->fit.routing, "dmod", 4) == 0;
    row->reroute = tree ? "dmodc" : row->fit.routing;
    row->fallback = tree ? "updown" : "dfsssp";
}

static ik_status design_damage_all(designs *d, const ik_fabric *f, design_row *row, ik_error *err)
{
    ik_resilience_point points[IK_DESIGN_LOSSES * DESIGN_DRAWS];
    design_choose_reroute(row);
    const ik_resilience_config config = {.losses = d->losses,
                                         .num_losses = (size_t)d->num_losses,
                                         .seeds = DESIGN_DRAWS,
                                         .routing = row->reroute,
                                         .fallback = row->fallback,
                                         .floor = row->floor};
    design_stage(d, "failures of %s", row->spec);
    ik_status s = ik_resilience_measure(f, &config, d->env, points, err);
    if (s == IK_ERR_USAGE) { /* more racks than this network has */
        char why[sizeof err->text];
        memcpy(why, err->text, sizeof why);
        snprintf(err->text, sizeof err->text, "%.160s: %.340s", row->spec, why);
    }
    for (int k = 0; s == IK_OK && k < d->num_losses; k++)
        design_sum_up(points + k * DESIGN_DRAWS, &row->failures[k]);
    return s;
}

/* Where all of it stands, and what the cables cost that this takes. */
static ik_status design_stand(designs *d, const ik_fabric *f, design_row *row, ik_error *err)
{
    design_stage(d, "floor plan of %s", row->spec);
    ik_status s = ik_floor_plan_make(f, &d->floor_rules, d->rails, d->env, &row->floor, err);
    return s == IK_OK ? design_buy(d, row, err) : s;
}

static ik_status design_build(designs *d, design_row *row, ik_fabric **f, ik_error *err)
{
    design_stage(d, "building %s", row->spec);
    ik_status s = ik_fabric_from_spec(row->spec, d->env, f, err);
    return s == IK_OK && d->has_floors ? design_stand(d, *f, row, err) : s;
}

/* Whether a member may be left out because it needs more memory than it is given. */
static bool design_lacks_memory(const designs *d, ik_status s)
{
    return s == IK_ERR_MEMORY && d->ask->leaves_out_large;
}

/* Whether a member that fails so ends the command; else the others of its family are tried. */
static bool design_ends(const designs *d, ik_status s)
{
    return s == IK_ERR_CANCELLED || (s == IK_ERR_MEMORY && !design_lacks_memory(d, s));
}

/* One of the members that are compared, number 0 is the row's own: *row and *out change to it if it
 * is the cheapest so far. */
static ik_status design_try(designs *d, const design_row *first, unsigned i, design_row *row,
                            ik_fabric **out, ik_error *err)
{
    design_row other = *first;
    ik_fabric *f = NULL;
    if (i > 0)
        design_take(d, &other, &first->others[i - 1]);
    ik_status s = design_build(d, &other, &f, err);
    const bool better =
        s == IK_OK && (!*out || design_cost_per_host(&other) < design_cost_per_host(row));
    ik_floor_plan_free(better ? row->floor : other.floor);
    ik_fabric_free(better ? *out : f);
    if (better) {
        *row = other;
        *out = f;
    }
    return s;
}

/* A member that --choose switches could not show either is no advice. */
static void design_leave_out(const designs *d, design_row *row, const ik_fit *fit,
                             const ik_error *why)
{
    ik_design_member member;
    design_make_member(row, &member);
    design_note(d, "%s: %s; it is not compared with other members of its family", fit->point.spec,
                why->text);
    if (!design_lacks_memory(d, why->status) && fit->point.switches == row->fewest_switches &&
        fit->point.hosts == row->fewest_switches_hosts && ik_design_has_fewer(&member))
        row->fewest_switches = 0;
}

/* Builds the row's member and the others, as far as they can be built and stood on the floor; the
 * one that is cheapest there stays in *row and *out. If there is none, the error is that of the
 * row's member, and *row is as it was. */
static ik_status design_build_all(designs *d, design_row *row, ik_fabric **out, ik_error *err)
{
    const design_row first = *row;
    const unsigned num = d->has_floors ? 1 + first.num_others : 1;
    ik_error why[1 + sizeof first.others / sizeof *first.others];
    for (unsigned i = 0; i < num; i++) {
        why[i].status = design_try(d, &first, i, row, out, &why[i]);
        if (design_ends(d, why[i].status)) {
            *err = why[i];
            return err->status;
        }
    }
    for (unsigned i = 0; i < num && *out; i++)
        if (why[i].status != IK_OK)
            design_leave_out(d, row, i ? &first.others[i - 1] : &first.fit, &why[i]);
    if (!*out)
        *err = why[0];
    return *out ? IK_OK : err->status;
}

/* A row of which only the size and the cost are known: of the member that was chosen without
 * floor plans. */
static ik_status design_forget(designs *d, design_row *row, const ik_fit *fit, ik_error *err)
{
    const char *floor = d->has_floors ? ", without a floor plan," : "";
    if (strcmp(row->fit.point.spec, fit->point.spec) == 0)
        design_note(d, "%s: %s; only its size and its cost%s are shown", row->spec, err->text,
                    floor);
    else
        design_note(d, "%s: %s; only size and cost%s of %s are shown", row->spec, err->text, floor,
                    fit->point.spec);
    ik_floor_plan_free(row->floor);
    row->floor = NULL;
    design_take(d, row, fit);
    return design_buy(d, row, err);
}

ik_status design_measure(designs *d, design_row *row, ik_error *err)
{
    const ik_env *env = d->env;
    const ik_fit fit = row->fit;
    ik_fabric *f = NULL;
    if (!row->fits || ik_designs_most_hosts(&d->wish) > IK_DESIGN_MOST_BUILT)
        return IK_OK;
    ik_status s = design_build_all(d, row, &f, err);
    if (s == IK_OK && d->from)
        s = design_grow(d, f, row, err);
    if (s == IK_OK)
        s = ik_distances_measure(f, env, &row->dist, err);
    if (s == IK_OK)
        s = design_prove(d, f, row, err);
    if (s == IK_OK && d->ask->bisection && f->num_switches > 1) {
        s = ik_bisection_measure(f, 0, env, &row->bisection, err);
        row->has_bisection = s == IK_OK;
    }
    if (s == IK_OK && d->num_losses)
        s = design_damage_all(d, f, row, err);
    row->built = s == IK_OK;
    ik_fabric_free(f);
    return design_lacks_memory(d, s) ? design_forget(d, row, &fit, err) : s;
}
