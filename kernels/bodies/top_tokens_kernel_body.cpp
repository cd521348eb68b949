// Compiled once for each instruction set (kernel_table.h). One pass: while a tile of logits is in registers, the
// maximum, the normalizer's sum and the best tokens of its rows are updated.
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/packed_tile.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

static_assert(kSumLanes >= kFloats);

// Inserts a logit into the best `width`, which are sorted, after those that are equal.
inline void insert(float logit, std::int32_t id, std::int64_t width, float* logits, std::int32_t* ids) {
  std::int64_t position = width - 1;
  for (; position > 0 && logits[position - 1] < logit; --position) {
    logits[position] = logits[position - 1];
    ids[position] = ids[position - 1];
  }
  logits[position] = logit;
  ids[position] = id;
}

inline void update_row(const Floats (&tile)[kTileVectors], const TopTokens& top, std::int64_t row,
                       std::int64_t column) {
  Floats maxima = tile[0];
#pragma GCC unroll 4
  for (int v = 1; v < kTileVectors; ++v) maxima = max_of(maxima, tile[v]);
  const float tile_max = max_of(maxima);
  float* const sums = top.sums + row * kSumLanes;
  Floats sum = load(sums);
  if (tile_max > top.max[row]) {
    sum *= exp_of_negative(broadcast(top.max[row] - tile_max));
    top.max[row] = tile_max;
  }
#pragma GCC unroll 4
  for (int v = 0; v < kTileVectors; ++v) sum += exp_of_negative(tile[v] - top.max[row]);
  store(sums, sum);

  float* const logits = top.logits + row * top.width;
  if (top.all.data == nullptr && !(tile_max > logits[top.width - 1])) return;
  float stored[kTileColumns];
  __builtin_memcpy(stored, tile, sizeof stored);
  const std::int64_t left = top.matrix.columns - column;
  if (top.all.data != nullptr)
    for (int j = 0; j < kTileColumns && j < left; ++j) top.all.data[row * top.all.stride + column + j] = stored[j];
  for (int j = 0; j < kTileColumns && j < left; ++j) {
    if (stored[j] > logits[top.width - 1])
      insert(stored[j], static_cast<std::int32_t>(column + j), top.width, logits, top.ids + row * top.width);
  }
}

}  // namespace

void top_tokens(const TopTokens& top) {
  constexpr float kLowest = -3e38F;  // finite, so that differences of two such values are finite
  for (std::int64_t row = 0; row < top.rows; ++row) {
    top.max[row] = kLowest;
    for (std::int64_t lane = 0; lane < kSumLanes; ++lane) top.sums[row * kSumLanes + lane] = 0;
  }
  for_each_tile(top, [&](const Floats(&logits)[kTileVectors], std::int64_t row, std::int64_t column) {
    update_row(logits, top, row, column);
  });
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
