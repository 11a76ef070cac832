/* SPDX-License-Identifier: Apache-2.0
 *
 * route_path.c: `ikat route --path A B`: the way that packets take from one host to another.
 */
#include "route_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where a path begins or ends. */
typedef struct route_end {
    uint32_t host, port; /* port: IK_NONE: any cable of the host */
} route_end;

typedef struct route_way {
    uint32_t *channels, num; /* num: 0: not delivered */
    uint32_t paths;          /* that packets start on, this one included; 0: they are not sent */
} route_way;

static bool route_path_is_named(const ik_fabric *f, uint32_t host, const char *asked)
{
    char text[512], *end;
    uint32_t node = ik_host_node(f, host);
    if (strcmp(ik_node_name(f, node, text, sizeof text), asked) == 0)
        return true;
    return f->node_guid && strncmp(asked, "0x", 2) == 0 && asked[2] &&
           strtoull(asked, &end, 16) == f->node_guid[node] && !*end;
}

/* How many hosts bear a name, a GUID or, as host5, a number; a name goes before a number. */
static uint32_t route_path_count(const ik_fabric *f, const char *asked, uint32_t *host)
{
    uint32_t num = 0;
    for (uint32_t h = f->num_hosts; h-- > 0;)
        if (route_path_is_named(f, h, asked)) {
            *host = h;
            num++;
        }
    const char *digits = asked + strlen("host");
    if (num || strncmp(asked, "host", strlen("host")) != 0 || !*digits || strlen(digits) > 9 ||
        digits[strspn(digits, "0123456789")])
        return num;
    *host = (uint32_t)atoi(digits);
    return *host < f->num_hosts;
}

/* "host5.2": a port of the host, by its printed number. */
static bool route_path_find_port(const ik_fabric *f, const char *asked, route_end *out)
{
    const char *dot = strrchr(asked, '.');
    char name[512];
    if (!dot || !dot[1] || strlen(dot + 1) > 5 || dot[1 + strspn(dot + 1, "0123456789")] ||
        (size_t)(dot - asked) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(dot - asked), asked);
    if (route_path_count(f, name, &out->host) != 1)
        return false;
    out->port = ik_port_of_number(f, ik_host_node(f, out->host), (unsigned)atoi(dot + 1));
    return out->port != IK_NONE && ik_peer_node(f, out->port) != IK_NONE;
}

/* A host, or one of its ports. */
static ik_status route_path_find(const ik_fabric *f, const char *asked, route_end *out,
                                 ik_error *err)
{
    *out = (route_end){.port = IK_NONE};
    uint32_t num = route_path_count(f, asked, &out->host);
    if (num == 1 || (num == 0 && route_path_find_port(f, asked, out)))
        return IK_OK;
    ik_fail(err, IK_ERR_USAGE,
            num ? "--path: '%.200s' is the name of several hosts"
                : "--path: there is no host '%.200s', and no port of one with a cable",
            asked);
    if (f->num_hosts == 0)
        return ik_hint(err, IK_ERR_USAGE, "this fabric has no hosts");
    return ik_hint(err, IK_ERR_USAGE,
                   "a host is named as 'ikat topo' and files name it, by its GUID (0x…), or by its "
                   "number: host0 to host%" PRIu32 "; its port 2 is host0.2",
                   f->num_hosts - 1);
}

static int route_path_print_json(const route_job *job, const route_way *w)
{
    const ik_fabric *f = job->f;
    ik_json j;
    char text[512];
    cli_json_begin(&j);
    ik_json_text(&j, "routing", job->plan->routing->spec);
    ik_json_uint(&j, "states", w->paths);
    ik_json_bool(&j, "delivered", w->num > 0);
    ik_json_array(&j, "path");
    for (uint32_t i = 0; i < w->num; i++) {
        const uint32_t port = w->channels[i];
        ik_json_object(&j, NULL);
        ik_json_text(&j, "from", ik_port_describe(f, port, text, sizeof text));
        ik_json_text(&j, "to", ik_port_describe(f, f->port_peer[port], text, sizeof text));
        ik_json_uint(&j, "rate_bps", ik_port_rate_bps(f, port));
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(job->c, &j);
}

static int route_path_print(const route_job *job, const route_way *w)
{
    const char *const headers[] = {"hop>", "from", "to", "rate>", NULL};
    const ik_fabric *f = job->f;
    char text[512];
    cli_table *t = cli_table_new(headers);
    for (uint32_t i = 0; i < w->num; i++) {
        const uint32_t port = w->channels[i];
        cli_table_cell(t, "%" PRIu32, i);
        cli_table_cell(t, "%s", ik_port_describe(f, port, text, sizeof text));
        cli_table_cell(t, "%s", ik_port_describe(f, f->port_peer[port], text, sizeof text));
        cli_table_cell(t, "%s", cli_quantity(ik_port_rate_bps(f, port), IK_DIM_RATE));
    }
    cli_table_print(t, stdout, job->c->colour_out);
    if (w->paths > 1 && !job->c->quiet)
        printf("This is one of %s; --format paths has all.\n", cli_counted(w->paths, "path"));
    if (job->plan->routing->kind == IK_ROUTE_ADAPTIVE && !job->c->quiet)
        printf(
            "Packets choose their ways by the state of queues: this is the one that they prefer; "
            "--format hops has all.\n");
    return cli_finish(job->c, CLI_DONE);
}

/* The first pair of cables that messages take, of those that are named: of the split fabric, whose
 * ports have the same numbers. The path between two cables that are named is shown whether messages
 * between their hosts take them or not. Sets w->paths. */
static void route_path_choose(const ik_plan *plan, const route_end *a, const route_end *b,
                              uint32_t *from, uint32_t *to, route_way *w)
{
    const ik_fabric *f = plan->fabric;
    uint32_t src, dst, num = ik_rails_count(plan->routing, a->host, b->host);
    const uint32_t of_a = a->port == IK_NONE ? IK_NONE : f->port_node[a->port] - f->num_switches;
    const uint32_t of_b = b->port == IK_NONE ? IK_NONE : f->port_node[b->port] - f->num_switches;
    if (of_a != IK_NONE && of_b != IK_NONE) {
        *from = of_a;
        *to = of_b;
        w->paths = ik_plan_num_starts(plan, of_a, of_b);
        return;
    }
    for (uint32_t k = 0; k < num; k++) {
        ik_rails_nth(plan->routing, a->host, b->host, k, &src, &dst);
        uint32_t starts = ik_plan_num_starts(plan, src, dst);
        if (!starts || (of_a != IK_NONE && of_a != src) || (of_b != IK_NONE && of_b != dst))
            continue;
        if (w->paths == 0) {
            *from = src;
            *to = dst;
        }
        w->paths += starts;
    }
}

/* w->channels: room for `most`. */
static ik_status route_path_walk(const route_job *job, const char *from, const char *to,
                                 uint32_t most, route_way *w, ik_error *err)
{
    route_end a, b;
    uint32_t src = 0, dst = 0;
    ik_status status = route_path_find(job->f, from, &a, err);
    if (status == IK_OK)
        status = route_path_find(job->f, to, &b, err);
    if (status == IK_OK && a.host == b.host)
        status = ik_fail(err, IK_ERR_USAGE, "--path: both are the same host, '%.200s'", to);
    if (status != IK_OK)
        return status;
    route_path_choose(job->plan, &a, &b, &src, &dst, w);
    w->num = w->paths ? ik_plan_path(job->plan, src, dst, 0, w->channels, most) : 0;
    if (w->num == IK_NONE)
        return ik_fail_memory(err, most * sizeof *w->channels, "a path");
    if (w->num || job->c->json)
        return IK_OK;
    ik_fail(err, IK_ERR_FAILED, "%s %s packets from %.200s to %.200s", job->plan->routing->spec,
            w->paths ? "does not deliver" : "sends no", from, to);
    return a.port == b.port || w->paths
               ? IK_ERR_FAILED
               : ik_hint(err, IK_ERR_FAILED, "name the ports of both hosts, or of none");
}

int route_show_path(const route_job *job, const char *from, const char *to)
{
    const cli *c = job->c;
    const uint32_t most = 2 * job->f->num_switches + 2; /* each in both directions of a tree */
    ik_error err;
    route_way w = {.channels = ik_calloc(most, sizeof *w.channels)};
    ik_status status = w.channels ? route_path_walk(job, from, to, most, &w, &err)
                                  : ik_fail_memory(&err, most * sizeof *w.channels, "a path");
    int exit_status = status != IK_OK ? cli_error(c, &err)
                      : c->json       ? route_path_print_json(job, &w)
                                      : route_path_print(job, &w);
    free(w.channels);
    return exit_status == CLI_DONE && w.num == 0 ? CLI_FAILED : exit_status;
}
