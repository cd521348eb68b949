"""Writes model files without gloss. Run: python3 tests/golden/write_tiny_model.py

tiny_model.safetensors has post-norm, learned positions and one tokenizer. pre_norm_model.safetensors has pre-norm,
sinusoids, no tied embeddings, and a tokenizer for each language; its target has more than 100 pieces.
tiny_model_scored.safetensors holds the log-probabilities that load_model.py computes for a few pairs with the first.
"""

import hashlib
import io
import json
import pathlib
import tempfile

import load_model
import sentencepiece
import torch
from model import model_weights
from safetensors.torch import save

LINES = ["ana baka dalo emi", "fugo hina joka lemu", "mo nipa quso ratu", "sive waxi yoze ana",
         "baka emi hina joka lemu", "dalo dalo mo nipa", "ratu sive waxi", "yoze fugo quso ana"]
PAIRS = [("ana baka", "emi dalo"), ("fugo hina joka lemu mo nipa", "mo"), ("yoze", "quso ratu sive waxi ana"),
         ("", "lemu")]
CONFIG = {
    "seed": 1,
    "tokenizer": {"vocabulary_size": 60, "type": "bpe", "character_coverage": 1.0, "byte_fallback": False,
                  "joint": True},
    "data": {"max_length": 24, "batch_tokens": 256},
    "model": {"encoder_layers": 1, "decoder_layers": 2, "d_model": 8, "d_ff": 12, "heads": 2, "norm": "post",
              "final_norm": True, "activation": "gelu", "positions": "learned", "max_positions": 24,
              "tie_embeddings": "decoder", "dropout": 0.1, "attention_dropout": 0.0, "feed_forward_dropout": 0.2},
    "training": {"max_steps": 0, "learning_rate": 1.0, "schedule": "noam", "warmup_steps": 4000, "beta1": 0.9,
                 "beta2": 0.98, "epsilon": 1e-9, "label_smoothing": 0.1, "accumulate": 1, "clip_norm": 0.0,
                 "validate_every": 0, "save_every": 0, "keep_checkpoints": 3, "average_last": 0,
                 "early_stop": {"metric": "bleu", "patience": 0}, "precision": "float32"},
    "decoding": {"beam_size": 5, "length_penalty": 1.0, "length_penalty_kind": "power", "patience": 1.0,
                 "max_length": 24, "n_best": 1, "batch_size": 64},
}

# Words of two syllables, each of a consonant and a vowel.
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
SYLLABIC_LINES = [" ".join(SYLLABLES[(3 * i + 7 * k) % 70] + SYLLABLES[(11 * i + k * k) % 70] for k in range(4))
                  for i in range(24)]
PRE_NORM_SIZES = {"source": 60, "target": 140}
PRE_NORM_CONFIG = CONFIG | {
    "tokenizer": CONFIG["tokenizer"] | {"vocabulary_size": 140, "joint": False},
    "model": CONFIG["model"] | {"encoder_layers": 2, "d_model": 12, "d_ff": 10, "heads": 3, "norm": "pre",
                                "activation": "relu", "positions": "sinusoidal", "tie_embeddings": "none"},
}


def train_tokenizer(lines, size):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, model_type="bpe", normalization_rule_name="identity",
        vocab_size=size, pad_id=0, unk_id=1, bos_id=2, eos_id=3, minloglevel=2)
    return torch.frombuffer(bytearray(model.getvalue()), dtype=torch.uint8)


def model_file(config, source_size, target_size, tokenizers):
    """The bytes of the file; the checksum is of everything after the header."""
    weights = model_weights(config["model"], source_size, target_size)
    tensors = {name: weight.detach().float() for name, weight in weights.items()} | tokenizers
    metadata = {"format": "gloss-model", "format_version": "1", "config": json.dumps(config, sort_keys=True),
                "provenance": json.dumps({"written_by": "tests/golden/write_tiny_model.py"})}
    plain = save(tensors, metadata)
    metadata["sha256"] = hashlib.sha256(plain[8 + int.from_bytes(plain[:8], "little"):]).hexdigest()
    return save(tensors, metadata)


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent
    size = CONFIG["tokenizer"]["vocabulary_size"]
    tokenizers = {"tokenizer.model": train_tokenizer(LINES, size)}
    (folder / "tiny_model.safetensors").write_bytes(model_file(CONFIG, size, size, tokenizers))
    tokenizers = {side + "_tokenizer.model": train_tokenizer(lines, PRE_NORM_SIZES[side])
                  for side, lines in (("source", LINES), ("target", SYLLABIC_LINES))}
    (folder / "pre_norm_model.safetensors").write_bytes(
        model_file(PRE_NORM_CONFIG, PRE_NORM_SIZES["source"], PRE_NORM_SIZES["target"], tokenizers))
    with tempfile.TemporaryDirectory() as temporary:
        sides = [pathlib.Path(temporary) / side for side in ("source", "target")]
        for side, lines in zip(sides, zip(*PAIRS)):
            side.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        load_model.main(folder / "tiny_model.safetensors", *sides, folder / "tiny_model_scored.safetensors")
