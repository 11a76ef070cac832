"""src/report/page is what src/report/web gives: the page is made again with Node.js, where it is there, and compared byte for byte."""
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import SOURCE, CliTest

PAGE = SOURCE / "src/report/page/report_page.html"
REMEDY = "make the page again: cmake --build build/release --target report-page"

UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ETIMEDOUT", "ENOTCACHED")  # what npm calls it


class ReportPage(CliTest):
    def bundle(self, source, work):
        """Makes the page of a folder like src/report/web."""
        npm, node = shutil.which("npm"), shutil.which("node") or shutil.which("nodejs")
        if not npm or not node:
            self.skipTest("Node.js and npm are not installed")
        made = self.tmp / "page.html"
        done = subprocess.run(["cmake", f"-DNPM={npm}", f"-DNODE={node}", f"-DSOURCE={source}", f"-DWORK={work}", f"-DOUTPUT={made}", "-P",
                               SOURCE / "cmake/BundleReport.cmake"], capture_output=True, text=True, check=False)
        if "npm ci failed" in done.stderr and any(code in done.stderr for code in UNREACHABLE):
            self.skipTest("npm's registry cannot be reached")
        self.assertEqual(done.returncode, 0, done.stderr)
        return made.read_bytes()

    def test_page_is_current(self):
        work = pathlib.Path(os.environ.get("IKAT_BUILD", self.tmp)) / "report-web"
        self.assertTrue(self.bundle(SOURCE / "src/report/web", work) == PAGE.read_bytes(),
                        f"{PAGE.relative_to(SOURCE)} is out of date; {REMEDY}")

    def test_licences_are_in_the_page(self):
        """Whoever passes a report on passes on the notices of what is in it."""
        page = PAGE.read_text(encoding="ascii")
        head = page[:page.index("<style>")]
        for words in ("Apache ECharts", "Copyright 2017-2026 The Apache Software Foundation", "Copyright (c) 2017, Baidu Inc.",
                      "Copyright 2010-2016 Mike Bostock", "Copyright (c) Microsoft Corporation"):
            self.assertIn(words, head)
        self.assertEqual(page.count("<!--DATA-->"), 1)


if __name__ == "__main__":
    unittest.main()
