"""Scores random texts with gloss and with sacreBLEU 2.6.0 under random options and compares every double.

    python3 scripts/fuzz_evaluation.py --gloss build/release/app/gloss [--pairs 100000] [--seed 1]

Half of the pairs are mutations of a sentence (fuzz_texts.py), the others two sentences or noise. Each batch draws options for
BLEU, chrF and TER, scores line by line and as a whole, and now and then asks for a confidence interval or a paired test.
Needs sacreBLEU of tests/golden/requirements.txt. Signatures, counts and what is there or not must be equal; two figures may
differ by 1e-9 of the larger one, which leaves room for the last bits of another processor's exp() and log(). A p-value of TER by
randomization, with several references, may differ by trials that are as far apart as the systems to 1e-9: whether those count is
decided by the order in which NumPy's BLAS adds thirds. Ends with one
JSON line that also counts how many were equal as doubles; exit status 1 where anything differs by more, and the first such
batch stays in --keep.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random as random_module
import shutil
import subprocess
import sys
import tempfile

import fuzz_texts
import numpy
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

TOLERANCE = 1e-9  # of the larger of two figures


def draw_bleu(random):
    method = random.choice(["exp", "exp", "floor", "add-k", "none"])
    value = round(random.uniform(0.01, 3), 3) if method in ("floor", "add-k") and random.random() < 0.6 else None
    order = random.choice([4, 4, 4, 1, 2, 3, 5, 6, 8])
    options = {"tokenize": random.choice(["13a", "13a", "none", "char", "zh", "intl"]), "smooth_method": method,
               "smooth_value": value, "lowercase": random.random() < 0.3, "effective_order": random.random() < 0.3,
               "max_ngram_order": order}
    flags = ["--tokenize", options["tokenize"], "--smooth-method", method, "--max-ngram-order", str(order)]
    flags += ["--smooth-value", str(value)] if value is not None else []
    flags += ["--lowercase"] if options["lowercase"] else []
    flags += ["--effective-order"] if options["effective_order"] else []
    return options, flags


def draw_chrf(random):
    options = {"char_order": random.choice([6, 6, 6, 1, 2, 3, 4, 8]), "word_order": random.choice([0, 0, 2, 2, 1, 3]),
               "beta": random.choice([2, 2, 2, 1, 3, 5]), "whitespace": random.random() < 0.3,
               "lowercase": random.random() < 0.3, "eps_smoothing": random.random() < 0.3}
    flags = ["--chrf-char-order", str(options["char_order"]), "--chrf-word-order", str(options["word_order"]),
             "--chrf-beta", str(options["beta"])]
    flags += ["--chrf-" + name.replace("_", "-") for name in ("whitespace", "lowercase", "eps_smoothing") if options[name]]
    return options, flags


def draw_ter(random):
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    options = {name: random.random() < 0.4 for name in names}
    return options, ["--ter-" + name.replace("_", "-") for name in names if options[name]]


class Batch:
    """Texts, options and the files that hold them."""

    def __init__(self, random, folder, size):
        self.folder = folder
        self.form = random.choice(["one", "one", "files", "columns", "var"])
        streams = 1 if self.form == "one" else random.randint(2, 4)
        self.hypotheses, self.others, self.references = [], [], []
        for number in range(size):
            base = fuzz_texts.sentence(random)
            if number % 2 == 0:
                make = lambda: fuzz_texts.mutation(random, base)
            else:
                make = lambda: fuzz_texts.sentence(random) if random.random() < 0.7 else fuzz_texts.noise(random)
            self.hypotheses.append(self.line(make(), False))
            self.others.append(self.line(make(), False))
            self.references.append(self.reference_row(random, base, make, streams))
        self.drop_byte_order_marks()
        self.bleu, bleu_flags = draw_bleu(random)
        self.chrf, chrf_flags = draw_chrf(random)
        self.ter, ter_flags = draw_ter(random)
        self.flags = bleu_flags + chrf_flags + ter_flags + self.write_files()

    def line(self, text, in_column):
        text = fuzz_texts.plain(text)
        return text.replace("\t", " ").rstrip() if in_column else text

    def reference_row(self, random, base, make, streams):
        in_column = self.form in ("columns", "var")
        row = [self.line(base if i == 0 else make(), in_column) for i in range(streams)]
        if self.form == "var":
            row = [text for text in row if text][:random.randint(1, streams)] or ["x"]
            return row + [None] * (streams - len(row))
        if in_column and not row[-1]:
            row[-1] = "x"  # the end of a line is stripped, tabs too
        return row

    def drop_byte_order_marks(self):
        """At the beginning of a file, where gloss drops one and sacreBLEU takes it for a character."""
        self.hypotheses[0] = self.hypotheses[0].lstrip("\ufeff")
        self.others[0] = self.others[0].lstrip("\ufeff")
        self.references[0] = [text and (text.lstrip("\ufeff") or "x") for text in self.references[0]]

    def write_files(self):
        self.write("hypotheses", self.hypotheses)
        self.write("others", self.others)
        if self.form in ("columns", "var"):
            self.write("references", ["\t".join(text for text in row if text is not None) for row in self.references])
            count = "var" if self.form == "var" else str(len(self.references[0]))
            return ["--reference", self.folder / "references", "--num-refs", count]
        names = []
        for stream in range(len(self.references[0])):
            names.append(self.folder / f"reference{stream}")
            self.write(names[-1].name, [row[stream] for row in self.references])
        return ["--reference", *names]

    def write(self, name, lines):
        (self.folder / name).write_bytes(("\n".join(lines) + "\n").encode("utf-8"))

    def streams(self):
        return [list(stream) for stream in zip(*self.references)]


def relative_difference(ours, theirs):
    """None where they are not both figures."""
    if not all(isinstance(value, (int, float)) for value in (ours, theirs)):
        return None
    return abs(ours - theirs) / max(abs(ours), abs(theirs))


class Comparison:
    """Counts of what was equal."""

    def __init__(self):
        self.values = collections.Counter()
        self.equal = collections.Counter()
        self.largest = collections.Counter()
        self.faults = []

    def compare(self, kind, place, ours, theirs):
        self.values[kind] += 1
        if ours == theirs:
            self.equal[kind] += 1
            return
        difference = relative_difference(ours, theirs)
        if difference is not None:
            self.largest[kind] = max(self.largest[kind], difference)
        if difference is None or not difference <= TOLERANCE:
            self.faults.append(f"{kind}, {place}: gloss {ours!r}, sacreBLEU {theirs!r}")

    def compare_tied(self, kind, place, ours, theirs, tied):
        """Of p-values, of which `tied` is the part that may fall on either side."""
        if ours != theirs and abs(ours - theirs) <= tied * (1 + TOLERANCE):
            self.values[kind + ", tied trials"] += 1
        else:
            self.compare(kind, place, ours, theirs)


def gloss(program, arguments, environment):
    command = [str(part) for part in (program, "evaluate", "--json", "--quiet", "--threads", "1",
                                      "--metrics", "bleu,chrf,ter", *arguments)]
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    if result.returncode != 0:
        raise RuntimeError(" ".join(command) + "\n" + result.stderr.decode())
    return json.loads(result.stdout)


def metrics_of(batch, references=None, **bleu):
    return {"bleu": BLEU(**(batch.bleu | bleu), force=True, references=references),
            "chrf": CHRF(**batch.chrf, references=references), "ter": TER(**batch.ter, references=references)}


def compare_lines(batch, run, found):
    ours = run(["--hypothesis", batch.folder / "hypotheses", "--sentence-level", *batch.flags])
    for key, metric in metrics_of(batch, effective_order=True).items():
        scores = [metric.sentence_score(hypothesis, references).score
                  for hypothesis, references in zip(batch.hypotheses, batch.references)]
        found.compare(key + " lines", "count", len(ours[key]["lines"]), len(scores))
        for number, (mine, theirs) in enumerate(zip(ours[key]["lines"], scores), 1):
            found.compare(key + " line", f"line {number}", mine, theirs)


def is_known_failure(error):
    """Python's statistics.mean(), which sacreBLEU calls, refuses float32 beside Python's floats."""
    frame = error.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    return frame.tb_frame.f_globals["__name__"] == "statistics"


def counts_of(key, metric, batch, score):
    """What sacreBLEU counted, under the names that gloss gives it."""
    if key == "ter":
        return {"num_edits": score.num_edits, "ref_length": score.ref_length}
    sums = [int(sum(column)) for column in zip(*metric._extract_corpus_statistics(batch.hypotheses, batch.streams()))]
    if key == "chrf":
        return {"hypothesis_ngrams": sums[0::3], "reference_ngrams": sums[1::3], "matches": sums[2::3]}
    order = metric.max_ngram_order  # the score's own counts have the smoothing added
    return {"matches": sums[2:2 + order], "totals": sums[2 + order:], "hypothesis_length": score.sys_len,
            "reference_length": score.ref_len, "precisions": score.precisions, "brevity_penalty": score.bp}


def compare_counts(key, metric, batch, ours, score, found):
    for name, theirs in counts_of(key, metric, batch, score).items():
        found.compare(key + " counts", name, ours[name], theirs)


def compare_corpus(batch, run, found, resamples):
    flags = ["--confidence", "--confidence-n", str(resamples)] if resamples else []
    ours = run(["--hypothesis", batch.folder / "hypotheses", *flags, *batch.flags])
    for key, metric in metrics_of(batch).items():
        try:
            score = metric.corpus_score(batch.hypotheses, batch.streams(), n_bootstrap=resamples or 1)
        except TypeError as error:
            if not resamples or not is_known_failure(error):
                raise
            found.values["sacreBLEU fails"] += 1
            continue
        found.compare(key + " corpus", "score", ours[key]["score"], score.score)
        compare_counts(key, metric, batch, ours[key], score, found)
        found.compare(key + " signature", "text", ours[key]["signature"], str(metric.get_signature()))
        if resamples:
            found.compare(key + " interval", "mean", ours[key]["confidence"]["mean"], float(score._mean))
            found.compare(key + " interval", "half width", ours[key]["confidence"]["half_width"], float(score._ci))


def tied_trials(batch, metric, trials):
    """The share of the trials of a randomization whose difference is that of the systems, but for the last bits."""
    first, second = (numpy.array(metric._extract_corpus_statistics(lines, None)) for lines in (batch.hypotheses, batch.others))
    score = lambda rows: metric._aggregate_and_compute(rows).score
    real = abs(score(first) - score(second))
    drawn = numpy.random.default_rng(int(os.environ["SACREBLEU_SEED"])).integers(2, size=(trials, len(first)), dtype=bool)
    differences = [abs(score((side @ first + ~side @ second)[None]) - score((~side @ first + side @ second)[None])) for side in drawn]
    return sum(abs(difference - real) <= TOLERANCE * real for difference in differences) / (trials + 1)


def compare_paired(batch, run, found, kind, trials):
    ours = run(["--hypothesis", batch.folder / "hypotheses", batch.folder / "others", f"--paired-{kind}",
                f"--paired-{kind}-n", str(trials), *batch.flags])["systems"]
    systems = [("first", batch.hypotheses), ("second", batch.others)]
    metrics = metrics_of(batch, references=batch.streams())
    signatures, results = PairedTest(systems, metrics, None, kind, trials)()
    tied = tied_trials(batch, metrics["ter"], trials) if kind == "ar" and len(batch.streams()) > 1 else 0
    names = [name for name in results if name != "System"]
    for key, name in zip(("bleu", "chrf", "ter"), names):
        for number, theirs in enumerate(results[name]):
            mine, place = ours[number][key], f"system {number + 1}"
            found.compare(key + " paired", place + ", score", mine["score"], float(theirs.score))
            found.compare_tied(key + " paired", place + ", p", mine.get("p_value"), theirs.p_value, tied if key == "ter" else 0)
            interval = mine.get("confidence", {"mean": None, "half_width": None})
            for ours_value, value in ((interval["mean"], theirs.mean), (interval["half_width"], theirs.ci)):
                found.compare(key + " paired", place + ", interval", ours_value, None if value is None else float(value))
        found.compare(key + " signature", "paired", ours[0][key]["signature"], str(signatures[name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gloss", type=pathlib.Path, default=pathlib.Path("build/release/app/gloss"))
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the batch to begin with")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("fuzz-fault"))
    options = parser.parse_args()
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    environment = os.environ | {"SACREBLEU_SEED": "12345"}
    os.environ["SACREBLEU_SEED"] = "12345"
    found = Comparison()
    pairs = 0
    run = lambda arguments: gloss(options.gloss.resolve(), arguments, environment)
    batches = math.ceil(options.pairs / options.batch)
    for number in range(options.first, batches):
        random = random_module.Random(f"{options.seed} {number}")
        with tempfile.TemporaryDirectory() as name:
            batch = Batch(random, pathlib.Path(name), min(options.batch, options.pairs - number * options.batch))
            pairs += len(batch.hypotheses)
            compare_lines(batch, run, found)
            compare_corpus(batch, run, found, random.randint(2, 120) if number % 4 == 0 else None)
            if number % 4 == 2:
                compare_paired(batch, run, found, random.choice(["ar", "bs"]), random.randint(5, 120))
            if found.faults:
                shutil.copytree(name, options.keep, dirs_exist_ok=True)
                print(f"batch {number}:", *batch.flags, file=sys.stderr)
                print(*found.faults[:10], sep="\n", file=sys.stderr)
                break
        if sys.stderr.isatty() or number % 20 == 19:
            print(f"{number + 1} of {batches} batches", file=sys.stderr)
    print(json.dumps({"pairs": pairs, "seed": options.seed, "tolerance": TOLERANCE, "faults": len(found.faults),
                      "values": dict(found.values), "equal_as_doubles": dict(found.equal),
                      "largest_relative_difference": dict(found.largest)}))
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
