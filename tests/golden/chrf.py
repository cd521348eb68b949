"""Writes chrf.json: chrF of each of evaluation_pairs.json and of all of them, as sacreBLEU 2.6.0 computes it, for every
option. Run: python3 tests/golden/chrf.py"""

import json
import pathlib

import sacrebleu
from sacrebleu.metrics import CHRF

OPTIONS = [
    {},
    {"word_order": 2},
    {"word_order": 1},
    {"char_order": 4, "word_order": 3, "beta": 1},
    {"char_order": 1, "beta": 0},
    {"char_order": 0, "word_order": 2, "beta": 3},
    {"char_order": 12},
    {"whitespace": True},
    {"whitespace": True, "word_order": 2, "lowercase": True},
    {"lowercase": True},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2, "beta": 3},
    {"eps_smoothing": True, "char_order": 2, "beta": 0},
    {"char_order": 8, "word_order": 4, "beta": 5, "whitespace": True, "lowercase": True, "eps_smoothing": True},
]


def streams_of(pairs):
    count = max(len(pair["references"]) for pair in pairs)
    return [[pair["references"][k] if k < len(pair["references"]) else None for pair in pairs] for k in range(count)]


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    folder = pathlib.Path(__file__).parent
    pairs = json.loads((folder / "evaluation_pairs.json").read_text(encoding="utf-8"))["pairs"]
    hypotheses = [pair["hypothesis"] for pair in pairs]
    results = []
    for options in OPTIONS:
        metric = CHRF(**options)
        lines = [metric.sentence_score(pair["hypothesis"], [r for r in pair["references"] if r is not None]).score
                 for pair in pairs]
        corpus = metric.corpus_score(hypotheses, streams_of(pairs))
        results.append({
            "options": options, "name": corpus.name, "lines": lines, "score": corpus.score,
            "signature": str(metric.get_signature()), "short_signature": metric.get_signature().format(short=True),
            "rows": metric._extract_corpus_statistics(hypotheses[:20], streams_of(pairs[:20])),
        })
    result = {"made_by": "tests/golden/chrf.py with sacreBLEU " + sacrebleu.__version__, "results": results}
    (folder / "chrf.json").write_text(json.dumps(result, indent=None, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
