/* SPDX-License-Identifier: Apache-2.0
 *
 * design_show.h: the ways in which `ikat design` shows what was found.
 */
#ifndef IKAT_CLI_DESIGN_SHOW_H
#define IKAT_CLI_DESIGN_SHOW_H

#include "cli.h"

/* design_growth.c: a table of --from, and what it means. */
void design_print_growth(const cli *c, const ik_designs *d);
void design_note_growth(const ik_designs *d);
void design_print_paragraph(const char *text);
/* Whether hosts may lose their cables. */
bool designs_lose_hosts(const ik_designs *d);
/* Of the k-th pattern; NAN: not predicted. */
double design_saturation(const ik_design_member *m, size_t k);
/* All print to standard output and return the exit status. */
int designs_show_table(const cli *c, const ik_designs *d);
int designs_show_csv(const ik_designs *d);
int designs_show_json(const cli *c, const ik_designs *d);

#endif
