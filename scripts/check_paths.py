#!/usr/bin/env python3
"""Checks that files named in documents, comments and strings exist, and that relative links lead to files.

A name is FOLDER/NAME.EXTENSION with a folder of the repository and an extension of sources or documents. It begins at
the root, at a folder above the file that has it, or at the folder of the installed headers. Names with NAME or no_such
are placeholders. In a document, the extension of a test may be absent: FOLDER/NAME_test. Exits with 1 if a name or a
link is wrong.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = (".h", ".cpp", ".py", ".sh", ".js", ".css", ".md")
NAME = re.compile(r"(?<![\w./<>*{}$-])(?:\w[\w.-]*/)+\w[\w.-]*\.(?:h|cpp|py|sh|js|css|html|cmake|md)\b(?![/*{(])")
TEST = re.compile(r"`((?:\w+/)+\w+_test)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def exists(name, file):
    """Returns whether a folder from that of the file up to the root, or that of the headers, has a file of this name."""
    folders = [folder for folder in file.parents if folder.is_relative_to(ROOT)]
    return any((folder / name).exists() for folder in [*folders, ROOT / "library" / "include"])


def wrong_names(line, file, folders):
    """Returns the names and links of a line that lead to no file of the repository."""
    named = [name for name in NAME.findall(line) if name.split("/")[0] in folders]
    wrong = [name for name in named if not (exists(name, file) or "NAME" in name or "no_such" in name)]
    if file.suffix == ".md":
        wrong += [name for name in TEST.findall(line) if not (ROOT / "tests" / f"{name}.cpp").exists()]
        for link in LINK.findall(line):
            target = (file.parent / link).resolve()
            if not re.match(r"\w+:", link) and not (target.is_relative_to(ROOT) and target.exists()):
                wrong.append(link)
    return dict.fromkeys(wrong)


def main():
    names = tracked()
    folders = {part for name in names for part in pathlib.PurePath(name).parts[:-1]}
    faults = []
    for name in names:
        file = ROOT / name
        if file.suffix not in SOURCES:
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            faults += [f"{name}:{number}: there is no {each}" for each in wrong_names(line, file, folders)]
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
