/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_list.c: `ikat list [FAMILY]`: what there is.
 */
#include "families.h"

#include <string.h>

enum { SUMMARY_COLUMN = 22 }; /* behind the indented names of shorthands */

static void print_member_line(void *ctx, const cli_member *m)
{
    (void)ctx;
    char name[64];
    snprintf(name, sizeof name, "  %s%s", m->shorthand_of ? "  " : "", m->name);
    cli_print_item(name, SUMMARY_COLUMN, m->summary);
}

static void list_print_family(const cli *c, const cli_family *f)
{
    printf("%s%s%s: ", c->colour_out ? "\033[1m" : "", f->name, cli_reset(c));
    ik_wrap how = {.width = cli_help_width(), .column = (unsigned)strlen(f->name) + 2};
    ik_text_wrap(stdout, f->summary, strlen(f->summary), &how);
    f->each(print_member_line, NULL);
    putchar('\n');
}

static bool list_wanted(const cli *c, const cli_family *f)
{
    return c->num_args == 0 || strcmp(c->args[0], f->name) == 0;
}

static int list_unknown_family(const cli *c)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; cli_families[i].name; i++)
        names[i] = cli_families[i].name;
    ik_error err;
    ik_fail_unknown(&err, "family", c->args[0], names);
    return cli_error(c, &err);
}

static int list_json_here(const cli *c)
{
    ik_json j;
    cli_json_begin_list(&j);
    for (const cli_family *f = cli_families; f->name; f++)
        if (list_wanted(c, f))
            cli_family_json(&j, f);
    return cli_json_end(c, &j);
}

static int list_run(cli *c)
{
    bool found = false;
    for (const cli_family *f = cli_families; f->name; f++)
        found |= list_wanted(c, f);
    if (!found)
        return list_unknown_family(c);
    if (c->json)
        return list_json_here(c);
    for (const cli_family *f = cli_families; f->name; f++)
        if (list_wanted(c, f))
            list_print_family(c, f);
    cli_print_text("'ikat help NAME' explains one of them.");
    return CLI_DONE;
}

static const char *const examples[] = {"ikat list", "ikat list routings",
                                       "ikat list topologies --json", NULL};

const ik_command ik_command_list = {
    .name = "list",
    .synopsis = "[FAMILY]",
    .summary = "list topologies, routings, selections, vcs, traffic, formats, sections",
    .details = "With --json: an object with one array per family; each member has name, summary, "
               "source, details, parameters\n"
               "(name, type, default, needs, min, max, range, help), common_parameters, examples, "
               "shorthand_of, and plugin if it comes from one.",
    .takes = "<families>",
    .examples = examples,
    .min_args = 0,
    .max_args = 1,
    .run = list_run,
};
