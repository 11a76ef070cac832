/* SPDX-License-Identifier: Apache-2.0
 *
 * families.h: every family seen alike: what `ikat list` prints and `ikat help NAME` explains.
 */
#ifndef IKAT_CLI_FAMILIES_H
#define IKAT_CLI_FAMILIES_H

#include "cli.h"

typedef struct cli_member {
    const char *name, *summary, *source, *details;
    const ik_param *params, *common;
    const char *const *examples;
    const char *shorthand_of;     /* NULL if it is a member itself */
    const ik_plugin_info *plugin; /* that it comes from; NULL = it is built in */
} cli_member;

typedef struct cli_family {
    const char *name;     /* "topologies" */
    const char *singular; /* "topology" */
    const char *summary;
    /* Calls fn for every member in manifest order, shorthands behind theirs. */
    void (*each)(void (*fn)(void *ctx, const cli_member *m), void *ctx);
} cli_family;

extern const cli_family cli_families[]; /* ends with name NULL */
/* Prints a member's page. */
void cli_print_member(const cli *c, const cli_family *family, const cli_member *m);
void cli_member_json(ik_json *j, const char *key, const cli_member *m);
/* An array of all members, with the family's name as key. */
void cli_family_json(ik_json *j, const cli_family *family);
/* An array of the rows' names, types, defaults, ranges and texts; empty without rows. */
void cli_params_json(ik_json *j, const char *key, const ik_param *params);

#endif
