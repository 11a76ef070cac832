/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_program.c: any bytes as a trace of a program, in every format that has a reader: refused
 * with a text, or a graph whose messages have two ends. The first byte chooses the format (0: found
 * out by the content), the second how many files there are; they share the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traffic/program/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 8, FILES = 3 };

static void write_part(const char *folder, unsigned k, const uint8_t *data, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/t.%u.et", folder, k); /* a name that readers of ranks take */
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0)
        abort();
}

static void remove_files(const char *folder)
{
    char path[200];
    for (unsigned k = 0; k < FILES; k++) {
        snprintf(path, sizeof path, "%s/t.%u.et", folder, k);
        unlink(path);
    }
    rmdir(folder);
}

static ik_status read_folder(const char *folder, const char *format, ik_workload *w, ik_error *err)
{
    program_settings set = {.name = "input",
                            .num_hosts = HOSTS,
                            .compute_scale = 1,
                            .size_scale = 1,
                            .match_recorded = true};
    program *p = NULL;
    if (program_new(&set, &p, err) != IK_OK)
        abort();
    ik_status status = program_read(p, folder, format, NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
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
        if (g->ops[o->match].match != op || g->kind[o->match] == g->kind[op])
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/ikat-fuzz-XXXXXX";
    ik_workload w = {0};
    ik_error err = {0};
    unsigned formats = 0;
    while (program_readers()[formats])
        formats++;
    if (size < 2)
        return 0;
    unsigned files = data[1] % FILES + 1;
    size_t part = (size - 2) / files;
    if (!mkdtemp(folder))
        abort();
    for (unsigned k = 0; k < files; k++)
        write_part(folder, k, data + 2 + k * part, k + 1 < files ? part : size - 2 - k * part);
    const char *format = data[0] ? program_readers()[data[0] % formats]->name : NULL;
    if (format && strcmp(format, "otf2") == 0)
        return 0; /* parsed by the format's own library */
    ik_status status = read_folder(folder, format, &w, &err);
    remove_files(folder);
    if (status == IK_OK) {
        check_graph(w.graph);
        ik_workload_clear(&w);
    } else if (!err.text[0] || status == IK_ERR_INTERNAL) {
        abort();
    }
    return 0;
}
