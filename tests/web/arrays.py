"""Arrays of documents, made of simple formulas, so that tests know every number."""

import math
import random


def array(shape, value):
    """Returns an array of the document. value(i, j, ...) gives each number."""
    values = []

    def fill(indices):
        if len(indices) == len(shape):
            values.append(round(value(*indices), 6))
        else:
            for i in range(shape[len(indices)]):
                fill((*indices, i))

    fill(())
    return {"shape": list(shape), "values": values}


def attention(heads, rows, columns, seed, causal=False):
    """Returns attention weights whose rows sum to 1. Head 0 looks at the diagonal, the last one everywhere."""
    draw = random.Random(seed)
    values = []
    for head in range(heads):
        sharpness = 3.0 * (1 - head / max(1, heads - 1))
        for i in range(rows):
            seen = range(i + 1 if causal else columns)
            scores = [math.exp(-sharpness * abs(i * columns / rows - j) + 0.8 * draw.random()) for j in seen]
            total = sum(scores)
            values += [round(score / total, 6) for score in scores] + [0.0] * (columns - len(scores))
    return {"shape": [heads, rows, columns], "values": values}


def entropy(weights):
    heads, rows, columns = weights["shape"]
    result = []
    for head in range(heads):
        part = weights["values"][head * rows * columns : (head + 1) * rows * columns]
        result.append(round(-sum(p * math.log(p) for p in part if p > 0) / max(1, rows), 6))
    return {"shape": [heads], "values": result}


def attention_map(side, layer, kind, heads, rows, columns, salt=""):
    weights = attention(heads, rows, columns, f"{side}{layer}{kind}{salt}", causal=side == "decoder" and kind == "self")
    norms = {
        "shape": weights["shape"],
        "values": [round(p * (1 + j % columns % 3), 6) for j, p in enumerate(weights["values"])],
    }
    return {
        "part": f"{side}.{layer}.{kind}",
        "side": side,
        "layer": layer,
        "kind": kind,
        "weights": weights,
        "norms": norms,
        "entropy": entropy(weights),
    }


def sinusoid(t, c, width):
    angle = t / 10000 ** ((c - c % 2) / width)
    return math.cos(angle) if c % 2 else math.sin(angle)


def positions(width, heads, count=64, kind="sinusoidal"):
    draw = random.Random(5)
    noise = [[draw.gauss(0, 0.4) for _ in range(width)] for _ in range(count)]

    def value(t, c):
        return sinusoid(t, c, width) if kind == "sinusoidal" else noise[t][c] + 0.3 * sinusoid(t, c, width)

    rows = [[value(t, c) for c in range(width)] for t in range(count)]
    dot = [[sum(a * b for a, b in zip(x, y)) for y in rows] for x in rows]
    return {
        "kind": kind,
        "table": array([count, width], lambda t, c: rows[t][c]),
        "dot": array([count, count], lambda t, u: dot[t][u]),
        "norm": array([count], lambda t: math.sqrt(dot[t][t])),
        "shift": {
            "k": [1, 2, 4, 8, 16],
            "residual": [1e-7 * (k + 1) for k in range(5)] if kind == "sinusoidal" else [0.4, 0.5, 0.6, 0.7, None],
        },
        "heads": {
            "part": "encoder.0.self",
            "clean": array([count, count], lambda t, u: dot[t][u] / math.sqrt(dot[t][t] * dot[u][u])),
            "learned": attention(heads, count, count, kind),
        },
    }
