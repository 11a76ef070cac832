/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_builder.h: dependency graphs of messages, built operation by operation from whatever they
 * come from, then checked as a whole. */
#ifndef IK_GRAPH_BUILDER_H
#define IK_GRAPH_BUILDER_H

#include "base/hash.h"
#include "ikat/traffic.h"

#define GRAPH_ANY IK_NONE        /* source or tag of a receive: any */
#define GRAPH_ACK (IK_NONE - 1)  /* tag of acknowledgements and of what clears a message to send */
#define GRAPH_ASK IK_TAG_CONTROL /* tag of requests to send; others are smaller */

/* Where lines of several files stand: ik_graph.files and paths. */
typedef struct graph_places {
    ik_graph_file *files;
    char **paths;
    size_t num_files, room_files, num_paths, room_paths;
    ik_hash by_path;
    uint32_t now; /* what graph_place gave last */
} graph_places;

enum { GRAPH_MOST_OPS = 0x7ffffff0 };

typedef struct graph_builder {
    uint32_t num_hosts;
    /* [num_ranks] host of a rank, borrowed until graph_finish; several ranks may share a host.
     * Whoever sets it says ranks wherever `host`, `src`, `dst` and `peer` are asked for below.
     * NULL: rank is host */
    const uint32_t *rank_host;
    uint32_t num_ranks;
    /* what errors name: the file with lines, or what was built without any */
    const char *source;
    const char *settings; /* parameters that say how large it is, as in ik_error; NULL = none */
    ik_op *ops;           /* .match: the tag */
    uint8_t *kind, *cpu;
    uint16_t *op_class;
    uint32_t *host, *line; /* host: the rank, where rank_host is set */
    uint32_t *comm;        /* NULL = all are of communicator 0 so far */
    uint8_t *call;         /* NULL = nothing was said of calls so far */
    struct built_wait *waits;
    size_t num_ops, room_ops, num_waits, room_waits;
    uint64_t asked_ops; /* operations, those for which there was no memory included */
    char **classes;     /* names, in the order of their first use */
    size_t num_classes, room_classes;
    /* of what is added next; set it to a number that graph_class gave to go back to that class */
    uint16_t class_now;
    uint8_t cpu_now;   /* of sends and receives that are added next */
    uint32_t comm_now; /* communicator of sends and receives that are added next */
    bool sync_now;     /* sends that are added next are done after their receive has begun */
    bool no_memory, many_classes;
    ik_graph_tag *tags; /* see ik_graph; owned */
    uint32_t first_tag, num_tags;
    bool has_lines;
    /* a receive says how much it has room for, and its message has the size of its send */
    bool room_of_receives;
    struct graph_places places;
    uint64_t memory_limit; /* bytes, 0 = none */
    /* ---- what graph_finish makes of it, see ik_graph */
    uint64_t overhead_ps, eager_bytes, local_latency_ps, local_bps, gap_ps;
    bool eager, handshake;
    /* what waits for itself through messages is not refused: the run will say what it waits for */
    bool blocks;
    bool program; /* see ik_graph */
} graph_builder;

/* Makes the class of this name, of at most 80 characters, that of all operations added from now on
 * and returns its number; the name is copied. To be called before the first operation, or never:
 * then all are of one class without a name. A message is of the class of its send. Cost
 * O(classes). */
uint16_t graph_class(graph_builder *b, const char *name);

/* Names the classes of operations that were added with class_now below num, which replaces calls of
 * graph_class; num 0: all are of one class without a name. Names: kind ("tag") and the number. */
void graph_name_classes(graph_builder *b, const char *kind, const uint32_t *numbers, size_t num);

/* Appends an operation to a host's program and returns its number, IK_NONE once memory is short
 * (graph_finish then says so). peer: of a receive also GRAPH_ANY; of a calculation its processor,
 * or IK_NO_CPU for a time that takes none. tag: a message is received by the first receive of the
 * same source, destination, communicator (b->comm_now) and tag that has none yet; a receive may say
 * GRAPH_ANY. line: in its file, 0 = none. */
uint32_t graph_add(graph_builder *b, uint32_t host, ik_op_kind kind, uint64_t amount, uint32_t peer,
                   uint32_t tag, unsigned line);
/* What to give as `line` for one of a file, where a program comes from several; the path is copied
 * once. Lines of a file should ascend: going back, as changing between files, costs 16 bytes.
 * 0 (no line) once memory is short, or after 2^32 lines. O(1). */
unsigned graph_place(graph_builder *b, const char *path, unsigned line);
/* Of an operation; *path (may be NULL): its file. */
unsigned graph_line(const graph_builder *b, uint32_t op, const char **path);
/* A send and its receive; *recv (may be NULL) is the latter. */
uint32_t graph_message(graph_builder *b, uint32_t src, uint32_t dst, uint64_t bytes,
                       uint32_t *recv);
/* `op` waits until `before` is done, or with on_start until it has begun; both of one host. */
void graph_wait(graph_builder *b, uint32_t op, uint32_t before, bool on_start);
/* A call of the operation's rank ends with it: ik_graph.call. */
void graph_call(graph_builder *b, uint32_t op, ik_call_kind kind);
/* Adds to every host a calculation of no time that waits for all of its operations from number
 * `from` on; joins: [num_hosts]. */
void graph_join_hosts(graph_builder *b, size_t from, uint32_t *joins);
/* Matches sends with receives, refuses what is unmatched and cycles, and makes w. The builder is
 * freed whatever happens. Cost: O(n log n); 25 bytes per operation and 12 per wait beside the
 * graph where operations were added host by host, else 40 and 12. */
ik_status graph_finish(graph_builder *b, ik_workload *w, ik_error *err);
void graph_builder_free(graph_builder *b);

/* An amount of at most 2^60 times a scale, rounded, at most 2^62; scale 0 = 1, below 0
 * = nothing is left. */
static inline uint64_t graph_scaled(uint64_t amount, double scale)
{
    if (scale == 0 || scale == 1)
        return amount;
    if (scale < 0)
        return 0;
    double scaled = (double)amount * scale + 0.5;
    return scaled < 0x1p62 ? (uint64_t)scaled : UINT64_C(1) << 62;
}

/* What share of a host's bytes goes where: makes the impl of `lists`, whose num_hosts and seed are
 * set, for pattern_lists_dest, pattern_lists_flows and pattern_lists_destroy. O(n log n). */
ik_status workload_pattern(const ik_graph *g, ik_traffic *lists, ik_error *err);

/* Refuses workloads that a host without a cable takes part in. */
ik_status workload_check_hosts(const ik_traffic *t, const ik_workload *w, ik_error *err);

#endif
