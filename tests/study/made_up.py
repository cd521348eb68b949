"""Made-up results of the study, and the path to its modules."""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/study"))

import plan  # noqa: E402
from results import Results  # noqa: E402


def result_of(setting, seed, bleu, **others):
    """A result with the keys that tables read."""
    return {
        "run": f"{setting.name}-{seed}", "plan": setting.plan(), "setting": setting.name, "seed": seed, "seconds": 60.0,
        "loss": 1.0 / bleu, "perplexity": 1.5, "bleu": bleu, "longer_bleu": bleu / 2,
        "bleu_by_sentences": {str(count): bleu - count for count in range(1, 7)},
        "orders": {"pairs": 10, "different": 0.9, "right": 0.8}, "training_losses": [[50, 2.0], [100, 1.0]],
        "update": {"tokens_per_second": 9000.0, "plain_tokens_per_second": 3000.0, "plain_bytes": 2 ** 25,
                   "parameters": 792040},
    } | others


def folder_with(results):
    """A temporary folder, which the caller keeps, and the Results in it."""
    folder = tempfile.TemporaryDirectory()
    found = Results(folder.name)
    for result in results:
        found.write(result["run"], result)
    return folder, found


def three_seeds(setting, *bleu, **others):
    return [result_of(setting, seed, value, **others) for seed, value in enumerate(bleu, 1)]
