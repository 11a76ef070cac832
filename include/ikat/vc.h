/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/vc.h: VC schemes: which virtual channels a packet may use, chosen at injection and at each
 * hop.
 *
 * The VC of a host's channel (injection and ejection) cannot take part in a deadlock: hosts always
 * accept. Add one: src/vc/vc_NAME.c defining `const ik_vc_family ik_vc_NAME` and a row in
 * src/vc/vcs.def.
 */
#ifndef IKAT_VC_H
#define IKAT_VC_H

#include "ikat/routing.h"

IK_BEGIN_DECLS

typedef struct ik_vc ik_vc;

/* VC numbers are bytes. */
#define IK_MAX_VCS 256

/* What next() of a scheme does not look at: analysis merges the packets that differ in nothing
 * else. inject() may look at everything. A scheme with static_lane ignores both. */
enum {
    IK_VC_IGNORES_SRC = 1,  /* pk->src */
    IK_VC_IGNORES_HOPS = 2, /* pk->hops */
    /* which hosts of their switches src and dst are; inject() does not care either */
    IK_VC_BY_SWITCH = 4,
    /* anything but out_port and the packet's vc, hops, phase and layer; inject() treats all packets
     * alike */
    IK_VC_BY_LANE = 8,
    /* which of a switch's ports to other switches out_port is, or which of those to hosts */
    IK_VC_ANY_PORT = 16
};

typedef struct ik_vc_family {
    const char *name, *summary, *source, *details;
    const ik_param *params;
    /* Prepares the scheme: reads v->fabric, v->routing, v->num_vcs (0 = the scheme's own number,
     * never fewer than needed); sets v->num_vcs and v->vcs_needed, the fewest VCs with which it
     * works for this routing on this fabric (computes layers if it must). Too few:
     * IK_ERR_UNSUPPORTED with the number that would do. */
    ik_status (*create)(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err);
    void (*destroy)(ik_vc *v);
    /* VC of the injection channel; may set pk->layer. pk->src/dst/via/phase are set. */
    void (*inject)(const ik_vc *v, ik_packet *pk);
    /* VCs allowed on channel out_port for pk standing at sw (came by in_port on pk->vc, pk->hops
     * channels behind it). */
    void (*next)(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                 const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last);
    /* Optional (layering schemes): the share of the switch-to-switch hops of uniform traffic that
     * vc carries. */
    double (*share)(const ik_vc *v, unsigned vc);
    bool static_lane; /* the VC chosen at injection is kept on the whole path */
    unsigned ignores; /* IK_VC_IGNORES_… */
} ik_vc_family;

struct ik_vc {
    const ik_vc_family *family;
    const ik_fabric *fabric;
    const ik_routing *routing;
    void *impl;
    unsigned num_vcs, vcs_needed;
    unsigned escape_vcs; /* VCs 0 … escape_vcs-1 are an escape layer (Duato); 0 = none declared */
    /* next() allows exactly one VC on every channel; those with static_lane need not say so */
    bool single;
    /* static lanes: packets of d for s take the VC of packets of s for d, for all hosts s and d */
    bool both_ways;
    bool in_escape; /* serves an escape layer: packets may enter it at any switch, on any VC */
    char *spec;
};

const ik_vc_family *const *ik_vcs(void);
const ik_vc_family *ik_vc_find(const char *name);
/* From "dbbm" or "vftree:form=difference". num_vcs 0 = the scheme's own number. Fabric and routing
 * are borrowed and must outlive the scheme. Free with ik_vc_free. */
ik_status ik_vc_from_spec(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          unsigned num_vcs, const ik_env *env, ik_vc **out, ik_error *err);
/* The same for an escape layer inside another scheme: packets enter and leave the layer at any
 * hop. */
ik_status ik_vc_in_escape(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          const ik_env *env, ik_vc **out, ik_error *err);
void ik_vc_free(ik_vc *v);

/* Most VCs that an InfiniBand subnet can have for data: VL 15 is management's. */
#define IK_DEPLOYABLE_VCS 15
/* Whether service levels can express the scheme: one SL per pair of hosts, one VL per SL all the
 * way. IK_ERR_UNSUPPORTED with the scheme's name and what would do as hint for schemes that change
 * lanes on the way (acro, lash_tor, dateline, hopclass, ...), that choose among several, or that
 * need more than IK_DEPLOYABLE_VCS. Whether replies may take the initiator's lane is another
 * question: v->both_ways. */
ik_status ik_vc_deployable(const ik_vc *v, ik_error *err);

IK_END_DECLS
#endif
