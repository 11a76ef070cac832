/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `slurm_block` (write only): topology.conf of Slurm's plugin topology/block: the hosts of a
 * switch are a block. Blocks of one pod or group stand together, for Slurm joins neighbouring
 * blocks to larger ones.
 * Source: topology.conf(5) and the topology guide of Slurm 24.05, by the documented grammar: each
 * block has at least as many nodes as the first of BlockSizes, the next sizes are this one times
 * powers of two.
 */
#include "format/slurm_names.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct block {
    uint32_t group, sw;
} block;

static int compare_blocks(const void *a, const void *b)
{
    const block *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->sw > y->sw) - (x->sw < y->sw);
}

/* Switches with hosts, by group. */
static ik_status sort_blocks(const ik_fabric *f, const uint32_t *base, block *blocks, uint32_t *num,
                             ik_error *err)
{
    uint32_t *group = ik_calloc((size_t)f->num_switches + 1, sizeof *group), groups = 0;
    if (!group)
        return ik_fail_memory(err, f->num_switches * sizeof *group, "groups of switches");
    ik_status status = ik_fabric_groups(f, group, &groups, err);
    *num = 0;
    for (uint32_t sw = 0; sw < f->num_switches && status == IK_OK; sw++)
        if (base[sw + 1] > base[sw])
            blocks[(*num)++] = (block){groups ? group[sw] : 0, sw};
    free(group);
    qsort(blocks, *num, sizeof *blocks, compare_blocks);
    return status;
}

static void slurm_block_write_sizes(const uint32_t *base, const block *blocks, uint32_t num,
                                    FILE *out)
{
    uint32_t least = IK_NONE;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t hosts = base[blocks[i].sw + 1] - base[blocks[i].sw];
        least = hosts < least ? hosts : least;
    }
    fprintf(out, "BlockSizes=%" PRIu32, least);
    for (uint64_t join = 2; join <= num; join *= 2)
        fprintf(out, ",%" PRIu64, least * join);
    fputc('\n', out);
}

static ik_status write_blocks(const ik_fabric *f, const slurm_names *names, const uint32_t *base,
                              char **hosts, FILE *out, ik_error *err)
{
    uint32_t num = 0;
    block *blocks = ik_calloc((size_t)f->num_switches + 1, sizeof *blocks);
    if (!blocks)
        return ik_fail_memory(err, f->num_switches * sizeof *blocks, "blocks of hosts");
    ik_status status = sort_blocks(f, base, blocks, &num, err);
    if (status == IK_OK && !num)
        status =
            ik_fail(err, IK_ERR_UNSUPPORTED, "no host has a cable to a switch: there is no block");
    if (status == IK_OK) {
        fputs("# Slurm's topology.conf, for TopologyPlugin=topology/block (Slurm 24.05)\n", out);
        slurm_names_remark(names, f, out);
    }
    for (uint32_t i = 0; i < num && status == IK_OK; i++) {
        uint32_t sw = blocks[i].sw;
        fprintf(out, "BlockName=%s Nodes=", names->name[sw]);
        slurm_hostlist(hosts + base[sw], base[sw + 1] - base[sw], out);
        fputc('\n', out);
    }
    if (status == IK_OK)
        slurm_block_write_sizes(base, blocks, num, out);
    free(blocks);
    return status;
}

static ik_status slurm_block_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    slurm_names names;
    uint32_t *base = NULL;
    char **hosts = NULL;
    ik_status status = slurm_names_make(f, &names, err);
    if (status != IK_OK)
        return status;
    status = slurm_hosts_of(f, &names, &base, &hosts, err);
    if (status == IK_OK)
        status = write_blocks(f, &names, base, hosts, out, err);
    slurm_names_free(&names);
    free(base);
    free(hosts);
    return status;
}

static const char *const extensions[] = {"slurm_block", NULL};

const ik_format ik_format_slurm_block = {
    .name = "slurm_block",
    .summary = "topology.conf of Slurm for plugin topology/block (written only; follows the "
               "documented grammar, not checked with Slurm)",
    .source = "topology.conf(5), topology guide, Slurm 24.05",
    .extensions = extensions,
    .write = slurm_block_write_text,
};
