/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_watch.h: watched packets of a point as a JSON text. */
#ifndef IKAT_EXPERIMENT_STORE_WATCH_H
#define IKAT_EXPERIMENT_STORE_WATCH_H

#include "ikat/sim.h"

/* A list of packets, each with its events; free with free(). */
ik_status watch_text(const ik_watch_result *watch, char **text, ik_error *err);

#endif
