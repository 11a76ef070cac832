/* SPDX-License-Identifier: Apache-2.0
 *
 * registry.h: what plug-ins add to the families. This is the only state of the library that belongs
 * to the whole process.
 *
 * A family's members are one array of pointers that ends with NULL: that of its manifest, or, once
 * a plug-in has added some, a longer one. An array never changes and is never freed, so readers
 * need no lock: they see the list as it was before a plug-in was added or as it is after.
 */
#ifndef IKAT_REGISTRY_H
#define IKAT_REGISTRY_H

#include "ikat/base.h"

typedef enum registry_kind {
    REGISTRY_TOPOLOGY,
    REGISTRY_ROUTING,
    REGISTRY_SELECTION,
    REGISTRY_VC,
    REGISTRY_TRAFFIC,
    REGISTRY_FORMAT,
    REGISTRY_KINDS
} registry_kind;

/* The members of a family (const TYPE *const *); built_in: those of its manifest. */
const void *registry_members(registry_kind kind, const void *built_in);

/* A plug-in that was added. Lives as long as the process, as do its members. */
typedef struct registry_plugin {
    const struct registry_plugin *before; /* the one that was added before it */
    const void *info;                     /* const ik_plugin_info * */
    const char *identity;                 /* another text where the contents are others */
    const void *const *members;           /* [num_members], of all kinds */
    size_t num_members;
    const void *tables[REGISTRY_KINDS]; /* the families' new arrays; NULL = as it was */
} registry_plugin;

/* The newest one, NULL = there is none. */
const registry_plugin *registry_newest(void);
/* The plug-in that a member comes from; NULL: it is built in. */
const registry_plugin *registry_plugin_of(const void *member);
/* Its identity; "" of what is built in. */
const char *registry_identity(const void *member);

/* What came of a function of a member, with a reason: a plug-in's may have failed without one, or
 * with a status that is none, and what breaks an invariant of ikat there is no fault of ikat. The
 * caller cleared *err before it called the function. */
ik_status registry_status(const void *member, const char *name, ik_status status, ik_error *err);
void registry_clear(ik_error *err);
/* For an error in other words than `inner`, which it is about: takes its hint, kind, meant name and
 * token, which finds what a function of a plug-in failed with (err may be NULL). */
void registry_keep(ik_error *err, const ik_error *inner);

/* Only one thread at a time adds: it holds the lock from its look at the tables to publishing. */
void registry_lock(void);
void registry_unlock(void);
/* Makes the plug-in and its tables visible. `before` is set here. */
void registry_publish(registry_plugin *added);

#endif
