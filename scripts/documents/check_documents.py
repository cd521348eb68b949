"""Translates documents with gloss, opens both with the program of the format, and compares what they hold.

    check_documents.py --work FOLDER --gloss build/ci/app/gloss --model model.safetensors [--only docx,srt]

Reads FOLDER/FORMAT/before, writes FOLDER/FORMAT/after. Prints a table, the differences, and one JSON line.
"""

import argparse
import collections
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
import zipfile

import yaml

from make_documents import ENDINGS

# Elements that carry formatting of text runs. A translation may have more or fewer of them.
RUN_ELEMENTS = re.compile(r"(^|:)(r|rPr|t|b|bCs|i|iCs|rFonts|lang|sz|szCs|color|u|proofErr|lastRenderedPageBreak|span|"
                          r"s|noProof|kern|rStyle|latin|ea|cs|solidFill|srgbClr|uFillTx|smallCaps|caps|spacing|position|"
                          r"uFill|effectLst|strike|vertAlign|shd|highlight|em|w|rFont|family|charset|phoneticPr)$")
# Attributes with text for people, and those that carry a language or depend on the text.
TEXT_ATTRIBUTES = {"title", "alt", "placeholder", "aria-label", "lang", "xml:lang", "uniqueCount", "count", "content",
                   "xml:space", "space"}
# Parts of office documents and books that have text.
TEXT_PARTS = re.compile(r"(document|header\d*|footer\d*|footnotes|endnotes|comments\d*|sharedStrings|sheet\d+|core|"
                        r"slide\d+|notesSlide\d+|drawing\d+|chart\d+|table\d+|content|styles|meta|nav|toc|"
                        r"ch\d+|section\d+|title_page|package)\.(xml|xhtml|opf|ncx)$")
KEPT_TEXTS = ("delText", "instrText", "f", "v")  # elements whose texts are never translated


class Failure(Exception):
    """A document that a program does not open, or that lost something."""


def run(*command, ok=(0,), **options):
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                                timeout=600, **options)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]} took more than 10 minutes") from None
    if result.returncode not in ok:
        raise Failure(f"{pathlib.Path(str(command[0])).name}: {(result.stderr or result.stdout).strip()[-300:]}")
    return result.stdout


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


class TagCounter(html.parser.HTMLParser):
    """Counts the tags of a page with their attributes, without the attributes that are translated."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.counts, self.texts, self.open_text = collections.Counter(), [], ""
        self.open_inline, self.characters = [], 0  # to count pairs without text

    def handle_starttag(self, tag, attrs):
        kept = tuple(sorted((name, value) for name, value in attrs if name not in TEXT_ATTRIBUTES))
        self.counts[(tag, kept)] += 1
        if tag in ("p", "li", "td", "th", "h1", "h2", "h3", "br", "div", "title"):
            self.end_text()
        self.open_inline.append((tag, self.characters))

    def handle_endtag(self, tag):
        self.counts["/" + tag] += 1
        while self.open_inline:
            name, characters = self.open_inline.pop()
            if name == tag:
                self.counts["empty " + tag] += tag in ("a", "sup", "em", "strong", "b", "i") and \
                    characters == self.characters
                break
        if tag in ("p", "li", "td", "th", "h1", "h2", "h3", "div", "title", "style", "script"):
            self.end_text()

    def handle_comment(self, data):
        self.counts[("comment", data)] += 1

    def handle_data(self, data):
        self.open_text += data
        self.characters += len(data.strip())

    def end_text(self):
        if self.open_text.strip():
            self.texts.append(" ".join(self.open_text.split()))
        self.open_text = ""


def tags_of_html(text):
    counter = TagCounter()
    counter.feed(text)
    counter.close()
    counter.end_text()
    return counter


def local(name):
    return name.rsplit("}", 1)[-1]


def tags_of_xml(data):
    """Counts the elements with their attributes, without those of text runs."""
    counts = collections.Counter()
    for element in ElementTree.fromstring(data).iter():
        if not isinstance(element.tag, str) or RUN_ELEMENTS.search(local(element.tag)):
            continue
        kept = tuple(sorted((name, value) for name, value in element.attrib.items()
                            if local(name) not in TEXT_ATTRIBUTES))
        counts[(local(element.tag), kept)] += 1
        if local(element.tag) in KEPT_TEXTS:
            counts[(local(element.tag), element.text)] += 1
    return counts


def difference(before, after):
    lost, added = before - after, after - before
    parts = []
    if lost:
        parts.append("lost " + ", ".join(map(str, list(lost.items())[:3])))
    if added:
        parts.append("added " + ", ".join(map(str, list(added.items())[:3])))
    return "; ".join(parts)


class Comparison:
    """The result of one file."""

    def __init__(self):
        self.opened = self.segments = self.tags = self.others = False
        self.notes, self.counts = [], (0, 0)
        self.translated = 0.0

    def set_segments(self, before, after):
        self.counts = (len(before), len(after))
        self.segments = len(before) == len(after)
        if not self.segments:
            self.notes.append(f"segments: {len(before)} before, {len(after)} after")
        changed = [a != b for a, b in zip(before, after)]
        self.translated = sum(changed) / len(changed) if changed else 0

    def set_tags(self, before, after):
        self.tags = before == after
        if not self.tags:
            self.notes.append("tags: " + difference(before, after)[:400])


# --- One function for each kind of format: (before, after, comparison, texts)

def compare_zip(before, after, result, _texts):
    """Compares the parts of an archive: those without text must have the same bytes."""
    with zipfile.ZipFile(before) as old, zipfile.ZipFile(after) as new:
        if new.testzip():
            raise Failure(f"damaged part {new.testzip()}")
        names = [info.filename for info in old.infolist()]
        result.others = names == [info.filename for info in new.infolist()]
        if not result.others:
            result.notes.append("other entries, or another order of them")
        tags_before, tags_after = collections.Counter(), collections.Counter()
        for name in names:
            a, b = old.read(name), new.read(name)
            if a == b:
                continue
            if not TEXT_PARTS.search(name):
                result.others = False
                result.notes.append(f"part {name} has other bytes")
            if name.endswith((".xml", ".xhtml", ".opf", ".ncx", ".rels")):
                try:
                    is_page = name.endswith(".xhtml")
                    tags_before += tags_of_html(a.decode()).counts if is_page else tags_of_xml(a)
                    tags_after += tags_of_html(b.decode()).counts if is_page else tags_of_xml(b)
                    ElementTree.fromstring(b)
                except ElementTree.ParseError as error:
                    raise Failure(f"part {name} is not well-formed: {error}") from None
    result.set_tags(tags_before, tags_after)


def compare_office(before, after, result, texts):
    compare_zip(before, after, result, texts)
    result.set_segments(texts(before), texts(after))


def compare_html(before, after, result, texts):
    a, b = tags_of_html(before.read_text()), tags_of_html(after.read_text())
    result.set_tags(a.counts, b.counts)
    old, new = texts(before), texts(after)
    result.set_segments(old, new)
    result.others = True


def compare_markdown(before, after, result, _texts):
    def read(path):
        return json.loads(run("pandoc", "--from", "gfm", "--to", "json", path))
    trees = [read(before), read(after)]
    counts = [collections.Counter(), collections.Counter()]
    for tree, count in zip(trees, counts):
        stack = [tree["blocks"]]
        while stack:
            node = stack.pop()
            if isinstance(node, list):
                stack += node
            elif isinstance(node, dict):
                kind = node.get("t")
                if kind in ("Code", "CodeBlock", "RawBlock", "RawInline"):
                    count[(kind, node["c"][1])] += 1
                elif kind in ("Link", "Image"):
                    count[(kind, node["c"][2][0])] += 1
                elif kind not in ("Str", "Space", "SoftBreak", "Quoted", "DoubleQuote", "SingleQuote", None):
                    count[kind] += 1
                stack += node.values()
    result.set_tags(*counts)
    result.set_segments(*[lines_of(run("pandoc", "--from", "gfm", "--to", "plain", "--wrap", "none", path))
                          for path in (before, after)])
    result.others = trees[0]["meta"] == trees[1]["meta"]


def compare_epub(before, after, result, _texts):
    compare_zip(before, after, result, None)
    result.set_segments(*[lines_of(run("pandoc", "--from", "epub", "--to", "plain", "--wrap", "none", path))
                          for path in (before, after)])
    with zipfile.ZipFile(after) as new:
        first = new.infolist()[0]
        if first.filename != "mimetype" or first.compress_type != zipfile.ZIP_STORED:
            raise Failure("mimetype is not the first entry, stored")


CUE_TIME = re.compile(r"^\S*\d\d[.,]\d{3} --> .*$", re.MULTILINE)


def compare_subtitles(before, after, result, _texts):
    a, b = before.read_text(), after.read_text()
    probe = ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv"]
    result.others = (CUE_TIME.findall(a) == CUE_TIME.findall(b) and run(*probe, before) == run(*probe, after))
    if not result.others:
        result.notes.append("times differ")
    cues = [[text.strip() for text in CUE_TIME.split(text)[1:]] for text in (a, b)]
    result.set_segments(*cues)
    if any(not re.sub(r"<[^>]*>|\d+$", "", cue).strip() for cue in cues[1]):
        result.notes.append("an empty cue")
        result.segments = False
    # A pair that a cut between cues runs through occurs in both, so kinds of tags are compared, and their nesting.
    tags = [set(re.findall(r"</?\w+", text)) for text in (a, b)]
    for cue in cues[1]:
        names = re.findall(r"<(/?)(\w+)", cue)
        if sum(1 if slash == "" else -1 for slash, _ in names):
            result.notes.append(f"tags of a cue are not pairs: {cue[:80]!r}")
            tags[1] = set()
    result.set_tags(collections.Counter(tags[0]), collections.Counter(tags[1]))
    for line in b.splitlines():
        if len(re.sub(r"<[^>]*>", "", line)) > 42 and line not in a:
            result.notes.append(f"a line of more than 42 columns: {line[:80]!r}")
            break


PRINTF = re.compile(r"%(?:\d+\$)?[sdu]|%n|\{\w+\}|%%")


def compare_po(before, after, result, _texts):
    run("msgfmt", "--check", "--output-file", os.devnull, after)
    run("msgfmt", "--check", "--use-fuzzy", "--output-file", os.devnull, after)
    entries = [run("msgcat", "--no-wrap", path).split("\n\n") for path in (before, after)]
    result.set_segments(*[[entry for entry in group if "msgid" in entry] for group in entries])
    without = [re.sub(r'^msgstr.*\n(".*"\n)*|^#,.*\n', "", "\n\n".join(group) + "\n", flags=re.MULTILINE)
               for group in entries]
    result.others = without[0] == without[1]
    if not result.others:
        result.notes.append("messages, comments or contexts differ")
    wanted, found = collections.Counter(), collections.Counter()
    for entry in entries[1][1:]:
        wanted.update(PRINTF.findall("\n".join(re.findall(r'^msgid(?:_plural)? (.*(?:\n".*")*)', entry, re.MULTILINE))))
        found.update(PRINTF.findall("\n".join(re.findall(r'^msgstr\S* (.*(?:\n".*")*)', entry, re.MULTILINE))))
        if "#, fuzzy" not in entry:
            result.notes.append(f"not fuzzy: {entry[:80]!r}")
    result.set_tags(wanted, found)
    untranslated = run("msgattrib", "--untranslated", after).count("\nmsgid")
    if untranslated:
        result.notes.append(f"{untranslated} without a translation")


def compare_translation_xml(before, after, result, _texts):
    """XLIFF and Qt's files: sources are equal, and each has a translation with its placeholders."""
    run("xmllint", "--noout", after)
    tool = "ts2po" if after.suffix == ".ts" else "xliff2po"
    run(pathlib.Path(sys.executable).parent / tool, "--progress=none", after, after.with_suffix(".back.po"))
    run("msgfmt", "--use-fuzzy", "--output-file", os.devnull, after.with_suffix(".back.po"))
    roots = [ElementTree.parse(path).getroot() for path in (before, after)]

    def texts(root, name):
        return ["".join(element.itertext()) for element in root.iter() if local(element.tag) == name]
    sources = [texts(root, "source") for root in roots]
    result.others = sources[0] == sources[1]
    name = "translation" if after.suffix == ".ts" else "trans-unit"
    result.set_segments(texts(roots[0], name), texts(roots[1], name))
    wanted, found = collections.Counter(), collections.Counter()
    for unit in roots[1].iter():
        if local(unit.tag) not in ("trans-unit", "message"):
            continue
        source = [child for child in unit if local(child.tag) == "source"]
        target = [child for child in unit if local(child.tag) in ("target", "translation")]
        if not target or not "".join(target[0].itertext()).strip():
            if source and re.search("[A-Za-z]", "".join(source[0].itertext())) and unit.get("translate") != "no" and \
               unit.get("approved") != "yes" and "POT-Creation-Date" not in "".join(source[0].itertext()):
                result.notes.append("without a translation: " + "".join(source[0].itertext())[:60])
            continue
        wanted.update(PRINTF.findall("".join(source[0].itertext())))
        found.update(PRINTF.findall("".join(target[0].itertext())))
    result.set_tags(wanted, found)


def flat(value, path=""):
    if isinstance(value, dict):
        return [item for key, child in value.items() for item in flat(child, f"{path}.{key}")]
    if isinstance(value, list):
        return [item for number, child in enumerate(value) for item in flat(child, f"{path}[{number}]")]
    return [(path, value)]


def compare_values(before, after, result, _texts):
    read = json.loads if before.suffix == ".json" else yaml.safe_load
    values = [flat(read(path.read_text())) for path in (before, after)]
    if before.suffix == ".yaml":  # the language is a key of the document, which may become the target's
        values = [[(path.split(".", 2)[2], value) for path, value in group] for group in values]
    result.set_segments(*values)
    result.others = ([path for path, _ in values[0]] == [path for path, _ in values[1]] and
                     [value for path, value in values[0] if not isinstance(value, str) or path in ("url", "color")] ==
                     [value for path, value in values[1] if not isinstance(value, str) or path in ("url", "color")])
    marks = re.compile(r"\{\w+\}|\n|https://\S+|#\w+")
    result.set_tags(*[collections.Counter(mark for _, value in group if isinstance(value, str)
                                          for mark in marks.findall(value)) for group in values])


COMPARE = {"docx": compare_office, "odt": compare_office, "pptx": compare_office, "odp": compare_office,
           "xlsx": compare_office, "html": compare_html, "markdown": compare_markdown, "epub": compare_epub,
           "srt": compare_subtitles, "vtt": compare_subtitles, "po": compare_po, "xliff": compare_translation_xml,
           "ts": compare_translation_xml, "json": compare_values, "yaml": compare_values}


class Checker:
    def __init__(self, options):
        self.options, self.work = options, options.work.resolve()

    def translate(self, before, after):
        models = [word for model in self.options.model for word in ("--model", model)]
        run(self.options.gloss, "translate-file", *models, "--quiet", "--threads", self.options.threads, before, after)

    def converted(self, name, files):
        """Returns a function that returns the nonempty lines of a file as LibreOffice or Chromium shows it."""
        if name == "html":
            def shown(path):
                dom = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                          path.resolve().as_uri())
                return tags_of_html(dom).texts
            return shown
        if name not in ("docx", "odt", "pptx", "odp", "xlsx"):
            return None
        wanted = {"docx": "txt:Text (encoded):UTF8", "odt": "txt:Text (encoded):UTF8", "pptx": "fodp", "odp": "fodp",
                  "xlsx": "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"}[name]
        texts = {}
        for group in ("before", "after"):
            folder = self.work / name / f"{group}-text"
            run("soffice", f"-env:UserInstallation=file://{self.work}/profile", "--headless", "--convert-to", wanted,
                "--outdir", folder, *[file for file in files if file.parent.name == group])
            for file in files:
                if file.parent.name == group:
                    texts[file] = sorted(folder.glob(file.stem + "[.-]*"))

        def read(path):
            if not texts[path]:
                raise Failure("LibreOffice does not open it")
            if name in ("pptx", "odp"):
                root = ElementTree.parse(texts[path][0]).getroot()
                paragraphs = ["".join(element.itertext()) for element in root.iter() if local(element.tag) == "p"]
                return [text for text in paragraphs if text.strip()]
            return [line for part in texts[path] for line in lines_of(part.read_text(encoding="utf-8-sig"))]
        return read

    def check(self, name):
        """Returns the results of the files of a format, by their names."""
        files, results = sorted((self.work / name / "before").glob("*." + ENDINGS[name])), {}
        (self.work / name / "after").mkdir(exist_ok=True)
        for before in files[:self.options.count]:
            result = results[before.name] = Comparison()
            try:
                self.translate(before, self.work / name / "after" / before.name)
            except Failure as failure:
                result.notes.append(str(failure))
        paths = {before: self.work / name / "after" / before for before in results}
        good = [before for before, after in paths.items() if not results[before].notes]
        try:
            texts = self.converted(name, [self.work / name / "before" / file for file in good] +
                                   [paths[file] for file in good])
        except Failure as failure:
            for file in good:
                results[file].notes.append(str(failure))
            return results
        for file in good:
            try:
                COMPARE[name](self.work / name / "before" / file, paths[file], results[file], texts)
                results[file].opened = True
                if results[file].translated < 0.4:
                    results[file].notes.append(f"only {results[file].translated:.0%} of the segments changed")
            except (Failure, ValueError, KeyError, ElementTree.ParseError, zipfile.BadZipFile) as failure:
                results[file].notes.append(f"not opened: {failure}")
        return results


def main():
    parser = argparse.ArgumentParser(description="Compares documents before and after a translation.")
    parser.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="folder of make_documents.py")
    parser.add_argument("--gloss", type=pathlib.Path, required=True, metavar="FILE", help="the program gloss")
    parser.add_argument("--model", action="append", required=True, metavar="FILE-OR-DIR", help="model from English")
    parser.add_argument("--only", default=",".join(COMPARE), metavar="NAMES", help="formats, with commas")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="files of each format (default: 20)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of gloss (default: 1)")
    options = parser.parse_args()
    checker, summary, notes = Checker(options), {}, []
    print(f"{'format':9} {'files':>5} {'opened':>6} {'segments equal':>14} {'tags equal':>10} {'others equal':>12} "
          f"{'segments':>8} {'changed':>7}")
    for name in options.only.split(","):
        start = time.monotonic()
        results = checker.check(name)
        row = {"files": len(results), "opened": sum(result.opened for result in results.values()),
               "segments_equal": sum(result.segments for result in results.values()),
               "tags_equal": sum(result.tags for result in results.values()),
               "others_equal": sum(result.others for result in results.values()),
               "segments": sum(result.counts[0] for result in results.values()),
               "changed": round(sum(result.translated for result in results.values()) / max(1, len(results)), 3),
               "seconds": round(time.monotonic() - start)}
        summary[name] = row
        notes += [f"{name}/{file}: {note}" for file, result in results.items() for note in result.notes]
        print(f"{name:9} {row['files']:5} {row['opened']:6} {row['segments_equal']:14} {row['tags_equal']:10} "
              f"{row['others_equal']:12} {row['segments']:8} {row['changed']:7.0%}", flush=True)
    for note in notes:
        print(note)
    passed = bool(summary) and all(row["files"] > 0 and row["files"] == row["opened"] == row["segments_equal"] ==
                                   row["tags_equal"] == row["others_equal"] for row in summary.values())
    print(json.dumps({"check": "documents", "passed": passed, "differences": len(notes), "formats": summary}))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
