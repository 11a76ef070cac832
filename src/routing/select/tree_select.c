/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_select.c: the part that the digit-preferring selection functions share. */
#include "routing/select/tree_select.h"

#include <stdlib.h>

typedef struct preference {
    tree *tree;
    select_digit digit;
} preference;

ik_status select_tree_create(ik_selection *s, select_digit digit, ik_error *err)
{
    preference *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a selection function");
    *p = (preference){.digit = digit};
    s->impl = p;
    ik_status status = tree_new(s->fabric, s->family->name, &p->tree, err);
    return status == IK_OK ? status
                           : ik_hint(err, status,
                                     "selection function '%s' prefers ports by the digits of tree "
                                     "labels; 'sadp' and 'first_free' work on any fabric",
                                     s->family->name);
}

void select_tree_destroy(ik_selection *s)
{
    preference *p = s->impl;
    if (p)
        tree_free(p->tree);
    free(p);
}

uint32_t select_tree_pick(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                          uint32_t n, uint32_t preferred)
{
    const preference *p = s->impl;
    const tree_switch *here = &p->tree->sw[ask->sw];
    const tree_level *lv = &p->tree->level[here->level];
    uint32_t first_up = here->port_base + lv->first_up, start = 0;
    if (out[0] < first_up)
        return select_first_from(s, ask, out, n, preferred);
    uint32_t wanted = first_up + tree_remainder(p->digit(p->tree, ask->sw, ask->pk), &lv->up);
    /* Restrictions may have taken the wanted port away: then the next allowed one. */
    while (start < n && out[start] < wanted)
        start++;
    return select_first_from(s, ask, out, n, start == n ? 0 : start);
}

uint32_t select_tree_pick_mask(const ik_selection *s, const ik_select_request *ask,
                               const uint64_t *from, unsigned words, uint32_t preferred)
{
    const preference *p = s->impl;
    const tree_level *lv = &p->tree->level[p->tree->sw[ask->sw].level];
    /* the ports that a packet may take lead either all up or all down */
    if (port_set_first_from(from, words, 0) >= lv->first_up)
        preferred = lv->first_up + tree_remainder(p->digit(p->tree, ask->sw, ask->pk), &lv->up);
    return port_set_first_from(from, words, preferred);
}
