/* SPDX-License-Identifier: Apache-2.0
 *
 * floors.c: see floors.h. A sweep over racks that fail has as many fabrics as points, and making
 * the plan that they share takes longer than all the rest of each.
 */
#include "topology/damage/floors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void floors_drop(floors_item **place)
{
    floors_item *gone = *place;
    *place = gone->next;
    ik_floor_plan_free(gone->plan);
    pthread_mutex_destroy(&gone->making);
    free(gone);
}

void floors_free(floors *s)
{
    while (s->first)
        floors_drop(&s->first);
}

/* With the mutex; NULL = out of memory. */
static floors_item *floors_find(floors *s, const char *key)
{
    floors_item *item = s->first;
    while (item && strcmp(item->key, key) != 0)
        item = item->next;
    if (item)
        return item;
    const size_t size = strlen(key) + 1;
    item = ik_calloc(1, sizeof *item + size);
    if (!item)
        return NULL;
    memcpy(item->key, key, size);
    pthread_mutex_init(&item->making, NULL);
    item->next = s->first;
    return s->first = item;
}

void floors_give_back(floors *s, floors_item *item)
{
    uint64_t kept = 0;
    if (!item)
        return;
    pthread_mutex_lock(&s->mutex);
    assert(item->users > 0);
    item->users--;
    for (floors_item **place = &s->first; *place;) {
        const floors_item *of = *place;
        if (!of->users && of->plan)
            kept += (uint64_t)of->plan->num_switches + of->plan->num_hosts;
        if (!of->users && (!of->plan || kept > FLOORS_NODES))
            floors_drop(place);
        else
            place = &(*place)->next;
    }
    pthread_mutex_unlock(&s->mutex);
}

ik_status floors_take(floors *s, const char *key, const ik_fabric *f, const char *rules,
                      const ik_env *env, floors_item **out, ik_error *err)
{
    ik_floor_rules read;
    pthread_mutex_lock(&s->mutex);
    floors_item *item = floors_find(s, key);
    if (item)
        item->users++;
    pthread_mutex_unlock(&s->mutex);
    if (!item)
        return ik_fail_memory(err, strlen(key), "a floor plan");
    pthread_mutex_lock(&item->making);
    ik_status status = item->plan ? IK_OK : ik_floor_rules_read(rules, &read, err);
    if (status == IK_OK && !item->plan)
        status = ik_floor_plan_make(f, &read, 1, env, &item->plan, err);
    pthread_mutex_unlock(&item->making);
    if (status == IK_OK)
        *out = item;
    else
        floors_give_back(s, item);
    return status;
}
