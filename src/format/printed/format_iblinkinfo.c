/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `iblinkinfo`: what iblinkinfo prints, a line per port, under the name of its node
 *
 *   Switch: 0x0002c90200000008 leaf:
 *         11    5[  ] ==( 4X     10.0 Gbps Active/  LinkUp)==>      41    1[  ] "node HCA-1" ( )
 *         11    6[  ] ==(                Down/ Polling)==>             [  ] "" ( )
 *   CA: node HCA-1:
 *      0x0002c90300000072   41    1[  ] ==( 4X …
 *
 * or, with -l, without such lines, but with the GUID of the port and the name of the node in front,
 * and the GUID of the other port behind the arrow. Without -l the other port is found by its LID.
 */
#include "format/printed/ib_rows.h"
#include "ikat/format.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *printed, *name; /* Gb/s of signalling per lane */
} speeds[] = {{"2.5", "SDR"},      {"5.0", "DDR"},    {"10.0", "QDR"},   {"14.0625", "FDR"},
              {"25.78125", "EDR"}, {"53.125", "HDR"}, {"106.25", "NDR"}, {"212.5", "XDR"}};

/* `text` in the line from s->at on, NULL if it is not there. */
static const char *iblinkinfo_find(const scan *s, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = s->at; (size_t)(s->end - at) >= length; at++)
        if (memcmp(at, text, length) == 0)
            return at;
    return NULL;
}

/* "…" up to the last quote before `end`. */
static ik_status iblinkinfo_name(scan *s, const char *end, slice *name, ik_error *err)
{
    scan_blanks(s);
    if (!scan_char(s, '"'))
        return scan_fail(s, err, "expected a name in quotes");
    while (end > s->at && end[-1] != '"')
        end--;
    if (end <= s->at)
        return scan_fail(s, err, "expected the closing quote of the name");
    const char *begin = s->at, *close = end - 1;
    s->at = end;
    while (begin < close && *begin == ' ')
        begin++;
    *name = (slice){begin, (size_t)(close - begin)};
    return IK_OK;
}

/* LID, port and its number on the case: `   11    5[  ]`. */
static ik_status iblinkinfo_port(scan *s, ib_row_port *p, ik_error *err)
{
    ik_status status = ib_rows_lid(s, &p->lid, err);
    if (status == IK_OK)
        status = ib_rows_port(s, &p->port, err);
    if (status != IK_OK)
        return status;
    const char *close = scan_char(s, '[') ? memchr(s->at, ']', (size_t)(s->end - s->at)) : NULL;
    if (!close)
        return scan_fail(s, err, "expected '[  ]' behind the port");
    s->at = close + 1;
    return IK_OK;
}

/* From `==(` to `)==>`: width, speed and states. */
static ik_status iblinkinfo_link(ib_rows *r, ib_row *row, ik_error *err)
{
    scan *s = &r->ib.s;
    slice width = {0};
    const char *speed = NULL;
    scan_blanks(s);
    const char *end = iblinkinfo_find(s, "==>");
    if (!scan_prefix(s, "==(") || !end)
        return scan_fail(s, err, "expected the link between '==(' and ')==>'");
    while (s->at < end) {
        slice word = {s->at, 0};
        while (s->at < end && !strchr(" /()", *s->at))
            s->at++;
        word.length = (size_t)(s->at - word.at);
        s->at += s->at < end;
        for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
            if (word.length == strlen(speeds[i].printed) &&
                memcmp(word.at, speeds[i].printed, word.length) == 0)
                speed = speeds[i].name;
        if (word.length == 5 && memcmp(word.at, "FDR10", 5) == 0)
            speed = "FDR10";
        if (word.length >= 2 && word.length <= 3 && word.at[word.length - 1] == 'X' && !width.at)
            width = (slice){word.at, word.length};
        row->inactive |= (word.length == 10 && memcmp(word.at, "Initialize", 10) == 0) ||
                         (word.length == 5 && memcmp(word.at, "Armed", 5) == 0);
    }
    s->at = end + 3;
    char lanes[4] = "";
    for (size_t i = 0; i < width.length; i++)
        lanes[i] = width.at[i] == 'X' ? 'x' : width.at[i];
    return ib_rate_text(&r->ib, (slice){lanes, width.length}, speed, &row->rate, err);
}

/* The other end, if there is one. */
static ik_status iblinkinfo_peer(scan *s, ib_row *row, ik_error *err)
{
    ik_status status = IK_OK;
    scan_blanks(s);
    if (s->at < s->end && (*s->at == '[' || *s->at == '"'))
        return IK_OK;
    if (s->end - s->at > 2 && s->at[1] == 'x')
        status = ib_rows_guid(s, &row->peer.guid, err);
    if (status == IK_OK)
        status = iblinkinfo_port(s, &row->peer, err);
    if (status == IK_OK)
        status = iblinkinfo_name(s, s->end, &row->peer.name, err);
    scan_blanks(s);
    if (status == IK_OK && (!scan_char(s, '(') || s->end[-1] != ')'))
        status = scan_fail(s, err, "expected '( )' at the end of the line");
    return status;
}

static ik_status iblinkinfo_row(ib_rows *r, ib_row *row, ik_error *err)
{
    scan *s = &r->ib.s;
    const char *arrow = iblinkinfo_find(s, "==(");
    bool has_guid = s->end - s->at > 2 && s->at[1] == 'x';
    ik_status status = has_guid ? ib_rows_guid(s, &row->own.guid, err) : IK_OK;
    scan_blanks(s);
    bool long_form = status == IK_OK && s->at < s->end && *s->at == '"';
    if (long_form) {
        row->own.kind = IB_KIND_UNKNOWN;
        status = iblinkinfo_name(s, arrow, &row->own.name, err);
    } else if (status == IK_OK && (!row->own.guid || !row->own.kind)) {
        status = scan_fail(s, err,
                           "expected a line 'Switch: 0x…' or 'CA: …' before the ports of a "
                           "node");
    }
    if (status == IK_OK)
        status = iblinkinfo_port(s, &row->own, err);
    if (status == IK_OK)
        status = iblinkinfo_link(r, row, err);
    if (status == IK_OK)
        status = iblinkinfo_peer(s, row, err);
    if (status == IK_OK && row->peer.port && !row->peer.guid && long_form)
        status = scan_fail(s, err, "expected the GUID of the other end, as in other lines of -l");
    return status;
}

/* `Switch: 0x… NAME:`, `CA: NAME:`: false if it is none. */
static bool iblinkinfo_head(scan *s, ib_row_port *node)
{
    *node = (ib_row_port){0};
    if (scan_prefix(s, "Switch: "))
        node->kind = IB_KIND_SWITCH;
    else if (scan_prefix(s, "CA: ") || scan_prefix(s, "Router: "))
        node->kind = IB_KIND_HOST;
    if (!node->kind || s->end == s->at || s->end[-1] != ':' ||
        (node->kind == IB_KIND_SWITCH && ib_rows_guid(s, &node->guid, NULL) != IK_OK))
        return false;
    scan_char(s, ' ');
    node->name = (slice){s->at, s->end > s->at ? (size_t)(s->end - s->at) - 1 : 0};
    return true;
}

/* The rows of a file, and the node whose ports they are. */
typedef struct link_info {
    ib_rows rows;
    ib_row_port head;
    bool begins;
} link_info;

static ik_status iblinkinfo_line(ib_rows *r, ik_error *err)
{
    link_info *l = (link_info *)r; /* rows come first in it */
    scan *s = &r->ib.s;
    ib_row row = {.own = l->head, .begins = l->begins};
    while (s->end > s->at && (s->end[-1] == ' ' || s->end[-1] == '\t')) /* a terminal pads lines */
        s->end--;
    if (iblinkinfo_find(s, "==(") && !strchr("#[", *s->at)) {
        l->begins = false;
        ik_status status = iblinkinfo_row(r, &row, err);
        bool headed = row.own.kind != IB_KIND_UNKNOWN;
        if (status == IK_OK && r->num && headed != r->has_heads)
            status = scan_fail(s, err, "expected lines of one form, with -l or without");
        r->has_heads = headed;
        return status == IK_OK ? ib_rows_add(r, &row, err) : status;
    }
    l->begins = iblinkinfo_head(s, &l->head);
    if (!l->begins)
        ib_skip_line(&r->ib, r->num > 0);
    return IK_OK;
}

static ik_status iblinkinfo_read(const char *text, size_t size, const char *file, ik_builder *b,
                                 ik_error *err)
{
    link_info l = {.rows = {.ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b}}};
    return ib_rows_read(&l.rows, iblinkinfo_line, "iblinkinfo", err);
}

static unsigned iblinkinfo_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    for (unsigned lines = 0; lines < 200 && scan_line(&s); lines++) {
        const char *from = iblinkinfo_find(&s, "==(");
        if (from && iblinkinfo_find(&s, ")==>") > from)
            return 85;
    }
    return 0;
}

static const char *const extensions[] = {"iblinkinfo", NULL};

const ik_format ik_format_iblinkinfo = {
    .name = "iblinkinfo",
    .summary = "the links that iblinkinfo prints, with LIDs, states and rates",
    .source = "infiniband-diags, iblinkinfo(8)",
    .extensions = extensions,
    .probe = iblinkinfo_probe,
    .read = iblinkinfo_read,
};
