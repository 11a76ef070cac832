/* SPDX-License-Identifier: Apache-2.0
 *
 * registry.c: see registry.h. */
#include "registry/registry.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static const registry_plugin *registry_last;
static const void *registry_tables[REGISTRY_KINDS];

const void *registry_members(registry_kind kind, const void *built_in)
{
    assert(kind < REGISTRY_KINDS);
    const void *table = __atomic_load_n(&registry_tables[kind], __ATOMIC_ACQUIRE);
    return table ? table : built_in;
}

const registry_plugin *registry_newest(void)
{
    return __atomic_load_n(&registry_last, __ATOMIC_ACQUIRE);
}

const registry_plugin *registry_plugin_of(const void *member)
{
    for (const registry_plugin *p = registry_newest(); p; p = p->before)
        for (size_t i = 0; i < p->num_members; i++)
            if (p->members[i] == member)
                return p;
    return NULL;
}

const char *registry_identity(const void *member)
{
    const registry_plugin *p = registry_plugin_of(member);
    return p ? p->identity : "";
}

void registry_clear(ik_error *err)
{
    if (err)
        *err = (ik_error){0};
}

void registry_keep(ik_error *err, const ik_error *inner)
{
    if (!err)
        return;
    memcpy(err->hint, inner->hint, sizeof err->hint);
    memcpy(err->meant, inner->meant, sizeof err->meant);
    err->kind = inner->kind;
    err->token = inner->token;
}

ik_status registry_status(const void *member, const char *name, ik_status status, ik_error *err)
{
    if (status == IK_OK || !registry_plugin_of(member))
        return status;
    bool told = err && err->text[0] && status > IK_OK && status <= IK_ERR_INTERNAL;
    if (told && status != IK_ERR_INTERNAL)
        return status;
    if (told) {
        ik_error why = *err;
        ik_fail(err, IK_ERR_INPUT, "'%.60s', which a plug-in added: %.400s", name, why.text);
        registry_keep(err, &why);
        return IK_ERR_INPUT;
    }
    ik_fail(err, IK_ERR_INPUT, "'%.60s', which a plug-in added, failed and gave no reason", name);
    return ik_hint(err, IK_ERR_INPUT, "its function fails with: return ik_fail(err, …)");
}

void registry_lock(void)
{
    pthread_mutex_lock(&registry_mutex);
}

void registry_unlock(void)
{
    pthread_mutex_unlock(&registry_mutex);
}

void registry_publish(registry_plugin *added)
{
    assert(added->identity && added->info);
    added->before = registry_last;
    /* Whoever finds a new member also finds the plug-in that it comes from. */
    __atomic_store_n(&registry_last, added, __ATOMIC_RELEASE);
    for (int kind = 0; kind < REGISTRY_KINDS; kind++)
        if (added->tables[kind])
            __atomic_store_n(&registry_tables[kind], added->tables[kind], __ATOMIC_RELEASE);
}
