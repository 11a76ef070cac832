/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_messages.c: messages of two processes, blocking or not, persistent, partitioned; probes.
 *
 * A receive from any source or of any tag needs a status to see what it took: if the program wants
 * none, the recorder passes its own.
 */
#include "recorder.h"

typedef struct exchange {
    int to, out_tag, from, in_tag;
    uint64_t out_bytes, in_bytes;
} exchange;

static bool is_wild(int peer, int tag)
{
    return peer == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && peer != MPI_PROC_NULL);
}

static void put_send(operands *o, bool later, unsigned mode, const known_comm *of, int peer,
                     int tag, uint64_t bytes)
{
    put_begin(o);
    put(o, later);
    put(o, mode);
    put(o, of->number);
    put_peer(o, of, peer);
    put_tag(o, tag);
    put(o, bytes);
}

/* request NULL: a blocking send. */
static void sent(call *c, const MPI_Request *request, unsigned mode, MPI_Comm comm_handle, int peer,
                 int tag, uint64_t bytes)
{
    operands o;
    known_comm *of = comm_of(comm_handle);
    put_send(&o, request != NULL, mode, of, peer, tag, bytes);
    if (request)
        request_new(*request, NULL, false);
    record(c, REC_SEND, &o);
    put_end(&o);
}

static void send_later(call *c, const MPI_Request *request, unsigned mode, MPI_Comm comm_handle,
                       int peer, int tag, uint64_t bytes)
{
    operands o;
    put_send(&o, true, mode, comm_of(comm_handle), peer, tag, bytes);
    request_persist(*request, NULL, false, REC_SEND, &o);
    put_end(&o);
    record_other(c, OTHER_CALL);
}

static void put_receive(operands *o, bool later, const known_comm *of, int peer, int tag,
                        uint64_t bytes)
{
    put_begin(o);
    put(o, later);
    put(o, of->number);
    put_peer(o, of, peer);
    put_tag(o, tag);
    put(o, bytes);
}

static void received(call *c, const MPI_Request *request, MPI_Comm comm_handle, int peer, int tag,
                     uint64_t bytes, const MPI_Status *actual)
{
    operands o;
    known_comm *of = comm_of(comm_handle);
    put_receive(&o, request != NULL, of, peer, tag, bytes);
    if (request) {
        request_new(*request, of, is_wild(peer, tag));
    } else if (actual) {
        put_actual(&o, of, actual);
    } else {
        put_peer(&o, of, peer);
        put_tag(&o, tag);
    }
    record(c, REC_RECV, &o);
    put_end(&o);
}

static void receive_later(call *c, const MPI_Request *request, MPI_Comm comm_handle, int peer,
                          int tag, uint64_t bytes, const MPI_Status *unused)
{
    operands o;
    known_comm *of = comm_of(comm_handle);
    put_receive(&o, true, of, peer, tag, bytes);
    request_persist(*request, of, is_wild(peer, tag), REC_RECV, &o);
    put_end(&o);
    record_other(c, OTHER_CALL);
}

static void exchanged(call *c, int code, const MPI_Request *request, MPI_Comm comm_handle,
                      const exchange *e, const MPI_Status *actual)
{
    operands o;
    if (!recorder_done(code)) {
        record_other(c, OTHER_FAILED);
        return;
    }
    known_comm *of = comm_of(comm_handle);
    put_begin(&o);
    put(&o, request != NULL);
    put(&o, of->number);
    put_peer(&o, of, e->to);
    put_tag(&o, e->out_tag);
    put(&o, e->out_bytes);
    put_peer(&o, of, e->from);
    put_tag(&o, e->in_tag);
    put(&o, e->in_bytes);
    if (actual) {
        put_actual(&o, of, actual);
    } else {
        put_peer(&o, of, e->from);
        put_tag(&o, e->in_tag);
    }
    if (request)
        request_new(*request, of, false); /* MPICH's status does not say whom it is from */
    record(c, REC_SENDRECV, &o);
    put_end(&o);
}

#define COUNT int
#define SUFFIX
#include "messages.h"
#undef COUNT
#undef SUFFIX
#ifdef HAVE_LARGE_COUNTS
#define COUNT  MPI_Count
#define SUFFIX _c
#include "messages.h"
#endif

/* ---- probes */

static void probed(call *c, MPI_Comm comm_handle, int peer, int tag, const MPI_Status *status)
{
    operands o;
    known_comm *of = comm_of(comm_handle);
    put_begin(&o);
    put(&o, of->number);
    put_peer(&o, of, peer);
    put_tag(&o, tag);
    put_actual(&o, of, status);
    put(&o, bytes_in(status));
    record(c, REC_PROBE, &o);
    put_end(&o);
}

/* The message of a matched probe is taken out of the queue: from here on it is being received. */
static void matched(call *c, uintptr_t message, MPI_Comm comm_handle, const MPI_Status *status)
{
    operands o;
    known_comm *of = comm_of(comm_handle);
    put_receive(&o, true, of, status->MPI_SOURCE, status->MPI_TAG, bytes_in(status));
    message_new(message);
    record(c, REC_RECV, &o);
    put_end(&o);
}

WRAP(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status *status), (peer, tag, comm, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(peer, tag, comm, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(peer, tag, comm, status);
    recorder_return(&c);
    if (recorder_done(code))
        probed(&c, comm, peer, tag, status);
    else
        record_other(&c, OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

WRAP(Iprobe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (peer, tag, comm, flag, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(peer, tag, comm, flag, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(peer, tag, comm, flag, status);
    recorder_return(&c);
    if (!recorder_done(code))
        record_other(&c, OTHER_FAILED);
    else if (*flag)
        probed(&c, comm, peer, tag, status);
    else
        recorder_poll(&c);
    recorder_leave(&c);
    return code;
}

WRAP(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (peer, tag, comm, message, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(peer, tag, comm, message, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(peer, tag, comm, message, status);
    recorder_return(&c);
    if (recorder_done(code))
        matched(&c, KEY(*message), comm, status);
    else
        record_other(&c, OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

WRAP(Improbe,
     (int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
     (peer, tag, comm, flag, message, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(peer, tag, comm, flag, message, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(peer, tag, comm, flag, message, status);
    recorder_return(&c);
    if (!recorder_done(code))
        record_other(&c, OTHER_FAILED);
    else if (*flag)
        matched(&c, KEY(*message), comm, status);
    else
        recorder_poll(&c);
    recorder_leave(&c);
    return code;
}

/* ---- partitioned messages: one message, which leaves when its last part is ready */

#ifdef HAVE_PARTITIONED
#define WRAP_PARTITIONED(NAME, BUFFER, PARTS, LATER)                                               \
    WRAP(NAME,                                                                                     \
         (BUFFER buf, int parts, MPI_Count count, MPI_Datatype type, int peer, int tag,            \
          MPI_Comm comm, MPI_Info info, MPI_Request *request),                                     \
         (buf, parts, count, type, peer, tag, comm, info, request))                                \
    {                                                                                              \
        call c;                                                                                    \
        if (!recorder_enter(&c, HERE))                                                             \
            return real(buf, parts, count, type, peer, tag, comm, info, request);                  \
        int code = real(buf, parts, count, type, peer, tag, comm, info, request);                  \
        recorder_return(&c);                                                                       \
        uint64_t bytes =                                                                           \
            recorder_done(code) ? bytes_of((uint64_t)count * (uint64_t)parts, type) : 0;           \
        if (recorder_done(code))                                                                   \
            LATER;                                                                                 \
        else                                                                                       \
            record_other(&c, OTHER_FAILED);                                                        \
        if (recorder_done(code) && request_find(KEY(*request)))                                    \
            request_find(KEY(*request))->partitions = PARTS;                                       \
        recorder_leave(&c);                                                                        \
        return code;                                                                               \
    }
WRAP_PARTITIONED(Psend_init, const void *, parts,
                 send_later(&c, request, SEND_STANDARD, comm, peer, tag, bytes))
WRAP_PARTITIONED(Precv_init, void *, 0, receive_later(&c, request, comm, peer, tag, bytes, NULL))

#define WRAP_READY(NAME, NUM, PARAMS, ARGS)                                                        \
    WRAP_DONE(NAME, PARAMS, ARGS, , request_ready(&c, KEY(request), NUM))
WRAP_READY(Pready, 1, (int part, MPI_Request request), (part, request))
WRAP_READY(Pready_range, high - low + 1, (int low, int high, MPI_Request request),
           (low, high, request))
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
WRAP_READY(Pready_list, num, (int num, int parts[], MPI_Request request), (num, parts, request))
#else
WRAP_READY(Pready_list, num, (int num, const int parts[], MPI_Request request),
           (num, parts, request))
#endif

WRAP(Parrived, (MPI_Request request, int part, int *flag), (request, part, flag))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(request, part, flag);
    int code = real(request, part, flag);
    recorder_return(&c);
    if (recorder_done(code) && !*flag)
        recorder_poll(&c);
    else
        record_other(&c, recorder_done(code) ? OTHER_PARTITION : OTHER_FAILED);
    recorder_leave(&c);
    return code;
}
#endif
