/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h: what every subcommand shares: its descriptor, its options, how it speaks to the terminal.
 * Add a subcommand: src/cli/cmd_NAME.c defining `const ik_command ik_command_NAME` and a row
 * X(NAME) in commands.def.
 */
#ifndef IKAT_CLI_H
#define IKAT_CLI_H

#include "ikat/ikat.h"

#include <signal.h>
#include <stdio.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };
/* With --nagios instead, as plug-ins of monitoring systems end: OK, WARNING, CRITICAL, UNKNOWN. */
enum { CLI_OK = 0, CLI_WARNING = 1, CLI_CRITICAL = 2, CLI_UNKNOWN = 3 };

/* One option. `value` NULL = a flag. Tables end with name NULL. The common ones
 * (cli_common_options) need not be listed. */
typedef struct cli_option {
    const char *name;  /* "--routing" */
    char letter;       /* 'r' or 0 */
    const char *value; /* "SPEC": what stands behind it in help */
    const char *help;  /* one line */
    bool repeat;       /* may be given several times */
    /* What may stand behind it, for completion: ways joined by '|', each a word, the beginning of
     * one ("ring="), or <routings> and other families of 'ikat list' (a spec), <tables>,
     * <settings>, <studies>, <families>, <help>, <program>, <folder>, <file>, <file db>, <file yaml
     * yml>. NULL: what `value` says, in which words in lower case are words, and FILE, DIR and
     * RESULTS.db are files and folders. */
    const char *takes;
} cli_option;

/* What the command line said, and the terminal. */
typedef struct cli {
    const struct ik_command *command;
    int num_args;      /* positional arguments */
    const char **args; /* NULL-terminated */
    bool separated;    /* "--" stands somewhere before them */
    /* common options */
    bool json;                   /* --json */
    unsigned verbose;            /* -v, -vv */
    bool quiet;                  /* -q */
    bool colour_out, colour_err; /* after --color=auto|always|never, NO_COLOR and isatty */
    bool progress;               /* standard error is a terminal and not quiet */
    unsigned jobs;               /* --jobs N (default: online processors) */
    uint64_t seed;               /* --seed N (default 1) */
    /* --memory-limit SIZE, default: 90 % of what the machine has free */
    uint64_t memory_limit_bytes;
    ik_env env; /* seed, threads, cancel flag, progress: hand it to the library */
    struct {
        const char *name, *value;
    } * options; /* as given, in order */
    int num_options;
    bool help_wanted; /* -h */
    bool ran;         /* the command line could be read */
    struct cli_meter {
        double started, shown;
        char what[80];
        bool visible;
    } meter;            /* private */
    char stage[200];    /* what the command does now, in front of progress: see cli_stage */
    char *cache_folder; /* private */
} cli;

typedef struct ik_command {
    const char *name;
    const char *synopsis; /* "SPEC|FILE [--routing SPEC]"; " | " parts whole alternatives */
    const char *summary;  /* one line */
    const char *details;  /* what it prints; as cli_print_text takes it */
    /* What the object of --json has, in its order: members with a blank between two,
     * NAME:TYPE'note'. A '?' behind a name: it may be missing. TYPE: t text, n whole number, r
     * number, b true or false, {members}, [TYPE] a list; behind '~' it may be null. Help, the
     * manual and the schema are made from it. NULL: `details` says it. */
    const char *json;
    const char *takes; /* what its arguments are, as cli_option.takes */
    /* NULL-terminated shell lines "ikat topo karytree:k=4,n=3"; tests run every one of them */
    const char *const *examples;
    const cli_option *options;
    int min_args, max_args; /* max_args -1 = any number */
    bool runs_others;       /* runs other programs: memory is not limited for them */
    int (*run)(cli *c);
} ik_command;

const ik_command *const *cli_commands(void); /* NULL-terminated */
extern const cli_option cli_common_options[];

/* main.c's own: defaults, options, end. cli_read_options gives CLI_DONE or CLI_USAGE (message
 * printed). */
void cli_start(cli *c, const int *cancel);
int cli_read_options(cli *c, int argc, char **argv);
/* The index of the command's name in argv, behind options of every command that stand before it; 1
 * where there is none, or something else than such an option. */
int cli_first_word(int argc, char **argv);
/* Loads the plug-ins that --plugin names. */
int cli_load_plugins(const cli *c);
void cli_stop(cli *c);
/* memory_limit.c: what the machine has free, and c->memory_limit_bytes (and 1 MiB of stack for each
 * thread) as the most that the process may take from here on: allocations beyond it fail. */
uint64_t cli_free_memory(void);
void cli_limit_memory(const cli *c);
int cli_print_help(const cli *c, const ik_command *command);

/* Last value of an option, NULL if not given. Flags give "". */
const char *cli_get(const cli *c, const char *name);
/* k-th value of a repeated option, NULL beyond the last. */
const char *cli_get_nth(const cli *c, const char *name, int k);
bool cli_has(const cli *c, const char *name);
/* Refuses an option that has no effect without another one, or none beside another one. Both give
 * CLI_DONE, or CLI_USAGE (message printed). */
int cli_only_with(const cli *c, const char *name, const char *other);
int cli_not_with(const cli *c, const char *name, const char *other);
/* Unsigned number option with default; false (message printed) if it is none within [min, max]. */
bool cli_get_uint(const cli *c, const char *name, uint64_t min, uint64_t max, uint64_t fallback,
                  uint64_t *value);

/* Are these two names of one file that exists? */
bool cli_same_file(const char *a, const char *b);

/* Prints "ikat: FILE:LINE:COLUMN: text" and the hint to standard error; returns the exit status
 * that fits err->status. */
int cli_error(const cli *c, const ik_error *err);
/* Place and text of an error, as cli_error prints them, into `text`, which is returned. */
enum { CLI_ERROR = 1024 };
char *cli_error_text(const ik_error *err, char *text, size_t size);
/* Wrong usage: message and "see ikat COMMAND -h"; returns CLI_USAGE. */
int cli_usage(const cli *c, const char *format, ...) IK_PRINTF(2, 3);
/* cli_error of what the library says of options: without a hint it ends as that of cli_usage. */
int cli_usage_error(const cli *c, const ik_error *err);
/* A text that may come from a file or the command line, fit for a line of a terminal (see
 * ik_text_line): in one of several rotating buffers, cut at 4095 bytes. */
const char *cli_line(const char *text);
/* Does the command line ask for an end as a plug-in of a monitoring system? Also of a command line
 * that could not be read. */
bool cli_is_monitored(const cli *c, int argc, char **argv);
/* A text on the line of such an end, where a '|' would begin the performance data. */
void cli_monitor_put(const char *text);
/* The line of such an end for what went wrong, NULL: with the command line; and CLI_UNKNOWN. */
int cli_monitor_unknown(const char *why);
/* A line to standard error unless --quiet. */
void cli_note(const cli *c, const char *format, ...) IK_PRINTF(2, 3);
/* Says what begins now ("proving dmodk"): progress shows it, and so does the message if the command
 * is stopped. */
void cli_stage(cli *c, const char *format, ...) IK_PRINTF(2, 3);
/* Progress of long work where standard error is no terminal: a line when ten seconds have passed,
 * and every ten after. */
void cli_log_progress(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit);
/* Keeps proofs in $XDG_CACHE_HOME/ikat, or ~/.cache/ikat, unless --no-cache says not to. */
void cli_use_cache(cli *c);
#define CLI_NO_CACHE                                                                               \
    {                                                                                              \
        "--no-cache", 0, NULL,                                                                     \
            "neither read nor store proofs in $XDG_CACHE_HOME/ikat (~/.cache/ikat)", false         \
    }
/* Ends the progress line (if one is shown). Call before writing results. */
void cli_progress_end(const cli *c);
/* ---- JSON to standard output (json.c): begins and ends the object that --json prints.
 * cli_json_end returns CLI_DONE, or CLI_USAGE (message printed) if it is not whole. */
enum { CLI_DIGITS = 12 }; /* of real numbers */
/* Its first member is "version", IK_JSON_VERSION. */
void cli_json_begin(ik_json *j);
/* An object without it, for what lists declarations. */
void cli_json_begin_list(ik_json *j);
/* A command's details with what its --json has, in the arena; NULL = there are none, or no
 * memory. */
const char *cli_details(const ik_command *command, ik_arena *arena);
int cli_json_end(const cli *c, ik_json *j);
/* The members of a band of saturation, into the open object. */
void cli_json_band(ik_json *j, const ik_load_band *b);
/* "note": what did not fit of a file that a routing was read from; nothing if there is none. */
void cli_json_note(ik_json *j, const char *note);
void cli_json_uints(ik_json *j, const char *key, const uint64_t *values, size_t num);
/* Replaces a fabric that has endpoints by one in which they are hosts: for tables, which have an
 * entry for every LID. */
ik_status cli_every_lid(ik_fabric **f, ik_error *err);
/* Measures which hosts the fabric connects and says what is amiss: hosts without a cable are a
 * warning; hosts that are not connected are an error, or a warning with --allow-unreachable.
 * *refused: they are, and are not allowed to be (exit status 1). */
ik_status cli_reach(const cli *c, const ik_fabric *f, bool *refused, ik_error *err);
#define CLI_ALLOW_UNREACHABLE                                                                      \
    {                                                                                              \
        "--allow-unreachable", 0, NULL, "accept a fabric that does not connect all of its hosts",  \
            false                                                                                  \
    }
/* Writes and flushes are checked once at the end: call as `return cli_finish(c, status)`. A reader
 * who has gone (`| head -1`) is no failure. */
int cli_finish(const cli *c, int status);
/* A part of the output is missing, for which there was no memory: cli_finish says so. */
void cli_lack_memory(void);
/* The same after the library wrote to standard output itself: a failed write is reported once, any
 * other failure as it is. */
int cli_written(const cli *c, ik_status written, const ik_error *err, int status);

/* ---- tables: left-aligned text, right-aligned numbers, no colours into pipes */
typedef ik_table cli_table;
/* As ik_table_new, ik_table_cell and ik_table_print have it. */
cli_table *cli_table_new(const char *const *headers);
void cli_table_cell(cli_table *t, const char *format, ...) IK_PRINTF(2, 3);
void cli_table_print(cli_table *t, FILE *out, bool colour); /* and frees it */
/* 12345678 -> "12,345,678"; returns one of several rotating buffers. */
const char *cli_count(uint64_t n);
/* The same with what is counted: "1 switch", "1,024 switches" of "switch" (ik_format_count). */
const char *cli_counted(uint64_t n, const char *noun);

/* ---- the layout of help (layout.c): nothing is wider than the columns of cli_help_width unless a
 * single word or a literal line is */

/* Columns of standard output: the environment's COLUMNS, else the terminal's; 0 = unknown. */
unsigned cli_width(void);
/* The same for help: 100 where it is unknown, and at least 40. */
unsigned cli_help_width(void);
/* Paragraphs. A line break within a sentence is a blank; one behind a sentence (. or : and a
 * capital letter, a digit, a quote or '-') is kept. A line that begins with blanks is literal, but
 * one of several columns ("  name   what it is") that is too wide is wrapped within the second. */
void cli_print_text(const char *text);
/* A term (with the blanks in front of it) and what it means, from `column` on; below the term if
 * that leaves too little room. */
void cli_print_item(const char *term, unsigned column, const char *text);
/* One line per alternative, each after "ikat NAME". */
void cli_print_synopsis(const cli *c, const char *name, const char *synopsis);
/* A heading and the lines of shell input, with a backslash where one is wrapped. */
void cli_print_examples(const char *const *examples);

/* Bold heading (if colour) and a newline before it. */
void cli_heading(const cli *c, const char *text);
const char *cli_severity_colour(const cli *c, ik_severity severity); /* "" without colours */
const char *cli_reset(const cli *c);
/* A text as one word of the shell, whatever it holds: in quotes where it must be. At most four
 * characters for each of its own, and two. */
void cli_shell_word(FILE *out, const char *text);
/* Formatted text into the c-th of rotating buffers: quantities. */
const char *cli_quantity(uint64_t value, ik_dimension dim);
/* The file's name with another ending, in the current folder: results/quickstart.db ->
 * quickstart.html. NULL = out of memory; free. */
char *cli_beside(const char *path, const char *ending);

#endif
