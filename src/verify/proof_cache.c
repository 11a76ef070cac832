/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of proofs, a file each, named by a digest of all that a proof depends on: the build, the
 * fabric's contents, the routing with its tables, files and plug-in, the VC scheme, the number of
 * VCs, the seed, the flow control and the sample. Files appear by rename, so processes may share
 * the folder. Whatever is wrong with the folder or a file, the proof is made as if there were
 * none.
 */
#include "fabric/fabric_digest.h"
#include "registry/registry.h"
#include "verify/proof_file.h"
#include "verify/spec_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 16 << 20 };

/* ---- the key */

static bool proof_cache_add_file(sha256 *s, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    if (ik_text_read(path, 0, &text, &size, NULL) != IK_OK)
        return false;
    sha256_add_u64(s, size);
    sha256_add(s, text, size);
    free(text);
    return true;
}

static bool proof_cache_add_file_of(void *s, const char *path)
{
    return proof_cache_add_file(s, path);
}

static bool proof_cache_add_plugin(void *s, const char *identity)
{
    sha256_add_text(s, identity);
    return true;
}

/* The contents of every file that a spec reads. False also if it lacks parameter `needed` (NULL =
 * none is). */
static bool proof_cache_add_files(sha256 *s, const char *kind, const char *text,
                                  const ik_param *decl, const char *needed)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params = {0};
    bool good = ik_spec_parse(text, &arena, &spec, NULL) == IK_OK &&
                ik_params_from_spec(&params, kind, &spec, decl, NULL, NULL) == IK_OK &&
                (!needed || ik_params_has(&params, needed)) &&
                spec_files_each(&params, proof_cache_add_file_of, proof_cache_add_plugin, s);
    ik_params_free(&params);
    ik_arena_free(&arena);
    return good;
}

/* Ports as bytes where they are, which the digest of the fabric tells: half as much to digest. */
static bool proof_cache_add_table(sha256 *s, const ik_fabric *f, const uint16_t *lft)
{
    size_t hosts = f->num_hosts, switches = f->num_switches;
    uint8_t *row = ik_max_radix(f) < UINT8_MAX ? ik_calloc(hosts + 1, 1) : NULL;
    if (!row && ik_max_radix(f) < UINT8_MAX)
        return false;
    if (!row)
        sha256_add(s, lft, switches * hosts * sizeof *lft);
    for (size_t sw = 0; row && sw < switches; sw++) {
        for (size_t i = 0; i < hosts; i++)
            row[i] = (uint8_t)(lft[sw * hosts + i] < UINT8_MAX ? lft[sw * hosts + i] : UINT8_MAX);
        sha256_add(s, row, hosts);
    }
    free(row);
    return true;
}

/* What is asked for is part of the key: a new member of the configuration belongs into
 * proof_cache_make_key(). */
_Static_assert(sizeof(ik_verify_config) == 24, "ik_verify_config has changed: see the comment");

/* The fabric that a proof's hosts are counted on. */
static const ik_fabric *proof_cache_whole_of(const ik_plan *plan)
{
    return plan->fabric->split ? plan->fabric->split->whole : plan->fabric;
}

/* False if what the proof depends on cannot be determined. */
static bool proof_cache_make_key(const ik_plan *plan, const ik_verify_config *config,
                                 const ik_env *env, proof_key *key)
{
    const ik_routing *r = plan->routing;
    const ik_fabric *f = plan->fabric;
    /* routes may be made for traffic that their spec does not name */
    const char *needed = r->family->traits & IK_ROUTE_FOR_TRAFFIC ? "traffic" : NULL;
    sha256 s;
    if (!r->spec || !plan->vc->spec)
        return false;
    sha256_begin(&s);
    sha256_add_text(&s, ik_build());
    /* a split fabric is alike to one whose hosts are really single ports */
    fabric_add_digest(proof_cache_whole_of(plan), &s);
    sha256_add_text(&s, r->spec);
    /* by name: hosts with several cables have a descriptor of their own around it */
    sha256_add_text(&s, registry_identity(ik_routing_find(r->family->name)));
    sha256_add_u64(&s, r->seed);
    sha256_add_u64(&s, env ? env->seed : 0);
    if (r->lft ? !proof_cache_add_table(&s, f, r->lft)
               : !proof_cache_add_files(&s, "routing", r->spec, r->family->params, needed))
        return false;
    sha256_add_text(&s, plan->vc->spec);
    sha256_add_text(&s, registry_identity(plan->vc->family));
    if (!proof_cache_add_files(&s, "VC scheme", plan->vc->spec, plan->vc->family->params, NULL))
        return false;
    sha256_add_u64(&s, plan->num_vcs);
    sha256_add_u64(&s, config->flow);
    sha256_add_u64(&s, config->sample_pairs);
    sha256_add_u64(&s, config->pairwise);
    sha256_end(&s, key->digest);
    return true;
}

/* ---- the folder */

static bool proof_cache_make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Makes path and, where they are missing, the folders above it. */
static bool proof_cache_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = proof_cache_make_folder(path);
        *slash = '/';
        if (!made)
            return false;
    }
    return proof_cache_make_folder(path);
}

/* "FOLDER/proofs/ab/abcdef…"; *folder_length: of what stands before the last '/'. */
static char *proof_cache_file_name(const char *folder, const proof_key *key, size_t *folder_length)
{
    char hex[SHA256_HEX];
    sha256_hex(key->digest, hex);
    size_t size = strlen(folder) + sizeof hex + 16;
    char *path = malloc(size);
    if (path)
        *folder_length = (size_t)snprintf(path, size, "%s/proofs/%.2s", folder, hex);
    if (path)
        snprintf(path + *folder_length, size - *folder_length, "/%s", hex);
    return path;
}

/* Does not wait for a writer where the path is that of a pipe. */
static FILE *proof_cache_open_to_read(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (descriptor >= 0 && !file)
        close(descriptor);
    return file;
}

static bool proof_cache_load(const char *path, const proof_key *key, const ik_plan *plan,
                             ik_proof *out)
{
    struct stat info;
    bool found = false;
    FILE *file = proof_cache_open_to_read(path);
    if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        info.st_size <= MAX_FILE) {
        size_t size = (size_t)info.st_size;
        uint8_t *bytes = malloc(size);
        if (bytes && fread(bytes, 1, size, file) == size)
            found = proof_unpack(bytes, size, key, proof_cache_whole_of(plan), plan->num_vcs, out);
        free(bytes);
    }
    if (file)
        fclose(file);
    return found;
}

/* Another process may be doing the same: the last one to rename its file wins, and all are
 * equal. */
static void proof_cache_save(char *path, size_t folder_length, const proof_key *key,
                             const ik_proof *proof)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (proof_pack(proof, key, &bytes, &size, NULL) != IK_OK)
        return;
    path[folder_length] = '\0';
    bool ready = size <= MAX_FILE && proof_cache_make_folders(path);
    path[folder_length] = '/';
    size_t room = strlen(path) + 16;
    char *made = ready ? malloc(room) : NULL;
    if (made) {
        snprintf(made, room, "%s.XXXXXX", path);
        int descriptor = mkstemp(made);
        FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
        bool written = file && fwrite(bytes, 1, size, file) == size;
        if (file)
            written &= fclose(file) == 0;
        else if (descriptor >= 0)
            close(descriptor);
        if (descriptor >= 0 && (!written || rename(made, path) != 0))
            unlink(made);
    }
    free(made);
    free(bytes);
}

ik_status ik_verify_cached(const ik_plan *plan, const ik_verify_config *config, const ik_env *env,
                           ik_proof *out, bool *cached, ik_error *err)
{
    static const ik_verify_config everything = {0};
    const ik_verify_config *asked = config ? config : &everything;
    proof_key key;
    size_t folder_length = 0;
    bool keyed = env && env->cache_folder && env->cache_folder[0] &&
                 proof_cache_make_key(plan, asked, env, &key);
    char *path = keyed ? proof_cache_file_name(env->cache_folder, &key, &folder_length) : NULL;
    bool found = path && proof_cache_load(path, &key, plan, out);
    ik_status status = found ? IK_OK : ik_verify(plan, asked, env, out, err);
    if (path && !found && status == IK_OK)
        proof_cache_save(path, folder_length, &key, out);
    free(path);
    if (status == IK_OK && cached)
        *cached = found;
    return status;
}
