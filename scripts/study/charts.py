"""Line charts as SVG."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 66, 280, 34, 46
COLORS = ("#0b5394", "#c0392b", "#2e7d32", "#8e44ad", "#b9770e", "#00838f", "#5d4037", "#37474f", "#ad1457")
DASHES = ("", "6 3", "2 3")
MAX_TICKS = 7


class Axis:
    """Maps values to pixels, by their logarithms if `log`."""

    def __init__(self, values, first, last, log=False, from_zero=False):
        self.log, self.first, self.last = log, first, last
        low, high = min(values), max(values)
        if from_zero and not log:
            low = min(low, 0.0)
        if low == high:
            low, high = (low / 2, high * 2) if log and low > 0 else (low - 1, high + 1)
        if not log:
            step = _step(high - low)
            low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        self.low, self.high = self._scale(low), self._scale(high)

    def _scale(self, value):
        return math.log10(value) if self.log else value

    def at(self, value):
        share = (self._scale(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self):
        if not self.log:
            step = _step(self.high - self.low)
            count = round((self.high - self.low) / step)
            return [self.low + i * step for i in range(count + 1)]
        decades = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
        every = max(1, math.ceil(len(decades) / MAX_TICKS))
        ticks = [10.0 ** decade for decade in decades][::every]
        if len(ticks) > 2:
            return ticks
        finer = [factor * 10.0 ** decade for decade in range(math.floor(self.low), math.ceil(self.high))
                 for factor in (1, 2, 5)]
        return [value for value in finer if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9]


def _step(width):
    """A step of 1, 2 or 5 times a power of ten that cuts `width` into at most MAX_TICKS - 1 parts."""
    power = 10.0 ** math.floor(math.log10(width / (MAX_TICKS - 1)))
    return next(factor * power for factor in (1, 2, 5, 10) if width <= factor * power * (MAX_TICKS - 1) * (1 + 1e-9))


def number(value):
    """A number in few digits."""
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{round(value, 4):g}"


def line_chart(title, x_label, y_label, series, log_x=False, log_y=False, x_ticks=None):
    """An SVG picture of `series`: pairs of a name and points (x, y) or (x, y, lowest y, highest y).

    Bars from the lowest to the highest y show the spread. `x_ticks` are values with a tick of their own.
    None if no series has points.
    """
    series = [(name, points) for name, points in series if points]
    if not series:
        return None
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f"<title>{escape(title)}</title>", '<rect width="100%" height="100%" fill="#ffffff"/>',
             f'<text x="{LEFT}" y="20" font-weight="bold">{escape(title)}</text>',
             *_plot(x_label, y_label, series, log_x, log_y, x_ticks), "</svg>"]
    return "\n".join(parts) + "\n"


def _plot(x_label, y_label, series, log_x, log_y, x_ticks):
    points = [point for _, found in series for point in found]
    x_axis = Axis([point[0] for point in points], LEFT, WIDTH - RIGHT, log_x)
    y_axis = Axis([y for point in points for y in point[1:]], HEIGHT - BOTTOM, TOP, log_y, from_zero=True)
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for value in y_axis.ticks():
        y = y_axis.at(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number(value)}</text>')
    for value in x_ticks or x_axis.ticks():
        x = x_axis.at(value)
        parts.append(f'<path d="M{x:.1f} {bottom}v5" stroke="#555555"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{number(value)}</text>')
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#555555"/>')
    parts.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle" fill="#555555">'
                 f"{escape(x_label)}</text>")
    parts.append(f'<text transform="translate(14 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" '
                 f'fill="#555555">{escape(y_label)}</text>')
    for index, (name, found) in enumerate(series):
        parts += _line(index, name, found, x_axis, y_axis, right)
    return parts


def _line(index, name, points, x_axis, y_axis, right):
    color, dash = COLORS[index % len(COLORS)], DASHES[index % len(DASHES)]
    style = f'stroke="{color}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    places = [(x_axis.at(point[0]), y_axis.at(point[1])) for point in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    parts = [f'<path d="{path}" fill="none" {style}/>']
    if len(places) <= 20:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places]
    for point, (x, _) in zip(points, places):
        if len(point) == 4 and point[2] != point[3]:
            low, high = y_axis.at(point[2]), y_axis.at(point[3])
            parts.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{color}"/>')
    y = TOP + 10 + 20 * index
    parts.append(f'<path d="M{right + 10} {y}h22" {style}/>')
    parts.append(f'<text x="{right + 38}" y="{y + 4}">{escape(name)}</text>')
    return parts
