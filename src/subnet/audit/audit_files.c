/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_files.c: how the files of tables, service levels and lanes fit the fabric.
 */
#include "subnet/audit/audit_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static const char other_fabric[] =
    "Dump the fabric (ibnetdiscover) and the tables (OpenSM with -D 0x43, or dump_fts) together, "
    "with nothing changed between the two.";

static ik_status audit_files_tables_switches(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_tables_matched *m = &a->matched;
    audit_about about = {
        IK_ERROR, "missing-switch-tables", m->first_missing_switch, IK_NONE, NULL, other_fabric};
    ik_status status = IK_OK;
    if (m->missing_switches) {
        char name[AUDIT_TEXT];
        status = audit_add(a, &about, w->err,
                           "%" PRIu32 " of %" PRIu32 " switches %s no table in the file, the "
                           "first is %s",
                           m->missing_switches, a->fabric->num_switches,
                           m->missing_switches == 1 ? "has" : "have",
                           ik_node_describe(a->fabric, m->first_missing_switch, name, sizeof name));
        a->partial = true;
    }
    about =
        (audit_about){IK_WARNING, "unknown-switch-tables", IK_NONE, IK_NONE, NULL, other_fabric};
    if (status == IK_OK && m->unknown_switches) {
        status = audit_add(a, &about, w->err,
                           "the file has tables of %s that the fabric does not have, the first has "
                           "GUID 0x%016" PRIx64,
                           IK_COUNT(m->unknown_switches, "switch"), m->first_unknown_switch);
        a->partial = true;
    }
    return status;
}

static ik_status audit_files_tables_lids(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_tables_matched *m = &a->matched;
    audit_about about = {IK_WARNING, "unknown-lids", IK_NONE, IK_NONE, NULL, other_fabric};
    ik_status status = IK_OK;
    if (m->unknown_lids) {
        status = audit_add(a, &about, w->err,
                           "%s for %s that the fabric does not have, the first is LID %" PRIu32,
                           IK_COUNT(m->unknown_entries, "entry"),
                           IK_COUNT(m->unknown_lids, "destination"), m->first_unknown_lid);
        a->partial = true;
    }
    about.code = "matched-by-lid";
    about.severity = IK_NOTE;
    about.remedy = NULL;
    if (status == IK_OK && m->guid_disagrees)
        status = audit_add(a, &about, w->err,
                           "%s name%s a port GUID that the fabric does not have; %s matched by LID",
                           IK_COUNT(m->guid_disagrees, "entry"), m->guid_disagrees == 1 ? "s" : "",
                           m->guid_disagrees == 1 ? "it is" : "they are");
    about.code = "extra-paths";
    about.severity = IK_WARNING;
    about.remedy = other_fabric;
    if (status == IK_OK && m->extra_paths)
        status = audit_add(a, &about, w->err,
                           "%s for further LIDs of ports that have fewer in the "
                           "fabric (its LMC is smaller)",
                           IK_COUNT(m->extra_paths, "entry"));
    about.code = "entries-for-lid-0";
    about.remedy = NULL;
    if (status == IK_OK && m->zero_lids)
        status = audit_add(a, &about, w->err, "%s for LID 0, which is not a LID",
                           IK_COUNT(m->zero_lids, "entry is|entries are"));
    return status;
}

static ik_status audit_files_tables_hosts(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_tables_matched *m = &a->matched;
    audit_about about = {IK_ERROR,
                         "host-without-entries",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "See in OpenSM's log why it did not route to the port; if only the last "
                         "LID is missing, the dump left it out (dump_fts does so with multiples of "
                         "64)."};
    ik_status status = IK_OK;
    if (m->unnamed_hosts) {
        char name[AUDIT_TEXT];
        about.node = a->lids.of[m->first_unnamed].node;
        status = audit_add(a, &about, w->err,
                           "%" PRIu32 " of %" PRIu32
                           " ports of hosts %s no entry in any switch, the first is %s",
                           m->unnamed_hosts, m->num_hosts, m->unnamed_hosts == 1 ? "has" : "have",
                           audit_lid(a, m->first_unnamed, name, sizeof name));
    }
    about = (audit_about){
        IK_WARNING, "last-lid-left-out",
        IK_NONE,    IK_NONE,
        NULL,       "Take the tables from OpenSM itself (-D 0x43: opensm-lfts.dump)."};
    if (status == IK_OK && m->missing_last_lid) {
        status =
            audit_add(a, &about, w->err,
                      "no switch has an entry for LID %" PRIu32
                      ": dump_fts and ibroute leave out the last LID if it is a multiple of 64",
                      m->missing_last_lid);
        a->partial = true;
    }
    return status;
}

static ik_status audit_files_tables_ports(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_tables_matched *m = &a->matched;
    char name[AUDIT_TEXT];
    audit_about about = {IK_ERROR, "wrong-ports", m->wrong_switch, IK_NONE, NULL, other_fabric};
    if (!m->wrong_ports)
        return IK_OK;
    a->partial = true;
    return audit_add(a, &about, w->err,
                     "%s:%u:%u: %s has no port %u, but %s; such entries (%" PRIu64
                     ") are taken for none",
                     w->config->tables, m->wrong_line, m->wrong_column,
                     ik_node_describe(a->fabric, m->wrong_switch, name, sizeof name), m->wrong_port,
                     IK_COUNT(ik_radix(a->fabric, m->wrong_switch), "port"), m->wrong_ports);
}

static ik_status audit_files_policy(audit_work *w)
{
    const ik_policy_matched *m = &w->policy;
    audit_about about = {IK_WARNING, "policy-unknown-ports",
                         IK_NONE,    IK_NONE,
                         NULL,       "Write the policy for this fabric again."};
    ik_status status = IK_OK;
    if (!w->a->has_levels)
        return IK_OK;
    if (m->unknown_guids || m->unknown_names)
        status = audit_add(w->a, &about, w->err,
                           "the QoS policy names %s and %s of ports that the fabric does not have, "
                           "the first GUID is "
                           "0x%016" PRIx64,
                           IK_COUNT(m->unknown_guids, "GUID"), IK_COUNT(m->unknown_names, "name"),
                           m->first_unknown_guid);
    about = (audit_about){IK_NOTE, "policy-conditions", IK_NONE, IK_NONE, NULL, NULL};
    if (status == IK_OK && m->conditional_rules)
        status = audit_add(w->a, &about, w->err,
                           "%s at service IDs, classes or partitions: taken for %s not match",
                           IK_COUNT(m->conditional_rules,
                                    "rule of the QoS policy looks|rules of the QoS policy look"),
                           m->conditional_rules == 1 ? "one that does" : "rules that do");
    return status;
}

static ik_status audit_files_records(audit_work *w)
{
    const ik_path_records_matched *m = &w->records;
    audit_about about = {IK_WARNING, "records-unknown",
                         IK_NONE,    IK_NONE,
                         NULL,       "Ask the subnet manager again (saquery PR)."};
    ik_status status = IK_OK;
    if (!w->config->path_records)
        return IK_OK;
    if (m->unknown)
        status = audit_add(w->a, &about, w->err, "%s of ports that the fabric does not have",
                           IK_COUNT(m->unknown, "path record is|path records are"));
    about.code = "records-missing";
    if (status == IK_OK && m->missing) {
        status = audit_add(w->a, &about, w->err,
                           "%" PRIu64 " of %" PRIu64
                           " pairs have no path record and are assumed to use SL 0",
                           m->missing, m->missing + m->pairs);
        w->a->partial = true;
    }
    return status;
}

/* Service levels without maps. */
static ik_status audit_files_assumed(audit_work *w)
{
    audit_about about = {IK_NOTE, "lanes-assumed",
                         IK_NONE, IK_NONE,
                         NULL,    "Give the SL-to-VL maps (--sl2vl opensm-sl2vl.dump)."};
    if (w->a->has_maps || !(w->policy.max_sl || w->records.max_sl))
        return IK_OK;
    return audit_add(w->a, &about, w->err,
                     "no SL-to-VL maps are given: SL i is assumed to use VL i");
}

static ik_status audit_files_maps(audit_work *w)
{
    const ik_sl2vl_matched *m = &w->maps;
    audit_about about = {IK_WARNING,
                         "sl2vl-holes",
                         m->first_hole_switch,
                         IK_NONE,
                         NULL,
                         "Take the dump again from a subnet manager that runs with QoS (-Q)."};
    ik_status status = IK_OK;
    if (!w->a->has_maps || !w->maps.switches)
        return IK_OK; /* none, or an opensm.conf, which is for all ports */
    if (m->holes) {
        status =
            audit_add(w->a, &about, w->err,
                      "%s no SL-to-VL map in the file: VL 0 is assumed there; without any: %s, %s",
                      IK_COUNT(m->holes, "pair of ports has|pairs of ports have"),
                      IK_COUNT(m->missing_switches, "switch"), IK_COUNT(m->missing_hosts, "host"));
        w->a->partial = true;
    }
    about = (audit_about){IK_WARNING, "sl2vl-unknown", IK_NONE, IK_NONE, NULL, other_fabric};
    if (status == IK_OK && m->unknown)
        status = audit_add(w->a, &about, w->err,
                           "SL-to-VL maps of %s that the fabric does not have, the first has "
                           "GUID 0x%016" PRIx64,
                           IK_COUNT(m->unknown, "node"), m->first_unknown);
    return status;
}

ik_status audit_files(audit_work *w)
{
    ik_status status = audit_files_tables_switches(w);
    if (status == IK_OK)
        status = audit_files_tables_lids(w);
    if (status == IK_OK)
        status = audit_files_tables_hosts(w);
    if (status == IK_OK)
        status = audit_files_tables_ports(w);
    if (status == IK_OK)
        status = audit_files_policy(w);
    if (status == IK_OK)
        status = audit_files_records(w);
    if (status == IK_OK)
        status = audit_files_assumed(w);
    return status == IK_OK ? audit_files_maps(w) : status;
}
