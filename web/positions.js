// Section 3: positional encodings, sinusoidal or learned.
(function(gloss) {
"use strict";

const {make} = gloss;

// Frequencies of the sinusoids: the exponent of 10000, and its value for a column.
const FREQUENCIES = {
  paper: {exponent: "2i/d", of: (column, width) => (column - (column % 2)) / width},
  tensor2tensor:
    {exponent: "i/(d/2-1)", of: (column, width) => Math.floor(column / 2) / Math.max(Math.floor(width / 2) - 1, 1)},
};
const wavelength = (column, width, frequencies) => 2 * Math.PI * 10000 ** frequencies.of(column, width);

// Columns of a wide table are means of `together` neighbors.
function tableMap(table, kind, together, frequencies) {
  const [positions, width] = table.shape;
  const angle = `t / 10000^(${frequencies.exponent})`;
  return gloss.figure(kind === "sinusoidal"
      ? `PE(t, 2i) = sin(${angle}), PE(t, 2i+1) = cos(${angle}): fast waves on the left, slow ones on the right.`
      : "The learned vector of each position.",
    gloss.heatMap({
      array: table,
      name: "Positional encodings",
      rowName: "Position",
      columnName: "Column",
      diverging: true,
      numbers: false,
      rowLabels: Array.from({length: positions}, (_, t) => String(t)),
      columnLabels: Array.from({length: width}, (_, c) => String(c * together)),
      sparse: true,
      minCell: 1,
      maxCell: 8,
      cellHeight: 5,
      describe: (t, c) => `PE(${t}, ${c * together}) = ${gloss.format(table.at(t, c), table.scale)}` +
        (kind === "sinusoidal"
            ? `; wavelength ${gloss.format(wavelength(c * together, width * together, frequencies))} positions`
            : ""),
    }));
}

function products(dot) {
  const count = dot.shape[0];
  let asymmetry = 0;
  for (let t = 0; t < count; ++t) {
    for (let k = 1; k <= t && t + k < count; ++k)
      asymmetry = Math.max(asymmetry, Math.abs(dot.at(t, t + k) - dot.at(t, t - k)));
  }
  const lines = (t) => [1, -1].map((sign, color) => {
    const ks = Array.from({length: count}, (_, k) => k).filter((k) => t + sign * k >= 0 && t + sign * k < count);
    return {
      name: sign > 0 ? "PE(t)·PE(t+k)" : "PE(t)·PE(t−k)",
      x: ks,
      y: ks.map((k) => dot.at(t, t + sign * k)),
      color,
      dash: color
    };
  });
  const middle = Math.floor(count / 2);
  const plot = gloss.plot({name: "Dot product against distance", xName: "k", series: lines(middle)});
  return make("div", null,
    make("div", {class: "controls"},
      gloss.slider("t", {min: 0, max: count - 1, step: 1, value: middle}, (t) => plot.update({series: lines(t)}))),
    gloss.figure(`The two lines differ by at most ${gloss.format(asymmetry)} over all t and k: ` +
        (asymmetry < 1e-2 ? "they are one line, and the product has lost the sign of k."
                          : "the product depends on the sign of k and on t."),
      plot));
}

// Signs of a few columns beside the digits of a counter: both change fast on the left and slowly on the right.
function counter(table, kind, together, frequencies) {
  const [positions, width] = table.shape;
  const rows = Math.min(32, positions);
  const digits = gloss.computed([rows, 5], (t, bit) => (t >> bit) & 1);
  const slow =
    Math.max(2, Math.min(width, Math.floor((width * Math.log((2 * rows) / (2 * Math.PI))) / Math.log(10000))));
  const columns = Array.from({length: Math.min(8, Math.floor(width / 2))},
    (_, i) => kind === "sinusoidal" ? 2 * Math.floor((i * slow) / 16) : Math.floor((i * width) / 8));
  const signs = gloss.computed([rows, columns.length], (t, i) => (table.at(t, columns[i]) >= 0 ? 1 : 0));
  const labels = Array.from({length: rows}, (_, t) => String(t));
  const common = {
    low: 0,
    high: 1,
    legend: false,
    maxCell: 24,
    minCell: 14,
    cellHeight: 10,
    numbers: false,
    rowLabels: labels,
    rowName: "Position"
  };
  return make("div", {class: "beside"},
    gloss.figure("A binary counter, lowest digit first: digit b changes every 2^b positions.", gloss.heatMap({
      ...common,
      array: digits,
      name: "Binary counter",
      columnLabels: ["1", "2", "4", "8", "16"],
      columnName: "Digit",
      describe: (t, bit) => `${t} has ${digits.at(t, bit)} in the digit of ${2 ** bit}`
    })),
    gloss.figure("The sign of some columns of PE (filled: not negative)" +
        (kind === "sinusoidal" ? ": such a counter with smooth digits."
                               : ". The columns of learned positions have no order."),
      gloss.heatMap({
        ...common,
        array: signs,
        name: "Signs of columns",
        columnLabels: columns.map((c) => String(c * together)),
        columnName: "Column",
        describe: (t, i) =>
          `PE(${t}, ${columns[i] * together}) = ${gloss.format(table.at(t, columns[i]), table.scale)}` +
          (kind === "sinusoidal"
              ? `; wavelength ${
                  gloss.format(wavelength(columns[i] * together, width * together, frequencies))} positions`
              : "")
      })));
}

function shift({shift: {k, residual}}, kind) {
  const values = gloss.array(residual);
  return make("div", null,
    make("p", null,
      kind === "sinusoidal"
        ? "PE(t+k) = M_k PE(t): M_k rotates each pair (sin, cos) by k times its rate, whatever t is."
        : "M_k is the matrix that fits PE(t+k) = M_k PE(t) best over all t (least squares)."),
    make("table", {class: "plain"},
      make("thead", null, make("tr", null, make("th", null, "k"), make("th", null, "largest |PE(t+k) − M_k PE(t)|"))),
      make("tbody", null,
        k.map((each, i) => make("tr", null, make("td", {class: "number"}, each),
                make("td", {class: "number"}, gloss.format(values.at(i))))))),
    k.some((_, i) => values.at(i) === null)
      ? make("p", {class: "note"}, "–: no more positions than dimensions, so that some map fits exactly.")
      : null);
}

function norm(positions, width) {
  const values = gloss.array(positions.norm);
  const [low, high] = gloss.extent(values);
  return make("p", null,
    `The norm of PE(t) is ${
      low.toFixed(4) === high.toFixed(4) ? low.toFixed(4)
                                         : `between ${gloss.format(low)} and ${gloss.format(high)}`}; ` +
      `√(d/2) = √(${width}/2) = ${Math.sqrt(width / 2).toFixed(4)}` +
      (positions.kind === "sinusoidal" ? ", since sin² + cos² = 1 in each of the d/2 pairs."
                                       : " is that of sinusoids."));
}

function heads({kind, heads: {part, clean, learned}}) {
  const before = gloss.array(clean);
  const after = gloss.array(learned);
  const labels = Array.from({length: before.shape[0]}, (_, t) => String(t));
  const map = (array, name) => ({
    array,
    name,
    ...(gloss.extent(array)[0] < 0 ? {diverging: true} : {low: 0, diverging: false}),
    rowLabels: labels,
    columnLabels: labels,
    rowName: "Query",
    columnName: "Key",
    sparse: true,
    minCell: 3,
    maxCell: 7,
    numbers: false,
    describe: (t, u) => `${name}: PE(${t}) with PE(${u}) gives ${gloss.format(array.at(t, u), array.scale)}`,
  });
  const right = gloss.heatMap(map(after.slice(0), "Head 0"));
  return make("div", null,
    make("div", {class: "controls"},
      gloss.select("Head", Array.from({length: after.shape[0]}, (_, h) => h), 0,
        (h) => right.update(map(after.slice(Number(h)), `Head ${h}`)))),
    make("div", {class: "beside"},
      gloss.figure(
        `Clean: the cosine of PE(t) and PE(u)${kind === "sinusoidal" ? ", a band along the diagonal." : "."}`,
        gloss.heatMap(map(before, "Clean"))),
      gloss.figure(`Learned: attention weights of the head in ${part} when the positions are its only input. ` +
          "A stripe beside the diagonal is a head that attends to neighbors.",
        right)));
}

// Why there are no positions that are added to the embeddings.
function whyNone({recurrent, positions}) {
  if (recurrent) return "This network reads one piece after another: the recurrence gives their order.";
  if (positions === "rotary") {
    return "Nothing is added to the embeddings: self-attention rotates queries and keys by their positions, so that a " +
      "score depends on their distance.";
  }
  if (positions === "relative") {
    return "Nothing is added to the embeddings: self-attention adds a learned bias for the distance of query and key " +
      "to each score.";
  }
  if (positions === "none") return "This network has no positions: the order reaches it through causal masks only.";
  return "The document holds no positional encodings.";
}

function inputFormula({embedding_scale: scale, embedding_norm: isNormalized}) {
  const sum = `${scale === "one" ? "" : "√d_model · "}E(piece_t) + PE(t)`;
  return `x_t = ${isNormalized ? `norm(${sum})` : sum}`;
}

gloss.sections.push({
  id: "positions",
  title: "Positions",
  render({model}) {
    const sides = ["source", "target"].filter((side) => model.positions && model.positions[side]);
    if (sides.length === 0) return gloss.absent(whyNone(gloss.network(model)));
    const view = make("div");
    const frequencies = FREQUENCIES[gloss.network(model).position_frequencies];
    const draw = (side) => {
      const positions = model.positions[side];
      const table = gloss.array(positions.table);
      const together = positions.table.columns_per_value || 1;
      gloss.replace(view, make("p", {class: "note"}, `The ${side} has ${positions.kind} positions.`),
        tableMap(table, positions.kind, together, frequencies),
        together > 1 ? make("p", {class: "note"}, `Each column is the mean of ${together} neighboring columns.`) : null,
        positions.dot && [make("h3", null, "Distance"), products(gloss.array(positions.dot))],
        make("h3", null, positions.kind === "sinusoidal" ? "A counter with smooth digits" : "Signs beside a counter"),
        counter(table, positions.kind, together, frequencies),
        positions.shift && [make("h3", null, "A shift is a linear map"), shift(positions, positions.kind)],
        positions.norm && [make("h3", null, "Norm"), norm(positions, model.config.d_model)],
        positions.heads && [make("h3", null, "Heads of the first layer"), heads(positions)]);
    };
    draw(sides[0]);
    return [
      gloss.explanation(
        "Attention alone does not see the order of its inputs: a vector for the position is added to each embedding.",
        [
          ["Formula", inputFormula(gloss.network(model))],
          ["Shape", `PE [positions, d_model = ${model.config.d_model}]`],
        ]),
      sides.length > 1 ? make("div", {class: "controls"}, gloss.select("Positions of the", sides, sides[0], draw))
                       : null,
      view,
    ];
  },
});
})((window.gloss = window.gloss || {}));
