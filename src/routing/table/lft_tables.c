/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_tables.c: tables by host, which routings have, and tables by LID, which switches have.
 *
 * Hosts of a split fabric are ports of hosts, and their numbers are the same in both fabrics: a
 * host is found by its cabled port.
 */
#include "routing/table/lft_tables.h"

#include "routing/routing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void lft_paths(const ik_fabric *f, const ik_lids *lids, uint32_t *base, uint8_t *num)
{
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host), i;
        base[host] = i = port == IK_NONE ? IK_NONE : ik_lids_of_port(lids, port);
        num[host] = 1;
        for (; i != IK_NONE && base[host] + num[host] < lids->num &&
               lids->of[base[host] + num[host]].path == num[host];)
            num[host]++;
    }
}

typedef struct hosts_of {
    uint32_t *base;
    uint8_t *num;
} hosts_of;

static ik_status lft_tables_hosts_make(const ik_fabric *f, const ik_lids *lids, hosts_of *h,
                                       ik_error *err)
{
    h->base = ik_calloc((size_t)f->num_hosts + 1, sizeof *h->base);
    h->num = ik_calloc((size_t)f->num_hosts + 1, sizeof *h->num);
    if (!h->base || !h->num)
        return ik_fail_memory(err, 5 * (size_t)f->num_hosts, "LIDs of hosts");
    lft_paths(f, lids, h->base, h->num);
    return IK_OK;
}

static void lft_tables_hosts_free(hosts_of *h)
{
    free(h->base);
    free(h->num);
}

/* Local port of every number, LFT_NONE = none; 0, the switch itself, leads nowhere, as does a port
 * without a cable. */
static void lft_tables_number_locals(const ik_fabric *f, uint32_t sw, uint16_t local[256])
{
    for (unsigned number = 0; number < 256; number++)
        local[number] = LFT_NONE;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
        if (ik_port_number(f, port) <= IK_PORT_NUMBER && ik_port_number(f, port) > 0 &&
            f->port_peer[port] != IK_NONE)
            local[ik_port_number(f, port)] = (uint16_t)ik_port_local(f, port);
}

ik_status lft_of_tables(const ik_fabric *f, const ik_lid_tables *t, uint32_t path, uint16_t **lft,
                        ik_error *err)
{
    hosts_of h = {0};
    uint16_t *made = NULL;
    ik_status status = lft_tables_hosts_make(f, t->lids, &h, err);
    if (status == IK_OK)
        status = lft_new(f, NULL, &made, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++) {
        const uint8_t *row = ik_lid_tables_row(t, sw);
        uint16_t local[256], *to = made + (size_t)sw * f->num_hosts;
        lft_tables_number_locals(f, sw, local);
        for (uint32_t host = 0; host < f->num_hosts; host++)
            if (h.base[host] != IK_NONE)
                to[host] = local[row[h.base[host] + path % h.num[host]]];
    }
    lft_tables_hosts_free(&h);
    if (status == IK_OK)
        *lft = made;
    return status;
}

static void lft_tables_fill_row(const ik_fabric *f, const hosts_of *h, uint32_t sw,
                                const uint16_t *from, uint8_t *row)
{
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        if (h->base[host] == IK_NONE || from[host] == LFT_NONE)
            continue;
        unsigned number = ik_port_number(f, f->port_base[sw] + from[host]);
        for (uint32_t path = 0; path < h->num[host]; path++)
            row[h->base[host] + path] = (uint8_t)number;
    }
}

/* The tables that a file had, for these LIDs: all, or all but those of endpoints. */
static ik_status copy_tables(const ik_lid_tables *from, const ik_lids *lids, const ik_env *env,
                             ik_lid_tables *out, ik_error *err)
{
    ik_status status = ik_lid_tables_new(lids, env, out, err);
    for (uint32_t i = 0; i < lids->num && status == IK_OK; i++) {
        const ik_lid *lid = &lids->of[i];
        uint32_t at = lid->port == IK_NONE ? ik_lids_of_node(from->lids, lid->node)
                                           : ik_lids_of_port(from->lids, lid->port);
        assert(at != IK_NONE && at + lid->path < from->lids->num);
        at += lid->path;
        for (uint32_t sw = 0; sw < out->num_switches; sw++)
            ik_lid_tables_row(out, sw)[i] = ik_lid_tables_row(from, sw)[at];
    }
    return status;
}

ik_status ik_lid_tables_of(const ik_routing *r, const ik_lids *lids, const ik_env *env,
                           ik_lid_tables *out, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    const ik_lid_tables *read = lft_file_tables(r);
    if (read)
        return copy_tables(read, lids, env, out, err);
    uint16_t *lft = NULL;
    hosts_of h = {0};
    ik_lid_tables t = {0};
    ik_status status = ik_lft_compile(r, env, &lft, err);
    if (status == IK_OK)
        status = lft_tables_hosts_make(f, lids, &h, err);
    if (status == IK_OK)
        status = ik_lid_tables_new(lids, env, &t, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++) {
        lft_tables_fill_row(f, &h, sw, lft + (size_t)sw * f->num_hosts, ik_lid_tables_row(&t, sw));
        uint32_t self = ik_lids_of_node(lids, sw);
        for (uint32_t i = self; i < lids->num && lids->of[i].path == i - self; i++)
            ik_lid_tables_row(&t, sw)[i] = IK_PORT_SELF;
    }
    lft_tables_hosts_free(&h);
    free(lft);
    if (status == IK_OK)
        *out = t;
    return status;
}

/* ---- files */

static ik_status lft_tables_one_path(const ik_fabric *f, const ik_lid_tables *t, uint16_t **lft,
                                     ik_error *err)
{
    if (t->lids->max_lmc == 0)
        return lft_of_tables(f, t, 0, lft, err);
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "ports have several LIDs (LMC %u), each with its own path; a table by host holds one",
            t->lids->max_lmc);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "the routing 'lft' takes all of them");
}

ik_status ik_lft_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                       uint16_t **lft, ik_error *err)
{
    ik_lids lids = {0};
    ik_lid_tables t = {0};
    ik_status status = ik_lids_make(f, &lids, err);
    if (status == IK_OK)
        status = ik_lid_tables_parse(&lids, text, size, file, &t, NULL, err);
    if (status == IK_OK)
        status = lft_tables_one_path(f, &t, lft, err);
    ik_lid_tables_free(&t);
    ik_lids_free(&lids);
    return status;
}

ik_status ik_lft_read(const ik_fabric *f, const char *path, uint16_t **lft, ik_error *err)
{
    ik_lids lids = {0};
    ik_lid_tables t = {0};
    ik_status status = ik_lids_make(f, &lids, err);
    if (status == IK_OK)
        status = ik_lid_tables_read(&lids, path, NULL, &t, NULL, err);
    if (status == IK_OK)
        status = lft_tables_one_path(f, &t, lft, err);
    ik_lid_tables_free(&t);
    ik_lids_free(&lids);
    return status;
}

ik_status ik_lft_print(const ik_routing *r, FILE *out, ik_error *err)
{
    ik_lids lids = {0};
    ik_lid_tables t = {0};
    ik_status status = ik_lids_make(r->fabric, &lids, err);
    if (status == IK_OK)
        status = ik_lid_tables_of(r, &lids, NULL, &t, err);
    if (status == IK_OK)
        status = ik_lid_tables_print(&t, out, err);
    ik_lid_tables_free(&t);
    ik_lids_free(&lids);
    return status;
}

ik_status ik_lft_write(const ik_routing *r, const char *path, ik_error *err)
{
    ik_output file;
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = ik_lft_print(r, file.out, err);
    return ik_output_close(&file, status, err);
}
