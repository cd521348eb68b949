"""Writes ter.json: tokens and TER as sacreBLEU 2.6.0 computes them, for all options. Run: python3 tests/golden/ter.py"""

import functools
import itertools
import json
import pathlib
import random

import sacrebleu
from sacrebleu.metrics import TER, ter

FOLDER = pathlib.Path(__file__).parent
OPTIONS = ["normalized", "no_punct", "asian_support", "case_sensitive"]


def shifted(words, shifts, generator):
    """The words with blocks of them moved."""
    words = list(words)
    for _ in range(shifts):
        start = generator.randrange(len(words))
        block = words[start:start + generator.randint(1, 12)]
        del words[start:start + len(block)]
        place = generator.randint(0, len(words))
        words[place:place] = block
    return words


def drawn(seed):
    """A pair with some blocks moved and perhaps a part missing, twice or in another place."""
    generator = random.Random(seed)
    vocabulary, length = generator.choice([2, 4, 12, 60]), generator.randint(20, 120)
    reference = [f"w{generator.randrange(vocabulary)}" for _ in range(length)]
    hypothesis = shifted(reference, generator.randint(0, 6), generator)
    start = generator.randrange(length)
    hypothesis = generator.choice([hypothesis, hypothesis[start:], hypothesis + hypothesis[:start], hypothesis[start:] + hypothesis[:start],
                                   [word for word in hypothesis if generator.random() < 0.8]])
    return hypothesis, reference


def long_pairs():
    """Lines beyond the beam, the longest block and the number of shifts that are tried."""
    generator = random.Random(7)
    pairs = []
    for vocabulary, length, shifts in [(100, 45, 3), (12, 30, 4), (3, 20, 5), (1, 12, 1)]:
        reference = [f"w{generator.randrange(vocabulary)}" for _ in range(length)]
        pairs.append((shifted(reference, shifts, generator), reference))
        pairs.append((shifted(reference, shifts, generator)[:length // 2], reference))
        pairs.append((shifted(reference + reference[:length // 3], shifts, generator), reference))
    many = [f"w{i % 40}" for i in range(70)]
    pairs += [(["w3"], many), (["w3", "w9"], many), (many, ["w7", "w8"]), (["w1", "x"] * 3, many), (many[33:] + many[:33], many)]
    pairs += [drawn(seed) for seed in DRAWN]
    return [{"group": "long", "hypothesis": " ".join(hypothesis), "references": [" ".join(reference)]}
            for hypothesis, reference in pairs]


# Seeds of pairs that each tell a rule of the beam or of the shifts from one that is off by one or missing.
DRAWN = [95, 131, 176, 185, 202, 253, 276, 333, 469]

# First and last characters that --asian-support treats in its own way.
EDGES = [0x2e80, 0x2eff, 0x31c0, 0x31ef, 0x3200, 0x4dbf, 0x4e00, 0x9fff, 0xf900, 0xfaff, 0xfe30, 0xfe4f, 0x3001, 0x3002, 0x3008, 0x3011,
         0x3014, 0x301f, 0x30fb, 0xff01, 0xff02, 0xff08, 0xff09, 0xff0c, 0xff0e, 0xff1a, 0xff1b, 0xff1f, 0xff61, 0xff65]

# What shows only where a rule is missing or a reference is not prepared twice.
PREPARED = [
    "a.b,c 1.5 ,5 5. 5- -5 ..", "it's Peter's, \"it's\" 's it's\tso it's.", "&amp;lt; &amp;amp;quot; &quot;x&quot; &gt;",
    "one\n-two three\nfour-\nfive \n\n--", "it's\u2001^ it's\u00a0!", "(a);b:c?d!e\"f", "\u4e00\u9fff\ua000 x\u3400y\u4dbf\u4dc0z",
    "\u31c0\u31ef\u2e80\u2eff\u2f00 \u31ff\u3200\u33ff\uf900\ufaff\ufb00\ufe30\ufe4f\ufe50", "\u3041\u3093 \u30a2\u30f3\u30fb\u30a2 \u31f0",
    "\u3001a\u3002b\u3003c\u3008d\u3011e\u3012f\u3014g\u301fh\u3020", "\uff61a\uff65b\uff66c\uff0ed\uff0ce\uff1ff\uff1ag\uff1bh\uff01i\uff02j\uff08k\uff09l\uff0d",
    "a's b's\nc's its\n's 's. d's,e", "".join(f"x{chr(edge + step)}y" for edge in EDGES for step in (-1, 0, 1)),
    "\u039f\u0394\u039f\u03a3 \u0130stanbul STRASSE \u1e9e \u01c4",
]


def pairs():
    shared = json.loads((FOLDER / "evaluation_pairs.json").read_text(encoding="utf-8"))["pairs"]
    prepared = [{"group": "prepared", "hypothesis": line, "references": [other]}
                for line, other in itertools.product(PREPARED, PREPARED[:2])]
    prepared += [{"group": "prepared", "hypothesis": "x", "references": [line]} for line in PREPARED]
    return shared, long_pairs() + prepared


def remembered(edit_rate):
    cached = functools.lru_cache(maxsize=None)(lambda hypothesis, reference: edit_rate(list(hypothesis), list(reference)))
    return lambda hypothesis, reference: cached(tuple(hypothesis), tuple(reference))


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    ter.translation_edit_rate = remembered(ter.translation_edit_rate)  # the long pairs are equal under all options
    shared, own = pairs()
    lines = shared + own
    streams = max(len(line["references"]) for line in lines)
    references = [[line["references"][k] if k < len(line["references"]) else None for line in lines] for k in range(streams)]
    hypotheses = [line["hypothesis"] for line in lines]
    settings = []
    for values in itertools.product([False, True], repeat=len(OPTIONS)):
        metric = TER(**dict(zip(OPTIONS, values)))
        statistics = metric._extract_corpus_statistics(hypotheses, references)
        score = metric._aggregate_and_compute(statistics)
        settings.append({
            "options": dict(zip(OPTIONS, values)),
            "statistics": statistics, "score": score.score, "num_edits": score.num_edits, "ref_length": score.ref_length,
            "tokens": [metric.tokenizer(line.rstrip()) for line in PREPARED],
            "signature": str(metric.get_signature()), "short_signature": metric.get_signature().format(short=True),
        })
    result = {"made_by": "tests/golden/ter.py with sacreBLEU " + sacrebleu.__version__, "own_pairs": own,
              "lines": PREPARED, "settings": settings}
    path = FOLDER / "ter.json"
    path.write_text(json.dumps(result, separators=(",", ":"), sort_keys=True).replace('{"options"', '\n{"options"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
