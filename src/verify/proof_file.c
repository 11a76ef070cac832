/* SPDX-License-Identifier: Apache-2.0
 *
 * A proof as bytes: a mark, the key, the numbers of ik_proof as 64-bit words (least significant
 * byte first), the text of the verdict on deadlock, the lists with their lengths in front, and a
 * SHA-256 of all that. A reader trusts none of it: lengths are compared with what is there, and
 * numbers with the fabric, before anything is used.
 */
#include "verify/proof_file.h"

#include <stdlib.h>
#include <string.h>

static const char mark[8] = "ikatprf1";

enum { WORD = 8, MAX_REASON = 400, MIN_BYTES = sizeof mark + SHA256_BYTES + SHA256_BYTES };

/* Which values a number may have. */
typedef enum field_limit { ANY, VERDICT, FLOW, CONDITION, HOST, PORT, VCS } field_limit;

typedef struct field {
    size_t offset, size;
    field_limit limit;
} field;

#define FIELD(name, limit)                                                                         \
    {                                                                                              \
        offsetof(ik_proof, name), sizeof(((ik_proof *)0)->name), limit                             \
    }

static const field fields[] = {
    FIELD(pairs, ANY),
    FIELD(sampled_pairs, ANY),
    FIELD(undelivered, ANY),
    FIELD(loops, ANY),
    FIELD(unconnected, ANY),
    FIELD(not_minimal, ANY),
    FIELD(delivered, VERDICT),
    FIELD(loop_free, VERDICT),
    FIELD(minimal, VERDICT),
    FIELD(deadlock_free, VERDICT),
    FIELD(ordered, VERDICT),
    FIELD(flow, FLOW),
    FIELD(condition, CONDITION),
    FIELD(first_undelivered_src, HOST),
    FIELD(first_undelivered_dst, HOST),
    FIELD(mean_hops, ANY),
    FIELD(max_hops, ANY),
    FIELD(vcs_used, VCS),
    FIELD(channels, ANY),
    FIELD(dependencies, ANY),
    FIELD(gap_src, HOST),
    FIELD(gap_dst, HOST),
    FIELD(gap_port, PORT),
};
enum { NUM_FIELDS = sizeof fields / sizeof *fields };

/* A new number of ik_proof belongs into `fields`, with its limit if it is used as an index; a new
 * list needs a place in proof_file_pack_lists() and proof_file_take_lists(). Then correct the size
 * here. */
_Static_assert(sizeof(void *) != 8 || sizeof(ik_proof) == 200,
               "ik_proof has changed: see the comment");

/* ---- writing */

typedef struct writer {
    uint8_t *at; /* NULL: only counts */
    size_t size;
} writer;

static void proof_file_put_bytes(writer *w, const void *bytes, size_t size)
{
    if (w->at && size)
        memcpy(w->at + w->size, bytes, size);
    w->size += size;
}

static void proof_file_put_word(writer *w, uint64_t value)
{
    uint8_t bytes[WORD];
    for (unsigned i = 0; i < WORD; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    proof_file_put_bytes(w, bytes, sizeof bytes);
}

static uint64_t proof_file_read_field(const ik_proof *proof, const field *x)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (x->size == sizeof wide)
        memcpy(&wide, (const char *)proof + x->offset, sizeof wide);
    else
        memcpy(&narrow, (const char *)proof + x->offset, sizeof narrow);
    return x->size == sizeof wide ? wide : narrow;
}

static void proof_file_pack_lists(writer *w, const ik_proof *proof)
{
    proof_file_put_word(w, proof->lost_path_length);
    for (size_t i = 0; i < proof->lost_path_length; i++)
        proof_file_put_word(w, proof->lost_path[i]);
    proof_file_put_word(w, proof->num_path_lengths);
    for (size_t i = 0; i < proof->num_path_lengths; i++)
        proof_file_put_word(w, proof->path_lengths[i]);
    proof_file_put_word(w, proof->witness_length);
    for (size_t i = 0; i < proof->witness_length; i++) {
        const ik_dependency *d = &proof->witness[i];
        proof_file_put_word(w, d->channel);
        proof_file_put_word(w, d->vc);
        proof_file_put_word(w, d->through);
        proof_file_put_word(w, d->src);
        proof_file_put_word(w, d->dst);
    }
}

static void proof_file_pack(writer *w, const ik_proof *proof, const proof_key *key)
{
    size_t reason = proof->deadlock_reason ? strlen(proof->deadlock_reason) : 0;
    proof_file_put_bytes(w, mark, sizeof mark);
    proof_file_put_bytes(w, key->digest, sizeof key->digest);
    for (size_t i = 0; i < NUM_FIELDS; i++)
        proof_file_put_word(w, proof_file_read_field(proof, &fields[i]));
    proof_file_put_word(w, reason);
    proof_file_put_bytes(w, proof->deadlock_reason, reason);
    proof_file_pack_lists(w, proof);
}

static void proof_file_digest_of(const uint8_t *bytes, size_t size, uint8_t digest[SHA256_BYTES])
{
    sha256 s;
    sha256_begin(&s);
    sha256_add(&s, bytes, size);
    sha256_end(&s, digest);
}

ik_status proof_pack(const ik_proof *proof, const proof_key *key, uint8_t **bytes, size_t *size,
                     ik_error *err)
{
    uint8_t digest[SHA256_BYTES];
    writer w = {0};
    proof_file_pack(&w, proof, key);
    uint8_t *made = malloc(w.size + sizeof digest);
    if (!made)
        return ik_fail_memory(err, w.size, "a proof");
    w = (writer){.at = made};
    proof_file_pack(&w, proof, key);
    proof_file_digest_of(made, w.size, digest);
    proof_file_put_bytes(&w, digest, sizeof digest);
    *bytes = made;
    *size = w.size;
    return IK_OK;
}

/* ---- reading */

typedef struct reader {
    const uint8_t *at, *end;
    const ik_fabric *f;
    unsigned num_vcs;
    bool good;
} reader;

static uint64_t proof_file_take_word(reader *r)
{
    uint64_t value = 0;
    if (!r->good || r->end - r->at < WORD) {
        r->good = false;
        return 0;
    }
    for (unsigned i = 0; i < WORD; i++)
        value |= (uint64_t)r->at[i] << (8 * i);
    r->at += WORD;
    return value;
}

/* A number below `count`. */
static uint32_t proof_file_take_index(reader *r, uint64_t count)
{
    uint64_t value = proof_file_take_word(r);
    r->good &= value < count;
    return (uint32_t)value;
}

static void proof_file_take_field(reader *r, const field *x, ik_proof *out)
{
    uint64_t value = proof_file_take_word(r);
    uint32_t narrow = (uint32_t)value;
    r->good &= x->size == sizeof value || value <= UINT32_MAX;
    r->good &= x->limit != VERDICT || value <= IK_UNKNOWN;
    r->good &= x->limit != FLOW || value <= IK_FLOW_SETTLED;
    r->good &= x->limit != CONDITION || value <= IK_CONDITION_DIRECT;
    r->good &= x->limit != PORT || value < r->f->num_ports || value == IK_NONE;
    r->good &= x->limit != HOST || value < r->f->num_hosts || value == IK_NONE;
    r->good &= x->limit != VCS || value <= IK_MAX_VCS;
    if (x->size == sizeof value)
        memcpy((char *)out + x->offset, &value, sizeof value);
    else
        memcpy((char *)out + x->offset, &narrow, sizeof narrow);
}

static void proof_file_take_reason(reader *r, ik_proof *out)
{
    uint64_t length = proof_file_take_word(r);
    r->good &= length <= MAX_REASON && length <= (uint64_t)(r->end - r->at);
    if (!r->good)
        return;
    out->kept_reason = strndup((const char *)r->at, (size_t)length);
    r->good = out->kept_reason != NULL && strlen(out->kept_reason) == length;
    for (uint64_t i = 0; r->good && i < length; i++)
        r->good = out->kept_reason[i] >= ' ' && out->kept_reason[i] <= '~';
    out->deadlock_reason = out->kept_reason;
    r->at += length;
}

/* Room for a list whose items are `words` words each in the file; NULL if it is empty, or too long
 * to be there. */
static void *proof_file_take_list(reader *r, size_t words, size_t item_bytes, size_t *num)
{
    uint64_t length = proof_file_take_word(r);
    r->good &= length <= (uint64_t)(r->end - r->at) / (WORD * words);
    void *items = r->good && length ? ik_calloc((size_t)length, item_bytes) : NULL;
    r->good &= length == 0 || items;
    *num = r->good ? (size_t)length : 0;
    return items;
}

static void proof_file_take_lists(reader *r, ik_proof *out)
{
    const ik_fabric *f = r->f;
    out->lost_path = proof_file_take_list(r, 1, sizeof *out->lost_path, &out->lost_path_length);
    for (size_t i = 0; i < out->lost_path_length; i++)
        out->lost_path[i] = proof_file_take_index(r, f->num_ports);
    out->path_lengths =
        proof_file_take_list(r, 1, sizeof *out->path_lengths, &out->num_path_lengths);
    for (size_t i = 0; i < out->num_path_lengths; i++)
        out->path_lengths[i] = proof_file_take_word(r);
    out->witness = proof_file_take_list(r, 5, sizeof *out->witness, &out->witness_length);
    for (size_t i = 0; i < out->witness_length; i++) {
        ik_dependency *d = &out->witness[i];
        d->channel = proof_file_take_index(r, f->num_ports);
        r->good &= f->port_peer[r->good ? d->channel : 0] != IK_NONE;
        d->vc = (uint8_t)proof_file_take_index(r, r->num_vcs);
        d->through = proof_file_take_index(r, 2) != 0;
        d->src = proof_file_take_index(r, f->num_hosts);
        d->dst = proof_file_take_index(r, f->num_hosts);
    }
}

/* What its readers take for granted. */
static bool proof_file_consistent(const ik_proof *p)
{
    bool lost = p->first_undelivered_src != IK_NONE, gap = p->gap_src != IK_NONE;
    if (gap != (p->gap_dst != IK_NONE) || gap != (p->gap_port != IK_NONE))
        return false;
    return lost == (p->first_undelivered_dst != IK_NONE) && lost == (p->undelivered > 0) &&
           p->unconnected <= p->pairs && p->undelivered <= p->pairs && p->mean_hops >= 0;
}

bool proof_unpack(const uint8_t *bytes, size_t size, const proof_key *key, const ik_fabric *f,
                  unsigned num_vcs, ik_proof *out)
{
    uint8_t digest[SHA256_BYTES];
    if (size < MIN_BYTES || f->num_ports == 0 || memcmp(bytes, mark, sizeof mark) != 0 ||
        memcmp(bytes + sizeof mark, key->digest, sizeof key->digest) != 0)
        return false;
    proof_file_digest_of(bytes, size - sizeof digest, digest);
    if (memcmp(bytes + size - sizeof digest, digest, sizeof digest) != 0)
        return false;
    ik_proof proof = {0};
    reader r = {bytes + sizeof mark + sizeof key->digest, bytes + size - sizeof digest, f, num_vcs,
                true};
    for (size_t i = 0; i < NUM_FIELDS; i++)
        proof_file_take_field(&r, &fields[i], &proof);
    proof_file_take_reason(&r, &proof);
    proof_file_take_lists(&r, &proof);
    if (!r.good || r.at != r.end || !proof_file_consistent(&proof)) {
        ik_proof_free(&proof);
        return false;
    }
    *out = proof;
    return true;
}
