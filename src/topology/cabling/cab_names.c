/* SPDX-License-Identifier: Apache-2.0
 *
 * Which node of a fabric is which node of a plan: by GUID where both have the node's GUID once,
 * then by name where both have the name once.
 */
#include "topology/cabling/cab_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A node under what it is sorted by. */
typedef struct label {
    uint64_t guid;
    const char *name; /* "" when sorted by GUID */
    uint32_t node;
} label;

typedef struct naming {
    const ik_fabric *f, *plan;
    label *in_f, *in_plan;
    uint32_t *plan_of, *fabric_of;
} naming;

static int cab_names_compare(const label *x, const label *y)
{
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int cab_names_compare_labels(const void *a, const void *b)
{
    return cab_names_compare(a, b);
}

/* Labels of the nodes without a partner yet. By name, `guid` says whether it is a switch, so that
 * switches and hosts of one name are not taken for each other. */
static size_t cab_names_labels_of(const ik_fabric *f, const uint32_t *partner, bool by_name,
                                  label *out)
{
    size_t num = 0;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        uint64_t guid = f->node_guid ? f->node_guid[node] : 0;
        const char *name = f->node_name && f->node_name[node] ? f->node_name[node] : "";
        if (partner[node] != IK_NONE || (by_name ? !*name : !guid))
            continue;
        out[num++] = (label){by_name ? ik_is_switch(f, node) : guid, by_name ? name : "", node};
    }
    qsort(out, num, sizeof *out, cab_names_compare_labels);
    return num;
}

static bool cab_names_once(const label *l, size_t num, size_t i)
{
    assert(i < num);
    return (i == 0 || cab_names_compare(&l[i - 1], &l[i]) != 0) &&
           (i + 1 == num || cab_names_compare(&l[i + 1], &l[i]) != 0);
}

static void cab_names_match_by(naming *n, bool by_name)
{
    size_t num_f = cab_names_labels_of(n->f, n->plan_of, by_name, n->in_f);
    size_t num_p = cab_names_labels_of(n->plan, n->fabric_of, by_name, n->in_plan);
    for (size_t i = 0, k = 0; i < num_f && k < num_p;) {
        int order = cab_names_compare(&n->in_f[i], &n->in_plan[k]);
        uint32_t a = n->in_f[i].node, b = n->in_plan[k].node;
        if (order == 0 && cab_names_once(n->in_f, num_f, i) &&
            cab_names_once(n->in_plan, num_p, k) &&
            ik_is_switch(n->f, a) == ik_is_switch(n->plan, b)) {
            assert(n->plan_of[a] == IK_NONE && n->fabric_of[b] == IK_NONE);
            n->plan_of[a] = b;
            n->fabric_of[b] = a;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

ik_status cab_names_match(const ik_fabric *f, const ik_fabric *plan, uint32_t *plan_of,
                          uint32_t *fabric_of, uint32_t *switches, ik_error *err)
{
    size_t num_f = (size_t)ik_num_nodes(f) + 1, num_p = (size_t)ik_num_nodes(plan) + 1;
    naming n = {.f = f,
                .plan = plan,
                .in_f = ik_calloc(num_f, sizeof *n.in_f),
                .in_plan = ik_calloc(num_p, sizeof *n.in_plan),
                .plan_of = plan_of,
                .fabric_of = fabric_of};
    ik_status status = n.in_f && n.in_plan ? IK_OK
                                           : ik_fail_memory(err, (num_f + num_p) * sizeof(label),
                                                            "names of a plan");
    memset(plan_of, 0xff, (num_f - 1) * sizeof *plan_of);
    memset(fabric_of, 0xff, (num_p - 1) * sizeof *fabric_of);
    if (status == IK_OK) {
        cab_names_match_by(&n, false);
        cab_names_match_by(&n, true);
        *switches = 0;
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            *switches += plan_of[sw] != IK_NONE;
    }
    free(n.in_f);
    free(n.in_plan);
    return status;
}
