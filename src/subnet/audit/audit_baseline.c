/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_baseline.c: findings that an earlier audit had: they are known. Two findings are the same
 * if code, place and text are.
 */
#include "base/json_value.h"
#include "subnet/audit/audit_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct known {
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

/* The findings of the document, sorted. */
static ik_status audit_baseline_list(const audit_work *w, const json_t *root, known **list,
                                     size_t *num)
{
    const json_t *findings = json_object_get(root, "findings");
    const char *path = w->config->baseline;
    if (!json_is_array(findings)) {
        ik_fail_at(w->err, IK_ERR_INPUT, path, 1, 1, "this is no report of 'ikat audit --json'");
        return ik_hint(w->err, IK_ERR_INPUT, "expected an object with an array \"findings\"");
    }
    *num = json_array_size(findings);
    *list = ik_calloc(*num + 1, sizeof **list);
    if (!*list)
        return ik_fail_memory(w->err, *num * sizeof **list, "the findings of a baseline");
    for (size_t i = 0; i < *num; i++) {
        const json_t *f = json_array_get(findings, i);
        const char *code = json_string_value(json_object_get(f, "code")),
                   *text = json_string_value(json_object_get(f, "text")),
                   *place = json_string_value(json_object_get(f, "place"));
        if (!code || !text)
            return ik_fail_at(w->err, IK_ERR_INPUT, path, 1, 1,
                              "finding %zu of the report has no \"code\" or no \"text\"", i + 1);
        (*list)[i] = (known){code, place ? place : "", text, false};
    }
    qsort(*list, *num, sizeof **list, audit_baseline_compare);
    return IK_OK;
}

static void audit_baseline_mark(ik_audit *a, known *list, size_t num)
{
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

ik_status audit_baseline(audit_work *w)
{
    json_t *root = NULL;
    known *list = NULL;
    size_t num = 0;
    if (!w->config->baseline)
        return IK_OK;
    ik_status status = audit_baseline_read(w, &root);
    if (status == IK_OK)
        status = audit_baseline_list(w, root, &list, &num);
    if (status == IK_OK)
        audit_baseline_mark(w->a, list, num);
    free(list);
    json_decref(root);
    return status;
}
