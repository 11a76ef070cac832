/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the reader and writer of format `subnet_lst`.
 */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_format("subnet_lst", data, size);
}
