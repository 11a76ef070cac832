/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of classes with priorities, resolved. Each priority has a copy of the plan's VCs
 * (ik_plan.num_vcs), so that packets never wait in a queue, or for credit, behind others of a lower
 * one; which is also how a packet says its priority: by its VC. */
#include "ikat/vc.h"
#include "sim/params/parameters.h"
#include "sim/state/state.h"
#include <stdio.h>

static const ik_value *level_params_value_of(const ik_params *v, const char *name)
{
    size_t k = 0;
    while (strcmp(v->decl[k].name, name) != 0)
        k++;
    return &v->values[k];
}

/* An error at the place of a parameter of section `switch`. */
static ik_status level_params_refuse(const ik_params *sw, const char *name, const char *why,
                                     ik_error *err)
{
    const ik_value *at = level_params_value_of(sw, name);
    return ik_fail_at(err, IK_ERR_USAGE, at->source ? at->source : "", at->line, at->column,
                      "section 'switch', parameter '%s': %s", name, why);
}

static ik_status level_params_check_classes(const ik_traffic *traffic, const ik_params *sw,
                                            size_t count, ik_error *err)
{
    char why[160];
    size_t classes = 0;
    if (!traffic) /* estimates know none */
        return IK_OK;
    while (traffic->classes && traffic->classes[classes])
        classes++;
    if (classes == count)
        return IK_OK;
    snprintf(why, sizeof why, "%zu priorities, and traffic '%.60s' has %zu classes", count,
             traffic->spec, classes);
    ik_status status = level_params_refuse(sw, "class_priority", why, err);
    return ik_hint(err, status,
                   classes ? "one for each, in their order"
                           : "traffic mix:90%%*uniform+10%%*urgent=uniform has two classes");
}

/* Numbers the priorities that occur, the highest one first. */
static unsigned number_levels(priority_levels *l, const uint32_t *list, size_t count)
{
    unsigned num = 0;
    for (uint32_t priority = 64; priority-- > 0;) {
        bool occurs = false;
        for (size_t k = 0; k < count; k++)
            if (list[k] == priority) {
                l->of[k] = (uint8_t)num;
                occurs = true;
            }
        num += occurs;
    }
    return num;
}

/* What stands beside priorities. */
static ik_status level_params_check_beside(const sim *s, const ik_params *sw,
                                           const ik_params *adapter, unsigned levels, ik_error *err)
{
    ik_status status = IK_OK;
    if (s->reply.on) {
        status = level_params_refuse(sw, "arbiter",
                                     "class_first cannot be used with requests and replies", err);
        return ik_hint(err, status, "leave adapter.reply out, or arbiter: oldest_first");
    }
    if (ik_params_enum(adapter, "queues") != ADAPTER_VC || ik_params_bool(adapter, "in_order")) {
        status = level_params_refuse(
            sw, "arbiter", "class_first needs adapters with queues = vc, without in_order", err);
        return ik_hint(err, status, "packets of all classes would wait in one queue");
    }
    if (levels < 2) {
        status =
            level_params_refuse(sw, "class_priority", "all classes have the same priority", err);
        return ik_hint(err, status, "arbiter: oldest_first does not use classes");
    }
    if (s->sw.vcs * levels <= SIM_MAX_VCS)
        return IK_OK;
    ik_about(
        err,
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "switch.class_priority: %s for each of %u priorities; the simulator takes at most "
                "%d in all",
                IK_COUNT(s->sw.vcs, "VC"), levels, SIM_MAX_VCS),
        "switch.class_priority vcs");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "fewer priorities, or VCs of the routing");
}

ik_status ik_sim_check_levels(const ik_params *sw, const ik_traffic *traffic, ik_error *err)
{
    size_t count = 0;
    if (ik_params_enum(sw, "arbiter") != ARB_CLASS || !ik_params_has(sw, "class_priority"))
        return IK_OK;
    ik_params_list(sw, "class_priority", &count);
    return level_params_check_classes(traffic, sw, count, err);
}

ik_status sim_resolve_levels(sim *s, const ik_params *sw, const ik_params *adapter, ik_error *err)
{
    size_t count = 0;
    if (ik_params_enum(sw, "arbiter") != ARB_CLASS)
        return IK_OK;
    if (!ik_params_has(sw, "class_priority")) {
        ik_status status =
            level_params_refuse(sw, "arbiter", "class_first needs class_priority", err);
        return ik_hint(err, status, "class_priority: 0:1 gives the second class the way");
    }
    const uint32_t *list = ik_params_list(sw, "class_priority", &count);
    if (count > sizeof s->sw.levels.of)
        return level_params_refuse(sw, "class_priority", "more than 64 classes", err);
    unsigned num = number_levels(&s->sw.levels, list, count);
    ik_status status = level_params_check_classes(s->traffic, sw, count, err);
    if (status == IK_OK)
        status = level_params_check_beside(s, sw, adapter, num, err);
    if (status != IK_OK)
        return status;
    s->sw.levels.num = num;
    s->sw.levels.vcs = s->sw.vcs;
    s->sw.levels.num_classes = count;
    s->both = *s->plan;
    s->both.num_vcs *= num;
    s->plan = &s->both;
    s->sw.vcs *= num;
    return IK_OK;
}
