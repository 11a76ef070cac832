/* SPDX-License-Identifier: Apache-2.0
 *
 * allprof_line.c: see allprof_line.h. */
#include "traffic/program/allprof_line.h"
#include "traffic/workload/collective.h"

#include <stdarg.h>
#include <string.h>

enum { PS_DIGITS = 6 };
#define MOST_COUNT INT64_C(1000000000000000)

#define SENDS(name, request)                                                                       \
    {                                                                                              \
        "MPI_" name, ALLPROF_SEND, request ? "pidiicp" : "pidiic", request, 0, false               \
    }
/* Blocking, and not. */
#define COLLECTIVES(name, small, layout, operation, varies)                                        \
    {"MPI_" name, ALLPROF_COLLECTIVE, layout, false, operation, varies},                           \
    {                                                                                              \
        "MPI_I" small, ALLPROF_COLLECTIVE, layout "p", true, operation, varies                     \
    }

static const allprof_call calls[] = {
    {"MPI_Init", ALLPROF_INIT, "pp", false, 0, false},
    {"MPI_Init_thread", ALLPROF_INIT, "ppip", false, 0, false},
    {"MPI_Finalize", ALLPROF_FINALIZE, "", false, 0, false},
    SENDS("Send", false),
    SENDS("Bsend", false),
    SENDS("Ssend", false),
    SENDS("Rsend", false),
    SENDS("Isend", true),
    SENDS("Ibsend", true),
    SENDS("Issend", true),
    SENDS("Irsend", true),
    {"MPI_Recv", ALLPROF_RECV, "pidiicp", false, 0, false},
    {"MPI_Irecv", ALLPROF_RECV, "pidiicp", true, 0, false},
    {"MPI_Sendrecv", ALLPROF_SENDRECV, "pidiipidiicp", false, 0, false},
    {"MPI_Sendrecv_replace", ALLPROF_SENDRECV_REPLACE, "pidiiiicp", false, 0, false},
    {"MPI_Send_init", ALLPROF_SEND_INIT, "pidiicp", false, 0, false},
    {"MPI_Bsend_init", ALLPROF_SEND_INIT, "pidiicp", false, 0, false},
    {"MPI_Ssend_init", ALLPROF_SEND_INIT, "pidiicp", false, 0, false},
    {"MPI_Rsend_init", ALLPROF_SEND_INIT, "pidiicp", false, 0, false},
    {"MPI_Recv_init", ALLPROF_RECV_INIT, "pidiicp", false, 0, false},
    {"MPI_Start", ALLPROF_START, "p", false, 0, false},
    {"MPI_Startall", ALLPROF_STARTALL, "ip", false, 0, false},
    {"MPI_Wait", ALLPROF_WAIT, "pp", false, 0, false},
    {"MPI_Waitall", ALLPROF_WAITALL, "ipp", false, 0, false},
    {"MPI_Waitany", ALLPROF_SOME, "ippp", false, 0, false},
    {"MPI_Waitsome", ALLPROF_SOME, "ipppp", false, 0, false},
    {"MPI_Test", ALLPROF_SOME, "ppp", false, 0, false},
    {"MPI_Testall", ALLPROF_SOME, "ippp", false, 0, false},
    {"MPI_Testany", ALLPROF_SOME, "ipppp", false, 0, false},
    {"MPI_Testsome", ALLPROF_SOME, "ipppp", false, 0, false},
    {"MPI_Request_free", ALLPROF_FREE, "p", false, 0, false},
    COLLECTIVES("Barrier", "barrier", "c", COLLECTIVE_BARRIER, false),
    COLLECTIVES("Bcast", "bcast", "pidic", COLLECTIVE_BROADCAST, false),
    COLLECTIVES("Gather", "gather", "pidpidic", COLLECTIVE_GATHER, false),
    COLLECTIVES("Gatherv", "gatherv", "pidpvvdic", COLLECTIVE_GATHER, true),
    COLLECTIVES("Scatter", "scatter", "pidpidic", COLLECTIVE_SCATTER, false),
    COLLECTIVES("Scatterv", "scatterv", "pvvdpidic", COLLECTIVE_SCATTER, true),
    COLLECTIVES("Allgather", "allgather", "pidpidc", COLLECTIVE_ALLGATHER, false),
    COLLECTIVES("Allgatherv", "allgatherv", "pidpvvdc", COLLECTIVE_ALLGATHER, true),
    COLLECTIVES("Alltoall", "alltoall", "pidpidc", COLLECTIVE_ALLTOALL, false),
    COLLECTIVES("Alltoallv", "alltoallv", "pvvdpvvdc", COLLECTIVE_ALLTOALLV, false),
    COLLECTIVES("Reduce", "reduce", "ppidpic", COLLECTIVE_REDUCE, false),
    COLLECTIVES("Allreduce", "allreduce", "ppidpc", COLLECTIVE_ALLREDUCE, false),
    COLLECTIVES("Reduce_scatter", "reduce_scatter", "ppvdpc", COLLECTIVE_REDUCE_SCATTER, true),
    COLLECTIVES("Reduce_scatter_block", "reduce_scatter_block", "ppidpc", COLLECTIVE_REDUCE_SCATTER,
                false),
    COLLECTIVES("Scan", "scan", "ppidpc", COLLECTIVE_SCAN, false),
    COLLECTIVES("Exscan", "exscan", "ppidpc", COLLECTIVE_SCAN, false),
};
enum { NUM_CALLS = sizeof calls / sizeof *calls };

/* Calls that send nothing, or nothing that a trace could say: beginnings of their names. */
static const char *const local[] = {
    "MPI_Address",   "MPI_Attr_",        "MPI_Buffer_",        "MPI_Cart",
    "MPI_Comm_",     "MPI_Dims_create",  "MPI_Errhandler_",    "MPI_Error_",
    "MPI_Finalized", "MPI_Get_",         "MPI_Graph",          "MPI_Group_",
    "MPI_Info_",     "MPI_Initialized",  "MPI_Intercomm_",     "MPI_Iprobe",
    "MPI_Keyval_",   "MPI_Op_",          "MPI_Pack",           "MPI_Pcontrol",
    "MPI_Probe",     "MPI_Query_thread", "MPI_Is_thread_main", "MPI_Request_get_status",
    "MPI_Status_",   "MPI_Topo_test",    "MPI_Type_",          "MPI_Unpack",
    "MPI_Wtick",     "MPI_Wtime",        "MPI_Alloc_mem",      "MPI_Free_mem"};

static const allprof_call local_call = {"", ALLPROF_LOCAL, "", false, 0, false};

static bool allprof_line_is_name(slice word, const char *name)
{
    return strlen(name) == word.length && memcmp(word.at, name, word.length) == 0;
}

static const allprof_call *allprof_line_find_call(slice name)
{
    for (unsigned k = 0; k < NUM_CALLS; k++)
        if (allprof_line_is_name(name, calls[k].name))
            return &calls[k];
    for (unsigned k = 0; k < sizeof local / sizeof *local; k++)
        if (strlen(local[k]) <= name.length && memcmp(name.at, local[k], strlen(local[k])) == 0)
            return &local_call;
    return NULL;
}

/* ---- errors */

ik_status allprof_fail(const allprof_line *l, unsigned field, ik_error *err, const char *format,
                       ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *at = field < l->num_fields ? l->fields[field].at : l->start;
    return ik_fail_at(err, IK_ERR_INPUT, l->path, l->number, (unsigned)(at - l->start) + 1, "%s",
                      text);
}

static ik_status allprof_line_refuse_call(const allprof_line *l, ik_error *err)
{
    const char *names[NUM_CALLS + 1] = {NULL};
    char name[80];
    slice word = l->fields[0];
    snprintf(name, sizeof name, "%.*s", (int)(word.length < 79 ? word.length : 79), word.at);
    for (unsigned k = 0; k < NUM_CALLS; k++)
        names[k] = calls[k].name;
    ik_fail_at(err, IK_ERR_INPUT, l->path, l->number, 1,
               "'%s' is not a call of MPI that can be replayed", name);
    return ik_hint_nearest(err, IK_ERR_INPUT, name, names);
}

/* ---- fields */

/* A number with an optional sign at the beginning of a text; *rest: what follows. */
static bool allprof_line_scan_number(slice text, int64_t *value, slice *rest)
{
    size_t at = text.length && text.at[0] == '-', first = at;
    uint64_t number = 0;
    for (; at < text.length && text.at[at] >= '0' && text.at[at] <= '9'; at++) {
        if (number > (UINT64_MAX - 9) / 10)
            return false;
        number = 10 * number + (uint64_t)(text.at[at] - '0');
    }
    if (at == first || number > (uint64_t)INT64_MAX)
        return false;
    *value = first ? -(int64_t)number : (int64_t)number;
    *rest = (slice){text.at + at, text.length - at};
    return true;
}

ik_status allprof_int(const allprof_line *l, unsigned argument, int64_t *value, ik_error *err)
{
    unsigned field = l->argument[argument];
    slice rest;
    return allprof_line_scan_number(l->fields[field], value, &rest) && !rest.length
               ? IK_OK
               : allprof_fail(l, field, err, "expected a number");
}

ik_status allprof_pointer(const allprof_line *l, unsigned argument, uint64_t *value, ik_error *err)
{
    slice text = l->fields[l->argument[argument]];
    uint64_t number = 0;
    bool fits = text.length > 0;
    for (size_t k = 0; k < text.length && fits; k++) {
        unsigned digit = (unsigned)text.at[k] - '0';
        fits = digit <= 9 && number <= (UINT64_MAX - digit) / 10;
        number = fits ? 10 * number + digit : 0;
    }
    *value = number;
    return fits ? IK_OK : allprof_fail(l, l->argument[argument], err, "expected an address");
}

static bool allprof_line_next_item(slice *list, int64_t *value)
{
    slice rest;
    if (!allprof_line_scan_number(*list, value, &rest) || (rest.length && rest.at[0] != ','))
        return false;
    *list = rest.length ? (slice){rest.at + 1, rest.length - 1} : rest;
    return true;
}

ik_status allprof_item(const allprof_line *l, unsigned argument, unsigned index, int64_t *value,
                       ik_error *err)
{
    slice list = l->fields[l->argument[argument]];
    for (unsigned k = 0; k <= index; k++)
        if (!allprof_line_next_item(&list, value))
            return allprof_fail(l, l->argument[argument], err,
                                "expected %u numbers with commas between them", index + 1);
    return IK_OK;
}

static ik_status allprof_line_multiply(const allprof_line *l, unsigned field, int64_t count,
                                       int64_t size, uint64_t *bytes, ik_error *err)
{
    if (count < 0 || size < 0)
        return allprof_fail(l, field, err, "a negative size");
    if (size && count > MOST_COUNT / size)
        return allprof_fail(l, field, err, "a message of more than 10^15 B");
    *bytes = (uint64_t)count * (uint64_t)size;
    return IK_OK;
}

ik_status allprof_bytes(const allprof_line *l, unsigned count, unsigned datatype, uint64_t *bytes,
                        ik_error *err)
{
    int64_t num = 0, size = 0;
    ik_status status = allprof_int(l, count, &num, err);
    if (status == IK_OK)
        status = allprof_item(l, datatype, 1, &size, err);
    return status == IK_OK ? allprof_line_multiply(l, l->argument[count], num, size, bytes, err)
                           : status;
}

ik_status allprof_counts(const allprof_line *l, unsigned argument, unsigned datatype, uint32_t num,
                         uint64_t *counts, ik_error *err)
{
    int64_t size = 0, count = 0;
    unsigned field = l->argument[argument] + 1;
    slice list = l->fields[field];
    ik_status status = allprof_item(l, datatype, 1, &size, err);
    for (uint32_t k = 0; k < num && status == IK_OK; k++)
        status = allprof_line_next_item(&list, &count)
                     ? allprof_line_multiply(l, field, count, size, &counts[k], err)
                     : allprof_fail(l, field, err, "expected %u counts", num);
    if (status == IK_OK && list.length)
        return allprof_fail(l, field, err, "more than %u counts", num);
    return status;
}

/* "1237666047240433.25" */
static ik_status allprof_line_read_time(const allprof_line *l, unsigned field, allprof_time *out,
                                        ik_error *err)
{
    slice rest, text = l->fields[field];
    int64_t us = 0;
    uint64_t ps = 0;
    bool fits = allprof_line_scan_number(text, &us, &rest);
    if (fits && us < 0)
        return allprof_fail(l, field, err, "a negative time");
    if (fits && rest.length && rest.at[0] == '.') {
        fits = rest.length > 1;
        for (size_t k = 1; k < rest.length || k <= PS_DIGITS; k++) {
            unsigned digit = k < rest.length ? (unsigned)rest.at[k] - '0' : 0;
            fits = fits && digit <= 9;
            ps = k <= PS_DIGITS ? 10 * ps + digit : ps;
        }
    } else {
        fits = fits && !rest.length;
    }
    *out = (allprof_time){(uint64_t)us, ps};
    return fits ? IK_OK : allprof_fail(l, field, err, "expected a time in us");
}

/* ---- lines */

static ik_status allprof_line_split(const ik_text_lines *from, allprof_line *l, ik_error *err)
{
    const char *at = from->line;
    for (l->num_fields = 0; at; l->num_fields++) {
        if (l->num_fields == ALLPROF_FIELDS)
            return allprof_fail(l, ALLPROF_FIELDS - 1, err, "more fields than any call has");
        const char *stop = memchr(at, ':', (size_t)(from->line_end - at));
        l->fields[l->num_fields] = (slice){at, (size_t)((stop ? stop : from->line_end) - at)};
        at = stop ? stop + 1 : NULL;
    }
    return IK_OK;
}

/* Where the arguments stand, and that there are as many as the call has. */
static ik_status allprof_line_place_arguments(allprof_line *l, ik_error *err)
{
    unsigned field = 2, k = 0;
    for (const char *type = l->call->layout; *type; type++) {
        l->argument[k++] = field;
        field += *type == 'v' ? 2 : 1;
    }
    if (l->num_fields == field + 1)
        return IK_OK;
    allprof_fail(l, l->num_fields - 1, err, "%s has %u fields here, not %u", l->call->name,
                 field + 1, l->num_fields);
    return ik_hint(err, IK_ERR_INPUT, "the name, the time, the arguments and the time at the end");
}

static ik_status allprof_line_read_times(allprof_line *l, ik_error *err)
{
    ik_status status = IK_OK;
    unsigned last = l->num_fields - 1;
    bool begins = l->call->kind != ALLPROF_INIT, ends = l->call->kind != ALLPROF_FINALIZE;
    if (!begins && !allprof_line_is_name(l->fields[1], "-"))
        return allprof_fail(l, 1, err, "expected '-'");
    if (!ends && !allprof_line_is_name(l->fields[last], "-"))
        return allprof_fail(l, last, err, "expected '-'");
    if (begins)
        status = allprof_line_read_time(l, 1, &l->begin, err);
    if (status == IK_OK && ends)
        status = allprof_line_read_time(l, last, &l->end, err);
    if (status == IK_OK && begins && ends &&
        (l->end.us < l->begin.us || (l->end.us == l->begin.us && l->end.ps < l->begin.ps)))
        return allprof_fail(l, last, err, "the call ends before it begins");
    return status;
}

ik_status allprof_read(const ik_text_lines *from, allprof_line *l, ik_error *err)
{
    *l = (allprof_line){.path = from->path, .number = from->number, .start = from->line};
    if (from->line == from->line_end || from->line[0] == '#')
        return IK_OK;
    ik_status status = allprof_line_split(from, l, err);
    if (status != IK_OK)
        return status;
    l->call = allprof_line_find_call(l->fields[0]);
    if (!l->call)
        return allprof_line_refuse_call(l, err);
    if (l->call->kind == ALLPROF_LOCAL)
        return IK_OK;
    status = allprof_line_place_arguments(l, err);
    return status == IK_OK ? allprof_line_read_times(l, err) : status;
}
