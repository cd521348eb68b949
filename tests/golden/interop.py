"""Writes interop/: small models in the formats of other programs, made of random numbers, with the logits that
transformers and a NumPy program with Marian's formulas compute for them, or CTranslate2's log-probabilities. Run:
python3 tests/golden/interop.py

A folder has a model as its program stores it, and expected.json: options for `gloss import`, a source (eos included)
and a target as pieces, all pieces of the target's vocabulary, and logits [T + 1, V], or log-probabilities in their
place. Needs the packages of scripts/interop/requirements.txt.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent / "interop"
sys.path.insert(0, str(FOLDER.parents[2] / "scripts/interop"))

import check_ctranslate2  # noqa: E402
import check_marian  # noqa: E402
import ctranslate2  # noqa: E402
import ctranslate2_models  # noqa: E402
import huggingface_models  # noqa: E402
import made_text  # noqa: E402
import marian_models  # noqa: E402
from marian_network import MarianNetwork  # noqa: E402

made_text.NORMALIZATION["normalization_rule_name"] = "identity"
SMALL = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
         "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 12, "scale_embedding": True,
         "max_position_embeddings": 64}
SMALL_MARIAN = {"dim-emb": 8, "enc-depth": 1, "dec-depth": 2, "transformer-heads": 2, "transformer-dim-ffn": 12,
                "transformer-decoder-dim-ffn": 0, "transformer-postprocess-emb": "d", "transformer-no-projection": False,
                "transformer-train-positions": False, "transformer-tied-layers": [], "output-omit-bias": False,
                "tied-embeddings": False, "tied-embeddings-src": False, "tied-embeddings-all": True,
                "transformer-decoder-autoreg": "self-attention", "dec-cell": "gru"}
POST = {"transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-top": ""}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
SSRU = {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"}
MARIAN = {
    "marian_post_npz": ("npz", POST),
    "marian_pre_deflated_npz": ("compressed npz", {**PRE, "transformer-postprocess-emb": "nd"}),
    "marian_float32_bin": ("float32", {**POST, "transformer-train-positions": True, "transformer-no-projection": True}),
    "marian_student_intgemm8": ("intgemm8", {**POST, **SSRU, "transformer-tied-layers": [1, 1]}),
    "marian_untied_intgemm16": ("intgemm16", {**PRE, **SSRU, "tied-embeddings-all": False,
                                              "transformer-decoder-dim-ffn": 20}),
}

CTRANSLATE2 = {"ctranslate2_opennmt_float32": ("opennmt", "float32"), "ctranslate2_m2m100_int8": ("m2m_100", "int8"),
               "ctranslate2_marian_int16": ("marian", "int16")}


def rounded(logits):
    return [[float(f"{x:.8g}") for x in row] for row in numpy.asarray(logits, "f8").tolist()]


def write_expected(folder, options, source, target, tokens, logits):
    (folder / "expected.json").write_text(json.dumps(
        {"options": options, "source": source, "target": target, "pieces": tokens, "logits": rounded(logits)},
        ensure_ascii=False) + "\n", encoding="utf-8")


def write_huggingface(name, family, seed):
    folder = FOLDER / name
    extra = {"separate": False} if family == "marian" else {}
    activation = {"marian": "swish", "pegasus": "gelu"}.get(family, "relu")
    model = huggingface_models.make(folder, family, seed, **SMALL, **extra, activation_function=activation)
    random = numpy.random.default_rng(seed)
    if model.languages:
        model.choose_languages(*list(model.languages)[:2])
    source = [*model.prefix, *random.choice(model.source_count, 5).tolist(), model.eos]
    target = [*model.forced, *random.choice(model.target_count, 3).tolist()]
    spell = lambda ids, side: [model.tokens[side][i] for i in ids]
    logits = model.logits(source, target)
    kept = [i for i in range(len(model.tokens[1])) if i not in model.banned]
    write_expected(folder, ["--formulas", "huggingface"], spell(source, 0), spell(target, 1), spell(kept, 1),
                   logits[:, kept])


def write_marian(name, kind, switches, seed):
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random, **{**SMALL_MARIAN, **switches, "max-length": 20})
    models, tokens = marian_models.vocabularies_of(options, seed)
    options["dim-vocabs"] = [len(side) for side in tokens]
    weights = marian_models.weights_of(options, random, legacy_output=True)
    folder, weights = check_marian.write_package(FOLDER / name, random, kind, options, weights, models, tokens)
    source = [*random.integers(1, len(tokens[0]), 5).tolist(), 0]
    target = random.integers(1, len(tokens[1]), 3).tolist()
    write_expected(folder, [], [tokens[0][i] for i in source], [tokens[1][i] for i in target], tokens[1],
                   MarianNetwork(options, weights).logits(source, target))


def write_ctranslate2(name, kind, quantization, seed):
    folder = FOLDER / name
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place) / "model"
        fixed = SMALL if kind in huggingface_models.FAMILIES else {}
        converted = check_ctranslate2.make(place, kind, seed, **fixed)
        converted.convert(folder, quantization)
    tokens = check_ctranslate2.vocabularies(folder)
    random = numpy.random.default_rng(seed)
    draw = lambda side, count: [tokens[side][i] for i in random.integers(4, 60, count)]
    source = [*converted.prefix, *draw(0, 5), *converted.suffix]
    target = [*converted.forced, *draw(1, 3)]
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    kept = [token for token in tokens[1] if token not in ("<s>", "</s>")]  # <s> has another place in gloss
    last = lambda words, number: [line.log_probs[number] for line in translator.score_batch([source] * len(words), words)]
    rows = [[*last([[*target[:t], token] for token in kept], t), *last([target[:t]], t)] for t in range(len(target) + 1)]
    spelled = check_ctranslate2.spelled
    write_expected(folder, converted.options, source + ([] if converted.suffix or not converted.ends else ["</s>"]),
                   target, [*spelled(kept), "</s>"], rows)
    path = folder / "expected.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"logits"', '"log_probabilities"'), encoding="utf-8")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    for number, (name, family) in enumerate([("huggingface_marian", "marian"), ("huggingface_pegasus", "pegasus"),
                                             ("huggingface_m2m100", "m2m_100"), ("huggingface_nllb", "nllb")]):
        write_huggingface(name, family, 100 + number)
    for number, (name, (kind, switches)) in enumerate(MARIAN.items()):
        write_marian(name, kind, switches, 200 + number)
    for number, (name, (kind, quantization)) in enumerate(CTRANSLATE2.items()):
        write_ctranslate2(name, kind, quantization, 300 + number)
