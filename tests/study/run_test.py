"""run_test.py GLOSS FIGURES: one small run with the real programs, from the text to the result."""

import dataclasses
import pathlib
import sys
import tempfile
import unittest

import made_up  # noqa: F401
import corpora
import plan
from run import RunError, Runner, order_scores

GLOSS, FIGURES = sys.argv.pop(1), sys.argv.pop(1)
SMALL = {"model.d_model": 16, "model.d_ff": 16, "model.heads": 2, "training.max_steps": 4, "training.save_every": 2,
         "training.validate_every": 4, "training.keep_checkpoints": 2}


class RunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        work = pathlib.Path(cls.folder.name)
        for name, value in {"SENTENCES": 1000, "ORDER_SENTENCES": 20000, "TEST_LINES": 3, "LONGER_LINES": 2,
                            "VALID_LINES": 5, "TRAIN_LINES": 300, "VOCABULARY": {"en-de": 300}}.items():
            setattr(corpora, name, value)
        cls.texts = corpora.Corpora(GLOSS, work / "corpora")
        cls.runner = Runner(GLOSS, FIGURES, work, cls.texts)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_texts_have_their_lengths(self):
        folder = self.texts.ensure("en-de")
        lines = {name: corpora.read_lines(folder / name) for name in
                 ("train.source", "train.target", "valid.source", "test.source", "test.groups", "longer.target",
                  "longer.groups", "orders.source", "orders.target")}
        self.assertEqual([len(lines[name]) for name in ("train.source", "train.target", "valid.source", "test.source")],
                         [300, 300, 5, 9])
        self.assertEqual(lines["test.groups"], list("111222333"))
        self.assertEqual(lines["longer.groups"], list("445566"))
        for line, count in zip(lines["longer.target"], lines["longer.groups"]):
            self.assertEqual(sum(line.count(mark) for mark in ".?!"), int(count))
        first, second = lines["orders.source"][:2]
        self.assertNotEqual(first, second)
        self.assertEqual(sorted(first.lower()), sorted(second.lower()))
        self.assertNotIn(first, " ".join(lines["train.source"]))

    def test_a_run_gives_every_figure(self):
        setting = dataclasses.replace(plan.base, keys=SMALL, pairs=200, averages=(2,), searches=((2, 0.5),))
        run = plan.Run(setting, 2)
        result = self.runner.result(run)
        self.assertTrue(run.is_done(result))
        self.assertEqual((result["run"], result["seed"], result["updates"]), ("base-2", 2, 4))
        for key in ("loss", "perplexity", "tokens_per_second", "peak_memory_mib", "training_seconds"):
            self.assertGreater(result[key], 0, key)
        for key in ("bleu", "longer_bleu"):
            self.assertGreaterEqual(result[key], 0)
        self.assertEqual(sorted(result["bleu_by_sentences"]), list("123456"))
        self.assertEqual(list(result["bleu_of_average"]), ["2"])
        self.assertEqual(list(result["bleu_of_search"]), ["2, 0.5"])
        self.assertGreater(result["update"]["plain_bytes"], 0)
        measured = self.runner.with_costs(run, {"bleu": 1.0})
        self.assertEqual((measured["bleu"], sorted(measured["update"])), (1.0, sorted(result["update"])))
        self.assertGreater(result["orders"]["pairs"], 0)
        self.assertEqual(list((pathlib.Path(self.folder.name) / "runs").iterdir()), [])

    def test_a_refused_key_is_an_error(self):
        setting = dataclasses.replace(plan.base, keys=SMALL | {"model.heads": 3}, pairs=200)
        with self.assertRaisesRegex(RunError, "exit code 2.*model.heads"):
            self.runner.result(plan.Run(setting, 1))

    def test_a_figure_gives_its_rows(self):
        result = self.runner.result(plan.Run(plan.Figure("x", ("scores", "--widths", "4")), 0))
        self.assertEqual([row["d_k"] for row in result["rows"]], [4, 4])

    def test_orders_count_pairs_that_differ_and_are_right(self):
        self.assertEqual(order_scores(["a", "b", "c", "c", "d", "x"], ["a", "b", "c", "e", "d", "f"]),
                         {"pairs": 3, "different": 2 / 3, "right": 1 / 3})


if __name__ == "__main__":
    unittest.main()
