/* SPDX-License-Identifier: Apache-2.0
 *
 * poison.h: memory of pools and arenas that is not in use. Under the address sanitizer touching it
 * is reported like touching memory that was freed; elsewhere these do nothing. */
#ifndef IKAT_BASE_POISON_H
#define IKAT_BASE_POISON_H

#include "base/sanitized.h"

#include <stddef.h>

#if IK_ADDRESS_SANITIZED
#include <sanitizer/asan_interface.h>
#define IK_POISON(at, bytes)   __asan_poison_memory_region((at), (bytes))
#define IK_UNPOISON(at, bytes) __asan_unpoison_memory_region((at), (bytes))
#else
#define IK_POISON(at, bytes)   ((void)0)
#define IK_UNPOISON(at, bytes) ((void)0)
#endif

#endif
