#!/usr/bin/env python3
"""Placeholders in 1,000 generated lines: how many translations keep them, and what they cost in BLEU.

    benchmarks/placeholders.py --gloss build/release/app/gloss --model run \\
        --source test_2016_flickr.en --target test_2016_flickr.de

Each line of the source gets two to four placeholders between its words, drawn with a fixed seed. A translation is right
if it has the placeholders of its line, each as often as the line, and those with a fixed order in it. BLEU is that of the
translations without their placeholders, beside that of the lines without placeholders. Ends with one JSON line.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import tempfile

IN_ORDER = ["{name}", "%s", "%(count)d", "${user}", "{0}", "{{ value }}", "%1$s", "https://example.org/a?b=1",
            "me@example.org", "<0/>", "{n, plural, one {# file} other {# files}}", "%d", "👍🏽"]
QUANTITIES = ["5 km", "20 °C", "3.5 GHz", "1,000 €", "50 %"]


def with_placeholders(line, source):
    """The line with placeholders between its words, and these in their order."""
    words = line.split()
    chosen = [source.choice(IN_ORDER if source.random() < 0.8 else QUANTITIES) for _ in range(source.randint(2, 4))]
    gaps = sorted(source.sample(range(1, len(words)), min(len(chosen), len(words) - 1)))
    chosen = chosen[:len(gaps)]
    for gap, placeholder in reversed(list(zip(gaps, chosen))):
        words.insert(gap, placeholder)
    return " ".join(words), chosen


def translated(options, lines, folder):
    source, output = folder / "lines.txt", folder / "translations.txt"
    source.write_text("".join(line + "\n" for line in lines))
    subprocess.run([options.gloss, "translate-file", "--model", options.model, "--split-sentences", "line", "--quiet",
                    *options.options, source, output], check=True)
    return output.read_text().splitlines()


def keeps(translation, placeholders):
    if any(translation.count(p) < placeholders.count(p) for p in placeholders):
        return False
    place = 0
    for placeholder in placeholders:
        if placeholder in QUANTITIES:
            continue
        place = translation.find(placeholder, place)
        if place < 0:
            return False
        place += len(placeholder)
    return True


def without(translation, placeholders):
    for placeholder in sorted(set(placeholders), key=len, reverse=True):
        translation = translation.replace(placeholder, " ")
    return re.sub(r" +", " ", translation).strip()


def bleu(options, translations, folder):
    hypothesis = folder / "hypothesis.txt"
    hypothesis.write_text("".join(line + "\n" for line in translations))
    reference = folder / "reference.txt"
    reference.write_text("".join(line + "\n" for line in options.references))
    result = subprocess.run([options.gloss, "evaluate", "--hypothesis", hypothesis, "--reference", reference,
                             "--score-only"], check=True, capture_output=True, text=True)
    return float(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("gloss", "model", "source", "target"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--options", nargs="*", default=[], help="more options of gloss translate-file")
    options = parser.parse_args()
    lines, options.references = (pathlib.Path(file).read_text().splitlines()[:1000]
                                 for file in (options.source, options.target))
    drawn = random.Random(1)
    marked, placeholders = zip(*(with_placeholders(line, drawn) for line in lines))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain = translated(options, lines, folder)
        found = translated(options, marked, folder)
        kept = sum(map(keeps, found, placeholders))
        for line, translation, wanted in zip(marked, found, placeholders):
            if not keeps(translation, wanted):
                print(f"lost: {line}\n  ->  {translation}")
        rest = [without(translation, wanted) for translation, wanted in zip(found, placeholders)]
        print(json.dumps({"lines": len(lines), "placeholders": sum(map(len, placeholders)), "lines_kept": kept,
                          "bleu_without_placeholders": bleu(options, rest, folder),
                          "bleu_of_plain_lines": bleu(options, plain, folder)}))


if __name__ == "__main__":
    main()
