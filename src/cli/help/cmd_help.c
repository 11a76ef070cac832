/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_help.c: `ikat help [TOPIC]`: a command, a member of a family, or a topic (specs, units …);
 * with --json all declarations.
 */
#include "families.h"
#include "find.h"

#include <string.h>

static const cli_topic topics[] = {
    {"specs", "how fabrics, routings and patterns are written",
     "One syntax, on the command line and in experiment files:\n\n"
     "  NAME[:KEY=VALUE[,KEY=VALUE]...]\n\n"
     "  xgft:m=16:16,w=1:10\n"
     "  karytree:k=4,n=3\n"
     "  shift:by=24\n"
     "  file:cluster.ibnetdiscover\n\n"
     "Lists are written with colons (m=16:16), sets with ranges, too (hosts=0..63:70). The first "
     "item may be a bare value: it is the value of the member's first parameter (file:PATH, "
     "shift:24). The path of an existing file stands for file:PATH, and '-' for what comes on "
     "standard input.\n\n"
     "A spec within a spec stands in parentheses, at any depth; patterns within a spec are joined "
     "by '+', jobs and entries of a schedule by '&':\n\n"
     "  escape:routing=(updown:order=distance,root=0)\n"
     "  mix:80%*uniform+20%*(hotspot:nodes=5,fraction=100%)\n"
     "  jobs:jobs=a=(exchange:hosts=0..7)&b@10 us=(exchange:hosts=8..15)\n\n"
     "Without parentheses, ';' stands for ',' in such a spec, and '|' in jobs and schedules: "
     "mix:80%*uniform+20%*hotspot:nodes=5;fraction=100%. Parentheses stand in pairs. A value in "
     "quotes may have any characters, and in these \\\" is a quote and \\\\ a backslash:\n\n"
     "  file:path=\"a (1), b=2.csv\"\n\n"
     "'ikat list' shows the names, 'ikat help NAME' the parameters of one."},
    {"units", "how quantities are written",
     "Quantities carry their unit; a missing or wrong unit is refused. Blanks are allowed: 100 "
     "Gb/s = 100Gb/s.\n\n"
     "  times      ps, ns, us, ms, s, min, h, as in 6 ns; kept as whole picoseconds\n"
     "  rates      b/s, kb/s, Mb/s, Gb/s, Tb/s, as in 100 Gb/s; kept as whole bit/s; B/s with "
     "the same prefixes is 8 times as much\n"
     "  sizes      B, KiB, MiB, GiB, kB, MB, GB, as in 192 KiB; KiB = 1024 B, kB = 1000 B\n"
     "  fractions  % or no unit; 25 % = 0.25\n"
     "  lengths    mm, cm, m, km, as in 2 m"},
    {"plugins", "members of families that are added without rebuilding ikat",
     "A plug-in is a shared object with topologies, routings, selection functions, VC schemes, "
     "traffic patterns or file formats of your own, written in C with ikat's headers and compiled "
     "with:\n\n"
     "  cc -shared -fPIC $(pkg-config --cflags ikat) -o mine.so mine.c\n\n"
     "--plugin FILE.so, before or behind a command and any number of times, adds its members; so "
     "does section plugins of an experiment (plugins: [./mine.so], from the experiment's folder). "
     "They are listed, explained, proved, simulated and reported as the built-in ones are. A name "
     "without '/' is looked for in the folders of IKAT_PLUGIN_PATH, with or without .so behind "
     "it.\n\n"
     "Proofs and results that are kept belong to the contents of the shared object: when it has "
     "changed they are made again.\n\n"
     "A plug-in is a program that runs with all that you may do: load none that you do not trust. "
     "Reports of results never load the plug-ins that their experiment names.\n\n"
     "docs/howto/write-a-plug-in.md has complete examples."},
    {"exit-status", "what the exit status means",
     "  0    done\n"
     "  1    a proof failed, a deadlock was found, a finding is an error, or (--strict) a claim "
     "differs\n"
     "  2    wrong usage or wrong input (the message says where), output that could not be "
     "written, or too little memory\n"
     "  130  interrupted (Ctrl-C); what was finished is kept\n\n"
     "With --nagios (ikat audit), for monitoring systems:\n\n"
     "  0    OK: no finding is a warning or an error\n"
     "  1    WARNING: a finding is a warning, none an error\n"
     "  2    CRITICAL: a finding is an error\n"
     "  3    UNKNOWN: wrong usage or input, output that could not be written, too little memory, "
     "interrupted"},
    {"environment", "environment variables that ikat reads",
     "  COLUMNS         columns of help, of tables and of figures (default: those of the terminal; "
     "where there is none, 100 for help, 80 for figures, and tables as wide as they are)\n"
     "  IKAT_PLUGIN_PATH  folders, joined by ':', in which plug-ins without '/' in their name are "
     "looked for\n"
     "  NO_COLOR        if it is set to anything: no colours, unless with --color=always\n"
     "  TERM            if it is dumb: no colours\n"
     "  XDG_CACHE_HOME  folder that holds ikat/, the folder of proofs that are kept (default: "
     "~/.cache)"},
    {"experiment", "the file that 'ikat run' takes",
     "An experiment is a YAML file of these sections:"},
    {0},
};

enum { OPTION_COLUMN = 31, NAME_COLUMN = 19 }; /* where the texts of help begin */

static void help_print_options(const char *title, const cli_option *options)
{
    if (!options || !options->name)
        return;
    printf("\n%s\n", title);
    for (const cli_option *o = options; o->name; o++) {
        char letter[8] = "    ", left[80];
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        cli_print_item(left, OPTION_COLUMN, o->help);
    }
}

int cli_print_help(const cli *c, const ik_command *command)
{
    cli_print_synopsis(c, command->name, command->synopsis);
    cli_print_text(command->summary);
    ik_arena arena = {0};
    const char *details = cli_details(command, &arena);
    if (details) {
        putchar('\n');
        cli_print_text(details);
    } else if (command->details) {
        cli_lack_memory();
    }
    ik_arena_free(&arena);
    help_print_options("Options", command->options);
    help_print_options("Options of every command", cli_common_options);
    cli_print_examples(command->examples);
    return CLI_DONE;
}

static void help_print_entry(const char *name, const char *summary)
{
    char left[40];
    snprintf(left, sizeof left, "  %s", name);
    cli_print_item(left, NAME_COLUMN, summary);
}

static int help_print_overview(const cli *c)
{
    printf("%sikat%s %s: ", c->colour_out ? "\033[1m" : "", cli_reset(c), ik_version());
    ik_wrap how = {.width = cli_help_width(), .column = (unsigned)strlen(ik_version()) + 7};
    static const char what[] =
        "design, route, prove, analyse and simulate interconnection networks";
    ik_text_wrap(stdout, what, sizeof what - 1, &how);
    printf("\nCommands\n");
    for (const ik_command *const *k = cli_commands(); *k; k++)
        help_print_entry((*k)->name, (*k)->summary);
    printf("\nTopics\n");
    for (const cli_topic *t = topics; t->name; t++)
        help_print_entry(t->name, t->summary);
    putchar('\n');
    cli_print_text("'ikat COMMAND -h' explains a command, 'ikat help NAME' a topic, a topology, a "
                   "routing, a pattern …\n"
                   "Manual pages: man ikat, man ikat-COMMAND, man ikat-experiment.");
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

static void help_look_at(void *ctx, const cli_member *m)
{
    search *s = ctx;
    if (s->num_names < 500)
        s->names[s->num_names++] = m->name;
    if (strcmp(m->name, s->name) != 0)
        return;
    if (s->json && s->found == 0)
        cli_json_begin_list(s->json);
    if (s->json)
        cli_member_json(s->json, s->family->singular, m);
    else {
        if (s->found)
            putchar('\n');
        cli_print_member(s->c, s->family, m);
    }
    s->found++;
}

static void help_look_everywhere(search *s)
{
    for (const cli_family *f = cli_families; f->name; f++) {
        s->family = f;
        f->each(help_look_at, s);
    }
}

/* A command, and what else has its name. */
static int help_print_command(const cli *c, const ik_command *command)
{
    search s = {.c = c, .name = command->name, .found = 1};
    int code = cli_print_help(c, command);
    help_look_everywhere(&s);
    return code;
}

/* Where a word stands that names nothing. */
static int help_print_found(const cli *c, const char *word)
{
    ik_json j;
    if (!c->json) {
        cli_find_print(word, topics, NULL);
        return CLI_DONE;
    }
    cli_json_begin_list(&j);
    ik_json_array(&j, "found");
    cli_find_print(word, topics, &j);
    ik_json_close(&j);
    return cli_json_end(c, &j);
}

static int help_print_named(cli *c, const char *name)
{
    ik_json j;
    search s = {.c = c, .name = name, .json = c->json ? &j : NULL};
    help_look_everywhere(&s);
    if (s.found)
        return c->json ? cli_json_end(c, &j) : CLI_DONE;
    if (cli_find(name, topics))
        return help_print_found(c, name);
    for (const ik_command *const *k = cli_commands(); *k && s.num_names < 511; k++)
        s.names[s.num_names++] = (*k)->name;
    ik_error err;
    ik_fail_unknown(&err, "command, topic or member", name, s.names);
    if (!err.meant[0])
        ik_hint(&err, err.status,
                "no description, glossary or page has it; 'ikat help' lists commands and "
                "topics, 'ikat list' what can be chosen");
    return cli_error(c, &err);
}

static const char sample[] = "\n"
                             "  # a mapping, or a spec: karytree:k=4,n=2\n"
                             "  fabric: {family: karytree, k: [4, 8], n: 2}\n"
                             "  routing: [dmodk, updown]\n"
                             "  traffic: [uniform, \"shift:by=4\"]\n"
                             "  load: [2%, 10%..90% step 10%]\n"
                             "  # the seeds 1, 2, 3; or a list\n"
                             "  seeds: 3\n"
                             "  switch: {voq: [true, false]}\n"
                             "  measure: {warmup: 50 us, duration: 200 us}\n\n";

static const char of_values[] =
    "Any value may be a list or a range (A..B step C, A..B times F, whole numbers also A..B): the "
    "product of all of them is run. A parameter that is itself a list of numbers takes [16, 16] or "
    "16:16 as one value, [[16, 16], [8, 8]] as two; a set of numbers (hosts) takes [0..3, 8] or "
    "0..3:8 as one. Inside [ ] a spec with commas needs quotes. Anchors, aliases and '<<' work. "
    "Paths start at the file's folder. The seeds vary traffic, arbitration and drawn paths; "
    "fabrics and tables are drawn with the first seed or their own.\n"
    "'ikat help switch', 'adapter', 'measure' and 'watch' list the parameters of those sections.";

/* The sections come from the schema that the reader checks against. */
static void print_experiment(void)
{
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++) {
        char name[40], text[1024];
        snprintf(name, sizeof name, "  %s", s->name);
        bool has_default = s->def && s->def[0];
        snprintf(text, sizeof text, "%s%s%s%s", s->help,
                 has_default ? " (default: "
                 : !s->def   ? " (required"
                             : "",
                 has_default ? s->def : "", has_default || !s->def ? ")" : "");
        cli_print_item(name, NAME_COLUMN, text);
    }
    cli_print_text(sample);
    cli_print_text(of_values);
}

/* ---- the same as JSON */

static void help_put_named(ik_json *j, const char *name, const char *summary)
{
    ik_json_text(j, "name", name);
    ik_json_text(j, "summary", summary);
}

static void help_put_options(ik_json *j, const cli_option *options)
{
    ik_json_array(j, "options");
    for (const cli_option *option = options; option && option->name; option++) {
        char letter[2] = {option->letter, '\0'};
        ik_json_object(j, NULL);
        ik_json_text(j, "name", option->name);
        ik_json_optional(j, "letter", option->letter ? letter : NULL);
        ik_json_optional(j, "value", option->value);
        ik_json_text(j, "help", option->help);
        ik_json_bool(j, "repeat", option->repeat);
        ik_json_optional(j, "takes", option->takes);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void help_put_command(ik_json *j, const char *key, const ik_command *k)
{
    ik_json_object(j, key);
    help_put_named(j, k->name, k->summary);
    ik_json_text(j, "synopsis", k->synopsis);
    ik_arena arena = {0};
    const char *details = cli_details(k, &arena);
    if (details || !k->details)
        ik_json_optional(j, "details", details);
    else
        ik_json_fail(j, IK_ERR_MEMORY);
    ik_arena_free(&arena);
    ik_json_optional(j, "members", k->json);
    ik_json_optional(j, "takes", k->takes);
    help_put_options(j, k->options);
    ik_json_array(j, "examples");
    for (const char *const *e = k->examples; e && *e; e++)
        ik_json_text(j, NULL, *e);
    ik_json_close(j);
    ik_json_close(j);
}

static void help_put_sections(ik_json *j)
{
    ik_json_array(j, "sections");
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "name", s->name);
        ik_json_text(j, "help", s->help);
        ik_json_optional(j, "default", s->def);
        cli_params_json(j, "parameters", s->params);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void help_put_topic(ik_json *j, const char *key, const cli_topic *t)
{
    ik_json_object(j, key);
    help_put_named(j, t->name, t->summary);
    ik_json_text(j, "text", t->text);
    if (strcmp(t->name, "experiment") == 0) {
        help_put_sections(j);
        ik_json_text(j, "sample", sample);
        ik_json_text(j, "values", of_values);
    }
    ik_json_close(j);
}

/* All that is declared: manual pages, completion and documents are made from it. */
static int help_overview_json(const cli *c)
{
    ik_json j;
    cli_json_begin_list(&j);
    ik_json_text(&j, "version", ik_version());
    ik_json_array(&j, "commands");
    for (const ik_command *const *k = cli_commands(); *k; k++)
        help_put_command(&j, NULL, *k);
    ik_json_close(&j);
    help_put_options(&j, cli_common_options);
    ik_json_array(&j, "topics");
    for (const cli_topic *t = topics; t->name; t++)
        help_put_topic(&j, NULL, t);
    ik_json_close(&j);
    ik_json_array(&j, "tables");
    for (const char *const *name = ik_report_tables; *name; name++)
        ik_json_text(&j, NULL, *name);
    ik_json_close(&j);
    ik_json_object(&j, "families");
    for (const cli_family *f = cli_families; f->name; f++)
        cli_family_json(&j, f);
    ik_json_close(&j);
    return cli_json_end(c, &j);
}

static int help_command_json(const cli *c, const ik_command *k)
{
    ik_json j;
    cli_json_begin_list(&j);
    help_put_command(&j, "command", k);
    return cli_json_end(c, &j);
}

static int help_print_topic(const cli *c, const cli_topic *t)
{
    if (c->json) {
        ik_json j;
        cli_json_begin_list(&j);
        help_put_topic(&j, "topic", t);
        return cli_json_end(c, &j);
    }
    cli_print_text(t->text);
    if (strcmp(t->name, "experiment") == 0) {
        putchar('\n');
        print_experiment();
    }
    return CLI_DONE;
}

static int help_run(cli *c)
{
    if (c->num_args == 0)
        return c->json ? help_overview_json(c) : help_print_overview(c);
    for (const ik_command *const *k = cli_commands(); *k; k++)
        if (c->num_args == 1 && strcmp((*k)->name, c->args[0]) == 0)
            return c->json ? help_command_json(c, *k) : help_print_command(c, *k);
    for (const cli_topic *t = topics; t->name; t++)
        if (c->num_args == 1 && strcmp(t->name, c->args[0]) == 0)
            return help_print_topic(c, t);
    char words[256];
    size_t used = 0;
    for (int i = 0; i < c->num_args && used < sizeof words; i++) /* help fat tree */
        used +=
            (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? " " : "", c->args[i]);
    return help_print_named(c, c->num_args > 1 ? words : c->args[0]);
}

static const char *const examples[] = {"ikat help", "ikat help specs", "ikat help xgft",
                                       "ikat help dmodk --json", NULL};

const ik_command ik_command_help = {
    .name = "help",
    .synopsis = "[COMMAND|TOPIC|NAME]",
    .summary = "explain a command, a topic, a topology, a routing, a pattern",
    .details =
        "Lines are as wide as COLUMNS says, or the terminal is, else 100 columns.\n"
        "With --json: all that is declared, as version, commands, options (of every "
        "command), topics, tables (of 'ikat report'), families (what 'ikat list --json' "
        "prints). Of one command: command (name, summary, synopsis, details, members, takes, "
        "options, examples); of a topic: topic (name, summary, text, and of the experiment "
        "sections); of a member: what 'ikat list --json' says of it.",
    .takes = "<help>",
    .examples = examples,
    .min_args = 0,
    .max_args = -1,
    .run = help_run,
};
