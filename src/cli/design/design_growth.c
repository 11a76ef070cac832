/* SPDX-License-Identifier: Apache-2.0
 *
 * design_growth.c: what has to be done to make each design of the fabric of --from.
 */
#include "design_show.h"

#include <math.h>

void design_print_growth(const cli *c, const ik_designs *d)
{
    const char *headers[IK_GROWTH_NUMBERS + 2] = {
        "family",    "switches more>", "fewer>",       "new cables>", "moved>",
        "at least>", "staying>",       "hosts moved>", "at least>",   NULL};
    cli_heading(c, "Growth");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_members; i++) {
        ik_design_number numbers[IK_GROWTH_NUMBERS];
        if (!d->members[i].growth)
            continue;
        ik_growth_numbers(d->members[i].growth, d->rails, numbers);
        cli_table_cell(t, "%s", d->members[i].series);
        for (size_t k = 0; k < IK_GROWTH_NUMBERS; k++)
            cli_table_cell(t, "%s", cli_count((uint64_t)llround(numbers[k].value)));
    }
    cli_table_print(t, stdout, c->colour_out);
}

void design_note_growth(const ik_designs *d)
{
    char text[900];
    snprintf(text, sizeof text,
             "Growth from %.200s: switches, cables between switches, and hosts that change their "
             "switch, if its switches take the places of those of the design so that many cables "
             "stay. 'moved' are existing cables that are moved or removed: what a search found, "
             "and what no matching can avoid. Its switches are taken to have %u ports.%s",
             cli_line(d->from), d->wish.radix,
             d->rails > 1 ? " It is one of equal networks, and the numbers are of all rails." : "");
    design_print_paragraph(text);
}
