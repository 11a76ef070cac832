/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder_run.c: runs a command whose processes are recorded. The command itself (mpirun) gets the
 * recorder preloaded, too, where it does nothing: its children inherit it.
 */
#include "ikat/record.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned long ik_record_launched(const char **variable)
{
    return recording_launched(variable);
}

/* In the child. Another library that is to be preloaded stays. */
static void recorder_run_become(const char *const *command, const char *recorder,
                                const char *folder, int tell)
{
    const char *before = getenv("LD_PRELOAD");
    size_t room = strlen(recorder) + (before ? strlen(before) : 0) + 2;
    char *preload = malloc(room);
    if (preload) {
        snprintf(preload, room, "%s%s%s", recorder, before && *before ? ":" : "",
                 before ? before : "");
        if (setenv("LD_PRELOAD", preload, 1) == 0 &&
            setenv(RECORDING_FOLDER_VARIABLE, folder, 1) == 0)
            execvp(command[0], (char *const *)command);
    }
    int why = errno;
    if (write(tell, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

/* Waits for the child. Signals from the terminal reach it, too; others are passed on. */
static int recorder_run_wait_for(pid_t child, const sigset_t *signals)
{
    int state = 0;
    for (;;) {
        siginfo_t info;
        int number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(child, number);
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return state;
    }
}

ik_status ik_record_run(const char *const *command, const char *recorder, const char *folder,
                        int *code, ik_error *err)
{
    sigset_t signals, before;
    int pipe_ends[2], why = 0;
    sigemptyset(&signals);
    for (size_t i = 0; i < 5; i++)
        sigaddset(&signals, (const int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}[i]);
    if (pipe(pipe_ends) != 0)
        return ik_fail(err, IK_ERR_IO, "no pipe: %s", strerror(errno));
    sigprocmask(SIG_BLOCK, &signals, &before);
    signal(SIGCHLD, SIG_DFL); /* whoever ignores it gets no exit status */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        close(pipe_ends[0]);
        if (fcntl(pipe_ends[1], F_SETFD, FD_CLOEXEC) == 0)
            recorder_run_become(command, recorder, folder, pipe_ends[1]);
        _exit(126);
    }
    close(pipe_ends[1]);
    int state = child > 0 ? recorder_run_wait_for(child, &signals) : 0;
    ssize_t told = child > 0 ? read(pipe_ends[0], &why, sizeof why) : 0;
    close(pipe_ends[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return ik_fail(err, IK_ERR_IO, "no process: %s", strerror(errno));
    if (told == sizeof why)
        return ik_fail(err, IK_ERR_IO, "%s cannot be run: %s", command[0], strerror(why));
    *code = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return IK_OK;
}
