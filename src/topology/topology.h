/* SPDX-License-Identifier: Apache-2.0
 *
 * topology/topology.h: fabrics from parameters, for whoever makes many.
 */
#ifndef IKAT_TOPOLOGY_TOPOLOGY_H
#define IKAT_TOPOLOGY_TOPOLOGY_H

#include "ikat/topology.h"
#include "topology/damage/floors.h"

/* As ik_fabric_from_params. shared: where the floor plans are kept that racks and trays fail on;
 * NULL: nowhere, each fabric has its own made. Threads may call it. */
ik_status topology_from_params(const char *name, const ik_params *params, const ik_env *env,
                               floors *shared, ik_fabric **out, ik_error *err);

#endif
