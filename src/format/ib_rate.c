/* SPDX-License-Identifier: Apache-2.0
 *
 * InfiniBand widths and speeds: data rates per lane, after coding (InfiniBand Architecture
 * Specification, vol. 2).
 */
#include "format/ib_rate.h"

#include <string.h>

static const struct {
    const char *name;
    uint64_t kbps_33; /* data rate of a lane in kbit/s, times 33 so that 64b/66b stays exact */
} speeds[] = {
    {"SDR", 2000000 * UINT64_C(33)},   {"DDR", 4000000 * UINT64_C(33)},
    {"QDR", 8000000 * UINT64_C(33)},   {"FDR10", 10312500 * UINT64_C(32)},
    {"FDR", 14062500 * UINT64_C(32)},  {"EDR", 25781250 * UINT64_C(32)},
    {"HDR", 50000000 * UINT64_C(33)},  {"NDR", 100000000 * UINT64_C(33)},
    {"XDR", 200000000 * UINT64_C(33)},
};
enum { NUM_SPEEDS = sizeof speeds / sizeof *speeds };
static const unsigned widths[] = {4, 1, 2, 8, 12};
enum { NUM_WIDTHS = sizeof widths / sizeof *widths };

static uint64_t ib_rate_bps(unsigned width, size_t speed)
{
    return speeds[speed].kbps_33 * width * 1000 / 33;
}

uint64_t ib_rate_of(slice text)
{
    unsigned width = 0;
    size_t at = 0;
    for (; at < text.length && at < 2 && text.at[at] >= '0' && text.at[at] <= '9'; at++)
        width = 10 * width + (unsigned)(text.at[at] - '0');
    if (at == 0 || at == text.length || text.at[at] != 'x')
        return 0;
    at++;
    for (size_t w = 0; w < NUM_WIDTHS; w++)
        for (size_t i = 0; widths[w] == width && i < NUM_SPEEDS; i++)
            if (strlen(speeds[i].name) == text.length - at &&
                memcmp(speeds[i].name, text.at + at, text.length - at) == 0)
                return ib_rate_bps(width, i);
    return 0;
}

void ib_rate_name(uint64_t wanted_bps, char name[16])
{
    name[0] = '\0';
    for (size_t w = 0; w < NUM_WIDTHS; w++)
        for (size_t i = 0; i < NUM_SPEEDS; i++)
            if (ib_rate_bps(widths[w], i) == wanted_bps) {
                snprintf(name, 16, "%ux%s", widths[w], speeds[i].name);
                return;
            }
}
