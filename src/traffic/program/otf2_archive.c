/* SPDX-License-Identifier: Apache-2.0
 *
 * otf2_archive.c: definitions and events of an OTF2 archive. Files are parsed by the library of the
 * format (D. Eschweiler et al., Open Trace Format 2, ParCo 2011); what it refuses is said in its
 * words. */
#ifdef IKAT_OTF2

#include "traffic/program/otf2_archive.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors */

/* The library has one handler of errors for the process, which would print them: it hands them to
 * the archive that this thread reads. */
static _Thread_local otf2_archive *reading;

static OTF2_ErrorCode otf2_archive_keep_error(void *ctx, const char *file, uint64_t line,
                                              const char *function, OTF2_ErrorCode code,
                                              const char *format, va_list args)
{
    otf2_archive *a = reading;
    (void)ctx, (void)file, (void)line, (void)function;
    if (a && !a->said[0] && format)
        vsnprintf(a->said, sizeof a->said, format, args);
    return code;
}

static ik_status otf2_archive_fail(const otf2_archive *a, ik_error *err, const char *what,
                                   OTF2_ErrorCode code)
{
    if (a->status == IK_ERR_MEMORY)
        return ik_fail_memory(err, a->num_events * sizeof *a->events, "an OTF2 archive");
    if (a->status != IK_OK)
        return ik_fail_at(err, a->status, a->path, 0, 0, "%s", a->why);
    ik_fail_at(err, code == OTF2_ERROR_MEM_ALLOC_FAILED ? IK_ERR_MEMORY : IK_ERR_INPUT, a->path, 0,
               0, "%s: %s%s%s", what,
               code == OTF2_SUCCESS ? "failed" : OTF2_Error_GetDescription(code),
               a->said[0] ? ": " : "", a->said);
    return ik_hint(err, err ? err->status : IK_ERR_INPUT,
                   "the archive is read by OTF2's own library; 'otf2-print' shows the same error");
}

static OTF2_CallbackCode otf2_archive_stop(otf2_archive *a, ik_status status, const char *why)
{
    if (a->status == IK_OK) {
        a->status = status;
        a->why = why;
    }
    return OTF2_CALLBACK_INTERRUPT;
}

/* ---- definitions */

static OTF2_CallbackCode otf2_archive_take_clock(void *ctx, uint64_t ticks, uint64_t offset,
                                                 uint64_t length, uint64_t realtime)
{
    (void)offset, (void)length, (void)realtime;
    ((otf2_archive *)ctx)->ticks = ticks;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2_archive_take_region(void *ctx, OTF2_RegionRef self,
                                                  OTF2_StringRef name, OTF2_StringRef canonical,
                                                  OTF2_StringRef description, OTF2_RegionRole role,
                                                  OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                                  OTF2_StringRef file, uint32_t first,
                                                  uint32_t last)
{
    otf2_archive *a = ctx;
    (void)name, (void)canonical, (void)description, (void)role, (void)flags, (void)file;
    (void)first, (void)last;
    if (paradigm != OTF2_PARADIGM_MPI)
        return OTF2_CALLBACK_SUCCESS;
    if (!IK_ARRAY_ROOM(a->mpi_regions, a->room_regions, a->num_regions + 1))
        return otf2_archive_stop(a, IK_ERR_MEMORY, NULL);
    a->mpi_regions[a->num_regions++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2_archive_take_location(void *ctx, OTF2_LocationRef self,
                                                    OTF2_StringRef name, OTF2_LocationType type,
                                                    uint64_t num_events,
                                                    OTF2_LocationGroupRef group)
{
    otf2_archive *a = ctx;
    (void)name, (void)group;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return OTF2_CALLBACK_SUCCESS;
    if (!IK_ARRAY_ROOM(a->locations, a->room_locations, a->num_locations + 1))
        return otf2_archive_stop(a, IK_ERR_MEMORY, NULL);
    a->locations[a->num_locations++] = (otf2_location){self, num_events};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2_archive_take_group(void *ctx, OTF2_GroupRef self, OTF2_StringRef name,
                                                 OTF2_GroupType type, OTF2_Paradigm paradigm,
                                                 OTF2_GroupFlag flags, uint32_t num,
                                                 const uint64_t *members)
{
    otf2_archive *a = ctx;
    (void)name;
    if (paradigm != OTF2_PARADIGM_MPI || type < OTF2_GROUP_TYPE_COMM_LOCATIONS)
        return OTF2_CALLBACK_SUCCESS;
    uint64_t *copy = ik_calloc((size_t)num + 1, sizeof *copy);
    if (!copy || !IK_ARRAY_ROOM(a->groups, a->room_groups, a->num_groups + 1)) {
        free(copy);
        return otf2_archive_stop(a, IK_ERR_MEMORY, NULL);
    }
    if (num)
        memcpy(copy, members, num * sizeof *copy);
    a->groups[a->num_groups++] = (otf2_group){self, flags, num, type, copy, NULL};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2_archive_take_comm(void *ctx, OTF2_CommRef self, OTF2_StringRef name,
                                                OTF2_GroupRef group, OTF2_CommRef parent,
                                                OTF2_CommFlag flags)
{
    otf2_archive *a = ctx;
    (void)name, (void)parent, (void)flags;
    if (!IK_ARRAY_ROOM(a->comms, a->room_comms, a->num_comms + 1))
        return otf2_archive_stop(a, IK_ERR_MEMORY, NULL);
    a->comms[a->num_comms++] = (otf2_comm){self, group};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, otf2_archive_take_clock);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, otf2_archive_take_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, otf2_archive_take_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, otf2_archive_take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, otf2_archive_take_comm);
    return c;
}

static int otf2_archive_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int otf2_archive_compare_groups(const void *a, const void *b)
{
    return otf2_archive_compare_u32(&((const otf2_group *)a)->ref, &((const otf2_group *)b)->ref);
}

otf2_group *otf2_find_group(const otf2_archive *a, uint32_t ref)
{
    const otf2_group key = {.ref = ref};
    return a->num_groups ? bsearch(&key, a->groups, a->num_groups, sizeof *a->groups,
                                   otf2_archive_compare_groups)
                         : NULL;
}

const uint32_t *otf2_group_ranks(const otf2_archive *a, otf2_group *g, uint64_t *wrong)
{
    *wrong = UINT64_MAX;
    if (g->ranks)
        return g->ranks;
    uint32_t *ranks = ik_calloc((size_t)g->num + 1, sizeof *ranks);
    for (uint32_t k = 0; ranks && k < g->num; k++) {
        uint64_t rank = g->type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? k : g->members[k];
        if (rank >= a->world->num) {
            *wrong = rank;
            free(ranks);
            return NULL;
        }
        ranks[k] = (uint32_t)rank;
    }
    return g->ranks = ranks;
}

static ik_status check_definitions(otf2_archive *a, ik_error *err)
{
    if (a->num_groups)
        qsort(a->groups, a->num_groups, sizeof *a->groups, otf2_archive_compare_groups);
    for (size_t k = 0; k + 1 < a->num_groups; k++)
        if (a->groups[k].ref == a->groups[k + 1].ref)
            return ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0, "group %u is defined twice",
                              a->groups[k].ref);
    for (size_t k = 0; k < a->num_groups; k++)
        if (a->groups[k].type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            a->world = &a->groups[k];
    if (!a->world || !a->world->num) {
        ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0,
                   "the archive has no MPI ranks: no group of MPI's locations is defined");
        return ik_hint(err, IK_ERR_INPUT, "it must be one of an MPI program");
    }
    if (!a->ticks)
        return ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0,
                          "the archive's clock has no resolution");
    if (a->num_regions)
        qsort(a->mpi_regions, a->num_regions, sizeof *a->mpi_regions, otf2_archive_compare_u32);
    return IK_OK;
}

static ik_status read_definitions(otf2_archive *a, ik_error *err)
{
    uint64_t num = 0;
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(a->reader);
    OTF2_GlobalDefReaderCallbacks *c = defs ? definition_callbacks() : NULL;
    if (!c)
        return otf2_archive_fail(a, err, "its definitions cannot be opened", OTF2_SUCCESS);
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(a->reader, defs, c, a);
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(a->reader, defs, &num);
    OTF2_Reader_CloseGlobalDefReader(a->reader, defs);
    if (code != OTF2_SUCCESS || a->status != IK_OK)
        return otf2_archive_fail(a, err, "its definitions cannot be read", code);
    return check_definitions(a, err);
}

ik_status otf2_open(otf2_archive *a, const char *path, ik_error *err)
{
    *a = (otf2_archive){.path = path};
    reading = a;
    OTF2_Error_RegisterCallback(otf2_archive_keep_error, NULL);
    a->reader = OTF2_Reader_Open(path);
    if (!a->reader)
        return otf2_archive_fail(a, err, "it cannot be opened", OTF2_SUCCESS);
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(a->reader);
    return code == OTF2_SUCCESS ? read_definitions(a, err)
                                : otf2_archive_fail(a, err, "it cannot be read", code);
}

void otf2_close(otf2_archive *a)
{
    if (a->reader)
        OTF2_Reader_Close(a->reader);
    reading = NULL;
    for (size_t k = 0; k < a->num_groups; k++) {
        free(a->groups[k].members);
        free(a->groups[k].ranks);
    }
    free(a->groups);
    free(a->comms);
    free(a->locations);
    free(a->mpi_regions);
    free(a->events);
    *a = (otf2_archive){0};
}

/* ---- events */

#define EVENT                                                                                      \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *ctx,                  \
        OTF2_AttributeList *attributes

/* Notes when the location had an event. */
static otf2_archive *otf2_archive_at_time(void *ctx, OTF2_TimeStamp time)
{
    otf2_archive *a = ctx;
    a->start = a->any ? a->start : time;
    a->end = time;
    a->any = true;
    return a;
}

static OTF2_CallbackCode otf2_archive_add_event(otf2_archive *a, mpi_event e)
{
    if (a->counts)
        return otf2_archive_stop(
            a, IK_ERR_UNSUPPORTED,
            "a message or collective on a location that does not belong to a rank: MPI calls of "
            "several threads of a rank cannot be replayed");
    if (!IK_ARRAY_ROOM(a->events, a->room_events, a->num_events + 1))
        return otf2_archive_stop(a, IK_ERR_MEMORY, NULL);
    a->events[a->num_events++] = e;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2_archive_take_edge(otf2_archive *a, uint64_t time, uint64_t position,
                                                uint32_t region, mpi_event_kind kind)
{
    bool mpi = a->num_regions && bsearch(&region, a->mpi_regions, a->num_regions,
                                         sizeof *a->mpi_regions, otf2_archive_compare_u32);
    if (!mpi || a->counts)
        return OTF2_CALLBACK_SUCCESS;
    return otf2_archive_add_event(
        a, (mpi_event){.time = time, .position = position, .kind = (uint8_t)kind});
}

static OTF2_CallbackCode otf2_archive_take_enter(EVENT, OTF2_RegionRef region)
{
    (void)location, (void)attributes;
    return otf2_archive_take_edge(otf2_archive_at_time(ctx, time), time, position, region,
                                  MPI_ENTER);
}

static OTF2_CallbackCode otf2_archive_take_leave(EVENT, OTF2_RegionRef region)
{
    (void)location, (void)attributes;
    return otf2_archive_take_edge(otf2_archive_at_time(ctx, time), time, position, region,
                                  MPI_LEAVE);
}

static OTF2_CallbackCode otf2_archive_message(void *ctx, uint64_t time, uint64_t position,
                                              mpi_event_kind kind, uint32_t peer, uint32_t comm,
                                              uint32_t tag, uint64_t bytes, uint64_t request)
{
    return otf2_archive_add_event(otf2_archive_at_time(ctx, time),
                                  (mpi_event){.time = time,
                                              .position = position,
                                              .kind = (uint8_t)kind,
                                              .peer = peer,
                                              .comm = comm,
                                              .tag = tag,
                                              .sent = bytes,
                                              .request = request});
}

static OTF2_CallbackCode otf2_archive_take_send(EVENT, uint32_t peer, OTF2_CommRef comm,
                                                uint32_t tag, uint64_t bytes)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_SEND, peer, comm, tag, bytes, 0);
}

static OTF2_CallbackCode otf2_archive_take_recv(EVENT, uint32_t peer, OTF2_CommRef comm,
                                                uint32_t tag, uint64_t bytes)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_RECV, peer, comm, tag, bytes, 0);
}

static OTF2_CallbackCode otf2_archive_take_isend(EVENT, uint32_t peer, OTF2_CommRef comm,
                                                 uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_ISEND, peer, comm, tag, bytes, request);
}

static OTF2_CallbackCode otf2_archive_take_irecv(EVENT, uint32_t peer, OTF2_CommRef comm,
                                                 uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_IRECV_DONE, peer, comm, tag, bytes,
                                request);
}

static OTF2_CallbackCode otf2_archive_take_isend_done(EVENT, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_ISEND_DONE, 0, 0, 0, 0, request);
}

static OTF2_CallbackCode take_irecv_begin(EVENT, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_IRECV, 0, 0, 0, 0, request);
}

static OTF2_CallbackCode otf2_archive_take_cancelled(EVENT, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_CANCELLED, 0, 0, 0, 0, request);
}

static OTF2_CallbackCode take_icollective(EVENT, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_message(ctx, time, position, MPI_ICOLLECTIVE, 0, 0, 0, 0, request);
}

static OTF2_CallbackCode otf2_archive_operation_of(void *ctx, uint64_t time, uint64_t position,
                                                   mpi_event_kind kind, OTF2_CollectiveOp operation,
                                                   uint32_t comm, uint32_t root, uint64_t sent,
                                                   uint64_t received, uint64_t request)
{
    return otf2_archive_add_event(otf2_archive_at_time(ctx, time),
                                  (mpi_event){.time = time,
                                              .position = position,
                                              .kind = (uint8_t)kind,
                                              .operation = (uint8_t)operation,
                                              .comm = comm,
                                              .peer = root,
                                              .sent = sent,
                                              .received = received,
                                              .request = request});
}

static OTF2_CallbackCode otf2_archive_take_collective(EVENT, OTF2_CollectiveOp operation,
                                                      OTF2_CommRef comm, uint32_t root,
                                                      uint64_t sent, uint64_t received)
{
    (void)location, (void)attributes;
    return otf2_archive_operation_of(ctx, time, position, MPI_COLLECTIVE, operation, comm, root,
                                     sent, received, 0);
}

static OTF2_CallbackCode take_icollective_done(EVENT, OTF2_CollectiveOp operation,
                                               OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                               uint64_t received, uint64_t request)
{
    (void)location, (void)attributes;
    return otf2_archive_operation_of(ctx, time, position, MPI_ICOLLECTIVE_DONE, operation, comm,
                                     root, sent, received, request);
}

static OTF2_CallbackCode otf2_archive_refuse_rma(void *ctx)
{
    return otf2_archive_stop(
        ctx, IK_ERR_UNSUPPORTED,
        "one-sided operations (MPI_Put, MPI_Get, MPI_Accumulate …) cannot be replayed");
}

static OTF2_CallbackCode otf2_archive_take_rma(EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                               uint64_t bytes, uint64_t id)
{
    (void)location, (void)attributes, (void)time, (void)position;
    (void)window, (void)remote, (void)bytes, (void)id;
    return otf2_archive_refuse_rma(ctx);
}

static OTF2_CallbackCode otf2_archive_take_atomic(EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                                  OTF2_RmaAtomicType type, uint64_t sent,
                                                  uint64_t received, uint64_t id)
{
    (void)location, (void)attributes, (void)time, (void)position;
    (void)window, (void)remote, (void)type, (void)sent, (void)received, (void)id;
    return otf2_archive_refuse_rma(ctx);
}

static OTF2_EvtReaderCallbacks *otf2_archive_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, otf2_archive_take_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, otf2_archive_take_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, otf2_archive_take_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, otf2_archive_take_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, otf2_archive_take_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, otf2_archive_take_isend_done);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, take_irecv_begin);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, otf2_archive_take_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, otf2_archive_take_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, otf2_archive_take_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, take_icollective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, take_icollective_done);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, otf2_archive_take_rma);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, otf2_archive_take_rma);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, otf2_archive_take_atomic);
    return c;
}

/* The events of a location, into a->events. */
static ik_status otf2_archive_read_location(otf2_archive *a, uint64_t location, ik_error *err)
{
    uint64_t num = 0;
    OTF2_EvtReaderCallbacks *c = NULL;
    OTF2_EvtReader *in = OTF2_Reader_GetEvtReader(a->reader, location);
    a->num_events = 0;
    a->any = false;
    a->start = a->end = 0;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (!in || !(c = otf2_archive_event_callbacks()))
        return otf2_archive_fail(a, err, "events of a location cannot be opened", code);
    code = OTF2_Reader_RegisterEvtCallbacks(a->reader, in, c, a);
    OTF2_EvtReaderCallbacks_Delete(c);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalEvents(a->reader, in, &num);
    OTF2_Reader_CloseEvtReader(a->reader, in);
    if (code != OTF2_SUCCESS || a->status != IK_OK)
        return otf2_archive_fail(a, err, "events of a location cannot be read", code);
    return IK_OK;
}

/* Mapping tables stand in definitions of a location's own, which need not be there; those that are
 * there are needed, since without them numbers of communicators are others. */
static ik_status read_local_definitions(otf2_archive *a, ik_error *err)
{
    bool opened = OTF2_Reader_OpenDefFiles(a->reader) == OTF2_SUCCESS;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t k = 0; opened && k < a->num_locations && code == OTF2_SUCCESS; k++) {
        uint64_t num = 0;
        OTF2_DefReader *defs = OTF2_Reader_GetDefReader(a->reader, a->locations[k].ref);
        a->said[0] = '\0'; /* there is none */
        if (!defs)
            continue;
        code = OTF2_Reader_ReadAllLocalDefinitions(a->reader, defs, &num);
        OTF2_Reader_CloseDefReader(a->reader, defs);
    }
    if (opened)
        OTF2_Reader_CloseDefFiles(a->reader);
    if (code != OTF2_SUCCESS)
        return otf2_archive_fail(a, err, "definitions of a location cannot be read", code);
    a->said[0] = '\0';
    return IK_OK;
}

static int otf2_archive_compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static ik_status otf2_archive_read_others(otf2_archive *a, const uint64_t *ranks, ik_error *err)
{
    ik_status status = IK_OK;
    a->counts = true;
    for (size_t k = 0; k < a->num_locations && status == IK_OK; k++)
        if (a->locations[k].num_events && !bsearch(&a->locations[k].ref, ranks, a->world->num,
                                                   sizeof *ranks, otf2_archive_compare_u64))
            status = otf2_archive_read_location(a, a->locations[k].ref, err);
    a->counts = false;
    return status;
}

/* sorted: [ranks] locations of ranks */
static ik_status
otf2_archive_read_events(otf2_archive *a, const ik_env *env, const uint64_t *sorted,
                         ik_status (*each)(void *ctx, uint32_t rank, ik_error *err), void *ctx,
                         ik_error *err)
{
    ik_status status = IK_OK;
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(a->reader);
    if (code != OTF2_SUCCESS)
        return otf2_archive_fail(a, err, "its events cannot be opened", code);
    for (uint32_t rank = 0; rank < a->world->num && status == IK_OK; rank++) {
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while reading %s", a->path);
        status = otf2_archive_read_location(a, a->world->members[rank], err);
        if (status == IK_OK)
            status = each(ctx, rank, err);
    }
    if (status == IK_OK)
        status = otf2_archive_read_others(a, sorted, err);
    OTF2_Reader_CloseEvtFiles(a->reader);
    return status;
}

ik_status otf2_read_ranks(otf2_archive *a, const ik_env *env,
                          ik_status (*each)(void *ctx, uint32_t rank, ik_error *err), void *ctx,
                          ik_error *err)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t k = 0; k < a->num_locations && code == OTF2_SUCCESS; k++)
        code = OTF2_Reader_SelectLocation(a->reader, a->locations[k].ref);
    if (code != OTF2_SUCCESS)
        return otf2_archive_fail(a, err, "a location cannot be chosen", code);
    uint64_t *sorted = ik_calloc(a->world->num, sizeof *sorted);
    if (!sorted)
        return ik_fail_memory(err, a->world->num * sizeof *sorted, "an OTF2 archive");
    memcpy(sorted, a->world->members, a->world->num * sizeof *sorted);
    qsort(sorted, a->world->num, sizeof *sorted, otf2_archive_compare_u64);
    ik_status status = read_local_definitions(a, err);
    for (uint32_t k = 0; k + 1 < a->world->num && status == IK_OK; k++)
        if (sorted[k] == sorted[k + 1])
            status = ik_fail_at(err, IK_ERR_INPUT, a->path, 0, 0, "two ranks are location %llu",
                                (unsigned long long)sorted[k]);
    if (status == IK_OK)
        status = otf2_archive_read_events(a, env, sorted, each, ctx, err);
    free(sorted);
    return status;
}

#else
/* Built without OTF2's library: see read_otf2.c. */
typedef int otf2_archive_is_empty;
#endif
