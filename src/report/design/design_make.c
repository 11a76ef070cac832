/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_make.c: all that is computed for a wish, as the caller gets it.
 */
#include "ikat/table.h"
#include "report/design/designing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void design_make_member(const design_row *row, ik_design_member *out)
{
    *out = (ik_design_member){
        .family = row->topology->name,
        .series = row->series->name,
        .spec = row->spec,
        .whole_spec = row->whole[0] ? row->whole : NULL,
        .fit = &row->fit,
        .fewest_switches = row->fewest_switches,
        .fewest_switches_hosts = row->fewest_switches_hosts,
        .cost = &row->cost,
        .built = row->built,
        .vc = row->vc,
        .num_vcs = row->num_vcs,
        .proved = row->proved,
        .diameter = row->dist.diameter,
        .mean_hops = row->dist.mean_hops,
        .bisection_per_host = row->has_bisection ? row->bisection.per_host : NAN,
        .saturation = row->saturation,
        .times = row->times,
        .failures = row->failures,
        .reroute = row->reroute,
        .fallback = row->fallback,
        .floor = row->floor,
        .growth = row->grown && row->built ? &row->growth : NULL,
    };
}

static void design_make_misfit(const design_row *row, ik_design_misfit *out)
{
    *out = (ik_design_misfit){
        .family = row->topology->name,
        .series = row->series->name,
        .reason = row->reason,
        .nearest = row->most_hosts > 0 ? row->spec : NULL,
        .most_hosts = row->most_hosts,
        .least_radix = row->least_radix,
    };
}

/* ---- to the functions of the configuration */

void design_stage(const designs *d, const char *format, ...)
{
    char text[200];
    va_list args;
    if (!d->ask->stage)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->ask->stage(d->ask->ctx, ik_text_line(text));
}

void design_note(const designs *d, const char *format, ...)
{
    char text[1200];
    va_list args;
    if (!d->ask->note)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->ask->note(d->ask->ctx, IK_NOTE, ik_text_line(text));
}

/* ---- all */

void ik_designs_free(ik_designs *made)
{
    designs *d = (designs *)made; /* of which it is the first member */
    if (!d)
        return;
    for (size_t i = 0; i < d->num; i++) {
        ik_distances_free(&d->rows[i].dist);
        ik_bisection_free(&d->rows[i].bisection);
        ik_floor_plan_free(d->rows[i].floor);
        ik_growth_free(&d->rows[i].growth);
    }
    free(d->rows);
    free((void *)made->members);
    free((void *)made->misfits);
    ik_fabric_free(d->from);
    ik_prices_free(d->prices);
    ik_arena_free(&d->arena);
    free(d);
}

/* Copies of texts of the configuration, which need not outlive the call. */
static ik_status design_keep_texts(designs *d, ik_designs *out, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    const char **words = ik_arena_alloc(&d->arena, (ask->num_words + 1) * sizeof *words);
    bool kept = words != NULL;
    for (size_t i = 0; kept && i < ask->num_words; i++)
        kept = (words[i] = ik_arena_strdup(&d->arena, ask->command[i])) != NULL;
    if (kept && ask->prices)
        kept = (out->prices_file = ik_arena_strdup(&d->arena, ask->prices)) != NULL;
    if (kept && ask->from)
        kept = (out->from = ik_arena_strdup(&d->arena, ask->from)) != NULL;
    out->command = words;
    out->num_words = ask->num_words;
    return kept ? IK_OK : ik_fail_memory(err, 0, "what networks are asked for");
}

static ik_status designs_make(designs *d, ik_error *err)
{
    const size_t num_misfits = d->num - d->num_fits;
    ik_design_member *members = calloc(d->num_fits + 1, sizeof *members);
    ik_design_misfit *misfits = calloc(num_misfits + 1, sizeof *misfits);
    d->made = (ik_designs){.wish = d->wish,
                           .goal = d->goal,
                           .rate_bps = d->rate_bps,
                           .rails = d->rails,
                           .prices = d->prices,
                           .patterns = d->patterns,
                           .num_patterns = (size_t)d->num_patterns,
                           .workloads = d->workloads,
                           .num_workloads = (size_t)d->num_workloads,
                           .losses = d->losses,
                           .num_losses = (size_t)d->num_losses,
                           .draws = DESIGN_DRAWS,
                           .has_floors = d->has_floors,
                           .no_floor = d->no_floor,
                           .members = members,
                           .num_members = d->num_fits,
                           .misfits = misfits,
                           .num_misfits = num_misfits};
    if (!members || !misfits)
        return ik_fail_memory(err, d->num * sizeof *members, "the designs");
    for (size_t i = 0; i < d->num_fits; i++)
        design_make_member(&d->rows[i], &members[i]);
    for (size_t i = 0; i < num_misfits; i++)
        design_make_misfit(&d->rows[d->num_fits + i], &misfits[i]);
    return design_keep_texts(d, &d->made, err);
}

/* Switches of so many rails that no rack holds them one above the other have no plan, unless it is
 * asked for. */
static ik_status design_read_floor(designs *d, ik_error *err)
{
    const char *path = d->ask->floor;
    ik_status s = ik_floor_rules_read(path && strcmp(path, "default") != 0 ? path : NULL,
                                      &d->floor_rules, err);
    if (s == IK_OK && !path &&
        (uint64_t)d->rails * d->floor_rules.switch_units > d->floor_rules.rack_units) {
        d->has_floors = false;
        d->no_floor = " (no rack holds the switches of all rails)";
        return designs_check_floor(d, err);
    }
    return s;
}

static ik_status design_find(designs *d, ik_error *err)
{
    ik_status s = designs_read_wish(d, err);
    if (s == IK_OK)
        s = ik_prices_read(d->ask->prices, &d->prices, err);
    if (s == IK_OK)
        s = designs_choose(d, err);
    if (s == IK_OK && d->has_floors)
        s = design_read_floor(d, err);
    if (s == IK_OK && d->ask->from)
        s = design_read_from(d, err);
    for (size_t i = 0; s == IK_OK && i < d->num; i++)
        s = design_measure(d, &d->rows[i], err);
    if (s == IK_OK && d->has_floors) /* which says what cables cost */
        designs_sort(d);
    return s == IK_OK ? designs_make(d, err) : s;
}

ik_status ik_designs_find(const ik_design_config *config, const ik_env *env, ik_designs **out,
                          ik_error *err)
{
    static const ik_env none;
    designs *d = calloc(1, sizeof *d);
    if (!d)
        return ik_fail_memory(err, sizeof *d, "the designs");
    d->ask = config;
    d->env = env ? env : &none;
    ik_status s = design_find(d, err);
    d->ask = NULL;
    d->env = NULL;
    if (s == IK_OK)
        *out = &d->made;
    else
        ik_designs_free(&d->made);
    return s;
}

ik_status ik_designs_fit(const ik_designs *d, ik_error *err)
{
    const ik_design_misfit *nearest = d->misfits;
    if (d->num_members || !d->num_misfits)
        return IK_OK;
    for (size_t i = 1; i < d->num_misfits; i++)
        if (d->misfits[i].most_hosts > nearest->most_hosts)
            nearest = &d->misfits[i];
    ik_status status =
        ik_fail(err, IK_ERR_USAGE, "no family reaches %s hosts with %u-port switches",
                IK_WHOLE((uint64_t)d->wish.hosts), d->wish.radix);
    return ik_hint(err, status, "%s: %s", nearest->series, nearest->reason);
}

bool ik_design_has_fewer(const ik_design_member *m)
{
    const ik_scale_point *p = &m->fit->point;
    return m->fewest_switches > 0 &&
           m->fewest_switches * p->hosts < p->switches * m->fewest_switches_hosts;
}

bool ik_designs_are_proved(const ik_designs *d)
{
    bool proved = true;
    for (size_t i = 0; i < d->num_members; i++) {
        const ik_design_member *m = &d->members[i];
        proved &= !m->built || m->proved;
        for (size_t k = 0; m->built && k < d->num_losses; k++)
            proved &= m->failures[k].proved;
    }
    return proved;
}
