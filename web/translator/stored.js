// Settings that the browser keeps: languages, glossary, theme, and whether words are shaded. No text, no translation.
(function(gloss) {
"use strict";

const PREFIX = "gloss.";

// Returns a stored value, or `otherwise` if there is none or the browser keeps nothing.
gloss.stored = (name, otherwise) => {
  try {
    return JSON.parse(window.localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
};

gloss.store = (name, value) => {
  try {
    window.localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch (error) {
    console.info(`${name} is not kept: ${error.message}`);
  }
};

const darkScreen = window.matchMedia("(prefers-color-scheme: dark)");
let choice = gloss.stored("theme", "");
const shown = () => choice || (darkScreen.matches ? "dark" : "light");

// The switch between dark and light. A choice that equals the system's is none: the page follows the system again.
gloss.themeButton = () => {
  const button = gloss.iconButton("moon", "", () => {
    const next = shown() === "dark" ? "light" : "dark";
    choice = next === (darkScreen.matches ? "dark" : "light") ? "" : next;
    gloss.store("theme", choice);
    paint();
  });
  const paint = () => {
    const dark = shown() === "dark";
    document.documentElement.dataset.theme = shown();
    gloss.replace(button, gloss.icon(dark ? "sun" : "moon"));
    button.title = dark ? "Light colors" : "Dark colors";
    button.setAttribute("aria-label", button.title);
  };
  darkScreen.addEventListener("change", paint);
  paint();
  return button;
};
})((window.gloss = window.gloss || {}));
