#!/usr/bin/env python3
"""Writes the tables of common/unicode: what Python and its regex module know of characters, found out by asking
them about every code point. Versions: tests/golden/requirements.txt. Run: python3 scripts/make_unicode_tables.py"""

import importlib.metadata
import pathlib
import re
import sys
import unicodedata

import regex

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def unicode_of_regex():
    """As its own documentation says; the module has no name for it."""
    metadata = importlib.metadata.metadata("regex")
    return re.search(r"supports Unicode (\d+\.\d+\.\d+)", metadata.get_payload() or metadata["Description"])[1]


def ranges(holds):
    """First and last of the runs of code points for which `holds`."""
    result = []
    for c in CODE_POINTS:
        if holds(chr(c)):
            if result and result[-1][1] == c - 1:
                result[-1][1] = c
            else:
                result.append([c, c])
    return result


def lower_ranges():
    """Runs (first, last, step, difference) of what str.lower() changes into one other character."""
    result = []
    for c in CODE_POINTS:
        lower = chr(c).lower()
        if len(lower) > 1:
            assert c == 0x130 and lower == "i\u0307", hex(c)  # written in lower_case.cpp by hand
            continue
        difference = ord(lower) - c
        if difference == 0:
            continue
        if result and result[-1][3] == difference:
            first, last, step, _ = result[-1]
            if c - last == step or (first == last and c - last <= 2):
                result[-1] = [first, c, c - last, difference]
                continue
        result.append([c, c, 1, difference])
    return result


def is_ignorable(character):
    """Whether the rule of the final sigma looks past it (Case_Ignorable)."""
    return ("A" + character + "Σ").lower()[-1] == "ς" and (character + "Σ").lower()[-1] == "σ"


def is_cased(character):
    """Whether a sigma behind it may be a final one; nothing that is ignorable."""
    return (character + "Σ").lower()[-1] == "ς"


def rows(name, entry, values):
    lines, line = [], " "
    for value in values:
        text = " {" + ", ".join(str(v) if entry == "LowerRange" and i > 1 else f"{v:#x}" for i, v in enumerate(value)) + "},"
        if len(line) + len(text) > 120:
            lines.append(line)
            line = " "
        line += text
    return [f"constexpr {entry} {name}[] = {{", *lines, line, "};"]


def write_category_c(root):
    """Surrogates have no character in UTF-8 and are left out."""
    lines = [
        "// Written by scripts/make_unicode_tables.py.",
        '#include "common/unicode/unassigned_and_control.h"',
        "",
        "#include <algorithm>",
        "#include <iterator>",
        "",
        '#include "common/unicode/unicode_tables.h"',
        "",
        "namespace gloss {",
        "namespace {",
        "",
        "// clang-format off",
        f"// The class C of regex {regex.__version__}, Unicode {unicode_of_regex()}, without surrogates.",
    ]
    lines += rows("kRanges", "CodePointRange", ranges(regex.compile(r"\p{C}").match))
    lines += [
        "// clang-format on",
        "",
        "}  // namespace",
        "",
        "bool is_unassigned_or_control(char32_t character) {",
        "  const auto* const range =",
        "      std::upper_bound(std::begin(kRanges), std::end(kRanges), character,",
        "                       [](char32_t value, const CodePointRange& other) { return value < other.first; });",
        "  return range != std::begin(kRanges) && character <= std::prev(range)->last;",
        "}",
        "",
        "}  // namespace gloss",
        "",
    ]
    (root / "common" / "unicode" / "unassigned_and_control.cpp").write_text("\n".join(lines), encoding="utf-8")


def main():
    root = pathlib.Path(__file__).parent.parent
    classes = {"kPunctuation": regex.compile(r"\p{P}"), "kSymbols": regex.compile(r"\p{S}"),
               "kNumbers": regex.compile(r"\p{N}")}
    lines = [
        "// Written by scripts/make_unicode_tables.py.",
        '#include "common/unicode/unicode_tables.h"',
        "",
        "namespace gloss {",
        "namespace {",
        "",
        "// clang-format off",
        f"// The classes P, S and N of regex {regex.__version__}, Unicode {unicode_of_regex()}.",
    ]
    for name, pattern in classes.items():
        lines += rows(name, "CodePointRange", ranges(pattern.match)) + [""]
    lines.append(f"// Of str.lower() of Python {sys.version_info.major}.{sys.version_info.minor}, "
                 f"Unicode {unicodedata.unidata_version}.")
    lines += rows("kCased", "CodePointRange", ranges(is_cased)) + [""]
    lines += rows("kCaseIgnorable", "CodePointRange", ranges(is_ignorable)) + [""]
    lines += rows("kLower", "LowerRange", lower_ranges())
    lines += ["// clang-format on", "", "}  // namespace", ""]
    for function, table in (("punctuation", "kPunctuation"), ("symbols", "kSymbols"), ("numbers", "kNumbers"),
                            ("cased", "kCased"), ("case_ignorable", "kCaseIgnorable")):
        lines.append(f"std::span<const CodePointRange> {function}_ranges() {{ return {table}; }}")
    lines += ["std::span<const LowerRange> lower_ranges() { return kLower; }", "", "}  // namespace gloss", ""]
    (root / "common" / "unicode" / "unicode_tables.cpp").write_text("\n".join(lines), encoding="utf-8")
    write_category_c(root)


if __name__ == "__main__":
    main()
