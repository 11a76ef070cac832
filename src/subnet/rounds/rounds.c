/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.c: rounds. A round is computed beside what is in force and becomes it when it is kept; so
 * it can be given up at any point.
 */
#include "base/output/temporary.h"
#include "base/spec_text.h"
#include "ikat/subnet_files.h"
#include "ikat/topology.h"
#include "subnet/rounds/rounds_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAMED = 1000,       /* findings of one kind: what is not named cannot be told apart */
    ERRORS_COUNTED = 1, /* how ibqueryerrors ends where a port has counted errors */
    FILE_NAME = 256     /* bytes of a path in the folder: as ik_error keeps them */
};
static const char *const own_files[] = {"lock", "state.json", "fabric", "tables", "counters"};

/* A fabric and its audit, as of one good round. */
typedef struct rounds_view {
    ik_fabric *fabric;
    ik_audit audit;
    bool audited; /* else the fabric was read from the folder, to be compared with */
} rounds_view;

struct ik_subnet_watch {
    const ik_subnet_watch_config *config;
    char folder[FILE_NAME - 32];
    bool temporary;
    int lock;
    rounds_state states[2]; /* [now] is in force */
    rounds_view views[2];   /* [seen] is in force */
    unsigned now, seen;
    bool good, read; /* the last round; any of this process */
    rounds_changes changes;
    const char *unwritten[2]; /* place of what could not be written since the last round, NULL */
    char why_unwritten[2][512];
};

const char *ik_round_input_name(ik_round_input input)
{
    static const char *const names[] = {"fabric", "tables", "counters"};
    return names[input];
}

const char *ik_round_event_name(ik_round_event event)
{
    static const char *const names[] = {"vanished", "appeared", "opened", "grew", "closed"};
    return names[event];
}

static const char *rounds_file(const ik_subnet_watch *w, const char *name, const char *ending,
                               char path[FILE_NAME])
{
    snprintf(path, FILE_NAME, "%s/%s%s", w->folder, name, ending);
    return path;
}

static void rounds_view_free(rounds_view *v)
{
    ik_audit_free(&v->audit);
    ik_fabric_free(v->fabric);
    *v = (rounds_view){0};
}

/* ---- the folder */

static ik_status rounds_make_folder(ik_subnet_watch *w, ik_error *err)
{
    const char *given = w->config->folder, *base = getenv("TMPDIR");
    int length = given ? snprintf(w->folder, sizeof w->folder, "%s", given)
                       : snprintf(w->folder, sizeof w->folder, "%s/ikat-watch-XXXXXX",
                                  base && *base ? base : "/tmp");
    if (length <= 0 || (size_t)length >= sizeof w->folder)
        return ik_fail(err, IK_ERR_USAGE,
                       "the name of the folder of the state has %d bytes, expected 1 to %zu",
                       length, sizeof w->folder - 1);
    w->temporary = !given && mkdtemp(w->folder);
    if (given ? mkdir(given, 0700) == 0 || errno == EEXIST : w->temporary)
        return IK_OK;
    ik_fail_at(err, IK_ERR_IO, w->folder, 0, 0, "the folder of the state cannot be made: %s",
               strerror(errno));
    return ik_hint(err, IK_ERR_IO, "the folder that it is to lie in must be there");
}

/* Files of another that have the names of those here are not replaced. */
static ik_status rounds_check_folder(const ik_subnet_watch *w, ik_error *err)
{
    char path[FILE_NAME];
    bool ours = access(rounds_file(w, own_files[0], "", path), F_OK) == 0;
    for (size_t i = 1; i < sizeof own_files / sizeof *own_files && !ours; i++)
        if (access(rounds_file(w, own_files[i], "", path), F_OK) == 0) {
            ik_fail_at(err, IK_ERR_USAGE, path, 0, 0,
                       "the state would replace this file, which no watch has written");
            return ik_hint(err, IK_ERR_USAGE, "name a folder of its own");
        }
    return IK_OK;
}

static ik_status rounds_lock(ik_subnet_watch *w, ik_error *err)
{
    char path[FILE_NAME];
    w->lock = open(rounds_file(w, "lock", "", path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (w->lock < 0)
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
    if (file_lock(w->lock))
        return IK_OK;
    if (errno != EWOULDBLOCK)
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be locked: %s", strerror(errno));
    ik_fail_at(err, IK_ERR_USAGE, w->folder, 0, 0, "another 'ikat watch' uses this folder");
    return ik_hint(err, IK_ERR_USAGE, "end it, or name another folder");
}

static ik_status rounds_read_fabric(const ik_subnet_watch *w, const char *path, const ik_env *env,
                                    ik_fabric **out, ik_error *err)
{
    ik_guids_matched matched[2];
    ik_fabric *f = NULL;
    ik_arena arena = {0};
    const char *file = spec_text_quoted(path, &arena),
               *spec = file ? ik_arena_printf(&arena, "file:path=%s", file) : NULL;
    ik_status status = spec ? ik_fabric_from_spec(spec, env, &f, err)
                            : ik_fail_memory(err, strlen(path), "a name of a file");
    ik_arena_free(&arena);
    if (status == IK_OK)
        status = ik_names_and_lids_apply(f, w->config->names, w->config->guid2lid, path, env,
                                         matched, err);
    if (status == IK_OK)
        *out = f;
    else
        ik_fabric_free(f);
    return status;
}

/* The state of an earlier process. *note says what is damaged in it: findings are put aside, a
 * fabric is not compared with. */
static ik_status rounds_resume(ik_subnet_watch *w, const ik_env *env, ik_error *note, ik_error *err)
{
    char path[FILE_NAME], aside[FILE_NAME];
    rounds_file(w, "state.json", "", path);
    if (access(path, F_OK) != 0)
        return IK_OK;
    ik_status status = rounds_state_read(path, &w->states[0], note);
    if (status == IK_ERR_INPUT) {
        rename(path, rounds_file(w, "state.json", ".damaged", aside));
        ik_hint(note, status, "the state is begun anew: all findings are reported again");
        return IK_OK;
    }
    if (status == IK_OK && access(rounds_file(w, "fabric", "", path), F_OK) == 0)
        status = rounds_read_fabric(w, path, env, &w->views[0].fabric, note);
    if (status == IK_ERR_INPUT) {
        ik_hint(note, status, "the next round does not say what vanished or appeared since");
        return IK_OK;
    }
    if (status != IK_OK && err)
        *err = *note;
    return status;
}

ik_status ik_subnet_watch_open(const ik_subnet_watch_config *config, const ik_env *env,
                               ik_subnet_watch **out, ik_error *note, ik_error *err)
{
    ik_error unused;
    note = note ? note : &unused;
    *note = (ik_error){.status = IK_OK};
    if (!config->commands[IK_ROUND_FABRIC])
        return ik_fail(err, IK_ERR_USAGE, "a command that prints the fabric is required");
    ik_subnet_watch *w = ik_calloc(1, sizeof *w);
    if (!w)
        return ik_fail_memory(err, sizeof *w, "a watch");
    *w = (ik_subnet_watch){.config = config, .lock = -1};
    ik_status status = rounds_make_folder(w, err);
    if (status == IK_OK)
        status = rounds_check_folder(w, err);
    if (status == IK_OK)
        status = rounds_lock(w, err);
    if (status == IK_OK)
        status = rounds_resume(w, env, note, err);
    if (status == IK_OK)
        *out = w;
    else
        ik_subnet_watch_close(w);
    return status;
}

void ik_subnet_watch_close(ik_subnet_watch *w)
{
    char path[FILE_NAME];
    if (!w)
        return;
    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++) {
        unlink(rounds_file(w, own_files[i], ".new", path));
        if (w->temporary)
            unlink(rounds_file(w, own_files[i], "", path));
    }
    if (w->temporary)
        rmdir(w->folder);
    if (w->lock >= 0)
        close(w->lock);
    for (unsigned i = 0; i < 2; i++) {
        rounds_state_free(&w->states[i]);
        rounds_view_free(&w->views[i]);
    }
    free(w->changes.list);
    free(w);
}

/* ---- a round: what is found now */

/* What a round finds, before it is compared. */
typedef struct rounds_round {
    ik_subnet_watch *w;
    const ik_env *env;
    ik_round *out;
    rounds_state found; /* unsorted, with times that are not set */
    ik_error *err;
} rounds_round;

static ik_status rounds_add_own(rounds_round *r, ik_severity severity, const char *code,
                                const char *place, const char *text)
{
    const ik_round_finding f = {
        .severity = severity, .code = code, .place = place, .key = place, .text = text};
    return rounds_state_add(&r->found, &f, r->err);
}

static ik_status rounds_note_command(rounds_round *r, ik_round_input input,
                                     const rounds_command *done)
{
    char text[1024];
    const char *name = ik_round_input_name(input), *colon = done->said[0] ? ": " : "";
    r->out->command_s[input] = done->seconds;
    r->out->commands_good[input] = !done->why[0];
    if (!done->why[0] && !done->said[0])
        return IK_OK;
    snprintf(text, sizeof text, "the command of the %s %s%s%s", name,
             done->why[0] ? done->why : "ended well and wrote to standard error", colon,
             done->said);
    r->out->good &= !done->why[0];
    return done->why[0] ? rounds_add_own(r, IK_ERROR, "cannot-read", name, text)
                        : rounds_add_own(r, IK_NOTE, "command-warned", name, text);
}

static ik_status rounds_run_commands(rounds_round *r)
{
    const ik_subnet_watch_config *config = r->w->config;
    ik_status status = IK_OK;
    for (ik_round_input i = 0; i < IK_ROUND_INPUTS && status == IK_OK; i++) {
        char path[FILE_NAME];
        rounds_command done;
        if (!config->commands[i])
            continue;
        status = rounds_command_run(config->commands[i],
                                    rounds_file(r->w, ik_round_input_name(i), ".new", path),
                                    i == IK_ROUND_COUNTERS ? ERRORS_COUNTED : 0, config->timeout_s,
                                    config->output_bytes, r->env, &done, r->err);
        if (status == IK_OK)
            status = rounds_note_command(r, i, &done);
    }
    return status;
}

/* The reading of the round before, or this one itself where there is none that is older. *first:
 * it is this one. false: errno. */
static bool rounds_earlier_counters(const ik_subnet_watch *w, bool *first)
{
    char before[FILE_NAME], now[FILE_NAME];
    struct stat a, b;
    rounds_file(w, "counters", "", before);
    if (stat(rounds_file(w, "counters", ".new", now), &b) != 0)
        return false;
    *first = stat(before, &a) != 0 || a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
             (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec);
    return !*first || ((unlink(before) == 0 || errno == ENOENT) && link(now, before) == 0);
}

/* Ports that only the reading before has are those of nodes that vanished since. */
static bool rounds_is_of_reading_before(const ik_audit_finding *f, const char *counters)
{
    size_t length = strlen(counters);
    return strcmp(f->code, "unknown-counters") == 0 && strncmp(f->text, counters, length) == 0 &&
           f->text[length] == ' ';
}

static ik_status rounds_take_findings(rounds_round *r, const ik_audit *a, const char *counters)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < a->num_findings && status == IK_OK; i++) {
        const ik_audit_finding *f = &a->findings[i];
        const ik_round_finding mine = {.severity = f->severity,
                                       .code = f->code,
                                       .place = f->place ? f->place : "",
                                       .key = f->key,
                                       .text = f->text,
                                       .count = f->count};
        if (!f->known && !rounds_is_of_reading_before(f, counters))
            status = rounds_state_add(&r->found, &mine, r->err);
    }
    return status;
}

/* Reads and audits what the commands printed. */
static ik_status rounds_audit(rounds_round *r, rounds_view *view)
{
    const ik_subnet_watch *w = r->w;
    char fabric[FILE_NAME], tables[FILE_NAME], before[FILE_NAME], later[FILE_NAME];
    bool first = false;
    ik_audit_config config = w->config->audit;
    config.routing = "none";
    config.named = NAMED;
    rounds_file(w, "counters", "", before);
    if (w->config->commands[IK_ROUND_TABLES])
        config.tables = rounds_file(w, "tables", ".new", tables);
    if (w->config->commands[IK_ROUND_COUNTERS]) {
        if (!rounds_earlier_counters(w, &first))
            return ik_fail_at(r->err, IK_ERR_IO, before, 0, 0, "cannot be made: %s",
                              strerror(errno));
        config.counters = before;
        config.counters_later = rounds_file(w, "counters", ".new", later);
        config.interval_s = first ? 1 : 0;
    }
    ik_status status = rounds_read_fabric(w, rounds_file(w, "fabric", ".new", fabric), r->env,
                                          &view->fabric, r->err);
    if (status == IK_OK)
        status = ik_audit_run(view->fabric, &config, r->env, &view->audit, r->err);
    view->audited = status == IK_OK;
    if (status == IK_OK)
        status = rounds_take_findings(r, &view->audit, before);
    if (status != IK_OK && first)
        unlink(before);
    return status;
}

/* The input that an error is about; IK_ROUND_INPUTS: none. */
static ik_round_input rounds_input_of(const ik_subnet_watch *w, const ik_error *err)
{
    char path[FILE_NAME];
    for (ik_round_input i = 0; i < IK_ROUND_INPUTS; i++)
        if (strcmp(err->file, rounds_file(w, ik_round_input_name(i), ".new", path)) == 0 ||
            strcmp(err->file, rounds_file(w, ik_round_input_name(i), "", path)) == 0)
            return i;
    return IK_ROUND_INPUTS;
}

/* What cannot be read is a finding, unless the configuration is wrong from the beginning. */
static ik_status rounds_note_unreadable(rounds_round *r, const ik_error *why)
{
    char place[320] = "", text[1280];
    ik_round_input input = rounds_input_of(r->w, why);
    bool of_command = input != IK_ROUND_INPUTS && why->status != IK_ERR_MEMORY;
    r->out->good = false;
    if (why->status == IK_ERR_CANCELLED || (!of_command && !r->w->read)) {
        if (r->err)
            *r->err = *why;
        return why->status;
    }
    if (why->file[0])
        snprintf(place, sizeof place, "%s:%u:%u: ", why->file, why->line, why->column);
    snprintf(text, sizeof text, "%s%s%s%s", place, why->text, why->hint[0] ? "; " : "", why->hint);
    if (of_command)
        r->out->commands_good[input] = false;
    return rounds_add_own(r, IK_ERROR, "cannot-read",
                          of_command ? ik_round_input_name(input) : "audit", text);
}

static ik_status rounds_find(rounds_round *r, rounds_view *view)
{
    ik_error why = {.status = IK_OK}, *outer = r->err;
    ik_status status = rounds_run_commands(r);
    for (unsigned i = 0; i < 2 && status == IK_OK; i++)
        if (r->w->unwritten[i])
            status = rounds_add_own(r, IK_ERROR, "cannot-write", r->w->unwritten[i],
                                    r->w->why_unwritten[i]);
    if (status != IK_OK || !r->out->good)
        return status;
    r->err = &why;
    status = rounds_audit(r, view);
    r->err = outer;
    if (status == IK_OK)
        return IK_OK;
    rounds_view_free(view);
    return rounds_note_unreadable(r, &why);
}

/* ---- what changed */

static int rounds_order_changes(const void *x, const void *y)
{
    const ik_round_change *a = x, *b = y;
    int order = (a->event > b->event) - (a->event < b->event);
    order = order ? order : (b->severity > a->severity) - (b->severity < a->severity);
    order = order ? order : strcmp(a->code, b->code);
    order = order ? order : strcmp(a->place, b->place);
    return order ? order : strcmp(a->text, b->text);
}

static ik_status rounds_compare(rounds_round *r, rounds_state *next, const rounds_view *view)
{
    ik_subnet_watch *w = r->w;
    const rounds_state *before = &w->states[w->now];
    ik_status status = IK_OK;
    w->changes.arena = &next->arena;
    w->changes.num = 0;
    rounds_state_sort(r->found.findings, r->found.num);
    if (r->out->good && w->views[w->seen].fabric)
        status = rounds_fabric_compare(w->views[w->seen].fabric, view->fabric, &w->changes, r->err);
    if (status == IK_OK)
        status = rounds_merge(before, r->found.findings, r->found.num, r->out->good, r->out->time_s,
                              next, &w->changes, r->err);
    if (status == IK_OK && w->changes.num > 1)
        qsort(w->changes.list, w->changes.num, sizeof *w->changes.list, rounds_order_changes);
    next->rounds = before->rounds + 1;
    next->good_s = r->out->good ? r->out->time_s : before->good_s;
    return status;
}

static ik_status rounds_list_open(ik_round *out, const rounds_state *s, ik_arena *arena,
                                  ik_error *err)
{
    out->findings = ik_arena_alloc(arena, (s->num + 1) * sizeof *out->findings);
    if (!out->findings)
        return ik_fail_memory(err, s->num * sizeof *out->findings, "the findings of a watch");
    for (size_t i = 0; i < s->num; i++)
        if (!(s->findings[i].closed_s > 0)) {
            out->findings[out->num_findings++] = s->findings[i];
            out->open[s->findings[i].severity]++;
        }
    return IK_OK;
}

static void rounds_show_view(ik_round *out, const rounds_view *view)
{
    if (!view->audited)
        return;
    out->fabric = view->fabric;
    out->audit = &view->audit;
    for (uint32_t port = 0; port < view->fabric->num_ports; port++)
        out->cables +=
            view->fabric->port_peer[port] != IK_NONE && view->fabric->port_peer[port] > port;
}

ik_status ik_subnet_watch_round(ik_subnet_watch *w, const ik_env *env, ik_round *out, ik_error *err)
{
    double began = ik_clock_s(CLOCK_MONOTONIC);
    ik_round round = {.good = true, .time_s = ik_clock_s(CLOCK_REALTIME)};
    rounds_round r = {.w = w, .env = env, .out = &round, .err = err};
    rounds_state *next = &w->states[!w->now];
    rounds_view *view = &w->views[!w->seen];
    rounds_state_free(next);
    rounds_view_free(view);
    ik_status status = rounds_find(&r, view);
    if (status == IK_OK)
        status = rounds_compare(&r, next, view);
    rounds_state_free(&r.found);
    if (status == IK_OK)
        status = rounds_list_open(&round, next, &next->arena, err);
    if (status != IK_OK)
        return status;
    w->good = round.good;
    w->read |= round.good;
    rounds_show_view(&round, round.good ? view : &w->views[w->seen]);
    round.number = next->rounds;
    round.good_s = next->good_s;
    round.changes = w->changes.list;
    round.num_changes = w->changes.num;
    round.duration_s = ik_clock_s(CLOCK_MONOTONIC) - began;
    *out = round;
    return IK_OK;
}

/* ---- what stays */

/* What could not be written is a finding of the next round. */
static ik_status rounds_note_write(ik_subnet_watch *w, unsigned what, ik_status status,
                                   const ik_error *why, ik_error *err)
{
    static const char *const places[] = {"state", "metrics"};
    w->unwritten[what] = status == IK_OK ? NULL : places[what];
    if (status == IK_OK)
        return IK_OK;
    snprintf(w->why_unwritten[what], sizeof w->why_unwritten[what], "%.200s: %.300s", why->file,
             why->text);
    if (err)
        *err = *why;
    return status;
}

ik_status ik_subnet_watch_keep(ik_subnet_watch *w, ik_error *err)
{
    char from[FILE_NAME], to[FILE_NAME];
    ik_error why = {.status = IK_OK};
    ik_status status =
        rounds_state_write(rounds_file(w, "state.json", "", to), &w->states[!w->now], &why);
    for (ik_round_input i = 0; i < IK_ROUND_INPUTS && w->good; i++)
        if (w->config->commands[i])
            rename(rounds_file(w, ik_round_input_name(i), ".new", from),
                   rounds_file(w, ik_round_input_name(i), "", to));
    w->now = !w->now;
    w->seen = w->good ? !w->seen : w->seen;
    return rounds_note_write(w, 0, status, &why, err);
}

ik_status ik_subnet_watch_metrics(ik_subnet_watch *w, const ik_round *r, const char *path,
                                  ik_error *err)
{
    ik_error why = {.status = IK_OK};
    ik_output file;
    ik_status status = ik_output_open(&file, path, &why);
    if (status == IK_OK)
        status = ik_output_close(&file, rounds_metrics_print(r, file.out, &why), &why);
    return rounds_note_write(w, 1, status, &why, err);
}
