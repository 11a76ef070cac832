/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/storage_read.c: recorded traces: what of a file is wanted, who asks for each access, and
 * when it is answered where the trace does not say. */
#include "traffic/storage/storage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PS_PER_NS = 1000, SECTOR = 512 };

ik_status storage_read(storage *s, const ik_params *p, const ik_env *env, ik_error *err)
{
    static const char *const automatic = "auto";
    const char *format = ik_params_text(p, "format");
    io_window window = {.length_ns = IO_UNKNOWN,
                        .most = UINT32_MAX,
                        .memory_limit = env ? env->memory_limit_bytes : 0};
    if (ik_params_has(p, "from"))
        window.from_ns = ik_params_uint(p, "from") / PS_PER_NS;
    if (ik_params_has(p, "duration"))
        window.length_ns = (ik_params_uint(p, "duration") + PS_PER_NS - 1) / PS_PER_NS;
    if (ik_params_has(p, "accesses"))
        window.most = ik_params_uint(p, "accesses");
    if (!window.length_ns)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                STORAGE_OWNER ": a window of 0 s has no accesses of a trace"),
                        "duration");
    ik_status status =
        io_trace_read(&s->trace, ik_params_text(p, "trace"),
                      strcmp(format, automatic) == 0 ? NULL : format, &window, env, err);
    return status == IK_OK ? storage_check_room(s->trace.num, env, "accesses trace", err) : status;
}

/* ---- completions */

static ik_status storage_read_refuse_unknown(const storage *s, ik_error *err)
{
    const io_trace *t = &s->trace;
    ik_fail_at(err, IK_ERR_INPUT, t->lines.path, t->first_unknown, 0,
               "read as format %s: no time of completion of %" PRIu64
               " of %zu %s, this one the first",
               t->format->name, t->num_unknown, t->num, t->num == 1 ? "access" : "accesses");
    return ik_hint(err, IK_ERR_INPUT,
                   "say how long the disks take with 'service', such as service=5 ms");
}

/* Where nothing is said, an access takes a time that `service` describes. */
static ik_status storage_read_complete(storage *s, const ik_params *p, uint64_t seed, ik_error *err)
{
    io_trace *t = &s->trace;
    bool given = ik_params_has(p, "service");
    if (t->num_unknown && !given)
        return storage_read_refuse_unknown(s, err);
    if (!t->num_unknown && (given || ik_params_given(p, "service_times"))) {
        ik_fail(err, IK_ERR_INPUT,
                STORAGE_OWNER
                ": %s says when each access was done: a time of service has no effect",
                t->lines.path);
        return ik_about(err, ik_hint(err, IK_ERR_INPUT, "leave it out"), "service service_times");
    }
    double mean = given ? (double)ik_params_uint(p, "service") : 0;
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, STORAGE_SERVICE);
    for (size_t k = 0; k < t->num; k++)
        if (t->list[k].done_ns == IO_UNKNOWN)
            t->list[k].done_ns = t->list[k].ns + storage_service_ns(p, mean, &rng);
    return IK_OK;
}

/* ---- who asks */

/* Clients that the trace numbers keep their numbers, as far as there are so many; else a hash of
 * the process, or of where the access begins on its disk, says which one it is. */
static void storage_read_choose_clients(storage *s, uint64_t seed)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, STORAGE_HOSTS);
    uint64_t salt = ik_rng_u64(&rng), clients = s->at.num_clients;
    for (size_t k = 0; k < s->trace.num; k++) {
        io_access *a = &s->trace.list[k];
        if (a->asks == IO_BY_HOST) {
            a->key %= clients;
            continue;
        }
        uint32_t tag = a->asks == IO_BY_PROCESS ? ik_hash_tag2(a->key, salt)
                                                : ik_hash_tag2(a->offset / SECTOR, salt + a->disk);
        a->key = tag * clients >> 32;
    }
}

ik_status storage_place(storage *s, const ik_params *p, uint32_t processes, uint64_t seed,
                        const ik_env *env, ik_error *err)
{
    ik_status status = placement_make(STORAGE_OWNER, p, processes, s->trace.num_disks,
                                      s->trace.disk_names, seed, env, &s->at, err);
    if (status == IK_OK)
        status = storage_read_complete(s, p, seed, err);
    if (status == IK_OK)
        storage_read_choose_clients(s, seed);
    return status;
}

/* ---- the note */

ik_status storage_note(const storage *s, char **note, ik_error *err)
{
    const io_trace *t = &s->trace;
    size_t size = strlen(t->lines.path) + 400;
    char *text = malloc(size);
    if (!text)
        return ik_fail_memory(err, size, "a note");
    size_t used = (size_t)snprintf(
        text, size, "%s: %zu %s of %" PRIu32 " %s in format %s, over %.6g s", t->lines.path, t->num,
        t->num == 1 ? "access" : "accesses", t->num_disks, t->num_disks == 1 ? "disk" : "disks",
        t->format->name, (double)(t->list[t->num - 1].ns - t->list[0].ns) * 1e-9);
    if (t->num_empty)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %" PRIu64 " of 0 bytes skipped, the first in %s %u",
                                 t->num_empty, t->s.line ? "line" : "record", t->first_empty);
    if (t->num_other)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %" PRIu64 " that neither read nor write skipped", t->num_other);
    if (t->num_unknown)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %" PRIu64 " without a completion, for which 'service' is used",
                                 t->num_unknown);
    if (t->cut)
        snprintf(text + used, size - used, "; the last line has no end: it may be cut off");
    *note = text;
    return IK_OK;
}
