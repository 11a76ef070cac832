/* SPDX-License-Identifier: Apache-2.0
 *
 * relieve.h: fewer paths over the channels of tables that carry too many.
 */
#ifndef IKAT_SUBNET_RELIEVE_H
#define IKAT_SUBNET_RELIEVE_H

#include "ikat/lids.h"

/* Changes entries for hosts, one by one and as few as it can, until no channel between switches
 * carries more than `most` paths of hosts for each Gb/s of its rate. one_lane: what an entry adds
 * to the dependencies of the tables closes no cycle with those of hosts' packets. *done: no channel
 * carries more; false: that was not found, and *t is as it was. */
ik_status relieve_tables(ik_lid_tables *t, double most, bool one_lane, const ik_env *env,
                         bool *done, ik_error *err);

#endif
