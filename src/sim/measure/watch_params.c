/* SPDX-License-Identifier: Apache-2.0
 *
 * Section watch: which packets are watched, as parameters. */
#include "sim/measure/watch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHOSEN = 1000 };

const ik_param ik_watch_params[] = {
    {"packets", IK_PARAM_TEXTS, "", 0, 0, NULL,
     "list of SOURCE:NUMBER or SOURCE:FIRST-LAST; the packets of a host are counted from 0"},
    {"first", IK_PARAM_UINT, "", 1, MOST_CHOSEN, NULL,
     "this many packets, the first that are sent among those selected by source, destination and "
     "after"},
    {"slowest", IK_PARAM_UINT, "", 1, MOST_CHOSEN, NULL,
     "this many packets, those with the largest latency among the packets that are delivered in "
     "the measured time and selected by source, destination and after",
     "not first", "first and slowest: two runs"},
    {"source", IK_PARAM_UINT, "", 0, 4294967294.0, NULL, "only packets from this host",
     "first or slowest", "say how many: first or slowest"},
    {"destination", IK_PARAM_UINT, "", 0, 4294967294.0, NULL, "only packets to this host",
     "first or slowest", "say how many: first or slowest"},
    {"after", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL, "only packets generated from this time on",
     "first or slowest", "say how many: first or slowest"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

const char *const ik_watch_stage_names[IK_WATCH_STAGES] = {
    [IK_WATCH_GENERATED] = "generated", [IK_WATCH_WAITS] = "waits",
    [IK_WATCH_INJECTED] = "injected",   [IK_WATCH_ARRIVED] = "arrived",
    [IK_WATCH_ROUTED] = "routed",       [IK_WATCH_VC] = "vc",
    [IK_WATCH_GRANTED] = "granted",     [IK_WATCH_QUEUED] = "queued",
    [IK_WATCH_SENT] = "sent",           [IK_WATCH_RECEIVED] = "received",
    [IK_WATCH_DELIVERED] = "delivered", [IK_WATCH_DROPPED] = "dropped",
};

const char *const ik_watch_reason_names[IK_WATCH_REASONS] = {
    [IK_WATCH_NOTHING] = "",      [IK_WATCH_LINK] = "link",     [IK_WATCH_CREDIT] = "credit",
    [IK_WATCH_SPACE] = "space",   [IK_WATCH_BEHIND] = "behind", [IK_WATCH_INPUT] = "input",
    [IK_WATCH_OUTPUT] = "output", [IK_WATCH_CHOICE] = "choice", [IK_WATCH_FREE_VC] = "vc",
    [IK_WATCH_TURN] = "turn",
};

static const ik_value *watch_params_value_of(const ik_params *p, const char *name)
{
    size_t k = 0;
    while (strcmp(p->decl[k].name, name) != 0)
        k++;
    return &p->values[k];
}

/* A number of 32 bits at *text, which moves behind it. */
static bool watch_params_read_number(const char **text, uint64_t *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return *value < UINT32_MAX;
}

/* "5:17" or "5:10-19" at *text, which moves behind it. */
static bool watch_params_read_range(const char **text, uint64_t *src, uint64_t *first,
                                    uint64_t *last)
{
    if (!watch_params_read_number(text, src) || *(*text)++ != ':' ||
        !watch_params_read_number(text, first))
        return false;
    *last = *first;
    if (**text == '-') {
        ++*text;
        if (!watch_params_read_number(text, last))
            return false;
    }
    return **text == '\0' || **text == ' ';
}

static ik_status watch_params_bad_packet(const ik_value *v, const char *text, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, v->source ? v->source : "", v->line, v->column,
               "section 'watch', parameter 'packets': '%.*s' names no packet",
               (int)strcspn(text, " "), text);
    return ik_hint(err, IK_ERR_INPUT,
                   "SOURCE:NUMBER, or SOURCE:FIRST-LAST with FIRST not above LAST: 5:17, 5:10-19");
}

/* Calls for every packet; keys NULL: only counts. */
static ik_status watch_params_read_packets(const ik_params *p, watch_key *keys, size_t *num,
                                           ik_error *err)
{
    const ik_value *v = watch_params_value_of(p, "packets");
    *num = 0;
    for (const char *text = v->has ? v->text : ""; *text; text += strspn(text, " ")) {
        const char *begin = text;
        uint64_t src, first, last;
        if (!watch_params_read_range(&text, &src, &first, &last) || first > last)
            return watch_params_bad_packet(v, begin, err);
        if (last - first >= IK_WATCH_MOST || *num + (last - first) >= IK_WATCH_MOST) {
            ik_fail_at(err, IK_ERR_INPUT, v->source ? v->source : "", v->line, v->column,
                       "section 'watch', parameter 'packets': more than %d packets", IK_WATCH_MOST);
            return ik_hint(err, IK_ERR_INPUT, "some packets show what happens: 5:10-19");
        }
        for (uint64_t n = first; n <= last; n++, ++*num)
            if (keys)
                keys[*num].of = src << 32 | n;
    }
    return IK_OK;
}

static ik_status watch_params_refuse_host(const ik_value *v, const char *name, uint64_t host,
                                          uint32_t num_hosts, ik_error *err)
{
    ik_fail_at(err, IK_ERR_USAGE, v->source ? v->source : "", v->line, v->column,
               "section 'watch', parameter '%s': there is no host %llu among %u", name,
               (unsigned long long)host, num_hosts);
    return ik_hint(err, IK_ERR_USAGE, "hosts are numbered from 0");
}

ik_status ik_watch_check_hosts(const ik_params *p, uint32_t num_hosts, ik_error *err)
{
    static const char *const names[] = {"source", "destination"};
    const ik_value *v = watch_params_value_of(p, "packets");
    for (const char *text = v->has ? v->text : ""; *text; text += strspn(text, " ")) {
        const char *begin = text;
        uint64_t src, first, last;
        if (!watch_params_read_range(&text, &src, &first, &last))
            return watch_params_bad_packet(v, begin, err);
        if (src >= num_hosts)
            return watch_params_refuse_host(v, "packets", src, num_hosts, err);
    }
    for (size_t k = 0; k < 2; k++) {
        v = watch_params_value_of(p, names[k]);
        if (v->has && v->u >= num_hosts)
            return watch_params_refuse_host(v, names[k], v->u, num_hosts, err);
    }
    return IK_OK;
}

ik_status ik_watch_check(const ik_params *p, bool *asked, ik_error *err)
{
    size_t num = 0;
    *asked = false;
    ik_status status = p ? ik_params_check_needs(p, "section 'watch'", NULL, NULL, err) : IK_OK;
    if (p && status == IK_OK)
        status = watch_params_read_packets(p, NULL, &num, err);
    if (p && status == IK_OK)
        *asked = num > 0 || watch_params_value_of(p, "first")->has ||
                 watch_params_value_of(p, "slowest")->has;
    return status;
}

static int watch_params_by_key(const void *a, const void *b)
{
    const watch_key *x = a, *y = b;
    return (x->of > y->of) - (x->of < y->of);
}

static uint32_t watch_params_host_or_any(const ik_params *p, const char *name)
{
    const ik_value *v = watch_params_value_of(p, name);
    return v->has ? (uint32_t)v->u : IK_NONE;
}

ik_status watch_open(const ik_params *p, watch **out, ik_error *err)
{
    bool asked;
    size_t num = 0;
    *out = NULL;
    ik_status status = ik_watch_check(p, &asked, err);
    if (status != IK_OK || !asked)
        return status;
    watch *w = ik_calloc(1, sizeof *w);
    if (!w || !(w->keys = ik_calloc(IK_WATCH_MOST + 1, sizeof *w->keys))) {
        watch_free(w);
        return ik_fail_memory(err, IK_WATCH_MOST * sizeof(watch_key), "watched packets");
    }
    status = watch_params_read_packets(p, w->keys, &num, err);
    if (status != IK_OK) {
        watch_free(w);
        return status;
    }
    qsort(w->keys, num, sizeof *w->keys, watch_params_by_key);
    for (size_t k = 0; k < num; k++)
        if (w->num_keys == 0 || w->keys[w->num_keys - 1].of != w->keys[k].of)
            w->keys[w->num_keys++].of = w->keys[k].of;
    for (size_t k = 0; k < w->num_keys; k++)
        w->keys[k].slot = (uint32_t)k;
    const ik_value *first = watch_params_value_of(p, "first"),
                   *slowest = watch_params_value_of(p, "slowest");
    w->rank_by = slowest->has ? WATCH_SLOWEST : WATCH_FIRST;
    w->want = (uint32_t)(slowest->has ? slowest->u : first->has ? first->u : 0);
    w->looking = w->want > 0;
    w->src = watch_params_host_or_any(p, "source");
    w->dst = watch_params_host_or_any(p, "destination");
    w->after_ps = watch_params_value_of(p, "after")->u;
    *out = w;
    return IK_OK;
}
