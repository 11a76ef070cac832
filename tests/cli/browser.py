"""A headless Chromium, driven through a pipe by the DevTools protocol (one JSON object per message, ended by a zero byte)."""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One browser with one tab. Use it in a with statement."""

    def __init__(self, folder):
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                   f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"]

        def as_3_and_4():
            os.dup2(to_read, 20)
            os.dup2(from_write, 21)
            os.dup2(20, 3)
            os.dup2(21, 4)

        self.profile = pathlib.Path(folder) / "profile"
        self.process = subprocess.Popen(command, preexec_fn=as_3_and_4, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder), "TMPDIR": str(folder)},
                                        start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.session, self.console = 0, b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to_write)
        os.close(self.from_read)
        self.process.terminate()
        self.process.wait()
        self.end_children()
        shutil.rmtree(self.profile, ignore_errors=True)

    def end_children(self, patience=300):
        """Ends what the browser has started: its children write to the profile for a while after it has gone."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            time.sleep(0.05)

    def message(self, until):
        """The next message of the browser; TimeoutError after `until`."""
        while b"\0" not in self.rest:
            if not select.select([self.from_read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.from_read, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        answer = json.loads(text)
        method, params = answer.get("method"), answer.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded":
            self.console.append(params["entry"]["text"])
        return answer

    def call(self, method, timeout=600, **params):
        """Sends a command and returns its result."""
        self.number += 1
        number, until = self.number, time.monotonic() + timeout
        data = json.dumps({"id": number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        while (answer := self.message(until)).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def run(self, script):
        """Value of a JavaScript expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def show_as(self, width, height=900, dark=False, paper=False, scale=1):
        """The size of the window in CSS pixels, the colour scheme that the reader prefers, screen or paper."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media="print" if paper else "screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, page, fragment=""):
        """Loads a file, or an address, and waits until it says that it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=(page if str(page).startswith("http:") else pathlib.Path(page).resolve().as_uri()) + fragment)
        until = time.monotonic() + 600
        while not self.run("document.documentElement?.dataset.ready === 'yes'"):
            if time.monotonic() > until:
                raise TimeoutError(f"{page} does not become ready")
            time.sleep(0.02)
        self.settle()

    def settle(self):
        """Waits until charts are drawn: they are in the frame after their size was observed."""
        self.run("new Promise((done) => { let n = 4; const next = () => (n-- ? requestAnimationFrame(next) : done(1)); next(); })")

    def picture(self, path, whole=True):
        """A PNG of the whole page or of the window."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        """The page as it is printed."""
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
