/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_keys.c: which points are samples of the same thing.
 */
#include "report/model.h"

#include "base/spec_text.h"
#include "experiment/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the item at text is a parameter of this section that is a sample. */
static bool model_keys_is_sample(const report_model *m, const char *section, const char *text)
{
    size_t length = strlen(section), key = strcspn(text, "=");
    for (size_t i = 0; i < m->num_over; i++) {
        const char *o = m->over[i];
        if (strncmp(o, section, length) == 0 && o[length] == '.' && strlen(o + length + 1) == key &&
            memcmp(o + length + 1, text, key) == 0)
            return true;
    }
    return false;
}

static bool model_keys_is_over(const report_model *m, const char *section)
{
    for (size_t i = 0; i < m->num_over; i++)
        if (strcmp(m->over[i], section) == 0)
            return true;
    return false;
}

const char *model_without_samples(report_model *m, const char *section, const char *spec)
{
    const char *colon = strchr(spec, ':'), *equals = strchr(spec, '=');
    const char *from = colon && (!equals || colon < equals) ? colon + 1 : spec;
    char *out = ik_arena_strdup(&m->arena, spec);
    if (!out || !equals)
        return out;
    char *to = out + (from - spec);
    const char *begin = to;
    while (*from) {
        const char *end = from + spec_text_item(from);
        size_t length = (size_t)(end - from);
        if (!model_keys_is_sample(m, section, from)) {
            if (to > begin)
                *to++ = ',';
            memcpy(to, from, length);
            to += length;
        }
        from = end + (*end == ',');
    }
    if (to == begin && to > out && to[-1] == ':')
        to--;
    *to = '\0';
    return out;
}

/* Keys of a point that are no part of a curve. */
static bool model_keys_is_left_out(const report_model *m, const char *key)
{
    static const char *const always[] = {"load", "seeds", "setup_seed", "routing_seed"};
    char section[40];
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(key, always[i]) == 0)
            return true;
    const char *digest = strstr(key, "_digest");
    snprintf(section, sizeof section, "%.*s", digest ? (int)(digest - key) : 38, key);
    return model_keys_is_over(m, section);
}

const char *model_row_key(report_model *m, const report_row *r)
{
    json_t *params = NULL, *value;
    const char *key, *out = ik_arena_printf(&m->arena, "%s\n%s\n", r->traffic, r->variant);
    if (m->num_over == 0 && !m->drawn_plans)
        return out ? ik_arena_printf(&m->arena, "%s%zu\n%zu", out, r->fabric, r->plan) : NULL;
    if (model_stored(r->params, &params, NULL) != IK_OK)
        return NULL;
    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);
        if (!out || !text || model_keys_is_left_out(m, key))
            continue;
        const char *kept = model_without_samples(m, key, text);
        out = kept ? ik_arena_printf(&m->arena, "%s%s=%s\n", out, key, kept) : NULL;
    }
    json_decref(params);
    return out;
}

/* Whether the times of all messages follow from what is drawn at the begin: the phases of periodic
 * sources stay as they are. True where it cannot be read. */
static bool model_keys_phases_last(const report_row *r)
{
    static const char key[] = "injection=";
    json_t *params = NULL;
    bool last = true;
    if (model_stored(r->params, &params, NULL) != IK_OK)
        return true;
    const char *at = json_string_value(json_object_get(params, "adapter"));
    for (; at && *at && last; at += *at == ',') {
        last = strncmp(at, key, sizeof key - 1) != 0 ||
               strncmp(at + sizeof key - 1, "periodic", 8) == 0;
        at += spec_text_item(at);
    }
    json_decref(params);
    return last;
}

bool model_run_draws(const report_model *m, const report_row *r)
{
    return traffic_spec_draws(r->traffic) || routing_spec_draws(m->plans[r->plan].routing) ||
           model_keys_phases_last(r);
}

static int model_keys_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool model_keys_same_value(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* Whether a point before row i is the same but for its seed and gave the same run, bit for bit:
 * what it simulates draws nothing. */
static bool model_keys_repeats_run(const report_model *m, const size_t *rows, size_t i)
{
    const report_row *r = &m->rows[rows[i]];
    for (size_t k = i; r->checksum[0] && k-- > 0 && m->rows[rows[k]].plan == r->plan;) {
        const report_row *p = &m->rows[rows[k]];
        if (p->seed != r->seed && p->load == r->load && strcmp(p->checksum, r->checksum) == 0 &&
            strcmp(p->traffic, r->traffic) == 0 && strcmp(p->variant, r->variant) == 0)
            return true;
    }
    return false;
}

/* Whether the plans that seeds drew on a fabric all say what row i does, which is not the first of
 * them: the draw does not matter to it. */
static bool model_keys_repeats_fabric(const report_model *m, const size_t *rows, size_t num,
                                      size_t i, metric_id id)
{
    size_t fabric = m->rows[rows[i]].fabric, first = i;
    while (first > 0 && m->rows[rows[first - 1]].fabric == fabric)
        first--;
    for (size_t k = first; k < num && m->rows[rows[k]].fabric == fabric; k++)
        if (!model_keys_same_value(m->rows[rows[k]].value[id], m->rows[rows[i]].value[id]))
            return false;
    return first < i;
}

/* Points of a plan stand together. What seeds draw is repeated if all of them say the same. */
bool model_is_repeat(const report_model *m, const size_t *rows, size_t num, size_t i, metric_id id)
{
    size_t plan = m->rows[rows[i]].plan, first = i, end = i + 1;
    if (model_keys_repeats_run(m, rows, i) ||
        (m->drawn_plans && metrics[id].exact && model_keys_repeats_fabric(m, rows, num, i, id)))
        return true;
    if (!metrics[id].exact || i == 0 || m->rows[rows[i - 1]].plan != plan)
        return false;
    if (!metric_is_drawn(id))
        return true;
    while (first > 0 && m->rows[rows[first - 1]].plan == plan)
        first--;
    while (end < num && m->rows[rows[end]].plan == plan)
        end++;
    for (size_t k = first; k < end; k++)
        if (!model_keys_same_value(m->rows[rows[k]].value[id], m->rows[rows[i]].value[id]))
            return false;
    return true;
}

size_t model_count_feasible(const report_model *m, const report_step *s, size_t *all)
{
    size_t num = 0;
    *all = s->num_rows + s->num_infeasible;
    for (size_t i = 0; i < *all; i++)
        num += !(m->rows[s->rows[i]].value[METRIC_FEASIBLE] < 1);
    return num;
}

ik_status model_samples(const report_model *m, const report_step *s, metric_id id, double **values,
                        size_t *num, ik_error *err)
{
    size_t n = 0, all = s->num_rows + s->num_infeasible;
    double *made = ik_calloc(all + 1, sizeof *made);
    if (!made)
        return ik_fail_memory(err, all * sizeof *made, "a report");
    for (size_t i = 0; i < all; i++) {
        double value = m->rows[s->rows[i]].value[id];
        if (!isnan(value) && !model_is_repeat(m, s->rows, all, i, id))
            made[n++] = value;
    }
    qsort(made, n, sizeof *made, model_keys_ascending);
    *values = made;
    *num = n;
    return IK_OK;
}

double model_deviation(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

double model_quantile(const double *values, size_t n, double share)
{
    double at = share * (double)(n - 1), below = floor(at);
    size_t i = (size_t)below;
    return i + 1 < n ? values[i] + (at - below) * (values[i + 1] - values[i]) : values[n - 1];
}
