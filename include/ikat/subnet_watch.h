/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/subnet_watch.h: a fabric that is audited again and again: what changed from one round to the
 * next.
 *
 * A round runs the given commands, one after the other, and audits what they print. It is good if
 * every command ended well and everything could be read. Only a good round closes findings of an
 * audit and compares fabrics; another one leaves the last good one in force, and has findings of
 * its own:
 *
 *   cannot-read     error  a command failed, took too long or printed too much, or what it printed
 *                          cannot be read (place: fabric, tables, counters, or audit for the rest)
 *   command-warned  note   a command that ended well wrote to standard error (place: as above)
 *   cannot-write    error  the state or the metrics could not be written (place: which)
 *
 * Counters are compared with those of the round before; the first reading only is a beginning.
 * What lies in the folder: `lock`, `state.json`, the last good `fabric`, `tables` and `counters`,
 * and the same with `.new` of a round that is under way or was not good.
 */
#ifndef IKAT_SUBNET_WATCH_H
#define IKAT_SUBNET_WATCH_H

#include "ikat/audit.h"

IK_BEGIN_DECLS

typedef enum ik_round_input {
    IK_ROUND_FABRIC,
    IK_ROUND_TABLES,
    IK_ROUND_COUNTERS,
    IK_ROUND_INPUTS
} ik_round_input;
const char *ik_round_input_name(ik_round_input input); /* "fabric", "tables", "counters" */

/* Texts are borrowed until ik_subnet_watch_close. */
typedef struct ik_subnet_watch_config {
    /* what /bin/sh runs; its standard output is a dump, tables or counters as `ikat audit` reads
     * them. A fabric is required, the others may be NULL */
    const char *commands[IK_ROUND_INPUTS];
    /* how to audit: all but tables, counters and routing, which a round sets ("none") */
    ik_audit_config audit;
    const char *names, *guid2lid; /* files, as ik_names_and_lids_apply takes them; NULL */
    /* the folder of the state, made if there is none; NULL: a temporary one, which is removed */
    const char *folder;
    double timeout_s;      /* most time of one command */
    uint64_t output_bytes; /* most that one command may write into a file */
} ik_subnet_watch_config;

typedef enum ik_round_event {
    IK_ROUND_VANISHED, /* a node, a cable between nodes that are still there */
    IK_ROUND_APPEARED,
    IK_ROUND_OPENED,
    IK_ROUND_GREW,   /* more than twice what it was when it was last reported, or worse */
    IK_ROUND_CLOSED, /* findings of a round before that are no more */
    IK_ROUND_EVENTS
} ik_round_event;
const char *ik_round_event_name(ik_round_event event); /* "vanished", … */

/* One finding, by code and key (see ik_audit_finding). */
typedef struct ik_round_finding {
    ik_severity severity;
    const char *code, *place, *key, *text; /* place "": the whole subnet */
    double count;                          /* first quantity of the text when last reported */
    double first_s, opened_s, closed_s;    /* seconds since 1970; closed_s 0: open */
    uint32_t times;                        /* opened so often since first_s */
} ik_round_finding;

typedef struct ik_round_change {
    ik_round_event event;
    ik_severity severity;
    const char *code; /* of a finding; "switch", "host" or "cable" */
    const char *place, *text;
    const ik_round_finding *finding; /* NULL: of the fabric itself */
} ik_round_change;

/* What a round found. Everything is valid until the next round or the end of the watch. */
typedef struct ik_round {
    uint64_t number; /* from 1 on, counted in the state */
    bool good;
    double time_s, duration_s; /* when it began, since 1970 */
    double good_s;             /* when the last good one began; 0: there was none */
    bool commands_good[IK_ROUND_INPUTS];
    double command_s[IK_ROUND_INPUTS]; /* how long each took */
    ik_round_change *changes;          /* by event, then severity, code and place */
    size_t num_changes;
    ik_round_finding *findings; /* [num_findings] those that are open, by code and key */
    size_t num_findings;
    uint64_t open[3]; /* by severity */
    /* of the last good round; NULL: there was none yet in this process */
    const ik_fabric *fabric;
    const ik_audit *audit;
    uint32_t cables;
} ik_round;

typedef struct ik_subnet_watch ik_subnet_watch;

/* Reads the state of the folder and locks it. *note: what is damaged in an earlier state, and what
 * follows from it (IK_OK: nothing). IK_ERR_USAGE: no command for the fabric; another watch has the
 * folder, or files that no watch has written. IK_ERR_IO, IK_ERR_MEMORY. */
ik_status ik_subnet_watch_open(const ik_subnet_watch_config *config, const ik_env *env,
                               ik_subnet_watch **out, ik_error *note, ik_error *err);
void ik_subnet_watch_close(ik_subnet_watch *w);

/* One round. IK_OK if it was not good, too. Errors leave the state as it was: IK_ERR_CANCELLED;
 * before the first good round also what is wrong with files of the configuration, and
 * IK_ERR_MEMORY. Cost: an audit; memory: two fabrics and the findings. */
ik_status ik_subnet_watch_round(ik_subnet_watch *w, const ik_env *env, ik_round *out,
                                ik_error *err);
/* Makes the last round the state that the next one is compared with, on disk too. Call it after the
 * changes were reported: what is killed between them reports them again. A failed write is a
 * finding of the next round; *err says what it was. */
ik_status ik_subnet_watch_keep(ik_subnet_watch *w, ik_error *err);
/* The metrics of a round in the text format of Prometheus, written whole or not at all. A failed
 * write is a finding of the next round, too. */
ik_status ik_subnet_watch_metrics(ik_subnet_watch *w, const ik_round *r, const char *path,
                                  ik_error *err);

IK_END_DECLS
#endif
