/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_fabric.c: findings about the fabric itself: its cabling, its LIDs.
 */
#include "ikat/subnet_files.h"
#include "subnet/audit/audit_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What to do about findings of a fabric. `partial`: the dump does not show the whole fabric. */
static const struct {
    const char *code, *remedy;
    bool partial;
} remedies[] = {
    {"slow-link", "Reseat or replace the cable, and look at both ports' error counters.", false},
    {"missing-cable", "Add the cable, or find the port that is down.", false},
    {"unreachable", "Find the cable or switch that is down between the two parts.", false},
    {"no-cable", "Connect the host, or take it out of the dump.", false},
    {"duplicate-guid", "Two devices answer with one GUID: have one of them reprogrammed.", false},
    {"lid-zero",
     "In a dump: no subnet manager has configured these ports, see whether one runs, and its log. "
     "A netlist has no LIDs.",
     false},
    {"truncated", "Dump the fabric again.", true},
    {"missing-section", "Dump the fabric again while nothing changes in it.", true},
    {"asymmetric-cable", "Dump the fabric again while nothing changes in it.", true},
    {"asymmetric-rate", "Dump the fabric again; if it stays, reseat the cable.", false},
    {"failed-link", "Repair the cable or the port.", false},
    {"port-down", "Reseat or replace the cable; if the port stays down, replace what it leads to.",
     false},
    {"inactive-port", "See whether a subnet manager runs, and its log.", false},
    {"separate-parts", "Find the cables that are down, or dump one fabric per file.", false},
    {"second-dump", "Put each dump into a separate file.", true},
    {"contradicting-section",
     "Dump the fabric again while nothing changes in it; if it stays, two devices have one GUID.",
     true},
    {"missing-switch", "See whether the switch has power, and whether it answers.", false},
    {"name-gap", "See whether it has power, and whether it answers; or whether it ever was there.",
     false},
    {"odd-cable", "Compare with an earlier dump (--plan), which says where it belongs.", false},
    {"near-family", "Give the plan of the fabric (--plan), which decides it.", false},
    {"swapped-rails", "Exchange the two cables at the host.", false},
    {"missing-host", "See whether the host is up, and its cable.", false},
};

static const char *audit_fabric_remedy_of(const char *code, bool *partial)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (strcmp(remedies[i].code, code) == 0) {
            *partial |= remedies[i].partial;
            return remedies[i].remedy;
        }
    return NULL;
}

static ik_status audit_fabric_add_finding(audit_work *w, const ik_finding *f)
{
    audit_about about = {f->severity, f->code, f->node, f->port, NULL, NULL};
    about.remedy = audit_fabric_remedy_of(f->code, &w->a->partial);
    return audit_add(w->a, &about, w->err, "%s", f->text);
}

/* The audit of the cabling has the judgement of the fabric too, its reader's findings not. */
static bool audit_fabric_from_cabling(const ik_audit *a, const ik_finding *f)
{
    if (a->cabling.known && strcmp(f->code, "missing-cable") == 0)
        return true; /* it knows which */
    for (size_t i = 0; i < a->cabling.num_findings; i++) {
        const ik_finding *c = &a->cabling.findings[i];
        if (strcmp(c->code, f->code) == 0 && strcmp(c->text, f->text) == 0)
            return true;
    }
    return false;
}

ik_status audit_cabling(audit_work *w)
{
    ik_audit *a = w->a;
    ik_status status = ik_cabling_audit(w->given, w->config->plan, w->env, &a->cabling, w->err);
    a->has_cabling = status == IK_OK;
    for (size_t i = 0; i < a->cabling.num_findings && status == IK_OK; i++)
        status = audit_fabric_add_finding(w, &a->cabling.findings[i]);
    for (size_t i = 0; i < a->fabric->num_findings && status == IK_OK; i++)
        if (!audit_fabric_from_cabling(a, &a->fabric->findings[i]))
            status = audit_fabric_add_finding(w, &a->fabric->findings[i]);
    return status;
}

ik_status audit_lid_matrix(audit_work *w)
{
    const ik_fabric *f = w->a->fabric;
    ik_lid_matrix m = {0};
    char name[AUDIT_TEXT], hops[16];
    audit_about about = {IK_WARNING,
                         "lid-matrix",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "Routings that avoid links (updn) count more hops. Under others the "
                         "matrix is older than the dump: let the subnet manager sweep again."};
    if (!w->config->lid_matrix)
        return IK_OK;
    ik_status status =
        ik_lid_matrix_compare(&w->a->lids, w->config->lid_matrix, w->env, &m, w->err);
    if (status == IK_OK && m.differ) {
        about.node = m.first_switch;
        snprintf(hops, sizeof hops, m.first_distance < 255 ? "%u" : "no way", m.first_distance);
        status = audit_add(w->a, &about, w->err,
                           "%" PRIu64 " of %" PRIu64 " numbers of hops in the lid matrix %s not "
                           "the fabric's, the first from %s to LID %" PRIu32 ": %u instead of %s",
                           m.differ, m.rows, m.differ == 1 ? "is" : "are",
                           ik_node_describe(f, m.first_switch, name, sizeof name), m.first_lid,
                           m.first_hops, hops);
    }
    about.node = IK_NONE;
    if (status == IK_OK && (m.unknown_switches || m.missing_switches || m.unknown_lids))
        status = audit_add(w->a, &about, w->err,
                           "the lid matrix has %s and %s for LIDs that the fabric does not have, "
                           "and lacks %" PRIu32 " of its switches",
                           IK_COUNT(m.unknown_switches, "switch"),
                           IK_COUNT(m.unknown_lids, "entry"), m.missing_switches);
    return status;
}

static ik_status audit_fabric_lid_clash(void *context, uint32_t node, uint32_t port,
                                        const ik_error *why, ik_error *err)
{
    const audit_work *w = context;
    ik_audit *a = w->a;
    char remedy[600];
    audit_about about = {IK_ERROR, "lid-clash", node, port, NULL, remedy};
    snprintf(
        remedy, sizeof remedy,
        "%s%sCorrect it (restart one subnet manager alone, with its LID cache removed), dump the "
        "fabric again, and audit the tables then.",
        why->hint, why->hint[0] ? ". " : "");
    remedy[0] = (char)toupper((unsigned char)remedy[0]);
    a->partial = true;
    return a->lid_clashes++ < w->named ? audit_add(a, &about, err, "%s", why->text) : IK_OK;
}

ik_status audit_make_lids(audit_work *w)
{
    ik_audit *a = w->a;
    audit_about about = {IK_ERROR, "lid-clash", IK_NONE, IK_NONE, NULL, NULL};
    ik_status status =
        ik_lids_make_reporting(a->fabric, audit_fabric_lid_clash, w, &a->lids, w->err);
    if (status == IK_OK)
        status = audit_rest(w, &about, a->lid_clashes, "LIDs cannot be those of a subnet");
    if (status == IK_OK && a->lid_clashes && w->config->tables)
        status = audit_add(a, &about, w->err,
                           "the tables (%s) are left out: they go by LID, and LIDs are not unique",
                           w->config->tables);
    return status;
}

/* Does the dump give the port one? One that cannot be has a finding of its own. */
static bool audit_fabric_has_lid(const ik_fabric *f, const ik_lid *lid)
{
    return lid->port != IK_NONE ? ik_port_lid(f, lid->port) != 0
                                : f->node_lid && f->node_lid[lid->node] != 0;
}

ik_status audit_lids(audit_work *w)
{
    ik_audit *a = w->a;
    const char *remedy =
        "No subnet manager has configured the port: see whether one runs, its log, "
        "and whether the port is active.";
    audit_about about = {IK_WARNING, "no-lid", IK_NONE, IK_NONE, NULL, remedy};
    uint64_t shown = 0;
    ik_status status = IK_OK;
    if (a->lids.mixed_lmc) {
        audit_about mixed = {
            IK_WARNING, "mixed-lmc", IK_NONE,
            IK_NONE,    NULL,        "Set one LMC for all hosts (OpenSM: -l), and sweep again."};
        status = audit_add(a, &mixed, w->err, "ports of hosts have different numbers of LIDs");
    }
    if (a->lids.assigned == a->lids.num)
        return status; /* a generated fabric: it has none at all */
    for (uint32_t i = 0; i < a->lids.num && status == IK_OK; i++) {
        const ik_lid *lid = &a->lids.of[i];
        char name[AUDIT_TEXT];
        if (!lid->made || audit_fabric_has_lid(a->fabric, lid) || shown++ >= w->named)
            continue;
        about.node = lid->node;
        about.port = lid->port;
        status = audit_add(a, &about, w->err, "%s %s has no LID: nothing can be sent to it",
                           lid->port == IK_NONE ? "switch" : "host",
                           ik_node_describe(a->fabric, lid->node, name, sizeof name));
    }
    return status == IK_OK ? audit_rest(w, &about, shown, "ports have no LID") : status;
}
