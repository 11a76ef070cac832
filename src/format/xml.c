/* SPDX-License-Identifier: Apache-2.0
 *
 * A small pull reader of XML.
 */
#include "format/xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

xml_reader xml_start(const char *text, size_t size, const char *file)
{
    return (xml_reader){
        .file = file, .at = text, .end = text + size, .line_start = text, .next_line = 1};
}

void xml_end(xml_reader *x)
{
    ik_arena_free(&x->arena);
}

bool xml_attribute(const xml_reader *x, const char *name, slice *value)
{
    for (size_t i = 0; i < x->num_attributes; i++)
        if (x->attribute[i].length == strlen(name) &&
            memcmp(x->attribute[i].at, name, x->attribute[i].length) == 0) {
            *value = x->value[i];
            return true;
        }
    return false;
}

ik_status xml_fail(const xml_reader *x, ik_error *err, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ik_fail_at(err, IK_ERR_INPUT, x->file, x->line, x->column, "%s", text);
}

/* ---- moving on */

static void xml_step_to(xml_reader *x, const char *to)
{
    for (; x->at < to; x->at++)
        if (*x->at == '\n') {
            x->next_line++;
            x->line_start = x->at + 1;
        }
}

static void xml_mark(xml_reader *x)
{
    x->line = x->next_line;
    x->column = (unsigned)(x->at - x->line_start) + 1;
}

static bool xml_starts(const xml_reader *x, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(x->end - x->at) >= length && memcmp(x->at, with, length) == 0;
}

/* Moves behind the next `what`; false if there is none. */
static bool xml_skip_past(xml_reader *x, const char *what)
{
    size_t length = strlen(what);
    for (const char *c = x->at; (size_t)(x->end - c) >= length; c++)
        if (memcmp(c, what, length) == 0) {
            xml_step_to(x, c + length);
            return true;
        }
    return false;
}

static bool xml_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void xml_skip_blanks(xml_reader *x)
{
    const char *c = x->at;
    while (c < x->end && xml_is_blank(*c))
        c++;
    xml_step_to(x, c);
}

/* ---- texts */

/* The character as UTF-8: one to four bytes. */
static size_t xml_put_utf8(uint32_t code, char *out)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    size_t tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (size_t i = tail; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[tail] | code);
    return tail + 1;
}

static int xml_digit_of(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : 99;
}

/* "&#228;" or "&#xe4;": as unescape_one. Control characters and what is no character are no
 * entities. */
static size_t xml_unescape_number(const char *c, size_t left, char *out, size_t *written)
{
    bool hex = left > 3 && c[2] == 'x';
    uint32_t code = 0, base = hex ? 16 : 10;
    size_t first = hex ? 3 : 2, at = first;
    if (left < 4 || c[1] != '#')
        return 0;
    for (; at < left && (uint32_t)xml_digit_of(c[at]) < base && code < 0x110000; at++)
        code = base * code + (uint32_t)xml_digit_of(c[at]);
    if (at == first || at == left || c[at] != ';' || code < ' ' || code == 0x7f ||
        code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    *written = xml_put_utf8(code, out);
    return at + 1;
}

/* Writes the character of "&#...;" or "&name;" at c to out; returns how much of c it took, 0 if it
 * is no entity. */
static size_t xml_unescape_one(const char *c, size_t left, char *out, size_t *written)
{
    static const struct {
        const char *name;
        char c;
    } named[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < 5; i++) {
        size_t length = strlen(named[i].name);
        if (left >= length && memcmp(c, named[i].name, length) == 0) {
            *out = named[i].c;
            *written = 1;
            return length;
        }
    }
    return xml_unescape_number(c, left, out, written);
}

/* Texts with entities are copied; others stay where they are. Unknown entities are kept as
 * written. */
static ik_status xml_unescape(xml_reader *x, slice raw, slice *text, ik_error *err)
{
    if (!raw.length || !memchr(raw.at, '&', raw.length)) {
        *text = raw;
        return IK_OK;
    }
    char *copy = ik_arena_alloc(&x->arena, raw.length + 1);
    size_t length = 0;
    if (!copy)
        return ik_fail_memory(err, raw.length, "a text");
    for (size_t i = 0; i < raw.length;) {
        size_t written = 0, taken = raw.at[i] == '&' ? xml_unescape_one(raw.at + i, raw.length - i,
                                                                        copy + length, &written)
                                                     : 0;
        if (!taken) {
            copy[length] = raw.at[i];
            taken = written = 1;
        }
        length += written;
        i += taken;
    }
    *text = (slice){copy, length};
    return IK_OK;
}

/* <![CDATA[...]]>: text as it is. */
static ik_status xml_read_cdata(xml_reader *x, ik_error *err)
{
    static const char open[] = "<![CDATA[", close[] = "]]>";
    const char *start = x->at + sizeof open - 1;
    if (!xml_skip_past(x, close))
        return xml_fail(x, err, "a CDATA section is never closed");
    x->text = (slice){start, (size_t)(x->at - start) - (sizeof close - 1)};
    return IK_OK;
}

static ik_status xml_read_text(xml_reader *x, bool *skipped, ik_error *err)
{
    const char *start = x->at, *stop = memchr(x->at, '<', (size_t)(x->end - x->at)), *c = start;
    stop = stop ? stop : x->end;
    while (c < stop && xml_is_blank(*c))
        c++;
    *skipped = c == stop && !x->keep_blanks;
    xml_step_to(x, stop);
    return xml_unescape(x, (slice){start, (size_t)(stop - start)}, &x->text, err);
}

/* ---- tags */

static slice xml_read_name(xml_reader *x)
{
    const char *start = x->at, *c = start;
    while (c < x->end && !xml_is_blank(*c) && *c != '>' && *c != '/' && *c != '=' && *c != '<' &&
           *c != '"')
        c++;
    xml_step_to(x, c);
    return (slice){start, (size_t)(c - start)};
}

static slice xml_without_prefix(slice name)
{
    const char *colon = name.length ? memchr(name.at, ':', name.length) : NULL;
    return colon ? (slice){colon + 1, (size_t)(name.at + name.length - colon) - 1} : name;
}

static ik_status xml_read_attribute(xml_reader *x, ik_error *err)
{
    slice name = xml_read_name(x);
    xml_skip_blanks(x);
    if (!name.length || !xml_starts(x, "="))
        return xml_fail(x, err, "a tag with an attribute that is not name=\"value\"");
    xml_step_to(x, x->at + 1);
    xml_skip_blanks(x);
    char quote = x->at < x->end ? *x->at : '\0';
    const char *close = quote == '"' || quote == '\''
                            ? memchr(x->at + 1, quote, (size_t)(x->end - x->at) - 1)
                            : NULL;
    if (!close)
        return xml_fail(x, err, "the value of attribute '%.*s' is not in quotes",
                        (int)(name.length < 40 ? name.length : 40), name.at);
    if (x->num_attributes == XML_MAX_ATTRIBUTES)
        return xml_fail(x, err, "a tag with more than %d attributes", XML_MAX_ATTRIBUTES);
    x->attribute[x->num_attributes] = name;
    ik_status status = xml_unescape(x, (slice){x->at + 1, (size_t)(close - x->at) - 1},
                                    &x->value[x->num_attributes], err);
    x->num_attributes++;
    xml_step_to(x, close + 1);
    return status;
}

static ik_status xml_close_tag(xml_reader *x, xml_event *event, ik_error *err)
{
    xml_step_to(x, x->at + 2);
    x->name = xml_without_prefix(xml_read_name(x));
    xml_skip_blanks(x);
    slice open = x->depth ? x->open[x->depth - 1] : (slice){"", 0};
    if (!xml_starts(x, ">"))
        return xml_fail(x, err, "a closing tag without '>'");
    xml_step_to(x, x->at + 1);
    if (!x->depth || open.length != x->name.length || memcmp(open.at, x->name.at, open.length) != 0)
        return xml_fail(x, err, "</%.*s> closes <%.*s>",
                        (int)(x->name.length < 40 ? x->name.length : 40), x->name.at,
                        (int)(open.length < 40 ? open.length : 40), open.at);
    x->depth--;
    *event = XML_CLOSE;
    return IK_OK;
}

static ik_status xml_open_tag(xml_reader *x, xml_event *event, ik_error *err)
{
    xml_step_to(x, x->at + 1);
    x->name = xml_without_prefix(xml_read_name(x));
    x->num_attributes = 0;
    if (!x->name.length)
        return xml_fail(x, err, "'<' without the name of an element");
    for (xml_skip_blanks(x); x->at < x->end && *x->at != '>' && *x->at != '/'; xml_skip_blanks(x)) {
        ik_status status = xml_read_attribute(x, err);
        if (status != IK_OK)
            return status;
    }
    if (xml_starts(x, "/>")) {
        xml_step_to(x, x->at + 2);
        *event = XML_EMPTY;
        return IK_OK;
    }
    if (!xml_starts(x, ">"))
        return xml_fail(x, err, "the tag <%.*s is never closed",
                        (int)(x->name.length < 40 ? x->name.length : 40), x->name.at);
    xml_step_to(x, x->at + 1);
    if (x->depth == XML_MAX_DEPTH)
        return xml_fail(x, err, "elements more than %d deep", XML_MAX_DEPTH);
    x->open[x->depth++] = x->name;
    *event = XML_OPEN;
    return IK_OK;
}

/* Comments, declarations and processing instructions; *skipped if there was one. */
static ik_status xml_skip_other(xml_reader *x, bool *skipped, ik_error *err)
{
    const char *close = xml_starts(x, "<!--") ? "-->"
                        : xml_starts(x, "<?") ? "?>"
                        : xml_starts(x, "<!") ? ">"
                                              : NULL;
    *skipped = close != NULL;
    if (close && !xml_skip_past(x, close))
        return xml_fail(x, err, "a comment or declaration is never closed");
    return IK_OK;
}

ik_status xml_next(xml_reader *x, xml_event *event, ik_error *err)
{
    for (;;) {
        bool again;
        xml_mark(x);
        if (x->at == x->end) {
            *event = XML_END;
            return x->depth ? xml_fail(x, err, "the file ends inside <%.*s>",
                                       (int)(x->open[x->depth - 1].length < 40
                                                 ? x->open[x->depth - 1].length
                                                 : 40),
                                       x->open[x->depth - 1].at)
                            : IK_OK;
        }
        if (xml_starts(x, "<![CDATA[")) {
            *event = XML_TEXT;
            return xml_read_cdata(x, err);
        }
        bool tag = *x->at == '<';
        ik_status status = tag ? xml_skip_other(x, &again, err) : xml_read_text(x, &again, err);
        if (status != IK_OK)
            return status;
        if (again)
            continue;
        if (tag)
            return xml_starts(x, "</") ? xml_close_tag(x, event, err) : xml_open_tag(x, event, err);
        *event = XML_TEXT;
        return IK_OK;
    }
}

ik_status xml_each(xml_reader *x, const xml_handlers *handlers, void *ctx, ik_error *err)
{
    for (;;) {
        xml_event event;
        ik_status status = xml_next(x, &event, err);
        if (status != IK_OK || event == XML_END)
            return status;
        if (event == XML_OPEN || event == XML_EMPTY)
            status = handlers->open(ctx);
        else if (event == XML_TEXT)
            status = handlers->text(ctx);
        if (status == IK_OK && (event == XML_CLOSE || event == XML_EMPTY))
            status = handlers->close(ctx);
        if (status != IK_OK)
            return status;
    }
}
