"""Marian's own code against gloss: the same lines, translated greedily by both, in both directions.

Imports: random Marian files of each shape, and the same in 8 and 16 bits. Exports: random gloss models. The engine is
the wheel bergamot (marian_engine.py), which holds Marian's fork for browsers; upstream has only been compared by hand
(docs/interop.md).
"""

import numpy

import gloss_models
import made_text
import marian_engine
import marian_files
import marian_models
from comparison import Summary
from gloss_program import GlossError

FACTOR = 3  # of the engine's limit: this many times the longest source of a batch
MIN_LOOP = 20  # characters of a translation that may have come to the limit
MIN_EQUAL = 0.95  # of the lines of a random float32 network, whose loops amplify rounding errors
# Random networks answer to roundings of int8 with other words, but not at once. This many more lines begin like the
# right one than like the next line's; measured in 8 exports: 0.38 to 0.78.
BEGINNING = 2  # characters
MIN_ALIKE = 0.25
POST = {"transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-top": ""}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
SSRU = {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"}
SHAPES = {
    "post-norm": POST,
    "post-norm, norms of embeddings": {**POST, "transformer-postprocess-emb": "nd"},
    "post-norm, SSRU": {**POST, **SSRU},
    "post-norm, top norm": {**POST, "transformer-postprocess-top": "n"},
    "pre-norm": PRE,
    "pre-norm, no top norm": {**PRE, "transformer-postprocess-top": ""},
    "pre-norm, norms of embeddings": {**PRE, "transformer-postprocess-emb": "nd"},
    "pre-norm, no top norm, norms of embeddings": {**PRE, "transformer-postprocess-top": "",
                                                   "transformer-postprocess-emb": "nd"},
    "pre-norm, SSRU": {**PRE, **SSRU},
    "pre-norm, SSRU, no top norm": {**PRE, **SSRU, "transformer-postprocess-top": ""},
}
FIXED = {"dim-emb": 64, "enc-depth": 2, "dec-depth": 2, "transformer-heads": 4, "transformer-dim-ffn": 64,
         "transformer-decoder-dim-ffn": 0, "transformer-postprocess-emb": "d", "transformer-no-projection": False,
         "transformer-train-positions": False, "transformer-rnn-projection": False, "transformer-tied-layers": [],
         "output-omit-bias": False, "tied-embeddings": False, "tied-embeddings-src": False,
         "tied-embeddings-all": False, "transformer-decoder-autoreg": "self-attention", "dec-cell": "gru",
         "version": marian_models.VERSIONS[0]}


def lively(weights):
    """Changes random weights so that fewer translations repeat one word."""
    for name in weights:
        if "_b" in name and "_ln_scale" not in name:
            weights[name] *= 0.0 if name.endswith("logit_out_b") else 0.3
        elif name.startswith("decoder") and ("_ffn_W" in name or name.endswith("context_Wo")):
            weights[name] *= 3
    return weights


def agree(found, right):
    """Whether two translations are equal, as far as the limits of both programs let them go."""
    short, long = sorted((found, right), key=len)
    return found == right or (len(short) >= MIN_LOOP and long.startswith(short))


def compare(summary, name, found, right, least):
    equal = sum(agree(a, b) for a, b in zip(found, right, strict=True))
    other = next(((a, b) for a, b in zip(found, right) if not agree(a, b)), None)
    summary.count(f"{name}: {least:.0%} of the lines equal", equal >= least * len(right),
                  f"{equal} of {len(right)}; gloss {other and other[0]!r}, Marian {other and other[1]!r}")
    done, all_lines = summary.lines.get(name, (0, 0))
    summary.lines[name] = done + equal, all_lines + len(right)


def begin_alike(summary, name, found, right):
    """Wants beginnings of translations in int8 that depend on their source as those in float32 do."""
    own, others = (sum(a[:BEGINNING] == b[:BEGINNING] for a, b in zip(found, texts, strict=True))
                   for texts in (right, right[1:] + right[:1]))
    summary.count(f"{name}: beginnings of {MIN_ALIKE:.0%} more lines equal than of other lines",
                  own - others >= MIN_ALIKE * len(right), f"{own} and {others} of {len(right)}")
    done, all_lines = summary.lines.get(name, (0, 0))
    summary.lines[name] = done + own, all_lines + len(right)


def check_import(gloss, engine, folder, shape, seed, lines, summary):
    folder.mkdir(parents=True)
    sentencepiece = made_text.marian_sentencepiece(seed, 96)
    size = len(made_text.pieces_of(sentencepiece)[0])
    (folder / "vocab.spm").write_bytes(sentencepiece)
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random, **{**FIXED, **SHAPES[shape], "dim-vocabs": [size, size],
                                                  "tied-embeddings-all": seed % 2 == 1})
    weights = lively(marian_models.weights_of(options, random))
    kinds = {"float32": "model.npz"}
    if options["tied-embeddings-all"]:  # the engine's intgemm has no other output
        kinds |= {"intgemm16": "model.intgemm16.bin", "intgemm8": "model.intgemm8.bin"}
    for kind, file in kinds.items():
        path = folder / file
        if kind == "float32":
            marian_files.write_npz(path, options, weights)
        else:
            marian_files.write_bin(path, options, weights, kind, wemb=True, program="fork")
        model = folder / f"{kind}.safetensors"
        vocabulary = folder / "vocab.spm"
        gloss.import_model(path, model, "--vocabulary", vocabulary)
        found = gloss.translate(model, lines, "--beam", "1", "--max-length", "100", "--threads", "1")
        if kind != "float32":  # the engine gets the numbers of the file, and computes in float32 as gloss does
            path = folder / f"rounded.{kind}.npz"
            marian_files.write_npz(path, options, marian_files.rounded(weights, int(kind[7:]), wemb=True))
        right = engine.translate(path, [vocabulary] * 2, lines, **{"max-length-factor": FACTOR})
        compare(summary, f"import of {shape}, {kind}", found, right, MIN_EQUAL)


def draw_export(random):
    """A section `model` that Marian computes."""
    pre = bool(random.random() < 0.6)
    model = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 64, "d_ff": 64, "heads": 4,
             "norm": "pre" if pre else "post", "final_norm": bool(random.random() < 0.5),
             "activation": str(random.choice(["relu", "swish", "gelu_sigmoid"])), "tie_embeddings": "all",
             "decoder_start": "zero", "position_frequencies": "tensor2tensor", "layer_norm_epsilon": 1e-6,
             "decoder_layer": str(random.choice(["attention", "ssru"])), "embedding_norm": bool(random.random() < 0.3)}
    return model | ({"self_attention_norm": "query"} if pre else {})


def check_export(gloss, engine, folder, seed, lines, summary):
    random = numpy.random.default_rng(seed)
    tokenizer = {"vocabulary_size": 90 + seed % 8, "type": str(random.choice(["bpe", "unigram"])),
                 "joint": True}
    model = gloss_models.make(gloss, folder, seed, draw_export(random), tokenizer)
    place = folder / "marian"
    gloss.export(model, "marian", place)
    decoder = marian_files.yaml.safe_load((place / "decoder.yml").read_text())
    vocabularies = [place / name for name in decoder["vocabs"]]
    found = gloss.translate(model, lines, "--beam", "1", "--max-length", "100", "--threads", "1")
    settings = {"max-length-factor": FACTOR, "allow-unk": decoder["allow-unk"]}
    right = engine.translate(place / "model.npz", vocabularies, lines, **settings)
    compare(summary, "export, float32", found, right, MIN_EQUAL)
    options, weights = marian_files.read_npz(place / "model.npz")
    weights = {name: value for name, value in weights.items() if not name.startswith("special:")}
    marian_files.write_bin(place / "model.bin", options, weights, "intgemm8", wemb=True, program="fork")
    found = engine.translate(place / "model.bin", vocabularies, lines, **settings, **{"gemm-precision": "int8"})
    # The engine in float32 with the same weights: int8 also rounds what they are multiplied by.
    marian_files.write_npz(place / "rounded.npz", options, marian_files.rounded(weights, 8, wemb=True))
    right = engine.translate(place / "rounded.npz", vocabularies, lines, **settings)
    begin_alike(summary, "export, the engine in intgemm8 and in float32", found, right)


def main(gloss, folder, count, environment):
    summary = Summary("marian-engine")
    summary.lines = {}
    engine = marian_engine.find_engine(environment)
    if engine is None:
        print("marian-engine: not proved: the wheel bergamot wants Python 3.10, found none in pyenv, uv and the PATH")
        return []
    lines = made_text.lines(7, 40)
    for seed in range(max(1, count // 20)):
        for number, shape in enumerate(SHAPES):
            place = folder / f"import-{number}-{seed}"
            try:
                check_import(gloss, engine, place, shape, 100 * seed + number, lines, summary)
            except (GlossError, RuntimeError) as error:
                summary.count("runs", False, f"import of {shape}, seed {seed}: {error}")
        for number in range(8):
            try:
                check_export(gloss, engine, folder / f"export-{number}-{seed}", 100 * seed + number, lines, summary)
            except (GlossError, RuntimeError) as error:
                summary.count("runs", False, f"export, seed {100 * seed + number}: {error}")
    for name, (equal, every) in summary.lines.items():
        print(f"marian-engine: {name}: {equal} of {every} lines equal")
    summary.print()
    return summary.failures
