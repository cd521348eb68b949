"""Loads a gloss model file with plain PyTorch and the safetensors package, and scores pairs of lines with it.

Run: python3 tests/golden/load_model.py MODEL SOURCE TARGET [OUTPUT]

Prints for each pair the log-probability of the target, eos counted, and its number of tokens. OUTPUT is a safetensors
file with, for pair i, source.{i} (pieces, eos), target.{i} (pieces, eos) and log_probabilities.{i} [T, V].
"""

import json
import pathlib
import sys

import sentencepiece
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from transformer import Transformer

BOS, EOS = 2, 3


def load(path):
    """The model in double precision, and the tokenizers of source and target."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    assert (metadata["format"], metadata["format_version"]) == ("gloss-model", "1"), "no gloss model file"
    tokenizers = []
    for side in ("source", "target"):
        model = tensors.get("tokenizer.model", tensors.get(side + "_tokenizer.model"))
        tokenizers.append(sentencepiece.SentencePieceProcessor(model_proto=model.numpy().tobytes()))
    weights = {name: tensor.double() for name, tensor in tensors.items() if tensor.is_floating_point()}
    return Transformer(json.loads(metadata["config"])["model"], weights), *tokenizers


def score(model, source, target):
    """Log-probabilities [T, V] of the tokens at each place of the target; both are pieces and eos."""
    with torch.no_grad():
        return model.log_probabilities(torch.tensor([source]), torch.tensor([[BOS] + target[:-1]]))[0]


def main(model_file, source_file, target_file, output=None):
    model, source_tokenizer, target_tokenizer = load(model_file)
    result = {}
    texts = [pathlib.Path(file).read_text(encoding="utf-8").splitlines() for file in (source_file, target_file)]
    for i, (source_text, target_text) in enumerate(zip(*texts, strict=True)):
        source, target = source_tokenizer.encode(source_text) + [EOS], target_tokenizer.encode(target_text) + [EOS]
        rows = score(model, source, target)
        print(f"{rows[range(len(target)), target].sum():.4f}\t{len(target)}\t{source_text}\t{target_text}")
        result |= {f"source.{i}": torch.tensor(source), f"target.{i}": torch.tensor(target)}
        result[f"log_probabilities.{i}"] = rows.float()
    if output is not None:
        save_file(result, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
