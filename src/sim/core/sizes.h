/* SPDX-License-Identifier: Apache-2.0
 *
 * core/sizes.h: how large messages are where they differ. The size of a message is a function of
 * (seed, source, its number, its class), so nothing is stored for messages that wait. */
#ifndef IKAT_SIM_SIZES_H
#define IKAT_SIM_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole bytes, each as probable as the others. */
typedef struct sim_size_range {
    uint64_t from, to;
    double upto; /* running sum of the probabilities of ranges, 1 at the end */
} sim_size_range;

typedef struct sim_size_mix {
    const char *class; /* whose messages; NULL = of every class that is not named */
    sim_size_range *ranges;
    size_t num;
} sim_size_mix;

typedef struct sim_sizes {
    sim_size_mix *mixes;
    size_t num;
    size_t *of_class;     /* [num_classes] index of the mix; NULL where messages have no class */
    unsigned num_classes; /* 0 = messages have no class, or the traffic is not known yet */
    uint64_t largest;
} sim_sizes;

/* Size of message n of a source. */
uint64_t sim_size_of(const sim_sizes *z, unsigned class, uint64_t seed, uint32_t source,
                     uint64_t n);
/* Mean of what messages of a class take on a link, in bytes, if they are cut into packets of
 * `packet` bytes and each packet is filled up to whole units (of 1 byte: nothing is added). Exact
 * but for rounding; cost O(ranges). */
double sim_sizes_mean(const sim_sizes *z, unsigned class, uint64_t packet, uint64_t unit);
/* Adds the mean size of messages of a class, its square's and its fourth power's, times a share. */
void sim_sizes_add_moments(const sim_sizes *z, unsigned class, double share, double moments[3]);
/* What a message of so many bytes takes, likewise. */
uint64_t sim_size_padded(uint64_t bytes, uint64_t packet, uint64_t unit);
/* Whether all messages are whole packets. */
bool sim_sizes_whole(const sim_sizes *z, uint64_t packet);

#endif
