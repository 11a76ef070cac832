/* SPDX-License-Identifier: Apache-2.0
 *
 * partitioner.c: calls METIS.
 *
 * Where METIS lacks memory it prints, raises SIGABRT and jumps back to its entry from a signal
 * handler. It sets the handlers of SIGABRT and SIGTERM of the whole process for the time of a call
 * and puts back what it found: with several threads one takes the handlers away from another, whose
 * failure then ends the process; the last to leave may put back the handler of a call that is over,
 * and a SIGTERM in the meantime jumps on whichever thread it meets. So the three functions with
 * which METIS does this, which it calls by name across its shared library, are replaced by such
 * that jump back without a signal. IKAT_METIS_TRAPS: this METIS has them (cmake/IkatDependencies).
 */
#include "base/partitioner.h"

#include <signal.h>

/* In the call under way: a call within it reports another reason to its caller. */
static _Thread_local bool lacks_memory;

#ifdef IKAT_METIS_TRAPS

enum { MAX_TRAPS = 128 }; /* places in METIS' array of points to jump to */

extern _Thread_local int gk_cur_jbufs; /* the innermost of these that is set */
_Noreturn void gk_sigthrow(int why);   /* jumps there */

int gk_sigtrap(void);
int gk_siguntrap(void);
void gk_errexit(int why, char *format, ...);

int gk_sigtrap(void)
{
    if (gk_cur_jbufs + 1 >= MAX_TRAPS)
        return 0;
    gk_cur_jbufs++;
    return 1;
}

int gk_siguntrap(void)
{
    if (gk_cur_jbufs < 0)
        return 0;
    gk_cur_jbufs--;
    return 1;
}

void gk_errexit(int why, char *format, ...)
{
    (void)format;
    lacks_memory |= why == SIGABRT;
    gk_sigthrow(why);
}

#endif

ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err)
{
    ik_partition_job j = *job; /* METIS takes what it reads as variable */
    idx_t cut = 0;
    lacks_memory = false;
    int status = (j.recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &j.num_vertices, &j.num_weights, j.begin, j.to, j.vertex_weights, NULL, j.link_weights,
        &j.num_parts, NULL, NULL, j.options, &cut, part);
    if (status == METIS_OK)
        return IK_OK;
    if (status == METIS_ERROR_MEMORY || lacks_memory)
        return ik_fail_memory(err, (size_t)j.begin[j.num_vertices] * 4 * sizeof *part,
                              "partitions of a graph");
    return ik_fail(err, IK_ERR_INTERNAL, "METIS gave up with status %d", status);
}
