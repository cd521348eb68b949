#!/usr/bin/env python3
"""F1 of sentence boundaries of gloss and of other splitters on the sets of tests/common/sentences/gold.

    pip install PyICU sentence-splitter pysbd
    g++ -std=c++20 -O2 -I. benchmarks/split_sentences.cpp common/sentences/{abbreviations,sentence_splitter}.cpp \\
      common/sentences/sentence_words.cpp common/text/{utf8,letter_case,word_boundary}.cpp -o split_sentences
    benchmarks/sentence_splitting.py --splitter ./split_sentences

A file holds one sentence on each line and an empty line after each paragraph. The text of a paragraph is its sentences
joined by a space, in Chinese and Japanese by nothing. A boundary is the byte at which a new sentence begins; those of
all paragraphs of a file are counted together. `a` was written with the rules in view, `b` by somebody who had not seen
them. Splitters without rules for a language have those of English.
"""

import argparse
import json
import pathlib
import subprocess

GOLD = pathlib.Path(__file__).parents[1] / "tests/common/sentences/gold"
LANGUAGES = ("en", "de", "fr", "es", "cs", "zh")


def read_gold(language, part):
    """The sentences of each paragraph."""
    blocks = (GOLD / f"{language}_{part}.txt").read_text().strip("\n").split("\n\n")
    return [block.split("\n") for block in blocks]


def boundaries(text, sentences):
    """The bytes at which sentences after the first one begin. Splitters may drop white space."""
    found, end = set(), 0
    for sentence in sentences:
        sentence = sentence.strip()
        if not sentence:
            continue
        begin = text.index(sentence, end)
        if text[:begin].strip():
            found.add(len(text[:begin].encode()))
        end = begin + len(sentence)
    return found


def gloss(options, language, texts):
    output = subprocess.run([options.splitter, language], input="".join(text + "\n" for text in texts), text=True,
                            check=True, capture_output=True).stdout
    return [block.split("\n") for block in output.removesuffix("\n\n").split("\n\n")]


def icu_with(keyword):
    def split(_, language, texts):
        import icu
        breaks = icu.BreakIterator.createSentenceInstance(icu.Locale(language + keyword))
        for text in texts:
            found = icu.UnicodeString(text)
            breaks.setText(found)
            places = [0, *breaks]
            yield [str(found[begin:end]) for begin, end in zip(places, places[1:])]
    return split


def moses(_, language, texts):
    from sentence_splitter import SentenceSplitter
    from sentence_splitter import SentenceSplitterException
    try:
        splitter = SentenceSplitter(language=language)
    except SentenceSplitterException:
        splitter = SentenceSplitter(language="en")
    return [splitter.split(text) for text in texts]


def pysbd(_, language, texts):
    from pysbd import Segmenter
    from pysbd.languages import LANGUAGE_CODES
    segmenter = Segmenter(language=language if language in LANGUAGE_CODES else "en", clean=False)
    return [segmenter.segment(text) for text in texts]


SPLITTERS = {"gloss": gloss, "icu": icu_with(""), "icu_standard": icu_with("@ss=standard"), "moses": moses,
             "pysbd": pysbd}


def counts(gold, split):
    """Right boundaries, found ones and those of the gold set."""
    texts = [text for text, _ in gold]
    hits = found = wanted = 0
    for (text, sentences), got in zip(gold, split(texts), strict=True):
        ours, theirs = boundaries(text, got), boundaries(text, sentences)
        hits, found, wanted = hits + len(ours & theirs), found + len(ours), wanted + len(theirs)
    return hits, found, wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splitter", required=True, help="benchmarks/split_sentences")
    parser.add_argument("--errors", default="", help="print the paragraphs of this part that gloss cuts otherwise")
    options = parser.parse_args()
    parts = [part for part in "ab" if all((GOLD / f"{language}_{part}.txt").exists() for language in LANGUAGES)]
    results = {name: {} for name in SPLITTERS}
    print("set    " + "".join(f"{name:>14}" for name in SPLITTERS))
    for language in LANGUAGES:
        joint = "" if language in ("zh", "ja") else " "
        totals = {name: (0, 0, 0) for name in SPLITTERS}
        for part in [*parts, "all"]:
            row = f"{language}_{part:<4}"
            gold = [(joint.join(block), block) for block in read_gold(language, part)] if part != "all" else []
            for name, splitter in SPLITTERS.items():
                if part == "all":
                    found = totals[name]
                else:
                    found = counts(gold, lambda texts: splitter(options, language, texts))
                    totals[name] = tuple(map(sum, zip(totals[name], found)))
                f1 = round(200 * found[0] / (found[1] + found[2]), 2)
                results[name][f"{language}_{part}"] = f1
                row += f"{f1:14.2f}"
            print(row)
            if part == options.errors:
                for (text, sentences), got in zip(gold, gloss(options, language, [text for text, _ in gold])):
                    if got != sentences:
                        print("  wanted " + " | ".join(sentences) + "\n  got    " + " | ".join(got))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
