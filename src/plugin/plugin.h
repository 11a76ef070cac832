/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.h: what the files about plug-ins share.
 */
#ifndef IKAT_PLUGIN_IMPL_H
#define IKAT_PLUGIN_IMPL_H

#include "ikat/plugin.h"
#include "registry/registry.h"

/* A family as plug-ins see it. */
typedef struct plugin_family {
    const char *what; /* "routing" */
    /* its members, NULL-terminated, as pointers of their own type */
    const void *(*all)(void);
    /* of a plug-in: the same list; NULL = none */
    const void *(*list_of)(const ik_plugin *plugin);
    /* Refuses a descriptor that lacks what the family needs. */
    ik_status (*check)(const void *member, ik_error *err);
} plugin_family;
extern const plugin_family plugin_families[REGISTRY_KINDS];

/* The k-th member of a NULL-terminated list; every descriptor begins with its name. */
const void *plugin_member(const void *list, size_t k);
const char *plugin_member_name(const void *member);
/* Number of members; list NULL: 0. */
size_t plugin_count(const void *list);

/* Whether a text can be a name: letters, digits and '_', a letter first. */
bool plugin_is_name(const char *name);

/* Registers a plug-in that came from a file (NULL: none) under an identity, under the lock of the
 * registry. */
ik_status plugin_register(const ik_plugin *plugin, const char *file, const char *identity,
                          ik_error *err);

#endif
