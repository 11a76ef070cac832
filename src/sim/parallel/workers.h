/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread a partition. */
#ifndef IKAT_SIM_WORKERS_H
#define IKAT_SIM_WORKERS_H

#include "ikat/base.h"

/* Runs run() on each of the `num` partitions, `size` bytes apart, on a thread each: the first on
 * the calling one. Either all threads start or nothing runs (IK_ERR_MEMORY). *seconds: wall time
 * until the last has returned. */
ik_status sim_workers_run(unsigned num, void *partitions, size_t size, void (*run)(void *partition),
                          double *seconds, ik_error *err);
double sim_thread_seconds(void); /* processor time of the calling thread */

#endif
