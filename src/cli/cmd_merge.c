/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_merge.c: `ikat merge A.db B.db … -o C.db`: one results file of the parts of an experiment.
 */
#include "cli.h"

#include "ikat/experiment.h"
#include "ikat/json.h"
#include "ikat/report.h"

/* Points of the sweep that no file had, but for those left out, which no run can finish. */
static ik_status merge_count_left(const cli *c, const char *path, const ik_merged *m,
                                  uint64_t *left, ik_error *err)
{
    ik_sweep_status *s;
    *left = 0;
    if (m->points == m->num_points || (c->quiet && !c->json && !cli_has(c, "--complete")))
        return IK_OK;
    ik_status status = ik_sweep_status_read(&path, 1, &s, err);
    if (status == IK_OK) {
        *left = s->left;
        ik_sweep_status_free(s);
    }
    return status;
}

static int merge_put_json(cli *c, const char *path, const ik_merged *m, uint64_t left, int done)
{
    ik_json j;
    ik_error err;
    cli_json_begin(&j);
    ik_json_text(&j, "results", path);
    ik_json_uint(&j, "files", (uint64_t)c->num_args);
    ik_json_uint(&j, "points_finished", m->points);
    ik_json_uint(&j, "points_total", m->num_points);
    ik_json_uint(&j, "points_twice", m->doubles);
    ik_json_uint(&j, "points_left", left);
    ik_json_close(&j);
    ik_status status = ik_json_end(&j, &err);
    return cli_written(c, status, &err, done);
}

static int merge_run(cli *c)
{
    const char *path = cli_get(c, "--output");
    ik_merged m;
    ik_error err;
    uint64_t left;
    if (!path)
        return cli_usage(c, "-o RESULTS.db is required: the file for the merged results");
    if (ik_results_merge((const char *const *)c->args, (size_t)c->num_args, path, &m, &err) !=
            IK_OK ||
        merge_count_left(c, path, &m, &left, &err) != IK_OK)
        return cli_error(c, &err);
    int done = left && cli_has(c, "--complete") ? CLI_FAILED : CLI_DONE;
    if (c->json)
        return merge_put_json(c, path, &m, left, done);
    if (!c->quiet) {
        printf("%s: %llu of %s", cli_line(path), (unsigned long long)m.points,
               IK_COUNT(m.num_points, "point"));
        if (m.doubles)
            printf("; %llu %s in several files", (unsigned long long)m.doubles,
                   m.doubles == 1 ? "was" : "were");
        if (left)
            printf("; %llu left to run", (unsigned long long)left);
        putchar('\n');
    }
    return done;
}

static const cli_option options[] = {
    {"--output", 'o', "RESULTS.db", "file for the merged results, which must not exist yet", false},
    {"--complete", 0, NULL, "exit status 1 if points are left to run", false},
    {0},
};

static const char *const examples[] = {
    "ikat run experiments/quickstart.yaml --shard 1/2 -o part1.db",
    "ikat run experiments/quickstart.yaml --shard 2/2 -o part2.db",
    "ikat merge part1.db part2.db -o whole.db", NULL};

const ik_command ik_command_merge = {
    .name = "merge",
    .synopsis = "RESULTS.db… -o RESULTS.db",
    .summary = "combine the shards of an experiment into one results file",
    .details = "Use it after 'ikat run --shard' on several machines. The files are results of the "
               "same experiment file, with the same --set and the same version of ikat, from any "
               "shards, finished or not. When all points are there, the merged file is byte for "
               "byte that of a run without shards. Points that several files have are taken once; "
               "files that contradict each other are refused, and nothing is written. Points "
               "left to run are counted; those that no run can finish, such as a routing on a "
               "fabric that it does not support, are not among them.",
    .takes = "<file db>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = -1,
    .run = merge_run,
};
