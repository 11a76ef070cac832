/* SPDX-License-Identifier: Apache-2.0
 *
 * error.c: one error value: a code, a place, what is wrong, what would be right, which name was
 * meant, which settings it is about.
 */
#include "ikat/base.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void error_put_file(ik_error *err, const char *file)
{
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    ik_text_line(err->file);
}

/* Built aside and then copied: an argument may be the text of the error that is being replaced. */
static void error_fill(ik_error *err, ik_status status, const char *file, unsigned line,
                       unsigned column, const char *format, va_list args)
{
    ik_error filled = {.status = status, .line = line, .column = column};
    error_put_file(&filled, file);
    vsnprintf(filled.text, sizeof filled.text, format, args);
    ik_text_line(filled.text); /* it may quote a file */
    *err = filled;
}

ik_status ik_fail(ik_error *err, ik_status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    error_fill(err, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

ik_status ik_fail_at(ik_error *err, ik_status status, const char *file, unsigned line,
                     unsigned column, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    error_fill(err, status, file, line, column, format, args);
    va_end(args);
    return status;
}

ik_status ik_hint(ik_error *err, ik_status status, const char *format, ...)
{
    if (!err)
        return status;
    char hint[sizeof err->hint];
    va_list args;
    va_start(args, format);
    vsnprintf(hint, sizeof hint, format, args);
    va_end(args);
    ik_text_line(hint);
    memcpy(err->hint, hint, sizeof hint);
    return status;
}

ik_status ik_meant(ik_error *err, ik_status status, const char *name)
{
    if (!err || !name)
        return status;
    char rest[sizeof err->hint];
    memcpy(rest, err->hint, sizeof rest);
    rest[0] = (char)toupper((unsigned char)rest[0]);
    ik_hint(err, status, "did you mean '%s'?%s%s", name, rest[0] ? " " : "", rest);
    bool fits = strlen(name) < sizeof err->meant; /* a part of a name is another name */
    snprintf(err->meant, sizeof err->meant, "%s", fits ? name : "");
    ik_text_line(err->meant);
    return status;
}

ik_status ik_of_kind(ik_error *err, ik_status status, ik_error_kind kind)
{
    if (err)
        err->kind = kind;
    return status;
}

ik_status ik_about(ik_error *err, ik_status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->settings, sizeof err->settings, format, args);
    va_end(args);
    return status;
}

ik_status ik_about_within(ik_error *err, ik_status status, const char *format, ...)
{
    if (!err)
        return status;
    char path[64], all[sizeof err->settings] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    size_t used = 0;
    for (const char *name = err->settings; *name;) {
        size_t length = strcspn(name, " ");
        bool of_section = memchr(name, '.', length) != NULL;
        size_t needs = (used > 0) + (of_section ? 0 : strlen(path) + 1) + length;
        if (used + needs < sizeof all)
            used +=
                (size_t)snprintf(all + used, sizeof all - used, "%s%s%s%.*s", used ? " " : "",
                                 of_section ? "" : path, of_section ? "" : "/", (int)length, name);
        name += length + strspn(name + length, " ");
    }
    return ik_about(err, status, "%s", used ? all : path);
}

void ik_error_at(ik_error *err, const char *file, unsigned line, unsigned column)
{
    if (!err || err->file[0] || err->line)
        return;
    error_put_file(err, file);
    err->line = line;
    err->column = column;
}

ik_status ik_fail_memory(ik_error *err, size_t bytes, const char *what)
{
    char text[32];
    if (!bytes) /* nobody knows how many */
        return ik_fail(err, IK_ERR_MEMORY, "out of memory for %s", what);
    return ik_fail(err, IK_ERR_MEMORY, "out of memory: %s for %s",
                   ik_format_bytes(text, sizeof text, (double)bytes), what);
}

const char *ik_status_name(ik_status status)
{
    static const char *const names[] = {"ok",          "usage",  "input",     "io",      "memory",
                                        "unsupported", "failed", "cancelled", "internal"};
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *ik_version(void)
{
    return IKAT_VERSION;
}
