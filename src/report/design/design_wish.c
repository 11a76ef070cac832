/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_wish.c: what is asked for, checked. Messages name it as the options of
 * `ikat design` do.
 */
#include "ikat/table.h"
#include "report/design/designing.h"

#include <inttypes.h>
#include <string.h>

/* The largest rate of a cable of a fabric; hosts with all rails together are simulated as one. */
#define DESIGN_MOST_BPS UINT64_C(1000000000000000)

#define DESIGN_MOST_HOSTS UINT64_C(1000000000)

double ik_designs_most_hosts(const ik_wish *wish)
{
    return wish->hosts_max > 0 ? wish->hosts_max : wish->hosts;
}

/* One end of the range of --hosts, which is `text`; of: "first" or "last". */
static ik_status design_read_end(const char *text, const char *from, size_t length, const char *of,
                                 double *hosts, ik_error *err)
{
    char end[64];
    uint64_t value = 0;
    ik_error why;
    snprintf(end, sizeof end, "%.*s", (int)(length < sizeof end ? length : sizeof end - 1), from);
    if (length == 0)
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: its %s number is missing", text, of);
    if (strstr(end, ".."))
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: a range has two ends", text);
    if (length < sizeof end && ik_parse_quantity(end, IK_DIM_NONE, &value, &why) != IK_OK)
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s, its %s number: %.200s", text, of,
                       why.text);
    if (value < 1 || value > DESIGN_MOST_HOSTS)
        return ik_fail(err, IK_ERR_USAGE,
                       "--hosts %.100s: its %s number is out of range: expected 1 to 1000000000",
                       text, of);
    *hosts = (double)value;
    return IK_OK;
}

/* "4000..5000": one number, if both are the same. */
static ik_status design_read_range(const char *text, const char *dots, ik_wish *wish, ik_error *err)
{
    const char *last = dots + strlen("..");
    double most = 0;
    ik_status s = design_read_end(text, text, (size_t)(dots - text), "first", &wish->hosts, err);
    if (s == IK_OK)
        s = design_read_end(text, last, strlen(last), "last", &most, err);
    if (s == IK_OK && most < wish->hosts) {
        ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: the range ends before it begins", text);
        return ik_hint(err, IK_ERR_USAGE, "did you mean --hosts %.0f..%.0f?", most, wish->hosts);
    }
    if (s != IK_OK)
        return ik_hint(err, s, "a range is the least and the most hosts, as in 4000..5000");
    wish->hosts_max = most > wish->hosts ? most : 0;
    return IK_OK;
}

static ik_status design_read_hosts(const char *text, ik_wish *wish, ik_error *err)
{
    const char *dots = strstr(text, "..");
    uint64_t hosts = 0;
    ik_error why;
    if (dots)
        return design_read_range(text, dots, wish, err);
    if (ik_parse_quantity(text, IK_DIM_NONE, &hosts, &why) != IK_OK)
        return ik_fail(err, IK_ERR_USAGE, "--hosts: %s", why.text);
    if (hosts < 1 || hosts > DESIGN_MOST_HOSTS)
        return ik_fail(err, IK_ERR_USAGE,
                       "--hosts = %.100s is out of range: expected 1 to 1000000000", text);
    wish->hosts = (double)hosts;
    return IK_OK;
}

static ik_status design_read_oversubscription(const char *text, double *value, ik_error *err)
{
    *value = 1;
    if (!text ||
        (ik_parse_real(text, IK_DIM_NONE, value, NULL) == IK_OK && *value >= 1 && *value <= 1000))
        return IK_OK;
    return ik_fail(
        err, IK_ERR_USAGE,
        "--oversubscription takes a number from 1 (full bandwidth) to 1000, 2 for 2:1, not "
        "'%.60s'",
        text);
}

static ik_status design_read_rate(const char *text, uint64_t *rate_bps, ik_error *err)
{
    *rate_bps = UINT64_C(100000000000);
    if (!text || (ik_parse_quantity(text, IK_DIM_RATE, rate_bps, NULL) == IK_OK && *rate_bps > 0 &&
                  *rate_bps <= DESIGN_MOST_BPS))
        return IK_OK;
    return ik_fail(err, IK_ERR_USAGE,
                   "--rate takes the rate of a port, at most 1000 Tb/s, as in 400Gb/s, not "
                   "'%.60s'",
                   text);
}

static ik_status design_read_goal(const char *text, const char **goal, ik_error *err)
{
    static const char *const goals[] = {"cost", "switches"};
    *goal = goals[text && strcmp(text, goals[1]) == 0];
    if (!text || strcmp(text, *goal) == 0)
        return IK_OK;
    return ik_fail(err, IK_ERR_USAGE, "--choose takes 'cost' or 'switches', not '%.60s'", text);
}

static void design_read_floors(designs *d)
{
    const char *floor = d->ask->floor;
    const bool none = floor && strcmp(floor, "none") == 0;
    d->has_floors = !none && ik_designs_most_hosts(&d->wish) <= IK_DESIGN_MOST_BUILT;
    d->no_floor = none ? " (--floor none)" : "";
}

/* What is computed on networks that are built. */
static ik_status design_check_size(const designs *d, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    const char *option = ask->num_patterns               ? "--traffic"
                         : ask->bisection                ? "--bisection"
                         : ask->num_workloads            ? "--workload"
                         : ask->num_losses               ? "--fail"
                         : ask->floor && !d->no_floor[0] ? "--floor"
                         : ask->from                     ? "--from"
                                                         : NULL;
    if (!option || ik_designs_most_hosts(&d->wish) <= IK_DESIGN_MOST_BUILT)
        return IK_OK;
    return ik_fail(err, IK_ERR_USAGE,
                   "%s needs networks of at most %s hosts: larger ones are not built", option,
                   IK_WHOLE(IK_DESIGN_MOST_BUILT));
}

/* Adds a spec to a list of at most `most`, unless it is there; many: how many that is. */
static ik_status design_add_spec(designs *d, const char **list, int *num, int most,
                                 const char *spec, const char *many, ik_error *err)
{
    for (int i = 0; i < *num; i++)
        if (strcmp(list[i], spec) == 0)
            return IK_OK;
    if (*num == most)
        return ik_fail(err, IK_ERR_USAGE, "at most %s", many);
    list[*num] = ik_arena_strdup(&d->arena, spec);
    if (!list[*num])
        return ik_fail_memory(err, strlen(spec), "what networks are asked for");
    ++*num;
    return IK_OK;
}

/* uniform, worst and what is asked for. */
static ik_status design_read_patterns(designs *d, ik_error *err)
{
    ik_status s = IK_OK;
    d->patterns[d->num_patterns++] = "uniform";
    d->patterns[d->num_patterns++] = "worst";
    for (size_t k = 0; s == IK_OK && k < d->ask->num_patterns; k++)
        s = design_add_spec(d, d->patterns, &d->num_patterns, IK_DESIGN_PATTERNS,
                            d->ask->patterns[k],
                            IK_COUNT(IK_DESIGN_PATTERNS - 2, "traffic pattern"), err);
    if (s == IK_ERR_USAGE)
        ik_hint(err, s, "uniform and worst are predicted without being asked for");
    return s;
}

/* Whether a workload is one that ends, as far as its name says. */
static ik_status design_check_workload(const char *spec, ik_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    const ik_traffic_family *family = ik_traffic_find(name);
    if (family && family->ends)
        return IK_OK;
    return ik_fail(err, IK_ERR_USAGE,
                   family ? "--workload %.200s: this traffic never ends; --traffic predicts its "
                            "saturation, and 'batch:pattern=%.60s,messages=1000' sends some of "
                            "its messages"
                          : "--workload %.200s: there is no traffic '%.60s'; a workload is what "
                            "ends, such as collective:operation=allreduce,bytes=1GB ('ikat list "
                            "traffic')",
                   spec, name);
}

static ik_status design_read_workloads(designs *d, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    ik_status s = IK_OK;
    for (size_t k = 0; s == IK_OK && k < ask->num_workloads; k++) {
        s = design_check_workload(ask->workloads[k], err);
        if (s == IK_OK)
            s = design_add_spec(d, d->workloads, &d->num_workloads, IK_DESIGN_WORKLOADS,
                                ask->workloads[k], IK_COUNT(IK_DESIGN_WORKLOADS, "workload"), err);
    }
    if (s != IK_OK || !ask->simulate)
        return s;
    if (ask->num_workloads == 0)
        return ik_fail(err, IK_ERR_USAGE, "--simulate has no effect without --workload");
    if (d->rails * d->rate_bps > DESIGN_MOST_BPS) {
        char rate[40];
        return ik_fail(err, IK_ERR_USAGE,
                       "--simulate: %u rails of %s are simulated as one cable, which has at most "
                       "1000 Tb/s",
                       d->rails, ik_format_rate(rate, sizeof rate, d->rate_bps));
    }
    return IK_OK;
}

static bool design_is_same_loss(const ik_loss *a, const ik_loss *b)
{
    return a->kind == b->kind && a->counted == b->counted && a->amount == b->amount;
}

ik_status designs_check_floor(const designs *d, ik_error *err)
{
    for (int k = 0; k < d->num_losses && !d->has_floors; k++)
        if (d->losses[k].kind == IK_LOSS_RACKS || d->losses[k].kind == IK_LOSS_TRAYS) {
            ik_fail(err, IK_ERR_USAGE, "--fail %s: there are no floor plans%s",
                    ik_loss_kind_name(d->losses[k].kind), d->no_floor);
            return ik_hint(err, IK_ERR_USAGE, "racks and trays are those of the floor plan");
        }
    return IK_OK;
}

static ik_status design_read_losses(designs *d, ik_error *err)
{
    for (size_t k = 0; k < d->ask->num_losses; k++) {
        ik_loss loss;
        ik_error why;
        bool known = false;
        if (ik_loss_read(d->ask->losses[k], &loss, &why) != IK_OK)
            return ik_fail(err, IK_ERR_USAGE, "--fail: %s; %s", why.text, why.hint);
        for (int i = 0; i < d->num_losses; i++)
            known |= design_is_same_loss(&d->losses[i], &loss);
        if (!known && d->num_losses == IK_DESIGN_LOSSES)
            return ik_fail(err, IK_ERR_USAGE, "at most %d different failures", IK_DESIGN_LOSSES);
        if (!known)
            d->losses[d->num_losses++] = loss;
    }
    return designs_check_floor(d, err);
}

static ik_status design_read_switch(designs *d, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    d->wish.radix = ask->radix;
    d->wish.cancel = d->env ? d->env->cancel : NULL;
    d->rails = ask->rails ? ask->rails : 1;
    if (ask->radix < 2 || ask->radix > IK_WISH_RADIX_MAX)
        return ik_fail(err, IK_ERR_USAGE, "--radix = %u is out of range: expected 2 to %d",
                       ask->radix, IK_WISH_RADIX_MAX);
    if (d->rails > IK_DESIGN_RAILS)
        return ik_fail(err, IK_ERR_USAGE, "--rails = %u is out of range: expected 1 to %d",
                       d->rails, IK_DESIGN_RAILS);
    return IK_OK;
}

ik_status designs_read_wish(designs *d, ik_error *err)
{
    const ik_design_config *ask = d->ask;
    if (!ask->hosts || !ask->radix)
        return ik_fail(err, IK_ERR_USAGE,
                       "--hosts N and --radix R are required: how many hosts, and how many ports a "
                       "switch has");
    ik_status s = design_read_hosts(ask->hosts, &d->wish, err);
    if (s == IK_OK)
        s = design_read_switch(d, err);
    design_read_floors(d);
    if (s == IK_OK)
        s = design_read_oversubscription(ask->oversubscription, &d->wish.oversubscription, err);
    if (s == IK_OK)
        s = design_read_goal(ask->choose, &d->goal, err);
    if (s == IK_OK)
        s = design_read_rate(ask->rate, &d->rate_bps, err);
    if (s == IK_OK)
        s = design_check_size(d, err);
    if (s == IK_OK)
        s = design_read_patterns(d, err);
    if (s == IK_OK)
        s = design_read_workloads(d, err);
    return s == IK_OK ? design_read_losses(d, err) : s;
}

void design_put_spec(const designs *d, const ik_fit *fit, uint32_t rails, char *spec, size_t size)
{
    char rate[48], *blank;
    int used = snprintf(spec, size, "%s", fit->point.spec);
    if (!d->ask->rate && rails == 1)
        return;
    if (rails == 1)
        ik_format_rate(rate, sizeof rate, d->rate_bps);
    else
        snprintf(rate, sizeof rate, "%" PRIu64 "b/s", rails * d->rate_bps);
    while ((blank = strchr(rate, ' ')))
        memmove(blank, blank + 1, strlen(blank));
    snprintf(spec + used, size - (size_t)used, "%clink_rate=%s", strchr(spec, ':') ? ',' : ':',
             rate);
}
