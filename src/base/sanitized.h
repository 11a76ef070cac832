/* SPDX-License-Identifier: Apache-2.0
 *
 * sanitized.h: which of the compiler's sanitizers watches the program, as 0 or 1. gcc defines a
 * macro for each of them, clang answers questions. */
#ifndef IKAT_BASE_SANITIZED_H
#define IKAT_BASE_SANITIZED_H

#ifdef __has_feature
#define IK_HAS_FEATURE(name) __has_feature(name)
#else
#define IK_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || IK_HAS_FEATURE(address_sanitizer)
#define IK_ADDRESS_SANITIZED 1
#else
#define IK_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__) || IK_HAS_FEATURE(thread_sanitizer)
#define IK_THREAD_SANITIZED 1
#else
#define IK_THREAD_SANITIZED 0
#endif

#define IK_SANITIZED (IK_ADDRESS_SANITIZED || IK_THREAD_SANITIZED)

#endif
