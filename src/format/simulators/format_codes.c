/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `codes`: the network of a configuration of the simulator CODES, in its form or in YAML.
 *
 *     PARAMS { modelnet_order=( "torus" ); n_dims="2"; dim_length="4,4"; }
 *
 * Networks are as its sources build them (src/networks/model-net), by the family of ikat that is
 * the same graph, or link by link. O(size + links).
 */
#include "base/yaml/ytree.h"
#include "format/json_read.h"
#include "format/scan.h"
#include "format/simulators/codes_net.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MAX_DEPTH = 8 };

/* ---- the file of sections */

static bool codes_next(scan *s)
{
    return sim_next(s, true);
}

static slice codes_name(scan *s)
{
    slice name = {s->at, 0};
    while (s->at < s->end && (slice_is((slice){s->at, 1}, "@") || *s->at == '_' || *s->at == '-' ||
                              (*s->at >= '0' && *s->at <= '9') ||
                              (*s->at >= 'a' && *s->at <= 'z') || (*s->at >= 'A' && *s->at <= 'Z')))
        s->at++;
    name.length = (size_t)(s->at - name.at);
    return name;
}

/* "TEXT" or ("TEXT", …), the latter with its quotes: what is missing, or NULL. */
static const char *codes_value(scan *s, slice *value)
{
    bool list = scan_char(s, '(');
    *value = (slice){s->at, 0};
    do {
        if (!codes_next(s) || !scan_char(s, '"'))
            return "expected a value in double quotes";
        const char *from = s->at;
        while (s->at < s->end && *s->at != '"')
            s->at++;
        if (s->at == s->end)
            return "the text does not end";
        if (!list)
            *value = (slice){from, (size_t)(s->at - from)};
        s->at++;
        if (list && !codes_next(s))
            return "expected ',' or ')'";
    } while (list && scan_char(s, ','));
    if (list)
        value->length = (size_t)(s->at - value->at);
    if (list && !scan_char(s, ')'))
        return "expected ',' or ')'";
    return codes_next(s) && scan_char(s, ';') ? NULL : "expected ';' behind the value";
}

static ik_status codes_take(codes_reader *r, const sim_net_setting *set)
{
    uint64_t number = 0;
    if (slice_is(r->section, "LPGROUPS")) {
        bool router =
            set->name.length > 7 && memcmp(set->name.at + set->name.length - 7, "_router", 7) == 0;
        bool is_number = slice_uint(set->value, CODES_MAX, &number);
        if (is_number && slice_is(set->name, "repetitions"))
            r->repetitions = number;
        if (is_number && !router && set->name.length > 9 &&
            memcmp(set->name.at, "modelnet_", 9) == 0)
            r->terminals += number;
        return IK_OK;
    }
    sim_net_setting kept = *set;
    if (!slice_is(r->section, "PARAMS"))
        kept.name = r->section; /* named once */
    return sim_net_add(&r->net, &kept);
}

/* One setting, or the begin or end of a section: what is missing, or NULL. */
static const char *codes_item(codes_reader *r, unsigned *depth, ik_status *status)
{
    scan *s = &r->s;
    if (scan_char(s, '}')) {
        if (*depth == 2)
            r->listed += r->repetitions * r->terminals;
        r->terminals = 0;
        r->repetitions = 1;
        return (*depth)-- ? NULL : "there is no section to be closed";
    }
    sim_net_setting set = {.name = codes_name(s)};
    if (!set.name.length)
        return "expected the name of a section or a setting";
    if (memchr(set.name.at, '@', set.name.length)) {
        set.line = s->line;
        set.column = (unsigned)(set.name.at - s->line_start) + 1;
        *status = sim_net_refuse(&r->net, &set, "expected a file with one network, without @",
                                 "names with @ are those of several networks");
        return NULL;
    }
    bool more = codes_next(s);
    if (more && scan_char(s, '{')) {
        if (!*depth)
            r->section = set.name;
        return ++*depth < CODES_MAX_DEPTH ? NULL : "sections within sections within sections";
    }
    if (!*depth)
        return "expected '{' behind the name of a section";
    if (!more || !scan_char(s, '='))
        return "expected '='";
    codes_next(s);
    set.line = s->line;
    set.column = (unsigned)(s->at - s->line_start) + 1;
    const char *wrong = codes_value(s, &set.value);
    *status = wrong ? IK_OK : codes_take(r, &set);
    return wrong;
}

/* The first name of modelnet_order: "torus","simplenet" or, in YAML, torus,simplenet, */
static void codes_first_model(codes_reader *r)
{
    const sim_net_setting *order = sim_net_find(&r->net, "modelnet_order");
    slice list = order ? order->value : (slice){"", 0};
    if (order)
        r->model = *order;
    while (list.length && strchr("\" \t\r\n(", *list.at))
        list = (slice){list.at + 1, list.length - 1};
    r->model.value = (slice){list.at, 0};
    while (r->model.value.length < list.length && !strchr("\", )", list.at[r->model.value.length]))
        r->model.value.length++;
}

static ik_status codes_read_sections(codes_reader *r)
{
    unsigned depth = 0;
    ik_status status = IK_OK;
    while (status == IK_OK && codes_next(&r->s)) {
        const char *wrong = codes_item(r, &depth, &status);
        if (!wrong)
            continue;
        scan_fail(&r->s, r->net.err, "%s", wrong);
        return ik_hint(r->net.err, IK_ERR_INPUT,
                       "a section is like PARAMS { n_dims=\"2\"; dim_length=\"4,4\"; }");
    }
    if (status == IK_OK && depth) {
        scan_fail(&r->s, r->net.err, "expected '}'");
        return ik_hint(r->net.err, IK_ERR_INPUT, "the file seems to be cut off");
    }
    codes_first_model(r);
    return status;
}

/* ---- YAML: the same settings under other names */

/* A list becomes its texts, with commas behind them; what stands within it is no number. */
static ik_status codes_add_node(codes_reader *r, const char *name, const ytree *node)
{
    static const char within[] = "a list within a list";
    size_t length = 1, used = 0;
    for (size_t i = 0; node->kind == YTREE_LIST && i < node->num; i++)
        length +=
            node->items[i]->kind == YTREE_SCALAR ? strlen(node->items[i]->text) + 1 : sizeof within;
    char *list = ik_arena_alloc(&r->arena, length);
    name = ik_arena_strdup(&r->arena, name);
    if (!list || !name)
        return ik_fail_memory(r->net.err, length, "settings");
    list[0] = '\0';
    for (size_t i = 0; node->kind == YTREE_LIST && i < node->num; i++)
        used +=
            (size_t)snprintf(list + used, length - used, "%s,",
                             node->items[i]->kind == YTREE_SCALAR ? node->items[i]->text : within);
    return sim_net_add(
        &r->net,
        &(sim_net_setting){.name = slice_of(name),
                           .value = slice_of(node->kind == YTREE_SCALAR ? node->text : list),
                           .line = node->line,
                           .column = node->column});
}

/* links: {local: {bandwidth: 2.0}} is local_bandwidth, connections: {intra: …} intra-group-… */
static ik_status codes_add_map(codes_reader *r, const char *before, const ytree *map,
                               unsigned depth)
{
    ik_status status = IK_OK;
    char name[256];
    for (size_t i = 0; i < map->num && status == IK_OK; i++) {
        const char *key = map->keys[i]->text;
        const ytree *item = map->items[i];
        bool plain = strcmp(key, "shape") == 0 || strcmp(key, "links") == 0 ||
                     strcmp(key, "connections") == 0 || strcmp(key, "params") == 0;
        bool ends = strcmp(key, "intra") == 0 || strcmp(key, "inter") == 0;
        snprintf(name, sizeof name, "%s%s%s", before, key, ends ? "-group-connections" : "");
        if (item->kind != YTREE_MAP)
            status = codes_add_node(r, name, item);
        else if (depth == CODES_MAX_DEPTH)
            status = ytree_fail(map->keys[i], r->net.err,
                                "'%.60s' is a mapping at depth %u; up to %d are read", key,
                                depth + 1, CODES_MAX_DEPTH);
        else {
            snprintf(name, sizeof name, "%s%s", before, key);
            strncat(name, "_", sizeof name - strlen(name) - 1);
            status = codes_add_map(r, plain ? "" : name, item, depth + 1);
        }
    }
    return status;
}

static ik_status codes_parse(codes_reader *r, const char *text, size_t size, ytree **root,
                             const ytree **topology)
{
    ik_status status = ytree_parse(text, size, r->net.file, &r->arena, root, r->net.err);
    *topology = status == IK_OK && (*root)->kind == YTREE_MAP ? ytree_get(*root, "topology") : NULL;
    return status;
}

/* Of included files the last one that has a topology, if the file itself has none; r->net.file is
 * then that file. */
static ik_status codes_read_included(codes_reader *r, const ytree *root, const ytree **topology)
{
    const ytree *list = root->kind == YTREE_MAP ? ytree_get(root, "include") : NULL;
    const char *top = r->net.file, *last = top;
    ik_status status = IK_OK;
    if (*topology || !list)
        return IK_OK;
    size_t num = list->kind == YTREE_LIST ? list->num : 1;
    for (size_t i = 0; i < num; i++) {
        const ytree *name = list->kind == YTREE_LIST ? list->items[i] : list;
        const ytree *found = NULL;
        ytree *unused = NULL;
        char *text = NULL;
        size_t size = 0;
        if (name->kind != YTREE_SCALAR)
            return ytree_fail(name, r->net.err, "include: expected the name of a file, or a list");
        r->net.file = sim_path(&r->arena, top, slice_of(name->text));
        status = r->net.file ? codes_net_load(r, r->net.file, &text, &size)
                             : ik_fail_memory(r->net.err, 4096, "the path of a file");
        if (status == IK_OK)
            status = codes_parse(r, text, size, &unused, &found);
        else if (status != IK_ERR_MEMORY)
            ytree_fail(name, r->net.err, "include: '%.100s' cannot be read, or is too large",
                       name->text);
        free(text);
        if (status != IK_OK)
            return status;
        *topology = found ? found : *topology;
        last = found ? r->net.file : last;
    }
    r->net.file = last;
    return IK_OK;
}

static ik_status codes_read_yaml(codes_reader *r, const char *text, size_t size)
{
    ytree *root = NULL;
    const ytree *topology = NULL;
    ik_status status = codes_parse(r, text, size, &root, &topology);
    if (status == IK_OK)
        status = codes_read_included(r, root, &topology);
    if (status != IK_OK)
        return status;
    bool map = topology && topology->kind == YTREE_MAP;
    const ytree *fabric = map ? ytree_get(topology, "fabric") : NULL;
    const ytree *params = map ? ytree_get(topology, "params") : NULL;
    const ytree *model = fabric && fabric->kind == YTREE_MAP ? ytree_get(fabric, "model") : NULL;
    if (!model && params && params->kind == YTREE_MAP) {
        status = codes_add_map(r, "", params, 0);
        codes_first_model(r);
        return status;
    }
    if (!model || model->kind != YTREE_SCALAR) {
        ytree_fail(topology ? topology : root, r->net.err, "there is no topology with a fabric");
        return ik_hint(
            r->net.err, IK_ERR_INPUT,
            "topology: {fabric: {model: ...}} and topology: {params: ...} are read, also of files "
            "that it includes; flat networks have no switches");
    }
    r->model = (sim_net_setting){
        .value = slice_of(model->text), .line = model->line, .column = model->column};
    status = codes_add_map(r, "", fabric, 0);
    sim_net_find(&r->net, "model");
    return status;
}

/* ---- the whole file */

static ik_status codes_refuse_model(codes_reader *r)
{
    slice given = r->model.value;
    return sim_net_refuse(&r->net, r->model.line ? &r->model : NULL,
                          "torus, express_mesh, fattree, slimfly, dragonfly, dragonfly_dally, "
                          "dragonfly_custom and dragonfly_plus are read; simplenet, simplep2p and "
                          "loggp have no switches: crossbar:n=HOSTS of ikat is like them",
                          r->model.line ? "there is no network of the model '%.*s'"
                                        : "there is no setting modelnet_order%.*s",
                          (int)(given.length < 60 ? given.length : 60), given.at ? given.at : "");
}

static ik_status codes_build(codes_reader *r)
{
    const codes_model *model = codes_net_find(r->model.value);
    uint64_t rate[SIM_NET_KINDS] = {0};
    if (!model)
        return codes_refuse_model(r);
    const char *const names[SIM_NET_KINDS] = {model->local, model->global, model->host};
    for (int kind = 0; kind < SIM_NET_KINDS; kind++)
        rate[kind] = sim_net_rate(&r->net, names[kind], model->bare);
    sim_net_links(&r->net, rate, NULL, NULL);
    ik_status status = model->build(r);
    if (status == IK_OK && r->listed && r->listed != r->hosts)
        ik_builder_finding(r->net.b, IK_WARNING, "host-count", NULL,
                           "LPGROUPS has %" PRIu64 " hosts, and the network %" PRIu64, r->listed,
                           r->hosts);
    return status == IK_OK
               ? sim_net_note_ignored(&r->net, "what they are called in ikat: docs/simulators.md")
               : status;
}

/* In JSON, of which other tools have members with these names, '"' stands before the colon. */
static bool codes_is_yaml(const char *text, size_t size)
{
    return json_mentions(text, size, "schema_version:");
}

static ik_status codes_read(const char *text, size_t size, const char *file, ik_builder *b,
                            ik_error *err)
{
    codes_reader r = {.net = {.file = file, .b = b, .err = err},
                      .s = scan_text(text, size, file),
                      .repetitions = 1};
    ik_status status =
        codes_is_yaml(text, size) ? codes_read_yaml(&r, text, size) : codes_read_sections(&r);
    if (status == IK_OK)
        status = codes_build(&r);
    sim_net_free(&r.net);
    ik_arena_free(&r.arena);
    return status;
}

static unsigned codes_probe(const char *text, size_t size)
{
    bool sections =
        json_mentions(text, size, "modelnet_order") && json_mentions(text, size, "PARAMS");
    bool yaml = codes_is_yaml(text, size) && json_mentions(text, size, "topology:");
    return sections || yaml ? 88 : 0;
}

static const char *const extensions[] = {"conf", "yaml", "yml", NULL};

const ik_format ik_format_codes = {
    .name = "codes",
    .summary = "a configuration of the simulator CODES (on ROSS): the network that it describes",
    .source = "CODES, https://github.com/codes-org/codes, src/networks/model-net, July 2026",
    .extensions = extensions,
    .probe = codes_probe,
    .read = codes_read,
};
