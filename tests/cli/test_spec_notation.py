"""Names of files with any characters, and patterns of patterns, at any depth: on the command line, in YAML, in Python, and from the
results file again."""
import csv
import io
import json
import unittest

from harness import CliTest

HEAD = "fabric: \"crossbar:n=8\"\nrouting: minimal\n"
ENDS = "measure: {until: delivered, at_most: 10 ms}\n"
GOES_ON = "load: 20%\nmeasure: {warmup: 1 us, duration: 5 us}\n"
FLOWS = "src,dst,weight\n" + "".join(f"{h},{(h + 1) % 4},1\n" for h in range(4))
NAMES = ["a,b.csv", "a,x=1.csv", "a;b.csv", "a+b.csv", "a&b.csv", "a|b.csv", "a=b.csv", "a:b.csv", "a\"b\".csv", "\"a\".csv", "it's.csv",
         "a (1).csv", "a (b.csv", "a) b.csv", " a .csv", "a\\b\\\".csv", "ä→€.csv", "50%*uniform+a@1 us=shift:by=1|x&b,pattern=(mix:\"c.csv"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Notation(CliTest):
    def results(self, text, name="e"):
        store = self.tmp / f"{name}.db"
        store.unlink(missing_ok=True)
        path = self.tmp / f"{name}.yaml"
        path.write_text(text)
        self.ok("run", path, "-o", store)
        return store

    def column(self, store, column, table="points"):
        return [row[column] for row in csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", table)))]

    def flows(self, name):
        path = self.tmp / name
        path.write_text(FLOWS)
        return path

    def test_any_name_on_the_command_line(self):
        fabric = "crossbar:n=8"
        expected = self.ok("load", fabric, "--routing", "minimal", "--traffic", f"file:path={self.flows('plain.csv')}", "--csv")
        expected = expected.split("\n", 1)[1].count("\n")
        for name in NAMES:
            with self.subTest(name=name):
                file = f"file:path={quoted(str(self.flows(name)))}"
                self.assertEqual(self.ok("load", fabric, "--routing", "minimal", "--traffic", file,
                                         "--csv").split("\n", 1)[1].count("\n"), expected)
                for traffic in (f"mix:50%*uniform+50%*({file})", f"subset:hosts=0..3,pattern=(mix:uniform+({file}))",
                                f"jobs:jobs=a=(exchange:hosts=0..3,pattern=({file}))&b@20%=(subset:pattern=(mix:uniform+(shift:by=1)),hosts=4..7)",
                                f"schedule:entries=@1 us=({file})&n@20%=(mix:uniform+(subset:hosts=0..3,pattern=({file})))"):
                    self.ok("load", fabric, "--routing", "minimal", "--traffic", traffic)

    def test_any_name_in_a_job_of_yaml_and_what_is_printed_runs(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.flows(name)
                store = self.results(
                    HEAD + "jobs:\n  - {name: a, hosts: 0..3, traffic: {family: exchange, bytes: 4 KiB, pattern: "
                    f"{{family: file, path: {json.dumps(name, ensure_ascii=False)}}}}}}}\n"
                    "  - {name: b, hosts: 4..7, load: 20%, traffic: {family: mix, members: [{pattern: uniform, share: 80%}, "
                    "{pattern: {family: hotspot, nodes: 1, fraction: 50%}, share: 20%}]}}\n" + ENDS)
                traffic = self.column(store, "traffic")
                self.assertEqual(len(traffic), 1)
                self.assertEqual(self.column(store, "name", "jobs"), ["a", "b"])
                again = self.results(HEAD + f"traffic: {json.dumps(traffic[0], ensure_ascii=False)}\n" + ENDS, "again")
                for column in ("traffic", "checksum", "packets_delivered"):
                    self.assertEqual(self.column(store, column), self.column(again, column))
                report = json.loads(self.ok("report", store, "--json"))
                self.assertEqual(report["points"][0]["traffic"], traffic[0])

    def test_any_name_in_a_schedule_of_yaml(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.flows(name)
                file = f"{{family: file, path: {json.dumps(name, ensure_ascii=False)}}}"
                store = self.results(HEAD + GOES_ON + f"schedule:\n  - {{until: 2 us, traffic: {file}}}\n"
                                     f"  - {{traffic: {{family: subset, hosts: 0..5, pattern: {{family: mix, members: "
                                     f"[{{pattern: uniform}}, {{pattern: {file}, share: 10%}}]}}}}}}\n")
                traffic = self.column(store, "traffic")[0]
                again = self.results(HEAD + GOES_ON + f"traffic: {json.dumps(traffic, ensure_ascii=False)}\n", "again")
                self.assertEqual(self.column(store, "checksum"), self.column(again, "checksum"))

    def test_a_second_run_finds_what_is_stored(self):
        self.flows(NAMES[-1])
        text = HEAD + GOES_ON + f"traffic: {{family: file, path: {json.dumps(NAMES[-1])}}}\n"
        store = self.results(text)
        before = self.ok("report", store, "--csv")
        self.ok("run", self.tmp / "e.yaml", "-o", store)
        self.assertEqual(before, self.ok("report", store, "--csv"))

    def test_refusals_quote_what_was_written(self):
        path = self.tmp / "bad.yaml"
        for text, place, what in (
                ("traffic: \"mix:uniform+(shift:by=1\"\n", "3:10", "'mix:uniform+(shift:by=1' has a '(' without its ')'"),
                ("traffic:\n  family: subset\n  pattern: 'file:path=\"a'\n", "5:12", "begins with a quote that has no other end"),
                ("traffic: {family: mix, members: [{pattern: {family: file, path: \"no & (such.csv\"}}]}\n", "3:65", "no & (such.csv")):
            path.write_text(HEAD + text + GOES_ON)
            err = self.refused("run", path)
            self.assertIn(f"bad.yaml:{place}", err)
            self.assertIn(what, err)


if __name__ == "__main__":
    unittest.main()
