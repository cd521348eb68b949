#!/usr/bin/env python3
"""Alignment error rates of the links that `gloss translate --alignment` prints, by precision and attention.

    benchmarks/alignment_error.py --gloss build/release/app/gloss --model run \\
        --source test_2016_flickr.en --target test_2016_flickr.de

alignment_links.txt holds the links of the first 200 lines of Multi30k's test_2016_flickr, English to German, which were
set by hand: 3-4 is a sure link of words 3 and 4, from 0, and 3p4 a possible one. The translations are forced to be the
references (--prefix). The error is that of Och and Ney (2003): 1 - (|A and S| + |A and P|) / (|A| + |S|), where sure
links are possible, too.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

LINKS = pathlib.Path(__file__).with_name("alignment_links.txt")


def gold_links():
    """The sure and the possible links of each line."""
    for line in LINKS.read_text().splitlines():
        links = [(int(a), int(b), kind) for a, kind, b in re.findall(r"(\d+)([-p])(\d+)", line)]
        yield {(a, b) for a, b, kind in links if kind == "-"}, {(a, b) for a, b, _ in links}


def found_links(options, sources, targets, more):
    """The links of each line, without those of words past the reference."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        prefix.write_text("".join(line + "\n" for line in targets))
        command = [options.gloss, "translate", "--model", options.model, "--prefix", prefix, "--alignment",
                   "--beam", "1", *more]
        output = subprocess.run(command, input="".join(line + "\n" for line in sources), text=True, check=True,
                                capture_output=True).stdout.splitlines()
    for line, target in zip(output, targets, strict=True):
        words = len(target.split())
        links = re.findall(r"(\d+)-(\d+)", line.rpartition("|||")[2])
        yield {(int(a), int(b)) for a, b in links if int(b) < words}


def error_rate(found, gold):
    hits = total = 0
    for links, (sure, possible) in zip(found, gold, strict=True):
        hits += len(links & sure) + len(links & possible)
        total += len(links) + len(sure)
    return 100 * (1 - hits / total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("gloss", "model", "source", "target"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--alignment-from", nargs="*", default=[], help="other attention than the model's own")
    options = parser.parse_args()
    gold = list(gold_links())
    sources, targets = (pathlib.Path(file).read_text().splitlines()[:len(gold)]
                        for file in (options.source, options.target))
    for line, (source, target, (_, possible)) in enumerate(zip(sources, targets, gold, strict=True), 1):
        if any(a >= len(source.split()) or b >= len(target.split()) for a, b in possible):
            parser.error(f"line {line}: wanted the texts that alignment_links.txt was made for, got others")
    for site in [[], *([["--alignment-from", site] for site in options.alignment_from])]:
        for precision in ("float32", "bfloat16", "int8"):
            found = list(found_links(options, sources, targets, ["--precision", precision, *site]))
            print(f"{precision:9}{' '.join(site):32}{error_rate(found, gold):6.2f} % of {sum(map(len, found))} links")


if __name__ == "__main__":
    main()
