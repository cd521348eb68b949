"""Makes documents from captions with random formatting, and lets the programs of their formats write them.

    make_documents.py --work FOLDER --count 20 [--only docx,srt] [--seed 1]

Files are FOLDER/FORMAT/before/01.ending. The same seed makes the same texts and the same formatting.
"""

import argparse
import datetime
import json
import pathlib
import random
import shutil
import subprocess
import sys
from xml.sax.saxutils import escape

import docx
import openpyxl
import pptx
import yaml
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from pptx.util import Inches

ENDINGS = {"docx": "docx", "odt": "odt", "pptx": "pptx", "odp": "odp", "xlsx": "xlsx", "html": "html",
           "markdown": "md", "epub": "epub", "srt": "srt", "vtt": "vtt", "po": "po", "xliff": "xlf", "ts": "ts",
           "json": "json", "yaml": "yaml"}

PEOPLE = ["A man", "A woman", "A boy", "A girl", "A young man", "A little girl", "An old man", "Two men", "Two women",
          "Three children", "A group of people", "A brown dog", "Two dogs", "A child"]
CLOTHES = ["", "", " in a red shirt", " in a blue jacket", " with a black hat", " with long hair", " in a white dress"]
ACTIONS = ["riding a bicycle", "playing in the snow", "sitting on a bench", "standing on a ladder",
           "walking on the beach", "swimming in a pool", "reading a book", "jumping into the water",
           "running through the grass", "playing the guitar", "looking at a picture", "eating ice cream",
           "climbing a rock", "playing soccer", "taking a picture", "sleeping on a couch"]
PLACES = ["", "", " near a lake", " in a park", " on a sunny day", " in front of a building", " at night",
          " in the city"]


class Captions:
    """Random captions."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self):
        choose = self.random.choice
        person = choose(PEOPLE)
        verb = "are" if person.startswith(("Two", "Three")) else "is"
        return f"{person}{choose(CLOTHES)} {verb} {choose(ACTIONS)}{choose(PLACES)}."

    def paragraph(self):
        return " ".join(self.one() for _ in range(self.random.choice([1, 1, 1, 2, 3])))

    def runs(self, text):
        """Returns the text in pieces, each with a set of formats. Some pieces end within a word, as in Word."""
        pieces, words = [], text.split(" ")
        while words:
            count = self.random.randint(1, 5)
            piece, words = " ".join(words[:count]), words[count:]
            formats = self.random.choice([(), (), (), ("bold",), ("italic",), ("bold", "italic")])
            if words:
                piece += " "
            if self.random.random() < 0.3 and len(piece) > 3:
                cut = self.random.randint(1, len(piece) - 2)
                pieces += [(piece[:cut], formats), (piece[cut:], formats)]
            else:
                pieces.append((piece, formats))
        return pieces


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if result.returncode:
        sys.exit(f"make_documents: {' '.join(map(str, command))[:200]}: {result.stderr[-500:]}")
    return result.stdout


def soffice(ending, files, folder, work):
    """Lets LibreOffice write files in another format."""
    for begin in range(0, len(files), 20):
        run("soffice", f"-env:UserInstallation=file://{work.resolve()}/profile", "--headless", "--convert-to", ending,
            "--outdir", folder, *files[begin:begin + 20])
    missing = [file for file in files if not (folder / f"{file.stem}.{ending.split(':')[0]}").exists()]
    if missing:
        sys.exit(f"make_documents: soffice did not write {ending} of {missing[0]}")


# --- Text documents: flat OpenDocument, and python-docx

FODT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles>
 <style:style style:name="bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
 <style:style style:name="italic" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
 <style:style style:name="bolditalic" style:family="text"><style:text-properties fo:font-weight="bold"
  fo:font-style="italic"/></style:style>
 <style:style style:name="plain" style:family="text"><style:text-properties fo:color="#222222"/></style:style>
 <style:page-layout style:name="page"><style:page-layout-properties/><style:header-style/><style:footer-style/>
 </style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="page">
 <style:header><text:p>HEADER</text:p></style:header>
 <style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>
</style:master-page></office:master-styles>
<office:body><office:text>
BODY
</office:text></office:body></office:document>
"""


class FlatText:
    """A document of OpenDocument with all that may stand in a text."""

    def __init__(self, captions):
        self.captions, self.random = captions, captions.random
        self.changes, self.notes = [], 0

    def spans(self, text):
        parts = []
        for piece, formats in self.captions.runs(text):
            style = "".join(formats) or self.random.choice(["", "", "plain"])
            piece = f'<text:span text:style-name="{style}">{escape(piece)}</text:span>' if style else escape(piece)
            is_link = self.random.random() < 0.05
            parts.append(f'<text:a xlink:type="simple" xlink:href="https://example.org/a">{piece}</text:a>'
                         if is_link else piece)
            parts.append(self.addition())
        return "".join(parts)

    def change(self, kind, content=""):
        number = f"c{len(self.changes)}"
        self.changes.append(f'<text:changed-region text:id="{number}"><text:{kind}><office:change-info><dc:creator>Ann'
                            f"</dc:creator><dc:date>2024-05-01T10:00:00</dc:date></office:change-info>{content}"
                            f"</text:{kind}></text:changed-region>")
        return number

    def addition(self):
        kind = self.random.random()
        if kind < 0.03:
            self.notes += 1
            return (f'<text:note text:id="n{self.notes}" text:note-class="footnote"><text:note-citation>{self.notes}'
                    f"</text:note-citation><text:note-body><text:p>{self.captions.one()}</text:p></text:note-body>"
                    "</text:note>")
        if kind < 0.06:
            number = self.change("deletion", "<text:p>very old </text:p>")
            return f'<text:change text:change-id="{number}"/>'
        if kind < 0.09:
            number = self.change("insertion")
            return f'<text:change-start text:change-id="{number}"/>slowly <text:change-end text:change-id="{number}"/>'
        if kind < 0.12:
            return f'<text:bookmark text:name="mark{self.random.randint(1, 10**9)}"/>'
        if kind < 0.14:
            return '<text:date text:fixed="true" text:date-value="2024-05-01">05/01/24</text:date> '
        if kind < 0.16:
            return (f"<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-01T10:00:00</dc:date>"
                    f"<text:p>{self.captions.one()}</text:p></office:annotation>")
        return ""

    def block(self):
        kind = self.random.random()
        text = self.spans(self.captions.paragraph())
        if kind < 0.1:
            return f'<text:h text:outline-level="1">{text}</text:h>'
        if kind < 0.2:
            rows = "".join("<table:table-row>" + "".join(
                f"<table:table-cell><text:p>{self.spans(self.captions.one())}</text:p></table:table-cell>"
                for _ in range(2)) + "</table:table-row>" for _ in range(2))
            return f'<table:table><table:table-column table:number-columns-repeated="2"/>{rows}</table:table>'
        if kind < 0.3:
            return (f'<text:p>{text}<draw:frame text:anchor-type="paragraph" svg:width="6cm" svg:height="2cm">'
                    f"<draw:text-box><text:p>{escape(self.captions.one())}</text:p></draw:text-box>"
                    "</draw:frame></text:p>")
        if kind < 0.4:
            items = "".join(f"<text:list-item><text:p>{self.spans(self.captions.one())}</text:p></text:list-item>"
                            for _ in range(3))
            return f"<text:list>{items}</text:list>"
        if kind < 0.45:
            return f"<text:p>{escape(self.captions.one())}<text:line-break/>{escape(self.captions.one())}</text:p>"
        return f"<text:p>{text}</text:p>"

    def bytes(self):
        blocks = "\n".join(self.block() for _ in range(8))
        changes = f"<text:tracked-changes>{''.join(self.changes)}</text:tracked-changes>" if self.changes else ""
        return FODT.replace("HEADER", self.captions.one()).replace("BODY", changes + blocks).encode()


def docx_element(tag, **attributes):
    element = OxmlElement(tag)
    for name, value in attributes.items():
        element.set(qn("w:" + name), value)
    return element


def add_change(paragraph, kind, text):
    """Adds text that was inserted or deleted with change tracking."""
    change = docx_element(f"w:{kind}", id=str(len(text)), author="Ann", date="2024-05-01T10:00:00Z")
    inner, content = docx_element("w:r"), docx_element("w:delText" if kind == "del" else "w:t")
    content.text = text
    content.set(qn("xml:space"), "preserve")
    inner.append(content)
    change.append(inner)
    paragraph._p.append(change)


def add_field(paragraph, code, result):
    for kind, text in (("begin", None), (None, code), ("separate", None), ("result", result), ("end", None)):
        field = paragraph.add_run()
        if kind in ("begin", "separate", "end"):
            field._r.append(docx_element("w:fldChar", fldCharType=kind))
        elif kind == "result":
            field.text = text
        else:
            instruction = docx_element("w:instrText")
            instruction.text = code
            field._r.append(instruction)


def fill_docx_paragraph(paragraph, captions):
    for piece, formats in captions.runs(captions.paragraph()):
        added = paragraph.add_run(piece)
        added.bold = True if "bold" in formats else None
        added.italic = True if "italic" in formats else None
        if captions.random.random() < 0.2:
            added._r.set(qn("w:rsidR"), f"{captions.random.randrange(16**8):08X}")
        kind = captions.random.random()
        if kind < 0.04:
            add_change(paragraph, "del", "very old ")
        elif kind < 0.08:
            add_change(paragraph, "ins", "slowly ")
        elif kind < 0.11:
            add_field(paragraph, " PAGE ", "1")
            paragraph.add_run(" ")
        elif kind < 0.14:
            paragraph._p.append(docx_element("w:proofErr", type="spellStart"))


def make_docx(path, captions):
    document = docx.Document()
    document.core_properties.title = captions.one()
    document.sections[0].header.paragraphs[0].text = captions.one()
    for _ in range(8):
        kind = captions.random.random()
        if kind < 0.15:
            document.add_heading(captions.one(), 1)
        elif kind < 0.3:
            table = document.add_table(2, 2)
            for cell in (cell for row in table.rows for cell in row.cells):
                fill_docx_paragraph(cell.paragraphs[0], captions)
        elif kind < 0.45:
            fill_docx_paragraph(document.add_paragraph(style="List Bullet"), captions)
        else:
            fill_docx_paragraph(document.add_paragraph(), captions)
    document.save(path)


# --- Slides and sheets

def make_pptx(path, captions):
    slides = pptx.Presentation()
    for _ in range(3):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = captions.one()
        frame = slide.placeholders[1].text_frame
        for number in range(3):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            paragraph.level = captions.random.randint(0, 2)
            for piece, formats in captions.runs(captions.paragraph()):
                added = paragraph.add_run()
                added.text = piece
                added.font.bold = True if "bold" in formats else None
                added.font.italic = True if "italic" in formats else None
        if captions.random.random() < 0.5:
            table = slide.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(6), Inches(1)).table
            for row in range(2):
                for column in range(2):
                    table.cell(row, column).text = captions.one()
        if captions.random.random() < 0.5:
            box = slide.shapes.add_textbox(Inches(1), Inches(6), Inches(6), Inches(1)).text_frame
            box.text = captions.one() + "\v" + captions.one()
        slide.notes_slide.notes_text_frame.text = captions.one()
    slides.save(path)


def make_xlsx(path, captions):
    book = openpyxl.Workbook()
    for number in range(2):
        sheet = book.active if number == 0 else book.create_sheet(f"Second {number}")
        for row in range(1, 9):
            if captions.random.random() < 0.3:
                pieces = [TextBlock(InlineFont(b=True), piece) if "bold" in formats else piece
                          for piece, formats in captions.runs(captions.one())]
                sheet.cell(row, 1).value = CellRichText(*pieces)
            else:
                sheet.cell(row, 1).value = captions.paragraph()
            sheet.cell(row, 2).value = captions.random.randint(1, 1000) / 4
            sheet.cell(row, 3).value = f"=B{row}*2"
            sheet.cell(row, 4).value = datetime.date(2024, 5, row)
            sheet.cell(row, 5).value = f'=IF(B{row}>100,"a big dog","a small dog")'
        if captions.random.random() < 0.5:
            sheet["A2"].comment = Comment(captions.one(), "Ann")
        sheet["A10"] = captions.one() + "\n" + captions.one()
        sheet.merge_cells("A11:B11")
        sheet["A11"] = sheet["A1"].value if isinstance(sheet["A1"].value, str) else captions.one()
    book.save(path)


# --- Pages and subtitles

def markdown_spans(captions, text):
    parts = []
    for piece, formats in captions.runs(text):
        words, space = piece.rstrip(" "), piece[len(piece.rstrip(" ")):]
        marks = {(): "", ("bold",): "**", ("italic",): "*", ("bold", "italic"): "***"}[formats]
        cut_in_word = not space and not words.endswith(".")
        kind = captions.random.random()
        if cut_in_word or not words.strip() or words != words.strip() or (parts and not parts[-1].endswith(" ")):
            parts.append(piece)
        elif kind > 0.9:
            parts.append(f'[{words}](https://example.org/dog "A dog"){space}')
        else:
            parts.append(marks + words + marks + space)
        if space and kind < 0.05:
            parts.append("`print(x)` ")
        elif space and kind < 0.13:
            parts.append("![A brown dog](dog.png) ")
    return "".join(parts)


def make_markdown(captions):
    blocks = [f"---\ntitle: {captions.one()[:-1]}\nlang: en\n---", "# " + captions.one()]
    notes = []
    for _ in range(10):
        kind = captions.random.random()
        if kind < 0.15:
            blocks.append("\n".join("- " + markdown_spans(captions, captions.one()) for _ in range(3)))
        elif kind < 0.25:
            rows = "\n".join(f"| {captions.one()} | {markdown_spans(captions, captions.one())} |" for _ in range(2))
            blocks.append(f"| A man | A woman |\n|---|---|\n{rows}")
        elif kind < 0.3:
            blocks.append("```python\n# A man is code.\nprint(1 < 2)\n```")
        elif kind < 0.4:
            blocks.append("> " + captions.paragraph())
        elif kind < 0.5:
            notes.append(f"[^{len(notes) + 1}]: {captions.one()}")
            blocks.append(f"{captions.one()}[^{len(notes)}]")
        else:
            blocks.append(markdown_spans(captions, captions.paragraph()))
    return "\n\n".join(blocks + notes) + "\n"


def ass_time(seconds):
    return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{seconds % 60:05.2f}"


def make_ass(captions):
    lines = ["[Script Info]", "ScriptType: v4.00+", "", "[V4+ Styles]",
             "Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Alignment",
             "Style: Default,Arial,20,&H00FFFFFF,0,0,2", "", "[Events]",
             "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"]
    start = 1.0
    for _ in range(14):
        words = captions.paragraph().split(" ")
        cues = [words]
        if len(words) > 6 and captions.random.random() < 0.5:  # a sentence across two cues
            middle = captions.random.randint(3, len(words) - 3)
            cues = [words[:middle], words[middle:]]
        for cue in cues:
            if len(cue) > 6:
                cue[len(cue) // 2] = "\\N" + cue[len(cue) // 2]
            text = " ".join(cue).replace(" \\N", "\\N")
            kind = captions.random.random()
            if kind < 0.2:
                text = "{\\i1}" + text + "{\\i0}"
            elif kind < 0.4 and len(cue) > 3:
                text = " ".join(cue[:1] + ["{\\b1}" + cue[1] + "{\\b0}"] + cue[2:]).replace(" \\N", "\\N")
            elif kind < 0.5:
                text = "- " + captions.one() + "\\N- " + captions.one()
            length = captions.random.uniform(1.5, 4)
            lines.append(f"Dialogue: 0,{ass_time(start)},{ass_time(start + length)},Default,,0,0,0,,{text}")
            start += length + captions.random.choice([0.1, 0.1, 3])
    return "\n".join(lines) + "\n"


# --- Messages of programs

def make_source(captions):
    """Returns a C source with messages."""
    lines = ["#include <stdio.h>", "/* messages */", "void show(int n, const char *name) {"]
    for number in range(12):
        text = captions.one()
        kind = captions.random.random()
        if kind < 0.2:
            lines.append(f'  printf(_("{text[:-1]} with %s."), name);')
        elif kind < 0.4:
            lines.append(f'  printf(ngettext("A dog is {text.split(" is ")[-1] if " is " in text else "playing."}", '
                         f'"%d dogs are sleeping in picture {number}.", n), n);')
        elif kind < 0.5:
            lines.append(f'  /* TRANSLATORS: a caption */\n  puts(pgettext("caption", "{text}"));')
        elif kind < 0.6:
            lines.append(f'  puts(_("{text}\\n"\n         "{captions.one()}\\n"));')
        else:
            lines.append(f'  puts(_("{text}"));')
    return "\n".join(lines + ["}", ""])


def make_values(captions):
    """Returns nested values, as translation files have them."""
    return {"title": captions.one(), "count": captions.random.randint(1, 9), "on": True, "none": None,
            "page": {f"text{number}": captions.paragraph() for number in range(4)},
            "greeting": captions.one()[:-1] + " with {name}.", "url": "https://example.org/x", "color": "#ff8800",
            "list": [captions.one() for _ in range(3)], "quoted": 'A man is reading "a book": it is old.',
            "lines": captions.one() + "\n" + captions.one() + "\n"}


class Maker:
    def __init__(self, work, count, seed):
        self.work, self.count, self.seed = work, count, seed

    def folder(self, name):
        folder = self.work / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def before(self, name):
        return self.folder(f"{name}/before")

    def made(self, name, ending, make, numbers=None):
        """Writes the files that the programs start from."""
        folder, files = self.folder(f"made/{name}"), []
        for number in numbers if numbers is not None else range(self.count):
            path = folder / f"{number + 1:02}.{ending}"
            content = make(path, Captions(f"{name} {self.seed} {number}"))
            if content is not None:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            files.append(path)
        return files

    def office(self, name):
        """Text documents begin as flat OpenDocument or as Word, in turn."""
        flat = self.made("text", "fodt", lambda path, captions: FlatText(captions).bytes(), range(0, self.count, 2))
        word = self.made("text", "docx", make_docx, range(1, self.count, 2))
        soffice(name, flat + word, self.before(name), self.work)

    def make(self, name):
        shutil.rmtree(self.work / name, ignore_errors=True)
        shutil.rmtree(self.work / "made" / name, ignore_errors=True)
        before = self.before(name)
        if name in ("docx", "odt"):
            self.office(name)
        elif name in ("pptx", "odp"):
            soffice(name, self.made("slides", "pptx", make_pptx), before, self.work)
        elif name == "xlsx":
            soffice(name, self.made("sheets", "xlsx", make_xlsx), before, self.work)
        elif name in ("html", "epub"):
            flat = self.made("text", "fodt", lambda path, captions: FlatText(captions).bytes(),
                             range(0, self.count, 2))
            soffice(name, flat, before, self.work)
            for file in self.made(name, "md", lambda path, captions: make_markdown(captions),
                                  range(1, self.count, 2)):
                run("pandoc", "--standalone", "--from", "markdown", "--output", before / f"{file.stem}.{name}", file)
        elif name == "markdown":
            for file in self.made(name, "md", lambda path, captions: make_markdown(captions)):
                run("pandoc", "--standalone", "--from", "markdown", "--to", "gfm", "--output",
                    before / f"{file.stem}.md", file)
        elif name in ("srt", "vtt"):
            for file in self.made(name, "ass", lambda path, captions: make_ass(captions)):
                run("ffmpeg", "-v", "error", "-i", file, before / f"{file.stem}.{name}")
        elif name in ("po", "xliff", "ts"):
            for file in self.made(name, "c", lambda path, captions: make_source(captions)):
                template, messages = file.with_suffix(".pot"), file.with_suffix(".po")
                run("xgettext", "--from-code=UTF-8", "--keyword=_", "--keyword=pgettext:1c,2", "--add-comments",
                    "--output", template.resolve(), file.name, cwd=file.parent)
                text = template.read_text().replace("charset=CHARSET", "charset=UTF-8")
                template.write_text(text)
                run("msginit", "--no-translator", "--locale=de", "--input", template, "--output-file", messages)
                target = before / f"{file.stem}.{ENDINGS[name]}"
                tools = pathlib.Path(sys.executable).parent
                if name == "po":
                    shutil.copy(messages, target)
                elif name == "xliff":
                    run(tools / "po2xliff", "--progress=none", messages, target)
                else:
                    run(tools / "po2ts", "--progress=none", messages, target)
        elif name == "json":
            self.made("json", "json", lambda path, captions: json.dumps(
                make_values(captions), indent=captions.random.choice([None, 2]), ensure_ascii=False))
            shutil.copytree(self.work / "made/json", before, dirs_exist_ok=True)
        elif name == "yaml":
            self.made("yaml", "yaml", lambda path, captions: yaml.safe_dump(
                {"en": make_values(captions)}, width=60, sort_keys=False))
            shutil.copytree(self.work / "made/yaml", before, dirs_exist_ok=True)


def main():
    parser = argparse.ArgumentParser(description="Makes documents of all formats from captions.")
    parser.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="write files into DIR")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="files of each format (default: 20)")
    parser.add_argument("--only", default=",".join(ENDINGS), metavar="NAMES", help="formats, with commas")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of texts and formatting (default: 1)")
    options = parser.parse_args()
    maker = Maker(options.work, options.count, options.seed)
    for name in options.only.split(","):
        maker.make(name)
        print(f"made {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
