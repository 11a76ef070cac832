/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a load is accepted. By Little's law the latency since generation grows, per unit of time,
 * by the share of the offered load that is left behind, in the network or in the sources. So its
 * growth over 20 means is what is asked about, and the question is what chance does to it: near
 * saturation queues are random walks, whose increments are independent, while the values are not.
 * The error of the growth is that of the sum of the increments (means of a random walk have
 * increments that are correlated by 1/4, which makes their sum vary by half as much again). Where
 * queues return to their mean, as they do farther below saturation, this overestimates the error.
 *
 * Accepted: the growth is below the share that may be missing by 3 errors. Refused: packets wait
 * the longer in their sources, by 4 errors; and this is not how the queues of a load that is
 * accepted, or exactly what a channel carries, come to their mean from an empty network. These grow
 * with the root of time or slower, by half of the wait there is over the time there was, or less,
 * those of a load that is refused by all of it: more than three quarters, by 2 errors, refuse.
 *
 * A load that a network accepts for long, until it collapses, is accepted by all that this sees. */
#include "sim/measure/acceptance.h"

#include <math.h>

enum { MEANS = 20 };
static const struct {
    double accepts, refuses, walks; /* errors */
    double increments;              /* variance of their sum, over that of independent ones */
    double share;                   /* of the mean growth since the run began */
} tells = {3, 4, 2, 1.5, 0.75};

typedef struct growth {
    double mean, slope, error; /* of values, ps; ps per ps */
} growth;

static growth acceptance_growth_of(const double *values, double each_ps)
{
    double sum = 0, squares = 0, num = MEANS - 1, step = (values[MEANS - 1] - values[0]) / num;
    for (size_t k = 0; k < MEANS; k++)
        sum += values[k] / MEANS;
    for (size_t k = 1; k < MEANS; k++)
        squares += pow(values[k] - values[k - 1] - step, 2);
    return (growth){sum, step / each_ps,
                    sqrt(squares / (num - 1) * tells.increments / num) / each_ps};
}

acceptance acceptance_of(const stationary *s, size_t from, double missing)
{
    double latency[MEANS], waiting[MEANS];
    size_t width = (s->num - from) / MEANS, first = s->num - MEANS * width;
    if (width == 0 || !stationary_means(s, SERIES_LATENCY, first, width, MEANS, latency) ||
        !stationary_means(s, SERIES_NETWORK, first, width, MEANS, waiting))
        return ACCEPTANCE_OPEN;
    for (size_t k = 0; k < MEANS; k++)
        waiting[k] = latency[k] - waiting[k];
    double period_ps = (double)s->setup.period_ps, each_ps = (double)width * period_ps,
           since_ps = (double)s->setup.origin_ps + (double)s->num * period_ps - MEANS * each_ps / 2;
    growth all = acceptance_growth_of(latency, each_ps),
           wait = acceptance_growth_of(waiting, each_ps);
    if (wait.slope > tells.refuses * wait.error &&
        wait.slope - tells.walks * wait.error > tells.share * wait.mean / since_ps)
        return ACCEPTANCE_REFUSED;
    return all.slope + tells.accepts * all.error < missing ? ACCEPTANCE_ACCEPTED : ACCEPTANCE_OPEN;
}
