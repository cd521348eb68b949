"""benchmarks/figures.py: ratios of made-up values, the rule of what moved, and repetitions of programs that print."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import figures  # noqa: E402

RATE, SECONDS = figures.Figure("gloss", "other", rate="tokens_per_second"), figures.Figure("gloss", "other")


def figure(ratio, spread=0.0):
    return {"ratio": ratio, "quartiles": [ratio * (1 - spread / 2), ratio * (1 + spread / 2)]}


def measurement(kind="avx2", processor="a processor", **ratios):
    return {"machine": {"kind": kind, "processor": processor}, "model": "0", "versions": {}, "gloss": "gloss 1",
            "figures": {name: figure(ratio) for name, ratio in ratios.items()}}


def verdict(then, now):
    return [row[-1] for row in figures.compared({"a": then}, {"a": now})]


class SummaryTest(unittest.TestCase):
    def test_a_ratio_is_that_of_speeds(self):
        self.assertEqual(figures.summary(RATE, [(30, 10)])["ratio"], 3)
        self.assertEqual(figures.summary(SECONDS, [(10, 30)])["ratio"], 3)

    def test_the_median_is_that_of_the_repetitions_ratios(self):
        found = figures.summary(RATE, [(2, 1), (30, 10), (400, 100), (1, 10), (100, 1)])
        self.assertEqual(found["ratio"], 3)
        self.assertEqual(found["quartiles"], [2, 4])
        self.assertEqual((found["gloss"], found["yardstick"]), (30, 10))


class ComparisonTest(unittest.TestCase):
    def test_more_than_five_percent_either_way_has_moved(self):
        self.assertEqual(verdict(figure(2.0), figure(2.12)), ["moved"])
        self.assertEqual(verdict(figure(2.0), figure(1.88)), ["moved"])
        self.assertEqual(verdict(figure(2.0), figure(2.08)), [""])
        self.assertEqual(verdict(figure(2.0), figure(1.92)), [""])

    def test_a_change_within_the_spread_of_either_measurement_is_unsteady(self):
        self.assertEqual(verdict(figure(2.0, spread=0.2), figure(2.3)), ["unsteady"])
        self.assertEqual(verdict(figure(2.0), figure(2.3, spread=0.2)), ["unsteady"])
        self.assertEqual(verdict(figure(2.0, spread=0.2), figure(2.08)), [""])
        self.assertEqual(verdict(figure(2.0, spread=0.1), figure(2.3, spread=0.1)), ["moved"])

    def test_what_only_one_has_is_named(self):
        self.assertEqual(verdict(figure(2.0), {"missing": "torch"}), ["torch is missing"])
        rows = {row[0]: row[-1] for row in figures.compared({"a": figure(1)}, {"b": figure(1)})}
        self.assertEqual(rows, {"a": "not measured", "b": "new"})


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.baseline = pathlib.Path(self.folder.name) / "baseline.json"
        self.baseline.write_text("{}")

    def run_command(self, name, measured):
        file = pathlib.Path(self.folder.name) / "now.json"
        file.write_text(json.dumps(measured))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = figures.main([name, str(file), "--baseline", str(self.baseline)])
        return code, output.getvalue()

    def test_the_exit_code_is_1_if_a_ratio_moved(self):
        self.run_command("accept", measurement(a=2, b=3))
        self.assertEqual(self.run_command("compare", measurement(a=2, b=3))[0], 0)
        self.assertEqual(self.run_command("compare", measurement(a=2, b=4))[0], 1)

    def test_another_kind_of_processor_is_noted_and_fails_nothing(self):
        self.run_command("accept", measurement(a=2))
        code, output = self.run_command("compare", measurement(kind="amx_tile", a=4))
        self.assertEqual(code, 0)
        self.assertIn("another kind of processor", output)
        self.assertIn("moved", output)

    def test_each_kind_has_a_baseline_of_its_own(self):
        for kind, ratio in (("avx2", 2), ("amx_tile", 4)):
            self.run_command("accept", measurement(kind=kind, a=ratio))
        self.assertEqual(self.run_command("compare", measurement(kind="avx2", a=2))[0], 0)
        self.assertEqual(self.run_command("compare", measurement(kind="amx_tile", a=2))[0], 1)

    def test_a_missing_yardstick_keeps_the_figure_of_the_baseline(self):
        self.run_command("accept", measurement(a=2, b=3))
        without = measurement(b=3)
        without["figures"]["a"] = {"missing": "torch"}
        self.assertEqual(self.run_command("compare", without)[0], 0)
        self.run_command("accept", without)
        self.assertEqual(self.run_command("compare", measurement(a=4, b=3))[0], 1)

    def test_no_baseline_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "store one with accept"):
            self.run_command("compare", measurement(a=2))


class MeasuringTest(unittest.TestCase):
    def program(self, text):
        return f"{{python}} -c '{text}'"

    def test_yardstick_and_gloss_alternate_and_the_last_line_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            text = 'import sys; open(sys.argv[1], "a").write(sys.argv[2]); print("a line"); print("{{\\"rate\\": %s}}")'
            commands = [self.program(text % rate) + " {log} " + letter for rate, letter in ((6, "g"), (2, "y"))]
            figure = figures.Figure(*commands, rate="rate")
            log = pathlib.Path(folder) / "a log"
            found = figures.measured(figure, {"python": sys.executable, "log": log}, repetitions=3)
            self.assertEqual((found["ratio"], found["repetitions"]), (3, 3))
            self.assertEqual(log.read_text(), "ygygyg")

    def test_a_command_that_fails_is_named(self):
        figure = figures.Figure(self.program("pass"), self.program("import sys; sys.exit(3)"))
        with self.assertRaisesRegex(SystemExit, "sys.exit.*exit code 3"):
            figures.measured(figure, {"python": sys.executable}, repetitions=1)

    def test_a_python_that_is_not_there_has_no_yardsticks(self):
        self.assertEqual(figures.versions("/no/such/python"), {})


class KindTest(unittest.TestCase):
    def kind(self, flags):
        with mock.patch.object(pathlib.Path, "read_text", return_value=f"model name\t: A\nflags\t\t: fpu {flags}\n"):
            return figures.machine()["kind"]

    def test_the_best_of_the_processors_sets_is_its_kind(self):
        self.assertEqual(self.kind("avx2 avx512_vnni amx_tile"), "amx_tile")
        self.assertEqual(self.kind("avx2 avx512f avx512_vnni"), "avx512_vnni")
        self.assertEqual(self.kind("avx2 avx_vnni avx512f"), "avx2")


if __name__ == "__main__":
    unittest.main()
