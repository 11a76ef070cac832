"""Plug-ins: the examples of examples/plugin in every command, and everything that a shared object can lack."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import SOURCE, CliTest, run

CC = os.environ.get("CC", "cc")

# A plug-in with one routing; what a test breaks is said with -D.
WHOLE = r"""
#include <ikat/plugin.h>
#include <stdlib.h>
#ifndef NAME
#define NAME "probe"
#endif
#ifndef MEMBER
#define MEMBER "probed"
#endif
#ifndef PORT
#define PORT p - f->port_base[sw]
#endif
#ifndef PARAMS
#define PARAMS {0}
#endif
static const ik_param params[] = {PARAMS};
/* Correct on a crossbar: every host is at the only switch. */
static ik_status create(ik_routing *r, const ik_params *given, const ik_env *env, ik_error *err)
{
    (void)given;
    const ik_fabric *f = r->fabric;
    ik_status status = ik_lft_new(r, env, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++)
        for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++)
            if (ik_peer_node(f, p) != IK_NONE && !ik_is_switch(f, ik_peer_node(f, p)))
                r->lft[(size_t)sw * f->num_hosts + ik_node_host(f, ik_peer_node(f, p))] = (uint16_t)(PORT);
    return status;
}
static const ik_routing_family member = {.name = MEMBER, .summary = "a probe", .params = params,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .create = create, .next = ik_lft_next, REST};
IK_PLUGIN_EXPORT const ik_plugin ENTRY = {IK_PLUGIN_HEADER, .name = NAME, .summary = "a probe",
    .routings = (const ik_routing_family *const[]){&member, TWICE NULL}, HEAD};
"""

# Every family once, each with one descriptor that a test takes a function from.
FAMILIES = r"""
#include <ikat/plugin.h>
static ik_status build(const ik_params *p, const ik_topo_ctx *c, ik_builder *b, ik_error *e) { (void)p, (void)c, (void)b, (void)e; return IK_OK; }
static ik_status make_vc(ik_vc *v, const ik_params *p, const ik_env *n, ik_error *e) { (void)v, (void)p, (void)n, (void)e; return IK_OK; }
static void inject(const ik_vc *v, ik_packet *k) { (void)v, (void)k; }
static void next_vc(const ik_vc *v, uint32_t s, uint32_t i, uint32_t o, const ik_packet *k, uint8_t *a, uint8_t *b) { (void)v, (void)s, (void)i, (void)o, (void)k; *a = *b = 0; }
static uint32_t pick(const ik_selection *s, const ik_select_request *a, const uint32_t *o, uint32_t n, uint32_t p) { (void)s, (void)a, (void)o, (void)n, (void)p; return 0; }
static uint32_t dest(const ik_traffic *t, uint32_t s, uint64_t n) { (void)t, (void)s, (void)n; return IK_NONE; }
static void flows(const ik_traffic *t, uint32_t s, ik_flow_fn f, void *c) { (void)t, (void)s, (void)f, (void)c; }
static ik_status write_it(const ik_fabric *f, FILE *o, ik_error *e) { (void)f, (void)e; fputs("own\n", o); return IK_OK; }
static ik_status make_routing(ik_routing *r, const ik_params *p, const ik_env *n, ik_error *e) { (void)r, (void)p, (void)n, (void)e; return IK_OK; }
static const ik_param none[] = {{0}};
static const char *const endings[] = {"own", NULL};
static const ik_topology t1 = {.name = "pt", .summary = "s", .params = none, .build = build, TOPOLOGY};
static const ik_routing_family r1 = {.name = "pr", .summary = "s", .params = none, .create = make_routing, .next = ik_lft_next, ROUTING};
static const ik_selection_family s1 = {.name = "ps", .summary = "s", .params = none, .pick = pick, SELECTION};
static const ik_vc_family v1 = {.name = "pv", .summary = "s", .params = none, .create = make_vc, .inject = inject, .next = next_vc, VC};
static const ik_traffic_family f1 = {.name = "pp", .summary = "s", .params = none, .dest = dest, .flows = flows, TRAFFIC};
static const ik_format o1 = {.name = "pf", .summary = "s", .extensions = endings, .write = write_it, FORMAT};
IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {IK_PLUGIN_HEADER, .name = "all", .summary = "s",
    .topologies = (const ik_topology *const[]){&t1, NULL}, .routings = (const ik_routing_family *const[]){&r1, NULL},
    .selections = (const ik_selection_family *const[]){&s1, NULL}, .vcs = (const ik_vc_family *const[]){&v1, NULL},
    .traffics = (const ik_traffic_family *const[]){&f1, NULL}, .formats = (const ik_format *const[]){&o1, NULL}};
"""


# One member of each family whose function returns what parameter status says and does nothing else; format "careless" cables a port twice.
EMPTY = r"""
#include <ikat/plugin.h>
#include <stdlib.h>
static const ik_param params[] = {{"status", IK_PARAM_UINT, "0", 0, 1e6, NULL, "what the function returns"}, {0}};
static ik_status returned(const ik_params *given)
{
    return (ik_status)ik_params_uint(given, "status");
}
static ik_status of_topology(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b, ik_error *err)
{
    (void)ctx, (void)b, (void)err;
    return returned(given);
}
#define CREATE(name, type)                                                                                                     \
    static ik_status name(type *made, const ik_params *given, const ik_env *env, ik_error *err)                                \
    {                                                                                                                          \
        (void)made, (void)env, (void)err;                                                                                      \
        return returned(given);                                                                                                \
    }
CREATE(of_routing, ik_routing)
CREATE(of_selection, ik_selection)
CREATE(of_vc, ik_vc)
CREATE(of_traffic, ik_traffic)
static uint32_t pick(const ik_selection *s, const ik_select_request *a, const uint32_t *o, uint32_t n, uint32_t p)
{
    (void)s, (void)a, (void)o, (void)n, (void)p;
    return 0;
}
static void inject(const ik_vc *v, ik_packet *k)
{
    (void)v, (void)k;
}
static void next_vc(const ik_vc *v, uint32_t s, uint32_t i, uint32_t o, const ik_packet *k, uint8_t *a, uint8_t *b)
{
    (void)v, (void)s, (void)i, (void)o, (void)k;
    *a = *b = 0;
}
static unsigned probe(const char *text, size_t size)
{
    return size > 5 && text[0] == 'e' && text[1] == 'm' ? 100 : 0;
}
static ik_status read_it(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err)
{
    (void)size, (void)file, (void)err;
    if (text[5] != 't')
        return (ik_status)atoi(text + 5);
    uint32_t sw = ik_builder_switches(b, 3, 2);
    uint16_t link = ik_builder_class(b, 100000000000, 100000, NULL);
    ik_builder_link(b, ik_sw(sw, 0), ik_sw(sw + 1, 0), link);
    ik_builder_link(b, ik_sw(sw, 0), ik_sw(sw + 2, 0), link);
    return IK_OK;
}
static const ik_topology topology = {.name = "empty_topology", .summary = "s", .params = params, .build = of_topology};
static const ik_routing_family routing = {.name = "empty_routing", .summary = "s", .params = params, .create = of_routing,
    .next = ik_lft_next, .traits = IK_ROUTE_DEST_BASED};
static const ik_selection_family selection = {.name = "empty_selection", .summary = "s", .params = params, .create = of_selection, .pick = pick};
static const ik_vc_family vc = {.name = "empty_vc", .summary = "s", .params = params, .create = of_vc,
    .inject = inject, .next = next_vc};
static const ik_traffic_family traffic = {.name = "empty_traffic", .summary = "s", .params = params, .create = of_traffic,
    .destroy = ik_traffic_flows_destroy, .dest = ik_traffic_flows_dest, .flows = ik_traffic_flows_each};
static const char *const endings[] = {"emp", NULL};
static const ik_format format = {.name = "empty_format", .summary = "s", .extensions = endings, .probe = probe, .read = read_it};
IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {IK_PLUGIN_HEADER, .name = "empty", .summary = "s",
    .topologies = (const ik_topology *const[]){&topology, NULL}, .routings = (const ik_routing_family *const[]){&routing, NULL},
    .selections = (const ik_selection_family *const[]){&selection, NULL}, .vcs = (const ik_vc_family *const[]){&vc, NULL},
    .traffics = (const ik_traffic_family *const[]){&traffic, NULL}, .formats = (const ik_format *const[]){&format, NULL}};
"""

# D-mod-k on generated trees, which declares that it ascends alike; at one switch no answer for one host.
ALMOST_ALIKE = r"""
#include <ikat/plugin.h>
#include <ikat/topology.h>
static ik_status create(ik_routing *r, const ik_params *given, const ik_env *env, ik_error *err)
{
    (void)r, (void)given, (void)env, (void)err;
    return IK_OK;
}
static uint32_t next(const ik_routing *r, uint32_t sw, uint32_t in, ik_packet *pk, uint32_t *out, uint32_t *preferred)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    uint32_t l = 1, d = pk->dst, base = r->fabric->port_base[sw];
    while (sw >= x->level_base[l + 1])
        l++;
    *preferred = 0;
    bool below = d / x->prod_m[l] == (sw - x->level_base[l]) / x->prod_w[l];
    uint32_t digit = d / x->prod_m[l - 1];
    out[0] = base + (below ? digit % x->m[l - 1] : x->m[l - 1] + digit % x->w[l]);
    return sw == LOST_AT && d == 37 ? 0 : 1;
}
static const ik_routing_family member = {.name = "almost", .summary = "s", .kind = IK_ROUTE_DETERMINISTIC,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ASCENDS_ALIKE, .create = create, .next = next};
IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {IK_PLUGIN_HEADER, .name = "almost", .summary = "s",
    .routings = (const ik_routing_family *const[]){&member, NULL}};
"""


def compile_to(path, source, **defines):
    """Compiles C text to a shared object; empty definitions of what the text uses are added."""
    text = {name: "" for name in ("TWICE", "TOPOLOGY", "ROUTING", "SELECTION", "VC", "TRAFFIC", "FORMAT")}
    text.update({"REST": ".source = 0", "HEAD": ".replaces = 0", "ENTRY": "ik_plugin_entry", **defines})
    for name in ("TOPOLOGY", "ROUTING", "SELECTION", "VC", "TRAFFIC"):
        text[name] = text[name] or ".details = 0" if name != "SELECTION" else text[name] or ".source = 0"
    text["FORMAT"] = text["FORMAT"] or ".source = 0"
    flags = [f"-D{name}={value}" for name, value in text.items()]
    subprocess.run([CC, "-std=c17", "-w", "-shared", "-fPIC", "-I", SOURCE / "include", *flags, "-xc", "-", "-o", path],
                   input=source, text=True, check=True)
    return path


class Plugins(CliTest):
    def setUp(self):
        super().setUp()
        for name in ("one_side", "ladder"):
            subprocess.run([CC, "-std=c17", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-shared", "-fPIC", "-I", SOURCE / "include",
                            "-o", self.tmp / f"{name}.so", SOURCE / f"examples/plugin/{name}.c"], check=True)
        self.both = ("--plugin", "./one_side.so", "--plugin", "./ladder.so")

    def experiment(self, **more):
        sections = {"plugins": ["./one_side.so", "./ladder.so"], "fabric": "torus:dims=4:4", "routing": "one_side:side=high", "vc": "dfsssp", "traffic": "ladder:reach=3",
                    "load": 0.2, "measure": {"warmup": "2 us", "duration": "5 us"}, **more}
        path = self.tmp / "e.yaml"
        path.write_text(json.dumps(sections))
        return path

    def test_examples_are_short(self):
        for name in ("one_side", "ladder"):
            self.assertLess(len((SOURCE / f"examples/plugin/{name}.c").read_text().splitlines()), 80)

    def test_listed_and_explained(self):
        here = {"cwd": self.tmp}
        self.assertIn("one_side", self.ok("list", "routings", *self.both, **here))
        self.assertIn("ladder", self.ok(*self.both, "list", **here), "options may stand before the command")
        self.assertNotIn("one_side", self.ok("list"))
        listed = self.json("list", *self.both, **here)
        self.assertEqual([m["plugin"] for m in listed["routings"] if "plugin" in m], ["one_side"])
        self.assertEqual(listed["routings"][-1]["parameters"][0]["name"], "side")
        page = self.ok("help", "ladder", *self.both, **here)
        for words in ("From the plug-in ladder", "ladder.so", "number of hosts that a host sends to"):
            self.assertIn(words, page)
        self.refused("check", "ring:n=5", "--routing", "one_sied", *self.both, says="did you mean 'one_side'", **here)
        self.refused("load", "ring:n=5", "--routing", "dor", "--traffic", "lader", *self.both, says="ladder", **here)
        self.refused("check", "ring:n=5", "--routing", "one_side:side=up", *self.both, says=("side", "low"), **here)

    def test_proved_loaded_and_exported(self):
        here = {"cwd": self.tmp}
        proof = self.json("check", "torus:dims=4:4", "--routing", "one_side:side=high", *self.both, status=1, **here)
        self.assertFalse(proof["deadlock_free"])
        self.assertTrue(self.json("check", "torus:dims=4:4", "--routing", "one_side", "--vc", "dfsssp", *self.both, **here)["deadlock_free"])
        # hosts with several cables are routed on the fabric of their ports
        self.ok("check", "xgft:m=4:4,w=2:2", "--routing", "one_side", *self.both, status=None, **here)
        loads = self.json("load", "torus:dims=4:4", "--routing", "dor", "--traffic", "ladder:reach=1", *self.both, **here)
        same = self.json("load", "torus:dims=4:4", "--routing", "dor", "--traffic", "shift:by=1", **here)
        self.assertEqual(loads["saturation"], same["saturation"])
        self.ok("route", "torus:dims=4:4", "--routing", "one_side", "--format", "lft", "--unproved", "-o", "own.lft", *self.both, **here)
        self.ok("check", "torus:dims=4:4", "--routing", "lft:own.lft", "--vc", "dfsssp", **here)
        self.refused("load", "ring:n=3", "--routing", "dor", "--traffic", "ladder:reach=9", *self.both, says="reach = 9", **here)

    def test_simulated_and_reported(self):
        path = self.experiment()
        self.ok("run", path, "-o", "r.db", cwd=self.tmp)
        for where in (self.tmp, SOURCE):  # paths are the experiment's, wherever the command runs
            self.ok("run", path, "-o", self.tmp / "r2.db", cwd=where)
        points = self.ok("report", "r.db", "--csv", cwd=self.tmp)
        for words in ("one_side:side=high", "ladder:reach=3"):
            self.assertIn(words, points)
        self.ok("report", "r.db", "-o", "r.html", cwd=self.tmp)
        self.assertIn("one_side", (self.tmp / "r.html").read_text())

    def test_bounds_of_a_pattern_that_draws(self):
        """With ik_traffic.seed, without a parameter for it: what lasts is found anew for each seed."""
        drawn = (SOURCE / "examples/plugin/ladder.c").read_text().replace("src + step", "src + step + (uint32_t)(t->seed % 2) * 5")
        compile_to(self.tmp / "ladder.so", drawn)
        bounds = {}
        for seeds in ([1, 2], [2, 1], [1], [2]):
            store = self.tmp / f"{len(bounds)}.db"
            path = self.experiment(fabric="slimtree:k=4,w=1,n=2", routing="dmodk", vc="1q", traffic="ladder", load=[0.6, 0.9], seeds=seeds,
                                   plugins=["./ladder.so"], measure={"warmup": "1 us", "duration": "1 us"})
            self.ok("run", path, "-q", "-o", store, cwd=self.tmp)
            bounds[tuple(seeds)] = {(p["load"], p["seed"]): p["steady_bound"] for p in self.json("report", store)["points"]}
        self.assertEqual(bounds[1, 2], bounds[2, 1])
        self.assertEqual(bounds[1, 2], {**bounds[1,], **bounds[2,]})
        self.assertNotEqual(bounds[1, 2][0.9, 1], bounds[1, 2][0.9, 2])

    def test_two_ways_to_name_it(self):
        path = self.experiment(plugins=["one_side", "ladder.so"])
        elsewhere = self.tmp / "plugins"
        elsewhere.mkdir()
        shutil.move(self.tmp / "one_side.so", elsewhere / "one_side.so")
        self.refused("run", path, "-o", "r.db", cwd=self.tmp, env={"IKAT_PLUGIN_PATH": ""}, says=("e.yaml:1", "IKAT_PLUGIN_PATH, which is not set", "./one_side"))
        self.refused("run", path, "-o", "r.db", cwd=self.tmp, env={"IKAT_PLUGIN_PATH": "/nowhere"}, says=("e.yaml:1", "one_side", "/nowhere"))
        self.assertFalse((self.tmp / "r.db").exists())
        self.ok("run", path, "-o", "r.db", cwd=self.tmp, env={"IKAT_PLUGIN_PATH": f"/nowhere:{elsewhere}"})
        self.ok("list", "--plugin", "one_side.so", env={"IKAT_PLUGIN_PATH": str(elsewhere)})
        self.refused("list", "--plugin", "one_side.so", cwd=elsewhere, says=("IKAT_PLUGIN_PATH", "./one_side.so"))
        self.ok("list", "--plugin", "./one_side.so", "--plugin", str(elsewhere / "one_side.so"), cwd=elsewhere)

    def test_contents_count(self):
        """A plug-in with other contents: points are run again and proofs made again, also of members within specs."""
        place, cache = self.tmp / "p.so", {"XDG_CACHE_HOME": str(self.tmp / "cache")}
        path = self.experiment(plugins=["./p.so"], fabric="crossbar:n=4", routing="probed", vc="auto", traffic="uniform")
        def points():
            found = self.ok("run", path, "-o", "r.db", "--jobs", "1", cwd=self.tmp, env=cache)
            return found, len(list((self.tmp / "cache").rglob("proofs/*/*")))
        compile_to(place, WHOLE)
        points()
        before = (self.tmp / "r.db").read_bytes()
        self.assertEqual(points()[1], 1)
        self.assertEqual(before, (self.tmp / "r.db").read_bytes(), "nothing was run again")
        compile_to(place, WHOLE, HEAD='.identity = "2"')
        self.assertEqual(points()[1], 2)
        self.assertNotEqual(before, (self.tmp / "r.db").read_bytes())
        escape = ("check", "crossbar:n=4", "--routing", "shortest", "--vc", "escape:routing=probed", "--plugin", "./p.so")
        for contents in ("3", "4"):
            compile_to(place, WHOLE, HEAD=f'.identity = "{contents}"')
            self.ok(*escape, cwd=self.tmp, env=cache, status=None)
            self.ok(*escape, cwd=self.tmp, env=cache, status=None)
        self.assertEqual(len(list((self.tmp / "cache").rglob("proofs/*/*"))), 4)

    def test_declarations_are_not_believed(self):
        """A routing that says of itself that it ascends alike (IK_ROUTE_ASCENDS_ALIKE) is asked everywhere: every fault at a single switch is found."""
        tree = ("karytree:k=4,n=3", "--routing", "almost", "--plugin", "./almost.so", "--json")
        for lost_at in (None, *range(0, 32)):  # levels 1 and 2; host 37 is below switch 9
            compile_to(self.tmp / "almost.so", ALMOST_ALIKE, LOST_AT="IK_NONE" if lost_at is None else lost_at)
            on_the_way = lost_at is not None and (lost_at < 16 or lost_at % 4 == 37 % 4)
            with self.subTest(lost_at=lost_at):
                proof = json.loads(self.ok("check", *tree, "--vc", "1q", "--no-cache", cwd=self.tmp, status=1 if on_the_way else 0))
                self.assertEqual(proof["undelivered"] > 0, on_the_way)
                load = json.loads(self.ok("load", *tree, cwd=self.tmp, status=1 if on_the_way else 0))
                self.assertEqual(load["undelivered"], proof["undelivered"])

    def test_reports_do_not_load(self):
        """Who opens a results file does not run what its experiment names."""
        path = self.experiment(load=[0.1, 0.15, 0.2, 0.25], expect=[{"claim": "c", "metric": "throughput", "of": {"load": 0.2}, "op": ">", "value": 0}])
        self.ok("run", path, "-o", "r.db", "--shard", "1/3", cwd=self.tmp, status=None)
        touched = self.tmp / "touched"
        compile_to(self.tmp / "one_side.so", WHOLE + f'\n#include <stdio.h>\n__attribute__((constructor)) static void at_once(void) {{ fclose(fopen("{touched}", "w")); }}')
        self.ok("report", "r.db", cwd=self.tmp, status=None)
        self.assertFalse(touched.exists())
        self.ok("list", "--plugin", "./one_side.so", cwd=self.tmp)
        self.assertTrue(touched.exists())

    def test_files_that_are_none(self):
        (self.tmp / "text.so").write_text("no object\n")
        (self.tmp / "empty.so").write_text("")
        (self.tmp / "cut.so").write_bytes((self.tmp / "ladder.so").read_bytes()[:2000])
        shutil.copy("/bin/true", self.tmp / "program.so")
        os.mkfifo(self.tmp / "pipe.so")
        for name, words in {"text": "not a shared object", "empty": "not a shared object", "pipe": "not a shared object", "cut": "not a shared object",
                            "program": "", "missing": "No such file"}.items():
            with self.subTest(file=name):
                said = self.refused("list", "--plugin", f"./{name}.so", cwd=self.tmp, says=(f"./{name}.so", words))
                if name != "missing":
                    self.assertIn("hint:", said)
                self.refused("run", self.experiment(plugins=[f"./{name}.so"]), "-o", "r.db", cwd=self.tmp, says=("e.yaml:1:14", name, words))
        self.refused("list", "--plugin", str(self.tmp), says="not a shared object")
        self.refused("list", "--plugin", "", says="empty")
        self.refused("run", self.experiment(plugins=[]), says=("e.yaml:1", "empty list"), cwd=self.tmp)
        self.refused("run", self.experiment(plugins=[{"a": 1}]), says=("e.yaml:1", "a mapping"), cwd=self.tmp)
        self.refused("run", self.experiment(scales={"full": {"plugins": ["./ladder.so"]}}), says="does not replace 'plugins'", cwd=self.tmp)
        self.assertFalse((self.tmp / "r.db").exists())

    def test_what_a_plugin_lacks(self):
        cases = {
            "version": ({"HEAD": ".version = 7"}, ("version 7", "version 1", "compile it")),
            "layout": ({"HEAD": ".layout = 7"}, ("other headers", "compile it")),
            "entry": ({"ENTRY": "another_name"}, ("no symbol 'ik_plugin_entry'", "IK_PLUGIN_EXPORT")),
            "name": ({"NAME": '"a b"'}, ("'a b'", "letters, digits")),
            "no_name": ({"NAME": "0"}, "letters, digits"),
            "no_summary": ({"HEAD": ".summary = 0"}, "no summary"),
            "no_members": ({"HEAD": ".routings = 0"}, "no members"),
            "member_name": ({"MEMBER": '"a:b"'}, ("'a:b'", "routing")),
            "auto": ({"MEMBER": '"auto"'}, "'auto'"),
            "taken": ({"MEMBER": '"dmodk"'}, ("routing 'dmodk' already", "another name")),
            "twice": ({"TWICE": "&member,"}, "listed twice"),
            "create": ({"REST": ".create = 0"}, ("routing 'probed' is incomplete", "'create'")),
            "next": ({"REST": ".next = 0"}, "'next'"),
            "starts": ({"REST": ".num_starts = (void *)ik_rails_count"}, "start_nth"),
            "legs": ({"REST": ".legs = &(ik_legs){0}"}, "legs.num_headings"),
            "default": ({"PARAMS": '{"x", IK_PARAM_UINT, "many", 0, 0, NULL, "h"}, {0}'}, ("'probed'", "many")),
            "type": ({"PARAMS": '{"x", 99, "1", 0, 0, NULL, "h"}, {0}'}, ("'x'", "known type")),
            "help": ({"PARAMS": '{"x", IK_PARAM_UINT, "1"}, {0}'}, "help text"),
            "same": ({"PARAMS": '{"x", IK_PARAM_UINT, "1", 0, 0, NULL, "h"}, {"x", IK_PARAM_UINT, "1", 0, 0, NULL, "h"}, {0}'}, "twice"),
        }
        for name, (defines, says) in cases.items():
            with self.subTest(case=name):
                compile_to(self.tmp / f"{name}.so", WHOLE, **defines)
                self.refused("list", "--plugin", f"./{name}.so", cwd=self.tmp, says=(f"./{name}.so", *([says] if isinstance(says, str) else says)))
        compile_to(self.tmp / "calls.so", WHOLE + "\nvoid ik_is_nowhere(void); void call_it(void) { ik_is_nowhere(); }")
        self.refused("list", "--plugin", "./calls.so", cwd=self.tmp, says=("ik_is_nowhere", "another version of ikat"))
        compile_to(self.tmp / "a.so", WHOLE)
        compile_to(self.tmp / "b.so", WHOLE, HEAD='.identity = "other"')
        self.refused("list", "--plugin", "./a.so", "--plugin", "./b.so", cwd=self.tmp, says=("./b.so", "a plug-in 'probe' is there already", "a.so"))
        compile_to(self.tmp / "c.so", WHOLE, NAME='"third"')
        self.refused("list", "--plugin", "./a.so", "--plugin", "./c.so", cwd=self.tmp, says=("./c.so", "routing 'probed' already, of the plug-in 'probe'"))

    def test_every_family(self):
        compile_to(self.tmp / "all.so", FAMILIES)
        listed = self.json("list", "--plugin", "./all.so", cwd=self.tmp)
        for family, name in {"topologies": "pt", "routings": "pr", "selections": "ps", "vcs": "pv", "traffic": "pp", "formats": "pf"}.items():
            self.assertEqual(listed[family][-1]["name"], name)
            self.assertEqual(listed[family][-1]["plugin"], "all")
        self.ok("topo", "ring:n=4", "-o", "x.own", "--plugin", "./all.so", cwd=self.tmp)
        self.assertEqual((self.tmp / "x.own").read_text(), "own\n")
        missing = {"TOPOLOGY": ".build = 0", "ROUTING": ".next = 0", "SELECTION": ".pick = 0", "VC": ".inject = 0", "TRAFFIC": ".flows = 0", "FORMAT": ".write = 0"}
        for family, lack in missing.items():
            with self.subTest(family=family):
                compile_to(self.tmp / f"{family}.so", FAMILIES, **{family: lack})
                self.refused("list", "--plugin", f"./{family}.so", cwd=self.tmp, says=("is incomplete", lack.split()[0][1:], "hint:"))
        for lack in (".pick = ik_select_best", ".pick_mask = ik_select_best_of"):  # these ask for a score
            with self.subTest(lack=lack):
                compile_to(self.tmp / "no_score.so", FAMILIES, SELECTION=lack)
                self.refused("list", "--plugin", "./no_score.so", cwd=self.tmp, says=("is incomplete", "score", "hint:"))

    def test_functions_that_keep_no_promise(self):
        """Members of every family that fail without a reason, or succeed without having made anything."""
        compile_to(self.tmp / "empty.so", EMPTY)
        fabric = "karytree:k=2,n=2"
        (self.tmp / "s.yaml").write_text("plugins: [./empty.so]\nfabric: karytree:k=2,n=2\nrouting: adaptive_tree\ntraffic: uniform\nload: 10%\n"
                                         "selection: empty_selection:status=1\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        for status in (1, 999):
            (self.tmp / "a.emp").write_text(f"empty{status}\n")
            (self.tmp / "s.yaml").write_text((self.tmp / "s.yaml").read_text().replace("status=1\n", f"status={status}\n"))
            commands = {
                "empty_topology": ("topo", f"empty_topology:status={status}"),
                "empty_routing": ("check", fabric, "-r", f"empty_routing:status={status}"),
                "empty_vc": ("check", fabric, "-r", "dmodk", "--vc", f"empty_vc:status={status}"),
                "empty_traffic": ("load", fabric, "-r", "dmodk", "--traffic", f"empty_traffic:status={status}"),
                "empty_format": ("topo", "a.emp"),
                "empty_selection": ("run", "s.yaml", "-o", "s.db"),
            }
            for name, words in commands.items():
                with self.subTest(member=name, status=status):
                    done = self.refused(*words, "--plugin", "./empty.so", cwd=self.tmp, says=(f"'{name}'", "gave no reason", "ik_fail"))
                    self.assertNotIn("fault of ikat", done.stderr if hasattr(done, "stderr") else done or "")
        self.refused("check", fabric, "-r", "empty_routing", "--plugin", "./empty.so", cwd=self.tmp, says="did not call ik_lft_new()")
        self.refused("load", fabric, "-r", "dmodk", "--traffic", "empty_traffic", "--plugin", "./empty.so", cwd=self.tmp, says="did not call ik_traffic_set_flows()")

    def test_wrong_cabling_is_the_plugins(self):
        compile_to(self.tmp / "empty.so", EMPTY)
        (self.tmp / "twice.emp").write_text("emptyt\n")
        for words in (("topo", "twice.emp"), ("topo", "file:path=twice.emp")):
            done = run(*words, "--plugin", "./empty.so", cwd=self.tmp)
            self.assertEqual(done.returncode, 2)
            self.assertIn("'empty_format', which a plug-in added: switch 0 port 1 is cabled twice", done.stderr)
            self.assertNotIn("fault of ikat", done.stderr)

    def test_a_refused_object_that_had_registered(self):
        """What its constructor registered stays, and is used."""
        source = EMPTY.replace("ik_plugin_entry", "hidden").replace("IK_PLUGIN_EXPORT ", "static ")
        source += '\n__attribute__((constructor)) static void add(void)\n{\n    static ik_plugin mine;\n    mine = hidden;\n    mine.identity = "1";\n    ik_register(&mine, NULL);\n}\n'
        compile_to(self.tmp / "ctor.so", source)
        program = self.tmp / "use.c"
        program.write_text(r"""
#include <ikat/ikat.h>
#include <stdio.h>
int main(void)
{
    ik_error err;
    ik_traffic *t = NULL;
    ik_fabric *f = NULL;
    if (ik_plugin_load("./ctor.so", &err) == IK_OK || ik_fabric_from_spec("ring:n=4", NULL, &f, &err) != IK_OK)
        return 1;
    ik_traffic_from_spec(f, "empty_traffic:status=1", NULL, &t, &err);
    puts(err.text);
    ik_fabric_free(f);
    return 0;
}
""")
        library = pathlib.Path(os.environ["IKAT"]).parent
        subprocess.run([CC, "-std=c17", "-D_GNU_SOURCE", f"-I{SOURCE / 'include'}", "-o", self.tmp / "use", program, f"-L{library}", "-likat",
                        f"-Wl,-rpath,{library}"], check=True)
        done = subprocess.run([self.tmp / "use"], cwd=self.tmp, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "'empty_traffic', which a plug-in added, failed and gave no reason\n"), done.stderr)

    def test_formats_count(self):
        """A file's point is run again when the format that reads it has changed."""
        source = EMPTY.replace("text[5] != 't'", "text[5] != 'g'").replace("ik_builder_link(b, ik_sw(sw, 0), ik_sw(sw + 1, 0), link);\n    ik_builder_link(b, ik_sw(sw, 0), ik_sw(sw + 2, 0), link);", """
    ik_builder_hosts(b, 4, 1);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        ik_builder_link(b, ik_sw(sw + i, 0), ik_sw(sw + (i + 1) % SWITCHES, 1), link);
        ik_builder_link(b, ik_sw(sw + i, 2), ik_hs(i, 0), link);
    }""").replace("ik_builder_switches(b, 3, 2)", "ik_builder_switches(b, SWITCHES, 3)").replace("ik_builder_hosts(b, 4, 1)", "ik_builder_hosts(b, SWITCHES, 1)")
        (self.tmp / "ring.emp").write_text("emptyg\n")
        (self.tmp / "f.yaml").write_text("plugins: [./own.so]\nfabric: file:path=ring.emp\nrouting: dfsssp\ntraffic: uniform\nload: 10%\n"
                                         "measure: {warmup: 1 us, duration: 5 us}\n")
        seen = []
        for switches in (4, 4, 6):
            compile_to(self.tmp / "own.so", source, SWITCHES=str(switches))
            self.ok("run", "f.yaml", "-q", "-o", "f.db", cwd=self.tmp)
            table = self.json("report", "f.db", "--json", cwd=self.tmp)
            seen.append([point["checksum"] for point in table["points"]])
        self.assertEqual(seen[0], seen[1])
        self.assertNotEqual(seen[1], seen[2])

    def test_tables_with_ports_that_are_none(self):
        compile_to(self.tmp / "wild.so", WHOLE, PORT="40000")
        self.refused("check", "crossbar:n=4", "--routing", "probed", "--plugin", "./wild.so", cwd=self.tmp, says=("'probed'", "port 40000", "counted from 0"))


if __name__ == "__main__":
    unittest.main()
