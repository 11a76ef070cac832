/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.h: the scaling table of `ikat compare`, and what `ikat design` shares with it.
 */
#ifndef IKAT_CLI_SCALE_H
#define IKAT_CLI_SCALE_H

#include "cli.h"

/* Is the series named by the command line's arguments (by its own name or its family's), or are
 * there no arguments? */
bool cli_wants_series(const cli *c, const ik_topology *t, const ik_series *s);
/* Whether every argument names a series, or a family that has one. fit: one that has members for a
 * number of hosts and a switch. */
ik_status cli_check_series(const cli *c, bool fit, ik_error *err);
int cli_compare_scale(cli *c);
/* Members of series beyond this many hosts are counted from their formulas, not built. */
enum { CLI_MOST_BUILT = 300000 };
/* The saturation that is predicted for a pattern, -1: none, since the pattern does not fit the
 * fabric (e.g. a bit permutation of a number of hosts that is no power of two), or not all of it is
 * delivered. Where the routing chooses detours, *band has bounds instead. */
ik_status cli_predict(const cli *c, const ik_fabric *f, const ik_routing *r, const char *pattern,
                      double *saturation, ik_load_band *band, ik_error *err);

#endif
