/* SPDX-License-Identifier: Apache-2.0
 *
 * slow=: which links of a fabric run below their rate.
 */
#ifndef IKAT_SLOW_SPEC_H
#define IKAT_SLOW_SPEC_H

#include "ikat/fabric.h"

/* Gives links of f lower rates. text: ports and rates, "sw7.3@25 Gb/s:leaf-4.1@10 Gb/s". tell: a
 * finding for each, of a fabric that is not judged afterwards. */
ik_status slow_spec_apply(const char *text, ik_fabric *f, bool tell, ik_error *err);

#endif
