"""The tables and pictures of docs/study.md, made from the results alone."""

import os
import pathlib
import re

import pictures
import plan
from results import Figures, difference

MEBIBYTE = 1024 * 1024
NOT_RUN = "not run yet"
SECTIONS = {section.name: section for section in plan.SECTIONS}


def markdown(header, rows):
    """A table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def figures_of(found, *path):
    """The Figures under a path of keys, or None without a result that has them."""
    values = []
    for result in found:
        value = result
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            values.append(value)
    return Figures(tuple(values)) if values else None


def shown(figures, digits=2, factor=1.0):
    """Mean and range, as "70.59 [69.90, 71.20]"."""
    if figures is None:
        return ""
    mean = f"{factor * figures.mean:,.{digits}f}"
    if len(figures.values) == 1:
        return f"{mean} (one seed)"
    return f"{mean} [{factor * min(figures.values):,.{digits}f}, {factor * max(figures.values):,.{digits}f}]"


def only_mean(figures, digits, factor):
    """The mean of a figure that is the same for each seed."""
    return "" if figures is None else f"{factor * figures.mean:,.{digits}f}"


def shown_difference(figures, base, digits=2, factor=1.0):
    if figures is None or base is None:
        return ""
    value = difference(figures, base)
    if value is None:
        return "one seed"
    return "none" if value == 0 else f"{factor * value:+.{digits}f}"


class Comparison:
    """Rows of settings; differences are to the first of them."""

    def __init__(self, results, settings):
        self.settings = settings
        self.found = {setting.name: results.of(setting) for setting in settings}

    def rows(self, cells):
        """A row for each setting: its title, and `cells(results, results of the first setting)`."""
        base = self.found[self.settings[0].name]
        rows = []
        for setting in self.settings:
            found = self.found[setting.name]
            values = cells(found, [] if found is base else base)
            rows.append([f"{setting.title} `{setting.name}`", *(values if found else [NOT_RUN, *[""] * (len(values) - 1)])])
        return rows


def bleu_and_difference(found, base):
    diverged = sum(result.get("diverged", False) for result in found)
    bleu = figures_of(found, "bleu")
    text = shown(bleu) + (f" diverged: {diverged} of {len(found)}" if diverged else "")
    return [text.strip(), shown_difference(bleu, figures_of(base, "bleu"))]


def loss_and_bleu(found, base):
    loss = figures_of(found, "loss")
    return [shown(loss, 3), shown_difference(loss, figures_of(base, "loss"), 3), *bleu_and_difference(found, base)]


def costs(found):
    return [shown(figures_of(found, "update", "tokens_per_second"), 0),
            shown(figures_of(found, "update", "plain_tokens_per_second"), 0),
            only_mean(figures_of(found, "update", "plain_bytes"), 1, 1 / MEBIBYTE),
            only_mean(figures_of(found, "update", "parameters"), 2, 1e-6)]


def settings_table(settings):
    """Loss and BLEU of settings; also speed and memory, if these are measured for all of them."""
    has_costs = all(setting.has_costs for setting in settings)
    header = ["setting", "loss", "difference", "BLEU", "difference",
              *(["tokens/s", "by the equations", "MiB", "weights"] if has_costs else [])]

    def table(results):
        def cells(found, base):
            return [*loss_and_bleu(found, base), *(costs(found) if has_costs else [])]

        return markdown(header, Comparison(results, settings).rows(cells))

    return table


def multi30k_table(name):
    """Loss and BLEU of a section's settings on Multi30k."""

    def table(results):
        settings = [plan.on_multi30k(setting) for setting in SECTIONS[name].settings]
        return markdown(["setting, Multi30k", "loss", "difference", "BLEU", "difference"],
                        Comparison(results, settings).rows(loss_and_bleu))

    return table


def sentences_table(name):
    """BLEU by the number of sentences of a line; training has one to three."""

    def table(results):
        def cells(found, base):
            longer = figures_of(found, "longer_bleu")
            return [*(shown(figures_of(found, "bleu_by_sentences", str(count)), 1) for count in range(1, 7)),
                    shown(longer), shown_difference(longer, figures_of(base, "longer_bleu"))]

        return markdown(["setting", *map(str, range(1, 7)), "4 to 6", "difference"],
                        Comparison(results, SECTIONS[name].settings).rows(cells))

    return table


def orders_table(results):
    def cells(found, base):
        right = figures_of(found, "orders", "right")
        return [shown(figures_of(found, "orders", "different"), 1, 100), shown(right, 1, 100),
                shown_difference(right, figures_of(base, "orders", "right"), 1, 100)]

    return markdown(["positions", "translations differ, %", "both right, %", "difference"],
                    Comparison(results, SECTIONS["positions"].settings).rows(cells))


def smoothing_table(results):
    def cells(found, base):
        perplexity = figures_of(found, "perplexity")
        return [shown(figures_of(found, "loss"), 3), shown(perplexity, 3),
                shown_difference(perplexity, figures_of(base, "perplexity"), 3), *bleu_and_difference(found, base)]

    return markdown(["setting", "loss", "perplexity", "difference", "BLEU", "difference"],
                    Comparison(results, SECTIONS["smoothing"].settings).rows(cells))


def averaging_table(results):
    found = results.of(plan.base)
    bleu = figures_of(found, "bleu")
    rows = [["last weights", shown(bleu) or NOT_RUN, ""]]
    for count in plan.base.averages:
        average = figures_of(found, "bleu_of_average", str(count))
        rows.append([f"mean of the last {count} checkpoints", shown(average) or NOT_RUN, shown_difference(average, bleu)])
    ema = figures_of(results.of(plan.averaging[1]), "bleu")
    rows.append([plan.averaging[1].title, shown(ema) or NOT_RUN, shown_difference(ema, bleu)])
    return markdown(["weights", "BLEU", "difference"], rows)


def search_table(results):
    multi30k = plan.on_multi30k(plan.base)
    columns = [results.of(plan.base), results.of(multi30k)]
    greedy, rows = None, []
    for beam, penalty in plan.base.searches:
        figures = [figures_of(found, "bleu_of_search", f"{beam}, {penalty}") for found in columns]
        greedy = greedy or figures  # the first search
        row = [str(beam), f"{penalty:g}"]
        for value, base in zip(figures, greedy):
            row += [shown(value) or NOT_RUN, "" if value is base else shown_difference(value, base)]
        rows.append(row)
    return markdown(["beam size", "length penalty", "BLEU", "difference", "Multi30k", "difference"], rows)


def pairs_table(results):
    rows = []
    settings = {(setting.pairs, index // len(plan.PAIRS)): setting for index, setting in enumerate(plan.by_pairs)}
    for pairs in plan.PAIRS:
        row = [f"{pairs:,}"]
        base = figures_of(results.of(settings[pairs, 0]), "bleu")
        for index in range(len(plan.ARCHITECTURES)):
            bleu = figures_of(results.of(settings[pairs, index]), "bleu")
            row.append(shown(bleu) or NOT_RUN)
            if index > 0:
                row.append(shown_difference(bleu, base))
        rows.append(row)
    header = ["pairs", plan.ARCHITECTURES[0][1]]
    for architecture in plan.ARCHITECTURES[1:]:
        header += [architecture[1], "difference"]
    return markdown(header, rows)


def _figure_table(results, name, header, row_of):
    result = results.read(name)
    rows = [row_of(row) for row in result["rows"]] if result else [[NOT_RUN, *[""] * (len(header) - 1)]]
    return markdown(header, rows)


def scaling_table(results):
    return _figure_table(
        results, "figure-scores", ["d_k", "scores", "variance", "entropy", "largest weight", "mean gradient",
                                   "median gradient"],
        lambda row: [str(row["d_k"]), "q k / sqrt(d_k)" if row["scaled"] else "q k", f"{row['variance']:.2f}",
                     f"{row['entropy']:.2f}", f"{row['max_weight']:.3f}", f"{row['gradient']:.4f}",
                     f"{row['median_gradient']:.1e}"])


def gradients_table(results):
    rows = []
    for figure, title in zip(SECTIONS["residual"].figures, ("pre-norm", "pre-norm, no residual", "post-norm")):
        result = results.read(figure.name)
        if result is None:
            rows.append([title, NOT_RUN, "", "", "", ""])
            continue
        for row in result["rows"]:
            norms = [row["encoder"][0], row["encoder"][-1], row["decoder"][0], row["decoder"][-1]]
            rows.append([title, str(row["depth"]), *(f"{norm:.2g}" for norm in norms)])
    return markdown(["network", "layers", "encoder, first", "encoder, last", "decoder, first", "decoder, last"], rows)


def rates_table(results):
    result = results.read("figure-rates")
    rows = [[f"({curve['d_model']}, {curve['warmup']})", f"{curve['peak']:.6f}", f"{curve['rates'][-1][1]:.6f}"]
            for curve in result["curves"]] if result else [[NOT_RUN, "", ""]]
    return markdown(["(d_model, warm-up)", "highest rate", "rate at the end of the picture"], rows)


def distribution_table(results):
    result = results.read("figure-smoothing")
    if result is None:
        return markdown(["token", "share"], [[NOT_RUN, ""]])
    rows = [["target" if share == max(result["distribution"]) else f"other {index}", f"{share:.2f}"]
            for index, share in enumerate(result["distribution"])]
    least = min(result["rows"], key=lambda row: row["smoothed"])
    rows.append(["probability of the target token with the least loss", f"{least['probability']:.3f}"])
    return markdown(["token", "share"], rows)


def lengths_table(results):
    transformer, recurrent = results.read("figure-lengths"), results.read("figure-lengths-recurrent")
    if transformer is None or recurrent is None:
        return markdown(["positions", "attention"], [[NOT_RUN, ""]])
    rows = []
    for row, other in zip(transformer["rows"], recurrent["rows"]):
        parts = [row["attention"], row["feed_forward"], row["encoder"], other["encoder"]]
        rows.append([str(row["length"]), *(f"{1000 * part['seconds']:.2f} ms, {part['bytes'] / MEBIBYTE:.1f} MiB"
                                           for part in parts)])
    return markdown(["positions", "attention", "feed-forward", "encoder", "recurrent encoder"], rows)


def decoding_table(results):
    return _figure_table(
        results, "figure-decoding", ["tokens", "one parallel pass, ms", "with cache, ms", "without cache, ms",
                                     "same tokens", "largest difference"],
        lambda row: [str(row["length"]), *(f"{1000 * row[f'{path}_seconds']:.1f}"
                                           for path in ("parallel", "cached", "uncached")),
                     "yes" if row["equal"] else "no", f"{row['difference']:.0e}"])


OWN_TABLES = {
    "norm-places": settings_table(plan.norm_places_shallow),
    "norm-places-deep": settings_table(plan.norm_places_deep),
    "residual": settings_table(plan.residual[:2]), "residual-deep": settings_table(plan.residual[2:]),
    "search": search_table, "averaging": averaging_table, "smoothing": smoothing_table, "pairs": pairs_table}
TABLES = {name: settings_table(section.settings) for name, section in SECTIONS.items()
          if section.settings and name not in OWN_TABLES} | OWN_TABLES
TABLES |= {f"{name}-multi30k": multi30k_table(name) for name, section in SECTIONS.items()
           if section.multi30k and name != "search"}
TABLES |= {
    "positions-sentences": sentences_table("positions"), "recurrent-sentences": sentences_table("recurrent"),
    "orders": orders_table, "scaling": scaling_table, "gradients": gradients_table,
    "rates": rates_table, "distribution": distribution_table, "lengths": lengths_table, "decoding": decoding_table,
}
MARKED = re.compile(r"(<!-- table ([a-z0-9-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARKED_PICTURE = re.compile(r"(<!-- picture ([a-z0-9-]+): (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


class Page:
    """docs/study.md and its pictures."""

    def __init__(self, path, results):
        self.path, self.results = pathlib.Path(path), results

    def with_tables(self, text):
        """The text with each table between its markers. Throws KeyError for an unknown table."""
        return MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]](self.results)}\n{found[4]}", text)

    def with_pictures(self, text, drawn):
        """The text with a link to each picture that is drawn. Throws KeyError for an unknown picture."""
        folder = os.path.relpath(self.results.folder, self.path.parent)

        def shown_picture(found):
            name, title = found[2], found[3]
            place = f"![{title}]({folder}/{name}.svg)" if drawn[name] else f"*{title}: {NOT_RUN}*"
            return f"{found[1]}{place}\n{found[5]}"

        return MARKED_PICTURE.sub(shown_picture, text)

    def files(self):
        """Maps each file that is made to its contents, or to None if it must not exist."""
        drawn = {name: picture(self.results) for name, picture in pictures.PICTURES.items()}
        text = self.with_pictures(self.with_tables(self.path.read_text(encoding="utf-8")), drawn)
        return {self.path: text} | {self.results.folder / f"{name}.svg": picture for name, picture in drawn.items()}

    def write(self):
        self.results.folder.mkdir(parents=True, exist_ok=True)
        for path, text in self.files().items():
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text, encoding="utf-8")

    def check(self):
        """Prints the files that differ from the results; returns 1 if there are some."""
        code = 0
        for path, text in self.files().items():
            if (path.read_text(encoding="utf-8") if path.exists() else None) != text:
                print(f"study: {path} is not made from the results; run scripts/study.sh --tables")
                code = 1
        return code
