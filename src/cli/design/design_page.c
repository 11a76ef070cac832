/* SPDX-License-Identifier: Apache-2.0
 *
 * design_page.c: what `ikat design` found as the library takes it, and the page of --output.
 */
#include "design_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* ---- the command */

/* Options that change what is printed, and not what is found. */
static bool design_only_shows(const char *option)
{
    static const char *const names[] = {"--output",  "--csv",   "--json",  "--jobs",
                                        "--verbose", "--quiet", "--color", "--no-cache"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* words: room for two of each option, those of the arguments, and two more. */
static size_t designs_put_command(const cli *c, const char **words)
{
    size_t n = 0;
    words[n++] = "ikat";
    words[n++] = c->command->name;
    for (int i = 0; i < c->num_options; i++) {
        if (design_only_shows(c->options[i].name))
            continue;
        words[n++] = c->options[i].name;
        if (c->options[i].value[0])
            words[n++] = c->options[i].value;
    }
    for (int i = 0; i < c->num_args; i++)
        words[n++] = c->args[i];
    return n;
}

/* ---- all */

void designs_free(ik_designs *made)
{
    free((void *)made->members);
    free((void *)made->misfits);
    free((void *)made->command);
}

ik_status designs_make(const designs *d, ik_designs *out, ik_error *err)
{
    const size_t num_misfits = d->num - d->num_fits;
    const size_t most_words = 2 + 2 * (size_t)d->c->num_options + (size_t)d->c->num_args;
    ik_design_member *members = calloc(d->num_fits + 1, sizeof *members);
    ik_design_misfit *misfits = calloc(num_misfits + 1, sizeof *misfits);
    const char **words = calloc(most_words, sizeof *words);
    *out = (ik_designs){.wish = d->wish,
                        .goal = d->goal,
                        .rate_bps = d->rate_bps,
                        .rails = d->rails,
                        .prices = d->prices,
                        .prices_file = d->prices_file,
                        .command = words,
                        .patterns = d->patterns,
                        .num_patterns = (size_t)d->num_patterns,
                        .workloads = d->workloads,
                        .num_workloads = (size_t)d->num_workloads,
                        .losses = d->losses,
                        .num_losses = (size_t)d->num_losses,
                        .draws = DESIGN_DRAWS,
                        .from = d->from_spec,
                        .has_floors = d->has_floors,
                        .members = members,
                        .num_members = d->num_fits,
                        .misfits = misfits,
                        .num_misfits = num_misfits};
    if (!members || !misfits || !words) {
        designs_free(out);
        return ik_fail_memory(err, d->num * sizeof *members, "the designs");
    }
    out->num_words = designs_put_command(d->c, words);
    for (size_t i = 0; i < d->num_fits; i++)
        design_make_member(&d->rows[i], &members[i]);
    for (size_t i = 0; i < num_misfits; i++)
        design_make_misfit(&d->rows[d->num_fits + i], &misfits[i]);
    return IK_OK;
}

/* ---- the page */

int designs_check_page(const designs *d)
{
    const cli *c = d->c;
    const char *path = cli_get(c, "--output"), *dot = path ? strrchr(path, '.') : NULL;
    if (!path)
        return CLI_DONE;
    if (dot && (strcasecmp(dot, ".csv") == 0 || strcasecmp(dot, ".json") == 0))
        return cli_usage(c, "the page is no %s file: leave -o out, and send what --%s prints to it",
                         dot + 1, strcasecmp(dot, ".csv") == 0 ? "csv" : "json");
    if (!dot || (strcasecmp(dot, ".html") != 0 && strcasecmp(dot, ".htm") != 0))
        return cli_usage(c, "-o writes a page of HTML, whose name ends with .html, not '%.200s'",
                         cli_line(path));
    if (d->prices_file && cli_same_file(path, d->prices_file))
        return cli_usage(c, "the page '%.200s' would overwrite the list of prices", cli_line(path));
    const char *rules = cli_get(c, "--floor");
    if (rules && cli_same_file(path, rules))
        return cli_usage(c, "the page '%.200s' would overwrite the rules of the floor",
                         cli_line(path));
    return CLI_DONE;
}

ik_status designs_write_page(const designs *d, FILE *out, ik_error *err)
{
    ik_designs made;
    ik_status status = designs_make(d, &made, err);
    if (status != IK_OK)
        return status;
    status = ik_designs_print_page(&made, out, err);
    designs_free(&made);
    return status;
}
