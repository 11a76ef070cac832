/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_choose.c: for a number of hosts and a switch, the member that each family
 * builds.
 */
#include "ikat/table.h"
#include "report/design/designing.h"

#include <stdlib.h>
#include <string.h>

ik_status design_buy(const designs *d, design_row *row, ik_error *err)
{
    const ik_scale_point *p = &row->fit.point;
    const uint64_t *cables = row->floor ? row->floor->cables : NULL;
    ik_purchase what = {.rate_bps = d->rate_bps,
                        .radix = d->wish.radix,
                        .switches = d->rails * p->switches,
                        .adapters = d->rails * p->hosts,
                        .copper_cables = d->rails * p->hosts,
                        .optical_cables = d->rails * (p->links - p->hosts)};
    if (cables) {
        what.copper_cables = (double)cables[IK_CABLE_COPPER];
        what.optical_cables = (double)cables[IK_CABLE_OPTICAL];
    }
    return ik_prices_cost(d->prices, &what, &row->cost, err);
}

void design_take(const designs *d, design_row *row, const ik_fit *fit)
{
    row->fit = *fit;
    design_put_spec(d, &row->fit, 1, row->spec, sizeof row->spec);
    ik_fit whole = row->fit;
    if (d->rails > 1 &&
        ik_fit_rails(&row->fit, d->rails, whole.point.spec, sizeof whole.point.spec))
        design_put_spec(d, &whole, 1, row->whole, sizeof row->whole);
}

/* What a switch and an optical cable cost, if costs are the goal. */
static ik_status design_price_wish(designs *d, ik_error *err)
{
    ik_part_price sw, cable;
    if (strcmp(d->goal, "cost") != 0)
        return IK_OK;
    ik_status s = ik_prices_part(d->prices, IK_PART_SWITCH, d->rate_bps, d->wish.radix, &sw, err);
    if (s == IK_OK)
        s = ik_prices_part(d->prices, IK_PART_OPTICAL_CABLE, d->rate_bps, 0, &cable, err);
    if (s == IK_OK) {
        d->wish.switch_price = sw.price;
        d->wish.cable_price = cable.price;
    }
    return s;
}

static void design_set_fewest(design_row *row, const ik_fit *fewest)
{
    row->fewest_switches = fewest->point.switches;
    row->fewest_switches_hosts = fewest->point.hosts;
}

static void design_add_other(design_row *row, const ik_fit *fit)
{
    bool known = strcmp(fit->point.spec, row->fit.point.spec) == 0;
    for (unsigned i = 0; i < row->num_others; i++)
        known |= strcmp(fit->point.spec, row->others[i].point.spec) == 0;
    if (!known)
        row->others[row->num_others++] = *fit;
}

/* Members that a floor plan may show to be cheaper, since more of their cables are copper: the one
 * that would be the cheapest if all were, and the one with the fewest switches. Which members
 * fulfil a wish does not depend on prices, so there always is one. */
static ik_status design_add_others(const designs *d, design_row *row, ik_error *err)
{
    ik_part_price cable;
    ik_fit by_copper, fewest;
    ik_wish wish = d->wish;
    if (strcmp(d->goal, "cost") != 0)
        return IK_OK;
    wish.switch_price = wish.cable_price = 0;
    if (ik_series_fit(row->series, &wish, &fewest))
        design_set_fewest(row, &fewest);
    if (!d->has_floors)
        return IK_OK;
    ik_status s = ik_prices_part(d->prices, IK_PART_COPPER_CABLE, d->rate_bps, 0, &cable, err);
    if (s != IK_OK)
        return s;
    wish.switch_price = d->wish.switch_price;
    wish.cable_price = cable.price;
    if (ik_series_fit(row->series, &wish, &by_copper))
        design_add_other(row, &by_copper);
    if (row->fewest_switches > 0)
        design_add_other(row, &fewest);
    return IK_OK;
}

/* Of one without a member. */
static void design_set_reason(const designs *d, design_row *row)
{
    char *text = row->reason;
    const size_t size = sizeof row->reason;
    int used = row->most_hosts > 0
                   ? snprintf(text, size, "at most %s hosts with %u-port switches (%s)",
                              IK_WHOLE((uint64_t)row->most_hosts), d->wish.radix, row->spec)
                   : snprintf(text, size, "no member with %u-port switches", d->wish.radix);
    snprintf(text + used, size - (size_t)used, "; %s %s switches of %s%u ports",
             IK_WHOLE((uint64_t)d->wish.hosts), d->wish.hosts == 1 ? "host needs" : "hosts need",
             row->least_radix ? "" : "more than ",
             row->least_radix ? row->least_radix : IK_WISH_RADIX_MAX);
}

static ik_status design_cancelled(const design_row *row, ik_error *err)
{
    return ik_fail(err, IK_ERR_CANCELLED, "cancelled while looking for a member of %s",
                   row->series->name);
}

static ik_status design_fit(designs *d, design_row *row, ik_error *err)
{
    row->fits = ik_series_fit(row->series, &d->wish, &row->fit);
    if (!row->fits) {
        bool any = ik_series_nearest(row->series, &d->wish, &row->fit, &row->least_radix);
        if (ik_env_cancelled(d->env))
            return design_cancelled(row, err);
        row->most_hosts = any ? row->fit.point.hosts : 0;
        if (any)
            design_put_spec(d, &row->fit, 1, row->spec, sizeof row->spec);
        design_set_reason(d, row);
        return IK_OK;
    }
    d->num_fits++;
    const ik_fit fit = row->fit;
    design_take(d, row, &fit);
    ik_status s = design_add_others(d, row, err);
    if (s == IK_OK && ik_env_cancelled(d->env))
        s = design_cancelled(row, err);
    return s == IK_OK ? design_buy(d, row, err) : s;
}

double design_cost_per_host(const design_row *row)
{
    return row->cost.total / row->fit.point.hosts;
}

static int design_by_cost(const void *a, const void *b)
{
    const design_row *x = a, *y = b;
    if (x->fits != y->fits)
        return x->fits ? -1 : 1;
    if (x->fits && design_cost_per_host(x) != design_cost_per_host(y))
        return design_cost_per_host(x) < design_cost_per_host(y) ? -1 : 1;
    return strcmp(x->series->name, y->series->name);
}

void designs_sort(designs *d)
{
    qsort(d->rows, d->num, sizeof *d->rows, design_by_cost);
}

ik_status designs_choose(designs *d, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    ik_status status = ik_series_check_names(ask->families, ask->num_families, true, err);
    size_t room = 0;
    if (status == IK_OK)
        status = design_price_wish(d, err);
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (const ik_series *s = (*t)->series; s && s->name; s++)
            room++;
    d->rows = calloc(room + 1, sizeof *d->rows);
    if (!d->rows)
        return ik_fail_memory(err, room * sizeof *d->rows, "the members of families");
    design_stage(d, "choosing members");
    for (const ik_topology *const *t = ik_topologies(); status == IK_OK && *t; t++) {
        for (const ik_series *s = (*t)->series; status == IK_OK && s && s->name; s++) {
            if (!s->fit || !ik_series_is_named(s, *t, ask->families, ask->num_families))
                continue;
            if (d->env && d->env->progress)
                d->env->progress(d->env->progress_ctx, "choosing members", d->num, room, "series");
            design_row *row = &d->rows[d->num++];
            row->topology = *t;
            row->series = s;
            status = design_fit(d, row, err);
        }
    }
    if (status == IK_OK)
        designs_sort(d);
    return status;
}
