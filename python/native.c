/* SPDX-License-Identifier: Apache-2.0
 *
 * native.c: what the Python module needs beside libikat, see native.h.
 */
#include "native.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------
 * references */

static long living;

void *ikpy_room(size_t bytes)
{
    return ik_calloc(1, bytes);
}

static void free_contents(ikpy_kind kind, void *object)
{
    switch (kind) {
    case IKPY_PROOF:
        ik_proof_free(object);
        break;
    case IKPY_LOAD:
        ik_load_free(object);
        break;
    case IKPY_QUEUES:
        ik_queues_free(object);
        break;
    case IKPY_PHASES:
        ik_phases_free(object);
        break;
    case IKPY_PERMUTATIONS:
        ik_permutations_free(object);
        break;
    case IKPY_DESCRIPTION:
        ik_description_free(object);
        break;
    case IKPY_DISTANCES:
        ik_distances_free(object);
        break;
    case IKPY_DIVERSITY:
        ik_diversity_free(object);
        break;
    case IKPY_BISECTION:
        ik_bisection_free(object);
        break;
    case IKPY_CABLES:
        ik_cables_free(object);
        break;
    case IKPY_AUDIT:
        ik_audit_free(object);
        break;
    case IKPY_DEPLOYMENT:
        ik_deployment_free(object);
        break;
    case IKPY_DEPLOY_CHECK:
        ik_deploy_check_free(object);
        break;
    default:
        break;
    }
}

void ikpy_destroy(ikpy_kind kind, void *object)
{
    switch (kind) {
    case IKPY_FABRIC:
        ik_fabric_free(object);
        break;
    case IKPY_DESIGNS:
        ik_designs_free(object);
        break;
    case IKPY_PLAN:
        ik_plan_free(object);
        break;
    case IKPY_TRAFFIC:
        ik_traffic_free(object);
        break;
    case IKPY_EXPERIMENT:
        ik_experiment_free(object);
        break;
    case IKPY_RESULTS:
        ik_results_close(object);
        break;
    case IKPY_REGISTERS:
        ik_registers_free(object);
        break;
    case IKPY_SIMULATION:
        ik_sim_result_free(object);
        break;
    case IKPY_PART:
        break;
    default:
        free_contents(kind, object);
        free(object);
        break;
    }
}

static ikpy_ref *retain(ikpy_ref *ref)
{
    if (ref)
        __atomic_add_fetch(&ref->uses, 1, __ATOMIC_RELAXED);
    return ref;
}

ikpy_ref *ikpy_new(ikpy_kind kind, void *object, ikpy_ref *a, ikpy_ref *b, ikpy_ref *c)
{
    ikpy_ref *ref = ikpy_room(sizeof *ref);
    if (!ref) {
        ikpy_destroy(kind, object);
        return NULL;
    }
    *ref = (ikpy_ref){1, kind, object, {retain(a), retain(b), retain(c)}};
    __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED);
    return ref;
}

void ikpy_release(ikpy_ref *ref, const void *object)
{
    (void)object;
    if (!ref || __atomic_sub_fetch(&ref->uses, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    ikpy_destroy(ref->kind, ref->object);
    for (int i = 0; i < IKPY_PARENTS; i++)
        ikpy_release(ref->parents[i], NULL);
    free(ref);
    __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED);
}

long ikpy_living(void)
{
    return __atomic_load_n(&living, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------------------------
 * Ctrl-C */

enum { NESTED = 8 }; /* calls within the callbacks of calls */
static int flags[NESTED];
static uint64_t numbers[NESTED], last_number;     /* of calls, none of which is used twice */
static volatile sig_atomic_t in_callback[NESTED]; /* the call runs a function of Python */
static volatile sig_atomic_t depth, put_off;
static struct sigaction before;
static pthread_t main_thread; /* of Python, whose calls these are */

/* Whether a handler stands there that can be called. */
static bool has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static void interrupted(int number, siginfo_t *info, void *context)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number); /* what follows is done in one thread alone */
        return;
    }
    for (int i = 0; i < depth; i++)
        ik_cancel_raise(&flags[i]);
    if (depth > 0 && !in_callback[depth - 1])
        put_off = 1;
    else if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

/* What SIGINT does now; *ours: that is interrupted(). */
static struct sigaction interrupts_action(bool *ours)
{
    struct sigaction now = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, NULL, &now);
    *ours = now.sa_flags & SA_SIGINFO && now.sa_sigaction == interrupted;
    return now;
}

/* Puts the handler before the one that stands there, unless it does stand there. */
static bool interrupts_install(void)
{
    bool ours;
    struct sigaction action = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO | SA_RESTART},
                     now = interrupts_action(&ours);
    if (ours)
        return true;
    if (!has_handler(&now))
        return false;
    before = now;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGINT, &action, NULL) == 0;
}

/* A function of the user may have set another handler in the meantime, which stays. */
static void interrupts_restore(void)
{
    bool ours;
    interrupts_action(&ours);
    if (ours)
        sigaction(SIGINT, &before, NULL);
}

/* Again where a function of the user has set another function of Python, whose handler is that
 * which stood there. Others may call the one that stood before them. */
static void interrupts_install_again(void)
{
    bool ours;
    struct sigaction now = interrupts_action(&ours);
    if (!ours && now.sa_flags == before.sa_flags && now.sa_handler == before.sa_handler)
        interrupts_install();
}

/* A process that another thread has forked goes on with that thread, which is in no call. */
static void interrupts_forked(void)
{
    if (depth == 0 || pthread_equal(pthread_self(), main_thread))
        return;
    depth = put_off = 0;
    interrupts_restore();
}

static void interrupts_watch_forks(void)
{
    pthread_atfork(NULL, NULL, interrupts_forked);
}

/* Python learns of what was put off, where it may. */
static void interrupts_pass_on(void)
{
    if (!put_off || (depth > 0 && !in_callback[depth - 1]))
        return;
    put_off = 0;
    raise(SIGINT);
}

int *ikpy_interrupts_begin(ikpy_call *call)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, interrupts_watch_forks);
    if (depth == NESTED)
        return NULL;
    if (depth == 0) {
        main_thread = pthread_self();
        if (!interrupts_install())
            return NULL;
    }
    __atomic_store_n(&flags[depth], 0, __ATOMIC_RELAXED);
    in_callback[depth] = 0;
    *call = (ikpy_call){depth, ++last_number};
    numbers[depth] = call->number;
    return &flags[depth++];
}

int ikpy_interrupts_depth(void)
{
    return depth;
}

void ikpy_interrupts_end(ikpy_call *call)
{
    if (!call->number || call->depth >= depth || numbers[call->depth] != call->number ||
        !pthread_equal(pthread_self(), main_thread))
        return;
    depth = call->depth;
    if (depth == 0)
        interrupts_restore();
    interrupts_pass_on();
}

bool ikpy_interrupts_callback(bool runs)
{
    if (depth == 0 || !pthread_equal(pthread_self(), main_thread))
        return false;
    bool ran = in_callback[depth - 1];
    in_callback[depth - 1] = runs;
    if (!runs)
        interrupts_install_again();
    interrupts_pass_on();
    return ran;
}

/* ------------------------------------------------------------------------------------------
 * progress */

void ikpy_progress(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit);

void ikpy_paced(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit)
{
    ikpy_pace *pace = ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
    if (pace->last_ms && done != total && ms - pace->last_ms < 50)
        return;
    pace->last_ms = ms;
    ikpy_progress(pace->running, what, done, total, unit);
}

/* ------------------------------------------------------------------------------------------
 * paths of all pairs */

typedef struct hops_job {
    const ik_plan *plan;
    uint32_t first;
    int16_t *hops;
} hops_job;

static ik_status hops_of(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    const hops_job *job = ctx;
    uint32_t channels[IKPY_PATH_MOST], num_hosts = job->plan->fabric->num_hosts;
    int16_t *hops = job->hops + index * num_hosts;
    (void)thread;
    for (uint32_t dst = 0; dst < num_hosts; dst++) {
        uint32_t src = job->first + (uint32_t)index;
        uint32_t n =
            src == dst ? 2 : ik_plan_path(job->plan, src, dst, 0, channels, IKPY_PATH_MOST);
        if (n == IK_NONE)
            return ik_fail_memory(err, sizeof channels, "a path");
        hops[dst] = n < 2 ? -1 : (int16_t)(n - 2); /* without injection and ejection */
    }
    return IK_OK;
}

ik_status ikpy_hops(const ik_plan *plan, uint32_t first, uint32_t count, int16_t *hops,
                    const ik_env *env, ik_error *err)
{
    hops_job job = {plan, first, hops};
    return ik_parallel_for_units(env, "paths", "sources", count, hops_of, &job, err);
}

/* ------------------------------------------------------------------------------------------
 * members that are functions of Python */

/* Written by cffi. */
ik_status ikpy_make_table(void *handle, ik_routing *r, const ik_params *params, ik_error *err);
ik_status ikpy_make_flows(void *handle, ik_traffic *t, const ik_params *params, ik_error *err);
ik_status ikpy_make_selection(void *handle, ik_selection *s, const ik_params *params,
                              const int *cancel, ik_error *err);
void ikpy_drop_selection(void *bound);
void ikpy_score(void *bound, const ikpy_asked *asked, double *scores);

/* A family is the first member, for what its create() gets is a pointer to it. */
typedef struct python_family {
    union {
        ik_routing_family routing;
        ik_traffic_family traffic;
        ik_selection_family selection;
    } as;
    union {
        const ik_routing_family *routing[2];
        const ik_traffic_family *traffic[2];
        const ik_selection_family *selection[2];
    } list; /* of the one, as ik_plugin wants it */
    void *handle;
} python_family;

static void *handle_of(const void *family)
{
    return ((const python_family *)family)->handle;
}

static ik_status create_python_routing(ik_routing *r, const ik_params *params, const ik_env *env,
                                       ik_error *err)
{
    ik_error mine; /* what went wrong is always written down: Python asks by it */
    ik_status status = ik_lft_new(r, env, err);
    if (status != IK_OK)
        return status;
    return ikpy_make_table(handle_of(r->family), r, params, err ? err : &mine);
}

static ik_status create_python_traffic(ik_traffic *t, const ik_params *params, const ik_env *env,
                                       ik_error *err)
{
    (void)env;
    ik_error mine;
    return ikpy_make_flows(handle_of(t->family), t, params, err ? err : &mine);
}

static ik_status create_python_selection(ik_selection *s, const ik_params *params,
                                         const ik_env *env, ik_error *err)
{
    ik_error mine;
    return ikpy_make_selection(handle_of(s->family), s, params, env ? env->cancel : NULL,
                               err ? err : &mine);
}

static void destroy_python_selection(ik_selection *s)
{
    if (s->impl)
        ikpy_drop_selection(s->impl);
}

static uint32_t ports_of(const ik_selection *s, uint32_t sw)
{
    return s->fabric->port_base[sw + 1] - s->fabric->port_base[sw];
}

/* The state of a switch is room for one question: columns, scores and where outputs stand. */
typedef struct selection_room {
    int64_t *columns; /* [5][num] */
    double *scores;
    uint32_t *index;
} selection_room;

static selection_room selection_room_of(const ik_selection *s, const ik_select_request *ask)
{
    size_t ports = ports_of(s, ask->sw);
    int64_t *columns = ask->switch_state;
    double *scores = (double *)(columns + 5 * ports);
    return (selection_room){columns, scores, (uint32_t *)(scores + ports)};
}

static size_t python_selection_bytes(const ik_selection *s, uint32_t sw)
{
    return ports_of(s, sw) * (5 * sizeof(int64_t) + sizeof(double) + sizeof(uint32_t));
}

static bool is_busy(const ik_select_request *ask, uint32_t channel)
{
    return ask->view->busy && ask->view->busy(ask->view->ctx, channel);
}

/* Indices of out with room, those that are skipped only if there are no others. */
static uint32_t find_outputs(const ik_selection *s, const ik_select_request *ask,
                             const uint32_t *out, uint32_t n, uint32_t *index)
{
    uint32_t num = 0, first = 0;
    for (uint32_t k = 0; k < n; k++)
        if (ik_select_has_room(ask, out[k]))
            index[num++] = k;
    for (uint32_t k = 0; k < num; k++)
        if (!ik_select_is_skipped(s, ask, out[index[k]]))
            index[first++] = index[k];
    return first ? first : num;
}

static void fill_columns(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                         const selection_room *room, uint32_t num)
{
    const ik_view *view = ask->view;
    for (uint32_t k = 0; k < num; k++) {
        uint32_t channel = out[room->index[k]];
        int64_t *at = room->columns + k;
        at[0] = channel - s->fabric->port_base[ask->sw];
        at[num] = ik_select_room(ask, channel);
        at[2 * (size_t)num] = view->credit_bytes(view->ctx, channel, ask->vc);
        at[3 * (size_t)num] = view->queued_bytes(view->ctx, channel, -1);
        at[4 * (size_t)num] = is_busy(ask, channel);
    }
}

static uint32_t pick_python(const ik_selection *s, const ik_select_request *ask,
                            const uint32_t *out, uint32_t n, uint32_t preferred)
{
    (void)preferred;
    selection_room room = selection_room_of(s, ask);
    uint32_t num = find_outputs(s, ask, out, n, room.index), best = 0, ties = 1;
    if (num < 2)
        return num ? room.index[0] : IK_NONE;
    fill_columns(s, ask, out, &room, num);
    const ikpy_asked asked = {ask->sw,         ask->pk->src, ask->pk->dst,
                              ask->need_bytes, num,          room.columns};
    ikpy_score(s->impl, &asked, room.scores);
    for (uint32_t k = 1; k < num; k++) {
        ties =
            room.scores[k] > room.scores[best] ? 1 : ties + (room.scores[k] == room.scores[best]);
        best = room.scores[k] > room.scores[best] ? k : best;
    }
    uint32_t left = ties < 2 ? 0
                             : ik_random_below(ask->draw->seed, IK_RNG_SELECT, ask->draw->entity,
                                               ask->draw->counter, ties);
    for (double top = room.scores[best]; left > 0;)
        left -= room.scores[++best] == top;
    return room.index[best];
}

/* What is registered: it lives as long as the process. */
static python_family *family_new(const ikpy_member *m, ik_error *err)
{
    python_family *p = ikpy_room(sizeof *p);
    if (!p) {
        ik_fail_memory(err, sizeof *p, "a function of Python");
        return NULL;
    }
    p->handle = m->handle;
    return p;
}

static ik_plugin plugin_of(const ikpy_member *m)
{
    return (ik_plugin){IK_PLUGIN_HEADER, .name = m->plugin, .summary = m->summary,
                       .identity = m->identity, .replaces = true};
}

static ik_status family_register(python_family *p, const ik_plugin *plugin, ik_error *err)
{
    ik_status status = ik_register(plugin, err);
    if (status != IK_OK)
        free(p);
    return status;
}

ik_status ikpy_register_routing(const ikpy_member *m, ik_error *err)
{
    python_family *p = family_new(m, err);
    if (!p)
        return IK_ERR_MEMORY;
    p->as.routing = (ik_routing_family){
        .name = m->name,
        .summary = m->summary,
        .source = "a function of Python",
        .details = m->details,
        .params = m->params,
        .kind = IK_ROUTE_DETERMINISTIC,
        .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
        .create = create_python_routing,
        .next = ik_lft_next,
    };
    ik_plugin plugin = plugin_of(m);
    p->list.routing[0] = &p->as.routing;
    plugin.routings = p->list.routing;
    return family_register(p, &plugin, err);
}

ik_status ikpy_register_traffic(const ikpy_member *m, ik_error *err)
{
    python_family *p = family_new(m, err);
    if (!p)
        return IK_ERR_MEMORY;
    p->as.traffic = (ik_traffic_family){
        .name = m->name,
        .summary = m->summary,
        .source = "a function or an array of Python",
        .details = m->details,
        .params = m->params,
        .create = create_python_traffic,
        .destroy = ik_traffic_flows_destroy,
        .dest = ik_traffic_flows_dest,
        .flows = ik_traffic_flows_each,
    };
    ik_plugin plugin = plugin_of(m);
    p->list.traffic[0] = &p->as.traffic;
    plugin.traffics = p->list.traffic;
    return family_register(p, &plugin, err);
}

ik_status ikpy_register_selection(const ikpy_member *m, ik_error *err)
{
    python_family *p = family_new(m, err);
    if (!p)
        return IK_ERR_MEMORY;
    p->as.selection = (ik_selection_family){
        .name = m->name,
        .summary = m->summary,
        .source = "a function of Python",
        .params = m->params,
        .create = create_python_selection,
        .destroy = destroy_python_selection,
        .pick = pick_python,
        .switch_state_bytes = python_selection_bytes,
        .traits = IK_SELECT_DRAWS,
        .rule = IK_SELECT_BY_PICK,
    };
    ik_plugin plugin = plugin_of(m);
    p->list.selection[0] = &p->as.selection;
    plugin.selections = p->list.selection;
    return family_register(p, &plugin, err);
}
