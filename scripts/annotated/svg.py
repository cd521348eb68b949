"""Draws heat maps, curves and tables as HTML that follows the colors of the page, light or dark."""

import html
import math

COLORS = ("blue", "orange", "muted")  # of the curves of a plot, in order


def escaped(text):
    return html.escape(str(text))


def shown(value, digits=3):
    """A number with a true minus sign."""
    return f"{value:.{digits}f}".replace("-", "−") if isinstance(value, float) else escaped(value)


def table(head, rows, digits=3):
    """A table; the first cell of each row is its label."""
    header = "".join(f"<th>{each}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{shown(cell, digits) if not is_html(cell) else cell}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>'


def is_html(cell):
    return isinstance(cell, Markup)


class Markup(str):
    """Text that is HTML already."""


def picture(width, height, body, label):
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{escaped(label)}">{body}</svg>'
    )


def text(x, y, value, anchor="start", style="", turn=0):
    turned = f' transform="rotate({turn} {x:g} {y:g})"' if turn else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{style}"{turned}>{escaped(value)}</text>'


def piece(name):
    """A piece of the tokenizer as it is shown: SentencePiece's mark of a word's beginning is a space."""
    return name.replace("▁", "") or "␣"


def heat_map(values, label, rows=None, columns=None, cell=14, signed=False, digits=2, titles=True):
    """Rows of numbers as cells: full color is 1; with `signed`, orange is positive and blue negative."""
    left = 8 + max((7 * len(each) for each in rows), default=0) if rows else 0
    upright = all(len(each) <= 2 for each in columns or ())
    top = 0 if not columns else 16 if upright else 8 + max(7 * len(each) for each in columns)
    parts = []
    for r, row in enumerate(values):
        if rows:
            parts.append(text(left - 5, top + (r + 0.72) * cell, rows[r], "end"))
        for c, value in enumerate(row):
            strength = min(abs(value), 1)
            kind = "n" if signed and value < 0 else "p" if signed else "w"
            if strength < 0.005:
                continue
            title = ""
            if titles and rows and columns:
                title = f"<title>{escaped(rows[r])} → {escaped(columns[c])}: {shown(float(value), digits)}</title>"
            parts.append(
                f'<rect x="{left + c * cell:g}" y="{top + r * cell:g}" width="{cell}" height="{cell}" class="{kind}" '
                f'fill-opacity="{strength:.2f}">{title}</rect>'
            )
    for c, name in enumerate(columns or ()):
        if upright:
            parts.append(text(left + (c + 0.5) * cell, top - 5, name, "middle"))
        else:
            parts.append(text(left + (c + 0.7) * cell, top - 5, name, turn=-90))
    width, height = len(values[0]) * cell, len(values) * cell
    parts.append(f'<rect x="{left}" y="{top}" width="{width:g}" height="{height:g}" class="frame"/>')
    return picture(left + width + 1, top + height + 1, "".join(parts), label)


def ticks(low, high, count=5):
    """Round numbers from low to high."""
    if high <= low:
        return [low]
    raw = (high - low) / count
    unit = 10 ** math.floor(math.log10(raw))
    step = next(unit * each for each in (1, 2, 5, 10) if unit * each >= raw)
    first = math.ceil(low / step - 1e-9)
    return [step * index for index in range(first, math.floor(high / step + 1e-9) + 1)]


def number(value):
    """A number of an axis, as short as possible."""
    if value != 0 and abs(value) < 1e-2:
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    return f"{value:,.10g}".replace("-", "−")


def plot(curves, x_label, y_label, log_x=False, log_y=False, x_ticks=None, width=560, height=270, bottom=None):
    """Curves as (name, xs, ys); `bottom` is the least value of the axis."""
    at_x = math.log10 if log_x else float
    at_y = math.log10 if log_y else float
    left, right, top, foot = 58, 14, 12, 42
    xs = [at_x(x) for _, each, _ in curves for x in each]
    ys = [at_y(y) for _, _, each in curves for y in each]
    low_x, high_x = min(xs), max(xs)
    low_y, high_y = min(ys) if bottom is None else at_y(bottom), max(ys)
    if log_y:
        low_y, high_y = math.floor(low_y), math.ceil(high_y)
    high_y = high_y if high_y > low_y else low_y + 1

    def place(x, y):
        return (
            left + (at_x(x) - low_x) / ((high_x - low_x) or 1) * (width - left - right),
            height - foot - (at_y(y) - low_y) / (high_y - low_y) * (height - foot - top),
        )

    parts = []
    lines = [10.0**e for e in range(int(low_y), int(high_y) + 1)] if log_y else ticks(low_y, high_y)
    for value in lines:
        _, y = place(10**low_x if log_x else low_x, value)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(text(left - 6, y + 4, number(value), "end"))
    for value in x_ticks or ticks(low_x, high_x):
        x, _ = place(value, lines[0])
        parts.append(text(x, height - foot + 17, number(value), "middle"))
    for index, (name, each_x, each_y) in enumerate(curves):
        points = [place(x, y) for x, y in zip(each_x, each_y)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="{path}" class="curve c{index}"/>')
        if len(points) <= 30:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" class="dot c{index}"/>' for x, y in points]
    parts.append(text((left + width - right) / 2, height - 6, x_label, "middle", "axis"))
    parts.append(text(13, (top + height - foot) / 2, y_label, "middle", "axis", -90))
    drawn = picture(width, height, "".join(parts), f"{y_label} against {x_label}")
    names = [name for name, _, _ in curves if name]
    legend = "".join(f'<span class="key c{index}">{escaped(name)}</span>' for index, name in enumerate(names))
    return drawn + (f'<div class="legend">{legend}</div>' if names else "")


def side_by_side(*titled):
    """Pictures with titles in one row that wraps."""
    each = "".join(f'<div class="panel"><div class="title">{title}</div>{body}</div>' for title, body in titled)
    return f'<div class="panels">{each}</div>'
