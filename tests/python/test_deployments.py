"""Deployments: the folder that `Fabric.deploy` writes is that of `ikat deploy`, byte by byte; what is said of it is its summary.json; what a
subnet holds is compared as `ikat verify-deployed` does it; wrong folders, files and arguments are refused and nothing is left behind."""
import filecmp
import gc
import json
import os
import re
import signal
import subprocess
import threading

from support import CLUSTER, PythonTest, ikat, lib, np, unittest

IKAT = os.environ["IKAT"]
RING = "ring:n=5,p=2"


def command(*arguments, status=0):
    """What the command prints with --json."""
    done = subprocess.run([IKAT, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Deployments(PythonTest):
    def test_the_folder_of_the_command(self):
        """The folder and what is said of it; only the name of the folder differs."""
        for spec, options, given in ((CLUSTER, [], {}), (RING, ["-r", "dfsssp", "--vls", "4"], {"routing": "dfsssp", "vls": 4}),
                                     (RING, ["-r", "shortest", "--vc", "lash"], {"routing": "shortest", "vc": "lash"}),
                                     ("rlft:ports=8,levels=2", ["-r", "updown", "--query-lane"], {"routing": "updown", "query_lane": True})):
            with self.subTest(spec=spec, **given):
                theirs, mine = self.tmp / "theirs", self.tmp / "mine"
                expected = command("deploy", spec, *options, "-o", theirs, "--force")
                made = ikat.Fabric(spec).deploy(mine, name=str(spec), force=True, **given)
                found = made.to_dict()
                self.assertEqual(found, json.loads((mine / "summary.json").read_text(encoding="utf-8")))
                self.assertEqual({**found, "folder": ""}, {**expected, "folder": ""})
                files = sorted(path.name for path in theirs.iterdir())
                self.assertEqual(files, sorted(path.name for path in mine.iterdir()))
                same = [name for name in files if name not in ("commands.txt", "opensm.conf", "summary.txt", "summary.json")]
                self.assertEqual(filecmp.cmpfiles(theirs, mine, same, shallow=False)[0], same)
                self.of_one_kind(made, found)
                self.assertTrue(made.verify(mine / "lfts"))
        del made
        self.assert_nothing_left()

    def of_one_kind(self, made, said):
        """Members say what the dictionary says."""
        self.assertEqual((made.folder, made.routing, made.vc, made.lanes, made.proved, made.entries),
                         tuple(said[key] for key in ("folder", "routing", "vc", "lanes", "proved", "entries")))
        self.assertEqual([row._asdict() for row in made.compared], said["compared"])
        verdict = made.verdict
        for name in ("pairs", "delivered", "unconnected", "deadlock_free", "management_free", "one_manager_free", "vls_used", "max_hops"):
            self.assertEqual(getattr(verdict, name), said["verdict"][name], name)
        self.assertTrue(made and verdict and made.why_not == "")
        self.assertEqual([made.fabric.describe_port(step.channel) for step in verdict.credit_loop], [step["channel"] for step in said["verdict"]["credit_loop"]])
        self.assertEqual(int((made.tables != 255).sum()), made.entries)
        self.assertEqual(made.tables.shape, (made.fabric.num_switches, len(verdict.lids)))
        self.assertEqual([re.sub(r" \(.*", "", made.fabric.name(node)) for node in made.roots], [re.sub(r" \(.*", "", name) for name in said["roots"]])
        self.assertEqual((len(made.left_out), made.update), (0, None))
        self.assertIn(said["routing"], made.summary())
        self.assertIn("proved", repr(made))
        self.assertIn("host pairs delivered", made._repr_html_())

    def test_a_dry_run(self):
        fabric = ikat.Fabric("rlft:ports=8,levels=2")
        for folder in (None, self.tmp / "new"):
            made = fabric.deploy(folder, "dmodc", dry_run=True)
            self.assertEqual(made.to_dict(), command("deploy", "rlft:ports=8,levels=2", "-r", "dmodc", "--dry-run"))
            self.assertEqual((made.folder, bool(made)), (None, True))
            self.refused(ikat.UsageError, made.verify, self.tmp / "lfts", says="dry run")
        self.assertEqual(list(self.tmp.iterdir()), [])
        tables = made.tables
        copy = tables.copy()
        made.close()
        fabric.close()
        del made, fabric
        gc.collect()
        self.assertTrue((tables == copy).all())
        del tables
        self.assert_nothing_left()

    def test_failures_and_what_is_installed(self):
        """The command and the package repair the same entries; the fabric of the deployment is the one without what failed."""
        fabric, failed = ikat.Fabric(CLUSTER), self.tmp / "failed"
        first = fabric.deploy(self.tmp / "first", "dmodc", name=str(CLUSTER))
        self.assertIsNone(first.update)
        failed.write_text("0x0200c9a000ec0060[11]\n", encoding="utf-8")
        made = fabric.deploy(self.tmp / "second", "dmodc", failed=failed, from_=self.tmp / "first", name=str(CLUSTER))
        expected = command("deploy", CLUSTER, "-r", "dmodc", "--failed", failed, "--from", self.tmp / "first", "-o", self.tmp / "third")
        self.assertEqual({**made.to_dict(), "folder": ""}, {**expected, "folder": ""})
        self.assertTrue(made.update["same_routing"] and made.update["repaired"] and 0 < made.update["changed"] < made.update["kept"])
        self.assertEqual(made.fabric, fabric.without_failed(failed))
        self.assertEqual(made.fabric.num_links, fabric.num_links - 1)
        gc.collect()
        self.assertEqual(made.update["mixing"], expected["update"]["mixing"])
        self.refused(ikat.CheckFailed, fabric.deploy, self.tmp / "fourth", from_=self.tmp / "first", says="keeps")
        self.assertFalse((self.tmp / "fourth").exists())

    def test_hosts_that_are_left_out(self):
        fabric = ikat.Fabric("rlft:ports=8,levels=2")
        alone = fabric.degrade(switches=[0])
        made = alone.deploy(dry_run=True, routing="updown")
        self.assertFalse(made)
        self.assertEqual([alone.name(node) for node in made.left_out], [f"host{number}" for number in range(4)])
        self.assertTrue(made.proved)

    def test_what_cannot_be_proved(self):
        fabric = ikat.Fabric(RING)
        self.refused(ikat.CheckFailed, fabric.deploy, self.tmp / "new", "shortest", says="not proved")
        self.assertEqual(list(self.tmp.iterdir()), [])
        made = fabric.deploy(self.tmp / "new", "shortest", unproved=True)
        self.assertFalse(made or made.proved or made.verdict)
        self.assertIn("credit loop", made.why_not)
        self.assertEqual(len(made.verdict.credit_loop), len(made.to_dict()["verdict"]["credit_loop"]))
        self.assertGreater(len(made.verdict.credit_loop), 2)
        self.assertIn("NOT proved", repr(made))

    def maps(self, made):
        """SL i on VL i for the lanes of a deployment, as OpenSM dumps it."""
        row = " ".join(str(sl if sl < made.lanes else 0) for sl in range(16)) + "\n"
        text = ""
        for lid in made.verdict.lids:
            is_switch = lid["port"] == ikat.NONE
            text += f"{'Switch' if is_switch else 'Channel Adapter'} 0x{int(lid['guid']):016x}, base LID {lid['lid']}, \"n\"\n"
            text += "".join(f"{a} {b} : {row}" for b in range(1, 5) for a in range(5)) if is_switch else f"0 0 : {row}"
        return text

    def test_verify(self):
        """What is equal, what differs, and what maps say; as the command says it."""
        made = ikat.Fabric(RING).deploy(self.tmp / "new", "dfsssp")
        lfts, maps = made.folder + "/lfts", self.tmp / "sl2vl"
        maps.write_text(self.maps(made), encoding="utf-8")
        check = made.verify(lfts, maps)
        self.assertEqual(check.to_dict(), command("verify-deployed", made.folder, "--lfts", lfts, "--sl2vl", maps))
        self.assertTrue(check and check.vls_compared and check.entries_equal == check.entries == made.entries)
        with open(lfts, encoding="utf-8") as file:
            lines = file.read().splitlines()
        number = next(k for k, line in enumerate(lines) if re.match(r"0x\w+ 00[12] ", line))
        lines[number] = re.sub(r" 00[12] ", " 003 ", lines[number])
        changed = self.tmp / "changed.lfts"
        changed.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
        check = ikat.verify_deployed(made.folder, changed, fabric=ikat.Fabric(RING))
        self.assertEqual(check.to_dict(), command("verify-deployed", made.folder, "--lfts", changed, "--fabric", RING, status=1))
        self.assertFalse(check or check.equal)
        self.assertEqual((check.entries_different + check.entries_missing, check.vls_compared), (len(check.differences), None))
        self.assertEqual(check.differences[0].found, 3)
        self.assertIn("NOT equal", repr(check))
        self.assertIn("entries missing", check._repr_html_())
        maps.write_text(self.maps(made).replace(" 0 1 0 ", " 0 0 0 "), encoding="utf-8")
        check = made.verify(lfts, maps)
        self.assertEqual(check.to_dict(), command("verify-deployed", made.folder, "--lfts", lfts, "--sl2vl", maps, status=1))
        self.assertTrue(check.vls_different and len(check.vl_differences) == min(check.vls_different, 1000))
        self.assertEqual({row.found for row in check.vl_differences}, {0})

    def test_a_folder_whose_name_is_not_utf8(self):
        made = ikat.Fabric(RING).deploy(os.fsencode(self.tmp) + b"/\xff", "dfsssp")
        self.assertEqual(os.fsencode(made.folder), os.fsencode(self.tmp) + b"/\xff")
        self.assertTrue(made.verify(made.folder + "/lfts"))
        (repr(made) + made._repr_html_()).encode("utf-8")

    def test_wrong_files_and_folders(self):
        fabric, full = ikat.Fabric("rlft:ports=8,levels=2"), self.tmp / "full"
        full.mkdir()
        (full / "mine").write_text("x", encoding="utf-8")
        self.refused(ikat.UsageError, fabric.deploy, full, "dmodc", says="full")
        self.assertTrue(fabric.deploy(full, "dmodc", force=True))
        self.assertEqual((full / "mine").read_text(encoding="utf-8"), "x")
        self.refused(ikat.UsageError, fabric.deploy, routing="dmodc", says="folder")
        self.refused(ikat.UsageError, fabric.deploy, self.tmp / "new", vc="lash", says="VC scheme")
        self.refused(ikat.Unsupported, fabric.deploy, self.tmp / "new", "ugal_l")
        self.refused(ikat.IkatError, fabric.deploy, self.tmp / "new", "torus_of", says="torus_of")
        self.refused(ikat.FileError, fabric.deploy, self.tmp / "new", "dmodc", from_=self.tmp / "none", says="none")
        self.refused(ikat.FileError, fabric.deploy, self.tmp / "new", "dmodc", failed=self.tmp / "none", says="none")
        failed = self.tmp / "failed"
        failed.write_text("# failed\nsw0[1]\nsw99\n", encoding="utf-8")
        self.assertEqual(self.refused(ikat.InputError, fabric.deploy, self.tmp / "new", "dmodc", failed=failed, says="failed:3").line, 3)
        self.refused(ikat.FileError, ikat.verify_deployed, self.tmp / "none", full / "lfts", says="none")
        self.refused(ikat.FileError, ikat.verify_deployed, full, self.tmp / "none", says="none")
        self.refused(ikat.UsageError, ikat.verify_deployed, "", full / "lfts", says="empty")
        self.refused(ikat.InputError, ikat.verify_deployed, full, CLUSTER, says="cluster96")
        self.refused(ikat.IkatError, ikat.verify_deployed, full, full / "lfts", full / "lfts")
        self.assertFalse((self.tmp / "new").exists())

    def test_wrong_arguments(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        for wrong in ({"vls": "8"}, {"routing": 5}, {"folder": 5}, {"name": 5}, {"from_": 5}, {"failed": 5}, {"dry_run": 1}, {"force": "no"},
                      {"progress": 5}, {"cancel": 5}):
            self.refused(ikat.WrongType, fabric.deploy, says=next(iter(wrong)), **{"folder": self.tmp / "new", **wrong})
        for vls in (0, 16, 10**5000):
            self.refused(ikat.UsageError, fabric.deploy, self.tmp / "new", vls=vls, says="vls")
        self.refused(ikat.WrongType, ikat.verify_deployed, "a", "b", fabric="karytree:k=2,n=2", says="fabric")
        made = fabric.deploy(dry_run=np.bool_(True))
        made.close()
        for use in (lambda: made.folder, lambda: made.tables, made.to_dict, made.summary, lambda: bool(made), lambda: made.verdict):
            self.refused(ikat.ClosedError, use, says="closed")
        self.assertEqual(repr(made), "<ikat.Deployment: closed>")
        self.assertFalse((self.tmp / "new").exists())

    def test_ctrl_c(self):
        """At any time it raises KeyboardInterrupt; objects are freed, and the folder is there as a whole or not at all."""
        fabric = ikat.Fabric("torus:dims=4:4,p=2")
        living = lib.ikpy_living()
        for number, after in enumerate(np.linspace(0.001, 0.1, 12)):
            timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                while True:
                    made = fabric.audit() if number % 2 else fabric.deploy(self.tmp / "new", "nue", force=True)
            timer.join()
            made = None
            gc.collect()
            self.assertEqual((lib.ikpy_living(), lib.ikpy_interrupts_depth(), made), (living, 0, None))
            self.assertIn([path.name for path in self.tmp.iterdir()], ([], ["new"]))
            if (self.tmp / "new").exists():
                self.assertTrue(ikat.verify_deployed(self.tmp / "new", self.tmp / "new/lfts"))

    def test_again_and_again(self):
        """No object, no memory and no folder stays, whether it succeeds, fails, or is cancelled."""
        fabric, cancel = ikat.Fabric(RING), ikat.Cancel()
        cancel.cancel()
        kept = fabric.deploy(self.tmp / "kept", "dfsssp")

        def rounds(number):
            for _ in range(number):
                made = fabric.deploy(self.tmp / "new", "dfsssp", force=True)
                made.to_dict(), made.verdict, made.summary(), made.verify(self.tmp / "kept/lfts")  # pylint: disable=expression-not-assigned
                self.refused(ikat.CheckFailed, fabric.deploy, self.tmp / "other", "shortest")
                self.refused(ikat.Cancelled, fabric.deploy, self.tmp / "other", "dfsssp", cancel=cancel)
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1])
        before = rounds(10)
        self.assertLess(rounds(30) - before, 1024, "pages of memory that stay")
        self.assertEqual(sorted(path.name for path in self.tmp.iterdir()), ["kept", "new"])
        self.assertTrue(kept)
        del kept
        fabric.close()
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
