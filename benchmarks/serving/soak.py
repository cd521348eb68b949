"""soak: mixed traffic for minutes, and the resident memory of the server meanwhile."""
import collections
import html
import http.client
import json
import random
import threading
import time
import urllib.parse

from client import FORM_TYPE, JSON_TYPE, Client, form_with_file
from process import Gloss

MIB = 1 << 20


class Traffic:
    """The kinds of requests. Each method sends one and raises AssertionError for an answer that is not right."""

    def __init__(self, server, sentences, seed):
        self.server, self.sentences, self.random = server, sentences, random.Random(seed)
        self.client = Client(server.address)
        self.languages = {"source": server.source, "target": server.target}
        self.deepl = {"source_lang": server.source.upper(), "target_lang": server.target.upper()}

    def some(self, least, most):
        return self.random.choices(self.sentences, k=self.random.randint(least, most))

    def sent(self, path, body, headers=JSON_TYPE, status=200):
        answer = self.client.post(path, body, headers)
        assert answer.status == status, f"{path}: {answer.status} {answer.body[:200]}"
        return answer

    def plain(self):
        answer = self.sent("/translate", self.server.body(self.some(1, 1)[0], confidence=True, alternatives=3)).json()
        assert answer["translatedText"] and "confidence" in answer

    def array(self):
        texts = self.some(1, 50)
        assert len(self.sent("/translate", self.server.body(texts)).json()["translatedText"]) == len(texts)

    def html(self):
        text = "".join(f"<p>{html.escape(s).replace(' ', ' <b>', 1)}</b></p>" for s in self.some(1, 20))
        assert "</b>" in self.sent("/translate", self.server.body(text, format="html")).json()["translatedText"]

    def tags(self):
        text = "".join(f"<p>{html.escape(s).replace(' ', ' <x>', 1)}</x></p>" for s in self.some(1, 20))
        form = urllib.parse.urlencode({"text": f"<d>{text}</d>", "tag_handling": "xml", **self.deepl}).encode()
        answer = self.sent("/v2/translate", form, FORM_TYPE).json()["translations"][0]["text"]
        assert answer.count("<x>") == text.count("<x>")

    def score(self):
        sources = self.some(1, 30)
        targets = self.sent("/translate", self.server.body(sources)).json()["translatedText"]
        pairs = [{"source": s, "target": t} for s, t in zip(sources, targets)]
        answer = self.sent("/v1/score", json.dumps({"pairs": pairs, **self.languages}).encode()).json()
        assert len(answer["pairs"]) == len(sources) and answer["pairs"][0]["alignment"]

    def alternatives(self):
        source = self.some(1, 1)[0]
        words = self.sent("/translate", self.server.body(source)).json()["translatedText"].split()
        prefix = " ".join(words[:self.random.randrange(max(1, len(words)))])
        body = json.dumps({"q": source, "prefix": prefix, **self.languages}).encode()
        assert "alternatives" in self.sent("/v1/alternatives", body).json()

    def stream(self):
        answer = self.sent("/translate", self.server.body(" ".join(self.some(1, 20))),
                           {**JSON_TYPE, "Accept": "text/event-stream"})
        assert b"event: done" in answer.body

    def document(self):
        text = "\n".join(self.some(1, 100)).encode()
        body, headers = form_with_file(self.languages, "soak.txt", text)
        link = self.sent("/translate_file", body, headers).json()["translatedFileUrl"]
        answer = self.client.get(urllib.parse.urlsplit(link).path)
        assert answer.status == 200 and answer.body.count(b"\n") == text.count(b"\n")

    def deepl_document(self):
        page = "<html><body>" + "".join(f"<p>{html.escape(s)}</p>" for s in self.some(1, 100)) + "</body></html>"
        body, headers = form_with_file(self.deepl, "soak.html", page.encode())
        answer = self.sent("/v2/document", body, headers).json()
        path, key = f"/v2/document/{answer['document_id']}", json.dumps({"document_key": answer["document_key"]})
        if self.random.random() < 0.2:
            assert self.client.send("DELETE", path, key, JSON_TYPE).status == 204
            return
        while (status := self.sent(path, key).json()["status"]) in ("queued", "translating"):
            time.sleep(0.05)
        assert status == "done" and b"</p>" in self.sent(f"{path}/result", key).body

    def leaving(self):
        client = Client(self.server.address)
        client.connection.request("POST", "/translate", self.server.body(self.some(100, 400)), JSON_TYPE)
        time.sleep(self.random.uniform(0, 0.5))
        client.close()

    def faulty(self):
        self.sent("/translate", b'{"q": ', status=400)
        self.sent("/translate", self.server.body("A dog.", format="pdf"), status=400)
        self.sent("/nowhere", b"{}", status=404)
        time.sleep(0.1)


KINDS = ("plain", "array", "html", "tags", "score", "alternatives", "stream", "document", "deepl_document", "leaving",
         "faulty")


def slope(points):
    """Returns the slope of the line of least squares."""
    n, x, y = len(points), sum(p[0] for p in points), sum(p[1] for p in points)
    square = n * sum(p[0] ** 2 for p in points) - x * x
    return (n * sum(p[0] * p[1] for p in points) - x * y) / square if square else 0.0


def run(options, sentences, _):
    counts, failures, examples = collections.Counter(), collections.Counter(), {}
    points, kinds = [], options.kinds.split(",")
    with Gloss(options, "--document-minutes", "1") as server:
        begin = time.monotonic()
        ends = threading.Event()

        def traffic(number):
            kind = kinds[number % len(kinds)]
            one = Traffic(server, sentences, number)
            while not ends.is_set():
                try:
                    getattr(one, kind)()
                    counts[kind] += 1
                except (OSError, http.client.HTTPException, AssertionError, ValueError, KeyError) as error:
                    failures[kind] += 1
                    examples.setdefault(kind, f"{type(error).__name__}: {error}"[:300])
                    time.sleep(0.1)

        threads = [threading.Thread(target=traffic, args=(i,)) for i in range(options.clients * len(kinds))]
        for thread in threads:
            thread.start()
        while time.monotonic() < begin + 60 * options.minutes:
            time.sleep(max(0, min(options.every, begin + 60 * options.minutes - time.monotonic())))
            metrics = server.metrics()
            points.append(((time.monotonic() - begin) / 60, metrics["process_resident_memory_bytes"] / MIB))
            print(f"{points[-1][0]:5.1f} min: {points[-1][1]:.1f} MiB, {metrics['process_open_fds']:.0f} descriptors, "
                  f"{sum(counts.values())} requests, {sum(failures.values())} failed", flush=True)
        ends.set()
        for thread in threads:
            thread.join()
    warm = [p for p in points if p[0] >= options.warm_up] or points[-1:]
    grows = slope(warm)
    print(f"after {options.warm_up:g} min: first {warm[0][1]:.1f} MiB, last {warm[-1][1]:.1f} MiB, "
          f"slope {grows:+.3f} MiB per minute; {dict(counts)}; failed {dict(failures)} {examples or ''}")
    return {"minutes": options.minutes, "requests": dict(counts), "failed": sum(failures.values()),
            "failures": examples, "memory_mib": [[round(t, 2), round(m, 1)] for t, m in points],
            "first_mib": warm[0][1], "last_mib": warm[-1][1], "slope_mib_per_minute": grows,
            "exit_code": server.exit_code,
            "holds": not failures and server.exit_code == 0 and warm[-1][1] <= 1.05 * warm[0][1]}
