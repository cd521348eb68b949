"""The time of a run: one limit for all of its commands, with programs that only sleep."""

import pathlib
import tempfile
import unittest
from unittest import mock

import made_up  # noqa: F401
import corpora
import plan
from run import RunError, Runner

GLOSS = """#!/bin/sh
sleep 0.4
echo '{"bleu": {"score": 50}}'
for word; do [ "$before" = --out ] && folder=$word; before=$word; done
[ "$1" = train-translate ] || exit 0
mkdir "$folder"
echo '{"event": "step", "step": 1, "loss": 2, "target_tokens_per_second": 10}' >"$folder/log.jsonl"
echo '{"event": "model", "loss": 2, "perplexity": 7.4}' >>"$folder/log.jsonl"
"""
FIGURES = "#!/bin/sh\necho '{}'\n"


class RunLimitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        text = self.folder / "corpora" / "en-de"
        text.mkdir(parents=True)
        for name in ("complete", "train.source", "train.target", "test.source"):
            (text / name).touch()
        self.runner = Runner(self.program("gloss", GLOSS), self.program("figures", FIGURES), self.folder,
                             corpora.Corpora("", self.folder / "corpora"))

    def program(self, name, script):
        path = self.folder / name
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_the_commands_of_a_run_share_its_time(self):
        run = plan.Run(plan.Setting("quick", ""), 1)
        with mock.patch.object(plan, "MAX_MINUTES", 0.6 / 60):  # more than the training, less than it and the test
            with self.assertRaisesRegex(RunError, "the run took more than 0.01 minutes"):
                self.runner.result(run)
        self.assertEqual(list((self.folder / "runs").iterdir()), [])
        self.assertEqual(self.runner.result(run)["bleu"], 50)  # the next run has all of its time


if __name__ == "__main__":
    unittest.main()
