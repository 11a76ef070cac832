/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.h: the scaling table of `ikat compare`.
 */
#ifndef IKAT_CLI_SCALE_H
#define IKAT_CLI_SCALE_H

#include "cli.h"

/* Is the series named by the command line's arguments (by its own name or its family's), or are
 * there no arguments? */
bool cli_wants_series(const cli *c, const ik_topology *t, const ik_series *s);
int cli_compare_scale(cli *c);

#endif
