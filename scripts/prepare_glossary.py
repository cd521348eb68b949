#!/usr/bin/env python3
"""Prepares lines with a phrase each that a translation must contain, and counts which phrases translations contain.

    prepare_glossary.py choose --source F --reference F --translation F --out DIR [--lines 200] [--seed 1]
        Takes lines at random, and of the reference of each one to three words that the translation lacks. Writes
        DIR/source, DIR/reference and DIR/glossary, in which the source phrase is the whole line.
    prepare_glossary.py count --source F --glossary F --translation F [--usual F]
        Knows nothing of gloss: finds the source phrases itself, as whole words, the longest first. Also counts the
        lines with a phrase that have words after their end: after the last sentence that the source accounts for.
        --usual F: lines of a source phrase and its usual translations, with a tab before each. Counts the
        phrases beside which a usual translation still stands, as a whole word, at most once for each phrase.
"""
import argparse
import pathlib
import random
import re

LONGEST = 3  # words


def read_lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def phrases_of(reference, translation):
    """Runs of words without punctuation between them; those that the translation lacks where there are any."""
    words = reference.split()
    runs = (" ".join(words[i : i + n]) for n in range(1, LONGEST + 1) for i in range(len(words) - n + 1))
    phrases = [run for run in (run.strip('.,;:!?"„“()') for run in runs) if re.fullmatch(r"\w[\w' -]*", run)]
    return [phrase for phrase in phrases if phrase not in translation] or phrases


def choose(args):
    pairs = list(zip(read_lines(args.source), read_lines(args.reference), read_lines(args.translation), strict=True))
    draw = random.Random(args.seed)
    draw.shuffle(pairs)
    chosen, sources = [], set()
    for source, reference, translation in pairs:
        phrases = phrases_of(reference, translation)
        if len(chosen) == args.lines or not phrases or "\t" in source or source in sources:
            continue
        sources.add(source)
        phrase = draw.choice(phrases)
        chosen.append((source, reference, phrase, phrase in translation))
    args.out.mkdir(parents=True, exist_ok=True)
    for name, lines in {
        "source": [source for source, *_ in chosen],
        "reference": [reference for _, reference, *_ in chosen],
        "glossary": [f"{source}\t{phrase}" for source, _, phrase, _ in chosen],
    }.items():
        (args.out / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    lacking = sum(not found for *_, found in chosen)
    print(f"{len(chosen)} lines, a phrase each; {lacking} phrases are not in the translations")


def sentences(line):
    """Runs of words that a full stop, an exclamation mark or a question mark ends."""
    return sum(bool(re.search(r"\w", part)) for part in re.split(r"[.!?。！？](?:\s|$)", line))


def count_usual(usual, found, translation):
    """Phrases of `found` beside which one of their usual translations stands."""
    words = [word for phrase in set(found) for word in usual.get(phrase, [])]
    standing = sum(len(re.findall(rf"(?<![\w-]){re.escape(word)}(?!\w)", translation)) for word in set(words))
    return min(sum(phrase in usual for phrase in found), standing)


def count(args):
    targets = dict(line.split("\t") for line in read_lines(args.glossary))
    usual = {first: words for first, *words in (line.split("\t") for line in read_lines(args.usual))} if args.usual else {}
    longest_first = "|".join(re.escape(source) for source in sorted(targets, key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W_])(?:{longest_first})(?![^\W_])")
    wanted = met = whole = lines = lines_met = lines_after = with_usual = beside_usual = 0
    for source, translation in zip(read_lines(args.source), read_lines(args.translation), strict=True):
        phrases = pattern.findall(source)
        found = [targets[phrase] for phrase in phrases]
        of_line = 0
        for target in set(found):
            times = found.count(target)
            of_line += min(times, translation.count(target))
            whole += min(times, len(re.findall(rf"(?<!\w){re.escape(target)}(?!\w)", translation)))
        wanted, met = wanted + len(found), met + of_line
        lines_after += bool(found) and sentences(translation) > max(1, sentences(source))
        with_usual += sum(phrase in usual for phrase in phrases)
        beside_usual += count_usual(usual, phrases, translation)
        lines, lines_met = lines + bool(found), lines_met + (bool(found) and of_line == len(found))
    print(f"{met} of {wanted} phrases, {whole} as whole words; all of {lines_met} of {lines} lines")
    print(f"{lines_after} of {lines} lines have words after their end")
    if args.usual:
        print(f"{beside_usual} of {with_usual} phrases stand beside their usual translation")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function, names in ((choose, ("source", "reference", "translation", "out")), (count, ("source", "glossary", "translation"))):
        command = commands.add_parser(function.__name__)
        for name in names:
            command.add_argument(f"--{name}", type=pathlib.Path, required=True)
        command.set_defaults(function=function)
        if function is count:
            command.add_argument("--usual", type=pathlib.Path)
        if function is choose:
            command.add_argument("--lines", type=int, default=200)
            command.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
