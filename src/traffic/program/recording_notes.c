/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_notes.c: which of a recording's two times a computation lasts, and what a replay says
 * about that and about what is left out.
 */
#include "traffic/program/recording_notes.h"

#include <inttypes.h>

ik_status recording_choose_clock(program *p, recording *r, const char *path, bool *by_cpu,
                                 ik_error *err)
{
    program_clock clock = program_get_settings(p)->clock;
    recording_cores cores;
    ik_status status = recording_find_cores(r, &cores, err);
    if (status != IK_OK)
        return status;
    if (clock == PROGRAM_CLOCK_CPU && !cores.known) {
        ik_fail_at(err, IK_ERR_INPUT, path, 0, 0,
                   "the recording has no processor time: it is of version 1");
        return ik_hint(err, IK_ERR_INPUT, "record the program again, or use clock=wall");
    }
    *by_cpu = clock == PROGRAM_CLOCK_CPU || (clock == PROGRAM_CLOCK_AUTO && cores.shared);
    if (clock == PROGRAM_CLOCK_CPU || !cores.shared)
        return IK_OK;
    return program_note(p, err,
                        *by_cpu ? "%s shared %u processor %s while they were recorded: "
                                  "computations last as long as a rank's thread had a core "
                                  "(clock=cpu), not what the clock says (clock=wall)"
                                : "%s shared %u processor %s while they were recorded: the "
                                  "times of computation have the time in which others had the core",
                        IK_COUNT(cores.ranks, "rank"), cores.cores,
                        cores.cores == 1 ? "core" : "cores");
}

ik_status recording_note_outside(program *p, uint64_t spawns, uint64_t outside, ik_error *err)
{
    if (!outside && !spawns)
        return IK_OK;
    return program_note(p, err,
                        "%" PRIu64 " %s processes of other programs, which are not in the "
                        "recording: %" PRIu64 " %s with them send%s nothing in the replay, and a "
                        "call that waited for them alone lasts as long as it did",
                        spawns, spawns == 1 ? "call starts or joins" : "calls start or join",
                        outside, outside == 1 ? "call" : "calls", outside == 1 ? "s" : "");
}

static bool recording_notes_is_from_outside(const recording_record *o, uint32_t from, uint32_t seen)
{
    return from == RECORDING_ANY ? seen == RECORDING_NOBODY : o->outside;
}

bool recording_is_outside(const recording_record *o, uint32_t seen)
{
    switch (o->operation) {
    case REC_WAIT: /* by its requests */
        return false;
    case REC_RECV:
        return recording_notes_is_from_outside(o, o->peer, seen);
    case REC_SENDRECV:
        return o->peer == RECORDING_NOBODY &&
               (o->from == RECORDING_NOBODY || seen == RECORDING_NOBODY) &&
               recording_notes_is_from_outside(o, o->from, seen);
    case REC_NEIGHBOUR:
        for (size_t i = 0; i < o->num; i++)
            if (o->items[i].peer != RECORDING_NOBODY)
                return false;
        return o->outside;
    default:
        return o->outside;
    }
}
