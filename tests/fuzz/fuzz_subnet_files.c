/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the files beside a fabric: the first byte chooses which, the rest is its text. What is
 * read leaves a fabric that holds together.
 */
#define _GNU_SOURCE /* memfd_create */
#include "ikat/subnet_files.h"
#include "ikat/topology.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ik_status read_one(ik_fabric *f, unsigned which, const char *path, ik_error *err)
{
    ik_lids lids;
    ik_lid_matrix matrix;
    uint32_t *roots = NULL, num;
    if (which == 0)
        return ik_node_names_apply(f, path, NULL, NULL, err);
    if (which == 1)
        return ik_guid2lid_apply(f, path, NULL, NULL, err);
    if (which == 2) {
        ik_status status = ik_roots_read(f, path, NULL, &roots, &num, NULL, err);
        free(roots);
        return status;
    }
    if (ik_lids_make(f, &lids, err) != IK_OK)
        abort();
    ik_status status = ik_lid_matrix_compare(&lids, path, NULL, &matrix, err);
    ik_lids_free(&lids);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    char path[32];
    int file = size ? memfd_create("fuzz", 0) : -1;
    if (file < 0)
        return 0;
    if (write(file, data + 1, size - 1) != (ssize_t)(size - 1) ||
        ik_fabric_from_spec("xgft:m=2:2,w=1:2", NULL, &f, &err) != IK_OK)
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    ik_status status = read_one(f, data[0] % 4, path, &err);
    if ((status != IK_OK && !err.text[0]) || status == IK_ERR_INTERNAL ||
        ik_fabric_check(f, &err) != IK_OK)
        abort();
    ik_fabric_free(f);
    close(file);
    return 0;
}
