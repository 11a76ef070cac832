/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables in a text of ibdiagnet.
 */
#include "format/printed/csv_table.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

static slice csv_trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (slice){at, (size_t)(end - at)};
}

bool csv_begins(const scan *s, slice *name)
{
    scan line = *s;
    if (!scan_prefix(&line, "START_"))
        return false;
    *name = csv_trimmed(line.at, line.end);
    return name->length > 0;
}

bool csv_ends(const scan *s, slice name)
{
    scan line = *s;
    if (!scan_prefix(&line, "END_"))
        return false;
    slice ended = csv_trimmed(line.at, line.end);
    return ended.length == name.length && memcmp(ended.at, name.at, name.length) == 0;
}

/* The end of the field that begins here: the comma, or the end of the line. A comma within quotes
 * is part of the field; a quote ends it only where a comma or the end of the line follows. */
static const char *csv_end_of_field(const scan *s)
{
    const char *at = s->at, *after;
    while (at < s->end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == s->end || *at != '"') {
        const char *comma = memchr(at, ',', (size_t)(s->end - at));
        return comma ? comma : s->end;
    }
    while ((at = memchr(at + 1, '"', (size_t)(s->end - at - 1)))) {
        for (after = at + 1; after < s->end && (*after == ' ' || *after == '\t');)
            after++;
        if (after == s->end || *after == ',')
            return after;
    }
    return NULL;
}

static ik_status csv_read_field(scan *s, slice *field, ik_error *err)
{
    const char *end = csv_end_of_field(s);
    if (!end)
        return scan_fail(s, err, "expected a closing quote before a comma or the end of the line");
    *field = csv_trimmed(s->at, end);
    if (field->length >= 2 && field->at[0] == '"' && field->at[field->length - 1] == '"')
        *field = csv_trimmed(field->at + 1, field->at + field->length - 1);
    s->at = end;
    return IK_OK;
}

ik_status csv_read_columns(scan *s, const char *const *wanted, unsigned num, unsigned required,
                           csv_columns *c, ik_error *err)
{
    uint64_t found = 0;
    assert(num <= CSV_MOST_WANTED);
    *c = (csv_columns){.num = num, .line = s->line};
    do {
        slice name;
        ik_status status = csv_read_field(s, &name, err);
        if (status != IK_OK)
            return status;
        if (c->count == CSV_MOST_COLUMNS)
            return scan_fail(s, err, "expected at most %d columns", CSV_MOST_COLUMNS);
        for (unsigned i = 0; i < num; i++)
            if (!(found >> i & 1) && strlen(wanted[i]) == name.length &&
                strncasecmp(wanted[i], name.at, name.length) == 0) {
                c->wanted[c->count] = (uint8_t)(i + 1);
                found |= UINT64_C(1) << i;
            }
        c->count++;
    } while (scan_char(s, ','));
    s->at = s->line_start;
    for (unsigned i = 0; i < required; i++)
        if (!(found >> i & 1))
            return scan_fail(s, err, "expected a column %s among the names of the columns",
                             wanted[i]);
    return IK_OK;
}

ik_status csv_read_row(scan *s, const csv_columns *c, slice *field, ik_error *err)
{
    uint32_t column = 0;
    memset(field, 0, c->num * sizeof *field);
    do {
        slice value;
        const char *begin = s->at;
        ik_status status = csv_read_field(s, &value, err);
        if (status != IK_OK)
            return status;
        if (column >= c->count && value.length) {
            s->at = begin;
            return scan_fail(s, err, "expected the end of the line after %" PRIu32 " fields",
                             c->count);
        }
        if (column < c->count && c->wanted[column])
            field[c->wanted[column] - 1] = value;
        column++;
    } while (scan_char(s, ','));
    if (column < c->count)
        return scan_fail(s, err, "expected %" PRIu32 " fields, as line %u names them", c->count,
                         c->line);
    return IK_OK;
}

ik_status csv_number(const scan *s, slice field, const char *what, uint64_t max, uint64_t *value,
                     ik_error *err)
{
    scan number = *s;
    bool hex = field.length > 2 && field.at[0] == '0' && (field.at[1] | 0x20) == 'x';
    *value = 0;
    if (!field.length || (field.length == 3 && memcmp(field.at, "N/A", 3) == 0) ||
        (field.length == 2 && memcmp(field.at, "NA", 2) == 0))
        return IK_OK;
    number.at = field.at;
    bool read = hex ? scan_hex(&number, value) : scan_uint(&number, max, value);
    if (read && *value <= max && number.at == field.at + field.length)
        return IK_OK;
    number.at = field.at;
    return scan_fail(&number, err, "expected %s, a number up to %" PRIu64, what, max);
}
