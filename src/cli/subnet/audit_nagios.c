/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_nagios.c: an audit as plug-ins of monitoring systems end: one line with a status and
 * performance data ('label'=value;warning;critical;least;most), and the exit status.
 */
#include "audit_show.h"

#include <inttypes.h>

/* The first finding that counts, of this severity; NULL = none. */
static const ik_audit_finding *audit_nagios_first(const ik_audit *a, ik_severity severity)
{
    for (size_t i = 0; i < a->num_findings; i++)
        if (a->findings[i].severity == severity && !a->findings[i].known)
            return &a->findings[i];
    return NULL;
}

int audit_nagios(const ik_audit *a)
{
    static const char *const names[] = {"OK", "WARNING", "CRITICAL"};
    const uint64_t *counts = a->counts;
    int status = counts[IK_ERROR] ? CLI_CRITICAL : counts[IK_WARNING] ? CLI_WARNING : CLI_OK;
    const ik_audit_finding *first =
        status == CLI_OK ? NULL
                         : audit_nagios_first(a, status == CLI_CRITICAL ? IK_ERROR : IK_WARNING);
    printf("IKAT %s - %s, %s, %s%s", names[status], IK_COUNT(counts[IK_ERROR], "error"),
           IK_COUNT(counts[IK_WARNING], "warning"), IK_COUNT(counts[IK_NOTE], "note"),
           a->partial ? ", of the part that the files describe" : "");
    if (first) {
        printf(": [%s] ", first->code);
        cli_monitor_put(first->text);
    }
    printf(" | errors=%" PRIu64 ";;0;0 warnings=%" PRIu64 ";0;;0 notes=%" PRIu64 ";;;0",
           counts[IK_ERROR], counts[IK_WARNING], counts[IK_NOTE]);
    if (a->has_tables)
        printf(" lost_pairs=%" PRIu64 ";;0;0;%" PRIu64 " max_load=%.*g;;;0",
               ik_audit_lost_pairs(&a->installed.verdict), a->installed.verdict.pairs, CLI_DIGITS,
               a->installed.max_load);
    putchar('\n');
    return status;
}
