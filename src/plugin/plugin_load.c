/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_load.c: plug-ins from shared objects.
 *
 * A shared object calls functions of ikat, and is not linked with it: the dynamic linker must find
 * them in the process. The command exports them. A program, or Python's module, that uses
 * libikat.so may have loaded that for itself alone: it is then made visible to objects that are
 * loaded later.
 */
#define _GNU_SOURCE /* dladdr */
#include "plugin/plugin.h"

#include "base/sha256.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEARCH_PATH "IKAT_PLUGIN_PATH"
#define ENTRY       "ik_plugin_entry"

/* ---- the search path */

/* FOLDER/NAME and its ending, if there is such a file: free. *memory: there was none. */
static char *load_look_in(const char *folder, size_t length, const char *name, const char *ending,
                          bool *memory)
{
    struct stat of;
    size_t size = length + strlen(name) + strlen(ending) + 4;
    char *path = malloc(size);
    *memory |= !path;
    if (!path)
        return NULL;
    /* an empty folder is the current one, as in PATH */
    snprintf(path, size, "%.*s/%s%s", length ? (int)length : 1, length ? folder : ".", name,
             ending);
    if (stat(path, &of) == 0 && !S_ISDIR(of.st_mode))
        return path;
    free(path);
    return NULL;
}

static ik_status load_find_file(const char *name, char **out, ik_error *err)
{
    const char *folders = getenv(SEARCH_PATH);
    bool memory = false;
    for (const char *at = folders; at && *folders && !memory;) {
        size_t length = strcspn(at, ":");
        char *found = load_look_in(at, length, name, "", &memory);
        found = found ? found : load_look_in(at, length, name, ".so", &memory);
        if (found) {
            *out = found;
            return IK_OK;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    if (memory)
        return ik_fail_memory(err, strlen(name), "a plug-in");
    if (folders && *folders)
        ik_fail(err, IK_ERR_IO, "there is no plug-in '%.100s' in " SEARCH_PATH " (%.200s)", name,
                folders);
    else
        ik_fail(err, IK_ERR_IO,
                "there is no plug-in '%.100s': a name without '/' is looked for in " SEARCH_PATH
                ", which is not set",
                name);
    return ik_hint(err, IK_ERR_IO, "a file in the current folder is ./%.200s", name);
}

/* ---- the file */

static ik_status load_refuse_file(const char *path, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "not a shared object");
    return ik_hint(err, IK_ERR_INPUT, "cc -shared -fPIC -o mine.so mine.c makes one");
}

/* Whether the file has all that its table of segments names. The dynamic linker trusts that table:
 * with a file that was cut off it ends the process (SIGBUS). */
static bool load_is_whole(FILE *file)
{
    ElfW(Ehdr) head;
    struct stat of;
    if (fstat(fileno(file), &of) != 0 || fseek(file, 0, SEEK_SET) != 0 ||
        fread(&head, sizeof head, 1, file) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    uint64_t size = (uint64_t)of.st_size;
    if (head.e_phoff > size || fseek(file, (long)head.e_phoff, SEEK_SET) != 0)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (fread(&segment, sizeof segment, 1, file) != 1 || segment.p_offset > size ||
            segment.p_filesz > size - segment.p_offset)
            return false;
    }
    return true;
}

/* The digest of its contents. A file that is no whole shared object is refused here: what the
 * dynamic linker says of it is about its parts. */
static ik_status load_identity(const char *path, char identity[SHA256_HEX], ik_error *err)
{
    unsigned char buffer[8192];
    uint8_t digest[SHA256_BYTES];
    struct stat of;
    sha256 s;
    if (stat(path, &of) == 0 && !S_ISREG(of.st_mode))
        return load_refuse_file(path, err);
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOMEM)
        return ik_fail_memory(err, sizeof buffer, "a plug-in");
    if (!file)
        return ik_fail(err, IK_ERR_IO, "cannot open the plug-in '%.200s': %s", path,
                       strerror(errno));
    sha256_begin(&s);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        sha256_add(&s, buffer, got);
    int why = ferror(file) ? errno : 0;
    bool shared = load_is_whole(file);
    fclose(file);
    sha256_end(&s, digest);
    sha256_hex(digest, identity);
    if (why)
        return ik_fail(err, IK_ERR_IO, "cannot read the plug-in '%.200s': %s", path, strerror(why));
    return shared ? IK_OK : load_refuse_file(path, err);
}

/* Makes the functions of this library visible to what is loaded from now on. Where they are a part
 * of the program this does nothing: it must have exported them itself. */
static void load_show_library(void)
{
    Dl_info here;
    void *library = dladdr((void *)&load_show_library, &here)
                        ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL)
                        : NULL;
    if (library)
        dlclose(library); /* it stays visible, and the program's own use keeps it */
    else
        (void)dlerror(); /* of the next failure its own reason is said */
}

/* Whether the dynamic linker had no memory, of which it says nothing but a text. The file was just
 * opened, so that it cannot be opened, without a reason, is said for want of memory, too. */
static bool load_lacks_memory(const char *why)
{
    static const char *const signs[] = {"memory", "allocate", "failed to map", "cannot create"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(why, signs[i]))
            return true;
    return !*why || strcmp(why, "cannot open shared object file") == 0;
}

/* path: as it was given, whole: from the root. */
static ik_status load_open(const char *path, const char *whole, void **handle, ik_error *err)
{
    load_show_library();
    /* its constructors may have registered members, which stay whatever follows */
    *handle = dlopen(whole, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (*handle)
        return IK_OK;
    const char *why = dlerror();
    size_t length = strlen(whole);
    why = why ? why : "";
    if (strncmp(why, whole, length) == 0 && why[length] == ':')
        why += length + 1 + (why[length + 1] == ' ');
    if (load_lacks_memory(why))
        return ik_fail_memory(err, 0, "a plug-in");
    bool calls = strstr(why, "undefined symbol: ik_") != NULL;
    ik_fail_at(err, calls ? IK_ERR_UNSUPPORTED : IK_ERR_INPUT, path, 0, 0, "cannot be loaded: %s",
               why);
    return calls ? ik_hint(err, IK_ERR_UNSUPPORTED,
                           "it was made for another version of ikat, or the program does not "
                           "export the functions of ikat: link it with libikat.so, or with "
                           "-rdynamic")
                 : ik_hint(err, IK_ERR_INPUT, "cc -shared -fPIC -o mine.so mine.c makes one");
}

/* ---- what is loaded already */

typedef enum load_known { LOAD_NEW, LOAD_SAME, LOAD_CHANGED } load_known;

/* Of two objects with the same contents the second adds nothing. A file that was loaded and has
 * changed since is the old one in this process, whatever it holds now. */
static load_known load_look_up(const char *path, const char *identity)
{
    for (const registry_plugin *p = registry_newest(); p; p = p->before) {
        const ik_plugin_info *info = p->info;
        if (strcmp(info->identity, identity) == 0)
            return LOAD_SAME;
        if (strcmp(info->file, path) == 0)
            return LOAD_CHANGED;
    }
    return LOAD_NEW;
}

/* Another thread may have loaded the same file since; *known is then not LOAD_NEW. */
static ik_status load_register(const ik_plugin *plugin, const char *path, const char *whole,
                               const char *identity, load_known *known, ik_error *err)
{
    ik_status status = IK_OK;
    registry_lock();
    *known = load_look_up(whole, identity);
    if (*known == LOAD_NEW)
        status = plugin_register(plugin, whole, identity, err);
    registry_unlock();
    if (status != IK_OK)
        ik_error_at(err, path, 0, 0);
    return status;
}

/* The lock is not held while the object is opened: its constructors may register what they like. */
static ik_status load_new(const char *path, const char *whole, const char *identity,
                          load_known *known, ik_error *err)
{
    void *handle = NULL;
    ik_status status = load_open(path, whole, &handle, err);
    if (status != IK_OK)
        return status;
    const ik_plugin *plugin = dlsym(handle, ENTRY);
    if (plugin) {
        status = load_register(plugin, path, whole, identity, known, err);
    } else {
        status = ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "has no symbol '" ENTRY "'");
        ik_hint(err, status, "IK_PLUGIN_EXPORT const ik_plugin " ENTRY " = {IK_PLUGIN_HEADER, …};");
    }
    if (status != IK_OK || *known != LOAD_NEW)
        dlclose(handle);
    return status;
}

static ik_status load_file(const char *path, ik_error *err)
{
    char identity[SHA256_HEX], *whole = NULL;
    ik_status status = load_identity(path, identity, err);
    if (status != IK_OK)
        return status;
    whole = realpath(path, NULL); /* one name, from whichever folder it is named */
    if (!whole)
        return errno == ENOMEM ? ik_fail_memory(err, strlen(path), "a plug-in")
                               : ik_fail(err, IK_ERR_IO, "cannot open the plug-in '%.200s': %s",
                                         path, strerror(errno));
    load_known known = load_look_up(whole, identity);
    if (known == LOAD_NEW)
        status = load_new(path, whole, identity, &known, err);
    if (known == LOAD_CHANGED) {
        ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "has changed since it was loaded");
        status = ik_hint(err, IK_ERR_INPUT, "start the program again");
    }
    free(whole);
    return status;
}

ik_status ik_plugin_load(const char *path, ik_error *err)
{
    char *found = NULL;
    if (!path || !*path)
        return ik_fail(err, IK_ERR_USAGE, "the name of a plug-in is empty");
    ik_status status = strchr(path, '/') ? IK_OK : load_find_file(path, &found, err);
    if (status == IK_OK)
        status = load_file(found ? found : path, err);
    free(found);
    return status;
}
