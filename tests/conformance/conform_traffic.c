/* SPDX-License-Identifier: Apache-2.0
 *
 * conform_traffic.c: every traffic pattern keeps the family's promises, on every fabric that it
 * accepts: flows in ascending order and within their scale, destinations drawn as the flows say,
 * permutations one to one, the same seed and the same spec give the same pattern. So does what each
 * port sends where hosts have several.
 */
#include "conformance/expect.h"
#include "ikat/topology.h"
#include "ikat/traffic.h"
#include "routing/by_port.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fabrics[] = {"karytree:k=4,n=3",
                                      "karytree:k=2,n=4",
                                      "slimfly:q=5",
                                      "torus:dims=4:4:4",
                                      "oft:k=3",
                                      "mlfm:h=4",
                                      "dragonfly:h=2",
                                      "crossbar:n=5",
                                      "rlft:ports=4,levels=3",
                                      "xgft:m=16:16,w=1:10",
                                      "lrt:N=64,d=4,r=3",
                                      "xgft:m=4:4,w=2:2",
                                      "pgft:m=5:2,w=1:2,p=3:1",
                                      NULL};

/* Further specs of a member beside its bare name. */
static const char *const specs[] = {
    "uniform:self=true",
    "file:path=" TEST_DATA "/traffic/list.csv",
    "file:path=" TEST_DATA "/traffic/coordinate.mtx",
    "shift:by=3",
    "permutation:derangement=true,seed=9",
    "hotspot:share=messages,count=3,fraction=35%",
    "hotspot:nodes=1:2,fraction=50%",
    "hotspot:nodes=0:3,fraction=50%,pick=fixed",
    "hotspot:nodes=0:3,fraction=30%,rest=silent",
    "hotspot:nodes=0:3,fraction=30%,rest=silent,share=messages",
    "tornado:dims=5",
    "neighbour:dims=2:2,wrap=false",
    "neighbour:dims=5:1",
    "alltoall:order=shift,visits=3",
    "alltoall:order=shift,visits=100",
    "subset:pattern=alltoall:order=shift;visits=900,hosts=0..4",
    "mix:alltoall:order=shift;visits=70+uniform",
    "adversarial:groups=2",
    "ihs:fraction=50%,seed=4",
    "local:gamma=2.5",
    "cg:processes=4,phase=1",
    "wrf:rows=2,columns=2",
    "bt:side=2",
    "worst:method=longest",
    "worst:method=shift",
    "file:path=" TEST_DATA "/traffic/ring.flows",
    "file:path=" TEST_DATA "/traffic/real.flows",
    "exchange:hosts=1..3:0",
    "exchange:hosts=0:2..4,pattern=shift:by=2",
    "exchange:pattern=neighbour:dims=2:2,processes=4,mapping=random,order=nearest_first",
    "exchange:mapping=by_leaf,processes=5",
    "batch:pattern=shift:by=2,messages=3",
    "batch:pattern=50%*hotspot:nodes=0;fraction=50%;rest=silent+50%*uniform,messages=7,repeat=2",
    "collective:barrier",
    "collective:allreduce,algorithm=ring,processes=3,repeat=2",
    "collective:alltoallv,sizes=random,mapping=random,bytes=5 B,processes=4",
    "collective:gather,root=2,hosts=4:0..2",
    "nas:cg,processes=4",
    "nas:bt,processes=4,bytes=5 B,mapping=random",
    "nas:lu,processes=4,planes=2",
    "nas:ft,layout=2d",
    "nas:mg,class=S,hosts=1:0:2..4",
    "storage:accesses=50,skew=0,burst=1",
    "storage:disks=2,accesses=30,compression=10,hosts=4:0..2,mapping=random",
    "exchange:pattern=cg,repeat=2",
    "graph:path=" TEST_DATA "/traffic/pingpong.goal",
    "program:trace=" TEST_DATA "/traffic/pingpong.goal",
    "program:trace=" TEST_DATA "/traffic/pingpong.goal,compute_scale=0.5,size_scale=3,format=goal",
    "program:trace=" SOURCE_DIR
    "/experiments/taskfarm.goal,mapping=random,ranks_per_host=2,local_rate=1 Gb/s,gap=3 ns,eager=4 "
    "KiB",
    "jobs:jobs=a=exchange:hosts=0..1",
    "jobs:jobs=a=exchange:hosts=0..1&b@3 us=exchange:hosts=2..4|bytes=300 B|repeat=2",
    "jobs:jobs=a@1 us=exchange:hosts=3:1&b=collective:barrier|hosts=0:2:4",
    "mix:shift:by=3",
    "mix:80%*uniform+20%*incast=hotspot:nodes=4;fraction=30%;rest=silent",
    "mix:3*uniform+2*local+shift:by=2+hotspot:share=messages;fraction=35%;nodes=1",
    "mix:permutation+30%*permutation+20%*file:path=" TEST_DATA "/traffic/ring.flows",
    "schedule:entries=@10 us@20%=uniform&shift:by=2",
    "schedule:entries=a@1 us=hotspot:nodes=1|fraction=40%&b@2 us@1%=permutation&uniform",
    NULL};

#define DRAWS 4000

/* Of a pattern, until the next call. */
static const char *told(const ik_traffic *t)
{
    static char text[300];
    snprintf(text, sizeof text, "%s on %s", t->spec, t->fabric->spec);
    return text;
}

#define CHECK(holds, ...) EXPECT_OF(told(t), holds, __VA_ARGS__)

typedef struct flow_list {
    const ik_traffic *t;
    uint32_t src, num;
    uint32_t *dst;
    double *share;
    uint64_t hash;
    double sum;
} flow_list;

static void note_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    flow_list *l = ctx;
    const ik_traffic *t = l->t;
    CHECK(src == l->src, "flow of %u announced for %u", src, l->src);
    CHECK(dst < t->num_hosts, "flow to host %u", dst);
    CHECK(dst != src || strstr(t->spec, "self="), "flow from %u to itself", src);
    CHECK(l->num == 0 || dst > l->dst[l->num - 1], "flows of %u do not ascend", src);
    CHECK(weight > 0 && weight <= scale, "flow %u -> %u has weight %llu of %llu", src, dst,
          (unsigned long long)weight, (unsigned long long)scale);
    if (l->num < t->num_hosts) {
        l->dst[l->num] = dst;
        l->share[l->num++] = (double)weight / (double)scale;
    }
    l->sum += (double)weight / (double)scale;
    l->hash = (l->hash ^ dst ^ weight << 20) * 1099511628211u;
}

static flow_list flows_of(const ik_traffic *t, uint32_t src, uint32_t *dst, double *share)
{
    flow_list l = {.t = t, .src = src, .dst = dst, .share = share, .hash = src};
    t->family->flows(t, src, note_flow, &l);
    CHECK(l.sum < 1 + 1e-9, "flows of %u sum to %g", src, l.sum);
    return l;
}

static int find(const flow_list *l, uint32_t dst)
{
    for (uint32_t i = 0; i < l->num; i++)
        if (l->dst[i] == dst)
            return (int)i;
    return -1;
}

/* Draws agree with the flows within six standard deviations: some thousands of them, or those of
 * whole rounds that the family names. */
static void check_draws(const ik_traffic *t, const flow_list *l, uint32_t *count)
{
    double left_out = 0, whole = t->gaps ? 1 : l->sum;
    uint64_t round = t->family->round ? t->family->round(t, l->src) : 0,
             draws = round > 0 ? (DRAWS + round - 1) / round * round : DRAWS;
    memset(count, 0, t->num_hosts * sizeof *count);
    for (uint64_t n = 0; n < draws; n++) {
        uint32_t d = t->family->dest(t, l->src, n);
        CHECK(d == t->family->dest(t, l->src, n), "destination %llu of %u changes",
              (unsigned long long)n, l->src);
        uint32_t run[3];
        if (t->family->dests && n > 1) {
            t->family->dests(t, l->src, n - 2, 3, run);
            CHECK(d == run[2], "destination %llu of %u is another one in a run",
                  (unsigned long long)n, l->src);
        }
        if (l->num == 0) {
            CHECK(d == IK_NONE && (t->fabric->split || ik_traffic_is_silent(t, l->src)),
                  "silent host %u sends to %u", l->src, d);
            return;
        }
        left_out += d == IK_NONE;
        if (d == IK_NONE && t->gaps)
            continue;
        int i = d == IK_NONE ? -1 : find(l, d);
        CHECK(i >= 0, "destination %u of %u is not a flow", d, l->src);
        if (i >= 0)
            count[i]++;
    }
    for (uint32_t i = 0; i < l->num; i++) {
        double p = l->share[i] / whole, expect = (double)draws * p,
               slack = 6 * sqrt(expect * (1 - p)) + 3;
        CHECK(fabs(count[i] - expect) <= slack, "%u -> %u: %u draws, %.1f expected", l->src,
              l->dst[i], count[i], expect);
    }
    double gap = fmax(0, whole - l->sum), expect = (double)draws * gap;
    CHECK(fabs(left_out - expect) <= 6 * sqrt(expect * (1 - gap)) + 3 * t->gaps,
          "%u leaves out %g messages, %.1f expected", l->src, left_out, expect);
    CHECK(!ik_traffic_is_silent(t, l->src), "host %u is said to be silent", l->src);
}

/* Every message is of one of the classes, always the same one, and none of them is empty. */
static void check_classes(const ik_traffic *t)
{
    unsigned num = 0, seen = 0;
    CHECK(!t->classes == !t->family->class_of, "classes without names, or names without classes");
    if (!t->classes || !t->family->class_of)
        return;
    while (t->classes[num])
        num++;
    for (uint32_t src = 0; src < t->num_hosts; src++) {
        for (uint64_t n = 0; n < 50 && !ik_traffic_is_silent(t, src); n++) {
            unsigned c = t->family->class_of(t, src, n);
            CHECK(c < num, "message %llu of %u is of class %u of %u", (unsigned long long)n, src, c,
                  num);
            CHECK(c == t->family->class_of(t, src, n), "the class of message %llu of %u changes",
                  (unsigned long long)n, src);
            seen |= 1u << (c & 31);
        }
    }
    CHECK(t->num_hosts < 16 || seen == (1u << num) - 1, "some class has no message");
}

static void check_pattern(const ik_traffic *t)
{
    check_classes(t);
    uint32_t *dst = calloc(t->num_hosts, sizeof *dst), *count = calloc(t->num_hosts, sizeof *count);
    double *share = calloc(t->num_hosts, sizeof *share);
    bool *taken = calloc(t->num_hosts, sizeof *taken);
    uint32_t step = t->num_hosts > 64 ? t->num_hosts / 23 : 1;
    for (uint32_t src = 0; src < t->num_hosts; src++) {
        flow_list l = flows_of(t, src, dst, share);
        if (t->family->permutation && l.num) {
            CHECK(l.num == 1, "%u flows of %u in a permutation", l.num, src);
            CHECK(!taken[l.dst[0]], "host %u is the image of two", l.dst[0]);
            taken[l.dst[0]] = true;
        }
        if (src % step == 0)
            check_draws(t, &l, count);
    }
    free(dst);
    free(count);
    free(share);
    free(taken);
}

/* Made again from its own spec and the same seed, it is the same pattern. */
static void check_again(const ik_traffic *t, const ik_env *env)
{
    ik_traffic *u = NULL;
    ik_error err = {0};
    uint32_t *dst = calloc(t->num_hosts, sizeof *dst);
    double *share = calloc(t->num_hosts, sizeof *share);
    ik_status s = ik_traffic_from_spec(t->fabric, t->spec, env, &u, &err);
    CHECK(s == IK_OK, "its spec does not make it again: %s", err.text);
    for (uint32_t src = 0; s == IK_OK && src < t->num_hosts; src++) {
        uint64_t a = flows_of(t, src, dst, share).hash, b = flows_of(u, src, dst, share).hash;
        CHECK(a == b, "made again, the flows of %u differ", src);
        for (uint64_t n = 0; n < 5; n++) {
            CHECK(t->family->dest(t, src, n) == u->family->dest(u, src, n),
                  "made again, draws of %u differ", src);
        }
    }
    ik_traffic_free(u);
    free(dst);
    free(share);
}

/* What each port sends, where hosts have several, is a pattern, too; a port is silent if its host
 * is. */
static void check_ports(const ik_traffic *t, const ik_env *env)
{
    ik_routing *r = NULL;
    const ik_traffic *by_port = NULL;
    ik_error err = {0};
    if (!ik_fabric_has_rails(t->fabric))
        return;
    ik_status s = ik_routing_from_spec(t->fabric, "dmodk", env, &r, &err);
    if (s == IK_OK)
        s = by_port_make(t, r, BY_PORT_SHARES, 5, &by_port, &err);
    CHECK(s == IK_OK, "%s", err.text);
    if (s == IK_OK)
        check_pattern(by_port);
    by_port_free(by_port, t);
    ik_routing_free(r);
}

/* Returns whether the fabric took it. */
static bool try_spec(const ik_fabric *f, const char *spec)
{
    ik_traffic *t = NULL;
    ik_env env = {.seed = 5};
    ik_error err = {0};
    ik_status s = ik_traffic_from_spec(f, spec, &env, &t, &err);
    if (s != IK_OK) {
        EXPECT(!t && err.text[0] && (s == IK_ERR_UNSUPPORTED || s == IK_ERR_USAGE),
               "%s on %s refused as '%s': %s", spec, f->spec, ik_status_name(s), err.text);
        return false;
    }
    check_pattern(t);
    check_again(t, &env);
    check_ports(t, &env);
    ik_traffic_free(t);
    return true;
}

static unsigned try_everywhere(const char *spec)
{
    unsigned taken = 0;
    for (const char *const *name = fabrics; *name; name++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        EXPECT(ik_fabric_from_spec(*name, NULL, &f, &err) == IK_OK, "%s: %s", *name, err.text);
        taken += f && try_spec(f, spec);
        ik_fabric_free(f);
    }
    EXPECT(taken, "%s: no fabric takes it", spec);
    return taken;
}

int main(int argc, char **argv)
{
    const ik_traffic_family *family = argc == 2 ? ik_traffic_find(argv[1]) : NULL;
    if (!family) {
        fprintf(stderr, "usage: conform_traffic MEMBER\n");
        return 2;
    }
    if (!family->summary || !family->source || !family->details || !family->dest ||
        !family->flows) {
        fprintf(stderr, "%s: incomplete\n", family->name);
        return 1;
    }
    size_t len = strlen(family->name);
    bool needs = false; /* parameters: then the bare name is no pattern */
    for (const ik_param *p = family->params; p && p->name; p++)
        needs |= !p->def;
    unsigned taken = needs ? 0 : try_everywhere(family->name);
    for (const char *const *spec = specs; *spec; spec++)
        if (strncmp(*spec, family->name, len) == 0 && (*spec)[len] == ':')
            taken += try_everywhere(*spec);
    printf("%s: %u patterns checked\n", family->name, taken);
    return num_failures || !taken ? 1 : 0;
}
