#include "decoding/log_normalizers.h"

#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>
#include <c10/core/InferenceMode.h>

namespace gloss {
namespace {

constexpr std::int64_t kChunk = 16384;  // few enough that LibTorch sums them on one thread

at::Tensor log_normalizer(const at::Tensor& row) {  // [V]
  std::vector<at::Tensor> chunks;
  for (const auto& chunk : row.split(kChunk)) chunks.push_back(chunk.logsumexp(0));
  return chunks.size() == 1 ? chunks.front() : at::stack(chunks).logsumexp(0);
}

}  // namespace

at::Tensor log_normalizers(const at::Tensor& logits) {
  if (!logits.is_cpu()) return logits.logsumexp(-1);
  auto result = at::empty({logits.size(0)}, logits.options());
  at::parallel_for(0, logits.size(0), 1, [&](std::int64_t first, std::int64_t last) {
    const c10::InferenceMode inference;
    for (auto row = first; row < last; ++row) result[row].copy_(log_normalizer(logits[row]));
  });
  return result;
}

}  // namespace gloss
