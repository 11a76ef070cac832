/* SPDX-License-Identifier: Apache-2.0
 *
 * messages.h: calls that send, receive and probe, for counts of type COUNT; the calls' names end in
 * SUFFIX. Included by wrap_messages.c.
 */

/* Arguments of a call that failed may be wrong, and an error handler must not hear of it twice. */
#define SIZE(num, type) (recorder_done(code) ? bytes_of((uint64_t)(num), type) : 0)

#define WRAP_SEND(NAME, MODE)                                                                      \
    WRAP_DONE(JOIN(NAME, SUFFIX),                                                                  \
              (const void *buf, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm), \
              (buf, count, type, peer, tag, comm), ,                                               \
              sent(&c, NULL, MODE, comm, peer, tag, bytes_of((uint64_t)count, type)))
WRAP_SEND(Send, SEND_STANDARD)
WRAP_SEND(Ssend, SEND_SYNCHRONOUS)
WRAP_SEND(Bsend, SEND_BUFFERED)
WRAP_SEND(Rsend, SEND_READY)

#define WRAP_ISEND(NAME, MODE, AFTER)                                                              \
    WRAP_DONE(JOIN(NAME, SUFFIX),                                                                  \
              (const void *buf, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,  \
               MPI_Request *request),                                                              \
              (buf, count, type, peer, tag, comm, request), ,                                      \
              AFTER(&c, request, MODE, comm, peer, tag, bytes_of((uint64_t)count, type)))
WRAP_ISEND(Isend, SEND_STANDARD, sent)
WRAP_ISEND(Issend, SEND_SYNCHRONOUS, sent)
WRAP_ISEND(Ibsend, SEND_BUFFERED, sent)
WRAP_ISEND(Irsend, SEND_READY, sent)
WRAP_ISEND(Send_init, SEND_STANDARD, send_later)
WRAP_ISEND(Ssend_init, SEND_SYNCHRONOUS, send_later)
WRAP_ISEND(Bsend_init, SEND_BUFFERED, send_later)
WRAP_ISEND(Rsend_init, SEND_READY, send_later)

WRAP(JOIN(Recv, SUFFIX),
     (void *buf, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buf, count, type, peer, tag, comm, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(buf, count, type, peer, tag, comm, status);
    bool any = is_wild(peer, tag);
    if (any && status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(buf, count, type, peer, tag, comm, status);
    recorder_return(&c);
    if (recorder_done(code))
        received(&c, NULL, comm, peer, tag, bytes_of((uint64_t)count, type), any ? status : NULL);
    else
        record_other(&c, OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

#define WRAP_IRECV(NAME, AFTER)                                                                    \
    WRAP_DONE(JOIN(NAME, SUFFIX),                                                                  \
              (void *buf, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,        \
               MPI_Request *request),                                                              \
              (buf, count, type, peer, tag, comm, request), ,                                      \
              AFTER(&c, request, comm, peer, tag, bytes_of((uint64_t)count, type), NULL))
WRAP_IRECV(Irecv, received)
WRAP_IRECV(Recv_init, receive_later)

WRAP(JOIN(Sendrecv, SUFFIX),
     (const void *out, COUNT num_out, MPI_Datatype out_type, int to, int out_tag, void *in,
      COUNT num_in, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status),
     (out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm,
                    status);
    bool any = is_wild(from, in_tag);
    if (any && status == MPI_STATUS_IGNORE)
        status = &own;
    int code =
        real(out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm, status);
    recorder_return(&c);
    exchange e = {to, out_tag, from, in_tag, SIZE(num_out, out_type), SIZE(num_in, in_type)};
    exchanged(&c, code, NULL, comm, &e, any ? status : NULL);
    recorder_leave(&c);
    return code;
}

WRAP(JOIN(Sendrecv_replace, SUFFIX),
     (void *buf, COUNT count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
      MPI_Comm comm, MPI_Status *status),
     (buf, count, type, to, out_tag, from, in_tag, comm, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(buf, count, type, to, out_tag, from, in_tag, comm, status);
    bool any = is_wild(from, in_tag);
    if (any && status == MPI_STATUS_IGNORE)
        status = &own;
    int code = real(buf, count, type, to, out_tag, from, in_tag, comm, status);
    recorder_return(&c);
    uint64_t bytes = SIZE(count, type);
    exchange e = {to, out_tag, from, in_tag, bytes, bytes};
    exchanged(&c, code, NULL, comm, &e, any ? status : NULL);
    recorder_leave(&c);
    return code;
}

#ifdef HAVE_ISENDRECV
WRAP(JOIN(Isendrecv, SUFFIX),
     (const void *out, COUNT num_out, MPI_Datatype out_type, int to, int out_tag, void *in,
      COUNT num_in, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
      MPI_Request *request),
     (out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm, request))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm,
                    request);
    int code =
        real(out, num_out, out_type, to, out_tag, in, num_in, in_type, from, in_tag, comm, request);
    recorder_return(&c);
    exchange e = {to, out_tag, from, in_tag, SIZE(num_out, out_type), SIZE(num_in, in_type)};
    exchanged(&c, code, request, comm, &e, NULL);
    recorder_leave(&c);
    return code;
}

WRAP(JOIN(Isendrecv_replace, SUFFIX),
     (void *buf, COUNT count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
      MPI_Comm comm, MPI_Request *request),
     (buf, count, type, to, out_tag, from, in_tag, comm, request))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(buf, count, type, to, out_tag, from, in_tag, comm, request);
    int code = real(buf, count, type, to, out_tag, from, in_tag, comm, request);
    recorder_return(&c);
    uint64_t bytes = SIZE(count, type);
    exchange e = {to, out_tag, from, in_tag, bytes, bytes};
    exchanged(&c, code, request, comm, &e, NULL);
    recorder_leave(&c);
    return code;
}
#endif

WRAP(JOIN(Mrecv, SUFFIX),
     (void *buf, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
     (buf, count, type, message, status))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(buf, count, type, message, status);
    uintptr_t key = KEY(*message);
    int code = real(buf, count, type, message, status);
    recorder_return(&c);
    uint64_t number = recorder_done(code) ? message_taken(key) : 0;
    if (number)
        record_wait_for(&c, WAIT_MRECV, number);
    else
        record_other(&c, recorder_done(code) ? OTHER_CALL : OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

WRAP(JOIN(Imrecv, SUFFIX),
     (void *buf, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
     (buf, count, type, message, request))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(buf, count, type, message, request);
    uintptr_t key = KEY(*message);
    int code = real(buf, count, type, message, request);
    recorder_return(&c);
    if (recorder_done(code))
        message_becomes(key, *request);
    record_other(&c, recorder_done(code) ? OTHER_CALL : OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

#undef SIZE
#undef WRAP_SEND
#undef WRAP_ISEND
#undef WRAP_IRECV
