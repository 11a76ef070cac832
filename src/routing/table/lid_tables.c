/* SPDX-License-Identifier: Apache-2.0
 *
 * lid_tables.c: forwarding tables by LID, one byte for every switch and LID, as switches hold them.
 */
#include "ikat/lids.h"

#include <stdlib.h>
#include <string.h>

/* Ports have one byte, and 255 says "no route". */
static ik_status lid_tables_check_numbers(const ik_fabric *f, ik_error *err)
{
    char name[256];
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++)
        if (f->port_peer[port] != IK_NONE && ik_port_number(f, port) > IK_PORT_NUMBER)
            return ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "%s has a port %u; forwarding tables of InfiniBand number ports up to %u",
                ik_node_describe(f, f->port_node[port], name, sizeof name), ik_port_number(f, port),
                IK_PORT_NUMBER);
    return IK_OK;
}

ik_status ik_lid_tables_new(const ik_lids *lids, const ik_env *env, ik_lid_tables *out,
                            ik_error *err)
{
    size_t size = (size_t)lids->fabric->num_switches * lids->num;
    ik_status status = lid_tables_check_numbers(lids->fabric, err);
    if (status == IK_OK)
        status = ik_env_refuse_bytes(env, (double)size, "forwarding tables", err);
    if (status != IK_OK)
        return status;
    uint8_t *made = malloc(size ? size : 1);
    if (!made)
        return ik_fail_memory(err, size, "forwarding tables");
    memset(made, IK_PORT_NONE, size);
    *out = (ik_lid_tables){lids, lids->fabric->num_switches, made};
    return IK_OK;
}

void ik_lid_tables_free(ik_lid_tables *t)
{
    free(t->out);
    *t = (ik_lid_tables){0};
}
