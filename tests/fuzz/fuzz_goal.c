/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_goal.c: any text as a GOAL program: refused with its place, or a graph whose messages have
 * two ends, and which is the same after it was written and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/workload/goal_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 8 };

static ik_status read_text(const char *text, size_t size, bool eager, ik_workload *w, ik_error *err)
{
    static const uint32_t host_of[HOSTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    graph_builder b = {.num_hosts = HOSTS, .source = "input", .eager = eager, .eager_bytes = 8};
    goal_reader g;
    ik_status status = goal_open_memory(&g, text, size, "input", err);
    if (status == IK_OK && g.num_ranks > HOSTS)
        status = ik_fail_at(err, IK_ERR_INPUT, "input", 1, 1, "many ranks");
    if (status == IK_OK)
        status = goal_read(&g, host_of, &b, err);
    goal_close(&g);
    if (status == IK_OK)
        return graph_finish(&b, w, err);
    graph_builder_free(&b);
    return status;
}

static void check_graph(const ik_graph *g)
{
    for (uint32_t op = 0; op < g->num_ops; op++) {
        const ik_op *o = &g->ops[op];
        for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++)
            if ((g->after[k] & ~IK_AFTER_START) >= g->num_ops)
                abort();
        if (g->kind[op] == IK_OP_CALC || o->match == IK_NONE)
            continue;
        if (g->ops[o->match].match != op || g->kind[o->match] == g->kind[op] ||
            g->ops[o->match].amount != o->amount)
            abort();
    }
}

static char *write_text(const ik_workload *w, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out || ik_workload_write_goal(w, out, NULL) != IK_OK || fclose(out) != 0)
        abort();
    return text;
}

static void check_round_trip(const ik_workload *w)
{
    ik_workload again = {0};
    size_t size = 0, size_again = 0;
    char *text = write_text(w, &size);
    if (read_text(text, size, false, &again, NULL) != IK_OK)
        abort();
    char *text_again = write_text(&again, &size_again);
    if (size != size_again || memcmp(text, text_again, size) != 0)
        abort();
    free(text);
    free(text_again);
    ik_workload_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ik_workload w = {0};
    for (unsigned eager = 0; eager < 2; eager++) {
        ik_error err = {0};
        if (read_text((const char *)data, size, eager, &w, &err) != IK_OK) {
            if (err.text[0] == '\0')
                abort();
            return 0;
        }
        check_graph(w.graph);
        if (!eager)
            check_round_trip(&w);
        ik_workload_clear(&w);
    }
    return 0;
}
