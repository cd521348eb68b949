// Arrays of numbers: {shape, values} with plain numbers, or {shape, at, min, scale} with 8-bit values at an offset.
(function(gloss) {
"use strict";

// A view of an array, or of a plain list of numbers: shape, at(i, j, ...), slice(i), the array without its first axis,
// and scale, the step of 8-bit values (a number is known to half of it). Returns null for null.
gloss.array = (stored) => {
  if (!stored) return null;
  if (stored.read) return stored;  // is a view
  if (Array.isArray(stored)) return view([stored.length], 0, (index) => stored[index]);
  if (stored.values) return view(stored.shape, 0, (index) => stored.values[index]);
  const {at: offset, min, scale} = stored;
  return view(stored.shape, 0, (index) => min + scale * gloss.bytes[offset + index], scale);
};

// An array whose values are computed when they are needed, from numbers that are known to half of `scale`.
gloss.computed = (shape, value, scale) => {
  const values = new Float64Array(shape.reduce((product, size) => product * size, 1)).fill(NaN);
  const columns = shape[shape.length - 1];
  return view(shape, 0, (index) => {
    if (Number.isNaN(values[index])) values[index] = value(Math.floor(index / columns), index % columns);
    return values[index];
  }, scale);
};

function view(shape, offset, read, scale) {
  const size = shape.reduce((product, length) => product * length, 1);
  return {
    shape,
    size,
    scale,
    read: (index) => read(offset + index),
    at(...indices) {
      let index = 0;
      for (let axis = 0; axis < shape.length; ++axis) index = index * shape[axis] + indices[axis];
      return read(offset + index);
    },
    slice: (first) => view(shape.slice(1), offset + first * (size / shape[0]), read, scale),
  };
}

// The smallest and the largest value.
gloss.extent = (array) => {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < array.size; ++i) {
    const value = array.read(i);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
};

// The largest scale of arrays, undefined if all numbers are exact.
gloss.coarsest = (arrays) => Math.max(0, ...arrays.map(({scale}) => scale || 0)) || undefined;

// The mean of arrays of one shape [rows, columns].
gloss.meanOf = (arrays) => gloss.computed(arrays[0].shape,
  (row, column) => arrays.reduce((sum, array) => sum + array.at(row, column), 0) / arrays.length,
  gloss.coarsest(arrays));

// Digits after the point of a number that is known to scale / 2.
const digitsOf = (scale) => Math.max(0, Math.floor(-Math.log10(scale)));

const signOf = (text) => text.replace(/^-(?=0(\.0*)?$)/, "").replaceAll("-", "−");

// A number as a reader wants it: four significant digits, no exponent where it is not needed. A number of an array with
// a scale has no more digits than the scale allows.
gloss.format = (value, scale) => {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (scale) {
    const usual = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 || size === 0 ? 3 : 4;
    return signOf(value.toFixed(Math.min(usual, digitsOf(scale))));
  }
  const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(2)
    : size >= 1000                                        ? value.toFixed(0)
    : size >= 100                                         ? value.toFixed(1)
    : size >= 10                                          ? value.toFixed(2)
    : size >= 0.1 || size === 0                           ? value.toFixed(3)
                                                          : value.toFixed(4);
  return text.replaceAll("-", "−");
};

// Two digits for the cells of a map, fewer if the scale of the array is coarser.
gloss.formatShort = (value, scale) => {
  if (value === null || Number.isNaN(value)) return "";
  const usual = Math.abs(value) >= 99.5 ? 0 : Math.abs(value) >= 9.95 ? 1 : 2;
  const text = value.toFixed(scale ? Math.min(usual, digitsOf(scale)) : usual);
  return text.replace("-", "−").replace(/^(−?)0\./, "$1.").replace(/^−?\.00$/, "0");
};

gloss.signed = (value, scale) => (value > 0 ? "+" : "") + gloss.format(value, scale);
})((window.gloss = window.gloss || {}));
