/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/jobs.c: reading jobs. */
#include "experiment/jobs.h"
#include "experiment/members.h"

#include <stdio.h>
#include <string.h>

static const char *const keys_of_jobs[] = {"name", "traffic", "hosts", "mapping", "start", NULL};

static const ik_param start_row = {
    "start", IK_PARAM_TIME, "", 0, 1e15, NULL, "when the job begins (default: at time 0)"};

/* The job's hosts and mapping as parameters of its traffic, whose node is copied. */
static ik_status place_traffic(ik_experiment *e, const ytree *job, const ytree *traffic,
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
                          "'traffic' is a list: with 'hosts' or 'mapping' beside it, write them in "
                          "each of its items");
    if (traffic->kind == YTREE_SCALAR)
        status = ytree_set(copy, "family", (ytree *)traffic, &e->arena, err);
    for (size_t i = 0; traffic->kind == YTREE_MAP && i < traffic->num && status == IK_OK; i++)
        status = ytree_set(copy, traffic->keys[i]->text, traffic->items[i], &e->arena, err);
    for (size_t k = 0; k < 2 && status == IK_OK; k++) {
        ytree *value = ytree_get(job, keys[k]);
        if (value && traffic->kind == YTREE_MAP && ytree_get(traffic, keys[k]))
            return ytree_fail(value, err, "'%s' is said by the job and by its traffic", keys[k]);
        if (value)
            status = ytree_set(copy, keys[k], value, &e->arena, err);
    }
    *out = copy;
    return status;
}

/* Labels of what a job's traffic sweeps over. */
static ik_status read_traffic(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    const ytree *node = ytree_get(job, "traffic");
    if (!node)
        return ytree_fail(job, err,
                          "a job has the keys 'name' and 'traffic', and may have "
                          "'hosts', 'mapping' and 'start'");
    ik_status status = place_traffic(e, job, node, &node, err);
    return status == IK_OK
               ? members_read_traffic(e, node, (members_kind){"&|", "cannot be a job"}, out, err)
               : status;
}

static ik_status read_job(ik_experiment *e, const ytree *job, sweep *out, ik_error *err)
{
    if (job->kind != YTREE_MAP)
        return ytree_fail(job, err, "a job is a mapping, found %s", ytree_kind_name(job->kind));
    sweep starts = {0}, found = {0};
    const ytree *start = ytree_get(job, "start"), *name = ytree_get(job, "name");
    ik_status status = members_check_keys(job, "key of a job", keys_of_jobs, err);
    if (status == IK_OK && !name)
        status = ytree_fail(job, err, "a job has no 'name'");
    if (status == IK_OK &&
        (name->kind != YTREE_SCALAR || !name->text[0] || strpbrk(name->text, "&|=@:, ")))
        status = ytree_fail(name, err, "'name' of a job is a word of letters, digits and '-_.'");
    if (status == IK_OK)
        status = start ? sweep_expand(start, &start_row, &e->arena, &starts, err)
                       : sweep_add(&starts, NULL, job, &e->arena, err);
    for (size_t s = 0; s < starts.num && status == IK_OK; s++) {
        uint64_t ps;
        if (starts.text[s] &&
            (status = ik_parse_quantity(starts.text[s], IK_DIM_TIME, &ps, err)) != IK_OK)
            ik_error_at(err, starts.place[s]->file, starts.place[s]->line, starts.place[s]->column);
    }
    if (status == IK_OK)
        status = read_traffic(e, job, &found, err);
    for (size_t s = 0; s < starts.num; s++)
        for (size_t k = 0; k < found.num && status == IK_OK; k++) {
            ik_spec_member m = {starts.text[s], name->text, found.text[k]};
            const char *text = ik_spec_jobs_print(&m, 1, &e->arena);
            ytree *parts = members_parts(YTREE_MAP, job, 3, &e->arena);
            bool made = text && parts && members_part(parts, "name", name, &e->arena) &&
                        members_part(parts, "start", start ? starts.place[s] : NULL, &e->arena) &&
                        members_part(parts, "traffic", found.place[k], &e->arena);
            status = made ? sweep_add(out, text, parts, &e->arena, err)
                          : ik_fail_memory(err, 1, "an experiment");
        }
    return status;
}

ik_status jobs_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                      ik_error *err)
{
    if (node->kind == YTREE_MAP)
        return ytree_fail(node, err, "jobs are a list of mappings, found one mapping");
    if (node->kind != YTREE_LIST || node->num == 0 || node->items[0]->kind == YTREE_SCALAR)
        return sweep_expand(node, p, &e->arena, out, err);
    if (node->items[0]->kind == YTREE_MAP)
        return members_combine(e, node, read_job, '&', out, err);
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
            ytree_fail(jobs, err, "'jobs' and 'traffic' both say who sends: give one of them");
        return ik_hint(err, status, "each job has a traffic of its own");
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
