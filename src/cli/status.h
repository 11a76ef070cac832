/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/status.h: what `ikat status --json` says of a sweep, for `ikat serve` too.
 */
#ifndef IKAT_CLI_STATUS_H
#define IKAT_CLI_STATUS_H
#include "cli.h"

#include "ikat/json.h"
#include "ikat/report.h"

/* Its members, behind "version", into the open object. */
void status_put_members(ik_json *j, const ik_sweep_status *s);
/* "running", "stopped" or "ended". */
const char *status_state(const ik_sweep_file *f);
/* "3 min" of seconds; "" where they are not known. Returns text. */
const char *status_time(double seconds, char *text, size_t size);

#endif
