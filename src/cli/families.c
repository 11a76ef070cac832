/* SPDX-License-Identifier: Apache-2.0
 *
 * families.c: walks the families' tables; the pages come from the declarations and nowhere else.
 */
#include "families.h"

#include <string.h>

typedef void (*member_fn)(void *ctx, const cli_member *m);

static void families_each_topology(member_fn fn, void *ctx)
{
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        cli_member m = {.name = (*t)->name,
                        .summary = (*t)->summary,
                        .source = (*t)->source,
                        .details = (*t)->details,
                        .params = (*t)->params,
                        .common = ik_topology_common_params,
                        .examples = (*t)->examples,
                        .plugin = ik_plugin_of(*t)};
        fn(ctx, &m);
        for (const ik_shorthand *s = (*t)->shorthands; s && s->name; s++) {
            cli_member short_one = {.name = s->name,
                                    .summary = s->summary,
                                    .source = s->source,
                                    .params = s->params,
                                    .common = ik_topology_common_params,
                                    .examples = s->examples,
                                    .shorthand_of = (*t)->name,
                                    .plugin = ik_plugin_of(*t)};
            fn(ctx, &short_one);
        }
    }
}

/* These families' descriptors share their leading fields but not their type. */
#define EACH(function, type, all)                                                                  \
    static void function(member_fn fn, void *ctx)                                                  \
    {                                                                                              \
        for (const type *const *f = all(); *f; f++) {                                              \
            cli_member m = {.name = (*f)->name,                                                    \
                            .summary = (*f)->summary,                                              \
                            .source = (*f)->source,                                                \
                            .details = (*f)->details,                                              \
                            .params = (*f)->params,                                                \
                            .plugin = ik_plugin_of(*f)};                                           \
            fn(ctx, &m);                                                                           \
        }                                                                                          \
    }
EACH(each_routing, ik_routing_family, ik_routings)
EACH(each_vc, ik_vc_family, ik_vcs)
EACH(each_traffic, ik_traffic_family, ik_traffics)

static void families_each_selection(member_fn fn, void *ctx)
{
    for (const ik_selection_family *const *f = ik_selections(); *f; f++) {
        cli_member m = {.name = (*f)->name,
                        .summary = (*f)->summary,
                        .source = (*f)->source,
                        .params = (*f)->params,
                        .common = ik_selection_common_params,
                        .plugin = ik_plugin_of(*f)};
        fn(ctx, &m);
    }
}

static void families_each_format(member_fn fn, void *ctx)
{
    for (const ik_format *const *f = ik_formats(); *f; f++) {
        cli_member m = {.name = (*f)->name,
                        .summary = (*f)->summary,
                        .source = (*f)->source,
                        .plugin = ik_plugin_of(*f)};
        fn(ctx, &m);
    }
}

/* The sections of an experiment that configure the simulator are shown as a family of their own. */
static void families_each_section(member_fn fn, void *ctx)
{
    cli_member sections[] = {
        {.name = "switch",
         .summary = "the switch: model, VCs, buffers, arbitration, delays",
         .params = ik_switch_params},
        {.name = "adapter",
         .summary = "the host adapter: packets, messages, queues, injection",
         .params = ik_adapter_params},
        {.name = "measure",
         .summary = "what is measured: warm-up, duration, series",
         .params = ik_measure_params},
        {.name = "reference",
         .summary = "the crossbar against which slowdowns of workloads are measured",
         .params = ik_reference_params},
        {.name = "load",
         .summary = "section of an experiment, as a mapping: a load that is searched",
         .params = ik_load_search_params},
        {.name = "watch",
         .summary = "section of an experiment: packets that are traced stage by stage",
         .params = ik_watch_params},
        {.name = "figures",
         .summary = "section of an experiment, a list: figures that are drawn from the results",
         .params = ik_figure_params},
        {.name = "reproduction",
         .summary = "section of an experiment: what of a paper it reproduces, and what that costs",
         .params = ik_reproduction_params},
        {.name = "expect",
         .summary = "section of an experiment, a list: claims that are checked against the results",
         .params = ik_claim_params},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        fn(ctx, &sections[i]);
}

/* What results files, CSV, JSON, figures and claims call the results of a point. */
static void families_each_result(member_fn fn, void *ctx)
{
    ik_result one;
    for (size_t i = 0; ik_result_at(i, &one); i++) {
        char details[400];
        const char *unit = strcmp(one.unit, "%") == 0 ? "fraction, drawn in percent" : one.unit;
        snprintf(details, sizeof details, "%s. %s%s%sPoints that have it: %s%s%s.", one.meaning,
                 unit[0] ? "Unit: " : "", unit, unit[0] ? ". " : "", one.points,
                 one.measure ? ", with measures: " : "", one.measure ? one.measure : "");
        if (details[0] >= 'a' && details[0] <= 'z')
            details[0] = (char)(details[0] - 'a' + 'A');
        fn(ctx, &(cli_member){.name = one.name, .summary = one.title, .details = details});
    }
}

const cli_family cli_families[] = {
    {"topologies", "topology", "fabrics that ikat builds (or reads: file)", families_each_topology},
    {"routings", "routing", "how packets find their way", each_routing},
    {"selections", "selection", "how an adaptive routing picks among allowed ports",
     families_each_selection},
    {"vcs", "VC scheme", "which virtual channels a packet may use", each_vc},
    {"traffic", "traffic pattern", "who sends to whom", each_traffic},
    {"formats", "format", "files that ikat reads and writes", families_each_format},
    {"results", "result", "numbers of a point, for figures, claims and programs",
     families_each_result},
    {"sections", "section", "parameters of the simulator in an experiment", families_each_section},
    {0},
};

/* "time", "size|unlimited". */
static const char *families_type_text(const ik_param *p, char *buffer, size_t size)
{
    static const char *const names[] = {
        [IK_PARAM_UINT] = "number",    [IK_PARAM_REAL] = "real",   [IK_PARAM_BOOL] = "true|false",
        [IK_PARAM_ENUM] = "",          [IK_PARAM_STRING] = "text", [IK_PARAM_PATH] = "file",
        [IK_PARAM_UINT_LIST] = "list", [IK_PARAM_TIME] = "time",   [IK_PARAM_PATTERNS] = "patterns",
        [IK_PARAM_RATE] = "rate",      [IK_PARAM_SIZE] = "size",   [IK_PARAM_FRACTION] = "fraction",
        [IK_PARAM_LENGTH] = "length",  [IK_PARAM_SPEC] = "spec",   [IK_PARAM_RANGES] = "ranges",
        [IK_PARAM_TEXTS] = "texts",    [IK_PARAM_JOBS] = "jobs",   [IK_PARAM_SCHEDULE] = "schedule",
    };
    if (p->type == IK_PARAM_ENUM)
        return p->choices;
    if (!p->choices)
        return names[p->type];
    snprintf(buffer, size, "%s|%s", names[p->type], p->choices);
    return buffer;
}

/* "1 ns to 1000 s". */
static const char *families_range_text(const ik_param *p, char *buffer, size_t size)
{
    char low[48], high[48];
    snprintf(buffer, size, "%s to %s", ik_param_bound(p, p->min, low, sizeof low),
             ik_param_bound(p, p->max, high, sizeof high));
    return buffer;
}

/* Of texts that may be shares, the limits are of these alone. */
static bool families_is_bounded(const ik_param *p)
{
    return p->type != IK_PARAM_STRING && (p->min != 0 || p->max != 0);
}

/* "[time, 1 ns to 1 s, default 6 ns]" behind what the parameter means. */
static void families_param_text(const ik_param *p, char *buffer, size_t size)
{
    char range[104], type[64];
    bool bounded = families_is_bounded(p), has_default = p->def && p->def[0];
    snprintf(buffer, size, "%s [%s%s%s%s%s%s%s]", p->help, families_type_text(p, type, sizeof type),
             bounded ? ", " : "", bounded ? families_range_text(p, range, sizeof range) : "",
             !p->def       ? ", required"
             : has_default ? ", default "
                           : "",
             has_default ? p->def : "", p->needs ? ", only if " : "", p->needs ? p->needs : "");
}

enum { PARAM_COLUMN = 19, MOST_TEXT = 4096 };

static void families_print_params(const ik_param *params)
{
    char name[64], text[MOST_TEXT];
    for (const ik_param *p = params; p && p->name; p++) {
        snprintf(name, sizeof name, "  %s", p->name);
        families_param_text(p, text, sizeof text);
        cli_print_item(name, PARAM_COLUMN, text);
    }
}

void cli_print_member(const cli *c, const cli_family *family, const cli_member *m)
{
    char title[MOST_TEXT];
    printf("%s%s%s ", c->colour_out ? "\033[1m" : "", m->name, cli_reset(c));
    ik_wrap how = {.width = cli_help_width(), .column = (unsigned)strlen(m->name) + 1};
    snprintf(title, sizeof title, "(%s): %s", family->singular, m->summary);
    ik_text_wrap(stdout, title, strlen(title), &how);
    if (m->shorthand_of)
        printf("A shorthand of %s.\n", m->shorthand_of);
    if (m->plugin) {
        snprintf(title, sizeof title, "From the plug-in %s%s%s: %s", m->plugin->name,
                 m->plugin->file[0] ? ", " : "", cli_line(m->plugin->file), m->plugin->summary);
        cli_print_text(title);
    }
    if (m->details) {
        putchar('\n');
        cli_print_text(m->details);
    }
    if (m->params && m->params->name) {
        printf("\nParameters\n");
        families_print_params(m->params);
    }
    if (m->common && (!m->params || m->params != m->common)) {
        printf("\nParameters of every %s\n", family->singular);
        families_print_params(m->common);
    }
    if (m->examples && m->examples[0]) {
        printf("\nExamples\n");
        for (const char *const *e = m->examples; *e; e++)
            printf("  %s\n", *e);
    }
    if (m->source) {
        printf("\nSource\n  ");
        how.column = how.indent = 2;
        ik_text_wrap(stdout, m->source, strlen(m->source), &how);
    }
}

static void families_put_param(ik_json *j, const ik_param *p)
{
    char range[104], type[64];
    ik_json_object(j, NULL);
    ik_json_text(j, "name", p->name);
    ik_json_text(j, "type", families_type_text(p, type, sizeof type));
    ik_json_optional(j, "default", p->def);
    ik_json_text(j, "help", p->help);
    if (families_is_bounded(p)) {
        ik_json_real(j, "min", p->min, CLI_DIGITS);
        ik_json_real(j, "max", p->max, CLI_DIGITS);
        ik_json_text(j, "range", families_range_text(p, range, sizeof range));
    }
    if (p->needs)
        ik_json_text(j, "needs", p->needs);
    ik_json_close(j);
}

void cli_params_json(ik_json *j, const char *key, const ik_param *params)
{
    ik_json_array(j, key);
    for (const ik_param *p = params; p && p->name; p++)
        families_put_param(j, p);
    ik_json_close(j);
}

void cli_member_json(ik_json *j, const char *key, const cli_member *m)
{
    ik_json_object(j, key);
    ik_json_text(j, "name", m->name);
    ik_json_text(j, "summary", m->summary);
    ik_json_optional(j, "source", m->source);
    ik_json_optional(j, "details", m->details);
    ik_json_optional(j, "shorthand_of", m->shorthand_of);
    if (m->plugin)
        ik_json_text(j, "plugin", m->plugin->name);
    cli_params_json(j, "parameters", m->params);
    cli_params_json(j, "common_parameters", m->common);
    ik_json_array(j, "examples");
    for (const char *const *e = m->examples; e && *e; e++)
        ik_json_text(j, NULL, *e);
    ik_json_close(j);
    ik_json_close(j);
}

static void families_put_member(void *ctx, const cli_member *m)
{
    cli_member_json(ctx, NULL, m);
}

void cli_family_json(ik_json *j, const cli_family *family)
{
    ik_json_array(j, family->name);
    family->each(families_put_member, j);
    ik_json_close(j);
}
