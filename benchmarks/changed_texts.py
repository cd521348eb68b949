#!/usr/bin/env python3
"""Writes test sets whose sentences are changed as data.augment_... changes training pairs, and counts placeholders.

    python3 benchmarks/changed_texts.py make SOURCE TARGET FOLDER
    python3 benchmarks/changed_texts.py count FOLDER/placeholders.source HYPOTHESIS
    python3 benchmarks/changed_texts.py strip HYPOTHESIS > HYPOTHESIS.stripped

`make` writes NAME.source and NAME.target for each change: clean, upper, title, lower, no_end_mark, typos,
placeholders. The texts depend on the lines only. The target of `lower` and `typos` is the clean one; that of
`placeholders` has the same placeholders at the same ends. `count` prints the share of placeholders that a translation
has exactly once, in percent, and `strip` removes them, so that BLEU can be computed without them."""

import random
import re
import sys
from pathlib import Path

END_MARKS = ".!?"
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
# Not the names and numbers of training, which are made up at random.
PLACEHOLDERS = ("{user}", "{count}", "{0}", "%s", "%d", "%2$s", "%(file)s", "${home}", "⟦1⟧", "⟦2⟧", "<1/>",
                "https://example.org/news", "info@example.org")
PLACEHOLDER = re.compile("|".join(re.escape(text) for text in PLACEHOLDERS))


def title(line):
    return " ".join(re.sub(r"[^\W\d_]", lambda letter: letter[0].upper(), word, count=1) for word in line.split(" "))


def neighbor(letter, draws):
    for row in KEYBOARD:
        place = row.find(letter)
        if place >= 0:
            return draws.choice(row[max(place - 1, 0):place] + row[place + 1:place + 2])
    return ""


def typo(word, draws):
    """Returns the word with another letter than the first changed."""
    place = draws.randrange(1, len(word))
    kind = draws.choice(("swap", "drop", "double", "neighbor"))
    if kind == "swap" and place + 1 < len(word) and word[place] != word[place + 1]:
        return word[:place] + word[place + 1] + word[place] + word[place + 2:]
    if kind == "double":
        return word[:place] + word[place] + word[place:]
    return word[:place] + (neighbor(word[place], draws) if kind == "neighbor" else "") + word[place + 1:]


def typos(line, draws):
    """Returns the line with an error in two of its words of at least four letters."""
    words = line.split(" ")
    places = [i for i, word in enumerate(words) if len(word) >= 4 and word.isalpha()]
    for place in draws.sample(places, min(2, len(places))):
        words[place] = typo(words[place], draws)
    return " ".join(words)


def with_placeholders(source, target, draws):
    """Returns the pair with a placeholder at the beginning, at the end, or both."""
    first, last = draws.sample(PLACEHOLDERS, 2)
    where = draws.choice(("begin", "end", "both"))

    def add(line):
        body = line.rstrip(END_MARKS)
        mark = line[len(body):]
        return (first + " " if where != "end" else "") + body + (" " + last if where != "begin" else "") + mark

    return add(source), add(target)


def changed(name, number, source, target):
    draws = random.Random(f"{name} {number}")
    if name == "upper":
        return source.upper(), target.upper()
    if name == "title":
        return title(source), title(target)
    if name == "lower":
        return source.lower(), target
    if name == "no_end_mark":
        return source.rstrip(END_MARKS), target.rstrip(END_MARKS)
    if name == "typos":
        return typos(source, draws), target
    if name == "placeholders":
        return with_placeholders(source, target, draws)
    return source, target


def lines_of(path):
    return Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")


def make(source, target, folder):
    pairs = list(zip(lines_of(source), lines_of(target), strict=True))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in ("clean", "upper", "title", "lower", "no_end_mark", "typos", "placeholders"):
        result = [changed(name, number, *pair) for number, pair in enumerate(pairs)]
        for side, extension in enumerate(("source", "target")):
            text = "".join(pair[side] + "\n" for pair in result)
            (Path(folder) / f"{name}.{extension}").write_text(text, encoding="utf-8")


def count(source, hypothesis):
    wanted = kept = 0
    for line, translation in zip(lines_of(source), lines_of(hypothesis), strict=True):
        for placeholder in PLACEHOLDER.findall(line):
            wanted += 1
            kept += PLACEHOLDER.findall(translation).count(placeholder) == 1
    print(f"{100 * kept / wanted:.1f}")


def strip(hypothesis):
    for line in lines_of(hypothesis):
        print(re.sub(r" +([.!?]|$)", r"\1", " ".join(PLACEHOLDER.sub("", line).split())))


if __name__ == "__main__":
    commands = {"make": make, "count": count, "strip": strip}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
