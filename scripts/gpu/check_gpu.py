"""The command scripts/check_gpu.sh: its steps, the report and the goals."""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

from run_tests import run_tests

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEPS = ("machine", "build", "tests", "training-base", "training-big", "decoding")
GOALS = (("tests", "failures, every gpu on CUDA", 0), ("training-base", "base in bfloat16, times PyTorch", 1.5),
         ("training-big", "big in bfloat16, times PyTorch", 1.5), ("decoding", "greedy, times CTranslate2", 1),
         ("decoding", "beam 5, times CTranslate2", 1))
CARDS = """import json, subprocess
query = "--query-gpu=name,driver_version,compute_cap,memory.total"
print(json.dumps(subprocess.check_output(["nvidia-smi", query, "--format=csv,noheader"], text=True).splitlines()))"""
PROBE = "import json, sys, {0} as it; print(json.dumps([it.__version__, sys.version, {1}]))"


class Missing(Exception):
    """Something that a step needs is not there or failed. The report has the message."""


class Checker:
    def __init__(self, options):
        self.options, self.cuda = options, options.device == "cuda"
        self.deadline = time.monotonic() + 60 * options.minutes
        self.preset = "cuda" if self.cuda else "release"
        self.folder = pathlib.Path(options.build or ROOT / "build" / self.preset).resolve()
        self.gloss, self.work = self.folder / "app/gloss", ROOT / "build/gpu"
        self.work.mkdir(parents=True, exist_ok=True)

    def run(self, *command):
        """Returns what a program prints on stdout. Throws Missing if it is absent, fails or takes too long."""
        name = pathlib.Path(command[0]).name
        try:
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                                  timeout=max(1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Missing(f"{name}: no time was left")
        except OSError as error:
            raise Missing(f"{command[0]}: {error.strerror}")
        if done.returncode:
            lines = (done.stderr.strip() or done.stdout.strip() or "no message").split("\n")
            raise Missing(f"{name}: exit code {done.returncode}: {lines[-1][:300]}")
        return done.stdout

    def figures(self, *command):
        """Returns the JSON line that a program ends with, or why there is none."""
        try:
            return json.loads(self.run(*command).strip().split("\n")[-1])
        except (Missing, ValueError) as error:
            return {"missing": str(error)}

    def python(self, *arguments):
        return self.figures(sys.executable, *arguments)

    def expect_device(self):
        if not self.gloss.exists():
            raise Missing(f"no build in {self.folder}")
        if self.cuda:
            try:
                self.run(self.gloss, "doctor", "--device", "cuda", "--json")
            except Missing as missing:
                raise Missing(f"no CUDA device: {missing}")

    def machine(self, _):
        return {"cards": self.python("-c", CARDS), "processors": os.cpu_count(),
                "torch": self.python("-c", PROBE.format("torch", "it.version.cuda, it.cuda.is_available()")),
                "ctranslate2": self.python("-c", PROBE.format("ctranslate2", "it.get_cuda_device_count()"))}

    def build(self, _):
        if not self.options.build:
            self.run(ROOT / "scripts/build.sh", self.preset)
        return {"folder": str(self.folder), "version": self.run(self.gloss, "--version").strip(),
                "doctor": self.figures(self.gloss, "doctor", "--json")}

    def tests(self, before):
        self.expect_device()
        version, variables = self.run(self.gloss, "--version"), {"GLOSS_TEST_DEVICE": "cuda"} if self.cuda else {}
        goes_on = before.get("suites_not_run") and before["version"] == version  # where the time ran out
        try:
            found = run_tests(self.folder, self.work, self.options.tests, variables, self.deadline,
                              before["suites"] if goes_on else [])
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing(f"ctest: {error}")
        return {"version": version, **found}

    def training(self, size):
        """Alternates both programs on batches of random ids, padded to lengths of 12 to 68."""
        self.expect_device()
        config = ROOT / (f"configs/{size}.json" if self.cuda else "benchmarks/tiny.json")
        keys, draw, batches = json.loads(config.read_text()), random.Random(1), self.work / f"{size}.jsonl"
        positions, steps, rounds = (keys["data"]["batch_tokens"], 64, 3) if self.cuda else (256, 8, 1)
        vocabulary = keys["tokenizer"]["vocabulary_size"]
        with batches.open("w") as file:
            for longest in range(12, 69, 8):
                sentence = lambda: draw.choices(range(4, vocabulary), k=draw.randint(7 * longest // 10, longest - 1))
                print(json.dumps([[sentence(), sentence()] for _ in range(positions // longest)]), file=file)
        shared = ("--config", config, "--batches", batches, "--steps", steps, "--device", self.options.device)
        report = {"gloss": [], "pytorch": [], "compiled": []}
        for _ in range(rounds):
            report["gloss"].append(self.figures(self.folder / "benchmarks/train_speed", *shared, "--set",
                                                "training.precision=bfloat16"))
            report["pytorch"].append(self.python(HERE / "torch_training.py", *shared))
            if self.cuda:  # compiling takes minutes on a CPU
                report["compiled"].append(self.python(HERE / "torch_training.py", *shared, "--compile"))
        ratios = [ratio("target_tokens_per_second", statistics.median, report["gloss"], report[other])
                  for other in ("pytorch", "compiled")]
        return {**report, "ratios": [min(filter(None, ratios), default=None)]}  # to the faster of the two

    def decoding(self, _):
        """Times both programs on the weights after one update. A translation has as many tokens as its source."""
        self.expect_device()
        config = json.loads((ROOT / ("configs/base.json" if self.cuda else "benchmarks/tiny.json")).read_text())
        vocabulary, lines, length = (37000, 512, 25) if self.cuda else (500, 8, 5)
        letters = [*range(0x3400, 0x4DB0), *range(0x4E00, 0x9FA6), *range(0xAC00, 0xD7A4)][:vocabulary - 5]
        random.Random(1).shuffle(letters)  # each is a piece
        texts = ["".join(map(chr, letters[i:i + length - 1])) for i in range(0, len(letters), length - 1)]
        source, target, some, pieces, run_file, run, model = (self.work / name for name in (
            "source", "target", "input", "pieces", "decoding.json", "run", "ctranslate2"))
        for text in (source, target):
            text.write_text("\n".join(texts) + "\n", encoding="utf-8")
        some.write_text("\n".join(texts[:lines]) + "\n", encoding="utf-8")
        pieces.write_text("".join(" ".join("\u2581" + line) + "\n" for line in texts[:lines]), encoding="utf-8")
        run_file.write_text(json.dumps({
            "defaults": "fixed", "model": config["model"], "training": {"max_steps": 1},
            "tokenizer": {"vocabulary_size": vocabulary, "type": "char", "normalization": "identity"},
            "data": {"train_source": str(source), "train_target": str(target), "batch_tokens": 256}}))
        for folder in (run, model):
            shutil.rmtree(folder, ignore_errors=True)
        self.run(self.gloss, "train-translate", "--config", run_file, "--out", run, "--device", self.options.device)
        self.run(self.gloss, "export", "--model", run, "--to", "ctranslate2", "--output", model)
        report = {"ratios": []}
        precisions = ["float32", "bfloat16"] + ["float16"] * (self.options.device != "cpu")
        for beam in (1, 5):
            shared = ("--beam", beam, "--batch", 64, "--device", self.options.device)
            own = [self.figures(self.folder / "benchmarks/decode_speed", "--model", run, "--input", some,
                                "--fixed-length", length, "--precision", precision, *shared)
                   for precision in precisions]
            other = [self.python(HERE / "ctranslate2_decoding.py", "--model", model, "--input", pieces,
                                 "--length", length, "--compute-type", precision, *shared)
                     for precision in precisions]
            report[f"beam {beam}"] = {"gloss": own, "ctranslate2": other}
            report["ratios"].append(ratio("tokens_per_second", max, own, other))
        return report


def ratio(key, choose, own, other):
    """Returns the ratio of the chosen speeds, or None if a program has none."""
    own, other = ([each[key] for each in side if key in each] for side in (own, other))
    return choose(own) / choose(other) if own and other else None


def judged(report):
    """Returns a row for each goal: goal, wanted, found, verdict."""
    rows, ratios = [], {step: list(report.get(step, {}).get("ratios", [])) for step, _, _ in GOALS}
    for step, goal, wanted in GOALS:
        section = report.get(step, {"missing": "not run"})
        found = ratios[step].pop(0) if ratios[step] else section.get("totals", {}).get("failed")
        if report["device"] != "cuda" or found is None or section.get("suites_not_run"):
            why = section.get("missing", "see the report" if report["device"] == "cuda" else "device cpu")
            rows.append((goal, wanted, found, f"not measured: {why}"))
        else:
            reached = found == 0 < section["totals"]["gpu_passed"] if step == "tests" else found >= wanted
            rows.append((goal, wanted, found, "reached" if reached else "not reached"))
    return rows


def main():
    parser = argparse.ArgumentParser(prog="check_gpu.sh", description="Tests and measures gloss on a CUDA card.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="of " + ", ".join(STEPS) + " (default: all)")
    parser.add_argument("--build", metavar="FOLDER", help="use this build as it is (default: make build/cuda)")
    parser.add_argument("--report", default=str(ROOT / "build/gpu_report.json"), metavar="FILE")
    parser.add_argument("--minutes", type=float, default=600, help="stop after this time; again continues the tests")
    parser.add_argument("--tests", default="", metavar="REGEX", help="only the suites that match")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="cpu: rehearse on tiny networks")
    options = parser.parse_args()
    if unknown := set(options.steps) - set(STEPS):
        parser.error(f"wanted steps of {', '.join(STEPS)}, got {', '.join(unknown)}")
    file, report, checker = pathlib.Path(options.report), {"device": options.device}, Checker(options)
    if file.exists() and (before := json.loads(file.read_text()))["device"] == options.device:
        report = before
    for step in options.steps or STEPS:
        print(f"check_gpu: {step}", file=sys.stderr)
        kind, _, size = step.partition("-")
        try:
            report[step] = getattr(checker, kind)(size or report.get(step, {}))
        except Missing as missing:
            report[step] = {"missing": str(missing)}
            print(f"check_gpu: {step}: {missing}", file=sys.stderr)
        report["goals"] = [dict(zip(("goal", "wanted", "found", "verdict"), row)) for row in judged(report)]
        file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    print(f"device {report['device']}; report in {file}")
    for program, counts in report.get("tests", {}).get("programs", {}).items():
        print(f"  {program:32}" + "".join(f"  {name} {number}" for name, number in counts.items()))
    for goal, wanted, found, verdict in judged(report):
        print(f"  {goal:32} wanted {wanted:4}  found {'-' if found is None else round(found, 2):>6}  {verdict}")
    failed = report.get("tests", {}).get("totals", {}).get("failed")
    sys.exit(1 if failed or any(row[3] == "not reached" for row in judged(report)) else 0)


if __name__ == "__main__":
    main()
