"""Results of the study: one JSON file for each run in docs/study, and how their figures are compared."""

import dataclasses
import json
import os
import pathlib


class Results:
    """The files NAME.json of a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def read(self, name):
        """The result of a run, or None."""
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def write(self, name, result):
        """Writes a result completely or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.json"
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        lines = [f" {json.dumps(key)}: {json.dumps(value, sort_keys=True)}" for key, value in sorted(result.items())]
        temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        temporary.replace(path)

    def of(self, setting):
        """The results of a setting with the present plan, by seed."""
        prefix = f"{setting.name}-"
        seeds = [path.stem[len(prefix):] for path in self.folder.glob(f"{prefix}*.json")]
        results = [self.read(f"{prefix}{seed}") for seed in sorted((s for s in seeds if s.isdecimal()), key=int)]
        return [result for result in results if result["plan"] == setting.plan()]


@dataclasses.dataclass(frozen=True)
class Figures:
    """The values of one figure of a setting, one for each seed."""

    values: tuple

    @property
    def mean(self):
        return sum(self.values) / len(self.values)

    @property
    def spread(self):
        """The largest value minus the smallest one."""
        return max(self.values) - min(self.values)


def difference(figures, base):
    """The difference of two means, or 0 where it is none.

    It is none if it is not larger than the spread of both: each setting's largest value minus its
    smallest one over the seeds, and the larger of the two. Undecided (None) with fewer than two seeds.
    """
    if min(len(figures.values), len(base.values)) < 2:
        return None
    value = figures.mean - base.mean
    return value if abs(value) > max(figures.spread, base.spread) else 0.0
