"""Writes model_golden.safetensors: results and gradients of the Transformer's parts, and of the whole in every
combination of norm, final norm, tying, positions and activation, computed in double precision with transformer.py.
The layers are compared with PyTorch's own on the way. Run: python3 tests/golden/model.py

A case has two tensors: its result, positions of padding left out, and "<case>.gradient": the gradients of
sum(result * values("cotangent")) with respect to the inputs and weights, flattened, one behind another by name. Inputs
and weights are not stored; they come from a formula (`values`, `weight`) that tests/model/golden/golden_case.h repeats.
"""

import itertools
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from transformer import Transformer, attention, sinusoids

ATTENTION = ("query", "key", "value", "output")
SUBLAYERS = {"encoder": ["self_attention"], "decoder": ["self_attention", "cross_attention"]}
golden = {}


def values(name, *shape):
    """Multiples of 1/32768 in [-1, 1], the same in float32 and in double: a quadratic in the element's index."""
    number = 0
    for byte in name.encode():
        number = (number * 31 + byte) % 65537
    e = torch.arange(torch.Size(shape).numel())
    return ((7919 * e * e + number * e + 3 * number + 17) % 65537).double().div(32768).sub(1).view(shape)


def weight(name, *shape):
    """Near 1 for a norm's, else within half of 0; the name is the one in a model file."""
    value = values(name, *shape)
    return (1 + value / 4 if name.endswith("norm.weight") else value / 2).requires_grad_()


def record(case, result, inputs):
    scalar = (result * values("cotangent", *result.shape)).sum()
    gradients = torch.autograd.grad(scalar, [inputs[name] for name in sorted(inputs)])
    golden[case] = result.detach()
    golden[case + ".gradient"] = torch.cat([gradient.flatten() for gradient in gradients])


def visible(lengths, size, causal=False):
    """[B, 1, T or 1, S]"""
    keys = (torch.arange(size) < torch.tensor(lengths)[:, None])[:, None, None, :]
    return keys & torch.ones(size, size, dtype=torch.bool).tril() if causal else keys


def real(x, lengths):
    """[B, T, ...] without the positions behind each row's length: [N, ...]"""
    return torch.cat([row[:length] for row, length in zip(x, lengths)])


def linear_weights(name, out, width):
    return {name + ".weight": weight(name + ".weight", out, width), name + ".bias": weight(name + ".bias", out)}


def norm_weights(name, d):
    return {name + part: weight(name + part, d) for part in (".weight", ".bias")}


def attention_weights(name, d):
    parts = [linear_weights(f"{name}.{part}", d, d) for part in ATTENTION]
    return {key: tensor for part in parts for key, tensor in part.items()}


def layer_weights(name, d, d_ff, attentions):
    inner, outer = name + ".feed_forward.inner", name + ".feed_forward.outer"
    result = linear_weights(inner, d_ff, d) | linear_weights(outer, d, d_ff)
    for part in attentions:
        result |= attention_weights(f"{name}.{part}", d)
    for part in (*attentions, "feed_forward"):
        result |= norm_weights(f"{name}.{part}_norm", d)
    return result


def model_weights(config, source_vocabulary, target_vocabulary):
    d, tie = config["d_model"], config["tie_embeddings"]
    shapes = {"source_embedding.weight": (source_vocabulary, d), "generator.bias": (target_vocabulary,)}
    if tie != "all":
        shapes["target_embedding.weight"] = (target_vocabulary, d)
    if tie == "none":
        shapes["generator.weight"] = (target_vocabulary, d)
    if config["positions"] == "learned":
        shapes |= {side + "_positions.weight": (config["max_positions"], d) for side in ("source", "target")}
    result = {name: weight(name, *shape) for name, shape in shapes.items()}
    for side, attentions in SUBLAYERS.items():
        for i in range(config[side + "_layers"]):
            result |= layer_weights(f"{side}.layers.{i}", d, config["d_ff"], attentions)
        if config["final_norm"]:
            result |= norm_weights(side + ".norm", d)
    return result


class PyTorchLayers(Transformer):
    """The same model with torch.nn's layers."""

    def layer(self, x, visible, name, memory=None, memory_visible=None):
        side = torch.nn.TransformerEncoderLayer if memory is None else torch.nn.TransformerDecoderLayer
        layer = side(x.size(-1), self.config["heads"], self.config["d_ff"], 0, self.config["activation"],
                     batch_first=True, norm_first=self.config["norm"] == "pre", dtype=torch.float64)
        names = {"self_attn": "self_attention"} | ({"multihead_attn": "cross_attention"} if memory is not None else {})
        state = {}
        for theirs, ours in names.items():
            for kind in ("weight", "bias"):
                *parts, output = (self.weights[f"{name}.{ours}.{part}.{kind}"] for part in ATTENTION)
                state[f"{theirs}.in_proj_{kind}"] = torch.cat(parts)
                state[f"{theirs}.out_proj.{kind}"] = output
        names |= {"linear1": "feed_forward.inner", "linear2": "feed_forward.outer"}
        names |= {f"norm{i + 1}": f"{s}_norm" for i, s in enumerate([*SUBLAYERS[name.split(".")[0]], "feed_forward"])}
        for theirs, ours in names.items():
            if f"{name}.{ours}.weight" in self.weights:
                state |= {f"{theirs}.{kind}": self.weights[f"{name}.{ours}.{kind}"] for kind in ("weight", "bias")}
        layer.load_state_dict(state)
        full = visible.expand(-1, -1, x.size(1), -1).repeat_interleave(self.config["heads"], 1).flatten(0, 1)
        if memory is None:
            return layer(x, ~full)
        return layer(x, memory, ~full, memory_key_padding_mask=~memory_visible.flatten(1))


def record_parts():
    d, heads, width = 8, 2, 4
    cases = {"plain": ([5, 5], 5, False), "padded": ([5, 3], 5, False), "causal": ([5, 5], 5, True),
             "causal_padded": ([5, 3], 5, True), "cross": ([4, 6], 6, False), "blind": ([5, 0], 5, False),
             "hidden": ([5, 4], 5, False)}
    for case, (lengths, keys, causal) in cases.items():
        shapes = {"query": (2, heads, 5, width), "key": (2, heads, keys, width), "value": (2, heads, keys, width)}
        inputs = {name: values(name, *shape).mul(2).requires_grad_() for name, shape in shapes.items()}
        seen = visible(lengths, keys, causal)
        if case == "hidden":
            seen = seen & torch.tensor([[1, 0, 1, 1, 1], [0, 1, 1, 0, 1]]).bool()[:, None, None, :]
        record("attention." + case, attention(*inputs.values(), seen), inputs)

    golden["sinusoids.8"] = sinusoids(50, 8)
    golden["sinusoids.512"] = sinusoids(50, 512)[:, ::17]
    table = {"weight": weight("target_positions.weight", 6, d)}
    record("learned_positions", F.embedding(torch.arange(2, 6), table["weight"]), table)

    x, memory = (values(name, 2, n, d).mul(2).requires_grad_() for name, n in (("x", 5), ("memory", 6)))
    lengths, memory_lengths = [5, 3], [4, 6]
    weights = norm_weights("encoder.norm", d)
    record("layer_norm", Transformer({}, weights).norm(x, "encoder.norm"), weights | {"x": x})

    name = "decoder.layers.0.self_attention"
    weights = attention_weights(name, d)
    part = Transformer({"heads": heads}, weights)
    result = real(part.multi_head_attention(x, x, visible(lengths, 5), name), lengths)
    record("multi_head_attention.padded", result, weights | {"x": x})
    result = real(part.multi_head_attention(x, x, visible(lengths, 5, True), name), lengths)
    record("multi_head_attention.causal", result, weights | {"x": x})
    result = part.multi_head_attention(x, memory, visible(memory_lengths, 6), name)
    record("multi_head_attention.cross", result, weights | {"x": x, "memory": memory})

    name = "encoder.layers.0.feed_forward"
    weights = linear_weights(name + ".inner", 12, d) | linear_weights(name + ".outer", d, 12)
    for activation in ("relu", "gelu"):
        result = Transformer({"activation": activation}, weights).feed_forward(x, name)
        record("feed_forward." + activation, result, weights | {"x": x})

    for activation, norm in itertools.product(("relu", "gelu"), ("pre", "post")):
        config = {"heads": heads, "d_ff": 12, "activation": activation, "norm": norm}
        weights = layer_weights("encoder.layers.0", d, 12, SUBLAYERS["encoder"])
        part = Transformer(config, weights)
        result = real(part.layer(x, visible(lengths, 5), "encoder.layers.0"), lengths)
        record(f"encoder_layer.{norm}.{activation}", result, weights | {"x": x})
        weights = layer_weights("decoder.layers.0", d, 12, SUBLAYERS["decoder"])
        result = Transformer(config, weights).layer(x, visible(lengths, 5, True), "decoder.layers.0", memory,
                                                    visible(memory_lengths, 6))
        record(f"decoder_layer.{norm}.{activation}", real(result, lengths), weights | {"x": x, "memory": memory})


def record_models():
    sources = torch.tensor([[5, 6, 10, 8, 3], [9, 4, 3, 0, 0], [7, 3, 0, 0, 0]])
    inputs = torch.tensor([[2, 7, 4, 0, 0, 0], [2, 5, 6, 10, 8, 9], [2, 1, 10, 4, 0, 0]])
    lengths = [3, 6, 4]
    worst = 0.0
    options = (("pre", "post"), (True, False), ("all", "decoder", "none"), ("sinusoidal", "learned"), ("relu", "gelu"))
    for norm, final_norm, tie, positions, activation in itertools.product(*options):
        config = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 8, "d_ff": 12, "heads": 2, "norm": norm,
                  "final_norm": final_norm, "activation": activation, "positions": positions, "max_positions": 7,
                  "tie_embeddings": tie}
        weights = model_weights(config, 11 if tie == "all" else 13, 11)
        result = real(Transformer(config, weights).log_probabilities(sources, inputs), lengths)
        theirs = real(PyTorchLayers(config, weights).log_probabilities(sources, inputs), lengths)
        worst = max(worst, (result - theirs).abs().max().item())
        final = "final_norm" if final_norm else "no_final_norm"
        record(f"model.{norm}.{final}.{tie}.{positions}.{activation}", result, weights)
    print(f"largest difference from torch.nn's layers: {worst:.1e}")
    assert worst < 1e-12


if __name__ == "__main__":
    record_parts()
    record_models()
    save_file({name: tensor.float().contiguous() for name, tensor in golden.items()},
              pathlib.Path(__file__).with_name("model_golden.safetensors"), {"written_by": "tests/golden/model.py"})
