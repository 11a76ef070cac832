"""`ikat check`: proofs that hold, proofs that fail with their witness, facts known from publications."""
import json
import unittest

from harness import CliTest, run


class Check(CliTest):
    def test_minimal_routing_on_a_ring_of_five_deadlocks(self):
        proof = self.json("check", "ring:n=5", "--routing", "minimal:paths=one", "--vc", "1q", status=1)
        self.assertIs(proof["deadlock_free"], False)
        self.assertIs(proof["minimal"], True)
        self.assertIs(proof["delivered"], True)
        witness = proof["witness"]
        self.assertEqual(len(witness), 5)
        for step, following in zip(witness, witness[1:] + witness[:1]):
            self.assertEqual(step["to_switch"], following["switch"])
            self.assertEqual(step["vc"], 0)
            self.assertNotEqual(step["source"], step["destination"])
        text = self.ok("check", "ring:n=5", "-r", "minimal:paths=one", "--vc", "1q", status=1)
        self.assertIn("A shortest cycle of dependencies", text)
        for step in witness:
            self.assertIn(step["from"], text)

    def test_up_down_on_a_ring_of_five_passes(self):
        proof = self.json("check", "ring:n=5", "--routing", "updown")
        self.assertIs(proof["deadlock_free"], True)
        self.assertIs(proof["minimal"], False)
        self.assertIsNone(proof["witness"])

    def test_keys(self):
        proof = self.json("check", "karytree:k=4,n=3", "-r", "dmodk", "--vc", "vftree", "--vcs", "2")
        self.assertEqual((proof["hosts"], proof["switches"], proof["vcs"], proof["vcs_used"], proof["vcs_needed"]), (64, 48, 2, 2, 1))
        self.assertEqual(proof["path_lengths"], [192, 0, 768, 0, 3072])
        self.assertEqual(proof["pairs"], 64 * 63)
        for key in ("delivered", "loop_free", "minimal", "deadlock_free"):
            self.assertIs(proof[key], True)
        for key in ("undelivered", "loops", "unconnected", "not_minimal"):
            self.assertEqual(proof[key], 0)

    def test_facts(self):
        # fabric, routing, scheme, VCs needed, deadlock-free
        facts = [
            ("oft:k=4", "minimal", "1q", 1, True),
            ("oft:k=4", "valiant", "1q", 1, False),
            ("oft:k=4", "valiant", "phase", 2, True),
            ("mlfm:h=4", "minimal", "1q", 1, True),
            ("mlfm:h=4", "valiant", "1q", 1, False),
            ("mlfm:h=4", "valiant", "phase", 2, True),
            ("slimfly:q=5", "minimal", "1q", 1, False),
            ("slimfly:q=5", "minimal", "hopclass", 2, True),
            ("slimfly:q=5", "valiant", "phase", 2, False),
            ("slimfly:q=5", "valiant", "hopclass", 4, True),
            ("karytree:k=3,n=3", "adaptive_tree", "1q", 1, True),
            ("karytree:k=3,n=3", "adaptive_tree", "any", 1, True),
            ("mesh:dims=4:4", "minimal", "1q", 1, False),
            ("mesh:dims=4:4", "dor", "1q", 1, True),
            ("hyperx:dims=3:4", "dor", "1q", 1, True),
            ("torus:dims=5:5", "dor", "1q", 1, False),
            ("torus:dims=5:5", "dor", "dateline", 2, True),
            ("torus:dims=6:4:3,p=2", "dor", "dateline:rule=history", 2, True),
            ("torus:dims=8:8", "dor", "dateline:rule=route", 2, True),
            ("mesh:dims=4:4", "minimal", "escape:routing=dor", 2, True),
            ("torus:dims=5:5", "minimal", "escape:routing=dor", 2, False),
            ("torus:dims=5:5", "minimal", "escape:routing=dor,vc=dateline", 3, True),
            ("torus:dims=6:4", "minimal", "escape:routing=dor,vc=dateline", 3, True),
            # a packet that crossed on an adaptive VC would be taken for one that did not
            ("torus:dims=5:5", "minimal", "escape:routing=dor,vc=dateline:rule=history", 3, False),
            ("ring:n=6", "minimal", "escape:routing=updown", 2, False),
        ]
        known = {member["name"] for member in self.json("list", "routings")["routings"]}
        for fabric, routing, scheme, vcs, free in facts:
            with self.subTest(fabric=fabric, routing=routing, scheme=scheme):
                self.assertIn(routing, known)
                proof = self.json("check", fabric, "-r", routing, "--vc", scheme, status=0 if free else 1)
                self.assertIs(proof["deadlock_free"], free)
                self.assertIs(proof["delivered"], True)
                self.assertEqual(proof["vcs_needed"], vcs)
                self.assertEqual(proof["witness"] is None, free)

    def test_an_escape_layer_takes_no_lanes_of_injection(self):
        """A packet enters the layer where it is: of lanes that are given at injection only the first would be used."""
        for scheme, vcs in (("routing=(nue:vcs=2),vc=nue", 2), ("routing=updown,vc=dbbm", 3), ("routing=dfsssp,vc=dfsssp", 2)):
            done = run("check", "torus:dims=4:4", "-r", "minimal", "--vc", f"escape:{scheme}")
            self.assertEqual(done.returncode, 2, scheme)
            self.assertIn(f"of its {vcs} VCs only VC 0 would be used", done.stderr)
            self.assertIn("hint: 1q or dateline would do", done.stderr)
        for scheme in ("routing=(nue:vcs=2)", "routing=nue,vc=nue"):  # one VC, whatever gives it
            self.ok("check", "mesh:dims=3:3", "-r", "minimal", "--vc", f"escape:{scheme}", status=None)

    def test_escape_layers(self):
        # The layer's own graph has a cycle only with the dependencies by way of adaptive channels.
        wrong = ["mesh:dims=4:4", "-r", "minimal", "--vc", "escape:routing=updown"]
        proof = self.json("check", *wrong, status=1)
        self.assertIs(proof["deadlock_free"], False)
        self.assertEqual((proof["flow"], proof["condition"], proof["escape_gap"]), ("any", "extended", None))
        self.assertIn("indirect", proof["deadlock_reason"])
        witness = proof["witness"]
        for step, following in zip(witness, witness[1:] + witness[:1]):
            self.assertEqual(step["to_switch"], following["switch"])
            self.assertEqual(step["through"], step["vc"] > 0)
            if following["through"]:
                self.assertEqual((step["source"], step["destination"]), (following["source"], following["destination"]))
        self.assertGreater(sum(not step["through"] for step in witness), 1)
        self.assertTrue(any(step["through"] for step in witness))
        text = self.ok("check", *wrong, status=1)
        for word in ("NO: cyclic, and so is the escape layer", "of the escape layer", "adaptive, held", "every flow control"):
            self.assertIn(word, text)
        # Where a waiting packet holds one channel only, that cycle cannot close.
        proof = self.json("check", *wrong, "--flow", "cut_through")
        self.assertEqual((proof["flow"], proof["condition"], proof["deadlock_free"]), ("cut_through", "direct", True))
        self.assertIn("hold whole packets", proof["deadlock_reason"])
        proof = self.json("check", "mesh:dims=4:4", "-r", "minimal", "--vc", "escape:routing=dor")
        self.assertEqual((proof["flow"], proof["condition"], proof["deadlock_free"]), ("any", "extended", True))
        proof = self.json("check", "mesh:dims=4:4", "-r", "dor", "--flow", "cut_through")
        self.assertEqual((proof["flow"], proof["condition"], proof["deadlock_free"]), ("cut_through", "acyclic", True))
        self.refused("check", *wrong, "--flow", "wormhole", says=["any", "cut_through", "wormhole"])

    def test_escape_layers_that_do_not_lead_on(self):
        for fabric, routing, scheme in (("mesh:dims=4:4", "valiant", "escape:routing=updown"),
                                        ("mesh:dims=4:4", "ugal_l", "escape:routing=updown"),
                                        ("mesh:dims=8:8", "ugal_l", "escape:routing=updown"),
                                        ("mesh:dims=2:3", "ugal_l", "escape"),
                                        ("polarfly:q=4", "ugal_l", "escape:routing=shortest"),
                                        ("oft:k=3", "ugal_l", "escape:routing=shortest")):
            with self.subTest(fabric=fabric, routing=routing):
                proof = self.json("check", fabric, "-r", routing, "--vc", scheme, status=1)
                self.assertIs(proof["deadlock_free"], False)
                self.assertIn("does not lead on", proof["deadlock_reason"])
                gap = proof["escape_gap"]
                self.assertNotEqual(gap["source"], gap["destination"])
                self.assertIn("sw%d" % gap["switch"], gap["at"])
                self.assertIn("not use any channel of the escape layer", self.ok("check", fabric, "-r", routing, "--vc", scheme, status=1))

    def test_livelock_order(self):
        proof = self.json("check", "lrt:N=100,d=4,r=3,seed=3", "-r", "loren")
        self.assertIs(proof["livelock_order"], True)
        self.assertIs(proof["loop_free"], True)
        self.assertIsNone(self.json("check", "ring:n=5", "-r", "updown")["livelock_order"])

    def test_threads_do_not_change_a_byte(self):
        for arguments in (["slimfly:q=5", "-r", "minimal", "--vc", "1q"], ["rlft:ports=8,levels=3", "-r", "dmodk", "--vc", "dbbm"]):
            outputs = {run("check", *arguments, "--json", "--jobs", jobs).stdout for jobs in (1, 2, 5)}
            self.assertEqual(len(outputs), 1)

    def test_damage_is_no_failure_of_the_routing(self):
        proof = self.json("check", "karytree:k=2,n=2,fail=sw0", "-r", "updown")
        self.assertEqual(proof["unconnected"], 10)
        self.assertIs(proof["delivered"], True)

    def test_specs_within_specs(self):
        """';' stands for ',' inside a spec that is a parameter's value; in an experiment either does."""
        nested = "escape:routing=updown:order=distance;root=0"
        self.assertEqual(self.json("check", "ring:n=5", "-r", "minimal", "--vc", nested, status=None)["vc"], nested)
        self.refused("check", "ring:n=5", "-r", "minimal", "--vc", "escape:routing=updown:order=distance;rot=0", says=["did you mean 'root'?"])
        experiment = self.tmp / "e.yaml"
        for written in (nested, "{family: escape, routing: 'updown:order=distance,root=0'}"):
            experiment.write_text(f"fabric: mesh:dims=2:2\nrouting: minimal\nvc: {written}\ntraffic: uniform\nload: 10%\n"
                                  "measure: {warmup: 0 ns, duration: 1 us}\n")
            plans = self.json("run", experiment, "-o", self.tmp / "e.db", status=None)["plans"]
            self.assertEqual(plans[0]["vc"], nested)
            (self.tmp / "e.db").unlink()

    def test_floor_positions_at_the_edge_of_what_can_be_said(self):
        """Neighbours of the outermost positions cannot exist; nothing wraps around (a failure under the sanitizers)."""
        self.ok("topo", "mesh:dims=2:2", "-o", self.tmp / "m.json")
        fabric = json.loads((self.tmp / "m.json").read_text())
        edge = [[2**31 - 1, 2**31 - 1], [-2**31, 2**31 - 1], [2**31 - 1, -2**31], [-2**31, -2**31]]
        for switch, xy in zip(fabric["switches"], edge):
            switch["xy"] = xy
        path = self.tmp / "edge.json"
        path.write_text(json.dumps(fabric))
        self.assertTrue(self.json("check", path, "-r", "loren")["delivered"])

    def test_hint_of_a_floor_names_its_width(self):
        self.refused("check", "jellyfish:N=64,d=4", "-r", "loren", says=["loren:grid=8"])

    def test_wrong_requests(self):
        self.refused("check", "ring:n=5", says="--routing")
        self.refused("check", "ring:n=5", "-r", "dmodk", says=["torus", "updown"])
        self.refused("check", "ring:n=5", "-r", "updwon", says="did you mean 'updown'?")
        self.refused("check", "ring:n=5", "-r", "updown", "--vc", "hopclas", says="did you mean 'hopclass'?")
        self.refused("check", "ring:n=5", "-r", "updown", "--vcs", "999", says="--vcs")
        self.refused("check", "ring:n=9", "-r", "minimal", "--vc", "hopclass", "--vcs", "2", says=["needs 4 VCs", "4 VCs would do"])
        self.refused("check", "mesh:dims=3:3", "-r", "updown", "--vc", "dateline", says=["torus", "hopclass"])
        self.refused("check", "karytree:k=8,n=3", "-r", "dmodk", "--vc", "voqnet", says=["512", "256"])


if __name__ == "__main__":
    unittest.main()
