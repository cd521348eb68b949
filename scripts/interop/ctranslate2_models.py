"""CTranslate2 with models of its own converters and specifications, and with directories that gloss exports."""

import argparse
import copy
import dataclasses
import tempfile
import pathlib

import ctranslate2
import numpy
import torch
from ctranslate2.converters.marian import MarianConverter
from ctranslate2.converters.opennmt_py import OpenNMTPyConverter
from ctranslate2.converters.transformers import TransformersConverter
from ctranslate2.specs import Activation, TransformerSpec

import made_text
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


@dataclasses.dataclass
class Converted:
    """A model of CTranslate2's own converter: `convert` writes it to a folder in a quantization. Sentences begin with
    `prefix` and end with `suffix`, which the caller adds, and targets begin with `forced`. `ends` is true if the
    network sees the end of a source."""

    convert: object
    prefix: list = dataclasses.field(default_factory=list)
    suffix: list = dataclasses.field(default_factory=list)
    forced: list = dataclasses.field(default_factory=list)
    ends: bool = True
    options: list = dataclasses.field(default_factory=list)  # of gloss import
    package: bool = False  # Argos packages have this shape


class TokensAlone:
    """The tokens of a huggingface_models.HuggingFaceModel, in the place of a tokenizer that transformers cannot load
    from a SentencePiece model alone."""

    bos_token, eos_token, unk_token, pad_token = "<s>", "</s>", "<unk>", "<pad>"
    special_tokens_map = {}

    def __init__(self, model):
        self.tokens = model.tokens[1]
        self.unk_token_id = self.tokens.index("<unk>")

    def get_vocab(self):
        return {token: i for i, token in enumerate(self.tokens)}

    def convert_ids_to_tokens(self, i):
        return self.tokens[i]


class HuggingFaceConverter(TransformersConverter):
    def __init__(self, folder, model, files):
        super().__init__(str(folder), copy_files=files)
        self.model = model

    def load_tokenizer(self, *arguments, **options):
        if self.model.family == "pegasus":
            return TokensAlone(self.model)
        return super().load_tokenizer(*arguments, **options)


def from_huggingface(folder, model):
    """The conversion of a huggingface_models.HuggingFaceModel in a folder, with its SentencePiece models."""
    if model.languages:
        model.choose_languages(*list(model.languages)[:2])
    spell = lambda ids, side: [model.tokens[side][i] for i in ids]
    files = [path.name for pattern in ("*.spm", "*.model") for path in sorted(folder.glob(pattern))]
    languages = ["--source-language", model.source_language, "--target-language",
                 model.target_language] if model.languages else []
    return Converted(lambda output, quantization: HuggingFaceConverter(folder, model, files).convert(
        str(output), quantization=quantization), spell(model.prefix, 0), ["</s>"], spell(model.forced, 1), True, languages)


def random_weight(random, *shape):
    if len(shape) == 1:
        return (0.2 * random.standard_normal(shape)).astype("f4")
    return (2 * (2 / sum(shape)) ** 0.5 * random.standard_normal(shape)).astype("f4")


def opennmt_vocabulary(seed, pieces=90):
    """A SentencePiece model with its default ids, and a vocabulary with the special tokens of OpenNMT-py."""
    model = made_text.train(seed, pieces)
    spellings, ordinary = made_text.pieces_of(model)
    order = numpy.random.default_rng(seed).permutation(len(ordinary))
    return model, ["<unk>", "<blank>", "<s>", "</s>", *[spellings[ordinary[i]] for i in order]]


def interleaved_sinusoids(positions, d):
    angles = numpy.arange(positions)[:, None] * numpy.exp(numpy.arange(0, d, 2) * -(numpy.log(10000.0) / d))
    table = numpy.zeros((positions, d), "f4")
    table[:, 0::2], table[:, 1::2] = numpy.sin(angles), numpy.cos(angles)
    return table


def from_opennmt(folder, seed):
    """A checkpoint as OpenNMT-py saves it: the shape of Argos packages. Its converter reads it."""
    random = numpy.random.default_rng(seed)
    folder.mkdir(parents=True)
    model, tokens = opennmt_vocabulary(seed)
    (folder / "sentencepiece.model").write_bytes(model)
    d, layers, ff, heads = int(random.choice([8, 16, 24])), int(random.integers(1, 4)), int(random.choice([16, 40])), 2
    has_biases = bool(random.random() < 0.5)  # add_qkvbias
    weights = {}

    def linear(name, rows, columns, bias=True):
        weights[name + ".weight"] = random_weight(random, rows, columns)
        if bias:
            weights[name + ".bias"] = random_weight(random, rows)

    def norm(name):
        weights[name + ".weight"], weights[name + ".bias"] = 1 + random_weight(random, d), random_weight(random, d)

    for side, stack in (("encoder", "transformer"), ("decoder", "transformer_layers")):
        weights[f"{side}.embeddings.make_embedding.pe.pe"] = interleaved_sinusoids(500, d)[:, None]
        norm(f"{side}.layer_norm")
        for i in range(layers):
            layer = f"{side}.{stack}.{i}."
            for part in ["self_attn"] + (["context_attn"] if side == "decoder" else []):
                for name in ("linear_query", "linear_keys", "linear_values", "final_linear"):
                    linear(f"{layer}{part}.{name}", d, d, has_biases)
            linear(layer + "feed_forward.w_1", ff, d)
            linear(layer + "feed_forward.w_2", d, ff)
            for name in ["feed_forward.layer_norm"] + (
                    ["layer_norm_1", "layer_norm_2"] if side == "decoder" else ["layer_norm"]):
                norm(layer + name)
    embedding = (random.standard_normal((len(tokens), d)) * d ** -0.5).astype("f4")
    weights["encoder.embeddings.make_embedding.emb_luts.0.weight"] = embedding
    weights["decoder.embeddings.make_embedding.emb_luts.0.weight"] = embedding
    bias = random_weight(random, len(tokens))
    bias[3] += 1.5
    generator = {"weight": embedding, "bias": bias}
    options = argparse.Namespace(
        encoder_type="transformer", decoder_type="transformer", position_encoding=True, max_relative_positions=0,
        enc_layers=layers, dec_layers=layers, heads=heads, pos_ffn_activation_fn=str(random.choice(["relu", "gelu"])))
    tensors = lambda values: {name: torch.from_numpy(value) for name, value in values.items()}
    torch.save({"model": tensors(weights), "generator": tensors(generator), "opt": options,
                "vocab": {"src": tokens, "tgt": tokens}}, folder / "model.pt")

    def convert(output, quantization):
        OpenNMTPyConverter(str(folder / "model.pt"), unsafe_deserialization=True).convert(
            str(output), quantization=quantization)
        (output / "sentencepiece.model").write_bytes(model)

    return Converted(convert, ends=False, package=True)


def from_specification(seed):
    """A random network of those that CTranslate2's specification describes and gloss has."""
    random = numpy.random.default_rng(seed)
    flip = lambda chance=0.5: bool(random.random() < chance)
    d, pre, gated = int(random.choice([8, 16, 24])), flip(), flip(0.25)
    model, tokens = opennmt_vocabulary(seed)
    spec = TransformerSpec.from_config(
        (int(random.integers(1, 4)), int(random.integers(1, 4))), int(random.choice([1, 2, 4])), pre_norm=pre,
        no_final_norm=pre and flip(0.3), layernorm_embedding=flip(0.3), ffn_glu=gated, rms_norm=flip(0.3),
        activation=random.choice([Activation.SWISH, Activation.Sigmoid] if gated else
                                 [Activation.RELU, Activation.GELU, Activation.SWISH, Activation.GELUSigmoid]))
    scale = [True, False, float(d) ** 0.5, 1.0][random.integers(4)]
    start_zero, ends, positions = flip(0.3), flip(), str(random.choice(["none", "fairseq", "interleaved", "learned"]))
    shared = numpy.array(random.standard_normal((len(tokens), d)) * d ** -0.5, "f4")
    own = lambda: numpy.array(random.standard_normal((len(tokens), d)) * d ** -0.5, "f4")
    ties = random.integers(3)
    for side in (spec.encoder, spec.decoder):
        side.scale_embeddings = scale
        embeddings = side.embeddings[0] if side is spec.encoder else side.embeddings
        embeddings.weight = shared if ties == 2 or (ties == 1 and side is spec.decoder) else own()
        if positions == "fairseq":  # sinusoids of Tensor2Tensor from position 2 on
            steps = numpy.exp(numpy.arange(d // 2) * -(numpy.log(10000.0) / (d // 2 - 1)))
            angles = numpy.arange(2, 302)[:, None] * steps
            side.position_encodings.encodings = numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype("f4")
        elif positions == "interleaved":
            side.position_encodings.encodings = interleaved_sinusoids(300, d)
        elif positions == "learned":
            side.position_encodings.encodings = (0.5 * random.standard_normal((64, d))).astype("f4")
    spec.decoder.projection.weight = shared if ties else own()
    if flip(0.8):
        bias = random_weight(random, len(tokens))
        bias[3] += 1.5
        spec.decoder.projection.bias = bias
    spec.decoder.start_from_zero_embedding = start_zero
    ff, biased = int(random.choice([16, 40])), flip(0.8)

    def linear(layer, rows, columns):
        layer.weight = random_weight(random, rows, columns)
        if biased:
            layer.bias = random_weight(random, rows)

    def norm(layer):
        layer.gamma = 1 + random_weight(random, d)
        if hasattr(layer, "beta"):
            layer.beta = random_weight(random, d)

    for side in (spec.encoder, spec.decoder):
        for layer in side.layer:
            linear(layer.self_attention.linear[0], 3 * d, d)
            linear(layer.self_attention.linear[1], d, d)
            norm(layer.self_attention.layer_norm)
            if side is spec.decoder:
                for attention, rows in zip(layer.attention.linear, (d, 2 * d, d)):
                    linear(attention, rows, d)
                norm(layer.attention.layer_norm)
            linear(layer.ffn.linear_0, ff, d)
            linear(layer.ffn.linear_1, d, ff)
            if gated:
                linear(layer.ffn.linear_0_noact, ff, d)
            norm(layer.ffn.layer_norm)
        for name in ("layer_norm", "layernorm_embedding"):
            if hasattr(side, name):
                norm(getattr(side, name))
    spec.config.add_source_eos = ends
    spec.config.decoder_start_token = str(random.choice(["<s>", "</s>"]))
    spec.config.layer_norm_epsilon = [None, 1e-5, 1e-6, 1e-3][random.integers(4)]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.validate()

    def convert(output, quantization):
        written = copy.deepcopy(spec)
        written.optimize(quantization=quantization)
        output.mkdir(parents=True)
        written.save(str(output))
        (output / "sentencepiece.model").write_bytes(model)

    return Converted(convert, ends=ends)
