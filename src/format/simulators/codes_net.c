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

static ik_status codes_net_dims(codes_reader *r, char spec[400], uint64_t *dims, size_t *num)
{
    uint64_t given;
    size_t used = 0;
    r->hosts = 1;
    ik_status status = sim_net_list(&r->net, "dim_length", CODES_MAX, dims, SIM_NET_MAX_DIMS, num);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "n_dims", 1, SIM_NET_MAX_DIMS, *num, &given);
    if (status == IK_OK && given != *num)
        return sim_net_refuse(&r->net, sim_net_find(&r->net, "dim_length"),
                              "expected one length per dimension",
                              "n_dims = %" PRIu64 ", and dim_length has %zu numbers", given, *num);
    for (size_t i = 0; i < *num && status == IK_OK; i++) {
        used += (size_t)snprintf(spec + used, 400 - used, i ? ":%" PRIu64 : "%" PRIu64, dims[i]);
        if (!dims[i] || r->hosts > UINT32_MAX / dims[i])
            return sim_net_refuse(&r->net, sim_net_find(&r->net, "dim_length"),
                                  "expected lengths from 1 on, and fewer switches",
                                  "dim_length is impossible");
        r->hosts *= dims[i];
    }
    return status;
}

static ik_status codes_net_torus(codes_reader *r)
{
    char spec[400];
    uint64_t dims[SIM_NET_MAX_DIMS];
    size_t num;
    ik_status status = codes_net_dims(r, spec, dims, &num);
    return status == IK_OK ? sim_net_member(&r->net, &r->model, "torus:dims=%s", spec) : status;
}

static ik_status codes_net_express_mesh(codes_reader *r)
{
    char spec[400];
    uint64_t dims[SIM_NET_MAX_DIMS], gap = 1, per = 1;
    size_t num;
    ik_status status = codes_net_dims(r, spec, dims, &num);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "num_cn", 1, 65535, SIM_NET_NEEDED, &per);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "gap", 1, CODES_MAX, SIM_NET_NEEDED, &gap);
    r->hosts *= per;
    if (status == IK_OK && gap != 1)
        return sim_net_refuse(&r->net, sim_net_find(&r->net, "gap"),
                              "with gap = 1, all routers of a line are neighbours",
                              "express meshes with a gap of more than 1 are not read");
    return status == IK_OK
               ? sim_net_member(&r->net, &r->model, "hyperx:dims=%s,p=%" PRIu64, spec, per)
               : status;
}

/* Hosts, on the first routers of every group. */
static ik_status codes_net_begin_groups(codes_reader *r, uint64_t groups, uint64_t routers,
                                        uint64_t with_hosts, uint64_t per, double links)
{
    r->hosts = groups * with_hosts * per;
    ik_status status = sim_net_begin(&r->net, &r->model, (double)groups * (double)routers,
                                     (double)groups * (double)with_hosts * (double)per, links);
    for (uint32_t h = 0; status == IK_OK && h < r->hosts; h++) {
        uint32_t leaf = h / (uint32_t)per, group = leaf / (uint32_t)with_hosts;
        sim_net_cable_add(&r->net, group * (uint32_t)routers + leaf % (uint32_t)with_hosts, h,
                          SIM_NET_HOST);
    }
    return status;
}

/* The canonical dragonfly of a routers per group, a/2 hosts and a/2 global channels per router. */
static ik_status codes_net_dragonfly(codes_reader *r)
{
    uint64_t given = 0;
    ik_status status = sim_net_uint(&r->net, "num_routers", 2, 2000, SIM_NET_NEEDED, &given);
    if (status != IK_OK)
        return status;
    uint32_t a = (uint32_t)given, h = a / 2, last = a * h;
    status =
        codes_net_begin_groups(r, (uint64_t)last + 1, a, a, h, (last + 1.0) * a * (a - 1 + h) / 2);
    for (uint32_t g = 0; g <= last && status == IK_OK; g++) {
        for (uint32_t s = 0; s < a; s++)
            for (uint32_t t = s + 1; t < a; t++)
                sim_net_cable_add(&r->net, g * a + s, g * a + t, SIM_NET_LOCAL);
        for (uint32_t s = 0; s < a && g < last; s++)
            for (uint32_t to = s; to < last; to += a)
                if (to >= g) /* its own number leads to the last group */
                    sim_net_cable_add(&r->net, g * a + s, (to == g ? last : to) * a + g % a,
                                      SIM_NET_GLOBAL);
    }
    return status == IK_OK ? sim_net_end(&r->net) : status;
}

/* Neighbours in a column of q routers: distances without sign. Each has as many as the set has. */
static ik_status codes_net_generators(codes_reader *r, const char *name, uint64_t q, uint64_t *set,
                                      size_t *num)
{
    ik_status status = sim_net_list(&r->net, name, q - 1, set, SIM_NET_MAX_LIST, num);
    for (size_t i = 0; i < *num && status == IK_OK; i++) {
        bool opposite = false;
        for (size_t k = 0; k < *num; k++)
            opposite |= set[i] && set[k] == q - set[i];
        if (!opposite)
            return sim_net_refuse(&r->net, sim_net_find(&r->net, name),
                                  "with x, a set of generators has num_routers - x too",
                                  "%s has %" PRIu64 " alone", name, set[i]);
    }
    return status;
}

static void codes_net_link_slimfly(codes_reader *r, uint32_t q, uint32_t first, const uint64_t *set,
                                   size_t num)
{
    for (uint32_t i = 0; i < q; i++)
        for (uint32_t j = 0; j < q; j++)
            for (size_t k = 0; k < num; k++)
                if (j + set[k] < q)
                    sim_net_cable_add(&r->net, first + i * q + j,
                                      first + i * q + j + (uint32_t)set[k], SIM_NET_LOCAL);
}

static ik_status codes_net_rails(codes_reader *r, uint64_t *rails)
{
    return sim_net_uint(&r->net, "num_rails", 1, 16, 1, rails);
}

/* McKay-Miller-Siran: routers (0, x, y) and (1, m, c); with several rails (Fit Fly) as many
 * copies, of which odd ones have the hosts in reverse order of routers. */
static ik_status codes_net_slimfly(codes_reader *r)
{
    uint64_t q = 0, per = 0, type = 0, rails = 1, sets[2][SIM_NET_MAX_LIST];
    size_t nums[2] = {0};
    ik_status status = sim_net_uint(&r->net, "num_routers", 2, 1000, SIM_NET_NEEDED, &q);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "num_terminals", 1, 65535, SIM_NET_NEEDED, &per);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "sf_type", 0, 1, 0, &type);
    if (status == IK_OK && type == 1)
        status = codes_net_rails(r, &rails);
    if (status == IK_OK)
        status = codes_net_generators(r, "generator_set_X", q, sets[0], &nums[0]);
    if (status == IK_OK)
        status = codes_net_generators(r, "generator_set_X_prime", q, sets[1], &nums[1]);
    uint64_t each = 2 * q * q;
    r->hosts = each * per;
    if (status == IK_OK)
        status = sim_net_begin(&r->net, &r->model, (double)(rails * each), (double)r->hosts,
                               (double)(rails * q * q * (nums[0] + q)));
    for (uint64_t rail = 0; rail < rails && status == IK_OK; rail++) {
        uint32_t first = (uint32_t)(rail * each), size = (uint32_t)q;
        for (uint32_t h = 0; h < r->hosts; h++) {
            uint32_t at = h / (uint32_t)per;
            sim_net_cable_add(&r->net, first + (rail % 2 ? (uint32_t)each - 1 - at : at), h,
                              SIM_NET_HOST);
        }
        codes_net_link_slimfly(r, size, first, sets[0], nums[0]);
        codes_net_link_slimfly(r, size, first + size * size, sets[1], nums[1]);
        for (uint32_t x = 0; x < size; x++)
            for (uint32_t m = 0; m < size; m++)
                for (uint32_t c = 0; c < size; c++)
                    sim_net_cable_add(&r->net, first + x * size + (m * x + c) % size,
                                      first + size * size + m * size + c, SIM_NET_GLOBAL);
    }
    return status == IK_OK ? sim_net_end(&r->net) : status;
}

typedef struct codes_net_tree {
    uint64_t levels, edges, radix, taper, rails, type;
    uint64_t up, per, pods, repeat,
        halves; /* of three levels: pods; links to a top switch per pod */
} codes_net_tree;

static ik_status codes_net_size_tree(codes_reader *r, codes_net_tree *t)
{
    uint64_t counts[3], radices[3];
    size_t num;
    sim_net *n = &r->net;
    ik_status status = sim_net_uint(n, "num_levels", 2, 3, SIM_NET_NEEDED, &t->levels);
    if (status == IK_OK)
        status = sim_net_uint(n, "ft_type", 0, 1, 0, &t->type);
    if (status == IK_OK)
        status = sim_net_uint(n, "tapering", 1, 1000, 1, &t->taper);
    if (status == IK_OK)
        status = codes_net_rails(r, &t->rails);
    if (status == IK_OK)
        status = sim_net_list(n, "switch_count", CODES_MAX, counts, 3, &num);
    if (status == IK_OK)
        status = sim_net_list(n, "switch_radix", 65535, radices, 3, &num);
    if (status != IK_OK)
        return status;
    t->edges = counts[0];
    t->radix = radices[0];
    const sim_net_setting *radix = sim_net_find(n, "switch_radix");
    if (t->radix < 2 || t->radix % 2 || t->radix % (t->taper + 1))
        return sim_net_refuse(n, radix, "it is even, and a multiple of tapering + 1",
                              "switch_radix = %" PRIu64 " is not possible", t->radix);
    uint64_t half = t->radix / 2;
    t->up = t->radix / (t->taper + 1);
    t->per = t->taper * t->up;
    t->pods = t->edges / half;
    if (t->edges % half || !t->pods || (t->levels == 2 ? t->pods > 1 : t->pods > t->radix))
        return sim_net_refuse(n, sim_net_find(n, "switch_count"),
                              t->levels == 2
                                  ? "with two levels it is switch_radix / 2"
                                  : "it is a multiple of switch_radix / 2, up to radix pods",
                              "switch_count = %" PRIu64 " is not possible", t->edges);
    for (t->repeat = t->radix / t->pods; t->up % t->repeat;)
        t->repeat--;
    t->halves = t->up / t->repeat;
    r->hosts = t->edges * t->per;
    return IK_OK;
}

/* Every pod has `up` switches of level 1, of which `repeat` are cabled to the same half of the
 * radix of switches at the top. */
static void codes_net_link_tree(codes_reader *r, const codes_net_tree *t, uint32_t first)
{
    uint32_t half = (uint32_t)t->radix / 2, up = (uint32_t)t->up,
             middle = first + (uint32_t)t->edges;
    uint32_t top = middle + (uint32_t)t->pods * up;
    for (uint32_t h = 0; h < r->hosts; h++)
        sim_net_cable_add(&r->net, first + h / (uint32_t)t->per, h, SIM_NET_HOST);
    for (uint32_t pod = 0; pod < t->pods; pod++)
        for (uint32_t x = 0; x < up; x++) {
            uint32_t at = middle + pod * up + x;
            for (uint32_t e = 0; e < half; e++)
                sim_net_cable_add(&r->net, first + pod * half + e, at, SIM_NET_LOCAL);
            for (uint32_t e = 0; e < half; e++)
                sim_net_cable_add(&r->net, at, top + x / (uint32_t)t->repeat * half + e,
                                  SIM_NET_LOCAL);
        }
}

static ik_status codes_net_fattree(codes_reader *r)
{
    codes_net_tree t = {0};
    ik_status status = codes_net_size_tree(r, &t);
    if (status != IK_OK)
        return status;
    uint64_t half = t.radix / 2, tops = t.halves * half;
    if (t.rails > 1 && t.levels == 2)
        return sim_net_refuse(&r->net, sim_net_find(&r->net, "num_rails"), "three levels are read",
                              "trees of two levels with rails are not read");
    if (t.levels == 2)
        return sim_net_member(&r->net, &r->model,
                              "pgft:m=%" PRIu64 ":%" PRIu64 ",w=1:%" PRIu64 ",p=1:2", t.per,
                              t.edges, t.edges / (t.taper + 1));
    if (t.repeat == 1 && t.rails == 1)
        return sim_net_member(&r->net, &r->model,
                              "xgft:m=%" PRIu64 ":%" PRIu64 ":%" PRIu64 ",w=1:%" PRIu64 ":%" PRIu64,
                              t.per, half, t.pods, t.up, half);
    uint64_t each = t.edges + t.pods * t.up + tops;
    status = sim_net_begin(&r->net, &r->model, (double)(each * t.rails), (double)r->hosts,
                           (double)(t.rails * 2 * t.pods * t.up * half));
    for (uint64_t rail = 0; rail < t.rails && status == IK_OK; rail++)
        codes_net_link_tree(r, &t, (uint32_t)(rail * each));
    return status == IK_OK ? sim_net_end(&r->net) : status;
}

/* ---- dragonflies whose channels are in two files of numbers */

static ik_status codes_net_load(codes_reader *r, const char *path, char **text, size_t *size)
{
    FILE *in = fopen(path, "rb");
    bool lacks = !in && errno == ENOMEM;
    char *bytes = ik_calloc(CODES_NET_FILE_BYTES, 1);
    ik_status status = in ? IK_OK : ik_fail_at(r->net.err, IK_ERR_IO, path, 0, 0, "cannot open it");
    if (!bytes || lacks)
        status = ik_fail_memory(r->net.err, CODES_NET_FILE_BYTES, "channels");
    *size = status == IK_OK ? fread(bytes, 1, CODES_NET_FILE_BYTES, in) : 0;
    if (in && (ferror(in) || *size == CODES_NET_FILE_BYTES))
        status =
            ik_fail_at(r->net.err, IK_ERR_INPUT, path, 0, 0,
                       "it cannot be read, or has %d MiB and more", CODES_NET_FILE_BYTES >> 20);
    if (in)
        fclose(in);
    if (status == IK_OK)
        *text = bytes;
    else
        free(bytes);
    return status;
}

/* In the folder of the configuration: as it is given, or its last part. */
static ik_status codes_net_read_file(codes_reader *r, const char *name, char **text, size_t *size)
{
    slice given;
    struct stat info;
    const char *slash = strrchr(r->net.file, '/');
    ik_status status = sim_net_text(&r->net, name, &given);
    const sim_net_setting *set = sim_net_find(&r->net, name);
    if (status != IK_OK)
        return status;
    const char *last = given.at + given.length;
    while (last > given.at && last[-1] != '/')
        last--;
    bool absolute = given.length && given.at[0] == '/';
    int folder = slash ? (int)(slash - r->net.file) + 1 : 0;
    const char *paths[] = {ik_arena_printf(&r->arena, "%.*s%.*s", absolute ? 0 : folder,
                                           r->net.file, (int)given.length, given.at),
                           ik_arena_printf(&r->arena, "%.*s%.*s", folder, r->net.file,
                                           (int)(given.at + given.length - last), last)};
    if (!paths[0] || !paths[1])
        return ik_fail_memory(r->net.err, 4096, "the path of a file");
    for (size_t i = 0; given.length && i < 2; i++)
        if (stat(paths[i], &info) == 0 && S_ISREG(info.st_mode))
            return codes_net_load(r, paths[i], text, size);
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
 * in both directions, and is one cable. */
static ik_status codes_net_pairs(codes_reader *r, const char *name, unsigned ints, uint32_t most,
                                 codes_net_pair **pairs, size_t *num)
{
    char *text = NULL;
    size_t size = 0, record = 4 * (size_t)ints, forward = 0;
    ik_status status = codes_net_read_file(r, name, &text, &size);
    const sim_net_setting *set = sim_net_find(&r->net, name);
    *num = size / record / 2;
    codes_net_pair *all = status == IK_OK ? ik_calloc(2 * *num + 1, sizeof *all) : NULL;
    bool good = size && size % (2 * record) == 0;
    if (status == IK_OK && !all)
        status = ik_fail_memory(r->net.err, size, "channels");
    for (size_t i = 0, back = 2 * *num; status == IK_OK && good && i < 2 * *num; i++) {
        uint32_t from = codes_net_int(text + i * record), to = codes_net_int(text + i * record + 4);
        good = from < most && to < most && from != to;
        if (from < to)
            all[forward++] = (codes_net_pair){from, to};
        else
            all[--back] = (codes_net_pair){to, from};
        good &= forward <= *num;
    }
    free(text);
    if (status == IK_OK && good && forward == *num) {
        qsort(all, *num, sizeof *all, codes_net_compare);
        qsort(all + *num, *num, sizeof *all, codes_net_compare);
        good = memcmp(all, all + *num, *num * sizeof *all) == 0;
    }
    if (status == IK_OK && (!good || forward != *num))
        status = sim_net_refuse(&r->net, set,
                                "every channel is there in both directions, between routers of the "
                                "configuration",
                                "the file of %s is not one of records of %u numbers of 4 bytes",
                                name, ints);
    if (status == IK_OK)
        *pairs = all;
    else
        free(all);
    return status;
}

/* Routers per group, those of them with hosts, and what is not read. */
static ik_status codes_net_size_groups(codes_reader *r, bool rows, bool plus, uint64_t *routers,
                                       uint64_t *leaves)
{
    uint64_t second = 0, planes;
    sim_net *n = &r->net;
    const char *first = plus ? "num_router_leaf" : rows ? "num_router_rows" : "num_routers";
    ik_status status = sim_net_uint(n, "num_planes", 1, 1, 1, &planes);
    if (status == IK_OK)
        status = sim_net_uint(n, "num_rails", 1, 1, 1, &planes);
    if (status == IK_OK)
        status = sim_net_uint(n, first, 1, 10000, rows ? 6 : SIM_NET_NEEDED, routers);
    if (status == IK_OK && (plus || rows))
        status = sim_net_uint(n, plus ? "num_router_spine" : "num_router_cols", 1, 10000,
                              rows ? 16 : SIM_NET_NEEDED, &second);
    *leaves = rows ? *routers * second : *routers;
    *routers = plus ? *routers + second : *leaves;
    return status;
}

static ik_status codes_net_file_groups(codes_reader *r, bool rows, bool plus)
{
    uint64_t groups = 0, per = 0, routers = 0, leaves = 0;
    codes_net_pair *intra = NULL, *inter = NULL;
    size_t num_intra = 0, num_inter = 0;
    ik_status status = codes_net_size_groups(r, rows, plus, &routers, &leaves);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "num_groups", 1, 100000, SIM_NET_NEEDED, &groups);
    if (status == IK_OK)
        status = sim_net_uint(&r->net, "num_cns_per_router", 1, 65535, SIM_NET_NEEDED, &per);
    if (status == IK_OK)
        status = codes_net_pairs(r, "intra-group-connections", plus ? 2 : 3, (uint32_t)routers,
                                 &intra, &num_intra);
    if (status == IK_OK && (double)groups * (double)routers <= UINT32_MAX)
        status = codes_net_pairs(r, "inter-group-connections", 2, (uint32_t)(groups * routers),
                                 &inter, &num_inter);
    if (status == IK_OK)
        status = codes_net_begin_groups(r, groups, routers, leaves, per,
                                        (double)groups * (double)num_intra + (double)num_inter);
    for (uint64_t g = 0; g < groups && status == IK_OK; g++)
        for (size_t i = 0; i < num_intra; i++)
            sim_net_cable_add(&r->net, (uint32_t)(g * routers) + intra[i].a,
                              (uint32_t)(g * routers) + intra[i].c, SIM_NET_LOCAL);
    for (size_t i = 0; i < num_inter && status == IK_OK; i++)
        sim_net_cable_add(&r->net, inter[i].a, inter[i].c, SIM_NET_GLOBAL);
    free(intra);
    free(inter);
    return status == IK_OK ? sim_net_end(&r->net) : status;
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
