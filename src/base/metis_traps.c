/* SPDX-License-Identifier: Apache-2.0
 *
 * metis_traps.c: functions that replace three of METIS' in a program.
 *
 * Where METIS lacks memory it prints, raises SIGABRT and jumps back to its entry from a signal
 * handler. It sets the handlers of SIGABRT and SIGTERM of the whole process for the time of a call
 * and puts back what it found: with several threads one takes the handlers away from another, whose
 * failure then ends the process; the last to leave may put back the handler of a call that is over,
 * and a SIGTERM in the meantime jumps on whichever thread it meets. METIS calls the three functions
 * by name across its shared library, so those that a program exports take their place. These jump
 * back without a signal and without printing.
 *
 * They are part of no library: a library would have to export their names. The command, the tests
 * and the benchmarks are linked with this object; it is compiled where METIS has these functions
 * (cmake/IkatDependencies). In a program without it metis_slots.c does the same.
 */
#include "base/partitioner.h"

#include <signal.h>

enum { MAX_TRAPS = 128 }; /* places in METIS' array of points to jump to */

extern _Thread_local int gk_cur_jbufs; /* the innermost of these that is set */
_Noreturn void gk_sigthrow(int why);   /* jumps there */

int gk_sigtrap(void);
int gk_siguntrap(void);
void gk_errexit(int why, char *format, ...);

static _Thread_local bool lacks_memory;

bool ik_metis_lacked_memory(void)
{
    bool lacked = lacks_memory;
    lacks_memory = false;
    return lacked;
}

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
