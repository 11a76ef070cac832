/* SPDX-License-Identifier: Apache-2.0
 *
 * cab_rails.c: two cables of one host that are swapped.
 *
 * No switch has another cable than before, and the fabric is still of its family. But hosts with
 * several cables, or several adapters, mostly have them at switches in one order: rail 1 of each at
 * this switch, rail 2 at that one. A rail is the number of the port, and the last word of the
 * adapter's name if that is one of a driver's ("gpu011 HCA-1", "gpu011 mlx5_0"). Of the hosts
 * that have a pair of rails at a pair of switches, those few that have them the other way round are
 * named, if there are few in the whole fabric: rails that were cabled in any order say nothing.
 * Cost O(cables of hosts * rails), sorted.
 */
#include "topology/cabling/cab_findings.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 192, NAMED = 20, MOST_RAILS = 32 };
/* Hosts that have two rails in one order for each that has not: at two switches, in the fabric;
 * and how many of these at least. */
enum { ALIKE_AT_SWITCHES = 3, ALIKE_IN_ALL = 9, LEAST_ALIKE = 3 };

/* A cable of a host. */
typedef struct rail {
    const char *name;            /* of the adapter */
    size_t host;                 /* length of the name of its host; 0: the node is the host */
    uint32_t node, number, port; /* the number of the port on its adapter */
} rail;

/* Two cables of a host to two switches. */
typedef struct rail_pair {
    const rail *first, *second;
    uint32_t low, high; /* switches */
    bool turned;        /* the first rail is at the switch `high` */
} rail_pair;

typedef struct rails {
    const ik_fabric *f;
    rail *of;
    size_t num;
    rail_pair *pairs;
    size_t num_pairs;
} rails;

static const char *cab_rails_adapter(const rail *r)
{
    return r->host ? r->name + r->host : "";
}

static int cab_rails_compare_rails(const rail *x, const rail *y)
{
    int order = strcmp(cab_rails_adapter(x), cab_rails_adapter(y));
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int cab_rails_compare_hosts(const rail *x, const rail *y)
{
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->host ? strncmp(x->name, y->name, x->host) : (x->node > y->node) - (x->node < y->node);
}

static int cab_rails_compare(const void *a, const void *b)
{
    int order = cab_rails_compare_hosts(a, b);
    return order ? order : cab_rails_compare_rails(a, b);
}

/* By rails, then by switches. */
static int cab_rails_compare_pairs(const void *a, const void *b)
{
    const rail_pair *x = a, *y = b;
    int order = cab_rails_compare_rails(x->first, y->first);
    order = order ? order : cab_rails_compare_rails(x->second, y->second);
    if (order)
        return order;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

/* Does a word name an adapter of a host, as drivers do, with a number behind? */
static bool cab_rails_names_adapter(const char *word)
{
    static const char *const drivers[] = {"HCA-", "mlx4_", "mlx5_", "hfi1_", "qib", "ib", "rail"};
    size_t length = strlen(word);
    if (!length || !isdigit((unsigned char)word[length - 1]))
        return false;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strncmp(word, drivers[i], strlen(drivers[i])) == 0)
            return true;
    return false;
}

/* How much of an adapter's name is its host's: all but a last word that names the adapter. */
static size_t cab_rails_host(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank && blank > name && cab_rails_names_adapter(blank + 1) ? (size_t)(blank - name) : 0;
}

static void cab_rails_list(rails *r)
{
    const ik_fabric *f = r->f;
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++) {
        uint32_t node = f->port_node[port], sw = ik_peer_node(f, port);
        const char *name = f->node_name && f->node_name[node] ? f->node_name[node] : "";
        if (sw != IK_NONE && ik_is_switch(f, sw))
            r->of[r->num++] =
                (rail){name, cab_rails_host(name), node, ik_port_number(f, port), port};
    }
    qsort(r->of, r->num, sizeof *r->of, cab_rails_compare);
}

/* Pairs of the rails of one host, which are `of` .. `of + num`; none if two have one name. */
static size_t cab_rails_pair_host(const ik_fabric *f, const rail *of, size_t num, rail_pair *out)
{
    size_t pairs = 0;
    for (size_t i = 1; i < num; i++)
        if (cab_rails_compare_rails(&of[i - 1], &of[i]) == 0)
            return 0;
    for (size_t i = 0; num <= MOST_RAILS && i < num; i++)
        for (size_t k = i + 1; k < num; k++) {
            uint32_t a = ik_peer_node(f, of[i].port), b = ik_peer_node(f, of[k].port);
            if (a == b)
                continue;
            if (out)
                out[pairs] = (rail_pair){&of[i], &of[k], a < b ? a : b, a < b ? b : a, a > b};
            pairs++;
        }
    return pairs;
}

/* All pairs; NULL: only counts them. */
static size_t cab_rails_pair_all(const rails *r, rail_pair *out)
{
    size_t pairs = 0;
    for (size_t i = 0, next; i < r->num; i = next) {
        for (next = i + 1; next < r->num && cab_rails_compare_hosts(&r->of[i], &r->of[next]) == 0;)
            next++;
        pairs += cab_rails_pair_host(r->f, r->of + i, next - i, out ? out + pairs : NULL);
    }
    return pairs;
}

/* The end of the pairs like this one, and how many of them are turned. */
static size_t cab_rails_like(const rails *r, size_t first, size_t *turned)
{
    size_t i = first;
    *turned = 0;
    for (; i < r->num_pairs && cab_rails_compare_pairs(&r->pairs[first], &r->pairs[i]) == 0; i++)
        *turned += r->pairs[i].turned;
    return i;
}

/* Do few hosts of the fabric have rails the other way round than most at the same switches? */
static bool cab_rails_in_order(const rails *r)
{
    size_t usual = 0, other = 0, turned;
    for (size_t i = 0, next; i < r->num_pairs; i = next) {
        next = cab_rails_like(r, i, &turned);
        size_t straight = next - i - turned;
        usual += turned > straight ? turned : straight;
        other += turned > straight ? straight : turned;
    }
    return other && usual >= ALIKE_IN_ALL * other;
}

static ik_status cab_rails_tell_pair(ik_cabling *c, const ik_fabric *f, const rail_pair *p,
                                     size_t alike, size_t all, ik_error *err)
{
    char a[TEXT], b[TEXT], at_a[TEXT], at_b[TEXT];
    uint32_t first = p->first->port, second = p->second->port;
    return cab_finding(c, IK_WARNING, "swapped-rails", first, p->first->node, err,
                       "two cables of one host are swapped: %s is cabled to %s and %s to %s; %zu "
                       "of the %zu hosts with these rails at these two switches have them the "
                       "other way round",
                       ik_port_describe(f, first, a, sizeof a),
                       ik_port_describe(f, f->port_peer[first], at_a, sizeof at_a),
                       ik_port_describe(f, second, b, sizeof b),
                       ik_port_describe(f, f->port_peer[second], at_b, sizeof at_b), alike, all);
}

static ik_status cab_rails_tell(ik_cabling *c, const rails *r, ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t shown = 0;
    for (size_t i = 0, next, turned; i < r->num_pairs && status == IK_OK; i = next) {
        next = cab_rails_like(r, i, &turned);
        size_t straight = next - i - turned, few = turned < straight ? turned : straight;
        size_t alike = next - i - few;
        if (!few || alike < LEAST_ALIKE || alike < ALIKE_AT_SWITCHES * few)
            continue;
        for (size_t k = i; k < next && status == IK_OK; k++)
            if (r->pairs[k].turned == (turned < straight) && shown++ < NAMED)
                status = cab_rails_tell_pair(c, r->f, &r->pairs[k], alike, next - i, err);
    }
    return status;
}

ik_status cab_tell_rails(ik_cabling *c, const ik_fabric *f, ik_error *err)
{
    assert(c && f);
    size_t most = f->num_ports - f->port_base[f->num_switches];
    rails r = {.f = f, .of = ik_calloc(most + 1, sizeof *r.of)};
    if (!r.of)
        return ik_fail_memory(err, most * sizeof *r.of, "rails of hosts");
    cab_rails_list(&r);
    size_t pairs = cab_rails_pair_all(&r, NULL);
    r.pairs = ik_calloc(pairs + 1, sizeof *r.pairs);
    ik_status status =
        r.pairs ? IK_OK : ik_fail_memory(err, pairs * sizeof *r.pairs, "rails of hosts");
    if (status == IK_OK) {
        r.num_pairs = cab_rails_pair_all(&r, r.pairs);
        qsort(r.pairs, r.num_pairs, sizeof *r.pairs, cab_rails_compare_pairs);
        if (cab_rails_in_order(&r))
            status = cab_rails_tell(c, &r, err);
    }
    free(r.of);
    free(r.pairs);
    return status;
}
