"""Writes marian_engine/: small models in Marian's formats, made of random numbers, with the translations by Marian's own
code. Run: python3 tests/golden/marian_engine.py --marian-conv COMMAND --upstream PYTHON

A folder has a model, its vocabulary and expected.json: the engine, lines and the beginnings of their greedy
translations, of which those that repeat few characters are left out. The engine is the
wheel bergamot 0.4.5, which holds Marian's fork for browsers and wants Python 3.10 (scripts/interop/marian_engine.py).

The folder firefox/ is one of Firefox's: 8 bits with multipliers of inputs, and a lexical table by firefox_models.py. Its
translations are those of the engine in int8 with the shortlist, one line at a time.

  --marian-conv COMMAND   writes the models in 8 and 16 bits: marian-conv of the same fork, which has to be built
  --upstream PYTHON       a Python with the wheel pymarian 1.12.42, which holds upstream's code

Needs the packages of scripts/interop/requirements.txt.
"""

import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent / "marian_engine"
sys.path.insert(0, str(FOLDER.parents[2] / "scripts/interop"))

import firefox_models  # noqa: E402
import made_text  # noqa: E402
import marian_engine  # noqa: E402
import marian_files  # noqa: E402
import marian_models  # noqa: E402
from check_marian_engine import FIXED, POST, PRE, SSRU, lively  # noqa: E402

LINES, CHARACTERS, DIFFERENT = 12, 40, 4  # lines that are kept, and compared characters of a translation
# 8 bits need matrices of 64 rows, and an output tied to the embeddings.
SMALL = {**FIXED, "dim-emb": 16, "transformer-heads": 2, "transformer-dim-ffn": 24}
WIDE = {**FIXED, "enc-depth": 1, "dec-depth": 1, "tied-embeddings-all": True}
BARE = {**PRE, "transformer-postprocess-top": "", "transformer-postprocess-emb": "nd"}
UPSTREAM = {"version": marian_models.VERSIONS[-1]}
MODELS = {
    "post": ("npz", {**SMALL, **POST}),
    "pre": ("npz", {**SMALL, **PRE}),
    "pre_bare": ("npz", {**SMALL, **BARE}),
    "pre_ssru": ("npz", {**SMALL, **PRE, **SSRU}),
    "pre_ssru_upstream": ("upstream", {**SMALL, **PRE, **SSRU, **UPSTREAM}),
    "pre_intgemm8": ("intgemm8", {**WIDE, **PRE}),
    "pre_intgemm16": ("intgemm16", {**WIDE, **PRE}),
}
UPSTREAM_PROGRAM = """import json, sys, _pymarian
job = json.load(sys.stdin)
print(json.dumps(_pymarian.Translator(job["options"]).translate(job["lines"])))"""


def upstream(python, model, vocabulary, lines):
    options = (f"--models {model} --vocabs {vocabulary} {vocabulary} --beam-size 1 --max-length-factor 3 --cpu-threads 1 "
               "--quiet --mini-batch 1 --workspace 128")
    done = subprocess.run([python, "-c", UPSTREAM_PROGRAM], input=json.dumps({"options": options, "lines": lines}),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def write_expected(folder, engine, kept):
    (folder / "expected.json").write_text(json.dumps(
        {"engine": engine, "lines": [line for line, _ in kept], "beginnings": [text for _, text in kept]},
        ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write_firefox(seed, engine, arguments):
    folder, pieces = FOLDER / "firefox", 160
    vocabulary = made_text.marian_sentencepiece(seed, pieces)
    options, weights = firefox_models.random_model("small", pieces, seed)
    random = numpy.random.default_rng(seed)
    sources = firefox_models.cut(vocabulary, made_text.lines(seed, 60))
    multipliers = firefox_models.multipliers(
        options, weights, [(source, random.integers(2, pieces, len(source))) for source in sources])
    lists = firefox_models.random_lists(pieces, seed, 3)
    model, vocabularies, table = firefox_models.write_folder(folder, options, weights, multipliers, vocabulary, lists, 16,
                                                             arguments.marian_conv)
    lines = made_text.lines(seed + 20, 200)
    settings = {**firefox_models.SETTINGS, "shortlist": [str(table), 1]}
    found, unshifted, full = (
        engine.measure(model, vocabularies, lines, alone=True, **changed)["lines"]
        for changed in (settings, {**settings, "gemm-precision": "int8Alpha"}, firefox_models.SETTINGS))
    # Lines that other roundings of the engine do not change, half of which the shortlist changes.
    kept = [(line, text, text == other) for line, text, again, other in zip(lines, found, unshifted, full)
            if text == again and len(set(text)) >= DIFFERENT]
    kept = [kept_line[:2] for same in (False, True) for kept_line in [k for k in kept if k[2] == same][:10]]
    print(f"firefox: {len(kept)} of {len(lines)} lines", flush=True)
    write_expected(folder, marian_engine.WHEEL, kept)


def write(name, kind, switches, seed, engine, arguments):
    folder = FOLDER / name
    folder.mkdir(parents=True)
    sentencepiece = made_text.marian_sentencepiece(seed, 96)
    vocabulary = folder / "vocab.spm"
    vocabulary.write_bytes(sentencepiece)
    size = len(made_text.pieces_of(sentencepiece)[0])
    assert size % 8 == 0
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random, **switches, **{"dim-vocabs": [size, size]})
    model = folder / "model.npz"
    weights = lively(marian_models.weights_of(options, random))
    marian_files.write_npz(model, options, weights)
    binary = folder / "model.bin"
    if kind.startswith("intgemm"):
        subprocess.run([*shlex.split(arguments.marian_conv), "--from", model, "--to", binary, "--gemm-type", kind],
                       check=True, capture_output=True)
        # The engine in float32 with the numbers of the binary file.
        marian_files.write_npz(model, options, marian_files.rounded(weights, int(kind[7:]), wemb=True))
    lines = made_text.lines(seed + 20, 60)
    translations = (upstream(arguments.upstream, model, vocabulary, lines) if kind == "upstream" else
                    engine.translate(model, [vocabulary] * 2, lines, **{"max-length-factor": 3}))
    kept = [(line, text[:CHARACTERS]) for line, text in zip(lines, translations)
            if len(set(text[:CHARACTERS])) >= DIFFERENT]
    if kind == "intgemm8":
        rounded = engine.translate(binary, [vocabulary] * 2, [line for line, _ in kept],
                                   **{"gemm-precision": "int8", "max-length-factor": 3})
        # Lines that the rounding of what the matrices are multiplied by does not change.
        kept = [(line, text) for (line, text), other in zip(kept, rounded) if text == other[:CHARACTERS]]
    if kind.startswith("intgemm"):
        model.unlink()
    print(f"{name}: {len(kept)} of {len(lines)} lines", flush=True)
    write_expected(folder, "pymarian 1.12.42" if kind == "upstream" else marian_engine.WHEEL, kept[:LINES])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--marian-conv", required=True)
    parser.add_argument("--upstream", required=True)
    given = parser.parse_args()
    made_text.NORMALIZATION["normalization_rule_name"] = "identity"
    shutil.rmtree(FOLDER, ignore_errors=True)
    found = marian_engine.find_engine(FOLDER.parents[2] / "build/interop/venv310")
    for number, (name, (kind, switches)) in enumerate(MODELS.items()):
        write(name, kind, switches, 300 + number, found, given)
    write_firefox(300 + len(MODELS), found, given)
