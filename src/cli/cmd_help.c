/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_help.c: `ikat help [TOPIC]`: a command, a member of a family, or a topic (specs, units,
 * exit-status).
 */
#include "families.h"

#include <string.h>

static const struct topic {
    const char *name, *summary, *text;
} topics[] = {
    {"specs", "how fabrics, routings and patterns are written",
     "One syntax, on the command line and in experiment files:\n\n"
     "  NAME[:KEY=VALUE[,KEY=VALUE]...]      xgft:m=16:16,w=1:10    karytree:k=4,n=3    "
     "shift:by=24\n"
     "  file:PATH                            file:cluster.ibnetdiscover\n\n"
     "Lists are written with colons (m=16:16), sets with ranges, too (hosts=0..63:70). The first "
     "item may be a bare value: it is the value "
     "of the member's first\n"
     "parameter (file:PATH, shift:24). The path of an existing file stands for file:PATH,\n"
     "and '-' for what comes on standard input. A spec within a spec has ';' for ',':\n"
     "escape:routing=updown:order=distance;root=0\n"
     "Patterns within a spec are joined by '+' and have ';' for ',': "
     "mix:80%*uniform+20%*hotspot:nodes=5;fraction=100%\n"
     "'ikat list' shows the names, 'ikat help NAME' the parameters of one."},
    {"units", "how quantities are written",
     "Quantities carry their unit; a missing or wrong unit is refused. Blanks are allowed: 100 "
     "Gb/s = 100Gb/s.\n\n"
     "  times      ps ns us ms s            6 ns        kept as whole picoseconds\n"
     "  rates      b/s kb/s Mb/s Gb/s Tb/s  100 Gb/s    kept as whole bit/s (B/s with the same "
     "prefixes: times 8)\n"
     "  sizes      B KiB MiB GiB kB MB GB   192 KiB     KiB = 1024 B, kB = 1000 B\n"
     "  fractions  % or none                25 % = 0.25\n"
     "  lengths    mm cm m km               2 m"},
    {"exit-status", "what the exit status means",
     "  0    done\n"
     "  1    a proof failed, a deadlock was found, a finding is an error, or (--strict) a claim "
     "differs\n"
     "  2    wrong usage or wrong input (the message says where), output that could not be "
     "written, or too little memory\n"
     "  130  interrupted (Ctrl-C); what was finished is kept"},
    {"experiment", "the file that 'ikat run' takes",
     "An experiment is a YAML file of these sections:\n"},
    {0},
};

static void print_options(const char *title, const cli_option *options)
{
    if (!options || !options->name)
        return;
    printf("\n%s\n", title);
    for (const cli_option *o = options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        if (o->letter)
            printf("  -%c, %-24s %s\n", o->letter, left, o->help);
        else
            printf("      %-24s %s\n", left, o->help);
    }
}

int cli_print_help(const cli *c, const ik_command *command)
{
    printf("%sikat %s%s %s\n", c->colour_out ? "\033[1m" : "", command->name, cli_reset(c),
           command->synopsis);
    printf("%s\n", command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    print_options("Options", command->options);
    print_options("Options of every command", cli_common_options);
    if (command->examples && command->examples[0]) {
        printf("\nExamples\n");
        for (const char *const *e = command->examples; *e; e++)
            printf("  %s\n", *e);
    }
    return CLI_DONE;
}

static int print_overview(const cli *c)
{
    printf("%sikat%s %s: design, route, prove, analyse and simulate interconnection networks\n\n",
           c->colour_out ? "\033[1m" : "", cli_reset(c), ik_version());
    printf("Commands\n");
    for (const ik_command *const *k = cli_commands(); *k; k++)
        printf("  %-15s %s\n", (*k)->name, (*k)->summary);
    printf("\nTopics\n");
    for (const struct topic *t = topics; t->name; t++)
        printf("  %-15s %s\n", t->name, t->summary);
    printf("\n'ikat COMMAND -h' explains a command, 'ikat help NAME' a topic, a topology, a "
           "routing, a pattern …\n");
    return CLI_DONE;
}

typedef struct search {
    const cli *c;
    const char *name;
    const cli_family *family;
    ik_json *json; /* NULL: as text */
    unsigned found;
    const char *names[512];
    size_t num_names;
} search;

static void look_at(void *ctx, const cli_member *m)
{
    search *s = ctx;
    if (s->num_names < 500)
        s->names[s->num_names++] = m->name;
    if (strcmp(m->name, s->name) != 0)
        return;
    if (s->json && s->found == 0)
        cli_json_begin(s->json);
    if (s->json)
        cli_member_json(s->json, s->family->singular, m);
    else {
        if (s->found)
            putchar('\n');
        cli_print_member(s->c, s->family, m);
    }
    s->found++;
}

static void look_everywhere(search *s)
{
    for (const cli_family *f = cli_families; f->name; f++) {
        s->family = f;
        f->each(look_at, s);
    }
}

/* A command, and what else has its name. */
static int print_command(const cli *c, const ik_command *command)
{
    search s = {.c = c, .name = command->name, .found = 1};
    int code = cli_print_help(c, command);
    look_everywhere(&s);
    return code;
}

static int print_named(cli *c, const char *name)
{
    ik_json j;
    search s = {.c = c, .name = name, .json = c->json ? &j : NULL};
    look_everywhere(&s);
    if (s.found)
        return c->json ? cli_json_end(c, &j) : CLI_DONE;
    for (const ik_command *const *k = cli_commands(); *k && s.num_names < 511; k++)
        s.names[s.num_names++] = (*k)->name;
    ik_error err;
    ik_fail_unknown(&err, "command, topic or member", name, s.names);
    return cli_error(c, &err);
}

/* The sections come from the schema that the reader checks against. */
static void print_experiment(void)
{
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++) {
        printf("  %-12s %s", s->name, s->help);
        if (s->def && s->def[0])
            printf(" (default: %s)", s->def);
        puts(s->def ? "" : " (required)");
    }
    puts("\n  fabric: {family: karytree, k: [4, 8], n: 2}     # or a spec: karytree:k=4,n=2\n"
         "  routing: [dmodk, updown]\n"
         "  traffic: [uniform, \"shift:by=4\"]\n"
         "  load: [2%, 10%..90% step 10%]\n"
         "  seeds: 3                                         # the seeds 1, 2, 3; or a list\n"
         "  switch: {voq: [true, false]}\n"
         "  measure: {warmup: 50 us, duration: 200 us}\n\n"
         "Any value may be a list or a range (A..B step C, A..B times F, whole numbers also A..B): "
         "the product of all of them is\n"
         "run. A parameter that is itself a list of numbers takes [16, 16] or 16:16 as one value, "
         "[[16, 16], [8, 8]] as two; a set of numbers (hosts) takes [0..3, 8] or 0..3:8 as one.\n"
         "Inside [ ] a spec with commas needs quotes. Anchors, aliases and '<<' work. Paths start "
         "at the file's folder. The seeds\n"
         "vary traffic, arbitration and drawn paths; fabrics and tables are drawn with the first "
         "seed or their own.\n"
         "'ikat help switch', 'adapter', 'measure' and 'watch' list the parameters of those "
         "sections.");
}

/* ---- the same as JSON */

static void put_named(ik_json *j, const char *name, const char *summary)
{
    ik_json_text(j, "name", name);
    ik_json_text(j, "summary", summary);
}

static int overview_json(const cli *c)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_array(&j, "commands");
    for (const ik_command *const *k = cli_commands(); *k; k++) {
        ik_json_object(&j, NULL);
        put_named(&j, (*k)->name, (*k)->summary);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    ik_json_array(&j, "topics");
    for (const struct topic *t = topics; t->name; t++) {
        ik_json_object(&j, NULL);
        put_named(&j, t->name, t->summary);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(c, &j);
}

static void put_options(ik_json *j, const cli_option *options)
{
    ik_json_array(j, "options");
    for (const cli_option *option = options; option && option->name; option++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "name", option->name);
        cli_json_optional(j, "value", option->value);
        ik_json_text(j, "help", option->help);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int command_json(const cli *c, const ik_command *k)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_object(&j, "command");
    put_named(&j, k->name, k->summary);
    ik_json_text(&j, "synopsis", k->synopsis);
    cli_json_optional(&j, "details", k->details);
    put_options(&j, k->options);
    ik_json_array(&j, "examples");
    for (const char *const *e = k->examples; e && *e; e++)
        ik_json_text(&j, NULL, *e);
    ik_json_close(&j);
    ik_json_close(&j);
    return cli_json_end(c, &j);
}

static void put_sections(ik_json *j)
{
    ik_json_array(j, "sections");
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "name", s->name);
        ik_json_text(j, "help", s->help);
        cli_json_optional(j, "default", s->def);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int topic_json(const cli *c, const struct topic *t)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_object(&j, "topic");
    put_named(&j, t->name, t->summary);
    ik_json_text(&j, "text", t->text);
    if (strcmp(t->name, "experiment") == 0)
        put_sections(&j);
    ik_json_close(&j);
    return cli_json_end(c, &j);
}

static int run(cli *c)
{
    if (c->num_args == 0)
        return c->json ? overview_json(c) : print_overview(c);
    for (const ik_command *const *k = cli_commands(); *k; k++)
        if (strcmp((*k)->name, c->args[0]) == 0)
            return c->json ? command_json(c, *k) : print_command(c, *k);
    for (const struct topic *t = topics; t->name; t++)
        if (strcmp(t->name, c->args[0]) == 0) {
            if (c->json)
                return topic_json(c, t);
            puts(t->text);
            if (strcmp(t->name, "experiment") == 0)
                print_experiment();
            return CLI_DONE;
        }
    return print_named(c, c->args[0]);
}

static const char *const examples[] = {"ikat help", "ikat help specs", "ikat help xgft",
                                       "ikat help dmodk --json", NULL};

const ik_command ik_command_help = {
    .name = "help",
    .synopsis = "[COMMAND|TOPIC|NAME]",
    .summary = "explain a command, a topic, a topology, a routing, a pattern",
    .details = "With --json: commands and topics (name, summary); of one command: command (name, "
               "summary, synopsis, details, options,\n"
               "examples); of a topic: topic (name, summary, text); of a member: what 'ikat list "
               "--json' says of it.",
    .examples = examples,
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
