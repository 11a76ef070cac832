/* SPDX-License-Identifier: Apache-2.0
 *
 * Every topology keeps the family's promises: its examples build sound fabrics, the same bytes each
 * time, that JSON brings back as good as generated and that their own spec builds again; hosts= and
 * fail= work; its bad examples are refused with a reason.
 */
#include "expect.h"
#include "format_helpers.h"

#include <unistd.h>

static const ik_topology *topology;
#define CHECK(holds, ...) EXPECT_OF(spec, holds, __VA_ARGS__)

static ik_fabric *build(const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_env env = {.seed = 1};
    ik_status status = ik_fabric_from_spec(spec, &env, &f, &err);
    CHECK(status == IK_OK, "%s (%s)", err.text, err.hint);
    if (f)
        CHECK(ik_fabric_check(f, &err) == IK_OK, "%s", err.text);
    return f;
}

static uint32_t connected_ports(const ik_fabric *f)
{
    uint32_t connected = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        connected += f->port_peer[port] != IK_NONE;
    return connected;
}

/* Through a JSON file and back: the same graph, and what the family's routings compute with. */
static void test_json(const char *spec, const ik_fabric *f)
{
    char path[64], why[256] = "";
    ik_error err = {0};
    const ik_format *json = ik_format_find("json");
    snprintf(path, sizeof path, "conform-topo-%ld.json", (long)getpid());
    CHECK(ik_fabric_write(f, path, "json", &err) == IK_OK, "%s", err.text);
    ik_fabric *back = build(path);
    unlink(path);
    if (!back)
        return;
    CHECK(ik_fabric_equal(f, back, why, sizeof why), "JSON brings it back changed: %s", why);
    CHECK(f->intact == back->intact, "JSON does not bring back that it is intact");
    CHECK(!f->family_data == !back->family_data, "JSON does not bring back the family's data");
    text first = written(json, f, &err), second = written(json, back, &err);
    CHECK(first.at && second.at && same_text(first, second),
          "JSON of it read back is not the same bytes");
    free(first.at);
    free(second.at);
    ik_fabric_free(back);
}

static void test_again(const char *spec, const ik_fabric *f)
{
    char why[256] = "";
    ik_error err = {0};
    const ik_format *json = ik_format_find("json");
    ik_fabric *again = build(spec), *own = build(f->spec);
    if (again) {
        text first = written(json, f, &err), second = written(json, again, &err);
        CHECK(first.at && second.at && same_text(first, second),
              "not the same bytes when built twice");
        free(first.at);
        free(second.at);
    }
    if (own)
        CHECK(ik_fabric_equal(f, own, why, sizeof why), "its own spec %s builds another fabric: %s",
              f->spec, why);
    ik_fabric_free(again);
    ik_fabric_free(own);
}

static void test_fewer(const char *example, const ik_fabric *f)
{
    char spec[400];
    const char *separator = strchr(example, ':') ? "," : ":";
    for (const ik_param *p = topology->params; p && p->name; p++)
        if (strcmp(p->name, "hosts") == 0 || strcmp(p->name, "fail") == 0)
            return;
    snprintf(spec, sizeof spec, "%s%shosts=%u", example, separator, f->num_hosts / 2);
    ik_fabric *fewer = build(spec);
    if (fewer) {
        CHECK(fewer->num_hosts == f->num_hosts / 2 && fewer->num_switches == f->num_switches,
              "%u hosts", fewer->num_hosts);
        CHECK(f->num_hosts == 0 || !fewer->intact, "still intact");
    }
    ik_fabric_free(fewer);
    snprintf(spec, sizeof spec, "%s%sfail=50%%,fail_switches=10%%,fail_seed=3", example, separator);
    ik_fabric *failed = build(spec), *same = build(spec);
    if (failed && same) {
        char why[256];
        CHECK(failed->num_ports == f->num_ports && connected_ports(failed) <= connected_ports(f),
              "ports are lost");
        CHECK(connected_ports(failed) == connected_ports(f) || failed->num_findings,
              "losses without a finding");
        CHECK(ik_fabric_equal(failed, same, why, sizeof why), "the same seed fails other parts: %s",
              why);
        test_json(spec, failed);
    }
    ik_fabric_free(failed);
    ik_fabric_free(same);
}

/* What it says of its size before it is built is true. */
static void test_size(const char *written_as, const ik_fabric *f)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params;
    ik_error err = {0};
    const ik_shorthand *shorthand = NULL;
    ik_fabric_size size = {0};
    if (ik_spec_parse(written_as, &arena, &spec, &err) == IK_OK &&
        ik_topology_find(spec.name, &shorthand) &&
        ik_params_from_spec(&params, "topology", &spec,
                            shorthand ? shorthand->params : topology->params,
                            ik_topology_common_params, &err) == IK_OK) {
        bool known = ik_fabric_size_of(spec.name, &params, &size);
        EXPECT_OF(written_as, known == !topology->imported, "its size is known: %d", known);
        EXPECT_OF(written_as,
                  !known || (size.switches == f->num_switches && size.hosts == f->num_hosts &&
                             size.ports == f->num_ports),
                  "it says %.0f switches, %.0f hosts and %.0f ports, and has %u, %u and %u",
                  size.switches, size.hosts, size.ports, f->num_switches, f->num_hosts,
                  f->num_ports);
        ik_params_free(&params);
    }
    ik_arena_free(&arena);
}

static void test_example(const char *spec)
{
    ik_fabric *f = build(spec);
    if (!f)
        return;
    CHECK(strcmp(f->family, topology->name) == 0, "family is '%s'", f->family);
    CHECK(f->intact == !topology->imported, "intact is %d", f->intact);
    test_size(spec, f);
    test_json(spec, f);
    test_again(spec, f);
    test_fewer(spec, f);
    ik_fabric_free(f);
}

static void test_refused(const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_env env = {.seed = 1, .memory_limit_bytes = UINT64_C(4) << 30};
    ik_status status = ik_fabric_from_spec(spec, &env, &f, &err);
    CHECK(status == IK_ERR_USAGE || status == IK_ERR_INPUT ||
              (topology->imported && status == IK_ERR_IO),
          "status %s, '%s'", ik_status_name(status), err.text);
    CHECK(!f && err.text[0], "refused without a reason");
    ik_fabric_free(f);
}

int main(int argc, char **argv)
{
    const char *spec = argc == 2 ? argv[1] : "";
    topology = ik_topology_find(spec, NULL);
    if (argc != 2 || !topology || chdir(SOURCE_DIR) != 0) {
        fprintf(stderr, "usage: conform_topo TOPOLOGY\n");
        return 2;
    }
    CHECK(topology->summary && topology->source && topology->details && topology->examples &&
              topology->examples[0],
          "an incomplete declaration");
    for (size_t i = 0; topology->examples[i]; i++)
        test_example(topology->examples[i]);
    for (size_t i = 0; topology->bad_examples && topology->bad_examples[i]; i++)
        test_refused(topology->bad_examples[i]);
    for (const ik_shorthand *s = topology->shorthands; s && s->name; s++) {
        CHECK(s->summary && s->source && s->params && s->examples && s->examples[0],
              "shorthand %s is incomplete", s->name);
        for (size_t i = 0; s->examples[i]; i++)
            test_example(s->examples[i]);
    }
    return num_failures ? 1 : 0;
}
