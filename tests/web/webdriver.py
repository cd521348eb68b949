"""A small client of the WebDriver protocol (W3C) for chromedriver, by the standard library alone."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A headless Chromium without a network, or with one to the host `reaches`. Close it after use. FileNotFoundError:
    it is missing or does not start."""

    def __init__(self, reaches=None):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            raise FileNotFoundError("chromium or chromedriver is not installed (packages chromium, chromium-driver)")
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine
        self.base = ""
        for line in self.process.stdout:  # "ChromeDriver was started successfully on port 12345."
            if "successfully on port" in line:
                port = line.strip().rstrip(".").split()[-1]
                self.base = f"http://127.0.0.1:{port}"
                break
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND" + (f", EXCLUDE {reaches}" if reaches else ""),
            "--force-device-scale-factor=1",
        ]
        try:
            session = self.call(
                "POST",
                "/session",
                {
                    "capabilities": {
                        "alwaysMatch": {
                            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                            "goog:chromeOptions": {"binary": chromium, "args": arguments},
                        }
                    }
                },
            )
        except (OSError, RuntimeError) as error:
            self.process.kill()
            raise FileNotFoundError(f"chromium does not start here: {error}") from None
        self.session = f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from None

    def post(self, path, body=None):
        return self.call("POST", self.session + path, body or {})

    def open(self, url):
        self.post("/url", {"url": url})

    def run(self, script, *arguments):
        """Runs the body of a function, whose result comes back. Elements are passed on as they are."""
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} did not become true in {seconds} s")
            time.sleep(0.02)

    def find(self, selector):
        """Returns the id of the first element that fits."""
        return self.post("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def keys(self, text, selector):
        """Types into an element. The names of special keys are in KEYS."""
        self.post(f"/element/{self.find(selector)}/value", {"text": text})

    def actions(self, actions):
        self.post("/actions", {"actions": actions})

    def logs(self, kind="browser"):
        """Returns and clears the entries of the console ("browser") or of the network ("performance")."""
        return self.call("POST", f"{self.session}/se/log", {"type": kind})

    def command(self, name, parameters):
        """Runs a command of the DevTools protocol."""
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def show_as(self, width, dark, height=900):
        """Sets the size of the screen and the system's theme."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.command(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]},
        )

    def allow(self, permission):
        self.post("/permissions", {"descriptor": {"name": permission}, "state": "granted"})

    def picture(self, path, whole=True):
        """Writes a PNG of the whole page."""
        answer = self.command("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(answer["data"]))

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(10)


KEYS = {
    "left": "\ue012",
    "up": "\ue013",
    "right": "\ue014",
    "down": "\ue015",
    "enter": "\ue007",
    "home": "\ue011",
    "end": "\ue010",
    "tab": "\ue004",
    "escape": "\ue00c",
}
