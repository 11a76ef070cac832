/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the hot arrays. They are touched all over, so their pages matter: with pages of 2 MiB a
 * large network runs measurably faster, and where there are none nothing is lost. */
#include "sim/core/memory.h"
#include "sim/core/carry.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

static size_t memory_alignment_of(size_t bytes)
{
    return bytes >= (size_t)HUGE_PAGE / 2 ? HUGE_PAGE : LINE;
}

static size_t memory_rounded(size_t bytes)
{
    size_t align = memory_alignment_of(bytes);
    return bytes ? (bytes + align - 1) / align * align : align;
}

void *sim_alloc(size_t count, size_t size)
{
    size_t align = memory_alignment_of(count * size), bytes = memory_rounded(count * size);
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    void *block = aligned_alloc(align, bytes);
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

bool sim_get(sim_memory *m, void *where, size_t count, size_t size)
{
    m->bytes += memory_rounded(count * size);
    if (m->only_count)
        return true;
    void *block;
    if (m->carrier) {
        memcpy(&block, where, sizeof block);
        sim_carry_array(m->carrier, block, count, size);
        return true;
    }
    block = sim_alloc_zeroed(count, size);
    memcpy(where, &block, sizeof block);
    return block;
}
