/* SPDX-License-Identifier: Apache-2.0
 *
 * read_goal.c: GOAL's text form. Its operations and dependences are the graph's own, so that the
 * reader of traffic 'graph' puts them there. */
#include "traffic/program/reader.h"
#include "traffic/workload/goal_read.h"

#include <string.h>

static unsigned goal_probe(const program_source *s)
{
    const char *at = s->head, *end = s->head + s->head_size;
    while (at < end) { /* blank lines and comments before num_ranks */
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *stop = strstr(at + 2, "*/");
            at = stop ? stop + 2 : end;
        } else {
            return strncmp(at, "num_ranks", 9) == 0 && (at[9] == ' ' || at[9] == '\t') ? 100 : 0;
        }
    }
    return 0;
}

static ik_status goal_read_goal(program *p, const program_source *s, const ik_env *env,
                                ik_error *err)
{
    const program_settings *set = program_get_settings(p);
    graph_builder *b = program_graph(p);
    goal_reader g;
    if (s->num_files > 1) {
        ik_fail(err, IK_ERR_INPUT, "%s: %u files, a program in GOAL's text form is one", s->path,
                s->num_files);
        return ik_hint(err, IK_ERR_INPUT, "the first is %s", s->files[0]);
    }
    ik_status status = goal_open(&g, s->files[0], env, err);
    g.calc_scale = set->compute_scale;
    g.size_scale = set->size_scale;
    program_place(p, s->files[0], 1);
    if (status == IK_OK)
        status = program_begin(p, g.num_ranks, err);
    /* sizes of both ends are said: they must be equal */
    b->room_of_receives = false;
    if (status == IK_OK)
        status = goal_read(&g, program_rows(p), b, err);
    program_count_empty(p, g.empty);
    goal_close(&g);
    return status;
}

const program_reader program_reader_goal = {
    .name = "goal",
    .summary =
        "GOAL's text form, as LogGOPSim and ATLAHS write it: operations and what they wait for",
    .source = "T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009",
    .probe = goal_probe,
    .read = goal_read_goal,
};
