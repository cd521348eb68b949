"""Runs the programs of gloss whose numbers the page shows."""

import json
import os
import re
import subprocess


class Sources:
    """Everything that the figures draw: `figures`, `shapes`, `copy_task`, `items` and `run`."""

    def __init__(self, gloss, examples, model, run, sentences):
        self.figures = json.loads(output(examples / "annotated_figures"))
        self.shapes = output(examples / "shapes")
        self.copy_task = read_copy_task(output(examples / "copy_task"))
        self.document = json.loads(
            output(gloss, "explain", "--model", model, *sentences, "--quick", "--json", "--quiet")
        )
        self.items = [item for item in self.document["items"] if item.get("maps")]
        if not self.items:
            raise SystemExit("annotate: the model translates none of the sentences; choose others with --sentence")
        self.run = json.loads(output(gloss, "explain", "--run", run, "--json"))["runs"][0] if run else None

    def value(self, path):
        """Returns a number by its path, as figures.weights.embedding or model.parameters."""
        roots = {"figures": self.figures, "model": self.document["models"][0]}
        first, *rest = path.split(".")
        at = roots[first]
        for key in rest:
            at = at[int(key)] if isinstance(at, list) else at[key]
        return at


def output(*command):
    """Returns the standard output of a program, run on one thread; its messages go to stderr."""
    arguments = [str(each) for each in command]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    try:
        return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"annotate: {error}") from None


def read_copy_task(text):
    """Returns the updates, their losses and the last line of examples/copy_task."""
    pairs = re.findall(r"^update +(\d+): ([\d.]+) nats a token$", text, re.MULTILINE)
    return [int(step) for step, _ in pairs], [float(loss) for _, loss in pairs], text.strip().split("\n")[-1]
