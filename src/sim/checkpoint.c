/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints: the file, and when it is written (checkpoint.h). */
#include "sim/checkpoint.h"
#include "base/file_list.h"
#include "base/hash.h"
#include "base/output/temporary.h"
#include "base/sanitized.h"
#include "sim/measure/watch.h"
#include "sim/params/parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHECKPOINT_MAGIC "ikat checkpoint\n"
enum { CHECKPOINT_FORMAT = 1, CHECKPOINT_TEXT = 64 << 20, CHECKPOINT_COPIED = 1 << 13 };

typedef struct checkpoint_head {
    char magic[16];
    uint32_t format, threads;
    uint64_t text_bytes, state_bytes; /* texts: build, engine and identity, each with its end */
    uint64_t time_ps;
    uint64_t checksum; /* of texts and state */
    uint64_t own;      /* of the head up to here */
} checkpoint_head;

static uint64_t checkpoint_sum_head(const checkpoint_head *head)
{
    return ik_hash_continue(IK_HASH_BASIS, head, offsetof(checkpoint_head, own));
}

/* ---- bytes */

typedef struct checkpoint_stream {
    FILE *file;
    uint64_t checksum;
} checkpoint_stream;

/* State may lie in parts of pools that nobody uses, which the address sanitizer must not mind. */
#if IK_ADDRESS_SANITIZED
__attribute__((no_sanitize("address"), noinline))
#endif
static void
checkpoint_copy(unsigned char *restrict to, const unsigned char *restrict from, size_t bytes)
{
#if IK_ADDRESS_SANITIZED
    for (volatile size_t at = 0; at < bytes; at++)
        to[at] = from[at];
#else
    memcpy(to, from, bytes);
#endif
}

static void checkpoint_put(sim_carrier *c, void *data, size_t bytes)
{
    unsigned char part[CHECKPOINT_COPIED];
    checkpoint_stream *to = c->ctx;
    for (size_t at = 0, num; at < bytes && c->status == IK_OK; at += num) {
        num = bytes - at < sizeof part ? bytes - at : sizeof part;
        checkpoint_copy(part, (const unsigned char *)data + at, num);
        to->checksum = ik_hash_continue(to->checksum, part, num);
        if (fwrite(part, 1, num, to->file) != num)
            c->status =
                ik_fail(&c->err, IK_ERR_IO, "a checkpoint cannot be written: %s", strerror(errno));
    }
}

static void checkpoint_take(sim_carrier *c, void *data, size_t bytes)
{
    const checkpoint_stream *from = c->ctx;
    if (fread(data, 1, bytes, from->file) != bytes)
        c->status = ik_fail(&c->err, IK_ERR_INPUT, "ends while it is read");
}

/* ---- writing */

bool checkpoint_is_due(checkpointing *c)
{
    const sim_checkpoints *asked = c->asked;
    c->steps++;
    return (asked->every_steps && c->steps >= asked->every_steps) || ik_env_cancelled(&c->env) ||
           ik_clock_s(CLOCK_MONOTONIC) >= c->due_s;
}

static ik_status checkpoint_put_all(sim *s, steps_loop *loop, FILE *file, ik_error *err)
{
    const char *texts[] = {ik_build(), s->engine.ops->name, s->checkpoint->asked->identity};
    checkpoint_head head = {.magic = CHECKPOINT_MAGIC,
                            .format = CHECKPOINT_FORMAT,
                            .threads = s->parallel.num_partitions,
                            .time_ps = s->parallel.partitions->start};
    checkpoint_stream to = {file, IK_HASH_BASIS};
    sim_carrier c = {.move = checkpoint_put, .ctx = &to, .measured = true};
    if (fwrite(&head, sizeof head, 1, file) != 1)
        c.status =
            ik_fail(&c.err, IK_ERR_IO, "a checkpoint cannot be written: %s", strerror(errno));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        sim_carry(&c, (void *)(uintptr_t)texts[k], strlen(texts[k]) + 1);
    head.text_bytes = c.bytes;
    sim_state_carry(s, loop, &c);
    head.state_bytes = c.bytes - head.text_bytes;
    head.checksum = to.checksum;
    head.own = checkpoint_sum_head(&head);
    if (c.status == IK_OK &&
        (fseeko(file, 0, SEEK_SET) != 0 || fwrite(&head, sizeof head, 1, file) != 1))
        c.status =
            ik_fail(&c.err, IK_ERR_IO, "a checkpoint cannot be written: %s", strerror(errno));
    if (c.status != IK_OK && err)
        *err = c.err;
    return c.status;
}

ik_status checkpoint_write(sim *s, steps_loop *loop, ik_error *err)
{
    ik_error why = {0};
    ik_output file;
    checkpointing *c = s->checkpoint;
    ik_status status = ik_output_open(&file, c->path, &why);
    if (status == IK_OK) {
        status = checkpoint_put_all(s, loop, file.out, &why);
        status = ik_output_close(&file, status, &why);
    }
    c->stopped = c->asked->ends || ik_env_cancelled(&c->env);
    c->due_s = ik_clock_s(CLOCK_MONOTONIC) + c->asked->every_s;
    c->steps = 0;
    c->asked->written += status == IK_OK;
    if (status == IK_OK)
        return IK_OK;
    c->asked->failed++;
    c->asked->why = why;
    if (!c->stopped)
        return IK_OK;
    if (err)
        *err = why;
    return status;
}

/* ---- reading */

static ik_status checkpoint_refuse(const char *path, const char *what, ik_error *err)
{
    ik_status status = ik_fail(err, IK_ERR_INPUT, "the checkpoint %s", what);
    ik_error_at(err, path, 0, 0);
    return ik_hint(err, status,
                   "remove it, and what it belongs to is simulated from the beginning");
}

static ik_status checkpoint_check_head(const checkpointing *c, const checkpoint_head *head,
                                       size_t got, uint64_t size, ik_error *err)
{
    char what[200];
    bool ours = got >= sizeof head->magic && memcmp(head->magic, CHECKPOINT_MAGIC, 16) == 0;
    if (!ours)
        return checkpoint_refuse(c->path,
                                 got < sizeof head->magic
                                     ? "is torn: it has no head"
                                     : "is no checkpoint of ikat, or is damaged",
                                 err);
    if (got < sizeof *head)
        return checkpoint_refuse(c->path, "is torn: its head is incomplete", err);
    if (head->format != CHECKPOINT_FORMAT) {
        snprintf(what, sizeof what, "has format %u, and this ikat reads format %d", head->format,
                 CHECKPOINT_FORMAT);
        return checkpoint_refuse(c->path, what, err);
    }
    if (head->own != checkpoint_sum_head(head) || head->text_bytes > CHECKPOINT_TEXT)
        return checkpoint_refuse(c->path, "is damaged: the checksum of its head differs", err);
    if (size - sizeof *head == head->text_bytes + head->state_bytes)
        return IK_OK;
    snprintf(what, sizeof what, "is torn: it has %llu bytes instead of %llu",
             (unsigned long long)size,
             (unsigned long long)(sizeof *head + head->text_bytes + head->state_bytes));
    return checkpoint_refuse(c->path, what, err);
}

/* Of everything behind the head, from where the file is read. */
static bool checkpoint_sum_rest(FILE *file, uint64_t bytes, uint64_t *sum)
{
    unsigned char part[CHECKPOINT_COPIED];
    *sum = IK_HASH_BASIS;
    while (bytes > 0) {
        size_t num = bytes < sizeof part ? (size_t)bytes : sizeof part;
        if (fread(part, 1, num, file) != num)
            return false;
        *sum = ik_hash_continue(*sum, part, num);
        bytes -= num;
    }
    return true;
}

/* From where the texts differ; enough of each to see by what. */
static ik_status checkpoint_refuse_point(const checkpointing *c, const char *its, ik_error *err)
{
    enum { BEFORE = 40, SHOWN = 100 };
    char what[400];
    const char *own = c->asked->identity;
    size_t at = 0;
    while (its[at] && its[at] == own[at])
        at++;
    size_t from = at > BEFORE ? at - BEFORE : 0;
    snprintf(what, sizeof what,
             "is of another point: it says ...%.*s... where this one has "
             "...%.*s...",
             SHOWN, its + from, SHOWN, own + from);
    return checkpoint_refuse(c->path, what, err);
}

/* texts: of the file, of head->text_bytes. */
static ik_status checkpoint_check_texts(checkpointing *c, const char *texts, size_t size,
                                        ik_error *err)
{
    char what[300];
    const char *engine = memchr(texts, '\0', size),
               *identity =
                   engine ? memchr(engine + 1, '\0', size - (size_t)(engine + 1 - texts)) : NULL;
    if (!identity || texts[size - 1])
        return checkpoint_refuse(c->path, "is damaged: it does not say what it is of", err);
    if (strcmp(texts, ik_build()) != 0) {
        snprintf(what, sizeof what, "was written by ikat %.80s, and this is ikat %.80s", texts,
                 ik_build());
        checkpoint_refuse(c->path, what, err);
        return ik_hint(err, IK_ERR_INPUT,
                       "continue with the ikat that wrote it; or remove it, and what it belongs to "
                       "is simulated from the beginning");
    }
    snprintf(c->engine, sizeof c->engine, "%s", engine + 1);
    return strcmp(identity + 1, c->asked->identity) == 0
               ? IK_OK
               : checkpoint_refuse_point(c, identity + 1, err);
}

static ik_status checkpoint_check_rest(checkpointing *c, const checkpoint_head *head, ik_error *err)
{
    uint64_t sum = 0;
    size_t size = (size_t)head->text_bytes;
    char *texts = malloc(size + 1);
    if (!texts)
        return ik_fail_memory(err, size, "a checkpoint");
    bool read = checkpoint_sum_rest(c->from, head->text_bytes + head->state_bytes, &sum) &&
                fseeko(c->from, sizeof *head, SEEK_SET) == 0 &&
                fread(texts, 1, size, c->from) == size;
    ik_status status = !read                   ? checkpoint_refuse(c->path, "cannot be read", err)
                       : sum != head->checksum ? checkpoint_refuse(c->path,
                                                                   "is damaged: its "
                                                                   "checksum differs",
                                                                   err)
                                               : checkpoint_check_texts(c, texts, size, err);
    free(texts);
    return status;
}

static ik_status checkpoint_open(checkpointing *c, ik_error *err)
{
    struct stat info;
    checkpoint_head head;
    bool there = stat(c->path, &info) == 0, regular = there && S_ISREG(info.st_mode);
    if (!there && errno == ENOENT)
        return IK_OK;
    c->from = regular ? fopen(c->path, "rb") : NULL;
    if (regular && !c->from && errno == ENOMEM)
        return ik_fail_memory(err, BUFSIZ, "a checkpoint");
    if (there && !regular)
        return checkpoint_refuse(c->path, "is not a plain file", err);
    if (!c->from)
        return ik_fail_open(err, c->path);
    memset(&head, 0, sizeof head);
    size_t got = fread(&head, 1, sizeof head, c->from);
    ik_status status = checkpoint_check_head(c, &head, got, (uint64_t)info.st_size, err);
    if (status == IK_OK)
        status = checkpoint_check_rest(c, &head, err);
    c->env.num_threads = head.threads;
    return status;
}

static char *checkpoint_path(const sim_checkpoints *c, unsigned run)
{
    size_t size = strlen(c->path) + 16;
    char *path = malloc(size);
    if (path && c->several)
        snprintf(path, size, "%s.%u", c->path, run);
    else if (path)
        snprintf(path, size, "%s", c->path);
    return path;
}

ik_status checkpoint_begin(checkpointing *c, sim_checkpoints *asked, const ik_env *env,
                           ik_error *err)
{
    *c = (checkpointing){.asked = asked};
    if (env)
        c->env = *env;
    c->due_s = ik_clock_s(CLOCK_MONOTONIC) + asked->every_s;
    c->path = checkpoint_path(asked, ++asked->runs);
    return c->path ? checkpoint_open(c, err)
                   : ik_fail_memory(err, strlen(asked->path), "a checkpoint");
}

void checkpoint_end(checkpointing *c)
{
    if (c->from)
        fclose(c->from);
    free(c->path);
}

ik_status checkpoint_restore(checkpointing *c, sim *s, ik_error *err)
{
    checkpoint_stream from = {.file = c->from};
    sim_carrier carrier = {
        .move = checkpoint_take, .ctx = &from, .restores = true, .measured = true};
    if (!c->from)
        return IK_OK;
    if (strcmp(c->engine, s->engine.ops->name) != 0 ||
        c->env.num_threads != s->parallel.num_partitions)
        return checkpoint_refuse(c->path, "is of another engine or cut than this run gets", err);
    sim_state_carry(s, &c->loop, &carrier);
    c->resumed = carrier.status == IK_OK;
    c->asked->continued |= c->resumed;
    if (carrier.status == IK_ERR_INPUT)
        return checkpoint_refuse(c->path, carrier.err.text, err);
    if (!c->resumed && err)
        *err = carrier.err;
    return carrier.status;
}

/* ---- set-up and end */

ik_status sim_refuse_checkpoints(const ik_sim_config *config, const ik_env *env, ik_error *err)
{
    const ik_sim_config c = sim_config_of(config);
    watch *w = NULL;
    ik_status status = watch_open(c.watch_params, &w, err);
    const char *what = sim_is_pipelined(&c) ? "switch.model = pipelined"
                       : w                  ? "section 'watch'"
                       : env && env->ranks  ? "a simulation on several ranks"
                                            : NULL;
    if (status == IK_OK && what) {
        status = ik_fail(err, IK_ERR_UNSUPPORTED, "there are no checkpoints of %s", what);
        if (!env || !env->ranks)
            ik_about(err, status, "%s", w ? "watch" : "switch.model");
        ik_hint(err, status, "run it without them: finished points are kept all the same");
    }
    watch_free(w);
    return status;
}

void sim_checkpoints_find(sim_checkpoints *c)
{
    for (bool there = true; there && (c->several || c->runs == 0); c->runs += there) {
        char *path = checkpoint_path(c, c->runs + 1);
        there = path && access(path, F_OK) == 0;
        free(path);
    }
}

void sim_checkpoints_remove(const sim_checkpoints *c)
{
    for (unsigned run = c->runs; run > 0; run--) { /* what is left if it is killed has no gaps */
        char *path = checkpoint_path(c, run);
        if (path) {
            unlink(path);
            temporary_remove_left(path);
        }
        free(path);
    }
}
