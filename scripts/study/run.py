"""One run of the study: trains a setting, or calls study_figures, and returns the result."""

import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import threading
import time

import corpora as texts
import plan

DIVERGED = 6  # exit code of gloss for a training whose loss is no number
MEBIBYTE = 1024 * 1024


class RunError(Exception):
    """A command of a run failed."""


class Runner:
    """Runs commands for several threads; `stop` ends them."""

    def __init__(self, gloss, figures, work, corpora, threads=1):
        self.gloss, self.figures = gloss, figures
        self.work = pathlib.Path(work)
        self.corpora = corpora
        self.threads = threads
        self.stopped = False
        self._children = set()
        self._run = threading.local()  # `end`: the time when the thread's run must have ended

    def stop(self):
        self.stopped = True
        for child in list(self._children):
            child.send_signal(signal.SIGTERM)

    def result(self, run):
        """The result of a run; it has no name of a folder and no time of day.

        Throws RunError if a command fails, or if all of them together take more than plan.MAX_MINUTES.
        """
        self._run.end = time.monotonic() + 60 * plan.MAX_MINUTES
        if run.seed == 0:
            result = json.loads(self._call([self.figures, "--threads", "1", *run.item.command()], "figure").output)
        else:
            result = self._train_and_score(run)
        return {"run": run.name, "plan": run.item.plan()} | result

    def with_costs(self, run, result):
        """The result of a run that is done with the costs of its update, which it lacks."""
        self._run.end = time.monotonic() + 60 * plan.MAX_MINUTES
        return result | self._costs(run.item)

    def _train_and_score(self, run):
        setting, folder = run.item, self.work / "runs" / run.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            config = texts.run_file(setting, run.seed, self.corpora)
            (folder / "run.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
            training = self._call(
                [self.gloss, "train-translate", "--config", folder / "run.json", "--out", folder / "run", "--quiet",
                 *self._threads()], "train-translate", accepted=(0, DIVERGED))
            result = {"setting": setting.name, "seed": run.seed, "keys": setting.all_keys(), "corpus": setting.corpus,
                      "pairs": setting.pairs, "threads": self.threads, "training_seconds": round(training.seconds, 1),
                      "peak_memory_mib": training.peak_bytes // MEBIBYTE}
            if training.code == DIVERGED:
                return result | {"diverged": True}
            return result | read_log(folder / "run" / "log.jsonl") | self._scores(setting, folder) | self._costs(setting)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _scores(self, setting, folder):
        corpus, model = self.corpora.ensure(setting.corpus), folder / "run"
        scores = {}
        for name, key in (("test", "bleu"), ("longer", "longer_bleu")):
            if (corpus / f"{name}.source").exists():
                report = self._evaluate(model, corpus, name, folder)
                scores[key] = report["bleu"]["score"]
                for sentences, group in report.get("groups", {}).items():
                    scores.setdefault("bleu_by_sentences", {})[sentences] = group["score"]
        if (corpus / "orders.source").exists():
            scores["orders"] = order_scores(self._translate(model, corpus / "orders.source"),
                                            texts.read_lines(corpus / "orders.target"))
        checkpoints = sorted((model / "checkpoints").glob("step-*.safetensors"))
        for count in setting.averages:
            average = folder / f"average-{count}.safetensors"
            self._call([self.gloss, "average", *checkpoints[-count:], "--output", average, "--quiet"], "average")
            scores.setdefault("bleu_of_average", {})[str(count)] = self._test_bleu(average, corpus, folder)
        for beam, penalty in setting.searches:
            scores.setdefault("bleu_of_search", {})[f"{beam}, {penalty}"] = self._test_bleu(
                model, corpus, folder, "--beam", str(beam), "--length-penalty", str(penalty))
        return scores

    def _test_bleu(self, model, corpus, folder, *options):
        return self._evaluate(model, corpus, "test", folder, *options)["bleu"]["score"]

    def _evaluate(self, model, corpus, name, folder, *options):
        groups = corpus / f"{name}.groups"
        search = options or ("--beam", "1")
        return json.loads(self._call(
            [self.gloss, "evaluate", "--model", model, "--source", corpus / f"{name}.source", "--reference",
             corpus / f"{name}.target", "--json", "--quiet", *search, *self._threads(),
             *(["--groups", groups] if groups.exists() else [])], "evaluate").output)

    def _translate(self, model, source):
        return self._call([self.gloss, "translate", "--model", model, "--input", source, "--beam", "1", "--quiet",
                           *self._threads()], "translate").output.split("\n")[:-1]

    def _costs(self, setting):
        """Speed and memory of an update, measured alike for all settings that have the common text and batch."""
        if not setting.has_costs:
            return {}
        model = json.dumps(setting.model_section())
        return {"update": json.loads(self._call([self.figures, "--threads", "1", "updates", "--model", model],
                                                "updates").output)}

    def _threads(self):
        return ["--threads", str(self.threads)]

    def _call(self, command, what, accepted=(0,)):
        """Runs a command to its end, or to that of the run's time. Its peak memory is that of the process."""
        if self.stopped:
            raise RunError("stopped")
        start = time.monotonic()
        log = self.work / "logs" / f"{what}-{os.getpid()}-{time.monotonic_ns()}"
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w+", encoding="utf-8") as errors, open(f"{log}.out", "w+", encoding="utf-8") as output:
            child = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors,
                                     stdin=subprocess.DEVNULL)
            self._children.add(child)
            try:
                code, peak = self._wait(child, self._run.end)
            finally:
                self._children.discard(child)
            output.seek(0)
            errors.seek(0)
            text, message = output.read(), errors.read().strip()
        log.unlink()
        os.unlink(f"{log}.out")
        if code not in accepted:
            raise RunError(f"{what}: exit code {code}: {message[-500:]}")
        return Finished(code, text, time.monotonic() - start, peak)

    def _wait(self, child, end):
        """Exit code and peak bytes of a child, which is ended at the time `end`."""
        late = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid != 0:
                child.returncode = os.waitstatus_to_exitcode(status)
                if late:
                    raise RunError(f"the run took more than {plan.MAX_MINUTES} minutes")
                return child.returncode, usage.ru_maxrss * 1024
            if time.monotonic() > end and not late:
                late = True
                child.kill()
            time.sleep(0.05)


class Finished:
    """A command that has ended."""

    def __init__(self, code, output, seconds, peak_bytes):
        self.code, self.output, self.seconds, self.peak_bytes = code, output, seconds, peak_bytes


def read_log(path):
    """Loss on the validation text, losses and speed of training, from the events of a run."""
    steps, final = [], None
    for line in texts.read_lines(path):
        event = json.loads(line)
        if event["event"] == "step":
            steps.append(event)
        elif event["event"] == "model":
            final = event
    return {"loss": final["loss"], "perplexity": final["perplexity"], "updates": steps[-1]["step"],
            "training_losses": [[event["step"], round(event["loss"], 4)] for event in steps],
            "tokens_per_second": statistics.median(event["target_tokens_per_second"] for event in steps)}


def order_scores(translations, references):
    """Shares of the pairs of neighboring lines whose translations differ, and are both right."""
    pairs = list(zip(translations[::2], translations[1::2], references[::2], references[1::2]))
    return {"pairs": len(pairs), "different": sum(a != b for a, b, _, _ in pairs) / len(pairs),
            "right": sum(a == x and b == y for a, b, x, y in pairs) / len(pairs)}
