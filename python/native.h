/* SPDX-License-Identifier: Apache-2.0
 *
 * native.h: what the Python module needs beside libikat. Compiled into ikat._native.
 *
 * References. Python may drop its objects in any order (the collector of cycles does), while a
 * routing needs its fabric until it is freed itself. So every object of the library that Python
 * holds is counted here, together with the objects that it was made of: it is freed when neither
 * Python nor another object needs it any more.
 *
 * Ctrl-C. While a call of the library runs in Python's main thread, SIGINT raises the call's cancel
 * flag, so that the call returns soon; Python learns of the signal when the call has ended and what
 * it made has an owner, and raises KeyboardInterrupt then. A function of Python that the call runs
 * is interrupted at once.
 */
#ifndef IKAT_PYTHON_NATIVE_H
#define IKAT_PYTHON_NATIVE_H

#include "ikat/ikat.h"

/* How an object is freed. The results from IKPY_PROOF on stand in memory of ikpy_room. */
typedef enum ikpy_kind {
    IKPY_FABRIC,
    IKPY_PLAN,
    IKPY_TRAFFIC,
    IKPY_EXPERIMENT,
    IKPY_RESULTS,
    IKPY_REGISTERS,
    IKPY_SIMULATION,
    IKPY_MEMORY,
    IKPY_DESIGNS,
    IKPY_PART, /* of its first parent, which frees it */
    IKPY_PROOF,
    IKPY_LOAD,
    IKPY_QUEUES,
    IKPY_PHASES,
    IKPY_PERMUTATIONS,
    IKPY_DESCRIPTION,
    IKPY_DISTANCES,
    IKPY_DIVERSITY,
    IKPY_BISECTION,
    IKPY_CABLES,
    IKPY_AUDIT,
    IKPY_DEPLOYMENT,
    IKPY_DEPLOY_CHECK
} ikpy_kind;

enum { IKPY_PARENTS = 3 };

/* An object of the library and who needs it. */
typedef struct ikpy_ref {
    long uses; /* atomic */
    ikpy_kind kind;
    void *object;
    struct ikpy_ref *parents[IKPY_PARENTS]; /* what it was made of; each is one use of theirs */
} ikpy_ref;

/* Takes over `object`, with one use. NULL when out of memory: the object is freed then. */
ikpy_ref *ikpy_new(ikpy_kind kind, void *object, ikpy_ref *a, ikpy_ref *b, ikpy_ref *c);
/* One use less; the last one frees the object, then drops its uses of the parents. `object` is what
 * cffi passes to a destructor, which is not used. */
void ikpy_release(ikpy_ref *ref, const void *object);
/* Frees an object that has no ikpy_ref. */
void ikpy_destroy(ikpy_kind kind, void *object);
/* Zeroed memory that free() and ikpy_destroy() free; NULL when out of memory. */
void *ikpy_room(size_t bytes);
/* Number of objects that live: for tests. */
long ikpy_living(void);

/* For ik_env.progress, progress_ctx is an ikpy_pace: passes on to Python the first call, the last
 * one, and others at most every 50 ms, so that the interpreter's lock is not taken more often. */
typedef struct ikpy_pace {
    void *running;    /* what ikpy_progress gets */
    uint64_t last_ms; /* time of the last call that was passed on; 0 = none */
} ikpy_pace;
void ikpy_paced(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit);

/* A call for ikpy_interrupts_begin(); zeroed before. */
typedef struct ikpy_call {
    int depth; /* calls around it */
    uint64_t number;
} ikpy_call;
/* From now on SIGINT raises the flag that is returned, which is down, and what it did before is put
 * off. Calls nest. For the main thread; NULL where SIGINT is not Python's, or calls nest too
 * deeply. The flag is static, as a signal may still be under way when the call ends. */
int *ikpy_interrupts_begin(ikpy_call *call);
/* How many have begun and not ended. */
int ikpy_interrupts_depth(void);
/* Ends the call and those within it; without effect if it has ended, or never began. SIGINT does
 * what was put off when the last one ends. A destructor of `call` does it as well: what another
 * signal's handler raises may end the lines of Python that would. */
void ikpy_interrupts_end(ikpy_call *call);
/* Whether the innermost call runs a function of Python from now on, during which nothing is put
 * off; and whether it did. Without effect in other threads than the main one. */
bool ikpy_interrupts_callback(bool runs);

/* Members that are functions of Python. All texts and rows live as long as the process; handle:
 * what the functions below get. The name may be registered again: the newer one is found then. */
typedef struct ikpy_member {
    const char *name, *plugin, *summary, *details, *identity;
    const ik_param *params;
    void *handle;
} ikpy_member;
/* A table routing: ikpy_make_table fills r->lft, which is there and has no routes. */
ik_status ikpy_register_routing(const ikpy_member *member, ik_error *err);
/* A pattern that is a list of flows: ikpy_make_flows calls ik_traffic_set_flows. */
ik_status ikpy_register_traffic(const ikpy_member *member, ik_error *err);

/* What a selection is asked: the outputs that a packet can take now at a switch, in ascending
 * order, those that come after the others because they are busy left out if there are others. */
typedef struct ikpy_asked {
    uint32_t sw, src, dst, need_bytes;
    uint32_t num;           /* > 1 */
    const int64_t *columns; /* [5][num] local port; bytes of room, of credit, that wait; busy */
} ikpy_asked;
/* A selection by score. ikpy_make_selection sets s->impl to what ikpy_score gets with the
 * parameters, and ikpy_drop_selection frees; cancel is the flag of the call that makes it.
 * ikpy_score fills scores [num], of which the largest wins; equal ones are drawn. Called by the
 * threads of a simulation. */
ik_status ikpy_register_selection(const ikpy_member *member, ik_error *err);

enum { IKPY_PATH_MOST = 4096 };
/* Switch-to-switch hops of the preferred path of every pair of hosts (of the plan's fabric), from
 * initial state 0: hops [count][num_hosts] for the sources from `first` on; -1 = not delivered
 * within IKPY_PATH_MOST channels. Cost O(pairs * hops). */
ik_status ikpy_hops(const ik_plan *plan, uint32_t first, uint32_t count, int16_t *hops,
                    const ik_env *env, ik_error *err);

#endif
