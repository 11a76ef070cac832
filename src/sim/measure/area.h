/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/area.h: values times how long they last, exact integers: sums that do not depend on the
 * order in which they are added. */
#ifndef IKAT_SIM_AREA_H
#define IKAT_SIM_AREA_H

#include <stdint.h>

/* Bytes, hosts or messages, times picoseconds; also latencies in picoseconds, summed. With 64 bits
 * 20 million packets that wait a second each would be too much: runs have up to 1000 s. */
__extension__ typedef unsigned __int128 sim_area;

/* Calls for each period of a series of `count` periods, each `length` ps long, that from .. to
 * touches; ps: how long. */
#define SIM_EACH_PERIOD(length, count, from, to, period, ps)                                       \
    for (uint64_t at_ = (from), ps = 0, period = 0;                                                \
         at_ < (to) && (period = at_ / (length)) < (count) &&                                      \
         (ps = ((period + 1) * (length) < (to) ? (period + 1) * (length) : (to)) - at_);           \
         at_ += ps)

#endif
