/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches, and what was decided of them, as a checkpoint has them. */
#include "sim/measure/stationary.h"

void stationary_carry(stationary *s, sim_carrier *c)
{
    sim_carry_array(c, s->batches, s->setup.most, sizeof *s->batches);
    SIM_CARRY(c, s->num);
    SIM_CARRY(c, s->next);
    SIM_CARRY(c, s->over);
    SIM_CARRY(c, s->warm);
    SIM_CARRY(c, s->closed);
    SIM_CARRY(c, s->capped);
    SIM_CARRY(c, s->first);
    SIM_CARRY(c, s->start_ps);
    SIM_CARRY(c, s->end_ps);
    SIM_CARRY(c, s->of);
    SIM_CARRY(c, s->told);
}

void batch_cursor_carry(batch_cursor *cursor, sim_carrier *c)
{
    if (cursor->batches)
        sim_carry_array(c, cursor->batches, cursor->of->setup.most, sizeof *cursor->batches);
    SIM_CARRY(c, cursor->spare);
    if (cursor->batches)
        batch_cursor_seek(cursor, cursor->begin_ps);
}
