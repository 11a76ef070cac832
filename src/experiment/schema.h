/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/schema.h: the sections of an experiment and the families that they name.
 */
#ifndef IKAT_EXPERIMENT_SCHEMA_H
#define IKAT_EXPERIMENT_SCHEMA_H

#include "experiment/figures/metrics.h"
#include "ikat/experiment.h"

/* Sections that are swept, outermost first: this is the order of the points. */
typedef enum section_id {
    SECTION_FABRIC,
    SECTION_ROUTING,
    SECTION_VC,
    SECTION_VCS,
    SECTION_SELECTION,
    SECTION_SWITCH,
    SECTION_ADAPTER,
    SECTION_MEASURE,
    SECTION_WATCH,
    SECTION_REFERENCE,
    SECTION_TRAFFIC,
    SECTION_LOAD,
    SECTION_SEEDS,
    NUM_SECTIONS
} section_id;

/* Options: keys with one value for the whole experiment. */
typedef enum option_id {
    OPTION_ALLOW_UNREACHABLE,
    OPTION_PROOF,
    OPTION_PROOF_PAIRS,
    OPTION_SKIP_MISFITS,
    OPTION_SIMULATE,
    OPTION_PATTERNS,
    NUM_OPTIONS
} option_id;
/* Values of option proof. */
enum { PROOF_FULL, PROOF_SAMPLED, PROOF_OFF };
const ik_experiment_section *schema_option(option_id id);

/* Values of `switch` of section reference. */
enum { REFERENCE_IDEAL, REFERENCE_SAME };
/* Values of `links`. */
enum { REFERENCE_HOSTS, REFERENCE_UNLIMITED };

/* A parameter that every pattern of section traffic has beside its own: its name in figures and
 * claims, which is no part of the spec that it is made of. */
#define TRAFFIC_LABEL "label"

/* What a family section's text names. */
typedef struct schema_member {
    const char *name;
    const ik_param *params, *common;
} schema_member;

const ik_experiment_section *schema_section(section_id id);
/* "topology", "routing": what messages call a member of the section's family. */
const char *schema_kind(section_id id);
/* Fills *out and is true if the family has a member of that name. */
bool schema_find(section_id id, const char *name, schema_member *out);
/* The descriptor of the member of that name or shorthand, to look up which plug-in it is from; NULL
 * in sections that name none. */
const void *schema_member_of(section_id id, const char *name);
/* Every name of the family, NULL-terminated, in the arena; NULL when out of memory. */
const char *const *schema_names(section_id id, ik_arena *arena);

/* Whether who sends to whom is another one with another seed of the experiment, and whether the
 * tables of a routing are (measures.c). True where there is no such family. What a run draws as it
 * goes on, destinations for example, does not count. */
bool traffic_spec_draws(const char *spec);
bool routing_spec_draws(const char *spec);

#endif
