"""terminate: SIGTERM and SIGHUP while 64 clients send requests."""
import collections
import http.client
import signal
import threading
import time

from client import Client
from process import Gloss


class Load:
    """Clients that send requests until the block ends. Every other one connects anew for each request."""

    def __init__(self, server, sentences, clients):
        self.server = server
        self.bodies = [server.body(s) for s in sentences] + [
            server.body(sentences[i:i + 10]) for i in range(0, len(sentences), 10)]
        self.ends = threading.Event()
        self.lock = threading.Lock()
        self.answers, self.failures, self.different, self.known = [], [], 0, {}
        self.threads = [threading.Thread(target=self.send, args=(i,)) for i in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()

    def send(self, number):
        client, at = Client(self.server.address), number * 7919
        while not self.ends.is_set():
            body = self.bodies[at % len(self.bodies)]
            at += 1
            if number % 2:
                client.close()
            sent, outcome = None, None
            try:
                client.connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
                sent = time.monotonic()
                response = client.connection.getresponse()
                text = response.read()
                if response.status == 200:
                    with self.lock:
                        self.answers.append(sent)
                        self.different += self.known.setdefault(body, text) != text
                else:
                    outcome = str(response.status)
            except (OSError, http.client.HTTPException) as error:
                client.close()
                outcome = type(error).__name__
            if outcome:
                with self.lock:
                    self.failures.append((sent, outcome))
                if self.server.exit_code is not None or outcome == "ConnectionRefusedError":
                    return


def run(options, sentences, _):
    rounds = []
    for number in range(options.rounds):
        with Gloss(options) as server:
            with Load(server, sentences, options.clients) as load:
                time.sleep(options.load_seconds + 0.37 * number)
                signaled = time.monotonic()
                server.signal(signal.SIGTERM)
                exit_code = server.process.wait(60)
                drained = time.monotonic() - signaled
        lost = collections.Counter(outcome for sent, outcome in load.failures if sent and sent < signaled)
        after = collections.Counter(outcome for sent, outcome in load.failures if not sent or sent >= signaled)
        answered = sum(sent < signaled for sent in load.answers)
        rounds.append({"answered": answered, "lost": sum(lost.values()), "outcomes_of_lost": dict(lost),
                       "answered_of_sent_after": len(load.answers) - answered, "outcomes_of_sent_after": dict(after),
                       "seconds_to_end": drained, "exit_code": exit_code, "different": load.different})
        print(f"SIGTERM, round {number + 1}: {answered} answered, {rounds[-1]['lost']} lost {dict(lost) or ''}; sent "
              f"after it: {rounds[-1]['answered_of_sent_after']} answered, {dict(after)}; ended after {drained:.2f} s "
              f"with exit code {exit_code}")
    with Gloss(options) as server:
        with Load(server, sentences, options.clients) as load:
            for _ in range(options.rounds):
                time.sleep(options.load_seconds)
                server.signal(signal.SIGHUP)
            time.sleep(options.load_seconds)
        reloads = sum("read again" in line and "nothing" not in line for line in server.log)
    failures = collections.Counter(outcome for _, outcome in load.failures)
    print(f"SIGHUP: {reloads} reloads, {len(load.answers)} answered, {sum(failures.values())} failed "
          f"{dict(failures) or ''}, {load.different} answers differ from the first ones")
    return {"clients": options.clients, "terminated": rounds,
            "reloaded": {"reloads": reloads, "answered": len(load.answers), "failed": sum(failures.values()),
                         "failures": dict(failures), "different": load.different, "exit_code": server.exit_code},
            "holds": all(r["lost"] == 0 and r["exit_code"] == 0 and not r["different"] for r in rounds) and
            reloads == options.rounds and not failures and not load.different}
