/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/routing.h: one routing function for analysis, proof, export and simulation.
 *
 * The question that everything asks: for this packet, at this switch, on this input: which output
 * ports (and VCs) are allowed, and which is preferred? A *routing* answers for ports, a *VC scheme*
 * (vc.h) for VCs, a *selection function* picks among several answers with local state. A *plan* is
 * the three together on one fabric.
 *
 * Add a routing: route_NAME.c in a room of src/routing, defining `const ik_routing_family
 * ik_routing_NAME`, and a row in src/routing/routings.def. Add a selection function:
 * src/routing/select/select_NAME.c and a row in selections.def.
 */
#ifndef IKAT_ROUTING_H
#define IKAT_ROUTING_H

#include "ikat/fabric.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* What a packet carries for its routing: 16 bytes, copied freely. src and dst are hosts. */
typedef struct ik_packet {
    uint32_t src, dst;
    /* chosen at the source: intermediate switch, NCA index, drawn up digits …; IK_NONE = nothing */
    uint32_t via;
    uint8_t phase; /* e.g. 0 before the intermediate switch, 1 after; up / down */
    /* switch-to-switch channels crossed so far, 255 = that or more; kept by the caller
     * (ik_plan_advance) */
    uint8_t hops;
    uint8_t vc;    /* VC it occupies now (the input's VC) */
    uint8_t layer; /* lane fixed at injection by the VC scheme */
} ik_packet;

/* Local state at a switch, given by the simulator to adaptive decisions; analysis passes NULL and
 * gets every choice. vc < 0 sums over VCs. All in bytes, all of the switch that decides.
 *
 * queued_bytes, by model:
 *   ioq, ideal   what stands in the output's queue for the link, what is being sent included. A
 *                packet on its way through the crossbar (ioq) is not in the queue yet, although its
 *                space is already taken (output_room_bytes)
 *   iq           what stands in the input buffers and asks for this output, what is being sent
 *                included
 *   pipelined    what the next router's buffer holds as known here: capacity_bytes - credit_bytes
 * busy: the output's link is transmitting (iq: the output of the crossbar, which is the link;
 * pipelined: a flit). The two output functions are NULL where a packet needs no space behind the
 * crossbar (iq, ideal, pipelined). */
typedef struct ik_view {
    void *ctx;
    /* free space of the next input buffer as known here */
    int64_t (*credit_bytes)(void *ctx, uint32_t channel, int vc);
    int64_t (*capacity_bytes)(void *ctx, uint32_t channel, int vc); /* that space when empty */
    /* waiting here for this output, see above */
    int64_t (*queued_bytes)(void *ctx, uint32_t channel, int vc);
    /* transmitting now; NULL: the switch does not say */
    bool (*busy)(void *ctx, uint32_t channel);
    /* ioq: free space of the output buffer */
    int64_t (*output_room_bytes)(void *ctx, uint32_t channel, int vc);
    /* ioq: that space when empty */
    int64_t (*output_capacity_bytes)(void *ctx, uint32_t channel, int vc);
} ik_view;

/* The address of a packet's random draws: (env seed, IK_RNG_ROUTE_PACKET, entity = source host,
 * counter = packet number). */
typedef struct ik_draw {
    uint64_t seed, entity, counter;
} ik_draw;

/* Counts n (0 or 1) more hops behind pk; the count stays at 255, so schemes that look at it cannot
 * take a long way for a short one. */
static inline void ik_packet_add_hops(ik_packet *pk, unsigned n)
{
    pk->hops = (uint8_t)(pk->hops + (n && pk->hops < UINT8_MAX));
}

typedef enum ik_routing_kind {
    IK_ROUTE_DETERMINISTIC,
    IK_ROUTE_OBLIVIOUS,
    IK_ROUTE_ADAPTIVE
} ik_routing_kind;

/* Claims: what a routing promises on every fabric it accepts; conformance tests check each. */
enum {
    IK_CLAIM_DELIVERS = 1,          /* every connected pair */
    IK_CLAIM_MINIMAL = 2,           /* every path a shortest path */
    IK_CLAIM_DEADLOCK_FREE = 4,     /* with one VC, every VC scheme that keeps a packet's VC */
    IK_CLAIM_SURVIVES_FAILURES = 8, /* accepts degraded fabrics, delivers what is still connected */
    IK_CLAIM_IN_ORDER = 16          /* one path a pair */
};
/* Structural facts that analysis exploits. */
enum {
    /* next() depends on (switch, dst) alone: tables and in-trees are valid */
    IK_ROUTE_DEST_BASED = 1,
    IK_ROUTE_ARITHMETIC = 2, /* computes, holds no table */
    /* next() never looks at pk->src (DEST_BASED implies it): proofs merge packets of all sources */
    IK_ROUTE_IGNORES_SRC = 4,
    IK_ROUTE_IGNORES_HOPS = 8, /* next() never looks at pk->hops (DEST_BASED implies it) */
    IK_ROUTE_ONE_CABLE = 32,   /* refuses hosts with several cables */
    /* starts and paths depend on the two hosts through their switches alone (but for the last
     * port) */
    IK_ROUTE_PER_SWITCH = 16,
    /* start() asks its view for queued_bytes and capacity_bytes alone */
    IK_ROUTE_STARTS_BY_QUEUE = 64,
    /* and for queued_bytes of all VCs together */
    IK_ROUTE_STARTS_BY_SUM = 256,
    /* made for a pattern: its parameter `traffic`, or the traffic of the environment */
    IK_ROUTE_FOR_TRAFFIC = 128,
    /* tables with an entry for each initial state of a destination: next() depends on the switch,
     * dst and phase, start_nth() writes phase alone, and all sources have the same starts */
    IK_ROUTE_DEST_PATHS = 512,
    /* next() may write pk->via or pk->phase, which VC schemes look at: a table of ports does not
     * stand for it */
    IK_ROUTE_MARKS = 1024,
    /* packets between two hosts with several cables take every connected pair of their ports, as in
     * a subnet, whose tables have entries for each */
    IK_ROUTE_EVERY_PORT = 2048,
    /* for routings that follow one path up and down an undamaged generated tree. By destination
     * alone: the local port by which a switch that is not above dst sends is the same at all of its
     * level, and packets come down by the switches to which these ports lead up from below. By
     * source (neither DEST_BASED nor dependent on in_port): a switch above src that is not above
     * dst sends by a port that depends on src alone, one above dst by the one that leads to it.
     * Analysis counts level by level then, if the routing is built in; it asks next() at a few
     * switches of every level for each host, and goes on without where the answers differ */
    IK_ROUTE_ASCENDS_ALIKE = 4096,
    /* for routings on an undamaged generated tree that allow every way up: a switch above dst sends
     * by the one port that leads to it, another one, if the routing is adaptive and by destination
     * alone, by every port that leads up. An oblivious one has as many starts as there are ways up
     * to the nearest common ancestors, and start n sends by the digits of n, the lowest at the
     * lowest level. Analysis counts level by level then, too */
    IK_ROUTE_ASCENDS_FULLY = 8192,
    /* pick() looks at a packet's VC, the allowed and the preferred outputs, credit_bytes and
     * capacity_bytes in that VC, and what it keeps of the switch, which the second of two questions
     * that are the same does not change: at nothing else. The simulator then asks once for all
     * packets that are alike in this, until credit in their VC changes, where next_mask() gives the
     * outputs */
    IK_ROUTE_PICKS_ALIKE = 16384
};

/* One entry of a compact table: packets for `target` (a switch) leave by `port` (global port id).
 * kind: what put it there (LOREN: 1 adjacent, 2 neighbour on the floor, 3 distant; Cowen: 1
 * landmark, 2 local). */
typedef struct ik_table_entry {
    uint32_t target, port;
    uint8_t kind;
} ik_table_entry;

typedef struct ik_routing ik_routing;

/* Optional, for routings with several initial states: that packets go in two legs, which lets
 * analysis take each leg by itself instead of every pair of hosts. What a start is headed for is a
 * number, its heading: an intermediate switch, a way up a tree. On the first leg next() depends on
 * the switch and the packet's via and phase alone, neither on in_port nor on src nor on dst. Where
 * turns() says so the second leg begins; there and behind, next() may look at dst, still not at
 * in_port or src. A start may also have no heading: it begins on the second leg. All packets of a
 * host with one heading turn at the same switch in the same state. A pair's starts are, in the
 * order of start_nth(): the one without heading, if any; then one of each heading, ascending. The
 * routing must have the traits IGNORES_SRC, IGNORES_HOPS and PER_SWITCH. Proofs check it and do
 * without where it fails. */
typedef struct ik_legs {
    uint32_t (*num_headings)(const ik_routing *r);
    /* Sets the bits of the headings of the pair's starts in `set`, which is all zero. */
    void (*headings)(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set);
    /* The route state of a start with this heading, as start_nth() writes it. */
    void (*start)(const ik_routing *r, uint32_t heading, ik_packet *pk);
    bool (*turns)(const ik_routing *r, uint32_t heading, uint32_t sw);
} ik_legs;

typedef struct ik_routing_family {
    const char *name, *summary, *source, *details;
    const ik_param *params;
    ik_routing_kind kind;
    unsigned claims, traits;
    /* Pairs "FABRIC-SPEC [params]" on which conformance tests run it, e.g. "karytree:k=2,n=3" ;
     * NULL-terminated. */
    const char *const *example_fabrics;
    const char *const *refused_fabrics; /* must be refused with IK_ERR_UNSUPPORTED and a reason */
    /* Prepares routing on r->fabric: fills r->impl.
     * IK_ERR_UNSUPPORTED if the fabric does not fit, with the reason and what would work as
     * hint. */
    ik_status (*create)(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err);
    void (*destroy)(ik_routing *r);
    /* Oblivious and source-adaptive routings: the number of distinct initial states for a pair
     * (NULL = 1), and the n-th one written into pk (via, phase, layer). Analysis walks all of them
     * with equal weight. */
    uint32_t (*num_starts)(const ik_routing *r, uint32_t src, uint32_t dst);
    void (*start_nth)(const ik_routing *r, uint32_t n, ik_packet *pk);
    /* Draws the initial state for a packet in simulation. NULL = start_nth(uniform draw). view:
     * local state at the source's switch (UGAL), NULL if there is none. */
    void (*start)(const ik_routing *r, const ik_draw *draw, const ik_view *view, ik_packet *pk);
    /* The routing function. sw: current switch; in_port: channel's receiving port (global port id)
     * at sw through which the packet came. Writes the allowed output ports (global port ids of sw)
     * to out[0..n-1] in a fixed physical order, *preferred = index of the one that the
     * deterministic variant would take; returns n, 0 = no route. Of several, an oblivious routing's
     * packet takes one drawn by ik_plan_draw(), an adaptive one's what pick() or the selection
     * function says. May update pk->via/phase (idempotent at the same switch). out has room for
     * radix(sw) entries. At the destination's switch it gives the port(s) to the host. */
    uint32_t (*next)(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                     uint32_t *out, uint32_t *preferred);
    /* Optional, for routings whose lists ascend in the port: next() as a set of local ports. Sets
     * bit p % 64 of set[p / 64] for every port port_base[sw] + p that next() would list; set is all
     * zero and has a bit for each port of sw. *preferred: the local port of the preferred one. pk
     * changes as by next(). Returns how many there are, 0 = no route. */
    uint32_t (*next_mask)(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                          uint64_t *set, uint32_t *preferred);
    /* Optional, for adaptive routings whose choices never overlap: what next() lists at sw whenever
     * it lists local port `port`, as a set of local ports (all of them below 64). One port alone
     * has no choice. 0: next() has to be asked, sets overlap there. */
    uint64_t (*set_of)(const ik_routing *r, uint32_t sw, uint32_t port);
    /* Optional: an adaptive routing that must look at local state itself (thresholds on credits):
     * narrows the choice to one index of out; NULL = the plan's selection function picks. scratch:
     * state of this switch, see state_bytes. */
    uint32_t (*pick)(const ik_routing *r, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                     uint32_t n, uint32_t preferred, const ik_view *view, void *switch_state);
    /* NULL = none; zeroed at start. A checkpoint has these bytes: they must hold no pointers. */
    size_t (*switch_state_bytes)(const ik_routing *r, uint32_t sw);
    /* Compact routings (LOREN, Cowen): the entries that a switch really stores, in stored order.
     * NULL = one a reachable host. */
    uint32_t (*num_entries)(const ik_routing *r, uint32_t sw);
    void (*entry_nth)(const ik_routing *r, uint32_t sw, uint32_t n, ik_table_entry *entry);
    /* Optional, destination-based routings: a number that falls at every switch-to-switch hop of a
     * packet for dst, which proves freedom of livelock without looking at whole paths. Proofs
     * verify it hop by hop. */
    uint64_t (*order)(const ik_routing *r, uint32_t sw, uint32_t dst);
    /* Optional, routings with several initial states whose paths consist of legs, each towards one
     * switch, with every port of a switch on a leg equally likely over all initial states: measures
     * follow legs instead of initial states. leg: the ports of sw on a leg to the switch `goal`,
     * which is not sw, into out (room for radix(sw)); returns their number, 0 = no way. */
    uint32_t (*leg)(const ik_routing *r, uint32_t sw, uint32_t goal, uint32_t *out);
    /* With leg: the switches through which initial states of the pair go, one state each (room for
     * num_switches); returns their number. All other initial states have one leg, to the
     * destination's switch, as have all where this is NULL. */
    uint32_t (*middles)(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *out);
    const ik_legs *legs; /* NULL = not known to go in legs */
    /* Optional, routings that are made for the phases of a workload: what messages of a phase (a
     * class of the workload) take, which lives as long as r; r itself has the routes of all of
     * them, and is the answer for a phase that it was not made for. NULL: all messages are routed
     * alike. */
    const struct ik_routing *(*of_phase)(const ik_routing *r, uint32_t phase);
    /* Routings that compute with the labels of a tree: the port (0 ... num_ports - 1) by which
     * packets of a pair of hosts leave the source; they come in by the destination's port of the
     * same number. IK_NONE = by every one, drawn message by message. NULL: between hosts with
     * several cables the routing leads from port to port, as between hosts with one (see
     * ik_rails_count). */
    uint32_t (*rail)(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports);
} ik_routing_family;

/* What a routing that chooses tables for the sake of few lanes gave for them (family frugal).
 * Loads: host pairs over the busiest link between switches. */
typedef struct ik_lane_trade {
    unsigned lanes; /* 0: not such a routing */
    uint64_t max_load;
    uint64_t longer; /* host pairs whose path is not a shortest one */
    /* balanced tables of shortest paths, both directions of two hosts on one lane; lanes 0: too
     * many to be counted */
    unsigned balanced_lanes;
    uint64_t balanced_load;
} ik_lane_trade;

struct ik_routing {
    const ik_routing_family *family;
    /* what it routes on, must outlive the routing: the fabric that it was made for, or where hosts
     * have several cables that one's split fabric, owned (ik_fabric_split) */
    const ik_fabric *fabric;
    struct ik_rails *rails; /* NULL where every host has one cable */
    void *impl;             /* private to the family */
    uint64_t seed;
    /* Of this instance: start as the family's; create() may change them where a parameter decides
     * (minimal:paths=one is deterministic, minimal:paths=all is not). Everything but listings reads
     * these, not the family's. */
    ik_routing_kind kind;
    unsigned claims, traits;
    /* Scheme and selection that a plan takes when none is named; static text, set by create(); NULL
     * = "1q" / "by_model". */
    const char *natural_vc, *natural_selection;
    char *spec; /* canonical text, owned */
    /* what its user should know of a file that it was read from, or of a choice that it made;
     * owned; NULL = nothing */
    char *note;
    ik_lane_trade trade;
    /* table routings share this: [num_switches][num_hosts] local output port, 0xFFFF = none; NULL
     * otherwise */
    uint16_t *lft;
    /* routings with a parameter t_max: the least with which they would have been made on this
     * fabric; 0 = not known, or the routing has none */
    uint32_t least_t_max;
};

const ik_routing_family *const *ik_routings(void);
const ik_routing_family *ik_routing_find(const char *name);
/* From "dmodk" or "random:seed=7". The fabric is borrowed. Free with ik_routing_free. */
ik_status ik_routing_from_spec(const ik_fabric *f, const char *spec, const ik_env *env,
                               ik_routing **out, ik_error *err);
ik_status ik_routing_from_params(const ik_fabric *f, const char *name, const ik_params *params,
                                 const ik_env *env, ik_routing **out, ik_error *err);
void ik_routing_free(ik_routing *r);

/* ---- hosts with several cables (rails)
 * On a fabric with such hosts a routing is made for the split fabric: src and dst of a packet are
 * ports of hosts, and all that takes a routing or a plan counts hosts in the same way. The
 * following say which pairs of ports the packets between two hosts take. `src` and `dst` are hosts
 * of the whole fabric, `from` and `to` of the split one; where every host has one cable the two are
 * the same and there is one pair. */
/* Pairs of ports that messages of src for dst take, each as often as the others: 1 for
 * deterministic routings. At least 1: two hosts without a connection get a pair of ports that has
 * none. Trees: what the family's `rail` says. Others: of the n pairs of ports whose switches are
 * nearest to each other (with the trait EVERY_PORT: of the n connected pairs) a deterministic
 * routing takes number (a / n + b) mod n, where a < b are the two hosts, so that a connection has
 * the same ports in both directions; any other takes all n. */
uint32_t ik_rails_count(const ik_routing *r, uint32_t src, uint32_t dst);
void ik_rails_nth(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n, uint32_t *from,
                  uint32_t *to);
/* Is it one of those pairs? */
bool ik_rails_used(const ik_routing *r, uint32_t from, uint32_t to);

/* What create() of a table routing begins with: makes r->lft, [num_switches][num_hosts], all 0xFFFF
 * = no route. create() then writes local port numbers into it; the entry at a destination's own
 * switch is the port of the host. IK_ERR_UNSUPPORTED: switches with more ports than 16 bits hold;
 * IK_ERR_MEMORY: beyond env's limit. */
ik_status ik_lft_new(ik_routing *r, const ik_env *env, ik_error *err);
/* next() for table routings: reads r->lft. */
uint32_t ik_lft_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                     uint32_t *out, uint32_t *preferred);
/* Compiles a destination-based deterministic routing to a table [num_switches][num_hosts] of local
 * ports (0xFFFF = none). IK_ERR_UNSUPPORTED for others. Free with free(). */
ik_status ik_lft_compile(const ik_routing *r, const ik_env *env, uint16_t **lft, ik_error *err);
/* OpenSM's format (`-R file -U`), LIDs from the fabric or assigned 1… (switches first), `portguid`
 * on every line, names too, but in tables of ten million entries or more, where they stand once at
 * the top. Refused are ports beyond 254 and LIDs that are no unicast ones or not unique. */
ik_status ik_lft_write(const ik_routing *r, const char *path, ik_error *err);
ik_status ik_lft_print(const ik_routing *r, FILE *out, ik_error *err);
/* Reads such a file, what dump_fts or ibroute prints, or opensm.fdbs (ik_lid_tables_read, whose
 * errors are passed on). IK_ERR_UNSUPPORTED where ports have several LIDs. Free the table with
 * free(). */
ik_status ik_lft_read(const ik_fabric *f, const char *path, uint16_t **lft, ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status ik_lft_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                       uint16_t **lft, ik_error *err);

struct ik_lids;
struct ik_lid_tables;
/* Tables by LID (ikat/lids.h) of a routing that ik_lft_compile takes: for the LIDs of hosts, all of
 * a port alike, and port 0 for each switch's own; no entries for other switches, which
 * ik_lid_tables_complete adds. Of the routing 'lft': all that its file has, whatever the LMC. lids:
 * of the routing's fabric, or the one that it was split from. Free with ik_lid_tables_free. */
ik_status ik_lid_tables_of(const ik_routing *r, const struct ik_lids *lids, const ik_env *env,
                           struct ik_lid_tables *out, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * registers */

/* Interval routing: a port takes the destinations whose address lies in its cyclic interval FI … LI
 * (both ends included). Flexible interval routing first masks the address with the port's MR and
 * drops the port if another one that its RRR names matches. Arrays are indexed by global port ids
 * of switches. (Gomez, Lopez, Duato: A Memory-Effective Routing Strategy for Regular
 * Interconnection Networks, IPDPS 2005; Gomez et al., IPDPS 2007.) */
typedef struct ik_registers {
    const ik_fabric *fabric; /* borrowed */
    bool flexible;           /* FIR: mr and rrr are there */
    bool deterministic;      /* at most one port matches a destination */
    unsigned address_bits;
    uint32_t num_ports; /* of all switches */
    /* [num_hosts] IR: the host's number; FIR: its digits, ceil(log2 m_l) bits each, digit 1
     * lowest */
    uint64_t *address;
    bool *enabled;          /* [num_ports] false: matches nothing */
    uint64_t *fi, *li, *mr; /* [num_ports] */
    uint64_t *rrr;          /* [num_ports][rrr_words] bit j = local port j goes before this one */
    uint32_t rrr_words;
} ik_registers;

/* Registers of `dmodk` (FIR only: it needs masks), unrestricted `adaptive_tree` (both), and the
 * routings `ir` and `fir`. On any generated tree whose digits fit: IK_ERR_UNSUPPORTED with the
 * reason otherwise. Free with ik_registers_free. */
ik_status ik_registers_compile(const ik_routing *r, bool flexible, ik_registers **out,
                               ik_error *err);
void ik_registers_free(ik_registers *registers);
/* Ports of sw (global ids, ascending) that the registers allow for host dst; out: room for the
 * radix. */
uint32_t ik_registers_match(const ik_registers *registers, uint32_t sw, uint32_t dst,
                            uint32_t *out);
/* One block a switch, one line a port; masks and preferences as bit strings, highest bit first. */
ik_status ik_registers_print(const ik_registers *registers, FILE *out, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * selection functions */

typedef struct ik_selection ik_selection;
/* What a selection function is asked: the output for one packet at one switch. */
typedef struct ik_select_request {
    uint32_t sw;
    const ik_packet *pk;
    uint32_t need_bytes; /* size of the packet */
    int vc;              /* that room and credit are asked for, see ik_view */
    const ik_view *view; /* of the switch, not NULL */
    void *switch_state;  /* of the function at this switch: switch_state_bytes(), zeroed at start */
    const ik_draw *draw; /* address for random selections */
} ik_select_request;

typedef struct ik_selection_family {
    const char *name, *summary, *source;
    const ik_param *params;
    /* may be NULL */
    ik_status (*create)(ik_selection *s, const ik_params *params, const ik_env *env, ik_error *err);
    void (*destroy)(ik_selection *s);
    /* Picks one of out[0..n-1] (n >= 1) with room for the packet (of the output buffer where there
     * is one, else of the next input buffer), else returns IK_NONE = wait and ask again when
     * anything changes. preferred: an index of out. */
    uint32_t (*pick)(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                     uint32_t n, uint32_t preferred);
    size_t (*switch_state_bytes)(const ik_selection *s, uint32_t sw); /* as that of a routing */
    /* Optional: pick() among candidates that the caller has found: the bits of `from` (words words,
     * not all zero) are the local ports that are allowed and have room, and if some of them are
     * not skipped for being busy, those alone. preferred: a local port, allowed. Returns the local
     * port that pick() would take, and changes switch_state as pick() does. */
    uint32_t (*pick_mask)(const ik_selection *s, const ik_select_request *ask, const uint64_t *from,
                          unsigned words, uint32_t preferred);
    /* Of functions that take the best of several, NULL of others: how good an output is, larger is
     * better. */
    int64_t (*score)(const ik_select_request *ask, uint32_t channel);
    unsigned traits; /* IK_SELECT_... */
    unsigned rule;   /* what pick() does, for engines that do it themselves: IK_SELECT_BY_... */
} ik_selection_family;
/* What an answer of pick() depends on, or changes, besides its arguments and the local state. */
enum {
    IK_SELECT_DRAWS = 1,    /* random numbers */
    IK_SELECT_REMEMBERS = 2 /* the switch's state of this function, which answers change */
};
/* Among the outputs with room that are not skipped for being busy, or if there are none among those
 * with room: BY_NUMBER the lowest; BY_DRAW of n, ascending, number ik_random_below(draw's seed,
 * IK_RNG_SELECT, entity, counter, n); BY_CREDIT those with most credit, BY_QUEUE those with the
 * fewest bytes waiting (queued_bytes of all VCs), and of these as BY_DRAW with the trait
 * IK_SELECT_DRAWS, else as BY_NUMBER; BY_PREFERENCE what pick_mask() says, which looks at the
 * switch, the packet, `from` and `preferred` alone. BY_PICK: only pick() knows. */
enum {
    IK_SELECT_BY_PICK,
    IK_SELECT_BY_NUMBER,
    IK_SELECT_BY_CREDIT,
    IK_SELECT_BY_DRAW,
    IK_SELECT_BY_QUEUE,
    IK_SELECT_BY_PREFERENCE
};
/* Whether an output that is transmitting comes after those that are not. Auto: only where there is
 * no output buffer, in which the packet could wait for the link. */
typedef enum ik_skip_busy { IK_SKIP_AUTO, IK_SKIP_NEVER, IK_SKIP_ALWAYS } ik_skip_busy;
struct ik_selection {
    const ik_selection_family *family;
    const ik_fabric *fabric;
    void *impl;
    char *spec;
    ik_skip_busy skip_busy;
    unsigned traits; /* as the family's; create() may add to them where a parameter decides */
    unsigned rule;   /* the family's, unless a parameter says otherwise */
    /* Owned. What the simulator asks instead in models whose packets choose while they wait at an
     * input (0), and in those in which they go on to wait at the output or the next router (1: ioq,
     * pipelined); NULL: this one, in all models. */
    struct ik_selection *in_model[2];
};
/* Declared parameters of every selection function: skip_busy. */
extern const ik_param ik_selection_common_params[];

/* For pick() of a family. Bytes free in the queue that the packet would enter through a channel:
 * the output buffer, or without one the next input buffer. */
static inline int64_t ik_select_room(const ik_select_request *ask, uint32_t channel)
{
    const ik_view *view = ask->view;
    return (view->output_room_bytes ? view->output_room_bytes
                                    : view->credit_bytes)(view->ctx, channel, ask->vc);
}
/* Whether the packet has room there. */
static inline bool ik_select_has_room(const ik_select_request *ask, uint32_t channel)
{
    return ik_select_room(ask, channel) >= (int64_t)ask->need_bytes;
}
/* Whether the output comes after those that are not transmitting: skip_busy. */
static inline bool ik_select_is_skipped(const ik_selection *s, const ik_select_request *ask,
                                        uint32_t channel)
{
    const ik_view *view = ask->view;
    bool skips =
        s->skip_busy == IK_SKIP_AUTO ? !view->output_room_bytes : s->skip_busy == IK_SKIP_ALWAYS;
    return skips && view->busy && view->busy(view->ctx, channel);
}
/* pick() and pick_mask() of functions that compare: the output with room and the highest score() of
 * the family, those that are skipped last; equal ones are drawn with the trait IK_SELECT_DRAWS,
 * else the lowest is taken. Cost: at most two calls of score() an output. */
uint32_t ik_select_best(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                        uint32_t n, uint32_t preferred);
uint32_t ik_select_best_of(const ik_selection *s, const ik_select_request *ask,
                           const uint64_t *from, unsigned words, uint32_t preferred);
const ik_selection_family *const *ik_selections(void);
const ik_selection_family *ik_selection_find(const char *name);
ik_status ik_selection_from_spec(const ik_fabric *f, const char *spec, const ik_env *env,
                                 ik_selection **out, ik_error *err);
void ik_selection_free(ik_selection *s);
static inline const ik_selection *ik_selection_in(const ik_selection *s, bool waits_at_output)
{
    return s && s->in_model[waits_at_output] ? s->in_model[waits_at_output] : s;
}

/* ------------------------------------------------------------------------------------------
 * plans */

struct ik_vc; /* vc.h */

/* A choice: an output port and the VCs a packet may take on that channel (vc_first … vc_last
 * inclusive). */
typedef struct ik_choice {
    uint32_t port;
    uint8_t vc_first, vc_last;
} ik_choice;

/* Routing + VC scheme + selection on one fabric. Owns the three. */
typedef struct ik_plan {
    const ik_fabric *fabric; /* the routing's */
    ik_routing *routing;
    struct ik_vc *vc;
    ik_selection *selection;
    /* The scheme's, or a multiple: its VCs are there several times then, each copy for packets of
     * its own (requests and replies). VC v of copy c has the number c * vc->num_vcs + v. Packets
     * start in copy 0, unless who starts them puts them into another one, and stay in theirs. */
    unsigned num_vcs;
    uint32_t max_radix;
} ik_plan;

/* routing, vc, selection: specs; vc NULL = the routing's natural scheme ("1q" unless the routing
 * needs more; "1q" too if num_vcs is 1: who asks for one VC wants to know what one VC does),
 * selection NULL = "by_model", or what the routing prefers. num_vcs 0 = as many as the scheme needs
 * at least. Too few VCs: IK_ERR_UNSUPPORTED saying how many would do. */
ik_status ik_plan_from_specs(const ik_fabric *f, const char *routing, const char *vc,
                             const char *selection, unsigned num_vcs, const ik_env *env,
                             ik_plan **out, ik_error *err);
void ik_plan_free(ik_plan *plan);
/* Initial states of a pair and the injection VC (pk->vc, pk->layer). */
uint32_t ik_plan_num_starts(const ik_plan *plan, uint32_t src, uint32_t dst);
void ik_plan_start_nth(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n, ik_packet *pk);
void ik_plan_start(const ik_plan *plan, uint32_t src, uint32_t dst, const ik_draw *draw,
                   const ik_view *view, ik_packet *pk);
/* The same for a packet of a phase, where the routing has of_phase. */
void ik_plan_start_phase(const ik_plan *plan, uint32_t phase, uint32_t src, uint32_t dst,
                         const ik_draw *draw, ik_packet *pk);
/* All allowed choices of pk at sw; returns their number; *preferred as in next(). out: room for
 * max_radix. */
uint32_t ik_plan_next(const ik_plan *plan, uint32_t sw, uint32_t in_port, ik_packet *pk,
                      ik_choice *out, uint32_t *preferred);
/* Whether ik_plan_next_mask() may be asked: the routing gives sets of ports, and the VC scheme does
 * not care which of them a packet takes. */
bool ik_plan_has_masks(const ik_plan *plan);
/* ik_plan_next() as a set of local ports (see next_mask()) that share one range of VCs. */
uint32_t ik_plan_next_mask(const ik_plan *plan, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint64_t *set, uint32_t *preferred, uint8_t *vc_first, uint8_t *vc_last);
/* Bookkeeping after pk was sent through `port` on `vc`: counts the hop if it joins two switches,
 * sets pk->vc. */
void ik_plan_advance(const ik_plan *plan, uint32_t port, unsigned vc, ik_packet *pk);
/* Which of the n outputs (n >= 1) that next() allowed pk takes where no local state decides: under
 * an oblivious routing one drawn by address (draw's seed, entity and counter; pk's hops), each as
 * likely as the others; otherwise the preferred one. */
uint32_t ik_plan_draw(const ik_plan *plan, const ik_packet *pk, const ik_draw *draw, uint32_t n,
                      uint32_t preferred);
/* Walks one deterministic path (preferred choice everywhere) from initial state n: writes channels
 * (injection … ejection) to channels[max], returns their number, or 0 if not delivered within max
 * channels, or IK_NONE when out of memory (which it takes where switches have more than 256 ports).
 */
uint32_t ik_plan_path(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n,
                      uint32_t *channels, uint32_t max);

IK_END_DECLS
#endif
