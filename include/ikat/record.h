/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/record.h: recordings of MPI programs: made by running the program with a library that is
 * preloaded into its processes, collected into one file, summarised, printed. docs/recording.md.
 */
#ifndef IKAT_RECORD_H
#define IKAT_RECORD_H

#include "ikat/base.h"
#include "ikat/json.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* The recorders that `ikat record` may have, one for each MPI library that was there when ikat was
 * built. */
typedef enum ik_recorder {
    IK_RECORDER_OPENMPI,
    IK_RECORDER_MPICH,
    IK_RECORDERS,
    IK_RECORDER_AUTO = IK_RECORDERS
} ik_recorder;
/* "openmpi", "mpich"; NULL beyond the last. */
const char *ik_recorder_name(unsigned recorder);
/* The recorder for a command: the wanted one, or the one that fits what the command starts (by the
 * name of its launcher, or the libraries that programs in it need), or the first that there is: a
 * recorder hands programs over to another one that fits them. *path: its file, to be freed.
 * IK_ERR_UNSUPPORTED: there is none; the hint says what to install. */
ik_status ik_recorder_find(ik_recorder wanted, const char *const *command, char **path,
                           ik_error *err);
/* The file that a shell would run for a command's name, to be freed. IK_ERR_USAGE: none. */
ik_status ik_record_program(const char *name, char **path, ik_error *err);

/* How many processes the launcher (mpirun, srun) started that this process is one of, by the
 * environment: *variable says so. 1: it is alone, then *variable is left as it is. */
unsigned long ik_record_launched(const char **variable);

/* Runs a command (NULL-terminated) with the recorder in all processes that it starts; their
 * recordings go to `folder`, which exists. Waits for its end; signals that would end this process
 * are passed on to the command instead. *code: its exit status, or 128 + the signal that ended it.
 * IK_ERR_IO: it could not be started. Not thread-safe: it changes the signal mask meanwhile. */
ik_status ik_record_run(const char *const *command, const char *recorder, const char *folder,
                        int *code, ik_error *err);
/* Writes one recording of what the ranks left in `folder`. IK_ERR_FAILED: there is nothing, or not
 * of every rank; err says what the ranks said about it. */
ik_status ik_record_collect(const char *folder, FILE *out, ik_error *err);
/* Whether a process said that it, or the rest of it, could not be recorded: `text` is what the
 * first of them said. That goes for recordings that could be collected, too. */
bool ik_record_problem(const char *folder, char *text, size_t room);
/* Removes the folder and what the recorder made in it; what is not there is no failure. */
void ik_record_remove(const char *folder);

/* What a recording has. */
typedef struct ik_recording_summary {
    uint32_t num_ranks;
    uint32_t ranks_cut;       /* did not reach MPI_Finalize */
    uint64_t calls;           /* recorded ones, without unsuccessful tests and probes */
    uint64_t polls;           /* these */
    uint64_t messages, bytes; /* sent between two processes */
    uint64_t collectives;     /* calls of collective operations, of all ranks */
    uint64_t onesided;        /* one-sided operations: counted only */
    uint64_t onesided_bytes;
    uint64_t failed;     /* calls that returned an error */
    uint64_t spawned;    /* calls that brought processes of other programs */
    uint64_t intercomms; /* collective operations between two groups */
    uint64_t longest_ns; /* of the rank that ran longest, MPI_Init to its end */
    uint64_t in_mpi_ns;  /* of all ranks: in recorded calls, unsuccessful ones among them */
    uint64_t total_ns;   /* of all ranks */
    uint64_t compute_ns; /* of all ranks: between calls, by the clock */
    uint64_t ran_ns;     /* of that: while the rank's thread had a processor core */
    uint64_t outside;    /* calls with processes of other programs */
    bool has_ran;        /* ran_ns was recorded (not by the first versions of ikat) */
    /* The most ranks on the fewest cores, where ranks had no cores of their own; otherwise 0. */
    uint32_t shared_ranks, shared_cores;
    bool overlapped;   /* calls of several threads at once: cannot be replayed */
    char library[256]; /* the MPI library, as it names itself */
} ik_recording_summary;
/* Reads a whole recording. IK_ERR_INPUT: it is none, or damaged: the error's place says where. */
ik_status ik_recording_summarise(const char *path, ik_recording_summary *s, ik_error *err);
/* What `ikat record --show --json` prints, as members of an open JSON object. */
void ik_recording_json(const ik_recording_summary *s, const char *path, ik_json *j);
/* Prints every record as one line of text; rank IK_NONE = of all ranks. */
ik_status ik_recording_print(const char *path, uint32_t rank, FILE *out, ik_error *err);

/* ---- a recording from begin to end: what `ikat record` does */

/* A command that is to be recorded. Processes that it starts have to have `recorder` in LD_PRELOAD
 * and `folder` in IKAT_RECORD_FOLDER: ik_record_run does that, or whoever starts it otherwise. */
typedef struct ik_record_job {
    const char *path;      /* of the recording; borrowed until ik_record_free */
    char *recorder;        /* file of the library that is preloaded */
    char *folder;          /* absolute; for the files of the ranks */
    struct ik_output file; /* private */
} ik_record_job;
/* What became of it. */
typedef struct ik_recorded {
    bool is_written; /* there is a recording, which `summary` is of */
    bool is_kept;    /* the recording could not be written, or not be read again: the files of the
                        ranks are kept in the job's folder, for ikat record --merge */
    ik_recording_summary summary;
} ik_recorded;
/* Checks everything that can be checked before, opens the file and makes the folder beside it.
 * command: NULL-terminated, not empty. mpi: "openmpi", "mpich"; NULL = as ik_recorder_find has it.
 * IK_ERR_USAGE: no such program or MPI library, `path` is no file, or this process was started by
 * an MPI launcher together with others; IK_ERR_UNSUPPORTED: no recorder; IK_ERR_IO. Call
 * ik_record_end and ik_record_free after success. */
ik_status ik_record_begin(const char *const *command, const char *mpi, const char *path,
                          ik_record_job *out, ik_error *err);
/* Writes the recording of a command that has ended, and removes the folder unless it is kept.
 * has_run: false = the command could not be started, or what it did is not wanted: nothing is
 * written. *out is set in any case. IK_ERR_FAILED: nothing (is_written false), or not everything
 * was recorded. */
ik_status ik_record_end(ik_record_job *job, bool has_run, ik_recorded *out, ik_error *err);
void ik_record_free(ik_record_job *job);

IK_END_DECLS
#endif
