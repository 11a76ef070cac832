/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_fabric.c: the fabrics of a result store: rates and tiers of their channels, links
 * below the common rate.
 */
#include "report/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t model_fabric_whole(const json_t *array, size_t index)
{
    json_int_t value = json_integer_value(json_array_get(array, index));
    return value < 0 ? 0 : (uint64_t)value;
}

static uint32_t model_fabric_count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < 0 || value > UINT32_MAX ? 0 : (uint32_t)value;
}

static ik_status model_fabric_damaged(const report_model *m, const report_fabric *f,
                                      const char *what, ik_error *err)
{
    return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: fabric %" PRId64 " %s",
                   store_path(m->store), f->id, what);
}

/* ---- tiers */

enum { MAX_TIERS = 4096 };

/* Name of the tier of channels from one node to another. */
static void model_fabric_tier_name(const report_fabric *f, uint64_t from, uint64_t to, char *name,
                                   size_t size)
{
    const json_t *levels = json_object_get(f->drawing, "levels"),
                 *groups = json_object_get(f->drawing, "groups");
    bool from_host = from >= f->num_switches, to_host = to >= f->num_switches;
    if (from_host && to_host)
        snprintf(name, size, "host to host");
    else if (from_host)
        snprintf(name, size, levels ? "host to level %" PRIu64 : "host to switch",
                 levels ? model_fabric_whole(levels, to) : 0);
    else if (to_host)
        snprintf(name, size, levels ? "level %" PRIu64 " to host" : "switch to host",
                 levels ? model_fabric_whole(levels, from) : 0);
    else if (levels)
        snprintf(name, size, "level %" PRIu64 " to level %" PRIu64,
                 model_fabric_whole(levels, from), model_fabric_whole(levels, to));
    else if (groups)
        snprintf(name, size,
                 model_fabric_whole(groups, from) == model_fabric_whole(groups, to)
                     ? "inside groups"
                     : "between groups");
    else
        snprintf(name, size, "switch to switch");
}

static ik_status model_fabric_enter_tier(report_model *m, report_fabric *f, uint32_t channel,
                                         uint64_t from, uint64_t to, ik_error *err)
{
    char name[sizeof f->tiers->name];
    model_fabric_tier_name(f, from, to, name, sizeof name);
    size_t t = 0;
    while (t < f->num_tiers && strcmp(f->tiers[t].name, name) != 0)
        t++;
    if (t == MAX_TIERS)
        return model_fabric_damaged(m, f, "has too many levels", err);
    if (t == f->num_tiers) {
        tier *tiers = model_grow(m, f->tiers, f->num_tiers, sizeof *tiers);
        if (!tiers)
            return ik_fail_memory(err, sizeof *tiers, "a report");
        f->tiers = tiers;
        f->tiers[f->num_tiers] = (tier){.channels = 0};
        snprintf(f->tiers[f->num_tiers++].name, sizeof f->tiers->name, "%s", name);
    }
    f->tiers[t].channels++;
    f->channel_tier[channel] = (uint16_t)t;
    return IK_OK;
}

static void model_fabric_add_host_rate(report_fabric *f, uint64_t node, uint64_t rate)
{
    if (node >= f->num_switches && node - f->num_switches < f->num_hosts)
        f->host_bps[node - f->num_switches] += rate;
}

static ik_status model_fabric_read_links(report_model *m, report_fabric *f, ik_error *err)
{
    const json_t *links = json_object_get(f->drawing, "links"),
                 *classes = json_object_get(f->drawing, "classes");
    uint64_t nodes = (uint64_t)f->num_switches + f->num_hosts;
    size_t i;
    json_t *link;
    json_array_foreach(links, i, link)
    {
        uint64_t a = model_fabric_whole(link, 0), from = model_fabric_whole(link, 1),
                 b = model_fabric_whole(link, 3), to = model_fabric_whole(link, 4);
        const json_t *class = json_array_get(classes, (size_t)model_fabric_whole(link, 6));
        json_int_t rate = json_integer_value(json_object_get(class, "rate_bps"));
        if (json_array_size(link) != 7 || a >= f->num_channels || b >= f->num_channels || a == b ||
            from >= nodes || to >= nodes || rate <= 0 || f->rate_bps[a] || f->rate_bps[b])
            return model_fabric_damaged(m, f, "has a link that cannot be", err);
        f->rate_bps[a] = f->rate_bps[b] = (uint64_t)rate;
        f->channel_peer[a] = (uint32_t)b;
        f->channel_peer[b] = (uint32_t)a;
        f->channel_link[a] = f->channel_link[b] = (uint32_t)i;
        model_fabric_add_host_rate(f, from, (uint64_t)rate);
        model_fabric_add_host_rate(f, to, (uint64_t)rate);
        ik_status status = model_fabric_enter_tier(m, f, (uint32_t)a, from, to, err);
        if (status == IK_OK)
            status = model_fabric_enter_tier(m, f, (uint32_t)b, to, from, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* ---- links below the common rate */

/* The rate of most channels of the same kind: between switches, or to and from hosts. */
static uint64_t model_fabric_common_rate(const report_fabric *f, uint32_t channel)
{
    const json_t *rates = json_object_get(f->summary, "rates");
    bool hosts = strstr(f->tiers[f->channel_tier[channel]].name, "host") != NULL;
    json_int_t best = -1, rate = 0;
    size_t i;
    json_t *row;
    json_array_foreach(rates, i, row)
    {
        json_int_t between = json_integer_value(json_object_get(row, "switch_links"));
        json_int_t links =
            hosts ? json_integer_value(json_object_get(row, "links")) - between : between;
        if (links > best) {
            best = links;
            rate = json_integer_value(json_object_get(row, "rate_bps"));
        }
    }
    return (uint64_t)rate;
}

/* The link of a channel; NULL if it has none. */
static const json_t *model_fabric_link_of(const report_fabric *f, uint32_t channel)
{
    if (channel >= f->num_channels || f->rate_bps[channel] == 0)
        return NULL;
    return json_array_get(json_object_get(f->drawing, "links"), f->channel_link[channel]);
}

static const char *model_fabric_node_name(const report_fabric *f, uint64_t node)
{
    const json_t *names = json_object_get(f->drawing, "names");
    const char *name = json_string_value(json_array_get(names, (size_t)node));
    return name ? name : "?";
}

const char *model_host_name(const report_fabric *f, uint64_t host)
{
    return model_fabric_node_name(f, f->num_switches + host);
}

static void model_fabric_name_link(const report_fabric *f, slow_link *s)
{
    const json_t *link = model_fabric_link_of(f, s->channel);
    snprintf(s->name, sizeof s->name, "%.70s port %u to %.70s port %u",
             model_fabric_node_name(f, model_fabric_whole(link, 1)),
             (unsigned)model_fabric_whole(link, 2),
             model_fabric_node_name(f, model_fabric_whole(link, 4)),
             (unsigned)model_fabric_whole(link, 5));
}

void model_name_channel(const report_fabric *f, uint32_t channel, char *text, size_t size)
{
    const json_t *link = model_fabric_link_of(f, channel);
    text[0] = '\0';
    if (!link)
        return;
    bool back = model_fabric_whole(link, 3) == channel;
    snprintf(text, size, "%.70s port %u to %.70s",
             model_fabric_node_name(f, model_fabric_whole(link, back ? 4 : 1)),
             (unsigned)model_fabric_whole(link, back ? 5 : 2),
             model_fabric_node_name(f, model_fabric_whole(link, back ? 1 : 4)));
}

ik_status model_find_slow_links(report_model *m, report_fabric *f, ik_error *err)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(f->summary, "findings"), i, finding)
    {
        const char *code = json_string_value(json_object_get(finding, "code"));
        const json_t *channel = json_object_get(finding, "channel");
        if (!code || strcmp(code, "slow-link") != 0 || !channel)
            continue;
        uint64_t wanted = (uint64_t)json_integer_value(channel);
        if (wanted >= f->num_channels || f->rate_bps[wanted] == 0)
            return model_fabric_damaged(m, f, "has a slow link without a channel", err);
        uint32_t c = (uint32_t)wanted;
        slow_link *slow = model_grow(m, f->slow, f->num_slow, sizeof *slow);
        if (!slow)
            return ik_fail_memory(err, sizeof *slow, "a report");
        f->slow = slow;
        slow_link *s = &slow[f->num_slow++];
        *s = (slow_link){.channel = c,
                         .opposite = f->channel_peer[c],
                         .text = json_string_value(json_object_get(finding, "text")),
                         .rate_bps = f->rate_bps[c],
                         .common_rate_bps = model_fabric_common_rate(f, c)};
        model_fabric_name_link(f, s);
    }
    return IK_OK;
}

/* ---- reading */

static bool model_fabric_list_is(const json_t *object, const char *key, size_t size)
{
    const json_t *list = json_object_get(object, key);
    return !list || json_array_size(list) == size;
}

/* Every list is as long as what it is about; a port takes room in a file, or is one of a few. */
static bool model_fabric_sizes_fit(const report_fabric *f, size_t bytes)
{
    size_t switches = f->num_switches, i;
    json_t *at;
    json_array_foreach(json_object_get(f->drawing, "layout"), i, at)
    {
        if (json_array_size(at) != 2)
            return false;
    }
    return f->num_channels <= 1000000 + 64 * (uint64_t)bytes &&
           model_fabric_list_is(f->drawing, "names", switches + f->num_hosts) &&
           model_fabric_list_is(f->drawing, "layout", switches) &&
           model_fabric_list_is(f->drawing, "levels", switches) &&
           model_fabric_list_is(f->drawing, "groups", switches) &&
           model_fabric_count_of(f->summary, "switches") == switches &&
           model_fabric_count_of(f->summary, "hosts") == f->num_hosts;
}

static ik_status make_fabric(report_model *m, report_fabric *f, size_t bytes, ik_error *err)
{
    f->num_switches = model_fabric_count_of(f->drawing, "switches");
    f->num_hosts = model_fabric_count_of(f->drawing, "hosts");
    f->num_channels = model_fabric_count_of(f->drawing, "channels");
    if (!model_fabric_sizes_fit(f, bytes))
        return model_fabric_damaged(m, f, "has lists of wrong lengths", err);
    size_t n = (size_t)f->num_channels + 1;
    f->rate_bps = ik_arena_alloc(&m->arena, n * sizeof *f->rate_bps);
    f->channel_tier = ik_arena_alloc(&m->arena, n * sizeof *f->channel_tier);
    f->channel_peer = ik_arena_alloc(&m->arena, n * sizeof *f->channel_peer);
    f->channel_link = ik_arena_alloc(&m->arena, n * sizeof *f->channel_link);
    f->host_bps = ik_arena_alloc(&m->arena, ((size_t)f->num_hosts + 1) * sizeof *f->host_bps);
    if (!f->rate_bps || !f->channel_tier || !f->channel_peer || !f->channel_link || !f->host_bps)
        return ik_fail_memory(err, n * 18, "a report");
    ik_status status = model_fabric_read_links(m, f, err);
    return status == IK_OK ? model_find_slow_links(m, f, err) : status;
}

static ik_status read_fabric(report_model *m, sqlite3_stmt *statement, ik_error *err)
{
    report_fabric *fabrics = model_grow(m, m->fabrics, m->num_fabrics, sizeof *fabrics);
    if (!fabrics)
        return ik_fail_memory(err, sizeof *fabrics, "a report");
    store_row r = model_row(m, statement, "fabric", sqlite3_column_int64(statement, 0), err);
    m->fabrics = fabrics;
    report_fabric *f = &fabrics[m->num_fabrics];
    *f = (report_fabric){.id = r.id, .spec = row_text(&r, 1), .digest = row_text(&r, 2)};
    m->num_fabrics++;                                    /* from here on model_free cleans it up */
    bool drawn = sqlite3_column_bytes(statement, 4) > 0; /* not of every sample */
    const char *drawing = drawn ? row_packed_text(&r, 4) : "";
    model_json(&r, 3, row_text(&r, 3), false, &shape_summary, &f->summary);
    if (drawn)
        model_json(&r, 4, drawing, false, &shape_drawing, &f->drawing);
    if (r.status != IK_OK)
        return r.status;
    f->num_switches = model_fabric_count_of(f->summary, "switches");
    f->num_hosts = model_fabric_count_of(f->summary, "hosts");
    return drawn ? make_fabric(m, f, strlen(drawing), err) : IK_OK;
}

/* Where the first value of "path=a/x.net,repair=true" ends: at the end, or at a comma with KEY=
 * behind it. */
static const char *model_fabric_end_of_value(const char *text)
{
    for (; *text; text++)
        if (*text == ',' && text[1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_")] == '=')
            break;
    return text;
}

/* "file:path=a/x.net,repair=true" -> "x.net (repaired)"; other specs are short enough as they
 * are. */
static const char *model_fabric_short_label(report_model *m, const report_fabric *f)
{
    static const char prefix[] = "file:path=";
    if (strncmp(f->spec, prefix, sizeof prefix - 1) != 0)
        return f->spec;
    const char *name = f->spec + sizeof prefix - 1, *rest = model_fabric_end_of_value(name);
    for (const char *c = name; c < rest; c++)
        if (*c == '/')
            name = c + 1;
    return ik_arena_printf(&m->arena, "%.*s%s", (int)(rest - name), name,
                           strcmp(rest, ",repair=true") == 0 ? " (repaired)" : rest);
}

static int model_fabric_by_label(const void *a, const void *b)
{
    return strcmp((*(report_fabric *const *)a)->label, (*(report_fabric *const *)b)->label);
}

/* Labels that several fabrics share become whole specs. */
static ik_status label_fabrics(report_model *m, ik_error *err)
{
    report_fabric **sorted = ik_calloc(m->num_fabrics + 1, sizeof *sorted);
    if (!sorted)
        return ik_fail_memory(err, m->num_fabrics * sizeof *sorted, "a report");
    ik_status status = IK_OK;
    for (size_t i = 0; i < m->num_fabrics && status == IK_OK; i++) {
        sorted[i] = &m->fabrics[i];
        if (!(m->fabrics[i].label = model_fabric_short_label(m, &m->fabrics[i])))
            status = ik_fail_memory(err, 1, "a report");
    }
    if (status == IK_OK)
        qsort(sorted, m->num_fabrics, sizeof *sorted, model_fabric_by_label);
    for (size_t i = 0, next; i < m->num_fabrics && status == IK_OK; i = next) {
        next = i + 1;
        while (next < m->num_fabrics && strcmp(sorted[next]->label, sorted[i]->label) == 0)
            next++;
        for (size_t k = i; k < next && next > i + 1; k++)
            sorted[k]->label = sorted[k]->spec;
    }
    free(sorted);
    return status;
}

ik_status model_read_fabrics(report_model *m, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        m->store,
        "SELECT id, spec, digest, summary, CASE WHEN ?1 AND instr(summary, '\"slow-link\"') = 0 "
        "AND "
        "id NOT IN (SELECT fabric FROM points WHERE checksum <> '') THEN '' ELSE drawing END FROM "
        "fabrics WHERE id IN (SELECT fabric FROM points WHERE " STORE_CURRENT ") ORDER BY id",
        NULL, &statement, err);
    if (status == IK_OK)
        sqlite3_bind_int(statement, 1, m->plain);
    for (bool row = true; status == IK_OK;) {
        status = store_step(m->store, statement, &row, err);
        if (status != IK_OK || !row)
            break;
        status = read_fabric(m, statement, err);
    }
    sqlite3_finalize(statement);
    return status == IK_OK ? label_fabrics(m, err) : status;
}
