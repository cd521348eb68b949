"""The documents of the test pages: one for each kind of page."""

import math

from alternatives import causal, recurrent, without_residual
from documents import document, item, model

MARKUP = ["<script>alert(1)</script>", '"quoted"', "<img src=x onerror=alert(2)>", "&amp;", "{{payload}}", "</style>"]


def all_documents():
    """Returns {name: document}: one for each kind of page."""
    small = (2, 4, 64)
    english, german = (
        "A little girl climbing into a wooden playhouse .".split(),
        "Ein kleines Mädchen klettert in ein Spielhaus .".split(),
    )
    tired = "The animal was too tired".split(), "Das Tier war zu müde".split()
    wide = "The street was too wide".split(), "Die Straße war zu breit".split()
    long = [f"word{i}" for i in range(99)]
    result = {
        "small": document([model(*small)], [item(english, german, *small)]),
        "several": document(
            [model(*small), model(*small, name="runs/learned", kind="learned", norm="post")],
            [
                item(*tired, *small),
                item(*wide, *small),
                item(*tired, *small, without=["encoder.0.self.1", "positions"]),
                item(*tired, *small, without=["source.1"]),
                item(*tired, *small, index=1),
            ],
        ),
        "quick": document([model(*small)], [item(english, german, *small, quick=True)]),
        "forced": document([model(*small)], [item(english, german, *small, forced=True)]),
        "chinese": document(
            [model(*small)], [item(list("一个小女孩爬进木屋"), list("它太累了"), *small, text="一个小女孩爬进木屋")]
        ),
        "markup": document([model(*small, name="runs/<b>bold</b>")], [item(MARKUP, MARKUP, *small)]),
        "empty": document([model(*small)], [item([], [], *small, quick=True, text="")]),
        "untranslated": document([model(*small)], [item(english, [], *small, ended=False)]),
        "words": document([model(*small)], [item([f"w{i}" for i in range(14)], list("abc"), *small)]),
        "large": document([model(6, 8, 512)], [item(long, long, 6, 8, 512, quick=True)]),
        "run": run(small),
    }
    del result["empty"]["items"][0]["merges"]
    two = document([model(*small)], [item(*tired, *small), item(*wide, *small)])
    result["recurrent"] = recurrent(two)
    result["no_attention"] = recurrent(two, "none")
    result["no_residual"] = without_residual(two)
    result["causal"] = causal(two)
    return result


def run(small):
    def curve(name, finished, rate):
        steps = list(range(50, 3001, 50))
        losses = [round(2 + 6 * math.exp(-rate * step), 5) for step in steps]
        checks = list(range(500, 3001, 500))
        return {
            "name": name,
            "finished": finished,
            "training": {
                "step": steps,
                "epoch": [round(step / 600, 3) for step in steps],
                "loss": losses,
                "perplexity": [round(math.exp(loss), 4) for loss in losses],
                "learning_rate": [round(min(step / 400, (step / 400) ** -0.5) * 2e-3, 8) for step in steps],
                "gradient_norm": [round(1 + 4 / (1 + step / 200) + 0.3 * math.sin(step), 4) for step in steps],
                "speed": [round(6200 + 300 * math.sin(step / 100), 1) for step in steps],
            },
            "validation": {
                "step": checks,
                "loss": [round(2.2 + 5 * math.exp(-rate * step), 5) for step in checks],
                "perplexity": [round(math.exp(2.2 + 5 * math.exp(-rate * step)), 4) for step in checks],
                "bleu": [round(38 * (1 - math.exp(-rate * step)), 2) for step in checks],
            },
            "samples": [
                {
                    "step": step,
                    "source": source,
                    "reference": "Ein Hund läuft im Schnee",
                    "translation": "Ein Hund läuft im Schnee" if step > 2000 else "Ein Mann ist ein Mann",
                }
                for step in checks
                for source in ("A dog runs in the snow", "<b>Two</b> men")
            ],
            "lens": [
                {
                    "step": step,
                    "items": [
                        item(
                            "A dog runs".split(),
                            ("Ein Hund läuft" if step > 2000 else "Ein Mann").split(),
                            *small,
                            light=True,
                        )
                    ]
                    + ([item("Two men".split(), "Zwei Männer".split(), *small, light=True)] if step > 2000 else []),
                }
                for step in checks
            ],
        }

    return {
        "format": "gloss.run",
        "version": 1,
        "runs": [curve("runs/en-de", True, 0.002), curve("runs/wide", False, 0.003)],
    }
