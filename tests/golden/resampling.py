"""Writes resampling.json: NumPy's random numbers and means, and what sacreBLEU 2.6.0 makes of them.
Run: python3 tests/golden/resampling.py"""

import json
import os
import pathlib
import statistics

import numpy
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

SEEDS = ["0", "1", "12345", "4294967295", "4294967296", "18446744073709551616",
         "123456789012345678901234567890123456789012345678901234567890"]
BOUNDS = [1, 2, 3, 10, 1000, 2**31 + 1, 3 * 2**30, 2**32 - 1]
METRICS = [
    (CHRF, {}), (CHRF, {"word_order": 2}), (CHRF, {"eps_smoothing": True, "char_order": 3}),
    (CHRF, {"beta": 1, "char_order": 1, "lowercase": True}),
    (BLEU, {}), (BLEU, {"smooth_method": "floor", "lowercase": True, "max_ngram_order": 2}),
    # What it adds to a count of n-grams, NumPy cuts off where a trial holds whole numbers.
    (BLEU, {"smooth_method": "add-k", "smooth_value": 0.37}),
    (TER, {}), (TER, {"normalized": True, "case_sensitive": True}),
]
# Of three references TER takes thirds of words, whose sums are rounded in float32. All else is whole and exact there.
CASES = [(metric, options, 1) for metric, options in METRICS] + [(TER, {}, 3)]


def draws():
    result = []
    for seed in SEEDS:
        generator = numpy.random.default_rng(int(seed))
        # One after the other, so that what a bound leaves of 64 bits is seen by the next.
        chosen = [generator.choice(bound, size=15, replace=True).tolist() for bound in BOUNDS]
        bits = generator.integers(2, size=75, dtype=bool).astype(int).tolist()
        behind = generator.choice(1000, size=5, replace=True).tolist()
        result.append({"seed": seed, "chosen": chosen, "bits": bits, "behind": behind})
    return result


def number(k):
    """The same in every language: what is rounded is only the last product."""
    x = 100 * (k * 2654435761 % 2**32) / 2**32
    return x * x


def means():
    result = []
    for count in [1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 137, 300, 1000, 2049]:
        numbers = [number(k) for k in range(count)]
        result.append({"count": count, "single": float(numpy.array(numbers, dtype="float32").mean()),
                       "double": float(numpy.array(numbers).mean()), "exact": statistics.mean(numbers)})
    return result


def exact_means():
    return [{"numbers": numbers, "mean": statistics.mean(numbers)} for numbers in [
        [5e-324, 0.0], [5e-324, 1e-323], [5e-324, 1e-323, 0.0, 0.0], [1e308, 1e308, 1e-300], [0.1, 0.2], [0.0, 0.0],
        [1 / 3] * 3, [1.0, 2.0**-53], [1.0, 2.0**-52 + 1.0], [1.0, 2.0**-52 + 1.0, 1.0], [1.0, 1.0, 2.0**-1074]]]


def figures(result):
    return [float(x) for x in (result.score, result.p_value, result.mean, result.ci) if x is not None]


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    folder = pathlib.Path(__file__).parent
    pairs = json.loads((folder / "evaluation_pairs.json").read_text(encoding="utf-8"))["pairs"]
    pairs = [pair for pair in pairs if pair["references"][0] is not None][:200]
    references = [pair["references"][0] for pair in pairs]
    systems = {
        "system": [pair["hypothesis"] for pair in pairs],
        "near": [r if i % 17 == 0 else pair["hypothesis"] for i, (pair, r) in enumerate(zip(pairs, references))],
        "far": [" ".join(r.split()[::-1]) for r in references],
    }
    further = [references[1:] + references[:1], [" ".join(r.split()[1:]) for r in references]]
    intervals, tests = [], []
    for kind_of_metric, options, count in CASES:
        streams = [references, *further][:count]
        metric = kind_of_metric(**options)
        name = kind_of_metric.__name__
        for lines, samples, seed in [(200, 1000, "12345"), (33, 100, "7"), (3, 39, "12345"), (64, 129, "0012345")]:
            os.environ["SACREBLEU_SEED"] = seed
            try:
                score = metric.corpus_score(systems["system"][:lines], [s[:lines] for s in streams], n_bootstrap=samples)
            except TypeError:  # float32 and float cannot be averaged
                continue
            intervals.append({"metric": name, "options": options, "references": count, "lines": lines,
                              "samples": samples, "seed": seed, "mean": float(score._mean), "half_width": float(score._ci),
                              "signature": str(metric.get_signature()),
                              "short_signature": metric.get_signature().format(short=True)})
        for kind, samples, confidence in [("bs", 1000, -1), ("bs", 77, -1), ("ar", 1000, -1), ("ar", 101, 200)]:
            if kind == "ar" and count > 1:
                continue  # the last bits of its sums, by matrix products, are the processor's
            for lines, seed in [(200, "12345"), (7, "98765432109876543210"), (1, "1")]:
                os.environ["SACREBLEU_SEED"] = seed
                named = [(name, system[:lines]) for name, system in systems.items()]
                test = PairedTest(named, {name: kind_of_metric(**options)}, [s[:lines] for s in streams], test_type=kind,
                                  n_samples=samples, n_ar_confidence=confidence)
                signatures, scores = test()
                (scored, signature), = signatures.items()
                tests.append({"kind": kind, "metric": name, "options": options, "references": count, "lines": lines,
                              "samples": samples, "seed": seed,
                              "interval_samples": samples if kind == "bs" else max(confidence, 0),
                              "figures": [figures(result) for result in scores[scored]],
                              "signature": str(signature)})
    result = {
        "made_by": f"tests/golden/resampling.py with sacreBLEU {sacrebleu.__version__} and NumPy {numpy.__version__}",
        "draws": draws(), "means": means(), "exact_means": exact_means(), "references": references,
        "further_references": further, "systems": systems, "intervals": intervals, "tests": tests,
    }
    (folder / "resampling.json").write_text(json.dumps(result, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
