/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c: reads a subcommand's options from its declared table: --name VALUE, --name=VALUE,
 * -nVALUE, flags, "--".
 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const cli_option cli_common_options[] = {
    {"--json", 0, NULL, "print one JSON object instead of text", false},
    {"--jobs", 'j', "N",
     "number of threads (default: all processors); the results never depend on it", false},
    {"--seed", 0, "N", "seed of all random choices (default 1)", false},
    {"--memory-limit", 0, "SIZE",
     "most memory that may be used (default: 90 % of free memory); work that needs more is refused",
     false},
    {"--plugin", 0, "FILE.so",
     "add the members of a shared object to the families ('ikat help plugins')", true, "<file so>"},
    {"--color", 0, "WHEN",
     "colours in the output: auto (default), always or never; NO_COLOR is honoured", false,
     "auto|always|never"},
    {"--verbose", 'v', NULL, "print more messages (-vv: even more)", true},
    {"--quiet", 'q', NULL, "print no progress and no notes", false},
    {"--help", 'h', NULL, "print this help", false},
    {0},
};

static const cli_option *options_find_in(const cli_option *table, const char *name, size_t length,
                                         char letter)
{
    for (; table && table->name; table++)
        if (letter ? table->letter == letter
                   : strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static const cli_option *find_option(const cli *c, const char *name, size_t length, char letter)
{
    const cli_option *own = options_find_in(c->command->options, name, length, letter);
    return own ? own : options_find_in(cli_common_options, name, length, letter);
}

/* The commands that have an option, as words. */
static const char *options_whose(const char *name, size_t length, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (const ik_command *const *k = cli_commands(); *k && used < size; k++)
        if (options_find_in((*k)->options, name, length, 0))
            used += (size_t)snprintf(text + used, size - used, "%sikat %s", used ? ", " : "",
                                     (*k)->name);
    return text;
}

static int unknown_option(const cli *c, const char *text)
{
    const char *names[64] = {NULL}, *bare = text + strspn(text, "-");
    char whose[240];
    size_t n = 0, length = strcspn(text, "=");
    for (const cli_option *o = c->command->options; o && o->name && n < 50; o++)
        names[n++] = o->name + 2;
    for (const cli_option *o = cli_common_options; o->name; o++)
        names[n++] = o->name + 2;
    const char *nearest = ik_nearest_name(bare, names);
    bool output = strcmp(text, "-o") == 0 || strcmp(text, "--output") == 0 ||
                  strncmp(text, "--output=", 9) == 0;
    if (output) /* the command has no such option, else it would have been found */
        return cli_usage(
            c, "there is no option '%s': ikat %s prints, and > FILE writes it to one%s", text,
            c->command->name,
            options_find_in(c->command->options, "--page", 6, 0) ? "; --page FILE writes a page"
                                                                 : "");
    if (*options_whose(text, length, whose, sizeof whose))
        return cli_usage(c, "there is no option '%.*s' here, but there is of %s", (int)length, text,
                         whose);
    if (nearest)
        return cli_usage(c, "there is no option '%s'; did you mean '--%s'?", text, nearest);
    return cli_usage(c, "there is no option '%s'", text);
}

static void options_keep(cli *c, const char *name, const char *value)
{
    c->options[c->num_options].name = name;
    c->options[c->num_options++].value = value;
}

/* One argument that starts with '-'. *index moves on if the value stands in the next argument. */
static int options_read_one(cli *c, int argc, char **argv, int *index)
{
    const char *text = argv[*index], *value = NULL;
    const cli_option *o;
    if (text[1] == '-') {
        size_t length = strcspn(text, "=");
        o = find_option(c, text, length, 0);
        value = text[length] == '=' ? text + length + 1 : NULL;
    } else {
        o = find_option(c, NULL, 0, text[1]);
        if (o && !o->value)
            for (const char *more = text + 2; *more; more++) { /* -vv */
                const cli_option *next = find_option(c, NULL, 0, *more);
                if (!next || next->value)
                    return unknown_option(c, text);
                options_keep(c, next->name, "");
            }
        else
            value = text[2] ? text + 2 : NULL;
    }
    if (!o)
        return unknown_option(c, text);
    if (!o->value && value)
        return cli_usage(c, "%s takes no value", o->name);
    if (o->value && !value) {
        if (*index + 1 >= argc)
            return cli_usage(c, "%s needs a value: %s", o->name, o->value);
        value = argv[++*index];
    }
    if (o->value && !o->repeat && cli_has(c, o->name))
        return cli_usage(c, "%s is given twice: '%s' and '%s'", o->name, cli_get(c, o->name),
                         value);
    options_keep(c, o->name, value ? value : "");
    return CLI_DONE;
}

static int options_apply_common(cli *c)
{
    uint64_t jobs, seed;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!cli_get_uint(c, "--jobs", 1, 4096, online > 0 ? (uint64_t)online : 1, &jobs) ||
        !cli_get_uint(c, "--seed", 0, UINT64_MAX, 1, &seed))
        return CLI_USAGE;
    c->jobs = (unsigned)jobs;
    c->seed = seed;
    c->json = cli_has(c, "--json");
    c->quiet = cli_has(c, "--quiet");
    c->help_wanted = cli_has(c, "--help");
    for (int i = 0; i < c->num_options; i++)
        c->verbose += strcmp(c->options[i].name, "--verbose") == 0;
    const char *limit = cli_get(c, "--memory-limit");
    ik_error err;
    if (limit && ik_parse_quantity(limit, IK_DIM_SIZE, &c->memory_limit_bytes, &err) != IK_OK)
        return cli_usage(c, "--memory-limit: %s", err.text);
    if (limit && c->memory_limit_bytes == 0) /* which would mean no limit */
        return cli_usage(c, "--memory-limit is 0: no work could be done");
    if (limit && c->command->runs_others)
        return cli_usage(c, "--memory-limit has no effect on what ikat %s runs", c->command->name);
    if (!c->command->runs_others)
        cli_limit_memory(c);
    const char *colour = cli_get(c, "--color");
    if (colour && strcmp(colour, "auto") != 0 && strcmp(colour, "always") != 0 &&
        strcmp(colour, "never") != 0)
        return cli_usage(c, "--color is auto, always or never, not '%s'", colour);
    if (colour && strcmp(colour, "auto") != 0)
        c->colour_out = c->colour_err = strcmp(colour, "always") == 0;
    c->progress = !c->quiet && isatty(STDERR_FILENO);
    if (c->quiet)
        c->env.progress = NULL;
    c->env.seed = c->seed;
    c->env.num_threads = c->jobs;
    c->env.memory_limit_bytes = c->memory_limit_bytes;
    return CLI_DONE;
}

int cli_first_word(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0; i++) {
        size_t length = strcspn(argv[i], "=");
        bool words = argv[i][1] == '-';
        const cli_option *o = words ? options_find_in(cli_common_options, argv[i], length, 0)
                                    : options_find_in(cli_common_options, NULL, 0, argv[i][1]);
        if (!o || strcmp(o->name, "--help") == 0)
            return 1;
        i += o->value && (words ? !argv[i][length] : !argv[i][2]);
    }
    return i < argc ? i : 1;
}

int cli_load_plugins(const cli *c)
{
    ik_error err;
    const char *path;
    for (int k = 0; (path = cli_get_nth(c, "--plugin", k)); k++)
        if (ik_plugin_load(path, &err) != IK_OK)
            return cli_error(c, &err);
    return CLI_DONE;
}

/* '-' is standard output for commands whose help says so, and the name of no file or folder. */
static int options_check_output(const cli *c)
{
    static const char name[] = "--output";
    const cli_option *o = find_option(c, name, sizeof name - 1, 0);
    const char *path = cli_get(c, name);
    if (!path || strcmp(path, "-") != 0 || strstr(o->help, "'-'"))
        return CLI_DONE;
    return cli_usage(
        c, "--output %s: this cannot be written to standard output; give a name, or ./- for '-'",
        o->value);
}

int cli_read_options(cli *c, int argc, char **argv)
{
    bool only_args = false;
    size_t letters = 1;
    for (int i = 0; i < argc; i++)
        letters += strlen(argv[i]); /* -vvv keeps one entry a letter */
    c->options = ik_calloc(letters + (size_t)argc, sizeof *c->options);
    c->args = ik_calloc((size_t)argc + 1, sizeof *c->args);
    if (!c->options || !c->args)
        return cli_usage(c, "out of memory");
    for (int i = 0; i < argc; i++) {
        if (!only_args && strcmp(argv[i], "--") == 0) {
            only_args = c->separated = true;
        } else if (!only_args && argv[i][0] == '-' && argv[i][1]) {
            int status = options_read_one(c, argc, argv, &i);
            if (status != CLI_DONE)
                return status;
        } else {
            c->args[c->num_args++] = argv[i];
        }
    }
    int status = options_apply_common(c);
    if (status != CLI_DONE || c->help_wanted)
        return status;
    if (c->num_args < c->command->min_args)
        return cli_usage(c, "an argument is missing: ikat %s %s", c->command->name,
                         c->command->synopsis);
    if (c->command->max_args >= 0 && c->num_args > c->command->max_args)
        return cli_usage(c, "'%s' is one argument too many", c->args[c->command->max_args]);
    return options_check_output(c);
}

const char *cli_get(const cli *c, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < c->num_options; i++)
        if (strcmp(c->options[i].name, name) == 0)
            value = c->options[i].value;
    return value;
}

const char *cli_get_nth(const cli *c, const char *name, int k)
{
    for (int i = 0; i < c->num_options; i++)
        if (strcmp(c->options[i].name, name) == 0 && k-- == 0)
            return c->options[i].value;
    return NULL;
}

bool cli_has(const cli *c, const char *name)
{
    return cli_get(c, name) != NULL;
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

int cli_only_with(const cli *c, const char *name, const char *other)
{
    if (!cli_has(c, name) || cli_has(c, other))
        return CLI_DONE;
    const cli_option *o = find_option(c, other, strlen(other), 0);
    bool takes = o && o->value;
    return cli_usage(c, "%s has no effect without %s%s%s%s%s", name, other, takes ? " " : "",
                     takes ? o->value : "", takes ? ": " : "", takes ? o->help : "");
}

int cli_not_with(const cli *c, const char *name, const char *other)
{
    if (!cli_has(c, name) || !cli_has(c, other))
        return CLI_DONE;
    return cli_usage(c, "%s has no effect with %s", name, other);
}

bool cli_get_uint(const cli *c, const char *name, uint64_t min, uint64_t max, uint64_t fallback,
                  uint64_t *value)
{
    const char *text = cli_get(c, name);
    uint64_t x = fallback;
    ik_error err;
    if (text && ik_parse_quantity(text, IK_DIM_NONE, &x, &err) != IK_OK) {
        cli_usage(c, "%s: %s", name, err.text);
        return false;
    }
    if (x < min || x > max) {
        cli_usage(c, "%s = %s is out of range: expected %llu to %llu", name, text ? text : "?",
                  (unsigned long long)min, (unsigned long long)max);
        return false;
    }
    *value = x;
    return true;
}

bool cli_is_monitored(const cli *c, int argc, char **argv)
{
    bool takes = false, asked = false;
    for (const cli_option *o = c->command ? c->command->options : NULL; o && o->name; o++)
        takes |= strcmp(o->name, "--nagios") == 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        asked |= strcmp(argv[i], "--nagios") == 0;
    return takes && asked && !c->help_wanted;
}

void cli_monitor_put(const char *text)
{
    for (text = cli_line(text); *text; text++)
        putchar(*text == '|' ? '/' : *text);
}

int cli_monitor_unknown(const char *why)
{
    fputs("IKAT UNKNOWN - ", stdout);
    cli_monitor_put(why ? why : "the command line is wrong: ikat says why on standard error");
    putchar('\n');
    return CLI_UNKNOWN;
}
