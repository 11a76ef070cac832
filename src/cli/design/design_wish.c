/* SPDX-License-Identifier: Apache-2.0
 *
 * design_wish.c: what the command line of `ikat design` asks for.
 */
#include "design_show.h"
#include "scale.h"

#include <inttypes.h>
#include <string.h>

/* The largest rate of a cable of a fabric; hosts with all rails together are simulated as one. */
#define DESIGN_MOST_BPS UINT64_C(1000000000000000)

#define DESIGN_MOST_HOSTS UINT64_C(1000000000)

double designs_most_hosts(const designs *d)
{
    return d->wish.hosts_max > 0 ? d->wish.hosts_max : d->wish.hosts;
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
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: its %s number is missing",
                       cli_line(text), of);
    if (strstr(end, ".."))
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: a range has two ends", cli_line(text));
    if (length < sizeof end && ik_parse_quantity(end, IK_DIM_NONE, &value, &why) != IK_OK)
        return ik_fail(err, IK_ERR_USAGE, "--hosts %.100s, its %s number: %.200s", cli_line(text),
                       of, why.text);
    if (value < 1 || value > DESIGN_MOST_HOSTS)
        return ik_fail(err, IK_ERR_USAGE,
                       "--hosts %.100s: its %s number is out of range: expected 1 to 1000000000",
                       cli_line(text), of);
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
        ik_fail(err, IK_ERR_USAGE, "--hosts %.100s: the range ends before it begins",
                cli_line(text));
        return ik_hint(err, IK_ERR_USAGE, "did you mean --hosts %.0f..%.0f?", most, wish->hosts);
    }
    if (s != IK_OK)
        return ik_hint(err, s, "a range is the least and the most hosts, as in 4000..5000");
    wish->hosts_max = most > wish->hosts ? most : 0;
    return IK_OK;
}

static int design_read_hosts(const cli *c, ik_wish *wish)
{
    const char *text = cli_get(c, "--hosts"), *dots = strstr(text, "..");
    uint64_t hosts = 0;
    ik_error err;
    if (dots)
        return design_read_range(text, dots, wish, &err) == IK_OK ? CLI_DONE : cli_error(c, &err);
    if (!cli_get_uint(c, "--hosts", 1, DESIGN_MOST_HOSTS, 0, &hosts))
        return CLI_USAGE;
    wish->hosts = (double)hosts;
    return CLI_DONE;
}

static int design_read_oversubscription(const cli *c, double *value)
{
    const char *text = cli_get(c, "--oversubscription");
    *value = 1;
    if (!text ||
        (ik_parse_real(text, IK_DIM_NONE, value, NULL) == IK_OK && *value >= 1 && *value <= 1000))
        return CLI_DONE;
    return cli_usage(
        c,
        "--oversubscription takes a number from 1 (full bandwidth) to 1000, 2 for 2:1, not "
        "'%.60s'",
        text);
}

static int design_read_rate(const cli *c, uint64_t *rate_bps)
{
    const char *text = cli_get(c, "--rate");
    *rate_bps = UINT64_C(100000000000);
    if (!text || (ik_parse_quantity(text, IK_DIM_RATE, rate_bps, NULL) == IK_OK && *rate_bps > 0 &&
                  *rate_bps <= DESIGN_MOST_BPS))
        return CLI_DONE;
    return cli_usage(c,
                     "--rate takes the rate of a port, at most 1000 Tb/s, as in 400Gb/s, not "
                     "'%.60s'",
                     text);
}

static int design_read_goal(const cli *c, const char **goal)
{
    static const char *const goals[] = {"cost", "switches"};
    const char *text = cli_get(c, "--choose");
    *goal = goals[text && strcmp(text, goals[1]) == 0];
    if (!text || strcmp(text, *goal) == 0)
        return CLI_DONE;
    return cli_usage(c, "--choose takes 'cost' or 'switches', not '%.60s'", cli_line(text));
}

static void design_read_floors(designs *d)
{
    const char *floor = cli_get(d->c, "--floor");
    const bool none = floor && strcmp(floor, "none") == 0;
    d->has_floors = !none && designs_most_hosts(d) <= CLI_MOST_BUILT;
    d->no_floor = none ? " (--floor none)" : "";
}

/* uniform, worst and what the command line asks for. */
static int design_read_patterns(designs *d)
{
    const char *pattern;
    static const char *const measured[] = {"--traffic", "--bisection", "--workload",
                                           "--fail",    "--floor",     "--from"};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (designs_most_hosts(d) > CLI_MOST_BUILT && cli_has(d->c, measured[i]) &&
            (d->no_floor[0] == '\0' || strcmp(measured[i], "--floor") != 0))
            return cli_usage(d->c,
                             "%s needs networks of at most %s hosts: larger ones are not built",
                             measured[i], cli_count(CLI_MOST_BUILT));
    d->patterns[d->num_patterns++] = "uniform";
    d->patterns[d->num_patterns++] = "worst";
    for (int k = 0; (pattern = cli_get_nth(d->c, "--traffic", k)); k++) {
        bool known = false;
        for (int i = 0; i < d->num_patterns; i++)
            known |= strcmp(d->patterns[i], pattern) == 0;
        if (!known && d->num_patterns == DESIGN_PATTERNS)
            return cli_usage(d->c, "at most %d traffic patterns beside uniform and worst",
                             DESIGN_PATTERNS - 2);
        if (!known)
            d->patterns[d->num_patterns++] = pattern;
    }
    return CLI_DONE;
}

/* Whether a workload is one that ends, as far as its name says. */
static int design_check_workload(const cli *c, const char *spec)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    const ik_traffic_family *family = ik_traffic_find(name);
    if (family && family->ends)
        return CLI_DONE;
    return cli_usage(c,
                     family ? "--workload %.200s: this traffic never ends; --traffic predicts its "
                              "saturation, and 'batch:pattern=%.60s,messages=1000' sends some of "
                              "its messages"
                            : "--workload %.200s: there is no traffic '%.60s'; a workload is what "
                              "ends, such as collective:operation=allreduce,bytes=1GB ('ikat list "
                              "traffic')",
                     cli_line(spec), cli_line(name));
}

static int design_read_workloads(designs *d)
{
    const char *spec;
    for (int k = 0; (spec = cli_get_nth(d->c, "--workload", k)); k++) {
        bool known = false;
        for (int i = 0; i < d->num_workloads; i++)
            known |= strcmp(d->workloads[i], spec) == 0;
        if (design_check_workload(d->c, spec) != CLI_DONE)
            return CLI_USAGE;
        if (!known && d->num_workloads == DESIGN_WORKLOADS)
            return cli_usage(d->c, "at most %d workloads", DESIGN_WORKLOADS);
        if (!known)
            d->workloads[d->num_workloads++] = spec;
    }
    if (cli_has(d->c, "--simulate") && d->rails * d->rate_bps > DESIGN_MOST_BPS)
        return cli_usage(d->c,
                         "--simulate: %u rails of %s are simulated as one cable, which has at most "
                         "1000 Tb/s",
                         d->rails, cli_quantity(d->rate_bps, IK_DIM_RATE));
    return cli_only_with(d->c, "--simulate", "--workload");
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

static int design_read_losses(designs *d)
{
    const char *text;
    ik_error err;
    for (int k = 0; (text = cli_get_nth(d->c, "--fail", k)); k++) {
        ik_loss loss;
        bool known = false;
        if (ik_loss_read(text, &loss, &err) != IK_OK)
            return cli_usage(d->c, "--fail: %s; %s", err.text, err.hint);
        for (int i = 0; i < d->num_losses; i++)
            known |= design_is_same_loss(&d->losses[i], &loss);
        if (!known && d->num_losses == DESIGN_LOSSES)
            return cli_usage(d->c, "at most %d different failures", DESIGN_LOSSES);
        if (!known)
            d->losses[d->num_losses++] = loss;
    }
    return designs_check_floor(d, &err) == IK_OK ? CLI_DONE : cli_error(d->c, &err);
}

int designs_read_wish(designs *d)
{
    const cli *c = d->c;
    uint64_t radix = 0, rails = 1;
    if (!cli_has(c, "--hosts") || !cli_has(c, "--radix"))
        return cli_usage(c, "--hosts N and --radix R are required: how many hosts, and how many "
                            "ports a switch has");
    if (design_read_hosts(c, &d->wish) != CLI_DONE ||
        !cli_get_uint(c, "--radix", 2, IK_WISH_RADIX_MAX, 0, &radix) ||
        !cli_get_uint(c, "--rails", 1, DESIGN_MOST_RAILS, 1, &rails))
        return CLI_USAGE;
    if (c->json && cli_has(c, "--csv"))
        return cli_usage(c, "--csv and --json both write to the output: give only one of them");
    d->wish.radix = (uint32_t)radix;
    d->wish.cancel = c->env.cancel;
    d->rails = (uint32_t)rails;
    design_read_floors(d);
    d->from_spec = cli_get(c, "--from");
    int status = design_read_oversubscription(c, &d->wish.oversubscription);
    if (status == CLI_DONE)
        status = design_read_goal(c, &d->goal);
    if (status == CLI_DONE)
        status = design_read_rate(c, &d->rate_bps);
    if (status == CLI_DONE)
        status = design_read_patterns(d);
    if (status == CLI_DONE)
        status = design_read_workloads(d);
    if (status == CLI_DONE)
        status = design_read_losses(d);
    return status == CLI_DONE ? designs_check_page(d) : status;
}

void design_put_spec(const designs *d, const ik_fit *fit, uint32_t rails, char *spec, size_t size)
{
    char rate[48], *blank;
    int used = snprintf(spec, size, "%s", fit->point.spec);
    if (!cli_has(d->c, "--rate") && rails == 1)
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
