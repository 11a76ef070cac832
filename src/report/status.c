/* SPDX-License-Identifier: Apache-2.0
 *
 * report/status.c: how far a sweep is, from its results file or those of its shards, finished or
 * being written.
 */
#include "base/file_list.h"
#include "experiment/store_row.h"
#include "experiment/stored.h"
#include "ikat/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of a run on another machine, or of which there is a copy alone, only its file tells that it goes
 * on. A copy of a running file is renewed, or touched, once a minute by what 'ikat submit'
 * writes. */
static const double status_fresh_s = 300;

typedef struct reading {
    ik_sweep_status out; /* first: what the caller holds */
    ik_arena arena;
    stored_sweep sweep;
    ik_sweep_file *files;
    size_t files_room;
    ik_sweep_failure *failures;
    size_t failures_room;
    ik_sweep_failure *left_out; /* [num_left_out] of all files */
    size_t num_left_out, left_out_room;
    bool *done, *failed; /* [out.points], from the first file on */
    uint64_t
        of_here; /* the file that a run on this machine writes, as the last file says; 0 = none */
} reading;

/* Room for one more of `num` items in the arena; NULL: no memory. */
static void *status_grow(reading *r, void *items, size_t num, size_t *room, size_t bytes,
                         ik_error *err)
{
    if (num < *room)
        return items;
    size_t more = *room ? 2 * *room : 16;
    char *larger = ik_arena_alloc(&r->arena, more * bytes);
    if (!larger) {
        ik_fail_memory(err, more * bytes, "the status of a sweep");
        return NULL;
    }
    if (num)
        memcpy(larger, items, num * bytes);
    *room = more;
    return larger;
}

static ik_status status_add_failure(reading *r, const ik_sweep_failure *failure, ik_error *err)
{
    ik_sweep_status *s = &r->out;
    ik_sweep_failure *list =
        status_grow(r, r->failures, s->num_failures, &r->failures_room, sizeof *list, err);
    if (!list)
        return IK_ERR_MEMORY;
    r->failures = list;
    list[s->num_failures++] = *failure;
    s->failures = list;
    return IK_OK;
}

/* ---- rows of one file */

/* Calls take() for each row of a query about one file. */
typedef void (*status_fn)(reading *r, store_row *row, ik_error *err);
static ik_status status_each(reading *r, const store *s, const char *sql, const char *what,
                             status_fn take, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = true;
    ik_status status = store_prepare(s, sql, NULL, &statement, err);
    while (status == IK_OK && (status = store_step(s, statement, &any, err)) == IK_OK && any) {
        store_row row = {
            .s = s, .statement = statement, .arena = &r->arena, .what = what, .id = -1, .err = err};
        take(r, &row, err);
        status = row.status;
    }
    sqlite3_finalize(statement);
    return status;
}

static int64_t status_last_point(const reading *r)
{
    return r->out.points < INT64_MAX ? (int64_t)r->out.points - 1 : INT64_MAX;
}

static void status_take_done(reading *r, store_row *row, ik_error *err)
{
    (void)err;
    int64_t id = row_int(row, 0, 0, status_last_point(r));
    if (row->status != IK_OK)
        return;
    r->files[r->out.num_files - 1].done++;
    r->out.done += !r->done[id];
    r->done[id] = true;
}

/* A plan of which another file says the same: its points there count, too. */
static bool status_joins(const reading *r, const ik_sweep_failure *f)
{
    for (size_t i = 0; i < r->out.num_failures; i++) {
        ik_sweep_failure *known = &r->failures[i];
        if (strcmp(known->kind, f->kind) == 0 && strcmp(known->what, f->what) == 0) {
            known->points += f->points;
            known->first = f->first < known->first ? f->first : known->first;
            return true;
        }
    }
    return false;
}

/* The columns are those of the failure; of a stored text the first line says what it was. */
static bool status_read_failure(reading *r, store_row *row, ik_sweep_failure *f, ik_error *err)
{
    *f = (ik_sweep_failure){.kind = row_text(row, 0),
                            .first = (uint64_t)row_int(row, 1, 0, status_last_point(r)),
                            .points = (uint64_t)row_int(row, 2, 1, status_last_point(r) + 1),
                            .what = row_text(row, 3)};
    const char *why = row_text(row, 4);
    f->why = ik_arena_printf(&r->arena, "%.*s", (int)strcspn(why, "\n"), why);
    if (row->status == IK_OK && !f->why)
        row->status = ik_fail_memory(err, strlen(why), "the status of a sweep");
    return row->status == IK_OK;
}

static void status_take_point(reading *r, store_row *row, ik_error *err)
{
    ik_sweep_failure f;
    if (!status_read_failure(r, row, &f, err) || r->failed[f.first])
        return; /* several files have it */
    r->failed[f.first] = true;
    r->out.failed++;
    row->status = status_add_failure(r, &f, err);
}

static void status_take_plan(reading *r, store_row *row, ik_error *err)
{
    ik_sweep_failure f;
    if (status_read_failure(r, row, &f, err) && !status_joins(r, &f))
        row->status = status_add_failure(r, &f, err);
}

static void status_take_left_out(reading *r, store_row *row, ik_error *err)
{
    ik_sweep_failure f;
    if (!status_read_failure(r, row, &f, err))
        return;
    ik_sweep_failure *list =
        status_grow(r, r->left_out, r->num_left_out, &r->left_out_room, sizeof *list, err);
    if (list) {
        r->left_out = list;
        list[r->num_left_out++] = f;
    } else {
        row->status = IK_ERR_MEMORY;
    }
}

static void status_take_progress(reading *r, store_row *row, ik_error *err)
{
    ik_sweep_file *f = &r->files[r->out.num_files - 1];
    char here[40];
    (void)err;
    f->points = (uint64_t)row_int(row, 0, 0, INT64_MAX);
    f->jobs = (unsigned)row_int(row, 1, 0, 1 << 20);
    batch_find_machine(here);
    r->of_here = here[0] && strcmp(row_text(row, 4), here) == 0
                     ? (uint64_t)row_int(row, 5, 0, INT64_MAX)
                     : 0;
    int64_t reused = row_int(row, 2, 0, INT64_MAX), spent_ms = row_int(row, 3, 0, INT64_MAX);
    if (row->status == IK_OK && f->done > (uint64_t)reused && f->points >= f->done)
        f->left_s = (double)spent_ms / 1000 / (double)(f->done - (uint64_t)reused) *
                    (double)(f->points - f->done);
}

/* ---- one file */

static ik_status status_take_first(reading *r, const store *s, ik_error *err)
{
    ik_status status = store_get_meta(s, "title", &r->arena, &r->out.title, err);
    if (status == IK_OK)
        status = store_get_meta(s, "file", &r->arena, &r->out.experiment, err);
    if (status != IK_OK)
        return status;
    r->out.points = stored_num_points(&r->sweep);
    /* each needs a byte; an experiment has fewer */
    if (r->out.points > UINT32_MAX)
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: it says that its sweep has %s",
                       store_path(s), IK_COUNT(r->out.points, "point"));
    r->done = ik_calloc(r->out.points + 1, sizeof *r->done);
    r->failed = ik_calloc(r->out.points + 1, sizeof *r->failed);
    return r->done && r->failed ? IK_OK
                                : ik_fail_memory(err, r->out.points, "the status of a sweep");
}

static const char status_points[] = "SELECT id FROM points WHERE " STORE_CURRENT;

static const char status_progress[] =
    "SELECT json_extract(value, '$.points'), json_extract(value, '$.jobs'), json_extract(value, "
    "'$.reused'), json_extract(value, '$.milliseconds'), ifnull(json_extract(value, '$.machine'), "
    "''), ifnull(json_extract(value, '$.file'), 0) FROM meta WHERE key = 'run'";

static const char status_failed_points[] =
    "SELECT iif(p.deadlock <> '', 'deadlock', 'not completed'), p.id, 1, q.routing || ' with ' || "
    "p.traffic || iif(p.load > 0, printf(' at load %.3g', p.load), '') || ', seed ' || p.seed || "
    "', on ' || f.spec, p.deadlock || p.missing FROM points AS p, plans AS q, fabrics AS f WHERE "
    "(p.deadlock <> '' OR p.missing <> '') AND q.id = p.plan AND f.id = p.fabric AND "
    "p." STORE_CURRENT " ORDER BY p.id";

static const char status_failed_plans[] =
    "SELECT 'proof failed', min(p.id), count(*), q.routing || ' on ' || f.spec, trim("
    "iif(json_extract(q.proof, '$.delivered') = 0, 'it does not deliver all pairs; ', '') || "
    "iif(json_extract(q.proof, '$.loop_free') = 0, 'it has loops; ', '') || "
    "iif(json_extract(q.proof, '$.deadlock_free') = 0, 'it can deadlock; ', ''), '; ') FROM points "
    "AS p, plans AS q, fabrics AS f WHERE q.failed = 1 AND p.plan = q.id AND f.id = q.fabric AND "
    "p." STORE_CURRENT " GROUP BY q.id ORDER BY 2";

/* What no run can finish, as the files say whose runs came to their end. */
static const char status_left_out[] =
    "SELECT 'left out', json_extract(value, '$.first'), json_extract(value, '$.points'), "
    "json_extract(value, '$.what'), json_extract(value, '$.why') FROM json_each((SELECT value FROM "
    "meta WHERE key = 'left_out'))";

static ik_status status_take_rows(reading *r, const store *s, ik_error *err)
{
    static const struct {
        const char *sql, *what;
        status_fn take;
    } queries[] = {{status_points, "point", status_take_done},
                   {status_progress, "the run of the file", status_take_progress},
                   {status_failed_points, "point", status_take_point},
                   {status_failed_plans, "plan", status_take_plan},
                   {status_left_out, "what was left out", status_take_left_out}};
    size_t num = sizeof queries / sizeof *queries;
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = status_each(r, s, queries[i].sql, queries[i].what, queries[i].take, err);
    return status;
}

/* Whether a run on this machine writes the file, and how old it is. A run of this machine that does
 * not hold the file (of_here) was killed. */
static void status_examine(ik_sweep_file *f, uint64_t of_here)
{
    struct stat info;
    bool killed = false;
    int file = open(f->path, O_RDONLY | O_CLOEXEC);
    bool taken = file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0;
    f->held = file >= 0 && !taken && errno == EWOULDBLOCK;
    if (file >= 0 && fstat(file, &info) == 0) {
        f->written_s = fmax(0, difftime(time(NULL), info.st_mtime));
        killed = taken && of_here && (info.st_ino & INT64_MAX) == of_here;
    }
    if (file >= 0)
        close(file);
    f->running = f->held || (f->jobs && !killed && f->written_s < status_fresh_s);
}

static ik_status status_take_file(reading *r, const char *path, ik_error *err)
{
    store *s = NULL;
    ik_sweep_file *files =
        status_grow(r, r->files, r->out.num_files, &r->files_room, sizeof *files, err);
    const char *name = files ? ik_arena_strdup(&r->arena, path) : NULL;
    if (!name)
        return ik_fail_memory(err, strlen(path), "the status of a sweep");
    r->files = files;
    files[r->out.num_files++] = (ik_sweep_file){.path = name, .left_s = NAN};
    r->out.files = files;
    r->of_here = 0;
    ik_status status = store_open(path, &s, err);
    if (status != IK_OK)
        return status;
    status = stored_same_sweep(&r->sweep, s, err);
    if (status == IK_OK && r->out.num_files == 1)
        status = status_take_first(r, s, err);
    if (status == IK_OK)
        status = status_take_rows(r, s, err);
    store_close(s); /* before its file is closed elsewhere: that drops SQLite's locks */
    status_examine(&files[r->out.num_files - 1], r->of_here);
    return status;
}

/* The files of a name; of a folder those that end with .db and have anything in them. */
static ik_status status_take_path(reading *r, const char *path, ik_error *err)
{
    struct stat info;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    size_t before = r->out.num_files;
    char **files = NULL;
    uint32_t num = 0;
    ik_status status = ik_file_list(path, &files, &num, err);
    for (uint32_t i = 0; i < num && status == IK_OK; i++) {
        const char *dot = strrchr(files[i], '.');
        bool results = dot && strcmp(dot, ".db") == 0;
        if (!folder || (results && stat(files[i], &info) == 0 && info.st_size > 0))
            status = status_take_file(r, files[i], err);
    }
    ik_file_list_free(files, num);
    if (status != IK_OK || r->out.num_files > before)
        return status;
    ik_fail(err, IK_ERR_INPUT, "'%.200s' has no results file (*.db)", path);
    return ik_hint(err, IK_ERR_INPUT,
                   "runs write theirs when they begin, and tasks of 'ikat submit' "
                   "a minute later");
}

/* ---- what the files left out */

static int status_by_point(const void *a, const void *b)
{
    const ik_sweep_failure *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : strcmp(x->what, y->what);
}

static int status_by_reason(const void *a, const void *b)
{
    const ik_sweep_failure *x = a, *y = b;
    int what = strcmp(x->what, y->what), why = what ? what : strcmp(x->why, y->why);
    return why ? why : status_by_point(a, b);
}

/* Shards name the points of a plan several times, and each its own of a row of points: those that
 * overlap or follow each other, for the same reason, are one. */
static ik_status status_join_left_out(reading *r, ik_error *err)
{
    ik_sweep_failure *list = r->left_out;
    size_t num = 0;
    ik_status status = IK_OK;
    if (r->num_left_out)
        qsort(list, r->num_left_out, sizeof *list, status_by_reason);
    for (size_t i = 0; i < r->num_left_out; i++) {
        ik_sweep_failure *last = num ? &list[num - 1] : NULL;
        uint64_t end = list[i].first + list[i].points;
        if (!last || strcmp(last->what, list[i].what) != 0 || strcmp(last->why, list[i].why) != 0 ||
            list[i].first > last->first + last->points)
            list[num++] = list[i];
        else if (end > last->first + last->points)
            last->points = end - last->first;
    }
    if (num)
        qsort(list, num, sizeof *list, status_by_point);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        r->out.left_out += list[i].points;
        status = status_add_failure(r, &list[i], err);
    }
    return status;
}

static void status_sum_up(ik_sweep_status *s)
{
    s->left_s = NAN;
    for (size_t i = 0; i < s->num_files; i++) {
        const ik_sweep_file *f = &s->files[i];
        uint64_t left = f->points > f->done ? f->points - f->done : 0;
        if (!f->running)
            continue;
        s->running += left < f->jobs ? left : f->jobs;
        s->left_s = fmax(s->left_s, f->left_s); /* the other one if one is NAN */
    }
    uint64_t known = s->done + s->left_out;
    uint64_t rest = s->points > known ? s->points - known : 0;
    s->running = s->running < rest ? s->running : rest;
    s->left = rest - s->running;
}

ik_status ik_sweep_status_read(const char *const *paths, size_t num, ik_sweep_status **out,
                               ik_error *err)
{
    reading *r = ik_calloc(1, sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "the status of a sweep");
    ik_status status = num ? IK_OK : ik_fail(err, IK_ERR_USAGE, "no results file is named");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = status_take_path(r, paths[i], err);
    if (status == IK_OK)
        status = status_join_left_out(r, err);
    status_sum_up(&r->out);
    if (status == IK_OK)
        *out = &r->out;
    else
        ik_sweep_status_free(&r->out);
    return status;
}

void ik_sweep_status_free(ik_sweep_status *s)
{
    reading *r = (reading *)(void *)s; /* its first member */
    if (!r)
        return;
    stored_sweep_free(&r->sweep);
    free(r->done);
    free(r->failed);
    ik_arena_free(&r->arena);
    free(r);
}
