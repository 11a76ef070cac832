"""`ikat deploy`, `ikat verify-deployed`: the folder is judged by what its own files say, read here and not by ikat."""
import collections
import json
import random
import re
import shlex
import shutil
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, run
from subnets import ALL

CLUSTER = SOURCE / "data" / "cluster96.ibnetdiscover"
FABRICS = {  # spec: routings that one lane is enough for, and those that need lanes, with their options
    "karytree:k=2,n=3": (["dmodc", "updown", "nue"], []),
    "rlft:ports=6,levels=2,fail=10%,fail_seed=1": (["dmodc", "updown", "dfsssp"], []),
    "rlft:ports=8,levels=3,fail=5%,fail_seed=3": (["dmodc", "updown"], []),
    "ring:n=5,p=2": (["updown", "nue"], [["dfsssp"], ["shortest", "--vc", "lash"], ["nue:vcs=3"]]),
    "torus:dims=5:5": (["updown", "nue"], [["dfsssp"], ["shortest", "--vc", "lash:pairs=both"], ["nue:vcs=7"]]),
    "jellyfish:N=16,d=4,p=2": (["nue"], [["dfsssp"]]),
    "pgft:m=4:4,w=1:2,p=1:2": (["dmodc", "updown"], []),
}


def guid(text):
    return int(text, 16)


class Files:
    """The tables of a folder: GUID of the switch -> LID -> port, and the LID of each GUID."""

    def __init__(self, folder):
        self.tables, self.lid_of, here = {}, {}, None
        for line in (folder / "lfts").read_text().splitlines():
            header = re.match(r"Unicast lids \[.*\] of switch Lid (\d+) guid (0x[0-9a-f]+)", line)
            entry = re.match(r"(0x[0-9a-f]+) (\d+) # (?:Switch|Channel Adapter) portguid (0x[0-9a-f]+):", line)
            if header:
                here = guid(header[2])
                self.tables[here] = {}
                self.lid_of[here] = int(header[1])
            elif entry:
                self.tables[here][guid(entry[1])] = int(entry[2])
                self.lid_of.setdefault(guid(entry[3]), guid(entry[1]))


class Deploy(CliTest):
    def deploy(self, fabric, *options, folder="out", status=0):
        return self.json("deploy", fabric, *options, "-o", self.tmp / folder, status=status)

    def cables(self, fabric):
        """(GUID of a switch, port) -> (GUID at the other end, port) for both ends of all cables, from ibnetdiscover's format."""
        path = self.tmp / "fabric.ibnetdiscover"
        self.ok("topo", fabric, "--format", "ibnetdiscover", "-o", path)
        ends, here = {}, None
        for line in path.read_text().splitlines():
            switch = re.match(r'Switch\s+\d+ "S-([0-9a-f]+)"', line)
            cable = re.match(r'\[(\d+)\]\s+"([SH])-([0-9a-f]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?', line)
            if switch:
                here = guid(switch[1])
            elif line.startswith("Ca"):
                here = None
            elif cable and here is not None:
                ends[here, int(cable[1])] = guid(cable[3]) if cable[2] == "S" else guid(cable[5])
        return ends

    def walk(self, files, ends, start, lid, target):
        """Follows the tables from a switch; the switches passed, None if the LID is not reached."""
        at, passed = start, []
        for _ in range(len(files.tables) + 2):
            passed.append(at)
            port = files.tables[at].get(lid)
            if port is None:
                return None
            if port == 0:
                return passed if at == target else None
            at = ends.get((at, port))
            if at == target and at not in files.tables:
                return passed
            if at not in files.tables:
                return None
        return None

    def check_complete(self, fabric, folder):
        """Every LID is reached from every switch."""
        files, ends = Files(folder), self.cables(fabric)
        self.assertEqual(set(files.tables), {switch for switch, _ in ends})
        for switch in files.tables:
            self.assertEqual(len(files.tables[switch]), len(files.lid_of), "an entry for each LID")
        for target, lid in files.lid_of.items():
            for switch in files.tables:
                self.assertIsNotNone(self.walk(files, ends, switch, lid, target), (hex(switch), lid))

    def test_every_lid_from_every_switch(self):
        for fabric, (one_lane, lanes) in FABRICS.items():
            for options in [[routing] for routing in one_lane] + lanes:
                with self.subTest(fabric=fabric, routing=options):
                    summary = self.deploy(fabric, "-r", *options, "--force")
                    self.assertIs(summary["proved"], True)
                    self.assertIs(summary["verdict"]["deadlock_free"], True)
                    self.assertEqual(summary["verdict"]["missing_entries"], 0)
                    self.assertEqual(summary["verdict"]["switches_unreached"], 0)
                    self.check_complete(fabric, self.tmp / "out")
                    if len(options) == 1 and options[0] in one_lane:
                        self.assertEqual(summary["lanes"], 1)
                        self.assertIs(summary["verdict"]["management_free"], True)
                        self.assertEqual(summary["unsafe_destinations"], 0)
                    else:
                        self.check_policy(self.tmp / "out", summary)
                        more = self.deploy(fabric, "-r", *options, "--query-lane", "--force")
                        self.assertIs(more["verdict"]["one_manager_free"], True)
                        self.assertEqual(more["lanes"], summary["lanes"] + (summary["verdict"]["one_manager_free"] is not True))
                        self.check_complete(fabric, self.tmp / "out")
                        self.check_policy(self.tmp / "out", more)

    def policy(self, folder):
        """Groups, rules and the default level of a policy that ikat wrote."""
        groups, rules, levels = {}, [], {}
        block = {}
        for line in (folder / "qos-policy.conf").read_text().splitlines():
            key, _, value = line.strip().partition(": ")
            if key.startswith("end-"):
                if key == "end-port-group":
                    groups[block["name"]] = {guid(item) for item in block["port-guid"].split(", ")}
                elif key == "end-qos-level":
                    levels[block["name"]] = int(block["sl"])
                elif key == "end-qos-match-rule":
                    rules.append((block["source"].split(", "), block["destination"].split(", "), block["qos-level-name"]))
                block = {}
            elif value:
                block[key] = block[key] + ", " + value if key in block else value
        return groups, rules, levels

    def check_policy(self, folder, summary):
        """The first rule that matches gives both directions of a pair one SL; data uses as many lanes as are said."""
        groups, rules, levels = self.policy(folder)
        self.assertEqual(len(rules), summary["policy"]["rules"])
        self.assertEqual(len({(*dest, name) for _, dest, name in rules}), len(rules), "sources whose rule is the same share it")
        self.assertEqual((folder / "qos-policy.conf").stat().st_size, summary["policy"]["bytes"])
        conf = dict(line.split(" ", 1) for line in (folder / "opensm.conf").read_text().splitlines())
        self.assertEqual(conf["qos"], "TRUE")
        self.assertEqual(conf["qos_policy_file"], str(folder / "qos-policy.conf"))
        self.assertEqual(conf["qos_ca_sl2vl"], conf["qos_swe_sl2vl"])
        self.assertEqual([int(vl) for vl in conf["qos_ca_sl2vl"].split(",")],
                         [sl if sl < summary["lanes"] else 0 for sl in range(16)])
        ports = set(map(guid, re.findall(r"Channel Adapter portguid (0x[0-9a-f]+)", (folder / "lfts").read_text())))
        sources = {port: {name for name, members in groups.items() if port in members} for port in ports}

        def level(a, b):
            for source, dest, name in rules:
                if sources[a] & set(source) and sources[b] & set(dest):
                    return levels[name]
            return levels["DEFAULT"]
        used = collections.Counter()
        for a in ports:
            for b in ports - {a}:
                used[level(a, b)] += 1
                self.assertEqual(level(a, b), level(b, a))
        self.assertLess(max(used), summary["lanes"])
        self.assertEqual(used[0], summary["pairs_on_sl0"])

    def test_folder_of_the_cluster(self):
        """6 blocks of 102 lines each; the files say what the commands need."""
        summary = self.deploy(CLUSTER, "-r", "dmodc")
        folder = self.tmp / "out"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["commands.txt", "fabric.json", "lfts", "root_guids", "summary.json", "summary.txt"])
        blocks = (folder / "lfts").read_text().split("Unicast lids")[1:]
        self.assertEqual([len(re.findall(r"^0x", block, re.M)) for block in blocks], [102] * 6)
        self.assertEqual(summary["entries"], 612)
        self.assertEqual(summary["lids_assigned"], 0)
        self.assertEqual(json.loads((folder / "summary.json").read_text()), summary)
        self.assertIn(f"-U {folder}/lfts", (folder / "commands.txt").read_text())
        self.assertIn("proved", (folder / "summary.txt").read_text())
        for line in (folder / "root_guids").read_text().split():
            self.assertRegex(line, r"^0x[0-9a-f]{16}$")
        self.assertEqual(len((folder / "root_guids").read_text().split()), len(summary["roots"]))

    def test_commands_are_words_of_a_shell(self):
        """Folders with blanks and quotation marks: a shell takes each as one word; OpenSM reads its options up to the end of the line."""
        folder = self.tmp / "it's a ring, $HOME"
        self.ok("deploy", "ring:n=5,p=2", "-r", "dfsssp", "-o", folder)
        commands = [shlex.split(line) for line in (folder / "commands.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertIn(["opensm", "-F", f"{folder}/opensm.conf"], commands)
        self.assertIn(["ikat", "verify-deployed", str(folder), "--lfts", "installed.lfts"], commands)
        self.assertIn(f"lfts_file {folder}/lfts\n", (folder / "opensm.conf").read_text())

    def test_ways_back(self):
        """To the deployment that is installed, unless it is replaced, or else to OpenSM's options or the kept tables."""
        def back(name, *arguments):
            self.deploy("ring:n=5,p=2", *arguments, folder=name)
            text = (self.tmp / name / "commands.txt").read_text().split("# Go back")[1]
            return next(shlex.split(line)[1:] for line in text.splitlines() if line.startswith("opensm"))
        kept = ["-R", "file,no_fallback", "-U", "before.lfts"]
        self.assertEqual(back("lanes", "-r", "dfsssp"), kept)
        self.assertEqual(back("one", "-r", "updown", "--from", self.tmp / "lanes"), ["-F", f"{self.tmp}/lanes/opensm.conf"])
        self.assertEqual(back("two", "-r", "updown", "--from", self.tmp / "one"), [*kept[:3], f"{self.tmp}/one/lfts"])
        self.assertEqual(back("three", "-r", "updown", "--from", self.tmp / "one" / "lfts"), kept)
        self.assertEqual(back("one", "-r", "updown", "--from", self.tmp / "one", "--force"), kept)

    def test_the_same_bytes_twice(self):
        for routing in ("dfsssp", "nue:vcs=3"):
            self.deploy("torus:dims=5:5", "-r", routing, "--force")
            first = {path.name: path.read_bytes() for path in (self.tmp / "out").iterdir()}
            self.deploy("torus:dims=5:5", "-r", routing, "--force", "-j", "2")
            self.assertEqual({path.name: path.read_bytes() for path in (self.tmp / "out").iterdir()}, first)

    def test_what_few_lanes_cost(self):
        summary = self.deploy("torus:dims=4:4:4,p=2", "-r", "frugal:lanes=3,prefer=load")
        trade = summary["lane_trade"]
        self.assertEqual(trade["lanes"], summary["lanes"])
        self.assertEqual(trade["max_paths"], summary["verdict"]["max_paths"])
        self.assertLessEqual(trade["lanes"], 3)
        self.assertLess(trade["max_paths"], 192)  # OpenSM's LASH: 5 lanes, 192
        self.assertGreater(trade["balanced_lanes"], 8)
        self.assertEqual(trade["longer_pairs"], 0)
        self.assertIn("balanced tables need", (self.tmp / "out" / "summary.txt").read_text())
        self.assertIsNone(self.deploy("ring:n=5,p=2", "-r", "updown", "--force")["lane_trade"])

    def test_fuller_than_minhop(self):
        """Why: one lane, or the routing that was named."""
        for options, why in ((("ring:n=5,p=2", "--vls", "1"), "close no cycle"), (("rlft:ports=8,levels=2", "-r", "updown"), "was named"),
                             (("rlft:ports=8,levels=2",), None)):
            line = re.search(r"^  fuller .*", self.ok("deploy", *options, "--dry-run"), re.MULTILINE)
            self.assertEqual(line is not None and str(why) in line[0], why is not None, line)

    def test_written_tables_are_those_of_route(self):
        self.deploy("rlft:ports=8,levels=3,fail=5%,fail_seed=3", "-r", "dmodc")
        tables = self.ok("route", "rlft:ports=8,levels=3,fail=5%,fail_seed=3", "-r", "dmodc", "--format", "lft")
        self.assertEqual((self.tmp / "out" / "lfts").read_text(), tables)

    def test_folders_that_hold_files(self):
        folder = self.tmp / "out"
        self.deploy("ring:n=5,p=2", "-r", "dfsssp")
        self.assertTrue((folder / "qos-policy.conf").exists())
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        (folder / "notes").write_text("mine\n")
        self.refused("deploy", "ring:n=5,p=2", "-r", "updown", "-o", folder, says=["holds files", "--force"])
        self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir() if path.name != "notes"}, before)
        self.deploy("ring:n=5,p=2", "-r", "updown", "--force")
        self.assertFalse((folder / "qos-policy.conf").exists(), "of the earlier deployment")
        self.assertEqual((folder / "notes").read_text(), "mine\n")
        self.refused("deploy", "ring:n=5,p=2", "-r", "updown", "-o", folder / "lfts", says="folder")
        self.refused("deploy", "ring:n=5,p=2", "-r", "updown", "-o", self.tmp / "no" / "where", says="cannot be made")
        (self.tmp / "empty").mkdir()
        self.deploy("ring:n=5,p=2", "-r", "updown", folder="empty/")
        self.assertEqual(sorted(path.name for path in self.tmp.iterdir() if path.is_dir()), ["empty", "out"])

    def test_folders_are_replaced_whole_or_not_at_all(self):
        """A step that fails after the old folder was set aside: everything is as before. Others' files, folders and modes stay."""
        folder = self.tmp / "out"
        self.deploy("ring:n=5,p=2", "-r", "dfsssp")
        (folder / "mine").mkdir()
        (folder / "mine" / "notes").write_text("mine\n")
        for i in range(20):
            (folder / f"note{i}").write_text(f"{i}\n")
        folder.chmod(0o750)
        (folder / "update_order").mkdir()  # the name of a file of a deployment

        def everything():
            return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
        before = everything()
        done = run("deploy", "ring:n=5,p=2", "-r", "updown", "--force", "-o", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("update_order: cannot be replaced", done.stderr)
        self.assertEqual(everything(), before)
        self.assertEqual(list(self.tmp.iterdir()), [folder])
        (folder / "update_order").rmdir()
        (self.tmp / "link").symlink_to(folder)
        self.deploy("ring:n=5,p=2", "-r", "updown", "--force", folder="link")
        self.assertTrue((self.tmp / "link").is_symlink())
        self.assertEqual(sorted(path.name for path in self.tmp.iterdir()), ["link", "out"])
        after = everything()
        self.assertNotIn("qos-policy.conf", after)
        self.assertNotEqual(after["lfts"], before["lfts"])
        for name in ("mine/notes", "note0", "note19"):
            self.assertEqual(after[name], before[name])
        self.assertEqual(folder.stat().st_mode & 0o777, 0o750)

    def test_without_descriptors(self):
        """Wherever no more files can be opened, nothing is left beside the target."""
        statuses = set()
        for limit in range(4, 13):
            folder = self.tmp / f"limit{limit}"
            folder.mkdir()
            done = subprocess.run(["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", IKAT, "deploy", "ring:n=5", "-r", "updown", "-o", folder / "out"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
            statuses.add(done.returncode)
            self.assertEqual([path.name for path in folder.iterdir()], ["out"] if done.returncode == 0 else [], done.stderr)
        self.assertEqual(statuses, {0, 2})

    def test_what_cannot_be_proved(self):
        """One lane on a ring: refused, nothing is left; with --unproved it says so wherever it can be read."""
        done = run("deploy", "ring:n=5,p=2", "-r", "shortest", "-o", self.tmp / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not proved", done.stderr)
        self.assertIn("lash", done.stderr)
        self.assertEqual(list(self.tmp.iterdir()), [])
        summary = self.deploy("ring:n=5,p=2", "-r", "shortest", "--unproved")
        self.assertIs(summary["proved"], False)
        self.assertIs(summary["verdict"]["deadlock_free"], False)
        self.assertEqual(len(summary["verdict"]["credit_loop"]), 5)
        self.assertIn("UNPROVED", (self.tmp / "out" / "summary.txt").read_text())
        self.assertIn("credit loop", summary["not_proved"])

    def test_schemes_that_cannot_be_installed(self):
        out = self.tmp / "out"
        for options, says in ((["shortest", "--vc", "acro"], "acro"), (["shortest", "--vc", "lash_tor"], "lash_tor"),
                              (["dor"], "dateline"), (["shortest", "--vc", "lash:pairs=single"], "reply"),
                              (["adaptive_tree"], "adaptive_tree")):
            with self.subTest(options=options):
                fabric = "karytree:k=2,n=3" if options[0] == "adaptive_tree" else "torus:dims=4:4"
                self.refused("deploy", fabric, "-r", *options, "-o", out, says=says)
                self.assertFalse(out.exists())
        self.refused("deploy", "torus:dims=5:5", "-r", "dfsssp", "--vls", "3", "-o", out, says=["lanes, 3 are allowed", "frugal", "--vls"])
        said = self.refused("deploy", "torus:dims=20:20", "-r", "dfsssp", "-o", out, says=["lanes, 8 are allowed", "15 lanes for data", "frugal:lanes=8"])
        self.assertNotIn("--vls", said)
        self.refused("deploy", "ring:n=5", "--vc", "dfsssp", "-o", out, says="--routing")
        self.refused("deploy", "ring:n=5", "-r", "updown", says="--output")
        self.refused("deploy", "ring:n=5", "-r", "updown", "--vls", "16", "-o", out, says="15")

    def test_a_dump_that_was_cut_off(self):
        """Tables of what is left of it would be proved, and cut off the rest. A log around the dump and the ends of lines of Windows change nothing."""
        text, out = (SOURCE / "data" / "cluster96.ibnetdiscover").read_text(), self.tmp / "cut"
        sections = [match.start() for match in re.finditer(r"^switchguid=", text, re.M)]
        dump = self.tmp / "dump"
        for size in (sections[1], sections[2] + 500, sections[-1]):
            dump.write_text(text[:size])
            for options in (("-o", out), ("--dry-run",)):
                self.refused("deploy", dump, "-r", "updown", *options, says=["the dump is incomplete", "dump the whole fabric again"])
            self.assertFalse(out.exists())
        whole = self.ok("deploy", SOURCE / "data" / "cluster96.ibnetdiscover", "-r", "updown", "--dry-run", "--json")
        for other in (text.replace("\n", "\r\n"), f"$ ibnetdiscover\n{text}\n$ exit\n"):
            dump.write_text(other, newline="")
            self.assertEqual(json.loads(self.ok("deploy", dump, "-r", "updown", "--dry-run", "--json"))["verdict"], json.loads(whole)["verdict"])

    def test_engines_that_are_vc_schemes(self):
        done = run("deploy", "ring:n=5,p=2", "-r", "lash", "-o", self.tmp / "out", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'lash' is a VC scheme: taken as --routing shortest --vc lash", done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual((summary["routing"], summary["vc"], summary["lanes"]), ("shortest", "lash:pairs=both", 2))
        self.refused("check", "ring:n=5", "-r", "lash", says="'lash' is a VC scheme: --routing shortest --vc lash")

    def test_the_best_one_is_chosen(self):
        """What an audit would install; and with --from nothing that is not better, after a failure what is proved."""
        for fabric in ("rlft:ports=8,levels=2", "rlft:ports=8,levels=3,fail=5%,fail_seed=2", "torus:dims=4:3", "dragonfly:a=4,h=1,p=2"):
            with self.subTest(fabric=fabric):
                audit = self.json("audit", fabric)
                summary = self.deploy(fabric, "--force")
                chosen = [row for row in summary["compared"] if row["chosen"]]
                self.assertEqual(chosen, [row for row in audit["compared"] if row["chosen"]])
                self.assertEqual([row["routing"] for row in chosen], [audit["proposed"]["routing"]])
                self.assertEqual((summary["routing"], summary["vc"]), (chosen[0]["routing"], chosen[0]["vc"]))
                self.assertIs(summary["proved"], True)
                text = (self.tmp / "out" / "summary.txt").read_text()
                self.assertIn("chosen", text)
                kept = run("deploy", fabric, "--from", self.tmp / "out", "-o", self.tmp / "none")
                self.assertEqual(kept.returncode, 1, kept.stderr)
                self.assertIn("keeps the installed tables", kept.stderr)
                self.assertFalse((self.tmp / "none").exists())
        self.deploy("ring:n=5,p=2", "-r", "shortest", "--unproved", folder="loops")
        mended = self.deploy("ring:n=5,p=2", "--from", self.tmp / "loops", folder="mended")
        self.assertIs(mended["proved"], True)
        self.deploy("torus:dims=4:4,p=2", "-r", "updown", folder="uneven")
        better = self.deploy("torus:dims=4:4,p=2", "--from", self.tmp / "uneven", folder="even")
        self.assertTrue(all(row["better"] for row in better["compared"] if row["chosen"]))
        self.assertEqual(self.deploy("torus:dims=4:4", "--vls", "1", "--force")["lanes"], 1)

    def test_candidates_are_judged_on_the_lanes_that_they_get(self):
        """Of any number of lanes, with a lane for queries or without: the row that was chosen says what was written; every other one says why it is not compared."""
        for fabric in ("torus:dims=4:4,p=2", "jellyfish:N=10,d=3,p=2", "rlft:ports=8,levels=2", "dragonfly:a=4,h=1,p=2"):
            for args in ((), ("--query-lane",), ("--vls", "1"), ("--vls", "2"), ("--vls", "3", "--query-lane"), ("--vls", "4", "--query-lane")):
                with self.subTest(fabric=fabric, args=args):
                    summary = self.deploy(fabric, *args, "--force")
                    (row,) = [row for row in summary["compared"] if row["chosen"]]
                    self.assertEqual((row["lanes"], row["routing"], row["vc"]), (summary["lanes"], summary["routing"], summary["vc"]))
                    most = int(args[1]) if "--vls" in args else 8
                    for row in summary["compared"]:
                        self.assertLessEqual(row["lanes"], most)
                        self.assertEqual(row["why"] is None, row["state"] == "compared", row)
        self.assertTrue(self.deploy("torus:dims=5:5", "--query-lane", "--force")["verdict"]["one_manager_free"])

    def test_the_fewest_lanes_of_equal_loads(self):
        """Another one with no more load and fewer lanes closes credit loops with the queries of one host, and the summary says so."""
        beside = 0
        for fabric in ("torus:dims=4:4,p=1", "torus:dims=4:3", "jellyfish:N=10,d=3,p=2", "slimfly:q=5,p=1"):
            summary = self.deploy(fabric, "--force")
            text = (self.tmp / "out" / "summary.txt").read_text()
            (chosen,) = [row for row in summary["compared"] if row["chosen"]]
            for row in (row for row in summary["compared"] if row["state"] == "compared"):
                if row["lanes"] < chosen["lanes"] and row["max_load"] <= chosen["max_load"] and row["saturation"] >= chosen["saturation"]:
                    self.assertEqual((row["one_manager_free"], chosen["one_manager_free"]), (False, True), (fabric, row))
                    beside += 1
                self.assertRegex(text, rf"{row['routing']} .*, {row['lanes']} lanes?{'' if row['one_manager_free'] else ', and one more for .*queries'}\n")
        self.assertGreater(beside, 0)

    def test_installed_tables_without_service_levels(self):
        """They are judged as on one lane, and it is said: of tables, not of a folder, which has the levels."""
        for fabric, routing in (("torus:dims=4:4,p=2", "dfsssp"), ("rlft:ports=8,levels=2", "dmodc")):
            self.deploy(fabric, "-r", routing, "--force", folder="now")
            for given, assumed in ((self.tmp / "now" / "lfts", True), (self.tmp / "now", False)):
                with self.subTest(given=given):
                    summary = self.deploy(fabric, "-r", "updown", "--from", given, "--force", folder="then")
                    self.assertIs(summary["update"]["lane_assumed"], assumed)
                    self.assertIs("has no service levels" in (self.tmp / "then" / "summary.txt").read_text(), assumed)
                    kept = run("deploy", fabric, "--from", given, "-o", self.tmp / "none")
                    if kept.returncode == 1:
                        self.assertIs("without service levels: judged" in kept.stderr, assumed)
                    else:
                        self.assertEqual(kept.returncode, 0, kept.stderr)
                        shutil.rmtree(self.tmp / "none")

    def test_hosts_that_cannot_be_reached(self):
        """The smaller part of a fabric in two parts is listed: exit status 1."""
        edges = self.tmp / "two.edges"
        edges.write_text("0 1\n1 2\n2 0\nh0 0\nh1 1\nh2 2\n3 4\nh3 3\nh4 4\n")
        summary = self.deploy(edges, "-r", "updown", status=1)
        self.assertEqual(len(summary["left_out"]), 2)
        self.assertIs(summary["proved"], True)
        text = (self.tmp / "out" / "summary.txt").read_text()
        self.assertIn("2 hosts cannot be reached", text)

    # ---- after a failure

    def dependencies(self, tables, ends, ports):
        """Channels (switch, port) that hosts' packets to these LIDs can hold, and what each waits for. tables: those of a switch, several."""
        waits = {}
        senders = {switch for (switch, _), far in ends.items() if far not in tables}
        for target, lid in ports.items():
            seen, todo = set(), list(senders)
            while todo:
                at = todo.pop()
                if at in seen:
                    continue
                seen.add(at)
                for port in {table.get(lid) for table in tables[at]}:
                    far = ends.get((at, port))
                    if port is None or far not in tables:
                        continue
                    todo.append(far)
                    waits.setdefault((at, port), set())
                    for onward in {table.get(lid) for table in tables[far]}:
                        if onward and ends.get((far, onward)) in tables:
                            waits[at, port].add((far, onward))
        return waits

    def is_acyclic(self, waits):
        ahead = collections.Counter(onward for all_of in waits.values() for onward in all_of)
        free, taken = [channel for channel in waits if not ahead[channel]], 0
        while free:
            channel = free.pop()
            taken += 1
            for onward in waits.get(channel, ()):
                ahead[onward] -= 1
                if not ahead[onward]:
                    free.append(onward)
        return taken == len(set(waits) | set(ahead))

    def test_few_entries_change(self):
        """Two links of a tree fail; what is changed, and each step of the update, is worked out here."""
        fabric = "rlft:ports=8,levels=3"
        self.deploy(fabric, "-r", "dmodc", folder="old")
        failed = self.tmp / "failed"
        failed.write_text("# two links\nsw0[5]\n\nsw40[3]  \n")
        new = self.deploy(fabric, "-r", "dmodc", "--from", self.tmp / "old", "--failed", failed, folder="new")
        plain = self.deploy(fabric, "-r", "dmodc", "--failed", failed, folder="plain")
        before, after, fresh = (Files(self.tmp / name) for name in ("old", "new", "plain"))

        def differences(files):
            return sum(before.tables[switch].get(lid) != files.tables[switch].get(lid)
                       for switch in before.tables for lid in before.lid_of.values())
        update = new["update"]
        self.assertIs(new["proved"], True)
        self.assertIsNone(plain["update"])
        self.assertIs(update["repaired"], True)
        self.assertEqual(update["changed"] + update["added"] + update["removed"], differences(after))
        self.assertLess(differences(after), differences(fresh))
        switches = sorted(before.tables, key=before.lid_of.get)
        ends = self.without(self.cables(fabric), (switches[0], 5), (switches[40], 3))
        self.check_walks(after, ends)
        self.check_order(update, before, after, ends)

    def test_few_entries_change_beside_old_ones(self):
        """Where a routing's new entries close a cycle with the old ones, others lead to these: few change all the same, and in batches."""
        draw, seen, shares = random.Random(3), collections.Counter(), []
        for spec, routing in (("torus:dims=3:3:3,p=1", "nue"), ("torus:dims=4:4,p=1", "frugal"), ("hyperx:dims=3:3:3,p=1", "nue"),
                              ("slimfly:q=5,p=1", "nue"), ("mlfm:h=3", "frugal"), ("dragonfly:p=1,a=4,h=2", "nue"), ("oft:k=3", "nue")):
            lane = ("-r", routing, "--vls", "1", "--force")
            self.deploy(spec, *lane, folder="old")
            before, cables = Files(self.tmp / "old"), self.cables(spec)
            inner = sorted(end for end, far in cables.items() if far in before.tables)
            for at, port in draw.sample(inner, 3):
                failed = self.tmp / "failed"
                failed.write_text(f"{at:#x}[{port}]\n")
                with self.subTest(spec=spec, routing=routing, failed=failed.read_text()):
                    if run("deploy", spec, *lane, "--failed", failed, "-o", self.tmp / "plain").returncode:
                        seen["two lanes"] += 1
                        continue
                    most = json.loads((self.tmp / "plain" / "summary.json").read_text())["verdict"]["max_paths"]
                    new = self.deploy(spec, *lane, "--from", self.tmp / "old", "--failed", failed, folder="new")
                    update, after = new["update"], Files(self.tmp / "new")
                    ends = self.without(cables, (at, port))
                    self.assertIs(new["proved"], True)
                    self.check_walks(after, ends)
                    self.check_order(update, before, after, ends)
                    seen[update["repaired"], update["mixing"]] += 1
                    if update["repaired"]:
                        shares.append(update["changed"] / new["entries"])
                        self.assertLessEqual(new["verdict"]["max_paths"], 1.5 * most)
        self.assertGreaterEqual(len(shares), 16, seen)
        self.assertLess(max(shares), 0.1, seen)
        # where rows had to make room for others, old and new entries together may close a cycle, as with the routing's own tables
        self.assertLessEqual(seen[True, "no_order"], 2, seen)

    def test_few_levels_change(self):
        """With several lanes, after one failed cable and after the next one: pairs whose paths stay keep their levels, and what is written is proved here."""
        draw, seen = random.Random(4), collections.Counter()
        for spec, *options in (("torus:dims=4:4:4,p=1", "-r", "shortest", "--vc", "lash"), ("dragonfly:p=1,a=4,h=2", "-r", "lash"), ("slimfly:q=5,p=1", "-r", "lash"),
                               ("hyperx:dims=3:3:3,p=1", "-r", "dfsssp"), ("jellyfish:N=24,d=4,p=2", "-r", "lash"), ("torus:dims=5:5,p=2", "-r", "nue:vcs=7", "--query-lane"),
                               ("dragonfly:p=2,a=4,h=2", "-r", "dfsssp", "--vls", "4"), ("jellyfish:N=24,d=4,p=2", "-r", "nue:vcs=3")):
            self.deploy(spec, *options, "--force", folder="old")
            before, ends = Files(self.tmp / "old"), self.cables(spec)
            inner, cut = sorted(end for end, far in ends.items() if far in before.tables), []
            for again in ("once", "twice"):
                at, port = draw.choice([end for end in inner if end in ends])
                cut.append(f"{at:#x}[{port}]\n")
                (self.tmp / "failed").write_text("".join(cut))
                with self.subTest(spec=spec, failed=cut):
                    new = self.deploy(spec, *options, "--force", "--from", self.tmp / "old", "--failed", self.tmp / "failed", folder="new")
                    plain = self.deploy(spec, *options, "--force", "--failed", self.tmp / "failed", folder="plain")
                    self.assertLessEqual(new["lanes"], plain["lanes"] + 2)
                    ends, update = self.without(ends, (at, port)), new["update"]
                    after, lanes = Files(self.tmp / "new"), self.lanes_of(self.tmp / "new")
                    self.check_walks(after, ends)
                    self.check_policy(self.tmp / "new", new)
                    self.assertLessEqual(new["lanes"], int(options[options.index("--vls") + 1]) if "--vls" in options else 8)
                    changed, moved, compared = self.check_lanes(before, self.lanes_of(self.tmp / "old"), after, lanes, ends)
                    self.assertEqual(changed, update["levels_changed"])
                    self.assertEqual(update["levels_kept"] + changed, compared)
                    seen[update["repaired"]] += 1
                    if update["repaired"]:
                        self.assertLess(update["changed"], 0.1 * new["entries"])
                        self.assertLess(changed, 0.1 * len(lanes))
                        self.assertLess(moved, 0.05 * len(lanes))
                shutil.rmtree(self.tmp / "old")
                shutil.copytree(self.tmp / "new", self.tmp / "old")
                before = after
        self.assertGreaterEqual(seen[True], 13, seen)

    def test_two_lanes_more_where_one_does_not_do(self):
        """Old tables with four lanes do not take all pairs whose paths change; with five they do, and little else changes."""
        spec, seen = "torus:dims=8:8,p=1", collections.Counter()
        self.deploy(spec, "-r", "frugal", "--force", folder="old")
        before, ends = Files(self.tmp / "old"), self.cables(spec)
        old = self.lanes_of(self.tmp / "old")
        inner = sorted(end for end, far in ends.items() if far in before.tables)
        for at, port in random.Random(5).sample(inner, 4):
            (self.tmp / "failed").write_text(f"{at:#x}[{port}]\n")
            with self.subTest(failed=f"{at:#x}[{port}]"):
                new = self.deploy(spec, "-r", "frugal", "--force", "--from", self.tmp / "old", "--failed", self.tmp / "failed", folder="new")
                plain = self.deploy(spec, "-r", "frugal", "--force", "--failed", self.tmp / "failed", folder="plain")
                self.assertIs(new["update"]["repaired"], True)
                self.assertLess(new["update"]["changed"], 0.1 * new["entries"])
                self.assertLessEqual(new["lanes"], plain["lanes"] + 2)
                left, lanes = self.without(ends, (at, port)), self.lanes_of(self.tmp / "new")
                self.check_walks(Files(self.tmp / "new"), left)
                changed, moved, _ = self.check_lanes(before, old, Files(self.tmp / "new"), lanes, left)
                self.assertEqual(changed, new["update"]["levels_changed"])
                self.assertLess(changed, 0.1 * len(lanes))
                self.assertLess(moved, 0.05 * len(lanes))
                seen[new["lanes"]] += 1
        self.assertGreater(seen[5], 0, seen)

    def test_cuts_by_lanes(self):
        """Fabrics with 1, 2, 4 and 8 lanes, two cuts after each other: what is written is proved here, and beyond the entries that led into a cable a
        tenth of all change at most, and a twentieth of the levels of pairs whose paths stay: more in few cases, where queries need lane 0."""
        draw, seen, bad = random.Random(34), collections.Counter(), []
        specs = ("torus:dims=4:4,p=2", "hyperx:dims=3:3:3,p=1", "jellyfish:N=24,d=4,p=2", "dragonfly:p=1,a=4,h=2", "slimfly:q=5,p=1", "rlft:ports=8,levels=2")
        cases = [(spec, routing, vls) for spec in specs for routing in ("frugal", "nue", "dfsssp") for vls in (1, 2, 4, 8)]
        for spec, routing, vls in cases if ALL else [*draw.sample(cases, 6), ("hyperx:dims=3:3:3,p=1", "frugal", 8)]:
            options = ("-r", routing, "--vls", str(vls), "--force")
            if run("deploy", spec, *options, "-o", self.tmp / "old").returncode:
                seen["too few lanes"] += 1
                continue
            before, ends, cut = Files(self.tmp / "old"), self.cables(spec), []
            inner = sorted(end for end, far in ends.items() if far in before.tables)
            for _ in range(2):
                at, port = draw.choice([end for end in inner if end in ends])
                ends = self.without(ends, (at, port))
                cut.append(f"{at:#x}[{port}]\n")
                (self.tmp / "failed").write_text("".join(cut))
                with self.subTest(spec=spec, routing=routing, vls=vls, failed=cut):
                    done = run("deploy", spec, *options, "--from", self.tmp / "old", "--failed", self.tmp / "failed", "-o", self.tmp / "new")
                    if done.returncode:
                        self.assertIn("lanes", done.stderr)
                        break
                    new, after = json.loads((self.tmp / "new" / "summary.json").read_text()), Files(self.tmp / "new")
                    self.check_walks(after, ends)
                    self.assertLessEqual(new["lanes"], vls)
                    must = sum(self.walk(before, ends, switch, lid, target) is None for target, lid in before.lid_of.items() for switch in before.tables)
                    seen[new["update"]["repaired"]] += 1
                    few = new["update"]["changed"] - must < 0.1 * new["entries"]
                    bad += [] if few else [(spec, routing, vls, "entries")]
                    lanes = self.lanes_of(self.tmp / "new")
                    moved = self.check_lanes(before, self.lanes_of(self.tmp / "old"), after, lanes, ends)[1]
                    bad += [(spec, routing, vls, "levels")] if moved > 0.05 * len(lanes) else []
                    before = after
                    shutil.rmtree(self.tmp / "old")
                    shutil.move(self.tmp / "new", self.tmp / "old")
        self.assertGreaterEqual(seen[True], 0.9 * (seen[True] + seen[False]), seen)
        self.assertLessEqual(len(bad), 0.05 * (seen[True] + seen[False]) + 1, bad)

    def lanes_of(self, folder):
        """(source, destination) -> service level, of all pairs of hosts."""
        ports = sorted(set(map(guid, re.findall(r"Channel Adapter portguid (0x[0-9a-f]+)", (folder / "lfts").read_text()))))
        if not (folder / "qos-policy.conf").exists():  # one lane
            return {(a, b): 0 for a in ports for b in ports if a != b}
        groups, rules, levels = self.policy(folder)
        groups_of = {port: {name for name, members in groups.items() if port in members} for port in ports}
        rules = [(set(source), set(dest), levels[name]) for source, dest, name in rules]
        return {(a, b): next((sl for source, dest, sl in rules if groups_of[a] & source and groups_of[b] & dest), levels["DEFAULT"])
                for a in ports for b in ports if a != b}

    def check_lanes(self, before, old, after, lanes, ends):
        """Every lane is free of cycles with packets and replies. Of pairs on different switches: those whose level changes, those of them whose
        paths both ways do not, and all that were there before."""
        switch_of = {far: at for (at, _), far in ends.items() if far not in after.tables}
        waits, changed, moved, compared = collections.defaultdict(dict), 0, 0, 0
        for (a, b), sl in lanes.items():
            same = True
            for source, target in ((a, b), (b, a)):
                path = self.walk(after, ends, switch_of[source], after.lid_of[target], target)
                same = same and all(before.tables.get(at, {}).get(before.lid_of.get(target)) == after.tables[at].get(after.lid_of[target]) for at in path)
                channels = [(at, after.tables[at][after.lid_of[target]]) for at in path[:-1]]
                for k, channel in enumerate(channels):
                    waits[sl].setdefault(channel, set()).update(channels[k + 1:k + 2])
            if switch_of[a] != switch_of[b] and (a, b) in old:
                compared += 1
                changed += old[a, b] != sl
                moved += same and old[a, b] != sl
        for sl, of_lane in waits.items():
            self.assertTrue(self.is_acyclic(of_lane), sl)
        return changed, moved, compared

    def test_lanes_when_parts_come_back(self):
        """A cable and a switch with its hosts are gone, and come back: what the routing's own tables would use is used again, and no lane more
        than they need by one is kept. Without its policy a folder's tables are compared alone."""
        for spec, *options in (("rlft:ports=8,levels=2", "-r", "dmodc"), ("torus:dims=4:4:4,p=1", "-r", "nue", "--vls", "1"), ("ring:n=9,p=2", "-r", "lash"), ("torus:dims=4:4,p=2", "-r", "dfsssp"), ("slimfly:q=5,p=1", "-r", "lash"), ("dragonfly:p=1,a=4,h=2", "-r", "nue:vcs=2")):
            whole = self.deploy(spec, *options, "--force", folder="whole")
            switches, ends = sorted(Files(self.tmp / "whole").tables), self.cables(spec)
            port = next(port for (at, port), far in sorted(ends.items()) if at == switches[2] and far in switches)
            for failed in (f"{switches[2]:#x}[{port}]\n", f"{switches[3]:#x}\n"):
                with self.subTest(spec=spec, failed=failed):
                    (self.tmp / "failed").write_text(failed)
                    self.deploy(spec, *options, "--force", "--failed", self.tmp / "failed", "--from", self.tmp / "whole", folder="cut", status=int("[" not in failed))
                    back = self.deploy(spec, *options, "--force", "--from", self.tmp / "cut", folder="back")
                    before, after = Files(self.tmp / "cut"), Files(self.tmp / "back")
                    self.check_walks(after, ends)
                    if "[" in failed:
                        self.assertIs(back["update"]["repaired"], True)
                        self.assertIn(port, after.tables[switches[2]].values())
                    if back["lanes"] > 1:
                        self.check_policy(self.tmp / "back", back)
                        changed, _, compared = self.check_lanes(before, self.lanes_of(self.tmp / "cut"), after, self.lanes_of(self.tmp / "back"), ends)
                        self.assertEqual((changed, changed + back["update"]["levels_kept"]), (back["update"]["levels_changed"], compared))
                    self.assertLessEqual(back["verdict"]["max_paths"], (1.1 if "[" in failed else 1.5) * whole["verdict"]["max_paths"])
        (self.tmp / "cut" / "qos-policy.conf").unlink()
        alone = self.deploy(spec, *options, "--force", "--from", self.tmp / "cut", folder="back")
        self.assertIsNone(alone["update"]["levels_changed"])
        self.assertFalse(alone["update"]["repaired"])
        (self.tmp / "cut" / "qos-policy.conf").write_text("qos-levels\nqos-level\nsl: x\n")
        self.refused("deploy", spec, *options, "--from", self.tmp / "cut", "-o", self.tmp / "none", says="qos-policy.conf:3")

    def without(self, ends, *cut):
        """The cables but for those in these ports, of fabrics without parallel ones."""
        left = dict(ends)
        for at, port in cut:
            back = next(end for end, far in ends.items() if end[0] == ends[at, port] and far == at)
            del left[at, port], left[back]
        return left

    def check_walks(self, files, ends):
        for target, lid in files.lid_of.items():
            for switch in files.tables:
                self.assertIsNotNone(self.walk(files, ends, switch, lid, target), (hex(switch), lid))

    def check_order(self, update, before, after, ends, folder="new"):
        """No batch has a cycle of dependencies while its switches have old and new entries, and packets of both are under way."""
        hosts = {target: lid for target, lid in after.lid_of.items() if target not in after.tables}
        changed = {switch for switch in before.tables if before.tables[switch] != after.tables[switch]}
        self.assertEqual(len(changed), update["switches"])
        batches = [changed]
        if update["mixing"] == "order":
            text = (self.tmp / folder / "update_order").read_text()
            batches = [{guid(line.split()[0]) for line in part.splitlines() if line.startswith("0x")} for part in text.split("# batch")[1:]]
            self.assertEqual([len(batch) for batch in batches], update["batches"])
            everything = {switch: (before.tables[switch], after.tables[switch]) for switch in before.tables}
            self.assertFalse(self.is_acyclic(self.dependencies(everything, ends, hosts)), "one batch would do")
        self.assertEqual(set().union(*batches), changed)
        tables = {switch: (table,) for switch, table in before.tables.items()}
        for batch in batches if update["mixing"] in ("order", "safe") else []:
            tables |= {switch: (before.tables[switch], after.tables[switch]) for switch in batch}
            self.assertTrue(self.is_acyclic(self.dependencies(tables, ends, hosts)), batch)
            tables |= {switch: (after.tables[switch],) for switch in batch}

    def test_batches_of_updates(self):
        """From one routing's tables to another's on several fabrics: some need batches, fewer than switches, and each is worked out here."""
        seen = collections.Counter()
        for spec in ("torus:dims=4:4", "torus:dims=3:3:3", "hyperx:dims=3:3,p=1", "xgft:m=4:4,w=1:4"):
            for old, new in (("updown", "nue"), ("nue", "updown")):
                with self.subTest(spec=spec, old=old):
                    self.deploy(spec, "-r", old, "--force", folder="old")
                    before = Files(self.tmp / "old")
                    update = self.deploy(spec, "-r", new, "--from", self.tmp / "old", "--force", folder="new")["update"]
                    self.check_order(update, before, Files(self.tmp / "new"), self.cables(spec))
                    seen[update["mixing"]] += 1
                    if update["mixing"] == "order":
                        self.assertLess(len(update["batches"]), update["switches"])
                        self.assertIn("blocks of 64", (self.tmp / "new" / "summary.txt").read_text())
        self.assertGreater(seen["order"], 0, seen)

    def test_from_other_tables(self):
        """Nothing changes if nothing has failed; another routing's tables are replaced; lanes are not judged."""
        spec = "torus:dims=4:4"
        self.deploy(spec, "-r", "nue", folder="old")
        same = self.deploy(spec, "-r", "nue", "--from", self.tmp / "old" / "lfts", "--force")["update"]
        self.assertEqual((same["changed"], same["added"], same["removed"], same["switches"], same["mixing"]), (0, 0, 0, 0, "safe"))
        other = self.deploy(spec, "-r", "updown", "--from", self.tmp / "old", "--force")["update"]
        self.assertEqual((other["same_routing"], other["repaired"]), (False, False))
        self.assertGreater(other["changed"], 0)
        lanes = self.deploy(spec, "-r", "nue:vcs=3", "--from", self.tmp / "old", "--force")["update"]
        self.assertEqual(lanes["mixing"], "lanes")
        self.assertIn("update", (self.tmp / "out" / "summary.txt").read_text())
        self.refused("deploy", spec, "-r", "nue", "--from", self.tmp / "none", "-o", self.tmp / "x", says="none")

    def test_lists_of_failures(self):
        failed = self.tmp / "failed"
        guid_of = f"0x{list(self.deployed_switches('ring:n=5,p=2'))[1]:016x}"
        for text, lost in (("sw1\n", 2), (f"{guid_of}\n", 2), (f"{guid_of}[1]\n", 1), ("host3\nhost3[1]\n", 1), ("\r\n# nothing\n", 0)):
            failed.write_text(text)
            summary = self.deploy("ring:n=5,p=2", "-r", "updown", "--failed", failed, "--force", status=1 if lost else 0)
            self.assertEqual(len(summary["left_out"]), lost, text)
        for text, says in (("sw9", "not 'sw9'"), ("sw1[9]", "expected a port that sw"), ("sw1[x]", "[PORT]"), ("sw1[", "name or GUID"), ("0x1[1]", "name or GUID"),
                           ("sw1[1]\n\nsw1[3][", ":3:1:"), ("]", "name or GUID"), ("[1]", "name or GUID"), ("host3[2]", "expected a port that host3 has")):
            failed.write_text(text)
            self.refused("deploy", "ring:n=5,p=2", "-r", "updown", "--failed", failed, "-o", self.tmp / "x", says=[says, str(failed)])
        self.assertFalse((self.tmp / "x").exists())

    def deployed_switches(self, fabric):
        self.deploy(fabric, "-r", "updown", folder="switches")
        return Files(self.tmp / "switches").tables

    # ---- reading back

    def test_verify(self):
        folder, lfts = self.tmp / "out", self.tmp / "out" / "lfts"
        self.deploy(CLUSTER, "-r", "dmodc")
        self.assertIs(self.json("verify-deployed", folder, "--lfts", lfts)["equal"], True)
        self.assertIs(self.json("verify-deployed", folder, "--lfts", lfts, "--fabric", CLUSTER)["equal"], True)
        lines = lfts.read_text().splitlines(keepends=True)
        entries = [number for number, line in enumerate(lines) if line.startswith("0x")]
        changed, lost = entries[7], entries[200]
        old = lines[changed]
        lid, port = re.match(r"(0x\w+) (\d+)", old).groups()
        other = 1 if int(port) != 1 else 2
        lines[changed] = old.replace(f"{lid} {port}", f"{lid} {other:03}", 1)
        lines[lost] = ""
        broken = self.tmp / "broken"
        broken.write_text("".join(lines))
        found = self.json("verify-deployed", folder, "--lfts", broken, status=1)
        self.assertEqual((found["entries"], found["entries_equal"], found["entries_different"], found["entries_missing"]),
                         (612, 610, 1, 1))
        self.assertEqual([(item["lid"], item["wanted"], item["found"]) for item in found["differences"]][0],
                         (int(lid, 16), int(port), other))
        self.assertIsNone(found["differences"][1]["found"])
        text = self.ok("verify-deployed", folder, "--lfts", broken, status=1)
        self.assertIn(f"LID {int(lid, 16)} ", text)
        self.assertIn("is NOT what was deployed", text)
        self.refused("verify-deployed", folder, says="--lfts")
        self.refused("verify-deployed", self.tmp, "--lfts", lfts, says="fabric.json")
        self.refused("verify-deployed", "", "--lfts", lfts, says="empty")
        self.refused("verify-deployed", folder, "--lfts", folder / "summary.txt", says="summary.txt")
        self.refused("verify-deployed", folder, "--lfts", lfts, "--sl2vl", lfts, says="one lane")

    def test_verify_lanes(self):
        """Maps as OpenSM dumps them, made here of the policy's lanes; one that differs is found, holes are."""
        folder = self.tmp / "out"
        summary = self.deploy("ring:n=5,p=2", "-r", "dfsssp")
        files = Files(folder)
        good = " ".join(str(sl if sl < summary["lanes"] else 0) for sl in range(16))
        text = ""
        for number, switch in enumerate(files.tables):
            text += f'Switch 0x{switch:016x}, base LID {number + 1}, "sw"\n#in out : 0 1\n'
            text += "".join(f"{a} {b} : {good}\n" for b in range(1, 5) for a in range(5)) + "#---\n\n"
        for port in files.lid_of:
            if port not in files.tables:
                text += f'Channel Adapter 0x{port:016x}, base LID 9, "h"\n0 0 : {good}\n#---\n'
        dump = self.tmp / "sl2vl"
        dump.write_text(text)
        found = self.json("verify-deployed", folder, "--lfts", folder / "lfts", "--sl2vl", dump)
        self.assertEqual((found["equal"], found["vls_different"], found["vl_holes"]), (True, 0, 0))
        dump.write_text(text.replace(f"1 2 : {good}", "1 2 : 1 " + good[2:], 1))
        found = self.json("verify-deployed", folder, "--lfts", folder / "lfts", "--sl2vl", dump, status=1)
        self.assertEqual([(item["in"], item["sl"], item["wanted"], item["found"]) for item in found["vl_differences"]], [(1, 0, 0, 1)])
        dump.write_text(text.replace(f"1 2 : {good}\n", "", 1))
        found = self.json("verify-deployed", folder, "--lfts", folder / "lfts", "--sl2vl", dump, status=1)
        self.assertEqual(found["vl_holes"], 1)
        for wrong, says in ((f"1 2 : {good} 3", "16 VLs"), (f"1 9 : {good}", "expected a port that sw"), ("1 2 : 0 1", "service level 2"),
                            (f"1 2 : 16 {good[2:]}", "0 to 15"), (f"1 2 {good}", "':'")):
            dump.write_text(text.replace(f"1 2 : {good}", wrong, 1))
            self.refused("verify-deployed", folder, "--lfts", folder / "lfts", "--sl2vl", dump, says=[says, f"{dump}:"])
        dump.write_text(f"1 2 : {good}\n")
        self.refused("verify-deployed", folder, "--lfts", folder / "lfts", "--sl2vl", dump, says="Switch")


if __name__ == "__main__":
    unittest.main()
