/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_note.c: what did not fit when forwarding tables were matched with a fabric, in sentences.
 */
#include "base/text_stream.h"
#include "ikat/lids.h"

#include <inttypes.h>

static void note_switches(const ik_lids *lids, const ik_tables_matched *m, FILE *out)
{
    char name[160];
    if (m->unknown_switches)
        fprintf(out,
                "; %" PRIu32 " of %" PRIu32 " switches %s not in the fabric, the first has "
                "GUID 0x%016" PRIx64,
                m->unknown_switches, m->switches, m->unknown_switches == 1 ? "is" : "are",
                m->first_unknown_switch);
    if (m->missing_switches)
        fprintf(
            out, "; %s no table, the first is %s",
            IK_COUNT(m->missing_switches, "switch of the fabric has|switches of the fabric have"),
            ik_node_describe(lids->fabric, m->first_missing_switch, name, sizeof name));
}

static void note_destinations(const ik_lids *lids, const ik_tables_matched *m, FILE *out)
{
    uint64_t unknown = m->unknown_entries - m->zero_lost;
    char name[160];
    if (m->unknown_entries > m->zero_lost)
        fprintf(out, "; %s for %s %s no port of the fabric, the first is LID %" PRIu32,
                IK_COUNT(unknown, "entry"), IK_COUNT(m->unknown_lids, "LID"),
                unknown == 1 ? "fits" : "fit", m->first_unknown_lid);
    if (m->guid_disagrees)
        fprintf(out, "; %s a port GUID that the fabric does not have and %s LID, as OpenSM does",
                IK_COUNT(m->guid_disagrees, "entry has|entries have"),
                m->guid_disagrees == 1 ? "is taken by its" : "are taken by their");
    if (m->extra_paths)
        fprintf(out,
                "; %s for more LIDs of a port than it has in the fabric (another LMC) and %s left "
                "out",
                IK_COUNT(m->extra_paths, "entry is|entries are"),
                m->extra_paths == 1 ? "is" : "are");
    if (m->unnamed_hosts)
        fprintf(out,
                "; %" PRIu32 " of %" PRIu32 " ports of hosts %s no entry anywhere, the first "
                "is %s, LID %u",
                m->unnamed_hosts, m->num_hosts, m->unnamed_hosts == 1 ? "has" : "have",
                ik_port_describe(lids->fabric, lids->of[m->first_unnamed].port, name, sizeof name),
                lids->of[m->first_unnamed].lid);
}

static void tables_note_lmc(const ik_lids *lids, FILE *out)
{
    const ik_fabric *f = lids->fabric;
    uint32_t a = lids->of[lids->lmc_of].port, b = lids->of[lids->other_lmc_of].port;
    char first[160], second[160];
    fprintf(out, "; ports of hosts differ in their LMC: %s has %u, %s %u",
            ik_port_describe(f, a, first, sizeof first), ik_port_lmc(f, a),
            ik_port_describe(f, b, second, sizeof second), ik_port_lmc(f, b));
}

static void note_numbers(const ik_lids *lids, const ik_tables_matched *m, FILE *out)
{
    if (m->zero_switches + m->zero_lids)
        fprintf(out,
                "; LID 0 is no destination, but %s and %s "
                "have it: no subnet manager had given them one; %" PRIu32 " of the entries are "
                "skipped, the others are known by their port GUID",
                IK_COUNT(m->zero_switches, "switch"), IK_COUNT(m->zero_lids, "entry"),
                m->zero_lost);
    if (m->missing_last_lid)
        fprintf(out,
                "; LID %" PRIu32 " is missing: dump_fts and ibroute leave out the last LID if "
                "it is a multiple of 64, so nothing is known about the routes to it",
                m->missing_last_lid);
    if (m->self_entries)
        fprintf(out, "; %s packets for others to port 0, the switch itself",
                IK_COUNT(m->self_entries, "entry sends|entries send"));
    if (m->by_lid && lids->assigned)
        fprintf(out,
                "; %s no LID in the fabric: entries without a port GUID are "
                "for the LIDs that ikat gives",
                IK_COUNT(lids->assigned, "port has|ports have"));
    if (lids->mixed_lmc)
        tables_note_lmc(lids, out);
}

static bool tables_note_fits(const ik_lids *lids, const ik_tables_matched *m)
{
    return !(m->unknown_switches || m->missing_switches || m->unknown_entries ||
             m->guid_disagrees || m->extra_paths || m->unnamed_hosts || m->zero_switches ||
             m->zero_lids || m->missing_last_lid || m->self_entries || lids->mixed_lmc);
}

ik_status ik_tables_note(const ik_lids *lids, const ik_tables_matched *m, const char *file,
                         char **note, ik_error *err)
{
    ik_text_stream t;
    char *text = NULL;
    size_t size = 0;
    *note = NULL;
    if (tables_note_fits(lids, m))
        return IK_OK;
    ik_status status = ik_text_stream_open(&t, err);
    if (status != IK_OK)
        return status;
    fprintf(t.out, "%s: %s, %" PRIu64 " by port GUID and %" PRIu64 " by LID", file,
            IK_COUNT(m->entries, "entry"), m->by_guid, m->by_lid);
    note_switches(lids, m, t.out);
    note_destinations(lids, m, t.out);
    note_numbers(lids, m, t.out);
    status = ik_text_stream_close(&t, &text, &size, err);
    if (status != IK_OK)
        return status;
    *note = text;
    return IK_OK;
}
