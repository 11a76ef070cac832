/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/batch/batch.h: the transactions of a database that is written.
 *
 * A commit to the disk waits for the disk two or three times. A run of short points would do little
 * else. The transactions of a run are therefore savepoints within a larger one, the batch, which is
 * begun by the first of them and reaches the disk a second later, whatever the run does then: a
 * thread of its own sees to that. After a crash the file is as it was after some batch, with every
 * transaction that ended a second before.
 *
 * Functions return codes of SQLite. One thread at a time begins, commits and rolls back; what it
 * reads and executes outside of transactions joins the batch if there is one.
 */
#ifndef IKAT_EXPERIMENT_BATCH_BATCH_H
#define IKAT_EXPERIMENT_BATCH_BATCH_H

#include "ikat/base.h"

#include <pthread.h>
#include <sqlite3.h>

/* How far the run has come that writes the file: a row `run` of table meta while it goes on. */
typedef struct batch_progress {
    uint64_t points; /* that it is to finish; 0 = no row is written */
    uint64_t reused; /* of them, finished before it began */
    unsigned jobs;   /* processors; 0 = it was stopped */
    double begun;    /* CLOCK_MONOTONIC */
    /* Where the run goes on, by which readers there know that it was killed: the machine, since it
     * was started, and the file, of which copies are another one. "" and 0: not known. */
    char machine[40];
    uint64_t inode;
} batch_progress;

typedef struct batch_state {
    sqlite3 *db;
    unsigned depth; /* of transactions inside one another: the outermost counts */
    bool started;   /* transactions are batched */
    /* the others only if started; the mutex is held from the outermost begin to its end */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t writer;
    bool open, ending;
    double due; /* when an open batch goes to the disk */
    int failed; /* the code of what lost a batch: nothing is written any more */
    batch_progress progress;
} batch_state;

/* Batches transactions from now on. Without memory for a thread each goes to the disk by itself. */
void batch_start(batch_state *b);
/* Ends the thread. What is in an open batch is lost. */
void batch_stop(batch_state *b);

int batch_begin(batch_state *b);
int batch_commit(batch_state *b);
/* Of the innermost transaction. A full disk may have undone all of the batch: then there is no
 * transaction left, and commits fail. */
void batch_rollback(batch_state *b);
/* Of this machine, drawn when it was started; "" = it is not known. */
void batch_find_machine(char machine[40]);
/* Everything to the disk now. Not within a transaction. */
int batch_flush(batch_state *b);

#endif
