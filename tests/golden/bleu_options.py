"""Writes bleu_options.json: BLEU of evaluation_pairs.json with every option, as sacreBLEU computes it. Versions:
requirements.txt. Run: python3 tests/golden/bleu_options.py"""

import json
import logging
import pathlib

import numpy
import sacrebleu
from sacrebleu.metrics import BLEU

SMOOTHINGS = [("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.37), ("exp", None)]
WINDOW = 10  # lines of the small corpora


def options(tokenize="13a", lowercase=False, smooth_method="exp", smooth_value=None, effective_order=True, order=4):
    return {"tokenize": tokenize, "lowercase": lowercase, "smooth_method": smooth_method, "smooth_value": smooth_value,
            "effective_order": effective_order, "max_ngram_order": order}


SETTINGS = (
    [options(tokenize=name, lowercase=lower) for name in ("13a", "intl", "zh", "char", "none") for lower in (False, True)]
    + [options(smooth_method=method, smooth_value=value, effective_order=effective)
       for method, value in SMOOTHINGS for effective in (False, True)]
    + [options(effective_order=effective, order=order) for order in (1, 2, 6) for effective in (False, True)]
)


def figures(setting, hypotheses, references):
    metric = BLEU(**setting)
    rows = metric._extract_corpus_statistics(hypotheses, references)
    score = metric._aggregate_and_compute(rows)
    signature = metric.get_signature()
    windows = [rows[begin:begin + WINDOW] for begin in range(0, len(rows), WINDOW)]
    # As sacreBLEU sums statistics where it resamples, and where it shuffles two systems.
    single = [metric._compute_score_from_stats(numpy.array(w, dtype="float32").sum(0)).score for w in windows]
    trials = [metric._compute_score_from_stats(numpy.ones(len(w), dtype=bool) @ w).score for w in windows]
    return {
        "options": setting, "signature": signature.format(), "short_signature": signature.format(True),
        "score": score.score, "details": score._verbose, "precisions": score.precisions, "brevity_penalty": score.bp,
        "sentences": [metric._aggregate_and_compute([list(row)]).score for row in rows],
        "single_precision": [float(score) for score in single], "trials": [float(score) for score in trials],
    }


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    logging.disable(logging.CRITICAL)
    folder = pathlib.Path(__file__).parent
    pairs = json.loads((folder / "evaluation_pairs.json").read_text(encoding="utf-8"))["pairs"]
    most = max(len(pair["references"]) for pair in pairs)
    hypotheses = [pair["hypothesis"] for pair in pairs]
    references = [[(pair["references"] + [None] * most)[k] for pair in pairs] for k in range(most)]
    result = [json.dumps(figures(setting, hypotheses, references)) for setting in SETTINGS]
    made_by = f"tests/golden/bleu_options.py with sacreBLEU {sacrebleu.__version__}, NumPy {numpy.__version__}"
    text = f'{{"made_by": {json.dumps(made_by)}, "window": {WINDOW}, "settings": [\n' + ",\n".join(result) + "\n]}\n"
    (folder / "bleu_options.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
