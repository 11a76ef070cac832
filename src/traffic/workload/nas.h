/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/nas.h: what the NAS Parallel Benchmarks send in an iteration, as steps of processes. */
#ifndef IK_NAS_H
#define IK_NAS_H

#include "traffic/workload/steps.h"

typedef enum nas_benchmark { NAS_CG, NAS_BT, NAS_SP, NAS_LU, NAS_FT, NAS_MG } nas_benchmark;
#define NAS_BENCHMARK_NAMES "cg|bt|sp|lu|ft|mg"
#define NAS_CLASS_NAMES     "S|W|A|B|C|D"

typedef struct nas {
    nas_benchmark benchmark;
    unsigned size;      /* class: index of NAS_CLASS_NAMES */
    uint32_t processes; /* as nas_check takes it */
    uint64_t bytes;     /* of every message; 0 = as the class says */
    bool scalars;       /* of CG: the two dot products, too */
    uint32_t columns;   /* of FT: of a 2D layout; 1 = 1D */
    uint32_t planes;    /* of LU: planes of a sweep */
} nas;

/* The most processes <= hosts that the benchmark runs on; 0 = none. */
uint32_t nas_most(nas_benchmark benchmark, uint32_t hosts);
/* Planes of LU, rows of FT's even 2D layout. */
uint32_t nas_planes(unsigned size);
/* Whether the benchmark runs on so many processes: a power of two of at least 2, of BT and SP a
 * square of at least 4. */
bool nas_fits(nas_benchmark benchmark, uint32_t processes);
/* The messages of an iteration, of which each is a class of its phase. */
void nas_run(const nas *n, steps *s);

#endif
