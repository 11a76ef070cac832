"""ikat serve: the page of results in a browser while their run goes on, and what the server refuses."""
import concurrent.futures
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from browser import CHROMIUM, Browser
from harness import IKAT, CliTest, run, schema_errors, schemas

LONG = """\
title: A sweep that takes a while
fabric: "karytree:k=4,n=2"
routing: [dmodk, updown]
load: [10%, 20%, 30%, 40%, 50%, 60%]
seeds: [1, 2, 3]
measure: {warmup: 5 us, duration: 20 us}
"""
HINDRANCE = next((r.stderr for r in [run("serve", "none.db", "--for", "0.1s")] if "libmicrohttpd" in r.stderr), "")


@unittest.skipIf(HINDRANCE, HINDRANCE)
class ServeTest(CliTest):
    """A server of a results file, and requests."""

    def setUp(self):
        super().setUp()
        (self.tmp / "long.yaml").write_text(LONG)
        self.store = self.tmp / "long.db"

    @contextlib.contextmanager
    def serving(self, *names, status=0, **env):
        """The server of these files; gives the path of its page."""
        with subprocess.Popen([IKAT, "serve", *map(str, names or [self.store]), "--for", "60 min"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env={**os.environ, **env}) as process:
            try:
                self.address = process.stdout.readline().strip()
                self.server = process.pid
                self.assertRegex(self.address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$", process.stderr.read() if process.poll() else "")
                parts = urllib.parse.urlsplit(self.address)
                self.port = parts.port
                yield parts.path
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    _, said = process.communicate(timeout=300)
                finally:
                    process.kill()
        self.assertEqual((process.returncode, said), (status, ""))

    def ask(self, path, method="GET", host=None, body=None, timeout=300):
        """Status, headers and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True)
            if host != "":
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def raw(self, data, timeout=300):
        """All that comes back for these bytes, until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
            got = b""
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(1 << 16):
                    got += part
            return got

    def status(self, token):
        code, _, text = self.ask(f"{token}status")
        self.assertEqual(code, 200)
        return json.loads(text)

    def until(self, true, seconds=300):
        """Waits until something is true."""
        end = time.monotonic() + seconds
        while not (value := true()):
            self.assertLess(time.monotonic(), end, "it does not become true")
            time.sleep(0.05)
        return value

    def begin(self, *args, jobs=1, **kwargs):
        """A run in the background."""
        process = subprocess.Popen([IKAT, "run", self.tmp / "long.yaml", "-o", self.store, "-q", "-j", str(jobs), *args],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **kwargs)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_all(self, *args):
        self.ok("run", self.tmp / "long.yaml", "-o", self.store, "-q", *args)


class Pages(ServeTest):
    def test_the_page_is_that_of_the_report(self):
        """But for the line that loads the script; the script and the status are there."""
        self.run_all()
        self.ok("report", self.store, "-o", self.tmp / "page.html")
        with self.serving() as token:
            code, headers, page = self.ask(token)
            self.assertEqual((code, headers["Content-Type"], headers["Cache-Control"], headers["Referrer-Policy"]),
                             (200, "text/html; charset=utf-8", "no-store", "no-referrer"))
            line = re.search(r'<script src="live.js" data-page="(36\.0\.0\.[0-9a-f]+)"></script>\n', page)
            self.assertEqual(page.replace(line[0], ""), (self.tmp / "page.html").read_text())
            self.assertEqual(self.ask(token)[2], page)
            code, headers, data = self.ask(f"{token}data")
            self.assertEqual((code, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            elements = "".join(re.findall(r'<script type="application/[^>]*>.*?</script>\n', page))
            self.assertEqual(data.replace("\n", ""), (elements + line[0]).replace("\n", ""), "the data is that of the page")
            code, headers, script = self.ask(f"{token}live.js")
            self.assertEqual((code, headers["Content-Type"], script), (200, "text/javascript; charset=utf-8",
                             (pathlib.Path(__file__).parents[2] / "src/cli/serve/live.js").read_text()))
            answer = self.status(token)
            self.assertEqual({k: answer[k] for k in ("version", "state", "why", "page", "can_stop")},
                             {"version": 1, "state": "ended", "why": None, "page": line[1], "can_stop": False})
            expected = self.json("status", self.store)
            self.assertEqual(schema_errors(schemas()["status"], {"version": 1} | answer["status"]), [])
            for value in (expected, answer["status"]):
                value["files"][0].pop("written_seconds_ago")
            self.assertEqual(answer["status"], {k: v for k, v in expected.items() if k != "version"})

    def test_address_as_json(self):
        answer = self.json("serve", self.store, "--for", "0.1 s")
        self.assertIn(f":{answer['port']}/", answer["address"])
        others = {self.json("serve", self.store, "--for", "0.01 s")["address"].split("/")[3] for _ in range(3)}
        self.assertEqual(len({*others, answer["address"].split("/")[3]}), 4, "each start draws a token")

    def test_port(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused("serve", self.store, "--port", port, says=[str(port), "in use"])
        self.assertEqual(self.json("serve", self.store, "--port", port, "--for", "0.1 s")["port"], port)

    def test_refused(self):
        (self.tmp / "none.db").write_text("no results\n")
        self.refused("serve", self.tmp / "none.db", says="none.db")
        self.refused("serve", self.tmp / "long.yaml", says="long.yaml")
        self.refused("serve", says="argument is missing")
        self.refused("serve", self.store, "--port", "70000", says="65535")
        self.refused("serve", self.store, "--for", "soon", says="--for")

    def test_ends_by_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([IKAT, "serve", self.store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                process.stdout.readline()
                process.send_signal(number)
                process.communicate(timeout=300)
                self.assertEqual(process.returncode, 0)

    def test_results_that_come_and_go(self):
        """Not there, there, damaged, removed, there again: the page and the status say so, and nothing stays in TMPDIR."""
        scratch = self.tmp / "scratch"
        scratch.mkdir()
        with self.serving(TMPDIR=str(scratch)) as token:
            answer = self.status(token)
            self.assertEqual((answer["state"], answer["page"], answer["status"]), ("waiting", "", None))
            self.assertIn("long.db", answer["why"])
            code, _, page = self.ask(token)
            self.assertEqual(code, 503)
            self.assertIn('<script src="live.js" data-page="">', page)
            self.assertEqual(self.ask(f"{token}data")[0], 503)
            self.run_all()
            kept = self.store.read_bytes()
            self.until(lambda: self.status(token)["page"].startswith("36.0.0."))
            self.assertEqual(self.ask(token)[0], 200)
            self.store.write_bytes(kept[:4096] + b"<b>damaged</b>" * 1000)
            answer = self.until(lambda: (a := self.status(token))["state"] == "error" and a)
            self.assertIn("long.db", answer["why"])
            code, _, page = self.ask(token)
            self.assertEqual(code, 503)
            self.assertIn("long.db", page)
            self.store.unlink()
            self.until(lambda: self.status(token)["state"] == "waiting")
            self.assertEqual(self.ask(token)[0], 503)
            self.store.write_bytes(kept)
            self.until(lambda: self.status(token)["state"] == "ended")
            self.assertEqual(self.ask(token)[0], 200)
            self.assertEqual(list(scratch.iterdir()), [])

    def test_other_results_in_their_place(self):
        """A page of as many points of another experiment is another page."""
        self.run_all()
        kept, self.store = self.store, self.tmp / "other.db"
        (self.tmp / "long.yaml").write_text(LONG.replace("a while", "as long"))
        self.run_all()
        with self.serving(kept) as token:
            first = self.status(token)["page"]
            os.replace(self.store, kept)
            self.assertIn("as long", self.ask(token)[2])
            second = self.until(lambda: (page := self.status(token)["page"]) != first and page)
            self.assertIn(f'data-page="{second}"', self.ask(token)[2])

    def test_what_is_no_file(self):
        """A pipe or a device in the place of the results is refused, and does not hold up the server."""
        self.run_all()
        with self.serving() as token:
            for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
                self.store.unlink()
                make(self.store)
                self.assertIn("pipe", self.until(lambda: (a := self.status(token))["state"] == "error" and a)["why"])
                self.assertEqual(self.ask(token)[0], 503)
            self.refused("serve", self.store, says="pipe")

    def test_shards_in_a_folder(self):
        folder = self.tmp / "shards"
        folder.mkdir()
        for shard in (1, 2):
            self.ok("run", self.tmp / "long.yaml", "--shard", f"{shard}/3", "-o", folder / f"{shard}.db", "-q")
        files = [json.loads(run("status", folder / f"{i}.db", "--json").stdout)["done"] for i in (1, 2)]
        with self.serving(folder) as token:
            self.assertEqual(self.status(token)["status"]["done"], sum(files))
            self.assertIn(f'data-page="{sum(files)}.0.0.', self.ask(token)[2])
            self.ok("run", self.tmp / "long.yaml", "--shard", "3/3", "-o", folder / "3.db", "-q")
            self.until(lambda: self.status(token)["status"]["done"] == 36)
            self.assertIn('data-page="36.0.0.', self.ask(token)[2])

    def test_stop(self):
        """The run ends as by Ctrl-C, once; a run of nobody is not stopped."""
        (self.tmp / "long.yaml").write_text(LONG.replace("20 us", "100 ms"))
        with self.serving() as token:
            self.assertEqual(self.ask(f"{token}stop", "POST")[0], 409)
            process = self.begin()
            self.until(lambda: self.status(token)["can_stop"])
            code, _, text = self.ask(f"{token}stop", "POST", body=b"")
            self.assertEqual((code, text), (200, "The run was asked to stop; finished points are kept"))
            self.assertIn(self.ask(f"{token}stop", "POST")[0], (200, 409), "a second request is none to the run")
            self.assertEqual(process.wait(60), 130)
            self.assertIn("stopped by a signal", process.stderr.read())
            self.assertEqual(self.ask(f"{token}stop", "POST")[0], 409)
            self.until(lambda: self.status(token)["state"] == "stopped")
            # who only reads the file, such as this process, is left alone
            with open(self.store, "rb") as reader:
                fcntl.flock(reader, fcntl.LOCK_SH)
                self.assertEqual(self.ask(f"{token}stop", "POST")[0], 409)

    def test_other_programs_are_not_stopped(self):
        """One that holds the same lock, and even has the results in its memory, but is not ikat."""
        self.run_all()
        hold = "import fcntl, mmap, sys, time; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 0); fcntl.flock(f, 2); print(1, flush=True); time.sleep(60)"
        store = self.store.rename(self.tmp / "ikat.db")
        with self.serving(store) as token, subprocess.Popen([sys.executable, "-c", hold, store], stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            self.until(lambda: self.status(token)["can_stop"])
            self.assertEqual(self.ask(f"{token}stop", "POST")[0], 409)
            self.assertIsNone(holder.poll())
            holder.kill()

    def test_many_readers(self):
        """Several ask at once, while points come."""
        (self.tmp / "long.yaml").write_text(LONG.replace("20 us", "1 ms"))
        with self.serving() as token:
            self.begin()
            self.until(lambda: self.status(token)["page"])
            with concurrent.futures.ThreadPoolExecutor(12) as pool:
                for code, _, text in pool.map(lambda i: self.ask(token if i % 2 else f"{token}status"), range(48)):
                    self.assertEqual(code, 200)
                    self.assertTrue(text.startswith("{") or text.rstrip().endswith("</html>"))


class Hostile(ServeTest):
    """Requests of whoever can reach the port."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.made = pathlib.Path(cls.folder.name) / "long.db"
        (pathlib.Path(cls.folder.name) / "long.yaml").write_text(LONG)
        subprocess.run([IKAT, "run", f"{cls.folder.name}/long.yaml", "-o", cls.made, "-q"], check=True, stdout=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        self.store = self.made

    def alive(self, token):
        self.assertEqual(self.status(token)["state"], "ended")

    def test_paths(self):
        with self.serving() as token:
            wrong = token[:5] + ("0" if token[5] != "0" else "1") + token[6:]
            nothing = self.ask("/")[2]
            for path in ("/", "/status", "/live.js", token[:-1], token[:-2] + "/", wrong, wrong + "status", f"/{'0' * 32}/", f"/{'0' * 32}/status",
                         f"{token}../../../etc/passwd", f"{token}%2e%2e/%2e%2e/etc/passwd", f"{token}/etc/passwd", f"{token}long.db", f"{token}./", f"//{token}",
                         f"{token}status/", f"{token}status%00", f"{token}%73tatus", f"{token}statu", "/favicon.ico", f"http://127.0.0.1{token}", f"{token}" + "a" * 4000):
                with self.subTest(path=path):
                    code, headers, text = self.ask(path)
                    self.assertEqual((code, text), (404, nothing))
                    self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.alive(token)

    def test_hosts(self):
        with self.serving() as token:
            for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1@evil.example",
                         "127.0.0.1:80@evil.example", "[::1]", "0.0.0.0", "", "127.0.0.10", "localhos"):
                with self.subTest(host=host):
                    self.assertIn(self.ask(f"{token}status", host=host)[0], (400, 403))
            for host in (f"127.0.0.1:{self.port}", "localhost:8080", "LOCALHOST", "127.0.0.1"):
                with self.subTest(host=host):
                    self.assertEqual(self.ask(f"{token}status", host=host)[0], 200)

    def test_methods(self):
        with self.serving() as token:
            for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "BREW"):
                with self.subTest(method=method):
                    code, headers, _ = self.ask(token, method)
                    self.assertEqual((code, headers["Allow"]), (405, "GET, POST"))
            for method, path, allowed in (("POST", "", "GET"), ("POST", "status", "GET"), ("POST", "data", "GET"), ("GET", "stop", "POST")):
                code, headers, _ = self.ask(token + path, method)
                self.assertEqual((code, headers["Allow"]), (405, allowed))

    def test_large_requests(self):
        with self.serving() as token:
            head = f"GET {token}status HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
            for data in (head + b"X: " + b"a" * 100000 + b"\r\n\r\n", head + b"X: y\r\n" * 20000 + b"\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                         b"GET " * 20000, b"\0" * 50000, random.Random(1).randbytes(50000), b"\r\n" * 30000):
                with self.subTest(data=data[:80]):
                    self.assertNotRegex(self.raw(data)[:15], b"^HTTP/1.1 200")
            post = f"POST {token}stop HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
            self.assertNotIn(b"HTTP/1.1 200", self.raw(post + b"Content-Length: 100000000\r\n\r\n" + b"a" * 1000000))
            self.assertNotIn(b"HTTP/1.1 200", self.raw(post + b"Transfer-Encoding: chunked\r\n\r\n" + b"4000\r\n" + b"a" * 0x4000 + b"\r\n" + b"FFFFFFFFFFFFFFFFF\r\n"))
            self.alive(token)

    def test_pipelined(self):
        """A connection has one request: what follows is not read."""
        with self.serving() as token:
            one = f"GET {token}status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
            got = self.raw(one * 50)
            self.assertEqual(got.count(b"HTTP/1.1 "), 1)
            self.assertIn(b"Connection: close", got)
            self.alive(token)

    def test_bodies_of_stop(self):
        with self.serving() as token:
            self.assertEqual(self.ask(f"{token}stop", "POST", body=b"a" * 100)[0], 409)

    def test_slow_clients(self):
        """Those who send nothing, or a byte now and then, are closed within seconds, and others are answered meanwhile."""
        with self.serving() as token:
            silent = [socket.create_connection(("127.0.0.1", self.port), timeout=300) for _ in range(20)]
            slow = socket.create_connection(("127.0.0.1", self.port), timeout=300)
            began, closed = time.monotonic(), None
            head = f"GET {token}status HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ".encode() + b"a" * 400
            for i in range(len(head)):
                try:
                    slow.sendall(head[i:i + 1])
                    slow.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        if not slow.recv(1):
                            raise ConnectionResetError
                    slow.setblocking(True)
                except ConnectionError:
                    closed = time.monotonic() - began
                    break
                if i % 10 == 0:
                    self.alive(token)
                time.sleep(0.5)
            self.assertIsNotNone(closed)
            self.assertGreater(closed, 8)
            for connection in silent:
                with contextlib.suppress(ConnectionError):
                    self.assertEqual(connection.recv(1), b"")
                connection.close()
            slow.close()
            self.alive(token)

    def test_too_many_clients(self):
        """When all places are taken, further ones are turned away; the places are free again soon."""
        with self.serving() as token:
            held = [socket.create_connection(("127.0.0.1", self.port), timeout=300) for _ in range(100)]

            def answered():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    return self.ask(f"{token}status", timeout=300)[0] == 200
                return False
            self.until(answered)
            for connection in held:
                connection.close()
            self.alive(token)

    def test_only_this_machine(self):
        """It listens at 127.0.0.1 and nowhere else."""
        with self.serving():
            rows = [line.split() for table in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
            places = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{self.port:04X}")]
            self.assertEqual(places, [f"0100007F:{self.port:04X}"])


class InBrowser:
    """What a test of a page has beside its commands."""

    def setUp(self):
        super().setUp()
        home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(home.cleanup)
        self.browser = self.enterContext(Browser(home.name))


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class Live(InBrowser, ServeTest):
    """The page in a browser."""

    def see(self, script):
        """Value of an expression; None while the page is being loaded."""
        with contextlib.suppress(RuntimeError):
            return self.browser.run(script)
        return None

    def test_points_appear(self):
        """A page that waits for results shows them, then more of them, with the reader's place and choices, until the run ends."""
        (self.tmp / "long.yaml").write_text(LONG.replace("20 us", "8 ms"))
        with self.serving() as token:
            self.browser.call("Page.navigate", url=self.address)
            self.until(lambda: self.see("document.documentElement.dataset.live") == "waiting")
            process = self.begin()

            def goes_on(num):
                """Until it has more than so many points, in short steps: it waits while anybody else works, so that a slow machine never lets it end."""
                def a_step():
                    process.send_signal(signal.SIGCONT)
                    time.sleep(0.05)
                    process.send_signal(signal.SIGSTOP)
                    return ((self.status(token)["status"] or {}).get("done") or 0) > num
                self.until(a_step)
            goes_on(0)
            shown = "document.documentElement.dataset.ready === 'yes' && Number(document.querySelector('script[data-page]').dataset.page.split('.')[0])"
            first = self.until(lambda: self.see(shown))
            self.until(lambda: self.see("document.documentElement.dataset.live") == "running")
            self.until(lambda: self.see("document.querySelector('#live progress')?.value > 0"))
            self.assertRegex(self.see("document.getElementById('live').textContent"), r"Running.* of 36 points")
            # The reader goes to a section, opens and chooses something, types, and points at a plot.
            self.until(lambda: self.see("document.querySelectorAll('#points details').length"))
            self.browser.run("window.kept = 1; document.querySelectorAll('details').forEach((d) => { d.open = true; }); 1")
            self.browser.settle()
            self.browser.run("""const pick = document.querySelector("#performance select[aria-label='show']"); pick.value = 'latency_p99_ns'; pick.dispatchEvent(new Event('change'));
                window.chart = document.querySelector("#performance .plot svg");
                const field = document.querySelector("#points input[type='search']"); field.focus(); field.value = 'dmodk'; field.dispatchEvent(new Event('input')); field.setSelectionRange(1, 3); 1""")
            self.browser.settle()
            self.browser.run("""const at = document.getElementById('points').getBoundingClientRect().top; scrollTo({ top: scrollY + at + 20, behavior: 'instant' }); 1""")
            time.sleep(1)  # charts above take their height
            place = self.see("document.getElementById('points').getBoundingClientRect().top")
            self.assertTrue(-80 < place < 0, place)
            goes_on(first)
            more = self.until(lambda: (n := self.see(shown)) and n > first and n)
            self.until(lambda: abs((self.see("document.getElementById('points')?.getBoundingClientRect().top") or 1e9) - place) < 5)
            self.assertIn("points", self.see("location.hash"))
            self.assertTrue(self.see("[...document.querySelectorAll('#points details, #experiment details')].every((d) => d.open)"))
            self.assertEqual(self.see("window.kept"), 1, "the page is not loaded again")
            self.assertTrue(self.see("window.chart === document.querySelector('#performance .plot svg')"), "plots change in place")
            self.assertEqual(self.see("document.querySelector(\"#performance select[aria-label='show']\").value"), "latency_p99_ns")
            self.assertEqual(self.see("(({ ariaLabel, value, selectionStart, selectionEnd }) => [ariaLabel, value, selectionStart, selectionEnd])(document.activeElement)"),
                             ["filter rows of points", "dmodk", 1, 3])
            self.assertGreater(self.see("document.querySelectorAll(\"[data-table='points'] tbody tr\").length"), 0)
            # What is under the pointer goes on to say what it is.
            self.see("document.activeElement.blur(); document.getElementById('performance').scrollIntoView({ behavior: 'instant' }); 1")
            spot = "(() => { const r = document.querySelector('#performance .plot').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()"
            told = "[...document.querySelectorAll('#performance .plot > div')].map((d) => (d.style.opacity !== '0' && d.style.visibility !== 'hidden' ? d.textContent : '')).join('')"
            x, y = self.see(spot)
            self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            self.until(lambda: "offered load" in self.see(told))
            goes_on(more)
            more = self.until(lambda: (n := self.see(shown)) > more and n)
            self.until(lambda: "offered load" in self.see(told))
            process.send_signal(signal.SIGCONT)
            self.assertEqual(process.wait(300), 0)
            self.until(lambda: self.see(shown) == 36)
            self.assertGreater(36, more)
            self.until(lambda: self.see("document.documentElement.dataset.live") == "ended")
            self.assertFalse(self.see("[...document.querySelectorAll('#live button')].some((b) => !b.hidden)"))
            self.assertIn("36 of 36 points", self.see("document.getElementById('live').textContent"))
            time.sleep(3)
            self.assertEqual(self.see("window.kept"), 1, "the page is not loaded again")
        self.until(lambda: self.see("document.documentElement.dataset.live") == "gone")
        faults = [text for text in self.browser.console if not re.search("503|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE", text)]
        self.assertEqual(faults, [])

    def test_a_reader_is_not_disturbed(self):
        """While somebody chooses, the page stays and offers what is new; a press shows it."""
        self.run_all("--only", "load=10%")
        with self.serving():
            self.browser.open(self.address)
            self.see("window.kept = 1, window.chart = document.querySelector('#performance .plot svg'), document.querySelector('select').focus(), 1")
            self.run_all()
            offer = "[...document.querySelectorAll('#live button')].find((b) => !b.hidden)"
            self.until(lambda: self.see(f"{offer}?.textContent") == "Show 30 points more")
            time.sleep(3)
            self.assertEqual(self.see("window.kept"), 1)
            self.see(f"{offer}.click()")
            self.until(lambda: self.see("document.querySelector('script[data-page]')?.dataset.page.startsWith('36.0.0.')"))
            self.assertEqual(self.see("[window.kept, window.chart === document.querySelector('#performance .plot svg'), document.activeElement.localName]"), [1, True, "select"])
            self.assertTrue(self.see(f"!({offer})"))

    def test_stop_button(self):
        """Two presses stop the run; one does not."""
        (self.tmp / "long.yaml").write_text(LONG.replace("20 us", "100 ms"))
        with self.serving():
            process = self.begin()
            self.until(self.store.exists)
            self.browser.call("Page.navigate", url=self.address)
            button = "[...document.querySelectorAll('#live button')].find((b) => !b.hidden && /stop the run/i.test(b.textContent))"
            self.until(lambda: self.see(f"!!({button})"))
            self.until(lambda: self.see(f"{button}?.click(), {button}?.textContent") == "Press again to stop the run")
            time.sleep(1)
            self.assertIsNone(process.poll())
            # the question stands for five seconds: where the browser was slower, the second press is the first of another pair
            self.until(lambda: process.poll() is not None or self.see(f"{button}?.click(), 0"))
            self.assertEqual(process.wait(300), 130)
            self.until(lambda: self.see("document.documentElement.dataset.live") == "stopped")

    def test_damage_is_said(self):
        """The page that is shown stays, and the bar says what is wrong."""
        self.run_all()
        with self.serving():
            self.browser.open(self.address)
            self.store.write_bytes(b"damaged" * 1000)
            self.until(lambda: self.see("document.documentElement.dataset.live") == "error")
            self.assertIn("long.db", self.see("document.getElementById('live').textContent"))
            self.assertTrue(self.see("!!document.getElementById('points')"))


if __name__ == "__main__":
    unittest.main()
