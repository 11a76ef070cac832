/* SPDX-License-Identifier: Apache-2.0
 *
 * base/text_stream.h: a stream into memory that says so when it lacks memory. open_memstream of the
 * GNU C library loses text then, and neither ferror nor fclose tells.
 */
#ifndef IKAT_BASE_TEXT_STREAM_H
#define IKAT_BASE_TEXT_STREAM_H

#include "ikat/base.h"

typedef struct ik_text_stream {
    FILE *out;   /* write into it */
    size_t size; /* of what was flushed */
    /* private */
    char *text;
    size_t capacity;
    bool failed;
} ik_text_stream;

/* `t` stays where it is until it is closed. IK_ERR_MEMORY: nothing is open. */
ik_status ik_text_stream_open(ik_text_stream *t, ik_error *err);
/* *text: all that was written and a 0 behind it; free(). *size (NULL: unwanted) is without the 0.
 * IK_ERR_MEMORY: some of it found no room; nothing is left to free. */
ik_status ik_text_stream_close(ik_text_stream *t, char **text, size_t *size, ik_error *err);

#endif
