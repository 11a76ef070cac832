/* SPDX-License-Identifier: Apache-2.0
 *
 * route_cowen.c: Cowen's compact routing with landmarks.
 *
 * Idea: a switch knows the way to every landmark and to the switches of its vicinity. A
 * destination's name carries its landmark l_v and the first link from l_v towards it: a packet goes
 * to l_v, unless a switch on its way knows v itself. Source: L. J. Cowen, "Compact Routing with
 * Minimum Stretch", SODA 1999; as compared against in Kawano et al., LOREN, 2016.
 *
 * Landmarks L = C u D: B_v = the k = floor(n^alpha) switches nearest to v, v itself counted (ties
 * by id); C = switches in at least n^((1+alpha)/2) balls; D = a greedy cover of all balls (smallest
 * id on ties). l_v = nearest landmark (smallest id). The table of u is (L u R_u) \ {u}. What R_u
 * holds is the variant: balld and ball {v : u in B_v} (ball: not at landmarks), strict {v : d(u,v)
 * < d(v,l_v)}, le {v : d(u,v) <= d(v,l_v)}. Only the tables are counted, not the packet's header. A
 * variant that cannot deliver some pair on this fabric is refused.
 *
 * With t_max, every class of alpha (values that give the same k and threshold) is tried, or those
 * of the multiples of alpha_step, and the one with the least mean path length among those whose
 * largest table fits is taken; classes are independent, so they run on all threads. Cost: O(S^2) a
 * class plus O(S * S * hops) for its mean path length.
 */
#include "routing/compact/cowen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANT_BALLD, VARIANT_BALL, VARIANT_STRICT, VARIANT_LE };

typedef struct cowen_class {
    uint32_t k, threshold;
} cowen_class;

/* One class's outcome and its working memory. */
typedef struct cowen_try {
    uint32_t *count;   /* [S] uncovered balls that hold a switch */
    uint8_t *covered;  /* [S] */
    uint8_t *landmark; /* [S] */
    uint32_t *l_of;    /* [S] landmark of v */
    uint8_t *table;    /* [u][v] u stores v: 1 landmark, 2 local */
    uint32_t *num;     /* [S] table sizes */
    uint32_t largest;
    uint64_t hops;   /* over ordered pairs that are connected */
    uint64_t lost;   /* pairs not delivered */
    uint8_t *length; /* [S] scratch: hops to one destination, 0 = unknown */
} cowen_try;

typedef struct cowen {
    links g;
    uint32_t *first; /* [S + 1] entries of a switch */
    ik_table_entry *entries;
} cowen;

/* ------------------------------------------------------------------------------------------
 * landmarks */

/* Members of v's ball: the first k switches of its order, those not connected left out; without
 * `self`, v not counted. */
static const uint32_t *cowen_ball(const cowen_graph *c, uint32_t v, uint32_t k, uint32_t *size)
{
    size_t n = c->g.num_switches;
    const uint32_t *order = c->order + v * n;
    uint32_t skip = c->self ? 0 : 1, count = 0;
    while (count < k && skip + count < n && c->dist[v * n + order[skip + count]] != LINKS_FAR)
        count++;
    *size = count;
    return order + skip;
}

static void cowen_count_balls(const cowen_graph *c, uint32_t k, cowen_try *t)
{
    uint32_t size;
    memset(t->count, 0, c->g.num_switches * sizeof *t->count);
    for (uint32_t v = 0; v < c->g.num_switches; v++) {
        const uint32_t *members = cowen_ball(c, v, k, &size);
        for (uint32_t i = 0; i < size; i++)
            t->count[members[i]]++;
    }
}

/* Greedy cover: take the switch in the most uncovered balls until all are covered. O(|D| * S *
 * k). */
static void cowen_cover(const cowen_graph *c, uint32_t k, cowen_try *t)
{
    uint32_t n = c->g.num_switches, size;
    memset(t->covered, 0, n);
    for (;;) {
        uint32_t best = 0;
        for (uint32_t u = 1; u < n; u++)
            if (t->count[u] > t->count[best])
                best = u;
        if (t->count[best] == 0)
            return;
        t->landmark[best] = 1;
        for (uint32_t v = 0; v < n; v++) {
            if (t->covered[v])
                continue;
            const uint32_t *members = cowen_ball(c, v, k, &size);
            for (uint32_t i = 0; i < size && !t->covered[v]; i++)
                t->covered[v] = members[i] == best;
            for (uint32_t i = 0; i < size && t->covered[v]; i++)
                t->count[members[i]]--;
        }
    }
}

static void choose_landmarks(const cowen_graph *c, cowen_class class, cowen_try *t)
{
    uint32_t n = c->g.num_switches;
    cowen_count_balls(c, class.k, t);
    for (uint32_t u = 0; u < n; u++)
        t->landmark[u] = t->count[u] >= class.threshold;
    cowen_cover(c, class.k, t);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t *order = c->order + (size_t)v * n;
        t->l_of[v] = IK_NONE; /* an isolated switch without its own ball has none */
        for (uint32_t i = 0;
             i < n && c->dist[(size_t)v * n + order[i]] != LINKS_FAR && t->l_of[v] == IK_NONE; i++)
            if (t->landmark[order[i]])
                t->l_of[v] = order[i];
    }
}

/* ------------------------------------------------------------------------------------------
 * tables */

static void cowen_fill_tables(const cowen_graph *c, cowen_class class, cowen_try *t)
{
    size_t n = c->g.num_switches;
    memset(t->table, 0, n * n);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t size;
        const uint32_t *members = cowen_ball(c, v, class.k, &size);
        if (c->variant == VARIANT_BALLD || c->variant == VARIANT_BALL) {
            for (uint32_t i = 0; i < size; i++)
                if (c->variant == VARIANT_BALLD || !t->landmark[members[i]])
                    t->table[members[i] * n + v] = 2;
        } else if (t->l_of[v] != IK_NONE) {
            uint32_t limit = c->dist[v * n + t->l_of[v]] + (c->variant == VARIANT_LE);
            for (uint32_t u = 0; u < n; u++)
                if (c->dist[v * n + u] < limit)
                    t->table[u * n + v] = 2;
        }
    }
    t->largest = 0;
    for (uint32_t u = 0; u < n; u++) {
        uint32_t num = 0;
        for (uint32_t v = 0; v < n; v++) {
            uint8_t *cell = &t->table[u * n + v];
            if (t->landmark[v])
                *cell = 1;
            if (u == v || c->dist[u * n + v] == LINKS_FAR)
                *cell = 0;
            num += *cell != 0;
        }
        t->num[u] = num;
        t->largest = num > t->largest ? num : t->largest;
    }
}

/* Next hop of a packet for v at u: the whole routing algorithm. IK_NONE if u knows nothing. */
static uint32_t cowen_next_link(const cowen_graph *c, const cowen_try *t, uint32_t u, uint32_t v)
{
    size_t n = c->g.num_switches;
    uint32_t l = t->l_of[v];
    uint32_t aim = u == l || t->table[u * n + v] ? v : l;
    if (aim == IK_NONE || (aim != v && !t->table[u * n + aim]))
        return IK_NONE;
    uint16_t link = c->succ[aim * n + u];
    return link == NO_LINK ? IK_NONE : c->g.base[u] + link;
}

/* Hops from u to v by following next_link, memorised in t->length (0 = unknown, LINKS_FAR = lost);
 * a route of S hops loops. */
static uint32_t cowen_walk(const cowen_graph *c, cowen_try *t, uint32_t u, uint32_t v)
{
    uint32_t hops = 0, at = u;
    while (at != v && t->length[at] == 0) {
        uint32_t link = cowen_next_link(c, t, at, v);
        if (link == IK_NONE || ++hops >= LINKS_FAR)
            return LINKS_FAR;
        at = c->g.head[link];
    }
    uint32_t total = hops + (at == v ? 0 : t->length[at]);
    if (total >= LINKS_FAR || (at != v && t->length[at] == LINKS_FAR))
        return LINKS_FAR;
    for (uint32_t w = u, left = total; w != at; w = c->g.head[cowen_next_link(c, t, w, v)])
        t->length[w] = (uint8_t)left--;
    return total;
}

static void cowen_measure(const cowen_graph *c, cowen_try *t)
{
    size_t n = c->g.num_switches;
    t->hops = t->lost = 0;
    for (uint32_t v = 0; v < n; v++) {
        memset(t->length, 0, n);
        for (uint32_t u = 0; u < n; u++) {
            if (u == v || c->dist[v * n + u] == LINKS_FAR)
                continue;
            uint32_t hops = cowen_walk(c, t, u, v);
            if (hops == LINKS_FAR) {
                t->length[u] = LINKS_FAR;
                t->lost++;
            } else {
                t->hops += hops;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------
 * choosing alpha */

static cowen_class cowen_class_of(double n, double alpha)
{
    const double slack = 1e-9; /* n^alpha meant to be whole may come out just below */
    double k = floor(pow(n, alpha) + slack), threshold = ceil(pow(n, (1 + alpha) / 2) - slack);
    return (cowen_class){k < 1 ? 1 : (uint32_t)k, (uint32_t)threshold};
}

/* The least alpha of every class, ascending: k steps at log_n k, the threshold just above 2 log_n m
 * - 1. */
static size_t cowen_list_classes(uint32_t n, cowen_class *classes)
{
    size_t num = 0;
    uint32_t k = 1, m = (uint32_t)ceil(sqrt((double)n));
    double log_n = log((double)n);
    while (k < n) {
        cowen_class here = {k, m};
        if (num == 0 || classes[num - 1].k != k || classes[num - 1].threshold != m)
            classes[num++] = here;
        double next_k = log((double)k + 1) / log_n, next_m = 2 * log((double)m) / log_n - 1;
        if (next_k <= next_m + 1e-12)
            k++;
        else
            m++;
    }
    return num;
}

/* The classes of step, 2 step, … below 1, ascending. */
static size_t cowen_list_steps(uint32_t n, double step, cowen_class *classes)
{
    size_t num = 0;
    for (uint32_t i = 1; i * step < 1 - 1e-9; i++) {
        cowen_class here = cowen_class_of(n, i * step);
        if (num == 0 || classes[num - 1].k != here.k ||
            classes[num - 1].threshold != here.threshold)
            classes[num++] = here;
    }
    return num;
}

static void cowen_try_free(cowen_try *t)
{
    free(t->count);
    free(t->covered);
    free(t->landmark);
    free(t->l_of);
    free(t->table);
    free(t->num);
    free(t->length);
}

static ik_status cowen_try_alloc(size_t n, cowen_try *t, ik_error *err)
{
    t->count = ik_calloc(n, sizeof *t->count);
    t->covered = ik_calloc(n, 1);
    t->landmark = ik_calloc(n, 1);
    t->l_of = ik_calloc(n, sizeof *t->l_of);
    t->table = ik_calloc(n, n);
    t->num = ik_calloc(n, sizeof *t->num);
    t->length = ik_calloc(n, 1);
    if (t->count && t->covered && t->landmark && t->l_of && t->table && t->num && t->length)
        return IK_OK;
    return ik_fail_memory(err, n * n + 15 * n, "Cowen's tables");
}

static void cowen_run_class(const cowen_graph *c, cowen_class class, cowen_try *t)
{
    choose_landmarks(c, class, t);
    cowen_fill_tables(c, class, t);
}

typedef struct cowen_search {
    const cowen_graph *c;
    const cowen_class *classes;
    cowen_try *tries;  /* [threads] */
    uint32_t *largest; /* table of a class, 0 = not known yet */
    uint64_t *hops, *lost;
    uint32_t t_max;
} cowen_search;

static ik_status cowen_search_one(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    cowen_search *s = ctx;
    cowen_try *t = &s->tries[thread];
    s->hops[index] = UINT64_MAX;
    if (s->largest[index] > s->t_max) /* known from an earlier pass */
        return IK_OK;
    cowen_run_class(s->c, s->classes[index], t);
    s->largest[index] = t->largest;
    if (t->largest <= s->t_max) {
        cowen_measure(s->c, t);
        s->hops[index] = t->hops;
        s->lost[index] = t->lost;
    }
    return IK_OK;
}

static ik_status cowen_pick_class(const cowen_search *s, size_t num, cowen_class *class,
                                  ik_error *err)
{
    size_t best = num, lossy = 0;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < num; i++) {
        least = s->largest[i] < least ? s->largest[i] : least;
        bool fits = s->largest[i] <= s->t_max;
        lossy += fits && s->lost[i] > 0;
        if (fits && s->lost[i] == 0 && (best == num || s->hops[i] < s->hops[best]))
            best = i;
    }
    if (best < num) {
        *class = s->classes[best];
        return IK_OK;
    }
    if (lossy)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "cowen: this variant loses pairs for every alpha whose tables fit into "
                    "t_max %u; variant=balld delivers all",
                    s->t_max),
            "t_max alpha variant");
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED, "cowen: no alpha gives tables of at most t_max %s",
                     IK_COUNT(s->t_max, "entry")),
             "t_max alpha");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "the least that works on this fabric is t_max=%u",
                   least);
}

/* The next larger largest table of any class; IK_NONE = there is none. */
static uint32_t cowen_next_larger(const cowen_search *s, size_t num)
{
    uint32_t next = IK_NONE;
    for (size_t i = 0; i < num; i++)
        if (s->largest[i] > s->t_max && s->largest[i] < next)
            next = s->largest[i];
    return next;
}

/* The least t_max that serves: of the classes that fit, all of which are measured, the smallest
 * that loses nothing. */
static uint32_t least_that_serves(const cowen_search *s, size_t num)
{
    uint32_t least = IK_NONE;
    for (size_t i = 0; i < num; i++)
        if (s->largest[i] <= s->t_max && s->lost[i] == 0 && s->largest[i] < least)
            least = s->largest[i];
    return least;
}

static ik_status route_cowen_search(cowen_search *s, size_t num, const ik_env *env,
                                    cowen_class *class, ik_error *err)
{
    ik_status status = ik_parallel_for(env, "Cowen classes", num, cowen_search_one, s, err);
    return status == IK_OK ? cowen_pick_class(s, num, class, err) : status;
}

/* Finds the least t_max first where the limit is a multiple of it: tables are larger and larger
 * until a class loses nothing. */
static ik_status cowen_search_limit(cowen_search *s, size_t num, const ik_params *params,
                                    const ik_env *env, cowen_class *class, ik_error *err)
{
    ik_status status;
    if (!ik_params_word(params, "t_max")) {
        s->t_max = (uint32_t)ik_params_uint(params, "t_max");
        return route_cowen_search(s, num, env, class, err);
    }
    for (;;) {
        status = route_cowen_search(s, num, env, class, err);
        uint32_t next = cowen_next_larger(s, num);
        if (status != IK_ERR_UNSUPPORTED || next == IK_NONE)
            break;
        s->t_max = next;
    }
    if (status != IK_OK)
        return status;
    uint32_t least = s->t_max;
    s->t_max = (uint32_t)ik_params_limit(params, "t_max", least);
    return s->t_max > least ? route_cowen_search(s, num, env, class, err) : IK_OK;
}

static ik_status cowen_search_classes(const cowen_graph *c, const ik_params *params,
                                      const ik_env *env, cowen_class *class, uint32_t *least,
                                      ik_error *err)
{
    uint32_t n = c->g.num_switches;
    unsigned threads = ik_env_threads(env);
    cowen_class *classes = ik_calloc(2 * (size_t)n + 2, sizeof *classes);
    cowen_search s = {.c = c,
                      .classes = classes,
                      .tries = ik_calloc(threads, sizeof(cowen_try)),
                      .largest = ik_calloc(2 * (size_t)n + 2, sizeof(uint32_t)),
                      .hops = ik_calloc(2 * (size_t)n + 2, sizeof(uint64_t)),
                      .lost = ik_calloc(2 * (size_t)n + 2, sizeof(uint64_t))};
    ik_status status = IK_OK;
    if (!classes || !s.tries || !s.largest || !s.hops || !s.lost)
        status = ik_fail_memory(err, n * 40, "Cowen's classes");
    for (unsigned i = 0; i < threads && status == IK_OK; i++)
        status = cowen_try_alloc(n, &s.tries[i], err);
    bool steps = ik_params_has(params, "alpha_step");
    size_t num = !classes ? 0
                 : steps  ? cowen_list_steps(n, ik_params_real(params, "alpha_step"), classes)
                          : cowen_list_classes(n, classes);
    if (status == IK_OK)
        status = cowen_search_limit(&s, num, params, env, class, err);
    if (status == IK_OK)
        *least = least_that_serves(&s, num);
    for (unsigned i = 0; s.tries && i < threads; i++)
        cowen_try_free(&s.tries[i]);
    free(classes);
    free(s.tries);
    free(s.largest);
    free(s.hops);
    free(s.lost);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * family */

typedef struct cowen_result {
    const cowen_graph *c;
    const cowen_try *t;
} cowen_result;

static uint32_t cowen_result_next(const void *ctx, uint32_t sw, uint32_t dst)
{
    const cowen_result *result = ctx;
    if (result->c->dist[(size_t)sw * result->c->g.num_switches + dst] == LINKS_FAR)
        return IK_NONE;
    return cowen_next_link(result->c, result->t, sw, dst);
}

/* Entries in stored order: by (distance, id), as the switch's own order lists them. */
static ik_status cowen_keep_entries(const cowen_graph *c, const cowen_try *t, cowen *out,
                                    ik_error *err)
{
    size_t n = c->g.num_switches, total = 0;
    out->first = ik_calloc(n + 1, sizeof *out->first);
    for (size_t u = 0; u < n; u++)
        total += t->num[u];
    out->entries = ik_calloc(total + 1, sizeof *out->entries);
    if (!out->first || !out->entries || total > UINT32_MAX)
        return ik_fail_memory(err, total * sizeof *out->entries, "Cowen's tables");
    uint32_t e = 0;
    for (size_t u = 0; u < n; u++) {
        for (size_t i = 0; i < n; i++) {
            size_t v = c->order[u * n + i];
            if (t->table[u * n + v])
                out->entries[e++] = (ik_table_entry){
                    (uint32_t)v, c->g.port[c->g.base[u] + c->succ[v * n + u]], t->table[u * n + v]};
        }
        out->first[u + 1] = e;
    }
    return IK_OK;
}

static void cowen_destroy(ik_routing *r)
{
    cowen *impl = r->impl;
    if (!impl)
        return;
    free(impl->first);
    free(impl->entries);
    free(impl);
}

static ik_status cowen_build(ik_routing *r, const cowen_graph *c, cowen_class class, cowen_try *t,
                             cowen *out, const ik_env *env, ik_error *err)
{
    cowen_run_class(c, class, t);
    cowen_measure(c, t);
    if (t->lost) {
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "cowen: this variant loses %llu of the ordered pairs of switches on this fabric at "
                "k = %u",
                (unsigned long long)t->lost, class.k),
            "variant k");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "variant=balld delivers all");
    }
    cowen_result result = {c, t};
    ik_status status = cowen_keep_entries(c, t, out, err);
    return status != IK_OK ? status
                           : links_make_lft(r, &c->g, env, cowen_result_next, &result, err);
}

static ik_status cowen_create(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err)
{
    uint32_t n = r->fabric->num_switches;
    if (n == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "cowen needs at least one switch, the fabric has none");
    cowen_graph c = {.variant = ik_params_enum(params, "variant"),
                     .self = ik_params_bool(params, "self")};
    cowen_try t = {0};
    cowen_class class = cowen_class_of(n, ik_params_real(params, "alpha"));
    cowen *impl = ik_calloc(1, sizeof *impl);
    ik_status status = impl ? cowen_graph_build(r->fabric, env, &c, err)
                            : ik_fail_memory(err, sizeof *impl, "Cowen");
    r->impl = impl;
    if (status == IK_OK && ik_params_has(params, "t_max") && n > 1)
        status = cowen_search_classes(&c, params, env, &class, &r->least_t_max, err);
    if (status == IK_OK)
        status = cowen_try_alloc(n, &t, err);
    if (status == IK_OK)
        status = cowen_build(r, &c, class, &t, impl, env, err);
    cowen_try_free(&t);
    cowen_graph_free(&c);
    r->natural_vc = "acro";
    return status;
}

static uint32_t cowen_num_entries(const ik_routing *r, uint32_t sw)
{
    const cowen *impl = r->impl;
    return impl->first[sw + 1] - impl->first[sw];
}

static void cowen_entry_nth(const ik_routing *r, uint32_t sw, uint32_t n, ik_table_entry *entry)
{
    const cowen *impl = r->impl;
    *entry = impl->entries[impl->first[sw] + n];
}

static const ik_param cowen_params[] = {
    {"alpha", IK_PARAM_REAL, "0.3333333333333333", 0, 1, NULL,
     "exponent of the ball size: k = floor(n^alpha)", "not t_max", "t_max finds the alpha itself"},
    {"t_max", IK_PARAM_UINT, "", 1, 1e9, "least|least*F",
     "most entries that a switch may store: the alpha with the shortest paths among those that fit "
     "is used; least: the fewest entries that work on the fabric; least*F: F times as many"},
    {"alpha_step", IK_PARAM_REAL, "", 0.001, 0.5, NULL,
     "with t_max, only multiples of this are tried (none given: every alpha that makes a "
     "difference)",
     "t_max", "a given alpha is not searched"},
    {"variant", IK_PARAM_ENUM, "balld", 0, 0, "balld|ball|strict|le",
     "which switches store an entry for v: all of v's ball (balld), those of the ball that are not "
     "landmarks (ball), those nearer to v than its landmark (strict), or at most as far (le)"},
    {"self", IK_PARAM_BOOL, "true", 0, 0, NULL, "a switch counts as a member of its own ball"},
    {0},
};

static const char *const cowen_examples[] = {"lrt:N=64,d=4,r=2", "jellyfish:N=30,d=4,p=2",
                                             "torus:dims=4:4", NULL};
static const char *const cowen_refused[] = {NULL};

const ik_routing_family ik_routing_cowen = {
    .name = "cowen",
    .summary = "compact routing through landmark switches",
    .source = "Cowen: Compact Routing with Minimum Stretch, SODA 1999; variants as compared in "
              "Kawano et al.: LOREN, 2016",
    .details = "A switch stores the way to every landmark and to the switches near it; a packet "
               "carries its destination's landmark and the first link from there. The ball of a "
               "switch is the set of its floor(n^alpha) nearest switches. Landmarks are the "
               "switches that are in at least n^((1+alpha)/2) balls, and further switches such "
               "that every ball has a landmark (a greedy cover). With t_max, ikat searches the "
               "alpha whose largest table fits and whose mean path is shortest, among all values "
               "or, with alpha_step=0.1, among multiples of 0.1. Only the tables count as entries, "
               "not the header of a packet. Paths are at most about three times as long as "
               "shortest paths. Freedom from deadlock needs a VC scheme of layers, such as acro.",
    .params = cowen_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits =
        IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH,
    .example_fabrics = cowen_examples,
    .refused_fabrics = cowen_refused,
    .create = cowen_create,
    .destroy = cowen_destroy,
    .next = ik_lft_next,
    .num_entries = cowen_num_entries,
    .entry_nth = cowen_entry_nth,
};
