"""Results of the study: one line of docs/study/results.jsonl for each run, and how their figures are compared."""

import dataclasses
import json
import os
import pathlib
import threading


class Results:
    """The file results.jsonl of a folder, by the names of the runs. Threads may write at the same time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._file = self.folder / "results.jsonl"
        self._writing = threading.Lock()

    def read(self, name):
        """The result of a run, or None."""
        return self._read_all().get(name)

    def write(self, name, result):
        """Adds or replaces a result, completely or not at all."""
        with self._writing:
            results = self._read_all() | {name: {"run": name} | result}
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary = self._file.with_suffix(f".{os.getpid()}.tmp")
            lines = [json.dumps(results[name], sort_keys=True) + "\n" for name in sorted(results)]
            temporary.write_text("".join(lines), encoding="utf-8")
            temporary.replace(self._file)

    def of(self, setting):
        """The results of a setting with the present plan, by seed."""
        prefix = f"{setting.name}-"
        seeds = {int(name[len(prefix):]): result for name, result in self._read_all().items()
                 if name.startswith(prefix) and name[len(prefix):].isdecimal()}
        return [seeds[seed] for seed in sorted(seeds) if seeds[seed]["plan"] == setting.plan()]

    def _read_all(self):
        if not self._file.exists():
            return {}
        results = map(json.loads, self._file.read_text(encoding="utf-8").splitlines())
        return {result["run"]: result for result in results}


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
