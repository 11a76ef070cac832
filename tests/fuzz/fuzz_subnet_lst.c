/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the readers of what programs print of a fabric: each reads every input, also one in the
 * format of another; and the writer of format `subnet_lst`.
 */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format("ibdiagnet", data, size);
    fuzz_format("iblinkinfo", data, size);
    fuzz_format("ibnetdiscover_ports", data, size);
    return fuzz_format("subnet_lst", data, size);
}
