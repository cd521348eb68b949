"""Trains gloss's network in PyTorch, tuned, on the batches that train_speed reads. Ends with one JSON line.

Tuned: bfloat16 by autocast, fused attention, fused Adam, one product for query, key and value, no output layer for
padding, batches on the device before the clock starts, no value read back during an update; --compile compiles it.
"""

import argparse
import json
import math
import pathlib
import time

import torch
import torch.nn.functional as F
from torch import nn

EOS, BOS, PAD = 3, 2, 0


class Attention(nn.Module):
    def __init__(self, d, heads, dropout, cross):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.inner = nn.Linear(d, d if cross else 3 * d)
        self.memory = nn.Linear(d, 2 * d) if cross else None
        self.output = nn.Linear(d, d)

    def forward(self, x, memory=None, mask=None, causal=False):
        parts = self.inner(x).chunk(3, -1) if memory is None else (self.inner(x), *self.memory(memory).chunk(2, -1))
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        found = F.scaled_dot_product_attention(q, k, v, mask, self.dropout, causal)
        return self.output(found.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, m, cross):
        super().__init__()
        d, p = m["d_model"], m["dropout"]
        self.attention = Attention(d, m["heads"], m.get("attention_dropout", p), False)
        self.cross = Attention(d, m["heads"], m.get("attention_dropout", p), True) if cross else None
        self.feed_forward = nn.Sequential(nn.Linear(d, m["d_ff"]), nn.ReLU(),
                                          nn.Dropout(m.get("feed_forward_dropout", p)), nn.Linear(m["d_ff"], d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if cross else 2))
        self.dropout, self.post = nn.Dropout(p), m["norm"] == "post"

    def add(self, x, norm, part):
        return norm(x + self.dropout(part(x))) if self.post else x + self.dropout(part(norm(x)))

    def forward(self, x, mask, memory=None):
        own = {"causal": True} if self.cross else {"mask": mask}  # padding stands last: no real token sees it
        x = self.add(x, self.norms[0], lambda y: self.attention(y, **own))
        if self.cross:
            x = self.add(x, self.norms[1], lambda y: self.cross(y, memory, mask))
        return self.add(x, self.norms[-1], self.feed_forward)


class Transformer(nn.Module):
    def __init__(self, m, vocabulary):
        super().__init__()
        d = m["d_model"]
        self.embedding, self.output_bias = nn.Embedding(vocabulary, d), nn.Parameter(torch.zeros(vocabulary))
        nn.init.normal_(self.embedding.weight, std=d**-0.5)
        self.encoder = nn.ModuleList(Layer(m, False) for _ in range(m["encoder_layers"]))
        self.decoder = nn.ModuleList(Layer(m, True) for _ in range(m["decoder_layers"]))
        self.norms = nn.ModuleList(nn.Identity() if m["norm"] == "post" else nn.LayerNorm(d) for _ in range(2))
        self.dropout = nn.Dropout(m["dropout"])
        angles = torch.arange(1024)[:, None] * torch.exp(torch.arange(0, d, 2) * -(math.log(1e4) / d))
        self.register_buffer("positions", torch.stack((angles.sin(), angles.cos()), -1).flatten(1))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * self.embedding.embedding_dim**0.5 + self.positions[: ids.size(1)])

    def forward(self, source, given, wanted, real):
        """The loss of the tokens `wanted`, which stand at the positions `real` of the flattened targets."""
        mask = (source != PAD)[:, None, None, :]
        x, y = self.embed(source), self.embed(given)
        for layer in self.encoder:
            x = layer(x, mask)
        x = self.norms[0](x)
        for layer in self.decoder:
            y = layer(y, mask, x)
        logits = F.linear(self.norms[1](y).flatten(0, 1)[real], self.embedding.weight, self.output_bias)
        return F.cross_entropy(logits, wanted, label_smoothing=0.1)


def read_batches(path, device):
    for line in pathlib.Path(path).read_text().splitlines():
        pairs = json.loads(line)
        pad = lambda rows: nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, PAD)
        source, target = pad([s + [EOS] for s, _ in pairs]), pad([[BOS, *t, EOS] for _, t in pairs])
        wanted = target[:, 1:].flatten()
        real = wanted.ne(PAD).nonzero().flatten()
        yield [x.to(device) for x in (source, target[:, :-1].contiguous(), wanted[real], real)]


def tokens_per_second(model, parameters, batches, steps, device):
    adam = torch.optim.Adam(parameters, lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    tokens = 0
    for step in range(-len(batches), steps):  # each shape once before the clock starts
        if step == 0:
            wait()
            start = time.perf_counter()
        batch = batches[step % len(batches)]
        with torch.autocast(device, torch.bfloat16):
            loss = model(*batch)
        loss.backward()
        adam.step()
        adam.zero_grad()
        tokens += batch[2].numel() if step >= 0 else 0
    wait()
    return tokens / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser()
    for name in ("config", "batches", "device"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--compile", action="store_true", help="train with torch.compile")
    options = parser.parse_args()
    config = json.loads(pathlib.Path(options.config).read_text())
    torch.manual_seed(1)
    model = Transformer(config["model"], config["tokenizer"]["vocabulary_size"]).to(options.device).train()
    batches = list(read_batches(options.batches, options.device))
    network = torch.compile(model, dynamic=True) if options.compile else model
    speed = tokens_per_second(network, model.parameters(), batches, options.steps, options.device)
    memory = torch.cuda.max_memory_allocated() >> 20 if options.device == "cuda" else None
    print(json.dumps({"torch": torch.__version__, "target_tokens_per_second": speed, "peak_memory_mib": memory}))


if __name__ == "__main__":
    main()
