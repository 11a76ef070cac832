/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_select.c: the part that the digit-preferring selection functions share. */
#include "routing/select/tree_select.h"

ik_status select_tree_create(ik_selection *s, const ik_params *params, const ik_env *env,
                             ik_error *err)
{
    (void)params, (void)env;
    tree *t = NULL;
    ik_status status = tree_new(s->fabric, s->family->name, &t, err);
    s->impl = t;
    return status == IK_OK ? status
                           : ik_hint(err, status,
                                     "selection function '%s' prefers ports by the digits of tree "
                                     "labels; 'sadp' and 'first_free' work on any fabric",
                                     s->family->name);
}

void select_tree_destroy(ik_selection *s)
{
    tree_free(s->impl);
}

uint32_t select_tree_from(const ik_selection *s, uint32_t sw, uint32_t digit, const uint32_t *out,
                          uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                          const ik_view *view)
{
    const tree *t = s->impl;
    const tree_switch *here = &t->sw[sw];
    const tree_level *lv = &t->level[here->level];
    uint32_t first_up = here->port_base + lv->first_up, start = 0;
    if (out[0] < first_up)
        return select_first_from(s, out, n, preferred, need_bytes, vc, view);
    uint32_t wanted = first_up + tree_remainder(digit, &lv->up);
    /* Restrictions may have taken the wanted port away: then the next allowed one. */
    while (start < n && out[start] < wanted)
        start++;
    return select_first_from(s, out, n, start == n ? 0 : start, need_bytes, vc, view);
}

uint32_t select_tree_among(const ik_selection *s, uint32_t sw, uint32_t digit, const uint64_t *from,
                           unsigned words, uint32_t preferred)
{
    const tree *t = s->impl;
    const tree_level *lv = &t->level[t->sw[sw].level];
    /* the ports that a packet may take lead either all up or all down */
    if (port_set_first_from(from, words, 0) >= lv->first_up)
        preferred = lv->first_up + tree_remainder(digit, &lv->up);
    return port_set_first_from(from, words, preferred);
}
