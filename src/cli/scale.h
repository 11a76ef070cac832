/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.h: the scaling table of `ikat compare`.
 */
#ifndef IKAT_CLI_SCALE_H
#define IKAT_CLI_SCALE_H

#include "cli.h"

/* Is the series named by the command line's arguments, or are there no arguments? */
static inline bool cli_wants_series(const cli *c, const ik_series *s, const ik_topology *t)
{
    return ik_series_is_named(s, t, (const char *const *)c->args, (size_t)c->num_args);
}

/* Whether every argument names a series, or a family that has one. */
static inline ik_status cli_check_series(const cli *c, ik_error *err)
{
    return ik_series_check_names((const char *const *)c->args, (size_t)c->num_args, false, err);
}

int cli_compare_scale(cli *c);

#endif
