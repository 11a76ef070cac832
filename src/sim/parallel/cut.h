/* SPDX-License-Identifier: Apache-2.0
 *
 * Which partition simulates which switch. The cut decides speed, never results. */
#ifndef IKAT_SIM_CUT_H
#define IKAT_SIM_CUT_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

/* What a run is expected to do where, in events: estimated from the paths of sampled messages. */
typedef struct sim_loads {
    uint64_t *work;    /* [num_switches] events at the switch and its hosts */
    uint64_t *packets; /* [ports of switches] packets that leave by the port */
    uint64_t total;    /* sum of work */
} sim_loads;

typedef enum sim_cut_method {
    /* pods of a tree in order of their numbers, top switches where there is room */
    SIM_CUT_PODS,
    SIM_CUT_POD_GRAPH, /* METIS on the graph whose vertices are pods and top switches */
    SIM_CUT_IN_ORDER,  /* consecutive switches */
    SIM_CUT_GRAPH,     /* METIS on the graph of switches */
    /* the same with cables, ports and hosts as weights: few samples can be worse than none */
    SIM_CUT_UNWEIGHTED,
    SIM_CUT_METHODS
} sim_cut_method;

/* How good a cut is, by the estimate. */
typedef struct sim_cut_quality {
    sim_cut_method method;
    uint32_t cut_channels; /* between partitions */
    /* neighbouring numbers of switches in different partitions: their state shares cache lines */
    uint32_t seams;
    double balance;   /* work of the busiest partition over the mean */
    double crossings; /* of partitions by a packet, over the switches that it visits */
    /* events of the busiest partition with what its messages cost it, over a partition's share of
     * all events */
    double cost;
} sim_cut_quality;

/* Walks a few messages of every host (at most some 100,000 in all) along the plan's preferred
 * paths. Free with sim_loads_free. Errors: IK_ERR_MEMORY. O(messages x hops + ports). */
ik_status sim_loads_sample(const ik_plan *plan, const ik_traffic *traffic, sim_loads *loads,
                           ik_error *err);
void sim_loads_free(sim_loads *loads);

/* Cuts by one method: partition_of [num_switches]. IK_ERR_UNSUPPORTED if the fabric has fewer pods
 * than num_partitions (methods with pods), or too few vertices for METIS. 1 <= num_partitions <=
 * num_switches. */
ik_status sim_cut_by(const ik_fabric *f, const sim_loads *loads, uint32_t num_partitions,
                     sim_cut_method method, uint16_t *partition_of, sim_cut_quality *quality,
                     ik_error *err);
/* The method with the least cost; an earlier one where a later one gains less than 2 %. */
ik_status sim_cut(const ik_fabric *f, const sim_loads *loads, uint32_t num_partitions,
                  uint16_t *partition_of, sim_cut_quality *quality, ik_error *err);
/* Samples the load and cuts: node_partition [nodes], a host with its switch (unconnected: 0).
 * Leaves all in partition 0 for one partition. */
ik_status sim_cut_nodes(const ik_plan *plan, const ik_traffic *traffic, uint32_t num_partitions,
                        uint16_t *node_partition, sim_cut_quality *quality, ik_error *err);

#endif
