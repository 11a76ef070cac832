/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_impl.h: parts of a watch: running commands, the state in its folder, what changed.
 */
#ifndef IKAT_SUBNET_ROUNDS_IMPL_H
#define IKAT_SUBNET_ROUNDS_IMPL_H

#include "ikat/subnet_watch.h"

/* ---- rounds_command.c */

typedef struct rounds_command {
    char why[512];  /* why it failed; "": it did not */
    char said[256]; /* the last line that it wrote to standard error; "": none */
    double seconds;
} rounds_command;

/* Runs a command of the shell, its standard output into a new file. It is killed with all processes
 * of its group if it takes too long, writes too much into a file, or the environment is cancelled;
 * what it left running is killed as well. status_too: an exit status that is no failure, beside 0.
 * IK_ERR_CANCELLED, else IK_OK. */
ik_status rounds_command_run(const char *command, const char *path, int status_too,
                             double timeout_s, uint64_t most_bytes, const ik_env *env,
                             rounds_command *out, ik_error *err);

/* ---- rounds_state.c */

/* What one round hands on to the next: findings that are open, and those that were lately. */
typedef struct rounds_state {
    ik_arena arena; /* of texts */
    ik_round_finding *findings;
    size_t num, cap;
    uint64_t rounds;
    double good_s;
} rounds_state;

void rounds_state_free(rounds_state *s);
/* Appends a copy. */
ik_status rounds_state_add(rounds_state *s, const ik_round_finding *f, ik_error *err);
/* By code and key; open ones before closed ones. */
void rounds_state_sort(ik_round_finding *findings, size_t num);
int rounds_state_compare(const ik_round_finding *a, const ik_round_finding *b);
/* IK_ERR_IO: there is none. */
ik_status rounds_state_read(const char *path, rounds_state *out, ik_error *err);
ik_status rounds_state_write(const char *path, const rounds_state *s, ik_error *err);

/* ---- rounds_fabric.c, rounds_merge.c: changes, which grow in an arena */

typedef struct rounds_changes {
    ik_arena *arena;
    ik_round_change *list;
    size_t num, cap;
} rounds_changes;

ik_status rounds_changes_add(rounds_changes *c, const ik_round_change *change, ik_error *err);
/* Nodes and cables that are in one fabric only. Nodes are found by GUID, else by name, cables by
 * the numbers of their ports; cables of a node that is not in both are not listed.
 * Cost O(nodes log nodes + ports). */
ik_status rounds_fabric_compare(const ik_fabric *before, const ik_fabric *after, rounds_changes *c,
                                ik_error *err);
/* The findings of this round beside those before: *next. Both are sorted; those of an audit stay as
 * they are if the round was not good. */
ik_status rounds_merge(const rounds_state *before, const ik_round_finding *now, size_t num_now,
                       bool good, double time_s, rounds_state *next, rounds_changes *c,
                       ik_error *err);
/* Is this finding one of the watch itself? */
bool rounds_is_own(const char *code);

/* ---- rounds_metrics.c */
ik_status rounds_metrics_print(const ik_round *r, FILE *out, ik_error *err);

#endif
