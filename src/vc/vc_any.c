/* SPDX-License-Identifier: Apache-2.0
 *
 * any: a packet may take every VC of a range at every hop, whichever is free: VCs against
 * head-of-line blocking alone, for routings that need none against deadlock. Source: W. Dally,
 * "Virtual-Channel Flow Control", IEEE TPDS 3(2), 1992.
 */
#include "vc/lanes.h"

#include <assert.h>
#include <stdlib.h>

typedef struct range {
    uint8_t first, last;
} range;

static ik_status any_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)env;
    unsigned first = (unsigned)ik_params_uint(params, "first");
    bool has_last = ik_params_has(params, "last");
    unsigned last = has_last ? (unsigned)ik_params_uint(params, "last") : first;
    if (last < first) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "VC scheme 'any': last = %u is below first = %u",
                                last, first),
                        "last first");
    }
    ik_status status = lanes_settle(v, last + 1, LANES_DEFAULT_QUEUES, "its range", err);
    if (status != IK_OK)
        return status;
    range *r = malloc(sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "a VC scheme");
    *r = (range){(uint8_t)first, (uint8_t)(has_last ? last : v->num_vcs - 1)};
    v->impl = r;
    return IK_OK;
}

/* Which VC of the range a packet is injected on does not matter to the proof; spreading them by
 * destination uses all. */
static void any_inject(const ik_vc *v, ik_packet *pk)
{
    const range *r = v->impl;
    assert(r->first <= r->last && r->last < v->num_vcs);
    pk->vc = (uint8_t)(r->first + pk->dst % (r->last - r->first + 1u));
}

static void any_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                     const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    (void)sw, (void)in_port, (void)out_port, (void)pk;
    const range *r = v->impl;
    *vc_first = r->first;
    *vc_last = r->last;
}

static const ik_param params[] = {
    {.name = "first",
     .type = IK_PARAM_UINT,
     .def = "0",
     .min = 0,
     .max = IK_MAX_VCS - 1,
     .help = "lowest VC of the range"},
    {.name = "last",
     .type = IK_PARAM_UINT,
     .def = "",
     .min = 0,
     .max = IK_MAX_VCS - 1,
     .help = "highest VC of the range (none given: the last VC)"},
    {0},
};

const ik_vc_family ik_vc_any = {
    .name = "any",
    .summary = "any free VC of a range, at every hop",
    .source = "Dally, \"Virtual-Channel Flow Control\", IEEE TPDS 3(2), 1992",
    .details = "At every switch a packet may take any VC from first to last. Free of deadlock if "
               "and only if the routing is with one VC.",
    .params = params,
    .create = any_create,
    .destroy = lanes_free_impl,
    .inject = any_inject,
    .next = any_next,
    .static_lane = false,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
