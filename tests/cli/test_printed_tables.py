"""The printed tables that the shipped experiments compare with: a claim about one notices when any single number of it is another one."""
import re
import unittest

from harness import SOURCE, CliTest

ROW = re.compile(r"^      - \[(.*)\]")


def rows_of(text):
    """Lines of cells, without the first row of each table: number of the line, number of the claim."""
    claim, head, found = -1, False, []
    for number, line in enumerate(text.split("\n")):
        claim += line.startswith("  - claim: ")
        row = ROW.match(line)
        if row and not head:
            found.append((number, claim))
        head = line.startswith("    cells:") or (head and not row)
    return found


def changed(line, cell):
    """The line with a tenth more in one of its numbers; None if it is 0, or no number."""
    items = ROW.match(line)[1].split(", ")
    number = re.fullmatch(r"([0-9.]+)( %)?", items[cell])
    if not number or float(number[1]) == 0:
        return None
    items[cell] = f"{1.1 * float(number[1]):.9g}{number[2] or ''}"
    return line.replace(ROW.match(line)[1], ", ".join(items))


class PrintedTables(CliTest):
    def verdicts(self, text, name):
        file = self.tmp / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        return [c["verdict"] for c in self.json("run", file, "-o", self.tmp / f"{name}.db")["claims"]]

    def test_every_row(self):
        """Of experiments without simulation: one number of each row is moved by a tenth, in turn from the first column of numbers to the last."""
        moved = 0
        for path in sorted((SOURCE / "experiments/papers").glob("00*/*.yaml")):
            text = path.read_text(encoding="utf-8")
            rows = rows_of(text)
            if "\nsimulate: false\n" not in text or not rows:
                continue
            name = f"{path.parent.name}_{path.stem}"
            before = self.verdicts(text, name)
            for at, (number, claim) in enumerate(rows):
                lines = text.split("\n")
                cells = len(ROW.match(lines[number])[1].split(", "))
                wide = "    columns:" in "\n".join(lines[:number]).rsplit("  - claim: ", 1)[1]
                line = changed(lines[number], 1 + at % (cells - 1) if wide else cells - 1)
                if line is None or before[claim] != "holds":
                    continue
                with self.subTest(path.name, line=line):
                    lines[number] = line
                    after = self.verdicts("\n".join(lines), name)
                    self.assertEqual(after[claim], "differs")
                    self.assertEqual(after[:claim] + after[claim + 1:], before[:claim] + before[claim + 1:])
                    moved += 1
        self.assertGreater(moved, 100)


if __name__ == "__main__":
    unittest.main()
