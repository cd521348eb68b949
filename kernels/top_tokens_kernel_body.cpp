// Compiled once for each instruction set (kernel_table.h). One pass: while a tile of logits is in registers, the
// greatest, the normalizer's sum and the best tokens of its rows are brought up to date.
#include "kernels/kernel_bodies.h"
#include "kernels/packed_tile.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

static_assert(kSumLanes >= kFloats);

// Puts a logit into its place among the best `width`, behind those that are as great.
inline void insert(float logit, std::int32_t id, std::int64_t width, float* logits, std::int32_t* ids) {
  std::int64_t place = width - 1;
  for (; place > 0 && logits[place - 1] < logit; --place) {
    logits[place] = logits[place - 1];
    ids[place] = ids[place - 1];
  }
  logits[place] = logit;
  ids[place] = id;
}

inline void look_at(const Floats (&tile)[kTileVectors], const TopTokens& top, std::int64_t row, std::int64_t column) {
  Floats greatest = tile[0];
#pragma GCC unroll 4
  for (int v = 1; v < kTileVectors; ++v) greatest = max_of(greatest, tile[v]);
  const float most = max_of(greatest);
  float* const sums = top.sums + row * kSumLanes;
  Floats sum = load(sums);
  if (most > top.most[row]) {
    sum *= exp_of_negative(spread(top.most[row] - most));
    top.most[row] = most;
  }
#pragma GCC unroll 4
  for (int v = 0; v < kTileVectors; ++v) sum += exp_of_negative(tile[v] - top.most[row]);
  store(sums, sum);

  float* const logits = top.logits + row * top.width;
  if (top.all.data == nullptr && !(most > logits[top.width - 1])) return;
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
  constexpr float kLowest = -3e38F;  // finite, so that differences are
  for (std::int64_t row = 0; row < top.rows; ++row) {
    top.most[row] = kLowest;
    for (std::int64_t lane = 0; lane < kSumLanes; ++lane) top.sums[row * kSumLanes + lane] = 0;
  }
  for_each_tile(top, [&](const Floats(&logits)[kTileVectors], std::int64_t row, std::int64_t column) {
    look_at(logits, top, row, column);
  });
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
