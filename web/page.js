// The page: head with the choice of sentence and model, list of sections, sections. Runs when all other files are read.
(function(gloss) {
"use strict";

const {make} = gloss;

function header(title, subtitle, choices) {
  return make("header", null,
    make("div", {class: "title"}, make("h1", {class: "sentence"}, title), make("p", null, subtitle)),
    make("div", {class: "controls"}, choices,
      gloss.select("Colors", [{value: "", text: "as the system"}, "light", "dark"], "", gloss.setTheme)));
}

const contents = (sections) => make("nav", {"aria-label": "Sections"},
  make("ol", null, sections.map(({id, title}) => make("li", null, make("a", {href: `#${id}`}, title)))));

// Draws a section into its frame. An error in one section leaves the others as they are.
function draw(section, frame, context) {
  let body;
  try {
    body = section.render(context);
  } catch (error) {
    console.error(error);
    body = gloss.absent(`This section could not be drawn: ${error.message}`);
  }
  gloss.replace(frame, make("h2", null, section.title), body);
}

const frames = (sections) => sections.map(({id}) => make("section", {id}));

function modelLine(model) {
  const {name, config, parameters, source_language: from, target_language: to} = model;
  const {recurrent, attends} = gloss.network(model);
  const facts = [
    `${config.encoder_layers} + ${config.decoder_layers} ${recurrent ? "GRU layers" : "layers"}`,
    attends && `${config.heads} heads`,
    `d_model ${config.d_model}`,
    !recurrent && `d_ff ${config.d_ff}`,
    ...gloss.networkKinds(model),
    `${parameters.toLocaleString("en-US")} parameters`,
  ];
  return `${name}${from && to ? ` (${from} → ${to})` : ""}: ${facts.filter(Boolean).join(", ")}`;
}

// Lists for the sentence, and for the passes over it where there are several.
function itemChoices(all, state, change) {
  const texts = [...new Set(all.items.map(({text}) => text))];
  const {text} = all.items[state.item];
  const passes = all.items.map((item, index) => ({item, index})).filter(({item}) => item.text === text);
  const passName = ({item, index}) => `${index + 1} ${gloss.passName(all, item) || "whole model"}`;
  const sentence = (each, value) => ({value, text: `${value + 1} ${gloss.shorten(each) || "(empty)"}`});
  return [
    texts.length > 1 ? gloss.select("Sentence", texts.map(sentence), texts.indexOf(text),
                         (value) => {
                           const {model, without} = all.items[state.item];
                           const same = (item) => item.text === texts[value];
                           const alike = (item) => same(item) && item.model === model &&
                             JSON.stringify(item.without) === JSON.stringify(without);
                           const index = all.items.findIndex(alike);
                           change(index >= 0 ? index : all.items.findIndex(same));
                         })
                     : null,
    passes.length > 1
      ? gloss.select("Model and pass", passes.map((pass) => ({value: pass.index, text: passName(pass)})), state.item,
          (value) => change(Number(value)))
      : null,
  ];
}

// Lets the browser show what is drawn so far.
const pause = () => new Promise((resume) => setTimeout(resume));

async function showExplanation(all, root) {
  const state = {item: 0};
  const bodies = frames(gloss.sections);
  const choices = make("div", {class: "controls items"});
  const title = make("span");
  const subtitle = make("span");
  const drawSection = (i) => {
    const item = all.items[state.item];
    draw(gloss.sections[i], bodies[i], {document: all, item, model: all.models[item.model]});
  };
  const head = () => {
    const item = all.items[state.item];
    gloss.replace(choices, itemChoices(all, state, change));
    gloss.replace(title, item.text || "(empty)");
    gloss.replace(subtitle, make("span", {class: "network"}, modelLine(all.models[item.model])),
      item.target.pieces.length === 0
        ? gloss.absent("The translation is empty.")
        : make("span", {class: "translation"}, "Translation: ", make("q", null, item.target.text)));
  };
  const change = (index) => {
    state.item = index;
    head();
    gloss.sections.forEach((section, i) => section.whole || drawSection(i));
  };
  gloss.replace(root, header(title, subtitle, choices), contents(gloss.sections), make("main", null, bodies));
  head();
  for (let i = 0; i < bodies.length; ++i) {
    drawSection(i);
    await pause();
  }
}

async function showRuns(all, root) {
  const bodies = frames(gloss.runSections);
  const subtitle = all.runs.map(({name, finished}) => name + (finished ? "" : " (still running)")).join(", ");
  const title = gloss.lastFolders(all.runs.map(({name}) => name)).join(", ");
  gloss.replace(root, header(title, subtitle), contents(gloss.runSections), make("main", null, bodies));
  for (let i = 0; i < bodies.length; ++i) {
    draw(gloss.runSections[i], bodies[i], {document: all});
    await pause();
  }
}

async function start() {
  const root = document.getElementById("page");
  gloss.setTheme("");
  try {
    const all = await gloss.readPayload(document.getElementById("payload").textContent);
    const show = {"gloss.explanation": showExplanation, "gloss.run": showRuns}[all.format];
    if (!show || all.version !== 1)
      throw new Error(`expected gloss.explanation or gloss.run, version 1, got ${all.format}, version ${all.version}`);
    gloss.document = all;
    await show(all, root);
    root.append(make("footer", null, all.gloss ? `Written by gloss ${all.gloss}.` : "Written by gloss.",
      " This file needs no network."));
    if (window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    console.error(error);
    gloss.replace(root, make("p", {class: "failure"}, `This page could not be read: ${error.message}`));
  }
  root.dataset.ready = Math.round(performance.now());  // milliseconds since the page was opened
}

start();
})((window.gloss = window.gloss || {}));
