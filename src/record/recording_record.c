/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_record.c: one record after the other. A record is checked whole before it is handed
 * out: ranks, communicators, requests and operations exist, numbers are in range, and lists lie
 * within their block, so that memory is in proportion to the file whatever it claims.
 */
#include "base/array.h"
#include "record/recording_impl.h"

#include <stdlib.h>
#include <string.h>

#define X(name, text) text,
static const char *const operations[] = {NULL, RECORDING_OPERATIONS(X)};
static const char *const waits[] = {RECORDING_WAITS(X)};
static const char *const collectives[] = {RECORDING_COLLECTIVES(X)};
static const char *const neighbours[] = {RECORDING_NEIGHBOURS(X)};
static const char *const onesided[] = {RECORDING_ONESIDED(X)};
static const char *const others[] = {RECORDING_OTHERS(X)};
#undef X
static const char *const modes[] = {"standard", "synchronous", "buffered", "ready"};
static const char *const comm_kinds[] = {"new", "group", "inter", "found"};

static const struct kinds {
    unsigned operation, num;
    const char *const *names;
} kinds[] = {
    {REC_COMM, COMM_KINDS, comm_kinds},
    {REC_SEND, SEND_MODES, modes},
    {REC_WAIT, WAIT_KINDS, waits},
    {REC_COLLECTIVE, COLL_OPERATIONS, collectives},
    {REC_NEIGHBOUR, NEIGH_OPERATIONS, neighbours},
    {REC_ONESIDED, ONE_KINDS, onesided},
    {REC_OTHER, OTHER_KINDS, others},
    {0, 0, NULL},
};

const char *recording_operation_name(unsigned operation)
{
    return operation > REC_NONE && operation < REC_OPERATIONS ? operations[operation] : NULL;
}

const char *recording_kind_name(unsigned operation, unsigned kind)
{
    for (const struct kinds *k = kinds; k->names; k++)
        if (k->operation == operation)
            return kind < k->num ? k->names[kind] : NULL;
    return NULL;
}

/* Reads numbers until one is wrong; `wrong` then says why. */
typedef struct reading {
    recording *r;
    const char *wrong;
    bool memory;  /* wrong for lack of it */
    bool outside; /* a peer was of another MPI_COMM_WORLD */
} reading;

static uint64_t recording_record_number(reading *d)
{
    recording *r = d->r;
    uint64_t value = 0;
    for (unsigned shift = 0; !d->wrong; shift += 7) {
        if (r->at == r->end) {
            d->wrong = "its operands reach beyond its block";
            break;
        }
        unsigned char byte = *r->at++;
        if (shift == 63 && byte > 1) {
            d->wrong = "a number has more than 64 bits";
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    return 0;
}

static uint64_t recording_record_at_most(reading *d, uint64_t most, const char *wrong)
{
    uint64_t value = recording_record_number(d);
    if (d->wrong || value <= most)
        return value;
    d->wrong = wrong;
    return 0;
}

static uint64_t recording_record_size(reading *d)
{
    return recording_record_at_most(d, RECORDING_MOST_BYTES, "a size is larger than any message");
}

static uint32_t recording_record_peer(reading *d)
{
    uint64_t outside = (uint64_t)d->r->num_ranks + 2;
    uint64_t value = recording_record_at_most(d, outside - (d->r->version < 2),
                                              "it names a rank that does not exist");
    if (value == outside) {
        d->outside = true;
        return RECORDING_NOBODY;
    }
    return value == 0 ? RECORDING_NOBODY : value == 1 ? RECORDING_ANY : (uint32_t)value - 2;
}

static uint32_t recording_record_tag(reading *d)
{
    uint64_t value =
        recording_record_at_most(d, INT32_MAX + UINT64_C(1), "a tag is not valid in MPI");
    return value == 0 ? RECORDING_ANY : (uint32_t)value - 1;
}

static uint32_t recording_record_known_comm(reading *d)
{
    recording *r = d->r;
    uint32_t comm = (uint32_t)recording_record_at_most(
        d, r->num_comms - 1, "it names a communicator that does not exist");
    if (comm < r->room_comms && r->comm_freed[comm])
        d->wrong = "it names a communicator that was freed";
    return comm;
}

static uint64_t recording_record_new_request(reading *d)
{
    return recording_record_at_most(d, 1, "it begins neither one request nor none")
               ? ++d->r->num_requests
               : 0;
}

static uint64_t recording_record_named_request(reading *d, uint64_t back)
{
    if (!d->wrong && (back == 0 || back > d->r->num_requests))
        d->wrong = "it names a request that was not begun";
    return d->r->num_requests + 1 - back;
}

static void recording_record_add_item(reading *d, recording_item item)
{
    recording *r = d->r;
    if (d->wrong)
        return;
    if (!IK_ARRAY_ROOM(r->items, r->room_items, r->num_items + 1)) {
        d->wrong = "out of memory";
        d->memory = true;
        return;
    }
    r->items[r->num_items++] = item;
}

/* A count of things of at least one byte each. */
static size_t recording_record_how_many(reading *d)
{
    return (size_t)recording_record_at_most(d, (uint64_t)(d->r->end - d->r->at),
                                            "a count is larger than its block");
}

static void recording_record_text(reading *d, char *to, size_t room)
{
    size_t length = recording_record_how_many(d);
    if (length >= room)
        d->wrong = "a text is too long";
    if (d->wrong)
        return;
    memcpy(to, d->r->at, length);
    to[length] = '\0';
    d->r->at += length;
}

/* ---- operands of the operations */

static void recording_record_read_begin(reading *d, recording_record *o)
{
    uint64_t rank = recording_record_number(d), ranks = recording_record_number(d);
    if (!d->wrong && (rank != d->r->rank || ranks != d->r->num_ranks))
        d->wrong = "it is another rank's, or of another number of ranks";
    o->level =
        (uint32_t)recording_record_at_most(d, UINT32_MAX, "a thread level is not one of MPI's");
    recording_record_number(d);
    recording_record_text(d, o->host, sizeof o->host);
    recording_record_text(d, o->library, sizeof o->library);
    recording_record_text(d, o->job, sizeof o->job);
    if (d->r->version >= 2) {
        static const char *const wrong = "a number of processor cores has more than 32 bits";
        o->cores_online = (uint32_t)recording_record_at_most(d, UINT32_MAX, wrong);
        o->cores_allowed = (uint32_t)recording_record_at_most(d, UINT32_MAX, wrong);
        o->core_set = (uint32_t)recording_record_at_most(d, UINT32_MAX, wrong);
    }
    ik_text_line(o->host);
    ik_text_line(o->library);
    ik_text_line(o->job);
}

/* Ranks of a group, as items. */
static void recording_record_read_runs(reading *d)
{
    uint64_t ranks = d->r->num_ranks, sum = 0;
    for (size_t runs = recording_record_how_many(d); runs && !d->wrong; runs--) {
        uint64_t first =
            recording_record_at_most(d, ranks - 1, "it names a rank that does not exist");
        uint64_t length =
            recording_record_at_most(d, ranks, "a communicator has more ranks than there are");
        uint64_t zigzag =
            recording_record_at_most(d, 2 * ranks, "a communicator has ranks that do not exist");
        int64_t step = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
        int64_t last = (int64_t)first + step * (int64_t)(length ? length - 1 : 0);
        sum += length;
        if (!d->wrong && (length == 0 || last < 0 || last >= (int64_t)ranks || sum > ranks))
            d->wrong = "a communicator has ranks that do not exist";
        for (uint64_t i = 0; i < length && !d->wrong; i++)
            recording_record_add_item(
                d, (recording_item){.value = (uint64_t)((int64_t)first + step * (int64_t)i)});
    }
}

static void recording_record_read_comm(reading *d, recording_record *o)
{
    recording *r = d->r;
    o->comm = (uint32_t)recording_record_at_most(d, IK_NONE - 2, "a communicator has no number");
    if (!d->wrong && o->comm != r->num_comms)
        d->wrong = "communicators are not numbered in their order";
    o->kind = (unsigned)recording_record_at_most(d, COMM_KINDS - 1, "it is made in an unknown way");
    o->root =
        (uint32_t)recording_record_at_most(d, r->num_comms - 1, "its parent is not a communicator");
    o->sequence = recording_record_number(d);
    recording_record_read_runs(d);
    size_t own = r->num_items;
    recording_record_read_runs(d);
    o->num_in = r->num_items - own;
    if (!d->wrong && own == 0)
        d->wrong = "a communicator has no rank";
    size_t before = r->room_comms;
    if (!d->wrong && !IK_ARRAY_ROOM(r->comm_freed, r->room_comms, (size_t)r->num_comms + 1)) {
        d->wrong = "out of memory";
        d->memory = true;
    }
    if (r->room_comms > before)
        memset(r->comm_freed + before, 0, r->room_comms - before);
    r->num_comms += !d->wrong;
}

static void recording_record_read_comm_free(reading *d, recording_record *o)
{
    o->comm = recording_record_known_comm(d);
    if (!d->wrong && o->comm < 2)
        d->wrong = "it frees a communicator that MPI made";
    else if (!d->wrong)
        d->r->comm_freed[o->comm] = 1;
}

static void recording_record_read_message(reading *d, recording_record *o, bool send)
{
    o->request = recording_record_new_request(d);
    if (send)
        o->kind =
            (unsigned)recording_record_at_most(d, SEND_MODES - 1, "a send has an unknown mode");
    o->comm = recording_record_known_comm(d);
    o->peer = recording_record_peer(d);
    o->tag = recording_record_tag(d);
    o->bytes = recording_record_size(d);
    if (!d->wrong && send &&
        (o->peer == RECORDING_ANY || (o->tag == RECORDING_ANY && o->peer != RECORDING_NOBODY)))
        d->wrong = "a send to any rank, or with any tag";
    o->seen_peer = o->peer;
    o->seen_tag = o->tag;
    if (!send && !o->request) {
        o->seen_peer = recording_record_peer(d);
        o->seen_tag = recording_record_tag(d);
    }
}

static void recording_record_read_sendrecv(reading *d, recording_record *o)
{
    o->request = recording_record_new_request(d);
    o->comm = recording_record_known_comm(d);
    o->peer = recording_record_peer(d);
    o->tag = recording_record_tag(d);
    o->bytes = recording_record_size(d);
    o->from = recording_record_peer(d);
    o->from_tag = recording_record_tag(d);
    o->room = recording_record_size(d);
    o->seen_peer = recording_record_peer(d);
    o->seen_tag = recording_record_tag(d);
    if (!d->wrong &&
        (o->peer == RECORDING_ANY || (o->tag == RECORDING_ANY && o->peer != RECORDING_NOBODY)))
        d->wrong = "a send to any rank, or with any tag";
}

static void recording_record_read_wait(reading *d, recording_record *o)
{
    o->kind = (unsigned)recording_record_at_most(d, WAIT_KINDS - 1, "it waits in an unknown way");
    recording_record_number(d);
    for (size_t n = recording_record_how_many(d); n && !d->wrong; n--) {
        uint64_t code = recording_record_number(d);
        recording_item item = {.value = recording_record_named_request(d, code >> 2),
                               .seen = code & 1,
                               .cancelled = code & 2,
                               .peer = RECORDING_ANY,
                               .tag = RECORDING_ANY};
        if (item.seen) {
            item.peer = recording_record_peer(d);
            item.tag = recording_record_tag(d);
        }
        recording_record_add_item(d, item);
    }
}

static void recording_record_read_collective(reading *d, recording_record *o)
{
    o->request = recording_record_new_request(d);
    o->kind =
        (unsigned)recording_record_at_most(d, COLL_OPERATIONS - 1, "its operation is unknown");
    o->comm = recording_record_known_comm(d);
    uint64_t root = recording_record_at_most(d, d->r->num_ranks, "its root is not a rank");
    o->root = root ? (uint32_t)root - 1 : IK_NONE;
    if (!d->wrong && (root != 0) != (o->kind < COLL_ROOTED))
        d->wrong = root ? "it has a root, but needs none" : "it has no root";
    o->sent = recording_record_size(d);
    o->received = recording_record_size(d);
    for (size_t n = recording_record_how_many(d); n && !d->wrong; n--)
        recording_record_add_item(d, (recording_item){.value = recording_record_size(d)});
}

static void recording_record_read_neighbour(reading *d, recording_record *o)
{
    o->request = recording_record_new_request(d);
    o->kind =
        (unsigned)recording_record_at_most(d, NEIGH_OPERATIONS - 1, "its operation is unknown");
    o->comm = recording_record_known_comm(d);
    size_t out = recording_record_how_many(d);
    o->num_in = recording_record_how_many(d);
    for (size_t n = out + o->num_in; n && !d->wrong; n--) {
        recording_item item = {.peer = recording_record_peer(d)};
        if (!d->wrong && item.peer == RECORDING_ANY)
            d->wrong = "a neighbour is any rank";
        item.value = recording_record_size(d);
        recording_record_add_item(d, item);
    }
}

static void recording_record_read_probe(reading *d, recording_record *o)
{
    o->comm = recording_record_known_comm(d);
    o->peer = recording_record_peer(d);
    o->tag = recording_record_tag(d);
    o->seen_peer = recording_record_peer(d);
    o->seen_tag = recording_record_tag(d);
    o->bytes = recording_record_size(d);
}

static void recording_record_read_operands(reading *d, recording_record *o)
{
    switch (o->operation) {
    case REC_BEGIN:
        recording_record_read_begin(d, o);
        break;
    case REC_COMM:
        recording_record_read_comm(d, o);
        break;
    case REC_COMM_FREE:
        recording_record_read_comm_free(d, o);
        break;
    case REC_SEND:
    case REC_RECV:
        recording_record_read_message(d, o, o->operation == REC_SEND);
        break;
    case REC_SENDRECV:
        recording_record_read_sendrecv(d, o);
        break;
    case REC_WAIT:
        recording_record_read_wait(d, o);
        break;
    case REC_COLLECTIVE:
        recording_record_read_collective(d, o);
        break;
    case REC_NEIGHBOUR:
        recording_record_read_neighbour(d, o);
        break;
    case REC_FREE:
        o->freed = recording_record_named_request(d, recording_record_number(d));
        break;
    case REC_PROBE:
        recording_record_read_probe(d, o);
        break;
    case REC_POLLS:
        o->sequence = recording_record_number(d);
        o->lasts_ns =
            recording_record_at_most(d, RECORDING_MOST_NS, "a time is longer than eleven days");
        break;
    case REC_ONESIDED:
        o->kind = (unsigned)recording_record_at_most(d, ONE_KINDS - 1, "its operation is unknown");
        recording_record_at_most(d, d->r->num_ranks, "its target is not a rank");
        o->bytes = recording_record_size(d);
        break;
    case REC_OTHER:
        o->kind = (unsigned)recording_record_at_most(d, OTHER_KINDS - 1, "its kind is unknown");
        break;
    default:
        break;
    }
}

/* A rank's first record is BEGIN, and END its last. */
static const char *recording_record_order_error(const recording *r, unsigned operation)
{
    if ((r->number == 1) != (operation == REC_BEGIN))
        return r->number == 1 ? "a rank's first record must be its beginning"
                              : "a rank begins twice";
    return r->ended ? "a record follows the rank's end" : NULL;
}

static ik_status find_record(recording *r, bool *found, ik_error *err)
{
    *found = true;
    while (r->records_left == 0) {
        if (r->at != r->end)
            return recording_refuse(r, err, "bytes follow the last record of a block");
        *found = r->blocks_read < r->ranks[r->rank].num_blocks;
        if (!*found)
            return IK_OK;
        ik_status status = recording_next_block(r, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

ik_status recording_next(recording *r, recording_record *out, ik_error *err)
{
    recording_record o = {.root = IK_NONE};
    reading d = {.r = r};
    bool found;
    ik_status status = find_record(r, &found, err);
    if (status != IK_OK || !found) {
        if (status == IK_OK && r->ended != r->ranks[r->rank].complete)
            return recording_refuse(r, err, "the rank's last block contradicts how it ended");
        *out = o;
        return status;
    }
    r->number++;
    r->offset = r->next_offset - (uint64_t)(r->end - r->at);
    r->records_left--;
    r->num_items = 0;
    o.number = r->number;
    o.offset = r->offset;
    o.operation = r->at < r->end ? *r->at++ : REC_NONE;
    if (!recording_operation_name(o.operation))
        return recording_refuse(r, err, "operation %u is none", o.operation);
    const char *order = recording_record_order_error(r, o.operation);
    if (order)
        return recording_refuse(r, err, "%s", order);
    o.gap_ns = recording_record_at_most(&d, RECORDING_MOST_NS, "a time is longer than eleven days");
    o.ran_ns = o.gap_ns;
    if (r->version >= 2)
        o.ran_ns -= recording_record_at_most(
            &d, o.gap_ns, "its thread waited for longer than the time between calls");
    o.lasts_ns =
        recording_record_at_most(&d, RECORDING_MOST_NS, "a time is longer than eleven days");
    recording_record_read_operands(&d, &o);
    o.outside = d.outside;
    if (d.memory)
        return ik_fail_memory(err, r->num_items * sizeof *r->items, "a record");
    if (d.wrong)
        return recording_refuse(r, err, "%s: %s", operations[o.operation], d.wrong);
    r->ended = o.operation == REC_END;
    o.items = r->items;
    o.num = r->num_items;
    *out = o;
    return IK_OK;
}
