/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: arenas (memory that lives and dies together) and a checked calloc.
 */
#include "ikat/base.h"

#include "base/poison.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK_BYTES = 16 * 1024, ARENA_ALIGN = 16 };

struct ik_arena_block {
    struct ik_arena_block *next;
    size_t used, size; /* of data[] */
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

static struct ik_arena_block *memory_block_new(size_t bytes)
{
    size_t size = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct ik_arena_block))
        return NULL;
    struct ik_arena_block *block = calloc(1, sizeof *block + size);
    if (block) {
        block->size = size;
        IK_POISON(block->data, size);
    }
    return block;
}

void *ik_arena_alloc(ik_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ARENA_ALIGN)
        return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    struct ik_arena_block *block = arena->head;
    if (!block || block->size - block->used < bytes) {
        block = memory_block_new(bytes);
        if (!block)
            return NULL;
        block->next = arena->head;
        arena->head = block;
    }
    void *result = block->data + block->used;
    IK_UNPOISON(result, bytes);
    block->used += bytes;
    return result;
}

char *ik_arena_strdup(ik_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ik_arena_alloc(arena, bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

char *ik_arena_printf(ik_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : ik_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void ik_arena_free(ik_arena *arena)
{
    struct ik_arena_block *block = arena->head;
    while (block) {
        struct ik_arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->head = NULL;
}

char *ik_format_bytes(char *buffer, size_t size, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned unit = 0;
    for (; bytes >= 999.5 && unit < 6; unit++)
        bytes /= 1024;
    snprintf(buffer, size, "%.3g %s", bytes, units[unit]);
    return buffer;
}

ik_status ik_env_refuse_bytes(const ik_env *env, double bytes, const char *what, ik_error *err)
{
    double limit = env ? (double)env->memory_limit_bytes : 0, most = (double)(SIZE_MAX / 2);
    if (bytes <= (limit > 0 && limit < most ? limit : most))
        return IK_OK;
    char needed[32], allowed[32];
    ik_format_bytes(needed, sizeof needed, bytes);
    if (limit == 0)
        return ik_fail(err, IK_ERR_MEMORY, "%s: about %s would be needed", what, needed);
    return ik_fail(err, IK_ERR_MEMORY, "%s: about %s would be needed, the limit is %s", what,
                   needed, ik_format_bytes(allowed, sizeof allowed, limit));
}

void *ik_calloc(size_t count, size_t size)
{
    /* calloc(0) may give NULL, which callers would take for failure. */
    return count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size);
}
