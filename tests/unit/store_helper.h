/* SPDX-License-Identifier: Apache-2.0
 *
 * A result store with made-up results, so that what is read from it is known to the digit. Include
 * after cmocka.h.
 */
#ifndef STORE_HELPER_H
#define STORE_HELPER_H

#include "experiment/describe.h"
#include "experiment/store.h"
#include "ikat/topology.h"
#include "unit/made.h"

typedef struct bench {
    char folder[40], path[64];
    store *store;
    ik_fabric *fabric; /* of the points: fabric 1 of the store, with plan 1 */
} bench;

static inline void add_row(store *s, const char *sql, const char *const *texts, const void *blob,
                           size_t size, int place)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(store_prepare(s, sql, texts, &statement, NULL), IK_OK);
    if (blob)
        sqlite3_bind_blob64(statement, place, blob, size, SQLITE_TRANSIENT);
    assert_int_equal(store_execute(s, statement, NULL), IK_OK);
}

/* A fabric of the store; fabrics are numbered from 1. */
static inline void add_fabric(store *s, const ik_fabric *f, const char *spec, const char *digest)
{
    char *summary = NULL, *drawing = NULL;
    void *blob = NULL;
    size_t size = 0, packed = 0;
    assert_int_equal(describe_fabric(f, &summary, NULL), IK_OK);
    assert_int_equal(describe_drawing(f, &drawing, &size, NULL), IK_OK);
    assert_int_equal(store_deflate(drawing, size, &blob, &packed, NULL), IK_OK);
    add_row(s, "INSERT INTO fabrics(spec, digest, summary, drawing) VALUES(?1, ?2, ?3, ?4)",
            (const char *[]){spec, digest, summary, NULL}, blob, packed, 4);
    free(blob);
    free(drawing);
    free(summary);
}

/* A proof of a made-up plan. */
static const char plain_proof[] =
    "{\"proof\":\"full\",\"pairs\":2,\"sampled_pairs\":0,\"flow\":\"any\",\"delivered\":true,"
    "\"loop_free\":true,\"minimal\":true,\"deadlock_free\":null,\"deadlock_reason\":\"\","
    "\"undelivered\":0,\"loops\":0,\"unconnected\":0,\"not_minimal\":0,\"vcs_used\":1,"
    "\"channels\":1,\"dependencies\":0,\"max_hops\":2,\"mean_hops\":1.5,\"path_lengths\":[],"
    "\"witness\":[]}";

static inline void add_plan(store *s, const char *fabric, const char *routing, const char *vc,
                            const char *vcs)
{
    char key[96];
    snprintf(key, sizeof key, "%s/%s/%s/%s", fabric, routing, vc, vcs);
    add_row(
        s,
        "INSERT INTO plans(key, flow, fabric, routing, vc, vcs, selection, asked, proof, failed)"
        " VALUES(?1, 'any', ?2, ?3, ?4, ?5, '', 'full', ?6, 0)",
        (const char *[]){key, fabric, routing, vc, vcs, plain_proof, NULL}, NULL, 0, 0);
}

static inline int bench_open_spec(void **state, const char *spec)
{
    bench *b = calloc(1, sizeof *b);
    snprintf(b->folder, sizeof b->folder, "/tmp/ikat-store-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof b->path, "%s/a.db", b->folder);
    ik_error err = {0};
    if (ik_fabric_from_spec(spec, NULL, &b->fabric, &err) != IK_OK ||
        store_create(b->path, &b->store, &err) != IK_OK)
        fail_msg("%s", err.text);
    add_fabric(b->store, b->fabric, spec, "");
    add_plan(b->store, "1", "dmodk", "1q", "1");
    *state = b;
    return 0;
}

static inline int bench_open(void **state)
{
    return bench_open_spec(state, "karytree:k=2,n=2");
}

static inline int bench_close(void **state)
{
    bench *b = *state;
    store_close(b->store);
    ik_fabric_free(b->fabric);
    unlink(b->path);
    assert_int_equal(rmdir(b->folder), 0);
    free(b);
    return 0;
}

/* A result over 1 us in which every connected channel carried `accepted` of its rate. */
static inline ik_sim_result result_of(const bench *b, double offered, double accepted,
                                      uint64_t latency_ps)
{
    const ik_fabric *f = b->fabric;
    ik_sim_result r = {.offered = offered,
                       .throughput = accepted,
                       .fairness = 1,
                       .window_ps = 1000000,
                       .end_ps = 2000000};
    r.latency.count = r.network_latency.count = 1;
    r.latency.mean = r.network_latency.mean = (double)latency_ps;
    r.latency.max = latency_ps;
    r.channel_bytes = calloc(f->num_ports, sizeof *r.channel_bytes);
    r.host_bytes = calloc(f->num_hosts, sizeof *r.host_bytes);
    r.host_sent_bytes = calloc(f->num_hosts, sizeof *r.host_sent_bytes);
    for (uint32_t p = 0; p < f->num_ports; p++)
        if (f->port_peer[p] != IK_NONE)
            r.channel_bytes[p] =
                (uint64_t)(accepted * (double)ik_port_rate_bps(f, p) * 1e-6 / 8 + 0.5);
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (ik_host_port(f, h) != IK_NONE)
            r.host_bytes[h] = r.host_sent_bytes[h] = r.channel_bytes[ik_host_port(f, h)];
    return r;
}

static inline void result_free(ik_sim_result *r)
{
    sim_result_clear(r);
}

static inline store_point point_of(const bench *b, int64_t id, double load, uint64_t seed,
                                   const ik_sim_result *r, const char *traffic)
{
    return (store_point){.id = id,
                         .fabric = 1,
                         .plan = 1,
                         .traffic = traffic,
                         .variant = "",
                         .load = load,
                         .seed = seed,
                         .result = r,
                         .num_ports = b->fabric->num_ports,
                         .num_hosts = b->fabric->num_hosts,
                         .num_switches = b->fabric->num_switches};
}

static inline void add_point(const bench *b, int64_t id, double load, uint64_t seed,
                             const ik_sim_result *r, const char *traffic)
{
    char params[64];
    store_point p = point_of(b, id, load, seed, r, traffic);
    ik_error err = {0};
    snprintf(params, sizeof params, "{\"id\":%lld}", (long long)id);
    p.params = params;
    if (store_add_point(b->store, &p, &err) != IK_OK || store_flush(b->store, &err) != IK_OK)
        fail_msg("%s", err.text);
}

#endif
