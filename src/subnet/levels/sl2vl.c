/* SPDX-License-Identifier: Apache-2.0
 *
 * sl2vl.c: the same map of service levels to virtual lanes at every port, and opensm.conf that says
 * so. */
#include "subnet/levels/sl2vl.h"
#include "base/text_lines.h"
#include "format/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_VLS = 8 };

void ik_sl2vl_free(ik_sl2vl *v)
{
    free(v->map);
    free(v->base);
    free(v->map_of);
    free(v->host_map);
    *v = (ik_sl2vl){0};
}

ik_status ik_sl2vl_make(const ik_fabric *f, unsigned lanes, ik_sl2vl *out, ik_error *err)
{
    ik_sl2vl v = {.fabric = f, .num_maps = 1, .map = ik_calloc(1, sizeof *v.map)};
    if (!v.map)
        return ik_fail_memory(err, sizeof *v.map, "a map of service levels");
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++)
        v.map[0][sl] = (uint8_t)(sl < lanes && sl < IK_DEPLOYABLE_VCS ? sl : 0);
    *out = v;
    return IK_OK;
}

ik_status sl2vl_two(const ik_fabric *f, ik_sl2vl *out, ik_error *err)
{
    ik_sl2vl v = {.fabric = f, .num_maps = 2};
    size_t ports = (size_t)f->num_ports + 1;
    v.map = ik_calloc(2, sizeof *v.map);
    v.host_map = ik_calloc(ports, sizeof *v.host_map);
    if (!v.map || !v.host_map) {
        ik_sl2vl_free(&v);
        return ik_fail_memory(err, ports * sizeof *v.host_map, "maps of service levels");
    }
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++)
        v.map[0][sl] = v.map[1][sl] = (uint8_t)(sl % DEFAULT_VLS);
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++)
        v.host_map[port] = 1;
    *out = v;
    return IK_OK;
}

ik_status sl2vl_by_ports(const ik_fabric *f, const uint8_t *fill, ik_sl2vl *out, ik_error *err)
{
    ik_sl2vl v = {.fabric = f, .num_maps = 1};
    v.base = ik_calloc((size_t)f->num_switches + 1, sizeof *v.base);
    for (uint32_t sw = 0; v.base && sw < f->num_switches; sw++) {
        uint64_t ports = ik_radix(f, sw) + 1;
        v.base[sw + 1] = v.base[sw] + ports * ports;
    }
    v.map = ik_calloc(1, sizeof *v.map);
    v.map_of = v.base ? ik_calloc(v.base[f->num_switches] + 1, sizeof *v.map_of) : NULL;
    v.host_map = ik_calloc((size_t)f->num_ports + 1, sizeof *v.host_map);
    if (!v.base || !v.map || !v.map_of || !v.host_map) {
        ik_sl2vl_free(&v);
        return ik_fail_memory(err, f->num_ports * (size_t)2, "maps of service levels");
    }
    memcpy(v.map[0], fill, IK_NUM_SLS);
    *out = v;
    return IK_OK;
}

/* ---- opensm.conf */

static void sl2vl_print_kind(const char *kind, unsigned lanes, FILE *out)
{
    fprintf(out, "qos_%s_max_vls %u\nqos_%s_high_limit 0\nqos_%s_vlarb_high ", kind, lanes, kind,
            kind);
    for (unsigned vl = 0; vl < lanes; vl++)
        fprintf(out, "%s%u:0", vl ? "," : "", vl);
    fprintf(out, "\nqos_%s_vlarb_low ", kind);
    for (unsigned vl = 0; vl < lanes; vl++)
        fprintf(out, "%s%u:64", vl ? "," : "", vl);
    fprintf(out, "\nqos_%s_sl2vl ", kind);
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++)
        fprintf(out, "%s%u", sl ? "," : "", sl < lanes ? sl : 0);
    fputc('\n', out);
}

ik_status ik_sl2vl_conf_print(unsigned lanes, const char *policy, FILE *out, ik_error *err)
{
    if (lanes == 0 || lanes > IK_DEPLOYABLE_VCS)
        return ik_fail(err, IK_ERR_USAGE, "%s: InfiniBand has 1 to %d for data",
                       IK_COUNT(lanes, "lane"), IK_DEPLOYABLE_VCS);
    fputs("qos TRUE\n", out);
    if (policy)
        fprintf(out, "qos_policy_file %s\n", policy);
    sl2vl_print_kind("ca", lanes, out);
    sl2vl_print_kind("swe", lanes, out);
    sl2vl_print_kind("sw0", lanes, out);
    if (ferror(out))
        return ik_fail(err, IK_ERR_IO, "cannot write opensm.conf: %s", strerror(errno));
    return IK_OK;
}

/* What a conf says of one kind of port. */
typedef struct conf_kind {
    const char *name; /* "ca_"; "" for all kinds */
    uint8_t map[IK_NUM_SLS];
    bool has_map;
    uint64_t max_vls; /* 0: not said */
} conf_kind;

enum { KIND_ALL, KIND_CA, KIND_SWE, NUM_KINDS };

typedef struct conf {
    conf_kind kind[NUM_KINDS];
    bool enabled;
} conf;

static ik_status sl2vl_read_map(scan *s, conf_kind *kind, ik_error *err)
{
    uint8_t map[IK_NUM_SLS];
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
        uint64_t vl = 0;
        scan_blanks(s);
        if (sl && !scan_char(s, ','))
            return scan_fail(s, err, "expected ',' and the VL of service level %u", sl);
        scan_blanks(s);
        if (!scan_uint(s, IK_VL_MANAGEMENT, &vl))
            return scan_fail(s, err, "expected the VL of service level %u, 0 to 15", sl);
        map[sl] = (uint8_t)vl;
    }
    if (!scan_at_end(s) && *s->at != '#')
        return scan_fail(s, err, "expected 16 VLs");
    memcpy(kind->map, map, sizeof map);
    kind->has_map = true;
    return IK_OK;
}

static bool sl2vl_is_null(scan *s)
{
    return scan_word(s, "(null)");
}

static ik_status sl2vl_read_key(scan *s, conf *c, ik_error *err)
{
    char key[40];
    for (unsigned k = 0; k < NUM_KINDS; k++) {
        snprintf(key, sizeof key, "qos_%ssl2vl", c->kind[k].name);
        if (scan_word(s, key)) {
            scan_blanks(s);
            return sl2vl_is_null(s) ? IK_OK : sl2vl_read_map(s, &c->kind[k], err);
        }
        snprintf(key, sizeof key, "qos_%smax_vls", c->kind[k].name);
        if (scan_word(s, key)) {
            scan_blanks(s);
            return scan_uint(s, IK_DEPLOYABLE_VCS, &c->kind[k].max_vls)
                       ? IK_OK
                       : scan_fail(s, err, "expected a number of VLs, 0 to 15");
        }
    }
    if (scan_word(s, "qos")) {
        scan_blanks(s);
        if (scan_word(s, "TRUE") || scan_word(s, "true"))
            c->enabled = true;
        else if (scan_word(s, "FALSE") || scan_word(s, "false"))
            c->enabled = false;
        else
            return scan_fail(s, err, "expected TRUE or FALSE");
    }
    return IK_OK;
}

/* The map of a kind as OpenSM sets it: of the kind, else of all, else the default. */
static void sl2vl_settle(const conf *c, unsigned kind, uint8_t *map)
{
    const conf_kind *own = &c->kind[kind], *all = &c->kind[KIND_ALL];
    const uint8_t *said = own->has_map ? own->map : all->has_map ? all->map : NULL;
    uint64_t max = own->max_vls ? own->max_vls : all->max_vls;
    for (unsigned sl = 0; said && c->enabled && sl < IK_NUM_SLS; sl++)
        map[sl] = said[sl] != IK_VL_MANAGEMENT && max ? (uint8_t)(said[sl] % max) : said[sl];
}

static ik_status sl2vl_read_conf(ik_text_lines *l, const ik_fabric *f, ik_sl2vl *out, bool *enabled,
                                 ik_error *err)
{
    conf c = {.kind = {{.name = ""}, {.name = "ca_"}, {.name = "swe_"}}};
    bool more = true;
    ik_status status = ik_text_lines_next(l, &more, err);
    while (status == IK_OK && more) {
        scan s = scan_line_of(l);
        if (!scan_at_end(&s))
            status = sl2vl_read_key(&s, &c, err);
        if (status == IK_OK)
            status = ik_text_lines_next(l, &more, err);
    }
    ik_text_lines_close(l);
    if (status == IK_OK)
        status = sl2vl_two(f, out, err);
    if (status != IK_OK)
        return status;
    sl2vl_settle(&c, KIND_SWE, out->map[0]);
    sl2vl_settle(&c, KIND_CA, out->map[1]);
    if (enabled)
        *enabled = c.enabled;
    return IK_OK;
}

ik_status ik_sl2vl_conf_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             bool *enabled, ik_error *err)
{
    ik_text_lines l;
    ik_status status = ik_text_lines_open(&l, path, env, err);
    return status == IK_OK ? sl2vl_read_conf(&l, f, out, enabled, err) : status;
}

ik_status ik_sl2vl_conf_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, bool *enabled, ik_error *err)
{
    ik_text_lines l;
    ik_text_lines_memory(&l, text, size, file);
    return sl2vl_read_conf(&l, f, out, enabled, err);
}

/* ---- either */

static bool sl2vl_begins(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - line) >= length && memcmp(line, word, length) == 0;
}

/* A configuration has a line of QoS, a dump one of a node; what is neither is no configuration. */
static bool sl2vl_is_conf(const char *text, size_t size)
{
    for (const char *end = text + size, *line = text, *next; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        while (line < next && (*line == ' ' || *line == '\t'))
            line++;
        if (sl2vl_begins(line, next, "Switch") || sl2vl_begins(line, next, "Channel"))
            return false;
        if (sl2vl_begins(line, next, "qos"))
            return true;
    }
    return false;
}

ik_status ik_sl2vl_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                        ik_sl2vl_matched *matched, ik_error *err)
{
    ik_text_lines l;
    size_t size = 0;
    ik_status status = ik_text_lines_open(&l, path, env, err);
    if (status != IK_OK)
        return status;
    status = ik_text_lines_peek(&l, IK_LINE_MAX, &size, err);
    if (status != IK_OK) {
        ik_text_lines_close(&l);
        return status;
    }
    *matched = (ik_sl2vl_matched){0};
    return sl2vl_is_conf(l.text + l.at, size) ? sl2vl_read_conf(&l, f, out, NULL, err)
                                              : sl2vl_read_dump(&l, f, out, matched, err);
}
