/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_whatif.c: what would be if links of a fabric failed, or ran below their rate.
 *
 * What is asked is computed by the commands that the answer names, `ikat check`, `ikat load` and
 * `ikat run`, each in a process of its own: so they can be repeated elsewhere with the same result,
 * are ended at any moment, and take nothing with them. A form chooses among what the page shows and
 * the members of families: it cannot name a file.
 */
#define _GNU_SOURCE /* asprintf */
#include "serve.h"

#include "ikat/json.h"
#include "ikat/traffic.h"
#include "serve_form.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    WHATIF_ARGS = 64,
    WHATIF_OK = 200,
    WHATIF_BAD = 400,
    WHATIF_BUSY = 409,
    WHATIF_FAILED = 422
};
/* Of a proof and loads; of a simulation, whose work is bounded by packet-hops besides. */
static const double whatif_static_s = 30, whatif_simulation_s = 60;
static const uint64_t whatif_hops = 5000000;

struct serve_whatif {
    const cli *c;
    serve_results *results;
    pthread_mutex_t lock;
    bool busy, ended; /* with lock held */
    int cancel;       /* atomic */
};

serve_whatif *serve_whatif_open(const cli *c, serve_results *results)
{
    serve_whatif *w = ik_calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->c = c;
    w->results = results;
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void serve_whatif_close(serve_whatif *w)
{
    if (!w)
        return;
    pthread_mutex_destroy(&w->lock);
    free(w);
}

bool serve_whatif_cancel(serve_whatif *w)
{
    pthread_mutex_lock(&w->lock);
    bool busy = w->busy;
    if (busy)
        ik_cancel_raise(&w->cancel);
    pthread_mutex_unlock(&w->lock);
    return busy;
}

void serve_whatif_end(serve_whatif *w)
{
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    ik_cancel_raise(&w->cancel);
    pthread_mutex_unlock(&w->lock);
}

/* ---- command lines */

/* Its name and arguments, also as a line of a shell. */
typedef struct whatif_command {
    const char *all[WHATIF_ARGS];
    char *shown;
    size_t num;
} whatif_command;

static void whatif_add(whatif_command *k, const char *arg)
{
    if (k->num + 1 < WHATIF_ARGS)
        k->all[k->num++] = arg;
}

static void whatif_add_all(whatif_command *k, size_t num, const char *const *args)
{
    for (size_t i = 0; i < num; i++)
        whatif_add(k, args[i]);
}

/* Those options of every command that the server was begun with. */
static void whatif_add_common(whatif_command *k, const cli *c)
{
    static const char *const names[] = {"--plugin", "--memory-limit", "--jobs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int n = 0; cli_get_nth(c, names[i], n); n++) {
            whatif_add(k, names[i]);
            whatif_add(k, cli_get_nth(c, names[i], n));
        }
}

/* What was added until now, for a reader. */
static bool whatif_show(whatif_command *k)
{
    size_t room = 1;
    for (size_t i = 0; i < k->num; i++)
        room += 4 * strlen(k->all[i]) + 3;
    k->shown = malloc(room);
    FILE *out = k->shown ? fmemopen(k->shown, room, "w") : NULL;
    for (size_t i = 0; out && i < k->num; i++) {
        fputs(i ? " " : "", out);
        cli_shell_word(out, k->all[i]);
    }
    return out && fclose(out) == 0;
}

/* ---- an answer */

typedef struct whatif {
    serve_whatif *w;
    serve_form form;
    char *spec;            /* of the damaged fabric */
    ik_settings *settings; /* of the point beside which it stands; NULL: the defaults */
    double until;
    ik_json j; /* the answer, an object with the results so far */
} whatif;

/* The first line of what a command printed to standard error. */
static void whatif_say(char *errors, char why[SERVE_SENTENCE])
{
    static const char name[] = "ikat: ";
    char *text = errors ? errors : "";
    text += strncmp(text, name, sizeof name - 1) == 0 ? sizeof name - 1 : 0;
    size_t length = strcspn(text, "\n");
    if (length)
        text[length] = '\0';
    snprintf(why, SERVE_SENTENCE, "%s",
             length ? cli_line(text) : "The command that computes it has failed.");
}

/* A member of the answer for a command: its line, exit status (at most `worst`) and what it
 * printed. */
static const char *whatif_run(whatif *q, const char *name, whatif_command *k, int worst,
                              char why[SERVE_SENTENCE])
{
    serve_child child;
    double left = q->until - ik_clock_s(CLOCK_MONOTONIC);
    k->all[k->num] = NULL;
    const char *wrong = serve_child_run(k->all, left > 0 ? left : 0, &q->w->cancel, &child);
    if (!wrong && (child.status > worst || !child.text)) {
        whatif_say(child.errors, why);
        wrong = why;
    }
    if (!wrong) {
        ik_json_object(&q->j, name);
        ik_json_optional(&q->j, "command", k->shown);
        ik_json_int(&q->j, "status", child.status);
        ik_json_bytes(&q->j, "text", child.text, child.size);
        ik_json_close(&q->j);
    }
    serve_child_free(&child);
    return wrong;
}

/* A section of the point's settings; NULL: it has its default. What belongs to the point's routing
 * is nothing for another one. */
static const char *whatif_setting(const whatif *q, ik_setting of)
{
    const char *routing = q->settings ? q->settings->value[IK_SETTING_ROUTING] : NULL;
    bool own = of != IK_SETTING_VC && of != IK_SETTING_VCS && of != IK_SETTING_SELECTION;
    return routing && (own || strcmp(routing, q->form.value[FORM_ROUTING]) == 0)
               ? q->settings->value[of]
               : NULL;
}

/* Loads do not depend on virtual channels; a proof does. */
static void whatif_add_vcs(whatif_command *k, const whatif *q)
{
    const char *vc = whatif_setting(q, IK_SETTING_VC), *vcs = whatif_setting(q, IK_SETTING_VCS);
    const char *const words[] = {"--vc", vc, "--vcs", vcs};
    whatif_add_all(k, vc ? 2 : 0, words);
    whatif_add_all(k, vcs ? 2 : 0, words + 2);
}

/* `ikat check`, or `ikat load` with the load of every channel. */
static const char *whatif_ask(whatif *q, const char *command, char why[SERVE_SENTENCE])
{
    whatif_command k = {0};
    char seed[24];
    const char *const words[] = {"ikat",  command,
                                 q->spec, "--allow-unreachable",
                                 "-r",    q->form.value[FORM_ROUTING],
                                 "-t",    q->form.value[FORM_TRAFFIC]};
    bool load = strcmp(command, "load") == 0;
    whatif_add_all(&k, load ? 8 : 6, words);
    if (!load)
        whatif_add_vcs(&k, q);
    whatif_add_common(&k, q->w->c);
    if (q->form.seed != 1) {
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)q->form.seed);
        whatif_add(&k, "--seed");
        whatif_add(&k, seed);
    }
    bool shown = whatif_show(&k);
    const char *const how[] = {"--json", "--table", "channels"};
    whatif_add_all(&k, load ? 3 : 1, how);
    const char *wrong = shown ? whatif_run(q, command, &k, CLI_FAILED, why) : "out of memory";
    free(k.shown);
    return wrong;
}

/* ---- a simulation */

/* The parameters of a section, which `text` has as a spec has them, but for `but`. */
static ik_status whatif_put_params(ik_json *j, const char *text, const char *but, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec;
    char *whole = NULL;
    if (asprintf(&whole, "x:%s", text) < 0)
        return ik_fail_memory(err, strlen(text), "an experiment");
    ik_status status = ik_spec_parse(whole, &arena, &spec, err);
    for (size_t i = 0; status == IK_OK && i < spec.num; i++)
        if (!but || strcmp(spec.keys[i], but) != 0)
            ik_json_text(j, spec.keys[i], spec.values[i]);
    free(whole);
    ik_arena_free(&arena);
    return status;
}

static bool whatif_ends(const char *traffic)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(traffic, ":"), traffic);
    const ik_traffic_family *family = ik_traffic_find(name);
    return family && family->ends;
}

/* How long: as at the point, if the traffic ends as it does there, but for the hops that are
 * simulated at most. */
static ik_status whatif_put_measure(ik_json *j, const whatif *q, ik_error *err)
{
    const char *of = whatif_setting(q, IK_SETTING_TRAFFIC), *traffic = q->form.value[FORM_TRAFFIC];
    bool ends = whatif_ends(traffic), same = of && whatif_ends(of) == ends;
    const char *measure = same ? whatif_setting(q, IK_SETTING_MEASURE) : NULL;
    ik_status status = IK_OK;
    ik_json_object(j, "measure");
    if (measure)
        status = whatif_put_params(j, measure, "stop_hops", err);
    if (ends && !measure) {
        ik_json_text(j, "until", "delivered");
        ik_json_text(j, "at_most", "10 ms");
    }
    if (!ends && !(measure && strstr(measure, "duration=")))
        ik_json_uint(j, "stop_hops", whatif_hops);
    ik_json_close(j);
    return status;
}

static ik_status whatif_put_experiment(ik_json *j, const whatif *q, ik_error *err)
{
    static const ik_setting texts[] = {IK_SETTING_VC, IK_SETTING_VCS, IK_SETTING_SELECTION};
    static const ik_setting maps[] = {IK_SETTING_SWITCH, IK_SETTING_ADAPTER};
    ik_status status = IK_OK;
    ik_json_object(j, NULL);
    ik_json_text(j, "fabric", q->spec);
    ik_json_bool(j, "allow_unreachable", true);
    ik_json_text(j, "routing", q->form.value[FORM_ROUTING]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (whatif_setting(q, texts[i]))
            ik_json_text(j, ik_setting_names[texts[i]], whatif_setting(q, texts[i]));
    for (size_t i = 0; i < sizeof maps / sizeof *maps && status == IK_OK; i++) {
        if (!whatif_setting(q, maps[i]))
            continue;
        ik_json_object(j, ik_setting_names[maps[i]]);
        status = whatif_put_params(j, whatif_setting(q, maps[i]), NULL, err);
        ik_json_close(j);
    }
    ik_json_text(j, "traffic", q->form.value[FORM_TRAFFIC]);
    if (!whatif_ends(q->form.value[FORM_TRAFFIC]))
        ik_json_real(j, "load", q->form.load, 6);
    ik_json_array(j, "seeds"); /* a number alone says how many */
    ik_json_uint(j, NULL, q->form.seed);
    ik_json_close(j);
    if (status == IK_OK)
        status = whatif_put_measure(j, q, err);
    ik_json_close(j);
    return status;
}

static ik_status whatif_write(const char *path, const char *text, ik_error *err)
{
    FILE *file = fopen(path, "we");
    bool good = file && fputs(text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    return good ? IK_OK : ik_fail(err, IK_ERR_IO, "'%.200s' cannot be written", path);
}

static const char *whatif_run_in(whatif *q, const char *yaml, const char *store,
                                 char why[SERVE_SENTENCE])
{
    whatif_command run = {0}, report = {0};
    const char *const words[] = {"ikat", "run", yaml, "-o", store, "--quiet"};
    const char *const report_words[] = {"ikat", "report", store, "--csv"};
    whatif_add_all(&run, 6, words);
    whatif_add_common(&run, q->w->c);
    whatif_add_all(&report, 4, report_words);
    const char *wrong = whatif_run(q, "run", &run, CLI_FAILED, why);
    return wrong ? wrong : whatif_run(q, "points", &report, CLI_DONE, why);
}

static const char *whatif_simulate(whatif *q, char why[SERVE_SENTENCE])
{
    char yaml[SERVE_FOLDER + 24], store[SERVE_FOLDER + 24], *text = NULL;
    serve_folder folder;
    ik_json j;
    ik_error err;
    ik_json_to_text(&j, IK_JSON_INDENTED);
    ik_status status = whatif_put_experiment(&j, q, &err);
    if (ik_json_end_text(&j, &text, NULL, &err) != IK_OK || status != IK_OK) {
        free(text);
        return "out of memory";
    }
    const char *wrong = serve_folder_make(&folder, &err) == IK_OK
                            ? NULL
                            : "No folder for the simulation can be made.";
    if (!wrong) {
        snprintf(yaml, sizeof yaml, "%s/whatif.yaml", folder.path);
        snprintf(store, sizeof store, "%s/whatif.db", folder.path);
        if (whatif_write(yaml, text, &err) == IK_OK)
            wrong = whatif_run_in(q, yaml, store, why);
        else
            wrong = "The experiment cannot be written.";
        serve_folder_remove(&folder);
    }
    ik_json_text(&q->j, "experiment", text);
    free(text);
    return wrong;
}

/* ---- requests */

/* The settings of a point on the fabric that is asked for. */
static bool whatif_find_point(whatif *q, char why[SERVE_SENTENCE])
{
    ik_error err;
    ik_status status = serve_results_settings(q->w->results, q->form.point, &q->settings, &err);
    bool good = status == IK_OK &&
                strcmp(q->settings->value[IK_SETTING_FABRIC], q->form.value[FORM_FABRIC]) == 0;
    if (status != IK_OK)
        snprintf(why, SERVE_SENTENCE, "%.200s", cli_line(err.text));
    else if (!good)
        snprintf(why, SERVE_SENTENCE, "Point %llu is of another fabric.",
                 (unsigned long long)q->form.point);
    return good;
}

/* Fabrics are those of the page; routings and patterns also those of families, by their names. */
static const char *whatif_find(whatif *q, char why[SERVE_SENTENCE])
{
    const char *routing = q->form.value[FORM_ROUTING], *traffic = q->form.value[FORM_TRAFFIC],
               *fail = q->form.value[FORM_FAIL], *slow = q->form.value[FORM_SLOW],
               *spec = q->form.value[FORM_FABRIC];
    if (!ik_routing_find(routing) &&
        !serve_results_has(q->w->results, IK_RESULTS_ROUTINGS, routing)) {
        snprintf(why, SERVE_SENTENCE, "There is no routing '%.60s' here.", cli_line(routing));
        return why;
    }
    if (!ik_traffic_find(traffic) &&
        !serve_results_has(q->w->results, IK_RESULTS_TRAFFIC, traffic)) {
        snprintf(why, SERVE_SENTENCE, "There is no traffic '%.60s' here.", cli_line(traffic));
        return why;
    }
    if (*spec == '-' || !serve_results_has(q->w->results, IK_RESULTS_FABRICS, spec)) {
        snprintf(why, SERVE_SENTENCE, "There is no fabric '%.60s' here.", cli_line(spec));
        return why;
    }
    if (q->form.value[FORM_POINT] && !whatif_find_point(q, why))
        return why;
    size_t size = strlen(spec) + (fail ? strlen(fail) : 0) + (slow ? strlen(slow) : 0) + 16;
    q->spec = malloc(size);
    if (q->spec)
        snprintf(q->spec, size, "%s%s%s%s%s%s", spec,
                 !fail && !slow      ? ""
                 : strchr(spec, ':') ? ","
                                     : ":",
                 fail ? "fail=" : "", fail ? fail : "", slow ? (fail ? ",slow=" : "slow=") : "",
                 slow ? slow : "");
    return q->spec ? NULL : "out of memory";
}

static const char *whatif_compute(whatif *q, char why[SERVE_SENTENCE])
{
    const char *wrong = NULL;
    bool simulate = q->form.value[FORM_SIMULATE];
    q->until = ik_clock_s(CLOCK_MONOTONIC) + (simulate ? whatif_simulation_s : whatif_static_s);
    if (simulate)
        return whatif_simulate(q, why);
    wrong = whatif_ask(q, "check", why);
    return wrong ? wrong : whatif_ask(q, "load", why);
}

static bool whatif_begin(serve_whatif *w)
{
    pthread_mutex_lock(&w->lock);
    bool free_now = !w->busy && !w->ended;
    if (free_now) {
        w->busy = true;
        __atomic_store_n(&w->cancel, 0, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&w->lock);
    return free_now;
}

static void whatif_end(serve_whatif *w)
{
    pthread_mutex_lock(&w->lock);
    w->busy = false;
    pthread_mutex_unlock(&w->lock);
}

static unsigned whatif_answer_one(whatif *q, char **text)
{
    char why[SERVE_SENTENCE];
    ik_error err;
    const char *wrong = whatif_find(q, why);
    if (wrong) {
        *text = strdup(wrong);
        return WHATIF_BAD;
    }
    ik_json_to_text(&q->j, IK_JSON_PACKED);
    ik_json_object(&q->j, NULL);
    ik_json_uint(&q->j, "version", IK_JSON_VERSION);
    ik_json_text(&q->j, "fabric", q->spec);
    wrong = whatif_compute(q, why);
    ik_json_close(&q->j);
    if (ik_json_end_text(&q->j, text, NULL, &err) != IK_OK)
        *text = NULL;
    if (!wrong)
        return WHATIF_OK;
    free(*text);
    *text = strdup(wrong);
    return WHATIF_FAILED;
}

unsigned serve_whatif_answer(serve_whatif *w, const char *form, size_t size, char **text)
{
    whatif q = {.w = w};
    char why[SERVE_SENTENCE];
    unsigned status = WHATIF_BAD;
    if (!serve_form_read(&q.form, form, size, why)) {
        *text = strdup(why);
    } else if (!whatif_begin(w)) {
        *text = strdup("Another computation is under way: wait for its end, or cancel it.");
        status = WHATIF_BUSY;
    } else {
        status = whatif_answer_one(&q, text);
        whatif_end(w);
    }
    free(q.spec);
    ik_settings_free(q.settings);
    serve_form_free(&q.form);
    return status;
}

/* ---- a page of a fabric */

ik_status serve_whatif_make(const cli *c, const char *fabric, const char *routing,
                            const char *folder, const char *store, ik_error *err)
{
    char path[SERVE_FOLDER + 24], *text = NULL;
    whatif_command k = {0};
    serve_child child;
    ik_json j;
    snprintf(path, sizeof path, "%s/fabric.yaml", folder);
    ik_json_to_text(&j, IK_JSON_INDENTED);
    ik_json_object(&j, NULL);
    ik_json_text(&j, "title", fabric);
    ik_json_text(&j, "fabric", fabric);
    ik_json_text(&j, "routing", routing);
    ik_json_bool(&j, "simulate", false);
    ik_json_close(&j);
    ik_status status = ik_json_end_text(&j, &text, NULL, err);
    if (status == IK_OK)
        status = whatif_write(path, text, err);
    free(text);
    if (status != IK_OK)
        return status;
    const char *const words[] = {"ikat", "run", path, "-o", store, "--quiet"};
    whatif_add_all(&k, 6, words);
    whatif_add_common(&k, c);
    const char *wrong = serve_child_run(k.all, 1e9, c->env.cancel, &child);
    if (wrong || child.status > CLI_FAILED) {
        char why[SERVE_SENTENCE];
        whatif_say(child.errors, why);
        status = ik_fail(err, IK_ERR_USAGE, "%s", wrong ? wrong : why);
    }
    serve_child_free(&child);
    return status;
}
