/* SPDX-License-Identifier: Apache-2.0
 *
 * poison.h: memory of pools and arenas that is not in use. Under the address sanitizer touching it
 * is reported like touching memory that was freed; elsewhere these do nothing. */
#ifndef IKAT_BASE_POISON_H
#define IKAT_BASE_POISON_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IK_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(IK_ADDRESS_SANITIZER)
#define IK_ADDRESS_SANITIZER
#endif

#ifdef IK_ADDRESS_SANITIZER
#define IK_ADDRESS_SANITIZED true
#include <sanitizer/asan_interface.h>
#define IK_POISON(at, bytes)   __asan_poison_memory_region((at), (bytes))
#define IK_UNPOISON(at, bytes) __asan_unpoison_memory_region((at), (bytes))
#else
#define IK_ADDRESS_SANITIZED   false
#define IK_POISON(at, bytes)   ((void)0)
#define IK_UNPOISON(at, bytes) ((void)0)
#endif

#endif
