/* SPDX-License-Identifier: Apache-2.0
 *
 * made.h: cmocka with what it needs, and things made from their specs; what cannot be made fails
 * the test. Seeds: 0 for what is built, 1 for traffic.
 */
#ifndef IKAT_TESTS_MADE_H
#define IKAT_TESTS_MADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after what it needs */

#include "ikat/ikat.h"

static const ik_env made_env = {.num_threads = 2};

static inline ik_fabric *fabric_of(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_fabric_from_spec(spec, &made_env, &f, &err) != IK_OK ||
        ik_fabric_check(f, &err) != IK_OK)
        fail_msg("%s: %s (%s)", spec, err.text, err.hint);
    return f;
}

static inline ik_routing *routing_on(const ik_fabric *f, const char *spec)
{
    ik_routing *r = NULL;
    ik_error err = {0};
    if (ik_routing_from_spec(f, spec, &made_env, &r, &err) != IK_OK)
        fail_msg("%s on %s: %s (%s)", spec, f->spec ? f->spec : "a graph", err.text, err.hint);
    return r;
}

/* vc NULL: the routing's own; num_vcs 0: as many as it needs. */
static inline ik_plan *plan_of(const ik_fabric *f, const char *routing, const char *vc,
                               unsigned num_vcs)
{
    ik_plan *p = NULL;
    ik_error err = {0};
    if (ik_plan_from_specs(f, routing, vc, NULL, num_vcs, &made_env, &p, &err) != IK_OK)
        fail_msg("%s, %s on %s: %s (%s)", routing, vc ? vc : "-", f->spec ? f->spec : "a graph",
                 err.text, err.hint);
    return p;
}

static inline ik_traffic *traffic_of(const ik_fabric *f, const char *spec)
{
    static const ik_env env = {.seed = 1};
    ik_traffic *t = NULL;
    ik_error err = {0};
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        fail_msg("%s: %s (%s)", spec, err.text, err.hint);
    return t;
}

#endif
