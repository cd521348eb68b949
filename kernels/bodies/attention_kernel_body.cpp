// Compiled once for each instruction set (kernel_table.h). Operands are copied into rows of whole vectors, padded with
// zeros. Sentences are short, so the data of a head stays in the L1 cache.
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/random_words.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

constexpr float kLogOfZero = -1e30F;  // log of a normalizer that is 0

inline std::int64_t rounded_up(std::int64_t n) { return (n + kFloats - 1) / kFloats * kFloats; }

// Reserves the next `count` floats of the scratch memory.
inline float* take(float*& scratch, std::int64_t count) {
  float* const taken = scratch;
  scratch += rounded_up(count);
  return taken;
}

// A matrix whose element (i, k) is data[i * row + k * column].
struct Strided {
  const float* data;
  std::int64_t row, column;
};

// Computes `kRows` rows of out [., N] from row `i` on: the sums over k of a(i, k) * b [K, N].
template <int kRows, int kColumns>
inline void product_tile(Strided a, const float* b, std::int64_t K, std::int64_t N, float* out) {
  Floats sums[kRows][kColumns] = {};
  for (std::int64_t k = 0; k < K; ++k) {
    Floats row[kColumns];
    for (int v = 0; v < kColumns; ++v) row[v] = load(b + k * N + v * kFloats);
    for (int r = 0; r < kRows; ++r) {
      const float factor = a.data[r * a.row + k * a.column];
      for (int v = 0; v < kColumns; ++v) sums[r][v] += factor * row[v];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kColumns; ++v) store(out + r * N + v * kFloats, sums[r][v]);
  }
}

template <int kColumns>
inline void product_columns(Strided a, const float* b, std::int64_t M, std::int64_t K, std::int64_t N, float* out) {
  std::int64_t i = 0;
  for (; i + 4 <= M; i += 4) product_tile<4, kColumns>({a.data + i * a.row, a.row, a.column}, b, K, N, out + i * N);
  for (; i < M; ++i) product_tile<1, kColumns>({a.data + i * a.row, a.row, a.column}, b, K, N, out + i * N);
}

// out [M, N] = a [M, K] b [K, N]; N is a multiple of the vector length.
inline void product(Strided a, const float* b, std::int64_t M, std::int64_t K, std::int64_t N, float* out) {
  std::int64_t j = 0;
  for (; j + 4 * kFloats <= N; j += 4 * kFloats) product_columns<4>(a, b + j, M, K, N, out + j);
  for (; j + 2 * kFloats <= N; j += 2 * kFloats) product_columns<2>(a, b + j, M, K, N, out + j);
  for (; j < N; j += kFloats) product_columns<1>(a, b + j, M, K, N, out + j);
}

inline void copy_in(Rows rows, std::int64_t count, std::int64_t width, float* out) {
  const std::int64_t padded = rounded_up(width);
  for (std::int64_t i = 0; i < count; ++i) {
    __builtin_memcpy(out + i * padded, rows.data + i * rows.stride, static_cast<std::size_t>(width) * sizeof(float));
    for (std::int64_t j = width; j < padded; ++j) out[i * padded + j] = 0;
  }
}

// Transposes the first `width` columns of `rows` [count, up(width)], as written by copy_in, to out [up(width),
// up(count)]. Rows below `count` are set to zero.
inline void transpose_rows(float* rows, std::int64_t count, std::int64_t width, float* out) {
  const std::int64_t high = rounded_up(count), wide = rounded_up(width);
  for (std::int64_t e = count * wide; e < high * wide; ++e) rows[e] = 0;
  for (std::int64_t i = 0; i < high; i += kFloats) {
    for (std::int64_t j = 0; j < wide; j += kFloats) {
      transpose_square(rows + i * wide + j, wide, out + j * high + i, high);
    }
  }
}

inline void copy_out(const float* from, std::int64_t count, std::int64_t width, float scale, MutableRows out) {
  const std::int64_t padded = rounded_up(width);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < width; ++j) out.data[i * out.stride + j] = from[i * padded + j] * scale;
  }
}

inline std::int64_t visible_to(const AttentionHead& head, std::int64_t t) {
  const std::int64_t until = head.causal ? t + 1 + head.S - head.T : head.S;
  const std::int64_t visible = until < head.visible ? until : head.visible;
  return visible < 0 ? 0 : visible;
}

inline float scale_of(const AttentionHead& head) { return 1 / __builtin_sqrtf(static_cast<float>(head.d_k)); }

// Returns the dropout words of all weights of the head: query t and key s have [t * S + s].
inline const std::uint32_t* words_of(const AttentionHead& head, float*& scratch) {
  if (head.dropout == nullptr) return nullptr;
  const std::uint64_t skipped = head.first % 4, begin = head.first - skipped;
  const std::uint64_t count = skipped + static_cast<std::uint64_t>(head.T * head.S);
  auto* const out = reinterpret_cast<std::uint32_t*>(scratch);
  std::uint64_t done = 0;
  for (; done < count; done += kChunk) {
    Words words[2 * kVectors];
    random_words((begin + done) / 4, *head.dropout, words);
    __builtin_memcpy(out + done, words, sizeof words);
  }
  scratch += done + kFloats;  // each row is read in whole vectors, past its end
  return out + skipped;
}

// Returns 1 / (1 - p) for a weight that is kept, 0 for a dropped one, 1 without dropout.
inline Floats factors_of(const AttentionHead& head, const std::uint32_t* words, std::int64_t t, std::int64_t s) {
  if (words == nullptr) return broadcast(1);
  Words drawn;
  __builtin_memcpy(&drawn, words + t * head.S + s, sizeof drawn);
  return keep_where((Integers)(drawn >= head.dropout->threshold), broadcast(head.dropout->scale));
}

inline Integers lanes_before(std::int64_t s, std::int64_t end) {
  return lanes() + (Integers{} + static_cast<int>(s)) < (Integers{} + static_cast<int>(end));
}

}  // namespace

void attention(const AttentionHead& head, Rows query, Rows key, Rows value, MutableRows out, float* log_normalizer,
               float* scratch) {
  const std::int64_t T = head.T, S = head.S, d_k = head.d_k, Sp = rounded_up(S), Dp = rounded_up(d_k);
  float* const values = take(scratch, Sp * Dp);      // first the keys, then the values
  float* const transposed = take(scratch, Dp * Sp);  // the transposed keys
  float* const weights = take(scratch, T * Sp);
  float* const heads = take(scratch, T * Dp);
  const std::uint32_t* const words = words_of(head, scratch);
  copy_in(key, S, d_k, values);
  transpose_rows(values, S, d_k, transposed);
  copy_in(value, S, d_k, values);

  product({query.data, query.stride, 1}, transposed, T, d_k, Sp, weights);
  const float scale = scale_of(head);
  for (std::int64_t t = 0; t < T; ++t) {
    float* const row = weights + t * Sp;
    const std::int64_t end = visible_to(head, t);
    Floats maxima = broadcast(kLogOfZero);
    for (std::int64_t s = 0; s < Sp; s += kFloats) {
      const Floats score = lanes_before(s, end) ? load(row + s) * scale : broadcast(kLogOfZero);
      store(row + s, score);
      maxima = max_of(maxima, score);
    }
    const float max_score = max_of(maxima);
    Floats sums = broadcast(0);
    for (std::int64_t s = 0; s < Sp; s += kFloats) {
      const Floats e = keep_where(lanes_before(s, end), exp_of_negative(load(row + s) - max_score));
      store(row + s, e);
      sums += e;
    }
    const float sum = sum_of(sums), inverse = end > 0 ? 1 / sum : 0;
    log_normalizer[t] = end > 0 ? max_score + __builtin_logf(sum) : kLogOfZero;
    for (std::int64_t s = 0; s < Sp; s += kFloats) {
      store(row + s, load(row + s) * inverse * factors_of(head, words, t, s));
    }
  }
  product({weights, Sp, 1}, values, T, S, Dp, heads);
  copy_out(heads, T, d_k, 1, out);
}

void attention_backward(const AttentionHead& head, Rows query, Rows key, Rows value, Rows out_gradient,
                        const float* log_normalizer, const AttentionGradients& gradients, float* scratch) {
  const std::int64_t T = head.T, S = head.S, d_k = head.d_k, Sp = rounded_up(S), Dp = rounded_up(d_k);
  const float scale = scale_of(head);
  float* const queries = take(scratch, T * Dp);
  float* const keys = take(scratch, Sp * Dp);
  float* const values = take(scratch, Sp * Dp);
  float* const outs = take(scratch, T * Dp);             // gradient of the output
  float* const transposed = take(scratch, Dp * Sp);      // transposed keys, then transposed values
  float* const kept = take(scratch, T * Sp);             // weights after dropout
  float* const score_gradients = take(scratch, T * Sp);  // first the gradients of the weights after dropout
  float* const result = take(scratch, (T > S ? T : S) * Dp);
  const std::uint32_t* const words = words_of(head, scratch);
  copy_in(query, T, d_k, queries);
  copy_in(key, S, d_k, keys);
  copy_in(out_gradient, T, d_k, outs);

  transpose_rows(keys, S, d_k, transposed);
  product({queries, Dp, 1}, transposed, T, d_k, Sp, kept);
  copy_in(value, S, d_k, values);
  transpose_rows(values, S, d_k, transposed);
  product({outs, Dp, 1}, transposed, T, d_k, Sp, score_gradients);
  for (std::int64_t t = 0; t < T; ++t) {
    float* const scores = kept + t * Sp;
    float* const row = score_gradients + t * Sp;
    const std::int64_t end = visible_to(head, t);
    Floats sums = broadcast(0);
    for (std::int64_t s = 0; s < Sp; s += kFloats) {
      const Floats difference = load(scores + s) * scale - log_normalizer[t];
      const Floats bounded = difference > 0.0F ? broadcast(0) : difference;  // NaN propagates
      const Floats weight = keep_where(lanes_before(s, end), exp_of_negative(bounded));
      const Floats factor = factors_of(head, words, t, s);
      const Floats gradient = load(row + s) * factor;
      store(row + s, gradient);
      sums += weight * gradient;
      store(scores + s, weight);
    }
    const float sum = sum_of(sums);
    for (std::int64_t s = 0; s < Sp; s += kFloats) {
      const Floats weight = load(scores + s);
      store(row + s, weight * (load(row + s) - sum));
      store(scores + s, weight * factors_of(head, words, t, s));
    }
  }
  product({kept, 1, Sp}, outs, S, T, Dp, result);
  copy_out(result, S, d_k, 1, gradients.value);
  product({score_gradients, Sp, 1}, keys, T, S, Dp, result);
  copy_out(result, T, d_k, scale, gradients.query);
  product({score_gradients, 1, Sp}, queries, S, T, Dp, result);
  copy_out(result, S, d_k, scale, gradients.key);
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
