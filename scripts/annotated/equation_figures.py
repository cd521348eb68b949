"""Figures of the equations: numbers of examples/annotated_figures and of the other programs of examples/."""

import architecture_figure
from figure_registry import captioned, figure
from svg import Markup, escaped, heat_map, plot, side_by_side, table


@figure
def architecture(_):
    return captioned(
        architecture_figure.draw(),
        "The whole network, to be read upward. A thin line around a box is a residual connection. Pre-norm: each "
        "sublayer of a layer has a LayerNorm before it, and one more ends each stack.",
    )


@figure
def shapes(numbers):
    return captioned(
        f"<pre>{escaped(numbers.shapes.strip())}</pre>",
        "Output of <code>examples/shapes</code>, a program of the build.",
    )


@figure
def attention_by_hand(numbers):
    worked = numbers.figures["attention"]
    pairs = zip(worked["key"], worked["value"])
    keys = [[f"key {s}", cells(key, 0), cells(value, 0)] for s, (key, value) in enumerate(pairs)]
    queries = [[f"query {t}", cells(query, 0)] for t, query in enumerate(worked["query"])]
    stages = [
        [f"query {t}", *(cells(worked[stage][t], digits) for stage, digits in STAGES)] for t in range(len(queries))
    ]
    head = ["", "q · k", "q · k / √4", "softmax", "weighted mean of the values"]
    return captioned(
        side_by_side(("", table(["", "q"], queries)), ("", table(["", "k", "v"], keys))) + table(head, stages),
        "Computed by <code>attention</code> itself, from <code>examples/annotated_figures</code>.",
    )


STAGES = (("products", 0), ("scores", 0), ("weights", 3), ("output", 2))


def cells(values, digits):
    return Markup("<code>" + "&ensp;".join(f"{value:.{digits}f}".replace("-", "−") for value in values) + "</code>")


@figure
def scaling(numbers):
    rows = numbers.figures["scaling"]
    widths = [row["d_k"] for row in rows]

    def curves(key):
        return [
            ("divided by √d_k", widths, [row["scaled"][key] for row in rows]),
            ("not divided", widths, [row["unscaled"][key] for row in rows]),
        ]

    options = {"log_x": True, "x_ticks": widths, "width": 430, "height": 240}
    return captioned(
        side_by_side(
            ("variance of the scores", plot(curves("variance"), "d_k", "variance", log_y=True, **options)),
            ("entropy of the weights, nats", plot(curves("entropy"), "d_k", "entropy", bottom=0, **options)),
            ("greatest of 32 weights", plot(curves("greatest"), "d_k", "weight", bottom=0, **options)),
            ("derivatives of the softmax, summed", plot(curves("slope"), "d_k", "Σ w(1 − w)", bottom=0, **options)),
        ),
        "Random queries and 32 random keys of variance 1, mean of 256 queries. Computed by <code>attention</code>; the "
        "second curve takes the division back.",
    )


@figure
def masks(numbers):
    masks_ = numbers.figures["masks"]
    index = [str(i) for i in range(8)]
    one = {"rows": index, "columns": index, "cell": 18, "digits": 0}
    return captioned(
        side_by_side(
            ("causal", heat_map(masks_["causal"], "causal mask", **one)),
            ("padding, sentence of 8", heat_map(masks_["padding"][0], "padding mask, 8 of 8", **one)),
            ("padding, sentence of 5", heat_map(masks_["padding"][1], "padding mask, 5 of 8", **one)),
        ),
        "Rows are queries, columns are keys; a filled cell is visible. From <code>Mask::visible</code>.",
    )


@figure
def norm(numbers):
    each = numbers.figures["norm"]
    rows = [[cells(x, 0), cells(y, 4)] for x, y in zip(each["x"], each["y"])]
    return captioned(table(["x", "LayerNorm(x)"], rows), "Computed by <code>LayerNormImpl::forward</code>.")


@figure
def positions(numbers):
    each = numbers.figures["positions"]
    width = len(each["table"][0])
    distance = list(range(len(each["product"])))
    return captioned(
        side_by_side(
            (
                f"PE(t, i): positions 0 to 63 downward, dimensions 0 to {width - 1} to the right",
                heat_map(each["table"], "sinusoids", cell=6, signed=True),
            ),
            (
                "PE(0) · PE(k)",
                plot([("", distance, each["product"])], "distance k", "product", width=430, height=260),
            ),
        ),
        "Orange is positive, blue negative. From <code>sinusoids</code>.",
    )


@figure
def rates(numbers):
    curves = [
        (f"d_model {each['d_model']}, warm-up {each['warmup']}", each["steps"], each["values"])
        for each in numbers.figures["rates"]
    ]
    return captioned(plot(curves, "update", "learning rate", bottom=0), "From <code>learning_rate</code>.")


@figure
def smoothing(numbers):
    each = numbers.figures["smoothing"]
    rows = ["target 2", "target 1", "padding", "target 3", "target 4"]
    curves = [(f"ε = {curve['epsilon']:g}", curve["p"], curve["loss"]) for curve in each["curves"]]
    return captioned(
        side_by_side(
            (
                "the smoothed targets, V = 5, ε = 0.4",
                heat_map(each["distribution"], "smoothed targets", rows, [str(i) for i in range(5)], 32),
            ),
            ("loss by the probability of the right piece", plot(curves, "probability", "loss", width=430, bottom=0)),
        ),
        "From <code>label_smoothed_loss</code>: the targets are minus its gradient by the log-probabilities.",
    )


@figure
def dropout(numbers):
    each = numbers.figures["dropout"]
    kept = [[1 if value else 0 for value in row] for row in each["values"]]
    return captioned(
        heat_map(kept, "elements that dropout keeps", cell=12),
        f"384 elements with p = 0.1; {100 * each['zeros']:.1f} % are zero, the others 1 / 0.9, and the mean is "
        f"{each['mean']:.3f}. From <code>dropout</code>.",
    )


@figure
def adam(numbers):
    rows = [[each["step"], each["large"], each["small"]] for each in numbers.figures["adam"]]
    return captioned(
        table(["update", "parameter with gradient 1", "parameter with gradient 0.01"], rows, 4),
        "Two parameters that begin at 0, learning rate 0.001. From the class <code>Adam</code>.",
    )


@figure
def copy_task(numbers):
    steps, losses, last = numbers.copy_task
    return captioned(
        plot([("", steps, losses)], "update", "nats a token", log_y=True),
        f"Output of <code>examples/copy_task</code>, which ends with: {escaped(last)}.",
    )
