/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_reader.h: files of flows: what their formats (a flow a line, CSV, MatrixMarket) share.
 */
#ifndef IK_FLOW_READER_H
#define IK_FLOW_READER_H

#include "traffic/host_names.h"
#include "traffic/pattern.h"
#include "traffic/weight.h"

typedef struct flow_reader {
    ik_traffic *t;
    const char *path;
    host_names hosts;
    char *at; /* what is read next */
    const char *end;
    unsigned line;       /* the one that was read last, from 1 */
    pattern_flow *flows; /* weights are set at the end, from `weights` */
    weight *weights;     /* beside flows */
    size_t count, flow_room, weight_room;
    bool matrix;        /* of entries, not of flows */
    uint64_t own_lines; /* of a host to itself */
    unsigned first_own; /* line number */
} flow_reader;

/* The next line, ended in place; NULL at the end. */
char *flow_next_line(flow_reader *r);
/* Whether a word is a host's number or name. */
bool flow_is_host(const flow_reader *r, const char *word, uint32_t *host);
/* IK_ERR_INPUT at the column of the line read last where it is none. */
ik_status flow_find_host(const flow_reader *r, const char *word, unsigned column, uint32_t *host,
                         ik_error *err);
/* Whether a word is a number that is zero. */
bool flow_is_zero(const char *word);
ik_status flow_add(flow_reader *r, uint32_t src, uint32_t dst, weight w, ik_error *err);
/* An entry of a matrix: as flow_add, but zero is no flow. */
ik_status flow_add_entry(flow_reader *r, uint32_t src, uint32_t dst, const char *word,
                         unsigned column, ik_error *err);

/* The formats; each reads all that is left. */
bool flow_is_csv(const flow_reader *r);
ik_status flow_read_csv(flow_reader *r, ik_error *err);
bool flow_is_market(const flow_reader *r);
ik_status flow_read_market(flow_reader *r, ik_error *err);

#endif
