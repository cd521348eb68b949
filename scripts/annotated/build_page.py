#!/usr/bin/env python3
"""Builds the annotated page from docs/annotated/*.md and the sources of gloss; scripts/annotate.sh calls it.

    build_page.py --check                    # every name in the documents exists; needs the standard library alone
    build_page.py --gloss PROGRAM --examples DIR --model FILE [--run DIR] [--sentence TEXT]... --output FILE

Directives stand on lines of their own, except the last:

    {{code model/attention.cpp attention}}       the definition of this name, with its comment
    {{test AttentionTest.NoPositionSeesALaterOne}}   the source of a test, folded
    {{excerpt model/README.md Letters}}          the first table or list below a heading of another document
    {{figure scaling}}                           a figure of figure_registry.py
    {{value figures.weights.embedding .2f}}      a number of sources.py, inside a line
"""

import argparse
import html
import pathlib
import re
import sys

import cpp_source
import equation_figures
import translation_figures
from figure_registry import FIGURES
from sources import Sources, check_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "docs" / "annotated"
HERE = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r"^\{\{(\w+) (.+?)\}\}$", re.MULTILINE)
VALUE = re.compile(r"\{\{value ([\w.]+)(?: ([^}\s]+))?\}\}")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(
    r"`((?:app|common|configs|data|decoding|docs|evaluation|examples|kernels|library|model|explain|interchange|run|scripts"
    r"|tensor|tests|tokenizer|training|translation|web)/[\w./-]*)`"
)
FIGURE_MODULES = (equation_figures, translation_figures)  # they register their figures
SENTENCES = (
    "Although these neighbors are ill, they will try on a coat this evening.",
    "There are three white tables in the bedroom.",
    "When will Anna repair our beautiful table?",
    "These computers that we repaired are cheap.",
)


class Page:
    """The documents with their directives resolved."""

    def __init__(self, sources=None):
        self.sources = sources  # None: only checks
        self.faults = []
        self.tests = cpp_source.tests(ROOT / "tests")
        self.blocks = []
        self.index = {"code": [], "test": []}

    def read(self, path):
        """Returns a document as Markdown in which each directive is an HTML block."""
        document = path.read_text()

        def fault(match, reason):
            line = match.string.count("\n", 0, match.start()) + 1
            self.faults.append(f"{path.name}:{line}: {reason}")
            return ""

        def value(match):
            name, form = match.groups()
            try:
                if self.sources is None:
                    check_path(name)
                    format(1.0, form or "")
                    return ""
                number = self.sources.value(name)
                return format(number, form).replace("-", "−") if form else html.escape(str(number))
            except (LookupError, TypeError, ValueError) as reason:
                return fault(match, f"{match.group()}: {reason}")

        def block(match):
            kind, arguments = match.groups()
            try:
                body = getattr(self, f"block_{kind}", self.unknown)(arguments)
            except (cpp_source.Missing, OSError) as reason:
                return fault(match, reason)
            self.blocks.append(body)
            return f'\n<div data-block="{len(self.blocks) - 1}"></div>\n'

        self.check_commands(path.name, document)
        for match in PATH.finditer(FENCE.sub("", document)):
            if not (ROOT / match.group(1)).exists():
                line = document.count("\n", 0, match.start()) + 1
                self.faults.append(f"{path.name}, near line {line}: there is no {match.group(1)}")
        return BLOCK.sub(block, VALUE.sub(value, document))

    def check_commands(self, name, document):
        """Checks the fenced parts: keys of run files, and lines of the network that a reader is to change."""
        folders = ("data", "decoding", "evaluation", "model", "run", "explain", "interchange", "translation", "tokenizer", "training")
        keys = "".join(path.read_text() for each in folders for path in sorted((ROOT / each).rglob("*_config.cpp")))
        folders = ("model", "examples")
        network = "".join(path.read_text() for each in folders for path in sorted((ROOT / each).rglob("*.cpp")))
        for key in re.findall(r"--set\s+(?:\w+\.)*(\w+)=", document):
            if f'"{key}"' not in keys:
                self.faults.append(f"{name}: a run file has no key {key}")
        for changes in re.findall(r"^```diff\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
            for line in re.findall(r"^[- ](.*)$", changes, re.MULTILINE):
                if line.strip() not in network:
                    self.faults.append(f"{name}: no source of model/ or examples/ has the line {line.strip()}")

    @staticmethod
    def unknown(arguments):
        raise cpp_source.Missing(f"no such directive, with {arguments}")

    def block_code(self, arguments):
        file, name = arguments.split(" ", 1)
        found = cpp_source.find(ROOT / file, name)
        anchor = self.anchor("code", f"{file} {found.name}")
        if self.sources is None:
            return ""
        head = f'<div class="place"><code>{html.escape(file)}:{found.first}</code></div>'
        return f'<div class="code" id="{anchor}">{head}{highlighted(found.text)}</div>'

    def block_test(self, name):
        if name not in self.tests:
            raise cpp_source.Missing(f"tests/ has no test {name}")
        path = self.tests[name]
        found = cpp_source.find_test(path, name)
        anchor = self.anchor("test", name)
        if self.sources is None:
            return ""
        file = path.relative_to(ROOT)
        command = f"ctest --test-dir build/ci -R {name.split('.')[0]}"  # a test of CTest is a suite
        return (
            f'<details class="test" id="{anchor}"><summary>Test: {sentence(name)} <code>{name}</code></summary>'
            f'<div class="place"><code>{file}:{found.first}</code> &ensp; <code>{command}</code></div>'
            f"{highlighted(found.text)}</details>"
        )

    def block_excerpt(self, arguments):
        file, heading = arguments.split(" ", 1)
        text = excerpt((ROOT / file).read_text(), heading)
        if text is None:
            raise cpp_source.Missing(f"{file} has no table or list below a heading {heading}")
        return "" if self.sources is None else markdown().render(text)

    def block_figure(self, name):
        if name not in FIGURES:
            raise cpp_source.Missing(f"there is no figure {name}")
        return "" if self.sources is None else FIGURES[name](self.sources)

    def anchor(self, kind, name):
        entries = self.index[kind]
        anchor = f"{kind}-{len(entries)}"
        entries.append((name, anchor))
        return anchor


def excerpt(document, heading):
    """Returns the first table or list below a heading, with the titles of its links as code; None if there is none."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", document, re.MULTILINE | re.DOTALL)
    found = section and re.search(r"^(?:\||- ).*?(?=\n\n|\Z)", section.group(1), re.MULTILINE | re.DOTALL)
    return re.sub(r"\[([^]]+)\]\([^)]+\)", r"`\1`", found.group()) if found else None


def sentence(test):
    """The name of a test as a sentence: the second word of "MaskTest.CausalHidesWhatIsLater"."""
    name = test.split(".")[1].replace("PyTorch", "Pytorch").replace("LibTorch", "Libtorch")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).split()
    rest = [each if each.isupper() and len(each) > 1 else each.lower() for each in words[1:]]
    return " ".join([words[0], *rest]).replace("pytorch", "PyTorch").replace("libtorch", "LibTorch")


def highlighted(code, language="cpp"):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    return f"<pre><code>{highlight(code, get_lexer_by_name(language), HtmlFormatter(nowrap=True))}</code></pre>"


def markdown():
    """A renderer of CommonMark and tables, with HTML, and with highlighted fences."""
    from markdown_it import MarkdownIt

    def fence(self, tokens, index, options, env):
        language = tokens[index].info.strip()
        if language in ("", "text"):
            return f"<pre><code>{html.escape(tokens[index].content)}</code></pre>\n"
        return highlighted(tokens[index].content, language)

    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.add_render_rule("fence", fence)
    renderer.add_render_rule("table_open", lambda *_: '<div class="wide"><table>')
    renderer.add_render_rule("table_close", lambda *_: "</table></div>")
    return renderer


def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"<[^>]*>|&\w+;", "", title).lower()).strip("-")


def chapters(page, paths):
    """Returns the body of the page and its table of contents."""
    renderer, body, contents = markdown(), [], []
    for number, path in enumerate(paths):
        rendered = renderer.render(page.read(path))

        def heading(match):
            level, title = int(match.group(1)), match.group(2)
            anchor = slug(title) if level == 1 else f"{slug(title)}-{number}"
            if level == 1:
                title = f"{number}. {title}" if number else title
                contents.append(f'<li><a href="#{anchor}">{title}</a></li>')
            return f'<h{level + 1} id="{anchor}">{title}</h{level + 1}>'

        rendered = re.sub(r"<h([1-4])>(.*?)</h\1>", heading, rendered)
        body.append(f"<section>{rendered}</section>")
    text = "\n".join(body)
    text = re.sub(r'<div data-block="(\d+)"></div>', lambda match: page.blocks[int(match.group(1))], text)
    contents.append('<li><a href="#index">Sources and tests on this page</a></li>')
    return text + index(page), "<ol>" + "".join(contents) + "</ol>"


def index(page):
    lists = []
    for kind, title in (("code", "Sources"), ("test", "Tests")):
        entries = "".join(
            f'<li><a href="#{anchor}"><code>{html.escape(name)}</code></a></li>'
            for name, anchor in sorted(page.index[kind])
        )
        lists.append(f"<h3>{title}</h3><ul class='index'>{entries}</ul>")
    return f'<section><h2 id="index">Sources and tests on this page</h2>{"".join(lists)}</section>'


def style():
    """The colors of web/, whose dark theme follows the system's on a screen, and the page's own rules."""
    colors = (ROOT / "web" / "colors.css").read_text()
    light, dark = colors.split(':root[data-theme="dark"]')
    dark = "@media screen and (prefers-color-scheme: dark) {\n:root" + dark + "}\n"
    return light + dark + (HERE / "page.css").read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--gloss", type=pathlib.Path)
    parser.add_argument("--examples", type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--sentence", action="append")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    paths = sorted(DOCUMENTS.glob("[0-9]*.md"))
    if options.check:
        page = Page()
        for path in paths:
            page.read(path)
        report(page)
        print(f"annotate: {len(paths)} documents, {len(page.index['code'])} sources, {len(page.index['test'])} tests")
        return
    if not (options.gloss and options.examples and options.model and options.output):
        parser.error("--gloss, --examples, --model and --output are required unless --check is given")
    page = Page(Sources(options.gloss, options.examples, options.model, options.run, options.sentence or SENTENCES))
    body, contents = chapters(page, paths)
    report(page)
    template = (HERE / "page.html").read_text()
    parts = {"style": style(), "contents": contents, "body": body}
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], template)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text)


def report(page):
    """Ends the program with the faults, if there are any."""
    for fault in page.faults:
        print(f"annotate: docs/annotated/{fault}", file=sys.stderr)
    if page.faults:
        sys.exit(1)


if __name__ == "__main__":
    main()
