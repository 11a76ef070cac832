/* SPDX-License-Identifier: Apache-2.0
 *
 * core/sizes.c: see sizes.h. Draw 2 n of a source says the range of message n, 2 n + 1 its place
 * there. */
#include "sim/core/sizes.h"

#include "ikat/base.h"
#include <assert.h>

static const sim_size_mix *sizes_mix_of(const sim_sizes *z, unsigned class)
{
    assert(z->num_classes == 0 || class < z->num_classes);
    return &z->mixes[z->num_classes ? z->of_class[class] : 0];
}

uint64_t sim_size_of(const sim_sizes *z, unsigned class, uint64_t seed, uint32_t source, uint64_t n)
{
    const sim_size_mix *m = sizes_mix_of(z, class);
    size_t first = 0, end = m->num;
    if (end > 1) {
        double u = ik_random_unit(seed, IK_RNG_MESSAGE_SIZE, source, 2 * n);
        while (end - first > 1) { /* the first range whose running sum is above u */
            size_t middle = first + (end - first) / 2;
            if (m->ranges[middle - 1].upto <= u)
                first = middle;
            else
                end = middle;
        }
    }
    const sim_size_range *r = &m->ranges[first];
    if (r->from == r->to)
        return r->from;
    double u = ik_random_unit(seed, IK_RNG_MESSAGE_SIZE, source, 2 * n + 1);
    uint64_t above = (uint64_t)(u * ((double)(r->to - r->from) + 1));
    return above <= r->to - r->from ? r->from + above : r->to;
}

uint64_t sim_size_padded(uint64_t bytes, uint64_t packet, uint64_t unit)
{
    uint64_t full = (packet + unit - 1) / unit, rest = bytes % packet;
    return (bytes / packet * full + (rest + unit - 1) / unit) * unit;
}

/* Units of packets of 1, 2, ... most bytes together. */
static long double sizes_units_in_packet(uint64_t most, uint64_t unit)
{
    long double whole = (long double)(most / unit);
    return (long double)unit * whole * (whole + 1) / 2 + (long double)(most % unit) * (whole + 1);
}

/* Units of messages of 1, 2, ... most bytes together. */
static long double sizes_units_up_to(uint64_t most, uint64_t packet, uint64_t unit)
{
    uint64_t rest = most % packet;
    long double full = (long double)((packet + unit - 1) / unit),
                cycles = (long double)(most / packet);
    return full * (long double)packet * cycles * (cycles - 1) / 2 +
           cycles * sizes_units_in_packet(packet - 1, unit) +
           cycles * full * (long double)(rest + 1) + sizes_units_in_packet(rest, unit);
}

static double sizes_mean_of_range(const sim_size_range *r, uint64_t packet, uint64_t unit)
{
    enum { FEW = 65536 };
    long double sum = 0, num = (long double)(r->to - r->from) + 1;
    if (unit == 1)
        return ((double)r->from + (double)r->to) / 2;
    if (num > FEW)
        return (double)((sizes_units_up_to(r->to, packet, unit) -
                         sizes_units_up_to(r->from - 1, packet, unit)) *
                        (long double)unit / num);
    for (uint64_t bytes = r->from; bytes <= r->to; bytes++)
        sum += (long double)sim_size_padded(bytes, packet, unit);
    return (double)(sum / num);
}

double sim_sizes_mean(const sim_sizes *z, unsigned class, uint64_t packet, uint64_t unit)
{
    const sim_size_mix *m = sizes_mix_of(z, class);
    double mean = 0, before = 0;
    for (size_t k = 0; k < m->num; k++) {
        mean += (m->ranges[k].upto - before) * sizes_mean_of_range(&m->ranges[k], packet, unit);
        before = m->ranges[k].upto;
    }
    return mean;
}

void sim_sizes_add_moments(const sim_sizes *z, unsigned class, double share, double moments[3])
{
    const sim_size_mix *m = sizes_mix_of(z, class);
    double before = 0;
    for (size_t i = 0; i < m->num; i++) {
        double a = (double)m->ranges[i].from, b = (double)m->ranges[i].to,
               of = share * (m->ranges[i].upto - before);
        moments[0] += of * (a + b) / 2;
        moments[1] += of * (a * a + a * b + b * b) / 3;
        moments[2] += of * (a * a * (a * a + a * b + b * b) + b * b * b * (a + b)) / 5;
        before = m->ranges[i].upto;
    }
}

bool sim_sizes_whole(const sim_sizes *z, uint64_t packet)
{
    for (size_t k = 0; k < z->num; k++)
        for (size_t i = 0; i < z->mixes[k].num; i++) {
            const sim_size_range *r = &z->mixes[k].ranges[i];
            if (r->from != r->to || r->from % packet != 0)
                return false;
        }
    return true;
}
