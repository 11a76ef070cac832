/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_child.c: runs a command of ikat as a process of its own, within a time and a size, and
 * takes what it prints.
 */
#define _GNU_SOURCE /* pipe2 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_OUTPUT = 64 << 20, CHILD_ERRORS = 4 << 10, CHILD_WAIT_MS = 50 };

/* What came through a pipe: at most `most` bytes, the rest is lost and `full` is set. */
typedef struct serve_pipe {
    int end;
    char *text; /* [size + 1] */
    size_t size, room, most;
    bool full;
} serve_pipe;

/* false: the other end is closed, or memory is short. */
static bool serve_pipe_take(serve_pipe *p)
{
    char part[16 << 10];
    ssize_t got = read(p->end, part, sizeof part);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    size_t keep = (size_t)got < p->most - p->size ? (size_t)got : p->most - p->size;
    p->full |= keep < (size_t)got;
    if (p->size + keep + 1 > p->room) {
        size_t room = 2 * (p->size + keep) + 1;
        char *larger = realloc(p->text, room);
        if (!larger)
            return false;
        p->text = larger;
        p->room = room;
    }
    memcpy(p->text + p->size, part, keep);
    p->size += keep;
    p->text[p->size] = '\0';
    return true;
}

/* In the child, between fork and exec: nothing that allocates or locks. It ends with its parent,
 * and has a group of its own, which is ended as a whole. */
static void serve_child_become(pid_t parent, const char *const *args, int out, int errors)
{
    int none = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it has ended before */
        _exit(127);
    dup2(none, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    syscall(SYS_close_range, 3U, ~0U, 0U);
    execv("/proc/self/exe", (char *const *)(uintptr_t)args);
    _exit(127);
}

/* Both pipes until they are closed. The reason why the process is to be ended, NULL: it ends. */
static const char *serve_child_listen(serve_pipe *out, serve_pipe *errors, double until,
                                      const int *cancel)
{
    struct pollfd ends[] = {{.fd = out->end, .events = POLLIN},
                            {.fd = errors->end, .events = POLLIN}};
    serve_pipe *const pipes[] = {out, errors};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        poll(ends, 2, CHILD_WAIT_MS);
        for (size_t i = 0; i < 2; i++)
            if (ends[i].fd >= 0 && ends[i].revents && !serve_pipe_take(pipes[i]))
                ends[i].fd = -1;
        if (ik_cancel_raised(cancel))
            return "It was cancelled.";
        if (ik_clock_s(CLOCK_MONOTONIC) > until)
            return "It takes too long: the time for it is over.";
        if (out->full)
            return "Its result is too large.";
    }
    return NULL;
}

/* The status of a process that ends by itself or, with `end`, is ended with all its group. */
static int serve_child_wait(pid_t pid, bool end)
{
    int status = 0;
    if (end) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL); /* it may not be in its group yet */
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_USAGE;
}

static const char *serve_child_go(const char *const *args, int pipes[4], double seconds,
                                  const int *cancel, serve_child *out)
{
    serve_pipe said = {.end = pipes[0], .most = CHILD_OUTPUT},
               errors = {.end = pipes[2], .most = CHILD_ERRORS};
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        serve_child_become(parent, args, pipes[1], pipes[3]);
    close(pipes[1]);
    close(pipes[3]);
    pipes[1] = pipes[3] = -1;
    if (pid < 0)
        return "No process can be made for it.";
    const char *why =
        serve_child_listen(&said, &errors, ik_clock_s(CLOCK_MONOTONIC) + seconds, cancel);
    out->status = serve_child_wait(pid, why);
    out->text = said.text;
    out->size = said.size;
    out->errors = errors.text;
    return why;
}

const char *serve_child_run(const char *const *args, double seconds, const int *cancel,
                            serve_child *out)
{
    int pipes[4] = {-1, -1, -1, -1};
    const char *why = "No pipe can be made for it.";
    *out = (serve_child){0};
    if (pipe2(pipes, O_CLOEXEC) == 0 && pipe2(pipes + 2, O_CLOEXEC) == 0)
        why = serve_child_go(args, pipes, seconds, cancel, out);
    for (size_t i = 0; i < 4; i++)
        if (pipes[i] >= 0)
            close(pipes[i]);
    return why;
}

void serve_child_free(serve_child *c)
{
    free(c->text);
    free(c->errors);
    *c = (serve_child){0};
}
