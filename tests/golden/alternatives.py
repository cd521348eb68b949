"""Writes alternatives_golden.safetensors: log-probabilities and gradients of the whole network with each alternative of
model/alternatives, computed in double precision from the papers' equations. Parts that PyTorch has itself (GRU, batch
norm, RMS norm, GLU) are its own. Cases and weights are as in model.py. Run: python3 tests/golden/alternatives.py
"""

import math
import pathlib

import torch
import torch.nn.functional as F
from model import attention_weights, golden, linear_weights, model_weights, norm_weights, real, record, values, weight
from safetensors.torch import save_file
from transformer import Transformer

SOURCES = torch.tensor([[5, 6, 10, 8, 3], [9, 4, 3, 0, 0], [7, 3, 0, 0, 0]])
INPUTS = torch.tensor([[2, 7, 4, 0, 0, 0], [2, 5, 6, 10, 8, 9], [2, 1, 10, 4, 0, 0]])
LENGTHS = [3, 6, 4]
BASE = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 8, "d_ff": 12, "heads": 2, "norm": "pre",
        "final_norm": True, "activation": "relu", "positions": "sinusoidal", "max_positions": 7,
        "tie_embeddings": "all", "attention_score": "scaled_dot", "norm_type": "layer", "embedding_scale": "sqrt",
        "residual": True, "encoder_mask": "full", "training": False, "position_frequencies": "paper",
        "first_position": 0, "layer_norm_epsilon": 1e-5, "embedding_norm": False, "decoder_layer": "attention",
        "decoder_start": "bos", "d_ff_decoder": 12, "self_attention_norm": "all"}
STUDENT = {"decoder_layer": "ssru", "decoder_start": "zero", "norm": "post", "final_norm": False,
           "layer_norm_epsilon": 1e-6, "position_frequencies": "tensor2tensor", "activation": "swish",
           "d_ff_decoder": 20}
SWITCHES = {
    **{f"attention_score.{score}": {"attention_score": score}
       for score in ("dot", "general", "additive", "cosine", "location")},
    **{f"attention_score.{score}.heads.{heads}": {"attention_score": score, "heads": heads}
       for score in ("dot", "general", "additive", "cosine", "location") for heads in (1, 4)},
    **{f"positions.{kind}": {"positions": kind} for kind in ("none", "rotary", "relative")},
    **{f"norm_type.{kind}.{place}": {"norm_type": kind, "norm": place, "final_norm": place == "pre"}
       for kind in ("batch", "rms", "none") for place in ("pre", "post")},
    **{f"norm_type.{kind}.{place}.final_norm": {"norm_type": kind, "norm": place, "final_norm": place == "post"}
       for kind in ("batch", "rms") for place in ("pre", "post")},
    **{f"norm_type.batch.{place}.training": {"norm_type": "batch", "norm": place, "final_norm": place == "pre",
                                             "training": True} for place in ("pre", "post")},
    **{f"activation.{name}": {"activation": name} for name in ("gelu_sigmoid", "swish", "glu", "swiglu")},
    "self_attention_norm.query": {"self_attention_norm": "query"},
    "self_attention_norm.query.ssru": {"self_attention_norm": "query", "decoder_layer": "ssru", "final_norm": False},
    "self_attention_norm.query.rms": {"self_attention_norm": "query", "norm_type": "rms", "positions": "relative",
                                      "residual": False, "embedding_norm": True},
    "residual.false": {"residual": False},
    "residual.false.post": {"residual": False, "norm": "post", "final_norm": False},
    "encoder_mask.causal": {"encoder_mask": "causal"},
    "embedding_scale.one": {"embedding_scale": "one"},
    "position_frequencies.tensor2tensor": {"position_frequencies": "tensor2tensor"},
    "first_position.2": {"first_position": 2},
    "layer_norm_epsilon.0.01": {"layer_norm_epsilon": 0.01},
    "embedding_norm.true": {"embedding_norm": True},
    "d_ff_decoder.20": {"d_ff_decoder": 20, "activation": "swiglu"},
    "decoder_layer.ssru.pre": {"decoder_layer": "ssru"},
    "decoder_layer.ssru.post": {"decoder_layer": "ssru", "norm": "post", "final_norm": False},
    **{f"decoder_start.zero.{tie}": {"decoder_start": "zero", "tie_embeddings": tie}
       for tie in ("all", "decoder", "none")},
    "student": STUDENT,
    "several.ssru": {"decoder_layer": "ssru", "positions": "relative", "norm_type": "rms", "embedding_norm": True,
                     "layer_norm_epsilon": 0.01},
    "several": {"attention_score": "cosine", "positions": "relative", "encoder_mask": "causal", "norm_type": "rms",
                "activation": "swiglu"},
}


def bucket(distance, both_directions):
    """T5's bucket of key - query: 32 buckets, maximum distance 128 (Raffel et al. 2020)."""
    buckets, first = (16, 16 if distance > 0 else 0) if both_directions else (32, 0)
    length = abs(distance) if both_directions else max(-distance, 0)
    if length < buckets // 2:
        return first + length
    share = math.log(length / (buckets // 2)) / math.log(128 / (buckets // 2))
    return first + min(buckets // 2 + int(share * (buckets // 2) + 1e-9), buckets - 1)


def rotated(x):
    """Su et al. 2021, eq. 14 and 15, as complex numbers: pair i at position t is turned by t / 10000^(2i / d)."""
    d = x.size(-1)
    rates = 10000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    turns = torch.polar(torch.ones(x.size(-2), d // 2, dtype=torch.float64),
                        torch.arange(x.size(-2), dtype=torch.float64)[:, None] * rates)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns).flatten(-2)


class Alternative(Transformer):
    """The Transformer of transformer.py with the switches of `config`."""

    def scores(self, query, key, name):
        """query [B, H, T, d_k], key [B, H, S, d_k]: [B, H, T, S]."""
        kind, H, d_k = self.config["attention_score"], query.size(1), query.size(-1)
        matrix = self.weights.get(name + ".score.weight")
        if kind == "dot":
            return torch.einsum("bhtd,bhsd->bhts", query, key)
        if kind == "general":
            return torch.einsum("bhti,hij,bhsj->bhts", query, matrix.view(H, d_k, d_k), key)
        if kind == "additive":
            return torch.einsum("bhtsd,hd->bhts", torch.tanh(query[:, :, :, None] + key[:, :, None]), matrix)
        if kind == "cosine":
            cosine = F.cosine_similarity(query[:, :, :, None], key[:, :, None], dim=-1)
            return cosine * self.weights[name + ".score.log_scale"].exp()[:, None, None]
        if kind == "location":
            return torch.einsum("bhtd,shd->bhts", query, matrix.view(-1, H, d_k)[:key.size(2)])
        return torch.einsum("bhtd,bhsd->bhts", query, key) / math.sqrt(d_k)

    def multi_head_attention(self, x, memory, visible, name):
        split = lambda y: y.unflatten(-1, (self.config["heads"], -1)).transpose(1, 2)
        if name.endswith("self_attention") and self.config["self_attention_norm"] == "query":
            memory = self.stream  # the input of the sublayer, without the norm
        query = split(self.linear(x, name + ".query"))
        key, value = (split(self.linear(memory, f"{name}.{part}")) for part in ("key", "value"))
        to_itself = name.endswith("self_attention")
        if to_itself and self.config["positions"] == "rotary":
            query, key = rotated(query), rotated(key)
        scores = self.scores(query, key, name)
        if to_itself and self.config["positions"] == "relative":
            side = name.split(".")[0]
            both = side == "encoder" and self.config["encoder_mask"] == "full"
            buckets = torch.tensor([[bucket(s - t, both) for s in range(key.size(2))] for t in range(query.size(2))])
            scores = scores + self.weights[side + ".relative_positions.weight"][buckets].permute(2, 0, 1)
        weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
        return self.linear((weights @ value).transpose(1, 2).flatten(-2), name + ".output")

    def norm(self, x, name):
        kind, gain = self.config["norm_type"], self.weights.get(name + ".weight")
        epsilon = self.config["layer_norm_epsilon"]
        if kind == "none":
            return x
        if kind == "rms":
            return F.rms_norm(x, x.shape[-1:], gain, epsilon)
        if kind == "layer":
            return F.layer_norm(x, x.shape[-1:], gain, self.weights[name + ".bias"], epsilon)
        mean, variance = (self.weights[f"{name}.running_{part}"].detach().clone() for part in ("mean", "variance"))
        if not self.config["training"]:
            return F.batch_norm(x.flatten(0, 1), mean, variance, gain, self.weights[name + ".bias"]).view_as(x)
        filled = (SOURCES if name.startswith("encoder") else INPUTS) != 0
        # Padding does not enter the statistics; its own results are left out of every case.
        result = torch.zeros_like(x)
        result[filled] = F.batch_norm(x[filled], mean, variance, gain, self.weights[name + ".bias"], training=True)
        return result

    def feed_forward(self, x, name):
        kind, inner = self.config["activation"], self.linear(x, name + ".inner")
        if kind == "swish":
            return self.linear(F.silu(inner), name + ".outer")
        if kind == "gelu_sigmoid":
            return self.linear(inner * torch.sigmoid(1.702 * inner), name + ".outer")
        if kind == "glu":
            return self.linear(F.glu(torch.cat([inner, self.linear(x, name + ".gate")], -1)), name + ".outer")
        if kind == "swiglu":
            return self.linear(F.silu(self.linear(x, name + ".gate")) * inner, name + ".outer")
        return super().feed_forward(x, name)

    def ssru(self, x, name):
        """Kim et al. 2019: x [B, T, D]."""
        forget = torch.sigmoid(self.linear(x, name + ".gate"))
        fresh = F.linear(x, self.weights[name + ".value.weight"])
        state, states = torch.zeros_like(x[:, 0]), []
        for t in range(x.size(1)):
            state = forget[:, t] * state + (1 - forget[:, t]) * fresh[:, t]
            states.append(F.relu(state))
        return torch.stack(states, 1)

    def sublayer(self, x, name, function):
        if name.startswith("decoder") and name.endswith("self_attention") and self.config["decoder_layer"] == "ssru":
            name = name.replace("self_attention", "recurrence")
            function = lambda y: self.ssru(y, name)
        self.stream = x
        if self.config["residual"]:
            return super().sublayer(x, name, function)
        if self.config["norm"] == "pre":
            return function(self.norm(x, name + "_norm"))
        return self.norm(function(x), name + "_norm")

    def stack(self, x, visible, side, *memory):
        if side == "encoder" and self.config["encoder_mask"] == "causal":
            visible = visible & torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
        return super().stack(x, visible, side, *memory)

    def tokens(self, ids, side):
        scaled = super().tokens(ids, side)
        if side == "target" and self.config["decoder_start"] == "zero":
            scaled = scaled.masked_fill((ids == 2)[..., None], 0)
        return scaled / math.sqrt(scaled.size(-1)) if self.config["embedding_scale"] == "one" else scaled

    def embed(self, ids, side):
        embedded = super().embed(ids, side)
        return self.norm(embedded, side + "_embedding_norm") if self.config["embedding_norm"] else embedded

    def positions(self, count, side):
        if self.config["positions"] in ("none", "rotary", "relative"):
            return torch.zeros(count, self.config["d_model"], dtype=torch.float64)
        if self.config["position_frequencies"] != "paper" or self.config["first_position"] != 0:
            half = self.config["d_model"] // 2
            rates = 10000 ** (-torch.arange(half).double() / (half - (self.config["position_frequencies"] != "paper")))
            angles = (self.config["first_position"] + torch.arange(count).double())[:, None] * rates
            return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)
        return super().positions(count, side)


def score_weights(name, config):
    d, heads = config["d_model"], config["heads"]
    shapes = {"general": (d, d // heads), "additive": (heads, d // heads), "location": (config["max_positions"], d)}
    kind = config["attention_score"]
    if kind == "cosine":
        return {name + ".score.log_scale": weight(name + ".score.log_scale", heads)}
    return {name + ".score.weight": weight(name + ".score.weight", *shapes[kind])} if kind in shapes else {}


def decoder_weights(weights, config):
    """Replaces the weights of the decoder that keys of its own change."""
    d, d_ff = config["d_model"], config["d_ff_decoder"]
    for i in range(config["decoder_layers"]):
        layer = f"decoder.layers.{i}"
        weights |= linear_weights(layer + ".feed_forward.inner", d_ff, d)
        weights |= linear_weights(layer + ".feed_forward.outer", d, d_ff)
        if config["decoder_layer"] == "ssru":
            for name in [name for name in weights if name.startswith(layer + ".self_attention")]:
                del weights[name]
            name = layer + ".recurrence"
            weights[name + ".value.weight"] = weight(name + ".value.weight", d, d)
            weights |= linear_weights(name + ".gate", d, d) | norm_weights(name + "_norm", d)
    if config["embedding_norm"]:
        weights |= norm_weights("source_embedding_norm", d) | norm_weights("target_embedding_norm", d)


def alternative_weights(config):
    weights = model_weights(config, 11, 11)
    d = config["d_model"]
    decoder_weights(weights, config)
    norms = sorted(name[:-len(".weight")] for name in weights if name.endswith("norm.weight"))
    for norm in norms:
        if config["norm_type"] in ("rms", "none"):
            del weights[norm + ".bias"]
        if config["norm_type"] == "none":
            del weights[norm + ".weight"]
    for norm in norms if config["norm_type"] == "batch" else []:
        weights[norm + ".running_mean"] = weight(norm + ".running_mean", d).detach()
        weights[norm + ".running_variance"] = (1 + values(norm + ".running_variance", d) / 4)
    for name in [name for name in weights if name.endswith("attention.query.weight")]:
        weights |= score_weights(name[:-len(".query.weight")], config)
    if config["activation"] in ("glu", "swiglu"):
        for name in [name for name in weights if name.endswith("feed_forward.inner.weight")]:
            weights |= linear_weights(name.replace("inner.weight", "gate"), weights[name].size(0), d)
    if config["positions"] == "relative":
        for side in ("encoder",) if config["decoder_layer"] == "ssru" else ("encoder", "decoder"):
            name = side + ".relative_positions.weight"
            weights[name] = weight(name, 32, config["heads"])
    return weights


class Recurrent(Alternative):
    """A bidirectional encoder and a decoder of torch.nn's GRU."""

    def gru(self, name, layer_input, units):
        gru = torch.nn.GRUCell(layer_input, units, dtype=torch.float64)
        del gru.weight_ih, gru.weight_hh, gru.bias_ih, gru.bias_hh
        gru.weight_ih, gru.bias_ih = (self.weights[f"{name}.input.{part}"] for part in ("weight", "bias"))
        gru.weight_hh, gru.bias_hh = (self.weights[f"{name}.state.{part}"] for part in ("weight", "bias"))
        return gru

    def encode(self, x, length):
        """One sentence [S, D] without padding: the states of both directions [length, D], and the last ones [D]."""
        D = x.size(-1)
        x = x[:length]
        for i in range(self.config["encoder_layers"]):
            sides = []
            for direction, order in (("forward", range(length)), ("backward", reversed(range(length)))):
                gru = self.gru(f"encoder.layers.{i}.{direction}", D, D // 2)
                state, states = torch.zeros(D // 2, dtype=torch.float64), [None] * length
                for t in order:
                    states[t] = state = gru(x[t][None], state[None])[0]
                sides.append(torch.stack(states))
            x = torch.cat(sides, -1)
        return x, torch.cat([x[-1, :D // 2], x[0, D // 2:]])

    def decode(self, y, memory, ends):
        """One sentence: inputs y [T, D]: [T, D]."""
        D, attends = y.size(-1), self.config["recurrent_attention"] == "additive"
        layers = range(self.config["decoder_layers"])
        states = [torch.tanh(self.linear(ends, f"decoder.layers.{i}.initial")) for i in layers]
        result = []
        for x in y:
            context = []
            if attends:
                visible = torch.ones(1, 1, 1, memory.size(0), dtype=torch.bool)
                context = [self.multi_head_attention(states[0][None, None], memory[None], visible,
                                                     "decoder.layers.0.cross_attention")[0, 0]]
            below = torch.cat([x, *context])
            for i in layers:
                gru = self.gru(f"decoder.layers.{i}.gru", below.size(0), D)
                below = states[i] = gru(below[None], states[i][None])[0]
            result.append(torch.tanh(self.linear(torch.cat([below, *context, x]), "decoder.output")))
        return torch.stack(result)

    def log_probabilities(self, source, target):
        rows = []
        for b, length in enumerate((source != 0).sum(1).tolist()):
            memory, ends = self.encode(self.tokens(source[b:b + 1], "source")[0], length)
            rows.append(self.decode(self.tokens(target[b:b + 1], "target")[0], memory, ends))
        return self.logits(torch.stack(rows)).log_softmax(-1)


def recurrent_weights(config):
    d, attends = config["d_model"], config["recurrent_attention"] == "additive"
    weights = {name: weight(name, *shape)
               for name, shape in {"source_embedding.weight": (11, d), "generator.bias": (11,)}.items()}
    gru = lambda name, width, units: (linear_weights(name + ".input", 3 * units, width) |
                                      linear_weights(name + ".state", 3 * units, units))
    for i in range(config["encoder_layers"]):
        for direction in ("forward", "backward"):
            weights |= gru(f"encoder.layers.{i}.{direction}", d, d // 2)
    for i in range(config["decoder_layers"]):
        weights |= linear_weights(f"decoder.layers.{i}.initial", d, d)
        weights |= gru(f"decoder.layers.{i}.gru", 2 * d if attends and i == 0 else d, d)
    if attends:
        name = "decoder.layers.0.cross_attention"
        weights |= attention_weights(name, d) | score_weights(name, config)
    return weights | linear_weights("decoder.output", d, (3 if attends else 2) * d)


def record_case(name, model, weights):
    trained = {key: tensor for key, tensor in weights.items() if tensor.requires_grad}
    result = real(model(weights).log_probabilities(SOURCES, INPUTS), LENGTHS)
    scalar = (result * values("cotangent", *result.shape)).sum()
    gradients = torch.autograd.grad(scalar, [trained[key] for key in sorted(trained)], allow_unused=True)
    gradients = [torch.zeros_like(trained[key]) if gradient is None else gradient
                 for key, gradient in zip(sorted(trained), gradients)]
    if name.startswith(("decoder_start", "student")):  # the rows of pad and bos are not trained
        embedding = "target_embedding.weight" if "target_embedding.weight" in trained else "source_embedding.weight"
        gradients[sorted(trained).index(embedding)][[0, 2]] = 0
    golden[name] = result.detach()
    golden[name + ".gradient"] = torch.cat([gradient.flatten() for gradient in gradients])


if __name__ == "__main__":
    for name, switches in SWITCHES.items():
        config = BASE | switches
        record_case(name, lambda weights: Alternative(config, weights), alternative_weights(config))
    for attention in ("additive", "none"):
        config = BASE | {"attention_score": "additive", "recurrent_attention": attention}
        record_case("recurrent." + attention, lambda weights: Recurrent(config, weights), recurrent_weights(config))
    golden["buckets.both"] = torch.tensor([bucket(d, True) for d in range(-200, 201)])
    golden["buckets.before"] = torch.tensor([bucket(d, False) for d in range(-200, 201)])
    save_file({name: tensor.float().contiguous() for name, tensor in golden.items()},
              pathlib.Path(__file__).with_name("alternatives_golden.safetensors"),
              {"written_by": "tests/golden/alternatives.py"})
