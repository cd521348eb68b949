"""Marian's Transformer in NumPy, in double precision, from the formulas of Marian's src/models/transformer.h.

Weights have Marian's names and shapes. `frequencies` and `epsilon` are Marian's own by default; "paper" and 1e-5 are
those that CTranslate2 and Hugging Face compute with for the same weights.

In pre-norm self-attention Marian norms the query; keys and values have no norm up to version 1.10, to which the fork
for browsers belongs. From version 1.11 on, training norms all three (LayerAttention in transformer.h). The search of
these versions still leaves the norm out in the decoder, after its first step; the network here is that of training.
`norms_keys` overrides the version's choice; CTranslate2 norms all three.
"""

import re

import numpy


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


ACTIVATIONS = {
    "relu": lambda x: numpy.maximum(x, 0),
    "swish": lambda x: x * sigmoid(x),
    "gelu": lambda x: x * sigmoid(1.702 * x),
}


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))


def softmax(x):
    return numpy.exp(log_softmax(x))


def version_of(options):
    """(1, 9) of "v1.9.56 ..."; (0, 0) without a version."""
    found = re.match(r"v(\d+)\.(\d+)", options.get("version", ""))
    return tuple(map(int, found.groups())) if found else (0, 0)


class MarianNetwork:
    def __init__(self, options, weights, frequencies="tensor2tensor", epsilon=1e-6, norms_keys=None):
        self.options, self.epsilon, self.frequencies = options, epsilon, frequencies
        self.norms_keys = version_of(options) >= (1, 11) if norms_keys is None else norms_keys
        self.weights = {name: numpy.asarray(value, "f8") for name, value in weights.items()}
        self.d = options["dim-emb"]

    def positions(self, count):
        """[count, D]"""
        if self.options["transformer-train-positions"]:
            table = self.weights["Wpos"]
            return table[numpy.minimum(numpy.arange(count), len(table) - 1)]
        half = self.d // 2
        last = half - 1 if self.frequencies == "tensor2tensor" else half
        angles = numpy.arange(count)[:, None] * 10000.0 ** (-numpy.arange(half) / last)
        return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1)

    def norm(self, x, prefix, suffix=""):
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / numpy.sqrt((centered**2).mean(-1, keepdims=True) + self.epsilon)
        return scaled * self.weights[f"{prefix}_ln_scale{suffix}"][0] + self.weights[f"{prefix}_ln_bias{suffix}"][0]

    def affine(self, x, prefix, suffix, bias=True):
        product = x @ self.weights[f"{prefix}_W{suffix}"]
        return product + self.weights[f"{prefix}_b{suffix}"][0] if bias else product

    def sublayer(self, x, function, prefix, pre_prefix=None):
        """Runs the letters of transformer-preprocess, the function, and those of transformer-postprocess."""
        y = x
        for letter in self.options["transformer-preprocess"]:
            if letter == "n":
                y = self.norm(y, pre_prefix or prefix, "_pre")
        y = function(y)
        for letter in self.options["transformer-postprocess"]:
            if letter == "a":
                y = y + x
            elif letter == "n":
                y = self.norm(y, prefix)
        return y

    def attention(self, x, keys, prefix, causal):
        def run(normed):
            heads = self.options["transformer-heads"]
            seen = keys if keys is not None else normed if self.norms_keys else x
            split = lambda y: y.reshape(len(y), heads, self.d // heads).transpose(1, 0, 2)
            q, k, v = (split(self.affine(y, prefix, s)) for y, s in ((normed, "q"), (seen, "k"), (seen, "v")))
            scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(self.d // heads)
            if causal:
                scores = scores - 99999999.0 * numpy.triu(numpy.ones(scores.shape[1:]), 1)
            joined = (softmax(scores) @ v).transpose(1, 0, 2).reshape(len(normed), self.d)
            return joined if self.options["transformer-no-projection"] else self.affine(joined, prefix, "o")

        return self.sublayer(x, run, prefix + "_Wo")

    def recurrence(self, x, prefix):
        """The simpler simple recurrent unit (Kim et al. 2019)."""
        def run(normed):
            forget = sigmoid(self.affine(normed, prefix, "f"))
            value = self.affine(normed, prefix, "", bias=False)
            cell, states = numpy.zeros(self.d), []
            for f, z in zip(forget, value):
                cell = f * cell + (1 - f) * z
                states.append(numpy.maximum(cell, 0))
            states = numpy.array(states)
            return self.affine(states, prefix, "o") if self.options.get("transformer-rnn-projection") else states

        return self.sublayer(x, run, prefix + "_ffn", prefix)

    def feed_forward(self, x, prefix):
        activation = ACTIVATIONS[self.options["transformer-ffn-activation"]]
        run = lambda normed: self.affine(activation(self.affine(normed, prefix, "1")), prefix, "2")
        return self.sublayer(x, run, prefix + "_ffn")

    def enter(self, embeddings, side):
        scale = 1 if self.options["transformer-train-positions"] else numpy.sqrt(self.d)
        x = scale * embeddings + self.positions(len(embeddings))
        return self.norm(x, side + "_emb", "_pre") if "n" in self.options["transformer-postprocess-emb"] else x

    def leave(self, x, side):
        return self.norm(x, side + "_top") if "n" in self.options["transformer-postprocess-top"] else x

    def table(self, side):
        return self.weights["Wemb" if "Wemb" in self.weights else side + "_Wemb"]

    def encode(self, source):
        """Ids with eos -> [S, D]"""
        x = self.enter(self.table("encoder")[source], "encoder")
        for i in range(1, self.options["enc-depth"] + 1):
            x = self.attention(x, None, f"encoder_l{i}_self", causal=False)
            x = self.feed_forward(x, f"encoder_l{i}_ffn")
        return self.leave(x, "encoder")

    def decode(self, memory, target):
        """Target ids, T of them -> logits [T + 1, V]: the first input is the zero vector."""
        words = self.table("decoder")[list(target)].reshape(-1, self.d)
        x = self.enter(numpy.concatenate([numpy.zeros((1, self.d)), words]), "decoder")
        tied = self.options["transformer-tied-layers"] or range(1, self.options["dec-depth"] + 1)
        for i in tied:
            if self.options["transformer-decoder-autoreg"] == "rnn":
                x = self.recurrence(x, f"decoder_l{i}_rnn")
            else:
                x = self.attention(x, None, f"decoder_l{i}_self", causal=True)
            x = self.attention(x, memory, f"decoder_l{i}_context", causal=False)
            x = self.feed_forward(x, f"decoder_l{i}_ffn")
        x = self.leave(x, "decoder")
        prefix = "decoder_ff_logit_out"
        if prefix + "_W" in self.weights:
            logits = x @ self.weights[prefix + "_W"]
        else:
            logits = x @ self.weights.get(prefix + "_Wt", self.table("decoder")).T
        return logits + self.weights[prefix + "_b"][0] if prefix + "_b" in self.weights else logits

    def logits(self, source, target):
        return self.decode(self.encode(source), target)

    def greedy(self, source, length):
        """Returns ids without eos (id 0), at most `length` tokens, eos included."""
        memory, ids = self.encode(source), []
        while len(ids) < length:
            token = int(self.decode(memory, ids)[-1].argmax())
            if token == 0:
                break
            ids.append(token)
        return ids
