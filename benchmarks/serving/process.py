"""Server processes: gloss serve, and others that answer LibreTranslate's POST /translate."""
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from client import Client


class Process:
    """A server that listens to `address`, or prints "listening to ADDRESS" to stderr. Its block ends it."""

    def __init__(self, command, address=None, before=None, environment=None):
        self.log = []
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=before, env={**os.environ, **(environment or {})})
        self.pid = self.process.pid
        self.address = address
        if address is None:
            for line in self.process.stderr:
                self.log.append(line)
                if found := re.search(r"listening to (\S+)", line):
                    self.address = found[1]
                    break
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()
        if self.address is None:
            raise RuntimeError("the server has not started: " + "".join(self.log))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def exit_code(self):
        return self.process.poll()

    def signal(self, number):
        self.process.send_signal(number)

    def wait_until_ready(self, path, seconds):
        """Waits for status 200 of a path."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.exit_code is None:
            try:
                if Client(self.address).get(path).status == 200:
                    return
            except OSError:
                time.sleep(0.5)
        raise RuntimeError(f"the server is not ready after {seconds} s: " + "".join(self.log)[-2000:])

    def processor_seconds(self):
        """Returns the processor time of the process and its children."""
        ticks = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat.parent.name) == self.pid or int(fields[1]) == self.pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def status(self, key):
        """Returns a value of /proc/PID/status in bytes, such as VmSize."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"^{key}:\s+(\d+) kB", text, re.M)[1]) << 10


class Gloss(Process):
    """gloss serve with the model and the threads of the command line, and further options."""

    def __init__(self, options, *further, before=None):
        self.source, self.target = options.model.split("=", 1)[0].rsplit("-", 1)
        super().__init__([options.gloss, "serve", "--model", options.model, "--listen", "127.0.0.1:0",
                          *threads(options), *further], before=before)

    def metrics(self):
        """Returns the values of /metrics by name and labels."""
        lines = Client(self.address).get("/metrics").body.decode().splitlines()
        return {name: float(value) for name, value in (s.rsplit(" ", 1) for s in lines if not s.startswith("#"))}

    def body(self, q, **fields):
        return json.dumps({"q": q, "source": self.source, "target": self.target, **fields}).encode()


def threads(options):
    return ["--threads", str(options.threads)] if options.threads else []
