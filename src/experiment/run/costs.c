/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/costs.c: what points took, beside them in the results file until it has all points
 * of the sweep: estimates of the others are calibrated by it. It is no result: a file that is whole
 * has none of it, and a merge of several files drops it.
 */
#include "experiment/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

void cost_begin(cost_meter *m, unsigned threads, unsigned side)
{
    m->clock = threads > 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
    m->share = threads > 1 && side > 1 ? side : 1;
    m->begun = ik_clock_s(m->clock);
}

double cost_end(const cost_meter *m)
{
    return (ik_clock_s(m->clock) - m->begun) / m->share;
}

/* Of the process so far, without the program that it was before; 0: it is not known, or several
 * points share it. */
static uint64_t costs_peak_kib(const runner *r)
{
    char line[128];
    uint64_t kib = 0;
    FILE *status = r->num_jobs == 1 ? fopen("/proc/self/status", "re") : NULL;
    while (status && !kib && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %" SCNu64, &kib) != 1)
            kib = 0;
    if (status)
        fclose(status);
    return kib;
}

ik_status cost_keep(const runner *r, uint64_t number, double seconds, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    char body[96];
    if (r->env->ranks)
        return IK_OK;
    snprintf(body, sizeof body, "{\"microseconds\":%.0f,\"kib\":%" PRIu64 "}", seconds * 1e6,
             costs_peak_kib(r));
    ik_status status = store_prepare(r->store,
                                     "INSERT OR REPLACE INTO details(params, kind, body) SELECT "
                                     "params, 'cost', CAST(?1 AS BLOB) FROM points WHERE id = ?2",
                                     (const char *[]){body, NULL}, &statement, err);
    if (status != IK_OK)
        return status;
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)number);
    return store_execute(r->store, statement, err);
}

ik_status cost_forget(store *s, ik_error *err)
{
    return store_run_sql(s, "DELETE FROM details WHERE kind = 'cost'", err);
}
