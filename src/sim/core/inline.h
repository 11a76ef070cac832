/* SPDX-License-Identifier: Apache-2.0
 *
 * core/inline.h: for functions whose parameters are constants where they are compiled. */
#ifndef IKAT_SIM_INLINE_H
#define IKAT_SIM_INLINE_H

#define SIM_INLINE static inline __attribute__((always_inline))

#endif
