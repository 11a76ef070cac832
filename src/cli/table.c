/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: tables as wide as the terminal.
 */
#include "cli.h"

#include <stdarg.h>

cli_table *cli_table_new(const char *const *headers)
{
    return ik_table_new(headers);
}

void cli_table_cell(cli_table *t, const char *format, ...)
{
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    ik_table_cell(t, "%s", buffer);
}

void cli_table_print(cli_table *t, FILE *out, bool colour)
{
    if (ik_table_print(t, out, cli_width(), colour, NULL) != IK_OK)
        cli_lack_memory();
}
