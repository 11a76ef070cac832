/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_command.c: one command of a round. It is a session of its own, and so a process group: all
 * of it can be killed, also what is in a pipeline, and what it left in the background. It has no
 * terminal: what asks for a password fails at once, and is not stopped.
 */
#define _GNU_SOURCE /* pipe2 */
#include "subnet/rounds/rounds_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_WAIT_MS = 50, KILL_MS = 2000, STATUS_UNKNOWN = -1 };
enum { MOST_BLOCKS = 32 }; /* of 4 KiB, more than a pipe holds */

/* In the child. Limits of this process are its own; files of the command may not grow for ever. */
static void rounds_command_become(const char *command, int out, int said, uint64_t most_bytes)
{
    struct rlimit limit;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_DATA, &limit);
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > most_bytes) {
        limit.rlim_cur = most_bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(said, STDERR_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Reads what there is, some of it if it has no end, and keeps the last line that is not empty.
 * false: there will be no more. */
static bool rounds_command_listen(int said, char *line, size_t size, bool *ended)
{
    char block[4096];
    ssize_t got = 1;
    for (int blocks = 0; blocks < MOST_BLOCKS && got > 0; blocks++) {
        got = read(said, block, sizeof block);
        for (ssize_t i = 0; i < got; i++) {
            size_t length = strlen(line);
            if (block[i] == '\n') {
                *ended = true;
                continue;
            }
            if (*ended)
                length = 0;
            *ended = false;
            if (length + 1 < size && block[i] != '\0') {
                line[length] = block[i];
                line[length + 1] = '\0';
            }
        }
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Ends all processes of the group. *state: the exit state of its first one; false: unknown, as it
 * cannot be killed now (it waits for a device). */
static bool rounds_command_reap(pid_t child, int *state)
{
    if (kill(-child, SIGKILL) != 0)
        kill(child, SIGKILL); /* it has no group yet */
    for (unsigned ms = 0; ms < KILL_MS; ms += LONGEST_WAIT_MS) {
        pid_t ended = waitpid(child, state, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return ended == child;
        poll(NULL, 0, LONGEST_WAIT_MS);
    }
    return false;
}

/* Until it ends, IK_OK; or until it is to be killed. */
static ik_status rounds_command_wait(pid_t child, int said, double until, const ik_env *env,
                                     rounds_command *out, bool *in_time)
{
    struct pollfd reading = {said, POLLIN, 0};
    bool line_ended = true;
    for (int wait_ms = 1;;
         wait_ms = 2 * wait_ms < LONGEST_WAIT_MS ? 2 * wait_ms : LONGEST_WAIT_MS) {
        siginfo_t info = {.si_pid = 0};
        bool ended = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                     info.si_pid == child;
        if (reading.fd >= 0 &&
            !rounds_command_listen(said, out->said, sizeof out->said, &line_ended))
            reading.fd = -1;
        if (ended)
            return IK_OK;
        if (ik_env_cancelled(env))
            return IK_ERR_CANCELLED;
        *in_time = ik_clock_s(CLOCK_MONOTONIC) < until;
        if (!*in_time)
            return IK_OK;
        poll(&reading, 1, wait_ms);
    }
}

/* Why it failed, from how it ended. */
static void rounds_command_judge(rounds_command *out, int state, bool killed, int status_too,
                                 double timeout_s, uint64_t most_bytes, const struct stat *file)
{
    char size[32];
    int code = WIFEXITED(state) ? WEXITSTATUS(state) : STATUS_UNKNOWN;
    if ((uint64_t)file->st_size >= most_bytes)
        snprintf(out->why, sizeof out->why, "printed %s, which is the most that it may",
                 ik_format_bytes(size, sizeof size, (double)most_bytes));
    else if (killed)
        snprintf(out->why, sizeof out->why, "did not end within %g s and was killed", timeout_s);
    else if (WIFSIGNALED(state))
        snprintf(out->why, sizeof out->why, "was ended by signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else if (code != 0 && code != status_too)
        snprintf(out->why, sizeof out->why, "ended with status %d", code);
    else if (file->st_size == 0)
        snprintf(out->why, sizeof out->why, "printed nothing");
}

/* The child's process number; < 0: errno. */
static pid_t rounds_command_start(const char *command, int file, const int said[2],
                                  uint64_t most_bytes)
{
    struct sigaction ended;
    if (sigaction(SIGCHLD, NULL, &ended) == 0 && ended.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL); /* whoever ignores it gets no exit status */
    pid_t child = fork();
    if (child == 0)
        rounds_command_become(command, file, said[1], most_bytes);
    return child;
}

/* Where the command writes to; false: errno. */
static bool rounds_command_open(const char *path, int *file, int said[2])
{
    unlink(path); /* what an earlier command may still write into is another file */
    *file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*file < 0)
        return false;
    if (pipe2(said, O_CLOEXEC) == 0) {
        fcntl(said[0], F_SETFL, O_NONBLOCK);
        return true;
    }
    int why = errno;
    close(*file);
    errno = why;
    return false;
}

ik_status rounds_command_run(const char *command, const char *path, int status_too,
                             double timeout_s, uint64_t most_bytes, const ik_env *env,
                             rounds_command *out, ik_error *err)
{
    double began = ik_clock_s(CLOCK_MONOTONIC);
    int file, said[2], state = 0;
    bool in_time = true;
    struct stat about = {.st_size = 0};
    ik_status status = IK_OK;
    *out = (rounds_command){.why = ""};
    if (!rounds_command_open(path, &file, said)) {
        snprintf(out->why, sizeof out->why, "has no file for its output: %s", strerror(errno));
        return IK_OK;
    }
    pid_t child = rounds_command_start(command, file, said, most_bytes);
    if (child < 0)
        snprintf(out->why, sizeof out->why, "cannot be run: %s", strerror(errno));
    close(said[1]);
    if (child > 0) {
        status = rounds_command_wait(child, said[0], began + timeout_s, env, out, &in_time);
        bool reaped = rounds_command_reap(child, &state);
        fstat(file, &about);
        rounds_command_judge(out, state, !in_time || !reaped, status_too, timeout_s, most_bytes,
                             &about);
    }
    close(said[0]);
    close(file);
    ik_text_line(out->said);
    out->seconds = ik_clock_s(CLOCK_MONOTONIC) - began;
    return status == IK_ERR_CANCELLED ? ik_fail(err, status, "cancelled") : IK_OK;
}
