"""gloss models with random configurations and weights, without training."""

import hashlib
import json

import numpy
from safetensors import safe_open
from safetensors.numpy import save

import made_text


def write_corpus(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in (("train", 1), ("valid", 2)):
        for side, shift in (("source", 0), ("target", 10)):
            lines = made_text.lines(seed + shift, 300 if name == "train" else 20)
            (folder / f"{name}.{side}").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def draw_config(random):
    """A section `model` and a section `tokenizer` that at least one format can express."""
    d = int(random.choice([8, 16, 24, 32]))
    pre = bool(random.random() < 0.5)
    profile = random.choice(["huggingface", "marian", "any"])
    model = {
        "encoder_layers": int(random.integers(1, 4)), "decoder_layers": int(random.integers(1, 4)), "d_model": d,
        "d_ff": int(random.choice([16, 40])), "heads": int(random.choice([h for h in (1, 2, 4) if d % h == 0])),
        "norm": "pre" if pre else "post", "final_norm": pre,
        "activation": str(random.choice(["relu", "gelu", "swish", "gelu_sigmoid"])),
        "tie_embeddings": str(random.choice(["all", "all", "decoder", "none"])),
    }
    if random.random() < 0.3:
        model["d_ff_decoder"] = 24
    if profile == "marian":
        model |= {"decoder_start": "zero", "position_frequencies": "tensor2tensor", "layer_norm_epsilon": 1e-6,
                  "decoder_layer": str(random.choice(["attention", "ssru"])),
                  "embedding_norm": bool(random.random() < 0.3)}
        if pre:
            model["self_attention_norm"] = str(random.choice(["query", "query", "all"]))
    elif profile == "huggingface":
        model |= {"decoder_start": str(random.choice(["bos", "zero"])),
                  "embedding_scale": str(random.choice(["sqrt", "sqrt", "one"]))}
        if pre and random.random() < 0.8:
            model["tie_embeddings"] = "all"
    else:
        model |= {"final_norm": bool(random.random() < 0.5), "embedding_norm": bool(random.random() < 0.3),
                  "embedding_scale": str(random.choice(["sqrt", "one"])),
                  "decoder_start": str(random.choice(["bos", "zero"])),
                  "layer_norm_epsilon": float(random.choice([1e-5, 1e-6, 1e-3])),
                  "decoder_layer": str(random.choice(["attention", "attention", "ssru"]))}
        if pre and random.random() < 0.2:
            model["self_attention_norm"] = "query"
        if random.random() < 0.4:
            model |= {"positions": "learned", "max_positions": 64}
        else:
            model |= {"position_frequencies": str(random.choice(["paper", "tensor2tensor"])),
                      "first_position": int(random.choice([0, 2]))}
    joint = model["tie_embeddings"] == "all" or bool(random.random() < 0.5)
    tokenizer = {"vocabulary_size": 120, "type": str(random.choice(["bpe", "unigram"])), "joint": joint,
                 "byte_fallback": bool(random.random() < 0.2)}
    if tokenizer["byte_fallback"]:
        tokenizer["vocabulary_size"] = 380
    return model, tokenizer


def make(gloss, folder, seed, model=None, tokenizer=None):
    """Returns the path of a random model: the file of a training without updates, with other weights. `model` and
    `tokenizer`: sections of the run file in the place of random ones."""
    random = numpy.random.default_rng(seed)
    if model is None:
        model, tokenizer = draw_config(random)
    corpus = folder.parent / "corpus"
    if not corpus.exists():
        write_corpus(corpus)
    folder.mkdir(parents=True)
    run = {"seed": seed, "defaults": "fixed", "model": model, "tokenizer": tokenizer,
           "data": {"train_source": str(corpus / "train.source"), "train_target": str(corpus / "train.target"),
                    "valid_source": str(corpus / "valid.source"), "valid_target": str(corpus / "valid.target"),
                    "max_length": 60, "batch_tokens": 1024},
           "training": {"max_steps": 0}, "decoding": {"beam_size": 4, "max_length": 14}}
    (folder / "run.json").write_text(json.dumps(run))
    gloss.run("train-translate", "--config", folder / "run.json", "--out", folder / "run", "--threads", "1")
    return randomized(folder / "run/model.safetensors", folder / "model.safetensors", random)


def randomized(path, output, random):
    with safe_open(path, "numpy") as file:
        metadata, tensors = dict(file.metadata()), {name: file.get_tensor(name) for name in file.keys()}
    config = json.loads(metadata["config"])["model"]
    for name, old in tensors.items():
        if old.dtype != numpy.float32:
            continue
        values = random.standard_normal(old.shape)
        if "embedding.weight" in name or name == "generator.weight":
            values *= old.shape[1] ** -0.5
            if config.get("decoder_start") == "zero" and name != "generator.weight":
                values[[0, 2]] = 0
        elif "norm.weight" in name:
            values = 1 + 0.2 * values
        elif name == "generator.bias":
            values = 0.2 * values
            values[3] += 1.5
            values[[0, 2]] = -100
        elif values.ndim == 1:
            values *= 0.2
        elif "positions" not in name:
            values *= 2 * (2 / sum(old.shape)) ** 0.5
        tensors[name] = values.astype("f4")
    for key in ("sha256", "header_sha256"):
        metadata.pop(key, None)
    plain = save(tensors, metadata)
    metadata["sha256"] = hashlib.sha256(plain[8 + int.from_bytes(plain[:8], "little"):]).hexdigest()
    output.write_bytes(save(tensors, metadata))
    return output
