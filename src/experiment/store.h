/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store.h: the result store: one SQLite file.
 *
 * Tables (columns: store_tables.c; results: figures/results.def):
 *   meta(key, value)    version, title, description, file, experiment, overrides, num_points,
 *                       left_out; while a run goes on also run: {points, reused, jobs,
 *                       milliseconds, machine, file}
 *   fabrics(id, spec, digest, summary, drawing)         summary: JSON; drawing: deflated JSON of
 *                                                       nodes and links
 *   plans(id, key, flow, fabric, routing, vc, vcs, selection, asked, proof, failed)   proof: JSON;
 *                                                                                     asked:
 *                                                                                     "full",
 *                                                                                     "sampled N",
 *                                                                                     "off"
 *   points(id, params, fabric, plan, …)                 params: JSON with every default; blobs:
 *                                                       deflated little-endian 64-bit
 * words; congestion and classes: JSON, over time deflated; NULL where congestion was not sampled. A
 * point's id is its number in the sweep; points of an earlier version of the experiment keep their
 * results with ids from STORE_RETIRED on. Table details(params, kind, body) has what only some
 * points have (jobs, probes, watch; params: theirs) and the routes of plans (kind "routes", params:
 * the plan's key), deflated JSON. A file that lacks points of its sweep has what the others took
 * (kind "cost", JSON: microseconds of processors, and the peak memory of the process, KiB). Nothing
 * else in the file of a run that came to its end depends on the time, the machine or the order in
 * which points ended, and nothing at all if it has all points.
 */
#ifndef IKAT_EXPERIMENT_STORE_H
#define IKAT_EXPERIMENT_STORE_H

#include "experiment/batch/batch.h"
#include "experiment/figures/metrics.h"
#include "sim/measure/sim_result.h"

#include <sqlite3.h>

#define STORE_RETIRED (INT64_C(1) << 40)
/* Condition in SQL: points of this version of the experiment. */
#define STORE_CURRENT "id < 1099511627776"

typedef struct store store;

/* Opens for reading, as the file is at this moment: nothing that a run writes later is seen, and
 * the file is not held. Refuses other files and formats by name; what a file of another version
 * lacks is empty. Cost: a copy of the file. */
ik_status store_open(const char *path, store **out, ik_error *err);
/* Opens or creates for writing by this version of ikat, alone. */
ik_status store_create(const char *path, store **out, ik_error *err);
void store_close(store *s);
/* Closes; what store_create() made is as it was before: no file, or an empty one. */
void store_discard(store *s);
sqlite3 *store_db(const store *s);
bool store_is_read(const store *s); /* else it is written */
const char *store_path(const store *s);
/* The contents of a store that was opened for reading, into an attached empty database of another
 * one. */
ik_status store_copy_into(const store *from, store *to, const char *schema, ik_error *err);

/* Transactions may stand inside one another; a rollback is of the innermost. After a full disk
 * there may be none left: then store_commit() fails. What the outermost wrote to a store of
 * store_create() is on the disk a second later at most, with all that others write in this second;
 * after store_flush(), which is not called within one, it is at once. */
ik_status store_begin(store *s, ik_error *err);
ik_status store_commit(store *s, ik_error *err);
void store_rollback(store *s);
ik_status store_flush(store *s, ik_error *err);
/* How far the run is that writes it, for those who read it meanwhile. Changed within a transaction
 * only. */
batch_progress *store_progress(store *s);
/* The statement that inserts a point, once it is prepared; closed with the store. */
sqlite3_stmt **store_insert(store *s);

/* Prepares, and binds text parameters 1…n (NULL-terminated list). */
ik_status store_prepare(const store *s, const char *sql, const char *const *texts,
                        sqlite3_stmt **out, ik_error *err);
/* The same of a text that SQLite's string builder made, which it frees; NULL: there was no memory.
 * A list of all columns is built so: printed anew for each column it would take its square. */
ik_status store_prepare_made(const store *s, char *sql, sqlite3_stmt **out, ik_error *err);
/* Steps a statement that gives no rows and finalises it. */
ik_status store_execute(const store *s, sqlite3_stmt *statement, ik_error *err);
/* Steps once; *row says whether there is one. Does not finalise. */
ik_status store_step(const store *s, sqlite3_stmt *statement, bool *row, ik_error *err);
/* Executes statements without parameters and rows. */
ik_status store_run_sql(const store *s, const char *sql, ik_error *err);
/* The whole number that a query gives: the first column of its first row, 0 without one. */
ik_status store_number(const store *s, const char *sql, int64_t *value, ik_error *err);
/* A column of the row, valid until the next step: text ("" for NULL), or any value's bytes. The
 * only failure is IK_ERR_MEMORY, which SQLite's own functions do not tell from NULL. */
ik_status store_text(sqlite3_stmt *statement, int column, const char **text, ik_error *err);
ik_status store_blob(sqlite3_stmt *statement, int column, const void **blob, size_t *size,
                     ik_error *err);

ik_status store_set_meta(store *s, const char *key, const char *value, ik_error *err);
/* Owned by the arena; "" if there is none. */
ik_status store_get_meta(const store *s, const char *key, ik_arena *arena, const char **value,
                         ik_error *err);

/* A workload on a crossbar of the fabric's hosts, nothing else different. sw: settings of its
 * switch, with every default; "" = model ideal without delays. */
typedef struct reference {
    const char *fabric, *sw, *traffic, *adapter;
    uint64_t seed;
    double completion_ns; /* 0 = not completed either */
} reference;

/* One row of `points`, from a result. */
typedef struct store_point {
    int64_t id, fabric, plan;
    /* variant: switch, adapter and measure settings, the short text */
    const char *params, *traffic, *variant;
    double load;
    double saturation_load, saturation_most; /* that a search found, NAN = none */
    const char *hint;   /* what to try where little is accepted; NULL or "" = nothing */
    const char *probes; /* of the search (JSON), NULL = it was none */
    uint64_t seed;
    const ik_sim_result *result;
    const char *deadlock;       /* instead of the result's text; NULL = that */
    const reference *reference; /* of a workload that was completed; else NULL */
    /* utilisation of channels between switches; NAN = there are none */
    double link_use_mean, link_use_max;
    uint32_t num_ports, num_hosts, num_switches;
    /* what its jobs took (JSON), NULL = it has none; [num_jobs] each of them alone, NULL = not
     * run */
    const char *jobs;
    const reference *const *alone;
    size_t num_jobs;
} store_point;
ik_status store_add_point(store *s, const store_point *p, ik_error *err);
/* A point without simulation: result, reference, jobs and sizes are not examined. values:
 * [NUM_STATICS] results FIRST_STATIC …, NAN = none; lists: [NUM_LISTS]. */
ik_status store_add_static(store *s, const store_point *p, const double *values,
                           const value_list *lists, ik_error *err);
/* What is measured of a stored point beside its simulation, with a text (column `measured`) that
 * says which measures those are; "" = none. values and lists as above. */
ik_status store_set_statics(store *s, int64_t id, const char *measured, const double *values,
                            const value_list *lists, ik_error *err);
/* store_lists.c: the lists of a stored point, each a detail of its own; an empty one goes away. */
ik_status store_set_lists(store *s, int64_t id, const value_list *lists, ik_error *err);
ik_status store_forget_lists(store *s, ik_error *err);
/* Away with what was measured beside simulations, but what is feasible. */
ik_status store_forget_statics(store *s, ik_error *err);
/* Away with references that no point is measured by any more. */
ik_status store_drop_references(store *s, ik_error *err);

/* A finished store written anew, compact and in the order of its keys: equal contents are equal
 * bytes. Closes the store. The old file stays if there is no room for the new one. */
void store_compact(store *s);
/* A store for the file `path`, which appears, compact, when it is published, and not before; what
 * is closed is gone. */
ik_status store_create_apart(const char *path, store **out, ik_error *err);
/* Closes, also if it fails. */
ik_status store_publish(store *s, ik_error *err);

/* ---- blobs */
/* Deflated words; free with free(). */
ik_status store_pack(const uint64_t *words, size_t num, void **blob, size_t *size, ik_error *err);
ik_status store_unpack(const void *blob, size_t size, uint64_t **words, size_t *num, ik_error *err);
ik_status store_deflate(const void *data, size_t bytes, void **blob, size_t *size, ik_error *err);
/* NUL-terminated. */
ik_status store_inflate(const void *blob, size_t size, char **data, size_t *bytes, ik_error *err);

#endif
