/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_wait.c: what happens to requests: start, wait, test, cancel, free.
 *
 * MPI sets the handles of requests that are over to MPI_REQUEST_NULL, so they are copied before the
 * call. A request of a receive from any source needs a status; the recorder brings its own where
 * the program wants none.
 */
#include "recorder.h"

#include <stdlib.h>

enum { FEW = 64 };

/* The handles of a call for several requests, and statuses if the program wants none. */
typedef struct batch {
    int num;
    uintptr_t *keys, few_keys[FEW];
    MPI_Status *statuses, few_statuses[FEW];
    bool own, needed; /* statuses: are the recorder's, some request needs one */
} batch;

static bool needs_status(uintptr_t key)
{
    bool needed = false;
    recorder_lock();
    for (const pending *p = request_find(key); p && !needed; p = p->next)
        needed = p->wildcard || p->cancelled;
    recorder_unlock();
    return needed;
}

static bool batch_begin(batch *b, int num, const MPI_Request *requests, MPI_Status *given, bool own)
{
    b->num = num < 0 ? 0 : num;
    b->keys = b->few_keys;
    b->statuses = given;
    b->needed = b->own = false;
    if (b->num > FEW && !(b->keys = malloc((size_t)b->num * sizeof *b->keys))) {
        recorder_give_up("out of memory for requests");
        b->num = 0;
        return false;
    }
    for (int i = 0; i < b->num; i++) {
        b->keys[i] = KEY(requests[i]);
        b->needed |= needs_status(b->keys[i]);
    }
    b->own = own && b->needed;
    if (!b->own)
        return true;
    b->statuses = b->few_statuses;
    if (b->num > FEW && !(b->statuses = malloc((size_t)b->num * sizeof *b->statuses))) {
        recorder_give_up("out of memory for statuses");
        b->own = false;
        b->statuses = given;
    }
    return true;
}

static void batch_end(batch *b)
{
    if (b->keys != b->few_keys)
        free(b->keys);
    if (b->own && b->statuses != b->few_statuses)
        free(b->statuses);
}

static void record_wait(call *c, unsigned kind, int given, uint64_t done, operands *list)
{
    operands o;
    put_begin(&o);
    put(&o, kind);
    put(&o, given < 0 ? 0 : (uint64_t)given);
    put(&o, done);
    put_operands(&o, list);
    record(c, REC_WAIT, &o);
    put_end(&o);
}

/* One of the requests, or all if index < 0, with its statuses from `statuses` on. */
static void record_all(call *c, unsigned kind, batch *b, bool have_statuses)
{
    operands list;
    uint64_t done = 0;
    put_begin(&list);
    for (int i = 0; i < b->num; i++)
        done += request_completed(&list, b->keys[i], have_statuses ? &b->statuses[i] : NULL);
    record_wait(c, kind, b->num, done, &list);
    put_end(&list);
}

static void record_one(call *c, unsigned kind, int given, uintptr_t key, const MPI_Status *status)
{
    operands list;
    put_begin(&list);
    uint64_t done = request_completed(&list, key, status);
    record_wait(c, kind, given, done, &list);
    put_end(&list);
}

/* After an error: those whose handle is gone are over. */
static void record_some_over(call *c, unsigned kind, batch *b, const MPI_Request *requests)
{
    operands list;
    uint64_t done = 0;
    put_begin(&list);
    for (int i = 0; i < b->num; i++)
        if (request_is_null(requests[i]))
            done += request_completed(&list, b->keys[i], NULL);
    record_wait(c, kind, b->num, done, &list);
    put_end(&list);
}

WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(request, status);
    uintptr_t key = KEY(*request);
    if (status == MPI_STATUS_IGNORE && needs_status(key))
        status = &own;
    int code = real(request, status);
    recorder_return(&c);
    if (recorder_done(code) || request_is_null(*request))
        record_one(&c, WAIT_WAIT, 1, key, status == MPI_STATUS_IGNORE ? NULL : status);
    else
        record_other(&c, OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
{
    call c;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(request, flag, status);
    uintptr_t key = KEY(*request);
    if (status == MPI_STATUS_IGNORE && needs_status(key))
        status = &own;
    int code = real(request, flag, status);
    recorder_return(&c);
    if (!recorder_done(code))
        record_other(&c, OTHER_FAILED);
    else if (*flag)
        record_one(&c, WAIT_TEST, 1, key, status == MPI_STATUS_IGNORE ? NULL : status);
    else
        recorder_poll(&c);
    recorder_leave(&c);
    return code;
}

WRAP(Waitall, (int num, MPI_Request requests[], MPI_Status *statuses), (num, requests, statuses))
{
    call c;
    batch b;
    if (!recorder_enter(&c, HERE))
        return real(num, requests, statuses);
    batch_begin(&b, num, requests, statuses, statuses == MPI_STATUSES_IGNORE);
    int code = real(num, requests, b.statuses);
    recorder_return(&c);
    if (recorder_done(code))
        record_all(&c, WAIT_WAITALL, &b, b.statuses != MPI_STATUSES_IGNORE);
    else
        record_some_over(&c, WAIT_WAITALL, &b, requests);
    recorder_leave(&c);
    batch_end(&b);
    return code;
}

WRAP(Testall, (int num, MPI_Request requests[], int *flag, MPI_Status *statuses),
     (num, requests, flag, statuses))
{
    call c;
    batch b;
    if (!recorder_enter(&c, HERE))
        return real(num, requests, flag, statuses);
    batch_begin(&b, num, requests, statuses, statuses == MPI_STATUSES_IGNORE);
    int code = real(num, requests, flag, b.statuses);
    recorder_return(&c);
    if (!recorder_done(code))
        record_some_over(&c, WAIT_TESTALL, &b, requests);
    else if (*flag)
        record_all(&c, WAIT_TESTALL, &b, b.statuses != MPI_STATUSES_IGNORE);
    else
        recorder_poll(&c);
    recorder_leave(&c);
    batch_end(&b);
    return code;
}

/* Of a batch whose call chose request `index`. */
static void record_chosen(call *c, unsigned kind, const batch *b, int index,
                          const MPI_Status *status)
{
    if (index >= 0 && index < b->num)
        record_one(c, kind, b->num, b->keys[index], status == MPI_STATUS_IGNORE ? NULL : status);
    else
        record_other(c, OTHER_CALL);
}

WRAP(Waitany, (int num, MPI_Request requests[], int *index, MPI_Status *status),
     (num, requests, index, status))
{
    call c;
    batch b;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(num, requests, index, status);
    batch_begin(&b, num, requests, NULL, false);
    if (status == MPI_STATUS_IGNORE && b.needed)
        status = &own;
    int code = real(num, requests, index, status);
    recorder_return(&c);
    if (recorder_done(code))
        record_chosen(&c, WAIT_WAITANY, &b, *index, status);
    else
        record_some_over(&c, WAIT_WAITANY, &b, requests);
    recorder_leave(&c);
    batch_end(&b);
    return code;
}

WRAP(Testany, (int num, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
     (num, requests, index, flag, status))
{
    call c;
    batch b;
    MPI_Status own;
    if (!recorder_enter(&c, HERE))
        return real(num, requests, index, flag, status);
    batch_begin(&b, num, requests, NULL, false);
    if (status == MPI_STATUS_IGNORE && b.needed)
        status = &own;
    int code = real(num, requests, index, flag, status);
    recorder_return(&c);
    if (!recorder_done(code))
        record_some_over(&c, WAIT_TESTANY, &b, requests);
    else if (*flag)
        record_chosen(&c, WAIT_TESTANY, &b, *index, status);
    else
        recorder_poll(&c);
    recorder_leave(&c);
    batch_end(&b);
    return code;
}

/* *num_done indices with their statuses. */
static void record_listed(call *c, unsigned kind, batch *b, int num_done, const int *indices)
{
    operands list;
    uint64_t done = 0;
    const MPI_Status *statuses = b->statuses == MPI_STATUSES_IGNORE ? NULL : b->statuses;
    if (num_done == MPI_UNDEFINED) {
        record_other(c, OTHER_CALL);
        return;
    }
    put_begin(&list);
    for (int i = 0; i < num_done; i++)
        if (indices[i] >= 0 && indices[i] < b->num)
            done += request_completed(&list, b->keys[indices[i]], statuses ? &statuses[i] : NULL);
    record_wait(c, kind, b->num, done, &list);
    put_end(&list);
}

#define WRAP_SOME(NAME, KIND, ZERO_IS_POLL)                                                        \
    WRAP(NAME,                                                                                     \
         (int num, MPI_Request requests[], int *num_done, int indices[], MPI_Status *statuses),    \
         (num, requests, num_done, indices, statuses))                                             \
    {                                                                                              \
        call c;                                                                                    \
        batch b;                                                                                   \
        if (!recorder_enter(&c, HERE))                                                             \
            return real(num, requests, num_done, indices, statuses);                               \
        batch_begin(&b, num, requests, statuses, statuses == MPI_STATUSES_IGNORE);                 \
        int code = real(num, requests, num_done, indices, b.statuses);                             \
        recorder_return(&c);                                                                       \
        if (!recorder_done(code))                                                                  \
            record_some_over(&c, KIND, &b, requests);                                              \
        else if (ZERO_IS_POLL && *num_done == 0)                                                   \
            recorder_poll(&c);                                                                     \
        else                                                                                       \
            record_listed(&c, KIND, &b, *num_done, indices);                                       \
        recorder_leave(&c);                                                                        \
        batch_end(&b);                                                                             \
        return code;                                                                               \
    }
WRAP_SOME(Waitsome, WAIT_WAITSOME, false)
WRAP_SOME(Testsome, WAIT_TESTSOME, true)

WRAP_DONE(Start, (MPI_Request * request), (request), uintptr_t key = KEY(*request),
          request_started(&c, key))

WRAP(Startall, (int num, MPI_Request requests[]), (num, requests))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(num, requests);
    int code = real(num, requests);
    recorder_return(&c);
    if (!recorder_done(code))
        record_other(&c, OTHER_FAILED);
    else
        for (int i = 0; i < num; i++)
            request_started(&c, KEY(requests[i]));
    recorder_leave(&c);
    return code;
}

WRAP(Cancel, (MPI_Request * request), (request))
{
    call c;
    if (!recorder_enter(&c, HERE))
        return real(request);
    int code = real(request);
    recorder_return(&c);
    pending *p = request_find(KEY(*request));
    if (p && recorder_done(code))
        p->cancelled = true;
    record_other(&c, recorder_done(code) ? OTHER_CALL : OTHER_FAILED);
    recorder_leave(&c);
    return code;
}

WRAP_DONE(Request_free, (MPI_Request * request), (request), uintptr_t key = KEY(*request),
          request_freed(&c, key))
