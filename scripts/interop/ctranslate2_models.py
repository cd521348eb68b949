"""CTranslate2 with models of its own converter for Marian, and with directories that gloss exports."""

import tempfile
import pathlib

import ctranslate2
import numpy
from ctranslate2.converters.marian import MarianConverter

import marian_files


def expanded(options, weights):
    """Returns the model without tied layers and without `transformer-no-projection`: each layer has weights of its own
    under its own name, and an identity for the projection. The formulas give the same numbers."""
    tied, d = options["transformer-tied-layers"], options["dim-emb"]
    result = {n: w for n, w in weights.items() if not (tied and n.startswith("decoder_l") and n[9].isdigit())}
    for i, origin in enumerate(tied, 1):
        prefix = f"decoder_l{origin}_"
        result.update({f"decoder_l{i}_" + n[len(prefix):]: w for n, w in weights.items() if n.startswith(prefix)})
    if options["transformer-no-projection"]:
        for name in [n for n in result if n.endswith("_Wq")]:
            result[name[:-1] + "o"] = numpy.eye(d, dtype="f4")
            result[name[:-2] + "bo"] = numpy.zeros((1, d), "f4")
    return {**options, "transformer-tied-layers": [], "transformer-no-projection": False}, result


def has_converter(options):
    return options["transformer-decoder-autoreg"] == "self-attention"


def from_marian(options, weights, tokens, network=None, quantization=None):
    """Returns a Translator of CTranslate2's own converter. `network`: a MarianNetwork whose positions and epsilon
    replace those of CTranslate2."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options, weights = expanded(options, weights)
        marian_files.write_npz(folder / "model.npz", options, weights)
        for name, side in zip(("source.yml", "target.yml"), tokens):
            marian_files.write_vocabulary(folder / name, side)
        spec = MarianConverter(str(folder / "model.npz"), [str(folder / "source.yml"), str(folder / "target.yml")])._load()
        for side in (spec.encoder, spec.decoder):
            if options["transformer-train-positions"]:  # Marian scales no embeddings then; the converter ignores this
                side.scale_embeddings = False
            elif network:
                side.position_encodings.encodings = network.positions(512).astype("f4")
        if network:
            spec.config.layer_norm_epsilon = network.epsilon
        spec.validate()
        spec.optimize(quantization=quantization)
        (folder / "converted").mkdir()
        spec.save(str(folder / "converted"))
        return ctranslate2.Translator(str(folder / "converted"), compute_type="float32", intra_threads=1)


def log_probabilities(translator, source, target):
    """The log-probability of each target token and the end; both sides are tokens without an end."""
    return numpy.array(translator.score_batch([source], [target])[0].log_probs)


def translate(translator, source, **options):
    """Returns tokens, score (divided by length^length_penalty) of the best translation. `source` without an end."""
    result = translator.translate_batch([source], return_scores=True, min_decoding_length=0, **options)[0]
    return result.hypotheses[0], result.scores[0]
