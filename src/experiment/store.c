/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store.c: opening, refusing, writing and compacting the SQLite file that holds results.
 */
#include "base/file_list.h"
#include "base/output/temporary.h"
#include "experiment/batch/batch.h"
#include "experiment/store_row.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x696b6174 /* "ikat" */, STORE_FORMAT = 18, FIRST_FORMAT = 16 };

struct store {
    sqlite3 *db;
    char *path;
    temporary made; /* what takes the place of `path` once it is whole */
    int lock;       /* file descriptor with an advisory lock while writing, -1 otherwise */
    bool written;
    bool begun;   /* by this process: it had no tables before */
    bool existed; /* as an empty file */
    bool lasting; /* the file holds what is finished, also after a failure */
    bool reading; /* of a file that was opened to be read */
    batch_state batch;
    sqlite3_stmt *insert; /* of a point, NULL = it is not prepared yet */
};

enum { BUSY_MS = 60000 }; /* how long another process is waited for that holds the file */

/* ---- errors */

/* A file that could not be written to its end. */
static ik_status store_write_error(const store *s, int code, ik_error *err)
{
    if (s->reading) {
        ik_fail(err, IK_ERR_IO, "'%.200s' cannot be read: %s", s->path,
                s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
        return ik_hint(err, IK_ERR_IO,
                       "it is copied to the folder for temporary files first: is there room?");
    }
    ik_fail(err, IK_ERR_IO, "cannot write '%.200s': %s", s->path,
            code == SQLITE_FULL ? "the disk is full" : "the disk is full or refused the write");
    return ik_hint(err, IK_ERR_IO, "%smake room and run the same command again",
                   s->lasting ? "every point that was finished a second before is safe in it: "
                              : "");
}

static ik_status store_refuse_foreign(const store *s, const char *is, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.200s' is %s a results file of ikat", s->path, is);
    ik_of_kind(err, IK_ERR_INPUT, IK_ERROR_FOREIGN_FILE);
    return ik_hint(err, IK_ERR_INPUT, "results files are written by 'ikat run'");
}

static ik_status store_sqlite_error(const store *s, int code, ik_error *err)
{
    const char *path = s->path;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return ik_fail_memory(err, 0, "the result store");
    case SQLITE_NOTADB:
        return store_refuse_foreign(s, "not", err);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return store_write_error(s, code & 0xff, err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ik_fail(err, IK_ERR_IO, "'%.200s' is in use by another process", path);
    case SQLITE_READONLY:
        code = sqlite3_extended_errcode(s->db);
        return ik_fail(err, IK_ERR_IO, "cannot write '%.200s': it is %s", path,
                       code == SQLITE_READONLY_DBMOVED ? "gone, or another run's" : "read-only");
    case SQLITE_CANTOPEN:
        return ik_fail(err, IK_ERR_IO, "cannot open '%.200s': %s", path,
                       strerror(errno ? errno : EIO));
    case SQLITE_CORRUPT:
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: %s", path, sqlite3_errmsg(s->db));
    default:
        return ik_fail(err, IK_ERR_IO, "'%.200s': %s", path,
                       s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
    }
}

static ik_status store_done(const store *s, int code, ik_error *err)
{
    return code == SQLITE_OK ? IK_OK : store_sqlite_error(s, code, err);
}

ik_status store_run_sql(const store *s, const char *sql, ik_error *err)
{
    return store_done(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL), err);
}

ik_status store_number(const store *s, const char *sql, int64_t *value, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(s, sql, NULL, &statement, err);
    if (status == IK_OK)
        status = store_step(s, statement, &row, err);
    if (status == IK_OK)
        *value = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status;
}

/* ---- statements */

ik_status store_prepare(const store *s, const char *sql, const char *const *texts,
                        sqlite3_stmt **out, ik_error *err)
{
    int code = sqlite3_prepare_v2(s->db, sql, -1, out, NULL);
    for (int i = 0; code == SQLITE_OK && texts && texts[i]; i++)
        code = sqlite3_bind_text(*out, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK)
        return IK_OK;
    sqlite3_finalize(*out);
    *out = NULL;
    return store_sqlite_error(s, code, err);
}

ik_status store_prepare_made(const store *s, char *sql, sqlite3_stmt **out, ik_error *err)
{
    ik_status status = sql ? store_prepare(s, sql, NULL, out, err)
                           : ik_fail_memory(err, 1000, "a statement of the result store");
    sqlite3_free(sql);
    return status;
}

ik_status store_step(const store *s, sqlite3_stmt *statement, bool *row, ik_error *err)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? IK_OK : store_sqlite_error(s, code, err);
}

ik_status store_execute(const store *s, sqlite3_stmt *statement, ik_error *err)
{
    bool row;
    ik_status status = store_step(s, statement, &row, err);
    sqlite3_finalize(statement);
    return status;
}

ik_status store_begin(store *s, ik_error *err)
{
    s->written = true;
    return store_done(s, batch_begin(&s->batch), err);
}

ik_status store_commit(store *s, ik_error *err)
{
    return store_done(s, batch_commit(&s->batch), err);
}

void store_rollback(store *s)
{
    batch_rollback(&s->batch);
}

ik_status store_flush(store *s, ik_error *err)
{
    return store_done(s, batch_flush(&s->batch), err);
}

batch_progress *store_progress(store *s)
{
    return &s->batch.progress;
}

sqlite3_stmt **store_insert(store *s)
{
    return &s->insert;
}

bool store_is_read(const store *s)
{
    return s->reading;
}

sqlite3 *store_db(const store *s)
{
    return s->db;
}

const char *store_path(const store *s)
{
    return s->path;
}

/* ---- opening */

static ik_status store_refuse_version(const store *s, ik_error *err)
{
    ik_arena arena = {0};
    const char *version = "";
    ik_status status = store_get_meta(s, "version", &arena, &version, err);
    if (status == IK_OK && strcmp(version, ik_version()) != 0) {
        if (version[0])
            status = ik_fail(err, IK_ERR_INPUT,
                             "'%.150s' was written by ikat %.40s, this is ikat %s; results of two "
                             "versions are not mixed",
                             s->path, version, ik_version());
        else
            status =
                ik_fail(err, IK_ERR_INPUT, "'%.150s' does not say which ikat wrote it", s->path);
        ik_hint(err, status, "choose another file with -o");
    }
    ik_arena_free(&arena);
    return status;
}

/* The number of a format changes when stored results mean something else, not when there are more
 * of them. */
static ik_status store_refuse_format(const store *s, int64_t format, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT,
            "'%.200s' has results format %" PRId64 ", whose numbers mean something else than those "
            "of formats %d to %d, which ikat %s knows",
            s->path, format, FIRST_FORMAT, STORE_FORMAT, ik_version());
    return ik_hint(err, IK_ERR_INPUT, "%s",
                   format > STORE_FORMAT ? "a later version of ikat reads it"
                                         : "run the experiment again into another file");
}

/* Is it ours, of a format that is known? *empty: a new database. */
static ik_status store_identify(store *s, bool *empty, ik_error *err)
{
    int64_t id = 0, format = 0, objects = 0;
    ik_status status = store_number(s, "SELECT count(*) FROM sqlite_master", &objects, err);
    if (status == IK_OK)
        status = store_number(s, "PRAGMA application_id", &id, err);
    if (status == IK_OK)
        status = store_number(s, "PRAGMA user_version", &format, err);
    if (status != IK_OK)
        return status;
    *empty = objects == 0 && id == 0;
    if (*empty)
        return IK_OK;
    if (id != APPLICATION_ID)
        return store_refuse_foreign(s, "an SQLite file, but not", err);
    return format >= FIRST_FORMAT && format <= STORE_FORMAT ? store_tables_check(s, format, err)
                                                            : store_refuse_format(s, format, err);
}

static ik_status store_create_tables(store *s, ik_error *err)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             APPLICATION_ID, STORE_FORMAT);
    ik_status status = store_begin(s, err);
    if (status != IK_OK)
        return status;
    status = store_run_sql(s, pragmas, err);
    if (status == IK_OK)
        status = store_tables_create(s, err);
    if (status == IK_OK)
        status = store_set_meta(s, "version", ik_version(), err);
    if (status != IK_OK) {
        store_rollback(s);
        return status;
    }
    return store_commit(s, err);
}

/* What SQLite takes for the file `path` and nothing else (":memory:" and "file:…" mean something to
 * it), and "" for a private database; NULL = out of memory. */
static char *store_sqlite_name(const char *path)
{
    return path[0] == '/' || !path[0] ? sqlite3_mprintf("%s", path) : sqlite3_mprintf("./%s", path);
}

static void store_set_up(sqlite3 *db)
{
    /* the file may be anybody's */
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_busy_timeout(db, BUSY_MS);
}

/* file: what is opened for results in `path`: that, or "", a private database. */
static ik_status store_open_db(const char *path, const char *file, int flags, store **out,
                               ik_error *err)
{
    store *s = ik_calloc(1, sizeof *s);
    char *name = store_sqlite_name(file);
    if (!s || !name || !(s->path = strdup(path))) {
        sqlite3_free(name);
        free(s);
        return ik_fail_memory(err, sizeof *s, "the result store");
    }
    s->lock = -1;
    s->reading = !(flags & SQLITE_OPEN_CREATE);
    errno = 0;
    int code = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_FULLMUTEX, NULL);
    sqlite3_free(name);
    if (code != SQLITE_OK) {
        ik_status status = store_sqlite_error(s, code, err);
        store_close(s);
        return status;
    }
    store_set_up(s->db);
    s->batch.db = s->db;
    *out = s;
    return IK_OK;
}

/* Copies a database as it is at one moment into an empty one; a code of SQLite. */
static int store_copy_pages(sqlite3 *from, sqlite3 *to, const char *schema)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, schema, from, "main");
    if (!backup)
        return sqlite3_errcode(to);
    int code = sqlite3_backup_step(backup, -1), end = sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? end : code;
}

/* A reader sees the file as it was at one moment, however long it reads, and a run that goes on
 * writing it does not wait for the reader: it reads a private copy. */
static ik_status store_take_snapshot(store *s, ik_error *err)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(
        "", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL);
    if (code == SQLITE_OK) {
        store_set_up(copy);
        code = store_copy_pages(s->db, copy, "main");
    }
    ik_status status = store_done(s, code, err);
    sqlite3_close_v2(status == IK_OK ? s->db : copy);
    if (status == IK_OK)
        s->db = s->batch.db = copy;
    return status;
}

ik_status store_copy_into(const store *from, store *to, const char *schema, ik_error *err)
{
    return store_done(from, store_copy_pages(from->db, to->db, schema), err);
}

ik_status store_open(const char *path, store **out, ik_error *err)
{
    struct stat info;
    if (access(path, R_OK) != 0 || stat(path, &info) != 0)
        return ik_fail_open(err, path);
    if (!S_ISREG(info.st_mode))
        return ik_fail(err, IK_ERR_IO, "'%.200s' is %s, expected a results file", path,
                       S_ISDIR(info.st_mode) ? "a directory" : "a device or a pipe");
    store *s = NULL;
    ik_status status = store_open_db(path, path, SQLITE_OPEN_READWRITE, &s, err);
    if (status != IK_OK)
        return status;
    bool empty = false;
    status = store_take_snapshot(s, err);
    if (status == IK_OK)
        status = store_identify(s, &empty, err);
    if (status == IK_OK && empty)
        status = ik_fail(err, IK_ERR_INPUT, "'%.200s' is empty, expected a results file", path);
    if (status != IK_OK) {
        store_close(s);
        return status;
    }
    *out = s;
    return IK_OK;
}

/* SQLite's own locks are per transaction, and would let two runs do the same points. */
static ik_status store_lock_file(store *s, ik_error *err)
{
    s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock >= 0 && file_lock(s->lock))
        return IK_OK;
    if (s->lock < 0 || errno != EWOULDBLOCK)
        return ik_fail(err, IK_ERR_IO, "cannot %s '%.200s'%s: %s", s->lock < 0 ? "open" : "lock",
                       s->path, s->lock < 0 ? " for writing" : "", strerror(errno));
    return ik_fail(err, IK_ERR_IO, "'%.200s' is being written by another 'ikat run'", s->path);
}

/* SQLite tries again to read where it may not write, and no longer says what was wrong. */
static ik_status store_check_writable(const char *path, ik_error *err)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        ik_status status = ik_fail(
            err, IK_ERR_IO, "'%.200s' is not a regular file, and a results file must be one", path);
        return ik_hint(err, status, "name a file with -o, e.g. -o results.db");
    }
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return ik_fail(err, IK_ERR_IO, "cannot open '%.200s' for writing: %s", path,
                       strerror(errno));
    close(file);
    return IK_OK;
}

/* Closes, and takes the file away if this process began it. */
static void close_store(store *s, bool discard)
{
    bool away = discard && s->begun;
    char *target = away ? realpath(s->path, NULL) : NULL; /* a link stays one */
    const char *path = target ? target : s->path;
    if (!discard)
        (void)batch_flush(&s->batch);
    batch_stop(&s->batch);
    sqlite3_finalize(s->insert);
    sqlite3_close_v2(s->db);
    if (away && s->existed)
        (void)!truncate(path, 0);
    else if (away)
        unlink(path);
    free(target);
    if (s->made.name)
        unlink(s->made.name);
    temporary_end(&s->made);
    if (s->lock >= 0)
        /* after SQLite is done: closing any descriptor of a file drops SQLite's locks on it */
        close(s->lock);
    free(s->path);
    free(s);
}

static ik_status begin_or_continue(store *s, ik_error *err)
{
    bool empty = false;
    s->begun = !s->existed; /* goes again if it cannot be made a results file */
    ik_status status = store_identify(s, &empty, err);
    if (status != IK_OK)
        return status;
    s->begun = s->written = empty;
    status = store_run_sql(s, "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;", err);
    if (status == IK_OK)
        batch_start(&s->batch);
    if (status == IK_OK)
        status = empty ? store_create_tables(s, err) : store_refuse_version(s, err);
    s->lasting = status == IK_OK;
    return status;
}

ik_status store_create(const char *path, store **out, ik_error *err)
{
    store *s = NULL;
    bool existed = access(path, F_OK) == 0;
    ik_status status = store_check_writable(path, err);
    if (status == IK_OK)
        status = store_open_db(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &s, err);
    if (status != IK_OK) {
        if (!existed)
            unlink(path);
        return status;
    }
    s->existed = existed;
    status = store_lock_file(s, err);
    int moved = 0; /* a run that held it has ended, and another file is there now */
    sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_HAS_MOVED, &moved);
    if (status == IK_OK && !moved)
        status = begin_or_continue(s, err);
    if (status != IK_OK || moved) {
        close_store(s, true);
        return status == IK_OK ? store_create(path, out, err) : status;
    }
    *out = s;
    return IK_OK;
}

void store_close(store *s)
{
    if (s)
        close_store(s, false);
}

void store_discard(store *s)
{
    close_store(s, true);
}

/* VACUUM INTO leaves that to its caller: renamed before it is on disk, a crash could cost both
 * files. */
static bool store_on_disk(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return done;
}

/* SQLite counts in a file's header how often its schema changed, and VACUUM INTO writes the count
 * of its source plus one. A store that has been continued must have the bytes of one that was never
 * broken off: the count is set to 1. */
static bool reset_schema_count(const char *path)
{
    sqlite3 *db = NULL;
    bool done = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
                sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA schema_version = 1", NULL, NULL,
                             NULL) == SQLITE_OK;
    return sqlite3_close(db) == SQLITE_OK && done;
}

static ik_status store_make_beside(store *s, const char *path, ik_error *err)
{
    if (s->made.name || temporary_file(path, &s->made))
        return IK_OK;
    if (errno == ENOMEM)
        return ik_fail_memory(err, strlen(path), "a file name");
    return ik_fail(err, IK_ERR_IO, "cannot open '%.200s' for writing: %s", path, strerror(errno));
}

/* Writes the store anew into the file that was made, and puts it in place of `path`. */
static ik_status store_write_beside(store *s, const char *made, const char *path, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status =
        store_prepare(s, "VACUUM INTO ?1", (const char *[]){made, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_execute(s, statement, err);
    errno = EIO;
    if (status == IK_OK &&
        (!reset_schema_count(made) || !store_on_disk(made) || rename(made, path) != 0))
        status = ik_fail(err, IK_ERR_IO, "cannot write '%.200s': %s", s->path, strerror(errno));
    if (status == IK_OK)
        temporary_end(&s->made);
    return status;
}

/* Nothing is lost if it fails. */
static ik_status store_rewrite(store *s, const char *path, ik_error *err)
{
    ik_status status = store_make_beside(s, path, err);
    if (status != IK_OK)
        return status;
    char *made = store_sqlite_name(s->made.name);
    if (!made)
        return ik_fail_memory(err, strlen(path), "a file name");
    status = store_write_beside(s, made, path, err);
    sqlite3_free(made);
    return status;
}

void store_compact(store *s)
{
    (void)batch_flush(&s->batch);
    char *path = s->written ? realpath(s->path, NULL) : NULL; /* a link stays one */
    if (path)
        (void)store_rewrite(s, path, NULL); /* else the file stays as it is, which holds the same */
    free(path);
    store_close(s);
}

ik_status store_create_apart(const char *path, store **out, ik_error *err)
{
    store *s = NULL;
    ik_status status = store_open_db(path, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &s, err);
    if (status != IK_OK)
        return status;
    status = store_make_beside(s, path, err); /* known before the work begins */
    if (status == IK_OK)
        status = store_create_tables(s, err);
    if (status == IK_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

ik_status store_publish(store *s, ik_error *err)
{
    ik_status status = store_rewrite(s, s->path, err);
    store_close(s);
    return status;
}
