/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the hot arrays. They are touched all over, so their pages matter: with pages of 2 MiB a
 * large network runs measurably faster, and where there are none nothing is lost. */
#include "sim/core/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

void *sim_alloc(size_t count, size_t size)
{
    size_t bytes = count * size, align = bytes >= (size_t)HUGE_PAGE / 2 ? HUGE_PAGE : LINE;
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    bytes = (bytes + align - 1) / align * align;
    void *block = aligned_alloc(align, bytes ? bytes : LINE);
#ifdef MADV_HUGEPAGE
    if (block && align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return block;
}

void *sim_alloc_zeroed(size_t count, size_t size)
{
    void *block = sim_alloc(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}
