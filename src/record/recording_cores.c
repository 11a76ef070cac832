/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_cores.c: whether the ranks of a recording had processor cores of their own. They did
 * not if a host has more ranks than cores, or if more ranks were bound to the same cores than these
 * are (by the launcher, or by the limits of a container). Sets of cores that overlap in part are
 * not recognised: of each set the number of cores and a checksum are known.
 */
#include "base/hash.h"
#include "record/recording_impl.h"

#include <stdlib.h>

/* What a rank says of its cores. */
typedef struct rank_cores {
    uint64_t host; /* a hash of its name */
    uint32_t set, online, allowed;
} rank_cores;

static int compare_cores(const void *a, const void *b)
{
    const rank_cores *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->set < y->set ? -1 : x->set > y->set;
}

/* Remembers the place where the most ranks come on a core. 0 cores: the rank could not tell. */
static void recording_cores_consider(recording_cores *out, uint32_t ranks, uint32_t cores)
{
    if (cores == 0 || ranks <= cores)
        return;
    if (!out->shared || (uint64_t)ranks * out->cores > (uint64_t)out->ranks * cores) {
        out->ranks = ranks;
        out->cores = cores;
    }
    out->shared = true;
}

static void recording_cores_find_shared(const rank_cores *of, uint32_t num, recording_cores *out)
{
    for (uint32_t i = 0, host = 0, set = 0; i < num; i++) {
        bool last = i + 1 == num;
        if (last || of[i + 1].host != of[i].host || of[i + 1].set != of[i].set) {
            recording_cores_consider(out, i + 1 - set, of[i].allowed);
            set = i + 1;
        }
        if (last || of[i + 1].host != of[i].host) {
            recording_cores_consider(out, i + 1 - host, of[i].online);
            host = i + 1;
        }
    }
}

ik_status recording_find_cores(recording *r, recording_cores *out, ik_error *err)
{
    *out = (recording_cores){.known = r->version >= 2};
    if (!out->known)
        return IK_OK;
    rank_cores *of = calloc(r->num_ranks, sizeof *of);
    ik_status status =
        of ? IK_OK : ik_fail_memory(err, r->num_ranks * sizeof *of, "the cores of ranks");
    for (uint32_t rank = 0; rank < r->num_ranks && status == IK_OK; rank++) {
        recording_record o;
        status = recording_rewind(r, rank, err);
        if (status == IK_OK)
            status = recording_next(r, &o, err);
        if (status == IK_OK)
            of[rank] =
                (rank_cores){ik_hash_text(o.host), o.core_set, o.cores_online, o.cores_allowed};
    }
    if (status == IK_OK) {
        qsort(of, r->num_ranks, sizeof *of, compare_cores);
        recording_cores_find_shared(of, r->num_ranks, out);
    }
    free(of);
    return status;
}
