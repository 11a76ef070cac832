/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_stop.c: finds the process that writes a results file, and asks it to stop.
 *
 * A run holds a lock (flock) on its results file. The process is the one that has this file open
 * with such a lock of its own and in which ikat runs, as /proc says: another program that locks the
 * file, such as one that copies it, is left alone. Its number may be that of another process a
 * moment later: the signal goes through a descriptor of the process, which is opened first and
 * whose lock is seen afterwards.
 */
#define _GNU_SOURCE /* syscall */
#include "serve.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Does /proc/PID/fdinfo/FD name an exclusive flock of this very process? */
static bool serve_stop_locks(const char *pid, const char *number)
{
    char path[80], line[256], kind[16], mode[16];
    int owner = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/fdinfo/%.20s", pid, number);
    FILE *info = fopen(path, "re");
    while (info && !found && fgets(line, sizeof line, info))
        found = sscanf(line, "lock: %*d: %15s %*s %15s %d", kind, mode, &owner) == 3 &&
                strcmp(kind, "FLOCK") == 0 && strcmp(mode, "WRITE") == 0 && owner == atoi(pid);
    if (info)
        fclose(info);
    return found;
}

/* Does ikat run in this process: the command, or its library in another program? */
static bool serve_stop_runs_ikat(const char *pid)
{
    char path[64], mode[5], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && !found && getline(&line, &room, maps) > 0) {
        const char *name = strrchr(line, '/');
        found = name && strstr(name, "ikat") && sscanf(line, "%*s %4s", mode) == 1 &&
                strchr(mode, 'x'); /* code, not a results file that is mapped */
    }
    free(line);
    if (maps)
        fclose(maps);
    return found;
}

/* Does this process write the file? */
static bool serve_stop_writes(const char *pid, const struct stat *file)
{
    char path[64];
    bool writes = false;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *open_files = opendir(path); /* those of other users are not shown */
    for (struct dirent *e; open_files && !writes && (e = readdir(open_files));) {
        struct stat info;
        writes = e->d_name[0] != '.' && fstatat(dirfd(open_files), e->d_name, &info, 0) == 0 &&
                 info.st_dev == file->st_dev && info.st_ino == file->st_ino &&
                 serve_stop_locks(pid, e->d_name);
    }
    if (open_files)
        closedir(open_files);
    return writes && serve_stop_runs_ikat(pid);
}

static bool serve_stop_has_ended(int process)
{
    struct pollfd p = {.fd = process, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static bool serve_stop_was_asked(const serve_asked *a, int pid)
{
    for (unsigned i = 0; i < a->num; i++)
        if (a->pids[i] == pid && !serve_stop_has_ended(a->processes[i]))
            return true;
    return false;
}

/* Keeps the process among those that were asked; the room of one that has ended is used again. */
static bool serve_stop_keep(serve_asked *a, int pid, int process)
{
    unsigned at = 0, most = sizeof a->pids / sizeof *a->pids;
    while (at < a->num && !serve_stop_has_ended(a->processes[at]))
        at++;
    if (at == most)
        return false;
    if (at < a->num)
        close(a->processes[at]);
    else
        a->num++;
    a->pids[at] = pid;
    a->processes[at] = process;
    return true;
}

static bool serve_stop_ask(serve_asked *a, const char *pid, const struct stat *file)
{
    int number = atoi(pid);
    if (serve_stop_was_asked(a, number))
        return true;
    int process = (int)syscall(SYS_pidfd_open, number, 0);
    if (process < 0)
        return false;
    if (serve_stop_writes(pid, file) && serve_stop_keep(a, number, process))
        return syscall(SYS_pidfd_send_signal, process, SIGINT, NULL, 0) == 0;
    close(process);
    return false;
}

unsigned serve_stop_writer(serve_asked *a, const char *path)
{
    struct stat file;
    unsigned asked = 0;
    DIR *processes = stat(path, &file) == 0 ? opendir("/proc") : NULL;
    for (struct dirent *e; processes && !asked && (e = readdir(processes));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && atoi(e->d_name) != getpid() &&
            serve_stop_writes(e->d_name, &file))
            asked = serve_stop_ask(a, e->d_name, &file);
    if (processes)
        closedir(processes);
    return asked;
}

void serve_stop_end(serve_asked *a)
{
    for (unsigned i = 0; i < a->num; i++)
        close(a->processes[i]);
    a->num = 0;
}
