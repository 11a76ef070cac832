/* SPDX-License-Identifier: Apache-2.0
 *
 * reach.c: what check, load and route say of a fabric that does not connect its hosts.
 */
#include "cli.h"

ik_status cli_reach(const cli *c, const ik_fabric *f, bool *refused, ik_error *err)
{
    ik_reach reach;
    char text[512], host[200];
    ik_status status = ik_reach_measure(f, &reach, err);
    if (status != IK_OK)
        return status;
    if (reach.uncabled)
        cli_note(c, "warning: %s of %s hosts %s no cable, the first is %s",
                 cli_count(reach.uncabled), cli_count(f->num_hosts),
                 reach.uncabled == 1 ? "has" : "have",
                 ik_node_describe(f, ik_host_node(f, reach.first_uncabled), host, sizeof host));
    bool whole = ik_reach_whole(&reach), allowed = cli_has(c, "--allow-unreachable");
    if (!whole && allowed)
        cli_note(c, "warning: %s", ik_reach_describe(f, &reach, text, sizeof text));
    else if (!whole) {
        ik_error why;
        ik_fail(&why, IK_ERR_FAILED, "%s", ik_reach_describe(f, &reach, text, sizeof text));
        ik_hint(&why, IK_ERR_FAILED, "--allow-unreachable accepts that");
        cli_error(c, &why);
    }
    *refused = !whole && !allowed;
    return IK_OK;
}

ik_status cli_every_lid(ik_fabric **f, ik_error *err)
{
    ik_fabric *whole = NULL;
    if (!(*f)->num_endpoints)
        return IK_OK;
    ik_status status = ik_fabric_with_endpoints(*f, &whole, err);
    if (status == IK_OK) {
        ik_fabric_free(*f);
        *f = whole;
    }
    return status;
}
