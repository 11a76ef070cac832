/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/vc.h: VC schemes: which virtual channels a packet may use, chosen at injection and at each hop.
 * Add one: src/vc/vc_NAME.c defining `const ik_vc_family ik_vc_NAME` and a row in src/vc/vcs.def.
 */
#ifndef IKAT_VC_H
#define IKAT_VC_H

#include "ikat/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ik_vc ik_vc;

typedef struct ik_vc_family {
    const char *name, *summary, *source, *details;
    const ik_param *params;
    /* Fewest VCs that the scheme needs for this routing on this fabric (computes layers if it must). */
    /* Prepares the scheme: reads v->fabric, v->routing, v->num_vcs (0 = set it to what is needed); sets v->num_vcs, v->vcs_needed.
     * Too few: IK_ERR_UNSUPPORTED with the number that would do. */
    ik_status (*create)(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err);
    void (*destroy)(ik_vc *v);
    /* VC of the injection channel; may set pk->layer. pk->src/dst/via/phase are set. */
    void (*inject)(const ik_vc *v, ik_packet *pk);
    /* VCs allowed on channel out_port for pk standing at sw (came by in_port on pk->vc, pk->hops channels behind it). */
    void (*next)(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port, const ik_packet *pk, uint8_t *vc_first,
                 uint8_t *vc_last);
    bool static_lane; /* the VC chosen at injection is kept on the whole path */
} ik_vc_family;

struct ik_vc {
    const ik_vc_family *family;
    const ik_fabric *fabric;
    const ik_routing *routing;
    void *impl;
    unsigned num_vcs, vcs_needed;
    char *spec;
};

const ik_vc_family *const *ik_vcs(void);
const ik_vc_family *ik_vc_find(const char *name);
ik_status ik_vc_from_spec(const ik_fabric *f, const ik_routing *routing, const char *spec, unsigned num_vcs, const ik_env *env,
                          ik_vc **out, ik_error *err);
void ik_vc_free(ik_vc *v);

#ifdef __cplusplus
}
#endif
#endif
