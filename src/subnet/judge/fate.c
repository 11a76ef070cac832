/* SPDX-License-Identifier: Apache-2.0 */
#include "ikat/subnet.h"

#include <assert.h>

const char *ik_fate_name(ik_fate fate)
{
    static const char *const names[IK_NUM_FATES] = {"delivered",  "no-entry", "dead-port",  "loop",
                                                    "wrong-port", "dropped",  "unconnected"};
    assert((unsigned)fate < IK_NUM_FATES);
    return names[fate];
}
