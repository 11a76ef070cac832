/* SPDX-License-Identifier: Apache-2.0
 *
 * The networks of CODES (codes_net.h).
 */
#include "format/simulators/codes_net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bandwidths without a unit: GiB/s; of fat trees bytes per ns. */
enum { CODES_NET_FILE_BYTES = 1 << 24 };
#define CODES_GIB (8.0 * 1024 * 1024 * 1024)

typedef struct codes_net_pair {
    uint32_t a, c;
} codes_net_pair;

/* ---- networks */

static void codes_net_dims(codes_reader *r, char spec[SIM_NET_PRINTED])
{
    uint64_t dims[SIM_NET_MAX_DIMS];
    size_t num;
    r->hosts = sim_net_dims(&r->net, "dim_length", dims, &num);
    uint64_t given = sim_net_uint(&r->net, "n_dims", 1, SIM_NET_MAX_DIMS, num);
    if (r->net.status == IK_OK && given != num)
        sim_net_refuse(&r->net, sim_net_find(&r->net, "dim_length"),
                       "expected one length per dimension",
                       "n_dims = %" PRIu64 ", and dim_length has %zu numbers", given, num);
    sim_net_print(spec, dims, num);
}

static ik_status codes_net_torus(codes_reader *r)
{
    char spec[SIM_NET_PRINTED];
    codes_net_dims(r, spec);
    return sim_net_member(&r->net, &r->model, "torus:dims=%s", spec);
}

static ik_status codes_net_express_mesh(codes_reader *r)
{
    char spec[SIM_NET_PRINTED];
    codes_net_dims(r, spec);
    uint64_t per = sim_net_uint(&r->net, "num_cn", 1, 65535, SIM_NET_NEEDED);
    uint64_t gap = sim_net_uint(&r->net, "gap", 1, CODES_MAX, SIM_NET_NEEDED);
    r->hosts *= per;
    if (gap != 1)
        sim_net_refuse(&r->net, sim_net_find(&r->net, "gap"),
                       "with gap = 1, all routers of a line are neighbours",
                       "express meshes with a gap of more than 1 are not read");
    return sim_net_member(&r->net, &r->model, "hyperx:dims=%s,p=%" PRIu64, spec, per);
}

/* Hosts, on the first routers of every group. */
static bool codes_net_begin_groups(codes_reader *r, uint64_t groups, uint64_t routers,
                                   uint64_t with_hosts, uint64_t per, double links)
{
    r->hosts = groups * with_hosts * per;
    if (!sim_net_begin(&r->net, &r->model, (double)groups * (double)routers,
                       (double)groups * (double)with_hosts * (double)per, links))
        return false;
    sim_net_hosts_add(&r->net, routers, with_hosts, per);
    return true;
}

/* The canonical dragonfly of a routers per group, a/2 hosts and a/2 global channels per router. */
static ik_status codes_net_dragonfly(codes_reader *r)
{
    uint32_t a = (uint32_t)sim_net_uint(&r->net, "num_routers", 2, 2000, SIM_NET_NEEDED);
    uint32_t h = a / 2, last = a * h;
    bool go =
        codes_net_begin_groups(r, (uint64_t)last + 1, a, a, h, (last + 1.0) * a * (a - 1 + h) / 2);
    for (uint32_t g = 0; g <= last && go; g++) {
        for (uint32_t s = 0; s < a; s++)
            for (uint32_t t = s + 1; t < a; t++)
                sim_net_cable_add(&r->net, g * a + s, g * a + t, SIM_NET_LOCAL);
        for (uint32_t s = 0; s < a && g < last; s++)
            for (uint32_t to = s; to < last; to += a)
                if (to >= g) /* its own number leads to the last group */
                    sim_net_cable_add(&r->net, g * a + s, (to == g ? last : to) * a + g % a,
                                      SIM_NET_GLOBAL);
    }
    return sim_net_end(&r->net);
}

/* Neighbours in a column of q routers: distances without sign. Each has as many as the set has. */
static size_t codes_net_generators(codes_reader *r, const char *name, uint64_t q, uint64_t *set)
{
    size_t num = sim_net_list(&r->net, name, q - 1, set, SIM_NET_MAX_LIST);
    for (size_t i = 0; i < num; i++) {
        size_t opposite = 0;
        while (opposite < num && (!set[i] || set[opposite] != q - set[i]))
            opposite++;
        if (opposite == num && r->net.status == IK_OK)
            sim_net_refuse(&r->net, sim_net_find(&r->net, name),
                           "with x, a set of generators has num_routers - x too",
                           "%s has %" PRIu64 " alone", name, set[i]);
    }
    return num;
}

static void codes_net_link_slimfly(codes_reader *r, uint32_t q, uint32_t first, const uint64_t *set,
                                   size_t num)
{
    for (uint32_t at = 0; at < q * q; at++)
        for (size_t k = 0; k < num; k++)
            if (at % q + set[k] < q)
                sim_net_cable_add(&r->net, first + at, first + at + (uint32_t)set[k],
                                  SIM_NET_LOCAL);
}

static uint64_t codes_net_rails(codes_reader *r)
{
    return sim_net_uint(&r->net, "num_rails", 1, 16, 1);
}

/* McKay-Miller-Siran: routers (0, x, y) and (1, m, c); with several rails (Fit Fly) as many
 * copies, of which odd ones have the hosts in reverse order of routers. */
static ik_status codes_net_slimfly(codes_reader *r)
{
    sim_net *n = &r->net;
    uint64_t sets[2][SIM_NET_MAX_LIST], q = sim_net_uint(n, "num_routers", 2, 1000, SIM_NET_NEEDED);
    uint64_t per = sim_net_uint(n, "num_terminals", 1, 65535, SIM_NET_NEEDED);
    uint64_t rails = sim_net_uint(n, "sf_type", 0, 1, 0) ? codes_net_rails(r) : 1;
    size_t num = codes_net_generators(r, "generator_set_X", q, sets[0]);
    size_t num_prime = codes_net_generators(r, "generator_set_X_prime", q, sets[1]);
    uint32_t size = (uint32_t)q, half = size * size;
    r->hosts = 2 * q * q * per;
    bool go = sim_net_begin(
        n, &r->model, (double)(rails * 2 * half), (double)r->hosts,
        (double)(rails * ((num + num_prime + 1) / 2 + q) * half + (rails - 1) * r->hosts));
    for (uint32_t rail = 0; rail < rails && go; rail++) {
        uint32_t first = rail * 2 * half;
        for (uint32_t h = 0; h < r->hosts; h++) {
            uint32_t at = h / (uint32_t)per;
            sim_net_cable_add(n, first + (rail % 2 ? 2 * half - 1 - at : at), h, SIM_NET_HOST);
        }
        codes_net_link_slimfly(r, size, first, sets[0], num);
        codes_net_link_slimfly(r, size, first + half, sets[1], num_prime);
        for (uint32_t at = 0; at < half; at++)
            for (uint32_t m = 0; m < size; m++)
                sim_net_cable_add(n, first + at,
                                  first + half + m * size + (at + (size - m) * (at / size)) % size,
                                  SIM_NET_GLOBAL);
    }
    return sim_net_end(n);
}

typedef struct codes_net_tree {
    uint64_t levels, edges, radix, half, taper, rails;
    uint64_t up, per, pods, repeat; /* of three levels: pods; links to a top switch per pod */
} codes_net_tree;

static void codes_net_size_tree(codes_reader *r, codes_net_tree *t)
{
    uint64_t counts[3] = {0}, radices[3] = {0};
    sim_net *n = &r->net;
    t->levels = sim_net_uint(n, "num_levels", 2, 3, SIM_NET_NEEDED);
    sim_net_uint(n, "ft_type", 0, 1, 0);
    t->taper = sim_net_uint(n, "tapering", 1, 1000, 1);
    t->rails = codes_net_rails(r);
    sim_net_list(n, "switch_count", CODES_MAX, counts, 3);
    sim_net_list(n, "switch_radix", 65535, radices, 3);
    t->edges = counts[0];
    t->radix = radices[0];
    if (n->status != IK_OK)
        return;
    if (t->radix < 2 || t->radix % 2 || t->radix % (t->taper + 1)) {
        sim_net_refuse(n, sim_net_find(n, "switch_radix"),
                       "it is even, and a multiple of tapering + 1",
                       "switch_radix = %" PRIu64 " is not possible", t->radix);
        return;
    }
    t->half = t->radix / 2;
    t->up = t->radix / (t->taper + 1);
    t->per = t->taper * t->up;
    t->pods = t->edges / t->half;
    if (t->edges % t->half || !t->pods ||
        (t->levels == 2 ? t->pods > 1 || t->edges <= t->taper : t->pods > t->radix)) {
        sim_net_refuse(n, sim_net_find(n, "switch_count"),
                       t->levels == 2 ? "with two levels it is switch_radix / 2, above tapering"
                                      : "it is a multiple of switch_radix / 2, up to radix pods",
                       "switch_count = %" PRIu64 " is not possible", t->edges);
        return;
    }
    for (t->repeat = t->radix / t->pods; t->up % t->repeat;)
        t->repeat--;
    r->hosts = t->edges * t->per;
}

/* Every pod has `up` switches of level 1, of which `repeat` are cabled to the same half of the
 * radix of switches at the top. */
static void codes_net_link_tree(codes_reader *r, const codes_net_tree *t, uint32_t first)
{
    uint32_t half = (uint32_t)t->half, middle = first + (uint32_t)t->edges;
    uint32_t up = (uint32_t)t->up, top = middle + (uint32_t)t->pods * up;
    for (uint32_t h = 0; h < r->hosts; h++)
        sim_net_cable_add(&r->net, first + h / (uint32_t)t->per, h, SIM_NET_HOST);
    for (uint32_t x = 0; x < t->pods * up; x++)
        for (uint32_t e = 0; e < half; e++) {
            sim_net_cable_add(&r->net, first + x / up * half + e, middle + x, SIM_NET_LOCAL);
            sim_net_cable_add(&r->net, middle + x, top + x % up / (uint32_t)t->repeat * half + e,
                              SIM_NET_LOCAL);
        }
}

static ik_status codes_net_fattree(codes_reader *r)
{
    codes_net_tree t = {0};
    sim_net *n = &r->net;
    codes_net_size_tree(r, &t);
    if (n->status != IK_OK)
        return n->status;
    if (t.rails > 1 && t.levels == 2)
        return sim_net_refuse(n, sim_net_find(n, "num_rails"), "three levels are read",
                              "trees of two levels with rails are not read");
    if (t.levels == 2)
        return sim_net_member(n, &r->model, "pgft:m=%" PRIu64 ":%" PRIu64 ",w=1:%" PRIu64 ",p=1:2",
                              t.per, t.edges, t.edges / (t.taper + 1));
    if (t.repeat == 1 && t.rails == 1)
        return sim_net_member(n, &r->model,
                              "xgft:m=%" PRIu64 ":%" PRIu64 ":%" PRIu64 ",w=1:%" PRIu64 ":%" PRIu64,
                              t.per, t.half, t.pods, t.up, t.half);
    uint64_t each = t.edges + t.pods * t.up + t.up / t.repeat * t.half;
    bool go = sim_net_begin(n, &r->model, (double)(each * t.rails), (double)r->hosts,
                            (double)(t.rails * (2 * t.pods * t.up * t.half + r->hosts) - r->hosts));
    for (uint64_t rail = 0; rail < t.rails && go; rail++)
        codes_net_link_tree(r, &t, (uint32_t)(rail * each));
    return sim_net_end(n);
}

/* ---- dragonflies whose channels are in two files of numbers */

ik_status codes_net_load(codes_reader *r, const char *path, char **text, size_t *size)
{
    FILE *in = fopen(path, "rb");
    bool lacks = !in && errno == ENOMEM;
    *text = in ? ik_calloc(CODES_NET_FILE_BYTES, 1) : NULL;
    ik_status status = IK_OK;
    if (lacks || (in && !*text))
        status = ik_fail_memory(r->net.err, CODES_NET_FILE_BYTES, "channels");
    else if (!in)
        status = ik_fail_at(r->net.err, IK_ERR_IO, path, 0, 0, "cannot open it");
    *size = status == IK_OK ? fread(*text, 1, CODES_NET_FILE_BYTES, in) : 0;
    if (status == IK_OK && (ferror(in) || *size == CODES_NET_FILE_BYTES))
        status =
            ik_fail_at(r->net.err, IK_ERR_INPUT, path, 0, 0,
                       "it cannot be read, or has %d MiB and more", CODES_NET_FILE_BYTES >> 20);
    if (in)
        fclose(in);
    return status;
}

/* In the folder of the configuration: as it is given, or its last part. */
static ik_status codes_net_read_file(codes_reader *r, const char *name, char **text, size_t *size)
{
    struct stat info;
    slice given = sim_net_text(&r->net, name);
    if (r->net.status != IK_OK)
        return r->net.status;
    slice last = given;
    for (size_t i = 0; i < given.length; i++)
        if (given.at[i] == '/')
            last = (slice){given.at + i + 1, given.length - i - 1};
    for (int i = 0; given.length && i < 2; i++) {
        const char *path = sim_path(&r->arena, r->net.file, i ? last : given);
        if (!path)
            return ik_fail_memory(r->net.err, 4096, "the path of a file");
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
            return codes_net_load(r, path, text, size);
    }
    const sim_net_setting *set = sim_net_find(&r->net, name);
    return sim_net_refuse(&r->net, set, "it is looked for in the folder of the configuration",
                          set ? "the file of %s is not there" : "there is no setting %s", name);
}

static int codes_net_compare(const void *x, const void *y)
{
    const codes_net_pair *a = x, *b = y;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->c > b->c) - (a->c < b->c);
}

static uint32_t codes_net_int(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Records of `ints` numbers, from router and to router below `most` first; every channel is there
 * in both directions, and is one cable. *num of them come back, which the caller frees. */
static codes_net_pair *codes_net_pairs(codes_reader *r, const char *name, unsigned ints,
                                       uint64_t most, size_t *num)
{
    char *text = NULL;
    sim_net *n = &r->net;
    size_t size = 0, record = 4 * (size_t)ints, forward = 0;
    if (n->status == IK_OK)
        n->status = codes_net_read_file(r, name, &text, &size);
    *num = size / record / 2;
    codes_net_pair *all = n->status == IK_OK ? ik_calloc(2 * *num + 1, sizeof *all) : NULL;
    if (n->status == IK_OK && !all)
        n->status = ik_fail_memory(n->err, size, "channels");
    bool good = all && size && size % (2 * record) == 0;
    for (size_t i = 0, back = 2 * *num; good && i < 2 * *num; i++) {
        uint32_t from = codes_net_int(text + i * record), to = codes_net_int(text + i * record + 4);
        good = from < most && to < most && from != to;
        if (from < to)
            all[forward++] = (codes_net_pair){from, to};
        else
            all[--back] = (codes_net_pair){to, from};
    }
    free(text);
    if (good && forward == *num) {
        qsort(all, *num, sizeof *all, codes_net_compare);
        qsort(all + *num, *num, sizeof *all, codes_net_compare);
        good = memcmp(all, all + *num, *num * sizeof *all) == 0;
    }
    if (n->status == IK_OK && (!good || forward != *num))
        sim_net_refuse(n, sim_net_find(n, name),
                       "every channel is there in both directions, between routers of the "
                       "configuration",
                       "the file of %s is not one of records of %u numbers of 4 bytes", name, ints);
    return all;
}

static ik_status codes_net_file_groups(codes_reader *r, bool rows, bool plus)
{
    sim_net *n = &r->net;
    size_t num_intra = 0, num_inter = 0;
    sim_net_uint(n, "num_planes", 1, 1, 1);
    sim_net_uint(n, "num_rails", 1, 1, 1);
    uint64_t leaves = sim_net_uint(n,
                                   plus   ? "num_router_leaf"
                                   : rows ? "num_router_rows"
                                          : "num_routers",
                                   1, 10000, rows ? 6 : SIM_NET_NEEDED);
    uint64_t spines = plus ? sim_net_uint(n, "num_router_spine", 1, 10000, SIM_NET_NEEDED) : 0;
    leaves *= rows ? sim_net_uint(n, "num_router_cols", 1, 10000, 16) : 1;
    uint64_t groups = sim_net_uint(n, "num_groups", 1, 100000, SIM_NET_NEEDED);
    uint64_t per = sim_net_uint(n, "num_cns_per_router", 1, 65535, SIM_NET_NEEDED);
    uint64_t routers = leaves + spines;
    codes_net_pair *intra =
        codes_net_pairs(r, "intra-group-connections", plus ? 2 : 3, routers, &num_intra);
    codes_net_pair *inter =
        codes_net_pairs(r, "inter-group-connections", 2, groups * routers, &num_inter);
    bool go = codes_net_begin_groups(r, groups, routers, leaves, per,
                                     (double)groups * (double)num_intra + (double)num_inter);
    for (uint64_t first = 0; go && first < groups * routers; first += routers)
        for (size_t i = 0; i < num_intra; i++)
            sim_net_cable_add(n, (uint32_t)first + intra[i].a, (uint32_t)first + intra[i].c,
                              SIM_NET_LOCAL);
    for (size_t i = 0; go && i < num_inter; i++)
        sim_net_cable_add(n, inter[i].a, inter[i].c, SIM_NET_GLOBAL);
    free(intra);
    free(inter);
    return sim_net_end(n);
}

static ik_status codes_net_dally(codes_reader *r)
{
    return codes_net_file_groups(r, false, false);
}

static ik_status codes_net_custom(codes_reader *r)
{
    return codes_net_file_groups(r, true, false);
}

static ik_status codes_net_plus(codes_reader *r)
{
    return codes_net_file_groups(r, false, true);
}

static const codes_model codes_net_models[] = {
    {"torus", "link_bandwidth", "link_bandwidth", "", CODES_GIB, codes_net_torus},
    {"express_mesh", "link_bandwidth", "link_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_express_mesh},
    {"fattree", "link_bandwidth", "link_bandwidth", "cn_bandwidth", 8e9, codes_net_fattree},
    {"slimfly", "local_bandwidth", "global_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_slimfly},
    {"dragonfly", "local_bandwidth", "global_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_dragonfly},
    {"dragonfly_dally", "local_bandwidth", "global_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_dally},
    {"dragonfly_custom", "local_bandwidth", "global_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_custom},
    {"dragonfly_plus", "local_bandwidth", "global_bandwidth", "cn_bandwidth", CODES_GIB,
     codes_net_plus},
};

const codes_model *codes_net_find(slice given)
{
    char name[40];
    size_t length = given.length < sizeof name ? given.length : 0;
    for (size_t i = 0; i < length; i++)
        name[i] = given.at[i] == '-' ? '_' : given.at[i];
    for (size_t i = 0; i < sizeof codes_net_models / sizeof *codes_net_models; i++)
        if (slice_is((slice){name, length}, codes_net_models[i].name))
            return &codes_net_models[i];
    return NULL;
}
