/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_show.h: what `ikat audit --nagios` prints.
 */
#ifndef IKAT_CLI_AUDIT_SHOW_H
#define IKAT_CLI_AUDIT_SHOW_H

#include "cli.h"

/* Prints the line for a monitoring system; returns its exit status. */
int audit_nagios(const ik_audit *a);

#endif
