/* SPDX-License-Identifier: Apache-2.0
 *
 * What netlists of ibsim have beside what ibnetdiscover prints: other files that are included,
 * modules, aliases of ports, enabled widths and speeds, GUIDs that are counted on.
 * Source: ibsim's README and examples; its reader's behaviour.
 */
#include "base/array.h"
#include "format/ib_dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* GUIDs that ibsim counts on from where a file gives none. */
static const uint64_t first_guid[2] = {0x200000, 0x100000};

enum { LONGEST_PATH = 4096 };
/* Every name in a module is kept with the module's before it. */
enum { LONGEST_MODULE = 256 };

/* Options of a port, and the largest set of each. */
static const char options[] = "wse";
static const uint64_t most_enabled[] = {31, 7, 15};

/* ---- files in files */

static ik_status ib_netlist_include_path(ib_file *ib, slice name, char path[LONGEST_PATH],
                                         ik_error *err)
{
    const char *slash = strrchr(ib->s.file, '/');
    size_t folder = slash ? (size_t)(slash - ib->s.file) + 1 : 0;
    bool leaves = name.at[0] == '/';
    for (size_t i = 0; i + 1 < name.length; i++)
        leaves |= name.at[i] == '.' && name.at[i + 1] == '.';
    if (leaves || memchr(name.at, '\0', name.length)) {
        scan_fail(&ib->s, err, "a file in the netlist's folder or below is expected");
        return ik_hint(err, IK_ERR_INPUT, "give its path from there, without '/' before and '..'");
    }
    if (folder + name.length >= LONGEST_PATH)
        return scan_fail(&ib->s, err, "the path is too long");
    memcpy(path, ib->s.file, folder);
    memcpy(path + folder, name.at, name.length);
    path[folder + name.length] = '\0';
    return IK_OK;
}

/* Goes on in the included file; ib_netlist_leave comes back. */
static ik_status ib_netlist_read_include(ib_file *ib, ik_error *err)
{
    char path[LONGEST_PATH];
    slice name;
    size_t size = 0;
    ik_status status = ib_quoted(&ib->s, "a file", &name, err);
    if (status == IK_OK && (ib->depth == IB_MAX_DEPTH || ib->num_texts == IB_MAX_INCLUDES))
        return scan_fail(&ib->s, err, "at most %d files, %d inside each other, can be included",
                         IB_MAX_INCLUDES, IB_MAX_DEPTH);
    if (status == IK_OK)
        status = ib_netlist_include_path(ib, name, path, err);
    char *kept = status == IK_OK ? ik_arena_strdup(&ib->arena, path) : NULL;
    if (status == IK_OK && !kept)
        return ik_fail_memory(err, sizeof path, "the path of a netlist");
    char *text = NULL;
    ik_error why = {0};
    if (status == IK_OK && ik_text_read(path, 0, &text, &size, &why) != IK_OK)
        return why.status == IK_ERR_MEMORY
                   ? ik_fail_memory(err, 1, "an included netlist")
                   : scan_fail(&ib->s, err, "'%.200s' cannot be read: %.150s", path, why.text);
    if (status != IK_OK)
        return status;
    const char *begin = text;
    ib->texts[ib->num_texts++] = text;
    status = ik_text_begin(&begin, &size, kept, err);
    if (status == IK_OK) {
        ib->outer[ib->depth++] = ib->s;
        ib->s = scan_text(begin, size, kept);
        ib->current = IK_NONE;
    }
    return status;
}

bool ib_netlist_leave(ib_file *ib)
{
    if (!ib->depth)
        return false;
    ib->cut |= ib->s.cut;
    ib->s = ib->outer[--ib->depth];
    ib->current = IK_NONE;
    return true;
}

void ib_netlist_free(ib_file *ib)
{
    for (unsigned i = 0; i < ib->num_texts; i++)
        free(ib->texts[i]);
    ik_arena_free(&ib->arena);
    name_map_free(&ib->aliases);
    free(ib->alias_of);
}

/* ---- names */

/* "prefix#name", "prefix@name"; a name that has the character already stays. */
static ik_status ib_netlist_prefixed(ib_file *ib, char mark, slice *name, ik_error *err)
{
    char *text =
        ik_arena_printf(&ib->arena, "%.*s%c%.*s", (int)ib->prefix.length,
                        ib->prefix.length ? ib->prefix.at : "", mark, (int)name->length, name->at);
    if (!text)
        return ik_fail_memory(err, name->length, "names of a module");
    *name = (slice){text, strlen(text)};
    return IK_OK;
}

ik_status ib_netlist_name(ib_file *ib, slice *name, ik_error *err)
{
    if (!ib->prefix.length || memchr(name->at, '#', name->length) ||
        memchr(name->at, '@', name->length))
        return IK_OK;
    return ib_netlist_prefixed(ib, '#', name, err);
}

/* `module = "prefix"` */
static ik_status ib_netlist_read_module(ib_file *ib, ik_error *err)
{
    scan_blanks(&ib->s);
    if (scan_char(&ib->s, '='))
        scan_blanks(&ib->s);
    ib->current = IK_NONE;
    slice name = {0};
    scan start = ib->s;
    ik_status status = ib_quoted(&ib->s, "the name of a module", &name, err);
    if (status == IK_OK && name.length > LONGEST_MODULE)
        return scan_fail(&start, err, "expected a module's name of at most %d bytes",
                         LONGEST_MODULE);
    if (status == IK_OK)
        ib->prefix = name;
    return status;
}

bool ib_netlist_is_alias(slice name)
{
    return memchr(name.at, '@', name.length) != NULL;
}

/* The number of an alias; *is_new. */
static uint32_t ib_netlist_alias_number(ib_file *ib, slice name, bool *is_new)
{
    uint32_t number = name_map_add(&ib->aliases, name, is_new);
    return number != IK_NONE && IK_ARRAY_ROOM(ib->alias_of, ib->alias_cap, ib->aliases.cap)
               ? number
               : IK_NONE;
}

/* `@[3] "alias"`: a name for this port of the node. */
static ik_status ib_netlist_read_alias(ib_file *ib, ik_error *err)
{
    uint32_t port = 0;
    bool is_new = false;
    slice name;
    ib->s.at++;
    if (ib->current == IK_NONE)
        return scan_fail(&ib->s, err, "an alias comes before any Switch or Ca");
    ik_status status = ib_bracketed_port(&ib->s, &port, err);
    if (status == IK_OK && port > ib->nodes[ib->current].radix)
        return scan_fail(&ib->s, err, "port %" PRIu32 " of a node with %s", port,
                         IK_COUNT(ib->nodes[ib->current].radix, "port"));
    if (status == IK_OK)
        status = ib_quoted(&ib->s, "an alias", &name, err);
    if (status == IK_OK)
        status = ib_netlist_prefixed(ib, '@', &name, err);
    if (status != IK_OK)
        return status;
    uint32_t number = ib_netlist_alias_number(ib, name, &is_new);
    if (number == IK_NONE)
        return ik_fail_memory(err, name.length, "aliases of ports");
    if (!is_new && ib->alias_of[number].node != IK_NONE)
        return scan_fail(&ib->s, err, "the alias '%.*s' is given twice", (int)name.length, name.at);
    ib->alias_of[number] = (ib_alias){ib->current, port};
    return IK_OK;
}

/* "@alias" is one of this module. */
ik_status ib_netlist_refer(ib_file *ib, slice name, uint32_t *number, ik_error *err)
{
    bool is_new;
    if (name.at[0] == '@') {
        name.at++;
        name.length--;
        ik_status status = ib_netlist_prefixed(ib, '@', &name, err);
        if (status != IK_OK)
            return status;
    }
    *number = ib_netlist_alias_number(ib, name, &is_new);
    if (*number == IK_NONE)
        return ik_fail_memory(err, name.length, "aliases of ports");
    if (is_new)
        ib->alias_of[*number] = (ib_alias){IK_NONE, 0};
    return IK_OK;
}

ik_status ib_netlist_resolve(ib_file *ib, ik_error *err)
{
    for (size_t i = 0; i < ib->num_ends; i++) {
        ib_end *end = &ib->ends[i];
        if (!end->alias)
            continue;
        ib_alias *to = &ib->alias_of[end->alias - 1];
        slice name = ib->aliases.names[end->alias - 1];
        if (to->node == IK_NONE)
            return ik_fail_at(err, IK_ERR_INPUT, end->file, end->line, 1,
                              "no port has the alias '%.*s'",
                              (int)(name.length < 64 ? name.length : 64), name.at);
        end->peer = to->node;
        end->peer_port = to->port;
    }
    return IK_OK;
}

/* ---- GUIDs */

void ib_netlist_guid(ib_file *ib, slice name, uint64_t value, bool relative)
{
    bool host = name.at[0] != 's';
    if (name.length >= 5 && name.at[name.length - 1] == 's')
        name.length--;
    if (name.length < 4 || memcmp(name.at + name.length - 4, "guid", 4) != 0)
        return;
    if (!host && (name.length != 10 || memcmp(name.at, "switchguid", 10) != 0))
        return; /* sysimgguid */
    if (!relative)
        ib->base_guid[host] = value;
    ib->pending_guid[host] = relative ? ib->base_guid[host] + value : value;
}

uint64_t ib_netlist_node_guid(ib_file *ib, bool is_host, slice key, uint32_t radix)
{
    uint64_t *next = &ib->next_guid[is_host];
    uint64_t guid = ib->pending_guid[is_host] ? ib->pending_guid[is_host] : ib_guid_in_key(key);
    if (!guid)
        guid = *next ? *next : first_guid[is_host];
    ib->pending_guid[is_host] = 0;
    *next = guid + (is_host ? radix + 1 : 1);
    return guid;
}

/* ---- rates */

/* The fastest of a set of widths or speeds. */
static const char *ib_netlist_fastest(uint64_t bits, const char *const *names, unsigned num)
{
    const char *best = NULL;
    for (unsigned i = 0; i < num; i++)
        if (bits >> i & 1)
            best = names[i];
    return best;
}

/* Bits of widths as ibsim numbers them, in ascending order of width. */
static uint64_t ib_netlist_width_bits(uint64_t w)
{
    return (w & 1) | (w >> 4 & 1) << 1 | (w >> 1 & 7) << 2;
}

static slice ib_netlist_rate_token(ib_file *ib, const uint64_t set[3])
{
    static const char *const widths[] = {"1x", "2x", "4x", "8x", "12x"},
                             *const speeds[] = {"SDR", "DDR", "QDR"},
                             *const extended[] = {"FDR", "EDR", "HDR", "NDR"};
    const char *width = ib_netlist_fastest(ib_netlist_width_bits(set[0] ? set[0] : 2), widths, 5);
    const char *speed = ib_netlist_fastest(set[2], extended, 4);
    if (!speed)
        speed = ib_netlist_fastest(set[1] ? set[1] : 1, speeds, 3);
    char *text = width && speed ? ik_arena_printf(&ib->arena, "%s%s", width, speed) : NULL;
    return text ? (slice){text, strlen(text)} : (slice){0};
}

static ik_status ib_netlist_read_setting(ib_file *ib, unsigned which, ik_error *err)
{
    scan *s = &ib->s;
    scan_blanks(s);
    if (!scan_char(s, '='))
        return scan_fail(s, err, "expected '='");
    scan_blanks(s);
    if (scan_uint(s, most_enabled[which], &ib->enabled[which]))
        return IK_OK;
    return scan_fail(s, err, "expected a number up to %u", (unsigned)most_enabled[which]);
}

/* "w=2 s=4" behind a port, before any comment. */
ik_status ib_netlist_rate(ib_file *ib, ib_end *end, ik_error *err)
{
    uint64_t set[3] = {ib->enabled[0], ib->enabled[1], ib->enabled[2]};
    bool said = set[0] || set[1] || set[2];
    scan *s = &ib->s;
    for (scan_blanks(s); s->at + 1 < s->end && s->at[1] == '='; scan_blanks(s)) {
        const char *which = memchr(options, *s->at, sizeof options - 1);
        if (!which)
            return scan_fail(s, err, "expected w=, s= or e=");
        s->at += 2;
        size_t i = (size_t)(which - options);
        if (!scan_uint(s, most_enabled[i], &set[i]))
            return scan_fail(s, err, "expected a number up to %u", (unsigned)most_enabled[i]);
        said = true;
    }
    if (said && !end->rate.length)
        end->rate = ib_netlist_rate_token(ib, set);
    return IK_OK;
}

/* ---- lines */

ik_status ib_netlist_line(ib_file *ib, bool *taken, ik_error *err)
{
    static const char *const settings[] = {"width", "speed", "extspeed"};
    scan *s = &ib->s;
    *taken = true;
    if (*s->at == '@')
        return ib_netlist_read_alias(ib, err);
    if (scan_word(s, "include"))
        return ib_netlist_read_include(ib, err);
    if (scan_word(s, "module"))
        return ib_netlist_read_module(ib, err);
    if (s->end - s->at > 7 && memcmp(s->at, "module=", 7) == 0) {
        s->at += 6;
        return ib_netlist_read_module(ib, err);
    }
    if (scan_word(s, "do")) {
        ib->commands++;
        return IK_OK;
    }
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strlen(settings[i]);
        if ((size_t)(s->end - s->at) > length && memcmp(s->at, settings[i], length) == 0 &&
            (s->at[length] == '=' || s->at[length] == ' ')) {
            s->at += length;
            return ib_netlist_read_setting(ib, i, err);
        }
    }
    *taken = false;
    return IK_OK;
}
