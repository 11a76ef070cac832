/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: finds the subcommand, reads its options, catches Ctrl-C, calls it.
 */
#include "cli.h"
#include "ikat_commands.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static int cancel_flag;

const ik_command *const *cli_commands(void)
{
    return commands_table;
}

/* The first signal asks politely: running points are dropped, finished ones are kept. A second
 * Ctrl-C ends at once. A second SIGTERM does not: a scheduler sends one to every process of a job,
 * and the job's script sends its own; nor does SIGHUP, of which a closed terminal sends several. */
static void main_on_interrupt(int signal_number)
{
    if (interrupted && signal_number == SIGINT)
        _exit(128 + signal_number);
    interrupted = 1;
    ik_cancel_raise(&cancel_flag);
}

static void main_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = main_on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* a closed terminal, unless nohup keeps it away */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen as a failed write */
    signal(SIGXFSZ, SIG_IGN); /* and so is a limit of the size of files, like a full disk */
}

/* What programs of this kind call what a command does: pairs of a word and the command. */
static const char *const other_words[][2] = {
    {"simulate", "run"}, {"sim", "run"},       {"verify", "check"},   {"prove", "check"},
    {"plot", "report"},  {"figure", "report"}, {"results", "report"}, {"topology", "topo"},
    {"fabric", "topo"},  {"info", "topo"},     {"analyse", "load"},   {"analyze", "load"},
    {"trace", "replay"}, {"monitor", "watch"}, {"diagnose", "audit"}, {"convert", "topo"},
    {"export", "topo"},  {"whatif", "serve"},  {"what-if", "serve"}};

static int main_unknown_command(const cli *c, const char *name)
{
    ik_error err;
    commands_unknown("command", name, &err);
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (strcmp(name, other_words[i][0]) == 0)
            ik_hint(&err, IK_ERR_USAGE, "'ikat %s' may be what is meant: %s", other_words[i][1],
                    commands_find(other_words[i][1])->summary);
    if (access(name, F_OK) == 0)
        ik_hint(&err, IK_ERR_USAGE,
                "a command goes before the name of a file: 'ikat run' takes an experiment, 'ikat "
                "report' results, 'ikat topo' and 'ikat audit' a fabric, 'ikat replay' a trace");
    return cli_error(c, &err);
}

/* A stream that is closed stays unusable: else the next file that is opened would get its number,
 * and what is printed. */
static void main_hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A monitoring system takes 2 for a finding: what went wrong here is 3. */
static int main_end(const cli *c, int status, int argc, char **argv)
{
    bool monitored = cli_is_monitored(c, argc, argv);
    if (monitored && !c->ran)
        status = cli_monitor_unknown(NULL);
    int finished = cli_finish(c, status);
    return monitored && finished != status ? CLI_UNKNOWN : finished;
}

int main(int argc, char **argv)
{
    cli c = {0};
    main_hold_streams();
    cli_start(&c, &cancel_flag);
    main_catch_signals();
    int word = cli_first_word(argc, argv), status;
    const char *name = argc > 1 ? argv[word] : "help";
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        printf("ikat %s\n", ik_version());
        return cli_finish(&c, CLI_DONE);
    }
    c.command = commands_find(name);
    if (!c.command)
        status = main_unknown_command(&c, name);
    else {
        /* options that stand before the command are read as if they stood behind it */
        memmove(argv + 2, argv + 1, (size_t)(argc > 1 ? word - 1 : 0) * sizeof *argv);
        status = cli_read_options(&c, argc > 2 ? argc - 2 : 0, argv + 2);
    }
    if (status == CLI_DONE && c.command)
        status = cli_load_plugins(&c);
    c.ran = status == CLI_DONE;
    if (status == CLI_DONE && c.command)
        status = c.help_wanted ? cli_print_help(&c, c.command) : c.command->run(&c);
    status = main_end(&c, status, argc, argv);
    cli_stop(&c);
    return status;
}
