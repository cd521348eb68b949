// Lines over a common x axis, with the values under the pointer or the keyboard's cursor, and zoom by dragging.
(function(gloss) {
"use strict";

const MARGIN = {
  left: 56,
  right: 20,
  top: 10,
  bottom: 34
};
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

// Round numbers from low to high, about `count` of them.
gloss.ticks = (low, high, count) => {
  const rough = (high - low) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) || rough;
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) result.push(i * step);
  return result;
};

// 1, 2 and 5 times powers of ten, or the powers alone if that is many.
gloss.logTicks = (low, high) => {
  const result = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    for (const factor of high / low > 500 ? [1] : [1, 2, 5]) result.push(factor * 10 ** power);
  }
  return result.filter((value) => value >= low && value <= high);
};

const tickText = (value) => {
  const text = Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(1).replace("e+", "e")
    : String(Number(value.toPrecision(6)));
  return text.replace("-", "−");
};

// The index of the x that is nearest; xs rise.
function nearest(xs, x) {
  let low = 0;
  let high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
}

// options: {name, xName, series: [{name, x: [], y: [], color: index, dash: index}], zoom: function([low, high] or
// null), range: of x, height, low (smallest y), log (logarithmic y)}. Numbers that are null are gaps. update({series,
// range}) shows others.
gloss.plot = (first) => {
  let options = first;
  let range = options.range || null;
  let at = null;
  let drag = null;
  let cursor = null;
  const canvas = gloss.make("canvas", {tabindex: 0, role: "application", "aria-label": `${options.name}, plot`});
  const line = gloss.make("div", {class: "plot-line", hidden: true});
  const area = gloss.make("div", {class: "plot-drag", hidden: true});
  const readout = gloss.make("p", {class: "readout", role: "status"});
  const keys = gloss.make("p", {class: "plot-keys"});
  const body =
    gloss.make("div", {class: "plot"}, keys, gloss.make("div", {class: "map-frame"}, canvas, line, area), readout);

  const drawn = () => options.series.filter(({x}) => x.length > 0);

  function bounds() {
    const series = drawn();
    const xs = series.flatMap(({x}) => [x[0], x[x.length - 1]]);
    const [left, right] = range || [Math.min(...xs), Math.max(...xs)];
    let low = options.low ?? Infinity;
    let high = -Infinity;
    for (const {x, y} of series) {
      for (let i = 0; i < x.length; ++i) {
        if (x[i] < left || x[i] > right || y[i] === null || !Number.isFinite(y[i])) continue;
        low = Math.min(low, y[i]);
        high = Math.max(high, y[i]);
      }
    }
    if (low > high) [low, high] = [0, 1];
    if (options.log)
      return {left, right: right > left ? right : left + 1, low: low > 0 ? low / 1.1 : 1e-3, high: high * 1.1};
    const space = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
    return {left, right: right > left ? right : left + 1, low: options.low ?? low - space, high: high + space};
  }

  function paint() {
    const width = body.clientWidth || 320;
    const height = options.height || 190;
    const context = gloss.context(canvas, width, height);
    const box = bounds();
    const toX = (x) => MARGIN.left + ((x - box.left) / (box.right - box.left)) * (width - MARGIN.left - MARGIN.right);
    const level = options.log ? (y) => Math.log(Math.max(y, box.low)) : (y) => y;
    const toY = (y) => height - MARGIN.bottom -
      ((level(y) - level(box.low)) / (level(box.high) - level(box.low))) * (height - MARGIN.top - MARGIN.bottom);
    at = {
      ...box,
      toX,
      toY,
      width,
      height,
      fromX: (pixel) =>
        box.left + ((pixel - MARGIN.left) / (width - MARGIN.left - MARGIN.right)) * (box.right - box.left)
    };
    paintAxes(context);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, 0, width - MARGIN.left - MARGIN.right, height - MARGIN.bottom + 1);
    context.clip();
    drawn().forEach((series) => paintSeries(context, series));
    context.restore();
  }

  function paintAxes(context) {
    const {left, right, low, high, toX, toY, width, height} = at;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.strokeStyle = gloss.styleColor("--line");
    context.fillStyle = gloss.styleColor("--muted");
    context.textAlign = "right";
    for (const y of options.log ? gloss.logTicks(low, high) : gloss.ticks(low, high, 4)) {
      context.fillText(tickText(y), MARGIN.left - 6, toY(y));
      context.beginPath();
      context.moveTo(MARGIN.left, toY(y));
      context.lineTo(width - MARGIN.right, toY(y));
      context.stroke();
    }
    context.textAlign = "center";
    for (const x of gloss.ticks(left, right, width / 90))
      context.fillText(tickText(x), toX(x), height - MARGIN.bottom + 11);
    context.font = "italic 11px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText(`${options.xName} →`, width - MARGIN.right, height - 7);
  }

  function paintSeries(context, {x, y, color = 0, dash = 0}) {
    context.strokeStyle = context.fillStyle = gloss.LINES[color % gloss.LINES.length];
    context.lineWidth = 1.6;
    context.setLineDash(DASHES[dash % DASHES.length]);
    context.beginPath();
    let open = false;
    for (let i = 0; i < x.length; ++i) {
      if (y[i] === null || !Number.isFinite(y[i])) {
        open = false;
        continue;
      }
      if (open)
        context.lineTo(at.toX(x[i]), at.toY(y[i]));
      else
        context.moveTo(at.toX(x[i]), at.toY(y[i]));
      open = true;
    }
    context.stroke();
    context.setLineDash([]);
    if (x.length > 60) return;
    for (let i = 0; i < x.length; ++i) {
      if (y[i] !== null) context.fillRect(at.toX(x[i]) - 1.7, at.toY(y[i]) - 1.7, 3.4, 3.4);
    }
  }

  function drawKeys() {
    gloss.replace(keys, gloss.make("strong", null, options.name),
      drawn().length < 2
        ? null
        : drawn().map(({name, color = 0, dash = 0}) => gloss.make("span", {class: "key"},
                        gloss.makeSvg("svg", {width: 26, height: 8, "aria-hidden": "true"}, gloss.makeSvg("line", {
                          x1: 0,
                          x2: 26,
                          y1: 4,
                          y2: 4,
                          stroke: gloss.LINES[color % gloss.LINES.length],
                          "stroke-width": 2.4,
                          "stroke-dasharray": DASHES[dash % DASHES.length].join(" ")
                        })),
                        name)));
  }

  function show(x) {
    if (!at || drawn().length === 0) return;
    cursor = Math.max(at.left, Math.min(at.right, x));
    const values = drawn().map((series) => ({series, i: nearest(series.x, cursor)}));
    const pixel = at.toX(cursor);
    line.hidden = false;
    line.style.cssText = `left:${pixel}px;top:${MARGIN.top}px;height:${at.height - MARGIN.top - MARGIN.bottom}px`;
    readout.textContent = values
                            .map(({series, i}) => `${drawn().length > 1 ? `${series.name}, ` : ""}${options.xName} ${
                                   tickText(series.x[i])}: ${gloss.format(series.y[i])}`)
                            .join("; ");
  }

  const pixelOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener("pointermove", (event) => {
    if (!at) return;
    if (drag !== null) {
      const [from, to] = [drag, pixelOf(event)].sort((a, b) => a - b);
      area.hidden = false;
      area.style.cssText = `left:${from}px;width:${to - from}px;top:${MARGIN.top}px;` +
        `height:${at.height - MARGIN.top - MARGIN.bottom}px`;
    }
    show(at.fromX(pixelOf(event)));
  });
  canvas.addEventListener("pointerdown", (event) => {
    if (!options.zoom || event.pointerType === "touch") return;
    drag = pixelOf(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag === null) return;
    const [from, to] = [drag, pixelOf(event)].sort((a, b) => a - b);
    drag = null;
    area.hidden = true;
    if (to - from > 6) options.zoom([Math.max(at.left, at.fromX(from)), Math.min(at.right, at.fromX(to))]);
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
    area.hidden = true;
  });
  canvas.addEventListener("dblclick", () => options.zoom && options.zoom(null));
  canvas.addEventListener("keydown", (event) => {
    if (!at || event.altKey || event.ctrlKey || event.metaKey) return;
    const xs = (drawn()[0] || {x: []}).x.filter((x) => x >= at.left && x <= at.right);
    if (xs.length === 0) return;
    const now = cursor === null ? 0 : nearest(xs, cursor);
    const next = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: xs.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(xs[Math.max(0, Math.min(xs.length - 1, next))]);
  });

  drawKeys();
  gloss.paintWhenSeen(canvas, paint);
  gloss.watchWidth(body, () => gloss.repaint(canvas));
  body.update = (next) => {
    if (next.series) options = {...options, series: next.series};
    if (next.range !== undefined) range = next.range;
    line.hidden = true;
    readout.textContent = "";
    drawKeys();
    gloss.repaint(canvas);
  };
  return body;
};
})((window.gloss = window.gloss || {}));
