/* SPDX-License-Identifier: Apache-2.0
 *
 * floors.h: floor plans that are made once for all fabrics that differ in what has failed alone.
 */
#ifndef IKAT_TOPOLOGY_FLOORS_H
#define IKAT_TOPOLOGY_FLOORS_H

#include "ikat/floor_plan.h"

#include <pthread.h>

/* One of them: whoever took it may read its plan until it gives it back. */
typedef struct floors_item {
    struct floors_item *next; /* older */
    pthread_mutex_t making;   /* held by who makes the plan */
    ik_floor_plan *plan;
    unsigned users;
    char key[];
} floors_item;

/* Threads may share it. Of those that nobody uses, the latest are kept, while they have no more
 * than FLOORS_NODES nodes in all. */
typedef struct floors {
    pthread_mutex_t mutex;
    floors_item *first; /* the latest */
} floors;
#define FLOORS_INIT                                                                                \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }
enum { FLOORS_NODES = 1 << 24 };

/* Nobody uses any plan of it. */
void floors_free(floors *s);
/* The plan of f by the rules of a file (NULL: the default floor), made unless it was for this key,
 * which has to say all that f is made from. Waits for a thread that makes it. Give it back with
 * floors_give_back. */
ik_status floors_take(floors *s, const char *key, const ik_fabric *f, const char *rules,
                      const ik_env *env, floors_item **out, ik_error *err);
void floors_give_back(floors *s, floors_item *item); /* NULL: nothing */

#endif
