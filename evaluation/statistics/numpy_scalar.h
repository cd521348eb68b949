#pragma once

namespace gloss {

/// A number in a formula that mixes NumPy's float32 scalars with Python's floats. An operation with a float32 operand
/// is rounded to float32 (NEP 50); operations of Python floats are double.
struct NumpyScalar {
  double value = 0;
  bool is_float32 = false;

  NumpyScalar(double python_float) : value(python_float) {}
  NumpyScalar(float numpy_float32) : value(numpy_float32), is_float32(true) {}
};

template <typename Operation>
NumpyScalar combined(NumpyScalar a, NumpyScalar b, Operation operation) {
  if (!a.is_float32 && !b.is_float32) return operation(a.value, b.value);
  return operation(static_cast<float>(a.value), static_cast<float>(b.value));
}

inline NumpyScalar operator+(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x + y; });
}
inline NumpyScalar operator*(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x * y; });
}
inline NumpyScalar operator/(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x / y; });
}

}  // namespace gloss
