#!/usr/bin/env python3
"""Measures gloss serve under load.

    python3 benchmarks/serving PART --model en-de=runs/multi30k --input corpora/multi30k/test_2016_flickr.en

Parts: load, short-beside-book, slow, soak, terminate, refuse, side-by-side. Each starts its own servers, prints what
it finds, and ends with one line of JSON; the exit code is 1 if its condition ("holds") is not met.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import latency
import load
import refuse
import side_by_side
import soak
import stopping


def busy_seconds():
    """Returns the processor time of all processes, and that of this one and its children that have ended."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return ((sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK"),
            sum(usage.ru_utime + usage.ru_stime for usage in usages))


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/serving", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True, metavar="PART", dest="part")

    def add(name, run, seconds, **further):
        part = parts.add_parser(name)
        part.set_defaults(run=run)
        part.add_argument("--gloss", default="build/release/app/gloss")
        part.add_argument("--model", required=True, help="SOURCE-TARGET=PATH")
        part.add_argument("--input", required=True, type=pathlib.Path, help="sentences, one a line")
        part.add_argument("--threads", type=int, default=0, help="of the server; 0: its default")
        if seconds:
            part.add_argument("--seconds", type=int, default=seconds, help="of a measurement (default %(default)s)")
        for option, (default, text) in further.items():
            part.add_argument("--" + option.replace("_", "-"), default=default, help=f"{text} (default %(default)s)",
                              type=pathlib.Path if default is None else type(default))

    add("load", load.run, 20, connections=("1,8,64,1000", "numbers of connections"))
    add("short-beside-book", latency.short_beside_book, 20, book=(None, "text of the book; --input without it"),
        copies=(1, "of the book in one text"))
    add("slow", latency.slow, 30, slow=(1000, "slow connections"), clients=(4, "normal clients"))
    add("soak", soak.run, 0, minutes=(30.0, "of traffic"), warm_up=(5.0, "minutes before the first reading"),
        every=(60.0, "seconds between two readings"), clients=(1, "clients of each kind"),
        kinds=(",".join(soak.KINDS), "kinds of requests"))
    add("terminate", stopping.run, 0, clients=(64, "clients"), rounds=(5, "signals of each kind"),
        load_seconds=(3.0, "of load before a signal"))
    add("refuse", refuse.run, 10, clients=(16, "clients"),
        margins=("256,64,16,4,0", "MiB that the address space may grow by"))
    add("side-by-side", side_by_side.run, 20, connections=("1,8,64", "numbers of connections"),
        work=(pathlib.Path("build/serving-side-by-side"), "folder of the virtual environments"),
        servers=("gloss,each-1x2,each-2x1,collect-1x2,collect-2x1,libretranslate", "what is measured"))
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sentences = [line for line in options.input.read_text().splitlines() if line.strip()]
    version = subprocess.run([options.gloss, "--version"], capture_output=True, text=True, check=True).stdout
    begin, (all_before, own_before) = time.monotonic(), busy_seconds()
    with tempfile.TemporaryDirectory() as folder:
        result = options.run(options, sentences, pathlib.Path(folder))
    all_after, own_after = busy_seconds()
    others = (all_after - all_before - own_after + own_before) / (time.monotonic() - begin)
    if others > 0.05:
        print(f"this machine was not quiet: other processes used {others:.2f} processors")
    print(json.dumps({"part": options.part, "gloss": version.splitlines()[0], "model": os.path.basename(options.model),
                      "processors": os.cpu_count(), "processors_of_others": others, **result}))
    return 0 if result.get("holds", True) else 1


if __name__ == "__main__":
    sys.exit(main())
