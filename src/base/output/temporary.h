/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.h: a file or folder under another name, TARGET.PROCESS-NUMBER.tmp, that takes its
 * target's name once it is whole. It is locked for as long as its process lives, so that what a
 * killed process has left is known and removed by the next that writes the same target. */
#ifndef IKAT_BASE_TEMPORARY_H
#define IKAT_BASE_TEMPORARY_H

#include <stdbool.h>

typedef struct temporary {
    char *name; /* NULL = there is none */
    int file;   /* open for writing (a folder: for reading), and locked */
} temporary;

/* Makes a new file beside `target`, and removes those that killed processes have left. false: errno
 * says why. */
bool temporary_file(const char *target, temporary *out);
/* The same of a folder; `remove_folder` removes one with what is in it. */
bool temporary_folder(const char *target, void (*remove_folder)(const char *), temporary *out);
/* Removes the files that killed processes have left beside `target`. */
void temporary_remove_left(const char *target);
/* Gives up the lock, after the target has been replaced or the file removed. */
void temporary_end(temporary *t);

/* Locks a file for this process alone, which may wait up to a second for one that holds it for an
 * instant: 'ikat status', or the child of a killed process that is not yet its command. false:
 * errno says why, EWOULDBLOCK that another process holds it. */
bool file_lock(int file);

#endif
