/* SPDX-License-Identifier: Apache-2.0
 *
 * report/terminal_names.c: names in a table, shortened to what differs between its rows.
 *
 * A name is a family and its parameters, "xgft:m=4:4,w=1:4", often with settings behind it,
 * "dmodk, buffer=64 KiB". Parameters are what stands between commas.
 */
#include "report/terminal.h"

#include <string.h>

/* The next parameter of a name: its first byte and its length; false at the end. *at is where the
 * search goes on. */
static bool terminal_names_next_parameter(const char **at, const char **first, size_t *length)
{
    if (!**at)
        return false;
    *first = *at + strspn(*at, ", ");
    *length = strcspn(*first, ",");
    *at = *first + *length;
    return *length > 0;
}

/* Where the parameters of a name begin: behind the family. */
static const char *terminal_names_parameters_of(const char *name)
{
    size_t family = strcspn(name, ":,=");
    return name[family] == ':'   ? name + family + 1
           : name[family] == '=' ? name /* settings alone */
                                 : name + family;
}

static bool terminal_names_has_parameter(const char *list, const char *parameter, size_t length)
{
    const char *first;
    size_t n;
    while (terminal_names_next_parameter(&list, &first, &n))
        if (n == length && memcmp(first, parameter, n) == 0)
            return true;
    return false;
}

/* The name without the parameters of the list `common`. */
static void terminal_names_leave_out(char *name, const char *common)
{
    char kept[CELL + 2];
    const char *at = terminal_names_parameters_of(name), *first;
    size_t n, length = (size_t)(at - name), family = length;
    bool settings = false; /* behind the family: "dmodk, buffer=64 KiB,voq=false" */
    memcpy(kept, name, length);
    while (terminal_names_next_parameter(&at, &first, &n)) {
        bool begins = first > name && first[-1] == ' ';
        settings |= begins;
        if (terminal_names_has_parameter(common, first, n))
            continue;
        bool leads = length == family; /* nothing was kept before it */
        if (leads && settings && length > 0 && kept[length - 1] == ':')
            length--;
        if (length > 0 && (settings || !leads))
            kept[length++] = ',';
        if (length > 0 && settings && (leads || begins))
            kept[length++] = ' ';
        memcpy(kept + length, first, n);
        length += n;
    }
    if (length > 0 && kept[length - 1] == ':')
        length--;
    length = length < CELL ? length : CELL - 1;
    memcpy(name, kept, length);
    name[length] = '\0';
}

bool names_fold(char (*text)[CELL], size_t rows, size_t columns, char *common, size_t size)
{
    common[0] = '\0';
    bool same = true;
    for (size_t i = 1; i < rows && same; i++)
        same = strcmp(text[i * columns], text[0]) == 0;
    if (same) {
        snprintf(common, size, "%s", text[0]);
        return true;
    }
    const char *at = terminal_names_parameters_of(text[0]), *first;
    size_t n, length = 0;
    while (terminal_names_next_parameter(&at, &first, &n)) {
        bool all = !terminal_names_has_parameter(common, first, n);
        for (size_t i = 1; i < rows && all; i++)
            all = terminal_names_has_parameter(terminal_names_parameters_of(text[i * columns]),
                                               first, n);
        if (all && length + n + 3 < size)
            length += (size_t)snprintf(common + length, size - length, "%s%.*s", length ? ", " : "",
                                       (int)n, first);
    }
    for (size_t i = 0; i < rows && length > 0; i++)
        terminal_names_leave_out(text[i * columns], common);
    return false;
}
