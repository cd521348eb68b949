// Second half of section 2: what each part adds to the chosen piece's logit, and what each layer would predict.
(function(gloss) {
"use strict";

const {make} = gloss;

function contributions(item) {
  const {parts} = item.contributions;
  const values = gloss.array(item.contributions.values);
  const logits = gloss.array(item.contributions.logits);
  const {predicted} = gloss.labels(item);
  const bars = make("div", {class: "narrow"});
  const show = (t) =>
    gloss.replace(bars, make("h4", null, `Logit of ${gloss.position(t, predicted[t])}: ${gloss.format(logits.at(t))}`),
      gloss.bars(parts.map((name, p) => ({name, value: values.at(p, t)})),
        {label: `Contributions to the logit of position ${t}`}));
  show(0);
  const figure = gloss.figure(
    "Contribution of each part (row) to the logit of each predicted piece (column). A column sums to the logit. " +
      "Click a column, or press Enter, to see its bars.",
    gloss.heatMap({
      array: values,
      name: "Contributions to the logits",
      rowLabels: parts,
      columnLabels: predicted,
      rowName: "Part",
      columnName: "Predicted",
      diverging: true,
      cellHeight: 17,
      maxCell: 38,
      select: (_, t) => show(t),
      describe: (p, t) =>
        `${parts[p]} adds ${gloss.signed(values.at(p, t))} to the logit of ${gloss.position(t, predicted[t])} ` +
        `(${gloss.format(logits.at(t))})`,
    }));
  figure.style.flexBasis = `${Math.max(400, predicted.length * 38 + 130)}px`;
  return make("div", {class: predicted.length > 24 ? null : "along"}, figure, bars);
}

function lens(item, model) {
  const {states, top} = item.lens;
  const final = gloss.network(model).finalNorm;
  const chosen = gloss.array(item.lens.chosen);
  const rank = gloss.array(item.lens.rank);
  const {predicted} = gloss.labels(item);
  const readout = make("p", {class: "readout", role: "status"});
  const cells = [];
  const paints = [];
  const rows =
    states.map((state, s) => make("tr", null, make("th", {scope: "row"}, state), predicted.map((piece, t) => {
      const best = top[s][t];
      const show = () => {
        readout.textContent = `${state} at ${gloss.position(t, piece)}: ` +
          best.map((entry) => `“${entry.piece}” ${gloss.format(entry.p)}`).join(", ") +
          `. The chosen piece has rank ${rank.at(s, t)} and log p ${gloss.format(chosen.at(s, t))}.`;
      };
      const cell = make("td", {class: rank.at(s, t) === 1 ? "hit" : null, onpointerenter: show, onfocus: show},
        best.length > 0 ? best[0].piece : "–");
      paints.push(() => {
        const shade = gloss.scale({low: 0, high: 1})(Math.exp(chosen.at(s, t)));
        cell.style.background = gloss.css(shade);
        cell.style.color = gloss.inkOn(shade);
      });
      cells.push(cell);
      return cell;
    })));
  const paint = () => paints.forEach((each) => each());
  paint();
  const table = make("table", {class: "lens"},
    make("thead", null,
      make("tr", null, make("th", null, "after"), predicted.map((piece) => make("th", {scope: "col"}, piece)))),
    make("tbody", null, rows));
  gloss.onTheme(table, paint);
  gloss.arrowKeys(table, cells, predicted.length);
  return gloss.figure(`The best piece after each layer, through ${final ? "the final norm and " : ""}the generator. ` +
      "Color: probability of the piece that the model chose in the end (column head); " +
      "bold: that piece is the best already.",
    make("div", {class: "scroll"}, table), readout);
}

// The text and the formula of the contributions, by the place and the type of the norms.
function sharesOf({post, normParts, finalNorm}) {
  const all = "The decoder's last vector is the sum of its embedding and of all sublayer outputs.";
  if (post && normParts) {
    return [
      `Each norm is applied to the sum of the stream and a sublayer's output. Its factor, γ / ${normParts.by}` +
        `${normParts.name === "batch_norm" ? " from training" : " of that sum"}, is applied to each term of the sum` +
        `${normParts.name === "rms_norm" ? "" : ", and its shift goes to “norm”"}. ` +
        "So the decoder's last vector remains a sum of parts, and the generator gives each its share of the logit.",
      `logit(y) = Σ over parts of w_y · part + bias; each norm: part ← ${normParts.part}, ${normParts.of}`
    ];
  }
  if (finalNorm) {
    return [
      `${
        all} The final norm and the generator are applied to each term, so that every part has its share of the logit.`,
      `logit(y) = Σ over parts of w_y · (${normParts.part}) + bias, ${normParts.of}`
    ];
  }
  return [`${all} The generator gives each its share of the logit.`, "logit(y) = Σ over parts of w_y · part + bias"];
}

function contributionsPart(item, model) {
  const network = gloss.network(model);
  if (network.recurrent) {
    return gloss.absent("A recurrent network has no stream to which its parts add, so that its logits are no sums.");
  }
  if (!network.residual) {
    return gloss.absent(
      "Without residual connections no sublayer's output is added to the others, so that the logits " +
      "are no sums over the parts.");
  }
  if (!item.contributions || item.target.pieces.length === 0) {
    return gloss.absent("The contributions to the logits are not in the document.");
  }
  const [text, formula] = sharesOf(network);
  const facts = [
    ["Formula", formula],
    ["Shape", `[parts, pieces] = [${gloss.array(item.contributions.values).shape.join(", ")}]`],
  ];
  return [gloss.explanation(text, facts), contributions(item)];
}

function lensPart(item, model) {
  if (item.lens && item.target.pieces.length > 0) return lens(item, model);
  if (gloss.network(model).recurrent) {
    return gloss.absent(
      "The prediction is computed from the last layer's state and the decoder's input together, so that the state of " +
      "a layer alone predicts nothing.");
  }
  return gloss.absent("The predictions of the layers are not in the document.");
}

gloss.residual = ({item, model}) => [make("h3", null, "What adds to the logit"),
  contributionsPart(item, model),
  make("h3", null, "What each layer would predict (logit lens)"),
  lensPart(item, model),
];
})((window.gloss = window.gloss || {}));
