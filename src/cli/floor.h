/* SPDX-License-Identifier: Apache-2.0
 *
 * floor.h: floor plans in commands: the options --floor and --cable-list.
 */
#ifndef IKAT_CLI_FLOOR_H
#define IKAT_CLI_FLOOR_H

#include "cli.h"

/* Whether --cable-list names what can be written; an exit status. */
int cli_floor_check(const cli *c);
/* The rules of --floor: a file, or 'default', which is also what holds without it. */
ik_status cli_floor_rules(const cli *c, ik_floor_rules *out, ik_error *err);
/* The plan of a fabric by these rules. */
ik_status cli_floor_make(cli *c, const ik_fabric *f, ik_floor_plan **out, ik_error *err);
/* Writes the file of --cable-list, if there is one: whole or not at all. */
ik_status cli_floor_write(const cli *c, const ik_fabric *f, const ik_floor_plan *plan,
                          ik_error *err);
/* A heading with rows. */
void cli_floor_print(const cli *c, const ik_floor_plan *plan);

#endif
