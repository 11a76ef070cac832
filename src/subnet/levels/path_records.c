/* SPDX-License-Identifier: Apache-2.0
 *
 * path_records.c: service levels of pairs as path records have them. Two texts are read:
 *
 *   PathRecord dump:                        saquery; a record ends where the next begins
 *           dlid....................5
 *           slid....................3
 *           sl......................0x1
 *
 *   0x0002c90300000002 5 1                  ibdmchk -c: source's GUID, destination's LID, SL
 */
#include "ikat/path_records.h"

#include "format/scan.h"
#include "ikat/deploy.h"

#include <stdlib.h>
#include <string.h>

enum { UNSAID = 0xFF };

typedef struct guid_key {
    uint64_t guid;
    uint32_t index; /* of a LID */
} guid_key;

typedef struct reading {
    const ik_lids *lids;
    ik_service_levels *levels;
    ik_path_records_matched *said;
    guid_key *hosts; /* [num_hosts] node GUIDs of hosts with one LID index each, sorted */
    size_t num_hosts;
    scan s;                          /* the line */
    bool in_record;                  /* of saquery */
    uint64_t slid, dlid, sl;         /* of that record */
    bool has_slid, has_dlid, has_sl; /* these were in it */
    unsigned record_line;
} reading;

static ik_status path_records_refuse(const reading *r, ik_error *err, const char *expected)
{
    return scan_fail(&r->s, err, "expected %s", expected);
}

/* ---- classes: every port that has LIDs is a source of its own, every LID a destination */

static ik_status path_records_allocate(reading *r, const ik_env *env, ik_error *err)
{
    ik_service_levels *s = r->levels;
    uint32_t num = r->lids->num, sources = 0;
    *s = (ik_service_levels){.lids = r->lids, .num_dests = num};
    s->source_of = ik_calloc((size_t)num + 1, sizeof *s->source_of);
    s->dest_of = ik_calloc((size_t)num + 1, sizeof *s->dest_of);
    if (!s->source_of || !s->dest_of)
        return ik_fail_memory(err, 2 * (size_t)num * sizeof *s->dest_of, "service levels");
    for (uint32_t i = 0; i < num; i++) {
        sources += r->lids->of[i].path == 0;
        s->source_of[i] = sources - 1;
        s->dest_of[i] = i;
    }
    s->num_sources = sources;
    ik_status status = ik_env_refuse_bytes(env, (double)sources * num, "service levels", err);
    if (status != IK_OK)
        return status;
    s->sl = malloc((size_t)sources * num + 1);
    if (!s->sl)
        return ik_fail_memory(err, (size_t)sources * num, "service levels");
    memset(s->sl, UNSAID, (size_t)sources * num);
    return IK_OK;
}

static int path_records_compare_guids(const void *a, const void *b)
{
    const guid_key *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static ik_status path_records_index_hosts(reading *r, ik_error *err)
{
    const ik_fabric *f = r->lids->fabric;
    r->hosts = ik_calloc((size_t)f->num_hosts + 1, sizeof *r->hosts);
    if (!r->hosts)
        return ik_fail_memory(err, f->num_hosts * sizeof *r->hosts, "GUIDs of hosts");
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t node = ik_host_node(f, host), index = ik_lids_of_node(r->lids, node);
        if (index != IK_NONE)
            r->hosts[r->num_hosts++] = (guid_key){ik_node_guid(f, node), index};
    }
    qsort(r->hosts, r->num_hosts, sizeof *r->hosts, path_records_compare_guids);
    return IK_OK;
}

/* A port's GUID, else a host's own. */
static uint32_t path_records_find_source(const reading *r, uint64_t guid)
{
    uint32_t index = ik_lids_find_guid(r->lids, guid);
    if (index != IK_NONE)
        return index;
    size_t low = 0, high = r->num_hosts;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->hosts[mid].guid < guid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < r->num_hosts && r->hosts[low].guid == guid ? r->hosts[low].index : IK_NONE;
}

static void path_records_put(reading *r, uint32_t src, uint32_t dst, unsigned sl)
{
    ik_service_levels *s = r->levels;
    uint8_t *place = &s->sl[(size_t)s->source_of[src] * s->num_dests + dst];
    r->said->records++;
    r->said->changed += *place != UNSAID && *place != sl;
    *place = (uint8_t)sl;
}

static void path_records_note_unknown(reading *r, uint64_t guid, uint64_t lid)
{
    if (r->said->unknown++ == 0) {
        r->said->first_unknown_guid = guid;
        r->said->first_unknown_lid = (uint32_t)lid;
    }
}

/* ---- pieces of a line */

/* Decimal digits, or 0x and hexadecimal ones, up to a blank or the end of the line. */
static bool path_records_take_number(reading *r, uint64_t limit, uint64_t *value)
{
    bool hex = r->s.end - r->s.at > 2 && r->s.at[1] == 'x';
    return (hex ? scan_hex(&r->s, value) : scan_uint(&r->s, limit, value)) && *value <= limit &&
           (r->s.at == r->s.end || *r->s.at == ' ' || *r->s.at == '\t');
}

/* ---- records */

static ik_status end_record(reading *r, ik_error *err)
{
    if (!r->in_record)
        return IK_OK;
    r->in_record = false;
    if (!r->has_slid || !r->has_dlid || !r->has_sl)
        return ik_fail_at(err, IK_ERR_INPUT, r->s.file, r->record_line, 1,
                          "a path record without its %s",
                          !r->has_dlid   ? "dlid"
                          : !r->has_slid ? "slid"
                                         : "sl");
    uint32_t src = ik_lids_find(r->lids, (uint32_t)r->slid),
             dst = ik_lids_find(r->lids, (uint32_t)r->dlid);
    if (src == IK_NONE || dst == IK_NONE)
        path_records_note_unknown(r, 0, src == IK_NONE ? r->slid : r->dlid);
    else
        path_records_put(r, src, dst, (unsigned)r->sl);
    return IK_OK;
}

static ik_status path_records_read_field(reading *r, ik_error *err)
{
    const char *name = r->s.at;
    while (r->s.at < r->s.end && *r->s.at != '.')
        r->s.at++;
    size_t length = (size_t)(r->s.at - name);
    bool is_slid = length == 4 && memcmp(name, "slid", 4) == 0,
         is_dlid = length == 4 && memcmp(name, "dlid", 4) == 0,
         is_sl = length == 2 && memcmp(name, "sl", 2) == 0;
    if (r->s.at == r->s.end)
        return path_records_refuse(r, err, "a field of a path record, NAME....VALUE");
    while (r->s.at < r->s.end && *r->s.at == '.')
        r->s.at++;
    if (is_slid || is_dlid) {
        if (!path_records_take_number(r, 0xFFFF, is_slid ? &r->slid : &r->dlid))
            return path_records_refuse(r, err, "a LID up to 65535");
        *(is_slid ? &r->has_slid : &r->has_dlid) = true;
    } else if (is_sl) {
        if (!path_records_take_number(r, IK_NUM_SLS - 1, &r->sl))
            return path_records_refuse(r, err, "an SL from 0 to 15");
        r->has_sl = true;
    }
    return IK_OK;
}

static ik_status path_records_read_triple(reading *r, ik_error *err)
{
    uint64_t guid = 0, lid = 0, sl = 0;
    if (!path_records_take_number(r, UINT64_MAX, &guid))
        return path_records_refuse(r, err, "a GUID");
    scan_blanks(&r->s);
    if (!path_records_take_number(r, 0xFFFF, &lid))
        return path_records_refuse(r, err, "a LID up to 65535");
    scan_blanks(&r->s);
    if (!path_records_take_number(r, IK_NUM_SLS - 1, &sl))
        return path_records_refuse(r, err, "an SL from 0 to 15");
    scan_blanks(&r->s);
    if (r->s.at != r->s.end)
        return path_records_refuse(r, err, "the end of the line");
    uint32_t src = path_records_find_source(r, guid), dst = ik_lids_find(r->lids, (uint32_t)lid);
    if (src == IK_NONE || dst == IK_NONE)
        path_records_note_unknown(r, src == IK_NONE ? guid : 0, src == IK_NONE ? 0 : lid);
    else
        path_records_put(r, src, dst, (unsigned)sl);
    return IK_OK;
}

static ik_status path_records_read_line(reading *r, ik_error *err)
{
    scan_blanks(&r->s);
    if (r->s.at == r->s.end || *r->s.at == '#')
        return IK_OK;
    if (scan_prefix(&r->s, "PathRecord dump:")) {
        ik_status status = end_record(r, err);
        r->in_record = true;
        r->record_line = r->s.line;
        r->has_slid = r->has_dlid = r->has_sl = false;
        return status;
    }
    if (*r->s.at == '0' && r->s.end - r->s.at > 2 && r->s.at[1] == 'x') {
        ik_status status = end_record(r, err);
        return status == IK_OK ? path_records_read_triple(r, err) : status;
    }
    if (r->in_record)
        return path_records_read_field(r, err);
    return path_records_refuse(r, err, "'PathRecord dump:' or '0xGUID LID SL'");
}

static ik_status path_records_read_lines(reading *r, ik_text_lines *lines, ik_error *err)
{
    bool more = true;
    ik_status status = ik_text_lines_next(lines, &more, err);
    for (; status == IK_OK && more; status = ik_text_lines_next(lines, &more, err)) {
        r->s = scan_line_of(lines);
        status = path_records_read_line(r, err);
        if (status != IK_OK)
            return status;
    }
    return status == IK_OK ? end_record(r, err) : status;
}

/* Counts what is there, and makes what is not SL 0. */
static void path_records_finish(reading *r)
{
    ik_service_levels *s = r->levels;
    ik_path_records_matched *said = r->said;
    for (uint32_t src = 0; src < r->lids->num; src++) {
        const ik_lid *from = &r->lids->of[src];
        for (uint32_t dst = 0; from->path == 0 && dst < r->lids->num; dst++) {
            uint8_t *sl = &s->sl[(size_t)s->source_of[src] * s->num_dests + dst];
            const ik_lid *to = &r->lids->of[dst];
            bool counts = from->port != IK_NONE && to->port != IK_NONE && from->port != to->port;
            if (counts && *sl == UNSAID && said->missing++ == 0) {
                said->first_missing_src = src;
                said->first_missing_dst = dst;
            }
            said->pairs += counts && *sl != UNSAID;
            *sl = *sl == UNSAID ? 0 : *sl;
            if (counts && *sl > said->max_sl)
                said->max_sl = *sl;
        }
    }
}

static ik_status path_records_check_known(const reading *r, ik_error *err)
{
    if (r->said->records > 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, r->s.file, 1, 1,
               r->said->unknown ? "no path record is of two ports of this fabric"
                                : "there is no path record in it");
    return ik_hint(err, IK_ERR_INPUT, "what 'saquery PR' prints is read, or lines '0xGUID LID SL'");
}

static ik_status path_records_read_all(const ik_lids *lids, ik_text_lines *lines, const ik_env *env,
                                       ik_service_levels *out, ik_path_records_matched *matched,
                                       ik_error *err)
{
    ik_service_levels levels = {0};
    ik_path_records_matched said = {.first_missing_src = IK_NONE, .first_missing_dst = IK_NONE};
    reading r = {.lids = lids, .levels = &levels, .said = &said, .s = {.file = lines->path}};
    ik_status status = path_records_allocate(&r, env, err);
    if (status == IK_OK)
        status = path_records_index_hosts(&r, err);
    if (status == IK_OK)
        status = path_records_read_lines(&r, lines, err);
    if (status == IK_OK)
        status = path_records_check_known(&r, err);
    free(r.hosts);
    if (status != IK_OK) {
        ik_service_levels_free(&levels);
        return status;
    }
    path_records_finish(&r);
    *out = levels;
    if (matched)
        *matched = said;
    return IK_OK;
}

ik_status ik_path_records_parse(const ik_lids *lids, const char *text, size_t size,
                                const char *file, ik_service_levels *out,
                                ik_path_records_matched *matched, ik_error *err)
{
    ik_text_lines lines = {0};
    ik_text_lines_memory(&lines, text, size, file);
    ik_status status = path_records_read_all(lids, &lines, NULL, out, matched, err);
    ik_text_lines_close(&lines);
    return status;
}

ik_status ik_path_records_read(const ik_lids *lids, const char *path, const ik_env *env,
                               ik_service_levels *out, ik_path_records_matched *matched,
                               ik_error *err)
{
    ik_text_lines lines = {0};
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    if (status == IK_OK)
        status = path_records_read_all(lids, &lines, env, out, matched, err);
    ik_text_lines_close(&lines);
    return status;
}
