// The page that gloss serve shows: reads what the server offers, and puts the parts together.
(function(gloss) {
"use strict";

const {make} = gloss;

async function build(root, notices) {
  const [settings, served] = await Promise.all([gloss.get("frontend/settings"), gloss.get("languages")]);
  let isDeclined = false;  // the reader has closed the question for a key
  const askForKey = (retry) => {
    const reason =
      gloss.key() ? "It does not know the key that was given." : "Its owner gives keys to those who may use it.";
    const given = () => {
      isDeclined = false;
      retry();
    };
    gloss.askForKey(reason, given, () => decline(retry));
  };
  const decline = (retry) => {
    isDeclined = true;
    notices.note("This server translates with a key only.", "Give a key", () => askForKey(retry));
  };
  const fail = (error, retry) => {
    if (error.status !== 403 || !settings.keyRequired)
      notices.show(error, retry);
    else
      (isDeclined ? decline : askForKey)(retry || (() => typing.now()));
  };
  const pair = () => languages.pair();

  const point = (word) => {
    const linked = word && word.sentence && details.linked(word);
    if (linked)
      links.show(linked.sources, linked.targets);
    else
      links.hide();
  };
  const changed = () => {
    target.forgetChoices();
    target.clear();
    glossary.update();
    typing.now();
  };
  const {q, ...wanted} = Object.fromEntries(new URLSearchParams(window.location.search));
  const languages = gloss.languages(served, settings, wanted, {
    change: changed,
    swap: () => {
      const text = target.text();
      changed();
      if (text) source.set(text);
    },
  });
  const details = gloss.details({
    languages: pair,
    take: (sentence, found) => {
      target.describe(sentence, found);
      if (sentence.details) source.describe(sentence);
    }
  });
  const openMenu = gloss.alternatives({
    languages: pair,
    fail,
    choose: (...choice) => {
      links.hide();
      return target.choose(...choice);
    },
  });
  const source = gloss.sourcePane({
    limit: settings.charLimit,
    input: () => {
      links.hide();
      gloss.closeMenu();
      typing.later();
    },
    now: () => typing.now(),
    point,
  });
  const target = gloss.translationPane({open: openMenu, point, seen: (sentence) => details.want(sentence)});
  const links = gloss.links(source.element, target.element);
  const typing = gloss.typing({source, target, languages, notices, fail, found: () => glossary.update()});
  const glossary = gloss.glossaryButton({pair, name: languages.name, change: () => typing.now()});
  const file = gloss.fileButton(
    {settings, pair: () => ({source: languages.chosen(), target: languages.target()}), say: notices.note, fail});
  const key = settings.keyRequired &&
    gloss.wideButton("key", "Key", () => gloss.askForKey("A new key replaces the one before.", () => typing.now()));

  gloss.replace(root,
    make("header", {class: "top"}, make("h1", null, "gloss"),
      make("div", {class: "tools"}, glossary.element, file, key, gloss.themeButton())),
    make("main", null, languages.element, notices.element, links.element),
    make("footer", null,
      "Texts are translated on this server and sent nowhere else. Press a word of the translation " +
        "for others in its place."));
  if (settings.keyRequired && !gloss.key())
    fail(new gloss.Failure(403, "Please give a key."));
  else
    source.field.focus();
  if (q) source.set(q);
}

async function start() {
  const root = document.getElementById("page");
  const notices = gloss.notices();
  try {
    await build(root, notices);
    root.dataset.ready = "true";
  } catch (error) {
    console.info(error);
    gloss.replace(
      root, make("header", {class: "top"}, make("h1", null, "gloss"), gloss.themeButton()), notices.element);
    notices.show(error instanceof gloss.Failure ? error : new gloss.Failure(-1, String(error)), start);
  }
}

start();
})((window.gloss = window.gloss || {}));
