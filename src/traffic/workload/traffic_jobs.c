/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_jobs.c: several finite workloads, each on hosts of its own and with a start of its own,
 * in one run.
 *
 * Their dependency graphs become one: operations are copied job after job, a message keeps its two
 * ends by a tag of its own, and what a job would do at time 0 waits for a calculation as long as
 * its start. An all-to-all, which alone is computed and never stored, becomes a graph here: some
 * 260 bytes per message while it runs. A single job that starts at time 0 is the workload
 * itself.
 *
 * A job whose traffic never ends is no part of the graph: its hosts make messages at its load until
 * the others are done. */
#include "registry/registry.h"
#include "traffic/pattern.h"
#include "traffic/workload/graph_builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "traffic 'jobs'"

enum { MOST_JOBS = 1000, MOST_MESSAGES = 20000000, NAME_MOST = 40 };
#define LAST_START_PS UINT64_C(1000000000000000) /* 1000 s, as in section jobs */

static const ik_param params[] = {
    {"jobs", IK_PARAM_JOBS, NULL, 0, 0, NULL,
     "NAME[@START][@LOAD]=TRAFFIC joined by '&', a traffic with parameters in parentheses "
     "(a=(exchange:hosts=0..7)&b@10 us=(exchange:hosts=8..15,bytes=4 KiB)); in an experiment, a "
     "list "
     "of mappings with name, traffic, hosts, mapping, start and, for endless traffic, load"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct jobs {
    ik_traffic **members; /* [work.num_jobs] */
    ik_traffic lists;     /* as a pattern, of several jobs */
    ik_workload work;
    bool borrowed; /* graph, alltoall and classes are those of the only member */
} jobs;

static void jobs_destroy(ik_traffic *t)
{
    jobs *x = t->impl;
    if (x->borrowed) {
        x->work.graph = NULL;
        x->work.alltoall = NULL;
        x->work.classes = NULL;
    }
    for (uint32_t k = 0; x->members && k < x->work.num_jobs; k++)
        ik_traffic_free(x->members[k]);
    free(x->members);
    if (x->lists.impl)
        pattern_lists_destroy(&x->lists);
    ik_workload_clear(&x->work);
    free(x);
    t->impl = NULL;
}

/* ---- the members */

/* key: whose value it is. */
static ik_status jobs_refuse_number(const ik_spec_member *m, uint32_t k, const char *key,
                                    const char *text, const char *why, ik_error *err)
{
    ik_about(err, ik_fail(err, IK_ERR_USAGE, OWNER ", job '%.60s': '%.40s' %s", m->name, text, why),
             "jobs/%u/%s", k, key);
    return ik_hint(err, IK_ERR_USAGE, "write a start like 10 us, and a load like 30%%");
}

/* "10 us@30%": a time, a load, or both. */
static ik_status jobs_read_numbers(const ik_spec_member *m, uint32_t k, ik_job *job, ik_error *err)
{
    char text[64];
    for (const char *at = m->share; at;) {
        size_t length = strcspn(at, "@");
        if (length == 0 || length >= sizeof text)
            return jobs_refuse_number(m, k, "start", at, "is neither a start nor a load", err);
        memcpy(text, at, length);
        text[length] = '\0';
        at = at[length] ? at + length + 1 : NULL;
        if (!strchr(text, '%')) {
            if (ik_parse_quantity(text, IK_DIM_TIME, &job->start_ps, NULL) != IK_OK)
                return jobs_refuse_number(m, k, "start", text, "is not a start", err);
            if (job->start_ps > LAST_START_PS)
                return jobs_refuse_number(m, k, "start", text, "is later than 1000 s", err);
        } else if (ik_parse_real(text, IK_DIM_FRACTION, &job->load, NULL) != IK_OK ||
                   !(job->load > 0 && job->load <= 1)) {
            return jobs_refuse_number(m, k, "load", text, "is not a load above 0 and up to 100 %",
                                      err);
        }
    }
    return IK_OK;
}

/* The member's own error, with the job's name. */
static ik_status jobs_name_job(const char *name, uint32_t k, ik_status status, ik_error *err)
{
    if (!err)
        return status;
    ik_error inner = *err;
    ik_fail(err, status, OWNER ", job '%.60s': %s", name, inner.text);
    ik_about_within(err, ik_about(err, status, "%s", inner.settings), "jobs/%u/traffic", k);
    ik_error_at(err, inner.file, inner.line, inner.column);
    registry_keep(err, &inner);
    return status;
}

/* A load goes with traffic that never ends, and such traffic with a load. */
static ik_status jobs_check_load(const ik_spec_member *m, uint32_t k, const ik_job *job,
                                 bool endless, ik_error *err)
{
    if (endless == (job->load > 0))
        return IK_OK;
    if (endless) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         OWNER ", job '%.60s': traffic '%.80s' never ends, and has no load",
                         m->name, m->spec),
                 "jobs/%u/traffic", k);
        return ik_hint(err, IK_ERR_USAGE,
                       "load: 30%% runs it in the background until the other jobs are done");
    }
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     OWNER ", job '%.60s': its load has no effect, traffic '%.80s' ends", m->name,
                     m->spec),
             "jobs/%u/load", k);
    return ik_hint(err, IK_ERR_USAGE, "its hosts send as fast as they can");
}

static ik_status jobs_open_endless(uint32_t k, ik_job *job, const ik_traffic *t, ik_error *err)
{
    if (t->schedule) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED, OWNER ", job '%s': a schedule runs alone", job->name),
            "jobs/%u/traffic", k);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "one pattern for all of the run");
    }
    job->endless = t;
    return IK_OK;
}

/* Graphs from files have settings of their own (eager, overheads, receives of any source), which
 * would have to be those of all jobs. */
static bool jobs_has_own_rules(const ik_graph *g)
{
    bool any = g && (g->source || g->eager || g->overhead_ps || g->gap_ps || g->rank_first);
    for (uint32_t op = 0; g && op < g->num_ops && !any; op++)
        any = g->kind[op] != IK_OP_CALC && g->ops[op].match == IK_NONE;
    return any;
}

static ik_status jobs_open_member(ik_traffic *t, jobs *x, const ik_spec_member *list, uint32_t k,
                                  const ik_env *env, ik_error *err)
{
    const ik_spec_member *m = &list[k];
    ik_job *job = &x->work.jobs[k];
    for (uint32_t i = 0; i < k; i++)
        if (strcmp(list[i].name, m->name) == 0)
            return ik_about(
                err, ik_fail(err, IK_ERR_USAGE, OWNER ": two jobs are named '%.60s'", m->name),
                "jobs/%u/name", k);
    if (strlen(m->name) > NAME_MOST)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                OWNER ": the name '%.60s' has more than %d characters", m->name,
                                NAME_MOST),
                        "jobs/%u/name", k);
    if (strncmp(m->spec, "jobs", strcspn(m->spec, ":")) == 0 && strcspn(m->spec, ":") == 4)
        return ik_about(
            err, ik_fail(err, IK_ERR_USAGE, OWNER ", job '%s': jobs cannot be a job", m->name),
            "jobs/%u/traffic", k);
    ik_status status = jobs_read_numbers(m, k, job, err);
    if (status == IK_OK &&
        (status = ik_traffic_from_spec(t->fabric, m->spec, env, &x->members[k], err)) != IK_OK)
        return jobs_name_job(m->name, k, status, err);
    if (status != IK_OK)
        return status;
    const ik_workload *w = x->members[k]->workload;
    status = jobs_check_load(m, k, job, !w, err);
    if (status != IK_OK)
        return status;
    job->name = strdup(m->name);
    job->spec = strdup(m->spec);
    if (!job->name || !job->spec)
        return ik_fail_memory(err, strlen(m->spec), OWNER);
    if (!w)
        return jobs_open_endless(k, job, x->members[k], err);
    if (w->batch) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED, OWNER ", job '%s': a batch runs alone", m->name),
                 "jobs/%u/traffic", k);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "exchange, collective, nas and storage can be jobs");
    }
    if (jobs_has_own_rules(w->graph)) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         OWNER ", job '%s': a graph from a file runs alone", m->name),
                 "jobs/%u/traffic", k);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "exchange, collective, nas and storage can be jobs");
    }
    job->num_messages = w->num_messages;
    job->bytes = w->bytes;
    job->visits = w->visits;
    return IK_OK;
}

/* Of an endless job: the hosts that send; what they send may go to any. */
static bool jobs_takes_part(const ik_traffic *t, uint32_t host)
{
    assert(host < t->num_hosts);
    const ik_workload *w = t->workload;
    if (!w)
        return !ik_traffic_is_silent(t, host);
    return w->alltoall ? ik_alltoall_has(w->alltoall, host)
                       : w->graph->host_first[host] < w->graph->host_first[host + 1];
}

static ik_status jobs_take_hosts(ik_traffic *t, jobs *x, ik_error *err)
{
    uint32_t *of = x->work.host_job = malloc(((size_t)t->num_hosts + 1) * sizeof *of);
    if (!of)
        return ik_fail_memory(err, t->num_hosts * sizeof *of, OWNER);
    memset(of, 0xff, t->num_hosts * sizeof *of);
    for (uint32_t k = 0; k < x->work.num_jobs; k++)
        for (uint32_t host = 0; host < t->num_hosts; host++) {
            if (!jobs_takes_part(x->members[k], host))
                continue;
            if (of[host] != IK_NONE) {
                ik_about(err,
                         ik_fail(err, IK_ERR_USAGE,
                                 OWNER ": host %u is in job '%s' and in job '%s'", host,
                                 x->work.jobs[of[host]].name, x->work.jobs[k].name),
                         "jobs/%u/traffic/hosts jobs/%u/traffic/hosts", k, of[host]);
                return ik_hint(err, IK_ERR_USAGE,
                               "each job has its own hosts: hosts: 0..31 of the one, 32..63 of "
                               "the other");
            }
            of[host] = k;
            x->work.jobs[k].num_hosts++;
        }
    for (uint32_t k = 0; k < x->work.num_jobs; k++)
        if (x->work.jobs[k].num_hosts == 0) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE, OWNER ", job '%s': no host has anything to send",
                             x->work.jobs[k].name),
                     "jobs/%u/traffic jobs/%u/traffic/hosts", k, k);
            return ik_hint(err, IK_ERR_USAGE, "a pattern among hosts takes at least two of them");
        }
    return IK_OK;
}

static ik_status jobs_check_size(const jobs *x, ik_error *err)
{
    uint64_t messages = 0;
    for (uint32_t k = 0; k < x->work.num_jobs; k++)
        messages += x->work.jobs[k].num_messages;
    if (messages <= MOST_MESSAGES)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED, OWNER ": %llu messages, at most %d are taken",
                     (unsigned long long)messages, MOST_MESSAGES),
             "jobs");
    return ik_hint(
        err, IK_ERR_UNSUPPORTED,
        "an all-to-all together with another job is a graph of all its messages; alone it is "
        "computed, whatever its size");
}

/* ---- one graph of all */

typedef struct merge {
    graph_builder b;
    uint32_t *start; /* [num_hosts] calculation until the start, IK_NONE = none */
    uint32_t tags;   /* used by the jobs before */
} merge;

/* What op must wait for at least. */
static void jobs_wait_for_start(merge *m, uint32_t host, uint32_t op)
{
    if (m->start[host] != IK_NONE)
        graph_wait(&m->b, op, m->start[host], false);
}

static void jobs_add_starts(merge *m, const jobs *x, uint32_t job)
{
    uint64_t ps = x->work.jobs[job].start_ps;
    for (uint32_t host = 0; host < m->b.num_hosts; host++) {
        bool late = ps && x->work.host_job[host] == job;
        m->start[host] = late ? graph_add(&m->b, host, IK_OP_CALC, ps, 0, 0, 0) : IK_NONE;
    }
}

static uint16_t jobs_enter_class(merge *m, const char *job, const char *of)
{
    char name[80];
    snprintf(name, sizeof name, of ? "%s/%.36s" : "%s", job, of);
    return graph_class(&m->b, name);
}

static ik_status jobs_add_graph(merge *m, const jobs *x, uint32_t job, ik_error *err)
{
    const ik_workload *w = x->members[job]->workload;
    const ik_graph *g = w->graph;
    uint32_t *number = malloc(((size_t)g->num_ops + 1) * sizeof *number);
    uint16_t *class = malloc(((size_t)w->num_classes + 1) * sizeof *class);
    ik_status status = number && class ? IK_OK : ik_fail_memory(err, g->num_ops * 4, OWNER);
    for (uint32_t c = 0; status == IK_OK && c < (w->classes ? w->num_classes : 1); c++)
        class[c] = jobs_enter_class(m, x->work.jobs[job].name, w->classes ? w->classes[c] : NULL);
    if (status == IK_OK)
        m->b.class_now = class[0];
    if (status == IK_OK)
        jobs_add_starts(m, x, job);
    for (uint32_t host = 0; status == IK_OK && host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            const ik_op *o = &g->ops[op];
            bool calc = g->kind[op] == IK_OP_CALC;
            uint32_t tag = calc ? 0 : m->tags + (g->kind[op] == IK_OP_SEND ? op : o->match);
            m->b.class_now = class[w->classes ? g->op_class[op] : 0];
            number[op] = graph_add(&m->b, host, g->kind[op], o->amount, o->peer, tag, 0);
            if (g->kind[op] != IK_OP_RECV && !g->waits[op])
                jobs_wait_for_start(m, host, number[op]);
        }
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++)
        for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++)
            graph_wait(&m->b, number[g->after[k] & ~IK_AFTER_START], number[op],
                       g->after[k] & IK_AFTER_START);
    m->tags += g->num_ops;
    free(number);
    free(class);
    return status;
}

/* One repetition. begin: [num_hosts] what sends wait for; ends: room for both ends of each message
 * by host, to be joined, or NULL. */
static void jobs_add_round(merge *m, const ik_workload *w, const uint32_t *begin,
                           uint32_t (*ends)[2])
{
    const ik_alltoall *a = w->alltoall;
    size_t n = 0;
    for (uint32_t i = 0; i < a->num && !m->b.no_memory; i++) {
        uint32_t src = a->host ? a->host[i] : i;
        uint64_t key = ik_alltoall_key(w, src);
        for (uint32_t place = 0; place + 1 < a->num; place++) {
            uint32_t dst = ik_alltoall_dest(w, src, key, place), tag = m->tags++;
            uint32_t send = graph_add(&m->b, src, IK_OP_SEND, a->bytes, dst, tag, 0),
                     recv = graph_add(&m->b, dst, IK_OP_RECV, a->bytes, src, tag, 0);
            if (begin[src] != IK_NONE)
                graph_wait(&m->b, send, begin[src], false);
            if (ends) {
                ends[n][0] = send;
                ends[n++][1] = recv;
            }
        }
    }
}

/* A calculation per host that waits for all that it sent and received in the round. */
static void jobs_join_round(merge *m, const ik_workload *w, uint32_t *begin, uint32_t (*ends)[2])
{
    const ik_alltoall *a = w->alltoall;
    size_t n = 0;
    for (uint32_t i = 0; i < a->num; i++) {
        uint32_t src = a->host ? a->host[i] : i;
        begin[src] = graph_add(&m->b, src, IK_OP_CALC, 0, 0, 0, 0);
    }
    for (uint32_t i = 0; i < a->num && !m->b.no_memory; i++) {
        uint32_t src = a->host ? a->host[i] : i;
        uint64_t key = ik_alltoall_key(w, src);
        for (uint32_t place = 0; place + 1 < a->num; place++, n++) {
            graph_wait(&m->b, begin[src], ends[n][0], false);
            graph_wait(&m->b, begin[ik_alltoall_dest(w, src, key, place)], ends[n][1], false);
        }
    }
}

static ik_status jobs_add_alltoall(merge *m, const jobs *x, uint32_t job, ik_error *err)
{
    const ik_workload *w = x->members[job]->workload;
    size_t messages = (size_t)w->alltoall->num * (w->alltoall->num - 1);
    uint32_t(*ends)[2] = w->repeat > 1 ? malloc(messages * sizeof *ends) : NULL;
    if (w->repeat > 1 && !ends)
        return ik_fail_memory(err, messages * sizeof *ends, OWNER);
    m->b.class_now = jobs_enter_class(m, x->work.jobs[job].name, NULL);
    jobs_add_starts(m, x, job);
    for (uint64_t r = 0; r < w->repeat && !m->b.no_memory; r++) {
        jobs_add_round(m, w, m->start, ends);
        if (r + 1 < w->repeat)
            jobs_join_round(m, w, m->start, ends);
    }
    free(ends);
    return IK_OK;
}

/* Those of the first job that ends, if all of these say theirs. */
static void jobs_set_visits(const ik_workload *from, ik_workload *w)
{
    bool first = true, all = true;
    w->visits = 0;
    for (uint32_t k = 0; k < from->num_jobs; k++) {
        if (from->jobs[k].endless)
            continue;
        w->visits = first ? from->jobs[k].visits : w->visits;
        all = all && from->jobs[k].visits;
        first = false;
    }
    w->visits = all ? w->visits : 0;
}

static ik_status jobs_make_graph(ik_traffic *t, jobs *x, ik_error *err)
{
    merge m = {.b = {.num_hosts = t->num_hosts, .source = OWNER, .settings = "jobs"},
               .start = ik_calloc((size_t)t->num_hosts + 1, sizeof *m.start)};
    ik_workload w = {0};
    ik_status status = m.start ? IK_OK : ik_fail_memory(err, t->num_hosts * 4, OWNER);
    for (uint32_t k = 0; status == IK_OK && k < x->work.num_jobs; k++)
        if (!x->work.jobs[k].endless)
            status = x->members[k]->workload->graph ? jobs_add_graph(&m, x, k, err)
                                                    : jobs_add_alltoall(&m, x, k, err);
    free(m.start);
    if (status != IK_OK) {
        graph_builder_free(&m.b);
        return status;
    }
    status = graph_finish(&m.b, &w, err);
    jobs_set_visits(&x->work, &w);
    w.jobs = x->work.jobs;
    w.num_jobs = x->work.num_jobs;
    w.num_endless = x->work.num_endless;
    w.job_names = x->work.job_names;
    w.host_job = x->work.host_job;
    x->work = w;
    x->lists = (ik_traffic){.num_hosts = t->num_hosts, .seed = t->seed};
    return status == IK_OK ? workload_pattern(w.graph, &x->lists, err) : status;
}

/* The only job, from time 0. */
static void jobs_borrow(jobs *x)
{
    ik_workload w = *x->members[0]->workload;
    w.jobs = x->work.jobs;
    w.num_jobs = 1;
    w.host_job = x->work.host_job;
    x->work = w;
    x->borrowed = true;
}

/* ---- the family */

static ik_status jobs_write_portable(ik_traffic *t, const jobs *x, const ik_spec_member *list,
                                     ik_error *err)
{
    bool any = false;
    ik_arena arena = {0};
    ik_spec_member *copy = ik_arena_alloc(&arena, x->work.num_jobs * sizeof *copy);
    for (uint32_t k = 0; copy && k < x->work.num_jobs; k++) {
        copy[k] = list[k];
        any |= x->members[k]->portable != NULL;
        t->of_fabric |= x->members[k]->of_fabric;
        if (x->members[k]->portable)
            copy[k].spec = x->members[k]->portable;
    }
    const char *text =
        copy ? ik_spec_members_print(IK_PARAM_JOBS, copy, x->work.num_jobs, &arena) : NULL;
    if (text)
        text = ik_arena_printf(&arena, "jobs:jobs=%s", text);
    t->portable = text && any ? strdup(text) : NULL;
    ik_arena_free(&arena);
    return t->portable || (text && !any) ? IK_OK : ik_fail_memory(err, 1, OWNER);
}

/* Their names are classes of messages, and one job ends at least. */
static ik_status jobs_count_endless(jobs *x, ik_error *err)
{
    ik_workload *w = &x->work;
    for (uint32_t k = 0; k < w->num_jobs; k++)
        w->num_endless += w->jobs[k].endless != NULL;
    if (!w->num_endless)
        return IK_OK;
    if (w->num_endless == w->num_jobs) {
        ik_about(err, ik_fail(err, IK_ERR_USAGE, OWNER ": no job ends, so the run never would"),
                 "jobs");
        return ik_hint(err, IK_ERR_USAGE,
                       "endless traffic alone is a traffic with a load, measured for a duration; "
                       "beside it one job ends, such as exchange");
    }
    w->job_names = ik_calloc((size_t)w->num_jobs + 1, sizeof *w->job_names);
    if (!w->job_names)
        return ik_fail_memory(err, w->num_jobs * sizeof *w->job_names, OWNER);
    for (uint32_t k = 0; k < w->num_jobs; k++)
        w->job_names[k] = w->jobs[k].name;
    return IK_OK;
}

static ik_status jobs_make(ik_traffic *t, jobs *x, const ik_spec_member *list, const ik_env *env,
                           ik_error *err)
{
    ik_status status = IK_OK;
    for (uint32_t k = 0; status == IK_OK && k < x->work.num_jobs; k++)
        status = jobs_open_member(t, x, list, k, env, err);
    if (status == IK_OK)
        status = jobs_count_endless(x, err);
    if (status == IK_OK)
        status = jobs_take_hosts(t, x, err);
    if (status == IK_OK && x->work.num_jobs == 1 && x->work.jobs[0].start_ps == 0) {
        jobs_borrow(x);
        return IK_OK;
    }
    if (status == IK_OK)
        status = jobs_check_size(x, err);
    return status == IK_OK ? jobs_make_graph(t, x, err) : status;
}

static ik_status jobs_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "jobs", &num);
    jobs *x = ik_calloc(1, sizeof *x);
    if (!x)
        return ik_fail_memory(err, sizeof *x, OWNER);
    t->impl = x;
    if (num > MOST_JOBS)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, OWNER ": %s, %d is the maximum",
                                IK_COUNT(num, "job"), MOST_JOBS),
                        "jobs");
    x->members = ik_calloc(num, sizeof *x->members);
    x->work.jobs = ik_calloc(num, sizeof *x->work.jobs);
    x->work.num_jobs = x->members && x->work.jobs ? (uint32_t)num : 0;
    x->work.num_hosts = t->num_hosts;
    ik_status status = x->work.num_jobs ? jobs_make(t, x, list, env, err)
                                        : ik_fail_memory(err, num * sizeof(ik_job), OWNER);
    if (status == IK_OK)
        status = jobs_write_portable(t, x, list, err);
    if (status == IK_OK)
        status = pattern_join_notes(t, x->members, x->work.num_jobs, err);
    t->workload = &x->work;
    return status;
}

static uint32_t traffic_jobs_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const jobs *x = t->impl;
    return x->borrowed ? x->members[0]->family->dest(x->members[0], src, n)
                       : pattern_lists_dest(&x->lists, src, n);
}

static void traffic_jobs_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const jobs *x = t->impl;
    if (x->borrowed)
        x->members[0]->family->flows(x->members[0], src, fn, ctx);
    else
        pattern_lists_flows(&x->lists, src, fn, ctx);
}

const ik_traffic_family ik_traffic_jobs = {
    .name = "jobs",
    .summary = "several workloads in one run, each on its own hosts and with its own start time",
    .source = "ikat",
    .details =
        "Each job is a finite workload on its own hosts (no host is in two jobs) or, with a load, "
        "endless traffic that goes on until the other jobs are done. Results have, for each job, "
        "its completion time from its start, and its slowdown against the same job alone on the "
        "same fabric (--table jobs). In an experiment, section `jobs` is a list of mappings with "
        "the keys name, traffic, hosts, mapping, start and load. See docs/workloads.md.",
    .params = params,
    .create = jobs_create,
    .destroy = jobs_destroy,
    .dest = traffic_jobs_dest,
    .flows = traffic_jobs_flows,
    .ends = true,
};
