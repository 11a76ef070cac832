/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes OTF2 archives with the format's own library, and damages their files. */
#ifndef TEST_OTF2_ARCHIVES_H
#define TEST_OTF2_ARCHIVES_H

#include <ftw.h>
#include <otf2/otf2.h>
#include <unistd.h>

static OTF2_FlushType before_flush(void *ctx, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)ctx, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *ctx, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)ctx, (void)type, (void)location;
    return 0;
}

/* Region 0 is no MPI call, 1 is one. Ticks are ns. */
static void write_rank_events(OTF2_EvtWriter *e, uint32_t rank, uint32_t ranks)
{
    uint32_t right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    OTF2_EvtWriter_Enter(e, NULL, 1000, 0);
    OTF2_EvtWriter_Enter(e, NULL, 1000, 1); /* MPI_Irecv */
    OTF2_EvtWriter_MpiIrecvRequest(e, NULL, 1010, 1);
    OTF2_EvtWriter_Leave(e, NULL, 1020, 1);
    OTF2_EvtWriter_Enter(e, NULL, 1020, 1); /* MPI_Isend */
    OTF2_EvtWriter_MpiIsend(e, NULL, 1030, right, 0, 5, 4096, 2);
    OTF2_EvtWriter_Leave(e, NULL, 1040, 1);
    OTF2_EvtWriter_Enter(e, NULL, 2040, 1); /* MPI_Waitall, 1 us later */
    OTF2_EvtWriter_MpiIrecv(e, NULL, 2050, left, 0, 5, 4096, 1);
    OTF2_EvtWriter_MpiIsendComplete(e, NULL, 2050, 2);
    OTF2_EvtWriter_Leave(e, NULL, 2060, 1);
    OTF2_EvtWriter_Enter(e, NULL, 2060, 1); /* MPI_Allreduce of 8 B */
    OTF2_EvtWriter_MpiCollectiveBegin(e, NULL, 2060);
    OTF2_EvtWriter_MpiCollectiveEnd(e, NULL, 2070, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_UNDEFINED_UINT32, 8ull * ranks, 8ull * ranks);
    OTF2_EvtWriter_Leave(e, NULL, 2080, 1);
    OTF2_EvtWriter_Leave(e, NULL, 2080, 0);
}

static uint32_t twin_of_0; /* this rank is the location of rank 0 */

static void write_definitions(OTF2_GlobalDefWriter *d, uint32_t ranks)
{
    uint64_t members[16];
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 0, 3000, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(d, 0, "a name");
    OTF2_GlobalDefWriter_WriteString(d, 1, "");
    OTF2_GlobalDefWriter_WriteRegion(d, 0, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, 1, 0, 0);
    OTF2_GlobalDefWriter_WriteRegion(d, 1, 0, 0, 0, OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, 1, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t r = 0; r < ranks; r++) {
        members[r] = r == twin_of_0 ? 0 : r;
        OTF2_GlobalDefWriter_WriteLocationGroup(d, r, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, r, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 17, r);
    }
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, ranks, members);
    OTF2_GlobalDefWriter_WriteGroup(d, 1, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, ranks, members);
    OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void write_archive(const char *folder, uint32_t ranks)
{
    static OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush,
                                        .otf2_post_flush = after_flush};
    OTF2_Archive *a =
        OTF2_Archive_Open(folder, "t", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(a);
    OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(a);
    OTF2_Archive_OpenEvtFiles(a);
    for (uint32_t r = 0; r < ranks; r++) {
        OTF2_EvtWriter *e = OTF2_Archive_GetEvtWriter(a, r);
        write_rank_events(e, r, ranks);
        OTF2_Archive_CloseEvtWriter(a, e);
    }
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_Archive_OpenDefFiles(a);
    for (uint32_t r = 0; r < ranks; r++)
        OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, r));
    OTF2_Archive_CloseDefFiles(a);
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(a);
    write_definitions(d, ranks);
    OTF2_Archive_CloseGlobalDefWriter(a, d);
    assert_int_equal(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

/* ---- its files */

static char archive_files[32][200];
static unsigned archive_num;
static uint8_t *archive_bytes;
static size_t archive_size;

static int note_file(const char *path, const struct stat *of, int type, struct FTW *place)
{
    (void)of, (void)place;
    if (type == FTW_F && archive_num < 32)
        snprintf(archive_files[archive_num++], sizeof *archive_files, "%s", path);
    return 0;
}

static unsigned list_archive(const char *folder)
{
    archive_num = 0;
    nftw(folder, note_file, 8, FTW_PHYS);
    return archive_num;
}

static int remove_entry(const char *path, const struct stat *of, int type, struct FTW *place)
{
    (void)of, (void)type, (void)place;
    return remove(path);
}

static void remove_archive(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_PHYS | FTW_DEPTH);
    free(archive_bytes);
    archive_bytes = NULL;
}

static void write_file(unsigned f, const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(archive_files[f], "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static size_t load_file(unsigned f)
{
    FILE *in = fopen(archive_files[f], "rb");
    assert_non_null(in);
    free(archive_bytes);
    archive_bytes = malloc(1 << 20);
    archive_size = fread(archive_bytes, 1, 1 << 20, in);
    fclose(in);
    return archive_size;
}

static void damage_file(unsigned f, size_t at, bool flip)
{
    if (flip)
        archive_bytes[at] ^= 0xFF;
    write_file(f, archive_bytes, flip ? archive_size : at);
    if (flip)
        archive_bytes[at] ^= 0xFF;
}

static void restore_file(unsigned f)
{
    write_file(f, archive_bytes, archive_size);
}

#endif
