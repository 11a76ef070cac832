/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/preflight.c: looks at every fabric of an experiment, and at all files that points
 * read, before the first point runs and before anything is written.
 */
#include "experiment/figures/figures.h"
#include "experiment/run/run.h"
#include "ikat/analysis.h"
#include "topology/damage/fail_floor.h"
#include "topology/damage/fail_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one point */

void point_place(const ik_experiment *e, const point *p, ik_status status, ik_error *err)
{
    static const section_id of_links[] = {SECTION_FABRIC, SECTION_VCS,     SECTION_LOAD,
                                          SECTION_SWITCH, SECTION_ADAPTER, SECTION_MEASURE,
                                          SECTION_TRAFFIC};
    static const section_id of_sizes[] = {SECTION_SWITCH, SECTION_ADAPTER, SECTION_MEASURE,
                                          SECTION_VCS,    SECTION_LOAD,    SECTION_FABRIC,
                                          SECTION_TRAFFIC};
    if (status == IK_ERR_USAGE || status == IK_ERR_UNSUPPORTED || status == IK_ERR_INPUT)
        place_in_sections(e, p, status == IK_ERR_UNSUPPORTED ? of_links : of_sizes,
                          sizeof of_links / sizeof *of_links, err);
}

ik_sim_config point_config(const ik_experiment *e, const point *p)
{
    return (ik_sim_config){.switch_params = &experiment_variant(e, p, SECTION_SWITCH)->params,
                           .adapter_params = &experiment_variant(e, p, SECTION_ADAPTER)->params,
                           .measure_params = &experiment_variant(e, p, SECTION_MEASURE)->params,
                           /* of a finite workload it says nothing */
                           .load = experiment_load(e, p) > 0 ? experiment_load(e, p) : 1,
                           .watch_params = &experiment_variant(e, p, SECTION_WATCH)->params};
}

/* ---- before the first point */

/* Refuses a fabric that leaves hosts unconnected, unless the experiment allows that. */
static ik_status preflight_check_reach(const runner *r, const variant *v, const ik_fabric *f,
                                       ik_error *err)
{
    ik_reach reach;
    char text[512];
    ik_status status = ik_reach_measure(f, &reach, err);
    if (status != IK_OK || ik_reach_whole(&reach))
        return status;
    ik_reach_describe(f, &reach, text, sizeof text);
    if (experiment_option(r->e, OPTION_ALLOW_UNREACHABLE)->u) {
        tell_note(r, IK_WARNING, "%s: %s", v->label, text);
        return IK_OK;
    }
    status = ik_fail_at(err, IK_ERR_INPUT, v->place->file, v->place->line, v->place->column,
                        "%s: %s", v->label, text);
    return ik_hint(
        err, status,
        "allow_unreachable: true in the experiment (or --set allow_unreachable=true) accepts that");
}

/* Nobody waits for all permutations of many hosts. */
static ik_status check_permutations(const runner *r, const ik_fabric *f, ik_error *err)
{
    if (!experiment_measures(r->e, MEASURE_PERMUTATIONS) ||
        experiment_option(r->e, OPTION_PATTERNS)->given || f->num_hosts <= IK_PERMUTATIONS_HOSTS)
        return IK_OK;
    ik_status status = ytree_fail(r->e->measure_place[MEASURE_PERMUTATIONS], err,
                                  "'permutations': %s of %.100s have too many to count all",
                                  IK_COUNT(f->num_hosts, "host"), f->spec);
    return ik_hint(err, status, "up to %d hosts; patterns: 10000 counts so many random ones",
                   IK_PERMUTATIONS_HOSTS);
}

/* ---- files that are not there */

/* A file that is in neither of the folders where it was looked for. */
static ik_status preflight_check_file(const runner *r, const variant *v, const char *path,
                                      ik_error *err)
{
    struct stat st;
    size_t folder = strlen(r->e->folder);
    bool below = folder && strncmp(path, r->e->folder, folder) == 0 && path[folder] == '/';
    if (stat(path, &st) == 0 || errno != ENOENT)
        return IK_OK; /* what else may be wrong with it is seen when it is read */
    if (below)
        ik_fail(err, IK_ERR_IO, "there is no file '%.200s', nor '%.200s' in the current folder",
                path, path + folder + 1);
    else
        ik_fail(err, IK_ERR_IO, "there is no file '%.200s'", path);
    const char *words = place_file(v, path, err), *name = below ? path + folder + 1 : path;
    const char *nearest = words ? ik_nearest_word(name, words, &r->e->arena) : NULL;
    if (words)
        ik_hint(err, IK_ERR_IO, "one of %s, or a file", words);
    return ik_meant(err, IK_ERR_IO, nearest);
}

static ik_status preflight_check_files(const runner *r, ik_error *err)
{
    size_t design = 0;
    int id = -1;
    ik_status status = IK_OK;
    for (const variants *list; (list = experiment_next_list(r->e, &design, &id));)
        for (size_t i = 0; i < list->num; i++)
            for (size_t k = 0; k < list->items[i].num_files && status == IK_OK; k++)
                status = preflight_check_file(r, &list->items[i], list->items[i].files[k], err);
    return status;
}

/* ---- fabrics, and what is read on them */

/* Without hosts there is nothing to route and nothing to send. */
static ik_status preflight_check_hosts(const variant *v, const ik_fabric *f, ik_error *err)
{
    if (f->num_hosts > 0)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_INPUT, "the fabric has no hosts: there is nothing to simulate"),
             "hosts fail");
    place_in_variant(v, SECTION_FABRIC, err);
    return IK_ERR_INPUT;
}

/* The simulator's adapters send the messages of a workload on one cable. */
static ik_status preflight_check_cables(const variant *v, const ik_fabric *f, ik_error *err)
{
    const ik_traffic_family *family = ik_traffic_find(v->name);
    if (!family || !family->ends || !ik_fabric_has_rails(f))
        return IK_OK;
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "traffic '%.60s' ends, and is simulated between hosts with one cable each: '%.80s' has "
            "hosts with several",
            v->label, f->spec);
    ik_hint(err, IK_ERR_UNSUPPORTED, "endless traffic is sent over all cables of a host");
    place_in_variant(v, SECTION_TRAFFIC, err);
    return IK_ERR_UNSUPPORTED;
}

/* Sizes of messages may be of the traffic's classes. */
static ik_status preflight_check_sizes(const runner *r, size_t design, const ik_traffic *t,
                                       ik_error *err)
{
    const variants *list = experiment_list(r->e, design, SECTION_ADAPTER);
    ik_status status = IK_OK;
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        status = ik_sim_check_sizes(&list->items[i].params, t, err);
        if (status != IK_OK)
            place_in_variant(&list->items[i], SECTION_ADAPTER, err);
    }
    return status;
}

/* Fabrics and traffics that meet in points: those of a design. */
typedef struct meeting {
    const variants *fabrics, *traffics;
} meeting;

static bool preflight_is_meeting_of(const runner *r, size_t design, const meeting *m)
{
    return experiment_list(r->e, design, SECTION_FABRIC) == m->fabrics &&
           experiment_list(r->e, design, SECTION_TRAFFIC) == m->traffics;
}

/* Hosts must be able to number the packets of a workload, which adapters make. */
static ik_status preflight_check_packets(const runner *r, const meeting *m, const variant *v,
                                         const ik_traffic *t, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t d = 0; d < r->e->num_designs && status == IK_OK; d++) {
        const variants *list = experiment_list(r->e, d, SECTION_ADAPTER);
        bool here = preflight_is_meeting_of(r, d, m);
        for (size_t i = 0; here && i < list->num && status == IK_OK; i++)
            status = ik_sim_check_workload(&list->items[i].params, t, err);
    }
    if (status != IK_OK)
        place_in_variant(v, SECTION_TRAFFIC, err);
    return status;
}

/* So may priorities. */
static ik_status preflight_check_levels(const runner *r, size_t design, const ik_traffic *t,
                                        ik_error *err)
{
    const variants *list = experiment_list(r->e, design, SECTION_SWITCH);
    ik_status status = IK_OK;
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        status = ik_sim_check_levels(&list->items[i].params, t, err);
        if (status != IK_OK)
            place_in_variant(&list->items[i], SECTION_SWITCH, err);
    }
    return status;
}

/* Sizes and priorities of a traffic's classes in the designs where both meet. */
static ik_status preflight_check_classes(const runner *r, const meeting *m, const ik_traffic *t,
                                         ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t d = 0; d < r->e->num_designs && status == IK_OK; d++) {
        if (!preflight_is_meeting_of(r, d, m))
            continue;
        status = preflight_check_sizes(r, d, t, err);
        if (status == IK_OK)
            status = preflight_check_levels(r, d, t, err);
    }
    return status;
}

/* Makes the traffic of an experiment as its points on this fabric will: no pattern that does not
 * fit it, and no flawed file, is found only after hours. */
static ik_status preflight_check_meeting(const runner *r, const meeting *m, const ik_fabric *f,
                                         bool tell, ik_error *err)
{
    const variants *list = m->traffics;
    bool simulated = experiment_uses(r->e, SECTION_SWITCH);
    ik_env env = *r->env;
    ik_status status = IK_OK;
    char told[1024] = ""; /* variants that read the same file have the same note */
    env.seed = setup_seed(r->e);
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        const variant *v = &list->items[i];
        ik_traffic *t = NULL;
        status = simulated ? preflight_check_cables(v, f, err) : IK_OK;
        if (status == IK_OK)
            status = traffics_take(r->traffics, f, v, &env, &t, err);
        if (status != IK_OK)
            place_in_variant(v, SECTION_TRAFFIC, err);
        else if (simulated)
            status = preflight_check_classes(r, m, t, err);
        if (status == IK_OK)
            status = preflight_check_packets(r, m, v, t, err);
        if (status == IK_OK && t->note && tell && strncmp(t->note, told, sizeof told - 1) != 0) {
            tell_note(r, IK_NOTE, "%s", t->note);
            snprintf(told, sizeof told, "%s", t->note);
        }
        traffics_give_back(r->traffics, t);
    }
    return status;
}

/* All traffics that meet a fabric of this list, each once. */
static ik_status preflight_check_traffic(const runner *r, const variants *fabrics,
                                         const ik_fabric *f, bool tell, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t d = 0; d < r->e->num_designs && status == IK_OK; d++) {
        meeting m = {fabrics, experiment_list(r->e, d, SECTION_TRAFFIC)};
        bool first = preflight_is_meeting_of(r, d, &m);
        for (size_t before = 0; before < d && first; before++)
            first = !preflight_is_meeting_of(r, before, &m);
        if (first)
            status = preflight_check_meeting(r, &m, f, tell, err);
    }
    return status;
}

/* Likewise the tables. A routing that does not fit the fabric is no plan, and is reported in its
 * turn. */
static ik_status check_routing_files(const runner *r, size_t design, const ik_fabric *f,
                                     ik_error *err)
{
    const variants *list = experiment_list(r->e, design, SECTION_ROUTING);
    ik_env env = *r->env;
    env.seed = setup_seed(r->e);
    for (size_t i = 0; i < list->num; i++) {
        const variant *v = &list->items[i];
        ik_routing *routing = NULL;
        ik_status status =
            v->num_files ? ik_routing_from_spec(f, v->spec, &env, &routing, err) : IK_OK;
        ik_routing_free(routing);
        if (status != IK_OK && status != IK_ERR_UNSUPPORTED) {
            place_in_variant(v, SECTION_ROUTING, err);
            return status;
        }
    }
    return IK_OK;
}

/* A routing that is made for the traffic is made for one; each seed that draws another one has a
 * plan of its own. */
static ik_status preflight_check_made_for(const runner *r, ik_error *err)
{
    const ik_experiment *e = r->e;
    for (size_t i = 0; i < e->num_plans; i++) {
        const point *p = &e->plans[i].at;
        const variants *traffics = experiment_list(e, p->design, SECTION_TRAFFIC);
        const variant *routing = experiment_variant(e, p, SECTION_ROUTING);
        const char *name = traffics->items[0].name, *why = NULL;
        if (!plan_takes_traffic(e, p))
            continue;
        if (traffics->num > 1)
            why = "the experiment has several";
        else if (strcmp(name, "jobs") == 0)
            why = "'jobs' are several, each of which runs alone, too";
        if (!why)
            continue;
        ik_fail(err, IK_ERR_INPUT, "routing '%.60s' without a pattern is made for the traffic: %s",
                routing->label, why);
        ik_hint(err, IK_ERR_INPUT,
                "name the pattern (%s:traffic=cg), or put each traffic into a separate experiment",
                routing->name);
        place_in_variant(routing, SECTION_ROUTING, err);
        return IK_ERR_INPUT;
    }
    return IK_OK;
}

/* A host that one of the fabrics has may be watched. */
static ik_status preflight_check_watched(const runner *r, uint32_t most_hosts, ik_error *err)
{
    const variants *list = &r->e->sections[SECTION_WATCH];
    ik_status status = IK_OK;
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        status = ik_watch_check_hosts(&list->items[i].params, most_hosts, err);
        if (status != IK_OK)
            place_in_variant(&list->items[i], SECTION_WATCH, err);
    }
    return status;
}

static ik_status preflight_check_end(const figure *f, const char *key, uint64_t host,
                                     uint32_t most_hosts, ik_error *err)
{
    if (host == UINT64_MAX || host < most_hosts)
        return IK_OK;
    return ytree_fail(figures_place(f->node, key), err,
                      "figure '%s', %s = %" PRIu64 ": hosts are numbered 0 to %u", f->name, key,
                      host, most_hosts - 1);
}

/* Hosts between which routes are drawn, which the largest fabric must have. */
static ik_status preflight_check_drawn(const runner *r, uint32_t most_hosts, ik_error *err)
{
    const figures_declared *d = &r->e->drawn;
    ik_status status = IK_OK;
    for (size_t i = 0; i < d->num_figures && status == IK_OK; i++) {
        const figure *f = &d->figures[i];
        status = preflight_check_end(f, "to", f->to, most_hosts, err);
        if (status == IK_OK)
            status = preflight_check_end(f, "from", f->from, most_hosts, err);
    }
    return status;
}

/* Windows that runs find themselves must fit into their time, which depends on links and
 * adapters. */
static ik_status preflight_check_windows(const runner *r, size_t design, const ik_fabric *f,
                                         ik_error *err)
{
    const variants *measures = experiment_list(r->e, design, SECTION_MEASURE),
                   *adapters = experiment_list(r->e, design, SECTION_ADAPTER);
    for (size_t i = 0; i < measures->num && experiment_uses(r->e, SECTION_SWITCH); i++)
        for (size_t k = 0; k < adapters->num; k++) {
            const variant *v = &measures->items[i];
            ik_status status = ik_sim_check_window(f, &adapters->items[k].params, &v->params, err);
            if (status != IK_OK) {
                place_in_variant(v, SECTION_MEASURE, err);
                return status;
            }
        }
    return IK_OK;
}

/* Whether failures are drawn: lists of names are not. */
static bool preflight_failures_draw(const ik_params *p)
{
    static const char *const texts[] = {"fail_racks", "fail_trays"};
    bool drawn = ik_params_real(p, "fail_switches") > 0 ||
                 (ik_params_has(p, "fail") && fail_spec_is_share(ik_params_text(p, "fail")));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        drawn |= ik_params_has(p, texts[i]) && fail_floor_is_drawn(ik_params_text(p, texts[i]));
    return drawn;
}

/* Whether a fabric is drawn and the experiment does not say with which seed. */
static bool preflight_fabric_draws(const variant *v)
{
    const ik_params *p = &v->params;
    for (size_t i = 0; i < p->num; i++) {
        bool draws = strcmp(p->decl[i].name, "seed") == 0 ||
                     (strcmp(p->decl[i].name, "fail_seed") == 0 && preflight_failures_draw(p));
        if (draws && !p->values[i].given && ik_params_counts(p, i))
            return true;
    }
    return false;
}

/* Seeds draw everything but the fabric: intervals are then of one fabric, which a reader must know.
 */
static void preflight_tell_one_fabric(const runner *r, const variant *v)
{
    if (r->e->sections[SECTION_SEEDS].num > 1 && preflight_fabric_draws(v))
        tell_note(r, IK_NOTE,
                  "%s is drawn once: intervals over the seeds are those of one fabric; 'over' with "
                  "a list of fabric seeds makes several fabrics samples",
                  v->label);
}

/* A fabric, which designs before this one may have as well. */
static ik_status preflight_check_fabric(const runner *r, const point *at, const ik_fabric *f,
                                        ik_error *err)
{
    const variants *fabrics = experiment_list(r->e, at->design, SECTION_FABRIC);
    const variant *v = &fabrics->items[at->index[SECTION_FABRIC]];
    bool known = at->design > 0 && fabrics == &r->e->sections[SECTION_FABRIC];
    ik_status status = known ? IK_OK : preflight_check_hosts(v, f, err);
    if (status == IK_OK && !known)
        status = preflight_check_reach(r, v, f, err);
    if (status == IK_OK && !known)
        preflight_tell_one_fabric(r, v);
    if (status == IK_OK && !known)
        status = check_permutations(r, f, err);
    if (status == IK_OK && !known)
        status = preflight_check_traffic(r, fabrics, f,
                                         at->design == 0 && at->index[SECTION_FABRIC] == 0, err);
    if (status == IK_OK)
        status = preflight_check_windows(r, at->design, f, err);
    return status == IK_OK ? check_routing_files(r, at->design, f, err) : status;
}

/* Fabrics are kept until they are opened, while they are small. */
static bool preflight_worth_keeping(const runner *r, size_t num_plans, const ik_fabric *f,
                                    uint64_t *kept)
{
    static const uint64_t most_ports = 1 << 22;
    *kept += f->num_ports + (uint64_t)f->num_switches;
    return num_plans == r->e->num_plans || *kept <= most_ports;
}

ik_status preflight(runner *r, ik_error *err)
{
    const ik_experiment *e = r->e;
    uint32_t most_hosts = 0;
    uint64_t kept = 0;
    r->built = ik_calloc(e->num_plans, sizeof *r->built);
    r->tried = ik_calloc(e->num_plans, sizeof *r->tried);
    if (!r->built || !r->tried)
        return ik_fail_memory(err, e->num_plans * sizeof *r->built, "an experiment");
    ik_status status = preflight_check_made_for(r, err);
    if (status == IK_OK)
        status = preflight_check_files(r, err);
    for (size_t first = 0, num; first < e->num_plans && status == IK_OK; first += num) {
        const point *at = &e->plans[first].at;
        ik_fabric *f = NULL;
        num = plans_on_fabric(e, first);
        status = fabric_build(r, experiment_variant(e, at, SECTION_FABRIC), &f, err);
        if (status == IK_OK)
            status = preflight_check_fabric(r, at, f, err);
        if (status == IK_OK && num < e->num_plans)
            status = misfits_check(r, f, first, num, err);
        if (status == IK_OK && f->num_hosts > most_hosts)
            most_hosts = f->num_hosts;
        if (status == IK_OK && preflight_worth_keeping(r, num, f, &kept)) {
            r->built[first] = f;
        } else {
            tried_free(r, first, num);
            fabric_drop(r, f);
        }
    }
    if (status == IK_OK)
        status = preflight_check_watched(r, most_hosts, err);
    return status == IK_OK ? preflight_check_drawn(r, most_hosts, err) : status;
}

ik_plan *tried_take(runner *r, size_t plan)
{
    ik_plan *taken = r->tried[plan];
    r->tried[plan] = NULL;
    return taken;
}

void tried_free(runner *r, size_t first, size_t num)
{
    for (size_t i = first; i < first + num; i++)
        ik_plan_free(tried_take(r, i));
}

void preflight_free(runner *r)
{
    if (r->tried)
        tried_free(r, 0, r->e->num_plans);
    free(r->tried);
    r->tried = NULL;
    for (size_t i = 0; r->built && i < r->e->num_plans; i++)
        fabric_drop(r, r->built[i]);
    free(r->built);
    r->built = NULL;
}
