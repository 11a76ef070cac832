"""What if, in ikat serve: links that fail or are slow, the answers against the commands that they name, and what the server refuses."""
import concurrent.futures
import contextlib
import csv
import http.client
import io
import json
import os
import pathlib
import random
import re
import shlex
import signal
import unittest
import urllib.parse

from browser import CHROMIUM
from harness import SOURCE, run
from test_serve import HINDRANCE, InBrowser, ServeTest

CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
# Fabrics, a routing, and damages of each: trees, a torus, hosts with several cables, dumps of clusters.
FABRICS = {
    "karytree:k=4,n=2": ("updown", [{}, {"fail": "sw0.5"}, {"fail": "sw4:sw1.6", "slow": "sw0.6@25Gb/s:sw2.1@10 Gb/s"}]),
    "torus:dims=3:3": ("minimal", [{"fail": "sw0.1"}, {"slow": "sw4.2@1Gb/s"}]),
    "dragonfly:h=2": ("minimal", [{"fail": "sw3"}]),
    "xgft:m=4:4,w=2:2": ("updown", [{}, {"fail": "sw0.1"}, {"fail": "sw0.1:sw1.1", "slow": "sw0.2@40Gb/s"}]),
    f"file:{CLUSTER}": ("dmodc", [{"fail": "sw0.20:sw0.21"}, {"slow": "sw0.20@25Gb/s"}, {"fail": "0x0200c9a000ec0040"}]),
    f"file:{SOURCE}/tests/data/opensm/ft2_8p.ibnetdiscover": ("updown", [{"fail": "sw1"}]),
}


@unittest.skipIf(HINDRANCE, HINDRANCE)
class WhatIfTest(ServeTest):
    def results(self, *fabrics, routing="updown", more=""):
        """Results of fabrics without simulation."""
        (self.tmp / "fabrics.yaml").write_text(f"fabric: {json.dumps([str(f) for f in fabrics])}\nrouting: {routing}\nsimulate: false\n{more}")
        store = self.tmp / "fabrics.db"
        self.ok("run", self.tmp / "fabrics.yaml", "-o", store, "-q")
        return store

    def what_if(self, token, body=None, **form):
        """Status and answer; fabric: the number of one of the page."""
        if body is None:
            fabric = self.specs(token)[form.pop("fabric", 0)]
            body = urllib.parse.urlencode({"fabric": fabric, "routing": "updown", "traffic": "uniform"} | form).encode()
        code, headers, text = self.ask(f"{token}whatif", "POST", body=body, timeout=600)
        self.assertEqual(headers["Content-Type"], "application/json" if code == 200 else "text/plain; charset=utf-8")
        return code, json.loads(text) if code == 200 else text

    def specs(self, token):
        """Of the fabrics of the page."""
        return [json.loads(text) for text in re.findall(r'\{"id":\d+,"spec":("[^"]*")', self.ask(token)[2])]

    def repeat(self, answer, name, *more):
        """What the command that an answer names prints elsewhere."""
        command = shlex.split(answer[name]["command"])
        self.assertEqual(command[0], "ikat")
        again = run(*command[1:], *more)
        self.assertEqual(again.returncode, answer[name]["status"])
        return again.stdout

    def children(self):
        """Processes that the server has made."""
        found = []
        for task in pathlib.Path(f"/proc/{self.server}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(p) for p in (task / "children").read_text().split()]
        return found

    def pause(self):
        """The process of a simulation that has just begun waits for ever."""
        (child,) = self.until(self.children)
        os.kill(child, signal.SIGSTOP)
        return child


class Answers(WhatIfTest):
    def test_the_commands_say_the_same(self):
        """Every number is that of the command whose line is shown, for fabrics of all kinds and damages of each."""
        for spec, (routing, damages) in FABRICS.items():
            with self.serving(self.results(spec, routing=routing)) as token:
                self.ask(token)
                for damage in damages:
                    with self.subTest(fabric=spec, damage=damage):
                        code, answer = self.what_if(token, routing=routing, **damage)
                        self.assertEqual(code, 200, answer)
                        for name, how in (("check", ["--json"]), ("load", ["--json", "--table", "channels"])):
                            self.assertEqual(answer[name]["text"], self.repeat(answer, name, *how))
                        # Every channel as in the table for people.
                        of, rows = json.loads(answer["load"]["text"])["channels"], [*csv.DictReader(io.StringIO(self.repeat(answer, "load", "--csv")))]
                        self.assertEqual([[str(c), str(r)] for c, r in zip(of["channel"], of["rate_bps"])], [[r["channel"], r["rate_bps"]] for r in rows])
                        for key in ("load", "flows"):
                            for x, row in zip(of[key], rows, strict=True):
                                self.assertAlmostEqual(x, float(row[key]), delta=1e-5 * max(1, x))
                        for part in [p for v in damage.values() for p in v.split(":")]:
                            self.assertIn(part, answer["fabric"])

    def test_the_damage_is_there(self):
        """Numbers that follow from the damage alone: pairs of hosts, and the rate of a channel."""
        with self.serving(self.results("karytree:k=4,n=2", "xgft:m=4:4,w=2:2")) as token:
            self.ask(token)

            def proof(**form):
                return json.loads(self.what_if(token, **form)[1]["check"]["text"])
            # A leaf switch without its four cables upwards keeps its own four hosts together; one that is down takes them away.
            cut = proof(fail="sw0.5:sw0.6:sw0.7:sw0.8")
            self.assertEqual((cut["pairs"], cut["unconnected"]), (240, 2 * 4 * 12))
            down = proof(fail="sw0")
            self.assertEqual(down["pairs"] - down["unconnected"], 12 * 11)
            # Of two cables of a host one may fail, both may not.
            one, both = proof(fabric=1, fail="sw0.1"), proof(fabric=1, fail="sw0.1:sw1.1")
            self.assertEqual(one["unconnected"], 0)
            self.assertEqual(both["pairs"] - both["unconnected"], 15 * 14)
            _, answer = self.what_if(token, slow="sw0.5@25Gb/s")
            channels = json.loads(answer["load"]["text"])["channels"]
            rates = dict(zip(channels["channel"], channels["rate_bps"]))
            self.assertEqual([rates[c] for c in (4, 5)], [25000000000, 100000000000])
            self.assertEqual(list(rates.values()).count(25000000000), 2, "both directions")

    def test_a_cycle(self):
        with self.serving(self.results("karytree:k=4,n=2", "torus:dims=4:4")) as token:
            self.ask(token)
            _, answer = self.what_if(token, fabric=1, routing="shortest", fail="sw0.1")
            self.assertEqual((answer["check"]["status"], json.loads(answer["check"]["text"])["deadlock_free"]), (1, False))
            self.assertTrue(json.loads(answer["check"]["text"])["witness"])

    def test_simulation(self):
        """The experiment that is shown gives the same point."""
        with self.serving(self.results("karytree:k=4,n=2")) as token:
            self.ask(token)
            code, answer = self.what_if(token, fail="sw0.5", simulate="yes", load="0.4")
            self.assertEqual(code, 200, answer)
            (self.tmp / "again.yaml").write_text(answer["experiment"])
            self.ok("run", self.tmp / "again.yaml", "-o", self.tmp / "again.db", "-q")
            again, (point,) = ([*csv.DictReader(io.StringIO(text))] for text in (self.ok("report", self.tmp / "again.db", "--csv"), answer["points"]["text"]))
            self.assertEqual([point], again)
            self.assertAlmostEqual(float(point["throughput"]), 0.4, delta=0.02)
            self.assertIn(point["steady"], ("yes", "no", "too short to tell"))

    def test_settings_of_the_point(self):
        """Without damage, what is computed beside a point is that point: with every section's settings, bit for bit."""
        common = {"fabric": "torus:dims=4:4", "load": 0.3, "traffic": "uniform", "measure": {"warmup": "5 us", "duration": "20 us"}}
        variants = ({"routing": "dor", "vc": "dateline", "vcs": 4}, {"routing": "dor", "vcs": 3, "switch": {"queues": "damq", "queue_max": "64 KiB"}},
                    {"routing": "updown", "switch": {"model": "ioq", "buffer": "32 KiB", "output_buffer": "16 KiB"}}, {"routing": "dor", "switch": {"model": "ideal"}, "adapter": {"packet": "1 KiB", "injection": "poisson"}},
                    {"routing": "dor", "switch": {"model": "pipelined", "routing_cycles": 2}}, {"routing": "updown", "measure": {**common["measure"], "series": "2 us"}},
                    {"fabric": "karytree:k=4,n=2", "routing": "adaptive_tree", "selection": "random"},
                    {"routing": "updown", "traffic": "exchange:pattern=shift,bytes=64kB", "load": None, "measure": {"until": "delivered", "at_most": "1 ms"}, "reference": {"links": "unlimited"}})
        for i, variant in enumerate(variants):
            with self.subTest(variant=variant):
                settings = {k: v for k, v in (common | variant).items() if v is not None}
                (self.tmp / f"{i}.yaml").write_text(json.dumps(settings))
                self.ok("run", self.tmp / f"{i}.yaml", "-o", self.tmp / f"{i}.db", "-q")
                (point,) = self.json("report", self.tmp / f"{i}.db")["points"]
                with self.serving(self.tmp / f"{i}.db") as token:
                    self.ask(token)
                    form = {"routing": point["routing"], "traffic": point["traffic"], "point": point["id"]}
                    code, answer = self.what_if(token, **form, simulate="yes", load="0.3")
                    self.assertEqual(code, 200, answer)
                    (self.tmp / f"{i}.again.yaml").write_text(answer["experiment"])
                    self.ok("run", self.tmp / f"{i}.again.yaml", "-o", self.tmp / f"{i}.again.db", "-q")
                    (again,) = self.json("report", self.tmp / f"{i}.again.db")["points"]
                    self.assertEqual({k: v for k, v in again["params"].items() if k != "reference"}, {k: v for k, v in point["params"].items() if k != "reference"})
                    self.assertEqual(again["checksum"], point["checksum"])
                    # Another routing has its own VC scheme; the proof of this one is that of the point.
                    _, answer = self.what_if(token, **form)
                    self.assertEqual(f" --vc {variant.get('vc')}" in answer["check"]["command"], "vc" in variant)
                    self.assertEqual(f" --vcs {variant.get('vcs')}" in answer["check"]["command"], "vcs" in variant)
                    code, answer = self.what_if(token, **form | {"routing": "shortest"})
                    self.assertNotIn("--vc", answer["check"]["command"])
                    for wrong, why in (("7", "no point"), ("", "numbers"), ("-1", "numbers"), ("1e3", "numbers"), ("9" * 30, "numbers"), (1 << 40, "no point"), ((1 << 64) - 1, "no point")):
                        code, text = self.what_if(token, **form | {"point": wrong})
                        self.assertEqual(code, 400)
                        self.assertIn(why, text)

    def test_a_point_of_another_fabric(self):
        with self.serving(self.results("karytree:k=4,n=2", "ring:n=4")) as token:
            self.ask(token)
            self.assertEqual(self.what_if(token, point=1)[0], 400)
            self.assertEqual(self.what_if(token, point=0)[0], 200)

    def test_drawn_failures(self):
        """Those of the results, whose seed the page has: it is the seed of the commands and of the simulation."""
        (self.tmp / "drawn.yaml").write_text('{fabric: "torus:dims=4:4,fail=10%", routing: shortest, traffic: uniform, load: 0.1, seeds: [7], measure: {stop_hops: 10000}}')
        self.ok("run", self.tmp / "drawn.yaml", "-o", self.tmp / "drawn.db", "-q", status=1)  # it can deadlock
        with self.serving(self.tmp / "drawn.db") as token:
            self.assertIn('"setup_seed":7', self.ask(token)[2])
            _, answer = self.what_if(token, routing="shortest", seed=7)
            self.assertIn(" --seed 7", answer["check"]["command"])
            self.assertEqual(answer["load"]["text"], self.ok("load", "torus:dims=4:4,fail=10%", "-r", "shortest", "--allow-unreachable", "--seed", 7, "--json", "--table", "channels"))
            self.assertNotEqual(answer["load"]["text"], self.what_if(token, routing="shortest")[1]["load"]["text"])
            _, answer = self.what_if(token, routing="shortest", seed=7, simulate="yes", load="0.1")
            (point,) = csv.DictReader(io.StringIO(answer["points"]["text"]))
            self.assertEqual(point["seed"], "7")
        self.refused("serve", self.tmp / "drawn.db", "--seed", 3, says="no effect")

    def test_a_fabric_is_served(self):
        """A dump, and a spec, without results of their own; nothing stays."""
        scratch = self.tmp / "scratch"
        scratch.mkdir()
        for spec, routing in ((CLUSTER, "dmodc"), ("karytree:k=4,n=2", "dmodk")):
            with self.serving(spec, "-r", routing, TMPDIR=str(scratch)) as token:
                code, _, page = self.ask(token)
                self.assertEqual(code, 200)
                self.assertIn(f'"routing":"{routing}"', page)
                code, answer = self.what_if(token, routing="updown", fail="sw0.5")
                self.assertEqual(code, 200, answer)
                self.assertEqual(answer["check"]["text"], self.repeat(answer, "check", "--json"))
            self.assertEqual(list(scratch.iterdir()), [])
        self.refused("serve", "karytree:k=4,n=2", "-r", "no-such-routing", says="no-such-routing")
        self.refused("serve", "no-such-fabric:k=4", "-r", "updown", says="no-such-fabric")
        self.refused("serve", "karytree:k=4,n=2", "ring:n=4", "-r", "updown", says="one fabric")
        self.refused("serve", "karytree:k=4,n=2", says=["is a fabric", "--routing"])
        self.refused("serve", CLUSTER, says=["not a results file", "--routing"])

    def test_what_killed_servers_left(self):
        """Folders of killed servers vanish at the next start: those of this user that nobody uses, and nothing else that lies there."""
        scratch, outside = self.tmp / "scratch", self.tmp / "outside"
        outside.mkdir(mode=0o700)
        (outside / "kept").write_text("kept")
        scratch.mkdir()

        def old(path):
            os.utime(path, (1, 1), follow_symlinks=False)
        others = {"ikat-serve-toolong": 0o700, "ikat-serve-": 0o700, "ikat-report-abcdef": 0o700, "ikat-serve-opened": 0o755, "ikat-serve-deeper": 0o700}
        for name, mode in others.items():
            (scratch / name).mkdir()
            (scratch / name).chmod(mode)
        (scratch / "ikat-serve-deeper/within").mkdir()
        (scratch / "ikat-serve-deeper/within/kept").write_text("kept")
        (scratch / "ikat-serve-islink").symlink_to(outside)
        (scratch / "ikat-serve-isfile").write_text("kept")
        (scratch / "ikat-serve-recent").mkdir(mode=0o700)
        for path in scratch.iterdir():
            if path.name != "ikat-serve-recent":
                old(path)
        before = {p.name for p in scratch.iterdir()}
        with self.serving("karytree:k=4,n=2", "-r", "dmodk", TMPDIR=str(scratch)):
            (used,) = {p.name for p in scratch.iterdir()} - before
            old(scratch / used)
            with self.serving("karytree:k=2,n=2", "-r", "dmodk", TMPDIR=str(scratch)):
                self.assertTrue(list((scratch / used).iterdir()), "another server uses it")
        self.assertEqual({p.name for p in scratch.iterdir()}, before)
        self.assertEqual([p.read_text() for p in (outside / "kept", scratch / "ikat-serve-deeper/within/kept")], ["kept", "kept"])
        # One that was killed.
        with contextlib.suppress(AssertionError), self.serving("karytree:k=4,n=2", "-r", "dmodk", TMPDIR=str(scratch)):
            os.kill(self.server, signal.SIGKILL)
        (left,) = {p.name for p in scratch.iterdir()} - before
        old(scratch / left)
        with self.serving("karytree:k=4,n=2", "-r", "dmodk", TMPDIR=str(scratch)):
            self.assertFalse((scratch / left).exists())
        self.assertEqual({p.name for p in scratch.iterdir()}, before)


class Slow(ServeTest):
    def test_every_family(self):
        """A cable to a host, and one between switches, of every family (of every fourth, without IKAT_TEST_ALL): both directions have the rate, files keep it, the proof
        stays, and the simulation is full where the loads say so."""
        for family in self.json("list", "topologies")["topologies"][::1 if os.environ.get("IKAT_TEST_ALL") else 4]:
            for spec in family["examples"]:
                if self.json("topo", spec)["hosts"] >= 4:
                    break
            with self.subTest(spec=spec):
                channels = self.channels(spec)
                found = {r["direction"] in ("ejection", "injection"): r for r in reversed(channels) if r["from"].startswith(("sw", "0x")) and r["to"] != ""}
                for to_host, row in found.items():
                    self.slow_family(spec, channels, row, to_host)

    def channels(self, spec):
        return [*csv.DictReader(io.StringIO(self.ok("load", spec, "-r", "updown", "--csv")))]

    def slow_family(self, spec, channels, row, to_host):
        rate = int(row["rate_bps"]) // 10
        number = row["from"] if row["from"].startswith("sw") else row["from"].lower()
        slow = f"{spec},slow={number}.{row['from_port']}@{rate}b/s"
        after = self.channels(slow)
        changed = [b for a, b in zip(channels, after, strict=True) if a["rate_bps"] != b["rate_bps"]]
        self.assertEqual([(r["rate_bps"], r["from"] == row["from"]) for r in changed], [(str(rate), True), (str(rate), False)][::1 if changed[0]["from"] == row["from"] else -1])
        self.assertEqual([r["load"] for r in after if not to_host], [r["load"] for r in channels if not to_host])
        self.ok("check", slow, "-r", "updown")
        for name in ("slow.json", "slow.ibnetdiscover"):
            self.ok("topo", slow, "-o", self.tmp / name)
            rates = [{r["rate_bps"]: (r["switch_links"], r["host_links"]) for r in self.json("topo", x)["links_by_rate"]} for x in (slow, self.tmp / name)]
            self.assertEqual(*rates)
        if to_host:
            saturation = self.json("load", slow, "-r", "updown")["saturation"]
            loads = [0.7 * saturation, 3 * saturation]
            (self.tmp / "slow.yaml").write_text(json.dumps({"fabric": slow, "routing": "updown", "traffic": "uniform", "load": loads, "measure": {"stop_hops": 40000}}))
            (self.tmp / "slow.db").unlink(missing_ok=True)
            self.ok("run", self.tmp / "slow.yaml", "-o", self.tmp / "slow.db", "-q")
            below, above = (float(r["throughput"]) / float(r["offered"]) for r in csv.DictReader(io.StringIO(self.ok("report", self.tmp / "slow.db", "--csv"))))
            self.assertGreater(below, 0.95)
            self.assertLess(above, 0.9)

    def test_findings_and_loads(self):
        found = self.json("topo", "karytree:k=4,n=2,slow=sw0.5@25Gb/s")["findings"]
        self.assertEqual([(f["code"], f["severity"]) for f in found], [("slow-link", "warning")])
        self.assertIn("sw0 port 5", found[0]["text"])
        self.assertEqual(self.json("load", "karytree:k=4,n=2,slow=sw0.5@25Gb/s", "-r", "dmodk")["saturation"], 0.3125)
        # A link that a file says to be whole is judged as the file's own slow one is.
        found = [f["text"] for f in self.json("topo", f"file:{CLUSTER},slow=sw0.20@25Gb/s")["findings"] if f["code"] == "slow-link"]
        self.assertEqual(len(found), 2)

    def test_refused(self):
        for text, why in (("sw0.5", "names no port"), ("sw0.99@1Gb/s", "names no port"), ("sw0.5@", "has no rate"), ("sw0.5@soon", "has no rate"), ("sw0.5@0Gb/s", "has no rate"),
                          ("sw0.5@100Gb/s", "not below"), ("sw0.5@200Gb/s", "not below"), ("@1Gb/s", "names no port"), ("sw0.5@25Gb/s:sw0.5@10Gb/s", "stands there before"), ("sw0.5@25Gb/s:sw4.1@10Gb/s", "stands there before"), ("sw0.5@1Gb/s,fail=sw0.5", "has no cable"), ("sw0.5@1Gb/s::", "names no port")):
            with self.subTest(text=text):
                self.refused("topo", f"karytree:k=4,n=2,slow={text}", says=["slow", why])


class Hostile(WhatIfTest):
    def test_forms(self):
        with self.serving(self.results("karytree:k=4,n=2")) as token:
            self.ask(token)
            good = "fabric=karytree:k=4,n=2&routing=updown&traffic=uniform"
            for form, why in (("", "unknown"), ("fabric", "unknown"), ("x=1", "unknown"), (f"{good}&", "unknown"), (f"{good}&fabric=0", "twice"), ("fabric=karytree:k=4,n=2&routing=updown", "'traffic' is missing"),
                              ("routing=updown&traffic=uniform", "'fabric' is missing"), *((f"{good}&seed={x}", "number") for x in ("", "-1", "0x0", "1.5", "1k", "9" * 40)),
                              *((good.replace("karytree:k=4,n=2", x), "no fabric") for x in ("", "0", "karytree:k=4", "karytree:k=2,n=2", "file:/etc/passwd", "--plugin=x.so")), (f"{good}&fail=", "list"), (f"{good}&fail=3%25", "list"), (f"{good}&fail=3", "list"), (f"{good}&fail=1e-1", "list"),
                              (f"{good}&fail=sw0.5,path=/etc/passwd", "list"), (f"{good}&fail=sw0.5%2Cslow=sw1.5@1Gb/s", "list"), (f"{good}&slow=sw0.5@1Gb/s,fail=3", "list"), (f"{good}&slow=%22", "list"),
                              (f"{good}&fail=%zz", "escape"), (f"{good}&fail=sw0%", "escape"), (f"{good}&fail=%00", "control"), (f"{good}&fail=sw0%0a", "control"), (f"{good}&simulate=no", "simulate"),
                              (f"{good}&simulate=yes", "simulate"), (f"{good}&load=0.5", "simulate"), *((f"{good}&simulate=yes&load={x}", "load") for x in ("0", "-1", "1.1", "nan", "inf", "1e400", "0.5x", "", "0." + "5" * 100)),
                              (good.replace("updown", "lft:path=/etc/passwd"), "no routing"), (good.replace("updown", "updown:root=1"), "no routing"), (good.replace("updown", "--help"), "no routing"), (good.replace("uniform", "file:path=/etc/passwd"), "no traffic"),
                              (good.replace("uniform", ""), "no traffic"), (good.replace("updown", "<b>"), "no routing"), (f"{good}\0", "no form"), (good.replace("&", ";"), "missing")):
                with self.subTest(form=form):
                    code, text = self.what_if(token, body=form.encode())
                    self.assertEqual(code, 400, text)
                    self.assertIn(why, text)
                    self.assertNotIn("root:", text)
            for form, why in (("fail=sw99", "sw99"), ("slow=sw0.5@500Gb/s", "not below"), ("fail=nobody.7", "nobody")):
                code, text = self.what_if(token, body=f"{good}&{form}".encode())
                self.assertEqual(code, 422)
                self.assertIn(why, text)
            self.assertEqual(self.what_if(token, routing="lft")[0], 422)
            self.assertEqual(self.what_if(token, routing="dor")[0], 422)
            self.assertEqual(self.status(token)["state"], "ended")

    def test_others_get_nothing(self):
        with self.serving(self.results("karytree:k=4,n=2")) as token:
            self.ask(token)
            form = b"fabric=karytree:k=4,n=2&routing=updown&traffic=uniform"
            wrong = token[:5] + ("0" if token[5] != "0" else "1") + token[6:]
            for path in ("/whatif", f"{wrong}whatif", f"{wrong}cancel", f"{token}whatif/"):
                self.assertEqual(self.ask(path, "POST", body=form)[0], 404, path)
            self.assertEqual(self.ask(f"{token}whatif", "POST", body=form, host="evil.example")[0], 403)
            for path in ("whatif", "cancel"):
                code, headers, _ = self.ask(token + path)
                self.assertEqual((code, headers["Allow"]), (405, "POST"))
            head = f"POST {token}whatif HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ".encode()
            for body in (b"fabric=" + b"0" * 20000, b"&" * 100000, random.Random(1).randbytes(40000)):
                self.assertNotIn(b" 200 ", self.raw(head + str(len(body)).encode() + b"\r\n\r\n" + body)[:20])
            self.assertEqual(self.what_if(token)[0], 200)

    def test_one_at_a_time(self):
        """While one is computed others are refused, and the page is served; it can be cancelled, and ends with the server."""
        simulation = {"simulate": "yes", "load": "0.5"}
        scratch = self.tmp / "scratch"
        scratch.mkdir()
        with concurrent.futures.ThreadPoolExecutor(4) as pool, self.serving(self.results(f"file:{CLUSTER}"), TMPDIR=str(scratch)) as token:
            self.ask(token)
            self.assertEqual(self.ask(f"{token}cancel", "POST")[0], 409)
            for _ in range(2):
                first = pool.submit(self.what_if, token, **simulation)
                self.pause()
                for more in ({}, {"simulate": "yes", "load": "0.5"}):
                    code, text = self.what_if(token, **more)
                    self.assertEqual((code, "under way" in text), (409, True))
                self.assertEqual((self.ask(token)[0], self.status(token)["state"]), (200, "ended"))
                self.assertEqual(self.ask(f"{token}cancel", "POST")[0], 200)
                self.assertEqual(first.result(30), (422, "It was cancelled."))
                self.assertEqual(self.children(), [])
            if os.environ.get("IKAT_TEST_ALL"):  # a minute
                late = pool.submit(self.what_if, token, **simulation)
                self.pause()
                self.assertEqual(late.result(100), (422, "It takes too long: the time for it is over."))
            last = pool.submit(self.what_if, token, **simulation)
            child = self.pause()
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.assertEqual(last.result(30)[0], 422)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists(), "it ends with the server")
        self.assertEqual(list(scratch.iterdir()), [])


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class Panel(InBrowser, WhatIfTest):
    def see(self, script):
        return self.browser.run(script)

    def press(self, text):
        self.see(f"[...document.querySelectorAll('.whatif-box button')].find((b) => b.textContent === {json.dumps(text)}).click()")

    def choose(self, label, value):
        self.see(f"(() => {{ const s = document.querySelector(`select[aria-label='{label}']`); s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')); }})()")

    def open_panel(self):
        self.browser.show_as(1280, 1000)
        self.browser.open(self.address)
        self.until(lambda: self.see("!!document.querySelector('.whatif-box button')"))
        self.press("What if …")
        self.see("document.getElementById('fabric').scrollIntoView({ behavior: 'instant' })")
        self.browser.settle()

    def click(self, x, y):
        """At a place of the picture, as fractions of it."""
        left, top, wide, high = self.see("(({ left, top, width, height }) => [left, top, width, height])(document.querySelector('canvas.fabric').getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=left + x * wide, y=top + y * high, button="left", clickCount=1)

    def click_a_link(self, begin):
        """The first one to the right of a place that hits a link."""
        for i in range(20):
            self.click(begin + 0.01 * i, 0.45)
            if self.parts():
                return
        self.fail("there is no link")

    def parts(self):
        return self.see("[...document.querySelectorAll('.part')].map((b) => b.textContent)")

    def table(self):
        return dict((name, (a, b)) for name, a, b in self.see("[...document.querySelectorAll('[data-whatif] tbody tr')].map((r) => [...r.children].map((c) => c.textContent))"))

    def test_static_page_has_none(self):
        store = self.results(f"file:{CLUSTER}", routing="dmodc")
        self.ok("report", store, "-o", self.tmp / "page.html")
        self.browser.open(self.tmp / "page.html")
        self.assertFalse(self.see("!!document.querySelector('.whatif-box, .whatif')"))

    def test_cuts_of_a_dump(self):
        """A link is cut, another slow; the table has the numbers of the commands, and the picture new colours."""
        with self.serving(CLUSTER, "-r", "dmodc"):
            self.open_panel()
            self.click_a_link(0.2)
            self.choose("a click on a link", "slow")
            for i in range(20):
                self.click(0.6 + 0.01 * i, 0.45)
                if len(self.parts()) == 2:
                    break
            failed, slow = self.parts()
            self.assertRegex(failed, r"^sw\d+\.\d+ fails ×$")
            self.assertRegex(slow, r"^sw\d+\.\d+ at 25 Gb/s ×$")
            pixels = "document.querySelector('canvas.fabric').toDataURL()"
            before = self.see(pixels)
            self.see("(() => { const fetched = window.fetch; window.asked = 0; window.fetch = (path, ...more) => { asked += path === 'whatif'; return fetched(path, ...more); }; })()")
            self.see("[...document.querySelectorAll('.whatif-box button')].filter((b) => b.textContent === 'Compute').forEach((b) => { b.click(); b.click(); })")
            self.until(lambda: self.table())
            self.assertEqual(self.see("asked"), 2, "before and after, once")
            self.assertNotEqual(self.see(pixels), before)
            commands = self.see("[...document.querySelectorAll('.repeat')].map((c) => c.textContent)")
            check, load = (json.loads(run(*shlex.split(c)[1:], "--json").stdout) for c in commands)
            table = self.table()
            self.assertIn(failed.split()[0], commands[0])
            self.assertIn(f"{slow.split()[0]}@25Gb/s", commands[0])
            self.assertEqual(table["pairs of hosts that are connected"][1], f"{check['pairs'] - check['unconnected']:,} of {check['pairs']:,}")
            self.assertEqual(table["free of deadlock"][1], f"yes: {check['deadlock_reason']}")
            self.assertEqual(table["largest load of a channel"][1], f"{load['max_load']:.6g} of a host’s rate, {load['max_channel']}")
            self.assertEqual(table["predicted saturation"][1], f"{100 * load['saturation']:.6g} % of the hosts’ rate")
            self.assertNotEqual(*table["largest load of a channel"])
            self.press("Simulate")
            self.until(lambda: "steady" in self.table(), 600)
            self.assertRegex(self.table()["steady"][1], "^(yes|no|too short to tell): ")
            # Another damage: what was found is of the one before. New data of the page takes nothing away.
            self.press(failed)
            self.assertIn("before the last change", self.see("document.querySelector('.whatif').textContent"))
            self.see("ikat.read(document).then(ikat.show)")
            self.assertEqual(self.parts(), [slow])
            self.press("Undo all")
            self.assertEqual((self.parts(), self.table()), ([], {}))
        self.assertEqual([text for text in self.browser.console if "ERR_" not in text], [])

    def test_switches_and_fabrics(self):
        """A switch is clicked; another fabric of the results has damages of its own; errors are said."""
        with self.serving(self.results("karytree:k=4,n=2", "karytree:k=2,n=2")):
            self.open_panel()
            for i in range(40):
                self.click(0.05 + i * 0.01, 0.07)
                if self.parts():
                    break
            self.assertRegex(self.parts()[0], r"^switch sw\d+ fails ×$")
            self.choose("routed by", "nue")
            self.choose("a click on a link", "slow")
            self.see("(() => { const rate = document.querySelector('.whatif .rate'); rate.value = 500; rate.dispatchEvent(new Event('input')); })()")
            for i in range(20):
                self.click(0.5 + 0.01 * i, 0.4)
                if len(self.parts()) == 2:
                    break
            self.press("Compute")
            self.until(lambda: "is not below the rate of the link" in self.see("document.querySelector('.whatif [role=status]').textContent"))
            self.press(self.parts()[1])
            self.choose("under", "shift")
            self.press("Compute")
            self.until(lambda: self.table())
            self.assertTrue(all("-r nue" in c for c in self.see("[...document.querySelectorAll('.repeat')].map((c) => c.textContent)")))
            options = self.see("[...document.querySelectorAll(`#fabric select[aria-label='routing'] option`)].map((o) => o.value)")
            self.choose("routing", next(o for o in options if o.isdigit() and o != options[0]))
            self.assertEqual((self.parts(), self.table()), ([], {}))

    def test_settings_of_what_is_shown(self):
        """Of several curves the one that is shown says which VC scheme and switch are taken."""
        (self.tmp / "two.yaml").write_text(json.dumps({"fabric": "torus:dims=4:4", "routing": "dor", "vcs": [3, 4], "switch": {"queues": ["fifo", "voqsw"]}, "load": 0.3, "measure": {"warmup": "5 us", "duration": "10 us"}}))
        self.ok("run", self.tmp / "two.yaml", "-o", self.tmp / "two.db", "-q")
        with self.serving(self.tmp / "two.db"):
            self.open_panel()
            seen = set()
            options = self.see("[...document.querySelectorAll(`#fabric select[aria-label='routing and traffic'] option`)].map((o) => o.value)")
            self.assertEqual(len(options), 4)
            for option in options:
                self.choose("routing and traffic", option)
                self.press("Undo all")
                self.press("Simulate")
                self.until(lambda: "accepted" in " ".join(self.table()))
                text = self.see("[...document.querySelectorAll('.repeat')].at(-1).textContent")
                seen.add((re.search(r'"vcs": "(.)"', text)[1], '"fifo"' in text))
                self.press("Compute")
                self.until(lambda: self.see("document.querySelectorAll('.repeat').length === 3"))
                vcs = re.search(r'"vcs": "(.)"', text)[1]
                self.assertIn(f"--vcs {vcs}", self.see("document.querySelector('.repeat').textContent"))
            self.assertEqual(seen, {(v, f) for v in "34" for f in (True, False)})

    def test_cancel(self):
        with self.serving(self.results(f"file:{CLUSTER}")):
            self.open_panel()
            self.press("Simulate")
            self.pause()
            self.see("ikat.read(document).then(ikat.show)")  # new points do not keep the answer away
            self.press("Cancel")
            self.until(lambda: "It was cancelled." in self.see("document.querySelector('.whatif').textContent"))
            self.assertFalse(self.see("[...document.querySelectorAll('.whatif button')].find((b) => b.textContent === 'Compute').disabled"))
            # Who leaves the page, or loads it again, waits for nothing.
            self.press("Simulate")
            self.pause()
            self.browser.open(self.address)
            self.until(lambda: not self.children())

    def test_names(self):
        """Parts that are named, as with a keyboard alone: links from either side, hosts' cables, switches; on a telephone, too."""
        with self.serving(self.results("karytree:k=4,n=2")):
            self.open_panel()
            self.browser.show_as(400, 800)
            for name, parts in (("sw0.5", ["sw0.5 fails ×"]), ("sw4.1", []), (" sw7.2 ", ["sw1.8 fails ×"]), ("sw2.1", ["sw1.8 fails ×", "sw2.1 fails ×"]), ("sw6", ["sw1.8 fails ×", "sw2.1 fails ×", "switch sw6 fails ×"])):
                self.see(f"(() => {{ const f = document.querySelector('.whatif input[type=search]'); f.value = {json.dumps(name)}; f.dispatchEvent(new Event('change')); }})()")
                self.assertEqual(self.parts(), parts, name)
            for name in ("sw0.99", "sw99", "sw0.", ".5", "0", "host0.1", "<b>"):
                self.see(f"(() => {{ const f = document.querySelector('.whatif input[type=search]'); f.value = {json.dumps(name)}; f.dispatchEvent(new Event('change')); }})()")
                self.assertEqual(len(self.parts()), 3)
                self.assertIn(f"no switch or port '{name}'", self.see("document.querySelector('.whatif [role=status]').textContent"))
            self.press("Compute")
            self.until(lambda: self.table())
            self.assertLessEqual(self.see("document.documentElement.scrollWidth"), 400)

    def test_changes_meanwhile(self):
        """What is clicked on while something is computed is not said to be in the answer."""
        with self.serving(self.results("karytree:k=4,n=2")):
            self.open_panel()
            self.click_a_link(0.2)
            (part,) = self.parts()
            self.see("(() => { const fetched = window.fetch, wait = new Promise((go) => { window.go = go; }); window.fetch = async (path, ...more) => { if (path === 'whatif') await wait; return fetched(path, ...more); }; })()")
            self.press("Compute")
            self.press("Undo all")
            self.see("go()")
            self.until(lambda: self.table())
            text = self.see("document.querySelector('.whatif').textContent")
            self.assertIn("before the last change", text)
            self.assertIn(f"fail={part.split()[0]}", text)


if __name__ == "__main__":
    unittest.main()
