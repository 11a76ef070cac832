/* SPDX-License-Identifier: Apache-2.0
 *
 * escape: an adaptive routing over an escape layer. The lowest VCs may only be used along the path
 * of a second, deadlock-free routing, with a VC scheme of its own; all other VCs may be used on
 * every channel that the adaptive routing allows. A packet may enter and leave the layer at every
 * hop. The layer's paths lead to the destination, also for a packet that is on its way to an
 * intermediate switch. The condition for this to be free of deadlock is checked by the proof, not
 * assumed: wherever a packet may stand, the adaptive routing must allow the escape routing's port
 * too. Source: J. Duato, "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks",
 * IEEE TPDS 4(12), 1993.
 */
#include "vc/lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct escape {
    ik_routing *routing;
    ik_vc *scheme;
    uint16_t *lft; /* [num_switches][num_hosts] local port of the escape routing */
} escape;

static void escape_free(escape *x)
{
    if (!x)
        return;
    free(x->lft);
    ik_vc_free(x->scheme);
    ik_routing_free(x->routing);
    free(x);
}

static ik_status escape_refuse_scheme(const ik_vc *scheme, ik_error *err)
{
    const unsigned both = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS;
    ik_status status = IK_OK;
    if (scheme->family->static_lane && scheme->num_vcs > 1)
        status = ik_fail(err, IK_ERR_UNSUPPORTED,
                         "VC scheme '%s' gives packets their VC at injection, but they enter the "
                         "escape layer at any switch: of its %u VCs only VC 0 would be used",
                         scheme->family->name, scheme->num_vcs);
    else if ((scheme->family->ignores & both) != both)
        status = ik_fail(err, IK_ERR_UNSUPPORTED,
                         "VC scheme '%s' depends on the path so far of a packet, which may "
                         "have been outside the escape layer",
                         scheme->family->name);
    return status == IK_OK ? IK_OK : ik_hint(err, status, "1q or dateline would do");
}

static ik_status escape_make_layer(const ik_vc *v, const ik_params *params, const ik_env *env,
                                   escape *x, ik_error *err)
{
    size_t one;
    const ik_spec_member *routing = ik_params_members(params, "routing", &one),
                         *vc = ik_params_members(params, "vc", &one);
    ik_status status = ik_routing_from_spec(v->fabric, routing->spec, env, &x->routing, err);
    if (status == IK_OK)
        status = ik_vc_in_escape(v->fabric, x->routing, vc->spec, env, &x->scheme, err);
    if (status == IK_OK)
        status = escape_refuse_scheme(x->scheme, err);
    return status == IK_OK ? ik_lft_compile(x->routing, env, &x->lft, err) : status;
}

static ik_status escape_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    escape *x = calloc(1, sizeof *x);
    if (!x)
        return ik_fail_memory(err, sizeof *x, "a VC scheme");
    ik_status status = escape_make_layer(v, params, env, x, err);
    if (status == IK_OK) {
        unsigned layer = x->scheme->num_vcs;
        status = lanes_settle(v, layer + 1, layer + 1, "its escape layer and one adaptive VC", err);
    }
    if (status != IK_OK) {
        escape_free(x);
        return status;
    }
    v->escape_vcs = x->scheme->num_vcs;
    v->impl = x;
    return IK_OK;
}

static void escape_destroy(ik_vc *v)
{
    escape_free(v->impl);
}

/* Adaptive VCs, spread over destinations. */
static void escape_inject(const ik_vc *v, ik_packet *pk)
{
    assert(v->escape_vcs < v->num_vcs); /* else there is no adaptive one */
    pk->vc = (uint8_t)(v->escape_vcs + pk->dst % (v->num_vcs - v->escape_vcs));
}

/* VCs of one choice are a range, so on the escape port the packet may take the one VC of the layer
 * that is its turn and, if that is the layer's highest, the adaptive ones too; with a lower one
 * only that. */
static void escape_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                        const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    const escape *x = v->impl;
    const ik_fabric *f = v->fabric;
    *vc_first = (uint8_t)v->escape_vcs;
    *vc_last = (uint8_t)(v->num_vcs - 1);
    if (lanes_ejects(f, out_port)) {
        *vc_first = *vc_last = pk->vc;
        return;
    }
    if (x->lft[(size_t)sw * f->num_hosts + pk->dst] != out_port - f->port_base[sw])
        return;
    ik_packet in_layer = *pk;
    in_layer.vc = pk->vc < v->escape_vcs ? pk->vc : 0;
    uint8_t first, last;
    x->scheme->family->next(x->scheme, sw, in_port, out_port, &in_layer, &first, &last);
    *vc_first = first;
    *vc_last = last + 1u == v->escape_vcs ? *vc_last : last;
}

static const ik_param params[] = {
    {.name = "routing",
     .type = IK_PARAM_SPEC,
     .def = "updown",
     .help = "routing of the escape layer, in parentheses if it has parameters: "
             "(updown:order=distance,root=0); it must have forwarding tables"},
    {.name = "vc", .type = IK_PARAM_SPEC, .def = "1q", .help = "VC scheme of the escape layer"},
    {0},
};

const ik_vc_family ik_vc_escape = {
    .name = "escape",
    .summary = "adaptive VCs over an escape layer that follows a second routing (Duato)",
    .source = "Duato, \"A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks\", "
              "IEEE TPDS 4(12), 1993",
    .details =
        "The lowest VCs are the escape layer: a packet may use them only on the port that the "
        "escape routing takes towards the destination. It may use the other VCs on every port that "
        "the adaptive routing allows. A packet may enter and leave the escape layer at every hop. "
        "`ikat check` proves Duato's condition; it fails where the adaptive routing does not allow "
        "the escape port, as for packets of valiant and ugal_l on the way to their intermediate "
        "switch. The classical example is minimal routing on a mesh with escape:routing=dor.",
    .params = params,
    .create = escape_create,
    .destroy = escape_destroy,
    .inject = escape_inject,
    .next = escape_next,
    .static_lane = false,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS,
};
