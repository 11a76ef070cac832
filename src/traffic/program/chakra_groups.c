/* SPDX-License-Identifier: Apache-2.0
 *
 * chakra_groups.c: the process groups of a Chakra trace. PyTorch's traces list them in the inputs
 * of a metadata node, as the text of a list that holds one JSON text; ASTRA-sim has them in a JSON
 * file beside the trace. */
#include "traffic/program/chakra_rank.h"

#include "base/array.h"
#include "base/json_value.h"

#include <stdlib.h>
#include <string.h>

uint32_t chakra_groups_find(chakra_groups *g, const char *name, size_t size)
{
    name = size ? name : "";
    for (size_t k = 0; k < g->num; k++)
        if (strlen(g->of[k].name) == size && memcmp(g->of[k].name, name, size) == 0)
            return (uint32_t)k;
    if (!IK_ARRAY_ROOM(g->of, g->room, g->num + 1))
        return IK_NONE;
    char *copy = malloc(size + 1);
    if (!copy)
        return IK_NONE;
    memcpy(copy, name, size);
    copy[size] = '\0';
    g->of[g->num] = (chakra_group){.name = copy, .comm = IK_NONE, .last = IK_NONE};
    return (uint32_t)g->num++;
}

void chakra_groups_free(chakra_groups *g)
{
    for (size_t k = 0; k < g->num; k++) {
        free(g->of[k].name);
        free(g->of[k].ranks);
    }
    free(g->of);
    *g = (chakra_groups){0};
}

/* ---- declarations */

typedef struct declaration {
    chakra_groups *g;
    const char *path;
    unsigned record;
} declaration;

static ik_status chakra_groups_refuse(const declaration *d, ik_error *err, const char *name,
                                      const char *what)
{
    return ik_fail_at(err, IK_ERR_INPUT, d->path, d->record, 0, "process group '%.60s' %s", name,
                      what);
}

/* [num] ranks of a list; NULL: one of them is no rank, or there is no memory (*lacks). */
static uint32_t *chakra_groups_ranks_of(const json_t *list, size_t num, bool *lacks)
{
    uint32_t *ranks = ik_calloc(num + 1, sizeof *ranks);
    *lacks = !ranks;
    for (size_t k = 0; ranks && k < num; k++) {
        const json_t *item = json_array_get(list, k);
        json_int_t rank = json_is_integer(item) ? json_integer_value(item) : -1;
        if (rank < 0 || rank >= INT32_MAX) {
            free(ranks);
            return NULL;
        }
        ranks[k] = (uint32_t)rank;
    }
    return ranks;
}

static ik_status program_chakra_groups_declare(const declaration *d, const char *name,
                                               const json_t *list, ik_error *err)
{
    if (!json_is_array(list))
        return chakra_groups_refuse(d, err, name, "has no list of ranks");
    bool lacks = false;
    size_t num = json_array_size(list);
    uint32_t at = chakra_groups_find(d->g, name, strlen(name)),
             *ranks = chakra_groups_ranks_of(list, num, &lacks);
    if (at == IK_NONE || lacks) {
        free(ranks);
        return ik_fail_memory(err, num * sizeof *ranks, "a process group");
    }
    if (!ranks)
        return chakra_groups_refuse(d, err, name, "lists what is not a rank");
    chakra_group *g = &d->g->of[at];
    if (g->declared) {
        bool same = g->num == num && memcmp(g->ranks, ranks, num * sizeof *ranks) == 0;
        free(ranks);
        return same ? IK_OK
                    : chakra_groups_refuse(d, err, name, "has been declared with other ranks");
    }
    g->ranks = ranks;
    g->num = (uint32_t)num;
    g->declared = true;
    g->path = d->path;
    g->record = d->record;
    return IK_OK;
}

static ik_status chakra_groups_declare_all(const declaration *d, json_t *root, ik_error *err)
{
    ik_status status = IK_OK;
    const char *name;
    json_t *list, *item;
    size_t k;
    if (json_is_object(root)) {
        json_object_foreach(root, name, list) if ((status = program_chakra_groups_declare(
                                                       d, name, list, err)) != IK_OK) break;
        return status;
    }
    if (!json_is_array(root))
        return ik_fail_at(err, IK_ERR_INPUT, d->path, d->record, 0,
                          "this is not a list of process groups");
    json_array_foreach(root, k, item)
    {
        name = json_string_value(json_object_get(item, "pg_name"));
        if (!name)
            return ik_fail_at(err, IK_ERR_INPUT, d->path, d->record, 0,
                              "process group %zu of the list has no pg_name", k + 1);
        if ((status = program_chakra_groups_declare(d, name, json_object_get(item, "ranks"),
                                                    err)) != IK_OK)
            break;
    }
    return status;
}

/* PyTorch writes ['JSON']. */
static void chakra_groups_strip_list(const char **text, size_t *size)
{
    if (*size >= 4 && memcmp(*text, "['", 2) == 0 && memcmp(*text + *size - 2, "']", 2) == 0) {
        *text += 2;
        *size -= 4;
    }
}

ik_status chakra_groups_declare(chakra_groups *g, const char *text, size_t size, const char *path,
                                unsigned record, ik_error *err)
{
    declaration d = {g, path, record};
    json_t *root = NULL;
    json_error_t why;
    chakra_groups_strip_list(&text, &size);
    ik_status status = json_parse(text, size, &root, &why);
    if (status == IK_ERR_MEMORY)
        return ik_fail_memory(err, size, "process groups");
    if (status != IK_OK)
        return ik_fail_at(err, status, path, record, 0, "process groups: %s", why.text);
    status = chakra_groups_declare_all(&d, root, err);
    json_decref(root);
    return status;
}
