/* SPDX-License-Identifier: Apache-2.0
 *
 * Which build of ikat this is, and its clocks.
 */
#include "ikat/base.h"

#include "ikat_source_id.h"

#include <time.h>

const char *ik_build(void)
{
    return IKAT_VERSION " " IKAT_SOURCE_ID;
}

double ik_clock_s(int clock)
{
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
