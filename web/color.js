// Colors of numbers. Both maps vary in lightness alone enough to be read without color vision and on gray paper.
(function(gloss) {
"use strict";

// Yellow-green-blue (ColorBrewer YlGnBu): 0 is the color of the page, in light as in dark.
const SEQUENTIAL = {
  light: ["#fcfcf7", "#e3f2c4", "#a8dcb7", "#62bfc0", "#3299c1", "#2368ab", "#223c92", "#0c1e5c"],
  dark: ["#14171b", "#1a2748", "#22407c", "#2567a5", "#2f93b5", "#5fbcb0", "#b4dfa8", "#fbf7c0"],
};
// Blue for negative, orange for positive numbers.
const DIVERGING = {
  light: ["#0b3c7c", "#2f72b5", "#85b4da", "#fcfcf7", "#f2b983", "#d07a2c", "#8a4108"],
  dark: ["#9fd0ff", "#4d94d6", "#27507d", "#14171b", "#7d4a1c", "#d18434", "#ffcf95"],
};
// Lines of a plot (Okabe and Ito).
gloss.LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

const parse = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

function table(anchors) {
  const colors = anchors.map(parse);
  return Array.from({length: 256}, (_, i) => {
    const position = (i / 255) * (colors.length - 1);
    const left = Math.min(Math.floor(position), colors.length - 2);
    return [0, 1, 2].map(
      (c) => Math.round(colors[left][c] + (position - left) * (colors[left + 1][c] - colors[left][c])));
  });
}

const tables = {
  sequential: {light: table(SEQUENTIAL.light), dark: table(SEQUENTIAL.dark)},
  diverging: {light: table(DIVERGING.light), dark: table(DIVERGING.dark)},
};

// Light or dark: what the reader has chosen, else as the system is set.
const darkScreen = window.matchMedia("(prefers-color-scheme: dark)");
let choice = "";

gloss.theme = () => document.documentElement.dataset.theme;

// Sets "light" or "dark", or "" for the system's, and paints again. Paper is light.
gloss.setTheme = (theme) => {
  choice = theme;
  document.documentElement.dataset.theme = choice || (darkScreen.matches ? "dark" : "light");
  gloss.paintAgain();
};
darkScreen.addEventListener("change", () => gloss.setTheme(choice));
window.addEventListener("beforeprint", () => {
  document.documentElement.dataset.theme = "light";
  gloss.paintAll();
});
window.addEventListener("afterprint", () => gloss.setTheme(choice));

// scale({low, high, diverging}) returns value -> [red, green, blue]. A diverging scale is symmetric about 0.
gloss.scale = ({low, high, diverging}) => {
  const colors = tables[diverging ? "diverging" : "sequential"][gloss.theme()];
  const bound = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const [from, to] = diverging ? [-bound, bound] : [low, high];
  const width = to - from || 1;
  return (value) => {
    if (Number.isNaN(value)) return colors[diverging ? 127 : 0];
    return colors[Math.max(0, Math.min(255, Math.round(((value - from) / width) * 255)))];
  };
};

gloss.css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

// Black or white, whichever is easier to read on a color (relative luminance, WCAG 2).
gloss.inkOn = (color) => {
  const [r, g, b] = color.map((part) => (part / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#101418" : "#ffffff";
};

// A color of the style sheet, as --ink.
gloss.styleColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
})((window.gloss = window.gloss || {}));
