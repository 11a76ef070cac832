/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/audit.h: what is wrong with a subnet's cabling and with the routing that is installed in it,
 * in its administrator's own names; and what ikat would install instead.
 */
#ifndef IKAT_AUDIT_H
#define IKAT_AUDIT_H

#include "ikat/analysis.h"
#include "ikat/cabling.h"
#include "ikat/counters.h"
#include "ikat/deploy.h"
#include "ikat/path_records.h"
#include "ikat/subnet.h"

IK_BEGIN_DECLS

/* ---- which engine made the tables */

/* What tables show of the engine that made them. Entries: those of switches for LIDs of hosts on
 * other switches that the fabric connects them to. */
typedef struct ik_engine_evidence {
    uint64_t entries;
    uint64_t minimal; /* lead one hop nearer to the destination */
    uint64_t choices; /* with several ports that do: where engines differ */
    /* LMC 0: equal those that OpenSM's minhop makes in a first sweep; it takes for each host, in an
     * order of its own, the port with the fewest hosts so far */
    uint64_t minhop;
    uint64_t updn;   /* the same of updn with the top level of a tree as roots */
    bool has_levels; /* the fabric is a tree; then also: */
    bool up_down;    /* no path of a host goes up again after it went down */
    uint64_t
        together;   /* of destinations that are not the first of their switch: entries equal ... */
    uint64_t apart; /* ... to the first one's, of so many */
    /* Destinations that packets come to by one channel into their switch, of all that packets come
     * to from other switches: what ftree does, and d-mod-k. */
    uint64_t one_way, destinations;
    const char *name; /* static text: "minhop", "minhop or updn", ...; NULL: not recognised */
    char text[320];   /* the evidence in one sentence */
} ik_engine_evidence;
/* Cost O(switches * LIDs * radix). */
ik_status ik_engine_recognise(const ik_lid_tables *t, const ik_env *env, ik_engine_evidence *out,
                              ik_error *err);

/* ---- an audit */

typedef struct ik_audit_finding {
    ik_severity severity;
    const char *code;     /* stable word, see docs/auditing.md */
    const char *place;    /* node or port in the administrator's names; NULL: the whole subnet */
    const char *text;     /* what is wrong, one sentence */
    const char *evidence; /* a packet's way, a cycle; lines joined by '\n'; NULL: none */
    const char *remedy;   /* what to do; NULL: none */
    uint32_t node, port;  /* what it is about, IK_NONE */
    bool known;           /* the baseline has it: neither counted nor shown as new */
    /* Code and key tell from one audit to the next whether it is the same finding: its place and
     * text, without quantities and examples ("the first is"); of a port's counters its place. The
     * first of the quantities, 0: none. */
    const char *key;
    double count;
} ik_audit_finding;

/* What to audit. All zero = the fabric alone, and what ikat would install. Texts and `plan` are
 * borrowed for the duration of the call. */
typedef struct ik_audit_config {
    const ik_fabric *plan;  /* what the fabric should be; NULL: recognised */
    const char *tables;     /* file of forwarding tables; NULL: none */
    const char *lid_matrix; /* opensm-lid-matrix.dump; NULL: none */
    const char *multicast;  /* file of multicast forwarding tables; NULL: none */
    /* files; NULL: SL i on VL i; all on SL 0, or as path records or a QoS policy say (not both) */
    const char *sl2vl, *policy, *path_records;
    /* one reading of counters, or two; the time between them, 0: that between their files */
    const char *counters, *counters_later;
    double interval_s;
    const char *engine; /* what the administrator believes made the tables; NULL */
    /* what to compare with: a routing's spec; NULL: ikat's choice; "none": nothing */
    const char *routing, *vc; /* vc: with routing; NULL: the routing's own */
    /* what 'ikat audit --json' printed earlier: its findings are known; NULL: none */
    const char *baseline;
    /* findings of one kind of counters, LIDs and unreachable hosts that are named, the others are
     * counted in one more; 0: 8 */
    uint32_t named;
} ik_audit_config;

/* Pairs of hosts whose packets do not arrive, although the fabric connects them. */
static inline uint64_t ik_audit_lost_pairs(const ik_subnet_verdict *v)
{
    return v->no_entry + v->dead_port + v->loops + v->wrong_port + v->dropped;
}

/* Tables and what was measured on them. Loads: every host sends evenly to all others, in units of a
 * host's rate. */
typedef struct ik_audit_routing {
    char *spec, *vc; /* proposed: the routing and its VC scheme */
    unsigned lanes;
    ik_subnet_verdict verdict;
    ik_load_group *groups; /* [num_groups] of loads */
    size_t num_groups;
    double max_load, mean_load; /* over channels between switches */
    uint32_t max_channel;       /* IK_NONE: none */
    double saturation;          /* share of the hosts' rate at which the tightest channel is full */
    uint32_t tightest;
    uint32_t worst, worst_channel; /* largest most_over between switches */
    uint64_t idle_channels;        /* between switches, without any path */
    uint64_t channels;
    double *load; /* [num_ports] */
} ik_audit_routing;

/* Loads of channels between two readings of counters. */
typedef struct ik_audit_measured {
    uint32_t channels; /* between switches, whose load is known */
    double mean;       /* share of their rate */
    uint32_t busiest;  /* IK_NONE: none */
    /* [num_ports] of its rate that a channel would carry if all hosts sent evenly to all others and
     * channels between switches carried as much in the mean as was measured; below 0: no cable;
     * NULL: no tables */
    float *predicted;
    double likeness; /* correlation of measured and predicted; 0 where one of them is all alike */
} ik_audit_measured;

/* What multicast tables do with packets of members of groups: ports of hosts and switches to which
 * some switch sends copies. */
typedef struct ik_audit_multicast {
    uint32_t groups;
    uint64_t members;        /* of all groups */
    uint64_t pairs, missing; /* a member that sends, and another one; of these: no copy comes */
    uint32_t looping;        /* groups of which copies go round for ever */
    uint32_t repeating;      /* others of which a member gets several copies of a packet */
} ik_audit_multicast;

typedef struct ik_audit {
    /* What was given; with GUIDs from a file: `sorted`, whose nodes stand in their order, whatever
     * that of the file is; with endpoints: `whole`, in which they are hosts (silent ones). All
     * numbers of nodes and ports are of it. */
    const ik_fabric *fabric;
    ik_fabric *sorted, *whole;
    uint32_t *given; /* [nodes of sorted] their numbers in what was given; NULL: the same */
    ik_audit_finding *findings;
    size_t num_findings, finding_cap;
    uint64_t counts[3]; /* by severity, of those that are not known */
    uint64_t num_known; /* findings that the baseline has, too */
    uint64_t num_gone;  /* findings of the baseline that are no more */
    bool partial;       /* tables or fabric are incomplete: verdicts hold for what is there */
    bool has_cabling;
    ik_cabling cabling;
    ik_lids lids;
    uint32_t lid_clashes; /* ports whose LIDs cannot be: then tables are not read */
    bool has_tables, has_levels, has_maps;
    ik_tables_matched matched;
    ik_engine_evidence engine;
    ik_audit_routing installed, proposed;
    bool has_proposed;
    ik_routing_choice choice; /* what was compared; num 0: nothing, or the routing was named */
    bool has_multicast;
    ik_audit_multicast multicast;
    bool has_counters;
    ik_counter_changes counters;
    ik_audit_measured measured; /* of two readings */
    ik_arena arena;
} ik_audit;

/* Audits a fabric. config: NULL = all zero. Findings are no failure: IK_OK. IK_ERR_INPUT: files
 * that cannot be read, with the place. IK_ERR_USAGE: something that has no effect without another
 * thing, or path_records beside a policy. Free with ik_audit_free; the fabric outlives it. */
ik_status ik_audit_run(const ik_fabric *f, const ik_audit_config *config, const ik_env *env,
                       ik_audit *out, ik_error *err);
void ik_audit_free(ik_audit *a);
/* What 'ikat audit --json' prints, as members of an open JSON object; name: of a fabric without a
 * specification, NULL: "fabric". An object with these members is a baseline. */
void ik_audit_json(const ik_audit *a, const char *name, ik_json *j);
/* How an audit is printed. All zero: as it is for a pipe. */
typedef struct ik_audit_view {
    const char *name; /* of a fabric without a specification; NULL: "fabric" */
    bool all;         /* every finding; else at most 8 of one severity and code */
    bool baseline;    /* there was one: says what is known from it, and what is gone */
    unsigned width;   /* columns of the terminal, to which tables are divided; 0: they stay whole */
    bool colour;
} ik_audit_view;
/* What 'ikat audit' prints. view: NULL = all zero. IK_ERR_MEMORY: tables are missing; IK_ERR_IO:
 * not all was written. */
ik_status ik_audit_print(const ik_audit *a, const ik_audit_view *view, FILE *out, ik_error *err);
/* A page with all of it, without anything from elsewhere. */
ik_status ik_audit_print_page(const ik_audit *a, const char *title, FILE *out, ik_error *err);

IK_END_DECLS
#endif
