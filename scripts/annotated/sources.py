"""Runs the programs of gloss whose numbers the page shows."""

import json
import os
import re
import subprocess


# The roots of the paths that Sources.value reads, and the first keys below each: what examples/annotated_figures
# prints, and a model of docs/explanation_format.md.
FIRST_KEYS = {
    "figures": set(
        "attention scaling masks positions rates smoothing norm dropout weights adam cache parameters".split()
    ),
    "model": set(
        "name config parameters source_vocabulary target_vocabulary source_language target_language decoding "
        "positions".split()
    ),
}


def check_path(path):
    """Throws LookupError if the root of a path or its first key does not exist; needs no model."""
    root, *rest = path.split(".")
    if not rest or rest[0] not in FIRST_KEYS.get(root, ()):
        raise LookupError(f"there is no value {path}")


class Sources:
    """Everything that the figures draw: `figures`, `shapes`, `copy_task`, `items` and `run`."""

    def __init__(self, gloss, examples, model, run, sentences):
        self.figures = json.loads(output(examples / "annotated_figures"))
        self.shapes = output(examples / "shapes")
        self.copy_task = read_copy_task(output(examples / "copy_task"))
        self.document = json.loads(
            output(gloss, "explain", "--model", model, *sentences, "--quick", "--json", "--quiet")
        )
        self.items = [item for item in self.document["items"] if item["target"]["pieces"]]
        if not self.items:
            raise SystemExit("annotate: the model translates none of the sentences; choose others with --sentence")
        self.run = json.loads(output(gloss, "explain", "--run", run, "--json"))["runs"][0] if run else None

    def value(self, path):
        """Returns a number by its path, as figures.weights.embedding or model.parameters; throws LookupError."""
        check_path(path)
        roots = {"figures": self.figures, "model": self.document["models"][0]}
        first, *rest = path.split(".")
        at = roots[first]
        try:
            for key in rest:
                at = at[int(key)] if isinstance(at, list) else at[key]
        except (LookupError, TypeError, ValueError):
            raise LookupError(f"there is no value {path}") from None
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
