/* SPDX-License-Identifier: Apache-2.0
 *
 * test_proof_cache.c: a proof read from the cache is the proof that was made, whatever else lies in
 * the folder is no proof, and nothing that a proof depends on is left out of its name.
 */
#include "unit/verify_helpers.h"

#include "verify/proof_file.h"
#include "verify/spec_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ikat-proofs-XXXXXX";

typedef struct case_row {
    const char *fabric, *routing, *vc;
    unsigned num_vcs;
} case_row;

/* Proofs that hold and that fail in every way: cycles, cycles of escape layers, gaps of escape
 * layers, parts without a way. */
static const case_row cases[] = {
    {"karytree:k=2,n=3", "dmodk", NULL, 0},
    {"ring:n=5", "minimal:paths=one", "1q", 0},
    {"mesh:dims=4:4", "minimal", "escape:routing=updown", 0},
    {"mesh:dims=4:4", "minimal", "escape:routing=dor", 0},
    {"karytree:k=2,n=2,fail=100%", "updown", NULL, 0},
    {"slimfly:q=3", "valiant", NULL, 0},
};
enum { NUM_CASES = sizeof cases / sizeof *cases };

static ik_plan *case_plan(const case_row *row, ik_fabric **f)
{
    *f = fabric_of(row->fabric);
    return plan_of(*f, row->routing, row->vc, row->num_vcs);
}

static ik_proof proof_of(const ik_plan *p, const ik_verify_config *config, const char *cache,
                         bool *cached)
{
    ik_proof proof;
    ik_error err = {0};
    ik_env env = {.cache_folder = cache};
    if (ik_verify_cached(p, config, &env, &proof, cached, &err) != IK_OK)
        fail_msg("%s", err.text);
    return proof;
}

/* As bytes: every number and list. */
static void assert_equal_proofs(const ik_proof *a, const ik_proof *b)
{
    static const proof_key key = {{1}};
    uint8_t *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    assert_int_equal(proof_pack(a, &key, &x, &nx, NULL), IK_OK);
    assert_int_equal(proof_pack(b, &key, &y, &ny, NULL), IK_OK);
    assert_int_equal(nx, ny);
    assert_memory_equal(x, y, nx);
    free(x);
    free(y);
    assert_same_proof(a, b);
    assert_string_equal(a->deadlock_reason, b->deadlock_reason);
}

static void made_and_cached_are_equal(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CASES; i++)
        for (ik_flow flow = IK_FLOW_ANY; flow <= IK_FLOW_SETTLED; flow++)
            for (uint64_t sample = 0; sample <= 5; sample += 5) {
                ik_verify_config config = {.flow = flow, .sample_pairs = sample};
                ik_fabric *f = NULL;
                ik_plan *p = case_plan(&cases[i], &f);
                bool cached = true;
                ik_proof made = proof_of(p, &config, NULL, &cached);
                assert_false(cached);
                ik_proof first = proof_of(p, &config, folder, &cached);
                assert_false(cached); /* neither another flow's nor another sample's */
                ik_proof second = proof_of(p, &config, folder, &cached);
                assert_true(cached);
                assert_equal_proofs(&made, &first);
                assert_equal_proofs(&made, &second);
                ik_proof_free(&made);
                ik_proof_free(&first);
                ik_proof_free(&second);
                ik_plan_free(p);
                ik_fabric_free(f);
            }
}

/* Is the proof of this plan in the cache? It is afterwards. */
static bool known(const ik_fabric *f, const char *routing, const char *vc, unsigned num_vcs,
                  uint64_t seed)
{
    ik_env env = {.cache_folder = folder, .seed = seed};
    ik_error err = {0};
    ik_plan *p = NULL;
    ik_proof proof;
    bool cached = false;
    if (ik_plan_from_specs(f, routing, vc, NULL, num_vcs, &env, &p, &err) != IK_OK ||
        ik_verify_cached(p, NULL, &env, &proof, &cached, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_proof_free(&proof);
    ik_plan_free(p);
    return cached;
}

static void name_has_all_that_matters(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=3:3");
    assert_false(known(f, "dor", NULL, 0, 1));
    assert_true(known(f, "dor", NULL, 0, 1));
    assert_false(known(f, "updown", NULL, 0, 1));
    assert_false(known(f, "dor", "hopclass", 0, 1));
    assert_false(known(f, "dor", NULL, 5, 1));
    assert_false(known(f, "dor", NULL, 0, 2));
    uint32_t port = f->port_base[0];
    uint16_t link_class = f->port_class[port];
    ik_fabric *cut = NULL;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &cut, NULL), IK_OK);
    assert_true(known(f, "updown", NULL, 0, 1));
    assert_false(known(cut, "updown", NULL, 0, 1));
    f->classes[link_class].rate_bps++; /* anything of the fabric may lead a routing */
    assert_false(known(f, "updown", NULL, 0, 1));
    f->intact = false;
    assert_false(known(f, "updown", NULL, 0, 1));
    ik_fabric_free(cut);
    ik_fabric_free(f);
}

/* The same spec of a table whose file has changed. */
static void tables_are_read_anew(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("ring:n=5");
    ik_env env = {0};
    char path[128], spec[160];
    snprintf(path, sizeof path, "%s/table", folder);
    snprintf(spec, sizeof spec, "lft:path=%s", path);
    const char *const routings[] = {"updown", "minimal:paths=one"};
    for (size_t i = 0; i < 4; i++) {
        ik_routing *r = NULL;
        assert_int_equal(ik_routing_from_spec(f, routings[i % 2], &env, &r, NULL), IK_OK);
        assert_int_equal(ik_lft_write(r, path, NULL), IK_OK);
        ik_routing_free(r);
        assert_int_equal(known(f, spec, "1q", 0, 1), i >= 2);
    }
    ik_fabric_free(f);
}

/* ---- files behind others */

static char walked[1024];

static bool note_walked(void *ctx, const char *path)
{
    size_t skip = strlen(ctx) + 1, used = strlen(walked);
    snprintf(walked + used, sizeof walked - used, "%s ", path + skip);
    return true;
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The files that a value reads, without the folder. */
static const char *files_of(ik_param_type type, const char *name, const char *text)
{
    const ik_param rows[] = {{.name = name, .type = type, .def = ""}, {0}};
    ik_params params;
    assert_int_equal(ik_params_init(&params, rows, NULL, NULL), IK_OK);
    assert_int_equal(ik_params_set(&params, "test", name, text, 0, 0, NULL), IK_OK);
    walked[0] = '\0';
    bool good = spec_files_each(&params, note_walked, note_walked, folder);
    ik_params_free(&params);
    return good ? walked : NULL;
}

static void files_behind_files_count(void **state)
{
    (void)state;
    static const char *const made[] = {"t.otf2", "t.def", "t/0.evt", "t/10.evt", "t/9.evt"};
    char path[256], text[1024];
    snprintf(path, sizeof path, "%s/t", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        write_file(made[i], "");
    snprintf(path, sizeof path, "%s/t.otf2", folder);
    assert_string_equal(files_of(IK_PARAM_PATH, "trace", path),
                        "t.otf2 t.def t/0.evt t/9.evt t/10.evt ");
    snprintf(text, sizeof text, "shift+program:trace=%s;mapping=%s/m", path, folder);
    assert_string_equal(files_of(IK_PARAM_PATTERNS, "traffic", text),
                        "t.otf2 t.def t/0.evt t/9.evt t/10.evt m ");
    snprintf(text, sizeof text, "subset:pattern=file:path=%s/f", folder);
    assert_string_equal(files_of(IK_PARAM_PATTERNS, "traffic", text), "f ");
    snprintf(text, sizeof text, "a=nas:benchmark=cg|mapping=%s/m&b@2 us=storage:trace=%s/s", folder,
             folder);
    assert_string_equal(files_of(IK_PARAM_JOBS, "jobs", text), "m s ");
    snprintf(text, sizeof text, "lft:path=%s/l", folder);
    assert_string_equal(files_of(IK_PARAM_SPEC, "routing", text), "l ");
    snprintf(text, sizeof text, "escape:routing=lft:path=%s/l", folder);
    assert_string_equal(files_of(IK_PARAM_SPEC, "vc", text), "l ");
    assert_null(files_of(IK_PARAM_SPEC, "routing", "nothing:path=x"));
}

/* ---- foreign bytes */

static void seal_again(uint8_t *bytes, size_t size)
{
    sha256 s;
    sha256_begin(&s);
    sha256_add(&s, bytes, size - SHA256_BYTES);
    sha256_end(&s, bytes + size - SHA256_BYTES);
}

/* What is accepted can be used: indices exist. */
static void touch(const ik_fabric *f, const ik_proof *p)
{
    char text[64];
    assert_true(p->delivered <= IK_UNKNOWN && p->deadlock_free <= IK_UNKNOWN &&
                p->flow <= IK_FLOW_SETTLED);
    for (size_t i = 0; i < p->witness_length; i++) {
        assert_true(p->witness[i].channel < f->num_ports &&
                    f->port_peer[p->witness[i].channel] != IK_NONE);
        ik_node_describe(f, ik_host_node(f, p->witness[i].src), text, sizeof text);
        assert_true(p->witness[i].dst < f->num_hosts);
    }
    for (size_t i = 0; i < p->lost_path_length; i++)
        assert_true(p->lost_path[i] < f->num_ports);
    assert_true(p->gap_src == IK_NONE || (p->gap_src < f->num_hosts && p->gap_port < f->num_ports));
    assert_true(p->first_undelivered_src == IK_NONE || p->first_undelivered_dst < f->num_hosts);
    assert_true(strlen(p->deadlock_reason) < 1000);
}

static void damaged_bytes_are_no_proof(void **state)
{
    (void)state;
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < NUM_CASES; i++) {
        ik_fabric *f = NULL;
        ik_plan *p = case_plan(&cases[i], &f);
        proof_key key = {{7}}, other = {{8}};
        ik_proof proof = proof_of(p, NULL, NULL, NULL), out;
        uint8_t *bytes = NULL;
        size_t size = 0;
        assert_int_equal(proof_pack(&proof, &key, &bytes, &size, NULL), IK_OK);
        assert_false(proof_unpack(bytes, size, &other, f, p->num_vcs, &out));
        assert_true(proof_unpack(bytes, size, &key, f, p->num_vcs, &out));
        ik_proof_free(&out);
        uint8_t *copy = malloc(size);
        for (size_t at = 0; at < size; at++) {
            for (size_t v = 0; v < sizeof values; v++) {
                memcpy(copy, bytes, size);
                copy[at] = values[v];
                bool same = copy[at] == bytes[at];
                assert_int_equal(proof_unpack(copy, size, &key, f, p->num_vcs, &out), same);
                if (same)
                    ik_proof_free(&out);
                seal_again(copy, size); /* as if it were meant */
                if (proof_unpack(copy, size, &key, f, p->num_vcs, &out)) {
                    touch(f, &out);
                    ik_proof_free(&out);
                }
            }
            memcpy(copy, bytes, at);
            assert_false(proof_unpack(copy, at, &key, f, p->num_vcs, &out));
            if (at >= 3 * SHA256_BYTES) {
                seal_again(copy, at);
                assert_false(proof_unpack(copy, at, &key, f, p->num_vcs, &out));
            }
        }
        free(copy);
        free(bytes);
        ik_proof_free(&proof);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* ---- files */

/* Does something to every file of the cache; returns how many there are. */
static size_t each_file(const char *at, void (*act)(const char *path))
{
    size_t count = 0;
    DIR *dir = opendir(at);
    for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char path[600];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", at, e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode)) {
            count += each_file(path, act);
        } else {
            count++;
            act(path);
        }
    }
    if (dir)
        closedir(dir);
    return count;
}

static void empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void cut_short(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
}

static void dangle(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
}

static void become_folder(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void become_pipe(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void nothing(const char *path)
{
    (void)path;
}

static void damaged_files_are_made_anew(void **state)
{
    (void)state;
    static void (*const damages[])(const char *) = {empty, cut_short, dangle, become_pipe,
                                                    become_folder};
    char own[128], proofs[160];
    snprintf(own, sizeof own, "%s/own", folder);
    snprintf(proofs, sizeof proofs, "%s/proofs", own);
    ik_fabric *f = NULL;
    ik_plan *p = case_plan(&cases[1], &f);
    ik_proof made = proof_of(p, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        bool cached = true;
        ik_proof first = proof_of(p, NULL, own, &cached);
        assert_false(cached);
        assert_equal_proofs(&made, &first);
        ik_proof_free(&first);
        assert_int_equal(each_file(proofs, damages[i]), 1);
        ik_proof second = proof_of(p, NULL, own, &cached);
        assert_false(cached);
        assert_equal_proofs(&made, &second);
        ik_proof_free(&second);
        each_file(proofs, empty);
    }
    ik_proof_free(&made);
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void an_unwritable_folder_is_none(void **state)
{
    (void)state;
    static const char *const places[] = {"/dev/null", "/dev/null/ikat", "/proc/nothing", ""};
    ik_fabric *f = NULL;
    ik_plan *p = case_plan(&cases[0], &f);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int again = 0; again < 2; again++) {
            bool cached = true;
            ik_proof proof = proof_of(p, NULL, places[i], &cached);
            assert_false(cached);
            assert_int_equal(proof.delivered, IK_YES);
            ik_proof_free(&proof);
        }
    assert_true(each_file(folder, nothing) > 0);
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void sha256_is_that_of_the_standard(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX];
    sha256 s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sha256_begin(&s);
        for (const char *at = rows[i][0]; *at; at++)
            sha256_add(&s, at, 1);
        sha256_end(&s, digest);
        sha256_hex(digest, hex);
        assert_string_equal(hex, rows[i][1]);
    }
    char thousand[1000];
    memset(thousand, 'a', sizeof thousand);
    sha256_begin(&s);
    for (int i = 0; i < 1000; i++)
        sha256_add(&s, thousand, sizeof thousand);
    sha256_end(&s, digest);
    sha256_hex(digest, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static int start(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_is_that_of_the_standard),
        cmocka_unit_test(made_and_cached_are_equal),
        cmocka_unit_test(name_has_all_that_matters),
        cmocka_unit_test(tables_are_read_anew),
        cmocka_unit_test(files_behind_files_count),
        cmocka_unit_test(damaged_bytes_are_no_proof),
        cmocka_unit_test(damaged_files_are_made_anew),
        cmocka_unit_test(an_unwritable_folder_is_none),
    };
    return cmocka_run_group_tests(tests, start, end);
}
