/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_print.c: what a recording has: sums, and every record as a line.
 */
#include "ikat/record.h"
#include "record/recording_read.h"

#include <inttypes.h>
#include <string.h>

/* ---- sums */

static void add_record(ik_recording_summary *s, const recording_record *o)
{
    s->calls += o->operation != REC_BEGIN && o->operation != REC_END && o->operation != REC_POLLS &&
                o->operation != REC_OVERLAP;
    s->compute_ns += o->gap_ns;
    s->ran_ns += o->ran_ns;
    s->outside += o->outside;
    if (o->operation == REC_SEND || o->operation == REC_SENDRECV) {
        s->messages += o->peer != RECORDING_NOBODY;
        s->bytes += o->peer != RECORDING_NOBODY ? o->bytes : 0;
    } else if (o->operation == REC_NEIGHBOUR) {
        s->collectives++;
        for (size_t i = 0; i + o->num_in < o->num; i++)
            if (o->items[i].peer != RECORDING_NOBODY) {
                s->messages++;
                s->bytes += o->items[i].value;
            }
    } else if (o->operation == REC_COLLECTIVE) {
        s->collectives++;
    } else if (o->operation == REC_ONESIDED) {
        s->onesided += o->kind != ONE_SYNCHRONISE;
        s->onesided_bytes += o->bytes;
    } else if (o->operation == REC_OTHER) {
        s->failed += o->kind == OTHER_FAILED;
        s->spawned += o->kind == OTHER_SPAWN;
        s->intercomms += o->kind == OTHER_INTERCOMM;
        s->outside += o->kind == OTHER_OUTSIDE;
    } else if (o->operation == REC_POLLS) {
        s->polls += o->sequence;
    } else if (o->operation == REC_OVERLAP) {
        s->overlapped = true;
    }
}

static ik_status recording_print_add_cores(recording *r, ik_recording_summary *s, ik_error *err)
{
    recording_cores cores;
    ik_status status = recording_find_cores(r, &cores, err);
    if (status == IK_OK) {
        s->has_ran = cores.known;
        s->shared_ranks = cores.ranks;
        s->shared_cores = cores.cores;
    }
    return status;
}

static ik_status recording_print_add_begin(recording *r, ik_recording_summary *s,
                                           const recording_record *o, char *job, uint32_t rank,
                                           ik_error *err)
{
    if (rank == 0) {
        memcpy(s->library, o->library, sizeof s->library);
        memcpy(job, o->job, sizeof o->job);
    } else if (strcmp(job, o->job) != 0) {
        return recording_refuse(r, err, "the rank is of another start of a program than rank 0");
    }
    return IK_OK;
}

ik_status ik_recording_summarise(const char *path, ik_recording_summary *s, ik_error *err)
{
    recording *r = NULL;
    ik_recording_summary sum = {0};
    char job[sizeof((recording_record *)NULL)->job] = "";
    ik_status status = recording_open(path, &r, err);
    sum.num_ranks = status == IK_OK ? recording_ranks(r) : 0;
    if (status == IK_OK)
        status = recording_print_add_cores(r, &sum, err);
    for (uint32_t rank = 0; rank < sum.num_ranks && status == IK_OK; rank++) {
        recording_record o = {.operation = REC_BEGIN};
        uint64_t total = 0;
        status = recording_rewind(r, rank, err);
        while (status == IK_OK && o.operation != REC_NONE) {
            status = recording_next(r, &o, err);
            if (status != IK_OK)
                break;
            total += o.gap_ns + o.lasts_ns;
            sum.in_mpi_ns += o.lasts_ns;
            add_record(&sum, &o);
            if (o.operation == REC_BEGIN)
                status = recording_print_add_begin(r, &sum, &o, job, rank, err);
        }
        sum.total_ns += total;
        sum.longest_ns = total > sum.longest_ns ? total : sum.longest_ns;
        sum.ranks_cut += status == IK_OK && !recording_complete(r, rank);
    }
    recording_close(r);
    if (status == IK_OK)
        *s = sum;
    return status;
}

/* ---- lines */

static void recording_print_put_peer(FILE *out, const char *word, uint32_t peer)
{
    if (peer == RECORDING_NOBODY)
        fprintf(out, " %s nobody", word);
    else if (peer == RECORDING_ANY)
        fprintf(out, " %s any", word);
    else
        fprintf(out, " %s %" PRIu32, word, peer);
}

static void recording_print_put_tag(FILE *out, uint32_t tag)
{
    if (tag == RECORDING_ANY)
        fputs(" tag any", out);
    else
        fprintf(out, " tag %" PRIu32, tag);
}

static void recording_print_put_message(FILE *out, const recording_record *o)
{
    bool send = o->operation != REC_RECV;
    recording_print_put_peer(out, send ? "to" : "from", o->peer);
    recording_print_put_tag(out, o->tag);
    fprintf(out, " comm %" PRIu32 " %" PRIu64 " B", o->comm, o->bytes);
    if (o->operation == REC_SENDRECV) {
        recording_print_put_peer(out, "from", o->from);
        recording_print_put_tag(out, o->from_tag);
        fprintf(out, " %" PRIu64 " B", o->room);
    }
    if (!send || o->operation == REC_SENDRECV)
        if (!o->request) {
            recording_print_put_peer(out, "took", o->seen_peer);
            recording_print_put_tag(out, o->seen_tag);
        }
}

static void recording_print_put_items(FILE *out, const recording_record *o)
{
    for (size_t i = 0; i < o->num; i++) {
        const recording_item *item = &o->items[i];
        if (o->operation == REC_COMM && o->num_in && i == o->num - o->num_in)
            fputs(" |", out);
        if (o->operation == REC_NEIGHBOUR)
            recording_print_put_peer(out, i + o->num_in < o->num ? "to" : "from", item->peer);
        fprintf(out, " %" PRIu64, item->value);
        if (item->cancelled)
            fputs(" cancelled", out);
        if (item->seen) {
            recording_print_put_peer(out, "took", item->peer);
            recording_print_put_tag(out, item->tag);
        }
    }
}

static void put_record(FILE *out, uint32_t rank, const recording_record *o)
{
    const char *kind = recording_kind_name(o->operation, o->kind);
    fprintf(out, "%" PRIu32 " %" PRIu64 " +%" PRIu64 " %" PRIu64 " %s", rank, o->number, o->gap_ns,
            o->lasts_ns, recording_operation_name(o->operation));
    if (kind)
        fprintf(out, " %s", kind);
    if (o->operation == REC_SEND || o->operation == REC_RECV || o->operation == REC_SENDRECV)
        recording_print_put_message(out, o);
    if (o->operation == REC_COLLECTIVE || o->operation == REC_NEIGHBOUR ||
        o->operation == REC_COMM_FREE || o->operation == REC_COMM)
        fprintf(out, " comm %" PRIu32, o->comm);
    if (o->operation == REC_COLLECTIVE) {
        if (o->root != IK_NONE)
            fprintf(out, " root %" PRIu32, o->root);
        fprintf(out, " sent %" PRIu64 " B received %" PRIu64 " B", o->sent, o->received);
    }
    if (o->operation == REC_PROBE) {
        recording_print_put_peer(out, "took", o->seen_peer);
        recording_print_put_tag(out, o->seen_tag);
        fprintf(out, " comm %" PRIu32 " %" PRIu64 " B", o->comm, o->bytes);
    }
    if (o->operation == REC_ONESIDED)
        fprintf(out, " %" PRIu64 " B", o->bytes);
    if (o->operation == REC_POLLS)
        fprintf(out, " %" PRIu64, o->sequence);
    if (o->operation == REC_FREE)
        fprintf(out, " request %" PRIu64, o->freed);
    if (o->operation == REC_BEGIN)
        fprintf(out, " on %s, %s", o->host, o->library);
    if (o->request)
        fprintf(out, " request %" PRIu64, o->request);
    recording_print_put_items(out, o);
    if (o->outside)
        fputs(" outside", out);
    if (o->ran_ns != o->gap_ns)
        fprintf(out, " ran %" PRIu64, o->ran_ns);
    fputc('\n', out);
}

ik_status ik_recording_print(const char *path, uint32_t only, FILE *out, ik_error *err)
{
    recording *r = NULL;
    ik_status status = recording_open(path, &r, err);
    uint32_t num = status == IK_OK ? recording_ranks(r) : 0;
    if (status == IK_OK && only != IK_NONE && only >= num)
        status = ik_fail_at(err, IK_ERR_USAGE, path, 0, 0, "there is no rank %u, the last is %u",
                            only, num - 1);
    for (uint32_t rank = 0; rank < num && status == IK_OK; rank++) {
        recording_record o = {.operation = REC_BEGIN};
        if (only != IK_NONE && only != rank)
            continue;
        status = recording_rewind(r, rank, err);
        while (status == IK_OK && o.operation != REC_NONE) {
            status = recording_next(r, &o, err);
            if (status == IK_OK && o.operation != REC_NONE)
                put_record(out, rank, &o);
        }
    }
    recording_close(r);
    if (status == IK_OK && ferror(out))
        status = ik_fail(err, IK_ERR_IO, "cannot be written");
    return status;
}
