/* SPDX-License-Identifier: Apache-2.0
 *
 * Python scripts for SST with Merlin: the settings that they make.
 */
#ifndef IKAT_MERLIN_SCRIPT_H
#define IKAT_MERLIN_SCRIPT_H

#include "format/scan.h"
#include "format/simulators/sim_net.h"

typedef struct merlin_reader {
    sim_net net;
    scan s;
    sim_net_setting topology; /* the class: topoDragonFly */
    bool several;             /* others too: which one is built is not known */
    name_map interfaces;      /* variables that are network interfaces of hosts */
    bool in_interface;        /* entries of a dictionary are those of one */
    unsigned depth;           /* of brackets that are open */
    bool continued;           /* the statement of the line before goes on in this one */
} merlin_reader;

/* Takes the settings of the line that was read. */
ik_status merlin_line(merlin_reader *r);
/* Settings that are the name of a variable have its value, if the whole script gives it one literal
 * value alone. O(size) for each. */
void merlin_resolve(merlin_reader *r, const char *text, size_t size);

#endif
