// A heat map of [rows, columns] numbers: labels on both axes, the number under the pointer or the keyboard's cursor.
(function(gloss) {
"use strict";

const FONT = "system-ui, sans-serif";
const LONGEST_LABEL = 116;  // pixels

function clip(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let short = text;
  while (short && context.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return `${short}…`;
}

// The sizes in pixels of a map that has `available` pixels of width.
function layout(context, options, available) {
  const [rows, columns] = options.array.shape;
  const longest = (labels) => Math.ceil(
    labels ? Math.min(LONGEST_LABEL, Math.max(8, ...labels.map((text) => context.measureText(text).width))) : 0);
  const {minCell = 9, maxCell = 42, cellHeight} = options;
  const left =
    Math.ceil(options.rowLabels ? Math.max(longest(options.rowLabels) + 8,
                                    options.rowName ? context.measureText(`${options.rowName} ↓`).width + 6 : 0)
                                : 1);
  const width = Math.max(minCell, Math.min(maxCell, Math.floor((available - left - 2) / columns)));
  const widest = longest(options.columnLabels);
  const upright = options.columnLabels && !options.sparse && widest > width - 4;
  const names = options.rowName || options.columnName ? 16 : 0;
  const top = names + (options.columnLabels ? (upright ? widest + 8 : 16) : 1);
  const height = cellHeight || Math.min(width, options.maxHeight || width);
  return {
    rows,
    columns,
    left,
    top,
    names,
    upright,
    cell: [width, height],
    size: [left + columns * width + 1, top + rows * height + 1]
  };
}

// Upright: Chinese, Japanese and Korean in a column of characters, other text turned by a quarter.
function paintColumnLabel(context, text, upright) {
  context.textAlign = "center";
  if (upright && gloss.IDEOGRAPHS.test(text) && !/[a-z]/i.test(text)) {
    const characters = [...text];
    characters.forEach((character, i) => context.fillText(character, 0, (i + 1 - characters.length) * 11 - 3));
    return;
  }
  if (upright) {
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
  }
  context.fillText(text, 0, 0);
}

function paintLabels(context, options, at) {
  const [width, height] = at.cell;
  context.fillStyle = gloss.styleColor("--ink");
  context.textBaseline = "middle";
  context.font = `${Math.min(width, height) < 11 && !options.sparse ? 9 : 11}px ${FONT}`;
  const everyRow = Math.ceil(9 / height);
  context.textAlign = "right";
  (options.rowLabels || []).forEach((text, i) => {
    if (i % everyRow) return;
    context.fillText(clip(context, text, LONGEST_LABEL), at.left - 5, at.top + (i + 0.5) * height);
  });
  const everyColumn = options.sparse ? Math.ceil(30 / width) : Math.ceil((at.upright ? 9 : 1) / width);
  (options.columnLabels || []).forEach((text, j) => {
    if (j % everyColumn) return;
    context.save();
    context.translate(at.left + (j + 0.5) * width, at.top - (at.upright ? 4 : 8));
    paintColumnLabel(context, clip(context, text, LONGEST_LABEL), at.upright);
    context.restore();
  });
  context.fillStyle = gloss.styleColor("--muted");
  context.font = `italic 11px ${FONT}`;
  context.textAlign = "left";
  if (options.columnName) context.fillText(`${options.columnName} →`, at.left + 1, 7);
  if (options.rowName)
    context.fillText(`${options.rowName} ↓`, 0, at.top - (at.upright || !options.columnLabels ? 8 : 9));
}

function paintCells(context, options, at, color) {
  const {array} = options;
  const image = new ImageData(at.columns, at.rows);
  for (let i = 0, to = 0; i < at.rows; ++i) {
    for (let j = 0; j < at.columns; ++j, to += 4) {
      const [red, green, blue] = color(array.at(i, j));
      image.data[to] = red;
      image.data[to + 1] = green;
      image.data[to + 2] = blue;
      image.data[to + 3] = 255;
    }
  }
  const small = document.createElement("canvas");
  small.width = at.columns;
  small.height = at.rows;
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  const [width, height] = at.cell;
  context.drawImage(small, at.left, at.top, at.columns * width, at.rows * height);
  context.strokeStyle = gloss.styleColor("--line");
  context.strokeRect(at.left - 0.5, at.top - 0.5, at.columns * width + 1, at.rows * height + 1);
  if (options.numbers === false || width < 28 || height < 16) return;
  context.font = `10px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let i = 0; i < at.rows; ++i) {
    for (let j = 0; j < at.columns; ++j) {
      context.fillStyle = gloss.inkOn(color(array.at(i, j)));
      context.fillText(
        gloss.formatShort(array.at(i, j), array.scale), at.left + (j + 0.5) * width, at.top + (i + 0.5) * height);
    }
  }
}

function legend(range) {
  const canvas = gloss.make("canvas", {"aria-hidden": "true"});
  gloss.paintWhenSeen(canvas, () => {
    const context = gloss.context(canvas, 100, 10);
    const color = gloss.scale(range());
    const {low, high, diverging} = range();
    const bound = Math.max(Math.abs(low), Math.abs(high));
    const [from, to] = diverging ? [-bound, bound] : [low, high];
    for (let x = 0; x < 100; ++x) {
      context.fillStyle = gloss.css(color(from + ((to - from) * x) / 99));
      context.fillRect(x, 0, 1, 10);
    }
    before.textContent = gloss.format(from);
    after.textContent = gloss.format(to);
  });
  const before = gloss.make("span");
  const after = gloss.make("span");
  const result = gloss.make("span", {class: "legend"}, before, canvas, after);
  result.update = () => gloss.repaint(canvas);
  return result;
}

// options: {array, name, rowLabels, columnLabels, rowName, columnName, low, high, diverging, describe(i, j), select(i,
// j), point(i, j), minCell, maxCell, cellHeight, maxHeight, numbers, sparse, legend, readout}. describe makes the text
// for a cell, select is called for a click or Enter, point for every cell under the pointer. A missing low or high is
// that of the array. update(options) shows other numbers.
gloss.heatMap = (first) => {
  let options = first;
  let at;
  let cursor = [0, 0];
  const canvas = gloss.make("canvas", {tabindex: 0, role: "application", "aria-label": options.name || "Map"});
  const mark = gloss.make("div", {class: "mark", hidden: true});
  const frame = gloss.make("div", {class: "map-frame"}, canvas, mark);
  const scroll = gloss.make("div", {class: "scroll"}, frame);
  const readout = options.readout || gloss.make("p", {class: "readout", role: "status"});

  const range = () => {
    const [low, high] = options.low === undefined || options.high === undefined ? gloss.extent(options.array) : [];
    return {low: options.low ?? low, high: options.high ?? high, diverging: options.diverging};
  };
  const colors = options.legend === false ? null : legend(range);
  const body = gloss.make(
    "div", {class: "map"}, scroll, gloss.make("div", {class: "below"}, colors, options.readout ? null : readout));

  function paint() {
    const context = canvas.getContext("2d");
    context.font = `11px ${FONT}`;
    at = layout(context, options, scroll.clientWidth || 320);
    const fresh = gloss.context(canvas, ...at.size);
    fresh.font = `11px ${FONT}`;
    paintLabels(fresh, options, at);
    paintCells(fresh, options, at, gloss.scale(range()));
    if (!mark.hidden) show(...cursor);
  }

  function show(i, j) {
    if (!at) return;
    cursor = [Math.max(0, Math.min(at.rows - 1, i)), Math.max(0, Math.min(at.columns - 1, j))];
    const [row, column] = cursor;
    const [width, height] = at.cell;
    mark.hidden = false;
    mark.style.cssText = `left:${at.left + column * width}px;top:${at.top + row * height}px;` +
      `width:${width}px;height:${height}px`;
    readout.textContent = options.describe
      ? options.describe(row, column)
      : `row ${row}, column ${column}: ${gloss.format(options.array.at(row, column), options.array.scale)}`;
    if (options.point) options.point(row, column);
  }

  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const j = Math.floor((event.clientX - box.left - at.left) / at.cell[0]);
    const i = Math.floor((event.clientY - box.top - at.top) / at.cell[1]);
    return i < 0 || j < 0 || i >= at.rows || j >= at.columns ? null : [i, j];
  }

  canvas.addEventListener("pointermove", (event) => {
    const cell = at && cellAt(event);
    if (cell) show(...cell);
  });
  canvas.addEventListener("click", (event) => {
    const cell = at && cellAt(event);
    if (!cell) return;
    show(...cell);
    if (options.select) options.select(...cell);
  });
  canvas.addEventListener("focus", () => at && canvas.matches(":focus-visible") && show(...cursor));
  canvas.addEventListener("keydown", (event) => {
    const [i, j] = cursor;
    const next = {
      ArrowUp: [i - 1, j],
      ArrowDown: [i + 1, j],
      ArrowLeft: [i, j - 1],
      ArrowRight: [i, j + 1],
      Home: [i, 0],
      End: [i, Infinity],
      PageUp: [0, j],
      PageDown: [Infinity, j]
    }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (next) {
      event.preventDefault();
      show(...next);
      scroll.scrollLeft = Math.max(0, at.left + cursor[1] * at.cell[0] - scroll.clientWidth / 2);
    } else if (event.key === "Enter" && options.select) {
      options.select(i, j);
    }
  });

  gloss.paintWhenSeen(canvas, paint);
  gloss.watchWidth(body, () => gloss.repaint(canvas));
  body.update = (next) => {
    options = {...options, ...next};
    canvas.setAttribute("aria-label", options.name || "Map");
    mark.hidden = true;
    readout.textContent = "";
    gloss.repaint(canvas);
    if (colors) colors.update();
  };
  body.show = show;
  return body;
};

// A small picture of an array without labels, one pixel a cell.
gloss.thumbnail = (array, range) => {
  const canvas = gloss.make("canvas", {class: "thumbnail", "aria-hidden": "true"});
  gloss.paintWhenSeen(canvas, () => {
    const [rows, columns] = array().shape;
    canvas.width = columns;
    canvas.height = rows;
    const [low, high] = gloss.extent(array());
    paintCells(canvas.getContext("2d"), {array: array(), numbers: false},
      {rows, columns, left: 0, top: 0, cell: [1, 1]}, gloss.scale({low: 0, high, ...range, ...(low < 0 ? {low} : {})}));
  });
  return canvas;
};
})((window.gloss = window.gloss || {}));
