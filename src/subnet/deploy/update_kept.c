/* SPDX-License-Identifier: Apache-2.0
 *
 * update_kept.c: old entries that still deliver, extended to all switches by links whose
 * dependencies close no cycle with theirs.
 *
 * Where no such links lead to some host, its row gets the routing's own ways, and other rows keep
 * what closes no cycle with these: mostly that costs a few entries of a few rows, for the routing's
 * own tables are acyclic, too.
 */
#include "routing/graph/linkdag.h"
#include "subnet/deploy/update_lanes.h"
#include "subnet/tables/complete.h"

#include <stdlib.h>
#include <string.h>

ik_status update_complete_anew(const ik_deployment *d, const ik_lid_tables *repaired,
                               const ik_env *env, ik_lid_tables *out, bool *unsafe_of,
                               ik_error *err)
{
    ik_routing rows;
    ik_plan plan = *d->plan;
    uint32_t unsafe = 0;
    ik_status status = update_make_rows(d, repaired, &rows, err);
    ik_vc one = {.family = ik_vc_find("1q"),
                 .fabric = plan.fabric,
                 .routing = &rows,
                 .spec = "1q",
                 .num_vcs = 1,
                 .vcs_needed = 1};
    plan.routing = &rows;
    if (d->lanes == 1) /* the routing's own tables may need more */
        plan.vc = &one;
    if (status == IK_OK)
        status = complete_tables(&plan, 0, &d->lids, env, out, &unsafe, unsafe_of, err);
    free(rows.lft);
    return status;
}

/* ---- room for hosts that are hard to reach */

typedef struct keeping_room {
    const ik_deployment *d;
    links g;
    linkdag dag;
    ik_lid_tables *kept;
    bool *sends;      /* [num_switches] hosts hang on it */
    bool *seen;       /* [num_switches] */
    update_walk walk; /* by what is kept */
    uint8_t *fate;    /* [num_switches] */
} keeping_room;

/* The link that an entry leads by, IK_NONE: to no switch. */
static uint32_t update_kept_link(const keeping_room *k, uint32_t sw, uint32_t lid)
{
    uint8_t out = ik_lid_tables_row(k->kept, sw)[lid];
    uint32_t port = out == IK_PORT_NONE || out == IK_PORT_SELF
                        ? IK_NONE
                        : ik_port_of_number(k->d->fabric, sw, out);
    return port == IK_NONE ? IK_NONE : k->g.of_port[port];
}

/* Takes away entries of a row that no longer lead to its host. */
static void update_kept_trim_row(keeping_room *k, uint32_t lid)
{
    memset(k->fate, 0, k->g.num_switches);
    for (uint32_t sw = 0; sw < k->g.num_switches; sw++)
        if (!update_delivers(&k->walk, k->fate, sw, lid))
            ik_lid_tables_row(k->kept, sw)[lid] = IK_PORT_NONE;
}

/* Adds the dependencies of packets to a host; entries whose own close a cycle are taken away, and
 * so are those that lead there. */
static void update_kept_add_row(keeping_room *k, uint32_t lid, uint32_t place)
{
    uint32_t switches = k->g.num_switches;
    bool whole = true;
    memset(k->seen, 0, switches);
    for (uint32_t start = 0; start < switches; start++)
        for (uint32_t sw = start; k->sends[start] && sw != place && !k->seen[sw];) {
            uint32_t link = update_kept_link(k, sw, lid), onward;
            k->seen[sw] = true;
            if (link == IK_NONE)
                break;
            uint32_t next = k->g.head[link];
            onward = next == place ? IK_NONE : update_kept_link(k, next, lid);
            if (onward != IK_NONE && linkdag_add(&k->dag, link, onward) == LINKDAG_CYCLE) {
                ik_lid_tables_row(k->kept, sw)[lid] = IK_PORT_NONE;
                whole = false;
                break;
            }
            sw = next;
        }
    if (!whole)
        update_kept_trim_row(k, lid);
}

/* The ways of d's own tables to hosts that are hard to reach, then what others keep beside them. */
static ik_status update_kept_add_rows(keeping_room *k, const bool *hard, const ik_env *env,
                                      ik_error *err)
{
    const ik_lids *lids = &k->d->lids;
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < lids->num; i++) {
            uint32_t port = lids->of[i].port,
                     at = port == IK_NONE ? IK_NONE : ik_peer_node(k->d->fabric, port);
            if (at == IK_NONE || !ik_is_switch(k->d->fabric, at) || hard[i] != (turn == 0))
                continue;
            for (uint32_t sw = 0; hard[i] && sw < k->g.num_switches; sw++)
                ik_lid_tables_row(k->kept, sw)[i] = ik_lid_tables_row(&k->d->tables, sw)[i];
            update_kept_add_row(k, i, at);
            if (ik_env_cancelled(env))
                return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        }
    return IK_OK;
}

static void update_kept_find_senders(keeping_room *k)
{
    const ik_lids *lids = &k->d->lids;
    for (uint32_t i = 0; i < lids->num; i++) {
        uint32_t port = lids->of[i].port,
                 at = port == IK_NONE ? IK_NONE : ik_peer_node(k->d->fabric, port);
        if (at != IK_NONE && ik_is_switch(k->d->fabric, at))
            k->sends[at] = true;
    }
}

/* kept: what delivers; of that, what stays beside the ways to hosts that are hard to reach. */
static ik_status update_kept_make_room(const ik_deployment *d, const bool *hard,
                                       ik_lid_tables *kept, const ik_env *env, ik_error *err)
{
    keeping_room k = {.d = d, .kept = kept};
    size_t switches = (size_t)d->fabric->num_switches + 1;
    ik_status status = links_build(d->fabric, &k.g, err);
    if (status == IK_OK)
        status = linkdag_init(&k.dag, &k.g, err);
    k.sends = ik_calloc(switches, sizeof *k.sends);
    k.seen = ik_calloc(switches, sizeof *k.seen);
    k.fate = ik_calloc(switches, sizeof *k.fate);
    k.walk =
        (update_walk){.d = d, .tables = kept, .path = ik_calloc(switches, sizeof *k.walk.path)};
    if (status == IK_OK && (!k.sends || !k.seen || !k.fate || !k.walk.path))
        status = ik_fail_memory(err, 7 * switches, "rows of tables");
    if (status == IK_OK) {
        update_kept_find_senders(&k);
        status = update_kept_add_rows(&k, hard, env, err);
    }
    free(k.sends);
    free(k.seen);
    free(k.fate);
    free(k.walk.path);
    linkdag_free(&k.dag);
    links_free(&k.g);
    return status;
}

/* Adds what is hard to what was. Returns whether there is more now. */
static bool update_kept_add_hard(const bool *unsafe_of, bool *hard, uint32_t num)
{
    bool more = false;
    for (uint32_t i = 0; i < num; i++) {
        more |= unsafe_of[i] && !hard[i];
        hard[i] |= unsafe_of[i];
    }
    return more;
}

static uint64_t update_kept_count_changes(const ik_lid_tables *old, const ik_lid_tables *new)
{
    uint64_t changed = 0;
    for (size_t i = 0; i < (size_t)old->num_switches * old->lids->num; i++)
        changed += old->out[i] != new->out[i] && old->out[i] != IK_PORT_NONE;
    return changed;
}

ik_status update_try_kept(ik_deployment *d, const ik_lid_tables *old, const update_verdict *own,
                          const ik_env *env, ik_error *err)
{
    enum { ROUNDS = 8 };
    size_t lids = (size_t)d->lids.num + 1;
    bool *unsafe_of = ik_calloc(lids, sizeof *unsafe_of), *hard = ik_calloc(lids, sizeof *hard),
         more = true;
    ik_status status = unsafe_of && hard ? IK_OK : ik_fail_memory(err, 2 * lids, "rows of tables");
    for (unsigned round = 0; status == IK_OK && more && round < ROUNDS; round++) {
        ik_lid_tables kept = {0}, anew = {0};
        status = update_keep_tables(d, old, env, &kept, err);
        if (status == IK_OK && round)
            status = update_kept_make_room(d, hard, &kept, env, err);
        if (status == IK_OK)
            status = update_complete_anew(d, &kept, env, &anew, unsafe_of, err);
        /* where room costs about what the own tables do, these are better balanced */
        bool few =
            round == 0 || (status == IK_OK && 2 * update_kept_count_changes(old, &anew) <
                                                  update_kept_count_changes(old, &d->tables));
        if (status == IK_OK && few)
            status = update_try_tables(d, &anew, own, env, NULL, err);
        ik_lid_tables_free(&kept);
        ik_lid_tables_free(&anew);
        more = status == IK_OK && !d->update.repaired &&
               update_kept_add_hard(unsafe_of, hard, d->lids.num);
    }
    free(unsafe_of);
    free(hard);
    return status;
}
