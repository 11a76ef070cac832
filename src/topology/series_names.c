/* SPDX-License-Identifier: Apache-2.0
 *
 * topology/series_names.c: which series a person has named.
 */
#include "ikat/topology.h"

#include <string.h>

enum { MOST_NAMES = 64 };

bool ik_series_is_named(const ik_series *series, const ik_topology *topology,
                        const char *const *names, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const ik_shorthand *shorthand;
        if (strcmp(names[i], series->name) == 0)
            return true;
        if (ik_topology_find(names[i], &shorthand) == topology &&
            (!shorthand || !shorthand->series || strcmp(shorthand->series, series->name) == 0))
            return true;
    }
    return num == 0;
}

/* What the message about an unknown name compares it with; out: [MOST_NAMES], zeroed. */
static void series_names_list(bool fits, const char **out)
{
    size_t num = 0;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        bool any = false;
        for (const ik_series *s = (*t)->series; s && s->name; s++)
            any |= s->fit || !fits;
        if (any && num < MOST_NAMES - 1)
            out[num++] = (*t)->name;
        for (const ik_shorthand *h = (*t)->shorthands; any && h && h->name && num < MOST_NAMES - 1;
             h++)
            out[num++] = h->name;
    }
}

static bool series_names_has(const char *name, bool fits)
{
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (const ik_series *s = (*t)->series; s && s->name; s++)
            if ((s->fit || !fits) && ik_series_is_named(s, *t, &name, 1))
                return true;
    return false;
}

ik_status ik_series_check_names(const char *const *names, size_t num, bool fits, ik_error *err)
{
    const char *known[MOST_NAMES] = {NULL};
    series_names_list(fits, known);
    for (size_t i = 0; i < num; i++)
        if (!series_names_has(names[i], fits))
            return ik_fail_unknown(err,
                                   fits ? "family that is built for a number of hosts"
                                        : "family that grows in a series",
                                   names[i], known);
    return IK_OK;
}
