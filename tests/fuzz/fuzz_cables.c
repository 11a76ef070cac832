/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the readers of lists of cables: each reads every input, also one in the format of another.
 */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format("lldp", data, size);
    fuzz_format("ufm", data, size);
    fuzz_format("ndt", data, size);
    fuzz_format("ibdm", data, size);
    return fuzz_format("netbox", data, size);
}
