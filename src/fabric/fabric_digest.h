/* SPDX-License-Identifier: Apache-2.0
 *
 * fabric/fabric_digest.h: a fabric's contents as one number.
 */
#ifndef IKAT_FABRIC_DIGEST_H
#define IKAT_FABRIC_DIGEST_H

#include "base/sha256.h"
#include "ikat/fabric.h"

/* Adds all that a routing or VC scheme may read: graph, classes of links, labels, levels, places,
 * origin. Findings are not part. */
void fabric_add_digest(const ik_fabric *f, sha256 *s);

#endif
