#!/usr/bin/env python3
"""Counts the C++ of a checkout: lines, files, folders, includes between folders, the paper's files, and what the
library reaches.

    scripts/measure_sources.py                   # the working tree
    scripts/measure_sources.py --commit HEAD~20  # a commit
    scripts/measure_sources.py --json            # for comparisons

Tests are counted apart. A unit is a header, its .cpp, or both. A line of code is one that is neither empty nor a
comment, an #include, a #pragma, or the beginning or end of a namespace.
"""

import argparse
import collections
import io
import json
import pathlib
import re
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOP = ("app benchmarks cmake common data decoding documents evaluation examples explain interchange kernels library model "
       "pipeline run serve tensor tests tokenizer training translation").split()
# The rows of the reading order of model/README.md that the Annotated Transformer has, too.
PAPER = ("attention decoder embedding encoder encoder_decoder feed_forward generator layer_norm mask multi_head_attention "
         "positional_encoding sublayer_connection").split()
FEATURES = {"SSRU": r"(?i)ssru", "recurrent network": r"(?i)\brecurrent|is_transformer",
            "zero start": r"starts_from_zero|unread_rows|DecoderStart::kZero", "batch norm": r"(?i)batch_?norm"}


def sources_of(commit):
    """The C++ files by their paths."""
    if commit is None:
        names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.cpp"], cwd=ROOT,
                               check=True, capture_output=True, text=True).stdout.split("\n")
        return {name: (ROOT / name).read_text() for name in names if name and (ROOT / name).is_file()}
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {member.name: files.extractfile(member).read().decode() for member in files
                if member.isfile() and member.name.endswith((".h", ".cpp"))}


def lines_of_code(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    frame = re.compile(r"\s*($|//|#include|#pragma|(inline )?namespace\b.*{\s*$|}\s*// namespace)")
    return sum(not frame.match(line) for line in text.split("\n"))


def includes_of(text):
    return re.findall(r'^#include "([^"]+)"', text, flags=re.M)


def room(path):
    return path.split("/")[0]


def reached_from(path, files):
    """The files that a file includes, their .cpp files, and so on."""
    reached, waiting = set(), [path]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in files:
            continue
        reached.add(name)
        waiting += includes_of(files[name])
        if name.endswith(".h"):
            waiting.append(name[:-2] + ".cpp")
    return reached


def lines(names, files):
    return sum(files[name].count("\n") for name in names)


def measure(commit):
    files = sources_of(commit)
    own = {name: text for name, text in files.items() if not name.startswith("tests/")}
    folders = collections.defaultdict(set)
    for name in own:
        folder, _, base = name.rpartition("/")
        folders[folder].add(base.rpartition(".")[0])
    arrows = {(room(name), room(other)) for name, text in own.items() for other in includes_of(text)
              if room(other) in TOP and room(other) != room(name)}
    library = set().union(*(reached_from(name, own) for name in own if name.startswith("library/")))
    headers = {name for name in own if name.endswith(".h")}
    users = collections.Counter(other for text in own.values() for other in set(includes_of(text)) if other in headers)
    return {
        "lines": lines(own, own), "files": len(own), "lines of tests": lines(set(files) - set(own), files),
        "folders": len(folders), "rooms": {top: lines([name for name in own if room(name) == top], own) for top in
                                           sorted({room(name) for name in own})},
        "arrows between rooms": len(arrows), "arrows": sorted(f"{a} -> {b}" for a, b in arrows),
        "code of the paper's files": sum(lines_of_code(text) for name, text in own.items()
                                         if re.fullmatch(rf"model/({'|'.join(PAPER)})\.(h|cpp)", name)),
        "library reaches": {"lines": lines(library, own), "files": len(library),
                            "rooms": sorted({room(name) for name in library})},
        "headers with one user": sum(count == 2 if name[:-2] + ".cpp" in own else count == 1
                                     for name, count in users.items()),
        "folders above 25 units": {folder: len(units) for folder, units in sorted(folders.items()) if len(units) > 25},
        "files above 320 lines": {name: text.count("\n") for name, text in sorted(own.items()) if text.count("\n") > 320},
        "files that name": {feature: sum(bool(re.search(pattern, text)) for text in own.values())
                            for feature, pattern in FEATURES.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", help="count a commit in place of the working tree")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured = measure(options.commit)
    if options.json:
        print(json.dumps(measured, indent=1))
        return
    for name, value in measured.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for key, part in value.items():
                print(f"  {key}: {', '.join(part) if isinstance(part, list) else part}")
        elif name == "arrows":
            targets = collections.defaultdict(list)
            for arrow in value:
                targets[arrow.split(" -> ")[0]].append(arrow.split(" -> ")[1])
            for start, ends in targets.items():
                print(f"  {start} -> {', '.join(ends)}")
        else:
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
