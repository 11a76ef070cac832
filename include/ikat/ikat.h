/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/ikat.h: everything public.
 */
#ifndef IKAT_IKAT_H
#define IKAT_IKAT_H
#include "ikat/analysis.h"
#include "ikat/audit.h"
#include "ikat/base.h"
#include "ikat/cabling.h"
#include "ikat/counters.h"
#include "ikat/deploy.h"
#include "ikat/experiment.h"
#include "ikat/fabric.h"
#include "ikat/failures.h"
#include "ikat/format.h"
#include "ikat/json.h"
#include "ikat/lids.h"
#include "ikat/path_records.h"
#include "ikat/plugin.h"
#include "ikat/prices.h"
#include "ikat/ranks.h"
#include "ikat/record.h"
#include "ikat/report.h"
#include "ikat/reproduce.h"
#include "ikat/result.h"
#include "ikat/routing.h"
#include "ikat/sim.h"
#include "ikat/subnet.h"
#include "ikat/subnet_files.h"
#include "ikat/subnet_watch.h"
#include "ikat/topology.h"
#include "ikat/topology_data.h"
#include "ikat/traffic.h"
#include "ikat/vc.h"
#include "ikat/verify.h"
#include "ikat/watch.h"
#include "ikat/workload.h"
#endif
