/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_baseline.c: findings that an earlier audit had: they are known. Two findings are the same
 * if code, place and text are.
 */
#include "base/json_value.h"
#include "subnet/audit/audit_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct audit_known {
    const char *code, *place, *text; /* place "": none */
    bool seen;
} known;

static int audit_baseline_compare(const void *x, const void *y)
{
    const known *a = x, *b = y;
    int order = strcmp(a->code, b->code);
    if (order == 0)
        order = strcmp(a->text, b->text);
    return order ? order : strcmp(a->place, b->place);
}

/* Other reports have findings, too. */
static ik_status audit_baseline_check(const audit_work *w, const json_t *root)
{
    static const char *const own[] = {"lids", "known", "gone", "partial", "installed"};
    const char *path = w->config->baseline;
    if (!json_is_array(json_object_get(root, "findings"))) {
        ik_fail_at(w->err, IK_ERR_INPUT, path, 1, 1, "this is no report of 'ikat audit --json'");
        return ik_hint(w->err, IK_ERR_INPUT, "expected an object with an array \"findings\"");
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!json_object_get(root, own[i])) {
            ik_fail_at(w->err, IK_ERR_INPUT, path, 1, 1,
                       "this is no report of 'ikat audit --json': it has no \"%s\"", own[i]);
            return ik_hint(w->err, IK_ERR_INPUT,
                           "write one with 'ikat audit FABRIC --json > yesterday.json'");
        }
    return IK_OK;
}

/* The findings of the document, sorted. */
static ik_status audit_baseline_list(audit_work *w, const json_t *root)
{
    const json_t *findings = json_object_get(root, "findings");
    size_t num = json_array_size(findings);
    w->known = ik_calloc(num + 1, sizeof *w->known);
    if (!w->known)
        return ik_fail_memory(w->err, num * sizeof *w->known, "the findings of a baseline");
    for (size_t i = 0; i < num; i++) {
        const json_t *f = json_array_get(findings, i);
        const char *code = json_string_value(json_object_get(f, "code")),
                   *text = json_string_value(json_object_get(f, "text")),
                   *place = json_string_value(json_object_get(f, "place"));
        if (!code || !text)
            return ik_fail_at(w->err, IK_ERR_INPUT, w->config->baseline, 1, 1,
                              "finding %zu of the report has no \"code\" or no \"text\"", i + 1);
        w->known[w->num_known++] = (known){code, place ? place : "", text, false};
    }
    qsort(w->known, num, sizeof *w->known, audit_baseline_compare);
    return IK_OK;
}

void audit_baseline_mark(audit_work *w)
{
    ik_audit *a = w->a;
    known *list = w->known;
    size_t num = w->num_known;
    for (size_t i = 0; i < a->num_findings; i++) {
        ik_audit_finding *f = &a->findings[i];
        const known key = {f->code, f->place ? f->place : "", f->text, false};
        known *found = num ? bsearch(&key, list, num, sizeof *list, audit_baseline_compare) : NULL;
        if (!found)
            continue;
        for (; found > list && audit_baseline_compare(found - 1, &key) == 0;)
            found--;
        for (; found < list + num && audit_baseline_compare(found, &key) == 0; found++)
            found->seen = true;
        f->known = true;
        a->counts[f->severity]--;
        a->num_known++;
    }
    for (size_t i = 0; i < num; i++)
        a->num_gone += !list[i].seen;
}

static ik_status audit_baseline_read(audit_work *w, json_t **root)
{
    const char *path = w->config->baseline;
    char *text = NULL;
    size_t size = 0;
    json_error_t why;
    ik_status status = ik_text_read(path, 0, &text, &size, w->err);
    if (status != IK_OK)
        return status;
    ik_status parsed = json_parse(text, size, root, &why);
    free(text);
    if (parsed == IK_ERR_MEMORY)
        return ik_fail_memory(w->err, size, "a baseline");
    return parsed == IK_OK
               ? IK_OK
               : ik_fail_at(w->err, IK_ERR_INPUT, path, why.line > 0 ? (unsigned)why.line : 0,
                            why.column > 0 ? (unsigned)why.column : 0, "no JSON: %s", why.text);
}

ik_status audit_baseline_open(audit_work *w)
{
    if (!w->config->baseline)
        return IK_OK;
    ik_status status = audit_baseline_read(w, &w->baseline);
    if (status == IK_OK)
        status = audit_baseline_check(w, w->baseline);
    return status == IK_OK ? audit_baseline_list(w, w->baseline) : status;
}

void audit_baseline_close(audit_work *w)
{
    free(w->known);
    json_decref(w->baseline);
    w->known = NULL;
    w->baseline = NULL;
}
