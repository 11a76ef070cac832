/* SPDX-License-Identifier: Apache-2.0
 *
 * load_csv.c: what `ikat load --csv` prints: one line a channel, a queue, or a switch at which
 * routes turn.
 */
#include "load.h"

#include "ikat/vc.h"

#include <string.h>

static void load_csv_put_node(const ik_fabric *f, uint32_t node)
{
    char name[256];
    ik_text_csv(stdout, ik_node_name(f, node, name, sizeof name));
}

/* Entries of a schedule are one table. */
static void load_csv_put_head(const loads *l, const char *columns)
{
    if (!l->entry)
        puts(columns);
    else if (l->first)
        printf("entry,%s\n", columns);
}

static void load_csv_begin_row(const loads *l)
{
    if (!l->entry)
        return;
    ik_text_csv(stdout, l->entry->name);
    putchar(',');
}

/* channel,from,from_port,to,direction,level,rate_bps; false: nothing is connected there. */
static bool load_csv_put_channel(const loads *l, uint32_t port)
{
    const ik_fabric *f = l->f;
    ik_direction direction;
    uint32_t level;
    if (!ik_channel_kind(f, port, &direction, &level))
        return false;
    load_csv_begin_row(l);
    printf("%u,", port);
    load_csv_put_node(f, f->port_node[port]);
    printf(",%u,", ik_port_number(f, port));
    load_csv_put_node(f, ik_peer_node(f, port));
    printf(",%s,", ik_direction_name(direction));
    if (level)
        printf("%u", level);
    printf(",%llu", (unsigned long long)ik_port_rate_bps(f, port));
    return true;
}

#define CHANNEL_COLUMNS "channel,from,from_port,to,direction,level,rate_bps"

static void load_csv_put_channels(const loads *l)
{
    load_csv_put_head(l, CHANNEL_COLUMNS ",load,flows,contention");
    for (uint32_t p = 0; p < l->f->num_ports; p++) {
        if (!load_csv_put_channel(l, p))
            continue;
        printf(",%.12g,%.12g,", l->load.load[p], l->load.crossing[p]);
        if (l->c_of)
            printf("%u", l->c_of[p]);
        putchar('\n');
    }
}

static void load_csv_put_queues(const loads *l)
{
    const ik_queues *q = &l->queues;
    load_csv_put_head(l, CHANNEL_COLUMNS ",vc,load,flows,destinations");
    for (uint32_t p = 0; p < l->f->num_ports; p++) {
        for (unsigned vc = 0; vc < q->num_vcs; vc++) {
            size_t i = (size_t)p * q->num_vcs + vc;
            if (!load_csv_put_channel(l, p))
                break;
            printf(",%u,%.12g,%.12g,%u\n", vc, q->load[i], q->crossing[i], q->destinations[i]);
        }
    }
}

/* The most that a channel into a switch from below (up), or out of it downwards, has. */
static uint32_t load_csv_contention_at(const loads *l, uint32_t sw, bool up)
{
    const ik_fabric *f = l->f;
    uint32_t most = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t peer = ik_peer_node(f, p), c = 0;
        if (peer == IK_NONE)
            continue;
        if (!ik_is_switch(f, peer) || f->switch_level[peer] < f->switch_level[sw])
            c = l->c_of[up ? f->port_peer[p] : p];
        most = c > most ? c : most;
    }
    return most;
}

static void load_csv_put_ancestors(const loads *l)
{
    load_csv_put_head(l, "switch,level,routes,contention_up,contention_down");
    for (uint32_t sw = 0; sw < l->f->num_switches; sw++) {
        load_csv_begin_row(l);
        load_csv_put_node(l->f, sw);
        printf(",%u,%.12g,", l->f->switch_level[sw], l->load.turns[sw]);
        if (l->c_of)
            printf("%u,%u", load_csv_contention_at(l, sw, true),
                   load_csv_contention_at(l, sw, false));
        else
            putchar(',');
        putchar('\n');
    }
}

static void load_csv_put_phases(const loads *l)
{
    puts("phase,messages,bytes,flows,max_load_bytes,bound_ns,crossbar_bound_ns,contention,fluid_ns,"
         "crossbar_ns,slowdown");
    for (size_t i = 0; i < l->phases.num; i++) {
        const ik_phase *p = &l->phases.phases[i];
        ik_text_csv(stdout, p->name ? p->name : "");
        printf(",%llu,%llu,%llu,", (unsigned long long)p->messages, (unsigned long long)p->bytes,
               (unsigned long long)p->flows);
        if (p->bound_ns == p->bound_ns) /* else it is not predicted */
            printf("%.12g,%.12g", p->max_load_bytes, p->bound_ns);
        else
            putchar(',');
        printf(",%.12g,", p->crossbar_bound_ns);
        if (p->has_contention && !p->contention.split)
            printf("%llu", (unsigned long long)p->contention.c);
        if (p->has_contention && p->fluid_ns == p->fluid_ns)
            printf(",%.12g,%.12g,%.12g\n", p->fluid_ns, p->crossbar_ns,
                   p->crossbar_ns > 0 ? p->fluid_ns / p->crossbar_ns : 1);
        else
            puts(",,,");
    }
}

const char *const loads_tables[] = {"channels", "queues", "nca", "phases", NULL};

int loads_show_csv(const loads *l, const char *table)
{
    if (strcmp(table, "nca") == 0) {
        if (!l->load.turns)
            return cli_usage(l->c,
                             "--table nca: the fabric is not a tree: its switches have no levels");
        load_csv_put_ancestors(l);
    } else if (strcmp(table, "phases") == 0) {
        if (!l->has_phases)
            return cli_usage(l->c, "--table phases: '%s' is not a workload and has no phases",
                             cli_line(l->t->spec));
        load_csv_put_phases(l);
    } else if (strcmp(table, "queues") == 0) {
        load_csv_put_queues(l);
    } else {
        load_csv_put_channels(l);
    }
    return CLI_DONE;
}
