/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of terminals. Source: ECMA-48 (control sequences, strings).
 */
#include "format/terminal.h"
#include "base/text_lines.h"

#include <stdlib.h>

/* Behind an escape character: the end of what belongs to it, at most that of the line. ESC [ ends
 * with a byte from @ to ~, ESC ] and its like with a bell or ESC \, others with one from 0 on. */
static const char *terminal_end_of_escape(const char *at, const char *end)
{
    if (at == end || *at == '\n')
        return at;
    char kind = *at++;
    if (kind == '[') {
        while (at < end && *at >= ' ' && *at < '@')
            at++;
        return at < end && *at != '\n' ? at + 1 : at;
    }
    if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
        while (at < end && *at != '\n' && *at != 7 && *at != 27)
            at++;
        if (at < end && *at == 7)
            return at + 1;
        return end - at > 1 && *at == 27 && at[1] == '\\' ? at + 2 : at;
    }
    while (kind >= ' ' && kind < '0' && at < end && *at != '\n')
        kind = *at++;
    return at;
}

ik_status terminal_plain(const char *text, size_t size, char **plain, size_t *length,
                         size_t *controls, ik_error *err)
{
    const char *at = text, *end = text + size;
    while (at < end && !ik_text_is_control((unsigned char)*at))
        at++;
    if (at == end)
        return IK_OK;
    char *copy = malloc(size + 1), *to = copy;
    if (!copy)
        return ik_fail_memory(err, size, "a log of a terminal");
    for (at = text; at < end;) {
        char c = *at++;
        *controls += ik_text_is_control((unsigned char)c);
        if (c == 27)
            at = terminal_end_of_escape(at, end);
        else if (c != '\r' && !ik_text_is_control((unsigned char)c))
            *to++ = c;
    }
    *to = '\0';
    *plain = copy;
    *length = (size_t)(to - copy);
    return IK_OK;
}
