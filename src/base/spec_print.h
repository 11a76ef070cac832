/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_print.h: the canonical text of a member with its parameters. */
#ifndef IKAT_BASE_SPEC_PRINT_H
#define IKAT_BASE_SPEC_PRINT_H

#include "ikat/base.h"

/* "name" or "name:key=value,...": only what differs from the defaults. Caches text in params. To be
 * freed; NULL = out of memory. */
char *spec_print(const char *name, ik_params *params);
/* A value as it stands behind '=' in a spec. NULL = out of memory. */
const char *spec_print_value(const ik_value *value, ik_arena *arena);

#endif
