/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates: made from the order of a dependency graph, and written as text.
 */
#include "verify/prove.h"

#include <assert.h>
#include <stdlib.h>

/* States that every proof has checked: some milliseconds. Larger ones take a share of what the
 * proof costs, which looks at least once at each destination and switch on its paths, several times
 * as fast as one state is checked; a proof by levels costs as much as there are ports. */
#define FEW_STEPS 20000
#define SHARE     256

void ik_certificate_free(ik_certificate *c)
{
    free(c->rank);
    *c = (ik_certificate){0};
}

ik_status certificate_make(prove_job *job, const uint32_t *rank, unsigned num_vcs, bool direct,
                           ik_error *err)
{
    assert(num_vcs > 0 && num_vcs <= job->graph.num_vcs);
    const cdg *g = &job->graph;
    ik_certificate c = {.ordered_vcs = num_vcs, .direct = direct};
    size_t num = (size_t)g->fabric->num_ports * num_vcs;
    c.rank = ik_calloc(num + 1, sizeof *c.rank);
    if (!c.rank)
        return ik_fail_memory(err, num * sizeof *c.rank, "the order of channels");
    for (uint32_t channel = 0; channel < g->num_channels; channel++) {
        for (unsigned vc = 0; vc < num_vcs; vc++) {
            size_t vertex = cdg_vertex(g, channel, vc);
            if (!(g->used[vertex / 64] >> vertex % 64 & 1))
                continue;
            c.rank[(size_t)g->port_of_channel[channel] * num_vcs + vc] =
                rank[(size_t)channel * num_vcs + vc];
            c.num++;
        }
    }
    job->certificate = c;
    return IK_OK;
}

ik_status certificate_look(const prove_job *job, const ik_proof *proof, ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    uint64_t share =
        job->levels ? f->num_ports / 4 : (uint64_t)f->num_hosts * f->num_switches / SHARE;
    uint64_t steps = FEW_STEPS + share, pairs;
    if (job->sampled || proof->deadlock_free == IK_UNKNOWN)
        return IK_OK;
    return ik_certificate_check(job->plan, proof, &job->certificate, steps, job->env, &pairs, err);
}

/* ---- text */

static void certificate_print_channel(const ik_fabric *f, uint32_t port, unsigned vc, FILE *out)
{
    assert(port < f->num_ports);
    fprintf(out, "%u %u %u", f->port_node[port], ik_port_local(f, port), vc);
}

typedef struct place {
    uint32_t rank, port;
    unsigned vc;
} place;

static int certificate_by_rank(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static ik_status certificate_print_order(const ik_fabric *f, const ik_certificate *c, FILE *out,
                                         ik_error *err)
{
    place *places = ik_calloc(c->num + 1, sizeof *places);
    size_t num = 0;
    if (!places)
        return ik_fail_memory(err, c->num * sizeof *places, "the order of channels");
    for (uint32_t port = 0; port < f->num_ports; port++) {
        for (unsigned vc = 0; vc < c->ordered_vcs; vc++) {
            uint32_t rank = c->rank[(size_t)port * c->ordered_vcs + vc];
            if (rank)
                places[num++] = (place){rank, port, vc};
        }
    }
    qsort(places, num, sizeof *places, certificate_by_rank);
    fprintf(out, "order %zu\n", num);
    for (size_t i = 0; i < num; i++) {
        certificate_print_channel(f, places[i].port, places[i].vc, out);
        fputc('\n', out);
    }
    free(places);
    return IK_OK;
}

static void certificate_print_cycle(const ik_fabric *f, const ik_proof *proof, FILE *out)
{
    fprintf(out, "cycle %zu\n", proof->witness_length);
    for (size_t i = 0; i < proof->witness_length; i++) {
        const ik_dependency *d = &proof->witness[i];
        certificate_print_channel(f, d->channel, d->vc, out);
        fprintf(out, " %u %u%s\n", d->src, d->dst, d->through ? " held" : "");
    }
}

ik_status ik_certificate_print(const ik_plan *plan, const ik_proof *proof,
                               const ik_certificate *certificate, FILE *out, ik_error *err)
{
    static const char *const conditions[] = {"acyclic", "extended", "direct"};
    const ik_fabric *f = plan->fabric;
    fputs("ikat-certificate 1\n", out);
    fprintf(out, "switches %u\nvcs %u\n", f->num_switches, plan->num_vcs);
    fprintf(out, "condition %s\n", conditions[proof->condition]);
    if (proof->deadlock_free == IK_YES) {
        fprintf(out, "ordered-vcs %u\n", certificate->ordered_vcs);
        return certificate_print_order(f, certificate, out, err);
    }
    if (proof->gap_src != IK_NONE) {
        fprintf(out, "gap %u %u %u %u\n", proof->gap_src, proof->gap_dst,
                f->port_node[proof->gap_port], ik_port_local(f, proof->gap_port));
    }
    certificate_print_cycle(f, proof, out);
    return IK_OK;
}
