/* SPDX-License-Identifier: Apache-2.0
 *
 * Which build of ikat this is.
 */
#include "ikat/base.h"

#include "ikat_source_id.h"

const char *ik_build(void)
{
    return IKAT_VERSION " " IKAT_SOURCE_ID;
}
