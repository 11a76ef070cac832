"""docs/reproductions.md: what it records of the papers' claims is what a run says, and each fails with other results or says that it is weak. Some of the studies, with IKAT_TEST_ALL all of them."""
import csv
import os
import re
import unittest

from harness import SOURCE, CliTest, run

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
SECONDS = 60  # of processor time, without IKAT_TEST_ALL


def unquote(cell):
    return cell.strip().replace("\\|", "|")


def recorded():
    """Of each entry its claims and verdicts, in order."""
    entries, rows = {}, None
    for line in (SOURCE / "docs/reproductions.md").read_text(encoding="utf-8").split("\n## Full scale\n")[0].splitlines():
        if line.startswith("### "):
            rows = entries.setdefault(line[4:].split(":")[0], [])
        elif line.startswith("| ") and not line.startswith(("| verdict |", "| --- |")):
            cells = [unquote(c) for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            rows.append((cells[1], "not asked" if cells[0] in ("full", "middle") else cells[0]))
    return entries


class Recorded(CliTest):
    def choose(self):
        """Entries by study: of every paper the cheapest study, as many as there is time for."""
        studies, chosen, spent = {}, {}, 0
        for e in self.json("reproduce", "--list"):
            paper = e["name"].split("/")[0]
            studies.setdefault((e["scales"]["quick"]["seconds"], paper, e["experiment"]), []).append(e["name"])
        for (seconds, paper, name), entries in sorted(studies.items()):
            if ALL or (spent + seconds <= SECONDS and paper not in {p for p, _ in chosen}):
                chosen[paper, name] = entries
                spent += seconds
        return chosen

    def test_verdicts(self):
        known, chosen, found = recorded(), self.choose(), {}
        self.assertGreater(len(chosen), 1)
        done = run("reproduce", *(f"{paper}/{name}" for paper, name in chosen), "-q", "-o", self.tmp / "made", timeout=5000)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.tmp / "made/claims.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["blind"]:
                    self.assertNotEqual(row["weak"], "", f"{row['name']}: '{row['claim']}' would also hold {row['blind']}. Ask more, or say why it is weak")
                found.setdefault(row["name"], []).append((" ".join(row["claim"].split()), row["verdict"]))
        for name in (n for entries in chosen.values() for n in entries):
            with self.subTest(name):
                self.assertIn(name, known, "not in docs/reproductions.md: make it anew with tools/make_reproductions.py")
                self.assertEqual(found[name], known[name], "a verdict has changed: look why, then make docs/reproductions.md anew")
        self.assertEqual(done.returncode, 0, "a claim differs, and the experiment does not say why")

    def test_every_entry(self):
        """Is recorded, and nothing that is no entry."""
        known = recorded()
        self.assertEqual(sorted(known), sorted(e["name"] for e in self.json("reproduce", "--list")))
        self.assertEqual([name for name, rows in known.items() if not rows], [])


if __name__ == "__main__":
    unittest.main()
