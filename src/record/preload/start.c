/* SPDX-License-Identifier: Apache-2.0
 *
 * start.c: the right recorder for a program. Handles of MPI libraries differ (numbers,
 * addresses), so a recorder must not stand between a program and another library than its own.
 * Before the program begins, a recorder that sees the other library begins the program anew, with
 * the other recorder if there is one, otherwise with none.
 */
#include "recorder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OPEN_MPI
#define OWN_NAME       "libikat_record_openmpi.so"
#define OTHER_NAME     "libikat_record_mpich.so"
#define OTHER_VARIABLE "MPIR_Dup_fn" /* of MPICH's library, in no other */
#else
#define OWN_NAME       "libikat_record_mpich.so"
#define OTHER_NAME     "libikat_record_openmpi.so"
#define OTHER_VARIABLE "ompi_mpi_comm_world"
#endif

/* LD_PRELOAD with the other recorder in the place of this one, to be freed; NULL: this one is not
 * in it. */
static char *other_preload(const char *preload)
{
    const char *own = strstr(preload, OWN_NAME), *begin = own, *after;
    char *text = own ? malloc(strlen(preload) + sizeof OTHER_NAME) : NULL;
    if (!text)
        return NULL;
    while (begin > preload && begin[-1] != ':' && begin[-1] != ' ')
        begin--;
    after = own + strlen(OWN_NAME);
    size_t before = (size_t)(begin - preload), folder = (size_t)(own - begin);
    memcpy(text + before, begin, folder);
    memcpy(text + before + folder, OTHER_NAME, sizeof OTHER_NAME);
    size_t length = folder + strlen(OTHER_NAME);
    if (access(text + before, R_OK) != 0) {
        length = 0;
        after += *after == ':' || *after == ' ';
    }
    memcpy(text, preload, before);
    memcpy(text + before + length, after, strlen(after) + 1);
    return text;
}

__attribute__((constructor)) static void choose(int argc, char **argv)
{
    const char *preload = getenv("LD_PRELOAD");
    (void)argc;
    if (!preload || !dlsym(RTLD_DEFAULT, OTHER_VARIABLE))
        return;
    char *other = other_preload(preload);
    if (other && setenv("LD_PRELOAD", other, 1) == 0) {
        /* under its own path, which the process is named after */
        char self[4096];
        ssize_t length = readlink("/proc/self/exe", self, sizeof self);
        if (length > 0 && (size_t)length < sizeof self) {
            self[length] = '\0';
            execv(self, argv);
        }
        execv("/proc/self/exe", argv);
    }
    free(other);
}
