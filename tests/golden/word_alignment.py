#!/usr/bin/env python3
"""Writes word_alignment.json: what fast_align and atools print for the sentences in benchmarks/alignment.

    python3 tests/golden/word_alignment.py FOLDER     # where `make` of fast_align put its programs

The links of ties differ between compilers; a fixed lambda and lower case leave none on these sentences.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).parent
SENTENCES = GOLDEN.parent.parent / "benchmarks" / "alignment"
SYMMETRIZATIONS = ("intersect", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
SETTINGS = {"alpha 0.01": ["-v"], "alpha 0": []}


def main() -> None:
    programs = pathlib.Path(sys.argv[1])
    lines = [(SENTENCES / f"sentences.{side}").read_text(encoding="utf-8").lower().splitlines() for side in ("en", "de")]
    golden = {"lambda": 4, "source": lines[0], "target": lines[1], "settings": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "text").write_text("".join(f"{s} ||| {t}\n" for s, t in zip(*lines)), encoding="utf-8")
        for setting, options in SETTINGS.items():
            result = {}
            for direction, flag in (("forward", []), ("reverse", ["-r"])):
                done = subprocess.run([programs / "fast_align", "-i", folder / "text", "-d", *options, *flag],
                                      capture_output=True, encoding="utf-8", check=True)
                (folder / direction).write_text(done.stdout, encoding="utf-8")
                result[direction] = done.stdout.splitlines()
                result[direction + " log-likelihood"] = [
                    float(value) for value in re.findall(r"log_e likelihood: (\S+)", done.stderr)]
            for kind in SYMMETRIZATIONS:
                result[kind] = subprocess.run(
                    [programs / "atools", "-i", folder / "forward", "-j", folder / "reverse", "-c", kind],
                    capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
            golden["settings"][setting] = result
    text = json.dumps(golden, ensure_ascii=False, indent=1)
    (GOLDEN / "word_alignment.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
