"""How long sacreBLEU and gloss take to score the same files, command against command, one thread each.

    python3 benchmarks/evaluation_speed.py --gloss build/release/app/gloss [--lines 100000]
                                           [--hypothesis FILE --reference FILE]

Without files the text is composed: sentences of some 20 words of a language of 20,000 words whose frequencies fall as 1/rank,
and a translation in which some words are missing, new, or elsewhere. Files are read from the beginning until there are lines
enough, over and over if need be (sacreBLEU remembers lines that come again). Times are wall-clock of the whole command, start
and reading included: sacreBLEU's once, gloss's the median of --repeat. Scores must be equal. Ends with one JSON line.
"""

import argparse
import itertools
import json
import os
import pathlib
import random as random_module
import statistics
import subprocess
import sys
import tempfile
import time

METRICS = ("bleu", "chrf", "ter")


def made_up_words(random, count):
    syllables = [c + v for c in ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "ch") for v in "aeiou"]
    words = {}
    while len(words) < count:
        word = "".join(random.choice(syllables) for _ in range(random.randint(1, 4)))
        words[word + random.choice(["", "", "n", "s", "r"])] = None
    return list(words)


def composed(random, lines):
    words = made_up_words(random, 20_000)
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))
    for _ in range(lines):
        count = max(3, int(random.gauss(20, 8)))
        reference = random.choices(words, cum_weights=weights, k=count)
        hypothesis = [word for word in reference if random.random() > 0.1]
        for at in range(len(hypothesis)):
            if random.random() < 0.2:
                hypothesis[at] = random.choices(words, cum_weights=weights)[0]
        if random.random() < 0.5:
            first = random.randrange(len(hypothesis) + 1)
            block = hypothesis[first:first + random.randint(1, 4)]
            del hypothesis[first:first + len(block)]
            to = random.randint(0, len(hypothesis))
            hypothesis[to:to] = block
        yield punctuated(random, hypothesis), punctuated(random, reference)


def punctuated(random, words):
    text = " ".join(word + ("," if random.random() < 0.05 else "") for word in words)
    return text[:1].upper() + text[1:] + "."


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def read_lines(path, count):
    lines = path.read_text(encoding="utf-8").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    return list(itertools.islice(itertools.cycle(lines), count))


def timed(command):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "SACREBLEU_FORMAT": "json"}
    begin = time.perf_counter()
    result = subprocess.run([str(part) for part in command], capture_output=True, check=True, env=environment)
    return time.perf_counter() - begin, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gloss", type=pathlib.Path, default=pathlib.Path("build/release/app/gloss"))
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--hypothesis", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=METRICS)
    options = parser.parse_args()
    if (options.hypothesis is None) != (options.reference is None):
        parser.error("--hypothesis and --reference go together")
    results = {"lines": options.lines}
    with tempfile.TemporaryDirectory() as name:
        hypothesis, reference = pathlib.Path(name) / "hypothesis", pathlib.Path(name) / "reference"
        if options.hypothesis:
            write_lines(hypothesis, read_lines(options.hypothesis, options.lines))
            write_lines(reference, read_lines(options.reference, options.lines))
        else:
            pairs = list(composed(random_module.Random(1), options.lines))
            write_lines(hypothesis, (pair[0] for pair in pairs))
            write_lines(reference, (pair[1] for pair in pairs))
        print("metric  sacreBLEU s  gloss s  ratio")
        for metric in options.metrics:
            ours, theirs = [], []
            python_seconds, expected = timed([sys.executable, "-m", "sacrebleu", reference, "-i", hypothesis, "-m", metric,
                                              "-w", "9"])
            for _ in range(options.repeat):
                seconds, got = timed([options.gloss, "evaluate", reference, "-i", hypothesis, "-m", metric, "-w", "9",
                                      "--format", "sacrebleu", "--threads", "1"])
                ours.append(seconds)
                theirs.append(got)
            if any(text != expected for text in theirs):
                sys.exit(f"{metric}: gloss prints\n{theirs[0].decode()}sacreBLEU\n{expected.decode()}")
            seconds = statistics.median(ours)
            results[metric] = {"sacrebleu_seconds": python_seconds, "gloss_seconds": seconds,
                               "ratio": python_seconds / seconds}
            print(f"{metric:6}  {python_seconds:11.2f}  {seconds:7.3f}  {python_seconds / seconds:5.1f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
