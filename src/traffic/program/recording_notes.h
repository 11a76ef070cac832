/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_notes.h: what the user should know about how a recording is replayed.
 */
#ifndef IK_RECORDING_NOTES_H
#define IK_RECORDING_NOTES_H

#include "record/recording_read.h"
#include "traffic/program/program.h"

/* *by_cpu: computations last as long as a rank's thread had a core, as the program's settings want
 * it; notes that ranks shared cores. IK_ERR_INPUT: the recording has no such time. The caller
 * has to rewind. */
ik_status recording_choose_clock(program *p, recording *r, const char *path, bool *by_cpu,
                                 ik_error *err);
/* Notes how many calls brought processes of other programs, and how many were with them. */
/* Whether a call, or the request that it begins, has peers and all are processes that are not in
 * the recording. seen: the actual source of what it receives, which tells where a receive from any
 * source had it from. */
bool recording_is_outside(const recording_record *o, uint32_t seen);
ik_status recording_note_outside(program *p, uint64_t spawns, uint64_t outside, ik_error *err);

#endif
