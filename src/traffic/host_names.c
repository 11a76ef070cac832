/* SPDX-License-Identifier: Apache-2.0
 *
 * host_names.c: see host_names.h. */
#include "traffic/host_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

ik_status host_names_new(host_names *h, const ik_fabric *f, ik_error *err)
{
    *h = (host_names){.fabric = f};
    if (!f->node_name)
        return IK_OK;
    h->host_of = ik_calloc(f->num_hosts, sizeof *h->host_of);
    if (!h->host_of)
        return ik_fail_memory(err, f->num_hosts * sizeof *h->host_of, "names of hosts");
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        const char *name = f->node_name[ik_host_node(f, host)];
        bool is_new;
        uint32_t index = name_map_add(&h->names, (slice){name, strlen(name)}, &is_new);
        if (index == IK_NONE)
            return ik_fail_memory(err, strlen(name), "names of hosts");
        if (is_new)
            h->host_of[index] = host;
    }
    return IK_OK;
}

void host_names_free(host_names *h)
{
    name_map_free(&h->names);
    free(h->host_of);
    *h = (host_names){0};
}

static bool host_names_whole_number(const char *word, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
    return isdigit((unsigned char)*word) && *end == 0 && errno == 0;
}

static ik_status host_names_refuse(const host_names *h, const char *word, const char *file,
                                   unsigned line, unsigned column, ik_error *err)
{
    const ik_fabric *f = h->fabric;
    ik_fail_at(err, IK_ERR_INPUT, file, line, column, "no host '%.60s' in this fabric", word);
    const char **names = h->host_of ? ik_calloc((size_t)f->num_hosts + 1, sizeof *names) : NULL;
    for (uint32_t host = 0; names && host < f->num_hosts; host++)
        names[host] = f->node_name[ik_host_node(f, host)];
    const char *nearest = names ? ik_nearest_name(word, names) : NULL;
    if (nearest)
        ik_meant(err, IK_ERR_INPUT, nearest);
    else
        ik_hint(err, IK_ERR_INPUT, "a number from 0 to %u, or a host's name",
                f->num_hosts ? f->num_hosts - 1 : 0);
    free(names);
    return IK_ERR_INPUT;
}

ik_status host_names_find(const host_names *h, const char *word, const char *file, unsigned line,
                          unsigned column, uint32_t *host, ik_error *err)
{
    uint64_t number;
    if (host_names_whole_number(word, &number) && number < h->fabric->num_hosts) {
        *host = (uint32_t)number;
        return IK_OK;
    }
    uint32_t name = name_map_find(&h->names, (slice){word, strlen(word)});
    if (name == IK_NONE)
        return host_names_refuse(h, word, file, line, column, err);
    *host = h->host_of[name];
    return IK_OK;
}
