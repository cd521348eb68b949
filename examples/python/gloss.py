"""Translates with a trained model of gloss: one file on ctypes, over the C interface of libgloss (gloss/gloss.h).

    import gloss

    with gloss.Translator("runs/en-de", threads=2) as translator:
        for translation in translator.translate(["A dog sleeps."], beam_size=5):
            print(translation.text)

The library is the file that the environment variable GLOSS_LIBRARY names, otherwise the installed libgloss.so. Settings
and options are the fields of TranslatorSettings, TranslationOptions and TextOptions in gloss/translator.h; deadline_ms
takes the place of deadline. Threads may share a Translator. Needs Python 3.9.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import dataclasses
import functools
import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any, Optional, TypeVar, Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Event = dict[str, Any]
Callback = Callable[[Event], Optional[bool]]
Pair = list[int]
Record = TypeVar("Record")


class GlossError(Exception):
    """An error of the library. `code` is the exit code of the program gloss for the same failure."""

    code = 1


class UsageError(GlossError):
    """An invalid setting or option, or a missing model file or library."""

    code = 2


class DataError(GlossError):
    """A model file that is damaged, newer or no model, or a document that is bad or missing."""

    code = 3


class IoError(GlossError):
    """The operating system refused to read or write."""

    code = 4


class OutOfMemoryError(GlossError):
    """On the host or on the device. The Translator remains usable."""

    code = 7


_ERRORS: dict[int, type[GlossError]] = {kind.code: kind for kind in (UsageError, DataError, IoError, OutOfMemoryError)}


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A translation of a line. Spans and links are pairs of numbers; spans count bytes of UTF-8."""

    text: str
    score: float
    log_probability: float
    pieces: list[str]
    ended: bool
    spans: list[Pair]
    token_log_probabilities: list[float]
    words: list[dict[str, Any]]
    alignment: list[Pair]
    piece_alignment: list[Pair]
    flags: list[str]
    lacks_phrase: bool


@dataclasses.dataclass(frozen=True)
class Translation:
    """The translations of one line, best first; none if `status` is "deadline" or "cancelled"."""

    status: str
    truncated: bool
    candidates: list[Candidate]
    source: str
    source_spans: list[Pair]

    @property
    def text(self) -> str:
        """The best translation; empty if there is none."""
        return self.candidates[0].text if self.candidates else ""


@dataclasses.dataclass(frozen=True)
class TextTranslation:
    """The translation of a text or a document. `text` is empty for a document, and unless `status` is "complete"."""

    status: str
    text: str
    sentences: list[dict[str, Any]]
    units: int
    from_memory: int


_INTERFACE_VERSION = 1  # GLOSS_INTERFACE_VERSION of the functions below
_NATIVE_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p)


@functools.cache
def _library() -> ctypes.CDLL:
    """Loads libgloss and declares its functions."""
    name = os.environ.get("GLOSS_LIBRARY") or ctypes.util.find_library("gloss") or "libgloss.so"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise UsageError(f"{error}; set GLOSS_LIBRARY to the file libgloss.so (docs/installing.md)") from error
    handle, text, size, code = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
    texts, place = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_void_p)
    functions: dict[str, tuple[Any, list[Any]]] = {
        "version": (text, []),
        "interface_version": (code, []),
        "error_message": (text, [handle]),
        "error_free": (None, [handle]),
        "load": (code, [texts, size, text, place, place]),
        "translator_free": (None, [handle]),
        "translate": (code, [handle, texts, ctypes.POINTER(size), size, text, handle, place, place]),
        "translate_text": (code, [handle, text, size, text, handle, place, place]),
        "translate_file": (code, [handle, text, text, text, handle, place, place]),
        "languages": (code, [handle, place, place]),
        "split_sentences": (code, [text, size, text, place, place]),
        "result_json": (text, [handle]),
        "result_free": (None, [handle]),
        "control_new": (handle, []),
        "control_on_token": (code, [handle, _NATIVE_CALLBACK, handle]),
        "control_on_result": (code, [handle, _NATIVE_CALLBACK, handle]),
        "control_cancel": (None, [handle]),
        "control_free": (None, [handle]),
    }
    for function, (result, arguments) in functions.items():
        declared = getattr(library, "gloss_" + function)
        declared.restype, declared.argtypes = result, arguments
    if library.gloss_interface_version() < _INTERFACE_VERSION:
        raise ImportError(f"{name}: wanted version {_INTERFACE_VERSION} of the interface or a later one")
    return library


class _Handle:
    """A pointer of the library, freed after the last call that uses it."""

    def __init__(self, pointer: int | None, free: Callable[[int | None], None]) -> None:
        self.pointer, self._free = pointer, free

    def __del__(self) -> None:
        self._free(self.pointer)


def _made(function: Callable[..., int], free: Callable[[int | None], None], *arguments: Any) -> _Handle:
    """Calls a function that makes an object, and returns it. Raises the exception of its code."""
    result, error = ctypes.c_void_p(), ctypes.c_void_p()
    code = function(*arguments, ctypes.byref(result), ctypes.byref(error))
    if code == 0:
        return _Handle(result.value, free)
    message: bytes = _library().gloss_error_message(error)
    _library().gloss_error_free(error)
    exception = _ERRORS.get(code, GlossError)(message.decode())
    exception.code = code
    raise exception


def _answer(function: Callable[..., int], *arguments: Any) -> dict[str, Any]:
    """Calls a function with a result, and returns its JSON object."""
    result = _made(function, _library().gloss_result_free, *arguments)
    answer: dict[str, Any] = json.loads(_library().gloss_result_json(result.pointer))
    return answer


def _options(options: dict[str, Any]) -> bytes:
    return json.dumps(options, allow_nan=False).encode()


def _path(path: Path) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def _encoded(text: str, name: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name}: wanted a string, got {type(text).__name__}")
    return text.encode()


def _record(kind: type[Record], fields: dict[str, Any]) -> Record:
    """Makes a record from an object, which may have fields of later versions."""
    return kind(**{field.name: fields[field.name] for field in dataclasses.fields(kind)})  # type: ignore[arg-type]


def _translation(fields: dict[str, Any]) -> Translation:
    return _record(Translation, {**fields, "candidates": [_record(Candidate, each) for each in fields["candidates"]]})


class Control:
    """Cancels calls and receives their tokens and lines. Any number of calls may use one.

    `on_token` receives a dictionary with line, piece, text, log_probability and end; `on_result` one with line and
    translation. Both run on the thread that called. If one returns False, it cancels the call; an exception leaves the
    call.
    """

    def __init__(self, on_token: Callback | None = None, on_result: Callback | None = None) -> None:
        library = _library()
        self._handle = _Handle(library.gloss_control_new(), library.gloss_control_free)
        if not self._handle.pointer:
            raise MemoryError
        self._raised = threading.local()
        self._natives = [self._native(callback) for callback in (on_token, on_result)]  # as long as the control
        library.gloss_control_on_token(self._handle.pointer, self._natives[0], None)
        library.gloss_control_on_result(self._handle.pointer, self._natives[1], None)

    def cancel(self) -> None:
        """Cancels all calls that use this control, now and later, from any thread."""
        _library().gloss_control_cancel(self._handle.pointer)

    def _native(self, callback: Callback | None) -> Any:
        if callback is None:
            return _NATIVE_CALLBACK()
        raised = self._raised  # without a cycle through self

        def call(_user: int | None, _line: int, _text: bytes, event: bytes) -> int:
            try:
                return int(callback(json.loads(event)) is False)
            except BaseException as exception:  # ctypes would print it and go on
                raised.exception = exception
                return 1

        return _NATIVE_CALLBACK(call)

    def _answer(self, function: Callable[..., int], *arguments: Any) -> dict[str, Any]:
        """Calls a function whose last argument is the control. Raises the exception of a callback."""
        self._raised.exception = None
        answer = _answer(function, *arguments, self._handle.pointer)
        exception, self._raised.exception = self._raised.exception, None
        if exception is not None:
            raise exception
        return answer


class Translator:
    """A model file, the folder of a finished run, or an ensemble of several: Translator("one", "two")."""

    def __init__(self, *paths: Path, **settings: Any) -> None:
        library = _library()
        names = (ctypes.c_char_p * len(paths))(*map(_path, paths))
        self._handle: _Handle | None = _made(
            library.gloss_load, library.gloss_translator_free, names, len(paths), _options(settings)
        )

    def __enter__(self) -> Translator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the model, after the calls of other threads."""
        self._handle = None

    def translate(
        self,
        lines: Iterable[str],
        *,
        on_token: Callback | None = None,
        on_result: Callback | None = None,
        control: Control | None = None,
        **options: Any,
    ) -> list[Translation]:
        """Returns the translation of each line. The callbacks are those of a new Control."""
        if isinstance(lines, str) or not isinstance(lines, Iterable):
            raise TypeError(f"lines: wanted a list of strings, got {type(lines).__name__}")
        if control is not None and (on_token is not None or on_result is not None):
            raise ValueError("control: wanted none beside callbacks; give them to the Control")
        control = control or Control(on_token, on_result)
        encoded = [_encoded(line, f"lines[{index}]") for index, line in enumerate(lines)]
        texts = (ctypes.c_char_p * len(encoded))(*encoded)
        lengths = (ctypes.c_size_t * len(encoded))(*map(len, encoded))
        model = self._open()
        answer = control._answer(
            _library().gloss_translate, model.pointer, texts, lengths, len(encoded), _options(options)
        )
        return [_translation(fields) for fields in answer["translations"]]

    def translate_text(self, text: str, *, control: Control | None = None, **options: Any) -> TextTranslation:
        """Translates a text of any number of sentences. `search` is a dictionary of the options of translate."""
        encoded, model = _encoded(text, "text"), self._open()
        answer = (control or Control())._answer(
            _library().gloss_translate_text, model.pointer, encoded, len(encoded), _options(options)
        )
        return _record(TextTranslation, answer)

    def translate_file(
        self, source: Path, target: Path, *, control: Control | None = None, **options: Any
    ) -> TextTranslation:
        """Translates a document. `target` appears complete or not at all."""
        model = self._open()
        answer = (control or Control())._answer(
            _library().gloss_translate_file, model.pointer, _path(source), _path(target), _options(options)
        )
        return _record(TextTranslation, answer)

    def languages(self) -> list[str]:
        """Returns the languages of a model of several languages; none for a model of one direction."""
        model = self._open()
        names: list[str] = _answer(_library().gloss_languages, model.pointer)["languages"]
        return names

    def _open(self) -> _Handle:
        handle = self._handle
        if handle is None:
            raise ValueError("the Translator is closed")
        return handle


def split_sentences(text: str, **options: Any) -> list[str]:
    """Returns the sentences of a text. Options: language, split."""
    encoded = _encoded(text, "text")
    spans = _answer(_library().gloss_split_sentences, encoded, len(encoded), _options(options))["sentences"]
    return [encoded[begin:end].decode() for begin, end in spans]


def version() -> str:
    """Returns the version of the library."""
    text: bytes = _library().gloss_version()
    return text.decode()
