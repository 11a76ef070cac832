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

enum { SIM_NET_NAMED = 12, SIM_NET_MAX_PORTS = 15000000 };

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

ik_status sim_net_refuse(const sim_net *n, const sim_net_setting *at, const char *hint,
                         const char *what, ...)
{
    char text[256];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    ik_fail_at(n->err, IK_ERR_INPUT, n->file, at ? at->line : 0, at ? at->column : 0, "%s", text);
    return ik_hint(n->err, IK_ERR_INPUT, "%s", hint);
}

ik_status sim_net_text(sim_net *n, const char *name, slice *text)
{
    const sim_net_setting *set = sim_net_find(n, name);
    *text = set ? set->value : (slice){"", 0};
    if (!set || !set->computed)
        return IK_OK;
    return sim_net_refuse(n, set, "the program is not run: write the value itself",
                          "%s is computed here; expected a literal value", name);
}

ik_status sim_net_uint(sim_net *n, const char *name, uint64_t least, uint64_t most, uint64_t usual,
                       uint64_t *value)
{
    slice text;
    ik_status status = sim_net_text(n, name, &text);
    const sim_net_setting *set = sim_net_find(n, name);
    char hint[80];
    snprintf(hint, sizeof hint, "expected a whole number from %" PRIu64 " to %" PRIu64, least,
             most);
    *value = usual;
    if (status != IK_OK || (!set && usual != SIM_NET_NEEDED))
        return status;
    if (!set)
        return sim_net_refuse(n, NULL, hint, "there is no setting %s", name);
    if (!slice_uint(text, most, value) || *value < least)
        return sim_net_refuse(n, set, hint, "%s = '%.*s' is not read", name,
                              (int)(text.length < 60 ? text.length : 60), text.at);
    return IK_OK;
}

ik_status sim_net_list(sim_net *n, const char *name, uint64_t most, uint64_t *values, size_t room,
                       size_t *num)
{
    slice text;
    ik_status status = sim_net_text(n, name, &text);
    const sim_net_setting *set = sim_net_find(n, name);
    bool good = true;
    *num = 0;
    for (size_t i = 0, end; good && i < text.length; i = end) {
        for (end = i; end < text.length && text.at[end] >= '0' && text.at[end] <= '9';)
            end++;
        if (end > i)
            good =
                *num < room && slice_uint((slice){text.at + i, end - i}, most, &values[(*num)++]);
        else
            good = text.at[end] && strchr(" \t\r\n,:x\"'()[]", text.at[end++]);
    }
    if (status != IK_OK || (good && *num))
        return status;
    return sim_net_refuse(n, set, "expected whole numbers, as in 4,4,2",
                          set ? "%s is no list that is read" : "there is no setting %s", name);
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

ik_status sim_net_rate(sim_net *n, const char *name, double bare, uint64_t *rate_bps)
{
    slice text;
    double value;
    const char *unit;
    char copy[40];
    ik_status status = sim_net_text(n, name, &text);
    const sim_net_setting *set = sim_net_find(n, name);
    *rate_bps = 0;
    if (status != IK_OK || !set)
        return status;
    if (sim_net_real(text, &value, &unit, copy)) {
        value *= sim_net_unit_of_rate(unit, bare);
        if (value >= 1 && value <= (double)RAW_MAX_RATE_BPS) {
            *rate_bps = (uint64_t)llround(value);
            return IK_OK;
        }
    }
    return sim_net_refuse(n, set, "expected a rate up to 1000 Tb/s, as in 4GB/s",
                          "%s = '%.*s' is no rate", name,
                          (int)(text.length < 60 ? text.length : 60), text.at);
}

ik_status sim_net_time(sim_net *n, const char *name, uint64_t *latency_ps)
{
    static const struct {
        const char *unit;
        double ps;
    } units[] = {{"", 1e3}, {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    slice text;
    double value;
    const char *unit;
    char copy[40];
    ik_status status = sim_net_text(n, name, &text);
    const sim_net_setting *set = sim_net_find(n, name);
    if (status != IK_OK || !set)
        return status;
    bool is_number = sim_net_real(text, &value, &unit, copy);
    for (size_t i = 0; is_number && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0 && value * units[i].ps <= 1e12) {
            *latency_ps = (uint64_t)llround(value * units[i].ps);
            return IK_OK;
        }
    return sim_net_refuse(n, set, "expected a time up to 1 s, as in 20ns", "%s = '%.*s' is no time",
                          name, (int)(text.length < 60 ? text.length : 60), text.at);
}

ik_status sim_net_note_ignored(const sim_net *n, const char *page)
{
    char list[512] = "";
    size_t used = 0;
    bool is_new;
    name_map names = {0};
    ik_status status = IK_OK;
    for (size_t i = 0; i < n->num_settings && status == IK_OK; i++)
        if (!n->settings[i].known && name_map_add(&names, n->settings[i].name, &is_new) == IK_NONE)
            status = ik_fail_memory(n->err, 24, "names of settings");
    uint32_t named = names.num < SIM_NET_NAMED ? names.num : SIM_NET_NAMED;
    for (uint32_t i = 0; i < named; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, i ? ", %.*s" : "%.*s",
                                 (int)(names.names[i].length < 32 ? names.names[i].length : 32),
                                 names.names[i].at);
    if (names.num && status == IK_OK)
        ik_builder_finding(n->b, IK_NOTE, "ignored-settings", NULL,
                           "%s, which %s not of the fabric, %s not read: %s%s (%s)",
                           IK_COUNT(names.num, "setting"), names.num == 1 ? "is" : "are",
                           names.num == 1 ? "was" : "were", list, names.num > named ? ", …" : "",
                           page);
    name_map_free(&names);
    return status;
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
    va_start(args, format);
    vsnprintf(spec, sizeof spec, format, args);
    va_end(args);
    ik_status status = generated_build(spec, n->b, n->err);
    if (status == IK_ERR_USAGE || status == IK_ERR_INPUT || status == IK_ERR_UNSUPPORTED)
        ik_error_at(n->err, n->file, at ? at->line : 0, at ? at->column : 0);
    return status;
}

ik_status sim_net_begin(sim_net *n, const sim_net_setting *at, double switches, double hosts,
                        double links)
{
    if (2 * (links + hosts) + switches > SIM_NET_MAX_PORTS)
        return sim_net_refuse(n, at,
                              "larger networks are built by a spec (see 'ikat list topologies')",
                              "%.0f switches, %.0f hosts and %.0f links are too many for a file",
                              switches, hosts, links);
    n->num_switches = (uint32_t)switches;
    n->num_hosts = (uint32_t)hosts;
    return IK_OK;
}

void sim_net_cable_add(sim_net *n, uint32_t a, uint32_t c, sim_net_kind kind)
{
    n->out_of_memory |= !IK_ARRAY_ROOM(n->cables, n->cable_cap, n->num_cables + 1);
    if (!n->out_of_memory)
        n->cables[n->num_cables++] = (sim_net_cable){a, c, kind};
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
    uint32_t *ports = ik_calloc(nodes + 1, sizeof *ports);
    if (!ports || n->out_of_memory) {
        free(ports);
        return ik_fail_memory(n->err, n->num_cables * sizeof *n->cables, "links");
    }
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
