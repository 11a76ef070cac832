/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_impl.h: what the files of the reader of recordings share.
 */
#ifndef IK_RECORDING_IMPL_H
#define IK_RECORDING_IMPL_H

#include "record/recording_read.h"

#include <stdio.h>

/* Where the blocks of a rank begin in the file. */
typedef struct recording_place {
    uint64_t offset;
    uint32_t num_blocks;
    bool complete;
} recording_place;

struct recording {
    char *path;
    FILE *file;
    uint64_t file_bytes;
    uint32_t version, num_ranks;
    recording_place *ranks;
    /* the rank that is being read */
    uint32_t rank, blocks_read;
    uint64_t next_offset; /* of its next block */
    recording_block block;
    unsigned char *payload; /* of the block */
    size_t room_payload;
    const unsigned char *at, *end;
    uint32_t records_left;   /* in the block */
    uint64_t number, offset; /* of the record that is read */
    uint64_t num_requests;
    uint32_t num_comms;
    uint8_t *comm_freed; /* [room_comms] */
    size_t room_comms;
    recording_item *items;
    size_t num_items, room_items;
    bool ended;
};

/* Reads the rank's next block, of which there is one. */
ik_status recording_next_block(recording *r, ik_error *err);

#endif
