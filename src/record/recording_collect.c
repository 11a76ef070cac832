/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_collect.c: makes one recording of the files that ranks left behind. Blocks of ranks
 * that were killed are taken as far as they are used: a record is counted when it is whole.
 */
#include "ikat/record.h"
#include "record/recording.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct collection {
    const char *folder;
    FILE *out;
    uint32_t num_ranks;
    unsigned char *payload;
    size_t room;
    uint64_t num_blocks, num_records;
    uint32_t crc;
} collection;

static ik_status recording_collect_put(collection *c, const void *bytes, size_t num, ik_error *err)
{
    if (fwrite(bytes, 1, num, c->out) == num)
        return IK_OK;
    return ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno));
}

static uint32_t recording_collect_crc_of(const void *at, size_t bytes)
{
    return (uint32_t)crc32(0, at, (uInt)bytes);
}

/* NULL: no memory. */
static char *recording_collect_path_in(const char *folder, const char *format, unsigned number)
{
    size_t room = strlen(folder) + 40;
    char *path = malloc(room);
    if (path) {
        size_t n = (size_t)snprintf(path, room, "%s/", folder);
        char name[32];
        snprintf(name, sizeof name, format, number); /* one of recording.h's */
        snprintf(path + n, room - n, "%s", name);
    }
    return path;
}

static ik_status recording_collect_put_block(collection *c, const part_block *p, uint32_t bytes,
                                             uint32_t records, bool last, ik_error *err)
{
    recording_block b = {.magic = RECORDING_BLOCK,
                         .rank = p->rank,
                         .sequence = p->sequence,
                         .flags = last && p->ended,
                         .bytes = bytes,
                         .records = records,
                         .crc = recording_collect_crc_of(c->payload, bytes)};
    b.header_crc = recording_collect_crc_of(&b, offsetof(recording_block, header_crc));
    c->crc = (uint32_t)crc32(c->crc, (const void *)&b.header_crc, sizeof b.header_crc);
    c->num_blocks++;
    c->num_records += records;
    ik_status status = recording_collect_put(c, &b, sizeof b, err);
    return status == IK_OK ? recording_collect_put(c, c->payload, bytes, err) : status;
}

/* One block of a rank's file; *more: it was there. A block whose header was not finished when the
 * rank was killed is none. */
static ik_status recording_collect_take_block(collection *c, FILE *part, const char *path,
                                              uint32_t rank, uint32_t sequence, bool *more,
                                              ik_error *err)
{
    part_block p;
    *more = fread(&p, sizeof p, 1, part) == 1 && p.magic == RECORDING_PART;
    if (!*more)
        return IK_OK;
    uint32_t bytes = (uint32_t)p.state, records = (uint32_t)(p.state >> 32);
    if (p.rank != rank || p.num_ranks != c->num_ranks || p.sequence != sequence ||
        p.capacity < sizeof p || bytes > p.capacity - sizeof p)
        return ik_fail_at(err, IK_ERR_FAILED, path, 0, 0,
                          "block %u is not of rank %u of %u: more than one program wrote here",
                          sequence, rank, c->num_ranks);
    if (bytes > c->room) {
        free(c->payload);
        c->payload = malloc(bytes);
        c->room = c->payload ? bytes : 0;
        if (!c->payload)
            return ik_fail_memory(err, bytes, "a block");
    }
    if (fread(c->payload, 1, bytes, part) != bytes ||
        fseeko(part, (off_t)(p.capacity - sizeof p - bytes), SEEK_CUR) != 0)
        return ik_fail_at(err, IK_ERR_FAILED, path, 0, 0, "the rank's file is cut off");
    if (p.sealed && p.crc != recording_collect_crc_of(c->payload, bytes))
        return ik_fail_at(err, IK_ERR_FAILED, path, 0, 0,
                          "block %u was damaged: its checksum is wrong", sequence);
    return recording_collect_put_block(c, &p, bytes, records, true, err);
}

static ik_status recording_collect_take_rank(collection *c, uint32_t rank, ik_error *err)
{
    char *path = recording_collect_path_in(c->folder, RECORDING_PART_NAME, rank);
    if (!path)
        return ik_fail_memory(err, 64, "a file name");
    FILE *part = fopen(path, "rb");
    ik_status status = IK_OK;
    uint32_t sequence = 0;
    if (!part)
        status = ik_fail(err, IK_ERR_FAILED, "rank %u of %u recorded nothing", rank, c->num_ranks);
    for (bool more = true; status == IK_OK; sequence++) {
        status = recording_collect_take_block(c, part, path, rank, sequence, &more, err);
        if (!more)
            break;
    }
    if (status == IK_OK && sequence == 0)
        status = ik_fail(err, IK_ERR_FAILED, "rank %u of %u recorded nothing", rank, c->num_ranks);
    if (part)
        fclose(part);
    free(path);
    return status;
}

/* The number of ranks, as the file of any rank says it; 0: there is none. *memory: there was none
 * to look. */
static uint32_t recording_collect_find_ranks(const char *folder, bool *memory)
{
    uint32_t ranks = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && !ranks && (e = readdir(dir));) {
        unsigned rank;
        part_block p;
        bool is_part = sscanf(e->d_name, "rank-%u", &rank) == 1;
        char *path = is_part ? recording_collect_path_in(folder, RECORDING_PART_NAME, rank) : NULL;
        *memory |= is_part && !path;
        FILE *part = path ? fopen(path, "rb") : NULL;
        if (part && fread(&p, sizeof p, 1, part) == 1 && p.magic == RECORDING_PART)
            ranks = p.num_ranks;
        if (part)
            fclose(part);
        free(path);
    }
    if (dir)
        closedir(dir);
    return ranks <= RECORDING_MOST_RANK ? ranks : 0;
}

bool ik_record_problem(const char *folder, char *text, size_t room)
{
    DIR *dir = opendir(folder);
    text[0] = '\0';
    for (struct dirent *e; dir && !text[0] && (e = readdir(dir));) {
        unsigned rank;
        char *path = sscanf(e->d_name, "problem-%u", &rank) == 1
                         ? recording_collect_path_in(folder, RECORDING_PROBLEM_NAME, rank)
                         : NULL;
        FILE *file = path ? fopen(path, "rb") : NULL;
        if (file) {
            text[fread(text, 1, room - 1, file)] = '\0';
            fclose(file);
        }
        free(path);
    }
    if (dir)
        closedir(dir);
    return text[0] != '\0';
}

static ik_status recording_collect_put_header(collection *c, ik_error *err)
{
    recording_header h = {.version = RECORDING_VERSION, .num_ranks = c->num_ranks};
    memcpy(h.magic, RECORDING_MAGIC, sizeof h.magic);
    h.crc = recording_collect_crc_of(&h, offsetof(recording_header, crc));
    return recording_collect_put(c, &h, sizeof h, err);
}

static ik_status recording_collect_put_trailer(collection *c, ik_error *err)
{
    recording_end end = {.magic = RECORDING_END,
                         .num_blocks = c->num_blocks,
                         .num_records = c->num_records,
                         .file_crc = c->crc};
    end.crc = recording_collect_crc_of(&end, offsetof(recording_end, crc));
    return recording_collect_put(c, &end, sizeof end, err);
}

ik_status ik_record_collect(const char *folder, FILE *out, ik_error *err)
{
    collection c = {.folder = folder, .out = out};
    char problem[256];
    ik_status status = IK_OK;
    ik_record_problem(folder, problem, sizeof problem);
    bool memory = false;
    c.num_ranks = recording_collect_find_ranks(folder, &memory);
    if (c.num_ranks == 0 && memory)
        status = ik_fail_memory(err, 0, "a file name");
    else if (c.num_ranks == 0)
        status = ik_fail(err, IK_ERR_FAILED,
                         "nothing was recorded: no process called MPI_Init or, with an MPI library "
                         "that has sessions, MPI_Session_init");
    if (status == IK_OK)
        status = recording_collect_put_header(&c, err);
    for (uint32_t rank = 0; rank < c.num_ranks && status == IK_OK; rank++)
        status = recording_collect_take_rank(&c, rank, err);
    if (status == IK_OK)
        status = recording_collect_put_trailer(&c, err);
    if (status == IK_ERR_FAILED && problem[0])
        status = ik_hint(err, status, "a process says: %s", problem);
    else if (status == IK_ERR_FAILED)
        status = ik_hint(err, status,
                         "the program must use an MPI library that is shared and that a recorder "
                         "was built for; for ranks on other nodes see 'ikat help record'");
    free(c.payload);
    return status;
}

void ik_record_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        unsigned number;
        const char *format = sscanf(e->d_name, "rank-%u", &number) == 1 ? RECORDING_PART_NAME
                             : sscanf(e->d_name, "problem-%u", &number) == 1
                                 ? RECORDING_PROBLEM_NAME
                                 : NULL;
        char *path = format ? recording_collect_path_in(folder, format, number) : NULL;
        if (path)
            unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}
