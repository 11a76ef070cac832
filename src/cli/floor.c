/* SPDX-License-Identifier: Apache-2.0
 *
 * floor.c: makes, writes and shows floor plans.
 */
#include "floor.h"

#include <string.h>

int cli_floor_check(const cli *c)
{
    const char *path = cli_get(c, "--cable-list"), *rules = cli_get(c, "--floor");
    if (path && strcmp(path, "-") == 0)
        return cli_usage(c, "--cable-list -: this cannot be written to standard output; give a "
                            "name, or ./- for '-'");
    if (path && rules && cli_same_file(path, rules))
        return cli_usage(c, "the list of cables '%.200s' would overwrite the rules of the floor",
                         cli_line(path));
    const char *fabric = cli_get(c, "--output");
    if (path && fabric && (strcmp(path, fabric) == 0 || cli_same_file(path, fabric)))
        return cli_usage(c, "the list of cables '%.200s' would overwrite the fabric of --output",
                         cli_line(path));
    return CLI_DONE;
}

ik_status cli_floor_rules(const cli *c, ik_floor_rules *out, ik_error *err)
{
    const char *path = cli_get(c, "--floor");
    return ik_floor_rules_read(path && strcmp(path, "default") != 0 ? path : NULL, out, err);
}

ik_status cli_floor_make(cli *c, const ik_fabric *f, ik_floor_plan **out, ik_error *err)
{
    ik_floor_rules rules;
    ik_status status = cli_floor_rules(c, &rules, err);
    if (status == IK_OK)
        status = ik_floor_plan_make(f, &rules, 1, &c->env, out, err);
    return status;
}

ik_status cli_floor_write(const cli *c, const ik_fabric *f, const ik_floor_plan *plan,
                          ik_error *err)
{
    const char *path = cli_get(c, "--cable-list");
    ik_output file = {0};
    if (!path)
        return IK_OK;
    ik_status status = ik_output_open(&file, path, err);
    if (status != IK_OK)
        return status;
    status = ik_floor_plan_list_cables(plan, f, file.out, err);
    return ik_output_close(&file, status, err);
}

/* ---- showing */

static double floor_metres(uint64_t mm)
{
    return (double)mm / 1000;
}

void cli_floor_print(const cli *c, const ik_floor_plan *plan)
{
    static const char *const names[IK_NUM_CABLE_KINDS] = {"copper cables", "optical cables"};
    cli_heading(c, "Floor plan");
    printf("  %-22s %s on %s of at most %u\n", "racks", cli_count(plan->num_racks),
           IK_COUNT(plan->rows, "row"), plan->row_racks);
    for (int k = 0; k < IK_NUM_CABLE_KINDS; k++)
        printf("  %-22s %s, %.1f m in total\n", names[k], cli_count(plan->cables[k]),
               floor_metres(plan->length_mm[k]));
    printf("  %-22s %.1f m; %s stay in their rack\n", "longest cable",
           floor_metres(plan->longest_mm), cli_counted(plan->inside_racks, "cable"));
    printf("  %-22s %.1f m as the family stands, %.1f m after the search, before lengths are "
           "rounded up\n",
           "all cables", floor_metres(plan->first_mm), floor_metres(plan->found_mm));
}
