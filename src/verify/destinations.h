/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast way of ik_destinations_count() for routings that go in legs.
 */
#ifndef IKAT_VERIFY_DESTINATIONS_H
#define IKAT_VERIFY_DESTINATIONS_H

#include "vc/legs.h"

/* destinations: [num_ports]. *fits: false if the routing does not go in legs; nothing is written
 * then. */
ik_status destinations_by_legs(const ik_plan *plan, const ik_env *env, uint32_t *destinations,
                               bool *fits, ik_error *err);

#endif
