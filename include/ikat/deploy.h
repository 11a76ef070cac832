/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/deploy.h: what a subnet manager needs to install a routing, written and read back: QoS
 * policies, maps of service levels to virtual lanes, whole folders for OpenSM; and the way from the
 * tables that are installed to others.
 */
#ifndef IKAT_DEPLOY_H
#define IKAT_DEPLOY_H

#include "ikat/json.h"
#include "ikat/subnet.h"
#include "ikat/vc.h"

IK_BEGIN_DECLS

/* ---- service levels */

/* Service levels of a plan whose packets keep the lane of their source and destination: SL = lane.
 * Switches are on SL 0, and so is what does not leave its switch if nothing else fits better.
 * Sources with equal rows are one class, and so are destinations. IK_ERR_UNSUPPORTED: a scheme that
 * ik_vc_deployable refuses, or several starts per pair. Free with ik_service_levels_free. Cost
 * O(hosts^2 * classes) at worst, as classes mostly differ early nearer O(hosts^2); O(LIDs) for one
 * lane. */
ik_status ik_service_levels_from_plan(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                      ik_service_levels *out, ik_error *err);
void ik_service_levels_free(ik_service_levels *s);

/* ---- QoS policies of OpenSM (-Q -Y FILE) */

typedef struct ik_policy_size {
    uint32_t source_groups, dest_groups, rules, levels;
    uint64_t bytes;
} ik_policy_size;
/* Writes the policy that gives path records these service levels: one port group per class, one
 * rule for each different pair of (destinations, SL) with all sources that have it; what no
 * rule names is on the SL of most pairs. Byte-stable. `size` may be NULL. */
ik_status ik_qos_policy_print(const ik_service_levels *s, FILE *out, ik_policy_size *size,
                              ik_error *err);

/* What a policy had that did not fit the fabric, or that a fabric cannot say. */
typedef struct ik_policy_matched {
    uint32_t groups, rules, levels;
    uint64_t ports;                        /* named ports that the fabric has */
    uint32_t unknown_guids, unknown_names; /* ports that it has not */
    uint64_t first_unknown_guid;           /* 0 if none */
    /* rules and ULP lines that look at service IDs, QoS classes or partitions: taken for rules that
     * do not match */
    uint32_t conditional_rules;
    uint32_t conditional_groups; /* groups by partition other than the default one: without ports */
    unsigned max_sl;             /* the highest SL that a pair of hosts has */
} ik_policy_matched;
/* Reads a QoS policy: port groups (port-guid with ranges, port-name, node-type, pkey, partition),
 * levels (sl), match rules, the first that matches a pair counts; `default` of qos-ulps. Pairs with
 * a switch are on the default level. `matched` may be NULL. IK_ERR_INPUT with the place: unknown
 * words, groups and levels that are not defined, sections that do not end. Free with
 * ik_service_levels_free. */
ik_status ik_qos_policy_read(const ik_lids *lids, const char *path, const ik_env *env,
                             ik_service_levels *out, ik_policy_matched *matched, ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status ik_qos_policy_parse(const ik_lids *lids, const char *text, size_t size, const char *file,
                              ik_service_levels *out, ik_policy_matched *matched, ik_error *err);

/* ---- service levels to virtual lanes */

/* SL i on VL i for i < lanes, others on VL 0; the same at every port. Free with ik_sl2vl_free. */
ik_status ik_sl2vl_make(const ik_fabric *f, unsigned lanes, ik_sl2vl *out, ik_error *err);
void ik_sl2vl_free(ik_sl2vl *v);
/* The lines of opensm.conf that install it: qos, qos_policy_file (if policy is not NULL), and for
 * adapters and switches max_vls, arbitration and sl2vl. */
ik_status ik_sl2vl_conf_print(unsigned lanes, const char *policy, FILE *out, ik_error *err);
/* Reads those lines from an opensm.conf, other lines are skipped: what OpenSM does with them,
 * VLs beyond max_vls wrapped around. *enabled (may be NULL): it says `qos TRUE`; without, or
 * without a map, SL i is on VL i mod 8 as OpenSM's default has it. IK_ERR_INPUT: a map that is not
 * 16 VLs from 0 to 15. */
ik_status ik_sl2vl_conf_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             bool *enabled, ik_error *err);
ik_status ik_sl2vl_conf_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, bool *enabled, ik_error *err);

typedef struct ik_sl2vl_matched {
    uint32_t switches, hosts;                 /* blocks of known ones */
    uint32_t unknown;                         /* blocks of unknown ones */
    uint64_t first_unknown;                   /* GUID, 0 if none */
    uint32_t missing_switches, missing_hosts; /* with a cable and without a block */
    /* (in, out) pairs of connected ports, and of a switch's port 0, without a line: taken for VL 0;
     * those of switches without a block too */
    uint64_t holes;
    uint32_t first_hole_switch; /* IK_NONE if there is none */
    unsigned first_hole_in, first_hole_out;
} ik_sl2vl_matched;
/* Reads what OpenSM dumps (opensm-sl2vl.dump), line by line. `matched` may be NULL. IK_ERR_INPUT
 * with the place: lines that are none, VLs beyond 15, ports that a switch has not, no known switch.
 */
ik_status ik_sl2vl_dump_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             ik_sl2vl_matched *matched, ik_error *err);
/* Either of the two, by what the file holds; of a configuration *matched is all 0. */
ik_status ik_sl2vl_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                        ik_sl2vl_matched *matched, ik_error *err);
ik_status ik_sl2vl_dump_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, ik_sl2vl_matched *matched, ik_error *err);

/* ---- deploying */

#define IK_DEPLOY_VLS 8 /* lanes for data that most adapters and switches have */

/* What became of a routing that might be installed. */
typedef enum ik_compared_state {
    IK_COMPARED,           /* proved and measured */
    IK_COMPARED_UNPROVED,  /* not proved here: a credit loop, or pairs without a path */
    IK_COMPARED_UNFIT,     /* needs another fabric or more lanes: why */
    IK_COMPARED_TOO_LARGE, /* not tried: it takes minutes with so many switches that have hosts */
    IK_COMPARED_NO_MEMORY, /* not tried to the end: it needs more memory than there is */
} ik_compared_state;
#define IK_ROUTINGS_COMPARED 24
typedef struct ik_routing_compared {
    char routing[96], vc[96];
    const char *given[2]; /* static: routing and VC scheme (NULL: its own) to deploy it again */
    ik_compared_state state;
    bool better;                 /* than what is installed */
    ik_verdict one_manager_free; /* see ik_subnet_verdict */
    unsigned lanes;
    double max_load;   /* between switches when all hosts send evenly to all, of a host's rate */
    double saturation; /* share of the hosts' rate at which the first channel is full */
    char why[560];     /* it is not compared, or not proved; "": it is */
} ik_routing_compared;
/* Which routing to install: the best of those that are proved, fit the lanes, and are better than
 * what is installed: by the throughput and the largest load when all hosts send evenly, by a tenth
 * at least; or proved where what is installed is not. */
typedef struct ik_routing_choice {
    ik_routing_compared *of; /* [num]; room for IK_ROUTINGS_COMPARED */
    unsigned num;
    uint32_t chosen;   /* index, IK_NONE */
    bool keeps;        /* tables are installed, and nothing better was found */
    bool not_compared; /* with what is installed: the files do not show all tables */
    bool stopped;      /* by `enough` of ik_deploy_config, before all were compared */
} ik_routing_choice;
/* What virtual lanes are good for: the routings that need no more than so many. */
typedef struct ik_lane_curve {
    ik_routing_choice routings; /* measured; none is chosen */
    unsigned num_lanes;
    /* [1 .. num_lanes] the one with the most throughput, and of these with the least load, that
     * needs no more lanes: an index, IK_NONE: none is proved */
    uint32_t best[IK_DEPLOYABLE_VCS + 1];
    /* No tables have a smaller max_load, with any number of lanes, safe or not: by linear
     * programming, each pair of hosts divided over any paths, and then rounded up to whole paths.
     * 0: nothing is known, as where ports of hosts differ in LMC, or no channel between switches
     * has to be used. */
    double least_load;
} ik_lane_curve;
/* Routings that were measured. */
unsigned ik_routing_choice_compared(const ik_routing_choice *c);
/* False: it takes minutes, or memory ran out. */
bool ik_routing_compared_tried(const ik_routing_compared *row);
/* Routing and VC scheme. Returns text, which has at most 196 bytes. */
char *ik_routing_compared_name(const ik_routing_compared *row, char *text, size_t size);
/* Names of those that were not tried, with commas between, into text, which is returned. */
char *ik_routing_choice_untried(const ik_routing_choice *c, char *text, size_t size);

/* An array of them, as member of an open JSON object. */
void ik_routing_choice_json(const ik_routing_choice *c, const char *key, ik_json *j);

/* How to deploy. All zero = the defaults. Texts are borrowed for the duration of the call. */
typedef struct ik_deploy_config {
    /* spec; of a VC scheme (lash): shortest with that scheme. NULL = the best of those that are
     * compared, see ik_routing_choice */
    const char *routing;
    const char *vc;     /* spec, with routing; NULL = the routing's own scheme */
    unsigned max_vls;   /* most lanes for data, up to 15; 0 = IK_DEPLOY_VLS */
    bool query_lane;    /* a lane for performance queries alone, where they need it */
    bool unproved;      /* write what cannot be proved, too, and say so */
    bool force;         /* the folder may hold files; an earlier deployment's are replaced */
    bool dry_run;       /* nothing is left behind; see ik_deploy */
    bool lane_curve;    /* fill in ik_deployment.curve; several times the cost of a comparison */
    const char *fabric; /* what the fabric is called in summaries; NULL = its spec */
    const char *from;   /* what is installed: a folder or tables; NULL = not known */
    /* looked at in place of ik_env.cancel while routings are compared and one of them can be taken:
     * once raised, the best so far is; NULL = all are compared. Where entries are kept on several
     * lanes, and both are raised: the routing's own tables are taken, once they are proved */
    const int *enough;
} ik_deploy_config;

/* While an update replaces tables, some switches have old and some new ones, and some parts of
 * both, for tables are sent in blocks of 64 LIDs; and packets that left by old entries are under
 * way. */
typedef enum ik_mixing {
    IK_MIXING_SAFE,      /* no mixture of old and new entries has a credit loop */
    IK_MIXING_ORDER,     /* none arises if switches are updated in the batches given */
    IK_MIXING_NO_ORDER,  /* no such batches were found */
    IK_MIXING_OLD_LOOPS, /* the old tables have one */
    IK_MIXING_LANES      /* not judged: old or new tables need several lanes */
} ik_mixing;

typedef struct ik_deploy_update {
    const char *from;  /* borrowed; NULL: nothing is said of old tables, the rest is 0 */
    bool lane_assumed; /* these are tables without service levels: judged as on one lane */
    uint32_t missing;  /* switches without a table there */
    bool same_routing; /* that made the old tables */
    /* that they are from, as absolute path; NULL: they are tables, or the folder is replaced */
    char *folder;
    unsigned lanes; /* of that folder */
    bool repaired;  /* old entries that still deliver were kept, see ik_deploy */
    uint64_t kept, changed, added, removed; /* entries */
    uint32_t switches;                      /* with other entries */
    /* with several lanes where the old levels are known: pairs of LIDs of hosts on different
     * switches, which were there before */
    uint64_t levels_kept, levels_changed;
    ik_mixing mixing;
    /* [num_order] IK_MIXING_ORDER: all switches to be updated, batch by batch: old and new entries
     * of a batch together have no credit loop with those of the other switches. The next batch
     * begins when the packets that were under way have left. */
    uint32_t *order, *batch;
    uint32_t num_order, num_batches;
} ik_deploy_update;

/* What was written, as it was read back, and the verdict on that. */
typedef struct ik_deployment {
    /* what was given, borrowed; with endpoints: `whole`, in which they are hosts (silent ones) */
    const ik_fabric *fabric;
    const ik_fabric *given; /* borrowed */
    ik_fabric *whole;
    const char *name;         /* of the fabric; borrowed */
    ik_routing_choice choice; /* num 0: the routing was given */
    ik_lane_curve *curve;     /* NULL: not asked for */
    ik_plan *plan;
    ik_lids lids;
    ik_lid_tables tables;
    ik_service_levels levels;
    ik_sl2vl vls;
    ik_subnet_verdict verdict;
    bool judged;
    unsigned lanes;     /* VLs */
    uint64_t shared;    /* pairs of hosts on SL 0, which queries take too */
    bool proved;        /* every pair that the fabric connects is delivered, and no credit loop */
    char why_not[160];  /* what is not proved; "" */
    uint64_t entries;   /* of the tables */
    uint32_t unsafe;    /* see ik_lid_tables_complete */
    uint64_t max_paths; /* over a channel between switches */
    /* Most paths over a channel between switches for each Gb/s of its rate; the same of the
     * routing's own tables when they were last judged, and of those of OpenSM's minhop on this
     * fabric, 0 = not known. Tables that keep entries have no more than minhop's where such are
     * found, and half as many again as the own ones at most, or twice as many where these were not
     * judged again. minhop_fill is a lower bound where it is not exact, and more is not needed. */
    double max_fill, own_max_fill, minhop_fill;
    bool minhop_exact;
    ik_policy_size policy;
    uint32_t *left_out; /* [num_left_out] hosts (nodes) that the others cannot reach */
    uint32_t num_left_out;
    uint32_t *roots; /* [num_roots] switches of root_guids */
    uint32_t num_roots;
    char *folder; /* as absolute path */
    bool dry_run; /* it was not written */
    ik_deploy_update update;
} ik_deployment;

/* Makes the tables of a routing with entries for all LIDs, service levels and lanes that stay free
 * of credit loops when replies take the initiator's SL, writes all that OpenSM needs to install
 * them, reads it back and judges what was read. The folder appears whole or not at all:
 *
 *     lfts             forwarding tables
 *     qos-policy.conf  service levels of pairs; only if more than one lane is used
 *     opensm.conf      the lines of opensm.conf for lanes; likewise
 *     root_guids       switches of the top level, or the most central one
 *     commands.txt     how to install it, and how to go back
 *     summary.txt, summary.json
 *     fabric.json      the fabric, for ik_deploy_verify
 *     update_order     with `from`: the switches in an order of updating, if one is needed
 *
 * IK_ERR_UNSUPPORTED: routings and VC schemes that cannot be installed, lanes beyond max_vls; no
 * routing that is compared can be. IK_ERR_FAILED too: no routing is given, and none that is
 * compared is better than what `from` says is installed.
 * IK_ERR_USAGE: the folder holds files; a VC scheme without a routing; no folder, and no dry_run.
 * IK_ERR_FAILED: not proved, nothing is written. config: NULL = all zero. Free with
 * ik_deployment_free.
 *
 * With `from`, tables that the same routing made on one lane are changed in as few entries as can
 * be: those that still deliver stay, if what comes of that is proved. A folder's tables are of the
 * same routing if its summary says so, others if most entries are equal. Whether old and new tables
 * may be mixed while they are replaced is judged for hosts' data. With dry_run the files are made,
 * read back and judged in a folder for temporary files ($TMPDIR, or /tmp), which is removed;
 * `folder` may be NULL, otherwise what would keep it from being written is an error as well. */
ik_status ik_deploy(const ik_fabric *f, const ik_deploy_config *config, const char *folder,
                    const ik_env *env, ik_deployment *out, ik_error *err);
void ik_deployment_free(ik_deployment *d);
/* The same without files: tables, service levels and lanes for a subnet manager, judged as they are
 * there. f: borrowed as long as *out is used, which must stay where it is. config: force, from,
 * fabric, and folder, commands and roots of the result, are not used. installed (may be NULL): what
 * is installed, of this fabric or one like it; of its entries those are kept that can be, as with
 * `from`; update.mixing is not judged. IK_ERR_FAILED: not proved. */
ik_status ik_deploy_in_memory(const ik_fabric *f, const ik_deploy_config *config,
                              const ik_deployment *installed, const ik_env *env, ik_deployment *out,
                              ik_error *err);
/* Goes on with the comparison of installed->choice, which was stopped, on a fabric that is equal to
 * the one of *installed: the routings that it lacks are compared with what is installed, and added
 * to it. *better: one is better, and *out is made of it as above; it has the choice then, and
 * *installed none. Otherwise *out is as it was. Time that runs out is no failure: choice.stopped
 * says whether others are left, and a routing that had all the time is noted as one that takes too
 * long. They are compared until config->enough is raised (NULL: env's cancel flag), and the best so
 * far is then made until that flag is. config: no routing. */
ik_status ik_deploy_resume(const ik_fabric *f, const ik_deploy_config *config,
                           ik_deployment *installed, const ik_env *env, ik_deployment *out,
                           bool *better, ik_error *err);
/* What is installed, unchanged, on another fabric; *out has no plan. IK_ERR_FAILED: not proved
 * there. */
ik_status ik_deploy_keep(const ik_fabric *f, const ik_deployment *installed, const ik_env *env,
                         ik_deployment *out, ik_error *err);
/* Is this spec one of a VC scheme and not of a routing? */
bool ik_deploy_takes_vc(const char *routing);
/* The summary as text, and as members of an open JSON object. */
void ik_deployment_print(const ik_deployment *d, FILE *out);
void ik_deployment_json(const ik_deployment *d, ik_json *j);

/* ---- failures */

/* A copy of f without what a file lists: a node or a port per line, NAME, NAME[PORT], 0xGUID or
 * 0xGUID[PORT], PORT as printed; '#' begins a comment. *num (may be NULL): lines that name
 * something. IK_ERR_INPUT with the place: unknown and ambiguous names, ports without a cable. */
ik_status ik_failed_read(const ik_fabric *f, const char *path, const ik_env *env, ik_fabric **out,
                         uint32_t *num, ik_error *err);
ik_status ik_failed_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                          ik_fabric **out, uint32_t *num, ik_error *err);

/* ---- reading back what was installed */

typedef struct ik_table_difference {
    uint32_t sw, lid;      /* switch; index of the LID */
    uint8_t wanted, found; /* printed ports, IK_PORT_SELF, IK_PORT_NONE */
} ik_table_difference;
typedef struct ik_vl_difference {
    uint32_t sw, in, out; /* switch, local ports; in IK_NONE = port 0. sw IK_NONE: a host's port */
    uint32_t port;        /* of that host, global id */
    uint8_t sl, wanted, found;
} ik_vl_difference;

/* What a subnet holds beside what a folder wanted. */
typedef struct ik_deploy_check {
    ik_fabric *fabric; /* owned; NULL: the one that was given */
    ik_lids lids;
    uint64_t entries;   /* wanted */
    uint64_t equal;     /* of these */
    uint64_t different; /* another port */
    uint64_t missing;   /* no entry */
    uint64_t extra;     /* entries that were not wanted */
    /* entries for the top LID that dump_fts does not print: not counted as missing */
    uint64_t unprinted;
    uint64_t gone;               /* wanted entries of switches or ports that the fabric has not */
    ik_table_difference *tables; /* [num_tables] the first IK_DEPLOY_LISTED, by (switch, LID) */
    uint32_t num_tables;
    bool has_vls;
    uint64_t vls_compared, vls_different, vl_holes; /* maps of one SL at one pair of ports */
    ik_vl_difference *vls;                          /* [num_vls] the first IK_DEPLOY_LISTED */
    uint32_t num_vls;
    char *note; /* how the tables fitted the fabric, NULL = in all; see ik_tables_note */
} ik_deploy_check;
#define IK_DEPLOY_LISTED 1000

/* Compares forwarding tables, and maps of SLs to VLs if sl2vl is not NULL, as dumped from a subnet
 * with the files of a folder that ik_deploy wrote. f: the fabric as it is now; NULL: that of the
 * folder. IK_ERR_USAGE: maps of a deployment that uses one lane. Free with ik_deploy_check_free. */
ik_status ik_deploy_verify(const char *folder, const char *lfts, const char *sl2vl,
                           const ik_fabric *f, const ik_env *env, ik_deploy_check *out,
                           ik_error *err);
void ik_deploy_check_free(ik_deploy_check *c);
/* Whether the subnet holds what was deployed: no entry and no VL differs, is missing or was not
 * wanted. */
bool ik_deploy_check_equal(const ik_deploy_check *c);
/* What 'ikat verify-deployed --json' prints, as members of an open JSON object. */
void ik_deploy_check_json(const ik_deploy_check *c, ik_json *j);

IK_END_DECLS
#endif
