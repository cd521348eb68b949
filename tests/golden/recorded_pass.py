"""A pass of one sentence through the Transformer that keeps its values and removes parts of the network, and the same
pass by the layers of torch.nn, in which parts are removed by weights of zero.

Parts: tokens, positions, encoder.0 (a layer), decoder.1.cross (a sublayer: self, cross, feed_forward) and
decoder.1.cross.2 (a head). A removed head has attention weights of 0, and a removed sublayer returns 0. Of a removed
layer only the residual connections and norms remain. `hidden` are source pieces that no attention sees.
"""

import math

import load_model
import torch
from model import PyTorchLayers
from transformer import Transformer

SUBLAYERS = {"encoder": ["self", "feed_forward"], "decoder": ["self", "cross", "feed_forward"]}


def part_name(name):
    """The name that people see: "decoder.0.cross" for "decoder.layers.0.cross_attention"."""
    return name.replace(".layers", "").replace("_attention", "")


def module_name(part):
    return part.replace("coder.", "coder.layers.").replace("self", "self_attention").replace("cross", "cross_attention")


def sublayers(config):
    return [f"{side}.{i}.{kind}" for side, kinds in SUBLAYERS.items() for i in range(config[side + "_layers"])
            for kind in kinds]


def layers_and_heads(config):
    """Each layer, followed by its heads."""
    names = []
    for side in SUBLAYERS:
        for i in range(config[side + "_layers"]):
            names.append(f"{side}.{i}")
            names += [f"{side}.{i}.{kind}.{head}" for kind in SUBLAYERS[side][:-1] for head in range(config["heads"])]
    return names


def forward(model, source, target, hidden):
    """Logits [T, V] of the target by teacher forcing; no attention sees the source pieces `hidden`."""
    source_visible = torch.ones(1, 1, 1, len(source), dtype=torch.bool)
    source_visible[..., hidden] = False
    causal = torch.ones(1, 1, len(target), len(target), dtype=torch.bool).tril()
    memory = model.stack(model.embed(torch.tensor([source]), "source"), source_visible, "encoder")
    read = torch.tensor([[load_model.BOS] + target[:-1]])
    return model.logits(model.stack(model.embed(read, "target"), causal, "decoder", memory, source_visible))[0]


class RecordedPass(Transformer):
    """Keeps the values of a pass of one sentence, in which some parts are removed."""

    def __init__(self, model, source, target, without=(), hidden=()):
        super().__init__(model.config, model.weights)
        self.source, self.target, self.without, self.hidden = source, target, without, list(hidden)
        self.attention, self.returned, self.inputs, self.outputs, self.embeddings = {}, {}, {}, {}, {}
        self.scores = forward(self, source, target, self.hidden)
        self.log_p = self.scores.log_softmax(-1)

    def embed(self, ids, side):
        tokens, positions = self.tokens(ids, side)[0], self.positions(ids.size(1), side)
        tokens, positions = tokens * ("tokens" not in self.without), positions * ("positions" not in self.without)
        self.embeddings[side] = {"tokens": tokens, "positions": positions, "sum": tokens + positions}
        return (tokens + positions)[None]

    def multi_head_attention(self, x, memory, visible, name):
        heads = self.config["heads"]
        split = lambda y, part: self.linear(y, f"{name}.{part}").unflatten(-1, (heads, -1)).transpose(1, 2)
        query, key, value = split(x, "query"), split(memory, "key"), split(memory, "value")
        scores = query @ key.mT / math.sqrt(query.size(-1))
        weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
        for head in range(heads):
            if f"{part_name(name)}.{head}" in self.without:
                weights[:, head] = 0
        self.attention[part_name(name)] = {"weights": weights[0], "value": value[0]}
        return self.linear((weights @ value).transpose(1, 2).flatten(-2), name + ".output")

    def sublayer(self, x, name, function):
        part = part_name(name)
        removed = part in self.without or part.rpartition(".")[0] in self.without

        def recorded(y):
            result = function(y) * (not removed)
            self.returned[part] = result[0]
            return result

        return super().sublayer(x, name, recorded)

    def layer(self, x, visible, name, *memory):
        result = super().layer(x, visible, name, *memory)
        self.inputs[part_name(name)], self.outputs[part_name(name)] = x[0], result[0]
        return result


class PassByWeights(PyTorchLayers):
    """The same pass by the layers of torch.nn, in which parts are removed by weights of zero."""

    def __init__(self, model, without):
        weights, self.without = dict(model.weights), without
        super().__init__(model.config, weights)
        for part in without:
            side, _, rest = part.partition(".")
            if side not in SUBLAYERS:
                continue
            layer, _, rest = rest.partition(".")
            for sublayer in [rest.partition(".")[0]] if rest else SUBLAYERS[side]:
                last = ".outer" if sublayer == "feed_forward" else ".output"
                name = module_name(f"{side}.{layer}.{sublayer}") + last
                weight = weights[name + ".weight"].clone()
                if rest.count("."):  # a head
                    weight.unflatten(1, (self.config["heads"], -1))[:, int(rest.rpartition(".")[2])] = 0
                else:
                    weight[:] = 0
                    weights[name + ".bias"] = torch.zeros_like(weights[name + ".bias"])
                weights[name + ".weight"] = weight

    def tokens(self, ids, side):
        return super().tokens(ids, side) * ("tokens" not in self.without)

    def positions(self, count, side):
        return super().positions(count, side) * ("positions" not in self.without)


def checked_pass(model, source, target, without, hidden):
    """A RecordedPass whose logits agree with those of PassByWeights."""
    run = RecordedPass(model, source, target, without, hidden)
    other = forward(PassByWeights(model, without), source, target, list(hidden))
    assert (run.scores - other).abs().max() < 1e-11
    return run
