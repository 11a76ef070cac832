/* SPDX-License-Identifier: Apache-2.0
 *
 * The family of topologies: finding a member, its common parameters, and the way from a spec to a
 * fabric.
 */
#include "ikat/topology.h"
#include "base/spec_print.h"
#include "fabric/fabric_private.h"
#include "format/text_file.h"
#include "ikat/subnet_files.h"
#include "registry/registry.h"
#include "topology/build.h"
#include "topology/damage/fail_spec.h"
#include "topology/damage/slow_spec.h"
#include "topology/topology.h"

#include "ikat_topologies.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const ik_param ik_topology_common_params[] = {
    {"link_rate", IK_PARAM_RATE, "100 Gb/s", 1, 1e15, NULL, "rate of links between switches"},
    {"host_rate", IK_PARAM_RATE, "", 1, 1e15, NULL,
     "rate of links to hosts; the value of link_rate if not given"},
    {"latency", IK_PARAM_TIME, "6 ns", 0, 1e12, NULL, "latency of links between switches"},
    {"host_latency", IK_PARAM_TIME, "", 0, 1e12, NULL,
     "latency of links to hosts; the value of latency if not given"},
    {"hosts", IK_PARAM_UINT, "", 0, 4294967295.0, NULL,
     "keep only this many hosts, the first ones; the other host ports stay empty"},
    {"fail", IK_PARAM_STRING, "", 0, 1, NULL,
     "what has failed: a fraction of the links between switches (3%), or a list of switches and "
     "ports (sw12:sw7.3)"},
    {"fail_switches", IK_PARAM_FRACTION, "0", 0, 1, NULL,
     "fraction of the switches that have failed"},
    {"fail_racks", IK_PARAM_STRING, "", 0, 2, NULL,
     "racks that have failed, with their switches and the cables of their hosts: a number (2) or a "
     "fraction (5%), drawn, or a list of racks of the floor plan (r2c13:r1c1)"},
    {"fail_trays", IK_PARAM_STRING, "", 0, 2, NULL,
     "trays whose cables have failed: a number (1) or a fraction (10%), drawn, or a list of those "
     "above rows and across them at places of the floor plan (r2:c13)"},
    {"fail_seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the failures; the experiment's seed if not given",
     "fail or fail_switches>0 or fail_racks or fail_trays",
     "give fail, fail_switches, fail_racks or fail_trays"},
    {"floor", IK_PARAM_PATH, "", 0, 0, NULL,
     "file with the rules of the floor on which racks and trays stand; the default floor if not "
     "given",
     "fail_racks or fail_trays", "give fail_racks or fail_trays"},
    {"slow", IK_PARAM_STRING, "", 0, 0, NULL,
     "links, also to hosts, that run below their rate: ports of switches with rates "
     "(sw7.3@25Gb/s:sw8.1@10Gb/s)"},
    {0},
};

const ik_topology *const *ik_topologies(void)
{
    return topologies_all();
}

const ik_topology *ik_topology_find(const char *name, const ik_shorthand **shorthand)
{
    if (shorthand)
        *shorthand = NULL;
    for (const ik_topology *const *t = topologies_all(); *t; t++) {
        if (strcmp((*t)->name, name) == 0)
            return *t;
        for (const ik_shorthand *s = (*t)->shorthands; s && s->name; s++)
            if (strcmp(s->name, name) == 0) {
                if (shorthand)
                    *shorthand = s;
                return *t;
            }
    }
    return NULL;
}

const ik_xgft *ik_fabric_xgft(const ik_fabric *f)
{
    bool tree = f->family && (strcmp(f->family, "xgft") == 0 || strcmp(f->family, "pgft") == 0);
    return tree ? f->family_data : NULL;
}

/* Bytes of the finished fabric and of the builder beside it. */
static double topology_bytes_needed(double nodes, double ports)
{
    return 20 * ports + 24 * nodes;
}

ik_status ik_topology_refuse_size(const ik_topo_ctx *ctx, double switches, double hosts,
                                  double ports, ik_error *err)
{
    assert(switches >= 0 && hosts >= 0 && ports >= 0);
    double bytes = topology_bytes_needed(switches + hosts, ports),
           limit = ctx->env ? (double)ctx->env->memory_limit_bytes : 0;
    char size[160], needed[32], allowed[32];
    snprintf(size, sizeof size, "would need %.0f switches, %.0f hosts and %.0f ports", switches,
             hosts, ports);
    if (ports > 0x7fffffff || switches + hosts > 0x7fffffff) {
        ik_fail(err, IK_ERR_USAGE, "%s", size);
        return ik_hint(err, IK_ERR_USAGE, "at most 2147483647 ports are possible");
    }
    if (ctx->size) {
        *ctx->size = (ik_fabric_size){switches, hosts, ports};
        return ik_fail(err, IK_ERR_CANCELLED, "%s", size);
    }
    if (limit == 0)
        limit = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes <= limit)
        return IK_OK;
    return ik_fail(err, IK_ERR_MEMORY, "%s, about %s; the limit is %s", size,
                   ik_format_bytes(needed, sizeof needed, bytes),
                   ik_format_bytes(allowed, sizeof allowed, limit));
}

/* ---- from parameters to a fabric */

/* What is to be made. */
typedef struct topology_order {
    const ik_topology *t;
    const ik_params *params;
    /* what its origin is named by, and what `params` were made from */
    const char *name;
    const ik_params *written;
    const ik_env *env;
    floors *floors; /* NULL = nobody shares any */
} topology_order;

/* Does the member itself declare this parameter (and mean something else by it)? */
static bool topology_own_param(const ik_topology *t, const char *name)
{
    for (const ik_param *p = t->params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static ik_topo_ctx topology_make_links(const ik_params *params, const ik_env *env, ik_builder *b)
{
    uint64_t rate = ik_params_uint(params, "link_rate"),
             latency = ik_params_uint(params, "latency");
    uint64_t host_rate =
        ik_params_has(params, "host_rate") ? ik_params_uint(params, "host_rate") : rate;
    uint64_t host_latency =
        ik_params_has(params, "host_latency") ? ik_params_uint(params, "host_latency") : latency;
    ik_topo_ctx ctx = {.env = env};
    ctx.link = ik_builder_class(b, rate, latency, NULL);
    ctx.host_link = ik_builder_class(b, host_rate, host_latency, NULL);
    ik_builder_set_default_links(b, ctx.link, ctx.host_link);
    return ctx;
}

static ik_status topology_build_graph(const ik_topology *t, const ik_params *params,
                                      const ik_env *env, ik_fabric **out, ik_error *err)
{
    ik_builder *b = ik_builder_new();
    if (!b)
        return ik_fail_memory(err, 1, "a builder of fabrics");
    ik_topo_ctx ctx = topology_make_links(params, env, b);
    registry_clear(err);
    ik_status status = t->build(params, &ctx, b, err);
    if (status == IK_OK)
        status = ik_builder_finish(b, out, err);
    status = registry_status(t, t->name, status, err);
    ik_builder_free(b);
    return status;
}

/* Replaces *f by a copy with its first `count` hosts. */
static ik_status keep_first_hosts(ik_fabric **f, uint64_t count, ik_error *err)
{
    uint32_t hosts = (*f)->num_hosts;
    if (count > hosts) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "hosts = %" PRIu64 " is more than the fabric has", count),
            "hosts");
        return ik_hint(err, IK_ERR_USAGE, "at most %" PRIu32, hosts);
    }
    if (count == hosts)
        return IK_OK;
    bool *keep = ik_calloc((size_t)hosts + 1, sizeof *keep);
    if (!keep)
        return ik_fail_memory(err, hosts, "the hosts to keep");
    memset(keep, true, count);
    ik_fabric *smaller = NULL;
    ik_status status = ik_fabric_keep_hosts(*f, keep, &smaller, err);
    free(keep);
    if (status == IK_OK) {
        ik_fabric_free(*f);
        *f = smaller;
    }
    return status;
}

/* A text that is given and not empty, else NULL. */
static const char *topology_text(const ik_params *params, const char *name)
{
    const char *text = ik_params_has(params, name) ? ik_params_text(params, name) : "";
    return text[0] ? text : NULL;
}

/* Whether a parameter only says what has failed. A family may mean something else by it. */
static bool topology_only_fails(const ik_topology *t, const char *name)
{
    static const char *const names[] = {"fail", "fail_switches", "fail_racks", "fail_trays",
                                        "fail_seed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return !topology_own_param(t, name);
    return false;
}

/* All that the fabric is made from on which racks and trays may fail, and its floor: two fabrics
 * that differ in what has failed have the same key. Its size is in it since a file may change
 * between two fabrics. NULL = out of memory. */
static const char *topology_floor_key(const topology_order *o, const ik_fabric *f, ik_arena *arena)
{
    const ik_params *params = o->written;
    const char *key =
        ik_arena_printf(arena, "%s:%" PRIu64 ":%u:%u:%u", o->name, o->env ? o->env->seed : 0,
                        f->num_switches, f->num_hosts, f->num_ports);
    for (size_t i = 0; key && i < params->num; i++)
        if (params->values[i].has && !topology_only_fails(o->t, params->decl[i].name))
            key = ik_arena_printf(arena, "%s\n%s=%s", key, params->decl[i].name,
                                  params->values[i].text);
    return key;
}

/* The racks and trays that may fail are those of the whole fabric. */
static ik_status topology_stand(const topology_order *o, const ik_fabric *f, floors *shared,
                                floors_item **out, ik_error *err)
{
    ik_arena arena = {0};
    const char *key = topology_floor_key(o, f, &arena);
    ik_status status =
        key ? floors_take(shared, key, f, topology_text(o->params, "floor"), o->env, out, err)
            : ik_fail_memory(err, 1, "a floor plan");
    ik_arena_free(&arena);
    return status;
}

static ik_status topology_apply_failures(const topology_order *o, ik_fabric **f, ik_error *err)
{
    const ik_params *params = o->params;
    fail_spec wanted = {.seed = o->env ? o->env->seed : 0,
                        .switch_share = ik_params_real(params, "fail_switches"),
                        .racks = topology_text(params, "fail_racks"),
                        .trays = topology_text(params, "fail_trays")};
    floors alone = FLOORS_INIT, *shared = o->floors ? o->floors : &alone;
    floors_item *floor = NULL;
    ik_status status = IK_OK;
    if (ik_params_has(params, "fail_seed"))
        wanted.seed = ik_params_uint(params, "fail_seed");
    if (ik_params_has(params, "fail"))
        wanted.text = ik_params_text(params, "fail");
    if (!wanted.text && wanted.switch_share == 0 && !wanted.racks && !wanted.trays)
        return IK_OK;
    if (wanted.racks || wanted.trays)
        status = topology_stand(o, *f, shared, &floor, err);
    wanted.floor = floor ? floor->plan : NULL;
    ik_fabric *degraded = NULL;
    if (status == IK_OK)
        status = fail_spec_apply(&wanted, *f, &degraded, err);
    if (status == IK_OK && degraded) {
        ik_fabric_free(*f);
        *f = degraded;
    }
    floors_give_back(shared, floor);
    floors_free(&alone);
    return status;
}

static ik_status topology_set_origin(ik_fabric *f, const ik_topology *t, const char *name,
                                     ik_params *params, ik_error *err)
{
    char *spec = spec_print(name, params);
    if (!spec)
        return ik_fail_memory(err, 1, "the specification of a fabric");
    ik_status status = fabric_set_origin(f, t->name, spec, NULL, 0, err);
    free(spec);
    return status;
}

/* What a shorthand shares with its member: the common parameters and those of its links. */
static bool topology_is_shared(const char *name)
{
    for (const ik_param *p = ik_topology_common_params; p->name; p++)
        if (strcmp(name, p->name) == 0)
            return true;
    return strcmp(name, TOPO_LEVEL_LATENCY) == 0;
}

static ik_status topology_copy_shared(const ik_params *from, ik_params *to, ik_error *err)
{
    for (size_t i = 0; i < from->num; i++)
        if (from->values[i].has && topology_is_shared(from->decl[i].name)) {
            ik_status status =
                ik_params_set(to, "topology", from->decl[i].name, from->values[i].text, 0, 0, err);
            if (status != IK_OK)
                return status;
        }
    return IK_OK;
}

/* The member's parameters that a shorthand's stand for. */
static ik_status topology_expand(const ik_topology *t, const ik_shorthand *s,
                                 const ik_params *params, ik_params *out, ik_error *err)
{
    ik_status status = ik_params_init(out, t->params, ik_topology_common_params, err);
    if (status != IK_OK)
        return status;
    status = s->expand(params, out, err);
    if (status == IK_OK)
        status = topology_copy_shared(params, out, err);
    if (status == IK_OK)
        status = ik_params_finish(out, t->name, err);
    if (status != IK_OK)
        ik_params_free(out);
    return status;
}

/* Whether a specification that a file gives names a file with rules of a floor. */
static ik_status topology_names_floor(const char *text, bool *names, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec = {0};
    *names = false;
    ik_status status = ik_spec_parse(text, &arena, &spec, err);
    for (size_t i = 0; status == IK_OK && i < spec.num; i++)
        *names |= spec.keys[i] && strcmp(spec.keys[i], "floor") == 0;
    ik_arena_free(&arena);
    return status;
}

/* The specification is built in no more memory than the file's fabric needs. */
ik_status ik_fabric_restore(ik_fabric *f, const ik_env *env, bool *restored, ik_error *err)
{
    ik_env limited = env ? *env : (ik_env){0};
    ik_fabric *again = NULL;
    char name[64], why[128];
    size_t length = strcspn(f->spec, ":");
    *restored = false;
    if (length == 0 || length >= sizeof name)
        return IK_OK;
    memcpy(name, f->spec, length);
    name[length] = '\0';
    const ik_topology *t = ik_topology_find(name, NULL);
    if (!t || t->imported)
        return IK_OK;
    bool names_floor; /* which would read another file */
    ik_status status = topology_names_floor(f->spec, &names_floor, err);
    if (status != IK_OK || names_floor) /* a wrong specification is none */
        return status == IK_ERR_MEMORY ? status : IK_OK;
    limited.memory_limit_bytes =
        (uint64_t)topology_bytes_needed(ik_num_nodes(f), f->num_ports) + 65536;
    status = ik_fabric_from_spec(f->spec, &limited, &again, err);
    if (status != IK_OK) /* a wrong specification is none; one that is too large is IK_ERR_USAGE */
        return status == IK_ERR_MEMORY || status == IK_ERR_CANCELLED ? status : IK_OK;
    if (ik_fabric_equal(f, again, why, sizeof why)) {
        status = fabric_set_origin(f, again->family, again->spec, again->family_data,
                                   again->priv->family_bytes, err);
        *restored = status == IK_OK;
        f->intact = *restored && again->intact;
    }
    ik_fabric_free(again);
    return status;
}

/* After reading: as good as generated, or judged. */
static ik_status topology_finish_import(ik_fabric *f, const ik_env *env, bool *restored,
                                        ik_error *err)
{
    f->intact = false;
    ik_status status = ik_fabric_restore(f, env, restored, err);
    return status != IK_OK || *restored ? status : format_finish(f, err);
}

static ik_status topology_tell_unknown(ik_fabric *f, const char *code, const char *what,
                                       const ik_guids_matched *m, ik_error *err)
{
    if (!m->unknown)
        return IK_OK;
    return fabric_add_finding(f, IK_NOTE, code, IK_NONE, IK_NONE, err,
                              "%" PRIu32 " GUIDs of the %s are not in the fabric, the first is "
                              "0x%016" PRIx64,
                              m->unknown, what, m->first_unknown);
}

/* Names and LIDs from files beside an imported fabric. */
static ik_status topology_apply_files(ik_fabric *f, const ik_topology *t, const ik_params *params,
                                      const ik_env *env, ik_error *err)
{
    ik_guids_matched m;
    ik_status status = IK_OK;
    if (topology_own_param(t, "names") && ik_params_has(params, "names")) {
        status = ik_node_names_apply(f, ik_params_text(params, "names"), env, &m, err);
        if (status == IK_OK)
            status = topology_tell_unknown(f, "unknown-names", "node-name map", &m, err);
    }
    if (status == IK_OK && topology_own_param(t, "guid2lid") && ik_params_has(params, "guid2lid")) {
        status = ik_guid2lid_apply(f, ik_params_text(params, "guid2lid"), env, &m, err);
        if (status == IK_OK)
            status = topology_tell_unknown(f, "unknown-lids", "table of LIDs", &m, err);
        if (status == IK_OK && m.missing)
            status = fabric_add_finding(f, IK_WARNING, "missing-lids", IK_NONE, IK_NONE, err,
                                        "%" PRIu32 " switches and ports of hosts have no LID in "
                                        "the table of LIDs",
                                        m.missing);
    }
    return status;
}

static bool topology_takes_away(const ik_params *params)
{
    static const char *const names[] = {"hosts", "fail", "fail_racks", "fail_trays", "slow"};
    bool any = ik_params_real(params, "fail_switches") != 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        any |= ik_params_has(params, names[i]);
    return any;
}

/* Builds the member, and takes hosts and failed parts away. */
static ik_status topology_make(const topology_order *o, ik_fabric **out, ik_error *err)
{
    const ik_topology *t = o->t;
    const ik_params *params = o->params;
    const ik_env *env = o->env;
    ik_fabric *f = NULL;
    ik_status status = topology_build_graph(t, params, env, &f, err);
    if (status != IK_OK)
        return status;
    bool restored = false;
    if (topology_own_param(t, "repair") && ik_params_bool(params, "repair"))
        status = ik_fabric_repair_rates(f, err);
    if (status == IK_OK)
        status = topology_apply_files(f, t, params, env, err);
    if (status == IK_OK && t->imported)
        status = topology_finish_import(f, env, &restored, err);
    restored = restored && !topology_takes_away(params);
    if (status == IK_OK && !topology_own_param(t, "hosts") && ik_params_has(params, "hosts"))
        status = keep_first_hosts(&f, ik_params_uint(params, "hosts"), err);
    if (status == IK_OK)
        status = topology_apply_failures(o, &f, err);
    bool judged = t->imported && !restored && !f->intact;
    if (status == IK_OK && ik_params_has(params, "slow"))
        status = slow_spec_apply(ik_params_text(params, "slow"), f, !judged, err);
    if (status == IK_OK && judged)
        status = ik_fabric_judge(f, err); /* of what is left */
    if (status == IK_OK && !restored)
        status = topology_set_origin(f, t, o->name, (ik_params *)o->written, err);
    if (status != IK_OK) {
        ik_fabric_free(f);
        return status;
    }
    *out = f;
    return IK_OK;
}

/* The number of names, those of shorthands too, which are written to names unless it is NULL. */
static size_t topology_names(const ik_topology *const *t, const char **names)
{
    size_t num = 0;
    for (; *t; t++) {
        if (names)
            names[num] = (*t)->name;
        num++;
        for (const ik_shorthand *s = (*t)->shorthands; s && s->name; s++, num++)
            if (names)
                names[num] = s->name;
    }
    return num;
}

static ik_status topology_unknown_name(const char *name, ik_error *err)
{
    const ik_topology *const *all = topologies_all();
    const char **names = ik_calloc(topology_names(all, NULL) + 1, sizeof *names);
    if (!names)
        return ik_fail_memory(err, sizeof *names, "a list of names");
    topology_names(all, names);
    ik_status status = ik_fail_unknown(err, "topology or file", name, names);
    free(names);
    if (strchr(name, '.'))
        return ik_hint(err, status,
                       "files are looked for in the current folder; 'ikat list topologies' shows "
                       "the topologies");
    return status;
}

ik_status topology_from_params(const char *name, const ik_params *params, const ik_env *env,
                               floors *shared, ik_fabric **out, ik_error *err)
{
    const ik_shorthand *shorthand;
    const ik_topology *t = ik_topology_find(name, &shorthand);
    topology_order order = {t, params, name, params, env, shared};
    if (!t)
        return topology_unknown_name(name, err);
    if (!shorthand)
        return topology_make(&order, out, err);
    ik_params expanded;
    ik_status status = topology_expand(t, shorthand, params, &expanded, err);
    if (status != IK_OK)
        return status;
    order.params = &expanded;
    status = topology_make(&order, out, err);
    ik_params_free(&expanded);
    return status;
}

ik_status ik_fabric_from_params(const char *name, const ik_params *params, const ik_env *env,
                                ik_fabric **out, ik_error *err)
{
    return topology_from_params(name, params, env, NULL, out, err);
}

static bool topology_ask_size(const ik_topology *t, const ik_params *params, ik_fabric_size *out)
{
    ik_builder *b = ik_builder_new();
    if (!b)
        return false;
    ik_topo_ctx ctx = topology_make_links(params, NULL, b);
    ctx.size = out;
    *out = (ik_fabric_size){0};
    (void)t->build(params, &ctx, b, NULL);
    ik_builder_free(b);
    return out->ports > 0;
}

bool ik_fabric_size_of(const char *name, const ik_params *params, ik_fabric_size *out)
{
    const ik_shorthand *shorthand;
    const ik_topology *t = ik_topology_find(name, &shorthand);
    ik_params expanded;
    if (!t || t->imported)
        return false;
    if (!shorthand)
        return topology_ask_size(t, params, out);
    if (topology_expand(t, shorthand, params, &expanded, NULL) != IK_OK)
        return false;
    bool asked = topology_ask_size(t, &expanded, out);
    ik_params_free(&expanded);
    return asked;
}

/* ---- from a spec */

/* Is a text that names no topology a path? Reading it then says what is wrong with it. */
static bool topology_is_path(const char *text, const ik_spec *spec)
{
    struct stat info;
    return strcmp(text, "-") == 0 || stat(text, &info) == 0 ||
           (spec->name && strchr(spec->name, '/'));
}

ik_status ik_fabric_from_spec(const char *text, const ik_env *env, ik_fabric **out, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec = {0};
    const char *path = text, *no_key = NULL;
    const ik_shorthand *shorthand = NULL;
    const ik_topology *t = NULL;
    ik_status status = ik_spec_parse(text, &arena, &spec, err);
    if (status == IK_OK)
        t = ik_topology_find(spec.name, &shorthand);
    if (text && !t && topology_is_path(text, &spec)) {
        spec = (ik_spec){.name = "file", .num = 1, .keys = &no_key, .values = &path};
        t = ik_topology_find(spec.name, &shorthand);
        status = IK_OK;
    }
    if (status == IK_OK && !t)
        status = topology_unknown_name(spec.name, err);
    ik_params params;
    if (status == IK_OK)
        status = ik_params_from_spec(&params, "topology", &spec,
                                     shorthand ? shorthand->params : t->params,
                                     ik_topology_common_params, err);
    if (status == IK_OK) {
        status = ik_fabric_from_params(spec.name, &params, env, out, err);
        ik_params_free(&params);
    }
    ik_arena_free(&arena);
    return status;
}
