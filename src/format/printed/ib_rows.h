/* SPDX-License-Identifier: Apache-2.0
 *
 * What iblinkinfo and `ibnetdiscover -p` print: a row per port, with the other end of its cable.
 * Neither says which ports are one adapter's, nor its GUID: ports of one name that stand together
 * in the order of their numbers are one adapter, which gets the GUID of its first port.
 */
#ifndef IKAT_IB_ROWS_H
#define IKAT_IB_ROWS_H

#include "format/ib_dump.h"
#include "format/printed/ib_keys.h"

typedef enum ib_kind { IB_KIND_UNKNOWN, IB_KIND_SWITCH, IB_KIND_HOST } ib_kind;

/* A port: the row's own, and the other end of the cable. */
typedef struct ib_row_port {
    uint64_t guid; /* of the port, or of the switch; 0 = not said */
    uint32_t lid;  /* 0 = none */
    uint32_t port; /* 1 to IB_MAX_PORTS; of the other end 0: no cable */
    ib_kind kind;
    slice name;
} ib_row_port;

typedef struct ib_row {
    ib_row_port own, peer;
    slice rate;
    bool begins;   /* a node's first row, where the text says so */
    bool inactive; /* the port is up, but not active */
    unsigned line;
    uint32_t node; /* of ib_rows_lay */
} ib_row;

typedef struct ib_rows {
    ib_file ib;
    ib_row *of;
    size_t num, cap;
    ib_keys guids, lids; /* of all rows: their nodes */
    bool falling;        /* numbers of a node's ports fall from row to row */
    bool has_heads;      /* lines between the rows say where a node begins */
} ib_rows;

/* Takes a row. IK_ERR_INPUT: a line between the last one and this is no row. */
ik_status ib_rows_add(ib_rows *r, const ib_row *row, ik_error *err);
/* Reads a whole text with `line`, once per line that is not empty, and lays its cables. */
ik_status ib_rows_read(ib_rows *r, ik_status (*line)(ib_rows *r, ik_error *err),
                       const char *program, ik_error *err);
/* A LID; a port; a GUID with 0x. Blanks before them are skipped. */
ik_status ib_rows_lid(scan *s, uint32_t *lid, ik_error *err);
ik_status ib_rows_port(scan *s, uint32_t *port, ik_error *err);
ik_status ib_rows_guid(scan *s, uint64_t *guid, ik_error *err);

#endif
