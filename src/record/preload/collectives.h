/* SPDX-License-Identifier: Apache-2.0
 *
 * collectives.h: collective calls for counts of type COUNT and displacements of type DISPLACEMENT;
 * the calls' names end in SUFFIX. Included by wrap_collectives.c.
 */

static void JOIN(put_counts, SUFFIX)(operands *o, const known_comm *of, const COUNT *counts,
                                     const MPI_Datatype *types, bool one_type)
{
    for (uint32_t i = 0; i < of->size; i++)
        put(o, bytes_of((uint64_t)counts[i], types[one_type ? 0 : i]));
}
#define COUNTS(num)                    put(o, (uint64_t)(num)*of->size)
#define PUT_COUNTS(counts, types, one) JOIN(put_counts, SUFFIX)(o, of, counts, types, one)
#define BYTES(count, type)             bytes_of((uint64_t)(count), type)

WRAP_COLLECTIVE(Bcast, Ibcast, (void *buf, COUNT num, MPI_Datatype type, int root, MPI_Comm comm),
                (buf, num, type, root, comm))
{
    begin(o, COLL_BCAST, of, root, BYTES(num, type), BYTES(num, type));
    put(o, 0);
}

#define IN_PARAMS  const void *in, COUNT num_in, MPI_Datatype in_type
#define OUT_PARAMS void *out, COUNT num_out, MPI_Datatype out_type

WRAP_COLLECTIVE(Gather, Igather, (IN_PARAMS, OUT_PARAMS, int root, MPI_Comm comm),
                (in, num_in, in_type, out, num_out, out_type, root, comm))
{
    bool is_root = of->rank == root;
    uint64_t each = is_root ? BYTES(num_out, out_type) : 0;
    begin(o, COLL_GATHER, of, root, in == MPI_IN_PLACE ? each : BYTES(num_in, in_type), each);
    put(o, 0);
}

WRAP_COLLECTIVE(Scatter, Iscatter, (IN_PARAMS, OUT_PARAMS, int root, MPI_Comm comm),
                (in, num_in, in_type, out, num_out, out_type, root, comm))
{
    bool is_root = of->rank == root;
    uint64_t each = is_root ? BYTES(num_in, in_type) : 0;
    begin(o, COLL_SCATTER, of, root, each, out == MPI_IN_PLACE ? each : BYTES(num_out, out_type));
    put(o, 0);
}

WRAP_COLLECTIVE(Gatherv, Igatherv,
                (IN_PARAMS, void *out, const COUNT counts[], const DISPLACEMENT at[],
                 MPI_Datatype out_type, int root, MPI_Comm comm),
                (in, num_in, in_type, out, counts, at, out_type, root, comm))
{
    bool is_root = of->rank == root;
    begin(o, COLL_GATHERV, of, root,
          in == MPI_IN_PLACE && is_root ? BYTES(counts[root], out_type) : BYTES(num_in, in_type),
          0);
    COUNTS(is_root);
    if (is_root)
        PUT_COUNTS(counts, &out_type, true);
}

WRAP_COLLECTIVE(Scatterv, Iscatterv,
                (const void *in, const COUNT counts[], const DISPLACEMENT at[],
                 MPI_Datatype in_type, OUT_PARAMS, int root, MPI_Comm comm),
                (in, counts, at, in_type, out, num_out, out_type, root, comm))
{
    bool is_root = of->rank == root;
    begin(o, COLL_SCATTERV, of, root, 0,
          out == MPI_IN_PLACE && is_root ? BYTES(counts[root], in_type) : BYTES(num_out, out_type));
    COUNTS(is_root);
    if (is_root)
        PUT_COUNTS(counts, &in_type, true);
}

WRAP_COLLECTIVE(Allgather, Iallgather, (IN_PARAMS, OUT_PARAMS, MPI_Comm comm),
                (in, num_in, in_type, out, num_out, out_type, comm))
{
    uint64_t each = BYTES(num_out, out_type);
    begin(o, COLL_ALLGATHER, of, -1, in == MPI_IN_PLACE ? each : BYTES(num_in, in_type), each);
    put(o, 0);
}

WRAP_COLLECTIVE(Allgatherv, Iallgatherv,
                (IN_PARAMS, void *out, const COUNT counts[], const DISPLACEMENT at[],
                 MPI_Datatype out_type, MPI_Comm comm),
                (in, num_in, in_type, out, counts, at, out_type, comm))
{
    begin(o, COLL_ALLGATHERV, of, -1, BYTES(counts[of->rank], out_type), 0);
    COUNTS(1);
    PUT_COUNTS(counts, &out_type, true);
}

WRAP_COLLECTIVE(Alltoall, Ialltoall, (IN_PARAMS, OUT_PARAMS, MPI_Comm comm),
                (in, num_in, in_type, out, num_out, out_type, comm))
{
    uint64_t each = BYTES(num_out, out_type);
    begin(o, COLL_ALLTOALL, of, -1, in == MPI_IN_PLACE ? each : BYTES(num_in, in_type), each);
    put(o, 0);
}

WRAP_COLLECTIVE(Alltoallv, Ialltoallv,
                (const void *in, const COUNT num_in[], const DISPLACEMENT in_at[],
                 MPI_Datatype in_type, void *out, const COUNT num_out[],
                 const DISPLACEMENT out_at[], MPI_Datatype out_type, MPI_Comm comm),
                (in, num_in, in_at, in_type, out, num_out, out_at, out_type, comm))
{
    bool place = in == MPI_IN_PLACE;
    begin(o, COLL_ALLTOALLV, of, -1, 0, 0);
    COUNTS(2);
    PUT_COUNTS(place ? num_out : num_in, place ? &out_type : &in_type, true);
    PUT_COUNTS(num_out, &out_type, true);
}

WRAP_COLLECTIVE(Alltoallw, Ialltoallw,
                (const void *in, const COUNT num_in[], const DISPLACEMENT in_at[],
                 const MPI_Datatype in_types[], void *out, const COUNT num_out[],
                 const DISPLACEMENT out_at[], const MPI_Datatype out_types[], MPI_Comm comm),
                (in, num_in, in_at, in_types, out, num_out, out_at, out_types, comm))
{
    bool place = in == MPI_IN_PLACE;
    begin(o, COLL_ALLTOALLW, of, -1, 0, 0);
    COUNTS(2);
    PUT_COUNTS(place ? num_out : num_in, place ? out_types : in_types, false);
    PUT_COUNTS(num_out, out_types, false);
}

#define REDUCED_PARAMS const void *in, void *out, COUNT num, MPI_Datatype type, MPI_Op op

WRAP_COLLECTIVE(Reduce, Ireduce, (REDUCED_PARAMS, int root, MPI_Comm comm),
                (in, out, num, type, op, root, comm))
{
    begin(o, COLL_REDUCE, of, root, BYTES(num, type), BYTES(num, type));
    put(o, 0);
}

#define WRAP_REDUCED(NAME, INAME, OPERATION)                                                       \
    WRAP_COLLECTIVE(NAME, INAME, (REDUCED_PARAMS, MPI_Comm comm), (in, out, num, type, op, comm))  \
    {                                                                                              \
        begin(o, OPERATION, of, -1, BYTES(num, type), BYTES(num, type));                           \
        put(o, 0);                                                                                 \
    }
WRAP_REDUCED(Allreduce, Iallreduce, COLL_ALLREDUCE)
WRAP_REDUCED(Scan, Iscan, COLL_SCAN)
WRAP_REDUCED(Exscan, Iexscan, COLL_EXSCAN)
WRAP_REDUCED(Reduce_scatter_block, Ireduce_scatter_block, COLL_REDUCE_SCATTER_BLOCK)

WRAP_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                (const void *in, void *out, const COUNT counts[], MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm),
                (in, out, counts, type, op, comm))
{
    begin(o, COLL_REDUCE_SCATTER, of, -1, 0, BYTES(counts[of->rank], type));
    COUNTS(1);
    PUT_COUNTS(counts, &type, true);
}

/* ---- neighbours */

WRAP_NEIGHBOUR(Neighbor_allgather, Ineighbor_allgather, (IN_PARAMS, OUT_PARAMS, MPI_Comm comm),
               (in, num_in, in_type, out, num_out, out_type, comm))
{
    neighbours(o, NEIGH_ALLGATHER, of);
    for (int i = 0; i < of->num_out; i++)
        put_neighbour(o, of->out[i], BYTES(num_in, in_type));
    for (int i = 0; i < of->num_in; i++)
        put_neighbour(o, of->in[i], BYTES(num_out, out_type));
}

WRAP_NEIGHBOUR(Neighbor_allgatherv, Ineighbor_allgatherv,
               (IN_PARAMS, void *out, const COUNT num_out[], const DISPLACEMENT at[],
                MPI_Datatype out_type, MPI_Comm comm),
               (in, num_in, in_type, out, num_out, at, out_type, comm))
{
    neighbours(o, NEIGH_ALLGATHERV, of);
    for (int i = 0; i < of->num_out; i++)
        put_neighbour(o, of->out[i], BYTES(num_in, in_type));
    for (int i = 0; i < of->num_in; i++)
        put_neighbour(o, of->in[i], BYTES(num_out[i], out_type));
}

WRAP_NEIGHBOUR(Neighbor_alltoall, Ineighbor_alltoall, (IN_PARAMS, OUT_PARAMS, MPI_Comm comm),
               (in, num_in, in_type, out, num_out, out_type, comm))
{
    neighbours(o, NEIGH_ALLTOALL, of);
    for (int i = 0; i < of->num_out; i++)
        put_neighbour(o, of->out[i], BYTES(num_in, in_type));
    for (int i = 0; i < of->num_in; i++)
        put_neighbour(o, of->in[i], BYTES(num_out, out_type));
}

WRAP_NEIGHBOUR(Neighbor_alltoallv, Ineighbor_alltoallv,
               (const void *in, const COUNT num_in[], const DISPLACEMENT in_at[],
                MPI_Datatype in_type, void *out, const COUNT num_out[], const DISPLACEMENT out_at[],
                MPI_Datatype out_type, MPI_Comm comm),
               (in, num_in, in_at, in_type, out, num_out, out_at, out_type, comm))
{
    neighbours(o, NEIGH_ALLTOALLV, of);
    for (int i = 0; i < of->num_out; i++)
        put_neighbour(o, of->out[i], BYTES(num_in[i], in_type));
    for (int i = 0; i < of->num_in; i++)
        put_neighbour(o, of->in[i], BYTES(num_out[i], out_type));
}

WRAP_NEIGHBOUR(Neighbor_alltoallw, Ineighbor_alltoallw,
               (const void *in, const COUNT num_in[], const MPI_Aint in_at[],
                const MPI_Datatype in_types[], void *out, const COUNT num_out[],
                const MPI_Aint out_at[], const MPI_Datatype out_types[], MPI_Comm comm),
               (in, num_in, in_at, in_types, out, num_out, out_at, out_types, comm))
{
    neighbours(o, NEIGH_ALLTOALLW, of);
    for (int i = 0; i < of->num_out; i++)
        put_neighbour(o, of->out[i], BYTES(num_in[i], in_types[i]));
    for (int i = 0; i < of->num_in; i++)
        put_neighbour(o, of->in[i], BYTES(num_out[i], out_types[i]));
}

#undef COUNTS
#undef PUT_COUNTS
#undef BYTES
#undef IN_PARAMS
#undef OUT_PARAMS
#undef REDUCED_PARAMS
#undef WRAP_REDUCED
