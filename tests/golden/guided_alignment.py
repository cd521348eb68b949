"""Writes guided_alignment_golden.safetensors: the loss of guided alignment (Chen et al. 2016) added to the label-smoothed
loss of a whole network, and its gradients, computed in double precision with transformer.py. Cases and weights are as in
model.py. Run: python3 tests/golden/guided_alignment.py
"""

import math
import pathlib

import torch
import torch.nn.functional as F
from model import golden, model_weights, record
from safetensors.torch import save_file
from transformer import Transformer

CONFIG = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 8, "d_ff": 12, "heads": 2, "norm": "pre",
          "final_norm": True, "activation": "relu", "positions": "sinusoidal", "max_positions": 7,
          "tie_embeddings": "all"}
SOURCES = torch.tensor([[5, 6, 10, 8, 3], [9, 4, 3, 0, 0], [7, 3, 0, 0, 0]])
INPUTS = torch.tensor([[2, 7, 4, 0, 0, 0], [2, 5, 6, 10, 8, 9], [2, 1, 10, 4, 0, 0]])
LABELS = torch.tensor([[7, 4, 3, 0, 0, 0], [5, 6, 10, 8, 9, 3], [1, 10, 4, 3, 0, 0]])
LINKS = [[(0, 0), (1, 0), (3, 0), (3, 1)], [], [(0, 1), (0, 2)]]  # source and target piece


class Watched(Transformer):
    """Keeps the weights of the cross-attention of one layer."""

    def __init__(self, layer, weights):
        super().__init__(CONFIG, weights)
        self.name = f"decoder.layers.{layer}.cross_attention"

    def multi_head_attention(self, x, memory, visible, name):
        if name == self.name:
            split = lambda y: y.unflatten(-1, (CONFIG["heads"], -1)).transpose(1, 2)
            query, key = split(self.linear(x, name + ".query")), split(self.linear(memory, name + ".key"))
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
            self.seen = scores.masked_fill(~visible, -math.inf).softmax(-1)
        return super().multi_head_attention(x, memory, visible, name)


for case, layer, head, factor in (("last_layer", 1, 0, 0.5), ("first_layer", 0, 1, 2.0)):
    weights = model_weights(CONFIG, 11, 11)
    network = Watched(layer, weights)
    log_p = network.log_probabilities(SOURCES, INPUTS)
    loss = F.cross_entropy(log_p.flatten(0, 1), LABELS.flatten(), ignore_index=0, reduction="sum", label_smoothing=0.1)
    for pair, links in enumerate(LINKS):
        for source, target in links:
            share = 1 / sum(t == target for _, t in links)
            loss = loss - factor * share * torch.log(network.seen[pair, head, target, source] + 1e-6)
    record(f"guided_alignment.{case}", loss, weights)

save_file({name: tensor.float().contiguous() for name, tensor in golden.items()},
          pathlib.Path(__file__).with_name("guided_alignment_golden.safetensors"),
          {"written_by": "tests/golden/guided_alignment.py"})
