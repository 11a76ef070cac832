/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and lists of hosts as Slurm's configuration files take them: letters, digits, '-', '_' and
 * '.'; equal prefixes are written once, with the numbers behind them in brackets
 * (slurm.conf(5), NodeName).
 */
#include "format/slurm_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 260 };

/* ---- names */

static bool slurm_names_taken(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* Replaces what Slurm cannot take by '-'. Was there any? */
static bool slurm_names_clean(char *name)
{
    bool changed = false;
    for (char *c = name; *c; c++)
        if (!slurm_names_taken(*c)) {
            *c = '-';
            changed = true;
        }
    if (!isalnum((unsigned char)name[0])) {
        name[0] = 'x';
        changed = true;
    }
    return changed;
}

/* A node, its description, and what it is to be called. */
typedef struct entry {
    const char *description;
    char *name;
    uint32_t node;
} entry;

static int compare_descriptions(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->description, y->description);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int slurm_names_compare_names(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static bool same_descriptions(const entry *e, uint32_t num, uint32_t *at)
{
    for (uint32_t i = 1; i < num; i++)
        if (strcmp(e[i].description, e[i - 1].description) == 0) {
            *at = i;
            return true;
        }
    return false;
}

static ik_status slurm_names_describe_all(slurm_names *n, const ik_fabric *f, uint32_t first,
                                          uint32_t num, entry *e, ik_error *err)
{
    char text[NAME_SIZE];
    for (uint32_t i = 0; i < num; i++) {
        const char *name = ik_node_name(f, first + i, text, sizeof text);
        size_t blanks = strspn(name, " \t");
        name += name[blanks] ? blanks : 0; /* the first word is not the empty one before them */
        e[i].node = first + i;
        e[i].description = ik_arena_strdup(&n->arena, name);
        e[i].name = ik_arena_strdup(&n->arena, name);
        if (!e[i].description || !e[i].name)
            return ik_fail_memory(err, sizeof text, "names for Slurm");
    }
    qsort(e, num, sizeof *e, compare_descriptions);
    return IK_OK;
}

static void slurm_names_count_cleaned(slurm_names *n, entry *e)
{
    if (!slurm_names_clean(e->name))
        return;
    if (!n->cleaned++ || e->node < n->first_cleaned)
        n->first_cleaned = e->node;
}

/* Names that are equal only since they were cleaned get a number each. */
static ik_status slurm_names_number_equal(slurm_names *n, entry *e, uint32_t num, ik_error *err)
{
    qsort(e, num, sizeof *e, slurm_names_compare_names);
    for (uint32_t i = 1, nth = 1; i < num; i++) {
        if (strcmp(e[i].name, e[i - nth].name) != 0) {
            nth = 1;
            continue;
        }
        nth++;
        e[i].name = ik_arena_printf(&n->arena, "%s--%" PRIu32, e[i - nth + 1].name, nth);
        if (!e[i].name)
            return ik_fail_memory(err, NAME_SIZE, "names for Slurm");
    }
    return IK_OK;
}

static ik_status slurm_names_name_switches(slurm_names *n, const ik_fabric *f, entry *e,
                                           ik_error *err)
{
    uint32_t at;
    ik_status status = slurm_names_describe_all(n, f, 0, f->num_switches, e, err);
    bool by_guid = status == IK_OK && same_descriptions(e, f->num_switches, &at);
    for (uint32_t i = 0; i < f->num_switches && status == IK_OK; i++) {
        if (!by_guid)
            slurm_names_count_cleaned(n, &e[i]);
        else
            e[i].name = ik_arena_printf(&n->arena, "S-%016" PRIx64, ik_node_guid(f, e[i].node));
        if (!e[i].name)
            status = ik_fail_memory(err, NAME_SIZE, "names for Slurm");
    }
    if (status == IK_OK)
        status = slurm_names_number_equal(n, e, f->num_switches, err);
    for (uint32_t i = 0; i < f->num_switches && status == IK_OK; i++)
        n->name[e[i].node] = e[i].name;
    return status;
}

static ik_status slurm_names_refuse_equal(const ik_fabric *f, const entry *e, ik_error *err)
{
    char a[NAME_SIZE], b[NAME_SIZE];
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "hosts %s and %s have the same description, so Slurm's names of nodes do not follow "
            "from the fabric",
            ik_node_describe(f, e[-1].node, a, sizeof a),
            ik_node_describe(f, e[0].node, b, sizeof b));
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "give each host its own description, which begins with the name of its node");
}

static bool slurm_names_same_word(const char *a, const char *b)
{
    size_t length = strcspn(a, " \t");
    return length == strcspn(b, " \t") && memcmp(a, b, length) == 0;
}

/* Adapters of one host have descriptions with one first word; the first with a cable stands for
 * the host. Leaves those that get a name in e[0 … *kept]. */
static void slurm_names_keep_hosts(slurm_names *n, const ik_fabric *f, entry *e, uint32_t num,
                                   uint32_t *kept)
{
    *kept = 0;
    for (uint32_t i = 0, next; i < num; i = next) {
        uint32_t best = IK_NONE;
        for (next = i; next < num && slurm_names_same_word(e[next].description, e[i].description);
             next++) {
            uint32_t node = e[next].node;
            if (ik_host_switch(f, ik_node_host(f, node)) == IK_NONE)
                n->first_uncabled = n->uncabled++ ? n->first_uncabled : node;
            else if (best == IK_NONE)
                best = next;
            else
                n->first_further = n->further++ ? n->first_further : node;
        }
        if (best != IK_NONE)
            e[(*kept)++] = e[best];
    }
}

static ik_status slurm_names_name_hosts(slurm_names *n, const ik_fabric *f, entry *e, ik_error *err)
{
    uint32_t at = 0, kept = 0;
    ik_status status = slurm_names_describe_all(n, f, f->num_switches, f->num_hosts, e, err);
    if (status != IK_OK)
        return status;
    if (same_descriptions(e, f->num_hosts, &at))
        return slurm_names_refuse_equal(f, &e[at], err);
    slurm_names_keep_hosts(n, f, e, f->num_hosts, &kept);
    for (uint32_t i = 0; i < kept; i++) {
        e[i].name[strcspn(e[i].name, " \t")] = '\0';
        slurm_names_count_cleaned(n, &e[i]);
    }
    status = slurm_names_number_equal(n, e, kept, err);
    for (uint32_t i = 0; i < kept && status == IK_OK; i++)
        n->name[e[i].node] = e[i].name;
    return status;
}

ik_status slurm_names_make(const ik_fabric *f, slurm_names *out, ik_error *err)
{
    slurm_names n = {.first_cleaned = IK_NONE};
    entry *e = ik_calloc((size_t)ik_num_nodes(f) + 1, sizeof *e);
    n.name = ik_calloc((size_t)ik_num_nodes(f) + 1, sizeof *n.name);
    ik_status status =
        e && n.name ? IK_OK
                    : ik_fail_memory(err, ik_num_nodes(f) * (sizeof *e + 8), "names for Slurm");
    if (status == IK_OK)
        status = slurm_names_name_switches(&n, f, e, err);
    if (status == IK_OK)
        status = slurm_names_name_hosts(&n, f, e, err);
    free(e);
    if (status != IK_OK) {
        slurm_names_free(&n);
        return status;
    }
    *out = n;
    return IK_OK;
}

void slurm_names_free(slurm_names *n)
{
    free(n->name);
    ik_arena_free(&n->arena);
    *n = (slurm_names){0};
}

static void format_slurm_names_remark(const ik_fabric *f, uint32_t count, uint32_t node,
                                      const char *noun, const char *what, FILE *out)
{
    char name[NAME_SIZE];
    if (!count)
        return;
    ik_node_name(f, node, name, sizeof name);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    fprintf(out, "# %s %s; the first: %s\n", IK_COUNT(count, noun), what, name);
}

void slurm_names_remark(const slurm_names *n, const ik_fabric *f, FILE *out)
{
    format_slurm_names_remark(f, n->cleaned, n->first_cleaned, "name",
                              "with characters that Slurm does not accept: '-' replaces them", out);
    format_slurm_names_remark(f, n->further, n->first_further, "further adapter",
                              "of hosts on the switch of another adapter", out);
    format_slurm_names_remark(f, n->uncabled, n->first_uncabled, "host",
                              "without a cable to a switch: left out", out);
}

ik_status slurm_hosts_of(const ik_fabric *f, const slurm_names *n, uint32_t **base, char ***names,
                         ik_error *err)
{
    uint32_t *at = ik_calloc((size_t)f->num_switches + 2, sizeof *at);
    char **of = ik_calloc((size_t)f->num_hosts + 1, sizeof *of);
    if (!at || !of) {
        free(at);
        free(of);
        return ik_fail_memory(err, f->num_hosts * sizeof *of, "hosts of switches");
    }
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (n->name[ik_host_node(f, h)])
            at[ik_host_switch(f, h) + 2]++;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        at[sw + 2] += at[sw + 1];
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (n->name[ik_host_node(f, h)])
            of[at[ik_host_switch(f, h) + 1]++] = n->name[ik_host_node(f, h)];
    *base = at;
    *names = of;
    return IK_OK;
}

/* ---- lists of hosts */

/* Digits at the end of a name, at most 9; a name is never all digits. */
static size_t slurm_names_digits_behind(const char *name)
{
    size_t length = strlen(name), digits = 0;
    while (digits < 9 && digits + 1 < length && isdigit((unsigned char)name[length - digits - 1]))
        digits++;
    return digits;
}

static size_t slurm_names_prefix_of(const char *name)
{
    return strlen(name) - slurm_names_digits_behind(name);
}

/* By prefix, then by number of digits, then by number. */
static int slurm_names_compare_hosts(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t px = slurm_names_prefix_of(x), py = slurm_names_prefix_of(y), lx = strlen(x),
           ly = strlen(y);
    int order = memcmp(x, y, px < py ? px : py);
    if (order)
        return order;
    if (px != py)
        return px < py ? -1 : 1;
    if (lx != ly)
        return lx < ly ? -1 : 1;
    return strcmp(x, y);
}

static unsigned long slurm_names_number_of(const char *name)
{
    return strtoul(name + slurm_names_prefix_of(name), NULL, 10);
}

/* Does b follow a in one range? 9 is followed by 10, 99 by 100, but 099 is not followed by 0100. */
static bool slurm_names_follows(const char *a, const char *b)
{
    size_t da = slurm_names_digits_behind(a), db = slurm_names_digits_behind(b),
           prefix = slurm_names_prefix_of(a);
    if (slurm_names_number_of(b) != slurm_names_number_of(a) + 1)
        return false;
    return da == db || (db == da + 1 && a[prefix] != '0');
}

/* A run may only cross to more digits if its first number has no leading zero. */
static size_t slurm_names_end_of_run(char **names, size_t first, size_t end)
{
    size_t last = first, prefix = slurm_names_prefix_of(names[first]);
    bool padded = names[first][prefix] == '0';
    while (last + 1 < end && slurm_names_follows(names[last], names[last + 1]) &&
           (!padded || strlen(names[last]) == strlen(names[last + 1])))
        last++;
    return last;
}

static void slurm_names_write_runs(char **names, size_t first, size_t end, FILE *out)
{
    size_t prefix = slurm_names_prefix_of(names[first]);
    if (end == first + 1) {
        fputs(names[first], out);
        return;
    }
    fprintf(out, "%.*s[", (int)prefix, names[first]);
    for (size_t i = first, last; i < end; i = last + 1) {
        last = slurm_names_end_of_run(names, i, end);
        fprintf(out, "%s%s", i > first ? "," : "", names[i] + prefix);
        if (last > i)
            fprintf(out, "-%s", names[last] + prefix);
    }
    fputc(']', out);
}

void slurm_hostlist(char **names, size_t num, FILE *out)
{
    qsort(names, num, sizeof *names, slurm_names_compare_hosts);
    for (size_t i = 0, next; i < num; i = next) {
        size_t prefix = slurm_names_prefix_of(names[i]);
        bool numbered = slurm_names_digits_behind(names[i]) > 0;
        for (next = i + 1; numbered && next < num && slurm_names_digits_behind(names[next]) > 0 &&
                           slurm_names_prefix_of(names[next]) == prefix &&
                           memcmp(names[next], names[i], prefix) == 0;)
            next++;
        fputs(i ? "," : "", out);
        slurm_names_write_runs(names, i, next, out);
    }
}
