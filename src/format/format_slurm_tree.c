/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `slurm_tree` (write only): topology.conf of Slurm's plugin topology/tree.
 *
 * Slurm knows one parent per switch, whereas a fat tree has many: a line stands for all switches of
 * a level that hang together with everything below them, for hosts beneath are equally near by any
 * of them. Level by level from the leaves a line lists the parts of the level below that its
 * switches join; a part that joins nothing new has no line.
 * Source: topology.conf(5), Slurm 22.05.
 */
#include "format/slurm_names.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree {
    const ik_fabric *f;
    slurm_names names;
    uint32_t *base; /* hosts of each switch */
    char **hosts;
    uint32_t *part;  /* [switches] root of a union of what hangs together so far */
    char **line;     /* [switches] of a root: name of the line that stands for its part */
    uint32_t *next;  /* [switches] of a root: the next part of the list being written */
    uint32_t *first; /* [switches] of a root after a level: its parts before that level */
    uint32_t *count; /* [switches] how many of them */
    char **list;     /* [switches] */
    uint32_t roots;
} tree;

static uint32_t slurm_tree_find(tree *t, uint32_t sw)
{
    while (t->part[sw] != sw)
        sw = t->part[sw] = t->part[t->part[sw]];
    return sw;
}

static void slurm_tree_join(tree *t, uint32_t a, uint32_t b)
{
    a = slurm_tree_find(t, a);
    b = slurm_tree_find(t, b);
    t->part[a > b ? a : b] = a < b ? a : b;
}

static void slurm_tree_write_leaves(tree *t, FILE *out)
{
    for (uint32_t sw = 0; sw < t->f->num_switches; sw++) {
        size_t num = t->base[sw + 1] - t->base[sw];
        if (!num)
            continue;
        t->line[sw] = t->names.name[sw];
        fprintf(out, "SwitchName=%s Nodes=", t->line[sw]);
        slurm_hostlist(t->hosts + t->base[sw], num, out);
        fputc('\n', out);
    }
}

/* Joins the switches of a level to those below. */
static void slurm_tree_join_level(tree *t, uint32_t level)
{
    const ik_fabric *f = t->f;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t sw = f->port_node[port], peer = ik_peer_node(f, port);
        if (f->switch_level[sw] == level && peer != IK_NONE && ik_is_switch(f, peer) &&
            f->switch_level[peer] < level)
            slurm_tree_join(t, sw, peer);
    }
}

/* The first switch of this level in each part lends the line its name. */
static void slurm_tree_write_part(tree *t, uint32_t root, uint32_t level, uint32_t top, FILE *out)
{
    size_t num = 0;
    uint32_t same = 0;
    for (uint32_t p = t->first[root]; p != IK_NONE; p = t->next[p])
        t->list[num++] = t->line[p];
    for (uint32_t sw = top; sw < t->f->num_switches; sw++)
        same += t->f->switch_level[sw] == level && slurm_tree_find(t, sw) == root;
    if (same > 1)
        fprintf(out, "# %s stands for %" PRIu32 " switches of level %" PRIu32 "\n",
                t->names.name[top], same, level);
    fprintf(out, "SwitchName=%s Switches=", t->names.name[top]);
    slurm_hostlist(t->list, num, out);
    fputc('\n', out);
}

/* The lines of a level: `old` [switches] are the parts before it. */
static void slurm_tree_write_level(tree *t, uint32_t level, const uint32_t *old, FILE *out)
{
    const ik_fabric *f = t->f;
    memset(t->first, 0xff, f->num_switches * sizeof *t->first);
    memset(t->count, 0, f->num_switches * sizeof *t->count);
    for (uint32_t sw = f->num_switches; sw-- > 0;)
        if (old[sw] == sw && t->line[sw]) {
            uint32_t root = slurm_tree_find(t, sw);
            t->next[sw] = t->first[root];
            t->first[root] = sw;
            t->count[root]++;
        }
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t root = slurm_tree_find(t, sw);
        if (f->switch_level[sw] != level || t->count[root] == 0)
            continue;
        char *name = t->count[root] > 1 ? t->names.name[sw] : t->line[t->first[root]];
        if (t->count[root] > 1)
            slurm_tree_write_part(t, root, level, sw, out);
        t->count[root] = 0; /* written */
        t->line[root] = name;
    }
}

static ik_status slurm_tree_write_levels(tree *t, FILE *out, ik_error *err)
{
    const ik_fabric *f = t->f;
    uint32_t *old = ik_calloc((size_t)f->num_switches + 1, sizeof *old);
    if (!old)
        return ik_fail_memory(err, f->num_switches * sizeof *old, "parts of a tree");
    slurm_tree_write_leaves(t, out);
    for (uint32_t level = 2; level <= f->num_levels; level++) {
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            old[sw] = slurm_tree_find(t, sw);
        slurm_tree_join_level(t, level);
        slurm_tree_write_level(t, level, old, out);
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        t->roots += slurm_tree_find(t, sw) == sw && t->line[sw];
    if (t->roots > 1)
        fprintf(out,
                "# The fabric has %" PRIu32
                " parts that are not connected: Slurm runs no job across them.\n",
                t->roots);
    free(old);
    return IK_OK;
}

static ik_status slurm_tree_refuse(const ik_fabric *f, ik_error *err)
{
    if (!f->num_hosts)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "the fabric has no hosts: there is nothing to write for Slurm");
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "the fabric is not a tree of levels, and Slurm's topology/tree supports nothing else");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "--format slurm_block writes the hosts of each switch as a block, for "
                   "topology/block; topology/tree needs a fabric whose cables all join adjacent "
                   "levels: 'ikat audit' names those that do not");
}

static ik_status write_tree(tree *t, FILE *out, ik_error *err)
{
    const ik_fabric *f = t->f;
    size_t num = (size_t)f->num_switches + 1;
    t->part = ik_calloc(num, sizeof *t->part);
    t->next = ik_calloc(num, sizeof *t->next);
    t->first = ik_calloc(num, sizeof *t->first);
    t->count = ik_calloc(num, sizeof *t->count);
    t->line = ik_calloc(num, sizeof *t->line);
    t->list = ik_calloc(num, sizeof *t->list);
    if (!t->part || !t->next || !t->first || !t->count || !t->line || !t->list)
        return ik_fail_memory(err, num * 32, "parts of a tree");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        t->part[sw] = sw;
    fputs("# Slurm's topology.conf, for TopologyPlugin=topology/tree\n", out);
    slurm_names_remark(&t->names, f, out);
    return slurm_tree_write_levels(t, out, err);
}

static ik_status slurm_tree_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    tree t = {.f = f};
    if (!f->switch_level || !f->num_levels || !f->num_hosts)
        return slurm_tree_refuse(f, err);
    ik_status status = slurm_names_make(f, &t.names, err);
    if (status != IK_OK)
        return status;
    status = slurm_hosts_of(f, &t.names, &t.base, &t.hosts, err);
    if (status == IK_OK)
        status = write_tree(&t, out, err);
    slurm_names_free(&t.names);
    free(t.base);
    free(t.hosts);
    free(t.part);
    free(t.next);
    free(t.first);
    free(t.count);
    free(t.line);
    free(t.list);
    return status;
}

static const char *const extensions[] = {"slurm_tree", NULL};

const ik_format ik_format_slurm_tree = {
    .name = "slurm_tree",
    .summary = "topology.conf of Slurm for plugin topology/tree (written only)",
    .source = "topology.conf(5), Slurm 22.05; checked with its slurmctld",
    .extensions = extensions,
    .write = slurm_tree_write_text,
};
