"""Figures of the trained translator: its training, its attention, its search."""

import math

from figure_registry import captioned, figure
from svg import Markup, escaped, heat_map, piece, plot, side_by_side, table


@figure
def training(numbers):
    run = numbers.run
    if run is None:
        return captioned("", "This page was made without the folder of a run, so there are no curves of a training.")
    train, valid = run["training"], run["validation"]
    return captioned(
        side_by_side(
            (
                "loss, nats a piece",
                plot(
                    [("training", train["step"], train["loss"]), ("validation", valid["step"], valid["loss"])],
                    "update",
                    "loss",
                    width=430,
                    bottom=0,
                ),
            ),
            (
                "BLEU of the validation text",
                plot([("", valid["step"], valid["bleu"])], "update", "BLEU", width=430, bottom=0),
            ),
            (
                "learning rate",
                plot([("", train["step"], train["learning_rate"])], "update", "rate", width=430, bottom=0),
            ),
            (
                "norm of the gradient",
                plot([("", train["step"], train["gradient_norm"])], "update", "norm", width=430, bottom=0),
            ),
        ),
        "The log of the run that trained the model of this page, by <code>gloss explain --run</code>.",
    )


@figure
def samples(numbers):
    run = numbers.run
    if run is None or not run["samples"]:
        return ""
    line = run["samples"][0]["line"]
    chosen = [each for each in run["samples"] if each["line"] == line]
    rows = [[each["step"], short(each["translation"])] for each in chosen]
    caption = f"Source: <q>{escaped(chosen[0]['source'])}</q> Reference: <q>{escaped(chosen[0]['reference'])}</q>"
    return captioned(table(["update", "greedy translation"], rows), caption)


def short(line, limit=90):
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + " …"


def pieces(item, side):
    return [piece(each["piece"]) for each in item[side]["pieces"]]


def map_of(item, part):
    """The weights [H, queries, keys] of a part, by name."""
    array = next(each["weights"] for each in item["maps"] if each["part"] == part)
    heads, rows, columns = array["shape"]
    at = iter(array["values"])
    return [[[next(at) for _ in range(columns)] for _ in range(rows)] for _ in range(heads)]


def mean(maps):
    return [[sum(cell) / len(maps) for cell in zip(*rows)] for rows in zip(*maps)]


def last(item, kind):
    """The name of the last layer's attention of a kind: "encoder.self", "decoder.self" or "decoder.cross"."""
    side, of = kind.split(".")
    return [each["part"] for each in item["maps"] if each["side"] == side and each["kind"] == of][-1]


NO_ATTENTION = captioned("", "The model of this page has no attention, so there is no map of it.")


@figure
def cross_attention(numbers):
    item = numbers.items[0]
    if not item["maps"]:
        return NO_ATTENTION
    part = last(item, "decoder.cross")
    target, source = pieces(item, "target"), pieces(item, "source")
    return captioned(
        heat_map(mean(map_of(item, part)), "cross-attention", target, source, 22),
        f"<code>{part}</code>, mean of its heads. Each row is the step that predicts the piece at its left. "
        f"<q>{escaped(item['text'])}</q> becomes <q>{escaped(item['target']['text'])}</q>",
    )


@figure
def heads(numbers):
    item = numbers.items[0]
    if not item["maps"]:
        return NO_ATTENTION
    panels = []
    for each in item["maps"]:
        maps = enumerate(map_of(item, each["part"]))
        drawn = [(f"head {head}", heat_map(w, f"{each['part']}.{head}", cell=6, titles=False)) for head, w in maps]
        panels.append((f"<code>{each['part']}</code>", side_by_side(*drawn)))
    return captioned(
        side_by_side(*panels),
        "All heads of the network on the sentence above: queries downward, keys to the right.",
    )


@figure
def next_pieces(numbers):
    item = numbers.items[0]
    ids, array = item["candidates"]["ids"], item["candidates"]["log_probabilities"]
    width = array["shape"][1]
    rows = []
    for t, name in enumerate(pieces(item, "target")):
        row = [name]
        for k in range(4):
            p = math.exp(array["values"][t * width + k])
            other = piece(item["names"][str(ids[t][k])])
            row.append(Markup(f"{escaped(other)}<small>{100 * p:.1f} %</small>"))
        rows.append(row)
    return captioned(
        table(["chosen", "first", "second", "third", "fourth"], rows),
        "The likeliest pieces at each step of the translation above.",
    )


@figure
def beam(numbers):
    item = numbers.items[0]
    nodes = item["beam"]["nodes"]

    def text_of(index):
        names = []
        while index >= 0:
            names.append(item["names"][str(nodes[index]["id"])])
            index = nodes[index]["parent"]
        return "".join(reversed(names)).replace("▁", " ").replace("</s>", "").strip()

    finished = [(each["score"], each["log_probability"], text_of(i)) for i, each in enumerate(nodes) if "score" in each]
    rows = [[words, log_p, score] for score, log_p, words in sorted(finished, reverse=True)[:5]]
    return captioned(
        table(["finished hypothesis", "log-probability", "score"], rows),
        f"A beam of {item['beam']['size']}; {len(nodes)} hypotheses were considered, {len(finished)} ended.",
    )


@figure
def translations(numbers):
    if not numbers.items[0]["maps"]:
        return NO_ATTENTION
    panels = []
    for item in numbers.items[1:]:
        part = last(item, "decoder.cross")
        drawn = heat_map(
            mean(map_of(item, part)), "cross-attention", pieces(item, "target"), pieces(item, "source"), 18
        )
        panels.append((f"{escaped(item['text'])}<br>{escaped(item['target']['text'])}", drawn))
    return captioned(side_by_side(*panels), "Cross-attention of the last layer, mean of its heads.") if panels else ""
