/* SPDX-License-Identifier: Apache-2.0
 *
 * load_levels.c: channel loads of an even pattern on a tree, from the numbers of sources and
 * destinations of every channel. Amounts are whole numbers, so that products are the sums that
 * other engines add up.
 *
 * A routing that ascends fully divides what leaves or enters a subtree evenly among the channels
 * that join it with the next level, of which every switch there has as many.
 */
#include "analysis/load.h"

#include "routing/tree/tree_counts.h"

bool load_fits_by_levels(const ik_routing *r, const demand *d)
{
    return d->even_scale && d->denominator && tree_counts_fit(r) != TREE_ASCENTS_NONE;
}

/* What the channels that leave a level-l switch carry: `amount` for each source and destination. */
static void load_levels_book(load_job *job, const tree_counts *c, uint32_t l, uint32_t sw,
                             double amount)
{
    const ik_fabric *f = job->f;
    const ik_xgft *x = ik_fabric_xgft(f);
    load_sums *sums = &job->parts[0];
    bool fully = c->ascents == TREE_ASCENTS_FULL;
    uint32_t up = f->port_base[sw] + x->m[l - 1];
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        double flows = (double)c->sources[port] * c->destinations[port];
        double among = fully ? x->prod_w[port < up ? l : l + 1] : 1;
        sums->crossing[port] = flows / among;
        sums->load[port] = flows * amount / among;
    }
    sums->turns[sw] = fully
                          ? (double)x->prod_m[l] * (x->prod_m[l] - x->prod_m[l - 1]) / x->prod_w[l]
                          : (double)c->turns[sw];
}

ik_status load_by_levels(load_job *job, bool *fits, ik_error *err)
{
    const demand *d = job->d;
    const ik_xgft *x = ik_fabric_xgft(job->f);
    tree_counts c;
    ik_status status = tree_counts_make(job->r, &c, fits, err);
    if (status != IK_OK || !*fits)
        return status;
    double amount = demand_amount(d, 0, d->even_weight, d->even_scale);
    for (uint32_t l = 1; l <= x->h; l++)
        for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++)
            load_levels_book(job, &c, l, sw, amount);
    tree_counts_free(&c);
    return IK_OK;
}
