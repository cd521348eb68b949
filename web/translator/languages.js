// The languages: two lists, a button that swaps them, and detection.
(function(gloss) {
"use strict";

const {make} = gloss;
const AUTO = "auto";
const DETECTED_CHARACTERS = 300;  // of a text that its language is detected by

// Reads GET /languages, the defaults of GET /frontend/settings and the languages that the address of the page names,
// `wanted`: {source, target}. `change` is called when the reader has chosen others, `swap` after both have changed
// places.
gloss.languages = (served, settings, wanted, {change, swap}) => {
  const names = new Map(served.map(({code, name}) => [code, name]));
  const sources = served.filter(({targets}) => targets.length > 0);
  const detects = settings.language?.source?.code === AUTO;
  const kept = gloss.stored("languages", {});
  let detected = null;  // {code, of: beginning of the text}

  const targetsOf = (code) => {
    const of = code === AUTO ? sources : sources.filter((each) => each.code === code);
    return [...new Set(of.flatMap(({targets}) => targets))].sort((a, b) => names.get(a).localeCompare(names.get(b)));
  };
  const option = (code) => make("option", {value: code}, names.get(code) || code);
  const auto = make("option", {value: AUTO}, "Detect language");
  const from = make(
    "select", {"aria-label": "Translate from", id: "from"}, detects && auto, sources.map(({code}) => option(code)));
  const to = make("select", {"aria-label": "Translate into", id: "to"});

  const concrete = () => (from.value === AUTO ? detected && detected.code : from.value);
  const other = () => sources.find(({targets}) => targets.includes(to.value));
  const canSwap = () => {
    const source = concrete();
    return Boolean(source) && targetsOf(to.value).includes(source);
  };
  const update = () => {
    auto.textContent = detected ? `${names.get(detected.code) || detected.code} (detected)` : "Detect language";
    button.disabled = !canSwap();
    button.title = canSwap() ? "Swap languages" : "No model translates in the other direction";
  };
  const fillTargets = (code) => {
    const targets = targetsOf(from.value);
    gloss.replace(to, targets.map(option));
    to.value = targets.includes(code) ? code : targets[0];
  };
  const chosen = () => {
    gloss.store("languages", {source: from.value, target: to.value});
    update();
    change();
  };
  const button = gloss.iconButton("swap", "Swap languages", () => {
    const source = concrete();
    const target = to.value;
    from.value = target;
    fillTargets(source);
    detected = null;
    gloss.store("languages", {source: from.value, target: to.value});
    update();
    swap();
  });

  from.addEventListener("change", () => {
    detected = null;
    fillTargets(to.value);
    chosen();
  });
  to.addEventListener("change", chosen);
  const known = [...from.options].map(({value}) => value);
  from.value =
    [wanted.source, kept.source, settings.language?.source?.code, known[0]].find((code) => known.includes(code)) ?? "";
  fillTargets([wanted.target, kept.target].find((code) => names.has(code)) || settings.language?.target?.code);
  update();

  return {
    element: make("div", {class: "languages"}, from, button, to),
    target: () => to.value,
    // Returns the source as it is chosen, "auto" among them.
    chosen: () => from.value,
    name: (code) => names.get(code) || code,
    // Returns {source, target}. Before the source is detected, it is the first one that can be meant.
    pair: () => ({source: concrete() || other().code, target: to.value}),
    // Returns the same, detected from the beginning of a text if it is not chosen.
    find: async (text, signal) => {
      if (from.value !== AUTO) return from.value;
      const beginning = text.slice(0, DETECTED_CHARACTERS);
      if (detected && detected.of === beginning) return detected.code;
      const found = await gloss.post("detect", {q: beginning}, signal);
      const usable = found.find(({language}) => language === to.value || targetsOf(language).includes(to.value));
      detected = {code: usable ? usable.language : other().code, of: beginning};
      update();
      return detected.code;
    },
    forget: () => {
      detected = null;
      update();
    },
  };
};
})((window.gloss = window.gloss || {}));
