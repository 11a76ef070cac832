/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of programs in a scratch folder, for tests of their readers. */
#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include <unistd.h>

#include "traffic/program/reader.h"
#include "workload_helper.h"

enum { TRACE_HOSTS = 4 };

static char trace_folder[] = "/tmp/ikat-traces-XXXXXX";

static inline int traces_begin(void **state)
{
    (void)state;
    return mkdtemp(trace_folder) ? 0 : 1;
}

static inline const char *trace_path(const char *name, unsigned number)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s.%u", trace_folder, name, number);
    return path;
}

static inline void trace_write(const char *name, unsigned number, const char *text, size_t size)
{
    FILE *out = fopen(trace_path(name, number), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static inline void trace_remove(const char *name, unsigned number)
{
    assert_int_equal(unlink(trace_path(name, number)), 0);
}

static inline int traces_end(void **state)
{
    (void)state;
    return rmdir(trace_folder);
}

/* Reads a trace; format NULL = what it looks like. */
static inline ik_status trace_read(const char *path, const char *format, const program_settings *of,
                                   ik_workload *w, ik_error *err)
{
    program *p = NULL;
    program_settings set = of ? *of : (program_settings){.match_recorded = true};
    set.name = "trace";
    set.num_hosts = TRACE_HOSTS;
    assert_int_equal(program_new(&set, &p, err), IK_OK);
    ik_status status = program_read(p, path, format, NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
    return status;
}

/* All operations as one text: "s1:64" sends 64 B to rank 1, "r?:8" receives from any, "c500"
 * computes 500 ps, "w" for no time; ranks with a blank between them. */
static inline const char *trace_outline(const ik_graph *g)
{
    static char text[4000];
    size_t used = 0;
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        used += (size_t)snprintf(text + used, sizeof text - used, rank ? " %u(" : "%u(", rank);
        for (uint32_t op = g->rank_first[rank]; op < g->rank_first[rank + 1]; op++) {
            unsigned long long amount = g->ops[op].amount;
            char sign = g->kind[op] == IK_OP_SEND ? 's' : 'r';
            uint32_t peer = g->kind[op] == IK_OP_CALC ? 0 : ik_graph_peer_rank(g, op);
            if (g->kind[op] == IK_OP_CALC && !amount)
                used += (size_t)snprintf(text + used, sizeof text - used, "w");
            else if (g->kind[op] == IK_OP_CALC)
                used += (size_t)snprintf(text + used, sizeof text - used, "c%llu", amount);
            else if (peer == IK_NONE)
                used += (size_t)snprintf(text + used, sizeof text - used, "r?:%llu", amount);
            else
                used += (size_t)snprintf(text + used, sizeof text - used, "%c%u:%llu", sign, peer,
                                         amount);
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     op + 1 < g->rank_first[rank + 1] ? "," : "");
        }
        used += (size_t)snprintf(text + used, sizeof text - used, ")");
        assert_true(used < sizeof text);
    }
    return text;
}

#endif
