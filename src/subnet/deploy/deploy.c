/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy.c: a routing as files for OpenSM: made, written, read back, judged as read, and only then
 * put in place.
 */
#include "subnet/deploy/deploy.h"
#include "subnet/deploy/update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts that are left out, roots */

/* The part of the fabric with most hosts. */
static uint32_t deploy_largest_part(const ik_parts *p, uint32_t *hosts_of)
{
    uint32_t best = 0;
    for (uint32_t h = 0; h < p->num_hosts; h++)
        for (uint32_t i = p->base[h]; i < p->base[h + 1]; i++)
            hosts_of[p->part[i]]++;
    for (uint32_t i = 1; i < p->num_parts; i++)
        if (hosts_of[i] > hosts_of[best])
            best = i;
    return best;
}

static bool deploy_in_part(const ik_parts *p, uint32_t host, uint32_t part)
{
    for (uint32_t i = p->base[host]; i < p->base[host + 1]; i++)
        if (p->part[i] == part)
            return true;
    return false;
}

ik_status deploy_find_left_out(ik_deployment *d, ik_error *err)
{
    ik_parts parts = {0};
    ik_status status = ik_parts_find(d->fabric, &parts, err);
    if (status != IK_OK)
        return status;
    uint32_t *hosts_of = ik_calloc((size_t)parts.num_parts + 1, sizeof *hosts_of);
    d->left_out = ik_calloc((size_t)d->fabric->num_hosts + 1, sizeof *d->left_out);
    if (hosts_of && d->left_out) {
        uint32_t main_part = deploy_largest_part(&parts, hosts_of);
        for (uint32_t h = 0; h < parts.num_hosts; h++)
            if (!deploy_in_part(&parts, h, main_part))
                d->left_out[d->num_left_out++] = ik_host_node(d->fabric, h);
    } else {
        status = ik_fail_memory(err, d->fabric->num_hosts * (size_t)4, "hosts");
    }
    free(hosts_of);
    ik_parts_free(&parts);
    return status;
}

/* Hops from one switch to the farthest that it reaches, and how many it reaches. */
static uint32_t deploy_farthest(const ik_fabric *f, uint32_t from, uint32_t *dist, uint32_t *queue,
                                uint32_t *reached)
{
    uint32_t num = 1;
    memset(dist, 0xFF, f->num_switches * sizeof *dist);
    dist[from] = 0;
    queue[0] = from;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t p = f->port_base[queue[i]]; p < f->port_base[queue[i] + 1]; p++) {
            uint32_t peer = ik_peer_node(f, p);
            if (peer == IK_NONE || !ik_is_switch(f, peer) || dist[peer] != IK_NONE)
                continue;
            dist[peer] = dist[queue[i]] + 1;
            queue[num++] = peer;
        }
    *reached = num;
    return dist[queue[num - 1]];
}

/* A switch that has the fewest hops to the farthest other one, of the largest part. */
static void deploy_find_centre(ik_deployment *d, uint32_t *dist, uint32_t *queue)
{
    const ik_fabric *f = d->fabric;
    uint32_t best = IK_NONE, best_hops = 0, best_reached = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t reached = 0, hops = deploy_farthest(f, sw, dist, queue, &reached);
        if (best == IK_NONE || reached > best_reached ||
            (reached == best_reached && hops < best_hops)) {
            best = sw;
            best_hops = hops;
            best_reached = reached;
        }
    }
    if (best != IK_NONE)
        d->roots[d->num_roots++] = best;
}

ik_status deploy_find_roots(ik_deployment *d, ik_error *err)
{
    const ik_fabric *f = d->fabric;
    size_t n = (size_t)f->num_switches + 1;
    d->roots = ik_calloc(n, sizeof *d->roots);
    uint32_t *scratch = ik_calloc(n, 2 * sizeof *scratch);
    if (!d->roots || !scratch) {
        free(scratch);
        return ik_fail_memory(err, n * 12, "roots");
    }
    for (uint32_t sw = 0; f->switch_level && sw < f->num_switches; sw++)
        if (f->switch_level[sw] == f->num_levels)
            d->roots[d->num_roots++] = sw;
    if (d->num_roots == 0)
        deploy_find_centre(d, scratch, scratch + n);
    free(scratch);
    return IK_OK;
}

/* ---- judging */

static void deploy_measure(ik_deployment *d)
{
    const ik_fabric *f = d->fabric;
    d->entries = d->max_paths = 0;
    d->max_fill = 0;
    size_t cells = (size_t)d->tables.num_switches * d->lids.num;
    for (size_t i = 0; i < cells; i++)
        d->entries += d->tables.out[i] != IK_PORT_NONE;
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer == IK_NONE || !ik_is_switch(f, peer))
            continue;
        uint64_t paths = d->verdict.paths_over[p];
        double fill = (double)paths * 1e9 / (double)ik_port_rate_bps(f, p);
        d->max_paths = paths > d->max_paths ? paths : d->max_paths;
        d->max_fill = fill > d->max_fill ? fill : d->max_fill;
    }
}

ik_status deploy_judge(ik_deployment *d, const ik_env *env, ik_error *err)
{
    return deploy_judge_most(d, 0, env, err);
}

ik_status deploy_judge_most(ik_deployment *d, double most_work, const ik_env *env, ik_error *err)
{
    const ik_subnet_config config = {.replies = true, .management = true, .most_work = most_work};
    if (d->judged)
        ik_subnet_verdict_free(&d->verdict);
    d->judged = false;
    ik_status status =
        ik_subnet_judge(&d->tables, d->lanes > 1 ? &d->levels : NULL, d->lanes > 1 ? &d->vls : NULL,
                        &config, env, &d->verdict, err);
    if (status != IK_OK)
        return status;
    const ik_subnet_verdict *v = &d->verdict;
    uint64_t lost = v->pairs - v->delivered - v->unconnected;
    d->judged = true;
    d->why_not[0] = '\0';
    if (lost)
        snprintf(d->why_not, sizeof d->why_not, "%s not delivered",
                 IK_COUNT(lost, "pair that is connected is|pairs that are connected are"));
    else if (v->missing_entries)
        snprintf(d->why_not, sizeof d->why_not, "%s missing",
                 IK_COUNT(v->missing_entries,
                          "entry for LIDs of the subnet is|entries for LIDs of the subnet are"));
    else if (v->switch_undelivered)
        snprintf(d->why_not, sizeof d->why_not, "%s cannot be asked by every host",
                 IK_COUNT(v->switches_unreached, "switch"));
    else if (v->deadlock_free == IK_NO)
        snprintf(d->why_not, sizeof d->why_not,
                 "%zu channels can wait for each other (a credit loop)", v->loop_length);
    else if (v->deadlock_free != IK_YES)
        snprintf(d->why_not, sizeof d->why_not, "whether there is a credit loop is not known");
    d->proved = d->why_not[0] == '\0';
    deploy_measure(d);
    return IK_OK;
}

static ik_status deploy_refuse_unproved(const ik_deployment *d, ik_error *err)
{
    ik_fail(err, IK_ERR_FAILED, "'%.100s' with VC scheme '%.100s' is not proved: %s",
            d->plan->routing->spec, d->plan->vc->spec, d->why_not);
    if (d->verdict.deadlock_free == IK_NO && d->lanes == 1)
        return ik_hint(err, IK_ERR_FAILED,
                       "--vc lash makes it free of credit loops with several lanes, routing nue "
                       "with any number; --unproved writes it nevertheless and says so");
    return ik_hint(err, IK_ERR_FAILED, "--unproved writes it nevertheless and says so");
}

/* ---- the whole */

static ik_status deploy_make(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                             ik_error *err)
{
    ik_deploy_config settled = *config;
    ik_status status = ik_lids_make(d->fabric, &d->lids, err);
    if (status == IK_OK && !config->routing)
        status = deploy_choose(d, &settled, env, err);
    if (status == IK_OK)
        status = deploy_plan(d->fabric, &settled, env, &d->plan, err);
    if (status == IK_OK)
        status = deploy_settle_lanes(d, &settled, env, err);
    if (status == IK_OK && d->choice.num)
        status = update_relieve_chosen(d, config, env, err);
    if (status == IK_OK)
        status = update_apply(d, config, env, err);
    if (status == IK_OK)
        status = deploy_find_left_out(d, err);
    if (status == IK_OK)
        status = deploy_find_roots(d, err);
    if (status == IK_OK && config->lane_curve)
        status = lane_curve_measure(d, config, env, err);
    return status;
}

static ik_status deploy_write_and_judge(ik_deployment *d, const ik_deploy_config *config,
                                        deploy_folder *folder, const ik_env *env, ik_error *err)
{
    bool same = false;
    ik_status status = deploy_write(d, folder, err);
    if (status == IK_OK)
        status = deploy_read_back(d, folder, env, &same, err);
    /* on one lane, tables are all that was read */
    if (status == IK_OK && !(d->judged && same && d->lanes == 1))
        status = deploy_judge(d, env, err);
    if (!d->update.repaired)
        d->own_max_fill = d->max_fill;
    if (status == IK_OK)
        status = update_find_minhop(d, INFINITY, env, err);
    if (status == IK_OK && !d->proved && !config->unproved)
        status = deploy_refuse_unproved(d, err);
    if (status == IK_OK)
        status = deploy_write_summaries(d, folder, err);
    return status;
}

ik_status deploy_hand_over(ik_deployment *d, ik_status status, ik_deployment *out)
{
    if (status != IK_OK) {
        ik_deployment_free(d);
        return status;
    }
    *out = *d;
    out->tables.lids = out->levels.lids = &out->lids;
    return IK_OK;
}

/* A dump that was cut off names switches that it does not describe: tables of the rest would cut
 * off what hangs on them, and be proved. */
static ik_status deploy_refuse_incomplete(const ik_fabric *f, ik_error *err)
{
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *found = &f->findings[i];
        if (found->severity != IK_ERROR || strcmp(found->code, "missing-section") != 0)
            continue;
        ik_fail(err, IK_ERR_INPUT, "%.400s", found->text);
        return ik_hint(err, IK_ERR_INPUT,
                       "tables of a part cut off the rest: dump the whole fabric again");
    }
    return IK_OK;
}

/* Of a dry run: among temporary files. */
static ik_status deploy_open(const ik_deploy_config *config, const char *path,
                             deploy_folder *folder, ik_error *err)
{
    if (config->vc && !config->routing)
        return ik_fail(err, IK_ERR_USAGE, "a VC scheme: without effect where no routing is given");
    if (!path && !config->dry_run)
        return ik_fail(err, IK_ERR_USAGE, "a folder to write is needed, except for a dry run");
    if (!config->dry_run)
        return deploy_folder_open(folder, path, config->force, err);
    ik_status status = path ? deploy_folder_check(path, config->force, err) : IK_OK;
    return status == IK_OK ? deploy_folder_open_dry(folder, err) : status;
}

ik_status ik_deploy(const ik_fabric *f, const ik_deploy_config *config, const char *path,
                    const ik_env *env, ik_deployment *out, ik_error *err)
{
    static const ik_deploy_config defaults = {0};
    config = config ? config : &defaults;
    ik_deployment d = {.fabric = f,
                       .given = f,
                       .name = config->fabric ? config->fabric : f->spec,
                       .dry_run = config->dry_run};
    deploy_folder folder;
    ik_status status = deploy_refuse_incomplete(f, err);
    if (status == IK_OK)
        status = deploy_open(config, path, &folder, err);
    if (status != IK_OK)
        return status;
    d.folder = strdup(folder.path);
    if (!d.folder)
        status = ik_fail_memory(err, 4096, "a path");
    if (status == IK_OK && f->num_endpoints)
        status = ik_fabric_with_endpoints(f, &d.whole, err);
    if (d.whole)
        d.fabric = d.whole;
    if (status == IK_OK)
        status = deploy_make(&d, config, env, err);
    if (status == IK_OK)
        status = deploy_write_and_judge(&d, config, &folder, env, err);
    if (status == IK_OK && !config->dry_run)
        status = deploy_folder_finish(&folder, err);
    else
        deploy_folder_drop(&folder);
    return deploy_hand_over(&d, status, out);
}

void ik_deployment_free(ik_deployment *d)
{
    if (d->judged)
        ik_subnet_verdict_free(&d->verdict);
    ik_service_levels_free(&d->levels);
    ik_sl2vl_free(&d->vls);
    ik_lid_tables_free(&d->tables);
    ik_lids_free(&d->lids);
    ik_plan_free(d->plan);
    free(d->left_out);
    free(d->roots);
    free(d->folder);
    free(d->update.folder);
    free(d->update.order);
    free(d->update.batch);
    free(d->choice.of);
    if (d->curve)
        free(d->curve->routings.of);
    free(d->curve);
    ik_fabric_free(d->whole);
    *d = (ik_deployment){0};
}
