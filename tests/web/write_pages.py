#!/usr/bin/env python3
"""Writes the pages of all test documents to a folder: write_pages.py FOLDER [DOCUMENT.json]...

Documents that are given, written by `gloss explain --json`, become pages, too.
"""

import json
import pathlib
import sys

import page_file
import page_kinds


def write(folder, name, document):
    """Writes a page and returns its path."""
    path = folder / f"{name}.html"
    path.write_text(page_file.page(document, page_file.packed, title=f"{name} </title><b>"))
    return path


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in page_kinds.all_documents().items():
        write(folder, name, document)
    for path in map(pathlib.Path, sys.argv[2:]):
        write(folder, path.stem, json.loads(path.read_text()))


if __name__ == "__main__":
    main()
