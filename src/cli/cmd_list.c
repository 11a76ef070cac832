/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_list.c: `ikat list [FAMILY]`: what there is.
 */
#include "families.h"

#include <string.h>

typedef struct listing {
    json_t *json;
    cli_table *table;
} listing;

static void add_member(void *ctx, const cli_member *m)
{
    listing *l = ctx;
    if (l->json)
        json_array_append_new(l->json, cli_member_json(m));
    if (l->table) {
        cli_table_cell(l->table, "%s%s", m->shorthand_of ? "  " : "", m->name);
        cli_table_cell(l->table, "%s", m->summary);
    }
}

static void list_family(const cli *c, const cli_family *f, json_t *object)
{
    static const char *const headers[] = {"name", "what it is", NULL};
    listing l = {.json = c->json ? json_array() : NULL,
                 .table = c->json ? NULL : cli_table_new(headers)};
    f->each(add_member, &l);
    if (c->json) {
        json_object_set_new(object, f->name, l.json);
        return;
    }
    printf("%s%s%s: %s\n", c->colour_out ? "\033[1m" : "", f->name, cli_reset(c), f->summary);
    cli_table_print(l.table, stdout, c->colour_out);
    putchar('\n');
}

static int run(cli *c)
{
    json_t *object = c->json ? json_object() : NULL;
    bool found = false;
    const char *names[16] = {NULL};
    for (size_t i = 0; cli_families[i].name; i++) {
        names[i] = cli_families[i].name;
        if (c->num_args == 0 || strcmp(c->args[0], cli_families[i].name) == 0) {
            list_family(c, &cli_families[i], object);
            found = true;
        }
    }
    if (!found) {
        json_decref(object);
        ik_error err;
        ik_fail_unknown(&err, "family", c->args[0], names);
        return cli_error(c, &err);
    }
    if (c->json)
        return cli_print_json(c, object);
    printf("'ikat help NAME' explains one of them.\n");
    return CLI_DONE;
}

static const char *const examples[] = {"ikat list", "ikat list routings",
                                       "ikat list topologies --json", NULL};

const ik_command ik_command_list = {
    .name = "list",
    .synopsis = "[FAMILY]",
    .summary = "list topologies, routings, selections, vcs, traffic, formats, sections",
    .details = "With --json: an object with one array a family; each member has name, summary, "
               "source, details, parameters\n"
               "(name, type, default, needs, min, max, range, help), common_parameters, examples, "
               "shorthand_of.",
    .examples = examples,
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
