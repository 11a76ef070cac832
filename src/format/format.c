/* SPDX-License-Identifier: Apache-2.0
 *
 * The family of file formats: finding one, reading a file (plain or gzip), writing a file without
 * leaving half of one.
 */
#include "ikat/format.h"
#include "base/text_lines.h"
#include "format/terminal.h"
#include "format/text_file.h"
#include "registry/registry.h"

#include "ikat_formats.h"

#include <stdlib.h>
#include <string.h>

const ik_format *const *ik_formats(void)
{
    return formats_all();
}

const ik_format *ik_format_find(const char *name)
{
    return formats_find(name);
}

/* Does the path end in .EXTENSION or .EXTENSION.gz? */
static bool format_has_extension(const char *path, const ik_format *format)
{
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    for (const char *const *e = format->extensions; *e; e++) {
        size_t n = strlen(*e);
        if (length > n && path[length - n - 1] == '.' && memcmp(path + length - n, *e, n) == 0)
            return true;
    }
    return false;
}

const ik_format *ik_format_for_file(const char *path)
{
    for (const ik_format *const *format = formats_all(); *format; format++)
        if (format_has_extension(path, *format))
            return *format;
    return NULL;
}

/* The readable format whose probe is surest, among those with a fitting extension if any of these
 * recognises the text. */
static const ik_format *format_recognise(const char *path, const char *text, size_t size)
{
    const ik_format *best = NULL;
    unsigned best_score = 0;
    for (const ik_format *const *format = formats_all(); *format; format++) {
        unsigned sure = (*format)->read ? (*format)->probe(text, size < 65536 ? size : 65536) : 0;
        unsigned score = sure ? sure + (format_has_extension(path, *format) ? 1000 : 0) : 0;
        if (score > best_score) {
            best = *format;
            best_score = score;
        }
    }
    return best;
}

/* Forwarding tables say where each switch sends, not how the switches are cabled. */
static bool format_holds_tables(const char *text, size_t size)
{
    static const char *const marks[] = {"Unicast lids",
                                        "dump_ucast_routes:", "osm_ucast_mgr_dump_ucast_routes:",
                                        "Groups Definition:", "LFT Definition:"};
    size = size < 65536 ? size : 65536;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (size_t at = 0, length = strlen(marks[i]); at + length <= size; at++)
            if ((at == 0 || text[at - 1] == '\n') && memcmp(text + at, marks[i], length) == 0)
                return true;
    return false;
}

static ik_status format_refuse_tables(const char *file, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, file, 0, 0,
               "these are forwarding tables (OpenSM's LFTs or fdbs, dump_fts, or ibdiagnet2.far), "
               "which do not describe cables: this is not a fabric");
    return ik_hint(err, IK_ERR_INPUT,
                   "'ikat check FABRIC --routing lft:path=FILE' (ibdiagnet2.far: ar:path=FILE) "
                   "proves them on their fabric, which ibnetdiscover dumps; 'ikat load' and 'ikat "
                   "route' accept them in the same way");
}

static ik_status format_unrecognised(const char *file, size_t size, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, file, 1, 1,
               size ? "the contents are in no known format" : "the file is empty");
    char names[160] = "";
    size_t used = 0;
    const ik_format *only = NULL;
    for (const ik_format *const *f = formats_all(); *f && used < sizeof names; f++)
        if ((*f)->read && format_has_extension(file, *f)) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     (*f)->name);
            only = used == strlen((*f)->name) ? *f : NULL;
        }
    if (!used)
        return ik_hint(err, IK_ERR_INPUT, "see 'ikat list formats'");
    return ik_hint(err, IK_ERR_INPUT, "by its name it would be %s%s%s; see 'ikat list formats'",
                   names, only ? ": " : "", only ? only->summary : "");
}

ik_status ik_fabric_read_memory(const char *text, size_t size, const char *file,
                                const ik_format *format, const ik_env *env, ik_fabric **out,
                                ik_error *err)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    (void)env;
    if (!b)
        return ik_fail_memory(err, 1, "a builder of fabrics");
    ik_status status = format_read(text, size, file, format, b, err);
    if (status == IK_OK)
        status = ik_builder_finish(b, &f, err);
    ik_builder_free(b);
    if (status == IK_OK)
        status = format_finish(f, err);
    if (status != IK_OK) {
        ik_error_at(err, file, 0, 0);
        ik_fabric_free(f);
        return status;
    }
    *out = f;
    return IK_OK;
}

/* Output of programs, of which people keep logs of their terminals. */
static bool format_is_printed(const ik_format *format)
{
    return format == &ik_format_ibnetdiscover || format == &ik_format_ibnetdiscover_ports ||
           format == &ik_format_iblinkinfo;
}

static ik_status format_read_text(const char *text, size_t size, const char *file,
                                  const ik_format *format, ik_builder *b, ik_error *err)
{
    ik_status status = ik_text_begin(&text, &size, file, err);
    if (status != IK_OK)
        return status;
    if (!format && format_holds_tables(text, size))
        return format_refuse_tables(file, err);
    if (!format)
        format = format_recognise(file, text, size);
    if (!format)
        return format_unrecognised(file, size, err);
    if (!format->read)
        return ik_fail_at(err, IK_ERR_UNSUPPORTED, file, 0, 0, "format %s can only be written",
                          format->name);
    registry_clear(err);
    status = format->read(text, size, file, b, err);
    if (status == IK_OK && registry_plugin_of(format))
        status = ik_builder_status(b, err);
    return registry_status(format, format->name, status, err);
}

ik_status format_read(const char *text, size_t size, const char *file, const ik_format *format,
                      ik_builder *b, ik_error *err)
{
    char *plain = NULL;
    size_t length = 0, controls = 0;
    ik_status status = terminal_plain(text, size, &plain, &length, &controls, err);
    if (status != IK_OK)
        return status;
    const ik_format *of = format || !plain ? format : format_recognise(file, plain, length);
    if (plain && format_is_printed(of)) {
        status = format_read_text(plain, length, file, of, b, err);
        ik_builder_finding(b, IK_NOTE, "terminal-log", NULL,
                           "%s of a terminal among the text %s not read",
                           IK_COUNT(controls, "control"), controls == 1 ? "is" : "are");
    } else {
        status = format_read_text(text, size, file, format, b, err);
    }
    free(plain);
    return status;
}

ik_status format_finish(ik_fabric *f, ik_error *err)
{
    f->intact = false; /* only a generator can say that */
    /* Levels that the file gives count if they make sense. */
    bool levels = f->switch_level && ik_fabric_check(f, NULL) == IK_OK;
    ik_status status = levels ? IK_OK : ik_fabric_find_levels(f, err);
    return status == IK_OK ? ik_fabric_judge(f, err) : status;
}

ik_status format_by_name(const char *name, const ik_format **format, ik_error *err)
{
    *format = name ? ik_format_find(name) : NULL;
    return name && !*format ? formats_unknown("file format", name, err) : IK_OK;
}

ik_status format_load(const char *path, const char *format_name, const ik_env *env,
                      const ik_format **format, char **text, size_t *size, ik_error *err)
{
    ik_status status = format_by_name(format_name, format, err);
    if (status == IK_OK)
        status = ik_text_read_log(path, env ? env->memory_limit_bytes : 0, text, size, err);
    if (status == IK_ERR_INPUT && err && err->kind == IK_ERROR_FOREIGN_FILE)
        ik_hint(err, status,
                "a fabric is a text file in UTF-8, plain or packed with gzip ('ikat list "
                "formats'); 'ikat "
                "report' takes results, 'ikat replay' a recording");
    return status;
}

ik_status ik_fabric_read(const char *path, const char *format_name, const ik_env *env,
                         ik_fabric **out, ik_error *err)
{
    const ik_format *format;
    char *text = NULL;
    size_t size = 0;
    ik_status status = format_load(path, format_name, env, &format, &text, &size, err);
    if (status == IK_OK)
        status = ik_fabric_read_memory(text, size, path, format, env, out, err);
    free(text);
    return status;
}

ik_status ik_fabric_write(const ik_fabric *f, const char *path, const char *format_name,
                          ik_error *err)
{
    const ik_format *format;
    ik_status status = format_by_name(format_name, &format, err);
    if (status != IK_OK)
        return status;
    if (!format)
        format = ik_format_for_file(path);
    if (!format) {
        ik_fail(err, IK_ERR_USAGE, "'%.200s': no format has this file name ending", path);
        return ik_hint(err, IK_ERR_USAGE,
                       "endings like .ibnetdiscover, .json, .graphml, .dot, .edges, .anynet, or "
                       "give a format");
    }
    if (!format->write)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "format %s can only be read", format->name);
    return text_file_write(path, f, format->write, err);
}
