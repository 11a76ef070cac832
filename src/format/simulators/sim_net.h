/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers of simulators' configurations share: settings by name, of which the last one counts,
 * and a network that is built link by link, or as a member of a family.
 */
#ifndef IKAT_SIM_NET_H
#define IKAT_SIM_NET_H

#include "format/raw_graph.h"
#include "format/scan.h"

enum { SIM_NET_MAX_DIMS = 16, SIM_NET_MAX_LIST = 512, SIM_NET_PRINTED = 400 };
#define SIM_NET_NEEDED UINT64_MAX /* in place of a usual value */

typedef enum sim_net_kind {
    SIM_NET_LOCAL,
    SIM_NET_GLOBAL,
    SIM_NET_HOST,
    SIM_NET_KINDS
} sim_net_kind;

typedef struct sim_net_setting {
    slice name, value;
    unsigned line, column; /* of the value */
    bool known;            /* something has asked for it */
    bool computed;         /* no literal value, or deleted: refused if something asks for it */
    bool is_name;          /* computed: the name of a variable */
    bool indented;         /* may be that of a branch: refused if there are other values */
} sim_net_setting;

typedef struct sim_net_cable {
    uint32_t a, c; /* switches; of a host: its switch and the host */
    sim_net_kind kind;
} sim_net_cable;

typedef struct sim_net {
    const char *file;
    ik_builder *b;
    ik_error *err;
    sim_net_setting *settings;
    size_t num_settings, setting_cap;
    uint16_t link[SIM_NET_KINDS];
    uint32_t num_switches, num_hosts;
    sim_net_cable *cables;
    size_t num_cables, cable_cap;
    bool repeated;    /* the file has two networks: a setting with two values is refused */
    ik_status status; /* the first error */
} sim_net;

/* ---- files */

/* Goes to what stands next, over blanks, comments behind // (with `more` also behind #, and those
 * of C) and ends of lines; false at the end. */
bool sim_next(scan *s, bool more);
/* A name in a file, in the folder of the file unless it is absolute; NULL if out of memory. */
const char *sim_path(ik_arena *arena, const char *file, slice name);

/* 4GB/s, 100Gbps, 10.5: units of bits and bytes, of 1000 and of 1024; without a unit times
 * `bare`. false: it is none, or above 1000 Tb/s. */
bool sim_rate(slice text, double bare, uint64_t *rate_bps);
/* 20ns, without a unit in ns; up to 1 s. */
bool sim_time(slice text, uint64_t *latency_ps);

/* ---- settings. Texts are kept as they are. What reads one does nothing after an error (status) */
ik_status sim_net_add(sim_net *n, const sim_net_setting *setting);
/* The last one of this name, NULL if there is none. */
sim_net_setting *sim_net_find(sim_net *n, const char *name);
/* IK_ERR_INPUT, kept in status, at the setting (NULL: the file). */
ik_status sim_net_refuse(sim_net *n, const sim_net_setting *at, const char *hint, const char *what,
                         ...) IK_PRINTF(4, 5);
/* The text of a setting, empty if it is not there. */
slice sim_net_text(sim_net *n, const char *name);
/* A whole number; `usual` where the setting is not there; `least` after an error. */
uint64_t sim_net_uint(sim_net *n, const char *name, uint64_t least, uint64_t most, uint64_t usual);
/* Whole numbers: 4,4,2, 4x4, "4","4" or 4 4. How many, at least one but after an error. */
size_t sim_net_list(sim_net *n, const char *name, uint64_t most, uint64_t *values, size_t room);
/* The same for lengths of dimensions: from 1 on, with a product below 2^32, which comes back. */
uint64_t sim_net_dims(sim_net *n, const char *name, uint64_t dims[SIM_NET_MAX_DIMS], size_t *num);
/* 1:2:3, in the words of a spec. */
void sim_net_print(char text[SIM_NET_PRINTED], const uint64_t *values, size_t num);
/* 0 if the setting is not there. */
uint64_t sim_net_rate(sim_net *n, const char *name, double bare);
/* *latency_ps stays if the setting is not there. */
void sim_net_time(sim_net *n, const char *name, uint64_t *latency_ps);
/* Names, once, the settings that nothing has asked for. page: where their meaning stands. */
ik_status sim_net_note_ignored(sim_net *n, const char *page);
void sim_note_ignored(ik_builder *b, const name_map *names, const char *page);

/* ---- the network. Links have the builder's defaults where `rate` has 0. */
void sim_net_links(sim_net *n, const uint64_t rate[SIM_NET_KINDS], const uint64_t *latency_ps,
                   const uint64_t *host_latency_ps);
/* A member of a family; its errors are at the setting `at`. */
ik_status sim_net_member(sim_net *n, const sim_net_setting *at, const char *format, ...)
    IK_PRINTF(3, 4);
/* Or: begin, cables, end. Refuses what needs too much memory, and returns whether to go on. Ports
 * are given in the order of cables. Cost O(cables). */
bool sim_net_begin(sim_net *n, const sim_net_setting *at, double switches, double hosts,
                   double links);
void sim_net_cable_add(sim_net *n, uint32_t a, uint32_t c, sim_net_kind kind);
/* `per` hosts on each of the first `leaves` of every `routers` switches. */
void sim_net_hosts_add(sim_net *n, uint64_t routers, uint64_t leaves, uint64_t per);
ik_status sim_net_end(sim_net *n);
void sim_net_free(sim_net *n);

#endif
