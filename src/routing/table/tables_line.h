/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_line.h: one line of a file of forwarding tables.
 */
#ifndef IKAT_ROUTING_TABLES_LINE_H
#define IKAT_ROUTING_TABLES_LINE_H

#include "ikat/base.h"
#include "ikat/lids.h"

typedef enum tables_kind {
    TABLES_NOTHING, /* a comment, a column title, a count */
    TABLES_HEADER,
    TABLES_ENTRY
} tables_kind;

/* Where the port stands in a line of OpenSM, dump_fts and ibroute: behind "0x0001 ". */
enum { TABLES_PORT_AT = 7, TABLES_PORT_DIGITS = 3 };

typedef enum tables_format {
    TABLES_OPENSM,
    TABLES_DUMP_FTS,
    TABLES_FDBS,
    TABLES_FAR
} tables_format;

typedef struct tables_line {
    tables_kind kind;
    /* a header */
    tables_format format;
    uint64_t switch_guid;
    uint32_t switch_lid; /* IK_NONE = not said */
    uint32_t top_lid;    /* the last one that the block is said to have, IK_NONE = not said */
    /* an entry */
    uint32_t lid, port; /* port 255: no route */
    unsigned port_column;
    const char *rest, *end; /* what stands behind the port */
    uint16_t group;         /* tables_far.h; 0 = that port alone */
} tables_line;

/* Reads the line from `at` up to `end`; `file` and `line` are for messages. IK_ERR_INPUT with the
 * place. */
ik_status tables_read_line(const char *at, const char *end, const char *file, unsigned line,
                           tables_line *out, ik_error *err);
/* As ik_lid_tables_print, with what each LID is in every line, or once at the top. */
ik_status tables_print(const ik_lid_tables *t, bool named, FILE *out, ik_error *err);
/* The GUID of the destination's port, in what stands behind an entry; 0 = not said. */
uint64_t tables_line_guid(const char *rest, const char *end);

/* Parts of lines. Numbers are 0x… or decimal digits at *p, at most `limit`; *p moves behind them.
 */
bool tables_line_read_number(const char **p, const char *end, uint64_t limit, uint64_t *value);
const char *tables_line_skip_blanks(const char *at, const char *end);
bool tables_line_starts_with(const char *line, const char *end, const char *text);
const char *tables_line_find_text(const char *from, const char *end, const char *text);

#endif
