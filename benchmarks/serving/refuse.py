"""refuse: memory refused, the disk full, descriptors exhausted: clear answers, and a server that recovers."""
import collections
import http.client
import resource
import subprocess
import threading
import time

from client import Client, form_with_file, in_threads
from process import Gloss

MIB = 1 << 20


class Outcomes:
    """Counts answers: 200, clear errors (4xx or 5xx with a text in JSON), and everything else."""

    def __init__(self):
        self.good, self.clear, self.unclear = 0, collections.Counter(), collections.Counter()
        self.lock = threading.Lock()

    def add(self, call):
        """Counts the answer of a call and returns its body, or None if it is not 200."""
        answer, outcome = None, None
        try:
            answer = call()
        except (OSError, http.client.HTTPException) as error:
            outcome = type(error).__name__
        with self.lock:
            if outcome or answer.status != 200 and not answer.error():
                self.unclear[outcome or str(answer.status)] += 1
            elif answer.status == 200:
                self.good += 1
            else:
                self.clear[f"{answer.status} {answer.error()}"] += 1
        return answer.body if answer and answer.status == 200 else None

    def result(self):
        return {"answered": self.good, "refused": dict(self.clear), "unclear": dict(self.unclear)}


def recovers(server, body, expected, seconds=30):
    """Returns whether the server runs and gives the expected answer within a time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.exit_code is None:
        try:
            if Client(server.address, timeout=seconds).post("/translate", body).body == expected:
                return True
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    return False


def limit(server, kind, soft):
    hard = resource.prlimit(server.pid, kind)[1]
    resource.prlimit(server.pid, kind, (hard if soft is None else soft, hard))


def report(name, outcomes, recovered, server):
    row = {**outcomes.result(), "recovered": recovered, "exit_code": server.exit_code}
    state = "recovered" if recovered else f"NOT RECOVERED, exit code {server.exit_code}"
    print(f"{name}: {outcomes.good} answered, refused {dict(outcomes.clear) or 0}, "
          f"unclear {dict(outcomes.unclear) or 0}; {state}", flush=True)
    if not recovered or outcomes.unclear:
        row["log"] = "".join(server.log)[-2000:]
        print(row["log"])
    return row


def memory(options, sentences, margin, warm):
    """Lets clients send long requests while the address space may grow by `margin` bytes only."""
    with Gloss(options) as server:
        body = server.body(sentences[0])
        expected = Client(server.address).post("/translate", body).body
        long = server.body([" ".join(sentences[i:i + 20]).replace(".", ",") for i in range(0, 640, 20)])
        load = Outcomes()
        if warm:
            in_threads(options.clients, lambda _: load.add(lambda: Client(server.address).post("/translate", long)))
        limit(server, resource.RLIMIT_AS, server.status("VmSize") + margin)
        outcomes = Outcomes()
        end = time.monotonic() + options.seconds

        def send(_):
            while time.monotonic() < end and server.exit_code is None:
                outcomes.add(lambda: Client(server.address).post("/translate", long))
                outcomes.add(lambda: Client(server.address).post("/translate", body))

        in_threads(options.clients, send)
        if server.exit_code is None:
            limit(server, resource.RLIMIT_AS, None)
        recovered = recovers(server, body, expected)
        name = f"{margin / MIB:g} MiB more than {'after load' if warm else 'at the start'}"
        return name, report(f"memory, {name}", outcomes, recovered, server)


def documents(server, sentences, outcomes, clients):
    """Lets clients send documents of some 200 KiB, in both interfaces."""
    text = ("\n".join(sentences[:100]) + "\n\n" * 90_000).encode()
    languages = {"source": server.source, "target": server.target}
    deepl = {"source_lang": server.source, "target_lang": server.target}

    def send(number):
        body, headers = form_with_file(deepl if number % 2 else languages, "long.txt", text)
        path = "/v2/document" if number % 2 else "/translate_file"
        outcomes.add(lambda: Client(server.address).post(path, body, headers))

    in_threads(clients, send)


def disk(options, sentences, folder, name):
    """Sends documents to a server whose folder is too small for them."""
    place = folder / name.replace(" ", "-")
    place.mkdir()
    if name == "full disk":
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True)
        if mounted.returncode:
            print(f"disk: no right to mount: {mounted.stderr.decode().strip()}")
            return {"skipped": mounted.stderr.decode().strip()}
    try:
        with Gloss(options, "--document-folder", place) as server:
            body = server.body(sentences[0])
            expected = Client(server.address).post("/translate", body).body
            if name != "full disk":
                limit(server, resource.RLIMIT_FSIZE, 64 << 10)
            outcomes, plain = Outcomes(), Outcomes()
            documents(server, sentences, outcomes, options.clients)
            for sentence in sentences[:20]:
                plain.add(lambda: Client(server.address).post("/translate", server.body(sentence)))
            limit(server, resource.RLIMIT_FSIZE, None)
            languages = {"source": server.source, "target": server.target}
            small, headers = form_with_file(languages, "small.txt", b"A dog.\n")
            after = Outcomes()
            for _ in range(5):
                after.add(lambda: Client(server.address).post("/translate_file", small, headers))
            recovered = recovers(server, body, expected) and after.good == 5 and plain.good == 20
            row = report(f"disk, {name}", outcomes, recovered, server)
            return {**row, "texts_meanwhile": plain.result(), "small_documents_after": after.result()}
    finally:
        if name == "full disk":
            subprocess.run(["umount", place], check=True)


def descriptors(options, sentences):
    """Opens more connections than the server has descriptors, and sends a request on each."""
    count = 64
    with Gloss(options, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))) as server:
        body = server.body(sentences[0])
        expected = Client(server.address).post("/translate", body).body
        outcomes, files = Outcomes(), Outcomes()
        clients = [Client(server.address, timeout=30) for _ in range(3 * count)]
        in_threads(len(clients), lambda i: outcomes.add(lambda: clients[i].post("/translate", body)))
        # Those that were answered hold their connections, so that a document finds no descriptor for its files.
        held = [c for c in clients if c.connection.sock]
        small, headers = form_with_file({"source": server.source, "target": server.target}, "a.txt", b"A dog.\n")
        for client in held[:5]:
            files.add(lambda: client.post("/translate_file", small, headers))
        for client in clients:
            client.close()
        recovered = recovers(server, body, expected)
        row = report("descriptors", outcomes, recovered, server)
        print(f"  documents meanwhile: {files.result()}; connections that were kept: {len(held)}")
        return {**row, "kept_connections": len(held), "documents_meanwhile": files.result()}


def run(options, sentences, folder):
    rows = {}
    for warm in (True, False):
        for margin in map(float, options.margins.split(",")):
            name, row = memory(options, sentences, int(margin * MIB), warm)
            rows[f"memory, {name}"] = row
    rows["disk full"] = disk(options, sentences, folder, "full disk")
    rows["file size limited"] = disk(options, sentences, folder, "limited files")
    rows["descriptors"] = descriptors(options, sentences)
    parts = [outcome for row in rows.values() if "skipped" not in row
             for outcome in (row, row.get("documents_meanwhile", {}), row.get("small_documents_after", {}))]
    return {"cases": rows, "holds": not any(part.get("unclear") for part in parts) and
            all(part.get("recovered", True) for part in parts)}
