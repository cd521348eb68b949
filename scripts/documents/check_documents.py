"""Translates documents with gloss, opens both with the program of the format, and compares what they hold.

    check_documents.py --work FOLDER --gloss build/ci/app/gloss --model model.safetensors [--only docx,srt]

Reads FOLDER/FORMAT/before, writes FOLDER/FORMAT/after. Prints a table, the differences, and one JSON line. A reader of
a format returns three parts of a document: its segments, the multiset of its tags and placeholders, and all others.
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
import xml.etree.ElementTree as ElementTree
import zipfile

import yaml

from prepare_documents import SOURCES

Parts = collections.namedtuple("Parts", ["segments", "tags", "others"])

PLACEHOLDER = re.compile(r"%L?\d+(?!\d|\$|\.\d)|%(?:\(\w+\))?(?:\d+\$)?[-+#0-9.]*(?:ll|l|h|z)?[a-zA-Z@]|[$%]?\{\w*\}|"
                         r"https?://\w[^\s<>\"')”]*[\w/]|"
                         r"</?[a-zA-Z][\w:-]*(?:\s+[\w:-]+=(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
TEXT_ATTRIBUTES = {"title", "alt", "placeholder", "aria-label", "lang", "xml:lang", "value", "content"}
BLOCKS = set("p li td th h1 h2 h3 h4 h5 h6 div title dt dd pre br hr tr ul ol table body caption blockquote".split())


class Failure(Exception):
    """A document that a program does not open."""


def run(*command, ok=(0,), **options):
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, check=False, timeout=600,
                                env=os.environ | {"LC_ALL": "C.UTF-8"}, **options)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]} took more than 10 minutes") from None
    if result.returncode not in ok:
        message = (result.stderr + result.stdout).decode(errors="replace").strip()
        raise Failure(f"{pathlib.Path(str(command[0])).name}: {message[:300]}")
    return result.stdout.decode(errors="replace")


def text_of(path):
    data = path.read_bytes()
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="surrogateescape")


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


def local(name):
    return name.rsplit("}", 1)[-1]


def placeholders(text):
    return collections.Counter(PLACEHOLDER.findall(text))


# --- Documents with a layout

def read_text(path, _work):
    lines = text_of(path).split("\n")
    return Parts([line for line in lines if line.strip()], sum(map(placeholders, lines), collections.Counter()),
                 [(len(line) - len(line.lstrip()), line.endswith("\r")) if line.strip() else line for line in lines])


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.segments, self.tags, self.others, self.text, self.raw = [], collections.Counter(), [], "", None
        self.feed(text)
        self.close()
        self.end_segment()

    def end_segment(self):
        if self.text.strip():
            self.segments.append(" ".join(self.text.split()))
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags[(tag, tuple(sorted(item for item in attrs if item[0] not in TEXT_ATTRIBUTES)))] += 1
        self.raw = tag if tag in ("script", "style") else None
        if tag in BLOCKS:
            self.end_segment()

    def handle_endtag(self, tag):
        self.tags["/" + tag] += 1
        self.raw = None
        if tag in BLOCKS:
            self.end_segment()

    def handle_data(self, data):
        if self.raw:
            self.others.append(data)
        else:
            self.text += data

    def handle_comment(self, data):
        self.others.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def read_html(path, _work):
    """Segments are those of the browser, tags and comments those of the file."""
    shown = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom",
                path.resolve().as_uri())
    page = Page(text_of(path))
    return Parts(Page(shown).segments, page.tags, page.others)


def read_markdown(path, _work):
    tree, tags, others = json.loads(run("pandoc", "--from", "gfm", "--to", "json", path)), collections.Counter(), []
    stack = [tree["blocks"]]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += reversed(node)
        elif isinstance(node, dict):
            kind, content = node.get("t"), node.get("c")
            if kind in ("CodeBlock", "RawBlock"):
                others.append(content)
            elif kind in ("Code", "RawInline"):
                tags[(kind, content[1])] += 1
            elif kind in ("Link", "Image"):
                tags[(kind, content[2][0])] += 1
            elif kind not in ("Str", "Space", "SoftBreak", None):
                tags[kind] += 1
            stack.append(content)
    plain = run("pandoc", "--from", "gfm", "--to", "plain", "--wrap", "none", path)
    return Parts(lines_of(plain), tags, others + [tree["meta"]])


CUE = re.compile(r"^(.*\d\d[.,]\d{3} --> .*)$", re.MULTILINE)


def read_subtitles(path, _work):
    packets = run("ffprobe", "-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv", path)
    pieces = CUE.split(text_of(path))
    cues = [re.sub(r"\n\s*\n\d+\s*$", "", cue).strip() for cue in pieces[2::2]]  # without the number of the next cue
    tags = collections.Counter()
    for cue in cues:
        # A pair that runs through a cut between cues is closed and opened again, so each kind of tag counts once.
        tags.update({tag: 1 for tag in re.findall(r"</?\w[^>]*>", cue) if tag not in tags})
        if len(re.findall(r"<[a-z]", cue)) < len(re.findall(r"</", cue)):
            tags["unpaired end tag"] += 1
    segments = [cue for cue in cues if re.sub(r"<[^>]*>", "", cue).strip()]
    return Parts(segments, tags, [pieces[0].strip(), pieces[1::2], packets, len(cues)])


# Elements that carry the formatting of runs of text. A translation may have more or fewer of them.
RUN_ELEMENTS = set("""
r rPr t b bCs i iCs rFonts lang sz szCs color u proofErr span s noProof rStyle latin ea cs solidFill srgbClr schemeClr
smallCaps caps rFont family charset lastRenderedPageBreak scheme kern vertAlign spacing sym highlight shd effectLst
lumMod lumOff hlinkClick w position bdr sst uFill uFillTx ln noFill strike shadow outline emboss vanish webHidden
eastAsianLayout specVanish fitText alpha buNone ext extLst hiddenFill hiddenLine
""".split())
# Readings of Japanese words, which a translation does not have, and elements that stand for characters.
TEXT_ELEMENTS = {"rPh", "phoneticPr", "noBreakHyphen", "softHyphen"}
LEFT_OUT = TEXT_ATTRIBUTES | {"count", "uniqueCount", "space"}
KEPT_TEXTS = {"delText", "instrText", "f", "v", "formula", "language-code"}  # texts that are never translated
SHOWN = {"docx": "txt:Text (encoded):UTF8", "odt": "txt:Text (encoded):UTF8", "pptx": "fodp", "odp": "fodp",
         "xlsx": "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"}


def read_archive(path):
    """Returns the tags and the other parts of an archive: its entries, texts that stay, and bytes that are no XML."""
    tags, others = collections.Counter(), []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            data = archive.read(entry)
            others.append(entry.filename)
            if entry.filename.endswith((".xhtml", ".html", ".htm")):
                page = Page(data.decode())
                tags.update(page.tags)
                others += page.others
            elif data and entry.filename.endswith((".xml", ".rels", ".opf", ".ncx", ".vml")):
                try:
                    elements = list(ElementTree.fromstring(data).iter())
                except ElementTree.ParseError as error:
                    raise Failure(f"{entry.filename} is not well-formed: {error}") from None
                for element in elements:
                    name = local(str(element.tag))
                    if name not in RUN_ELEMENTS and name not in TEXT_ELEMENTS:
                        tags[(name, tuple(sorted((key, value) for key, value in element.attrib.items() if
                                                 value != "textWrapping" and local(key) not in LEFT_OUT)))] += 1
                    if name in KEPT_TEXTS:
                        others.append((name, element.text))
            else:
                others.append(data)
    return tags, others


def read_office(path, work):
    shown = sorted(p for p in (work / "shown" / path.parent.name).iterdir()
                   if p.name.startswith((path.stem + ".", path.stem + "-")))
    if not shown:
        raise Failure("LibreOffice does not open it")
    if path.suffix in (".pptx", ".odp"):
        paragraphs = ["".join(element.itertext()) for element in ElementTree.parse(shown[0]).getroot().iter()
                      if local(str(element.tag)) == "p"]
        segments = [text for text in paragraphs if text.strip()]
    else:
        segments = [line for part in shown for line in lines_of(part.read_text(encoding="utf-8-sig"))]
    return Parts(segments, *read_archive(path))


def read_epub(path, _work):
    """Opens the book with pandoc and with epubcheck; the kinds of its messages are other parts."""
    plain = run("pandoc", "--from", "epub", "--to", "plain", "--wrap", "none", path)
    tags, others = read_archive(path)
    check = subprocess.run(["java", "-jar", "/usr/share/java/epubcheck.jar", path], capture_output=True, text=True,
                           check=False, timeout=600)
    kinds = collections.Counter(re.findall(r"^((?:ERROR|FATAL)\(\S+\)): ", check.stdout + check.stderr, re.MULTILINE))
    return Parts(lines_of(plain), tags, others + [kinds])


# --- Files with keys

def flat(value, path=""):
    if isinstance(value, dict):
        return [item for key, child in value.items() for item in flat(child, f"{path}/{key}")]
    if isinstance(value, list):
        return [item for number, child in enumerate(value) for item in flat(child, f"{path}/{number}")]
    return [(path, value)]


def keyed(items, others=()):
    """Parts of keys with values. Texts without a letter, and values that are no text, must stay."""
    tags = collections.Counter()
    for key, value in items:
        for mark, count in placeholders(value if isinstance(value, str) else "").items():
            tags[(key, mark)] = count
    stays = [(key, None if isinstance(value, str) and re.search(r"\w", value) else value) for key, value in items]
    return Parts([value for _, value in items], tags, [stays, list(others)])


def read_json(path, _work):
    return keyed([item for item in flat(json.loads(text_of(path))) if item[0] != "/@@locale"])


def read_yaml(path, _work):
    tree = yaml.safe_load(text_of(path))
    if len(tree) == 1:  # the language, which may become the target's
        tree = next(iter(tree.values()))
    return keyed(flat(tree), re.findall(r"^\s*#.*", text_of(path), re.MULTILINE))


def read_properties(personality):
    """A reader of formats that Translate Toolkit converts to PO: keys are comments, values are messages."""
    def read(path, work):
        encoding = "utf-16" if path.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
        if b"\\u" in path.read_bytes() or encoding == "utf-8" and "\udc80" <= max(text_of(path)) <= "\udcff":
            encoding = "iso-8859-1"
        shown = work / "shown" / f"{path.parent.name}-{path.stem}.po"
        run("prop2po", "--progress=none", f"--personality={personality}", f"--encoding={encoding}", path, shown)
        entries = parse_po(shown.read_text(encoding="utf-8"))
        return keyed([(entry["comments"][-1], entry["msgid"]) for entry in entries],
                     [entry["comments"] for entry in entries])
    return read


def read_android(path, work):
    folder = work / "shown" / path.parent.name / path.stem / "res/values"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "strings.xml").write_bytes(path.read_bytes())
    run("aapt2", "compile", "--dir", folder.parent, "-o", folder.parent.parent / "out.zip")
    return read_xml_items(path, {"string", "item"}, "name")


def read_resx(path, _work):
    run("xmllint", "--noout", path)
    return read_xml_items(path, {"value"}, None)


def read_xml_items(path, names, key):
    items, others = [], []
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    root = ElementTree.fromstring(text_of(path).encode(), parser)
    inside = {child for element in root.iter() if local(str(element.tag)) in names for child in element.iter()
              if child is not element}
    for element in root.iter():
        if element in inside:
            continue
        name = local(str(element.tag))
        if name in names:
            items.append((element.get(key, "") if key else str(len(items)), inner(element)))
        else:
            others.append((str(element.tag), sorted(element.attrib.items()), (element.text or "").strip()))
    return keyed(items, others)


# --- Files with translations: units with an id, sources, targets

def parse_po(text):
    entries = []
    for block in text.split("\n\n"):
        entry, field = {"comments": [], "flags": ""}, None
        for line in block.splitlines():
            match = re.match(r'(msg\w+(?:\[\d+\])?) "(.*)"$', line)
            if match:
                field = match[1]
                entry[field] = match[2]
            elif line.startswith('"') and field:
                entry[field] += line[1:-1]
            elif line.startswith("#,"):
                entry["flags"] = line
            elif line:
                entry["comments"].append(line)
        if entry.get("msgid"):
            entries.append(entry)
    return entries


def units_of_po(path, _work):
    run("msgfmt", "--check", "--output-file", os.devnull, path)
    run("msgfmt", "--check", "--use-fuzzy", "--output-file", os.devnull, path)
    units = []
    for entry in parse_po(run("msgcat", "--no-wrap", path)):
        targets = [value for name, value in entry.items() if name.startswith("msgstr")]
        sources = [entry["msgid"]] + [entry.get("msgid_plural", entry["msgid"])] * (len(targets) - 1)
        flags = ",".join(flag for flag in entry["flags"].split(",") if "fuzzy" not in flag and flag != "#")
        units.append(((entry.get("msgctxt"), entry["msgid"], entry["comments"], flags), sources, targets))
    return units


def inner(element):
    """Returns the content of an element with its tags, without namespaces."""
    text = (element.text or "") + "".join(ElementTree.tostring(child, encoding="unicode") for child in element)
    return re.sub(r' xmlns:\w+="[^"]*"|\bns\d+:', "", text)


def units_of_xml(path, work, unit_name, source_name, target_name, check):
    run("xmllint", "--noout", "--nonet", path)
    check(path, work)
    root, units = ElementTree.parse(path).getroot(), []
    for number, unit in enumerate(element for element in root.iter() if local(str(element.tag)) in unit_name):
        children = collections.defaultdict(list)
        for child in unit:
            children[local(str(child.tag))].append(child)
        rest = [inner(child) for name, group in children.items() for child in group if name != target_name and
                child.get("origin") != "gloss"]
        targets = [inner(part) for target in children[target_name]
                   for part in ([*target.iter("numerusform")] or [target])]
        sources = [inner(source) for source in children[source_name]]
        units.append(((number, unit.get("id"), rest), sources * max(1, len(targets)), targets))
    return units


def check_xliff(path, work):
    """XLIFF that followed OASIS's schema before must follow it after; Translate Toolkit reads version 1.2."""
    version2 = b'version="2' in path.read_bytes()[:2000]
    schema = work.parent / "schemas" / ("xliff_core_2.0.xsd" if version2 else "xliff-core-1.2-strict.xsd")
    before = path.parent.parent / "before" / path.name
    command = ("xmllint", "--noout", "--nonet", "--schema", schema)
    if subprocess.run([*command, before], capture_output=True, check=False).returncode == 0:
        run(*command, path)
    if not version2:
        run("xliff2po", "--progress=none", path, os.devnull)


def units_of_xliff(path, work):
    return units_of_xml(path, work, {"trans-unit", "segment"}, "source", "target", check_xliff)


def units_of_ts(path, work):
    def check(file, _work):
        run("lrelease", "-silent", file, "-qm", os.devnull)
    return units_of_xml(path, work, {"message"}, "source", "translation", check)


def units_of_tmx(path, _work):
    run("xmllint", "--noout", "--nonet", path)
    units = []
    for unit in ElementTree.parse(path).getroot().iter("tu"):
        variants = {(tuv.get("{http://www.w3.org/XML/1998/namespace}lang") or tuv.get("lang") or "").lower()[:2]:
                    inner(next(tuv.iter("seg"))) for tuv in unit.iter("tuv")}
        rest = sorted((name, text) for name, text in variants.items() if name != "de")
        units.append(((sorted(unit.attrib.items()), len(units), rest), [text for name, text in rest if name == "en"],
                      [variants["de"]] if "de" in variants else []))
    return units


UNITS = {"po": units_of_po, "xliff": units_of_xliff, "ts": units_of_ts, "tmx": units_of_tmx}
READERS = {"txt": read_text, "markdown": read_markdown, "html": read_html, "srt": read_subtitles, "vtt": read_subtitles,
           "json": read_json, "arb": read_json, "yaml": read_yaml, "properties": read_properties("java"),
           "strings": read_properties("strings"), "android": read_android, "resx": read_resx,
           "docx": read_office, "pptx": read_office, "xlsx": read_office, "odt": read_office, "odp": read_office,
           "epub": read_epub}


def compare_units(before, after):
    """Makes parts of both documents: what the units should have, and what they have."""
    wanted, found, kept = collections.Counter(), collections.Counter(), [[], []]
    for old, new in zip(before, after):
        had_translation = any(target.strip() for target in old[2])
        if had_translation:
            for group, unit in zip(kept, (old, new)):
                group.append(unit)
            continue
        for source, target in zip(new[1], new[2]):
            if target.strip():
                wanted.update((new[0][1], mark) for mark in PLACEHOLDER.findall(source))
                found.update((new[0][1], mark) for mark in PLACEHOLDER.findall(target))
    ids = [[unit[0] for unit in units] for units in (before, after)]
    return (Parts([unit[2] for unit in before], wanted, [ids[0], kept[0]]),
            Parts([unit[2] for unit in after], found, [ids[1], kept[1]]))


def difference(before, after):
    if isinstance(before, collections.Counter) and isinstance(after, collections.Counter):
        return f"lost {list((before - after).items())[:3]}, added {list((after - before).items())[:3]}"
    if isinstance(before, list) and isinstance(after, list):
        for old, new in zip(before, after):
            if old != new and len(before) == len(after):
                return difference(old, new)
        return f"{len(before)} before, {len(after)} after: {(before + after)[min(len(before), len(after)):][:2]}"
    return f"{before!r} before, {after!r} after"


class Checker:
    def __init__(self, options):
        self.options = options

    def show(self, name, folder):
        """Lets LibreOffice convert all documents of a format at once."""
        for group in ("before", "after"):
            shown = folder / "shown" / group
            shown.mkdir(parents=True, exist_ok=True)
            files = sorted((folder / group).iterdir())
            if name in SHOWN and files:
                run("soffice", f"-env:UserInstallation=file://{folder.parent.resolve()}/profile", "--headless",
                    "--convert-to", SHOWN[name], "--outdir", shown, *files)

    def parts(self, name, path, folder):
        return UNITS[name](path, folder) if name in UNITS else READERS[name](path, folder)

    def check(self, name):
        """Returns a row of the table, and prints the differences."""
        folder, row, translated = self.options.work / name, collections.Counter(), [0, 0]
        files = sorted((folder / "before").iterdir())[:self.options.count]
        (folder / "after").mkdir(exist_ok=True)
        for file in (folder / "after").iterdir():
            file.unlink()
        models = [word for model in self.options.model for word in ("--model", model)]
        failures = {}
        for file in files:
            try:
                run(self.options.gloss, "translate-file", *models, "--format", name, "--quiet", "--threads",
                    self.options.threads, file, folder / "after" / file.name)
            except Failure as failure:
                failures[file] = str(failure)
        self.show(name, folder)
        for file in files:
            row["files"] += 1
            notes = [failures[file]] if file in failures else []
            try:
                before = self.parts(name, file, folder)
                row["opened before"] += 1
                after = self.parts(name, folder / "after" / file.name, folder) if not notes else None
            except (Failure, OSError, ValueError, KeyError, zipfile.BadZipFile, yaml.YAMLError) as failure:
                notes.append(str(failure) or repr(failure))
            if not notes:
                row["opened after"] += 1
                if name in UNITS:
                    before, after = compare_units(before, after)
                translated[0] += sum(a != b for a, b in zip(before.segments, after.segments))
                translated[1] += len(before.segments)
                same = {"segments": len(before.segments) == len(after.segments), "tags": before.tags == after.tags,
                        "others": before.others == after.others}
                row.update(same)
                notes += [f"{part}: {difference(getattr(before, part), getattr(after, part))}"
                          for part, equal in same.items() if not equal]
            for note in notes:
                print(f"{name}/{file.name}: {note[:600]}", flush=True)
        row["segments changed %"] = round(100 * translated[0] / max(1, translated[1]))
        row["segments in all"] = translated[1]
        return row


def main():
    parser = argparse.ArgumentParser(description="Translates documents, opens them, and compares them.")
    parser.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="folder of the documents")
    parser.add_argument("--gloss", required=True, metavar="FILE", help="the program")
    parser.add_argument("--model", required=True, action="append", metavar="FILE", help="model, or run folder")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="documents of each format (default: 20)")
    parser.add_argument("--only", default=",".join(SOURCES), metavar="NAMES", help="formats, with commas")
    parser.add_argument("--threads", default="1", metavar="N", help="threads of gloss (default: 1)")
    options = parser.parse_args()
    checker, rows = Checker(options), {}
    for name in options.only.split(","):
        rows[name] = checker.check(name)
        print(name, dict(rows[name]), file=sys.stderr, flush=True)
    columns = ["files", "opened before", "opened after", "segments", "tags", "others", "segments changed %",
               "segments in all"]
    print("\n| format | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |")
    equal = all(row[column] == row["opened before"] for row in rows.values() for column in columns[2:6])
    print(json.dumps({"tool": "check_documents", "equal": equal, "formats": rows}))
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
