/* SPDX-License-Identifier: Apache-2.0
 *
 * route_path.c: `ikat route --path A B`: the way that packets take from one host to another.
 */
#include "route_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROUTE_PATH_MOST = 4096 }; /* channels of a path */

static bool route_path_is_host(const ik_fabric *f, uint32_t host, const char *asked)
{
    char text[512];
    uint32_t node = ik_host_node(f, host);
    if (strcmp(ik_node_name(f, node, text, sizeof text), asked) == 0)
        return true;
    snprintf(text, sizeof text, "host%" PRIu32, host);
    if (strcmp(text, asked) == 0)
        return true;
    snprintf(text, sizeof text, "0x%016" PRIx64, f->node_guid ? f->node_guid[node] : 0);
    return f->node_guid && strcmp(text, asked) == 0;
}

/* The host that bears a name, a GUID or, as host5, a number. A name goes before a number. */
static ik_status route_path_find(const ik_fabric *f, const char *asked, uint32_t *out,
                                 ik_error *err)
{
    uint32_t num = 0;
    for (uint32_t host = f->num_hosts; host-- > 0;)
        if (route_path_is_host(f, host, asked)) {
            *out = host;
            num++;
        }
    if (num == 1)
        return IK_OK;
    ik_fail(err, IK_ERR_USAGE,
            num ? "--path: '%.200s' is the name of several hosts"
                : "--path: there is no host '%.200s'",
            asked);
    return ik_hint(err, IK_ERR_USAGE,
                   "a host is named as 'ikat topo' and files name it, by its GUID (0x…), or by its "
                   "number: host0 to host%" PRIu32,
                   f->num_hosts - 1);
}

static int route_path_print_json(const route_job *job, uint32_t starts, const uint32_t *path,
                                 uint32_t num)
{
    const ik_fabric *f = job->f;
    ik_json j;
    char text[512];
    cli_json_begin(&j);
    ik_json_text(&j, "routing", job->plan->routing->spec);
    ik_json_uint(&j, "states", starts);
    ik_json_bool(&j, "delivered", num > 0);
    ik_json_array(&j, "path");
    for (uint32_t i = 0; i < num; i++) {
        ik_json_object(&j, NULL);
        ik_json_text(&j, "from", ik_port_describe(f, path[i], text, sizeof text));
        ik_json_text(&j, "to", ik_port_describe(f, f->port_peer[path[i]], text, sizeof text));
        ik_json_uint(&j, "rate_bps", ik_port_rate_bps(f, path[i]));
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(job->c, &j);
}

static int route_path_print(const route_job *job, uint32_t starts, const uint32_t *path,
                            uint32_t num)
{
    const char *const headers[] = {"hop>", "from", "to", "rate>", NULL};
    const ik_fabric *f = job->f;
    char text[512];
    cli_table *t = cli_table_new(headers);
    for (uint32_t i = 0; i < num; i++) {
        cli_table_cell(t, "%" PRIu32, i);
        cli_table_cell(t, "%s", ik_port_describe(f, path[i], text, sizeof text));
        cli_table_cell(t, "%s", ik_port_describe(f, f->port_peer[path[i]], text, sizeof text));
        cli_table_cell(t, "%s", cli_quantity(ik_port_rate_bps(f, path[i]), IK_DIM_RATE));
    }
    cli_table_print(t, stdout, job->c->colour_out);
    if (starts > 1 && !job->c->quiet)
        printf("This is one of %s; --format paths has all.\n", cli_counted(starts, "path"));
    return cli_finish(job->c, CLI_DONE);
}

static ik_status route_path_walk(const route_job *job, const char *from, const char *to,
                                 uint32_t *starts, uint32_t *path, uint32_t *num, ik_error *err)
{
    uint32_t src = 0, dst = 0;
    if (ik_fabric_has_rails(job->f)) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "--path: hosts of this fabric have several cables");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "--format paths has the paths of all of them");
    }
    ik_status status = route_path_find(job->f, from, &src, err);
    if (status == IK_OK)
        status = route_path_find(job->f, to, &dst, err);
    if (status == IK_OK && src == dst)
        status = ik_fail(err, IK_ERR_USAGE, "--path: both are the same host, '%.200s'", to);
    if (status != IK_OK)
        return status;
    *starts = ik_plan_num_starts(job->plan, src, dst);
    *num = *starts ? ik_plan_path(job->plan, src, dst, 0, path, ROUTE_PATH_MOST) : 0;
    if (*num == IK_NONE)
        return ik_fail_memory(err, ROUTE_PATH_MOST * sizeof *path, "a path");
    return IK_OK;
}

int route_show_path(const route_job *job, const char *from, const char *to)
{
    const cli *c = job->c;
    ik_error err;
    uint32_t starts = 0, num = 0, *path = ik_calloc(ROUTE_PATH_MOST, sizeof *path);
    ik_status status = path ? route_path_walk(job, from, to, &starts, path, &num, &err)
                            : ik_fail_memory(&err, ROUTE_PATH_MOST * sizeof *path, "a path");
    if (status == IK_OK && num == 0 && !c->json) {
        ik_fail(&err, IK_ERR_FAILED, "%s does not deliver packets from %.200s to %.200s",
                job->plan->routing->spec, from, to);
        status = IK_ERR_FAILED;
    }
    int exit_status = status != IK_OK ? cli_error(c, &err)
                      : c->json       ? route_path_print_json(job, starts, path, num)
                                      : route_path_print(job, starts, path, num);
    free(path);
    return exit_status == CLI_DONE && num == 0 ? CLI_FAILED : exit_status;
}
