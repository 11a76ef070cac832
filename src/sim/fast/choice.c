/* SPDX-License-Identifier: Apache-2.0
 *
 * Adaptive outputs: which plans the specialised engine takes, and the sets of outputs of each
 * switch. */
#include "routing/port_set.h"
#include "sim/fast/overlap.h"
#include <stdlib.h>

/* Different switches, by their sets; a tree has as many as levels. */
enum { MOST_TABLES = 64 };

/* Whether packets choose their way at the first switch by what waits in single VCs. */
static bool chooses_start_by_vc(const sim *s)
{
    return s->choice.source_adaptive && !(s->plan->routing->traits & IK_ROUTE_STARTS_BY_SUM);
}

/* What is not busy goes first, but where there are output buffers: nobody who chooses looks at
 * links there, nor at the credit that they use, and everybody else could choose by what waits in
 * them. */
static bool choice_selection_fits(const sim *s)
{
    unsigned rule = s->choice.selection->rule;
    if (s->choice.skip_busy == s->sw.out_buffers || rule == IK_SELECT_BY_PICK)
        return false;
    return rule == IK_SELECT_BY_CREDIT  ? !s->sw.out_buffers
           : rule == IK_SELECT_BY_QUEUE ? s->sw.out_buffers && !chooses_start_by_vc(s)
                                        : true;
}

bool sim_choice_may_fit(const sim *s)
{
    const ik_routing_family *r = s->plan->routing->family;
    return r->next_mask && !r->pick && s->sw.voq && s->choice.rechoose && s->choice.selection &&
           choice_selection_fits(s) &&
           (!s->choice.source_adaptive || s->plan->routing->traits & IK_ROUTE_STARTS_BY_QUEUE);
}

/* False: sets overlap. */
static bool choice_find_sets(const sim *s, uint32_t sw, choice_sets *c)
{
    const ik_routing *r = s->plan->routing;
    *c = (choice_sets){.all = 0};
    for (unsigned out = 0; out < ik_radix(s->f, sw); out++) {
        uint64_t set = r->family->set_of(r, sw, out);
        if (!set)
            return false;
        if (set & (set - 1)) {
            unsigned first = (unsigned)__builtin_ctzll(set);
            c->of[out] = set;
            c->number[out] = first == out ? c->num++ : c->number[first];
            c->all |= set;
        }
    }
    return true;
}

/* Tables of the different switches, *num of them, and in which[] that of each switch (which may be
 * NULL). False: none fits. */
static bool choice_find_tables(const sim *s, choice_sets *tables, uint32_t *num, uint8_t *which)
{
    uint32_t n = 0, at = 0;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
        if (n == MOST_TABLES || !choice_find_sets(s, sw, &tables[n]))
            return false;
        for (at = 0; memcmp(&tables[at], &tables[n], sizeof *tables) != 0;)
            at++;
        n += at == n;
        if (which)
            which[sw] = (uint8_t)at;
    }
    *num = n;
    return true;
}

/* The sets of no switch overlap, and there are few different ones. */
static bool choice_are_disjoint(const sim *s)
{
    choice_sets *tables;
    uint32_t num;
    if (!s->plan->routing->family->set_of || s->choice.source_adaptive || !s->choice.static_lane ||
        s->choice.selection->rule == IK_SELECT_BY_DRAW ||
        s->choice.selection->rule == IK_SELECT_BY_PREFERENCE)
        return false;
    tables = ik_calloc(MOST_TABLES + 1, sizeof *tables);
    /* without memory to look it does: set-up fails if it does not, and no other engine steps in */
    bool fits = !tables || choice_find_tables(s, tables, &num, NULL);
    free(tables);
    return fits;
}

bool sim_choice_overlaps(const sim *s)
{
    return s->choice.adaptive && !choice_are_disjoint(s);
}

bool sim_choice_fits(const sim *s)
{
    return (s->choice.selection->rule != IK_SELECT_BY_CREDIT && ik_plan_has_masks(s->plan)) ||
           choice_are_disjoint(s);
}

/* By preference: what the selection function says for packet id, whose routing it may ask again
 * which output it prefers. */
static unsigned choice_preferred_of(const sim *s, uint32_t sw, uint32_t in_port, ik_packet *rt,
                                    uint64_t set, unsigned preferred)
{
    const ik_selection *selection = s->choice.selection;
    const ik_routing *r = s->plan->routing;
    const ik_select_request ask = {.sw = sw, .pk = rt};
    uint32_t first = preferred;
    uint64_t allowed = 0;
    if (preferred == NO_OUT)
        r->family->next_mask(r, sw, in_port, rt, &allowed, &first);
    return selection->family->pick_mask(selection, &ask, &set, 1, first);
}

unsigned sim_choice_drawn(const partition *p, uint32_t id, uint64_t set)
{
    const fast_packets *ps = &p->fast->packets;
    ik_draw draw = sim_choice_draw(p->sim, &ps->items[id].rt, ps->number[id]);
    return port_set_nth(&set, ik_random_below(draw.seed, IK_RNG_SELECT, draw.entity, draw.counter,
                                              (uint32_t)__builtin_popcountll(set)));
}

unsigned sim_choice_of(const partition *p, uint32_t sw, uint32_t in_port, uint32_t id, uint64_t set,
                       unsigned preferred)
{
    const sim *s = p->sim;
    const fast_state *f = s->engine.fast;
    unsigned rule = s->choice.selection->rule;
    if (rule == IK_SELECT_BY_PREFERENCE)
        return choice_preferred_of(s, sw, in_port, &p->fast->packets.items[id].rt, set, preferred);
    if (rule == IK_SELECT_BY_QUEUE)
        set = choice_fast_emptiest(f, s->f->port_base[sw], set);
    return f->draws_ties && set & (set - 1) ? sim_choice_drawn(p, id, set)
                                            : (unsigned)__builtin_ctzll(set);
}

static unsigned choice_most_sets(const choice_sets *tables, uint32_t num)
{
    unsigned most = 1;
    for (uint32_t n = 0; n < num; n++)
        most = tables[n].num > most ? tables[n].num : most;
    return most;
}

static bool choice_show_credit(const sim *s, fast_state *f)
{
    f->exact = sim_alloc_zeroed(s->f->num_ports / 64 + 1, sizeof *f->exact);
    if (!f->exact)
        return false;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        for (uint64_t bits = f->sets[f->switches[sw].sets].all; bits; bits &= bits - 1) {
            uint32_t port = s->f->port_base[sw] + (uint32_t)__builtin_ctzll(bits);
            f->exact[port >> 6] |= 1ull << (port & 63);
        }
    return true;
}

/* Whether what waits for outputs is counted: packets choose by it. */
static bool choice_counts_waiting(const sim *s)
{
    return s->choice.source_adaptive || s->choice.selection->rule == IK_SELECT_BY_QUEUE;
}

/* All VCs together, if nobody asks for more and nothing is checked. */
static unsigned choice_counted_vcs(const sim *s)
{
    return chooses_start_by_vc(s) || (s->measure.paranoid && !s->sw.out_buffers) ? s->sw.vcs : 1;
}

static bool choice_setup_waits(const sim *s, fast_state *f)
{
    f->wait_vcs = choice_counted_vcs(s);
    if (!choice_counts_waiting(s))
        return true;
    f->waits = sim_alloc_zeroed((size_t)s->f->num_ports * f->wait_vcs + 1, sizeof *f->waits);
    return f->waits;
}

int64_t sim_choice_queued(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const partition *)ctx)->sim;
    const fast_state *f = s->engine.fast;
    const uint32_t *waits = &f->waits[(size_t)channel * f->wait_vcs];
    assert(vc < (int)f->wait_vcs && (vc < 0 || f->wait_vcs == s->sw.vcs));
    if (vc >= 0)
        return (int64_t)waits[vc] * s->adapter.packet_bytes;
    uint64_t sum = waits[0];
    for (unsigned v = 1; v < f->wait_vcs; v++)
        sum += waits[v];
    return (int64_t)(sum * s->adapter.packet_bytes);
}

/* Whether heads remember what they chose: it depends on space in output buffers alone. */
static bool remembers_choices(const sim *s)
{
    return s->sw.out_buffers && s->choice.selection->rule != IK_SELECT_BY_QUEUE;
}

static bool choice_setup_overlap(const sim *s, fast_state *f)
{
    size_t lanes = (size_t)s->f->num_ports * s->sw.vcs + 1;
    if (remembers_choices(s)) {
        f->remembered = sim_alloc_zeroed(lanes, sizeof *f->remembered);
        f->space = sim_alloc_zeroed((size_t)s->f->num_switches * (s->sw.vcs + 1) + 1, 8);
        if (!f->remembered || !f->space)
            return false;
    }
    f->coming = sim_alloc_zeroed(s->f->num_ports + 1, sizeof *f->coming);
    f->may_move = sim_alloc_zeroed(lanes, 8);
    f->undecided = sim_alloc_zeroed(s->f->num_switches + 1, 8);
    return f->coming && f->may_move && f->undecided;
}

bool sim_choice_setup(sim *s)
{
    fast_state *f = s->engine.fast;
    if (!choice_setup_waits(s, f))
        return false;
    if (f->overlap)
        return choice_setup_overlap(s, f);
    uint32_t num = 0, switches = s->f->num_switches;
    uint8_t *which = malloc(switches + 1);
    f->sets = ik_calloc(MOST_TABLES + 1, sizeof *f->sets);
    bool ok = which && f->sets && choice_find_tables(s, f->sets, &num, which);
    for (uint32_t sw = 0; ok && sw < switches; sw++)
        f->switches[sw].sets = which[sw];
    free(which);
    if (!ok)
        return false;
    f->most_sets = choice_most_sets(f->sets, num);
    f->waiting = sim_alloc_zeroed((size_t)switches * f->most_sets * s->sw.vcs + 1, 8);
    f->coming = sim_alloc_zeroed(s->f->num_ports + 1, sizeof *f->coming);
    f->rows = s->sw.vcs > 1 ? sim_alloc_zeroed((size_t)s->f->num_ports * s->sw.vcs + 1, 8) : NULL;
    if (s->choice.selection->rule == IK_SELECT_BY_CREDIT && !choice_show_credit(s, f))
        return false;
    return f->waiting && f->coming && (s->sw.vcs == 1 || f->rows);
}

void sim_choice_carry(const sim *s, fast_state *f, sim_carrier *c)
{
    size_t switches = s->f->num_switches, ports = s->f->num_ports, lanes = ports * s->sw.vcs;
    sim_carry_array(c, f->waiting, switches * f->most_sets * s->sw.vcs, 8);
    sim_carry_array(c, f->coming, ports, sizeof *f->coming);
    sim_carry_array(c, f->rows, lanes, 8);
    sim_carry_array(c, f->may_move, lanes, 8);
    sim_carry_array(c, f->undecided, switches, 8);
    sim_carry_array(c, f->remembered, lanes, sizeof *f->remembered);
    sim_carry_array(c, f->space, switches * (s->sw.vcs + 1), 8);
    sim_carry_array(c, f->waits, ports * f->wait_vcs, sizeof *f->waits);
}

void sim_choice_free(fast_state *f)
{
    free(f->sets);
    free(f->waiting);
    free(f->coming);
    free(f->rows);
    free(f->may_move);
    free(f->undecided);
    free(f->remembered);
    free(f->space);
    free(f->waits);
    free(f->exact);
}

uint64_t sim_choice_bytes(const sim *s)
{
    uint64_t waits =
        (uint64_t)s->f->num_ports * (choice_counts_waiting(s) ? 4 : 0) * choice_counted_vcs(s);
    if (sim_choice_overlaps(s))
        return waits +
               (uint64_t)s->f->num_ports *
                   (4 + s->sw.vcs * (8 + (remembers_choices(s) ? sizeof(head_choices) : 0))) +
               s->f->num_switches * 8ull * (1 + (remembers_choices(s) ? s->sw.vcs + 1 : 0));
    return waits + sizeof(choice_sets) * (MOST_TABLES + 1) +
           (uint64_t)s->f->num_switches * s->net.max_radix / 2 * s->sw.vcs * 8 +
           s->f->num_ports * (5 + (s->sw.vcs > 1 ? 8ull * s->sw.vcs : 0));
}
