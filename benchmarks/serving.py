#!/usr/bin/env python3
"""Measures gloss serve under load, beside the translation of a file by the same program.

    benchmarks/serving.py --gloss build/release/app/gloss --model en-de=runs/multi30k \
        --input corpora/multi30k/test_2016_flickr.en --connections 1,8,64 --seconds 20

The client is wrk (Debian: wrk), each of whose connections sends one sentence after the other. Sentences per second of
the server's own processor time are compared with those of gloss translate-file on the same sentences: both find
sentences, translate with the model's own search, and put texts together. Ends with one line of JSON.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import urllib.request

LUA = """
local lines = {}
for line in io.lines("%s") do lines[#lines + 1] = line end
local id = 0
function setup(thread) thread:set("id", id); id = id + 1 end
function init() at = id * 7919 end
request = function()
  at = at + 1
  return wrk.format("POST", "/translate", {["Content-Type"] = "application/json"}, lines[at %% #lines + 1])
end
done = function(summary, latency)
  io.write(string.format("RESULT %%d %%d %%f %%f %%f %%d %%d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
"""


def processor_seconds(address):
    text = urllib.request.urlopen(f"http://{address}/metrics").read().decode()
    return float(re.search(r"^process_cpu_seconds_total (\S+)", text, re.M).group(1))


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_file(options, model, work, sentences):
    """Returns sentences per second of processor time; loading is taken off by an empty file."""
    source = work / "in.txt"

    def cpu(text):
        source.write_text(text)
        begin = children_seconds()
        subprocess.run([options.gloss, "translate-file", "--model", model, source, work / "out.txt",
                        *threads(options)], check=True, stderr=subprocess.DEVNULL)
        return children_seconds() - begin

    loading = cpu("\n")
    return len(sentences) / (cpu("".join(f"{s}\n" for s in sentences)) - loading)


def threads(options):
    return ["--threads", str(options.threads)] if options.threads else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gloss", default="build/release/app/gloss")
    parser.add_argument("--model", required=True, help="SOURCE-TARGET=PATH")
    parser.add_argument("--input", required=True, type=pathlib.Path)
    parser.add_argument("--connections", default="1,8,64")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    pair, model = options.model.split("=", 1)
    source, target = pair.split("-")
    sentences = [line for line in options.input.read_text().splitlines() if line.strip()]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        bodies = [json.dumps({"q": s, "source": source, "target": target}) for s in sentences]
        (work / "bodies").write_text("".join(f"{b}\n" for b in bodies))
        (work / "load.lua").write_text(LUA % (work / "bodies"))
        file_rate = measure_file(options, model, work, sentences)
        print(f"file: {file_rate:.0f} sentences per second of processor time")
        server = subprocess.Popen([options.gloss, "serve", "--model", options.model, "--listen", "127.0.0.1:0",
                                   *threads(options)], stderr=subprocess.PIPE, text=True)
        try:
            address = server.stderr.readline().split()[-1]
            for connections in map(int, options.connections.split(",")):
                before, client = processor_seconds(address), children_seconds()
                begin = time.monotonic()
                out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{options.seconds}s", "--timeout", "60s",
                                      "-s", work / "load.lua", f"http://{address}"],
                                     capture_output=True, text=True, check=True).stdout
                wall = time.monotonic() - begin
                cpu = processor_seconds(address) - before
                requests, _, p50, p99, longest, refused, failed = map(
                    float, re.search(r"RESULT (.*)", out).group(1).split())
                results.append({"connections": connections, "sentences_per_second": requests / wall,
                                "sentences_per_processor_second": requests / cpu, "p50_ms": p50 / 1000,
                                "p99_ms": p99 / 1000, "max_ms": longest / 1000, "refused": int(refused),
                                "failed": int(failed), "client_processor_seconds": children_seconds() - client})
                r = results[-1]
                print(f"{connections:5} connections: {r['sentences_per_second']:.0f} sentences/s, "
                      f"{r['sentences_per_processor_second']:.0f} per processor second "
                      f"({r['sentences_per_processor_second'] / file_rate:.2f} of the file), p50 {r['p50_ms']:.1f} ms, "
                      f"p99 {r['p99_ms']:.1f} ms, refused {int(refused)}, failed {int(failed)}")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    print(json.dumps({"model": os.path.basename(model), "sentences_per_processor_second_of_file": file_rate,
                      "exit_code": server.returncode, "loads": results}))


if __name__ == "__main__":
    main()
