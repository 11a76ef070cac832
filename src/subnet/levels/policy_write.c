/* SPDX-License-Identifier: Apache-2.0
 *
 * policy_write.c: service levels as a QoS policy of OpenSM.
 *
 * One port group for each class of sources that needs a rule and for each class of destinations
 * that one names. The SL that most pairs have is the default. A class of sources has a rule for
 * each other SL with the classes of destinations that it reaches on it; sources whose rule is the
 * same share it. */
#include "ikat/deploy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GUIDS_PER_LINE = 8 };

typedef struct policy_writer {
    const ik_service_levels *s;
    FILE *out;
    uint32_t *source_hosts, *dest_hosts; /* [classes] ports of hosts in it */
    bool *needed;                        /* [num_dests] a rule names it */
    uint64_t *rules; /* [num_sources][IK_NUM_SLS] equal where the destinations on this SL are */
    uint64_t pairs[IK_NUM_SLS]; /* of ports on each SL */
    unsigned usual;             /* the SL of most pairs */
    ik_policy_size size;
} policy_writer;

static unsigned policy_write_cell(const policy_writer *w, uint32_t source, uint32_t dest)
{
    return w->s->sl[(size_t)source * w->s->num_dests + dest];
}

static bool policy_write_is_host(const ik_lids *lids, uint32_t index)
{
    return lids->of[index].port != IK_NONE && lids->of[index].path == 0;
}

/* A term of the sum over the destinations of a rule. */
static uint64_t policy_write_term(uint32_t dest)
{
    uint64_t x = (dest + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void policy_write_sum_rules(policy_writer *w)
{
    for (uint32_t a = 0; a < w->s->num_sources; a++)
        for (uint32_t b = 0; b < w->s->num_dests; b++)
            if (w->dest_hosts[b])
                w->rules[(size_t)a * IK_NUM_SLS + policy_write_cell(w, a, b)] +=
                    policy_write_term(b);
}

static ik_status policy_write_count_classes(policy_writer *w, ik_error *err)
{
    const ik_service_levels *s = w->s;
    w->source_hosts = ik_calloc((size_t)s->num_sources + 1, sizeof *w->source_hosts);
    w->dest_hosts = ik_calloc((size_t)s->num_dests + 1, sizeof *w->dest_hosts);
    w->needed = ik_calloc((size_t)s->num_dests + 1, sizeof *w->needed);
    w->rules = ik_calloc((size_t)s->num_sources * IK_NUM_SLS + 1, sizeof *w->rules);
    if (!w->source_hosts || !w->dest_hosts || !w->needed || !w->rules)
        return ik_fail_memory(err, (size_t)s->num_sources * 4, "a QoS policy");
    for (uint32_t i = 0; i < s->lids->num; i++) {
        if (!policy_write_is_host(s->lids, i))
            continue;
        w->source_hosts[s->source_of[i]]++;
        w->dest_hosts[s->dest_of[i]]++;
    }
    for (uint32_t a = 0; a < s->num_sources; a++)
        for (uint32_t b = 0; b < s->num_dests; b++)
            w->pairs[policy_write_cell(w, a, b)] += (uint64_t)w->source_hosts[a] * w->dest_hosts[b];
    for (unsigned sl = 1; sl < IK_NUM_SLS; sl++)
        if (w->pairs[sl] > w->pairs[w->usual])
            w->usual = sl;
    for (uint32_t a = 0; a < s->num_sources; a++)
        for (uint32_t b = 0; b < s->num_dests; b++)
            w->needed[b] |=
                w->source_hosts[a] && w->dest_hosts[b] && policy_write_cell(w, a, b) != w->usual;
    policy_write_sum_rules(w);
    return IK_OK;
}

/* Does the class of sources need a rule for this SL? */
static bool policy_write_has_level(const policy_writer *w, uint32_t source, unsigned sl)
{
    if (w->source_hosts[source] == 0 || sl == w->usual || w->pairs[sl] == 0)
        return false;
    for (uint32_t b = 0; b < w->s->num_dests; b++)
        if (w->dest_hosts[b] && policy_write_cell(w, source, b) == sl)
            return true;
    return false;
}

/* The same destinations on this SL? */
static bool policy_write_same_rule(const policy_writer *w, uint32_t a, uint32_t b, unsigned sl)
{
    if (w->rules[(size_t)a * IK_NUM_SLS + sl] != w->rules[(size_t)b * IK_NUM_SLS + sl])
        return false;
    for (uint32_t d = 0; d < w->s->num_dests; d++)
        if (w->dest_hosts[d] &&
            (policy_write_cell(w, a, d) == sl) != (policy_write_cell(w, b, d) == sl))
            return false;
    return w->source_hosts[b] > 0;
}

/* ---- text */

static void policy_write_print_group(policy_writer *w, char kind, uint32_t number,
                                     const uint32_t *class_of)
{
    const ik_lids *lids = w->s->lids;
    uint32_t listed = 0;
    fprintf(w->out, "  port-group\n    name: %c%" PRIu32 "\n", kind, number);
    for (uint32_t i = 0; i < lids->num; i++) {
        if (!policy_write_is_host(lids, i) || class_of[i] != number)
            continue;
        fputs(listed % GUIDS_PER_LINE ? ", "
              : listed                ? "\n    port-guid: "
                                      : "    port-guid: ",
              w->out);
        fprintf(w->out, "0x%016" PRIx64, lids->of[i].guid);
        listed++;
    }
    fputs(listed ? "\n  end-port-group\n" : "  end-port-group\n", w->out);
}

static void policy_write_print_groups(policy_writer *w)
{
    const ik_service_levels *s = w->s;
    fputs("port-groups\n", w->out);
    for (uint32_t a = 0; a < s->num_sources; a++) {
        bool needed = false;
        for (unsigned sl = 0; sl < IK_NUM_SLS && !needed; sl++)
            needed = policy_write_has_level(w, a, sl);
        if (!needed)
            continue;
        policy_write_print_group(w, 'S', a, s->source_of);
        w->size.source_groups++;
    }
    for (uint32_t b = 0; b < s->num_dests; b++) {
        if (!w->needed[b])
            continue;
        policy_write_print_group(w, 'D', b, s->dest_of);
        w->size.dest_groups++;
    }
    fputs("end-port-groups\n", w->out);
}

static void policy_write_print_levels(policy_writer *w)
{
    fprintf(w->out, "qos-levels\n  qos-level\n    name: DEFAULT\n    sl: %u\n  end-qos-level\n",
            w->usual);
    w->size.levels = 1;
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
        if (sl == w->usual || w->pairs[sl] == 0)
            continue;
        fprintf(w->out, "  qos-level\n    name: L%u\n    sl: %u\n  end-qos-level\n", sl, sl);
        w->size.levels++;
    }
    fputs("end-qos-levels\n", w->out);
}

/* The rule of class `first` on this SL, with all later classes that share it; nothing if an earlier
 * class has printed it. */
static void policy_write_print_rule(policy_writer *w, uint32_t first, unsigned sl)
{
    const char *mark = "";
    for (uint32_t a = 0; a < first; a++)
        if (policy_write_same_rule(w, first, a, sl))
            return;
    fputs("  qos-match-rule\n    source: ", w->out);
    for (uint32_t a = first; a < w->s->num_sources; a++)
        if (a == first || policy_write_same_rule(w, first, a, sl)) {
            fprintf(w->out, "%sS%" PRIu32, mark, a);
            mark = ", ";
        }
    fputs("\n    destination: ", w->out);
    mark = "";
    for (uint32_t b = 0; b < w->s->num_dests; b++)
        if (w->dest_hosts[b] && policy_write_cell(w, first, b) == sl) {
            fprintf(w->out, "%sD%" PRIu32, mark, b);
            mark = ", ";
        }
    fprintf(w->out, "\n    qos-level-name: L%u\n  end-qos-match-rule\n", sl);
    w->size.rules++;
}

static void policy_write_print_rules(policy_writer *w)
{
    fputs("qos-match-rules\n", w->out);
    for (uint32_t a = 0; a < w->s->num_sources; a++)
        for (unsigned sl = 0; sl < IK_NUM_SLS; sl++)
            if (policy_write_has_level(w, a, sl))
                policy_write_print_rule(w, a, sl);
    fputs("end-qos-match-rules\n", w->out);
}

ik_status ik_qos_policy_print(const ik_service_levels *s, FILE *out, ik_policy_size *size,
                              ik_error *err)
{
    policy_writer w = {.s = s, .out = out};
    long begin = ftell(out);
    ik_status status = policy_write_count_classes(&w, err);
    if (status == IK_OK) {
        policy_write_print_groups(&w);
        policy_write_print_levels(&w);
        policy_write_print_rules(&w);
        long end = ftell(out);
        w.size.bytes = begin >= 0 && end > begin ? (uint64_t)(end - begin) : 0;
        if (ferror(out))
            status = ik_fail(err, IK_ERR_IO, "cannot write the QoS policy: %s", strerror(errno));
    }
    free(w.source_hosts);
    free(w.dest_hosts);
    free(w.needed);
    free(w.rules);
    if (status == IK_OK && size)
        *size = w.size;
    return status;
}
