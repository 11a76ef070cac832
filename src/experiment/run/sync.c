/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/sync.c: what makes a point the same point: its complete parameters. A run looks
 * each point of the sweep up in the store; found ones are not run again. When the experiment was
 * edited, finished points keep their results: those still in the sweep take their new numbers, the
 * others retire.
 */
#include "base/file_list.h"
#include "base/hash.h"
#include "experiment/merge/order.h"
#include "experiment/run/run.h"
#include "ikat/json.h"
#include "registry/registry.h"
#include "verify/spec_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- keys */

uint64_t setup_seed(const ik_experiment *e)
{
    return e->sections[SECTION_SEEDS].items[0].params.values[0].u;
}

uint64_t plan_seed(const ik_experiment *e, const point *p)
{
    return plan_is_per_seed(e, p) ? experiment_seed(e, p) : setup_seed(e);
}

/* A fabric's digest stands there even if it is empty. */
static void sync_put_digest(ik_json *j, const runner *r, const point *p, section_id id)
{
    const char *digest = experiment_variant(r->e, p, id)->digest;
    char key[32];
    if (!digest[0] && id != SECTION_FABRIC)
        return;
    snprintf(key, sizeof key, "%s_digest", schema_section(id)->name);
    ik_json_text(j, key, digest);
}

static ik_status sync_put_sections(const runner *r, const point *p, bool whole,
                                   const section_id *ids, size_t num, char **json, ik_error *err)
{
    const char *design = whole ? r->e->designs[p->design].name : "";
    bool measured = whole && !experiment_simulates(r->e);
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    if (design[0])
        ik_json_text(&j, "design", design);
    for (size_t i = 0; i < num; i++) {
        const variant *v = experiment_variant(r->e, p, ids[i]);
        if (!experiment_uses(r->e, ids[i]))
            continue;
        if (ids[i] != SECTION_WATCH || v->label[0]) /* nothing watched is no setting */
            ik_json_text(&j, schema_section(ids[i])->name, v->full);
    }
    for (size_t i = 0; i < num; i++)
        sync_put_digest(&j, r, p, ids[i]);
    if (measured) {
        const ik_value *proof = experiment_option(r->e, OPTION_PROOF);
        ik_json_text(&j, "measures", r->e->measured);
        if (experiment_counts_patterns(r->e))
            ik_json_uint(&j, "patterns", experiment_option(r->e, OPTION_PATTERNS)->u);
        if (proof->u != PROOF_FULL)
            ik_json_text(&j, "proof", proof->text);
        if (proof->u == PROOF_SAMPLED)
            ik_json_uint(&j, "proof_pairs", experiment_option(r->e, OPTION_PROOF_PAIRS)->u);
    }
    ik_json_uint(&j, "setup_seed", setup_seed(r->e));
    if (plan_seed(r->e, p) != setup_seed(r->e)) /* more seeds leave the points of the first alone */
        ik_json_uint(&j, "routing_seed", plan_seed(r->e, p));
    ik_json_close(&j);
    return ik_json_end_text(&j, json, NULL, err);
}

ik_status point_params(const runner *r, const point *p, char **json, ik_error *err)
{
    static const section_id ids[] = {
        SECTION_FABRIC,  SECTION_ROUTING, SECTION_VC,      SECTION_VCS,   SECTION_SELECTION,
        SECTION_SWITCH,  SECTION_ADAPTER, SECTION_MEASURE, SECTION_WATCH, SECTION_REFERENCE,
        SECTION_TRAFFIC, SECTION_LOAD,    SECTION_SEEDS};
    return sync_put_sections(r, p, true, ids, sizeof ids / sizeof *ids, json, err);
}

ik_status plan_key(const runner *r, const point *p, char **json, ik_error *err)
{
    static const section_id ids[] = {SECTION_FABRIC, SECTION_ROUTING,   SECTION_VC,
                                     SECTION_VCS,    SECTION_SELECTION, SECTION_TRAFFIC};
    size_t num = sizeof ids / sizeof *ids - !plan_takes_traffic(r->e, p);
    return sync_put_sections(r, p, false, ids, num, json, err);
}

ik_status point_variant(const ik_experiment *e, const point *p, char **text, ik_error *err)
{
    static const section_id ids[] = {SECTION_SWITCH, SECTION_ADAPTER, SECTION_MEASURE,
                                     SECTION_WATCH, SECTION_REFERENCE};
    const char *design = e->designs[p->design].name;
    ik_arena arena = {0};
    const char *all = design[0] ? ik_arena_printf(&arena, "design: %s", design) : "";
    for (size_t i = 0; i < sizeof ids / sizeof *ids && all; i++) {
        const char *label = experiment_variant(e, p, ids[i])->label;
        if (label[0] && experiment_uses(e, ids[i]) &&
            experiment_list(e, p->design, ids[i])->num > 1)
            all = ik_arena_printf(&arena, "%s%s%s: %s", all, all[0] ? "; " : "",
                                  schema_section(ids[i])->name, label);
    }
    char *made = all ? strdup(all) : NULL;
    ik_arena_free(&arena);
    if (!made)
        return ik_fail_memory(err, 1, "an experiment");
    *text = made;
    return IK_OK;
}

/* ---- digests of files: a changed file makes another fabric, routing or pattern */

/* The low bits of ik_hash_text hardly depend on the first characters: the high ones are mixed
 * in. */
static uint64_t sync_hash_text(const char *text)
{
    uint64_t hash = ik_hash_text(text);
    return hash ^ hash >> 32;
}

static ik_status sync_hash_file(const char *path, uint64_t *hash, ik_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return ik_fail_open(err, path);
    unsigned char buffer[8192];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        *hash = ik_hash_continue(*hash, buffer, got);
    bool bad = ferror(file) != 0;
    int why = errno;
    fclose(file);
    return bad ? ik_fail(err, IK_ERR_IO, "cannot read '%.200s': %s", path, strerror(why)) : IK_OK;
}

typedef struct digested {
    const variant *of;
    uint64_t hash;
    size_t num;
} digested;

/* What a plug-in computes may change with its contents, as with those of a file. */
static bool sync_digest_plugin(void *ctx, const char *identity)
{
    digested *d = ctx;
    d->hash = ik_hash_continue(d->hash, identity, strlen(identity));
    d->num++;
    return true;
}

/* One of the files that the member itself knows to read, or one behind it; those that are not there
 * are said when it is made. */
static bool sync_digest_behind(void *ctx, const char *path)
{
    digested *d = ctx;
    for (size_t i = 0; i < d->of->num_files; i++)
        if (strcmp(d->of->files[i], path) == 0)
            return true;
    d->num += sync_hash_file(path, &d->hash, NULL) == IK_OK;
    return true;
}

static ik_status sync_digest_variant(section_id id, variant *v, ik_error *err)
{
    digested d = {.of = v, .hash = IK_HASH_BASIS, .num = v->num_files};
    for (size_t i = 0; i < v->num_files; i++) {
        ik_status status = sync_hash_file(v->files[i], &d.hash, err);
        if (status != IK_OK) {
            ik_error_at(err, v->place->file, v->place->line, v->place->column);
            return status;
        }
    }
    spec_files_each(&v->params, sync_digest_behind, sync_digest_plugin, &d);
    const char *identity = registry_identity(schema_member_of(id, v->name));
    if (*identity)
        sync_digest_plugin(&d, identity);
    /* whichever format a file is read by may be one of theirs */
    for (const registry_plugin *p = d.num ? registry_newest() : NULL; p; p = p->before)
        if (p->tables[REGISTRY_FORMAT])
            sync_digest_plugin(&d, p->identity);
    if (d.num)
        snprintf(v->digest, sizeof v->digest, "%016" PRIx64, d.hash);
    return IK_OK;
}

ik_status sync_digests(runner *r, ik_error *err)
{
    size_t design = 0;
    int id = -1;
    ik_status status = IK_OK;
    for (variants *list; (list = experiment_next_list(r->e, &design, &id));)
        for (size_t i = 0; i < list->num && status == IK_OK; i++)
            status = sync_digest_variant((section_id)id, &list->items[i], err);
    return status;
}

/* ---- the store */

/* Was the store written for another text? What it says of points that were left out is then old. */
static ik_status experiment_changed(const runner *r, bool *changed, ik_error *err)
{
    ik_arena arena = {0};
    const char *text = "", *overrides = "";
    ik_status status = store_get_meta(r->store, "experiment", &arena, &text, err);
    if (status == IK_OK)
        status = store_get_meta(r->store, "overrides", &arena, &overrides, err);
    if (status == IK_OK)
        *changed = strcmp(text, r->e->text) != 0 || strcmp(overrides, r->e->overrides) != 0;
    ik_arena_free(&arena);
    return status;
}

/* The axes that are samples, as a JSON list; free with free(). */
static ik_status sync_print_over(const ik_experiment *e, char **text, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    for (size_t i = 0; i < e->num_over; i++)
        ik_json_text(&j, NULL, e->over[i]);
    ik_json_close(&j);
    return ik_json_end_text(&j, text, NULL, err);
}

static ik_status sync_set_experiment(runner *r, ik_error *err)
{
    const ik_experiment *e = r->e;
    const char *slash = strrchr(e->file, '/');
    char number[24], *over = NULL;
    snprintf(number, sizeof number, "%" PRIu64, e->num_points);
    ik_status status = sync_print_over(e, &over, err);
    if (status != IK_OK)
        return status;
    const char *const rows[][2] = {{"title", e->title},
                                   {"description", e->description},
                                   {"file", slash ? slash + 1 : e->file},
                                   {"experiment", e->text},
                                   {"overrides", e->overrides},
                                   {"scale", e->scale},
                                   {"figures", e->drawn.figures_json},
                                   {"expect", e->drawn.expect_json},
                                   {"over", over},
                                   {"num_points", number}};
    bool changed = false;
    status = experiment_changed(r, &changed, err);
    if (status == IK_OK && changed)
        status = store_set_meta(r->store, "left_out", "[]", err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == IK_OK; i++)
        status = store_set_meta(r->store, rows[i][0], rows[i][1], err);
    free(over);
    return status;
}

static ik_status sync_execute(store *s, const char *sql, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(s, sql, NULL, &statement, err);
    return status == IK_OK ? store_execute(s, statement, err) : status;
}

/* By their parameters alone. */
static ik_status sync_find_hashed(runner *r, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++) {
        point p = experiment_point(r->e, i);
        char *params = NULL;
        status = point_params(r, &p, &params, err);
        if (status == IK_OK) {
            r->elsewhere[i] = sync_hash_text(params) % r->part->num_shards != r->part->shard - 1;
            r->mine -= r->elsewhere[i];
        }
        free(params);
    }
    return status;
}

ik_status sync_hash_sweep(const runner *r, uint64_t *key, uint64_t *hashes, ik_error *err)
{
    ik_status status = IK_OK;
    *key = IK_HASH_BASIS;
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++) {
        point p = experiment_point(r->e, i);
        char *params = NULL;
        status = point_params(r, &p, &params, err);
        if (status == IK_OK) {
            *key = ik_hash_continue(*key, params, strlen(params) + 1);
            if (hashes)
                hashes[i] = ik_hash_text(params);
        }
        free(params);
    }
    return status;
}

/* By a file. */
static ik_status sync_find_assigned(runner *r, ik_error *err)
{
    uint64_t key, num = r->e->num_points;
    uint32_t *task_of = ik_calloc(num, sizeof *task_of);
    ik_status status = task_of ? sync_hash_sweep(r, &key, NULL, err)
                               : ik_fail_memory(err, num * sizeof *task_of, "an assignment");
    if (status == IK_OK)
        status =
            ik_assignment_read(r->part->assignment, key, num, r->part->num_shards, task_of, err);
    for (uint64_t i = 0; i < num && status == IK_OK; i++) {
        r->elsewhere[i] = task_of[i] != r->part->shard - 1;
        r->mine -= r->elsewhere[i];
    }
    free(task_of);
    return status;
}

/* Which points are another shard's, or are not asked for. */
ik_status sync_find_elsewhere(runner *r, ik_error *err)
{
    ik_status status = IK_OK;
    r->mine = r->e->num_points;
    bool shards = r->part->num_shards > 1 || r->part->assignment,
         only = r->part->only && r->part->only[0];
    if (!shards && !only)
        return IK_OK;
    r->elsewhere = ik_calloc(r->e->num_points, sizeof *r->elsewhere);
    if (!r->elsewhere)
        return ik_fail_memory(err, r->e->num_points, "an experiment");
    if (shards)
        status = r->part->assignment ? sync_find_assigned(r, err) : sync_find_hashed(r, err);
    return status == IK_OK && only ? only_find(r, err) : status;
}

/* Gives stored points of the sweep their number, marks them finished. */
static ik_status sync_number_points(runner *r, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status =
        store_prepare(r->store, "UPDATE points SET id = ?2, variant = ?3 WHERE params = ?1", NULL,
                      &statement, err);
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++) {
        point p = experiment_point(r->e, i);
        char *params = NULL, *label = NULL;
        bool row;
        status = point_params(r, &p, &params, err);
        if (status == IK_OK)
            status = point_variant(r->e, &p, &label, err);
        if (status == IK_OK) {
            sqlite3_bind_text(statement, 1, params, -1, SQLITE_STATIC);
            sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
            sqlite3_bind_text(statement, 3, label, -1, SQLITE_STATIC);
            status = store_step(r->store, statement, &row, err);
            r->finished[i] = status == IK_OK && sqlite3_changes(store_db(r->store)) > 0;
            r->done += r->finished[i] && !(r->elsewhere && r->elsewhere[i]);
            sqlite3_reset(statement);
        }
        free(label);
        free(params);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Points that are no part of the sweep (any more) go behind STORE_RETIRED, in their old order. */
static ik_status sync_retire_points(runner *r, ik_error *err)
{
    sqlite3_stmt *next = NULL, *move = NULL;
    ik_status status = store_prepare(
        r->store, "SELECT id FROM points WHERE id < 0 ORDER BY id DESC LIMIT 1", NULL, &next, err);
    if (status == IK_OK)
        status =
            store_prepare(r->store, "UPDATE points SET id = ?2 WHERE id = ?1", NULL, &move, err);
    bool row = true;
    for (int64_t id = STORE_RETIRED; status == IK_OK; id++) {
        status = store_step(r->store, next, &row, err);
        if (status != IK_OK || !row)
            break;
        bool none;
        sqlite3_bind_int64(move, 1, sqlite3_column_int64(next, 0));
        sqlite3_bind_int64(move, 2, id);
        sqlite3_reset(next);
        status = store_step(r->store, move, &none, err);
        sqlite3_reset(move);
    }
    sqlite3_finalize(next);
    sqlite3_finalize(move);
    return status;
}

static ik_status sync_any_points(const runner *r, bool *any, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status =
        store_prepare(r->store, "SELECT 1 FROM points LIMIT 1", NULL, &statement, err);
    if (status == IK_OK)
        status = store_step(r->store, statement, any, err);
    sqlite3_finalize(statement);
    return status;
}

static ik_status sync_points(runner *r, ik_error *err)
{
    bool any = false;
    ik_status status = sync_any_points(r, &any, err);
    if (status != IK_OK || !any)
        return status;
    /* Away with the old numbers first: new ones may collide with them. -1 - id of a retired point
     * is negative as well. */
    status = sync_execute(r->store, "UPDATE points SET id = -1 - id", err);
    if (status == IK_OK)
        status = sync_number_points(r, err);
    return status == IK_OK ? sync_retire_points(r, err) : status;
}

ik_status sync_left_out(runner *r, const char *text, ik_error *err)
{
    ik_arena arena = {0};
    const char *stored = "", *ordered = "";
    ik_status status = store_get_meta(r->store, "left_out", &arena, &stored, err);
    if (status == IK_OK)
        status = order_left_out(r->store, text, &arena, &ordered, err);
    bool begun = status == IK_OK && strcmp(stored, ordered) != 0;
    if (begun)
        status = store_begin(r->store, err);
    if (begun && status == IK_OK) {
        status = store_set_meta(r->store, "left_out", ordered, err);
        if (status == IK_OK)
            status = store_commit(r->store, err);
        else
            store_rollback(r->store);
    }
    ik_arena_free(&arena);
    return status;
}

static void sync_begin_progress(const runner *r)
{
    struct stat info;
    batch_progress *p = store_progress(r->store);
    *p = (batch_progress){
        .points = r->mine, .reused = r->done, .jobs = r->num_jobs, .begun = r->begun};
    if (stat(store_path(r->store), &info) == 0)
        p->inode = info.st_ino;
    batch_find_machine(p->machine);
}

ik_status sync_store(runner *r, ik_error *err)
{
    r->finished = ik_calloc(r->e->num_points, sizeof *r->finished);
    r->misfit = ik_calloc(r->e->num_points, sizeof *r->misfit);
    if (!r->finished || !r->misfit)
        return ik_fail_memory(err, r->e->num_points, "an experiment");
    ik_status status = store_begin(r->store, err);
    if (status != IK_OK)
        return status;
    status = sync_set_experiment(r, err);
    if (status == IK_OK)
        status = sync_points(r, err);
    if (status != IK_OK) {
        store_rollback(r->store);
        return status;
    }
    sync_begin_progress(r);
    status = store_commit(r->store, err);
    return status == IK_OK ? store_flush(r->store, err)
                           : status; /* readers see which sweep it is */
}
