/* SPDX-License-Identifier: Apache-2.0
 *
 * read_otf2.c: archives in Open Trace Format 2, as Score-P writes them: the MPI calls of all ranks.
 * They are read by the format's own library, where that was there at build time. */
#include "traffic/program/otf2_calls.h"
#include "traffic/program/reader.h"

#include <stdlib.h>
#include <string.h>

static bool otf2_is_anchor(const char *path)
{
    size_t size = strlen(path);
    return size > 5 && strcmp(path + size - 5, ".otf2") == 0;
}

/* The anchor file; NULL = none, or several. */
static const char *otf2_anchor_of(const program_source *s)
{
    const char *found = NULL;
    for (uint32_t k = 0; k < s->num_files; k++)
        if (otf2_is_anchor(s->files[k])) {
            if (found)
                return NULL;
            found = s->files[k];
        }
    return found;
}

static unsigned otf2_probe(const program_source *s)
{
    return otf2_anchor_of(s) ? 95 : 0;
}

#ifdef IKAT_OTF2
#include "traffic/program/otf2_archive.h"

typedef struct otf2_reading {
    otf2_archive a;
    mpi_calls calls;
} otf2_reading;

/* The ranks of a communicator; those of MPI_COMM_SELF are none (NULL). */
static ik_status otf2_make_comm(const otf2_archive *a, const otf2_comm *c, mpi_comm *out,
                                ik_error *err)
{
    otf2_group *g = otf2_find_group(a, c->group);
    uint64_t wrong = UINT64_MAX;
    *out = (mpi_comm){.ref = c->ref, .comm = IK_NONE};
    if (!g)
        return ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0,
                          "communicator %u is of group %u, which is not defined", c->ref, c->group);
    if (g->type == OTF2_GROUP_TYPE_COMM_SELF)
        return IK_OK;
    out->ranks = otf2_group_ranks(a, g, &wrong);
    out->num = g->num;
    out->global = g->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS;
    if (out->ranks)
        return IK_OK;
    if (wrong == UINT64_MAX)
        return ik_fail_memory(err, g->num * sizeof *out->ranks, "a communicator");
    return ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0,
                      "communicator %u has rank %llu, the archive has %u", c->ref,
                      (unsigned long long)wrong, a->world->num);
}

static int otf2_by_ref(const void *a, const void *b)
{
    uint32_t x = ((const mpi_comm *)a)->ref, y = ((const mpi_comm *)b)->ref;
    return (x > y) - (x < y);
}

static ik_status otf2_make_comms(otf2_reading *r, ik_error *err)
{
    const otf2_archive *a = &r->a;
    ik_status status = IK_OK;
    r->calls.comms = ik_calloc(a->num_comms + 1, sizeof *r->calls.comms);
    if (!r->calls.comms)
        return ik_fail_memory(err, a->num_comms * sizeof *r->calls.comms, "communicators");
    for (size_t k = 0; k < a->num_comms && status == IK_OK; k++) {
        status = otf2_make_comm(a, &a->comms[k], &r->calls.comms[k], err);
        r->calls.num_comms = k + 1;
    }
    if (r->calls.num_comms)
        qsort(r->calls.comms, r->calls.num_comms, sizeof *r->calls.comms, otf2_by_ref);
    return status;
}

static ik_status otf2_add_rank(void *ctx, uint32_t rank, ik_error *err)
{
    otf2_reading *r = ctx;
    return mpi_calls_add(&r->calls, rank, r->a.events, r->a.num_events, r->a.start, r->a.end, err);
}

static ik_status otf2_read_archive(otf2_reading *r, program *p, const ik_env *env, ik_error *err)
{
    r->calls.p = p;
    r->calls.path = r->a.path;
    r->calls.ticks = r->a.ticks;
    program_place(p, r->a.path, 0);
    ik_status status = program_begin(p, r->a.world->num, err);
    if (status == IK_OK)
        status = otf2_make_comms(r, err);
    return status == IK_OK ? otf2_read_ranks(&r->a, env, otf2_add_rank, r, err) : status;
}

static ik_status otf2_read_otf2(program *p, const program_source *s, const ik_env *env,
                                ik_error *err)
{
    otf2_reading *r = ik_calloc(1, sizeof *r);
    const char *anchor = otf2_anchor_of(s);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "an OTF2 archive");
    if (!anchor && s->num_files == 1)
        anchor = s->files[0];
    if (!anchor) {
        free(r);
        ik_fail(err, IK_ERR_INPUT, "%s: not one file NAME.otf2", s->path);
        return ik_hint(err, IK_ERR_INPUT, "the anchor file of the archive, or its folder");
    }
    ik_status status = otf2_open(&r->a, anchor, err);
    if (status == IK_OK)
        status = otf2_read_archive(r, p, env, err);
    free(r->calls.comms);
    mpi_calls_free(&r->calls);
    otf2_close(&r->a);
    free(r);
    return status;
}
#else
static ik_status otf2_read_otf2(program *p, const program_source *s, const ik_env *env,
                                ik_error *err)
{
    (void)p, (void)env;
    const char *anchor = otf2_anchor_of(s);
    ik_fail_at(err, IK_ERR_UNSUPPORTED, anchor ? anchor : s->files[0], 0, 0,
               "this ikat was built without OTF2's library");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "Debian has it as libopen-trace-format2-dev: install it and build again");
}
#endif

const program_reader program_reader_otf2 = {
    .name = "otf2",
    .summary = "archives in Open Trace Format 2 (Score-P): the MPI calls of all ranks",
    .source = "D. Eschweiler, M. Wagner, M. Geimer, A. Knüpfer, W. E. Nagel, F. Wolf, Open Trace "
              "Format 2: the next generation of scalable trace formats and support libraries, "
              "ParCo 2011",
    .probe = otf2_probe,
    .read = otf2_read_otf2,
};
