/* SPDX-License-Identifier: Apache-2.0
 *
 * fast/variants.h: the shapes for which the passes of a window (fast.c) and of adapters
 * (fast_host.c) are compiled. A run takes the first row of a table that fits it; what each brings
 * stands in README.md. A row is
 *
 *     X(MODE, KIND, VCS, VOQ)
 *
 * with the modes and kinds below, a number of VCs or ANY_VCS, and false, true or EITHER. */
#ifndef IKAT_SIM_FAST_VARIANTS_H
#define IKAT_SIM_FAST_VARIANTS_H

#include "sim/fast/context.h"

#define ANY_VCS 0
#define EITHER  2

/* ---- modes: fast_state's early, dense; output buffers */
enum { MODE_GENERAL, MODE_EARLY, MODE_DENSE, MODE_BUFFERS };
#define SHAPE_GENERAL .plain = false
#define SHAPE_EARLY   .plain = true, .early = true
#define SHAPE_DENSE   .plain = true, .dense = true
#define SHAPE_BUFFERS .buffers = true

/* ---- kinds: how packets choose their outputs and VCs; of adapters also how large messages are */
enum {
    KIND_KEEPS = 1, /* one output, one VC on the whole way */
    KIND_STEPS = 2, /* VCs that change */
    KIND_FIRST = 4, /* adaptive outputs, the first that is free */
    KIND_MOST = 8,  /* or that with most credit */
    KIND_CHOOSES = KIND_FIRST | KIND_MOST,
    KIND_OVERLAP = 16, /* adaptive outputs whose sets overlap */
    KIND_OVERLAP_STEPS = 32,
    KIND_OVERLAPS = KIND_OVERLAP | KIND_OVERLAP_STEPS,
    KIND_SEVERAL = 64, /* KIND_KEEPS, messages of several packets */
};
#define SHAPE_KEEPS         .steps = false
#define SHAPE_STEPS         .steps = true
#define SHAPE_FIRST         .chooses = true
#define SHAPE_MOST          .chooses = true, .roomiest = true
#define SHAPE_CHOOSES       .chooses = true, .roomiest = s->engine.fast->exact
#define SHAPE_OVERLAP       .chooses = true, .overlap = true
#define SHAPE_OVERLAP_STEPS .chooses = true, .overlap = true, .steps = true
#define SHAPE_OVERLAPS      .chooses = true, .overlap = true, .steps = s->engine.fast->steps
#define SHAPE_SEVERAL       .several = true

/* The shape of a row for the run s: constants, as far as the row says. */
#define VARIANT_SHAPE(s, mode, kind, num, queues)                                                  \
    (shape)                                                                                        \
    {                                                                                              \
        .words = 1, .vcs = (num) == ANY_VCS ? (s)->sw.vcs : (num),                                 \
        .voq = (queues) == EITHER ? (s)->sw.voq : (queues), SHAPE_##mode, SHAPE_##kind             \
    }

typedef struct fast_variant {
    uint8_t mode, kinds, vcs, voq;
} fast_variant;
#define VARIANT_ROW(mode, kind, num, queues) {MODE_##mode, KIND_##kind, num, queues},

/* The first row that fits a run whose messages are of several packets or not; num = none does. */
static inline size_t fast_variant_of(const sim *s, bool several, const fast_variant *rows,
                                     size_t num)
{
    const fast_state *f = s->engine.fast;
    unsigned mode = f->outputs ? MODE_BUFFERS
                    : f->early ? MODE_EARLY
                    : f->dense ? MODE_DENSE
                               : MODE_GENERAL,
             kind = f->overlap           ? f->steps ? KIND_OVERLAP_STEPS : KIND_OVERLAP
                    : s->choice.adaptive ? f->exact ? KIND_MOST : KIND_FIRST
                    : f->steps           ? KIND_STEPS
                                         : KIND_KEEPS;
    if (several)
        kind = kind == KIND_KEEPS ? KIND_SEVERAL : 0;
    size_t n = 0;
    while (n < num && (rows[n].mode != mode || !(rows[n].kinds & kind) ||
                       (rows[n].vcs != ANY_VCS && rows[n].vcs != s->sw.vcs) ||
                       (rows[n].voq != EITHER && rows[n].voq != s->sw.voq)))
        n++;
    return n;
}

#endif
