// Canvases are painted when they come near the screen, and again when the theme or their size changes.
(function(gloss) {
"use strict";

const painters = new WeakMap();  // canvas -> function that paints it
const painted = new WeakSet();

function paint(canvas) {
  painted.add(canvas);
  painters.get(canvas)();
}

const near = new IntersectionObserver((entries) => {
  for (const {target, isIntersecting} of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    paint(target);
  }
}, {rootMargin: "300px"});

// Registers the function that paints a canvas.
gloss.paintWhenSeen = (canvas, painter) => {
  painters.set(canvas, painter);
  near.observe(canvas);
};

// Paints a canvas that has been painted before; the others are painted when they are seen.
gloss.repaint = (canvas) => {
  if (painted.has(canvas)) paint(canvas);
};

const listeners = new WeakMap();  // element -> function to call when the theme changes

// Calls paint when the theme changes and the element is on the page.
gloss.onTheme = (element, paint) => {
  listeners.set(element, paint);
  element.dataset.themed = "";
};

gloss.paintAgain = () => {
  document.querySelectorAll("canvas").forEach(gloss.repaint);
  document.querySelectorAll("[data-themed]").forEach((element) => listeners.get(element)());
};

// Paints everything, seen or not.
gloss.paintAll = () => {
  document.querySelectorAll("canvas").forEach((canvas) => painters.has(canvas) && paint(canvas));
  document.querySelectorAll("[data-themed]").forEach((element) => listeners.get(element)());
};

// Gives a canvas a size in CSS pixels and returns a context that draws in them.
gloss.context = (canvas, width, height) => {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
};

// Calls change with the width of an element whenever that has changed.
gloss.watchWidth = (element, change) => {
  let width = 0;
  new ResizeObserver((entries) => {
    const next = Math.floor(entries[entries.length - 1].contentRect.width);
    if (next === width || next === 0) return;
    width = next;
    requestAnimationFrame(() => change(next));
  }).observe(element);
};
})((window.gloss = window.gloss || {}));
