/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/analysis.h: static measures: distances, diversity, bisection, cost; channel loads and
 * contention under a pattern.
 *
 * Everything here looks at the graph (or at the graph, a routing and a pattern); nothing is
 * simulated. Distances count switch-to-switch hops: two hosts of one switch are at distance 0.
 * Functions are thread-safe on different outputs.
 */
#ifndef IKAT_ANALYSIS_H
#define IKAT_ANALYSIS_H

#include "ikat/json.h"
#include "ikat/routing.h"
#include "ikat/traffic.h"

IK_BEGIN_DECLS

/* ------------------------------------------------------------------------------------------ what
 * stands there */

/* Links of one class. */
typedef struct ik_link_count {
    uint64_t rate_bps, latency_ps;
    const char *name;      /* borrowed from the fabric */
    uint64_t switch_links; /* between switches */
    uint64_t host_links;
} ik_link_count;

/* A fabric in numbers. Cost as T. Kathareios et al., Cost-Effective Diameter-Two Topologies, SC'15,
 * section 2: ports and links for every host. Free with ik_description_free. */
typedef struct ik_description {
    uint64_t hosts, switches;
    uint64_t ports;             /* of switches, connected or not */
    uint64_t unconnected_ports; /* of switches */
    uint64_t links, switch_links, host_links;
    uint32_t radix, min_radix;       /* largest and smallest number of ports of a switch */
    uint32_t max_degree, min_degree; /* links to other switches: largest and smallest of a switch */
    uint64_t leaf_switches;          /* switches with hosts */
    uint32_t max_hosts_per_switch, min_hosts_per_switch; /* over the leaf switches */
    double ports_per_host, links_per_host;               /* 0 without hosts */
    uint32_t levels;                                     /* 0 = no tree */
    uint64_t *level_switches;                            /* [levels] switches at level 1, 2, … */
    /* [num_link_counts] by falling rate; classes without links are left out */
    ik_link_count *link_counts;
    size_t num_link_counts;
} ik_description;
/* Cost O(ports). */
ik_status ik_fabric_describe(const ik_fabric *f, ik_description *out, ik_error *err);
void ik_description_free(ik_description *d);

/* ------------------------------------------------------------------------------------------
 * distances */

/* Distances between switches. Weighted by host pairs, and by switch pairs. */
typedef struct ik_distances {
    uint32_t diameter; /* largest distance between switches with hosts (connected ones) */
    /* largest distance between any two switches, IK_NONE if some two are unconnected */
    uint32_t switch_diameter;
    double mean_hops;           /* over ordered pairs of different connected hosts */
    double mean_switch_hops;    /* over ordered pairs of different connected switches */
    uint64_t *histogram;        /* [num] ordered pairs of different hosts by distance */
    uint64_t *switch_histogram; /* [num] ordered pairs of different switches by distance */
    uint64_t *leaf_histogram;   /* [num] the same among switches with hosts */
    size_t num;
    /* ordered host pairs without a path, hosts that hang on no switch included */
    uint64_t unconnected_pairs;
} ik_distances;
/* All-pairs, bit-parallel breadth-first search (512 sources a sweep), all threads of env. Switches
 * with the same neighbours are searched once: exact, and what makes a million-host tree cheap. Cost
 * O(C * E * D / 64) for C classes of switches with equal neighbours, E links between classes, D the
 * diameter. Free with ik_distances_free. */
ik_status ik_distances_measure(const ik_fabric *f, const ik_env *env, ik_distances *out,
                               ik_error *err);
void ik_distances_free(ik_distances *d);
/* About how many 64-bit operations ik_distances_measure would take: ask before a default runs it.
 * The diameter is guessed by two searches from single switches, at least 8. Cost O(ports). */
ik_status ik_distances_cost(const ik_fabric *f, double *word_operations, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * diversity, girth, Moore bound */

/* Numbers of paths are exact below this; it stands for itself and all beyond. */
#define IK_PATHS_MANY ((uint64_t)INT64_MAX)

/* Pairs of switches with hosts that have this distance and this number of minimal paths. */
typedef struct ik_path_count {
    uint32_t distance;
    uint64_t paths; /* parallel links make different paths; at most IK_PATHS_MANY */
    uint64_t pairs; /* ordered, different switches */
} ik_path_count;
typedef struct ik_diversity {
    ik_path_count *counts; /* [num] ascending by distance, then paths */
    size_t num;
    uint64_t min_paths, max_paths; /* over all connected pairs */
    double mean_paths;             /* a bound from below if max_paths is IK_PATHS_MANY */
} ik_diversity;
/* Breadth-first searches that count paths, over classes of twin switches. Cost O(C * E). Free with
 * ik_diversity_free. */
ik_status ik_diversity_measure(const ik_fabric *f, const ik_env *env, ik_diversity *out,
                               ik_error *err);
void ik_diversity_free(ik_diversity *d);

/* Length of the shortest cycle of switches: 2 with parallel links, 0 if there is none (a tree).
 * Cost at most O(S * E). */
ik_status ik_girth(const ik_fabric *f, const ik_env *env, uint32_t *girth, ik_error *err);

/* Switches as a fraction of the Moore bound 1 + d * sum of (d-1)^i, i < diameter, d the largest
 * degree. 0 if `diameter` is IK_NONE or 0. */
double ik_moore_ratio(uint64_t switches, uint32_t degree, uint32_t diameter);

/* ------------------------------------------------------------------------------------------
 * bisection */

/* The best known cut into halves of equally many hosts (whole switches), and a bound from below:
 * the true bisection lies between. per_host = cut / (hosts / 2), in link bandwidths.
 * IK_ERR_UNSUPPORTED where hosts have several cables. */
typedef struct ik_bisection {
    uint64_t cut; /* links between the halves */
    uint64_t hosts_a, hosts_b;
    double per_host;
    /* no cut into sides as equal as these has fewer links; an eigenvalue bound */
    double lower_bound;
    double lower_bound_per_host;
    uint32_t starts; /* partitions tried */
    bool *side;      /* [num_switches] */
} ik_bisection;
/* At most 20 switches: all partitions are tried, and lower_bound is the cut. More: METIS (G.
 * Karypis, V. Kumar, SIAM J. Sci. Comput. 1998) from `seeds` seeds (0 = 4 to 32 by the fabric's
 * size) under six settings, each balanced as well as whole switches allow and refined by moves (C.
 * M. Fiduccia, R. M. Mattheyses, DAC 1982). The bound: W. E. Donath, A. J. Hoffman, IBM J. Res.
 * Dev. 1973, with one multiplier for the switches without hosts. Links count once each, whatever
 * their rate. */
ik_status ik_bisection_measure(const ik_fabric *f, unsigned seeds, const ik_env *env,
                               ik_bisection *out, ik_error *err);
void ik_bisection_free(ik_bisection *b);

/* ------------------------------------------------------------------------------------------
 * cables */

/* Cables between switches on a floor plan: Manhattan distance between racks (R. Kawano et al.,
 * LOREN, section 3.1). */
typedef struct ik_cables {
    uint64_t cables; /* between switches */
    uint64_t inside_racks;
    uint64_t total, longest; /* in rack pitches */
    double mean;
    uint64_t *histogram;    /* [longest + 1] cables by length */
    uint32_t width, height; /* of the floor in racks */
    /* the fabric says where its switches stand; false: racks filled in switch order, row by row,
     * near-square */
    bool own_positions;
} ik_cables;
/* rack_switches: switches that share a rack where the plan is made here (1 = one rack a switch).
 * Cost O(ports). */
ik_status ik_cables_measure(const ik_fabric *f, uint32_t rack_switches, ik_cables *out,
                            ik_error *err);
void ik_cables_free(ik_cables *c);

/* ------------------------------------------------------------------------------------------
 * channel loads under a pattern */

/* What every channel carries if every host offers its full injection rate (that of all its ports
 * together). A routing's choices count thus: deterministic: the one path; oblivious and adaptive:
 * every initial state with equal weight, and all allowed ports of a switch evenly (for adaptive
 * ones an idealisation: what a random selection function does). Free with ik_load_free. */
typedef struct ik_load {
    /* pairs s != d of the pattern; of ports if messages of some hosts take several pairs of ports
     * and of others do not */
    uint64_t flows;
    /* of them, pairs that the routing does not deliver; they load no channel */
    uint64_t undelivered;
    /* loads are exact multiples of 1/denominator of a host's rate; 0 = rounded (several choices
     * split a flow, or the pattern's common denominator is beyond 2^53 / hosts) */
    uint64_t denominator;
    double *load; /* [num_ports] by channel, in units of one host's injection rate */
    /* [num_ports] flows that cross the channel (expected number if a flow has several paths) */
    double *crossing;
    /* [num_switches] trees: routes that turn from up to down there (their NCA); NULL otherwise */
    double *turns;
    double mean_hops; /* switch-to-switch hops, weighted by load */
    /* the most loaded switch-to-switch channel, IK_NONE if nothing crosses one */
    uint32_t max_channel;
    /* over all switch-to-switch channels of connected links */
    double max_load, mean_load, min_load;
    double max_crossing;
    /* the channel of any kind with the largest load for its rate, IK_NONE if nothing is sent */
    uint32_t tightest;
    /* offered load, at most 1, at which it is full: the predicted saturation throughput; of
     * adaptive routings that of an even division, see ik_load_band_measure */
    double saturation;
} ik_load;
/* Cost: destination-based routings O(hosts * switches), O(switches * switches) where hosts matter
 * through their switches alone (as do routings with legs, and O(switches * switches * middle
 * switches) additions); others O(flows * states * hops). Patterns that are not even (see
 * ik_traffic_family) cost O(flows) besides. IK_ERR_MEMORY beyond env's limit. Results do not depend
 * on the number of threads. */
ik_status ik_load_measure(const ik_routing *r, const ik_traffic *t, const ik_env *env, ik_load *out,
                          ik_error *err);
void ik_load_free(ik_load *l);

/* What sources that are first in, first out can have accepted for ever, however long a network
 * swallows more: by groups of hosts that a full channel holds back together. */
typedef struct ik_lasting_host {
    double rate; /* at full load, of all hosts' rate */
    double used; /* what that puts on the group's channel */
} ik_lasting_host;
typedef struct ik_lasting_group {
    double level; /* load at which the group's channel becomes full if all hosts offer the same */
    double capacity;   /* of the channel, of all hosts' rate */
    size_t first, num; /* its hosts, the smallest share used / rate first */
} ik_lasting_group;
typedef struct ik_lasting {
    bool known;               /* false: no bound is known, and all is 0 */
    ik_lasting_group *groups; /* [num_groups] by level */
    size_t num_groups;
    ik_lasting_host *hosts;
    double free; /* rate of the hosts that send and that nothing holds back, of all hosts' */
} ik_lasting;
/* What adapters let through where that is less than their links carry. Fractions are of the link's
 * rate, and the smaller one counts. */
typedef struct ik_adapter_rates {
    double injection_bps, injection_fraction; /* of each port of a host; INFINITY, 1 = no limit */
    double ejection_bps, ejection_fraction;
} ik_adapter_rates;
/* limits: NULL = none. Loads are fractions of what hosts may send. Not known of adaptive routings,
 * of workloads and schedules, where a flow is not delivered or a host of several cables sends to
 * itself, and where there are more than 2^18 flows, or their paths have more than 2^24 channels
 * together or need more memory than env's limit. Cost: O(flows * hops + groups * (hosts +
 * channels)). Errors: IK_ERR_MEMORY, IK_ERR_CANCELLED. Free with ik_lasting_free. */
ik_status ik_lasting_measure(const ik_routing *r, const ik_traffic *t,
                             const ik_adapter_rates *limits, const ik_env *env, ik_lasting *out,
                             ik_error *err);
/* Most throughput at that load, a fraction of all hosts' rate (ik_sim_config.bound); 0 = not known.
 * Cost: O(hosts). */
double ik_lasting_at(const ik_lasting *l, double load);
void ik_lasting_free(ik_lasting *l);
/* Between which offered loads, at most 1, a routing saturates. Its choices depend on nothing but
 * the packet (deterministic, oblivious): that is predicted, and low = high = ik_load.saturation.
 * They depend on queues (adaptive): a division of the flows over the allowed paths carries what
 * ik_load.saturation says if it is an even one, and none carries more than `high`. */
typedef struct ik_load_band {
    bool predicted;
    /* adaptive between minimal paths and detours (UGAL): the fields below; NAN for all others */
    bool chooses_detours;
    double minimal, valiant; /* every packet goes minimally, or through an intermediate switch */
    /* the best single share of minimal packets, of all pairs alike, and what it carries: a bound
     * from below of what the best division carries, pair by pair and path by path */
    double split_minimal, split;
    double low;  /* the lower one of minimal and valiant; NAN = not known */
    double high; /* by linear programming duality: nothing sustains more; NAN = not known */
} ik_load_band;
/* Whether what goes minimally depends on queues, so that no saturation is predicted. */
bool ik_load_chooses_detours(const ik_routing *r);
/* even: what ik_load_measure says of both. `high` is not known (NAN) for adaptive routings whose
 * ways depend on more than switch and destination. Cost: that of ik_load_measure twice and, for a
 * bound, up to 12 times; with detours at most some 2e9 additions. */
ik_status ik_load_band_measure(const ik_routing *r, const ik_traffic *t, const ik_load *even,
                               const ik_env *env, ik_load_band *out, ik_error *err);
/* The saturation that is predicted for a pattern, given as its spec; -1: none, since the pattern
 * does not fit the fabric (a bit permutation of a number of hosts that is no power of two), or not
 * all of it is delivered. Where the routing chooses detours, *band has bounds instead. note: called
 * with what the pattern says of itself, if it says something; NULL: not called. Cost: as
 * ik_load_measure, and with detours as ik_load_band_measure. */
ik_status ik_load_predict(const ik_routing *r, const ik_fabric *f, const char *pattern,
                          const ik_env *env, double *saturation, ik_load_band *band,
                          void (*note)(void *ctx, const char *text), void *ctx, ik_error *err);

/* Why the two ends of a bound are as far from each other as they are. */
typedef enum ik_flow_end {
    IK_FLOW_CLOSE,  /* they are as close as asked for */
    IK_FLOW_MEMORY, /* env's memory limit leaves no room for more paths; passes = 0: for none, they
                     * are those of an even division */
    IK_FLOW_STALLED /* they did not come closer for a long time */
} ik_flow_end;
/* Between which rates the best routing of all saturates. Plain value. */
typedef struct ik_flow_bound {
    /* of the hosts' rate, at most 1: some division of all flows over paths carries `lower`; none
     * carries more than `upper`. Equal: the bound is exact, but for rounding (1e-9) */
    double lower, upper;
    double hosts;   /* what the channels of hosts with one cable allow alone, at most 1 */
    double epsilon; /* as asked for */
    ik_flow_end end;
    uint64_t flows;  /* pairs of hosts, src != dst, that send and that the fabric connects */
    uint32_t passes; /* over all sources, 0 = none were needed */
} ik_flow_bound;
/* The largest rate at which any routing whatsoever can carry the pattern, each flow divided over
 * any paths: the maximum concurrent multicommodity flow (F. Shahrokhi, D. W. Matula, JACM 1990).
 * Rates are those of ik_load.saturation, which is never above `upper` where all flows of the
 * pattern that the fabric connects are delivered. Hosts pass nothing on. Flows of a host with
 * several cables may be divided over all of them.
 * epsilon: ends when upper - lower <= epsilon * upper, 0 < epsilon < 1; symmetric fabrics are exact
 * at any epsilon. Errors: IK_ERR_USAGE: epsilon is none, the pattern ends (ik_traffic.workload), is
 * a schedule, or has no flow between different hosts; IK_ERR_MEMORY, IK_ERR_CANCELLED. Results do
 * not depend on the number of threads. Cost: each pass is a search for shortest paths from every
 * switch with hosts, O(S * E log S), some tens of passes for 1 %. Memory: O(E + S), and if the even
 * division is not good enough some 100 bytes per pair of switches that send to each other, or 10
 * bytes per hop where ways are long; a smaller limit ends the search (IK_FLOW_MEMORY). */
ik_status ik_flow_bound_measure(const ik_traffic *t, double epsilon, const ik_env *env,
                                ik_flow_bound *out, ik_error *err);
/* The number with so many decimals next to a bound that is not below it (upper) or not above it:
 * what is printed of a bound holds, too. What only computing adds, 1e-12 of it, is left out. */
double ik_round_bound(double bound, int decimals, bool upper);
/* A bound in at most four digits, rounded so. Writes at most `size` bytes; returns buffer. */
char *ik_format_bound(char *buffer, size_t size, double bound, bool upper);

/* Channels of one kind. Trees: by the lower end's level and direction; otherwise all between
 * switches; and the hosts' channels. */
typedef enum ik_direction {
    IK_DIR_UP,
    IK_DIR_DOWN,
    IK_DIR_SIDE,
    IK_DIR_INJECTION,
    IK_DIR_EJECTION
} ik_direction;
typedef struct ik_load_bin {
    double low, high; /* low == high: one value */
    uint64_t channels;
} ik_load_bin;
typedef struct ik_load_group {
    ik_direction direction;
    uint32_t level; /* of the lower end; 0 if the fabric is no tree or for hosts */
    uint64_t channels;
    double min, mean, max;
    /* [num_bins] ascending: the distinct values if there are at most 32, else 32 equal intervals */
    ik_load_bin *bins;
    size_t num_bins;
} ik_load_group;
/* Groups values [num_ports] (load or crossing). *groups ends up with *num groups; free with
 * ik_load_groups_free. */
ik_status ik_load_groups(const ik_fabric *f, const double *values, ik_load_group **groups,
                         size_t *num, ik_error *err);
void ik_load_groups_free(ik_load_group *groups, size_t num);
/* Direction, level, channels, min, mean and max, as members of an open JSON object. */
void ik_load_group_json(const ik_load_group *g, ik_json *j);
const char *ik_direction_name(ik_direction d);
/* Direction and level (as in ik_load_group) of the channel that starts at a port; false if it is
 * unconnected. */
bool ik_channel_kind(const ik_fabric *f, uint32_t port, ik_direction *direction, uint32_t *level);

/* ------------------------------------------------------------------------------------------
 * queues */

/* What each queue carries under a pattern; a queue is one VC of one channel. What a hot destination
 * holds up is what shares queues with its packets: the fewer different destinations a queue has,
 * the less (J. Rocher-Gonzalez et al., Towards an Efficient Combination of Adaptive Routing and
 * Queuing Schemes in Fat-Tree Topologies, JPDC 2021). Free with ik_queues_free. */
typedef struct ik_queues {
    uint32_t num_ports;
    unsigned num_vcs;
    uint64_t flows, undelivered; /* as in ik_load */
    /* all [num_ports][num_vcs] */
    double *load;           /* in units of one host's injection rate */
    double *crossing;       /* flows; expected number if a flow has several ways */
    uint32_t *destinations; /* hosts to which packets on some allowed way may stand there */
} ik_queues;
/* Flows are divided as in ik_load; a flow that may take several VCs of a channel is divided evenly
 * among them, and among the ports before. Destination by destination; memory O(ports * VCs) and at
 * most about 300 MB for patterns that are not even. Cost: deterministic routings with schemes that
 * leave no choice O(flows * hops), or O(hosts * switches * VCs) where packets of one switch for one
 * destination and queue behave alike; others O(destinations * states of packets to one). Results do
 * not depend on the number of threads. IK_ERR_MEMORY beyond env's limit. */
ik_status ik_queues_measure(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                            ik_queues *out, ik_error *err);
void ik_queues_free(ik_queues *q);
/* Groups the queues in use by kind of channel, as ik_load_groups, whose `channels` are queues here:
 * their flows or, with `destinations`, their destinations. */
ik_status ik_queue_groups(const ik_fabric *f, const ik_queues *q, bool destinations,
                          ik_load_group **groups, size_t *num, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * contention of one exchange */

/* An exact fraction, in lowest terms. den 0: beyond 64 bits, value alone counts. */
typedef struct ik_ratio {
    uint64_t num, den;
    double value;
} ik_ratio;

/* Every flow of the pattern sends one message of equal size at the same time. All but the fluid
 * times count switch-to-switch channels only, flows s != d (G. Rodriguez et al., Oblivious Routing
 * Schemes in Extended Generalized Fat Tree Networks, CLUSTER 2009). Where a flow has several paths
 * it is divided as in ik_load: its share of a channel is the part of it that crosses, and a flow of
 * rate x puts x times the share there. Adaptive routings may divide flows otherwise, so that with
 * them nothing bounds the slowdown, and all but slowdown_bound is what an even division gives.
 * Where they choose detours (ik_load_chooses_detours), nothing is predicted: max_flows, c_load,
 * slowdown_bound, fluid_time, fluid_slowdown and the means are NAN, worst_channel is IK_NONE. */
typedef struct ik_contention {
    uint64_t flows, undelivered;
    uint64_t endpoint_degree; /* E: largest number of flows of one source or one destination */
    /* flows with several paths; if there are any, ratios are rounded and c, c_up and c_down unknown
     * (0) */
    uint64_t split;
    /* largest sum of shares on a channel: the number of flows there if none is split */
    double max_flows;
    /* C: largest maximum matching of a channel's (source, destination) pairs; up and down: trees
     * only */
    uint64_t c, c_up, c_down;
    /* largest sum over a channel's flows of share * min(1/outdegree(s), 1/indegree(d)) */
    ik_ratio c_load;
    ik_ratio slowdown_bound; /* max(1, max_flows / E); NAN: flows are divided by queues */
    /* max-min fair completion time, in units of one message at a host's rate; NAN: too many
     * steps */
    double fluid_time;
    double fluid_crossbar_time; /* the same behind an ideal crossbar */
    double fluid_slowdown;      /* their quotient */
    /* Means over all flows, and over those that leave their switch, of 1 / (sum of shares on the
     * fullest channel of the flow, at least 1) and of 1 / (hops, at least 1; in the mean over its
     * paths) (R. Kawano et al., LOREN). */
    double effective_bandwidth, effective_bandwidth_leaving;
    double mean_efficiency, mean_efficiency_leaving;
    /* one with `c`, or with max_flows if flows are split; IK_NONE if no channel is used */
    uint32_t worst_channel;
} ik_contention;
/* Needs all paths in memory: IK_ERR_MEMORY beyond env's limit (or 2^32 path steps). Cost O(flows *
 * hops) and the matchings. */
ik_status ik_contention_measure(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                ik_contention *out, ik_error *err);
/* C of every channel by itself: *c is [num_ports], the largest matching of the (source,
 * destination) pairs of the channel's flows; free it. IK_ERR_UNSUPPORTED if some flow has several
 * paths. Memory as ik_contention_measure. */
ik_status ik_contention_channels(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                 uint32_t **c, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * workloads */

/* One phase of a workload: the messages of one class, all sent at the same time. Times are those of
 * the bytes alone: without latencies, headers, calculations and waiting. */
typedef struct ik_phase {
    const char *name; /* of the class, borrowed from the workload; NULL = none */
    uint64_t messages, bytes;
    /* pairs of hosts; unconnected: of the undelivered, those that the fabric does not connect */
    uint64_t flows, undelivered, unconnected;
    /* on the fullest channel between switches; NAN, as bound_ns and fluid_ns: not predicted, since
     * queues choose detours */
    double max_load_bytes;
    /* until the fullest channel of all, for its rate, has sent its bytes; the same for the channels
     * of hosts alone, which is what an ideal crossbar takes */
    double bound_ns, crossbar_bound_ns;
    /* of the cables on the way of a byte, on average over all bytes that are delivered */
    double latency_ns;
    bool has_contention; /* the rest is known */
    /* of its flows, pairs of hosts, with the bytes of each; fluid times in units of the largest */
    ik_contention contention;
    double fluid_ns, crossbar_ns; /* NAN: too many steps */
} ik_phase;

/* A workload phase by phase, one after the other: the sums over the phases. */
typedef struct ik_phases {
    ik_phase *phases; /* [num] in the order of the classes, those without messages left out */
    size_t num;
    uint64_t messages, bytes, flows, undelivered, unconnected;
    double bound_ns, crossbar_bound_ns, latency_ns;
    /* Until the channel that carries most in all phases together, for its rate, has sent its bytes,
     * however phases overlap: of deterministic routings any channel, of others one of a host; where
     * destinations are drawn (traffic 'batch'), one from a host. */
    double least_ns;
    bool has_contention; /* all phases have */
    double fluid_ns, crossbar_ns;
    /* fluid_ns / crossbar_ns where they are known, else bound_ns / crossbar_bound_ns: a bound from
     * below, unless the routing is adaptive: then what an even division gives; NAN: not predicted
     */
    double slowdown;
} ik_phases;
/* t->workload is not NULL. most_flows: contention is measured for phases of at most so many flows
 * per host on average; INFINITY for all, 0 for none. Memory of a phase as ik_contention_measure;
 * besides 16 bytes per message. Cost: that of ik_load_measure and ik_contention_measure for every
 * phase. */
ik_status ik_phases_measure(const ik_routing *r, const ik_traffic *t, double most_flows,
                            const ik_env *env, ik_phases *out, ik_error *err);
void ik_phases_free(ik_phases *p);

/* Minimum, quartiles, maximum and mean of n >= 1 values (the numbers of a box plot), which are
 * sorted. A quartile between two values is interpolated (R. J. Hyndman, Y. Fan, Sample Quantiles in
 * Statistical Packages, 1996, type 7). All NAN if a value is. */
typedef struct ik_box {
    double min, lower, median, upper, max, mean;
} ik_box;
ik_box ik_box_of(double *values, size_t n);

/* How many flows (source and destination differ) the fabric itself does not connect:
 * ik_load.undelivered counts them too. O(1) flows examined on a fabric that connects every host,
 * else O(flows). */
ik_status ik_flows_unconnected(const ik_traffic *t, uint64_t *flows, ik_error *err);

/* Means over random patterns in which every host has one destination: pattern i is the spec made
 * with seed env->seed + i, host s sends to the destination of its first message. */
typedef struct ik_pattern_means {
    uint64_t patterns;
    double effective_bandwidth, effective_bandwidth_error; /* mean and its standard error */
    double effective_bandwidth_leaving, effective_bandwidth_leaving_error;
    double mean_efficiency, mean_efficiency_error;
    double mean_efficiency_leaving, mean_efficiency_leaving_error;
} ik_pattern_means;
ik_status ik_pattern_means_measure(const ik_routing *r, const char *traffic_spec, uint64_t patterns,
                                   const ik_env *env, ik_pattern_means *out, ik_error *err);

/* Permutations of the hosts by contention level (largest number of flows on a switch-to-switch
 * channel; equals C). */
typedef struct ik_permutations {
    uint64_t *count; /* [num] */
    size_t num;
    uint64_t total;
    bool exhaustive;
    double mean;
} ik_permutations;
#define IK_PERMUTATIONS_HOSTS 11
/* samples 0: all of them; IK_ERR_UNSUPPORTED beyond IK_PERMUTATIONS_HOSTS hosts. Else that many
 * random ones (seed of env). Deterministic routings. */
ik_status ik_permutations_measure(const ik_routing *r, uint64_t samples, const ik_env *env,
                                  ik_permutations *out, ik_error *err);
void ik_permutations_free(ik_permutations *p);

IK_END_DECLS
#endif
