/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/estimate.c: an estimate of a sweep in words, and times and sizes as Slurm writes them.
 */
#include "estimate.h"
#include "status.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_NAMED = 5 };
static const double margin = 1.5; /* of what is proposed over what is estimated */

/* ---- what Slurm takes */

bool estimate_read_time(const char *text, double *seconds)
{
    double part[3] = {0}, days = 0;
    int num = 0;
    const char *dash = strchr(text, '-');
    if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0) {
        *seconds = INFINITY;
        return true;
    }
    if (dash) {
        if (dash == text || (size_t)(dash - text) != strspn(text, "0123456789"))
            return false;
        days = strtod(text, NULL);
        text = dash + 1;
    }
    for (;; text++) {
        size_t digits = strspn(text, "0123456789");
        if (num == 3 || digits == 0 || digits > 9)
            return false;
        part[num++] = strtod(text, NULL);
        text += digits;
        if (*text != ':')
            break;
    }
    double hours = dash || num == 3 ? part[0] : 0, minutes = dash || num == 3 ? part[1] : part[0],
           rest = dash || num == 3 ? part[2] : part[1];
    *seconds = days * 86400 + hours * 3600 + minutes * 60 + rest;
    if (*seconds == 0) /* no limit */
        *seconds = INFINITY;
    return *text == '\0';
}

bool estimate_read_memory(const char *text, double *bytes)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789");
    const char *end = text + digits,
               *unit = *end ? strchr(units, toupper((unsigned char)*end)) : units + 1;
    if (digits < 1 || digits > 15 || !unit || (end[0] && end[1] && strcasecmp(end + 1, "B") != 0))
        return false;
    double number = strtod(text, NULL);
    *bytes = number > 0 ? number * pow(1024, (double)(unit - units) + 1) : INFINITY;
    return true;
}

/* "2:30:00", a round time of at least so many seconds; "4G". */
static const char *estimate_slurm_time(double seconds, char *text, size_t size)
{
    double minutes = fmax(ceil(seconds / 60), 1);
    minutes = minutes > 600  ? ceil(minutes / 60) * 60
              : minutes > 60 ? ceil(minutes / 10) * 10
                             : minutes;
    snprintf(text, size, "%.0f:%02.0f:00", floor(minutes / 60), fmod(minutes, 60));
    return text;
}

static const char *estimate_slurm_memory(double bytes, char *text, size_t size)
{
    double mega = ceil(bytes / 1048576);
    if (mega > 1024)
        snprintf(text, size, "%.0fG", ceil(mega / 1024));
    else
        snprintf(text, size, "%.0fM", ceil(mega / 64) * 64);
    return text;
}

/* ---- in words */

static const char *estimate_time(double seconds, char *text, size_t size)
{
    if (!(seconds < 1))
        return status_time(seconds, text, size);
    snprintf(text, size, "%.2g s", seconds);
    return text;
}

static void estimate_print_base(FILE *out, const char *prefix, const ik_sweep_estimate *s)
{
    if (s->measured)
        fprintf(out, "%sThe times of %s correct a model of packet-hops.\n", prefix,
                IK_COUNT(s->measured, "finished point"));
    else
        fprintf(
            out,
            "%sA model of packet-hops, for which no point is finished yet: it may be wrong by a "
            "factor of 10.\n",
            prefix);
    if (s->not_built)
        fprintf(out, "%s%s with more than a million ports: estimated by size alone.\n", prefix,
                IK_COUNT(s->not_built, "fabric"));
    if (s->unknown)
        fprintf(out, "%s%s cannot be estimated: workloads that were not made for this.\n", prefix,
                IK_COUNT(s->unknown, "point"));
}

static void estimate_print_extremes(FILE *out, const char *prefix, const ik_experiment *e,
                                    const ik_sweep_estimate *s)
{
    char time[32], bytes[32], text[512];
    if (s->longest != UINT64_MAX)
        fprintf(out, "%sLongest: %s, %s\n", prefix,
                estimate_time(s->points[s->longest].seconds, time, sizeof time),
                cli_line(ik_experiment_point_text(e, s->longest, text, sizeof text)));
    if (s->widest != UINT64_MAX && s->points[s->widest].bytes)
        fprintf(out, "%sMost memory: %s, %s\n", prefix,
                ik_format_bytes(bytes, sizeof bytes, (double)s->points[s->widest].bytes),
                cli_line(ik_experiment_point_text(e, s->widest, text, sizeof text)));
}

/* Points that need more than a task has, of time or memory. */
static void estimate_print_misfits(FILE *out, const char *prefix, const ik_experiment *e,
                                   const ik_sweep_estimate *s, const task_limits *limits,
                                   bool of_memory)
{
    char text[512], needs[32], does[32];
    uint64_t num = 0;
    double most = 0, limit = of_memory ? limits->bytes : limits->seconds;
    const char *option = of_memory ? "--mem" : "--time";
    for (uint64_t i = 0; i < s->num_points; i++) {
        const ik_point_cost *c = &s->points[i];
        double one = of_memory ? (double)c->bytes : c->seconds;
        if (c->file || c->elsewhere || !(one > limit))
            continue;
        most = fmax(most, one);
        if (num++ < MOST_NAMED)
            fprintf(out, "%sDoes not fit %s %s: %s, about %s\n", prefix, option,
                    of_memory ? limits->mem : limits->time,
                    cli_line(ik_experiment_point_text(e, i, text, sizeof text)),
                    of_memory ? ik_format_bytes(needs, sizeof needs, one)
                              : estimate_time(one, needs, sizeof needs));
    }
    if (num > MOST_NAMED)
        fprintf(out, "%s%llu more points do not fit %s\n", prefix,
                (unsigned long long)num - MOST_NAMED, option);
    if (num)
        fprintf(out, "%s%s %s would do for all of them\n", prefix, option,
                of_memory ? estimate_slurm_memory(margin * most, does, sizeof does)
                          : estimate_slurm_time(margin * most, does, sizeof does));
}

static void estimate_print_tasks(FILE *out, const char *prefix, const ik_sweep_estimate *s,
                                 const ik_task_cost *tasks, unsigned num, const task_limits *limits)
{
    double least = INFINITY, most = 0, bytes = 0;
    char from[32], to[32], memory[32];
    for (unsigned i = 0; i < num; i++) {
        least = fmin(least, tasks[i].seconds / limits->jobs);
        most = fmax(most, tasks[i].seconds / limits->jobs);
        double side = tasks[i].points < limits->jobs ? (double)tasks[i].points : limits->jobs;
        bytes = fmax(bytes, (double)tasks[i].bytes * side);
    }
    if (s->longest != UINT64_MAX)
        most = fmax(most, s->points[s->longest].seconds);
    fprintf(out, "%s%s on %s each: %s to %s, at most %s\n", prefix, IK_COUNT(num, "task"),
            IK_COUNT(limits->jobs, "processor"), estimate_time(least, from, sizeof from),
            estimate_time(most, to, sizeof to), ik_format_bytes(memory, sizeof memory, bytes));
    if (most > limits->seconds)
        fprintf(
            out,
            "%sA task takes longer than --time %s: the same command submits what is left; --time "
            "%s or %.0f tasks would do\n",
            prefix, limits->time, estimate_slurm_time(margin * most, to, sizeof to),
            ceil(margin * s->seconds / limits->jobs / limits->seconds));
    if (bytes > limits->bytes)
        fprintf(out, "%sA task needs more than --mem %s: --mem %s would do\n", prefix, limits->mem,
                estimate_slurm_memory(margin * bytes, to, sizeof to));
}

void estimate_print(FILE *out, const char *prefix, const ik_experiment *e,
                    const ik_sweep_estimate *s, const ik_task_cost *tasks, unsigned num_tasks,
                    const task_limits *limits)
{
    char time[32], plans[32];
    fprintf(out, "%sEstimate: %s", prefix, IK_COUNT(s->to_do, "point"));
    if (s->finished)
        fprintf(out, " (%llu more are finished)", (unsigned long long)s->finished);
    fprintf(out, ", %s of processors", estimate_time(s->seconds, time, sizeof time));
    if (s->plan_seconds >= 1)
        fprintf(out, ", and about %s in each process that makes and proves all plans",
                estimate_time(s->plan_seconds, plans, sizeof plans));
    fputs("\n", out);
    if (s->to_do)
        estimate_print_base(out, prefix, s);
    estimate_print_extremes(out, prefix, e, s);
    if (num_tasks)
        estimate_print_tasks(out, prefix, s, tasks, num_tasks, limits);
    estimate_print_misfits(out, prefix, e, s, limits, false);
    estimate_print_misfits(out, prefix, e, s, limits, true);
}

static void estimate_put_point(ik_json *j, const char *key, const ik_experiment *e,
                               const ik_sweep_estimate *s, uint64_t number)
{
    char text[512];
    if (number == UINT64_MAX) {
        ik_json_null(j, key);
        return;
    }
    ik_json_object(j, key);
    ik_json_uint(j, "point", number);
    ik_json_text(j, "what", ik_experiment_point_text(e, number, text, sizeof text));
    ik_json_real(j, "seconds", s->points[number].seconds, CLI_DIGITS);
    ik_json_uint(j, "bytes", s->points[number].bytes);
    ik_json_close(j);
}

void estimate_put(ik_json *j, const ik_experiment *e, const ik_sweep_estimate *s)
{
    ik_json_uint(j, "points", s->to_do);
    ik_json_uint(j, "finished", s->finished);
    ik_json_uint(j, "measured", s->measured);
    ik_json_uint(j, "unknown", s->unknown);
    ik_json_uint(j, "not_built", s->not_built);
    ik_json_real(j, "seconds", s->seconds, CLI_DIGITS);
    ik_json_real(j, "plan_seconds", s->plan_seconds, CLI_DIGITS);
    estimate_put_point(j, "longest", e, s, s->longest);
    estimate_put_point(j, "most_memory", e, s, s->widest);
    ik_json_array(j, "each");
    for (uint64_t i = 0; i < s->num_points; i++) {
        const ik_point_cost *c = &s->points[i];
        if (c->file || c->elsewhere)
            continue;
        ik_json_object(j, NULL);
        ik_json_uint(j, "point", i);
        if (isnan(c->seconds))
            ik_json_null(j, "seconds");
        else
            ik_json_real(j, "seconds", c->seconds, CLI_DIGITS);
        ik_json_uint(j, "bytes", c->bytes);
        ik_json_close(j);
    }
    ik_json_close(j);
}
