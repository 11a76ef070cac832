/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings and networks of simulators' configurations (sim_net.h).
 */
#include "format/simulators/sim_net.h"
#include "base/array.h"
#include "fabric/builder_private.h"
#include "fabric/fabric_private.h"
#include "format/generated.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SIM_NET_NAMED = 12, SIM_NET_MAX_PORTS = 15000000, SIM_NET_MAX_LENGTH = 1000000 };

/* ---- files */

static bool sim_skip_comment(scan *s)
{
    while (s->end - s->at < 2 || s->at[0] != '*' || s->at[1] != '/')
        if (s->at < s->end)
            s->at++;
        else if (!scan_line(s))
            return false;
    s->at += 2;
    return true;
}

bool sim_next(scan *s, bool more)
{
    for (;;) {
        while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
            s->at++;
        if (more && scan_prefix(s, "/*")) {
            if (!sim_skip_comment(s))
                return false;
            continue;
        }
        if (scan_prefix(s, "//") || (more && scan_prefix(s, "#")))
            s->at = s->end;
        if (s->at < s->end)
            return true;
        if (!scan_line(s))
            return false;
    }
}

const char *sim_path(ik_arena *arena, const char *file, slice name)
{
    const char *slash = strrchr(file, '/');
    int folder = slash && (!name.length || name.at[0] != '/') ? (int)(slash - file) + 1 : 0;
    return ik_arena_printf(arena, "%.*s%.*s", folder, file, (int)name.length, name.at);
}

/* ---- settings */

ik_status sim_net_add(sim_net *n, const sim_net_setting *setting)
{
    if (!IK_ARRAY_ROOM(n->settings, n->setting_cap, n->num_settings + 1))
        return ik_fail_memory(n->err, sizeof *setting, "settings");
    n->settings[n->num_settings++] = *setting;
    return IK_OK;
}

sim_net_setting *sim_net_find(sim_net *n, const char *name)
{
    sim_net_setting *last = NULL;
    for (size_t i = 0; i < n->num_settings; i++)
        if (slice_is(n->settings[i].name, name)) {
            last = &n->settings[i];
            last->known = true;
        }
    return last;
}

ik_status sim_net_refuse(sim_net *n, const sim_net_setting *at, const char *hint, const char *what,
                         ...)
{
    char text[256];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    ik_fail_at(n->err, IK_ERR_INPUT, n->file, at ? at->line : 0, at ? at->column : 0, "%s", text);
    return n->status = ik_hint(n->err, IK_ERR_INPUT, "%s", hint);
}

/* The setting and its value, which is refused. */
static void sim_net_refuse_value(sim_net *n, const sim_net_setting *set, const char *name,
                                 const char *is_not, const char *hint)
{
    if (set)
        sim_net_refuse(n, set, hint, "%s = '%.*s' is %s", name,
                       (int)(set->value.length < 60 ? set->value.length : 60), set->value.at,
                       is_not);
    else
        sim_net_refuse(n, NULL, hint, "there is no setting %s", name);
}

/* NULL: there is none, or it is refused, or there was an error. */
static const sim_net_setting *sim_net_literal(sim_net *n, const char *name)
{
    const sim_net_setting *set = sim_net_find(n, name);
    bool doubtful = false;
    for (size_t i = 0; set && i < n->num_settings; i++) {
        const sim_net_setting *other = &n->settings[i];
        doubtful |= (other->indented || set->indented || n->repeated) &&
                    slice_is(other->name, name) &&
                    (other->value.length != set->value.length ||
                     memcmp(other->value.at, set->value.at, set->value.length) != 0);
    }
    if (n->status != IK_OK || !set || (!set->computed && !doubtful))
        return n->status == IK_OK ? set : NULL;
    if (set->computed)
        sim_net_refuse(n, set, "the program is not run: write the value itself",
                       "%s is computed or deleted here; expected a literal value", name);
    else
        sim_net_refuse(n, set, "the program is not run: leave one of them in a copy of it",
                       "%s has other values elsewhere, in a branch, a function or another network",
                       name);
    return NULL;
}

slice sim_net_text(sim_net *n, const char *name)
{
    const sim_net_setting *set = sim_net_literal(n, name);
    return set ? set->value : (slice){"", 0};
}

uint64_t sim_net_uint(sim_net *n, const char *name, uint64_t least, uint64_t most, uint64_t usual)
{
    const sim_net_setting *set = sim_net_literal(n, name);
    uint64_t value = usual;
    char hint[80];
    if (n->status == IK_OK &&
        (set ? slice_uint(set->value, most, &value) && value >= least : usual != SIM_NET_NEEDED))
        return value;
    snprintf(hint, sizeof hint, "expected a whole number from %" PRIu64 " to %" PRIu64, least,
             most);
    if (n->status == IK_OK)
        sim_net_refuse_value(n, set, name, "not read", hint);
    return least;
}

/* Passes over what may stand between two numbers of a list: blanks, quotes and brackets, and one
 * of ,:x */
static size_t sim_net_between(slice text, size_t i)
{
    for (bool divided = false; i < text.length; i++) {
        bool divides = strchr(",:x", text.at[i]) && text.at[i];
        if ((!divides && !strchr(" \t\r\n\"'()[]", text.at[i])) || (divides && divided))
            break;
        divided |= divides;
    }
    return i;
}

/* false: it is no list, or has more than `room` numbers, or too large ones. */
static bool sim_net_numbers(slice text, uint64_t most, uint64_t *values, size_t room, size_t *num)
{
    size_t i = 0, end = 0;
    while (i < text.length && strchr(" \t\r\n\"'([", text.at[i]))
        i++;
    for (*num = 0; i < text.length; i = sim_net_between(text, end)) {
        for (end = i; end < text.length && text.at[end] >= '0' && text.at[end] <= '9';)
            end++;
        if (end == i || *num == room ||
            !slice_uint((slice){text.at + i, end - i}, most, &values[(*num)++]))
            return false;
    }
    /* a comma may stand at the end, no 'x' */
    for (size_t k = end; k < text.length; k++)
        if (text.at[k] == 'x' || text.at[k] == ':')
            return false;
    return *num;
}

size_t sim_net_list(sim_net *n, const char *name, uint64_t most, uint64_t *values, size_t room)
{
    const sim_net_setting *set = sim_net_literal(n, name);
    size_t num = 0;
    char hint[100];
    if (n->status != IK_OK || (set && sim_net_numbers(set->value, most, values, room, &num)))
        return n->status == IK_OK ? num : 0;
    snprintf(hint, sizeof hint, "expected up to %zu whole numbers up to %" PRIu64 ", as in 4,4,2",
             room, most);
    sim_net_refuse_value(n, set, name, "no list of whole numbers", hint);
    return 0;
}

uint64_t sim_net_dims(sim_net *n, const char *name, uint64_t dims[SIM_NET_MAX_DIMS], size_t *num)
{
    uint64_t product = 1;
    *num = sim_net_list(n, name, SIM_NET_MAX_LENGTH, dims, SIM_NET_MAX_DIMS);
    for (size_t i = 0; i < *num && n->status == IK_OK; i++)
        if (dims[i] && product <= UINT32_MAX / dims[i])
            product *= dims[i];
        else
            sim_net_refuse(n, sim_net_find(n, name),
                           "expected lengths from 1 on, and fewer than 2^32 switches",
                           "the %s is impossible", name);
    return product;
}

void sim_net_print(char text[SIM_NET_PRINTED], const uint64_t *values, size_t num)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < num; i++)
        used += (size_t)snprintf(text + used, SIM_NET_PRINTED - used, i ? ":%" PRIu64 : "%" PRIu64,
                                 values[i]);
}

/* The number before a unit; the unit begins at *unit, in the copy. */
static bool sim_net_real(slice text, double *value, const char **unit, char copy[40])
{
    size_t length = 0;
    char number[40];
    if (!text.length || text.length >= 40)
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    length = strspn(copy, "0123456789.");
    memcpy(number, copy, length);
    number[length] = '\0';
    *unit = copy + length + strspn(copy + length, " ");
    return length && ik_parse_real(number, IK_DIM_NONE, value, NULL) == IK_OK;
}

static double sim_net_unit_of_rate(const char *unit, double bare)
{
    static const char prefixes[] = "KMGT";
    const char *at = strchr(prefixes, *unit == 'k' ? 'K' : *unit);
    double base = 1;
    if (!*unit)
        return bare;
    if (at) {
        base = pow(unit[1] == 'i' ? 1024 : 1000, (double)(at - prefixes + 1));
        unit += unit[1] == 'i' ? 2 : 1;
    }
    if (strcmp(unit, "b/s") == 0 || strcmp(unit, "bps") == 0)
        return base;
    return strcmp(unit, "B/s") == 0 || strcmp(unit, "Bps") == 0 ? 8 * base : 0;
}

bool sim_rate(slice text, double bare, uint64_t *rate_bps)
{
    double value;
    const char *unit;
    char copy[40];
    if (!sim_net_real(text, &value, &unit, copy))
        return false;
    value *= sim_net_unit_of_rate(unit, bare);
    if (!(value >= 1 && value <= (double)RAW_MAX_RATE_BPS))
        return false;
    *rate_bps = (uint64_t)llround(value);
    return true;
}

uint64_t sim_net_rate(sim_net *n, const char *name, double bare)
{
    uint64_t rate_bps = 0;
    const sim_net_setting *set = sim_net_literal(n, name);
    if (set && !sim_rate(set->value, bare, &rate_bps))
        sim_net_refuse_value(n, set, name, "no rate",
                             "expected a rate up to 1000 Tb/s, as in 4GB/s");
    return rate_bps;
}

bool sim_time(slice text, uint64_t *latency_ps)
{
    static const char *const names[] = {"ps", "ns", "us", "ms", "s"};
    double value, ps = 1;
    const char *unit;
    char copy[40];
    size_t i = 0;
    if (!sim_net_real(text, &value, &unit, copy))
        return false;
    for (; i < 5 && strcmp(*unit ? unit : "ns", names[i]) != 0; i++)
        ps *= 1e3;
    if (i == 5 || value * ps > 1e12)
        return false;
    *latency_ps = (uint64_t)llround(value * ps);
    return true;
}

void sim_net_time(sim_net *n, const char *name, uint64_t *latency_ps)
{
    const sim_net_setting *set = sim_net_literal(n, name);
    if (set && !sim_time(set->value, latency_ps))
        sim_net_refuse_value(n, set, name, "no time", "expected a time up to 1 s, as in 20ns");
}

void sim_note_ignored(ik_builder *b, const name_map *names, const char *page)
{
    char list[512] = "";
    size_t used = 0;
    uint32_t named = names->num < SIM_NET_NAMED ? names->num : SIM_NET_NAMED;
    for (uint32_t i = 0; i < named; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, i ? ", %.*s" : "%.*s",
                                 (int)(names->names[i].length < 32 ? names->names[i].length : 32),
                                 names->names[i].at);
    if (names->num)
        ik_builder_finding(b, IK_NOTE, "ignored-settings", NULL,
                           "%s, which %s not of the fabric, %s not read: %s%s (%s)",
                           IK_COUNT(names->num, "setting"), names->num == 1 ? "is" : "are",
                           names->num == 1 ? "was" : "were", list, names->num > named ? ", …" : "",
                           page);
}

ik_status sim_net_note_ignored(sim_net *n, const char *page)
{
    bool is_new;
    name_map names = {0};
    for (size_t i = 0; i < n->num_settings && n->status == IK_OK; i++)
        if (!n->settings[i].known && name_map_add(&names, n->settings[i].name, &is_new) == IK_NONE)
            n->status = ik_fail_memory(n->err, 24, "names of settings");
    if (n->status == IK_OK)
        sim_note_ignored(n->b, &names, page);
    name_map_free(&names);
    return n->status;
}

/* ---- the network */

void sim_net_links(sim_net *n, const uint64_t rate[SIM_NET_KINDS], const uint64_t *latency_ps,
                   const uint64_t *host_latency_ps)
{
    for (int kind = 0; kind < SIM_NET_KINDS; kind++) {
        bool to_host = kind == SIM_NET_HOST;
        ik_link_class usual = ik_builder_class_of(n->b, ik_builder_default_link(n->b, to_host));
        const uint64_t *latency = to_host ? host_latency_ps : latency_ps;
        n->link[kind] = ik_builder_class(n->b, rate[kind] ? rate[kind] : usual.rate_bps,
                                         latency ? *latency : usual.latency_ps, NULL);
    }
    n->b->f->priv->rates_meant = true;
    if (!rate[SIM_NET_LOCAL] || !rate[SIM_NET_GLOBAL] || !rate[SIM_NET_HOST])
        ik_builder_finding(n->b, IK_NOTE, "assumed-rate", NULL,
                           "the file gives no rate of links %s, which is the fabric's",
                           rate[SIM_NET_HOST]    ? "between switches"
                           : rate[SIM_NET_LOCAL] ? "to hosts"
                                                 : "between switches and to hosts");
    ik_builder_set_default_links(n->b, n->link[SIM_NET_LOCAL], n->link[SIM_NET_HOST]);
}

ik_status sim_net_member(sim_net *n, const sim_net_setting *at, const char *format, ...)
{
    char spec[1024];
    va_list args;
    if (n->status != IK_OK)
        return n->status;
    va_start(args, format);
    vsnprintf(spec, sizeof spec, format, args);
    va_end(args);
    ik_status status = generated_build(spec, n->b, n->err);
    if (status == IK_ERR_USAGE || status == IK_ERR_INPUT || status == IK_ERR_UNSUPPORTED)
        ik_error_at(n->err, n->file, at ? at->line : 0, at ? at->column : 0);
    return status;
}

bool sim_net_begin(sim_net *n, const sim_net_setting *at, double switches, double hosts,
                   double links)
{
    if (n->status == IK_OK && 2 * (links + hosts) + switches > SIM_NET_MAX_PORTS)
        sim_net_refuse(n, at, "larger networks are built by a spec (see 'ikat list topologies')",
                       "%.0f switches, %.0f hosts and %.0f links are too many for a file", switches,
                       hosts, links);
    if (n->status != IK_OK)
        return false;
    n->num_switches = (uint32_t)switches;
    n->num_hosts = (uint32_t)hosts;
    return true;
}

void sim_net_cable_add(sim_net *n, uint32_t a, uint32_t c, sim_net_kind kind)
{
    if (n->status == IK_OK && !IK_ARRAY_ROOM(n->cables, n->cable_cap, n->num_cables + 1))
        n->status = ik_fail_memory(n->err, n->num_cables * sizeof *n->cables, "links");
    if (n->status == IK_OK)
        n->cables[n->num_cables++] = (sim_net_cable){a, c, kind};
}

void sim_net_hosts_add(sim_net *n, uint64_t routers, uint64_t leaves, uint64_t per)
{
    for (uint64_t h = 0; h < n->num_hosts; h++)
        sim_net_cable_add(n, (uint32_t)(h / per / leaves * routers + h / per % leaves), (uint32_t)h,
                          SIM_NET_HOST);
}

/* Counts the ports of every node, and cables them if `build`. */
static void sim_net_ports(sim_net *n, uint32_t *ports, bool build)
{
    uint32_t *hosts = ports + n->num_switches;
    for (size_t i = 0; i < n->num_cables; i++) {
        const sim_net_cable *cable = &n->cables[i];
        uint32_t near = ports[cable->a]++;
        if (cable->kind == SIM_NET_HOST) {
            uint32_t far = hosts[cable->c]++;
            if (build)
                ik_builder_link(n->b, ik_hs(cable->c, far), ik_sw(cable->a, near),
                                n->link[cable->kind]);
        } else {
            uint32_t far = ports[cable->c]++;
            if (build)
                ik_builder_link(n->b, ik_sw(cable->a, near), ik_sw(cable->c, far),
                                n->link[cable->kind]);
        }
    }
}

ik_status sim_net_end(sim_net *n)
{
    size_t nodes = (size_t)n->num_switches + n->num_hosts;
    uint32_t *ports = n->status == IK_OK ? ik_calloc(nodes + 1, sizeof *ports) : NULL;
    if (!ports)
        return n->status == IK_OK ? ik_fail_memory(n->err, nodes * sizeof *ports, "ports")
                                  : n->status;
    sim_net_ports(n, ports, false);
    for (size_t i = 0; i < nodes; i++) {
        if (i < n->num_switches)
            ik_builder_switches(n->b, 1, ports[i]);
        else
            ik_builder_hosts(n->b, 1, ports[i]);
        ports[i] = 0;
    }
    sim_net_ports(n, ports, true);
    free(ports);
    return ik_builder_status(n->b, n->err);
}

void sim_net_free(sim_net *n)
{
    free(n->settings);
    free(n->cables);
}
