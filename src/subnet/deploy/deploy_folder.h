/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_folder.h: a folder of files that appears whole or not at all.
 */
#ifndef IKAT_SUBNET_DEPLOY_FOLDER_H
#define IKAT_SUBNET_DEPLOY_FOLDER_H

#include "base/output/temporary.h"
#include "ikat/base.h"

enum { DEPLOY_PATH = 4096 };

/* The files of a deployment. */
typedef enum deploy_file {
    DEPLOY_LFTS,
    DEPLOY_POLICY,
    DEPLOY_CONF,
    DEPLOY_ROOTS,
    DEPLOY_ORDER,
    DEPLOY_COMMANDS,
    DEPLOY_TEXT,
    DEPLOY_JSON,
    DEPLOY_FABRIC,
    DEPLOY_FILES
} deploy_file;
const char *deploy_file_name(deploy_file file);

typedef struct deploy_folder {
    char path[DEPLOY_PATH]; /* absolute */
    temporary temporary;    /* beside it, where files are written */
    bool exists;            /* path does, and holds files */
} deploy_folder;

/* What would keep deploy_folder_open from making a folder at `path`, without making anything. */
ik_status deploy_folder_check(const char *path, bool force, ik_error *err);
/* Makes the temporary folder. IK_ERR_USAGE: the folder holds files, and force is false. */
ik_status deploy_folder_open(deploy_folder *d, const char *path, bool force, ik_error *err);
/* The same in the folder for temporary files, for what is never finished: whatever has the name
 * `path` there already does not matter. */
ik_status deploy_folder_open_dry(deploy_folder *d, ik_error *err);
/* Path of a file in the temporary folder, into buffer, which is returned. */
char *deploy_folder_file(const deploy_folder *d, deploy_file file, char *buffer, size_t size);
/* Puts the folder in place. One that is there is replaced whole: files of an earlier deployment go,
 * others move over. A failure leaves it as it was; the temporary folder is gone either way. */
ik_status deploy_folder_finish(deploy_folder *d, ik_error *err);
/* Removes the temporary folder; also after a failure. */
void deploy_folder_drop(deploy_folder *d);

#endif
