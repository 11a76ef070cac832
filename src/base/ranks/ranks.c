/* SPDX-License-Identifier: Apache-2.0
 *
 * Meetings of ranks: everybody tells everybody something, by one exchange. What is told begins with
 * why it is told, so that a rank that fails and leaves is noticed by those that go on. */
#include "base/ranks/ranks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_CHARS = 1000 };

typedef enum meeting { MEETING_TELLS, MEETING_FAILED, MEETING_LEAVES } meeting;

/* In front of what is told, which stays aligned for whatever it is. */
typedef struct ranks_head {
    uint16_t why; /* meeting */
    uint16_t cancelled;
    int32_t status;
} ranks_head;
static_assert(sizeof(ranks_head) % 8 == 0, "what is told begins at a multiple of 8 bytes");

bool ranks_init(ik_ranks *ranks)
{
    ranks->out = ik_calloc(ranks->num, sizeof *ranks->out);
    ranks->in = ik_calloc(ranks->num, sizeof *ranks->in);
    ranks->told = malloc(sizeof(ranks_head) + TEXT_CHARS);
    ranks->told_cap = ranks->told ? sizeof(ranks_head) + TEXT_CHARS : 0;
    return ranks->out && ranks->in && ranks->told;
}

void ranks_clear(ik_ranks *ranks)
{
    free(ranks->out);
    free(ranks->in);
    free(ranks->told);
    if (ranks->errors)
        fclose(ranks->errors);
}

/* Room for what is told; without memory, the room that there is holds a head. */
static bool ranks_make_room(ik_ranks *ranks, size_t size)
{
    if (size <= ranks->told_cap)
        return true;
    unsigned char *told = realloc(ranks->told, size);
    if (!told)
        return false;
    ranks->told = told;
    ranks->told_cap = size;
    return true;
}

static ik_status ranks_tell(ik_ranks *ranks, ranks_head head, ranks_bytes own, ik_error *err)
{
    if (!ranks_make_room(ranks, sizeof head + own.size)) {
        head.why = MEETING_FAILED;
        own.size = 0;
    }
    head.cancelled = ik_cancel_raised(ranks->cancel);
    memcpy(ranks->told, &head, sizeof head);
    if (own.size)
        memcpy(ranks->told + sizeof head, own.data, own.size);
    for (unsigned q = 0; q < ranks->num; q++)
        ranks->out[q] = (ranks_bytes){ranks->told, sizeof head + own.size};
    ik_status status = ranks->exchange(ranks, RANKS_MEETING, ranks->out, ranks->in, err);
    ranks->in[ranks->rank] = ranks->out[ranks->rank];
    return status;
}

static ranks_head ranks_head_of(const ik_ranks *ranks, unsigned q)
{
    ranks_head head;
    assert(ranks->in[q].size >= sizeof head);
    memcpy(&head, ranks->in[q].data, sizeof head);
    return head;
}

/* What a rank told behind the head. */
static ranks_bytes ranks_behind_head(const ik_ranks *ranks, unsigned q)
{
    const unsigned char *data = ranks->in[q].data;
    return (ranks_bytes){data + sizeof(ranks_head), ranks->in[q].size - sizeof(ranks_head)};
}

ik_status ranks_meet(ik_ranks *ranks, ranks_bytes own, bool failed, const ranks_bytes **all,
                     ik_error *err)
{
    ranks_head head = {.why = failed ? MEETING_FAILED : MEETING_TELLS};
    ik_status status = ranks_tell(ranks, head, failed ? (ranks_bytes){0} : own, err);
    if (status != IK_OK)
        return status;
    for (unsigned q = 0; q < ranks->num; q++) {
        ranks_head head_q = ranks_head_of(ranks, q);
        unsigned why = head_q.why;
        if (why == MEETING_FAILED && q == ranks->rank && !failed)
            return ik_fail_memory(err, own.size, "what ranks tell each other");
        ranks_bytes last = ranks_behind_head(ranks, q);
        if (why == MEETING_LEAVES && head_q.cancelled) {
            ranks->cancelled = true;
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        }
        if (why == MEETING_LEAVES)
            return ik_fail(err, IK_ERR_IO, "rank %u has ended%s%.*s", q, last.size ? ": " : "",
                           (int)last.size, (const char *)last.data);
        if (why == MEETING_FAILED)
            return ik_fail(err, IK_ERR_IO, "rank %u has failed", q);
    }
    for (unsigned q = 0; q < ranks->num; q++)
        ranks->in[q] = ranks_behind_head(ranks, q);
    *all = ranks->in;
    return IK_OK;
}

void ik_ranks_leave(ik_ranks *ranks, int *status, unsigned *worst, char *text, size_t size)
{
    const ranks_head head = {.why = MEETING_LEAVES, .status = *status};
    size_t length = strnlen(text, TEXT_CHARS - 1);
    ik_error err;
    ik_status told = IK_OK;
    bool all = false;
    /* those that go on are told until they leave, too */
    while (told == IK_OK && !all) {
        told = ranks_tell(ranks, head, (ranks_bytes){text, length}, &err);
        all = true;
        for (unsigned q = 0; q < ranks->num && told == IK_OK; q++)
            all &= ranks_head_of(ranks, q).why == MEETING_LEAVES;
    }
    *worst = 0;
    for (unsigned q = ranks->num; q > 0 && told == IK_OK; q--)
        if (ranks_head_of(ranks, q - 1).status != 0)
            *worst = q - 1;
    if (told == IK_OK && *worst != ranks->rank) {
        ranks_bytes last = ranks_behind_head(ranks, *worst);
        *status = ranks_head_of(ranks, *worst).status;
        snprintf(text, size, "%.*s", (int)last.size, (const char *)last.data);
    }
    if (ranks->module)
        ranks->module->leave();
    ranks_clear(ranks);
    free(ranks);
}

unsigned ik_ranks_number(const ik_ranks *ranks)
{
    return ranks->rank;
}

unsigned ik_ranks_count(const ik_ranks *ranks)
{
    return ranks->num;
}

/* Appends ", N" to a list of ranks. */
static void ranks_list(char *text, size_t size, unsigned rank)
{
    size_t used = strlen(text);
    if (used + 16 < size)
        snprintf(text + used, size - used, "%s%u", used ? ", " : "", rank);
}

ik_status ik_ranks_compare(ik_ranks *ranks, const char *what, const void *text, size_t size,
                           ik_error *err)
{
    const ranks_bytes *all;
    char others[200] = "";
    ik_status status = ranks_meet(ranks, (ranks_bytes){text, size}, false, &all, err);
    if (status != IK_OK)
        return status;
    for (unsigned q = 1; q < ranks->num; q++)
        if (all[q].size != all[0].size ||
            (all[q].size && memcmp(all[q].data, all[0].data, all[q].size) != 0))
            ranks_list(others, sizeof others, q);
    return others[0] ? ik_fail(err, IK_ERR_INPUT, "%s of rank 0 is not that of rank%s %s", what,
                               strchr(others, ',') ? "s" : "", others)
                     : IK_OK;
}

ik_status ik_ranks_least(ik_ranks *ranks, uint64_t *number, ik_error *err)
{
    const ranks_bytes *all;
    ik_status status = ranks_meet(ranks, (ranks_bytes){number, sizeof *number}, false, &all, err);
    for (unsigned q = 0; q < ranks->num && status == IK_OK; q++) {
        uint64_t other;
        memcpy(&other, all[q].data, sizeof other);
        *number = other < *number ? other : *number;
    }
    return status;
}

ik_status ik_ranks_share(ik_ranks *ranks, void **data, size_t *size, ik_error *err)
{
    const ranks_bytes *all;
    ranks_bytes own = {0};
    if (ranks->rank == 0)
        own = (ranks_bytes){*data, *size};
    ik_status status = ranks_meet(ranks, own, false, &all, err);
    if (status != IK_OK || ranks->rank == 0)
        return status;
    void *copy = malloc(all[0].size + 1);
    if (!copy)
        return ik_fail_memory(err, all[0].size, "what rank 0 has");
    memcpy(copy, all[0].data, all[0].size);
    *data = copy;
    *size = all[0].size;
    return IK_OK;
}
