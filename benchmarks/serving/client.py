"""Clients: wrk, and connections of Python's standard library."""
import collections
import dataclasses
import http.client
import json
import math
import re
import resource
import subprocess
import threading
import time

LUA = """
local lines = {}
for line in io.lines("%s") do lines[#lines + 1] = line end
local at = 0
request = function()
  at = at + 1
  return wrk.format("POST", "/translate", {["Content-Type"] = "application/json"}, lines[at %% #lines + 1])
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %%d %%d %%f %%f %%f %%d %%d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
"""
JSON_TYPE = {"Content-Type": "application/json"}
FORM_TYPE = {"Content-Type": "application/x-www-form-urlencoded"}


def wrk(server, folder, bodies, connections, seconds):
    """Sends the bodies to POST /translate, one after the other on each connection, and returns the figures."""
    (folder / "bodies").write_bytes(b"".join(body + b"\n" for body in bodies))
    (folder / "load.lua").write_text(LUA % (folder / "bodies"))
    server_before, client_before = server.processor_seconds(), children_seconds()
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s",
                          "-s", folder / "load.lua", f"http://{server.address}"],
                         capture_output=True, text=True, check=True).stdout
    processor = server.processor_seconds() - server_before
    requests, microseconds, p50, p99, longest, refused, failed = map(
        float, re.search(r"RESULT (.*)", out).group(1).split())
    answers = requests - refused
    return {"connections": connections, "sentences_per_second": answers / (microseconds * 1e-6),
            "sentences_per_processor_second": answers / processor, "p50_ms": p50 / 1000, "p99_ms": p99 / 1000,
            "max_ms": longest / 1000, "refused": int(refused), "failed": int(failed),
            "client_processor_seconds": children_seconds() - client_before}


def wrk_text(row):
    return (f"{row['connections']:5} connections: {row['sentences_per_second']:.0f} sentences/s, "
            f"{row['sentences_per_processor_second']:.0f} per processor second, p50 {row['p50_ms']:.1f} ms, "
            f"p99 {row['p99_ms']:.1f} ms, refused {row['refused']}, failed {row['failed']}, "
            f"client {row['client_processor_seconds']:.1f} processor seconds")


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclasses.dataclass
class Answer:
    status: int
    body: bytes
    sent: float  # time at which the request had been sent

    def json(self):
        return json.loads(self.body)

    def error(self):
        """Returns the text of an error, or None if the answer is not a clear one."""
        try:
            found = self.json()
            return found.get("error") or found.get("message")
        except (ValueError, AttributeError):
            return None


class Client:
    """A connection that is kept alive. A failed request raises OSError or http.client.HTTPException."""

    def __init__(self, address, timeout=120):
        host, port = address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=timeout)

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, body, headers=JSON_TYPE):
        return self.send("POST", path, body, headers)

    def send(self, method, path, body=None, headers={}):
        try:
            self.connection.request(method, path, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            pass  # a server may answer before it has read all
        sent = time.monotonic()
        try:
            response = self.connection.getresponse()
            return Answer(response.status, response.read(), sent)
        except BaseException:
            self.close()
            raise

    def close(self):
        self.connection.close()


def form_with_file(fields, name, content):
    """Returns a body of multipart/form-data and its header."""
    parts = [f'--gloss-part\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
             for key, value in fields.items()]
    parts.append(f'--gloss-part\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode())
    return b"".join([*parts, content, b"\r\n--gloss-part--\r\n"]), {
        "Content-Type": "multipart/form-data; boundary=gloss-part"}


def in_threads(count, work):
    """Calls work(0), ..., work(count - 1), each in a thread of its own, and waits for all."""
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure_latency(address, bodies, clients, seconds):
    """Lets clients send the bodies one after the other, and returns p50, p99 and failures."""
    times, failures = [], collections.Counter()
    end = time.monotonic() + seconds

    def run(number):
        client = Client(address)
        at = number * 7919
        while time.monotonic() < end:
            begin = time.monotonic()
            try:
                status = client.post("/translate", bodies[at % len(bodies)]).status
                if status != 200:
                    failures[str(status)] += 1
            except (OSError, http.client.HTTPException) as error:
                failures[type(error).__name__] += 1
            times.append(1000 * (time.monotonic() - begin))
            at += 1

    in_threads(clients, run)
    return {"requests": len(times), "p50_ms": percentile(times, 50), "p99_ms": percentile(times, 99),
            "max_ms": max(times), "failed": sum(failures.values()), "failures": dict(failures)}


def percentile(values, percent):
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]
