"""Files that gloss import has to refuse: networks that it cannot compute, and damaged files."""

import json
import shutil

import numpy

import huggingface_models
import marian_files
import marian_models
from comparison import Summary
from gloss_program import GlossError

BAD_MODEL = 3  # exit code

# Options of Marian that change the network; the message has to name the key.
MARIAN = [
    {"type": "s2s"}, {"transformer-ffn-depth": 3}, {"transformer-preprocess": "nd", "transformer-postprocess": "hn"},
    {"transformer-decoder-autoreg": "average-attention"}, {"transformer-postprocess": "dar"},
    {"lemma-dim-emb": 16}, {"transformer-rnn-projection": True, "transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"},
    {"transformer-decoder-autoreg": "rnn", "dec-cell": "gru"}, {"transformer-ffn-activation": "sigmoid"},
    {"input-types": ["class", "sequence"]}, {"transformer-decoder-ffn-depth": 4},
]
HUGGING_FACE = [
    ("marian", {"model_type": "bart"}), ("marian", {"normalize_before": True}), ("marian", {"normalize_embedding": True}),
    ("marian", {"activation_function": "tanh"}), ("marian", {"static_position_embeddings": False}),
    ("marian", {"decoder_attention_heads": 3}), ("m2m_100", {"activation_function": "gelu_new"}),
    ("pegasus", {"d_model": 17}), ("marian", {"vocab_size": 5}), ("marian", {"encoder_layers": 200000000}),
    ("marian", {"add_bias_logits": True}), ("m2m_100", {"decoder_start_token_id": 1}),
]


def import_code(gloss, path, output, *options):
    try:
        return 0, gloss.import_model(path, output, *options)
    except GlossError as error:
        return error.code, error.message


def refused(gloss, path, output, name, words, summary):
    code, message = import_code(gloss, path, output)
    summary.count("refused with exit code 3", code == BAD_MODEL, f"{name}: exit code {code}: {message[:300]}")
    lost = [word for word in words if word not in message]
    if code == BAD_MODEL:
        summary.count("message names each key", not lost, f"{name}: {lost} not in: {message[:600]}")
    summary.count("nothing written", not output.exists(), name)
    output.unlink(missing_ok=True)


def marian_package(folder, seed, kind="npz", **changes):
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random, **{
        "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
        "transformer-postprocess-top": "", "transformer-decoder-autoreg": "self-attention", "dec-cell": "gru",
        "transformer-train-positions": False, "transformer-no-projection": False})
    models, tokens = marian_models.vocabularies_of(options, seed)
    options["dim-vocabs"] = [len(side) for side in tokens]
    weights = marian_models.weights_of(options, random)
    return options, weights, models, tokens, random


def write(folder, kind, options, weights, models, tokens, random):
    from check_marian import write_package

    shutil.rmtree(folder, ignore_errors=True)
    write_package(folder, random, kind, options, weights, models, tokens)


def check_marian(gloss, folder, summary):
    output = folder / "model.safetensors"
    for number, changes in enumerate(MARIAN):
        options, weights, *rest = marian_package(folder, number)
        write(folder / "package", "npz", {**options, **changes}, weights, *rest)
        refused(gloss, folder / "package", output, str(changes), list(changes)[:1], summary)
    options, weights, *rest = marian_package(folder, 1)
    several = {"transformer-ffn-depth": 3, "transformer-decoder-autoreg": "average-attention", "lemma-dim-emb": 8}
    write(folder / "package", "npz", {**options, **several}, weights, *rest)
    refused(gloss, folder / "package", output, "several reasons at once", several, summary)
    name = next(n for n in weights if n.endswith("_Wq"))
    for changed, title, word in (({n: w for n, w in weights.items() if n != name}, "a missing tensor", name),
                                 ({**weights, "surprise_W": weights[name]}, "an unknown tensor", "surprise_W"),
                                 ({**weights, name: weights[name][:, :-1]}, "a wrong shape", name),
                                 ({**weights, name: weights[name] * numpy.nan}, "values that are not finite", name)):
        write(folder / "package", "npz", options, changed, *rest)
        refused(gloss, folder / "package", output, title, [word], summary)


def check_huggingface(gloss, folder, summary):
    output = folder / "model.safetensors"
    for number, (family, changes) in enumerate(HUGGING_FACE):
        place = folder / f"directory-{number}"
        huggingface_models.make(place, family, number)
        config = json.loads((place / "config.json").read_text())
        (place / "config.json").write_text(json.dumps({**config, **changes}))
        words = [] if changes.keys() & {"d_model", "vocab_size", "encoder_layers"} else list(changes)
        refused(gloss, place, output, f"{family}: {changes}", words, summary)
    place = folder / "pickled"
    huggingface_models.make(place, "marian", 1, separate=False)
    for file in place.glob("*.safetensors*"):
        file.unlink()
    (place / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + bytes(100))
    refused(gloss, place, output, "pytorch_model.bin", ["pytorch_model.bin", "ZIP"], summary)


def damage(data, random):
    """One of: cut short, some bytes changed, a part twice, zeros, a large number."""
    data = bytearray(data)
    place = int(random.integers(0, min(len(data), 4000 if random.random() < 0.7 else len(data))))
    kind = random.integers(0, 5)
    if kind == 0:
        return bytes(data[:place])
    if kind == 1:
        for _ in range(int(random.integers(1, 6))):
            data[int(random.integers(0, len(data)))] = int(random.integers(0, 256))
    elif kind == 2:
        data[place:place] = data[place:place + 40]
    elif kind == 3:
        data[place:place + 8] = bytes(8)
    else:
        data[place:place + 8] = b"\xff\xff\xff\xff\xff\xff\xff\x7f"
    return bytes(data)


def check_damage(gloss, folder, summary, count=150):
    """A damaged file is refused, or read if the damage is not in a part that gloss reads; never a crash."""
    places = []
    for kind in ("npz", "compressed npz", "float32", "intgemm8"):
        options, weights, *rest = marian_package(folder, 7)
        places.append(folder / f"whole-{kind.replace(' ', '-')}")
        write(places[-1], kind, options, weights, *rest)
    for family in huggingface_models.FAMILIES:
        places.append(folder / f"whole-{family}")
        model = huggingface_models.make(places[-1], family, 3)
        if family == "pegasus":
            huggingface_models.pickle_weights(places[-1], model.model)
    random = numpy.random.default_rng(1)
    for number in range(count):
        place = places[number % len(places)]
        files = sorted(file for file in place.iterdir() if file.is_file())
        file = files[int(random.integers(0, len(files)))]
        whole = file.read_bytes()
        file.write_bytes(damage(whole, random))
        code, message = import_code(gloss, place, folder / "model.safetensors", "--overwrite")
        summary.count("damaged files: no crash", code in (0, 2, 3, 4),
                      f"damage {number}, {place.name}/{file.name}: exit code {code}: {message[:300]}")
        file.write_bytes(whole)


def main(gloss, folder):
    summary = Summary("refusals")
    check_marian(gloss, folder, summary)
    check_huggingface(gloss, folder, summary)
    check_damage(gloss, folder, summary)
    summary.print()
    return summary.failures
