/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/ranks/running_ranks.c: a command that runs in several processes together, started by mpirun.
 * All do the same; rank 0 alone prints. What another one would print as an error is kept and handed
 * to rank 0 at the end.
 */
#include "ikat/ranks.h"
#include "running.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_speaks(const cli *c)
{
    return !c->env.ranks || ik_ranks_number(c->env.ranks) == 0;
}

/* What is printed goes nowhere, what is wrong into a file that is read at the end. */
static bool running_ranks_silence(cli *c)
{
    FILE *kept = tmpfile();
    bool done = kept && freopen("/dev/null", "w", stdout) &&
                dup2(fileno(kept), STDERR_FILENO) == STDERR_FILENO;
    if (kept)
        fclose(kept);
    c->quiet = true;
    c->progress = c->colour_err = c->colour_out = false;
    c->env.progress = NULL;
    return done;
}

/* *text: to be freed; a file that is not there is read as an empty one, and refused later. */
static ik_status running_ranks_read(const char *path, char **text, size_t *size, ik_error *err)
{
    size_t cap = 0, n = 1;
    if (strcmp(path, "-") == 0)
        return ik_fail(err, IK_ERR_USAGE,
                       "an experiment from standard input comes to rank 0 alone: name a file");
    FILE *in = fopen(path, "rb");
    while (in && n) {
        char *longer = *size == cap ? realloc(*text, cap = cap * 2 + 4096) : *text;
        if (!longer) {
            fclose(in);
            return ik_fail(err, IK_ERR_MEMORY, "out of memory for '%.200s'", path);
        }
        *text = longer;
        n = fread(*text + *size, 1, cap - *size, in);
        *size += n;
    }
    if (in)
        fclose(in);
    return IK_OK;
}

/* That all ranks are of one build, and read one file; options and what else the file names are
 * compared when it has been read. */
static ik_status running_ranks_compare(const cli *c, const char *path, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_ranks *ranks = c->env.ranks;
    ik_status status =
        ik_ranks_compare(ranks, "the build of ikat", ik_build(), strlen(ik_build()), err);
    if (status == IK_OK && path)
        status = running_ranks_read(path, &text, &size, err);
    if (status == IK_OK && path)
        status = ik_ranks_compare(ranks, cli_line(path), text, size, err);
    free(text);
    return status;
}

static int running_ranks_refuse(const cli *c)
{
    if (cli_has(c, "--jobs"))
        return cli_usage(c, "--jobs does not go with ranks of MPI: each works on one thread");
    if (cli_has(c, "--budget"))
        return cli_usage(c, "--budget does not go with ranks of MPI, whose clocks differ");
    return CLI_DONE;
}

int cli_join_ranks(cli *c, const char *experiment)
{
    ik_error err;
    unsigned rank;
    if (ik_ranks_launched(&rank) < 2 || cli_has(c, "--shard"))
        return CLI_DONE;
    ik_status status = ik_ranks_join(&c->env.ranks, c->env.cancel, &err);
    if (status != IK_OK && rank > 0) /* rank 0 says so, too */
        return CLI_USAGE;
    if (status != IK_OK)
        return cli_error(c, &err);
    if (!cli_speaks(c) && !running_ranks_silence(c))
        return cli_usage(c, "no room for temporary files");
    int refused = running_ranks_refuse(c);
    if (refused != CLI_DONE)
        return refused;
    c->jobs = c->env.num_threads = 1;
    status = running_ranks_compare(c, experiment, &err);
    if (status == IK_OK)
        status = ik_ranks_least(c->env.ranks, &c->memory_limit_bytes, &err);
    c->env.memory_limit_bytes = c->memory_limit_bytes;
    return status == IK_OK ? CLI_DONE : cli_error(c, &err);
}

/* The last message that this rank has kept, without the command's name. */
static void running_ranks_last_words(char *text, size_t size)
{
    fflush(stderr);
    off_t end = lseek(STDERR_FILENO, 0, SEEK_END), most = (off_t)size - 1;
    ssize_t n = end > 0 ? pread(STDERR_FILENO, text, size - 1, end > most ? end - most : 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    char *from = strncmp(text, "ikat: ", 6) == 0 ? text : NULL;
    for (char *next = strstr(text, "\nikat: "); next; next = strstr(next + 1, "\nikat: "))
        from = next + 1;
    if (from)
        memmove(text, from + 6, strlen(from + 6) + 1);
    for (size_t length = strlen(text); length && text[length - 1] == '\n';)
        text[--length] = '\0';
}

int cli_leave_ranks(cli *c, int status)
{
    char text[900] = "";
    unsigned worst;
    if (!c->env.ranks)
        return status;
    bool speaks = cli_speaks(c);
    if (!speaks && status != CLI_DONE)
        running_ranks_last_words(text, sizeof text);
    fflush(stdout);
    ik_ranks_leave(c->env.ranks, &status, &worst, text, sizeof text);
    c->env.ranks = NULL;
    if (speaks && worst > 0)
        fprintf(stderr, "ikat: rank %u: %s\n", worst, text);
    return status;
}
