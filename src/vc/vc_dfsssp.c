/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_dfsssp.c: layers by breaking cycles.
 *
 * All paths start in layer 0. While the layer's channel dependency graph has a cycle, the cycle's
 * dependency with the fewest paths is broken: every path that makes it moves to the next layer.
 * Then the next layer is treated alike. Source: J. Domke, T. Hoefler, W. E. Nagel, "Deadlock-Free
 * Oblivious Routing for Arbitrary Topologies", IPDPS 2011, section IV. Departures: the depth-first
 * search goes on where it was after a cycle is broken, since removals never make a cycle, so a
 * layer costs one search and not one per cycle. With compact=true (default) paths that were moved
 * for one dependency's sake go back to the lowest layer that still takes them: never more layers,
 * usually fewer. With pairs=both all paths between two switches, in both directions, move together,
 * so that a connection has one service level. Cost: O(dependencies of all paths) a layer, plus one
 * insertion per hop for compacting.
 */
#include "vc/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WHITE, GREY, BLACK };

typedef struct breaker {
    layer_paths p;
    layer_units units;
    uint32_t degree;   /* of the slots of a link */
    uint8_t *layer;    /* [unit] */
    uint32_t *path;    /* scratch: one path */
    uint32_t *members; /* units of the layer at work */
    size_t num_members;
    /* [link * degree + i] host pairs that go on to link i of the far switch */
    uint64_t *weight;
    size_t *first;   /* [slots + 1] range in users */
    uint32_t *users; /* units that make a dependency */
    uint8_t *color;  /* [link] */
    /* [link] depth-first path, and the next slot to look at of each link */
    uint32_t *stack, *turn;
    /* per layer: its links, each after all that may follow it, filled from the back */
    uint32_t *finished[IK_MAX_VCS];
    uint32_t unfinished;
    unsigned num_layers; /* broken */
    unsigned num_used;   /* after compacting */
    uint8_t current;     /* layer at work */
} breaker;

static void dfsssp_breaker_free(breaker *b)
{
    layer_paths_free(&b->p);
    layer_units_free(&b->units);
    free(b->layer);
    free(b->path);
    free(b->members);
    free(b->weight);
    free(b->first);
    free(b->users);
    free(b->color);
    free(b->stack);
    free(b->turn);
    for (unsigned l = 0; l < b->num_layers; l++)
        free(b->finished[l]);
    free(b);
}

static size_t dfsssp_slot_of(const breaker *b, uint32_t from, uint32_t to)
{
    assert(from < b->p.g.num_links && to < b->p.g.num_links);
    assert(b->p.g.head[from] == b->p.g.tail[to]); /* consecutive */
    return (size_t)from * b->degree + (to - b->p.g.base[b->p.g.tail[to]]);
}

static uint32_t dfsssp_path_of(const breaker *b, uint32_t pair, uint32_t *out)
{
    assert(pair < (size_t)b->p.num_sources * b->p.num_dests);
    return layer_path(&b->p, pair / b->p.num_dests, pair % b->p.num_dests, out);
}

/* Called for every dependency of a unit, as often as its paths make it; weight: host pairs. */
typedef void (*slot_fn)(breaker *b, size_t slot, uint64_t weight, uint32_t unit);

static inline void dfsssp_each_dependency(breaker *b, uint32_t unit, slot_fn visit)
{
    for (uint32_t i = 0; i < layer_unit_size(&b->units, unit); i++) {
        uint32_t pair = layer_unit_pair(&b->units, unit, i), n = dfsssp_path_of(b, pair, b->path);
        uint64_t weight = layer_weight(&b->p, pair / b->p.num_dests, pair % b->p.num_dests);
        for (uint32_t k = 0; k + 1 < n; k++)
            visit(b, dfsssp_slot_of(b, b->path[k], b->path[k + 1]), weight, unit);
    }
}

static void count_dependency(breaker *b, size_t slot, uint64_t weight, uint32_t unit)
{
    (void)unit;
    b->first[slot + 1]++;
    b->weight[slot] += weight;
}

static void dfsssp_note_user(breaker *b, size_t slot, uint64_t weight, uint32_t unit)
{
    assert(b->first[slot + 1] > 0); /* counted before */
    (void)weight;
    b->users[--b->first[slot + 1]] = unit;
}

static void dfsssp_drop_dependency(breaker *b, size_t slot, uint64_t weight, uint32_t unit)
{
    assert(b->weight[slot] >= weight);
    (void)unit;
    b->weight[slot] -= weight;
}

/* Weights of all dependencies of the layer at work, and the units behind each. */
static ik_status dfsssp_index_layer(breaker *b, const ik_env *env, ik_error *err)
{
    size_t slots = (size_t)b->p.g.num_links * b->degree;
    memset(b->weight, 0, slots * sizeof *b->weight);
    memset(b->first, 0, (slots + 1) * sizeof *b->first);
    for (size_t i = 0; i < b->num_members; i++)
        dfsssp_each_dependency(b, b->members[i], count_dependency);
    for (size_t s = 0; s < slots; s++)
        b->first[s + 1] += b->first[s];
    free(b->users);
    b->users = NULL;
    size_t total = b->first[slots];
    ik_status status =
        ik_env_refuse_bytes(env, 4.0 * (double)total, "the dependencies of all paths", err);
    if (status != IK_OK)
        return status;
    b->users = ik_calloc(total + 1, sizeof *b->users);
    if (!b->users)
        return ik_fail_memory(err, total * sizeof *b->users, "the dependencies of all paths");
    for (size_t i = b->num_members; i-- > 0;) /* from the back, so that first[] ends as it began */
        dfsssp_each_dependency(b, b->members[i], dfsssp_note_user);
    /* every end has become its slot's start */
    memmove(b->first, b->first + 1, slots * sizeof *b->first);
    b->first[slots] = total;
    return IK_OK;
}

/* Moves every path that makes this dependency to the next layer. */
static void break_dependency(breaker *b, size_t slot, size_t end)
{
    assert(b->first[slot] <= end);
    for (size_t i = b->first[slot]; i < end; i++) {
        uint32_t unit = b->users[i];
        if (b->layer[unit] != b->current)
            continue;
        b->layer[unit]++;
        dfsssp_each_dependency(b, unit, dfsssp_drop_dependency);
    }
}

/* The cycle stands on the stack from `from` to the top, closed by a step to stack[from]. */
static void dfsssp_break_cycle(breaker *b, uint32_t from, uint32_t top, const size_t *ends)
{
    assert(from <= top);
    size_t weakest = dfsssp_slot_of(b, b->stack[top], b->stack[from]);
    for (uint32_t i = from; i < top; i++) {
        size_t slot = dfsssp_slot_of(b, b->stack[i], b->stack[i + 1]);
        if (b->weight[slot] < b->weight[weakest])
            weakest = slot;
    }
    break_dependency(b, weakest, ends[weakest]);
}

/* Cuts the depth-first path where a dependency on it has vanished; returns the new top. */
static uint32_t dfsssp_unwind(breaker *b, uint32_t top)
{
    uint32_t keep = 0;
    while (keep < top && b->weight[dfsssp_slot_of(b, b->stack[keep], b->stack[keep + 1])] > 0)
        keep++;
    for (uint32_t i = keep + 1; i <= top; i++) {
        b->color[b->stack[i]] = WHITE;
        b->turn[b->stack[i]] = 0;
    }
    return keep;
}

/* One depth-first search from a white link; breaks every cycle that it meets. */
static void dfsssp_search(breaker *b, uint32_t root, uint32_t *depth, const size_t *ends)
{
    assert(b->color[root] == WHITE);
    const links *g = &b->p.g;
    uint32_t top = 0;
    b->stack[0] = root;
    b->color[root] = GREY;
    depth[root] = 0;
    for (;;) {
        uint32_t at = b->stack[top], base = g->base[g->head[at]],
                 degree = g->base[g->head[at] + 1] - base;
        if (b->turn[at] == degree) {
            b->color[at] = BLACK;
            b->finished[b->current][--b->unfinished] = at;
            if (top == 0)
                return;
            top--;
            continue;
        }
        uint32_t to = base + b->turn[at];
        if (b->weight[(size_t)at * b->degree + b->turn[at]] == 0 || b->color[to] == BLACK) {
            b->turn[at]++;
        } else if (b->color[to] == WHITE) {
            b->stack[++top] = to;
            b->color[to] = GREY;
            depth[to] = top;
        } else {
            dfsssp_break_cycle(b, depth[to], top, ends);
            top = dfsssp_unwind(b, top);
        }
    }
}

static ik_status dfsssp_break_layer(breaker *b, const ik_env *env, ik_error *err)
{
    ik_status status = dfsssp_index_layer(b, env, err);
    if (status != IK_OK)
        return status;
    uint32_t links_num = b->p.g.num_links;
    uint32_t *depth = ik_calloc((size_t)links_num + 1, sizeof *depth);
    b->finished[b->current] = ik_calloc((size_t)links_num + 1, sizeof(uint32_t));
    if (!depth || !b->finished[b->current]) {
        free(depth);
        return ik_fail_memory(err, links_num * sizeof *depth, "the search for cycles");
    }
    b->unfinished = links_num;
    memset(b->color, WHITE, links_num);
    memset(b->turn, 0, links_num * sizeof *b->turn);
    for (uint32_t l = 0; l < links_num; l++)
        if (b->color[l] == WHITE)
            dfsssp_search(b, l, depth, b->first + 1);
    free(depth);
    size_t kept = 0;
    for (size_t i = 0; i < b->num_members; i++)
        if (b->layer[b->members[i]] != b->current)
            b->members[kept++] = b->members[i];
    b->num_members = kept;
    return IK_OK;
}

static ik_status dfsssp_break_all(breaker *b, const ik_env *env, ik_error *err)
{
    ik_status status = IK_OK;
    while (status == IK_OK && (b->num_members > 0 || b->num_layers == 0)) {
        if (b->num_layers == IK_MAX_VCS - 1)
            return ik_about(
                err,
                ik_fail(err, IK_ERR_UNSUPPORTED,
                        "DFSSSP needs more than %d layers for the paths of this routing",
                        IK_MAX_VCS - 1),
                "vcs");
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
        b->current = (uint8_t)b->num_layers++;
        status = dfsssp_break_layer(b, env, err);
    }
    return status;
}

/* The paths of a unit one after the other, separated; returns the entries written. */
static uint32_t dfsssp_chain_of(const breaker *b, uint32_t unit, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < layer_unit_size(&b->units, unit); i++) {
        n += dfsssp_path_of(b, layer_unit_pair(&b->units, unit, i), out + n);
        out[n++] = IK_NONE;
    }
    return n;
}

/* Takes paths of upper layers back down, first fit; whole layers empty themselves on the way.
 * Layers are filled bottom up, each with its own paths before any from above, which therefore
 * always fit. */
static void dfsssp_fill_layers(breaker *b, linkdag *dags, uint32_t *chain, uint32_t *undo)
{
    uint8_t highest = 0;
    for (unsigned l = 0; l < b->num_layers; l++)
        for (uint32_t unit = 0; unit < b->units.num; unit++) {
            if (b->layer[unit] != l)
                continue;
            uint32_t n = dfsssp_chain_of(b, unit, chain);
            unsigned to = 0;
            while (to < l && !linkdag_add_paths(&dags[to], chain, n, 0, undo))
                to++;
            if (to == l)
                linkdag_add_paths(&dags[l], chain, n, 0, undo);
            b->layer[unit] = (uint8_t)to;
            highest = to > highest ? (uint8_t)to : highest;
        }
    b->num_used = highest + 1U;
}

static ik_status dfsssp_compact(breaker *b, ik_error *err)
{
    size_t room = (size_t)b->units.most * (b->p.max_length + 1) + b->p.room;
    linkdag *dags = ik_calloc(b->num_layers, sizeof *dags);
    uint32_t *chain = ik_calloc(room, sizeof *chain), *undo = ik_calloc(room, sizeof *undo);
    ik_status status =
        dags && chain && undo ? IK_OK : ik_fail_memory(err, room * 8, "compacting layers");
    unsigned made = 0;
    for (; status == IK_OK && made < b->num_layers; made++) {
        status = linkdag_init(&dags[made], &b->p.g, err);
        if (status == IK_OK)
            /* a layer's own paths agree with its search */
            linkdag_start_with(&dags[made], b->finished[made]);
    }
    if (status == IK_OK)
        dfsssp_fill_layers(b, dags, chain, undo);
    while (made > 0)
        linkdag_free(&dags[--made]);
    free(dags);
    free(chain);
    free(undo);
    return status;
}

static ik_status dfsssp_allocate(breaker *b, ik_error *err)
{
    size_t links_num = (size_t)b->p.g.num_links + 1, num = b->units.num;
    b->degree = b->p.g.max_degree ? b->p.g.max_degree : 1;
    b->layer = ik_calloc(num + 1, 1);
    b->members = ik_calloc(num + 1, sizeof *b->members);
    b->path = ik_calloc(b->p.room, sizeof *b->path);
    b->weight = ik_calloc(links_num * b->degree, sizeof *b->weight);
    b->first = ik_calloc(links_num * b->degree + 1, sizeof *b->first);
    b->color = ik_calloc(links_num, 1);
    b->stack = ik_calloc(links_num, sizeof *b->stack);
    b->turn = ik_calloc(links_num, sizeof *b->turn);
    if (!b->layer || !b->members || !b->path || !b->weight || !b->first || !b->color || !b->stack ||
        !b->turn)
        return ik_fail_memory(err, 5 * num + links_num * (16 * b->degree + 9), "DFSSSP's layers");
    for (uint32_t unit = 0; unit < num; unit++)
        b->members[unit] = unit;
    b->num_members = num;
    return IK_OK;
}

/* From the layers of units to those of their pairs. */
static ik_status dfsssp_make_lanes(ik_vc *v, breaker *b, ik_error *err)
{
    size_t num = (size_t)b->p.num_sources * b->p.num_dests;
    uint8_t *layer = ik_calloc(num + 1, 1);
    if (!layer)
        return ik_fail_memory(err, num, "DFSSSP's layers");
    for (uint32_t unit = 0; unit < b->units.num; unit++)
        for (uint32_t i = 0; i < layer_unit_size(&b->units, unit); i++)
            layer[layer_unit_pair(&b->units, unit, i)] = b->layer[unit];
    return layer_lanes_make(v, &b->p, &b->units, layer, b->num_used, err);
}

static ik_status vc_dfsssp_create(ik_vc *v, const ik_params *params, const ik_env *env,
                                  ik_error *err)
{
    breaker *b = ik_calloc(1, sizeof *b);
    if (!b)
        return ik_fail_memory(err, sizeof *b, "DFSSSP's layers");
    bool both = ik_params_enum(params, "pairs") == 1;
    ik_status status = layer_paths_build(v, false, env, &b->p, err);
    if (status == IK_OK)
        status = layer_units_make(&b->p, both ? LAYER_UNIT_SWITCHES : LAYER_UNIT_PAIR, env,
                                  &b->units, err);
    if (status == IK_OK)
        status = dfsssp_allocate(b, err);
    if (status == IK_OK)
        status = dfsssp_break_all(b, env, err);
    b->num_used = b->num_layers;
    if (status == IK_OK && b->num_layers > 1 && ik_params_bool(params, "compact"))
        status = dfsssp_compact(b, err);
    if (status == IK_OK)
        status = dfsssp_make_lanes(v, b, err);
    dfsssp_breaker_free(b);
    return status;
}

static const ik_param params[] = {
    {"pairs", IK_PARAM_ENUM, "single", 0, 0, "single|both",
     "each path by itself, or all paths between two switches, in both directions, in one layer"},
    {"compact", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "move paths back to lower layers where they fit in the end"},
    {0},
};

const ik_vc_family ik_vc_dfsssp = {
    .name = "dfsssp",
    .summary = "every path stays in one layer: the weakest dependency of each cycle is moved to "
               "the next one",
    .source = "Domke, Hoefler, Nagel: Deadlock-Free Oblivious Routing for Arbitrary Topologies, "
              "IPDPS 2011",
    .details =
        "All paths of a deterministic routing start in layer 0. While the channel dependency graph "
        "of a layer has a cycle, the paths of the cycle's weakest dependency move to the next "
        "layer. compact=true then moves paths back to lower layers where they fit. A packet keeps "
        "its layer; spare VCs split the most loaded layers. pairs=both moves all paths between two "
        "switches together, in both directions: replies may then take the lane of the request, as "
        "InfiniBand's connections do.",
    .params = params,
    .create = vc_dfsssp_create,
    .destroy = layer_lanes_destroy,
    .inject = layer_lanes_inject,
    .next = lanes_keep,
    .share = layer_lanes_share,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
