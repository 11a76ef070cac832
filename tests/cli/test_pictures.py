"""Every picture of the documents is made by one of two tools, and making it again gives what is there: the same bytes for what ikat draws, the
same look for parts of a page that a browser shows (fonts and times of day may differ)."""
import base64
import pathlib
import re
import struct
import sys
import tempfile
import unittest

from browser import CHROMIUM, Browser
from harness import IKAT, SOURCE
from kept import run_kept

sys.path.insert(0, str(SOURCE / "tools"))
import make_pictures  # noqa: E402

HOW = "python3 tools/make_pictures.py build/release/ikat"
PICTURES = {".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp"}
# The mean difference of two pictures' colours (0 to 255), each scaled to 96 x 96.
COMPARE = """(async () => {
  const load = async (data) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const pen = new OffscreenCanvas(96, 96).getContext('2d');
    pen.drawImage(image, 0, 0, 96, 96);
    return pen.getImageData(0, 0, 96, 96).data;
  };
  const a = await load('%s'), b = await load('%s');
  let sum = 0, least = 255, most = 0;
  a.forEach((v, i) => { sum += Math.abs(v - b[i]); least = Math.min(least, v); most = Math.max(most, v); });
  return [sum / a.length, most - least];
})()"""


def size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


class Pictures(unittest.TestCase):
    def test_every_picture_has_a_maker(self):
        there = {path.relative_to(SOURCE / "docs").as_posix() for path in (SOURCE / "docs").rglob("*") if path.suffix in PICTURES}
        drawn_by_the_reference = {name for name in there if re.fullmatch(r"reference/\w+\.svg", name)}  # compared by test_reference
        self.assertEqual(sorted(there - drawn_by_the_reference), make_pictures.NAMES)

    def test_every_picture_is_shown_with_a_description(self):
        shown = set()
        for document in [SOURCE / "README.md", *(SOURCE / "docs").rglob("*.md")]:
            for words, name in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", document.read_text(encoding="utf-8")):
                path = (document.parent / name).resolve()
                self.assertTrue(path.is_file(), f"{document.name}: {name}")
                self.assertTrue(words, f"{document.name}: {name} has no description")
                shown.add(path.relative_to((SOURCE / "docs").resolve()).as_posix())
        self.assertEqual(set(make_pictures.NAMES) - shown, set(), "shown nowhere")

    def test_pictures_are_small(self):
        for name in make_pictures.NAMES:
            self.assertLess((SOURCE / "docs" / name).stat().st_size, 250_000, name)

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_made_again_they_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder)
            make_pictures.make(pathlib.Path(IKAT).resolve(), again, run_kept)
            for name in make_pictures.FIGURES:
                with self.subTest(picture=name):
                    self.assertTrue((SOURCE / "docs" / name).read_bytes() == (again / name).read_bytes(), f"{name} differs: {HOW}")
            with Browser(again) as browser:
                for name in make_pictures.SHOTS:
                    with self.subTest(picture=name):
                        kept, made = SOURCE / "docs" / name, again / name
                        for a, b in zip(size(kept), size(made)):
                            self.assertLess(abs(a - b), 0.05 * a, f"{name} is {size(made)}, was {size(kept)}: {HOW}")
                        data = [base64.b64encode(path.read_bytes()).decode() for path in (made, kept)]
                        difference, contrast = browser.run(COMPARE % tuple(data))
                        self.assertLess(difference, 8, f"{name} looks different: {HOW}")
                        self.assertGreater(contrast, 100, f"{name} is empty")


if __name__ == "__main__":
    unittest.main()
