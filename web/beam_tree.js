// The beam as a tree: a column a step, live, pruned and finished hypotheses, scores, and where greedy search parts.
(function(gloss) {
"use strict";

const {make, makeSvg} = gloss;
const BOX = [92, 30];
const STEP = [124, 38];

// Log-probability over a power of the length; "gnmt" takes (5 + length) / 6 (Wu et al. 2016, eq. 14).
gloss.lengthScore = (logProbability, length, alpha, kind) =>
  logProbability / (kind === "gnmt" ? (5 + length) / 6 : length) ** alpha;

function path(nodes, index) {
  const result = [];
  for (let at = index; at >= 0; at = nodes[at].parent) result.unshift(at);
  return result;
}

const textOf = (item, indices) => indices.map((at) => item.names[item.beam.nodes[at].id] ?? item.beam.nodes[at].id)
                                    .filter((piece) => piece !== "</s>")
                                    .join("")
                                    .replaceAll("▁", " ")
                                    .trim();

// The nodes of each step, most probable first.
function places(nodes, pruned) {
  const byStep = [];
  nodes.forEach((node, index) => {
    if (node.step < 0 || (!pruned && node.state === "pruned" && !node.best)) return;
    (byStep[node.step] = byStep[node.step] || []).push(index);
  });
  const result = new Map();
  byStep.forEach((indices, step) => {
    indices.sort((a, b) => nodes[b].log_probability - nodes[a].log_probability)
      .forEach((index, row) => result.set(index, [4 + step * STEP[0], 34 + row * STEP[1]]));
  });
  return result;
}

function drawing(item, pruned, show) {
  const {nodes} = item.beam;
  const greedy = item.beam.greedy ? item.beam.greedy.ids : [];
  const at = places(nodes, pruned);
  const onGreedy = (index) => {
    const ids = path(nodes, index).filter((each) => nodes[each].step >= 0).map((each) => nodes[each].id);
    return ids.every((id, step) => greedy[step] === id);
  };
  const points = [...at.values()];
  const width = Math.max(...points.map(([x]) => x)) + BOX[0] + 8;
  const height = Math.max(...points.map(([, y]) => y)) + BOX[1] + 8;
  const lines = [];
  const boxes = [];
  const steps = Math.max(...nodes.map(({step}) => step)) + 1;
  for (const [index, [x, y]] of at) {
    const node = nodes[index];
    const kind = `${node.state}${node.best ? " best" : ""}${onGreedy(index) ? " greedy" : ""}`;
    if (at.has(node.parent)) {
      const [px, py] = at.get(node.parent);
      const from = [px + BOX[0], py + BOX[1] / 2];
      const to = [x, y + BOX[1] / 2];
      const middle = (from[0] + to[0]) / 2;
      lines.push(makeSvg("path", {class: kind, d: `M${from} C${middle},${from[1]} ${middle},${to[1]} ${to}`}));
    }
    const piece = String(item.names[node.id] ?? node.id);
    const box = makeSvg("g", {
      class: kind,
      transform: `translate(${x},${y})`,
      role: "button",
      "aria-label": `step ${node.step}, ${piece}, ${node.state}`,
      onclick: () => show(index),
      onfocus: () => show(index),
      onkeydown: (event) => event.key === "Enter" && show(index)
    },
      makeSvg("rect", {width: BOX[0], height: BOX[1], rx: 3}),
      makeSvg("text", {x: 6, y: 13}, piece.length > 12 ? `${piece.slice(0, 11)}…` : piece),
      makeSvg("text", {class: "small", x: 6, y: 25},
        `${gloss.format(node.log_probability)}${node.state === "finished" ? " end" : ""}`));
    boxes.push(box);
  }
  const svg = makeSvg("svg",
    {class: "beam", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Tree of the beam"},
    Array.from(
      {length: steps}, (_, step) => makeSvg("text", {class: "axis", x: 4 + step * STEP[0], y: 14}, `step ${step}`)),
    Number.isFinite(item.beam.parts_at) &&
      makeSvg("text", {class: "parting", x: 4 + item.beam.parts_at * STEP[0], y: 27}, "greedy parts here"),
    lines, boxes);
  gloss.arrowKeys(svg, boxes, 1);
  return svg;
}

// The finished hypotheses, ranked by score for a chosen strength of the length penalty.
function ranking(item, model) {
  const {nodes} = item.beam;
  const {length_penalty: alpha, length_penalty_kind: kind} = model.decoding;
  const finished = nodes.map((node, index) => ({node, index})).filter(({node}) => node.state === "finished");
  if (finished.length === 0) return null;
  const view = make("div", {class: "scroll"});
  const draw = (strength) => gloss.replace(view,
    make("table", {class: "plain"}, make("thead", null, make("tr", null, ["score", "log p", "length",
      "translation"].map((name) => make("th", null, name)))),
      make("tbody", null,
        finished
          .map(({node, index}) => {
            const length = node.step + 1;
            return {score: gloss.lengthScore(node.log_probability, length, strength, kind), node, length, index};
          })
          .sort((a, b) => b.score - a.score)
          .map(({score, node, length, index}) => make("tr", {class: node.best ? "strong" : null},
                 [strength === alpha && Number.isFinite(node.score) ? node.score : score, node.log_probability].map(
                   (value) => make("td", {class: "number"}, gloss.format(value))),
                 make("td", {class: "number"}, length), make("td", null, textOf(item, path(nodes, index))))))));
  draw(alpha);
  return make("div", null, make("h4", null, "Finished hypotheses and the length penalty"),
    make("div", {class: "controls"},
      gloss.slider(
        "Length penalty α", {min: 0, max: 2, step: 0.05, value: alpha, show: (value) => value.toFixed(2)}, draw)),
    make("p", {class: "note"},
      `score = log p / ${kind === "gnmt" ? "((5 + length) / 6)^α" : "length^α"}; the search used α = ${alpha}. ` +
        "Bold: the result of the search. The slider ranks the hypotheses that it has found; " +
        "another α might have found others."),
    view);
}

function describeNode(item, index) {
  const {nodes} = item.beam;
  const node = nodes[index];
  const score = Number.isFinite(node.score) ? `, score ${gloss.format(node.score)}` : "";
  return `step ${node.step}, “${item.names[node.id] ?? node.id}”, ${node.state}: ` +
    `log p of the token ${gloss.format(node.token)}, sum ${gloss.format(node.log_probability)}${score}. ` +
    `Hypothesis: ${textOf(item, path(nodes, index))}`;
}

function greedyText({greedy, parts_at: partsAt}) {
  if (!greedy) return "";
  if (!Number.isFinite(partsAt)) return "Greedy search finds the same translation.";
  return [
    `Greedy search parts from the best hypothesis at step ${partsAt} and ends with `, make("q", null, greedy.text), "."
  ];
}

gloss.beamTree = (item, model) => {
  const {nodes, size} = item.beam;
  if (!nodes || nodes.length === 0) return gloss.absent("The beam has no hypotheses.");
  const readout = make("p", {class: "readout", role: "status"});
  const view = make("div", {class: "scroll tall"});
  const show = (index) => {
    readout.textContent = describeNode(item, index);
  };
  const draw = (pruned) => gloss.replace(view, drawing(item, pruned, show));
  const many = nodes.length > 300;
  draw(!many);
  const caption = "Bold, with thick lines: the best hypothesis. Thick blue border: finished. Dashed: pruned. Orange: " +
    "the way of greedy search. The number is the log-probability so far.";
  return make("div", null,
    make(
      "p", null, `A beam of ${size} keeps the ${size} most probable hypotheses of each step. `, greedyText(item.beam)),
    make("div", {class: "controls"}, gloss.checkbox("Show pruned hypotheses", !many, draw)),
    gloss.figure(caption, view, readout), ranking(item, model));
};
})((window.gloss = window.gloss || {}));
