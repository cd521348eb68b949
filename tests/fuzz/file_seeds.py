"""First inputs of the fuzz targets that read files, and the words of their dictionaries."""

import collections
import gzip
import hashlib
import io
import json
import pathlib
import re
import shlex
import struct
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
INTEROP = sorted((GOLDEN / "interop").iterdir()) + [GOLDEN / "marian_engine/firefox"]
TEXTS = ["one\ntwo\r\n\r\nthree", "\ufeffä€\U0001f600 e\u0301 \u00ad\u200b\u2028x", "a\tb\rc",
         "Straße, İSTANBUL ΣΑΣ. 你好。"]
# By the order of document_formats().
FORMATS = ("txt markdown html srt vtt xliff tmx po json arb yaml properties strings android resx ts docx pptx xlsx odt "
           "odp epub").split()
FOLDER = pathlib.Path(__file__).resolve().parent
DOCUMENTS = {name: (FOLDER / "documents" / name).read_bytes() for name in FORMATS}
TERMS = [path.read_bytes() for path in sorted((FOLDER / "terms").iterdir())]
VECTORS = ["2 3\na 1 2 3\nthe 0.5 -1e-3 .25\n", "the 1 2\nb 3 4\na\t5\t6\n\u2581 7 8\n"]
NAMES = {"b": ["model.bin"], "c": ["model.bin"], "n": ["model.npz"], "s": ["model.safetensors"], "o": ["decoder.yml"],
         "v": ["model.vocab.yml", "model.trg.vocab.yml"], "j": ["vocab.json"], "a": ["shared_vocabulary.json"],
         "m": ["source.spm", "spiece.model"]}


def entries(archive):
    return b"\n----\n".join(f"{name}\n".encode() + bytes for name, bytes in archive.items())


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def safetensors(tensors, metadata):
    """Returns a file of (type, shape, bytes) by name; readers get the right sums from safetensors_input.h."""
    header, data = {"__metadata__": {"sha256": "0" * 64, **metadata}}, b""
    for name, (kind, shape, content) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def checkpoint():
    """Returns a checkpoint of the tiny model."""
    content = (GOLDEN / "tiny_model.safetensors").read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + place for place in entry["data_offsets"])
        for kind in ("", "adam.m.", "adam.v."):
            tensors[kind + name] = ("F32", entry["shape"], content[begin:end])
    counts = dict.fromkeys(["step", "validated_step", "best_step", "validations_without_gain", "skipped_updates",
                            "skipped_in_a_row", "unreported_tokens", "unreported_nll", "seconds"], 1)
    state = {**counts, "position": {"epoch": 0, "batch": 1}, "best_score": None, "shards": 1, "hashes": {"a": "b"},
             "averaged": ["step-00000001.safetensors"], "device": "cpu",
             "scores": {"best_bleu": {"value": 1.5, "step": 1}}}
    return safetensors(tensors, {"format": "gloss-checkpoint", "format_version": "1", "state": json.dumps(state),
                                 "state_sha256": ""})


def corpus_cache():
    """Returns a file of three pairs, and its footer and the bytes before it."""
    pairs = [((5, 6, 3), (7, 3)), ((8, 3), (9, 10, 11, 3)), ((3,), (4, 3))]
    pad = lambda part: part + bytes(-len(part) % 8)
    ids = [token for pair in pairs for side in pair for token in side]
    sums = []
    for source, target in pairs:
        total = 0x811C9DC5
        for token in source + target:
            total = (total ^ token) * 0x01000193 & 0xFFFFFFFF
        sums.append(total)
    begin = b"gloss corpus 2\n\n" + struct.pack(f"<{len(ids)}H", *ids)
    index = bytes(-len(begin) % 8) + struct.pack("<Q", 0)
    for side in (0, 1):
        index += pad(struct.pack("<3H", *(len(pair[side]) for pair in pairs)))
    index += pad(struct.pack("<3I", *sums))
    noted = {"count": 0, "first_lines": []}
    text = {"lines": 3, "pairs": 3, "crlf": False, "invalid_utf8": noted, "empty": noted, "too_long": noted}
    footer = json.dumps({"key": {}, "texts": [text], "pairs": 3, "ids": len(ids), "id_bytes": 2,
                         "length_bytes": 2, "hash": "", "index_sha256": hashlib.sha256(index).hexdigest()}).encode()
    end = hashlib.sha256(footer).hexdigest().encode() + struct.pack("<Q", len(footer)) + b"\ncorpus\n"
    return [begin + index + footer + end, b"\x01" + footer + b"\n" + begin + index]


def command_lines():
    """Returns the arguments of the commands that the documents show."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for line in re.findall(r"^    gloss (.*)$", page.read_text(), re.MULTILINE):
            try:
                yield "\n".join(shlex.split(line, comments=True)).encode()
            except ValueError:
                pass  # a line that ends within quotes


def foreign_files():
    for folder in INTEROP:
        for kind, names in NAMES.items():
            yield from (kind.encode() + (folder / name).read_bytes() for name in names if (folder / name).exists())
    for path in sorted(GOLDEN.glob("foreign_arrays*.npz")):
        yield b"n" + path.read_bytes()
        yield b"n" + entries(entries_of(path))
        yield from (b"h" + content for content in entries_of(path).values())
    state = entries_of(GOLDEN / "torch_state.bin")
    yield b"t" + (GOLDEN / "torch_state.bin").read_bytes()
    yield b"t" + entries(state)
    yield from (b"p" + content for name, content in state.items() if name.endswith("data.pkl"))
    table, = INTEROP[-1].glob("lex.*.bin")
    yield b"x" + table.read_bytes()
    yield b"z" + gzip.compress(b"</s>\n<unk>\n", mtime=0)
    yield b"y" + DOCUMENTS["yaml"]
    yield "l</s>\n<unk>\n▁a\t-1.5\nb\n".encode()


def documents():
    for number, (name, content) in enumerate(DOCUMENTS.items()):
        for mode in range(8):
            yield bytes([ord("a") + number, ord("0") + mode]) + content
        if name not in ("docx", "pptx", "xlsx", "odt", "odp", "epub"):
            yield bytes([ord("a") + number, ord("0")]) + content.decode().encode("utf-16")
            continue
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
            for entry in content.split(b"\n----\n"):
                part, text = entry.split(b"\n", 1)
                file.writestr(zipfile.ZipInfo(part.decode()), text)
        yield bytes([ord("a") + number, ord("0")]) + packed.getvalue()


def inputs():
    """Returns the inputs of each target."""
    texts = [text.encode() for text in TEXTS]
    pairs = json.loads((GOLDEN / "evaluation_pairs.json").read_text())["pairs"]
    models = [path.read_bytes() for folder in [GOLDEN, *INTEROP] for ending in ("spm", "model")
              for path in sorted(folder.glob(f"*.{ending}"))]
    tiny = [(GOLDEN / f"tiny_model{part}.safetensors").read_bytes() for part in ("_scored", "")]
    mapped = "gloss-mapped-tokenizer 1\n" + json.dumps({"languages": {"deu": 4}, "normalizer": "opus-mt", "pieces": [
        "<pad>", "<unk>", "<s>", "</s>", "deu", "▁a", "b"]}) + "\n"
    settings = [path.read_bytes() for path in sorted(ROOT.glob("configs/*.json"))]
    return {
        "utf8": texts + [b"\xed\x9f\xbf\xed\xa0\x80\xf4\x8f\xbf\xbf\xf4\x90\xc0\x80\xe0\x9f\xbf\xf0\x8f\x80\xff"],
        "line_reader": [b"\0" + text for text in texts] + [b"\1" + text for text in texts] + [b"\xC5ab\x01\r\n\x01\r\n01234567"] + [
            b"\3" + text.decode().encode(code) for text in texts for code in ("utf-16", "utf-16-be", "utf-8-sig")] + [
                b"\6" + gzip.compress(text, mtime=0) for text in texts],
        "json": settings + [DOCUMENTS["json"], b'[-0, 1.5e-7, 18446744073709551615, -9223372036854775808, "\\u0000"]'],
        "safetensors": [safetensors({"a": ("F32", [2, 1], bytes(8)), "b": ("BF16", [0], b""), "c": ("I8", [], b"x")},
                                    {"format": "pt", "config": "{}"}), tiny[0]],
        "model_file": tiny,
        "checkpoint": [checkpoint()],
        "corpus_cache": corpus_cache(),
        "run_file": settings,
        "sentencepiece": [b"a b\n" + model for model in models] + [b"ab\n" + mapped.encode() + models[0]],
        "glossary": [kind + text for text in TERMS for kind in (b"0", b"1")] + [b"2" + DOCUMENTS["tmx"]],
        "word_vectors": [bytes([2 - number]) + text.encode() for number, text in enumerate(VECTORS)],
        "metrics": [bytes([number]) + f"{pair['hypothesis']}\n{pair['references'][0]}\n".encode()
                    for number, pair in enumerate(pairs[:256])],
        "command_line": list(command_lines()),
        "documents": list(documents()),
        "foreign_files": list(foreign_files()),
        "import": [bytes([ord("a") + number, ord("a") + place]) + file.read_bytes()
                   for number, folder in enumerate(INTEROP) for place, file in enumerate(sorted(folder.iterdir()))],
    }


def words(target, contents):
    """Returns the words of a target's inputs, and those of the pages that describe them."""
    pages = {"run_file": ("configs/README.md", r"[a-z_0-9]+"),
             "command_line": ("docs/translating.md", r"--[a-z0-9-]+|[a-z-]+")}
    form = rb"[A-Za-z][A-Za-z0-9_:.-]{2,30}|</?[a-z:]+|[!-/:-@[-`{-~]{2,4}"
    found = collections.Counter(word.decode() for content in contents for word in re.findall(form, content))
    found = {word for word, count in found.most_common(500)}
    if target in pages:
        page, form = pages[target]
        found |= set(re.findall(form, " ".join(re.findall(r"`([^`]*)`", (ROOT / page).read_text()))))
    return found
