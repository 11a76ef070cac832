/* SPDX-License-Identifier: Apache-2.0
 *
 * comms.c: the communicators of a rank, as lists of ranks of MPI_COMM_WORLD. They are numbered in
 * the order in which the rank made them; which are the same on several ranks follows from their
 * ranks, their parent and their number among those that were made of it.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_BUCKETS = 1024 };

known_comm *comm_world;
static known_comm *buckets[NUM_BUCKETS], *latest;
static uint32_t num_comms;

/* A communicator that MPI_Comm_idup makes: recorded when it is first used, since nothing can be
 * asked of it before the request is over. Creations on a communicator come in one order on all of
 * its ranks, first uses do not: so it keeps its number among those of its parent from the call. */
typedef struct to_come {
    struct to_come *next;
    uintptr_t key;
    uint32_t parent, sequence;
} to_come;
static to_come *first_to_come;

static MPI_Comm world_handle, self_handle, null_handle;
static MPI_Group world_group;

static size_t bucket_of(uintptr_t key)
{
    return (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 54) % NUM_BUCKETS;
}

MPI_Comm comm_null(void)
{
    return null_handle;
}

bool comm_is_null(MPI_Comm handle)
{
    return handle == null_handle;
}

/* World ranks of a group, NULL if rank i is world rank i. Takes the group. False: no memory. */
static bool ranks_of(MPI_Group group, uint32_t *num, int **world)
{
    int size = 0;
    real_mpi.Group_size(group, &size);
    int *numbers = calloc((size_t)size + 1, 2 * sizeof *numbers);
    *num = (uint32_t)size;
    if (!numbers) {
        real_mpi.Group_free(&group);
        return false;
    }
    int *found = numbers + size;
    for (int i = 0; i < size; i++)
        numbers[i] = i;
    real_mpi.Group_translate_ranks(group, size, numbers, world_group, found);
    real_mpi.Group_free(&group);
    if (memcmp(numbers, found, (size_t)size * sizeof *numbers) == 0) {
        free(numbers);
        *world = NULL;
        return true;
    }
    memmove(numbers, found, (size_t)size * sizeof *numbers);
    *world = numbers;
    return true;
}

/* Processes that were started later or joined: MPI_UNDEFINED in the group of MPI_COMM_WORLD. */
static bool has_outside(const int *world, uint32_t num)
{
    for (uint32_t i = 0; world && i < num; i++)
        if (world[i] < 0)
            return true;
    return false;
}

static bool find_groups(known_comm *c, MPI_Comm handle)
{
    MPI_Group group;
    int inter = 0;
    real_mpi.Comm_test_inter(handle, &inter);
    c->inter = inter != 0;
    real_mpi.Comm_rank(handle, &c->rank);
    if (real_mpi.Comm_group(handle, &group) != MPI_SUCCESS || !ranks_of(group, &c->size, &c->world))
        return false;
    c->peers = c->world;
    c->num_peers = c->size;
    if (inter && (real_mpi.Comm_remote_group(handle, &group) != MPI_SUCCESS ||
                  !ranks_of(group, &c->num_peers, &c->peers)))
        return false;
    c->outside = has_outside(c->world, c->size) || has_outside(c->peers, c->num_peers);
    return true;
}

static int *to_world(const known_comm *c, int *ranks, int num)
{
    for (int i = 0; i < num; i++)
        ranks[i] = ranks[i] < 0 ? MPI_PROC_NULL : c->world ? c->world[ranks[i]] : ranks[i];
    return ranks;
}

static bool find_cart(known_comm *c, MPI_Comm handle)
{
    int dims = 0;
    real_mpi.Cartdim_get(handle, &dims);
    c->in = calloc(2 * (size_t)dims + 1, sizeof *c->in);
    c->out = calloc(2 * (size_t)dims + 1, sizeof *c->out);
    if (!c->in || !c->out)
        return false;
    for (int d = 0; d < dims; d++)
        real_mpi.Cart_shift(handle, d, 1, &c->in[2 * d], &c->in[2 * d + 1]);
    memcpy(c->out, c->in, 2 * (size_t)dims * sizeof *c->in);
    c->num_in = c->num_out = 2 * dims;
    return true;
}

static bool find_graph(known_comm *c, MPI_Comm handle)
{
    int num = 0;
    real_mpi.Graph_neighbors_count(handle, c->rank, &num);
    c->in = calloc((size_t)num + 1, sizeof *c->in);
    c->out = calloc((size_t)num + 1, sizeof *c->out);
    if (!c->in || !c->out)
        return false;
    real_mpi.Graph_neighbors(handle, c->rank, num, c->in);
    memcpy(c->out, c->in, (size_t)num * sizeof *c->in);
    c->num_in = c->num_out = num;
    return true;
}

static bool find_dist_graph(known_comm *c, MPI_Comm handle)
{
    int in = 0, out = 0, weighted = 0;
    real_mpi.Dist_graph_neighbors_count(handle, &in, &out, &weighted);
    c->in = calloc((size_t)in + 1, sizeof *c->in);
    c->out = calloc((size_t)out + 1, sizeof *c->out);
    int *weights = calloc((size_t)in + (size_t)out + 1, sizeof *weights);
    if (!c->in || !c->out || !weights) {
        free(weights);
        return false;
    }
    real_mpi.Dist_graph_neighbors(handle, in, c->in, weights, out, c->out, weights + in);
    free(weights);
    c->num_in = in;
    c->num_out = out;
    return true;
}

static bool find_neighbours(known_comm *c, MPI_Comm handle)
{
    int kind = MPI_UNDEFINED;
    bool good = true;
    c->num_in = c->num_out = -1;
    if (c->inter || real_mpi.Topo_test(handle, &kind) != MPI_SUCCESS || kind == MPI_UNDEFINED)
        return true;
    if (kind == MPI_CART)
        good = find_cart(c, handle);
    else if (kind == MPI_GRAPH)
        good = find_graph(c, handle);
    else if (kind == MPI_DIST_GRAPH)
        good = find_dist_graph(c, handle);
    if (good && c->num_in >= 0) {
        to_world(c, c->in, c->num_in);
        to_world(c, c->out, c->num_out);
    }
    return good;
}

static void comm_delete(known_comm *c)
{
    if (c->peers != c->world)
        free(c->peers);
    free(c->world);
    free(c->in);
    free(c->out);
    free(c);
}

static known_comm *comm_add(MPI_Comm handle)
{
    known_comm *c = calloc(1, sizeof *c);
    if (!c || !find_groups(c, handle) || !find_neighbours(c, handle)) {
        if (c)
            comm_delete(c);
        recorder_give_up("out of memory for a communicator");
        return comm_world;
    }
    known_comm **bucket = &buckets[bucket_of(KEY(handle))];
    c->key = KEY(handle);
    c->number = num_comms++;
    c->next = *bucket;
    *bucket = c;
    return latest = c;
}

/* Ranks as runs of equal steps, of one group without those that are outside. */
static void put_inside(operands *o, const int *world, uint32_t num)
{
    uint32_t runs = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            put(o, world ? runs : 1);
        if (!world) {
            if (pass) {
                put(o, 0);
                put(o, num);
                put_signed(o, 1);
            }
            continue;
        }
        for (uint32_t i = 0, j; i < num; i = j) {
            int64_t step = i + 1 < num ? (int64_t)world[i + 1] - world[i] : 1;
            for (j = i + 1; j < num && (int64_t)world[j] - world[j - 1] == step; j++)
                ;
            runs += !pass;
            if (pass) {
                put(o, (uint64_t)(unsigned)world[i]);
                put(o, j - i);
                put_signed(o, step);
            }
        }
    }
}

static bool put_runs(operands *o, const int *world, uint32_t num)
{
    if (!has_outside(world, num)) {
        put_inside(o, world, num);
        return true;
    }
    int *inside = malloc(num * sizeof *inside);
    uint32_t left = 0;
    for (uint32_t i = 0; inside && i < num; i++)
        if (world[i] >= 0)
            inside[left++] = world[i];
    if (inside)
        put_inside(o, inside, left);
    free(inside);
    return inside != NULL;
}

static void record_comm(call *of, const known_comm *c, unsigned kind, uint32_t parent,
                        uint32_t sequence)
{
    operands o;
    put_begin(&o);
    put(&o, c->number);
    put(&o, kind);
    put(&o, parent);
    put(&o, sequence);
    bool good = put_runs(&o, c->world, c->size);
    if (c->inter)
        good = good && put_runs(&o, c->peers, c->num_peers);
    else
        put(&o, 0);
    if (good)
        record(of, REC_COMM, &o);
    else
        recorder_give_up("out of memory for a communicator");
    put_end(&o);
}

/* Handles of Open MPI are addresses of variables in its library, which is not linked here. */
#ifdef OPEN_MPI
#define HANDLE(type, constant, variable) ((type)recorder_symbol(variable))
#else
#define HANDLE(type, constant, variable) (constant)
#endif

static void find_handles(void)
{
    world_handle = HANDLE(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world");
    self_handle = HANDLE(MPI_Comm, MPI_COMM_SELF, "ompi_mpi_comm_self");
    null_handle = HANDLE(MPI_Comm, MPI_COMM_NULL, "ompi_mpi_comm_null");
    num_comms = 0;
}

bool comms_start(void)
{
    find_handles();
    if (real_mpi.Comm_group(world_handle, &world_group) != MPI_SUCCESS)
        return false;
    comm_world = comm_add(world_handle);
    return comm_world && comm_add(self_handle) != comm_world;
}

#ifdef HAVE_SESSIONS
bool comms_start_session(MPI_Session session, int *rank, int *size)
{
    find_handles();
    if (real_mpi.Group_from_session_pset(session, "mpi://WORLD", &world_group) != MPI_SUCCESS)
        return false;
    real_mpi.Group_rank(world_group, rank);
    real_mpi.Group_size(world_group, size);
    comm_world = calloc(1, sizeof *comm_world);
    if (!comm_world)
        return false;
    comm_world->size = comm_world->num_peers = (uint32_t)*size;
    comm_world->rank = *rank;
    comm_world->num_in = comm_world->num_out = -1;
    num_comms = 2; /* the numbers of MPI_COMM_WORLD and of MPI_COMM_SELF */
    return true;
}
#endif

void comms_get_world(int *rank, int *size, MPI_Comm *parent)
{
    real_mpi.Comm_rank(world_handle, rank);
    real_mpi.Comm_size(world_handle, size);
    *parent = null_handle;
    real_mpi.Comm_get_parent(parent);
}

uint64_t bytes_in(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    MPI_Datatype byte = HANDLE(MPI_Datatype, MPI_BYTE, "ompi_mpi_byte");
    real_mpi.Get_elements_x(status, byte, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The caller frees it; NULL = there is none of this handle. */
static to_come *take_to_come(uintptr_t key)
{
    to_come **at = &first_to_come;
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    to_come *one = *at;
    if (one)
        *at = one->next;
    return one;
}

known_comm *comm_of(MPI_Comm handle)
{
    uintptr_t key = KEY(handle);
    if (LIKELY(latest && latest->key == key))
        return latest;
    for (known_comm *c = buckets[bucket_of(key)]; c; c = c->next)
        if (c->key == key)
            return latest = c;
    known_comm *c = comm_add(handle);
    to_come *of = take_to_come(key);
    if (c != comm_world) {
        call none = {.begin = 0, .end = 0, .on = true};
        record_comm(&none, c, of ? COMM_NEW : COMM_FOUND, of ? of->parent : 0,
                    of ? of->sequence : 0);
    }
    free(of);
    return c;
}

void comm_comes(call *c, MPI_Comm parent, MPI_Comm made)
{
    known_comm *of = comm_of(parent);
    uint32_t sequence = of->created++;
    record_other(c, OTHER_CALL);
    if (comm_is_null(made))
        return;
    comm_freed(NULL, KEY(made)); /* a handle that is used again */
    to_come *one = malloc(sizeof *one);
    if (!one) {
        recorder_give_up("out of memory for a communicator");
        return;
    }
    *one = (to_come){first_to_come, KEY(made), of->number, sequence};
    first_to_come = one;
}

void comm_made(call *c, MPI_Comm parent, MPI_Comm made, unsigned kind)
{
    known_comm *of = kind == COMM_NEW ? comm_of(parent) : NULL;
    uint32_t sequence = of ? of->created++ : 0;
    if (comm_is_null(made)) {
        record_other(c, OTHER_CALL);
        return;
    }
    comm_freed(NULL, KEY(made)); /* a handle that is used again */
    known_comm *new = comm_add(made);
    if (new != comm_world)
        record_comm(c, new, kind, of ? of->number : 0, sequence);
}

void comm_freed(call *c, uintptr_t key)
{
    operands o;
    known_comm **at = &buckets[bucket_of(key)];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    known_comm *gone = *at;
    if (!gone)
        free(take_to_come(key));
    if (gone && gone != comm_world) {
        *at = gone->next;
        latest = comm_world;
        if (c) {
            put_begin(&o);
            put(&o, gone->number);
            record(c, REC_COMM_FREE, &o);
            put_end(&o);
        }
        gone->gone = true;
        if (!gone->users)
            comm_delete(gone);
    } else if (c) {
        record_other(c, OTHER_CALL);
    }
}

void comm_left(known_comm *c)
{
    if (c && --c->users == 0 && c->gone)
        comm_delete(c);
}
