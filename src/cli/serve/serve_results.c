/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_results.c: the results that are served, as they are now: how far they are, and their page.
 *
 * The page is the one that `ikat report` makes, with a line that loads the script of the server.
 * What was read is kept until the files have changed.
 */
#define _GNU_SOURCE /* memmem */
#include "serve.h"

#include "ikat/experiment.h"
#include "ikat/json.h"
#include "ikat/report.h"
#include "status.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SERVE_VERSION = 96 };

struct serve_results {
    const char *const *names; /* [num_names], borrowed */
    size_t num_names;
    /* how far they are, with status_lock held */
    pthread_mutex_t status_lock;
    char *status;                /* JSON; NULL: not read yet */
    char version[SERVE_VERSION]; /* changes when the page would; "": there is none */
    double status_until;         /* the status is read again after this */
    /* their page */
    uint64_t page_stamp; /* of the files of which it was made */
    char page_version[SERVE_VERSION];
    bool page_made, page_good;
    /* the specs of what it shows, with specs_lock held */
    pthread_mutex_t specs_lock;
    char **specs[IK_RESULTS_TRAFFIC + 1];
    size_t num_specs[IK_RESULTS_TRAFFIC + 1];
    /* who was asked to stop, with stop_lock held */
    pthread_mutex_t stop_lock;
    serve_asked asked;
};

serve_results *serve_results_open(const char *const *names, size_t num)
{
    serve_results *r = ik_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->names = names;
    r->num_names = num;
    pthread_mutex_init(&r->status_lock, NULL);
    pthread_mutex_init(&r->stop_lock, NULL);
    pthread_mutex_init(&r->specs_lock, NULL);
    return r;
}

static void serve_specs_free(char **specs, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(specs[i]);
    free(specs);
}

void serve_results_close(serve_results *r)
{
    if (!r)
        return;
    for (size_t what = 0; what <= IK_RESULTS_TRAFFIC; what++)
        serve_specs_free(r->specs[what], r->num_specs[what]);
    pthread_mutex_destroy(&r->specs_lock);
    serve_stop_end(&r->asked);
    pthread_mutex_destroy(&r->status_lock);
    pthread_mutex_destroy(&r->stop_lock);
    free(r->status);
    free(r);
}

/* ---- the files that are there */

typedef struct serve_files {
    char **paths; /* [num] */
    size_t num, room;
} serve_files;

static void serve_files_free(serve_files *f)
{
    for (size_t i = 0; i < f->num; i++)
        free(f->paths[i]);
    free(f->paths);
    *f = (serve_files){0};
}

/* Adds a file in which there is anything; name: in the folder `path`, NULL: the path itself. A run
 * makes its file empty first. false: no memory. */
static bool serve_files_add(serve_files *f, const char *path, const char *name)
{
    struct stat info;
    if (f->num == f->room) {
        size_t room = f->room ? 2 * f->room : 16;
        char **paths = realloc(f->paths, room * sizeof *paths);
        if (!paths)
            return false;
        f->paths = paths;
        f->room = room;
    }
    size_t size = strlen(path) + (name ? strlen(name) : 0) + 2;
    char *full = malloc(size);
    if (!full)
        return false;
    snprintf(full, size, "%s%s%s", path, name ? "/" : "", name ? name : "");
    if (stat(full, &info) == 0 && (info.st_size > 0 || !S_ISREG(info.st_mode)))
        f->paths[f->num++] = full;
    else
        free(full);
    return true;
}

static int serve_files_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those of a folder that end with .db. */
static bool serve_files_add_folder(serve_files *f, DIR *folder, const char *path)
{
    bool added = true;
    size_t first = f->num;
    for (struct dirent *e; added && (e = readdir(folder));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && dot != e->d_name && strcmp(dot, ".db") == 0)
            added = serve_files_add(f, path, e->d_name);
    }
    if (f->num > first)
        qsort(f->paths + first, f->num - first, sizeof *f->paths, serve_files_order);
    return added;
}

static ik_status serve_files_find(const serve_results *r, serve_files *f, ik_error *err)
{
    bool added = true;
    *f = (serve_files){0};
    for (size_t i = 0; i < r->num_names && added; i++) {
        DIR *folder = opendir(r->names[i]);
        added = folder ? serve_files_add_folder(f, folder, r->names[i])
                       : serve_files_add(f, r->names[i], NULL);
        if (folder)
            closedir(folder);
    }
    if (added)
        return IK_OK;
    serve_files_free(f);
    return ik_fail_memory(err, 0, "the names of results files");
}

static uint64_t serve_files_mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3) ^ hash >> 29;
}

/* Changes when other files take their places; with `contents` also when one of them, or what SQLite
 * writes beside it, does. */
static uint64_t serve_files_stamp(const serve_files *f, bool contents)
{
    static const char *const beside[] = {"", "-wal", "-journal"};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < 3 * f->num; i += contents ? 1 : 3) {
        char path[4200];
        struct stat s;
        snprintf(path, sizeof path, "%s%s", f->paths[i / 3], beside[i % 3]);
        if (stat(path, &s) != 0)
            s = (struct stat){.st_size = -1};
        const uint64_t parts[] = {(uint64_t)s.st_dev, (uint64_t)s.st_ino, (uint64_t)s.st_size,
                                  (uint64_t)s.st_mtim.tv_sec, (uint64_t)s.st_mtim.tv_nsec};
        for (size_t k = 0; k < (contents ? sizeof parts / sizeof *parts : 2); k++)
            hash = serve_files_mix(hash, parts[k]);
    }
    return hash;
}

/* ---- how far they are */

static const char *serve_status_state(const ik_sweep_status *s)
{
    const char *state = "ended";
    for (size_t i = 0; i < s->num_files; i++) {
        if (s->files[i].running)
            return "running";
        if (s->files[i].points)
            state = "stopped";
    }
    return state;
}

static bool serve_status_held(const ik_sweep_status *s)
{
    for (size_t i = 0; i < s->num_files; i++)
        if (s->files[i].held)
            return true;
    return false;
}

/* s NULL: there is none, for the reason `why`. With status_lock held. */
static void serve_status_write(serve_results *r, const serve_files *f, const ik_sweep_status *s,
                               const char *state, const char *why)
{
    ik_json j;
    ik_error err;
    char *text = NULL;
    r->version[0] = '\0';
    if (s)
        snprintf(r->version, sizeof r->version, "%llu.%llu.%llu.%llx", (unsigned long long)s->done,
                 (unsigned long long)s->failed, (unsigned long long)s->left_out,
                 (unsigned long long)serve_files_stamp(f, false));
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_json_uint(&j, "version", IK_JSON_VERSION);
    ik_json_text(&j, "state", state);
    ik_json_optional(&j, "why", why);
    ik_json_text(&j, "page", r->version);
    ik_json_bool(&j, "can_stop", s && serve_status_held(s));
    if (s) {
        ik_json_object(&j, "status");
        status_put_members(&j, s);
        ik_json_close(&j);
    } else {
        ik_json_null(&j, "status");
    }
    ik_json_close(&j);
    if (ik_json_end_text(&j, &text, NULL, &err) != IK_OK)
        return; /* what was known stays */
    free(r->status);
    r->status = text;
}

static void serve_status_say_waiting(serve_results *r)
{
    char why[SERVE_SENTENCE];
    snprintf(why, sizeof why,
             "'%.120s'%s has no results yet: a run writes its file when its points are planned",
             cli_line(r->names[0]), r->num_names > 1 ? " and the others" : "");
    serve_status_write(r, NULL, NULL, "waiting", why);
}

/* Reads it again if it is time. With status_lock held. */
static ik_status serve_status_refresh(serve_results *r, ik_error *err)
{
    double began = ik_clock_s(CLOCK_MONOTONIC);
    serve_files files;
    ik_sweep_status *s = NULL;
    char why[CLI_ERROR];
    if (r->status && began < r->status_until)
        return IK_OK;
    ik_status status = serve_files_find(r, &files, err);
    if (status == IK_OK && !files.num) {
        serve_status_say_waiting(r);
    } else if (status == IK_OK) {
        status = ik_sweep_status_read((const char *const *)(void *)files.paths, files.num, &s, err);
        if (status == IK_OK)
            serve_status_write(r, &files, s, serve_status_state(s), NULL);
        ik_sweep_status_free(s);
    }
    if (status != IK_OK)
        serve_status_write(r, NULL, NULL, "error", cli_error_text(err, why, sizeof why));
    serve_files_free(&files);
    double now = ik_clock_s(CLOCK_MONOTONIC);
    r->status_until = now + fmax(1, 10 * (now - began));
    return status;
}

ik_status serve_results_check(serve_results *r, ik_error *err)
{
    pthread_mutex_lock(&r->status_lock);
    ik_status status = serve_status_refresh(r, err);
    pthread_mutex_unlock(&r->status_lock);
    return status;
}

char *serve_results_status(serve_results *r)
{
    ik_error err;
    pthread_mutex_lock(&r->status_lock);
    serve_status_refresh(r, &err);
    char *text = r->status ? strdup(r->status) : NULL;
    pthread_mutex_unlock(&r->status_lock);
    return text;
}

/* ---- their page */

/* A folder for the files of one page, of which nothing stays. */
typedef struct serve_scratch {
    serve_folder folder;
    char page[SERVE_FOLDER + 24], merged[SERVE_FOLDER + 24];
} serve_scratch;

static ik_status serve_scratch_make(serve_scratch *s, ik_error *err)
{
    ik_status status = serve_folder_make(&s->folder, err);
    if (status != IK_OK)
        return status;
    snprintf(s->page, sizeof s->page, "%s/page.html", s->folder.path);
    snprintf(s->merged, sizeof s->merged, "%s/merged.db", s->folder.path);
    return IK_OK;
}

/* The file with `line` in front of its last "</body>"; free *text. */
static ik_status serve_page_read(const char *path, const char *line, char **text, size_t *size,
                                 ik_error *err)
{
    static const char mark[] = "</body>";
    struct stat info;
    FILE *file = fopen(path, "re");
    size_t room = file && fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0,
           added = strlen(line);
    char *page = malloc(room + added + 1);
    size_t length = page && file ? fread(page, 1, room, file) : 0;
    if (file)
        fclose(file);
    size_t at = length;
    while (page && at > 0 && strncmp(page + at - 1, mark, sizeof mark - 1) != 0)
        at--;
    if (!page || !length || length != room || !at) {
        free(page);
        return page ? ik_fail(err, IK_ERR_IO, "the page cannot be read: '%.200s'", path)
                    : ik_fail_memory(err, room, "the page");
    }
    memmove(page + at - 1 + added, page + at - 1, length - at + 1);
    memcpy(page + at - 1, line, added);
    *text = page;
    *size = length + added;
    return IK_OK;
}

/* Its elements with data, which stand between the one that it fills and its script, and `line`. */
static ik_status serve_page_take_data(serve_page *page, const char *line, ik_error *err)
{
    static const char before[] = "<div id=\"app\"></div>\n", after[] = "\n<script>";
    const char *from = memmem(page->html, page->size, before, sizeof before - 1);
    from += from ? sizeof before - 1 : 0;
    const char *to =
        from ? memmem(from, page->size - (size_t)(from - page->html), after, sizeof after - 1)
             : NULL;
    if (!to)
        return ik_fail(err, IK_ERR_INTERNAL, "the report's page has no data");
    size_t length = (size_t)(to - from) + 1, added = strlen(line);
    page->data = malloc(length + added + 1);
    if (!page->data)
        return ik_fail_memory(err, length, "the page's data");
    memcpy(page->data, from, length);
    memcpy(page->data + length, line, added + 1);
    page->data_size = length + added;
    return IK_OK;
}

/* Those of one kind; one that stands behind its like is left out. */
static ik_status serve_specs_take(serve_results *r, const ik_results *results, ik_results_list what,
                                  ik_error *err)
{
    size_t num = 0, kept = 0;
    while (ik_results_spec(results, what, num))
        num++;
    char **specs = ik_calloc(num + 1, sizeof *specs);
    for (size_t i = 0; specs && i < num; i++) {
        const char *spec = ik_results_spec(results, what, i);
        if (kept && strcmp(specs[kept - 1], spec) == 0)
            continue;
        specs[kept] = strdup(spec);
        if (!specs[kept++]) {
            serve_specs_free(specs, kept);
            specs = NULL;
        }
    }
    if (!specs)
        return ik_fail_memory(err, num, "what the page shows");
    pthread_mutex_lock(&r->specs_lock);
    serve_specs_free(r->specs[what], r->num_specs[what]);
    r->specs[what] = specs;
    r->num_specs[what] = kept;
    pthread_mutex_unlock(&r->specs_lock);
    return IK_OK;
}

static ik_status serve_page_write(serve_results *r, const char *store, const char *path,
                                  ik_error *err)
{
    ik_results *results = NULL;
    ik_status status = ik_results_open(store, &results, err);
    for (size_t what = 0; what <= IK_RESULTS_TRAFFIC && status == IK_OK; what++)
        status = serve_specs_take(r, results, (ik_results_list)what, err);
    if (status == IK_OK)
        status = ik_results_html(results, path, err);
    ik_results_close(results);
    return status;
}

bool serve_results_has(serve_results *r, ik_results_list what, const char *spec)
{
    bool found = false;
    pthread_mutex_lock(&r->specs_lock);
    for (size_t i = 0; i < r->num_specs[what] && !found; i++)
        found = strcmp(r->specs[what][i], spec) == 0;
    pthread_mutex_unlock(&r->specs_lock);
    return found;
}

ik_status serve_results_settings(serve_results *r, uint64_t point, ik_settings **out, ik_error *err)
{
    serve_files files;
    ik_status status = serve_files_find(r, &files, err);
    if (status != IK_OK)
        return status;
    status = ik_fail(err, IK_ERR_INPUT, "there is no point %llu", (unsigned long long)point);
    for (size_t i = 0; i < files.num && status == IK_ERR_INPUT; i++)
        status = ik_report_settings(files.paths[i], point, out, err);
    serve_files_free(&files);
    return status;
}

/* Of several files, those of shards, the page is that of all. */
static ik_status serve_page_make(serve_results *r, const serve_files *f, const char *line,
                                 char **text, size_t *size, ik_error *err)
{
    serve_scratch scratch;
    ik_merged merged;
    const char *store = f->paths[0];
    ik_status status = serve_scratch_make(&scratch, err);
    if (status != IK_OK)
        return status;
    if (f->num > 1) {
        status = ik_results_merge((const char *const *)(void *)f->paths, f->num, scratch.merged,
                                  &merged, err);
        store = scratch.merged;
    }
    if (status == IK_OK)
        status = serve_page_write(r, store, scratch.page, err);
    if (status == IK_OK)
        status = serve_page_read(scratch.page, line, text, size, err);
    serve_folder_remove(&scratch.folder);
    return status;
}

/* A text without what HTML reads as more than text. */
static void serve_page_plain(char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            *text = ' ';
}

/* The page while there are no results. `version`: of the results of which none could be made. */
static ik_status serve_page_without(const char *version, char *why, char **text, size_t *size,
                                    ik_error *err)
{
    static const char page[] =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" "
        "content=\"light dark\"><title>ikat serve</title></head>\n<body style=\"font: 15px/1.5 "
        "system-ui, sans-serif; margin: 3rem auto; max-width: 50rem; padding: 0 1rem\">"
        "<h1>No results to show</h1><p id=\"why\">%s</p>\n<script src=\"live.js\" "
        "data-page=\"%s\"></script>\n</body></html>\n";
    serve_page_plain(why);
    int length = snprintf(NULL, 0, page, why, version);
    char *made = malloc((size_t)length + 1);
    if (!made)
        return ik_fail_memory(err, (size_t)length + 1, "the page");
    snprintf(made, (size_t)length + 1, page, why, version);
    *text = made;
    *size = (size_t)length;
    return IK_OK;
}

static void serve_page_version(serve_results *r, char version[SERVE_VERSION])
{
    ik_error err;
    pthread_mutex_lock(&r->status_lock);
    serve_status_refresh(r, &err);
    memcpy(version, r->version, SERVE_VERSION);
    pthread_mutex_unlock(&r->status_lock);
}

static ik_status serve_page_renew(serve_results *r, const serve_files *f, serve_page *page,
                                  ik_error *err)
{
    char version[SERVE_VERSION], line[256], why[CLI_ERROR] = "They are not there yet.";
    uint64_t stamp = serve_files_stamp(f, true);
    serve_page_version(r, version);
    if (r->page_made && r->page_good && stamp == r->page_stamp &&
        strcmp(version, r->page_version) == 0)
        return IK_OK;
    snprintf(line, sizeof line, "<script src=\"live.js\" data-page=\"%s\"></script>\n", version);
    ik_status status = f->num ? serve_page_make(r, f, line, &page->html, &page->size, err) : IK_OK;
    if (f->num && status == IK_OK)
        status = serve_page_take_data(page, line, err);
    r->page_good = f->num && status == IK_OK;
    if (status != IK_OK)
        cli_error_text(err, why, sizeof why);
    if (!r->page_good) {
        free(page->html);
        page->html = NULL;
        status = serve_page_without(version, why, &page->html, &page->size, err);
    }
    r->page_made = status == IK_OK;
    r->page_stamp = stamp;
    memcpy(r->page_version, version, sizeof version);
    return status;
}

ik_status serve_results_page(serve_results *r, serve_page *out, ik_error *err)
{
    serve_files files;
    *out = (serve_page){0};
    ik_status status = serve_files_find(r, &files, err);
    if (status == IK_OK) {
        status = serve_page_renew(r, &files, out, err);
        serve_files_free(&files);
    }
    out->good = r->page_good;
    return status;
}

/* ---- their runs */

unsigned serve_results_stop(serve_results *r, char sentence[SERVE_SENTENCE])
{
    serve_files files;
    ik_error err;
    unsigned asked = 0;
    if (serve_files_find(r, &files, &err) != IK_OK) {
        snprintf(sentence, SERVE_SENTENCE, "%.200s", err.text);
        return 0;
    }
    pthread_mutex_lock(&r->stop_lock);
    for (size_t i = 0; i < files.num; i++)
        asked += serve_stop_writer(&r->asked, files.paths[i]);
    pthread_mutex_unlock(&r->stop_lock);
    serve_files_free(&files);
    if (asked)
        snprintf(sentence, SERVE_SENTENCE, "%s asked to stop; finished points are kept",
                 asked == 1 ? "The run was" : "The runs were");
    else
        snprintf(sentence, SERVE_SENTENCE,
                 "No run of yours on this machine writes the results: stop it where it was begun");
    return asked;
}
