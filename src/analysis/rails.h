/* SPDX-License-Identifier: Apache-2.0
 *
 * rails.h: distances between hosts that have several cables. */
#ifndef IK_ANALYSIS_RAILS_H
#define IK_ANALYSIS_RAILS_H

#include "ikat/fabric.h"

/* Adds the ordered pairs of different hosts of f to histogram[distance], distance < num: the least
 * one between a switch of the one and a switch of the other. Pairs without a connection are left
 * out. Cost O(groups * (switches + links + groups)), a group being a run of hosts on the same
 * switches. */
ik_status rails_count_pairs(const ik_fabric *f, uint64_t *histogram, size_t num, ik_error *err);

#endif
