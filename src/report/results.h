/* SPDX-License-Identifier: Apache-2.0
 *
 * report/results.h: what stands behind the public handle of a results file.
 */
#ifndef IKAT_REPORT_RESULTS_H
#define IKAT_REPORT_RESULTS_H

#include "ikat/report.h"
#include "report/model.h"

report_model *results_model(ik_results *r);

#endif
