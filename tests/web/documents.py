"""Documents like those of `gloss explain`."""

import math
import random

from arrays import array, attention_map, positions, sinusoid


def model(layers, heads, width, name="runs/en-de", kind="sinusoidal", norm="pre"):
    return {
        "name": name,
        "config": {
            "encoder_layers": layers,
            "decoder_layers": layers,
            "d_model": width,
            "d_ff": 4 * width,
            "heads": heads,
            "norm": norm,
            "positions": kind,
        },
        "parameters": 2615568,
        "source_vocabulary": 4000,
        "target_vocabulary": 4000,
        "source_language": "en",
        "target_language": "de",
        "decoding": {"beam_size": 2, "length_penalty": 1.0, "length_penalty_kind": "power", "max_length": 256},
        "positions": {"source": positions(width, heads, kind=kind), "target": positions(width, heads, kind=kind)},
    }


def pieces(words):
    """Cuts words of more than six characters in two, and appends the end of sentence."""
    result, spans, at = [], [], 0
    for word in words:
        parts = ["▁" + word] if len(word) <= 6 else ["▁" + word[:4], word[4:]]
        first = len(result)
        for part in parts:
            length = len(part.replace("▁", "").encode())
            result.append({"piece": part, "id": 10 + len(result), "begin": at, "end": at + length})
            at += length
        at += 1
        spans.append({"text": word, "first": first, "last": len(result)})
    result.append({"piece": "</s>", "id": 3, "begin": at - 1, "end": at - 1})
    return result, spans


def steps_of(target, names):
    """Returns steps whose best tokens have the probabilities 0.38, 0.18, 0.1, 0.07, ... and a tail of one token."""
    shares = [0.38, 0.18, 0.1, 0.07, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.008, 0.007]
    rest = 1 - sum(shares)
    result = []
    for t, piece in enumerate(target):
        ids = [piece["id"]] + [500 + (7 * t + i) % 90 for i in range(len(shares) - 1)]
        for each in ids[1:]:
            names[str(each)] = f"▁other{each}"
        names[str(piece["id"])] = piece["piece"]
        result.append(
            {
                "top": [[each, round(math.log(p), 6)] for each, p in zip(ids, shares)],
                "tail": [round(math.log(rest) / (k / 10), 6) for k in range(1, 21)],
            }
        )
    return result


def beam_of(target, names):
    """Returns a beam of two hypotheses: the best, and one that parts from it at step 1 and is greedy's."""
    nodes, best, other = [], -1, -1
    for t, piece in enumerate(target):
        last = t == len(target) - 1
        score = -0.5 * (t + 1)
        parents = (best, best if t <= 1 else other)
        for p, (parent, token) in enumerate(zip(parents, (piece["id"], 500 + t))):
            names.setdefault(str(token), f"▁alt{t}")
            nodes.append(
                {
                    "parent": parent,
                    "step": t,
                    "id": token,
                    "log_probability": score - 0.3 * p,
                    "token": -0.5,
                    "state": "finished" if last else "live",
                    **({"score": round((score - 0.3 * p) / (t + 1), 6)} if last else {}),
                    "best": p == 0,
                }
            )
        best, other = len(nodes) - 2, len(nodes) - 1
        for k in range(2):
            names.setdefault(str(600 + k), f"▁pruned{k}")
            nodes.append(
                {
                    "parent": parents[k],
                    "step": t,
                    "id": 600 + k,
                    "log_probability": score - 2 - k,
                    "token": -2.5 - k,
                    "state": "pruned",
                    "best": False,
                }
            )
    ids = [each["id"] for each in target[:1]] + [500 + t for t in range(1, len(target))]
    return {
        "size": 2,
        "nodes": nodes,
        "greedy": {"ids": ids, "text": "a greedy text"},
        "parts_at": 1 if len(target) > 1 else None,
    }


def item(
    source_words,
    target_words,
    layers,
    heads,
    width,
    *,
    index=0,
    text=None,
    forced=False,
    quick=False,
    without=(),
    light=False,
    ended=True,
):
    source, words = pieces(source_words)
    target, _ = pieces(target_words)
    if not ended:
        target = target[:-1]
    S, T = len(source), len(target)
    hidden = [
        piece
        for name in without
        if name.startswith("source.")
        for piece in range(words[int(name[7:])]["first"], words[int(name[7:])]["last"])
    ]
    names = {}
    steps = steps_of(target, names)
    result = {
        "model": index,
        "text": " ".join(source_words) if text is None else text,
        "without": list(without),
        "forced": forced,
        "source": {"pieces": source, "words": words, "truncated": False},
        "target": {
            "text": " ".join(target_words),
            "pieces": target,
            "log_probability": round(T * math.log(0.38), 6),
            "score": round(math.log(0.38), 6),
            "ended": ended,
        },
        "maps": [attention_map("encoder", n, "self", heads, S, S, " ".join(without)) for n in range(layers)]
        + [
            attention_map("decoder", n, kind, heads, T, T if kind == "self" else S, " ".join(without))
            for n in range(layers)
            for kind in ("self", "cross")
        ],
        "masks": [
            {"name": "encoder.self", "visible": array([S, S], lambda i, j: int(j not in hidden))},
            {"name": "decoder.self", "visible": array([T, T], lambda i, j: int(j <= i))},
            {"name": "decoder.cross", "visible": array([T, S], lambda i, j: int(j not in hidden))},
        ],
        "steps": steps,
        "names": names,
    }
    if light:
        return result
    columns = min(width, 128)
    draw = random.Random(result["text"])

    def vectors(rows):
        return array([rows, columns], lambda i, c: draw.gauss(0, 1))

    def stack(side, n, rows, kinds):
        parts = {kind: vectors(rows) for kind in kinds}
        lengths = {
            kind: [
                round(math.sqrt(sum(v * v for v in part["values"][i * columns : (i + 1) * columns])), 4)
                for i in range(rows)
            ]
            for kind, part in parts.items()
        }
        return {
            "part": f"{side}.{n}",
            "vectors": parts,
            "norms": {kind: {"shape": [rows], "values": each} for kind, each in lengths.items()},
            "similarity": array([rows, rows], lambda i, j: 1.0 if i == j else math.cos(i - j) * 0.5 + 0.1 * n),
        }

    result["stack"] = [stack("encoder", n, S, ("input", "self", "feed_forward", "output")) for n in range(layers)] + [
        stack("decoder", n, T, ("input", "self", "cross", "feed_forward", "output")) for n in range(layers)
    ]
    result["embedding"] = {
        side: {
            "tokens": vectors(rows),
            "sum": vectors(rows),
            "positions": array([rows, columns], lambda t, c: sinusoid(t, c, columns)),
        }
        for side, rows in (("source", S), ("target", T))
    }
    states = ["embedding"] + [f"decoder.{n}" for n in range(layers)]
    share = [(s + 1) / (len(states) + 1) for s in range(len(states))]
    result["lens"] = {
        "states": states,
        "chosen": array([len(states), T], lambda s, t: math.log(share[s])),
        "rank": array([len(states), T], lambda s, t: max(1, len(states) - s - t % 2)),
        "top": [
            [
                [
                    {
                        "piece": target[t]["piece"] if s > 0 and k == 0 else f"▁guess{k}",
                        "id": k,
                        "p": round(share[s] / (k + 1), 4),
                    }
                    for k in range(5)
                ]
                for t in range(T)
            ]
            for s in range(len(states))
        ],
    }
    parts = (
        ["tokens", "positions"]
        + [f"decoder.{n}.{kind}" for n in range(layers) for kind in ("self", "cross", "feed_forward")]
        + ["norm", "bias"]
    )
    amount = array([len(parts), T], lambda p, t: 3 * math.sin(p + 0.7 * t))
    result["contributions"] = {
        "parts": parts,
        "values": amount,
        "logits": array([T], lambda t: sum(amount["values"][p * T + t] for p in range(len(parts)))),
    }
    result["candidates"] = {
        "ids": [[each for each, _ in step["top"][:10]] for step in steps],
        "log_probabilities": array([T, 10], lambda t, k: steps[t]["top"][k][1]),
    }
    result["beam"] = None if forced else beam_of(target, names)
    if not quick:
        removed = [
            f"{side}.{n}{kind}"
            for side in ("encoder", "decoder")
            for n in range(layers)
            for kind in ["", ".self", ".feed_forward"] + [f".self.{h}" for h in range(heads)]
        ]

        def changed(scale):
            return lambda i, t, k: steps[t]["top"][k][1] - scale * (1 + i) * (0.5 if k == 0 else -0.1 * k) * (1 + t % 2)

        result["interventions"] = {
            "words": {"log_probabilities": array([len(words), T, 10], changed(0.2))},
            "parts": {
                "names": removed,
                "log_probabilities": array([len(removed), T, 10], changed(0.01)),
                "loss": array([len(removed)], lambda p: 0.967584 + 0.4 * math.sin(p)),
                "texts": [
                    " ".join(target_words) if p % 2 else " ".join(target_words[::-1]) for p in range(len(removed))
                ],
            },
            "loss": 0.967584,
            "greedy": " ".join(target_words),
        }
    result["stages"] = [
        {
            "name": "Normalization",
            "shape": f"{len(result['text'])} characters",
            "formula": "NFKC",
            "file": "tokenizer/plain_text.cpp",
            "lines": [result["text"]],
        },
        {
            "name": "Pieces",
            "shape": f"[{S}]",
            "formula": "byte-pair encoding",
            "file": "tokenizer/sentencepiece_tokenizer.cpp",
            "lines": [" ".join(f"{each['piece']}:{each['id']}" for each in source)],
        },
        {
            "name": "Embeddings",
            "shape": f"[{S}, {width}]",
            "formula": "√d_model · E(piece) + PE(t)",
            "file": "model/embedding.cpp",
            "lines": ["0.1 0.2 0.3 …"],
        },
    ]
    long = max(source_words, key=len, default="")
    result["merges"] = [{"word": long, "steps": [[long[:k]] + list(long[k:]) for k in range(1, len(long) + 1)]}]
    return result


def document(models, items):
    return {"format": "gloss.explanation", "version": 1, "gloss": "0.2.0", "models": models, "items": items}
