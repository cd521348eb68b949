"""The pictures of docs/study.md, made from the results alone; None where no result has points."""

import plan
from charts import line_chart

MEBIBYTE = 1024 * 1024


def _point(x, values):
    """x with the mean of the values, the least and the largest."""
    return (x, sum(values) / len(values), min(values), max(values))


def sentences_picture(title, settings):
    """BLEU by the number of sentences of a line."""

    def picture(results):
        series = []
        for setting in settings:
            found = [result for result in results.of(setting) if "bleu_by_sentences" in result]
            points = [_point(count, [result["bleu_by_sentences"][str(count)] for result in found])
                      for count in range(1, 7)] if found else []
            series.append((setting.title, points))
        return line_chart(title, "sentences in a line (training: 1 to 3)", "BLEU", series)

    return picture


def pairs_picture(results):
    series = []
    for index, architecture in enumerate(plan.ARCHITECTURES):
        points = []
        for setting in plan.by_pairs[index * len(plan.PAIRS):(index + 1) * len(plan.PAIRS)]:
            values = [result["bleu"] for result in results.of(setting) if "bleu" in result]
            if values:
                points.append(_point(setting.pairs, values))
        series.append((architecture[1], points))
    return line_chart("BLEU by pairs of training text", "pairs", "BLEU", series, log_x=True, x_ticks=plan.PAIRS)


def training_picture(title, settings):
    """Training loss by update, the mean over the seeds."""

    def picture(results):
        series = []
        for setting in settings:
            curves = [result["training_losses"] for result in results.of(setting) if "training_losses" in result]
            points = [(steps[0][0], sum(loss for _, loss in steps) / len(steps)) for steps in zip(*curves)]
            series.append((setting.title, points))
        return line_chart(title, "update", "training loss", series)

    return picture


def scaling_picture(key, title, log_y):
    def picture(results):
        result = results.read("figure-scores")
        series = [(name, [(row["d_k"], row[key]) for row in result["rows"] if row["scaled"] is scaled] if result else [])
                  for name, scaled in (("q k / sqrt(d_k)", True), ("q k", False))]
        return line_chart(title, "d_k", key, series, log_x=True, log_y=log_y,
                          x_ticks=[row["d_k"] for row in result["rows"] if row["scaled"]] if result else None)

    return picture


def gradients_picture(stack):
    """Gradient norms of the layers of a stack at the largest depth; those of exactly 0 have no point."""

    def picture(results):
        series = []
        for name, title in (("figure-gradients", "pre-norm"), ("figure-gradients-no-residual", "pre-norm, no residual"),
                            ("figure-gradients-post", "post-norm")):
            result = results.read(name)
            norms = result["rows"][-1][stack] if result else []
            series.append((title, [(layer, norm) for layer, norm in enumerate(norms, 1) if norm > 0]))
        return line_chart(f"Gradient of the {stack}'s layers, 12 + 12 layers", f"layer of the {stack}", "gradient norm",
                          series, log_y=True, x_ticks=(1, 4, 8, 12))

    return picture


def smoothing_picture(results):
    result = results.read("figure-smoothing")
    series = [(title, [(row["probability"], row[key]) for row in result["rows"]] if result else [])
              for title, key in (("epsilon 0.4", "smoothed"), ("no smoothing", "unsmoothed"))]
    return line_chart("Loss by the probability of the target token, V = 5", "probability", "loss", series)


def rates_picture(results):
    result = results.read("figure-rates")
    series = [(f"({curve['d_model']}, {curve['warmup']})", curve["rates"]) for curve in result["curves"]] if result else []
    return line_chart("Learning rate of noam: (d_model, warm-up)", "update", "learning rate", series)


def lengths_picture(key, title, y_label, factor):
    def picture(results):
        transformer, recurrent = results.read("figure-lengths"), results.read("figure-lengths-recurrent")
        series = []
        if transformer and recurrent:
            series = [(name, [(row["length"], factor * row[part][key]) for row in result["rows"]])
                      for name, result, part in (("attention", transformer, "attention"),
                                                 ("feed-forward", transformer, "feed_forward"),
                                                 ("encoder", transformer, "encoder"),
                                                 ("recurrent encoder", recurrent, "encoder"))]
        return line_chart(title, "positions", y_label, series, log_x=True, log_y=True,
                          x_ticks=[row["length"] for row in transformer["rows"]] if transformer else None)

    return picture


def decoding_picture(results):
    result = results.read("figure-decoding")
    series = [(title, [(row["length"], 1000 * row[f"{key}_seconds"]) for row in result["rows"]] if result else [])
              for title, key in (("one parallel pass", "parallel"), ("steps with cache", "cached"),
                                 ("steps without cache", "uncached"))]
    return line_chart("Decoding one sentence", "tokens", "milliseconds", series, log_x=True, log_y=True,
                      x_ticks=[row["length"] for row in result["rows"]] if result else None)


PICTURES = {
    "scaling-variance": scaling_picture("variance", "Variance of attention scores", True),
    "scaling-entropy": scaling_picture("entropy", "Entropy of attention weights (nats)", False),
    "scaling-gradient": scaling_picture("gradient", "Mean absolute gradient of a score", False),
    "norm-places": training_picture("Training loss, 6 + 6 layers", plan.norm_places_deep),
    "gradients-encoder": gradients_picture("encoder"),
    "gradients-decoder": gradients_picture("decoder"),
    "positions": sentences_picture("BLEU by length: positions", plan.positions),
    "smoothing": smoothing_picture,
    "rates": rates_picture,
    "recurrent": sentences_picture("BLEU by length: recurrent and Transformer", plan.recurrent),
    "pairs": pairs_picture,
    "lengths-time": lengths_picture("seconds", "Time of forward and backward pass", "milliseconds", 1000),
    "lengths-memory": lengths_picture("bytes", "Memory of forward and backward pass", "MiB", 1 / MEBIBYTE),
    "decoding": decoding_picture,
}
