"""Finds definitions in C++ sources by their names.

Reads as much of the language as the sources of this project need: namespaces, classes, functions and their bodies. A
name is written without namespaces, as `EncoderImpl::forward`, and may end with a part of the parameters where a
function is overloaded, as `EncoderDecoderImpl::encode(const Mask& mask)`.
"""

import dataclasses
import pathlib
import re

BLANK = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
NAMESPACE = re.compile(r"^\s*(inline\s+)?namespace\b")
CLASS = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(class|struct|union|enum(?:\s+class)?)\s+(\w+)[^(=]*$")
ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:")
NAME = re.compile(r"((?:\w+\s*::\s*)*(?:operator\s*(?:\(\s*\)|[^\s\w(]+)|~?\w+))\s*$")
INITIALIZERS = re.compile(r"^\s*(?:noexcept\s*)?:(?!:)")
CLOSING = {"(": ")", "{": "}", "[": "]"}


class Missing(Exception):
    """A name that is not in its file, or there more than once."""


@dataclasses.dataclass(frozen=True)
class Definition:
    name: str  # "EncoderImpl::forward"
    kind: str  # "function", "class" or "declaration"
    parameters: str  # of a function, with single spaces
    first: int  # lines from 1, with the comment before it
    last: int
    text: str


def masked(text):
    """Replaces comments, strings and lines of the preprocessor by spaces; every offset stays."""
    return BLANK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(code, at):
    """Returns the offset of the bracket that closes the one at `at`."""
    opened, closed, depth = code[at], CLOSING[code[at]], 0
    for index in range(at, len(code)):
        depth += (code[index] == opened) - (code[index] == closed)
        if depth == 0:
            return index
    raise Missing(f"a {opened} is never closed")


def function_of(header):
    """Splits the header of a function into its name, its parameters and the rest; none for another header."""
    at = header.find("(")
    call = re.search(r"operator\s*\(\s*\)", header)
    if call and call.start() < at:
        at = header.find("(", call.end())
    if at < 0:
        return None
    before = header[:at]
    name = NAME.search(before)
    if not name or ("=" in before and "operator" not in before):
        return None
    end = closing(header, at)
    return re.sub(r"\s+", "", name.group(1)), " ".join(header[at + 1 : end].split()), header[end + 1 :]


class Scanner:
    """Collects the definitions of a file."""

    def __init__(self, text):
        self.text, self.code, self.found = text, masked(text), []
        self.lines = text.split("\n")
        self.scan(0, len(text), [])

    def add(self, kind, scope, name, parameters, begin, end):
        begin += len(self.code[begin:end]) - len(self.code[begin:end].lstrip())
        first, last = self.text.count("\n", 0, begin), self.text.count("\n", 0, end)
        while first > 0 and self.lines[first - 1].lstrip().startswith("//"):
            first -= 1
        lines = self.lines[first : last + 1]
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        text = "\n".join(line[indent:] for line in lines)
        self.found.append(Definition("::".join([*scope, name]), kind, parameters, first + 1, last + 1, text))

    def scan(self, begin, end, scope):
        """Reads the declarations between two offsets."""
        start = at = begin
        while at < end:
            access = ACCESS.match(self.code, start) if at == start else None
            if access:
                start = at = access.end()
                continue
            character = self.code[at]
            if character == "(":
                at = closing(self.code, at) + 1
            elif character == ";":
                function = function_of(self.code[start:at])
                if function:
                    self.add("declaration", scope, function[0], function[1], start, at)
                start = at = at + 1
            elif character == "{":
                start, at = self.block(start, at, scope)
            else:
                at += 1

    def block(self, start, at, scope):
        """Reads a declaration up to its `{` and returns where the next begins and where to read on."""
        header, close = self.code[start:at], closing(self.code, at)
        if NAMESPACE.match(header):
            self.scan(at + 1, close, scope)
            return close + 1, close + 1
        name = CLASS.match(header)
        if name:
            self.add("class", scope, name.group(2), "", start, close)
            if not name.group(1).startswith("enum"):
                self.scan(at + 1, close, [*scope, name.group(2)])
            end = self.code.index(";", close) + 1
            return end, end
        function = function_of(header)
        if function is None:
            return start, close + 1  # the braces of a variable
        initializes = INITIALIZERS.match(function[2]) and re.search(r"[\w>]\s*$", function[2])
        if initializes:
            return start, close + 1  # a member in a list of initializers
        self.add("function", scope, function[0], function[1], start, close)
        return close + 1, close + 1


def definitions(path):
    """Returns all definitions and declarations of a file."""
    return Scanner(pathlib.Path(path).read_text()).found


def find(path, wanted):
    """Returns the one definition of this name; a declaration where there is no definition. Raises Missing."""
    name, part = re.fullmatch(r"(.*?)(?:\((.+)\))?", wanted).groups()
    part = " ".join((part or "").split())
    fits = [
        each
        for each in definitions(path)
        if (each.name == name or each.name.endswith("::" + name)) and part in each.parameters
    ]
    fits = [each for each in fits if each.name == name] or fits
    fits = [each for each in fits if each.kind != "declaration"] or fits
    if not fits:
        raise Missing(f"{path} has no {wanted}")
    if len(fits) > 1:
        lines = ", ".join(str(each.first) for each in fits)
        raise Missing(f"{path} has {len(fits)} definitions of {wanted}, in lines {lines}; add a part of the parameters")
    return fits[0]


def tests(folder):
    """Returns the files of all GoogleTests below a folder: {"Suite.Name": path}."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*_test.cpp")):
        for suite, name in re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE):
            found[f"{suite}.{name}"] = path
    return found


def find_test(path, name):
    """Returns the definition of the test "Suite.Name" in its file."""
    wanted = ", ".join(name.split("."))
    for each in definitions(path):
        if re.fullmatch(r"(TYPED_)?TEST(_[FP])?", each.name) and each.parameters == wanted:
            return each
    raise Missing(f"{path} has no test {name}")
