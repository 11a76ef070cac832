/* SPDX-License-Identifier: Apache-2.0
 *
 * core/inline.h: for functions whose parameters are constants where they are compiled. */
#ifndef IKAT_SIM_INLINE_H
#define IKAT_SIM_INLINE_H

#include "base/sanitized.h"

#if IK_SANITIZED
/* The variants of an engine, each with all its checks, take a compiler many minutes. */
#define SIM_INLINE static inline
#else
#define SIM_INLINE static inline __attribute__((always_inline))
#endif

#endif
