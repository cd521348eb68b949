#!/usr/bin/env python3
"""Compares gloss align with fast_align: speed, links and alignment error rate, on one text.

    scripts/interop/check_alignment.py corpora/multi30k/train.en corpora/multi30k/train.de
    scripts/interop/check_alignment.py train.en train.de --fast-align FOLDER --threads 2 --rounds 3

The words are cut and put in lower case simply. The hundred sentences of benchmarks/alignment are appended, and the error
rate is measured on them. FOLDER has fast_align's sources; without it they are cloned from GitHub into
build/interop/fast_align. Needs git and CMake. The last line is JSON.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SENTENCES = ROOT / "benchmarks/alignment"
REPOSITORY, COMMIT = "https://github.com/clab/fast_align", "cab1e9aac8d3bb02ff5ae58218d8d225a039fa11"
KINDS = ("forward", "reverse", "intersect", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")


def words(path):
    text = path.read_text(encoding="utf-8").lower().split("\n")[:-1]
    return [" ".join(re.findall(r"\w+(?:[-']\w+)*|[^\w\s]", line)) for line in text]


def fast_align(folder, work):
    if folder is None:
        folder = ROOT / "build/interop/fast_align"
        if not folder.exists():
            subprocess.run(["git", "clone", "--quiet", REPOSITORY, folder], check=True)
            subprocess.run(["git", "-C", folder, "checkout", "--quiet", COMMIT], check=True)
    build = work / "fast_align"
    build.mkdir(exist_ok=True)
    subprocess.run(["cmake", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5", folder.resolve()], cwd=build, check=True,
                   capture_output=True)
    subprocess.run(["make"], cwd=build, check=True, capture_output=True)
    return build


def links_of(text):
    return [set(line.split()) for line in text.split("\n")[:-1]]


def timed(command, threads):
    begin, children = time.perf_counter(), os.times()
    done = subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8", check=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    after = os.times()
    processor = after.children_user + after.children_system - children.children_user - children.children_system
    return done.stdout, time.perf_counter() - begin, processor


def agreement(first, second):
    common = sum(len(a & b) for a, b in zip(first, second, strict=True))
    return 2 * common / (sum(map(len, first)) + sum(map(len, second)))


def error_rate(links):
    """AER (Och and Ney 2003) of the last lines."""
    gold = (SENTENCES / "links").read_text().splitlines()
    found, sure_links, in_sure, in_possible = 0, 0, 0, 0
    for got, line in zip(links[-len(gold):], gold, strict=True):
        sure = {link for link in line.split() if "-" in link}
        possible = {link.replace("?", "-") for link in line.split()}
        found, sure_links = found + len(got), sure_links + len(sure)
        in_sure, in_possible = in_sure + len(got & sure), in_possible + len(got & possible)
    return 1 - (in_sure + in_possible) / (found + sure_links)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--fast-align", type=pathlib.Path, help="folder of fast_align's sources")
    parser.add_argument("--gloss", type=pathlib.Path, default=ROOT / "build/ci/app/gloss")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="measure this often; medians")
    arguments = parser.parse_args()

    work = ROOT / "build/interop/alignment"
    work.mkdir(parents=True, exist_ok=True)
    other = fast_align(arguments.fast_align, work)
    sides = [words(path) + words(SENTENCES / name)
             for path, name in ((arguments.source, "sentences.en"), (arguments.target, "sentences.de"))]
    pairs = [(s, t) for s, t in zip(*sides, strict=True) if s and t]  # fast_align has no empty lines
    for name, lines in zip(("source", "target"), zip(*pairs)):
        (work / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (work / "both").write_text("".join(f"{s} ||| {t}\n" for s, t in pairs), encoding="utf-8")
    align = [arguments.gloss, "align", "--source", work / "source", "--target", work / "target",
             "--threads", arguments.threads, "--quiet"]

    result = {"pairs": len(pairs), "threads": arguments.threads, "agreement": {}, "aer": {}}
    for setting, fast_options, options in (("fitted lambda", ["-o"], []), ("lambda 4", [], ["--lambda", "4"])):
        seconds = {"gloss": [], "fast_align": []}
        for _ in range(arguments.rounds if setting == "fitted lambda" else 1):
            theirs, took = {}, [0, 0]
            for kind, flag in (("forward", []), ("reverse", ["-r"])):
                command = [other / "fast_align", "-i", work / "both", "-d", "-v", *fast_options, *flag]
                theirs[kind], wall, processor = timed(command, arguments.threads)
                took = [took[0] + wall, took[1] + processor]
                (work / kind).write_text(theirs[kind], encoding="utf-8")
            seconds["fast_align"].append(took)
            seconds["gloss"].append(timed(align, arguments.threads)[1:])
        if setting == "fitted lambda":
            for name, times in seconds.items():
                wall, processor = (statistics.median(column) for column in zip(*times))
                result[name] = {"lines_per_second": round(len(pairs) / wall),
                                "lines_per_processor_second": round(len(pairs) / processor)}
        for kind in KINDS:
            ours = links_of(timed([*align, *options, "--symmetrize", kind], arguments.threads)[0])
            if kind not in theirs:
                theirs[kind] = timed([other / "atools", "-i", work / "forward", "-j", work / "reverse", "-c", kind], 1)[0]
            expected = links_of(theirs[kind])
            result["agreement"].setdefault(setting, {})[kind] = round(agreement(ours, expected), 5)
            result["aer"].setdefault(setting, {})[kind] = {"gloss": round(error_rate(ours), 4),
                                                            "fast_align": round(error_rate(expected), 4)}
    for setting, by_kind in result["aer"].items():
        print(f"{setting:22} agreement  AER gloss  AER fast_align")
        for kind, rates in by_kind.items():
            print(f"  {kind:20} {result['agreement'][setting][kind]:9.5f}  {rates['gloss']:9.4f}"
                  f"  {rates['fast_align']:14.4f}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
