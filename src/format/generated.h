/* SPDX-License-Identifier: Apache-2.0
 *
 * A file may describe a network by what a generator takes instead of by its links. Generators are
 * in topology/, which uses formats: it defines what is declared here.
 */
#ifndef IKAT_GENERATED_H
#define IKAT_GENERATED_H

#include "ikat/fabric.h"

/* Builds the member of topology/ that `spec` names ("torus:dims=8:8"; no shorthand) with the
 * builder's default links, and notes in the fabric how it was generated, so that ik_fabric_restore
 * makes it as good as generated. IK_ERR_USAGE: a parameter is impossible, or the network too large.
 */
ik_status generated_build(const char *spec, ik_builder *b, ik_error *err);

#endif
