// The page of training runs: curves, samples through time, and the same sentences seen at each validation.
(function(gloss) {
"use strict";

const {make} = gloss;
const CURVES = [
  {name: "Loss", key: "loss", both: true},
  {name: "Perplexity", key: "perplexity", both: true, log: true},
  {name: "BLEU", key: "bleu", from: "validation", low: 0},
  {name: "Learning rate", key: "learning_rate", from: "training", low: 0},
  {name: "Gradient norm", key: "gradient_norm", from: "training", low: 0},
  {name: "Speed (target tokens/s)", key: "speed", from: "training", low: 0},
];

// The lines of a curve: a color a run; validation is dashed where training is shown, too.
function series(runs, shown, {key, both, from}) {
  const filled = (values) => (values || []).some((value) => value !== null);
  return runs.flatMap(
    (run, color) => !shown[color] ? [] : (both ? ["training", "validation"] : [from]).map((kind, dash) => ({
      name: [runs.length > 1 && run.name, both && kind].filter(Boolean).join(", ") || kind,
      x: filled((run[kind] || {})[key]) ? run[kind].step : [],
      y: (run[kind] || {})[key] || [],
      color,
      dash,
    })));
}

// A table whose first cell of each row is its heading; it scrolls by itself where the screen is narrow.
const table = (columns, rows) => make("div", {class: "scroll"}, make("table", {class: "plain"},
  make("thead", null, make("tr", null, columns.map((name) => make("th", null, name)))),
  make("tbody", null, rows.map(([name, ...cells]) =>
    make("tr", null, make("th", {scope: "row"}, name), cells.map((text) => make("td", null, text)))))));

// The step of each run with the best validation by loss and by BLEU.
function bestSteps(runs) {
  const best = (values, better) =>
    values.reduce((at, value, i) => (value !== null && (at < 0 || better(value, values[at])) ? i : at), -1);
  const cell = (run, key, better) => {
    const at = best((run.validation || {})[key] || [], better);
    return at < 0 ? "none" : `${gloss.format(run.validation[key][at])} at step ${run.validation.step[at]}`;
  };
  return table(["run", "lowest validation loss", "highest BLEU"], runs.map((run) =>
    [run.name, cell(run, "loss", (a, b) => a < b), cell(run, "bleu", (a, b) => a > b)]));
}

// The settings in which the runs differ; null for one run.
function differentSettings(runs) {
  if (runs.length < 2) return null;
  const shown = (value) => (value === undefined ? "–" : JSON.stringify(value));
  const names = [...new Set(runs.flatMap(({settings}) => Object.keys(settings || {})))].sort();
  const differing = names.filter((name) => new Set(runs.map(({settings}) => shown((settings || {})[name]))).size > 1);
  if (differing.length === 0) return make("p", null, "The settings of the runs are the same.");
  return table(["setting", ...runs.map(({name}) => name)],
    differing.map((name) => [name, ...runs.map(({settings}) => shown((settings || {})[name]))]));
}

function curves(runs) {
  const shown = runs.map(() => true);
  let range = null;
  const last = Math.max(1,
    ...runs.map(({training}) => (training && training.step.length > 0 ? training.step[training.step.length - 1] : 1)));
  const used = CURVES.filter((curve) => series(runs, shown, curve).some(({x}) => x.length > 0));
  const zoom = (next) => {
    range = next;
    label.textContent = range ? `steps ${Math.round(range[0])} to ${Math.round(range[1])}` : "the whole run";
    plots.forEach((plot) => plot.update({range: range || [0, last]}));
  };
  const scaled = (factor) => () => {
    const [low, high] = range || [0, last];
    const middle = (low + high) / 2;
    const half = ((high - low) / 2) * factor;
    zoom(half * 2 >= last ? null : [Math.max(0, middle - half), Math.min(last, middle + half)]);
  };
  const plots = used.map(
    (curve) => gloss.plot({...curve, xName: "step", series: series(runs, shown, curve), range: [0, last], zoom}));
  const label = make("output", null, "the whole run");
  return [
    make("div", {class: "controls"},
      runs.length > 1
        ? runs.map((run, index) => gloss.checkbox(run.name + (run.finished ? "" : " (still running)"), true,
                     (checked) => {
                       shown[index] = checked;
                       used.forEach((curve, i) => plots[i].update({series: series(runs, shown, curve)}));
                     }))
        : null,
      gloss.button("Zoom in", scaled(0.5)), gloss.button("Zoom out", scaled(2)),
      gloss.button("Whole run", () => zoom(null)), label),
    make("p", {class: "note"},
      "Drag across a picture to zoom all of them; a double click shows the whole run. Arrow keys move the line."),
    make("div", {class: "plots"}, plots),
    bestSteps(runs),
    differentSettings(runs),
  ];
}

function samples(runs) {
  const withSamples = runs.filter(({samples: list}) => list && list.length > 0);
  if (withSamples.length === 0) {
    return gloss.absent(
      runs.every(({finished}) => finished) ? "The run has no samples." : "The run has no samples yet.");
  }
  const state = {run: 0, source: 0};
  const controls = make("div", {class: "controls"});
  const view = make("div");
  function draw() {
    const run = withSamples[state.run];
    const sources = [...new Set(run.samples.map(({source}) => source))];
    state.source = Math.min(state.source, sources.length - 1);
    gloss.replace(controls,
      withSamples.length > 1 ? gloss.select("Run", withSamples.map(({name}, value) => ({value, text: name})), state.run,
                                 (value) => {
                                   state.run = Number(value);
                                   draw();
                                 })
                             : null,
      gloss.select("Sentence", sources.map((text, value) => ({value, text})), state.source, (value) => {
        state.source = Number(value);
        draw();
      }));
    const list = run.samples.filter(({source}) => source === sources[state.source]);
    const known = new Set((list[0].reference || "").split(" "));
    gloss.replace(view, make("p", null, "Source: ", make("q", null, sources[state.source])),
      list[0].reference ? make("p", null, "Reference: ", make("q", null, list[0].reference)) : null,
      make("div", {class: "scroll tall"},
        make("table", {class: "plain"},
          make("thead", null, make("tr", null, make("th", null, "step"), make("th", null, "translation"))),
          make("tbody", null,
            list.map(({step, translation}) => make("tr", null, make("td", {class: "number"}, step),
                       make("td", null,
                         translation.split(" ").flatMap(
                           (word, i) => [i > 0 ? " " : "",
                             known.size === 0 || known.has(word) ? word : make("span", {class: "other"}, word)]))))))),
      make("p", {class: "note"}, "Words that the reference lacks are gray."));
  }
  draw();
  return [controls, view];
}

// The looks at a sentence: [{step, item}]. A run that was resumed may have looked at other sentences before.
function looksAt(lens, sentence) {
  return lens.map(({step, items}) => ({step, item: items.find(({text}) => text === sentence)}))
    .filter(({item}) => item);
}

// The likeliest tokens of each step, the one that was taken in bold.
function predictions({target, steps, names}) {
  const [shown, least] = [5, 0.005];
  if (!steps || steps.length === 0) return null;
  const cell = ({id, p}, taken) =>
    make("td", {class: id === taken ? "strong" : null}, `${names[id] ?? id}\u00a0${p.toFixed(2)}`);
  const row = ({top}, {piece, id}) => {
    const likely = top.slice(0, shown)
                     .map(([other, logP]) => ({id: other, p: Math.exp(logP)}))
                     .filter(({p}, k) => k === 0 || p >= least);
    const rest = shown - likely.length;
    return make("tr", null, make("th", {scope: "row"}, piece), likely.map((token) => cell(token, id)),
      rest > 0 ? make("td", {colspan: rest}) : null);
  };
  return make("div", {class: "scroll tall"},
    make("table", {class: "plain"},
      make(
        "thead", null, make("tr", null, make("th", null, "token"), make("th", {colspan: shown}, "likeliest tokens"))),
      make("tbody", null, steps.map((step, t) => row(step, target.pieces[t])))));
}

function translations(looks, at) {
  return make("div", {class: "scroll tall"},
    make("table", {class: "plain"},
      make("thead", null, make("tr", null, make("th", null, "step"), make("th", null, "translation"))),
      make("tbody", null,
        looks.map(({step, item}, i) => make("tr", {class: i === at ? "strong" : null},
                    make("td", {class: "number"}, step), make("td", null, item.target.text))))));
}

function lensMap({step, item}, map, head) {
  const array = gloss.array(map.weights).slice(head);
  const axes = gloss.axisLabels(item, map);
  const caption = `${map.part}.${head} at step ${step}.` +
    (map.kind === "cross" ? " A row has the name of the piece that its query predicts." : "");
  return gloss.figure(caption, gloss.heatMap({
    array,
    name: `${map.part}.${head}`,
    rowLabels: axes.rows,
    columnLabels: axes.columns,
    rowName: axes.rowName,
    columnName: "Key",
    low: 0,
    high: 1,
    maxCell: 34,
    describe: (i, j) => `${gloss.queryName(item, map, i)} → ` +
      `key ${gloss.position(j, axes.columns[j])}: ${gloss.format(array.at(i, j), array.scale)}`,
  }));
}

// The entropy of each head of a part at each look.
function entropies(looks, part, heads) {
  const maps = looks.map(({item}) => item.maps.find((map) => map.part === part));
  const lines = Array.from({length: heads}, (_, head) => ({
    name: `head ${head}`,
    x: looks.map(({step}) => step),
    color: head,
    dash: Math.floor(head / gloss.LINES.length),
    y: maps.map((map) => (map ? gloss.array(map.entropy).at(head) : null)),
  }));
  return gloss.plot({name: `Entropy of the heads of ${part} (nats)`, xName: "step", series: lines, low: 0});
}

function lensOf(runs) {
  const withLens = runs.filter(({lens}) => lens && lens.some(({items}) => items.length > 0));
  if (withLens.length === 0) return gloss.absent("The run has no lens sentences (lens.sentences in the run file).");
  const state = {run: 0, at: Infinity, sentence: null, part: null, head: 0};
  const controls = make("div", {class: "controls"});
  const view = make("div");
  function draw() {
    const {lens} = withLens[state.run];
    const sentences = [...new Set(lens.flatMap(({items}) => items.map(({text}) => text)))];
    if (!sentences.includes(state.sentence)) state.sentence = lens[lens.length - 1].items[0].text;
    const looks = looksAt(lens, state.sentence);
    state.at = Math.min(state.at, looks.length - 1);
    const {maps} = looks[0].item;  // none if the network has no attention
    state.part = maps.some(({part}) => part === state.part) ? state.part : maps[maps.length - 1]?.part;
    const heads = maps.length > 0 ? gloss.array(maps[0].weights).shape[0] : 0;
    state.head = Math.max(0, Math.min(state.head, heads - 1));
    const drawView = () => {
      const look = looks[state.at];
      const map = look.item.maps.find(({part}) => part === state.part);
      gloss.replace(view,
        make("div", {class: "beside"},
          map ? lensMap(look, map, state.head) : gloss.absent("This network has no attention."),
          make("div", null, translations(looks, state.at), map && entropies(looks, state.part, heads),
            predictions(look.item))));
    };
    const set = (key, number) => (value) => {
      state[key] = number ? Number(value) : value;
      draw();
    };
    gloss.replace(controls,
      withLens.length > 1
        ? gloss.select("Run", withLens.map(({name}, value) => ({value, text: name})), state.run, set("run", true))
        : null,
      gloss.select("Sentence", sentences, state.sentence, set("sentence", false)),
      maps.length > 0 &&
        [
          gloss.select("Attention", maps.map(({part}) => part), state.part, set("part", false)),
          gloss.select("Head", Array.from({length: heads}, (_, head) => head), state.head, set("head", true))
        ],
      gloss.slider(
        "Step", {min: 0, max: looks.length - 1, step: 1, value: state.at, show: (i) => String(looks[i].step)}, (i) => {
          state.at = i;
          drawView();
        }));
    drawView();
  }
  draw();
  return [controls, view];
}

gloss.runSections = [
  {id: "curves", title: "Curves", render: ({document: {runs}}) => curves(runs)},
  {id: "samples", title: "Samples through time", render: ({document: {runs}}) => samples(runs)},
  {id: "lens", title: "Attention through time", render: ({document: {runs}}) => lensOf(runs)},
];
})((window.gloss = window.gloss || {}));
