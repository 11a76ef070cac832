/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/describe_routes.c: which channels the packets of each pair of hosts may take, for
 * small fabrics: what a report draws of a pair.
 *
 * All that a plan allows is followed, from every initial state, through every choice of ports and
 * VCs; a state (a packet as it enters a switch) is examined once. Pairs whose packets take the
 * same channels share one list, and lists have channels between switches alone where every host
 * has one cable: so hosts of one switch share lists, too. */
#include "base/array.h"
#include "base/hash.h"
#include "experiment/describe.h"

#include "ikat/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_HOSTS = 512,
    MOST_STEPS = 3000000,  /* questions to the plan: about a second */
    MOST_STATES = 1000000, /* of one pair, 32 bytes each */
    MOST_NUMBERS = 600000  /* in the text: about three megabytes, packed a quarter of that */
};

/* A packet that enters a switch by this port (the sender's), and the next state there. */
typedef struct state {
    ik_packet pk;
    uint32_t port, next;
} state;

typedef struct list {
    size_t first;
    uint32_t num;
} list;

typedef struct routes {
    const ik_plan *plan;
    const ik_fabric *whole; /* as drawn: the plan's may be its split fabric */
    bool ends;              /* lists have the hosts' channels, too */
    uint64_t steps;
    state *states; /* of one pair */
    size_t num_states, cap_states;
    uint32_t *head; /* [ports] the last state there, IK_NONE = none */
    ik_choice *choices;
    uint32_t *channels; /* of all lists */
    size_t num_channels, cap_channels;
    list *lists;
    size_t num_lists, cap_lists;
    ik_hash hash;
    uint32_t *of;      /* [hosts][hosts] number of the list + 1, 0 = not delivered */
    const char *above; /* what there is too much of; NULL = nothing */
    bool failed;       /* no memory */
} routes;

/* ---- one pair */

static bool describe_routes_same_packet(const ik_packet *a, const ik_packet *b)
{
    return a->src == b->src && a->dst == b->dst && a->via == b->via && a->phase == b->phase &&
           a->hops == b->hops && a->vc == b->vc && a->layer == b->layer;
}

static void describe_routes_enter(routes *r, uint32_t port, const ik_packet *pk)
{
    for (uint32_t s = r->head[port]; s != IK_NONE; s = r->states[s].next)
        if (describe_routes_same_packet(&r->states[s].pk, pk))
            return;
    if (!IK_ARRAY_ROOM(r->states, r->cap_states, r->num_states + 1)) {
        r->failed = true;
        return;
    }
    r->states[r->num_states] = (state){*pk, port, r->head[port]};
    r->head[port] = (uint32_t)r->num_states++;
}

/* Where a state may go. What it found at the host of the packet is at its end. */
static bool describe_routes_follow(routes *r, size_t number)
{
    const ik_fabric *f = r->plan->fabric;
    state s = r->states[number];
    uint32_t in_port = f->port_peer[s.port], preferred = 0;
    if (in_port == IK_NONE)
        return false;
    if (!ik_is_switch(f, f->port_node[in_port]))
        return f->port_node[in_port] == ik_host_node(f, s.pk.dst);
    uint32_t num =
        ik_plan_next(r->plan, f->port_node[in_port], in_port, &s.pk, r->choices, &preferred);
    r->steps++;
    for (uint32_t i = 0; i < num && !r->failed; i++)
        for (unsigned vc = r->choices[i].vc_first; vc <= r->choices[i].vc_last; vc++) {
            ik_packet pk = s.pk;
            ik_plan_advance(r->plan, r->choices[i].port, vc, &pk);
            describe_routes_enter(r, r->choices[i].port, &pk);
        }
    return false;
}

static bool describe_routes_is_too_much(routes *r)
{
    if (r->steps > MOST_STEPS || r->num_states > MOST_STATES)
        r->above = "ways";
    return r->above || r->failed;
}

/* All states of packets between two hosts of the plan's fabric; whether any arrives. */
static bool describe_routes_explore(routes *r, uint32_t from, uint32_t to)
{
    const ik_fabric *f = r->plan->fabric;
    bool arrived = false;
    uint32_t port = ik_host_port(f, from), starts = ik_plan_num_starts(r->plan, from, to);
    size_t done = r->num_states;
    for (uint32_t n = 0; n < starts && port != IK_NONE && !describe_routes_is_too_much(r); n++) {
        ik_packet pk;
        ik_plan_start_nth(r->plan, from, to, n, &pk);
        describe_routes_enter(r, port, &pk);
        for (; done < r->num_states && !describe_routes_is_too_much(r); done++)
            arrived |= describe_routes_follow(r, done);
    }
    return arrived;
}

static bool describe_routes_is_drawn(const routes *r, uint32_t port)
{
    const ik_fabric *f = r->plan->fabric;
    uint32_t peer = f->port_peer[port];
    return r->ends || (ik_is_switch(f, f->port_node[port]) && peer != IK_NONE &&
                       ik_is_switch(f, f->port_node[peer]));
}

/* ---- lists */

static uint32_t describe_routes_tag_of(const uint32_t *channels, size_t num)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < num; i++)
        hash = (hash ^ channels[i]) * UINT64_C(0x100000001b3);
    return ik_hash_tag(hash ^ num);
}

/* The list of the channels that stand behind those of all lists; a new one takes them. */
static uint32_t describe_routes_list_of(routes *r, uint32_t num)
{
    const uint32_t *mine = r->channels + r->num_channels;
    uint32_t tag = describe_routes_tag_of(mine, num), id;
    for (size_t at = ik_hash_first(&r->hash, tag);
         (id = ik_hash_find(&r->hash, tag, &at)) != IK_NONE; at++)
        if (r->lists[id].num == num &&
            (num == 0 || memcmp(r->channels + r->lists[id].first, mine, num * sizeof *mine) == 0))
            return id;
    if (!IK_ARRAY_ROOM(r->lists, r->cap_lists, r->num_lists + 1) ||
        !ik_hash_add(&r->hash, tag, (uint32_t)r->num_lists)) {
        r->failed = true;
        return 0;
    }
    r->lists[r->num_lists] = (list){r->num_channels, num};
    r->num_channels += num;
    return (uint32_t)r->num_lists++;
}

static int describe_routes_ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The ports that states stand at, each once, ascending; all of them are free of states again. */
static uint32_t describe_routes_collect(routes *r)
{
    uint32_t num = 0;
    if (!IK_ARRAY_ROOM(r->channels, r->cap_channels, r->num_channels + r->num_states + 1))
        r->failed = true;
    for (size_t s = 0; s < r->num_states; s++) {
        uint32_t port = r->states[s].port;
        if (r->head[port] != IK_NONE && !r->failed && describe_routes_is_drawn(r, port))
            r->channels[r->num_channels + num++] = port;
        r->head[port] = IK_NONE;
    }
    r->num_states = 0;
    if (num > 1)
        qsort(r->channels + r->num_channels, num, sizeof *r->channels, describe_routes_ascending);
    return num;
}

/* Through every pair of ports that messages of two hosts take. */
static uint32_t describe_routes_pair(routes *r, uint32_t src, uint32_t dst)
{
    const ik_routing *routing = r->plan->routing;
    bool arrived = false;
    uint32_t pairs = src == dst ? 0 : ik_rails_count(routing, src, dst), from, to;
    for (uint32_t k = 0; k < pairs; k++) {
        ik_rails_nth(routing, src, dst, k, &from, &to);
        arrived |= describe_routes_explore(r, from, to);
    }
    uint32_t num = describe_routes_collect(r);
    return arrived && !r->failed && !r->above ? describe_routes_list_of(r, num) + 1 : 0;
}

/* The first host of the same switch, where routes depend on switches alone; else the host. */
static uint32_t describe_routes_twin(const routes *r, uint32_t host)
{
    const ik_fabric *f = r->plan->fabric;
    uint32_t port = ik_host_port(f, host);
    if (r->ends || !(r->plan->routing->traits & IK_ROUTE_PER_SWITCH) || port == IK_NONE)
        return host;
    for (uint32_t h = 0; h < host; h++)
        if (ik_host_port(f, h) != IK_NONE &&
            ik_peer_node(f, ik_host_port(f, h)) == ik_peer_node(f, port))
            return h;
    return host;
}

static void describe_routes_all_pairs(routes *r, const uint32_t *twins)
{
    uint32_t hosts = r->whole->num_hosts;
    for (uint32_t src = 0; src < hosts; src++)
        for (uint32_t dst = 0; dst < hosts && !describe_routes_is_too_much(r); dst++) {
            uint32_t a = twins[src], b = twins[dst];
            bool same = a != b && (a < src || (a == src && b < dst));
            r->of[(size_t)src * hosts + dst] =
                same ? r->of[(size_t)a * hosts + b] : describe_routes_pair(r, src, dst);
            if ((size_t)hosts * hosts + r->num_channels > MOST_NUMBERS)
                r->above = "different routes";
        }
}

/* ---- text */

static void describe_routes_put_routes(const routes *r, ik_json *j)
{
    uint32_t hosts = r->whole->num_hosts;
    ik_json_object(j, NULL);
    if (r->above) {
        ik_json_text(j, "above", r->above);
        ik_json_close(j);
        return;
    }
    ik_json_bool(j, "ends", r->ends);
    ik_json_array(j, "lists");
    for (size_t i = 0; i < r->num_lists; i++) {
        ik_json_array(j, NULL);
        for (uint32_t k = 0; k < r->lists[i].num; k++)
            ik_json_uint(j, NULL, r->channels[r->lists[i].first + k]);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_array(j, "of");
    for (uint32_t src = 0; src < hosts; src++) {
        ik_json_array(j, NULL);
        for (uint32_t dst = 0; dst < hosts; dst++)
            ik_json_uint(j, NULL, r->of[(size_t)src * hosts + dst]);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void find_routes(routes *r)
{
    const ik_fabric *f = r->plan->fabric;
    uint32_t hosts = r->whole->num_hosts;
    uint32_t *twins = ik_calloc((size_t)hosts + 1, sizeof *twins);
    r->head = ik_calloc((size_t)f->num_ports + 1, sizeof *r->head);
    r->choices = ik_calloc((size_t)r->plan->max_radix + 1, sizeof *r->choices);
    r->of = ik_calloc((size_t)hosts * hosts + 1, sizeof *r->of);
    r->failed = !twins || !r->head || !r->choices || !r->of || !ik_hash_init(&r->hash);
    if (!r->failed) {
        memset(r->head, 0xFF, ((size_t)f->num_ports + 1) * sizeof *r->head); /* IK_NONE */
        for (uint32_t h = 0; h < hosts; h++)
            twins[h] = describe_routes_twin(r, h);
        describe_routes_all_pairs(r, twins);
        ik_hash_free(&r->hash);
    }
    free(twins);
}

ik_status describe_routes(const ik_fabric *f, const ik_plan *plan, char **json, ik_error *err)
{
    routes r = {.plan = plan, .whole = f, .ends = plan->fabric->split != NULL};
    ik_json j;
    if (f->num_hosts > MOST_HOSTS)
        r.above = "hosts";
    else
        find_routes(&r);
    ik_status status =
        r.failed ? ik_fail_memory(err, r.cap_channels * sizeof *r.channels, "routes") : IK_OK;
    if (status == IK_OK) {
        ik_json_to_text(&j, IK_JSON_PACKED);
        describe_routes_put_routes(&r, &j);
        status = ik_json_end_text(&j, json, NULL, err);
    }
    free(r.states);
    free(r.head);
    free(r.choices);
    free(r.channels);
    free(r.lists);
    free(r.of);
    return status;
}
