/* SPDX-License-Identifier: Apache-2.0
 *
 * A proof that says yes beside a simulation that stands still: the run fails, says that it is a
 * fault of ikat itself, and keeps that. The proof is forged here, in the cache. */
#define _GNU_SOURCE /* nftw */
#include "unit/experiment_text.h"
#include "verify/proof_file.h"

#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ikat_contradiction_XXXXXX";
static const ik_fabric *ring;
static unsigned forged, told;

static const char experiment[] = "fabric: \"ring:n=5,p=3\"\nrouting: shortest\nvcs: 1\n"
                                 "traffic: \"shift:by=5\"\nload: 100%\n"
                                 "switch: {buffer: 2 KiB}\nadapter: {packet: 1 KiB}\n"
                                 "measure: {warmup: 0 ns, duration: 20 us, watchdog: 1 us}\n";

/* The proof of a file of the cache says yes from now on. */
static int forge(const char *path, const struct stat *info, int kind)
{
    uint8_t bytes[4096], *changed = NULL;
    size_t size;
    proof_key key;
    ik_proof proof;
    const char *hex = strrchr(path, '/') + 1;
    if (kind != FTW_F || strlen(hex) != 2 * sizeof key.digest)
        return 0;
    assert_true(info->st_size < (off_t)sizeof bytes);
    for (size_t k = 0; k < sizeof key.digest; k++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * k, "%2x", &byte), 1);
        key.digest[k] = (uint8_t)byte;
    }
    FILE *file = fopen(path, "rb");
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(proof_unpack(bytes, size, &key, ring, 1, &proof));
    assert_int_equal(proof.deadlock_free, IK_NO);
    proof.deadlock_free = IK_YES;
    assert_int_equal(proof_pack(&proof, &key, &changed, &size, NULL), IK_OK);
    file = fopen(path, "wb");
    assert_int_equal(fwrite(changed, 1, size, file), size);
    fclose(file);
    free(changed);
    ik_proof_free(&proof);
    forged++;
    return 0;
}

static void note(void *ctx, ik_severity severity, const char *text)
{
    (void)ctx;
    told += severity == IK_ERROR && strstr(text, "contradict each other") &&
            strstr(text, "please report it");
}

/* Whether the run failed; what it keeps of the deadlock goes to `kept`. */
static bool run(const char *name, char *kept, size_t size)
{
    char path[100];
    ik_experiment *e = read_ok(experiment, NULL);
    ik_env env = {.seed = 1, .cache_folder = folder};
    ik_run_observer observer = {.note = note};
    ik_error err = {0};
    bool failed = false;
    snprintf(path, sizeof path, "%s/%s.db", folder, name);
    if (ik_experiment_run(e, path, 1, &env, NULL, &observer, &failed, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_experiment_free(e);
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT deadlock FROM points", -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    snprintf(kept, size, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return failed;
}

static int away(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void contradictions_are_told(void **state)
{
    (void)state;
    char kept[4096];
    ik_fabric *f = fabric_of("ring:n=5,p=3");
    ring = f;
    assert_non_null(mkdtemp(folder));
    assert_true(run("before", kept, sizeof kept));
    assert_int_equal(told, 0);
    assert_null(strstr(kept, "contradicts"));
    assert_int_equal(ftw(folder, forge, 8), 0);
    assert_int_equal(forged, 1);
    assert_true(run("after", kept, sizeof kept));
    assert_int_equal(told, 1);
    assert_ptr_equal(strstr(kept, "contradicts its proof"), kept);
    assert_non_null(strchr(kept, '\n')); /* the cycle follows */
    nftw(folder, away, 8, FTW_DEPTH | FTW_PHYS);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contradictions_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
