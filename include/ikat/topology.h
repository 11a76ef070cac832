/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/topology.h: the family of topology generators. Add one: src/topology/topo_NAME.c defining
 * `const ik_topology ik_topology_NAME` and a row X(NAME) in src/topology/topologies.def.
 */
#ifndef IKAT_TOPOLOGY_H
#define IKAT_TOPOLOGY_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

typedef struct ik_topology ik_topology;

/* How large a fabric will be, before hosts are left out and cables fail. */
typedef struct ik_fabric_size {
    double switches, hosts, ports;
} ik_fabric_size;

/* What a generator gets beside its parameters. */
typedef struct ik_topo_ctx {
    /* seed of the experiment; a generator's own `seed` parameter comes first */
    const ik_env *env;
    /* link classes made from the common parameters, already in the builder */
    uint16_t link, host_link;
    /* where ik_topology_refuse_size notes the size that it refuses then; NULL = it only checks */
    ik_fabric_size *size;
} ik_topo_ctx;

/* A shorthand: another name whose parameters expand to a spec of the same member
 * ("karytree:k=4,n=3" -> "xgft:m=4:4:4,w=1:4:4"). */
typedef struct ik_shorthand {
    const char *name, *summary, *source;
    const ik_param *params;
    const char *const *examples; /* NULL-terminated specs that build, small first */
    /* Sets the member's parameters in *out (already initialised with defaults) from the
     * shorthand's. */
    ik_status (*expand)(const ik_params *params, ik_params *out, ik_error *err);
    /* of the member's series (ik_series.name), the one that grows within this shorthand; NULL: any
     * may */
    const char *series;
} ik_shorthand;

/* How a family grows: its balanced instances in one natural order (scale by switch radix). */
typedef struct ik_scale_point {
    char spec[96]; /* builds it */
    double hosts, switches;
    double ports;   /* of all switches, hosts' own ports not counted */
    double links;   /* with the hosts' */
    uint32_t radix; /* the largest of any switch */
} ik_scale_point;
/* What a network is bought for. Oversubscription: of trees, hosts per uplink of a leaf switch; of
 * other families, by how much a switch may have more hosts than in the balanced member. */
typedef struct ik_wish {
    double hosts;            /* of the network; 1 to 1e9 */
    uint32_t radix;          /* ports of a switch, at most; 2 to IK_WISH_RADIX_MAX */
    double oversubscription; /* at most; 1 to 1000 */
    /* What a switch and a cable between switches cost. The member that costs least fulfils the wish
     * best; both 0: the one with the fewest switches, and of those with the fewest links. */
    double switch_price, cable_price;
    /* 0, or at least `hosts`: the network has from `hosts` to so many, whatever number of them has
     * the least prices (or switches and cables) per host, and of equal ones the least number */
    double hosts_max;
    /* as in ik_env, may be NULL: once it is raised, a search ends with what it has found so far, or
     * without a member; the caller asks the flag before it takes either for the answer */
    const int *cancel;
} ik_wish;
#define IK_WISH_RADIX_MAX 4096
/* The member of a series that fulfils a wish. */
typedef struct ik_fit {
    /* with exactly the hosts wished for, of a range those that were chosen; ports: those in use,
     * hosts' too */
    ik_scale_point point;
    double capacity;     /* hosts that it has ports for */
    const char *routing; /* that suits it best; static */
} ik_fit;
typedef struct ik_series {
    const char *name;    /* "2-D HyperX": the row of a table, the curve of a plot */
    const char *summary; /* which parameters it sets to what */
    /* The i-th instance, i >= 1: false if there is none with this number. radix and hosts grow with
     * i, and radix >= i. */
    bool (*point)(uint32_t i, ik_scale_point *out);
    /* The member that fulfils a wish best (ik_wish.switch_price), as it is built: partly filled,
     * with parallel cables; false if there is none. Who fulfils a wish fulfils one for fewer hosts
     * or for larger switches. NULL: such members are not known. It does not look at hosts_max:
     * ik_series_fit does. */
    bool (*fit)(const ik_wish *wish, ik_fit *out);
} ik_series;
#define IK_SERIES_MAX 1000000
/* Is the series one of those that are named (by its own name, its family's, or a shorthand that
 * grows within it), or is nothing named? */
bool ik_series_is_named(const ik_series *series, const ik_topology *topology,
                        const char *const *names, size_t num);
/* IK_ERR_USAGE: a name is that of no series and of no family that has one. fits: one that has
 * members for a number of hosts and a switch. */
ik_status ik_series_check_names(const char *const *names, size_t num, bool fits, ik_error *err);
/* The largest instance whose switches have at most `radix` ports; false if there is none. Cost
 * O(radix). */
bool ik_series_largest(const ik_series *series, uint32_t radix, ik_scale_point *out);
/* The smallest instance with at least `hosts` hosts; false if there is none below IK_SERIES_MAX. */
bool ik_series_smallest(const ik_series *series, double hosts, ik_scale_point *out);
/* The member that fulfils a wish; false if there is none, or series->fit is NULL. A range of hosts
 * is fulfilled if its least number is, and has the best that any number of it gives as long as more
 * hosts cost no less. Of a wide range not all numbers are tried: at least 2^24 / radix^2 of those
 * that are fulfilled, and never fewer than 64, nor more than 4096. Cost: at most O(radix^3), mostly
 * O(radix^2); of a range so much for each number that is tried and has a member of its own. */
bool ik_series_fit(const ik_series *series, const ik_wish *wish, ik_fit *out);
/* What comes nearest to a wish that is not fulfilled (of a range, its least hosts): the member with
 * the most hosts for its switches (*most, the one with the fewest switches; false: there is none),
 * and the ports that switches need for its hosts (*radix; 0: more than IK_WISH_RADIX_MAX). Cost:
 * some 60 times that of ik_series_fit. */
bool ik_series_nearest(const ik_series *series, const ik_wish *wish, ik_fit *most, uint32_t *radix);
/* The spec of `rails` copies of a member that share nothing but their hosts, each of which has a
 * cable to every copy: in trees, a first level of so many parents per host. False (and spec is
 * empty): its family cannot say that, or size is too small. fit: of ik_series_fit; rails >= 1. */
bool ik_fit_rails(const ik_fit *fit, uint32_t rails, char *spec, size_t size);

/* In which order the switches of a family, each with its hosts, are brought to racks, rack by rack
 * along the rows of a floor. A local search then improves what this gives. */
typedef enum ik_racking {
    IK_RACKING_NUMBERS, /* as they are numbered */
    IK_RACKING_PODS,    /* trees: pod after pod, the top level in the middle */
    IK_RACKING_GROUPS,  /* group after group: ik_topology.rack_group, else ik_place.group */
    IK_RACKING_GRID     /* at their positions (ik_fabric.switch_xy): a rack holds neighbours */
} ik_racking;

struct ik_topology {
    const char *name;    /* "xgft" */
    const char *summary; /* one line */
    const char *source;  /* paper or book: authors, title, venue, year, section */
    /* a few paragraphs for the reference page: definition, numbering of switches and ports,
     * limits */
    const char *details;
    const ik_param *params;
    /* NULL-terminated specs that build, small first: conformance tests and docs use them */
    const char *const *examples;
    const char *const *bad_examples; /* specs that must be refused with IK_ERR_INPUT/USAGE */
    const ik_shorthand *shorthands;  /* ends with name NULL; may be NULL */
    /* read rather than generated: never intact, levels are looked for, judged */
    bool imported;
    /* ends with name NULL; may be NULL: no natural balanced instances */
    const ik_series *series;
    /* how it stands on a floor (ik_floor_plan_make) */
    ik_racking racking;
    /* with IK_RACKING_GROUPS: the group of a switch of a fabric of this family; NULL: that of its
     * ik_place */
    uint32_t (*rack_group)(const ik_fabric *f, uint32_t sw);
    /* Adds everything to the builder. Invalid parameters: IK_ERR_USAGE with the reason and the
     * nearest valid values as hint. Must refuse by size before allocating
     * (ik_topology_refuse_size). */
    ik_status (*build)(const ik_params *params, const ik_topo_ctx *ctx, ik_builder *b,
                       ik_error *err);
};

/* All members, in manifest order, NULL-terminated. */
const ik_topology *const *ik_topologies(void);
/* By member or shorthand name; *shorthand is set if it was one. NULL if unknown. */
const ik_topology *ik_topology_find(const char *name, const ik_shorthand **shorthand);
/* Parameters that every generated topology takes: link_rate (100 Gb/s), host_rate (= link_rate),
 * latency (6 ns), host_latency (= latency), hosts (number of hosts to keep), fail (links/switches:
 * "3%" rate of links or "sw12:sw7.3" list), fail_switches (rate), fail_racks and fail_trays (of its
 * floor plan: number, rate or list), fail_seed, floor (file with rules), slow. */
extern const ik_param ik_topology_common_params[];

/* Builds a fabric from a spec ("karytree:k=4,n=3", "file:cluster.ibnetdiscover", or the bare path
 * of an existing file). Unknown names: nearest name as hint. Findings of imported fabrics are
 * already judged. Free with ik_fabric_free. */
ik_status ik_fabric_from_spec(const char *spec, const ik_env *env, ik_fabric **out, ik_error *err);
/* The same from parsed parameters (used by experiments). name: member or shorthand. */
ik_status ik_fabric_from_params(const char *name, const ik_params *params, const ik_env *env,
                                ik_fabric **out, ik_error *err);
/* What is read from a file (ik_fabric_read, ik_fabric_read_memory) may say in its `spec` how it was
 * generated. If building that again gives the same graph, f is as good as generated from now on: it
 * gets what the routings of its family compute with, and is intact if that graph is. *restored says
 * whether it was so. ik_fabric_from_spec does this for files itself. Cost O(nodes + ports). */
ik_status ik_fabric_restore(ik_fabric *f, const ik_env *env, bool *restored, ik_error *err);
/* Refuses sizes beyond 32-bit port ids or ctx->env->memory_limit: "would need N switches, M hosts,
 * about B bytes"; and every size if ctx->size is set. */
ik_status ik_topology_refuse_size(const ik_topo_ctx *ctx, double switches, double hosts,
                                  double ports, ik_error *err);
/* The size of a fabric that is not built. name, params: as for ik_fabric_from_params. false: it is
 * read from a file, too large for 32-bit ids, its parameters are wrong, or memory is short.
 * O(1). */
bool ik_fabric_size_of(const char *name, const ik_params *params, ik_fabric_size *out);

/* family_data of "xgft" and its shorthands (also of pgft with p != 1). Level l in 1..h; arrays are
 * indexed by l-1. */
#define IK_XGFT_MAX_H 16
typedef struct ik_xgft {
    uint32_t h;
    uint32_t m[IK_XGFT_MAX_H], w[IK_XGFT_MAX_H], p[IK_XGFT_MAX_H];
    /* first switch id of level l (1-based index), level_base[h+1] = num_switches */
    uint32_t level_base[IK_XGFT_MAX_H + 2];
    uint32_t prod_m[IK_XGFT_MAX_H + 1]; /* prod_m[l] = m_1*..*m_l, prod_m[0] = 1 */
    uint32_t prod_w[IK_XGFT_MAX_H + 1];
} ik_xgft;
/* The tree parameters of a generated xgft/pgft fabric, NULL for any other. Ports of a level-l
 * switch: local 0 … m_l*p_l-1 go down (child digit c, parallel cable k: c + m_l*k), then
 * w_{l+1}*p_{l+1} go up (parent digit u, cable k: u + w_{l+1}*k). A host has w_1*p_1 ports. Index
 * of a switch inside its level = mixed radix <M_h..M_{l+1}, W_l..W_1>, position h most
 * significant. */
const ik_xgft *ik_fabric_xgft(const ik_fabric *f);

IK_END_DECLS
#endif
