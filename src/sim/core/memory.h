/* SPDX-License-Identifier: Apache-2.0
 *
 * core/memory.h: memory aligned to cache lines; large blocks to huge pages where the system has
 * them. Free with free(). */
#ifndef IKAT_SIM_MEMORY_H
#define IKAT_SIM_MEMORY_H

#include <stddef.h>

void *sim_alloc(size_t count, size_t size); /* not cleared */
void *sim_alloc_zeroed(size_t count, size_t size);

#endif
