/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree behind xgft, its shorthands and pgft: one function builds them all.
 */
#ifndef IKAT_XGFT_TREE_H
#define IKAT_XGFT_TREE_H

#include "topology/build.h"

/* Fills *tree from h numbers each (p NULL = single cables); refuses zeros, too many levels, radix
 * and size limits. */
ik_status xgft_tree_init(ik_xgft *tree, const ik_topo_ctx *ctx, size_t h, const uint32_t *m,
                         const uint32_t *w, const uint32_t *p, ik_error *err);
/* Adds hosts, switches, links, levels, places and family data of `family` ("xgft", "pgft") to an
 * empty builder. given: its parameters, of which `level_latency` is read here. */
ik_status xgft_tree_build(const ik_xgft *tree, const char *family, const ik_params *given,
                          const ik_topo_ctx *ctx, ik_builder *b, ik_error *err);

#endif
