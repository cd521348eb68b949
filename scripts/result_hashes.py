#!/usr/bin/env python3
"""Hashes of what gloss computes, to prove that a change of the code changes no result.

    scripts/result_hashes.py --write before.json      # before the change
    scripts/result_hashes.py --compare before.json    # after it; exit code 1 if a result differs

Trains small networks of every kind on a corpus that gloss makes, translates in every way, explains, scores, exports and
imports, and hashes weights, checkpoints, output and files. Takes some minutes. The bits depend on the processor and on
LibTorch: compare on the machine that wrote. --gloss names the program (default: build/ci/app/gloss), --work keeps the
files in a folder, --only runs the steps whose names contain a text, with those that they need.
"""

import argparse
import concurrent.futures
import copy
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TEXT = {f"{part}_{side}": f"corpus/{part}.{side}" for part in ("train", "valid", "test") for side in ("source", "target")}
BASE = {
    "seed": 7, "defaults": "fixed",
    "tokenizer": {"vocabulary_size": 240},
    "data": TEXT | {"max_length": 64, "batch_tokens": 512},
    "model": {"encoder_layers": 2, "decoder_layers": 2, "d_model": 32, "d_ff": 64, "heads": 4},
    "training": {"max_steps": 40, "save_every": 20, "validate_every": 20, "warmup_steps": 20, "learning_rate": 0.01,
                 "schedule": "inverse_sqrt"},
    "decoding": {"beam_size": 3, "max_length": 24},
}
MARIAN = {"norm": "post", "final_norm": False, "decoder_start": "zero", "position_frequencies": "tensor2tensor",
          "layer_norm_epsilon": 1e-6}
# Settings of each run that differ from BASE.
RUNS = {
    "default": {},
    "paper": {"model.norm": "post", "model.tie_embeddings": "none", "training.schedule": "noam", "training.learning_rate": 1},
    "marian": {f"model.{key}": value for key, value in MARIAN.items()},
    "marian-pre": {f"model.{key}": value for key, value in (MARIAN | {"norm": "pre", "self_attention_norm": "query"}).items()},
    "ssru": {f"model.{key}": value for key, value in (MARIAN | {"decoder_layer": "ssru"}).items()},
    "ssru-pre": {"model.decoder_layer": "ssru", "model.d_ff_decoder": 48},
    "recurrent": {"model.architecture": "recurrent"},
    "recurrent-vector": {"model.architecture": "recurrent", "model.recurrent_attention": "none"},
    "rotary": {"model.positions": "rotary", "model.activation": "swiglu", "model.norm_type": "rms"},
    "relative": {"model.positions": "relative", "model.activation": "gelu"},
    "learned": {"model.positions": "learned", "model.max_positions": 64, "model.embedding_norm": True,
                "model.activation": "glu"},
    "no-positions": {"model.positions": "none", "model.norm_type": "none", "model.activation": "gelu_sigmoid"},
    "batch-norm": {"model.norm_type": "batch", "training.accumulate": 2},
    "dot": {"model.attention_score": "dot", "model.residual": False},
    "general": {"model.attention_score": "general", "model.encoder_mask": "causal"},
    "additive": {"model.attention_score": "additive", "model.activation": "swish"},
    "cosine": {"model.attention_score": "cosine", "model.embedding_scale": "one"},
    "location": {"model.attention_score": "location", "model.max_positions": 64},
    "two-tokenizers": {"tokenizer.joint": False, "tokenizer.vocabulary_size": 160, "model.tie_embeddings": "decoder"},
    "unigram": {"tokenizer.type": "unigram", "data.subword_sampling": 0.2},
    "characters": {"tokenizer.type": "char", "tokenizer.normalization": "identity"},
    "bytes": {"tokenizer.byte_fallback": True, "tokenizer.vocabulary_size": 400, "training.clip_norm": 1},
    "bfloat16": {"training.precision": "bfloat16"},
    "averages": {"training.ema_decay": 0.9, "training.accumulate": 3, "training.shards": 3, "training.label_smoothing": 0},
    "last-two": {"training.average_last": 2, "data.skip_repeated": True},
    "early-stop": {"training.early_stop.patience": 1, "training.early_stop.metric": "loss", "training.save_every": 5,
                   "training.validate_every": 5},
    "held-out": {"data.hold_out": True, "data.valid_source": "", "data.valid_target": "", "defaults": "text",
                 "model.d_model": None, "training": {"max_steps": 30}},
    "dropouts": {"model.dropout": 0.3, "model.attention_dropout": 0.2, "model.feed_forward_dropout": 0.1},
    "stages": {"data.train_source": None, "data.train_target": None,
               "data.stages": [{"until_epochs": 1, "sources": [{"source": "corpus/valid.source", "target": "corpus/valid.target"}]},
                               {"sources": [{"source": "corpus/train.source", "target": "corpus/train.target", "weight": 0.5}]}]},
}
# Options of `train-translate` in place of a run file.
OTHER_RUNS = {
    "other-seed": ("default", ["--seed", "8", "--set", "tokenizer.model_file=run-default/tokenizer.model"]),
    "two-threads": ("default", ["--threads", "2"]),
    "two-processes": ("default", ["--processes", "2"]),
    "plain": ("default", ["--plain"]),
    "second": ("default", ["--start-from", "run-default", "--set", "training.freeze=[\"encoder\"]"]),
}
# Options of `translate`, by the run that translates.
TRANSLATIONS = {
    "greedy": ("default", ["--beam", "1"]),
    "beam": ("default", ["--beam", "5"]),
    "n-best": ("default", ["--beam", "5", "--n-best", "5", "--json-lines"]),
    "sampling": ("default", ["--sample", "--temperature", "0.9", "--top-k", "20", "--n-best", "2"]),
    "nucleus": ("default", ["--sample", "--top-p", "0.8", "--seed", "3", "--json-lines"]),
    "glossary": ("default", ["--glossary", "glossary.tsv", "--json-lines", "--beam", "5"]),
    "glossary-alignment": ("default", ["--glossary", "glossary.tsv", "--alignment", "--beam", "4", "--no-repeat-ngram", "3"]),
    "alignment": ("default", ["--alignment"]),
    "alignment-head": ("default", ["--alignment", "--alignment-from", "decoder.0.cross.1", "--n-best", "2"]),
    "replace-unknown": ("default", ["--replace-unknown", "--input", "odd.txt"]),
    "odd-lines": ("default", ["--input", "odd.txt", "--json-lines"]),
    "prefix": ("default", ["--prefix", "prefix.txt", "--beam", "4"]),
    "int8": ("default", ["--precision", "int8", "--json-lines"]),
    "int8-greedy": ("default", ["--precision", "int8", "--beam", "1", "--alignment"]),
    "bfloat16": ("default", ["--precision", "bfloat16", "--json-lines"]),
    "plain": ("default", ["--plain", "--json-lines"]),
    "plain-greedy": ("default", ["--plain", "--beam", "1"]),
    "threads": ("default", ["--threads", "2", "--batch-size", "7", "--beam", "5", "--json-lines"]),
    "coverage": ("default", ["--coverage-penalty", "0.4", "--length-penalty-kind", "gnmt", "--length-penalty", "0.6"]),
    "shrinking": ("default", ["--shrinking-beam", "--max-length-factor", "1.5", "--beam", "6"]),
    "repetition": ("default", ["--repetition-penalty", "1.3", "--no-repeat-ngram", "2", "--min-length", "4", "--json-lines"]),
    "unnormalized": ("default", ["--length-penalty", "0", "--patience", "2", "--beam", "4", "--no-unk"]),
    "ensemble": ("default", ["--model", "run-other-seed", "--json-lines", "--alignment"]),
    "ensemble-sampling": ("default", ["--model", "run-other-seed", "--sample"]),
}
ODD_LINES = ("", " ", "...", "the \u2603 house", "\u4f60\u597d", "A man.", "x" * 300, "the man the man " * 40, "a\u00adb", "1 2 3")


def merged(base, changes):
    """The run file `base` with values by dotted keys; None removes a key."""
    result = copy.deepcopy(base)
    for key, value in changes.items():
        *sections, name = key.split(".")
        place = result
        for section in sections:
            place = place.setdefault(section, {})
        if value is None:
            place.pop(name, None)
        else:
            place[name] = value
    return result


def tensors_of(path):
    """The bytes of a safetensors file after its header."""
    data = path.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little"):]


def sha256(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Results:
    def __init__(self, gloss, work):
        self.gloss, self.work, self.hashes = gloss, work, {}

    def call(self, *arguments, stdin=None):
        done = subprocess.run([self.gloss, *map(str, arguments)], cwd=self.work, input=stdin, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"gloss {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr.decode()}")
        return done.stdout

    def keep(self, name, data):
        self.hashes[name] = sha256(data)

    def keep_files(self, name, folder, pattern="*"):
        files = sorted(path for path in (self.work / folder).rglob(pattern) if path.is_file())
        if not files:
            raise RuntimeError(f"{name}: wanted files {pattern} in {folder}, found none")
        for path in files:
            self.keep(f"{name}/{path.relative_to(self.work / folder)}", path.read_bytes())

    def keep_output(self, name, *arguments, stdin=None):
        self.keep(name, self.call(*arguments, stdin=stdin))

    def prepare(self):
        self.call("make-corpus", "demo", "--size", "1500", "--out", "corpus", "--overwrite", "--quiet")
        for path in sorted((self.work / "corpus").glob("[tv][ea][sl]*.*")):  # a part of the test and validation sets
            path.write_text("".join(path.read_text().splitlines(keepends=True)[:40]))
        lines = (self.work / "corpus/test.source").read_text().split("\n")[:40]
        references = (self.work / "corpus/test.target").read_text().split("\n")[:40]
        (self.work / "lines.txt").write_text("\n".join(lines) + "\n")
        (self.work / "references.txt").write_text("\n".join(references) + "\n")
        (self.work / "odd.txt").write_text("\n".join(ODD_LINES) + "\n")
        (self.work / "prefix.txt").write_text("".join(" ".join(line.split()[:n % 3]) + "\n" for n, line in enumerate(references)))
        pairs = {lines[n].split()[1]: references[n].split()[1] for n in range(0, 40, 4)}
        (self.work / "glossary.tsv").write_text("".join(f"{word}\t{other}\n" for word, other in pairs.items()))
        for name, changes in RUNS.items():
            (self.work / f"{name}.json").write_text(json.dumps(merged(BASE, changes)))

    def train(self, name, config, options=()):
        threads = [] if "--threads" in options else ["--threads", "1"]
        try:
            self.call("train-translate", "--config", f"{config}.json", "--out", f"run-{name}", "--overwrite", "--quiet",
                      "--device", "cpu", *threads, *options)
        except RuntimeError as error:
            if "AVX512_BF16" not in str(error):
                raise
            print(f"train {name}: this processor has no products of bfloat16")
            return
        self.keep(f"train {name}/model", (self.work / f"run-{name}/model.safetensors").read_bytes())
        for path in sorted((self.work / f"run-{name}/checkpoints").glob("step-*.safetensors")):
            self.keep(f"train {name}/{path.name}", tensors_of(path))  # the state before them counts seconds

    def resume(self):
        first = ["train-translate", "--config", "default.json", "--out", "run-resumed", "--quiet", "--threads", "1"]
        self.call(*first, "--overwrite", "--set", "training.max_steps=20")
        self.call("train-translate", "--resume", "run-resumed", "--quiet", "--threads", "1", "--set", "training.max_steps=40")
        self.keep("resume/model", (self.work / "run-resumed/model.safetensors").read_bytes())

    def translate(self, name, run, options=()):
        threads = [] if "--threads" in options else ["--threads", "1"]
        lines = None if "--input" in options else (self.work / "lines.txt").read_bytes()
        self.keep_output(f"translate {name}", "translate", "--model", f"run-{run}", "--device", "cpu", "--quiet", *threads,
                         *options, stdin=lines)

    def of_model(self, run):
        """Every kind of network in float32, int8 and by its equations; its explanation and the weights it lists."""
        self.translate(f"{run} greedy", run, ["--beam", "1"])
        self.translate(f"{run} beam", run, ["--beam", "4", "--json-lines"])
        self.translate(f"{run} plain", run, ["--plain", "--beam", "2"])
        if not run.startswith("recurrent"):
            self.translate(f"{run} int8", run, ["--precision", "int8", "--beam", "1"])
        line = (self.work / "lines.txt").read_text().split("\n")[0]
        self.keep_output(f"explain {run}", "explain", "--model", f"run-{run}", "--json", "--threads", "1", "--quiet", line)
        self.keep_output(f"inspect {run}", "inspect", f"run-{run}/model.safetensors", "--json", "--quiet")

    def exchange(self, run, program):
        self.call("export", "--model", f"run-{run}", "--to", program, "--output", f"{program}-{run}", "--overwrite", "--quiet")
        self.keep_files(f"export {run} {program}", f"{program}-{run}")
        if program == "ctranslate2":
            return
        self.call("import", f"{program}-{run}", "--output", f"{program}-{run}.safetensors", "--overwrite", "--quiet")
        self.keep(f"import {run} {program}", tensors_of(self.work / f"{program}-{run}.safetensors"))

    def others(self):
        model = ["--model", "run-default", "--threads", "1", "--quiet"]
        pair = ["--source", "lines.txt", "--target", "references.txt"]
        scores = ["--hypothesis", "lines.txt", "--hypothesis", "corpus-part.txt", "--reference", "references.txt"]
        (self.work / "corpus-part.txt").write_bytes(self.call("translate", *model, stdin=(self.work / "lines.txt").read_bytes()))
        self.keep_output("score", "score", *model, *pair, "--json-lines")
        self.keep_output("score int8", "score", *model, *pair, "--precision", "int8")
        self.keep_output("heads report", "explain", *model, "--heads-report", *pair, "--json")
        self.keep_output("evaluate model", "evaluate", *model, "--source", "lines.txt", "--reference", "references.txt", "--json")
        self.keep_output("evaluate", "evaluate", *scores[:2], *scores[4:], "--metrics", "bleu", "chrf", "ter", "--confidence",
                         "--confidence-n", "50", "--quiet")
        self.keep_output("evaluate pairs", "evaluate", *scores, "--paired-bs", "--paired-bs-n", "50", "--json", "--quiet")
        self.keep_output("evaluate sentences", "evaluate", *scores[:2], *scores[4:], "--sentence-level", "--quiet")
        self.keep_output("check-data", "check-data", "--source", "lines.txt", "--target", "references.txt", "--json", "--quiet")
        self.keep_output("explain trace", "explain", *model, "--trace", "the man sees the house .")
        for precision in ("int8", "bfloat16"):
            self.call("convert", "--model", "run-default", "--precision", precision, "--output", f"{precision}.safetensors",
                      "--overwrite", "--quiet")
            self.keep(f"convert {precision}", (self.work / f"{precision}.safetensors").read_bytes())
        self.call("average", "run-default/checkpoints/step-00000020.safetensors", "run-default/checkpoints/step-00000040.safetensors",
                  "--output", "average.safetensors", "--overwrite", "--quiet")
        self.keep("average", (self.work / "average.safetensors").read_bytes())
        self.call("tokenizer", "train", "--input", "corpus/train.source", "--output", "pieces.model", "--vocabulary-size", "150",
                  "--overwrite", "--quiet")
        self.keep("tokenizer", (self.work / "pieces.model").read_bytes())

    def steps(self):
        """Steps by name, in stages: those of a stage need the stages before it."""
        first = {f"train {name}": lambda name=name: self.train(name, name) for name in RUNS}
        first["resume"] = self.resume
        second = {f"train {name}": lambda name=name, run=run: self.train(name, *run) for name, run in OTHER_RUNS.items()}
        third = {f"translate {name}": lambda name=name, run=run: self.translate(name, *run)
                 for name, run in TRANSLATIONS.items()}
        third |= {f"model {run}": lambda run=run: self.of_model(run) for run in RUNS if run != "bfloat16"}
        third |= {f"exchange {run} {program}": lambda run=run, program=program: self.exchange(run, program)
                  for run, program in (("marian", "marian"), ("marian-pre", "marian"), ("ssru", "marian"), ("paper", "ctranslate2"),
                                       ("default", "ctranslate2"), ("paper", "huggingface"), ("default", "huggingface"))}
        third["others"] = self.others
        return [first, second, third]

    def run(self, only):
        self.prepare()
        stages = self.steps()
        if only:
            stages[-1] = {name: step for name, step in stages[-1].items() if only in name}
        failures = []
        for stage in stages:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                running = {pool.submit(step): name for name, step in stage.items()}
                for done in concurrent.futures.as_completed(running):
                    if error := done.exception():
                        failures.append(f"{running[done]}: {error}")
        return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", type=pathlib.Path, metavar="FILE")
    action.add_argument("--compare", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--gloss", type=pathlib.Path, default=ROOT / "build/ci/app/gloss")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gloss-hashes-") as temporary:
        work = (options.work or pathlib.Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        results = Results(options.gloss.resolve(), work)
        failures = results.run(options.only)
    for failure in failures:
        print(failure, file=sys.stderr)
    if options.write:
        options.write.write_text(json.dumps(results.hashes, indent=1, sort_keys=True) + "\n")
        print(f"{len(results.hashes)} hashes")
        return 1 if failures else 0
    before = json.loads(options.compare.read_text())
    differing = sorted(name for name, value in results.hashes.items() if before.get(name) != value)
    missing = [] if options.only else sorted(set(before) - set(results.hashes))
    for name in differing:
        print(f"{'differs' if name in before else 'is new'}: {name}")
    for name in missing:
        print(f"is missing: {name}")
    print(f"{len(results.hashes) - len(differing)} of {len(results.hashes)} results are equal")
    return 1 if failures or differing or missing else 0


if __name__ == "__main__":
    sys.exit(main())
