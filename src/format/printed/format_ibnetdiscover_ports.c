/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ibnetdiscover_ports`: what `ibnetdiscover -p` prints, a line per port:
 *
 *   SW    11  5 0x0002c90200000008 4x QDR - CA    41  1 0x0002c90300000072 ( 'leaf' - 'node' )
 *   SW    11  6 0x0002c90200000008 4x SDR                                    'leaf'
 *
 * Kind, LID, port, GUID of the port, width and speed, and the same of the other end. The ports of a
 * node come with falling numbers.
 */
#include "format/ib_rate.h"
#include "format/printed/ib_rows.h"
#include "ikat/format.h"

#include <stdio.h>
#include <string.h>

static ib_kind ibnetdiscover_ports_kind(scan *s)
{
    if (scan_word(s, "SW"))
        return IB_KIND_SWITCH;
    return scan_word(s, "CA") || scan_word(s, "RT") || scan_word(s, "Rt") ? IB_KIND_HOST
                                                                          : IB_KIND_UNKNOWN;
}

/* Behind the kind. */
static ik_status ibnetdiscover_ports_port(scan *s, ib_row_port *p, ik_error *err)
{
    ik_status status = ib_rows_lid(s, &p->lid, err);
    if (status == IK_OK)
        status = ib_rows_port(s, &p->port, err);
    return status == IK_OK ? ib_rows_guid(s, &p->guid, err) : status;
}

/* `4x QDR`, kept as 4xQDR; question marks where nothing is known. */
static ik_status ibnetdiscover_ports_rate(ib_rows *r, slice *rate, ik_error *err)
{
    char speed[8];
    scan *s = &r->ib.s;
    scan_blanks(s);
    slice width = scan_token(s);
    scan_blanks(s);
    slice word = scan_token(s);
    snprintf(speed, sizeof speed, "%.*s", (int)(word.length < 7 ? word.length : 7), word.at);
    return ib_rate_text(&r->ib, width, speed, rate, err);
}

/* A name in apostrophes at the end of the line; it may have some itself. */
static ik_status ibnetdiscover_ports_last_name(scan *s, slice *name, ik_error *err)
{
    const char *close = s->end;
    while (close > s->at && (close[-1] == ' ' || close[-1] == '\t'))
        close--;
    if (!scan_char(s, '\'') || close <= s->at || close[-1] != '\'')
        return scan_fail(s, err, "expected a name in apostrophes up to the end of the line");
    *name = (slice){s->at, (size_t)(close - 1 - s->at)};
    s->at = close;
    return IK_OK;
}

/* A name in apostrophes, up to `end`, the text behind it. */
static ik_status ibnetdiscover_ports_name(scan *s, const char *end, slice *name, ik_error *err)
{
    size_t length = strlen(end);
    scan_blanks(s);
    if (!scan_char(s, '\''))
        return scan_fail(s, err, "expected a name in apostrophes");
    for (const char *at = s->at; (size_t)(s->end - at) >= length; at++)
        if (memcmp(at, end, length) == 0) {
            *name = (slice){s->at, (size_t)(at - s->at)};
            s->at = at + length;
            return IK_OK;
        }
    s->at = s->end;
    return scan_fail(s, err, "expected \"%s\" behind the name", end);
}

static ik_status ibnetdiscover_ports_peer(scan *s, ib_row *row, ik_error *err)
{
    scan_blanks(s);
    row->peer.kind = ibnetdiscover_ports_kind(s);
    if (row->peer.kind == IB_KIND_UNKNOWN)
        return scan_fail(s, err, "expected SW, CA or RT");
    ik_status status = ibnetdiscover_ports_port(s, &row->peer, err);
    scan_blanks(s);
    if (status == IK_OK && !scan_char(s, '('))
        status = scan_fail(s, err, "expected the two names in parentheses");
    if (status == IK_OK)
        status = ibnetdiscover_ports_name(s, "' - ", &row->own.name, err);
    return status == IK_OK ? ibnetdiscover_ports_name(s, "' )", &row->peer.name, err) : status;
}

static ik_status ibnetdiscover_ports_line(ib_rows *r, ik_error *err)
{
    scan *s = &r->ib.s;
    ib_row row = {0};
    row.own.kind = ibnetdiscover_ports_kind(s);
    if (row.own.kind == IB_KIND_UNKNOWN) {
        ib_skip_line(&r->ib, r->num > 0);
        return IK_OK;
    }
    ik_status status = ibnetdiscover_ports_port(s, &row.own, err);
    if (status == IK_OK)
        status = ibnetdiscover_ports_rate(r, &row.rate, err);
    scan_blanks(s);
    if (status == IK_OK)
        status = scan_word(s, "-") ? ibnetdiscover_ports_peer(s, &row, err)
                                   : ibnetdiscover_ports_last_name(s, &row.own.name, err);
    if (status == IK_OK && !scan_at_end(s))
        status = scan_fail(s, err, "expected the end of the line");
    return status == IK_OK ? ib_rows_add(r, &row, err) : status;
}

static ik_status ibnetdiscover_ports_read(const char *text, size_t size, const char *file,
                                          ik_builder *b, ik_error *err)
{
    ib_rows r = {.ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b},
                 .falling = true};
    return ib_rows_read(&r, ibnetdiscover_ports_line, "'ibnetdiscover -p'", err);
}

/* A line that begins as a row does, up to the GUID. */
static unsigned ibnetdiscover_ports_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    ib_row_port p;
    for (unsigned lines = 0; lines < 200 && scan_line(&s); lines++) {
        scan_blanks(&s);
        if (ibnetdiscover_ports_kind(&s) && ibnetdiscover_ports_port(&s, &p, NULL) == IK_OK)
            return 85;
    }
    return 0;
}

static const char *const extensions[] = {"ports", NULL};

const ik_format ik_format_ibnetdiscover_ports = {
    .name = "ibnetdiscover_ports",
    .summary = "the ports that 'ibnetdiscover -p' prints, with LIDs and rates",
    .source = "infiniband-diags, ibnetdiscover(8)",
    .extensions = extensions,
    .probe = ibnetdiscover_ports_probe,
    .read = ibnetdiscover_ports_read,
};
