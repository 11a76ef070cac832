/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the reader of format `sst`.
 */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_format("sst", data, size);
}
