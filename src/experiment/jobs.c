/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/jobs.c: reading jobs. */
#include "experiment/jobs.h"
#include "experiment/members.h"

#include <stdio.h>
#include <string.h>

static const char *const keys_of_jobs[] = {"name",  "traffic", "hosts", "mapping",
                                           "start", "load",    NULL};

static const ik_param start_row = {
    "start", IK_PARAM_TIME, "", 0, 1e15, NULL, "when the job begins (default: at time 0)"};

static const ik_param load_row = {"load",
                                  IK_PARAM_FRACTION,
                                  "",
                                  1e-6,
                                  1,
                                  NULL,
                                  "of a job that never ends: what its hosts offer, of their rate"};

/* The family of a traffic; NULL: it is not text, or there is no family of that name. */
static const ik_traffic_family *jobs_family_of(const ytree *node)
{
    const ytree *name = node->kind == YTREE_MAP ? ytree_get(node, "family") : node;
    char text[40];
    if (!name || name->kind != YTREE_SCALAR)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(name->text, ":"), name->text);
    return ik_traffic_find(text);
}

/* Whether a node says a traffic that never ends. */
static bool jobs_is_endless(const ytree *node)
{
    const ik_traffic_family *family = jobs_family_of(node);
    return family && !family->ends;
}

static bool jobs_takes(const ik_traffic_family *family, const char *name)
{
    const ik_param *row = family->params;
    while (row && row->name && strcmp(row->name, name) != 0)
        row++;
    return row && row->name;
}

/* A workload that is always on all hosts cannot be put on some. */
static ik_status jobs_refuse_whole(const ytree *traffic, const ytree *hosts, const ytree *mapping,
                                   ik_error *err)
{
    const ik_traffic_family *family = jobs_family_of(traffic);
    const char *key = hosts ? "hosts" : "mapping";
    if (!family || jobs_takes(family, key))
        return IK_OK;
    char names[200] = "";
    size_t used = 0;
    for (const ik_traffic_family *const *f = ik_traffics(); *f && used < sizeof names; f++)
        if ((*f)->ends && jobs_takes(*f, "hosts"))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     (*f)->name);
    ik_status status =
        ytree_fail(hosts ? hosts : mapping, err,
                   "'%s' is always on all hosts, and cannot be a job with '%s'", family->name, key);
    return ik_hint(err, status, "workloads that run on some hosts: %s", names);
}

/* Endless traffic on some hosts: { family: subset, pattern: … }. */
static ik_status jobs_wrap_endless(ik_experiment *e, const ytree *traffic, ytree *copy,
                                   ik_error *err)
{
    ytree *family =
        ytree_new(YTREE_SCALAR, traffic->file, traffic->line, traffic->column, &e->arena);
    if (!family)
        return ik_fail_memory(err, sizeof *family, "an experiment");
    family->text = "subset";
    ik_status status = ytree_set(copy, "family", family, &e->arena, err);
    return status == IK_OK ? ytree_set(copy, "pattern", (ytree *)traffic, &e->arena, err) : status;
}

/* The job's hosts and mapping as parameters of its traffic, whose node is copied. */
static ik_status jobs_place_traffic(ik_experiment *e, const ytree *job, const ytree *traffic,
                                    const ytree **out, ik_error *err)
{
    static const char *const keys[] = {"hosts", "mapping"};
    *out = traffic;
    if (!ytree_get(job, keys[0]) && !ytree_get(job, keys[1]))
        return IK_OK;
    ytree *copy = ytree_new(traffic->kind == YTREE_LIST ? YTREE_LIST : YTREE_MAP, traffic->file,
                            traffic->line, traffic->column, &e->arena);
    if (!copy)
        return ik_fail_memory(err, sizeof *copy, "an experiment");
    ik_status status = IK_OK;
    if (traffic->kind == YTREE_LIST)
        return ytree_fail(traffic, err,
                          "'traffic' is a list: together with 'hosts' or 'mapping', write these in "
                          "each of its items");
    bool endless = jobs_is_endless(traffic);
    if (!endless && (status = jobs_refuse_whole(traffic, ytree_get(job, keys[0]),
                                                ytree_get(job, keys[1]), err)) != IK_OK)
        return status;
    if (endless)
        status = jobs_wrap_endless(e, traffic, copy, err);
    else if (traffic->kind == YTREE_SCALAR)
        status = ytree_set(copy, "family", (ytree *)traffic, &e->arena, err);
    for (size_t i = 0;
         traffic->kind == YTREE_MAP && !endless && i < traffic->num && status == IK_OK; i++)
        status = ytree_set(copy, traffic->keys[i]->text, traffic->items[i], &e->arena, err);
    for (size_t k = 0; k < 2 && status == IK_OK; k++) {
        ytree *value = ytree_get(job, keys[k]);
        if (value && traffic->kind == YTREE_MAP && !endless && ytree_get(traffic, keys[k]))
            return ytree_fail(value, err, "'%s' is given by the job and by its traffic", keys[k]);
        if (value)
            status = ytree_set(copy, keys[k], value, &e->arena, err);
    }
    *out = copy;
    return status;
}

/* Labels of what a job's traffic sweeps over. */
static ik_status jobs_read_traffic(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    const ytree *node = ytree_get(job, "traffic");
    if (!node)
        return ytree_fail(job, err,
                          "a job has the keys 'name' and 'traffic', and may have "
                          "'hosts', 'mapping', 'start' and 'load'");
    ik_status status = jobs_place_traffic(e, job, node, &node, err);
    return status == IK_OK ? members_read_traffic(e, node, out, err) : status;
}

static ik_status jobs_read_starts(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    const ytree *node = ytree_get(job, "start");
    if (!node)
        return sweep_add(out, NULL, job, &e->arena, err);
    ik_status status = sweep_expand(node, &start_row, &e->arena, out, err);
    for (size_t i = 0; i < out->num && status == IK_OK; i++) {
        uint64_t ps;
        status = ik_parse_quantity(out->text[i], IK_DIM_TIME, &ps, err);
        if (status != IK_OK)
            ik_error_at(err, out->place[i]->file, out->place[i]->line, out->place[i]->column);
    }
    return status;
}

static ik_status jobs_read_loads(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    const ytree *node = ytree_get(job, "load");
    if (!node)
        return sweep_add(out, NULL, job, &e->arena, err);
    ik_status status = sweep_expand(node, &load_row, &e->arena, out, err);
    for (size_t i = 0; i < out->num && status == IK_OK; i++) {
        double load = 0;
        if (ik_parse_real(out->text[i], IK_DIM_FRACTION, &load, NULL) != IK_OK ||
            !(load >= load_row.min && load <= load_row.max))
            return ytree_fail(out->place[i], err, "'load' is %.40s, outside [0.0001%%, 100%%]",
                              out->text[i]);
        out->text[i] = ik_arena_printf(&e->arena, "%.12g%%", 100 * load);
        if (!out->text[i])
            status = ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

static ik_status jobs_combine_job(ik_experiment *e, const ytree *job, const sweep *starts,
                                  const sweep *loads, const sweep *found, sweep *out, ik_error *err)
{
    const ytree *name = ytree_get(job, "name");
    ik_status status = IK_OK;
    for (size_t i = 0; i < starts->num * loads->num * found->num && status == IK_OK; i++) {
        const char *start = starts->text[i / found->num / loads->num],
                   *load = loads->text[i / found->num % loads->num],
                   *numbers = start && load ? ik_arena_printf(&e->arena, "%s@%s", start, load)
                              : load        ? load
                                            : start;
        const ik_spec_member m = {numbers, name->text, found->text[i % found->num]};
        const char *text = numbers || !(start && load)
                               ? ik_spec_members_print(IK_PARAM_JOBS, &m, 1, &e->arena)
                               : NULL;
        ytree *parts = members_parts(YTREE_MAP, job, 4, &e->arena);
        const ytree *start_at = start ? starts->place[i / found->num / loads->num] : NULL,
                    *load_at = load ? loads->place[i / found->num % loads->num] : NULL;
        bool made = text && parts && members_part(parts, "name", name, &e->arena) &&
                    members_part(parts, "start", start_at, &e->arena) &&
                    members_part(parts, "load", load_at, &e->arena) &&
                    members_part(parts, "traffic", found->place[i % found->num], &e->arena);
        status = made ? sweep_add(out, text, parts, &e->arena, err)
                      : ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

static ik_status jobs_read_job(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    if (job->kind != YTREE_MAP)
        return ytree_fail(job, err, "a job is a mapping, found %s", ytree_kind_name(job->kind));
    sweep starts = {0}, loads = {0}, found = {0};
    const ytree *name = ytree_get(job, "name");
    ik_status status = members_check_keys(job, "key of a job", keys_of_jobs, err);
    if (status == IK_OK && !name)
        status = ytree_fail(job, err, "a job has no 'name'");
    if (status == IK_OK)
        status = members_check_name(name, "a job", "&|@", err);
    if (status == IK_OK)
        status = jobs_read_starts(e, job, &starts, err);
    if (status == IK_OK)
        status = jobs_read_loads(e, job, &loads, err);
    if (status == IK_OK)
        status = jobs_read_traffic(e, job, &found, err);
    return status == IK_OK ? jobs_combine_job(e, job, &starts, &loads, &found, out, err) : status;
}

ik_status jobs_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                      ik_error *err)
{
    if (node->kind == YTREE_MAP)
        return ytree_fail(node, err, "jobs are a list of mappings, found one mapping");
    if (node->kind != YTREE_LIST || node->num == 0 || node->items[0]->kind == YTREE_SCALAR)
        return sweep_expand(node, p, &e->arena, out, err);
    if (node->items[0]->kind == YTREE_MAP)
        return members_combine(e, node, jobs_read_job, '&', out, err);
    for (size_t i = 0; i < node->num; i++) {
        ik_status status = jobs_expand(e, node->items[i], p, out, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

ik_status jobs_as_traffic(ik_experiment *e, ytree *root, ik_error *err)
{
    ytree *jobs = ytree_get(root, "jobs");
    if (!jobs)
        return IK_OK;
    if (ytree_get(root, "traffic")) {
        ik_status status =
            ytree_fail(jobs, err, "'jobs' and 'traffic' both say who sends: give only one of them");
        return ik_hint(err, status, "each job has its own traffic");
    }
    ytree *map = ytree_new(YTREE_MAP, jobs->file, jobs->line, jobs->column, &e->arena),
          *family = ytree_new(YTREE_SCALAR, jobs->file, jobs->line, jobs->column, &e->arena);
    if (!map || !family)
        return ik_fail_memory(err, sizeof *map, "an experiment");
    family->text = "jobs";
    ik_status status = ytree_set(map, "family", family, &e->arena, err);
    if (status == IK_OK)
        status = ytree_set(map, "jobs", jobs, &e->arena, err);
    return status == IK_OK ? ytree_set(root, "traffic", map, &e->arena, err) : status;
}
