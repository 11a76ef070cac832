/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/path_records.h: the service levels that a subnet manager really gives out, from its path
 * records. Engines with layers (LASH, DFSSSP, Nue, torus-2QoS) say them nowhere else.
 */
#ifndef IKAT_PATH_RECORDS_H
#define IKAT_PATH_RECORDS_H

#include "ikat/subnet.h"

IK_BEGIN_DECLS

typedef struct ik_path_records_matched {
    uint64_t records; /* of ports that the fabric has */
    uint64_t unknown; /* of others; the first: LID or GUID, 0 if none */
    uint32_t first_unknown_lid;
    uint64_t first_unknown_guid;
    uint64_t changed; /* records of a pair that had another SL before: the last counts */
    /* (host port, LID of another host port) pairs with a record and without, which are taken for
     * SL 0; the first of these: indexes of LIDs, IK_NONE if there is none */
    uint64_t pairs, missing;
    uint32_t first_missing_src, first_missing_dst;
    unsigned max_sl;
} ik_path_records_matched;

/* Reads what `saquery PR` prints, with --slid and --dlid or without, as many answers as the file
 * has; or lines `GUID LID SL` of sources' node or port GUIDs and destinations' LIDs, which ibdmchk
 * reads (-c). Line by line; gzip-compressed files too. `matched` may be NULL. IK_ERR_INPUT with the
 * place: other lines, values out of range, no known pair. Free with ik_service_levels_free. Cost
 * O(size + ports * LIDs), bytes: ports * LIDs. */
ik_status ik_path_records_read(const ik_lids *lids, const char *path, const ik_env *env,
                               ik_service_levels *out, ik_path_records_matched *matched,
                               ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status ik_path_records_parse(const ik_lids *lids, const char *text, size_t size,
                                const char *file, ik_service_levels *out,
                                ik_path_records_matched *matched, ik_error *err);

IK_END_DECLS
#endif
