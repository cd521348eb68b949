#!/usr/bin/env python3
"""Measures gloss's figures as ratios to yardsticks of the same run, and reports which moved since the baseline.

    benchmarks/figures.py measure --model M.safetensors --corpus corpora/multi30k --pytorch PROGRAM --out now.json
    benchmarks/figures.py compare now.json     # exit code 1 if a ratio moved
    benchmarks/figures.py accept now.json      # makes it the baseline of this kind of processor

A ratio is gloss's speed divided by the yardstick's. Each repetition runs the yardstick and then gloss; the median and
the quartiles of the repetitions' ratios count. A ratio has moved if it changed by more than 5 % and by more than the
distance of its quartiles, in the baseline and now; it is unsteady if the quartiles hide such a change. A yardstick that
is not installed is reported as missing. Stop everything else on the machine first.
"""

import argparse
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import evaluation_speed

HERE = pathlib.Path(__file__).resolve().parent
THRESHOLD = 0.05
SCORED_LINES = 20_000
KINDS = ("amx_tile", "avx512_vnni", "avx2")  # flags of processors; a baseline belongs to the first one present
PACKAGES = ("ctranslate2", "sacrebleu", "torch")
AVX2 = ("env GLOSS_KERNELS=avx2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 "
        "CT2_FORCE_CPU_ISA=AVX2 ")


@dataclasses.dataclass(frozen=True)
class Figure:
    """Two commands. `rate` is a key of their last line, which is JSON; without one the seconds of the whole command
    count, as the median of `calls` calls. `needs` is the package of the yardstick."""
    gloss: str
    yardstick: str
    needs: str = ""
    rate: str = ""
    calls: int = 1


def training(settings=""):
    return Figure(
        "{build}/benchmarks/train_speed --config {benchmarks}/tiny.json --tokenizer {exported}/tokenizer.model "
        "--batches {work}/batches.jsonl --steps 5 --threads 2" + settings,
        "{python} {pytorch} --source {corpus}/train.en --target {corpus}/train.de --spm {exported}/tokenizer.model "
        "--size tiny --variant annotated --steps 5 --threads 2 --dump-batches {work}/batches.jsonl",
        "torch", "target_tokens_per_second")


def decoding(beam, precision):
    same = f" --input {{corpus}}/val.en --beam {beam} --batch 64 --repeat {3 if beam == 1 else 2}"
    return Figure(
        f"{{build}}/benchmarks/decode_speed --model {{model}} --precision {precision} --threads 2" + same,
        f"{{python}} {{benchmarks}}/ctranslate2_speed.py --model {{exported}} --compute-type {precision}" + same,
        "ctranslate2", "tokens_per_second")


def scoring(metric):
    same = f"{{work}}/reference -i {{work}}/hypothesis -m {metric} -w 9"
    return Figure(f"{{build}}/app/gloss evaluate {same} --format sacrebleu --threads 1",
                  f"env OMP_NUM_THREADS=1 {{python}} -m sacrebleu {same}", "sacrebleu")


def restricted(figure):
    return dataclasses.replace(figure, gloss=AVX2 + figure.gloss, yardstick=AVX2 + figure.yardstick)


SPEEDS = {"train-float32": training()} | {
    f"decode-{search}-{precision}": decoding(beam, precision)
    for search, beam in (("greedy", 1), ("beam5", 5)) for precision in ("float32", "int8")}
FIGURES = SPEEDS | {name + "-avx2": restricted(figure) for name, figure in SPEEDS.items()} | {
    "train-bfloat16": training(" --set training.precision=bfloat16"),
    "score-bleu": scoring("bleu"), "score-chrf": scoring("chrf"), "score-ter": scoring("ter"),
    # Help and versions do not load LibTorch; the yardstick is an interpreter that does nothing.
    "start-version": Figure("{build}/app/gloss --version", "{python} -I -S -c pass", calls=15),
    "start-translate": Figure(
        "{build}/app/gloss translate --model {model} --precision float32 --beam 1 --threads 2 --quiet",
        "{python} {benchmarks}/ctranslate2_speed.py --model {exported} --input {corpus}/val.en --lines 1 --beam 1 "
        "--repeat 1", "ctranslate2", calls=3),
}


def value(command, figure, places):
    words = [word.format_map(places) for word in shlex.split(command)]
    seconds = []
    for _ in range(figure.calls):
        begin = time.perf_counter()
        done = subprocess.run(words, input="A man rides a bicycle.\n", capture_output=True, text=True)
        seconds.append(time.perf_counter() - begin)
        if done.returncode:
            sys.exit(f"figures: {shlex.join(words)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])[figure.rate] if figure.rate else statistics.median(seconds)


def summary(figure, pairs):
    """The result of a figure. `pairs`: the values of gloss and of the yardstick in each repetition."""
    ratios = [ours / theirs if figure.rate else theirs / ours for ours, theirs in pairs]
    quartiles = statistics.quantiles(ratios, method="inclusive") if len(ratios) > 1 else ratios * 3
    ours, theirs = (statistics.median(values) for values in zip(*pairs))
    return {"ratio": quartiles[1], "quartiles": [quartiles[0], quartiles[2]], "repetitions": len(pairs),
            "gloss": ours, "yardstick": theirs, "unit": figure.rate or "seconds",
            "commands": {"gloss": figure.gloss, "yardstick": figure.yardstick}}


def measured(figure, places, repetitions):
    pairs = []
    for _ in range(repetitions):
        theirs = value(figure.yardstick, figure, places)
        pairs.append((value(figure.gloss, figure, places), theirs))
    return summary(figure, pairs)


def versions(python):
    """The versions of this Python and of the yardsticks' packages that it has."""
    code = ("import importlib.metadata as m, json, platform\n"
            f"found = {{d.name.lower(): d.version for d in m.distributions() if d.name.lower() in {PACKAGES!r}}}\n"
            "print(json.dumps(found | {'python': platform.python_version()}))")
    try:
        return json.loads(subprocess.run([python, "-c", code], capture_output=True, check=True).stdout)
    except OSError:
        return {}


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(re.findall(r"^([^\t:]+)\t*: (.*)$", text, re.MULTILINE))
    flags = fields.get("flags", "").split()
    return {"kind": next((kind for kind in KINDS if kind in flags), platform.machine()),
            "processor": fields.get("model name", platform.machine()), "processors": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2)}


def run_measure(options):
    python = str(options.python.absolute()) if options.python.exists() else sys.executable
    gloss = options.build / "app/gloss"
    result = {"machine": machine(), "date": datetime.date.today().isoformat(), "versions": versions(python),
              "figures": {}, "model": hashlib.sha256(options.model.read_bytes()).hexdigest()[:16],
              "gloss": subprocess.run([gloss, "--version"], capture_output=True, text=True, check=True).stdout.strip()}
    installed = set(result["versions"]) - (set() if options.pytorch and options.pytorch.exists() else {"torch"})
    if result["machine"]["load"] > 0.3:
        print(f"figures: the machine is busy (load {result['machine']['load']}); its figures are worthless")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        subprocess.run([gloss, "export", "--model", options.model, "--to", "ctranslate2", "--output", work / "exported",
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        pairs = list(evaluation_speed.composed(random.Random(1), SCORED_LINES))
        for file, column in (("hypothesis", 0), ("reference", 1)):
            evaluation_speed.write_lines(work / file, (pair[column] for pair in pairs))
        places = {"build": options.build, "benchmarks": HERE, "python": python, "pytorch": options.pytorch,
                  "work": work, "model": options.model, "corpus": options.corpus, "exported": work / "exported"}
        for name, figure in FIGURES.items():
            if not re.search(options.only, name):
                continue
            begin = time.monotonic()
            if figure.needs and figure.needs not in installed:
                result["figures"][name] = {"missing": figure.needs}
                print(f"{name:28} {figure.needs} is missing")
            else:
                found = result["figures"][name] = measured(figure, places, options.repetitions)
                print(f"{name:28} {found['ratio']:7.3f} ({found['quartiles'][0]:.3f} to {found['quartiles'][1]:.3f}), "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
            options.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def compared(then, now):
    """A row for each figure of either: name, ratio then, ratio now, change, limit, verdict."""
    for name in sorted(then | now):
        before, after = then.get(name, {}), now.get(name, {})
        if "ratio" not in before or "ratio" not in after:
            verdict = f"{after['missing']} is missing" if "missing" in after else "not measured" if not after else "new"
            yield name, before.get("ratio"), after.get("ratio"), None, None, verdict
            continue
        change = after["ratio"] / before["ratio"] - 1
        spreads = [(figure["quartiles"][1] - figure["quartiles"][0]) / figure["ratio"] for figure in (before, after)]
        limit = max(THRESHOLD, *spreads)
        verdict = "moved" if abs(change) > limit else "unsteady" if abs(change) > THRESHOLD else ""
        yield name, before["ratio"], after["ratio"], change, limit, verdict


def run_compare(options):
    now, baselines = json.loads(options.measured.read_text()), json.loads(options.baseline.read_text())
    kind = now["machine"]["kind"]
    if not baselines:
        sys.exit(f"figures: wanted a baseline in {options.baseline}, found none; store one with accept")
    then = baselines.get(kind) or next(iter(baselines.values()))
    for what, before, after in (("kind of processor", then["machine"]["kind"], kind),
                                ("processor", then["machine"]["processor"], now["machine"]["processor"]),
                                ("model", then["model"], now["model"]),
                                ("versions", then["versions"], now["versions"])):
        if before != after:
            print(f"note: another {what} than the baseline's: {after}, not {before}")
    print(f"{'figure':28} {'then':>8} {'now':>8} {'change':>8} {'limit':>7}")
    moved = False
    for name, before, after, change, limit, verdict in compared(then["figures"], now["figures"]):
        moved |= verdict == "moved"
        cells = [f"{ratio:8.3f}" if ratio else " " * 8 for ratio in (before, after)]
        cells += [f"{change:+8.1%} {limit:7.1%}" if limit else " " * 16]
        print(f"{name:28} {' '.join(cells)} {verdict}".rstrip())
    return int(moved and then["machine"]["kind"] == kind)


def run_accept(options):
    now, baselines = json.loads(options.measured.read_text()), json.loads(options.baseline.read_text())
    kind = now["machine"]["kind"]
    figures = {name: figure | {"by": now["gloss"]} for name, figure in now["figures"].items() if "ratio" in figure}
    baselines[kind] = now | {"figures": baselines.get(kind, {}).get("figures", {}) | figures}
    options.baseline.write_text(json.dumps(baselines, indent=1) + "\n")
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measure = commands.add_parser("measure", help="writes ratios; the whole takes about a quarter of an hour")
    measure.set_defaults(run=run_measure)
    measure.add_argument("--model", type=pathlib.Path, required=True, help="model file in float32")
    measure.add_argument("--corpus", type=pathlib.Path, required=True, help="folder with train.en, train.de and val.en")
    measure.add_argument("--out", type=pathlib.Path, required=True)
    measure.add_argument("--pytorch", type=pathlib.Path, help="program that trains with PyTorch (benchmarks/README.md)")
    measure.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build/release")
    measure.add_argument("--python", type=pathlib.Path, default=HERE.parent / "build/figures/bin/python",
                         help="Python that has the yardsticks")
    measure.add_argument("--only", default="", help="regular expression that names of figures match")
    measure.add_argument("--repetitions", type=int, default=5)
    for name, run, text in (("compare", run_compare, "prints what moved"), ("accept", run_accept, "stores a baseline")):
        command = commands.add_parser(name, help=text)
        command.set_defaults(run=run)
        command.add_argument("measured", type=pathlib.Path)
        command.add_argument("--baseline", type=pathlib.Path, default=HERE / "baseline.json")
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
