/* SPDX-License-Identifier: Apache-2.0
 *
 * What src/fabric keeps behind an ik_fabric.
 */
#ifndef IKAT_FABRIC_PRIVATE_H
#define IKAT_FABRIC_PRIVATE_H

#include "ikat/fabric.h"

#include <stdarg.h>

struct ik_fabric_private {
    ik_arena arena;      /* names, texts, provenance, family data */
    size_t finding_cap;  /* allocated entries of ik_fabric.findings */
    size_t endpoint_cap; /* allocated entries of ik_fabric.endpoints */
    size_t family_bytes; /* size of ik_fabric.family_data */
    /* Links of one kind have a rate of their own by design, so that none is slow. */
    bool rates_meant;
};

enum { FABRIC_MAX_CLASSES = 4096 };

/* An empty fabric with its private part, NULL when out of memory. */
ik_fabric *fabric_new(void);
/* printf into the arena; NULL when out of memory. */
char *fabric_vprintf(ik_arena *arena, const char *format, va_list args);
/* Copies what does not depend on the hosts' numbers: switches' labels, link classes, provenance;
 * fabric_change.c. */
ik_status fabric_copy_common(const ik_fabric *from, ik_fabric *to, ik_error *err);
/* Sets family and specification, and family data copied from `data` (NULL keeps what there is). */
ik_status fabric_set_origin(ik_fabric *f, const char *family, const char *spec, const void *data,
                            size_t data_bytes, ik_error *err);
/* Copies the endpoints; takes away those of one switch. */
ik_status fabric_copy_endpoints(const ik_fabric *from, ik_fabric *to, ik_error *err);
void fabric_drop_endpoints(ik_fabric *f, uint32_t sw);
/* A copy whose switches, and hosts, stand in the order of their GUIDs, else names, judged anew:
 * what is said of it does not depend on the order of a dump. *old: to be freed, the numbers in f of
 * its nodes. Cost O(nodes log nodes + ports). */
ik_status fabric_sorted(const ik_fabric *f, ik_fabric **out, uint32_t **old, ik_error *err);
/* Drops link classes without links and renumbers the others in their order. */
void fabric_prune_classes(ik_fabric *f);
/* Appends a finding; port and node may be IK_NONE (node is derived from port if only that is
 * given). */
ik_status fabric_add_finding(ik_fabric *f, ik_severity severity, const char *code, uint32_t port,
                             uint32_t node, ik_error *err, const char *format, ...) IK_PRINTF(7, 8);
/* Findings of slow links and slower adapters. */
ik_status fabric_judge_rates(ik_fabric *f, ik_error *err);
/* A finding for each host without any cable, in place of earlier ones. */
ik_status fabric_find_uncabled(ik_fabric *f, ik_error *err);

#endif
