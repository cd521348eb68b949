"""Writes explanation.json: the numbers of `gloss explain --json` for two models, computed in double precision with
transformer.py. Each pass is compared with torch.nn's layers. Run: python3 tests/golden/explanation.py

explanation.json has the structure of the document, docs/explanation_format.md, with a part of its keys:

    {"models": [{"name": FILE, "positions": {"source": ..., "target": ...}}, ...],
     "items": [{"model": 0, "text": ..., "without": ["decoder.1.cross.1"], "hidden": [1], "source": ..., ...}, ...]}

- An array is {"shape": [2, 3], "values": [...]}, row by row. With "every": n it holds elements 0, n, 2n, ... only.
- Each item has a forced target, target.text. target.pieces ends with eos.
- The first item of each model is complete. The others have fewer vectors and keep every fifth element of large arrays;
  they have neither lens.top nor steps nor interventions, and embedding only without tokens or positions.
- interventions.parts.names are the layers, each followed by its heads. Their texts are greedy translations.
- models.*.heads_report, which the document lacks, is that of the model's pairs of sentences.
- target.score is log_probability divided by the number of pieces, the length penalty of both models.
- candidates.ids: the ten likeliest tokens, likeliest first; a target token beyond them takes the tenth place.
- positions.*.shift.residual of a shift with fewer rows than a map needs is null, and so is a step's tail if all tokens are in
  its top.
"""

import json
import math
import pathlib

import load_model
import torch
from recorded_pass import (SUBLAYERS, RecordedPass, checked_pass, layers_and_heads, module_name, part_name,
                           sublayers)

FOLDER = pathlib.Path(__file__).parent
CASES = {
    "tiny_model.safetensors": [("ana nipa", "emi dalo"), ("lemu ana ratu", "lemu mo")],
    "pre_norm_model.safetensors": [("ana nipa", "dumo kapi"), ("lemu ana ratu", "kato nelu")],
}
# Parts that are removed and source words that are hidden, each in a pass of the model's second sentence.
PASSES = {
    "tiny_model.safetensors": [(["decoder.1.cross.1"], []), (["encoder.0"], []), (["decoder.0.feed_forward"], []),
                               (["positions"], []), (["tokens"], []), ([], [1]),
                               (["encoder.0.self.0", "decoder.0.self", "decoder.1.cross.0"], [0, 2])],
    "pre_norm_model.safetensors": [(["encoder.1.self.2"], []), (["decoder.0"], []), (["encoder.1.self"], []),
                                   (["positions"], []), (["tokens"], []), ([], [1]),
                                   (["decoder.1.self.1", "encoder.0.feed_forward", "decoder.0.cross"], [0, 2])],
}
SHIFTS, TABLE_ROWS, LENS_TOKENS, CANDIDATES, STEP_TOKENS = [1, 2, 4, 8, 16], 64, 5, 10, 100
EPSILON = 1e-5  # of layer norms
MAX_LENGTH = 24  # decoding.max_length of both models; a greedy search for T pieces ends after 2 T + 10
SPARSE = 5  # coprime to the lengths and widths of the incomplete items


def number(x):
    """Nine significant digits."""
    return float(f"{x:.9g}") + 0.0 if math.isfinite(x) else None


def array(tensor, every=1):
    """Keeps the elements 0, n, 2n, ... for `every` n, which should be coprime to the sizes."""
    values = tensor.flatten()[::every].tolist()
    values = values if tensor.dtype == torch.int64 else [number(x) for x in values]
    return {"shape": list(tensor.shape), **({"every": every} if every > 1 else {}), "values": values}


def maps(run, every):
    result = []
    for part in sublayers(run.config):
        if part not in run.attention:
            continue
        weights, value = run.attention[part]["weights"], run.attention[part]["value"]
        output = run.weights[module_name(part) + ".output.weight"].unflatten(1, (run.config["heads"], -1))
        norms = torch.stack([(value[h] @ output[:, h].T).norm(dim=-1) for h in range(run.config["heads"])])
        entropy = -torch.special.xlogy(weights, weights).sum(-1).mean(-1)
        side, layer, kind = part.split(".")
        result.append({"part": part, "side": side, "layer": int(layer), "kind": kind, "weights": array(weights, every),
                       "norms": array(weights * norms[:, None, :], every), "entropy": array(entropy)})
    return result


def masks(run):
    keys = torch.tensor([int(i not in run.hidden) for i in range(len(run.source))])
    causal = torch.ones(len(run.target), len(run.target), dtype=torch.int64).tril()
    return [{"name": "encoder.self", "visible": array(keys.expand(len(keys), -1))},
            {"name": "decoder.self", "visible": array(causal)},
            {"name": "decoder.cross", "visible": array(keys.expand(len(run.target), -1))}]


def stack(run, every):
    result = []
    for layer, output in run.outputs.items():
        vectors = {"input": run.inputs[layer]}
        vectors |= {kind: run.returned[f"{layer}.{kind}"] for kind in SUBLAYERS[layer.split(".")[0]]}
        vectors["output"] = output
        kept = vectors if every == 1 else {"output": output}
        similarity = torch.nn.functional.cosine_similarity(output[:, None], output[None], dim=-1, eps=1e-30)
        result.append({"part": layer, "vectors": {name: array(x, every) for name, x in kept.items()},
                       "norms": {name: array(x.norm(dim=-1)) for name, x in vectors.items()},
                       "similarity": array(similarity, every)})
    return result


def decoder_layers(run):
    return [f"decoder.{i}" for i in range(run.config["decoder_layers"])]


def lens(run, pieces, complete):
    states = torch.stack([run.embeddings["target"]["sum"]] + [run.outputs[layer] for layer in decoder_layers(run)])
    if run.config["final_norm"]:
        states = run.norm(states, "decoder.norm")
    log_p = run.logits(states).log_softmax(-1)
    assert (log_p[-1] - run.log_p).abs().max() < 1e-12
    chosen = log_p[:, range(len(run.target)), run.target]
    result = {"states": ["embedding"] + decoder_layers(run), "chosen": array(chosen),
              "rank": array(1 + (log_p > chosen[..., None]).sum(-1))}
    top = [[[{"id": i, "piece": pieces[i], "p": number(row[i].exp())} for i in row.topk(LENS_TOKENS).indices.tolist()]
            for row in state] for state in log_p]
    return result | ({"top": top} if complete else {})


def contributions(run):
    """The residual stream as a sum; each norm is linear when the variance of the whole is given."""
    components = {name: run.embeddings["target"][name] for name in ("tokens", "positions")}
    shift = torch.zeros_like(components["tokens"])

    def normalize(name):
        total = sum(components.values()) + shift
        deviation = (total.var(-1, correction=0, keepdim=True) + EPSILON).sqrt()
        scaled = lambda x: run.weights[name + ".weight"] * (x - x.mean(-1, keepdim=True)) / deviation
        return {part: scaled(x) for part, x in components.items()}, scaled(shift) + run.weights[name + ".bias"]

    for layer in decoder_layers(run):
        for kind in SUBLAYERS["decoder"]:
            components[f"{layer}.{kind}"] = run.returned[f"{layer}.{kind}"]
            if run.config["norm"] == "post":
                components, shift = normalize(module_name(f"{layer}.{kind}") + "_norm")
    if run.config["final_norm"]:
        components, shift = normalize("decoder.norm")
    rows = run.generator_weight()[run.target]
    values = {part: (x * rows).sum(-1) for part, x in (components | {"norm": shift}).items()}
    values["bias"] = run.weights["generator.bias"][run.target]
    logits = run.scores[range(len(run.target)), run.target]
    assert (sum(values.values()) - logits).abs().max() < 1e-12
    return {"parts": list(values), "values": array(torch.stack(list(values.values()))), "logits": array(logits)}


def steps(run):
    result = []
    for row in run.log_p:
        values, ids = row.sort(descending=True)
        top, others = values[:STEP_TOKENS], values[STEP_TOKENS:]
        tail = [number((others * 10 / i).logsumexp(0)) for i in range(1, 21)] if len(others) else None
        result.append({"top": [[i, number(x)] for i, x in zip(ids.tolist(), top)], "tail": tail})
    return result


def candidate_ids(run):
    result = run.log_p.topk(CANDIDATES).indices.tolist()
    return [ids if y in ids else ids[:-1] + [y] for ids, y in zip(result, run.target)]


def of_candidates(run, ids):
    return run.log_p.gather(-1, torch.tensor(ids))


def loss(run):
    return -run.log_p[range(len(run.target)), run.target].mean()


def greedy(model, source, tokenizer, longest, without=()):
    """The text of the likeliest token at each step, `longest` tokens at most, eos included."""
    ids = []
    while len(ids) < longest and load_model.EOS not in ids:
        log_p = RecordedPass(model, source, ids + [load_model.EOS], without).log_p[-1]
        ids.append(log_p.argmax().item())
    return tokenizer.decode([i for i in ids if i != load_model.EOS])


def interventions(model, base, words, tokenizer):
    ids = candidate_ids(base)
    names = layers_and_heads(model.config)
    longest = min(MAX_LENGTH, 2 * len(base.target) + 10)
    hide = lambda word: checked_pass(model, base.source, base.target, (), range(word["first"], word["last"]))
    by_word = [hide(word) for word in words]
    by_part = [checked_pass(model, base.source, base.target, [name], ()) for name in names]
    log_p = lambda runs: array(torch.stack([of_candidates(run, ids) for run in runs]))
    return {"words": {"log_probabilities": log_p(by_word)},
            "parts": {"names": names, "log_probabilities": log_p(by_part),
                      "loss": array(torch.stack([loss(run) for run in by_part])),
                      "texts": [greedy(model, base.source, tokenizer, longest, [name]) for name in names]},
            "loss": number(loss(base)), "greedy": greedy(model, base.source, tokenizer, longest)}


def heads_report(model, tokenizers, cases):
    """Loss for each target token, eos included, of several pairs: of the model, and without each of its parts."""
    pairs = [[tokenizer.encode(text) + [load_model.EOS] for tokenizer, text in zip(tokenizers, texts)]
             for texts in cases]

    def corpus_loss(without):
        runs = [RecordedPass(model, source, target, without) for source, target in pairs]
        return sum(loss(run) * len(run.target) for run in runs) / sum(len(run.target) for run in runs)

    names = layers_and_heads(model.config)
    return {"loss": number(corpus_loss([])),
            "parts": {"names": names, "loss": array(torch.stack([corpus_loss([name]) for name in names]))}}


def words_of(pieces):
    """Ranges of pieces; a word begins with U+2581. Eos is in no word."""
    begins = [i for i, piece in enumerate(pieces) if piece.startswith("\u2581")]
    ends = begins[1:] + [len(pieces)]
    return [{"text": "".join(pieces[a:b])[1:], "first": a, "last": b} for a, b in zip(begins, ends)]


def rotation(k, width):
    """The matrix that maps PE(t) to PE(t + k): a rotation of each pair (sin, cos)."""
    angles = k * 10000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.block_diag(*[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in angles])


def residual(table, k, learned):
    before, after = table[:-k], table[k:]
    if len(table) <= k or (learned and len(before) <= table.size(1)):  # some map fits that few rows exactly
        return None
    matrix = (torch.linalg.pinv(before) @ after).T if learned else rotation(k, table.size(1))
    return number((after - before @ matrix.T).norm(dim=-1).max())


def heads_of_positions(model, side, table):
    """Weights [H, P, P] of the first layer's self-attention to positions alone."""
    stack_name = {"source": "encoder", "target": "decoder"}[side]
    name = stack_name + ".layers.0.self_attention"
    visible = torch.ones(1, 1, len(table), len(table), dtype=torch.bool)
    visible = visible.tril() if side == "target" else visible
    run = RecordedPass(model, [load_model.EOS], [load_model.EOS])
    run.sublayer(table[None], name, lambda y: run.multi_head_attention(y, y, visible, name))
    return part_name(name), run.attention[part_name(name)]["weights"]


def positions(model, side):
    learned = model.config["positions"] == "learned"
    table = model.positions(min(TABLE_ROWS, model.config["max_positions"]) if learned else TABLE_ROWS, side)
    rows = model.positions(model.config["max_positions"], side) if learned else table
    dot, norm = table @ table.T, table.norm(dim=-1)
    part, heads = heads_of_positions(model, side, table)
    every = 37 if len(table) > 24 else 5
    return {"kind": model.config["positions"], "table": array(table, every=5), "dot": array(dot, every),
            "norm": array(norm), "shift": {"k": SHIFTS, "residual": [residual(rows, k, learned) for k in SHIFTS]},
            "heads": {"part": part, "clean": array(dot / norm[:, None] / norm, every), "learned": array(heads, every)}}


def item(model, number_of_model, texts, tokenizers, without=(), hidden_words=(), complete=False):
    pieces = [[tokenizer.id_to_piece(i) for i in range(tokenizer.get_piece_size())] for tokenizer in tokenizers]
    source, target = (tokenizer.encode(text) + [load_model.EOS] for tokenizer, text in zip(tokenizers, texts))
    words = words_of([pieces[0][i] for i in source[:-1]])
    hidden = [i for w in hidden_words for i in range(words[w]["first"], words[w]["last"])]
    run = checked_pass(model, source, target, without, hidden)
    placed = lambda side, ids: [{"piece": pieces[side][i], "id": i} for i in ids]
    ids, every = candidate_ids(run), 1 if complete else SPARSE
    result = {"model": number_of_model, "text": texts[0], "without": list(without), "hidden": list(hidden_words),
              "source": {"pieces": placed(0, source), "words": words},
              "target": {"text": texts[1], "pieces": placed(1, target),
                         "log_probability": number(-loss(run) * len(target)), "score": number(-loss(run))},
              "maps": maps(run, every), "masks": masks(run), "stack": stack(run, every),
              "lens": lens(run, pieces[1], complete),
              "contributions": contributions(run),
              "candidates": {"ids": ids, "log_probabilities": array(of_candidates(run, ids))}}
    if complete or "positions" in without or "tokens" in without:
        result["embedding"] = {side: {name: array(x, every) for name, x in parts.items()}
                               for side, parts in run.embeddings.items()}
    if complete:
        result["steps"] = steps(run)
        result["interventions"] = interventions(model, run, words, tokenizers[1])
    return result


def main():
    models, items = [], []
    for m, (name, cases) in enumerate(CASES.items()):
        model, *tokenizers = load_model.load(FOLDER / name)
        models.append({"name": name, "positions": {side: positions(model, side) for side in ("source", "target")},
                       "heads_report": heads_report(model, tokenizers, cases)})
        for i, texts in enumerate(cases):
            items.append(item(model, m, texts, tokenizers, complete=i == 0))
        items += [item(model, m, cases[1], tokenizers, without, hidden) for without, hidden in PASSES[name]]
    lines = lambda values: ",\n".join(json.dumps(value, separators=(",", ":")) for value in values)
    header = '{"written_by":"tests/golden/explanation.py",\n'
    text = f'{header}"models":[\n{lines(models)}\n],\n"items":[\n{lines(items)}\n]}}\n'
    (FOLDER / "explanation.json").write_text(text)


if __name__ == "__main__":
    with torch.no_grad():
        main()
