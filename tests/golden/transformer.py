"""The Transformer (Vaswani et al. 2017) in plain PyTorch, as functions of weights named as in docs/file_formats.md.

Written from the paper, apart from gloss's own code, to be compared with it. Masks are bool, true means visible.
"""

import math

import torch
import torch.nn.functional as F


def attention(query, key, value, visible):
    """Section 3.2.1: query [B, H, T, d_k], key and value [B, H, S, d_k]; a query that sees nothing gets zeros."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return weights.masked_fill(~visible, 0) @ value


def sinusoids(count, width, dtype=torch.float64):
    """Section 3.5: [count, width]."""
    angles = torch.arange(count, dtype=dtype)[:, None] / 10000 ** (torch.arange(0, width, 2, dtype=dtype) / width)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


class Transformer:
    """`config` is the section "model" of a run file, `weights` a dictionary of tensors."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights

    def linear(self, x, name):
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.weights[name + ".weight"], self.weights[name + ".bias"], 1e-5)

    def multi_head_attention(self, x, memory, visible, name):
        split = lambda y: y.unflatten(-1, (self.config["heads"], -1)).transpose(1, 2)
        query = split(self.linear(x, name + ".query"))
        key, value = (split(self.linear(memory, f"{name}.{part}")) for part in ("key", "value"))
        result = attention(query, key, value, visible)
        return self.linear(result.transpose(1, 2).flatten(-2), name + ".output")

    def feed_forward(self, x, name):
        activation = {"relu": F.relu, "gelu": F.gelu}[self.config["activation"]]
        return self.linear(activation(self.linear(x, name + ".inner")), name + ".outer")

    def sublayer(self, x, name, function):
        if self.config["norm"] == "pre":
            return x + function(self.norm(x, name + "_norm"))
        return self.norm(x + function(x), name + "_norm")

    def layer(self, x, visible, name, memory=None, memory_visible=None):
        attend = lambda y: self.multi_head_attention(y, y, visible, name + ".self_attention")
        x = self.sublayer(x, name + ".self_attention", attend)
        if memory is not None:
            look_back = lambda y: self.multi_head_attention(y, memory, memory_visible, name + ".cross_attention")
            x = self.sublayer(x, name + ".cross_attention", look_back)
        return self.sublayer(x, name + ".feed_forward", lambda y: self.feed_forward(y, name + ".feed_forward"))

    def stack(self, x, visible, side, *memory):
        for i in range(self.config[side + "_layers"]):
            x = self.layer(x, visible, f"{side}.layers.{i}", *memory)
        return self.norm(x, side + ".norm") if self.config["final_norm"] else x

    def tokens(self, ids, side):
        """Section 3.4: the rows of the embedding, times sqrt(D)."""
        tied = side + "_embedding.weight" not in self.weights
        table = self.weights["source_embedding.weight" if tied else side + "_embedding.weight"]
        return F.embedding(ids, table) * math.sqrt(table.size(1))

    def positions(self, count, side):
        """The first rows of the positional encoding, [count, D]."""
        if self.config["positions"] == "learned":
            return self.weights[side + "_positions.weight"][:count]
        table = self.weights["source_embedding.weight"]
        return sinusoids(count, table.size(1)).to(table.dtype)

    def embed(self, ids, side):
        return self.tokens(ids, side) + self.positions(ids.size(1), side)

    def generator_weight(self):
        place = {"all": "source_embedding", "decoder": "target_embedding", "none": "generator"}
        return self.weights[place[self.config["tie_embeddings"]] + ".weight"]

    def logits(self, x):
        return F.linear(x, self.generator_weight(), self.weights["generator.bias"])

    def log_probabilities(self, source, target):
        """source [B, S], target input [B, T] (bos first), both filled up with 0 = pad: [B, T, V]."""
        source_visible = (source != 0)[:, None, None, :]
        causal = torch.ones(target.size(1), target.size(1), dtype=torch.bool).tril()
        target_visible = causal & (target != 0)[:, None, None, :]
        memory = self.stack(self.embed(source, "source"), source_visible, "encoder")
        x = self.stack(self.embed(target, "target"), target_visible, "decoder", memory, source_visible)
        return self.logits(x).log_softmax(-1)
