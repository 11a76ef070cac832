/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/lids.h: the LIDs of an InfiniBand subnet, and forwarding tables that have an entry for each
 * of them.
 *
 * A port has 2^LMC consecutive LIDs, its paths; a switch's are those of its port 0. A fabric that
 * was generated has none, and is given LIDs as ik_lids_make() says.
 */
#ifndef IKAT_LIDS_H
#define IKAT_LIDS_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

#define IK_LID_MAX     0xBFFFu /* unicast LIDs end here */
#define IK_PORT_SELF   0u      /* in a table: the switch's own port 0 */
#define IK_PORT_NONE   255u    /* in a table: no route */
#define IK_PORT_NUMBER 254u    /* the largest number of a port */

/* One LID. */
typedef struct ik_lid {
    uint16_t lid;
    uint16_t path; /* lid - the base LID of its port: 0 … 2^LMC - 1 */
    uint32_t node;
    uint32_t port; /* global id of the host's port, IK_NONE: a switch's port 0 */
    bool made;     /* the fabric had none: ik_lids_make gave it */
    uint64_t guid; /* of that port; ik_port_guid() where the fabric has none */
} ik_lid;

typedef struct ik_lids {
    const ik_fabric *fabric; /* borrowed; the whole fabric where a split one was given */
    uint32_t num;
    ik_lid *of;          /* [num] ascending by lid: the index into it is what tables count by */
    uint32_t first_host; /* first port of a host; private */
    /* [switches + ports of hosts] index of the first LID of each, IK_NONE = none; private */
    uint32_t *of_place;
    uint16_t *index_of; /* [IK_LID_MAX + 1] index of a LID, 0xFFFF = none; private */
    uint32_t *by_guid;  /* [num] base LIDs' indexes by ascending GUID; private */
    uint32_t num_guids;
    unsigned max_lmc; /* largest LMC of a port */
    bool mixed_lmc;   /* ports of hosts differ in it */
    /* then indexes of the first LIDs of two ports that differ; else IK_NONE */
    uint32_t lmc_of, other_lmc_of;
    uint32_t assigned; /* ports without a LID in the fabric (or with LID 0) that were given one */
} ik_lids;

/* The LIDs of a fabric: its own; a port that lacks one gets the lowest unused one (switches first,
 * then hosts; LMC 0). Every connected port of a host has LIDs; a port without a cable has none
 * (one number is kept free for a host without any, so that the others stay when it comes back).
 * IK_ERR_INPUT, both ends named: a LID given twice, ranges of paths that overlap, a base LID that
 * is no multiple of 2^LMC; IK_ERR_UNSUPPORTED: more than IK_LID_MAX. Free with ik_lids_free. Cost
 * O(nodes + ports). */
ik_status ik_lids_make(const ik_fabric *f, ik_lids *out, ik_error *err);
/* Told of a port (node; port as in ik_lid) whose LIDs cannot be, and why; not IK_OK ends the
 * work with that. */
typedef ik_status ik_lid_refused(void *context, uint32_t node, uint32_t port, const ik_error *why,
                                 ik_error *err);
/* The same for reports on a fabric: where the former gives IK_ERR_INPUT, `refused` is called for
 * each such port (of two that clash, the later one), which is then one without a LID. NULL: as
 * the former. */
ik_status ik_lids_make_reporting(const ik_fabric *f, ik_lid_refused *refused, void *context,
                                 ik_lids *out, ik_error *err);
void ik_lids_free(ik_lids *lids);
/* Index of a LID, or of the first LID of a port with this GUID (a switch: of its node or port 0);
 * IK_NONE = unknown. */
uint32_t ik_lids_find(const ik_lids *lids, uint32_t lid);
uint32_t ik_lids_find_guid(const ik_lids *lids, uint64_t guid);
/* Index of the first LID of a switch, or of a host's connected port; IK_NONE: it has none. */
uint32_t ik_lids_of_node(const ik_lids *lids, uint32_t node);
uint32_t ik_lids_of_port(const ik_lids *lids, uint32_t port);
/* Number of LIDs of the port whose first LID has this index: 2^LMC. */
uint32_t ik_lids_paths(const ik_lids *lids, uint32_t first);

/* ---- tables */

/* Forwarding tables of all switches by LID, as switches hold them. */
typedef struct ik_lid_tables {
    const ik_lids *lids; /* borrowed */
    uint32_t num_switches;
    /* [num_switches][lids->num] the number printed on the output port, IK_PORT_SELF or
     * IK_PORT_NONE */
    uint8_t *out;
} ik_lid_tables;

static inline uint8_t *ik_lid_tables_row(const ik_lid_tables *t, uint32_t sw)
{
    return t->out + (size_t)sw * t->lids->num;
}
/* Tables without any route. Free with ik_lid_tables_free. Bytes: switches * LIDs. */
ik_status ik_lid_tables_new(const ik_lids *lids, const ik_env *env, ik_lid_tables *out,
                            ik_error *err);
void ik_lid_tables_free(ik_lid_tables *t);

/* What a file of tables had that did not fit the fabric, and how its entries were matched. */
typedef struct ik_tables_matched {
    uint64_t entries;           /* with a port, of known switches and destinations */
    uint64_t by_guid, by_lid;   /* of these: matched by port GUID, by LID */
    uint64_t guid_disagrees;    /* of by_lid: the line's GUID is not in the fabric */
    uint64_t extra_paths;       /* entries for further LIDs of a port, left out: it has fewer in
                                   the fabric */
    uint64_t self_entries;      /* of entries: port 0, but the destination is not the switch */
    uint64_t unknown_entries;   /* neither */
    uint32_t unknown_lids;      /* different destinations that were matched by neither */
    uint32_t first_unknown_lid; /* the first of them, 0 if none */
    uint32_t switches, unknown_switches, missing_switches; /* blocks; switches without a block */
    uint64_t first_unknown_switch;                         /* GUID, 0 if none */
    uint32_t first_missing_switch;                         /* its number, IK_NONE if none */
    uint32_t num_hosts;                                    /* ports of hosts that have LIDs */
    uint32_t unnamed_hosts; /* of these: no switch has an entry for a LID of theirs */
    uint32_t first_unnamed; /* index of the first one's LID, IK_NONE if none */
    uint32_t zero_lids;     /* entries for LID 0 */
    uint32_t zero_lost;     /* of these: no GUID matched */
    uint32_t zero_switches; /* blocks of switches with LID 0 */
    /* dump_fts and ibroute leave the top LID out if it is a multiple of 64: that LID, 0 = none */
    uint32_t missing_last_lid;
    /* ik_lid_tables_read_reporting: entries that were left out, with a port that the switch has
     * not; the first of them, its place in the file */
    uint64_t wrong_ports;
    uint32_t wrong_switch;
    unsigned wrong_port, wrong_line, wrong_column;
    const char *format; /* static text: "OpenSM", "dump_fts", "fdbs" */
} ik_tables_matched;

/* Reads what OpenSM dumps and loads (`Unicast lids` blocks), what dump_fts and ibroute print, and
 * opensm.fdbs; gzip-compressed files too; the text is never held whole. A destination is the port
 * of the GUID that its line gives, else that of its LID (of a LID that ikat gave: only where
 * neither the fabric nor the line has GUIDs). `matched` may be NULL. IK_ERR_INPUT with the place:
 * malformed lines, ports that a switch has not, entries that contradict each other, no known
 * switch, no known host. Free the tables with ik_lid_tables_free. Cost O(size), memory that of the
 * tables. */
ik_status ik_lid_tables_read(const ik_lids *lids, const char *path, const ik_env *env,
                             ik_lid_tables *out, ik_tables_matched *matched, ik_error *err);
/* The same for reports: entries with a port that the switch has not are left out and counted in
 * *matched. */
ik_status ik_lid_tables_read_reporting(const ik_lids *lids, const char *path, const ik_env *env,
                                       ik_lid_tables *out, ik_tables_matched *matched,
                                       ik_error *err);
/* ik_lid_tables_read from memory; `file` is the name for messages. */
ik_status ik_lid_tables_parse(const ik_lids *lids, const char *text, size_t size, const char *file,
                              ik_lid_tables *out, ik_tables_matched *matched, ik_error *err);
/* What somebody who uses the tables should know of the way they were matched, in sentences: *note
 * (free it), NULL = every entry and every host was matched. file: name for the text. */
ik_status ik_tables_note(const ik_lids *lids, const ik_tables_matched *m, const char *file,
                         char **note, ik_error *err);
/* Writes `Unicast lids` blocks with port GUIDs, one for each switch, ascending LIDs; byte-stable.
 * Tables of ten million entries or more have the names of nodes at the top alone. */
ik_status ik_lid_tables_print(const ik_lid_tables *t, FILE *out, ik_error *err);

IK_END_DECLS
#endif
