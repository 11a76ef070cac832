/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/counters.h: what the ports of an InfiniBand fabric have counted: errors and traffic, as
 * ibqueryerrors and perfquery print them, and what two readings say of the time between them.
 */
#ifndef IKAT_COUNTERS_H
#define IKAT_COUNTERS_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

/* The counters of the performance management class, by the names that libibmad gives them. */
typedef enum ik_counter {
    IK_COUNTER_SYMBOL_ERRORS,
    IK_COUNTER_LINK_RECOVERIES,
    IK_COUNTER_LINK_DOWNED,
    IK_COUNTER_RCV_ERRORS,
    IK_COUNTER_RCV_REMOTE_ERRORS,
    IK_COUNTER_RCV_RELAY_ERRORS,
    IK_COUNTER_XMIT_DISCARDS,
    IK_COUNTER_XMIT_CONSTRAINT_ERRORS,
    IK_COUNTER_RCV_CONSTRAINT_ERRORS,
    IK_COUNTER_INTEGRITY_ERRORS,
    IK_COUNTER_OVERRUN_ERRORS,
    IK_COUNTER_QP1_DROPPED,
    IK_COUNTER_VL15_DROPPED,
    IK_COUNTER_XMIT_DATA, /* in words of 4 bytes, as the next */
    IK_COUNTER_RCV_DATA,
    IK_COUNTER_XMIT_PACKETS,
    IK_COUNTER_RCV_PACKETS,
    IK_COUNTER_XMIT_WAIT, /* ticks with something to send and nothing sent */
    IK_NUM_COUNTERS
} ik_counter;
/* "SymbolErrorCounter", "PortXmitData", … */
const char *ik_counter_name(ik_counter counter);

/* One reading. */
typedef struct ik_counters {
    const ik_fabric *fabric;            /* borrowed */
    uint64_t (*value)[IK_NUM_COUNTERS]; /* [num_ports] */
    uint32_t *known;                    /* [num_ports] bit 1 << counter: the file has it */
    uint32_t ports;                     /* that the file has a counter of */
    /* entries of ports that the fabric has not; the first of them, by GUID or LID */
    uint32_t unknown, first_unknown_lid;
    uint64_t first_unknown_guid;
    uint64_t failures; /* queries without an answer, as ibqueryerrors counts them */
    double time_s;     /* when the file was last changed, seconds since 1970; 0 = not known */
} ik_counters;

/* Reads what `ibqueryerrors` (with --data, --counters, --details or -r) and `perfquery` (with -x or
 * -l; answers of several may stand in one file) print, and ibdiagnet2.db_csv and ibdiagnet2.pm of
 * ibdiagnet; gzip-compressed files too. Ports are found
 * by GUID (of their node, or their own) or any of their LIDs, and number. A counter that is given
 * several times has its largest value: the 32-bit form of a counter stops at its limit.
 * IK_ERR_INPUT with the place: lines of neither program, a file without anything of this fabric.
 * Free with ik_counters_free. Cost O(size + ports). */
ik_status ik_counters_read(const ik_fabric *f, const char *path, const ik_env *env,
                           ik_counters *out, ik_error *err);
/* The same of a text; `file` is for messages. */
ik_status ik_counters_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                            ik_counters *out, ik_error *err);
void ik_counters_free(ik_counters *c);

/* What one reading, or two, say. */
typedef struct ik_counter_changes {
    const ik_fabric *fabric; /* borrowed */
    double interval_s;       /* between the readings; 0: there is one */
    /* [num_ports] what was counted between the readings; of one: since counters were cleared */
    uint64_t (*change)[IK_NUM_COUNTERS];
    float *used;   /* [num_ports] share of its rate that a channel carried, below 0 = not known */
    float *waited; /* [num_ports] ticks of waiting / (these + words sent), below 0 = not known */
    uint32_t measured;   /* channels whose `used` is known */
    uint32_t restarted;  /* ports with a counter that is smaller in the later reading */
    uint32_t at_limit;   /* ports with a counter at its largest value: it may be more */
    uint32_t impossible; /* channels that would have carried more than their rate */
    /* [num_findings] by port: "symbol-errors", "link-downed", "port-errors", "discards",
     * "congestion"; "impossible-load" (port IK_NONE). Of two readings only what grew between them
     * is given: links that went down are errors then. Anything else is a warning, waiting in one
     * reading, which may have been long ago, a note. */
    ik_finding *findings;
    size_t num_findings;
} ik_counter_changes;

/* later NULL: one reading, interval_s is ignored. A counter that is smaller later was cleared
 * between the readings: its later value counts. A channel's data is what its port sent, else what
 * the port at the other end received. IK_ERR_INPUT: interval_s is not above 0; the readings are of
 * different fabrics. Free with ik_counter_changes_free. Cost O(ports). */
ik_status ik_counters_compare(const ik_counters *first, const ik_counters *later, double interval_s,
                              ik_counter_changes *out, ik_error *err);
void ik_counter_changes_free(ik_counter_changes *c);

IK_END_DECLS
#endif
