/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_files.c: the files of a deployment but for its summaries, and reading them back.
 */
#include "ikat/format.h"
#include "subnet/deploy/deploy.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

typedef ik_status (*write_fn)(ik_deployment *d, FILE *out, ik_error *err);

static ik_status deploy_files_write_lfts(ik_deployment *d, FILE *out, ik_error *err)
{
    return ik_lid_tables_print(&d->tables, out, err);
}

static ik_status deploy_files_write_policy(ik_deployment *d, FILE *out, ik_error *err)
{
    return ik_qos_policy_print(&d->levels, out, &d->policy, err);
}

static ik_status deploy_files_write_conf(ik_deployment *d, FILE *out, ik_error *err)
{
    char path[DEPLOY_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", d->folder, deploy_file_name(DEPLOY_POLICY));
    fprintf(out, "routing_engine file,no_fallback\nlfts_file %s/%s\n", d->folder,
            deploy_file_name(DEPLOY_LFTS));
    return ik_sl2vl_conf_print(d->lanes, path, out, err);
}

static ik_status deploy_files_write_roots(ik_deployment *d, FILE *out, ik_error *err)
{
    for (uint32_t i = 0; i < d->num_roots; i++)
        fprintf(out, "0x%016" PRIx64 "\n", ik_node_guid(d->fabric, d->roots[i]));
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno)) : IK_OK;
}

static ik_status deploy_files_write_file(ik_deployment *d, const deploy_folder *folder,
                                         deploy_file file, write_fn write, ik_error *err)
{
    char path[DEPLOY_PATH + 128];
    ik_output o;
    ik_status status = ik_output_open(&o, deploy_folder_file(folder, file, path, sizeof path), err);
    if (status == IK_OK)
        status = write(d, o.out, err);
    return ik_output_close(&o, status, err);
}

static ik_status deploy_files_write_order(ik_deployment *d, FILE *out, ik_error *err)
{
    const ik_deploy_update *u = &d->update;
    char name[256];
    fprintf(
        out,
        "# Replace the tables of all switches of a batch, in any order; wait until packets that "
        "were in the network have left (seconds); then the next.\n");
    for (uint32_t i = 0; i < u->num_order; i++) {
        if (i == 0 || u->batch[i] != u->batch[i - 1])
            fprintf(out, "# batch %" PRIu32 " of %" PRIu32 "\n", u->batch[i] + 1, u->num_batches);
        fprintf(out, "0x%016" PRIx64 " # %s\n", ik_node_guid(d->fabric, d->update.order[i]),
                ik_node_name(d->fabric, d->update.order[i], name, sizeof name));
    }
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno)) : IK_OK;
}

ik_status deploy_write(ik_deployment *d, const deploy_folder *folder, ik_error *err)
{
    ik_status status =
        deploy_files_write_file(d, folder, DEPLOY_LFTS, deploy_files_write_lfts, err);
    if (status == IK_OK && d->lanes > 1)
        status = deploy_files_write_file(d, folder, DEPLOY_POLICY, deploy_files_write_policy, err);
    if (status == IK_OK && d->lanes > 1)
        status = deploy_files_write_file(d, folder, DEPLOY_CONF, deploy_files_write_conf, err);
    if (status == IK_OK)
        status = deploy_files_write_file(d, folder, DEPLOY_ROOTS, deploy_files_write_roots, err);
    if (status == IK_OK && d->update.from && d->update.mixing == IK_MIXING_ORDER)
        status = deploy_files_write_file(d, folder, DEPLOY_ORDER, deploy_files_write_order, err);
    char path[DEPLOY_PATH + 128];
    if (status == IK_OK)
        status = ik_fabric_write(
            d->given, deploy_folder_file(folder, DEPLOY_FABRIC, path, sizeof path), "json", err);
    return status;
}

ik_status deploy_read_back(ik_deployment *d, const deploy_folder *folder, const ik_env *env,
                           bool *same, ik_error *err)
{
    char path[DEPLOY_PATH + 128];
    ik_lid_tables written = d->tables;
    d->tables = (ik_lid_tables){0};
    ik_service_levels_free(&d->levels);
    ik_sl2vl_free(&d->vls);
    ik_status status =
        ik_lid_tables_read(&d->lids, deploy_folder_file(folder, DEPLOY_LFTS, path, sizeof path),
                           env, &d->tables, NULL, err);
    *same = status == IK_OK &&
            memcmp(d->tables.out, written.out, (size_t)written.num_switches * d->lids.num) == 0;
    ik_lid_tables_free(&written);
    if (status == IK_OK && d->lanes > 1)
        status = ik_qos_policy_read(&d->lids,
                                    deploy_folder_file(folder, DEPLOY_POLICY, path, sizeof path),
                                    env, &d->levels, NULL, err);
    if (status == IK_OK && d->lanes > 1)
        status = ik_sl2vl_conf_read(d->fabric,
                                    deploy_folder_file(folder, DEPLOY_CONF, path, sizeof path), env,
                                    &d->vls, NULL, err);
    return status;
}

/* ---- commands */

/* A file of a folder, or the folder, as one word of a shell. */
static void deploy_files_print_word(const char *folder, const char *file, const char *after,
                                    FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+,:=@%";
    bool quoted = folder[strspn(folder, plain)] != '\0';
    fputs(quoted ? "'" : "", out);
    for (const char *c = folder; *c; c++) {
        if (*c == '\'')
            fputs("'\\'", out);
        fputc(*c, out);
    }
    fprintf(out, "%s%s%s\n", file, quoted ? "'" : "", after);
}

static void deploy_files_print_start(const char *folder, unsigned lanes, FILE *out)
{
    fputs(lanes > 1 ? "opensm -F " : "opensm -R file,no_fallback -U ", out);
    deploy_files_print_word(folder, lanes > 1 ? "/opensm.conf" : "/lfts", "", out);
}

static void deploy_files_print_return(const ik_deployment *d, FILE *out)
{
    if (d->lanes > 1)
        fputs("# Before going back: lines that were added to OpenSM's own configuration go first. "
              "It\n"
              "# leaves maps from service levels to lanes as they are unless it sets up others;\n"
              "# service level 0 is on lane 0 in those of this deployment.\n",
              out);
    if (d->update.folder) {
        fputs("# Go back: to the deployment that was installed, with its service levels.\n", out);
        deploy_files_print_start(d->update.folder, d->update.lanes, out);
    } else {
        fputs(
            "# Go back: start OpenSM with the options that it had. Only if all hosts sent on "
            "service\n"
            "# level 0 before, use the kept tables instead: they have no service levels, and those "
            "of\n"
            "# an engine with several lanes (dfsssp, lash, nue, torus-2QoS) may deadlock on one.\n"
            "# If the fabric has changed since, they lead into cables that are gone.\n"
            "opensm -R file,no_fallback -U before.lfts\n",
            out);
    }
    /* headings have the route to the switch, and their order is that of discovery */
    fputs("# Check: the tables of before, where the fabric is as it was.\n"
          "dump_fts > back.lfts\n"
          "for when in before back; do awk '/^Unicast/ { sub(/.*guid /, \"\"); sw = $0 } "
          "/^0x/ { print sw, $1, $2 }' $when.lfts | sort > $when.entries; done\n"
          "diff before.entries back.entries\n",
          out);
}

void deploy_print_commands(const ik_deployment *d, FILE *out)
{
    fputs("# Before: keep the tables that are installed now. If OpenSM runs with -D 0x43, its\n"
          "# opensm-lfts.dump is better: dump_fts leaves out a last LID that is a multiple of 64.\n"
          "dump_fts > before.lfts\n"
          "# Install. OpenSM stays away from other routings if the file cannot be used.\n",
          out);
    deploy_files_print_start(d->folder, d->lanes, out);
    fputs("# A subnet manager that runs with these options reads the file again on SIGHUP.\n"
          "kill -HUP $(pidof opensm)\n"
          "# Check: what switches hold now, entry by entry.\n"
          "dump_fts > installed.lfts\n"
          "ikat verify-deployed ",
          out);
    deploy_files_print_word(d->folder, "", " --lfts installed.lfts", out);
    fputs("ibqueryerrors\n", out);
    deploy_files_print_return(d, out);
}

static ik_status deploy_files_write_commands(ik_deployment *d, FILE *out, ik_error *err)
{
    deploy_print_commands(d, out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno)) : IK_OK;
}

static ik_status deploy_files_write_text(ik_deployment *d, FILE *out, ik_error *err)
{
    ik_deployment_print(d, out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot be written: %s", strerror(errno)) : IK_OK;
}

static ik_status deploy_files_write_json(ik_deployment *d, FILE *out, ik_error *err)
{
    ik_json j;
    ik_json_to_file(&j, out, IK_JSON_INDENTED);
    ik_json_object(&j, NULL);
    ik_json_uint(&j, "version", IK_JSON_VERSION);
    ik_deployment_json(d, &j);
    ik_json_close(&j);
    return ik_json_end(&j, err);
}

ik_status deploy_write_summaries(ik_deployment *d, const deploy_folder *folder, ik_error *err)
{
    ik_status status =
        deploy_files_write_file(d, folder, DEPLOY_COMMANDS, deploy_files_write_commands, err);
    if (status == IK_OK)
        status = deploy_files_write_file(d, folder, DEPLOY_TEXT, deploy_files_write_text, err);
    if (status == IK_OK)
        status = deploy_files_write_file(d, folder, DEPLOY_JSON, deploy_files_write_json, err);
    return status;
}
