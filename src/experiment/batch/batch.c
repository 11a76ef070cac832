/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/batch/batch.c: transactions that reach the disk together, at most once a second.
 */
#include "experiment/batch/batch.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* What a crash may cost, and how long a commit to the disk is put off. */
static const double batch_s = 1;

static int batch_execute(batch_state *b, const char *sql)
{
    return sqlite3_exec(b->db, sql, NULL, NULL, NULL);
}

/* ---- with the mutex held */

static int batch_write_progress(batch_state *b)
{
    char sql[400];
    const batch_progress *p = &b->progress;
    if (!p->points)
        return SQLITE_OK;
    snprintf(sql, sizeof sql,
             "INSERT OR REPLACE INTO meta(key, value) VALUES('run', '{\"points\":%" PRIu64
             ",\"reused\":%" PRIu64 ",\"jobs\":%u,\"milliseconds\":%" PRIu64
             ",\"machine\":\"%s\",\"file\":%" PRIu64 "}')",
             p->points, p->reused, p->jobs,
             (uint64_t)((ik_clock_s(CLOCK_MONOTONIC) - p->begun) * 1000), p->machine,
             p->inode & INT64_MAX);
    return batch_execute(b, sql);
}

/* An open batch to the disk. */
static void batch_write(batch_state *b)
{
    int code = batch_write_progress(b);
    if (code == SQLITE_OK)
        code = batch_execute(b, "COMMIT");
    if (code != SQLITE_OK) {
        b->failed = code;
        if (!sqlite3_get_autocommit(b->db))
            batch_execute(b, "ROLLBACK");
    }
    b->open = false;
}

static bool batch_is_due(const batch_state *b)
{
    return b->open && ik_clock_s(CLOCK_MONOTONIC) >= b->due;
}

static void batch_wait(batch_state *b)
{
    if (!b->open) {
        pthread_cond_wait(&b->changed, &b->mutex);
        return;
    }
    double whole = floor(b->due);
    struct timespec until = {.tv_sec = (time_t)whole, .tv_nsec = (long)((b->due - whole) * 1e9)};
    pthread_cond_timedwait(&b->changed, &b->mutex, &until);
}

static void *batch_writer(void *ctx)
{
    batch_state *b = ctx;
    pthread_mutex_lock(&b->mutex);
    while (!b->ending)
        if (batch_is_due(b))
            batch_write(b);
        else
            batch_wait(b);
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

/* ---- from outside */

void batch_start(batch_state *b)
{
    pthread_condattr_t clock;
    assert(!b->started && b->depth == 0);
    pthread_mutex_init(&b->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* the day's time may be set back */
    pthread_cond_init(&b->changed, &clock);
    pthread_condattr_destroy(&clock);
    b->started = pthread_create(&b->writer, NULL, batch_writer, b) == 0;
    if (!b->started) {
        pthread_cond_destroy(&b->changed);
        pthread_mutex_destroy(&b->mutex);
    }
}

void batch_stop(batch_state *b)
{
    if (!b->started)
        return;
    pthread_mutex_lock(&b->mutex);
    b->ending = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    pthread_join(b->writer, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    b->started = false;
}

/* A batch that the next transaction is a part of; with the mutex held. */
static int batch_open(batch_state *b)
{
    if (b->open || b->failed)
        return b->failed;
    int code = batch_execute(b, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK)
        return code;
    b->open = true;
    b->due = ik_clock_s(CLOCK_MONOTONIC) + batch_s;
    pthread_cond_signal(&b->changed);
    return SQLITE_OK;
}

int batch_begin(batch_state *b)
{
    bool outermost = b->started && b->depth == 0;
    if (outermost)
        pthread_mutex_lock(&b->mutex);
    int code = outermost ? batch_open(b) : SQLITE_OK;
    if (code == SQLITE_OK)
        code = batch_execute(b, b->started || b->depth ? "SAVEPOINT inner" : "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        b->depth++;
    else if (outermost)
        pthread_mutex_unlock(&b->mutex);
    return code;
}

/* The outermost transaction has ended. */
static void batch_leave(batch_state *b)
{
    if (b->started && b->depth == 0)
        pthread_mutex_unlock(&b->mutex);
}

int batch_commit(batch_state *b)
{
    if (b->depth == 0)
        return b->failed ? b->failed : SQLITE_ERROR;
    int code = batch_execute(b, b->started || b->depth > 1 ? "RELEASE inner" : "COMMIT");
    if (code != SQLITE_OK) {
        batch_rollback(b);
        return code;
    }
    b->depth--;
    /* a thread that ends one transaction and begins the next leaves the other no time to */
    if (b->depth == 0 && b->started && batch_is_due(b))
        batch_write(b);
    code = b->failed;
    batch_leave(b);
    return code;
}

void batch_rollback(batch_state *b)
{
    bool lost = sqlite3_get_autocommit(b->db);
    if (b->depth == 0)
        return;
    if (lost && b->started) {
        b->failed = b->failed ? b->failed : SQLITE_FULL;
        b->open = false;
    } else if (!lost) {
        batch_execute(b,
                      b->started || b->depth > 1 ? "ROLLBACK TO inner; RELEASE inner" : "ROLLBACK");
    }
    b->depth = lost ? 0 : b->depth - 1;
    batch_leave(b);
}

int batch_flush(batch_state *b)
{
    assert(b->depth == 0);
    if (!b->started)
        return b->failed;
    pthread_mutex_lock(&b->mutex);
    if (b->open)
        batch_write(b);
    int code = b->failed;
    pthread_mutex_unlock(&b->mutex);
    return code;
}

void batch_find_machine(char machine[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || fscanf(file, "%39[0-9a-f-]", machine) != 1)
        machine[0] = '\0';
    if (file)
        fclose(file);
}
