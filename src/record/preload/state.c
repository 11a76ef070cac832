/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c: whether the recorder records, and when: start and end, calls in calls, time, threads.
 *
 * A call that begins while its own thread is inside a recorded call is the MPI library's own (or
 * that of an error handler or an operator) and is passed on. The outermost call is known by its
 * place on the stack, so that one that was left by longjmp or an exception is noticed.
 */
#include "recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef OPEN_MPI
#define LIBRARY_WORD "Open MPI"
static const char *const sonames[] = {"libmpi.so.40", "libmpi.so.80", "libmpi.so", NULL};
#else
#define LIBRARY_WORD "MPICH"
static const char *const sonames[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so", NULL};
#endif

recorder_calls real_mpi;
bool recorder_on;

static uint64_t last_end; /* of the call before */
static bool threaded;     /* MPI_THREAD_MULTIPLE */
static bool overlap_seen;
static atomic_int inside; /* threads in recorded calls */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static uint64_t polls, poll_ns, poll_gap,
    poll_away; /* unsuccessful tests that no record tells of yet */
static uint32_t own_rank;
static char version[MPI_MAX_LIBRARY_VERSION_STRING + 1]; /* of the MPI library */
static bool world_open;                                  /* between MPI_Init and MPI_Finalize */
static bool was_ended, was_given_up; /* a recording was: there is no second one */
#ifdef HAVE_SESSIONS
static int num_sessions; /* that are open */
/* Of threads that begin and end sessions at the same time. */
static pthread_mutex_t sessions = PTHREAD_MUTEX_INITIALIZER;
#endif
static const char *folder;
static __thread char *outermost __attribute__((tls_model("initial-exec")));

/* The thread's clock of processor time costs a system call (.1 to .6 us), so it is not read at the
 * beginning and at the end of every gap between calls: at the end of those that last this long, and
 * at the end of a call if it was not read for this long. What was not read is taken for time in
 * which the thread ran, so a gap is wrong by this much at most. */
enum { CPU_STEP_NS = 10000 };
typedef struct cpu_reading {
    uint64_t cpu, wall; /* wall 0: never read */
} cpu_reading;
static __thread cpu_reading cpu_read __attribute__((tls_model("initial-exec")));
static void *last_thread; /* that made the call before: the address of its cpu_read */

static void *find_symbol(void *first, const char *name)
{
    void *found = dlsym(first, name);
    /* A library that was loaded for one module alone (Python's) is not among the next ones. */
    for (const char *const *soname = sonames; !found && *soname; soname++) {
        void *library = dlopen(*soname, RTLD_LAZY | RTLD_NOLOAD);
        if (library) {
            found = dlsym(library, name);
            dlclose(library); /* RTLD_NOLOAD counted one more user */
        }
    }
    return found;
}

void *recorder_symbol(const char *name)
{
    /* From the start: an executable may have the library's variables (copy relocation). */
    return find_symbol(RTLD_DEFAULT, name);
}

void *recorder_next(const char *name)
{
    void *found = find_symbol(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "ikat record: no MPI library with %s is loaded\n", name);
        abort();
    }
    return found;
}

uint64_t recorder_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_cpu(uint64_t wall)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    cpu_read.cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    cpu_read.wall = wall;
}

/* How long the thread did not run between the call before and this one. By the clock alone, that
 * is 0, where another thread made the call before. A thread may have the address of one that has
 * ended, so one that never read its clock made no call before. */
static void find_away(call *c)
{
    cpu_reading before = cpu_read;
    recorder_lock();
    uint64_t last = last_end;
    bool same = last_thread == &cpu_read && before.wall != 0;
    recorder_unlock();
    c->away = 0;
    if (!same || c->begin < last + CPU_STEP_NS || before.wall > last)
        return;
    read_cpu(c->begin);
    uint64_t ran = cpu_read.cpu - before.cpu, in_calls = last - before.wall;
    uint64_t gap = c->begin - last, own = ran > in_calls ? ran - in_calls : 0;
    c->away = gap > own ? gap - own : 0;
}

static void write_problem(const char *text)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/" RECORDING_PROBLEM_NAME, folder, own_rank);
    int fd = n < (int)sizeof path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        fprintf(stderr, "ikat record: %s\n", text);
    close(fd);
}

void recorder_give_up(const char *why, ...)
{
    char text[512];
    va_list args;
    recorder_on = false;
    was_given_up = true;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    fprintf(stderr, "ikat record: rank %u: %s; the rest is not recorded\n", own_rank, text);
    write_problem(text);
}

static bool find_calls(void)
{
#define X(name)                                                                                    \
    *(void **)&real_mpi.name = find_symbol(RTLD_NEXT, "PMPI_" #name);                              \
    if (!real_mpi.name)                                                                            \
        return false;
    RECORDER_CALLS(X)
#undef X
    return true;
}

/* The MPI library that is loaded is the one that this recorder was built for. */
static bool library_fits(void)
{
    int length = 0;
    if (!find_calls())
        return false;
    real_mpi.Get_library_version(version, &length);
    return strstr(version, LIBRARY_WORD) != NULL;
}

/* Which start of programs this is: ranks of two of them must not be taken for one program. */
static const char *job_name(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE",  "OMPI_MCA_ess_base_jobid", "PMI_JOBID",
                                        "HYDI_CONTROL_FD", "SLURM_STEP_ID",           NULL};
    for (const char *const *name = names; *name; name++)
        if (getenv(*name))
            return getenv(*name);
    return "";
}

/* The host's cores, and those that this process may use: how many, and a checksum (FNV-1a) by which
 * ranks with the same ones are known. */
static void put_cores(operands *o)
{
    enum { MOST_CORES = 8192 };
    size_t bytes = CPU_ALLOC_SIZE(MOST_CORES);
    cpu_set_t *set = CPU_ALLOC(MOST_CORES);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t num = 0, sum = 2166136261u;
    if (set && sched_getaffinity(0, bytes, set) == 0) {
        num = (uint32_t)CPU_COUNT_S(bytes, set);
        for (size_t i = 0; i < bytes; i++)
            sum = (sum ^ ((const unsigned char *)set)[i]) * 16777619u;
    }
    if (set)
        CPU_FREE(set);
    put(o, online > 0 ? (uint64_t)online : 0);
    put(o, num);
    put(o, sum);
}

static void record_begin(uint32_t num_ranks)
{
    operands o;
    char host[256] = "", line[64] = "";
    struct timespec t;
    int level = 0;
    real_mpi.Query_thread(&level);
    threaded = level == MPI_THREAD_MULTIPLE;
    clock_gettime(CLOCK_REALTIME, &t);
    gethostname(host, sizeof host - 1);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(version, ",\n"), version);
    for (char *at = line; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    put_begin(&o);
    put(&o, own_rank);
    put(&o, num_ranks);
    put(&o, (uint64_t)level);
    put(&o, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
    put_text(&o, host);
    put_text(&o, line);
    put_text(&o, job_name());
    put_cores(&o);
    stream_write(REC_BEGIN, 0, 0, 0, o.bytes, o.num);
    put_end(&o);
}

/* Whether this process is to be recorded, and can be. */
static bool is_wanted(void)
{
    folder = getenv(RECORDING_FOLDER_VARIABLE);
    if (!folder || recorder_on || was_given_up)
        return false;
    if (!library_fits()) { /* handles are of another kind: its calls cannot be passed on */
        own_rank = (uint32_t)getpid();
        write_problem("the program loads another MPI library than " LIBRARY_WORD
                      ": say which with --mpi");
        fputs("ikat record: the program loads another MPI library than " LIBRARY_WORD
              ": say which with --mpi\n",
              stderr);
        _exit(1);
    }
    return true;
}

static void begin_recording(int size)
{
    if (!stream_open(folder, own_rank, (uint32_t)size))
        return;
    recorder_on = true;
    record_begin((uint32_t)size);
    last_end = recorder_clock();
    last_thread = &cpu_read;
    read_cpu(last_end);
}

void recorder_started(void)
{
    int rank = 0, size = 0;
    MPI_Comm parent;
    world_open = true;
    if (!is_wanted() || !comms_start())
        return;
    comms_get_world(&rank, &size, &parent);
    own_rank = (uint32_t)rank;
    if (comm_is_null(parent)) /* otherwise its MPI_COMM_WORLD is not the one that is recorded */
        begin_recording(size);
}

static void end_recording(void)
{
    if (!recorder_on)
        return;
    call c = {.begin = recorder_clock(), .on = true};
    operands o;
    find_away(&c);
    recorder_return(&c);
    c.end = c.begin;
    put_begin(&o);
    record(&c, REC_END, &o);
    put_end(&o);
    recorder_leave(&c);
    recorder_on = false;
    was_ended = true;
    stream_close();
}

#ifdef HAVE_SESSIONS
void recorder_session_started(MPI_Session session)
{
    int rank = 0, size = 0;
    pthread_mutex_lock(&sessions);
    num_sessions++;
    bool wanted = is_wanted();
    if (wanted && was_ended)
        recorder_give_up("a session began after the recording had ended");
    else if (wanted && comms_start_session(session, &rank, &size)) {
        own_rank = (uint32_t)rank;
        begin_recording(size);
    }
    pthread_mutex_unlock(&sessions);
}

void recorder_session_ends(void)
{
    pthread_mutex_lock(&sessions);
    if (--num_sessions == 0 && !world_open)
        end_recording();
    pthread_mutex_unlock(&sessions);
}
#endif

void recorder_world_ends(void)
{
    world_open = false;
#ifdef HAVE_SESSIONS
    pthread_mutex_lock(&sessions);
    if (num_sessions == 0)
        end_recording();
    pthread_mutex_unlock(&sessions);
#else
    end_recording();
#endif
}
bool recorder_enter(call *c, char *frame)
{
    c->on = false;
    if (!recorder_on || (outermost && frame < outermost))
        return false;
    outermost = frame;
    c->on = true;
    if (threaded && atomic_fetch_add(&inside, 1) > 0)
        overlap_seen = true;
    c->begin = recorder_clock();
    find_away(c);
    return true;
}

bool recorder_hide(char *frame)
{
    if (!recorder_on || (outermost && frame < outermost))
        return false;
    outermost = frame;
    return true;
}

void recorder_show(void)
{
    outermost = NULL;
}

void recorder_lock(void)
{
    if (threaded)
        pthread_mutex_lock(&one);
}

void recorder_unlock(void)
{
    if (threaded)
        pthread_mutex_unlock(&one);
}

void recorder_return(call *c)
{
    c->end = recorder_clock();
    recorder_lock();
}

void recorder_leave(call *c)
{
    uint64_t now = recorder_clock();
    if (now >= cpu_read.wall + CPU_STEP_NS)
        read_cpu(now);
    last_end = now;
    last_thread = &cpu_read;
    outermost = NULL;
    recorder_unlock();
    if (threaded)
        atomic_fetch_sub(&inside, 1);
    c->on = false;
}

/* Times between polls that are shorter than this belong to the loop that polls: no computation. */
enum { POLL_LOOP_NS = 1000 };

void recorder_poll(call *c)
{
    uint64_t gap = c->begin > last_end ? c->begin - last_end : 0;
    if (!polls || gap >= POLL_LOOP_NS) {
        poll_gap += gap;
        poll_away += c->away < gap ? c->away : gap;
    }
    polls++;
    poll_ns += c->end - c->begin;
}

static void write_polls(void)
{
    operands o;
    put_begin(&o);
    put(&o, polls);
    put(&o, poll_ns);
    stream_write(REC_POLLS, poll_gap, poll_away, 0, o.bytes, o.num);
    put_end(&o);
}

void record(call *c, unsigned char operation, operands *o)
{
    uint64_t gap = c->begin > last_end ? c->begin - last_end : 0;
    if (!recorder_on)
        return;
    if (overlap_seen) {
        overlap_seen = false;
        stream_write(REC_OVERLAP, 0, 0, 0, NULL, 0);
    }
    if (polls) {
        write_polls();
        gap = gap < POLL_LOOP_NS ? 0 : gap;
        polls = poll_ns = poll_gap = poll_away = 0;
    }
    stream_write(operation, gap, c->away < gap ? c->away : gap, c->end - c->begin, o->bytes,
                 o->num);
    c->begin = c->end; /* further records of this call take no time */
    c->away = 0;
    last_end = c->end > last_end ? c->end : last_end; /* a record without a call has no time */
}

void record_other(call *c, unsigned kind)
{
    operands o;
    put_begin(&o);
    put(&o, kind);
    record(c, REC_OTHER, &o);
    put_end(&o);
}

bool recorder_done(int code)
{
    int kind = code;
    if (LIKELY(code == MPI_SUCCESS))
        return true;
    real_mpi.Error_class(code, &kind);
    return kind == MPI_ERR_TRUNCATE;
}
