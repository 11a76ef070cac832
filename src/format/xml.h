/* SPDX-License-Identifier: Apache-2.0
 *
 * A small pull reader of XML: elements, attributes, text; no namespaces, no validation, only the
 * five named entities and numbers.
 */
#ifndef IKAT_XML_H
#define IKAT_XML_H

#include "format/name_map.h"

typedef enum xml_event { XML_OPEN, XML_EMPTY, XML_CLOSE, XML_TEXT, XML_END } xml_event;

enum { XML_MAX_ATTRIBUTES = 32, XML_MAX_DEPTH = 64 };

typedef struct xml_reader {
    const char *file, *at, *end, *line_start;
    unsigned next_line;
    unsigned line, column; /* of the event */
    slice name;            /* of the element opened or closed, without a prefix */
    slice text;            /* unescaped */
    bool keep_blanks;      /* set by the caller: report texts of blanks only */
    size_t num_attributes;
    slice attribute[XML_MAX_ATTRIBUTES], value[XML_MAX_ATTRIBUTES];
    slice open[XML_MAX_DEPTH];
    unsigned depth;
    ik_arena arena; /* unescaped texts */
} xml_reader;

xml_reader xml_start(const char *text, size_t size, const char *file);
void xml_end(xml_reader *x);
/* The next event; elements must be closed in order. Texts of blanks only are left out, unless
 * keep_blanks. */
ik_status xml_next(xml_reader *x, xml_event *event, ik_error *err);
/* What a reader does at the events of a file; an empty element is opened, then closed. The file is
 * read to its end, or to the first that fails. */
typedef struct xml_handlers {
    ik_status (*open)(void *ctx);
    ik_status (*text)(void *ctx);
    ik_status (*close)(void *ctx);
} xml_handlers;
ik_status xml_each(xml_reader *x, const xml_handlers *handlers, void *ctx, ik_error *err);
/* Value of an attribute of the element just opened. */
bool xml_attribute(const xml_reader *x, const char *name, slice *value);
/* IK_ERR_INPUT at the event's place. */
ik_status xml_fail(const xml_reader *x, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);

#endif
