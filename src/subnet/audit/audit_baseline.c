/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_baseline.c: findings that an earlier audit had: they are known. Two findings are the same
 * if code, place and text are, but for quantities in the text and for the examples that it names:
 * counts change from day to day. One whose count is more than twice what it was is not known. Where
 * the baseline counts some that it does not name ("and 12 more: ..."), as many may be named now.
 */
#include "base/json_value.h"
#include "subnet/audit/audit_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct audit_known {
    const char *code, *place, *text; /* place "": none; text: see audit_baseline_key */
    double count;                    /* the first quantity of the text, 0: none */
    uint64_t unnamed;                /* findings that this one counts; less: that still are */
    bool seen;
} known;

enum { MOST_GROWTH = 2, MOST_WORD = 64 };

/* ---- what stays of a text */

/* A number by itself, with what may stand around it: "(1,024" "10.6" "3:". */
static bool audit_baseline_is_quantity(const char *word, size_t length)
{
    bool digit = false;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("0123456789.,()+-;:%", word[i]))
            return false;
        digit |= word[i] >= '0' && word[i] <= '9';
    }
    return digit && !memchr(word, ':', length - 1);
}

/* Does this word say that a number names something? */
static bool audit_baseline_names(const char *word, size_t length)
{
    static const char *const names[] = {"port", "LID", "level", "SL", "VL", "rail", "GUID"};
    while (length && strchr("(,;", *word)) {
        word++;
        length--;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && memcmp(word, names[i], length) == 0)
            return true;
    return false;
}

/* Is the word behind this one that names a port? Or does the one before, in key, lead to a node? */
static bool audit_baseline_near_node(const char *behind, const char *before, size_t length)
{
    static const char *const leads[] = {"from", "to", "at", "switch", "host", "and"};
    if (strncmp(behind, " port ", 6) == 0)
        return true;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (length == strlen(leads[i]) && memcmp(before, leads[i], length) == 0)
            return true;
    return false;
}

static int audit_baseline_compare_names(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* The names of nodes, sorted; none where nodes have GUIDs: these tell them apart. */
static ik_status audit_baseline_list_names(audit_work *w)
{
    const ik_fabric *f = w->a->fabric;
    uint32_t num = !f->node_guid && f->node_name ? ik_num_nodes(f) : 0;
    w->names = ik_calloc((size_t)num + 1, sizeof *w->names);
    if (!w->names)
        return ik_fail_memory(w->err, num * sizeof *w->names, "names of nodes");
    for (uint32_t node = 0; node < num; node++) {
        size_t length = strlen(f->node_name[node]);
        w->longest_name = length > w->longest_name ? length : w->longest_name;
        w->names[w->num_names++] = f->node_name[node];
    }
    qsort(w->names, w->num_names, sizeof *w->names, audit_baseline_compare_names);
    return IK_OK;
}

/* Is that a name? Compares it with O(log names) of them. */
static bool audit_baseline_is_name(const audit_work *w, const char *word, size_t length)
{
    size_t low = 0, high = w->num_names;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(w->names[middle], word, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->num_names && strncmp(w->names[low], word, length) == 0 &&
           !w->names[low][length];
}

/* The length of the name of a node that begins here, 0: none. A name that is a number by itself is
 * one only where a node is named. */
static size_t audit_baseline_node(const audit_work *w, const char *word, const char *before,
                                  size_t length_before)
{
    size_t longest = 0, length = 0;
    while (w->num_names && word[length] && length < w->longest_name) {
        length++;
        length += strcspn(word + length, " ,;:.)");
        if (audit_baseline_is_name(w, word, length) &&
            (!audit_baseline_is_quantity(word, length) ||
             audit_baseline_near_node(word + length, before, length_before)))
            longest = length;
    }
    return longest;
}

static double audit_baseline_value(const char *word, size_t length)
{
    char digits[MOST_WORD];
    size_t num = 0;
    for (size_t i = 0; i < length && num + 1 < sizeof digits; i++)
        if (word[i] != ',' && word[i] != '(')
            digits[num++] = word[i];
    digits[num] = '\0';
    return strtod(digits, NULL);
}

/* "1 cable is" and "2 cables are" are alike: the word behind a quantity without its plural. */
static size_t audit_baseline_singular(const char *word, size_t length)
{
    length -= length > 2 && word[length - 1] == 's';
    length -= length > 2 && word[length - 1] == 'e';
    return length;
}

/* The text without quantities and without the example that "the first" names. */
static ik_status audit_baseline_key(audit_work *w, const char *text, const char **out,
                                    double *count)
{
    const char *example = strstr(text, "the first "), *end = example ? example : strchr(text, 0);
    char *key = ik_arena_alloc(&w->a->arena, strlen(text) + 1);
    size_t used = 0, before = 0, length;
    bool counted = false;
    *count = 0;
    if (!key)
        return ik_fail_memory(w->err, strlen(text), "the findings of a baseline");
    for (const char *word = text; word < end; word += length + strspn(word + length, " ")) {
        length = strcspn(word, " ");
        bool named = audit_baseline_names(key + before, used - before);
        size_t node = audit_baseline_node(w, word, key + before, used - before);
        before = used;
        if (node && !named) {
            memcpy(key + used, word, node);
            used += length = node + strcspn(word + node, " ");
            memcpy(key + before + node, word + node, length - node);
            counted = false;
            continue;
        }
        if (audit_baseline_is_quantity(word, length) && !named) {
            *count = *count > 0 ? *count : audit_baseline_value(word, length);
            key[used++] = '#';
            counted = true;
            continue;
        }
        size_t kept = counted ? audit_baseline_singular(word, length) : length;
        counted = false;
        if (strncmp(word, "is ", 3) == 0 || strncmp(word, "are ", 4) == 0)
            kept = 0;
        memcpy(key + used, word, kept);
        used += kept;
    }
    key[used] = '\0';
    *out = key;
    return IK_OK;
}

/* How many findings one of audit_rest counts; 0: it is none. */
static uint64_t audit_baseline_unnamed(const char *text)
{
    uint64_t count = 0;
    int end = 0;
    return sscanf(text, "and %" SCNu64 " more: %n", &count, &end) == 1 && end ? count : 0;
}

/* "" where there is none, or where it is that of an example. */
static const char *audit_baseline_place(const char *place, const char *text)
{
    return place && !strstr(text, "the first ") ? place : "";
}

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
        known *k = &w->known[w->num_known++];
        *k = (known){.code = code,
                     .place = audit_baseline_place(place, text),
                     .unnamed = audit_baseline_unnamed(text)};
        ik_status status = audit_baseline_key(w, text, &k->text, &k->count);
        if (status != IK_OK)
            return status;
    }
    qsort(w->known, num, sizeof *w->known, audit_baseline_compare);
    return IK_OK;
}

/* So many findings of this code were not named in the baseline, and are not now either. */
static void audit_baseline_stay_unnamed(audit_work *w, const char *code, uint64_t count)
{
    for (size_t i = 0; count && i < w->num_known; i++) {
        known *k = &w->known[i];
        if (k->unnamed && strcmp(k->code, code) == 0)
            k->unnamed -= count < k->unnamed ? count : k->unnamed;
    }
}

/* One about a place, which the baseline does not name: is it one of those that it only counts? */
static bool audit_baseline_take_unnamed(audit_work *w, const known *key)
{
    for (size_t i = 0; *key->place && i < w->num_known; i++) {
        known *k = &w->known[i];
        if (k->unnamed && strcmp(k->code, key->code) == 0) {
            k->unnamed--;
            k->seen = true;
            return true;
        }
    }
    return false;
}

/* Marks those of the baseline that are this one. Is it known? */
static bool audit_baseline_find(audit_work *w, const known *key)
{
    known *list = w->known;
    size_t num = w->num_known;
    known *found = num ? bsearch(key, list, num, sizeof *list, audit_baseline_compare) : NULL;
    double most = 0;
    if (!found)
        return audit_baseline_take_unnamed(w, key);
    for (; found > list && audit_baseline_compare(found - 1, key) == 0;)
        found--;
    for (; found < list + num && audit_baseline_compare(found, key) == 0; found++) {
        found->seen = true;
        most = found->count > most ? found->count : most;
    }
    return key->count <= MOST_GROWTH * most;
}

ik_status audit_baseline_mark(audit_work *w)
{
    ik_audit *a = w->a;
    for (size_t i = 0; i < a->num_findings; i++)
        audit_baseline_stay_unnamed(w, a->findings[i].code,
                                    audit_baseline_unnamed(a->findings[i].text));
    for (size_t i = 0; i < a->num_findings; i++) {
        ik_audit_finding *f = &a->findings[i];
        known key = {.code = f->code, .place = audit_baseline_place(f->place, f->text)};
        ik_status status = audit_baseline_key(w, f->text, &key.text, &key.count);
        if (status != IK_OK)
            return status;
        f->count = key.count;
        if (!f->key)
            f->key = ik_arena_printf(&a->arena, "%s: %s", key.place, key.text);
        if (!f->key)
            return ik_fail_memory(w->err, strlen(f->text), "the findings of an audit");
        if (!audit_baseline_find(w, &key))
            continue;
        f->known = true;
        a->counts[f->severity]--;
        a->num_known++;
    }
    for (size_t i = 0; i < w->num_known; i++)
        a->num_gone += !w->known[i].seen;
    return IK_OK;
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
    ik_status status = audit_baseline_list_names(w);
    if (status != IK_OK || !w->config->baseline)
        return status;
    status = audit_baseline_read(w, &w->baseline);
    if (status == IK_OK)
        status = audit_baseline_check(w, w->baseline);
    return status == IK_OK ? audit_baseline_list(w, w->baseline) : status;
}

void audit_baseline_close(audit_work *w)
{
    free(w->known);
    json_decref(w->baseline);
    free(w->names);
    w->known = NULL;
    w->names = NULL;
    w->baseline = NULL;
}
