"""The command: it skips what is done, continues what is left, and makes tables without training."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import made_up
import plan
import study
from results import Results


class FakeRunner:
    """Stands in for run.Runner; counts its runs."""

    done, measured = [], []
    fails = set()

    def __init__(self, *_):
        self.stopped = False

    def result(self, run):
        if run.name in self.fails:
            raise study.CorpusError("a made-up fault")
        self.done.append(run.name)
        if run.seed == 0:
            return {"plan": run.item.plan(), "rows": []}
        return made_up.result_of(run.item, run.seed, 50.0)

    def with_costs(self, run, result):
        self.measured.append(run.name)
        return result | {"update": {}}


class StudyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for program in ("app/gloss", "benchmarks/study_figures"):
            (self.folder / program).parent.mkdir()
            (self.folder / program).touch()
        (self.folder / "page.md").write_text("<!-- table smoothing -->\n<!-- end -->\n", encoding="utf-8")
        FakeRunner.done, FakeRunner.measured, FakeRunner.fails = [], [], set()

    def run_study(self, *arguments):
        """Exit code and output of the command with fake runs."""
        output, errors = io.StringIO(), io.StringIO()
        folders = [f"--{name}={self.folder / place}" for name, place in
                   (("build", "."), ("work", "work"), ("results", "results"), ("page", "page.md"))]
        with mock.patch.object(study, "Runner", FakeRunner), mock.patch.object(study, "Corpora", mock.MagicMock()), \
                mock.patch.object(study.signal, "signal"), contextlib.redirect_stdout(output), \
                contextlib.redirect_stderr(errors):
            code = study.main([*folders, "--jobs=1", *arguments])
        return code, output.getvalue() + errors.getvalue()

    def test_what_is_done_is_skipped(self):
        self.assertEqual(self.run_study("--section=heads", "--seeds=1")[0], 0)
        self.assertEqual(FakeRunner.done, ["base-1", "heads-1-1", "heads-2-1", "heads-8-1", "heads-16-1"])
        FakeRunner.done.clear()
        self.run_study("--section=heads", "--seeds=2")
        self.assertEqual(FakeRunner.done, ["base-2", "heads-1-2", "heads-2-2", "heads-8-2", "heads-16-2"])

    def test_a_changed_plan_runs_again(self):
        results = Results(self.folder / "results")
        results.write("base-1", made_up.result_of(plan.base, 1, 50.0, plan="another"))
        self.run_study("--section=search", "--seeds=1")
        self.assertEqual(FakeRunner.done, ["base-1"])
        self.assertEqual(results.read("base-1")["plan"], plan.base.plan())

    def test_an_update_that_was_not_measured_is_measured_without_training(self):
        results = Results(self.folder / "results")
        without = made_up.result_of(plan.base, 1, 50.0)
        del without["update"]
        results.write("base-1", without)
        results.write("heads-1-1", {"run": "heads-1-1", "plan": plan.heads[1].plan(), "seconds": 6, "diverged": True})
        lines = self.run_study("--list", "--section=heads", "--seeds=1")[1].splitlines()
        self.assertRegex(lines[0], r"^base-1 +to measure")
        self.assertRegex(lines[1], r"^heads-1-1 +done")
        self.run_study("--section=heads", "--seeds=1")
        self.assertEqual(FakeRunner.measured, ["base-1"])
        self.assertEqual(FakeRunner.done, ["heads-2-1", "heads-8-1", "heads-16-1"])
        self.assertEqual(results.read("base-1"), without | {"update": {}})

    def test_a_single_run_is_done_again(self):
        self.run_study("--run=heads-2-3")
        self.run_study("--run=heads-2-3")
        self.assertEqual(FakeRunner.done, ["heads-2-3", "heads-2-3"])

    def test_a_run_that_fails_does_not_end_the_others(self):
        FakeRunner.fails = {"heads-2-1"}
        code, output = self.run_study("--section=heads", "--seeds=1")
        self.assertEqual(code, 1)
        self.assertIn("heads-2-1: CorpusError: a made-up fault", output)
        self.assertEqual(FakeRunner.done, ["base-1", "heads-1-1", "heads-8-1", "heads-16-1"])
        self.assertIsNone(Results(self.folder / "results").read("heads-2-1"))

    def test_no_run_starts_after_the_minutes(self):
        self.run_study("--section=heads", "--minutes=-1")
        self.assertEqual(FakeRunner.done, [])

    def test_tables_need_no_training(self):
        self.run_study("--section=smoothing", "--seeds=2")
        FakeRunner.done.clear()
        made = (self.folder / "page.md").read_text(encoding="utf-8")
        self.assertIn("| 50.00 [50.00, 50.00] |", made)
        (self.folder / "page.md").write_text("<!-- table smoothing -->\n<!-- end -->\n", encoding="utf-8")
        self.assertEqual(self.run_study("--check")[0], 1)
        self.assertEqual(self.run_study("--tables")[0], 0)
        self.assertEqual((self.folder / "page.md").read_text(encoding="utf-8"), made)
        self.assertEqual(self.run_study("--check")[0], 0)
        self.assertEqual(FakeRunner.done, [])

    def test_the_list_shows_what_is_done(self):
        self.run_study("--run=heads-2-1")
        lines = self.run_study("--list", "--section=heads")[1].splitlines()
        self.assertRegex(lines[6], r"^heads-2-1 +done +\d")
        self.assertRegex(lines[7], r"^heads-2-2 +to do +\d")
        self.assertEqual(len(lines), 16)

    def test_an_unknown_run_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "--run nothing: wanted a run"):
            self.run_study("--run=nothing")


if __name__ == "__main__":
    unittest.main()
