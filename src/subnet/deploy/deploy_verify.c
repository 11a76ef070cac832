/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_verify.c: what a subnet holds beside what was to be installed.
 */
#include "ikat/format.h"
#include "subnet/deploy/deploy.h"

#include <stdlib.h>
#include <string.h>

/* ---- forwarding tables */

typedef struct table_compare {
    ik_deploy_check *c;
    const ik_lid_tables *wanted, *found;
    uint32_t unprinted; /* index of the LID that dump_fts leaves out, IK_NONE */
} table_compare;

static void deploy_verify_list_table(ik_deploy_check *c, uint32_t sw, uint32_t lid, uint8_t wanted,
                                     uint8_t found)
{
    if (c->num_tables < IK_DEPLOY_LISTED)
        c->tables[c->num_tables++] = (ik_table_difference){sw, lid, wanted, found};
}

static void deploy_verify_compare_switch(table_compare *t, uint32_t sw)
{
    ik_deploy_check *c = t->c;
    const uint8_t *wanted = ik_lid_tables_row(t->wanted, sw),
                  *found = ik_lid_tables_row(t->found, sw);
    for (uint32_t i = 0; i < c->lids.num; i++) {
        c->entries += wanted[i] != IK_PORT_NONE;
        if (wanted[i] == found[i]) {
            c->equal += wanted[i] != IK_PORT_NONE;
            continue;
        }
        if (wanted[i] == IK_PORT_NONE)
            c->extra++;
        else if (found[i] != IK_PORT_NONE)
            c->different++;
        else if (i == t->unprinted)
            c->unprinted++;
        else
            c->missing++;
        if (found[i] != IK_PORT_NONE || i != t->unprinted)
            deploy_verify_list_table(c, sw, i, wanted[i], found[i]);
    }
}

static ik_status deploy_verify_compare_tables(ik_deploy_check *c, const char *folder,
                                              const char *lfts, const ik_env *env, ik_error *err)
{
    char path[DEPLOY_PATH + 64];
    ik_lid_tables wanted = {0}, found = {0};
    ik_tables_matched matched, ours;
    snprintf(path, sizeof path, "%.4000s/%s", folder, deploy_file_name(DEPLOY_LFTS));
    ik_status status = ik_lid_tables_read(&c->lids, path, env, &wanted, &ours, err);
    if (status == IK_OK)
        status = ik_lid_tables_read(&c->lids, lfts, env, &found, &matched, err);
    if (status == IK_OK)
        status = ik_tables_note(&c->lids, &matched, lfts, &c->note, err);
    if (status == IK_OK) {
        table_compare t = {
            c, &wanted, &found,
            matched.missing_last_lid ? ik_lids_find(&c->lids, matched.missing_last_lid) : IK_NONE};
        c->gone = ours.unknown_entries;
        for (uint32_t sw = 0; sw < wanted.num_switches; sw++)
            deploy_verify_compare_switch(&t, sw);
    }
    ik_lid_tables_free(&wanted);
    ik_lid_tables_free(&found);
    return status;
}

/* ---- lanes */

typedef struct vl_compare {
    ik_deploy_check *c;
    const ik_sl2vl *wanted, *found;
    unsigned sls; /* that pairs have */
} vl_compare;

static void deploy_verify_compare_vl(vl_compare *v, ik_vl_difference at)
{
    ik_deploy_check *c = v->c;
    c->vls_compared++;
    if (at.wanted == at.found)
        return;
    c->vls_different++;
    if (c->num_vls < IK_DEPLOY_LISTED)
        c->vls[c->num_vls++] = at;
}

static void deploy_verify_compare_ports(vl_compare *v, uint32_t sw, uint32_t in, uint32_t out)
{
    for (unsigned sl = 0; sl < v->sls; sl++)
        deploy_verify_compare_vl(v,
                                 (ik_vl_difference){sw, in, out, IK_NONE, (uint8_t)sl,
                                                    (uint8_t)ik_vl_of(v->wanted, sw, in, out, sl),
                                                    (uint8_t)ik_vl_of(v->found, sw, in, out, sl)});
}

static void deploy_verify_compare_all(vl_compare *v, const ik_fabric *f)
{
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t out = 0; out < ik_radix(f, sw); out++) {
            if (f->port_peer[f->port_base[sw] + out] == IK_NONE)
                continue;
            deploy_verify_compare_ports(v, sw, IK_NONE, out);
            for (uint32_t in = 0; in < ik_radix(f, sw); in++)
                if (in != out && f->port_peer[f->port_base[sw] + in] != IK_NONE)
                    deploy_verify_compare_ports(v, sw, in, out);
        }
    for (uint32_t p = f->port_base[f->num_switches]; p < f->num_ports; p++)
        for (unsigned sl = 0; f->port_peer[p] != IK_NONE && sl < v->sls; sl++)
            deploy_verify_compare_vl(v,
                                     (ik_vl_difference){IK_NONE, IK_NONE, IK_NONE, p, (uint8_t)sl,
                                                        (uint8_t)ik_vl_of_host(v->wanted, p, sl),
                                                        (uint8_t)ik_vl_of_host(v->found, p, sl)});
}

/* The highest SL that the folder's policy gives, plus one; 0 = it has none. */
static ik_status deploy_verify_count_sls(const ik_deploy_check *c, const char *folder,
                                         const ik_env *env, unsigned *sls, ik_error *err)
{
    char path[DEPLOY_PATH + 64];
    ik_service_levels levels = {0};
    ik_policy_matched matched;
    ik_error why;
    snprintf(path, sizeof path, "%.4000s/%s", folder, deploy_file_name(DEPLOY_POLICY));
    ik_status status = ik_qos_policy_read(&c->lids, path, env, &levels, &matched, &why);
    if (status == IK_ERR_IO) {
        ik_fail(err, IK_ERR_USAGE,
                "the deployment in '%.300s' uses one lane, for which there are no "
                "maps to compare",
                folder);
        return ik_hint(err, IK_ERR_USAGE, "leave --sl2vl out");
    }
    if (status != IK_OK && err)
        *err = why;
    *sls = status == IK_OK ? matched.max_sl + 1 : 0;
    ik_service_levels_free(&levels);
    return status;
}

static ik_status deploy_verify_compare_vls(ik_deploy_check *c, const char *folder,
                                           const char *sl2vl, const ik_fabric *f, const ik_env *env,
                                           ik_error *err)
{
    char path[DEPLOY_PATH + 64];
    ik_sl2vl wanted = {0}, found = {0};
    ik_sl2vl_matched matched = {0};
    unsigned sls = 0;
    snprintf(path, sizeof path, "%.4000s/%s", folder, deploy_file_name(DEPLOY_CONF));
    ik_status status = deploy_verify_count_sls(c, folder, env, &sls, err);
    if (status == IK_OK)
        status = ik_sl2vl_conf_read(f, path, env, &wanted, NULL, err);
    if (status == IK_OK)
        status = ik_sl2vl_dump_read(f, sl2vl, env, &found, &matched, err);
    if (status == IK_OK) {
        vl_compare v = {c, &wanted, &found, sls};
        c->has_vls = true;
        c->vl_holes = matched.holes;
        deploy_verify_compare_all(&v, f);
    }
    ik_sl2vl_free(&wanted);
    ik_sl2vl_free(&found);
    return status;
}

/* ---- the whole */

static ik_status deploy_verify_find_fabric(ik_deploy_check *c, const char *folder,
                                           const ik_fabric **f, const ik_env *env, ik_error *err)
{
    char path[DEPLOY_PATH + 64];
    ik_fabric *whole = NULL;
    ik_status status = IK_OK;
    if (!*folder)
        return ik_fail(err, IK_ERR_USAGE, "the name of the folder is empty");
    snprintf(path, sizeof path, "%.4000s/%s", folder, deploy_file_name(DEPLOY_FABRIC));
    if (!*f) {
        status = ik_fabric_read(path, "json", env, &c->fabric, err);
        *f = c->fabric;
    }
    if (status != IK_OK || !(*f)->num_endpoints)
        return status;
    status = ik_fabric_with_endpoints(*f, &whole, err);
    if (status == IK_OK) {
        ik_fabric_free(c->fabric);
        *f = c->fabric = whole;
    }
    return status;
}

ik_status ik_deploy_verify(const char *folder, const char *lfts, const char *sl2vl,
                           const ik_fabric *f, const ik_env *env, ik_deploy_check *out,
                           ik_error *err)
{
    ik_deploy_check c = {0};
    ik_status status = deploy_verify_find_fabric(&c, folder, &f, env, err);
    if (status == IK_OK)
        status = ik_lids_make(f, &c.lids, err);
    c.tables = ik_calloc(IK_DEPLOY_LISTED, sizeof *c.tables);
    c.vls = ik_calloc(IK_DEPLOY_LISTED, sizeof *c.vls);
    if (status == IK_OK && (!c.tables || !c.vls))
        status = ik_fail_memory(err, IK_DEPLOY_LISTED * sizeof *c.vls, "differences");
    if (status == IK_OK)
        status = deploy_verify_compare_tables(&c, folder, lfts, env, err);
    if (status == IK_OK && sl2vl)
        status = deploy_verify_compare_vls(&c, folder, sl2vl, f, env, err);
    if (status == IK_OK)
        *out = c;
    else
        ik_deploy_check_free(&c);
    return status;
}

void ik_deploy_check_free(ik_deploy_check *c)
{
    ik_lids_free(&c->lids);
    free(c->tables);
    free(c->vls);
    free(c->note);
    ik_fabric_free(c->fabric);
    *c = (ik_deploy_check){0};
}

/* ---- what is printed */

bool ik_deploy_check_equal(const ik_deploy_check *k)
{
    return k->different == 0 && k->missing == 0 && k->extra == 0 && k->vls_different == 0 &&
           k->vl_holes == 0;
}

static void deploy_verify_put_port(ik_json *j, const char *key, uint8_t port)
{
    ik_json_known(j, key, port != IK_PORT_NONE, port);
}

static void deploy_verify_put_differences(ik_json *j, const ik_deploy_check *k)
{
    const ik_fabric *f = k->lids.fabric;
    char name[256];
    ik_json_array(j, "differences");
    for (uint32_t i = 0; i < k->num_tables; i++) {
        const ik_table_difference *d = &k->tables[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "switch", ik_node_describe(f, d->sw, name, sizeof name));
        ik_json_uint(j, "lid", k->lids.of[d->lid].lid);
        ik_json_text(j, "destination",
                     ik_node_describe(f, k->lids.of[d->lid].node, name, sizeof name));
        deploy_verify_put_port(j, "wanted", d->wanted);
        deploy_verify_put_port(j, "found", d->found);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_array(j, "vl_differences");
    for (uint32_t i = 0; i < k->num_vls; i++) {
        const ik_vl_difference *d = &k->vls[i];
        uint32_t out = d->sw == IK_NONE ? d->port : f->port_base[d->sw] + d->out;
        ik_json_object(j, NULL);
        ik_json_text(j, "port", ik_port_describe(f, out, name, sizeof name));
        ik_json_known(j, "in", d->sw != IK_NONE,
                      d->in == IK_NONE ? 0 : ik_port_number(f, f->port_base[d->sw] + d->in));
        ik_json_uint(j, "sl", d->sl);
        ik_json_uint(j, "wanted", d->wanted);
        ik_json_uint(j, "found", d->found);
        ik_json_close(j);
    }
    ik_json_close(j);
}

void ik_deploy_check_json(const ik_deploy_check *k, ik_json *j)
{
    ik_json_bool(j, "equal", ik_deploy_check_equal(k));
    ik_json_uint(j, "entries", k->entries);
    ik_json_uint(j, "entries_equal", k->equal);
    ik_json_uint(j, "entries_different", k->different);
    ik_json_uint(j, "entries_missing", k->missing);
    ik_json_uint(j, "entries_extra", k->extra);
    ik_json_uint(j, "entries_unprinted", k->unprinted);
    ik_json_uint(j, "entries_gone", k->gone);
    ik_json_known(j, "vls_compared", k->has_vls, k->vls_compared);
    ik_json_known(j, "vls_different", k->has_vls, k->vls_different);
    ik_json_known(j, "vl_holes", k->has_vls, k->vl_holes);
    deploy_verify_put_differences(j, k);
}
