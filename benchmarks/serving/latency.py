"""short-beside-book and slow: the latency of short requests, alone and beside other clients."""
import asyncio
import http.client
import multiprocessing
import random
import socket
import threading
import time

from client import Client, measure_latency
from process import Gloss

LONGEST = "gloss_batch_duration_seconds_max"
BUCKET = "gloss_batch_duration_seconds_bucket"


def text_of(name, row):
    return (f"{name}: {row['requests']} requests, p50 {row['p50_ms']:.1f} ms, p99 {row['p99_ms']:.1f} ms, "
            f"max {row['max_ms']:.1f} ms, failed {row['failed']}")


def short_bodies(server, sentences):
    return [server.body(s) for s in sentences if len(s.split()) <= 10] or [server.body(s) for s in sentences]


def longest_batch(before, after):
    """Returns the longest batch between two readings in ms, and whether it is exact or an upper bound."""
    if after[LONGEST] > before[LONGEST]:
        return 1000 * after[LONGEST], True
    counts = sorted((float(name.split('"')[1]), after[name] - before.get(name, 0)) for name in after
                    if name.startswith(BUCKET))
    bound = next(bound for bound, count in counts if count == counts[-1][1])
    return 1000 * min(bound, after[LONGEST]), False


class Readers:
    """Clients that have parts of a book translated, over and over, until the block ends: then they leave."""

    def __init__(self, server, parts, count):
        self.ends, self.answers, self.failures, self.clients = False, 0, 0, []
        bodies = [server.body(part) for part in parts]
        self.threads = [threading.Thread(target=self.read, args=(server, bodies, i)) for i in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        for client in self.clients:
            if client.connection.sock:
                client.connection.sock.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()

    def read(self, server, bodies, at):
        client = Client(server.address, timeout=3600)
        self.clients.append(client)
        while not self.ends:
            try:
                good = client.post("/translate", bodies[at % len(bodies)]).status == 200
            except (OSError, http.client.HTTPException):
                good = False
            if not self.ends:
                self.answers += good
                self.failures += not good
            at += 1


def parts_of(lines, characters):
    parts, size = [[]], 0
    for line in lines:
        if size + len(line) + 1 > characters:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line) + 1
    return ["\n".join(part) for part in parts]


def short_beside_book(options, sentences, _):
    book = options.book.read_text().splitlines() if options.book else sentences
    rows, holds = {}, True
    whole, parts = ["\n".join(book * options.copies)], parts_of(book * options.copies, 99_000)
    for name, texts, readers in (("one text", whole, 1), ("parts one by one", parts, 1),
                                 ("four parts at a time", parts, 4)):
        with Gloss(options, "--max-characters", "1000000000", "--max-body-kib", "1000000",
                   "--deadline-ms", "0") as server:
            bodies = short_bodies(server, sentences)
            measure_latency(server.address, bodies, 1, options.seconds / 10)
            alone = measure_latency(server.address, bodies, 1, options.seconds)
            with Readers(server, texts, readers) as reading:
                time.sleep(2)
                before = server.metrics()
                beside = measure_latency(server.address, bodies, 1, options.seconds)
                after = server.metrics()
            left = time.monotonic()
            while server.metrics()["http_server_active_requests"] > 1 and time.monotonic() < left + 60:
                time.sleep(0.01)
            ended = 1000 * (time.monotonic() - left)
        longest, exact = longest_batch(before, after)
        row = {"alone": alone, "beside": beside, "longest_batch_ms": longest, "longest_batch_is_exact": exact,
               "batches": after["gloss_batch_sentences_count"] - before["gloss_batch_sentences_count"],
               "sentences": after["gloss_batch_sentences_sum"] - before["gloss_batch_sentences_sum"],
               "books_answered": reading.answers, "books_failed": reading.failures, "ended_after_leaving_ms": ended,
               "bound_by_p50_ms": 2 * alone["p50_ms"] + longest, "bound_by_p99_ms": 2 * alone["p99_ms"] + longest}
        row["holds_by_p50"] = beside["p99_ms"] <= row["bound_by_p50_ms"]
        row["holds_by_p99"] = beside["p99_ms"] <= row["bound_by_p99_ms"]
        holds &= row["holds_by_p99"] and not beside["failed"] + alone["failed"] + reading.failures
        rows[name] = row
        print(f"book as {name}\n  {text_of('alone', alone)}\n  {text_of('beside', beside)}\n  longest batch "
              f"{'' if exact else 'at most '}{longest:.1f} ms of {row['batches']:.0f}; bound of p99 beside: "
              f"{row['bound_by_p99_ms']:.1f} ms (by p50 alone {row['bound_by_p50_ms']:.1f}); "
              f"the book ended {ended:.0f} ms after its client left")
    return {"books": rows, "holds": holds}


async def slow_header(loop, connection):
    for byte in b"POST /translate HTTP/1.1\r\nHost: localhost\r\n" + b"X-Slow: 1\r\n" * 100:
        await loop.sock_sendall(connection, bytes([byte]))
        await asyncio.sleep(random.uniform(0.5, 1.5))


async def slow_body(loop, connection):
    await loop.sock_sendall(connection, b"POST /translate HTTP/1.1\r\nHost: localhost\r\n"
                            b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        await loop.sock_sendall(connection, b" ")
        await asyncio.sleep(random.uniform(0.5, 1.5))


async def slow_reading(loop, connection):
    await loop.sock_sendall(connection, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    while await loop.sock_recv(connection, 1):
        await asyncio.sleep(random.uniform(0.5, 1.5))


def slow_clients(address, count, ends, opened):
    """Keeps `count` connections of the three kinds open until `ends` is set; counts those that were opened."""
    host, port = address.rsplit(":", 1)

    async def one(kind):
        loop = asyncio.get_running_loop()
        await asyncio.sleep(random.uniform(0, 2))
        while not ends.is_set():
            with socket.socket() as connection:
                connection.setblocking(False)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                try:
                    await loop.sock_connect(connection, (host, int(port)))
                    with opened.get_lock():
                        opened.value += 1
                    await kind(loop, connection)
                except OSError:
                    await asyncio.sleep(0.1)

    async def all_of_them():
        kinds = (slow_header, slow_body, slow_reading)
        tasks = [asyncio.create_task(one(kinds[i % len(kinds)])) for i in range(count)]
        while not ends.is_set():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()

    asyncio.run(all_of_them())


def slow(options, sentences, _):
    with Gloss(options) as server:
        bodies = short_bodies(server, sentences)
        measure_latency(server.address, bodies, options.clients, options.seconds / 10)
        alone = measure_latency(server.address, bodies, options.clients, options.seconds)
        ends, opened = multiprocessing.Event(), multiprocessing.Value("i", 0)
        others = multiprocessing.Process(target=slow_clients, args=(server.address, options.slow, ends, opened))
        others.start()
        time.sleep(3)
        processor = server.processor_seconds()
        connections = []
        watches = threading.Event()

        def watch():
            while not watches.wait(1):
                connections.append(server.metrics()["gloss_connections"])

        watcher = threading.Thread(target=watch)
        watcher.start()
        beside = measure_latency(server.address, bodies, options.clients, options.seconds)
        processor = server.processor_seconds() - processor
        watches.set()
        watcher.join()
        ends.set()
        others.join()
        time.sleep(1)
        left = server.metrics()["gloss_connections"]
    print(f"{text_of('alone', alone)}\n{text_of('beside', beside)}\nconnections: {min(connections):.0f} to "
          f"{max(connections):.0f}, opened {opened.value}; {left:.0f} after they left")
    return {"alone": alone, "beside": beside, "slow_connections": options.slow, "opened": opened.value,
            "min_connections": min(connections), "max_connections": max(connections), "connections_after": left,
            "processor_seconds": processor, "exit_code": server.exit_code,
            "holds": beside["failed"] == 0 and beside["p99_ms"] <= 2 * alone["p99_ms"] and left <= options.clients + 1}
