#include "decoding/log_normalizers.h"

#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>
#include <c10/core/InferenceMode.h>

#include "tensor/thread_count.h"

namespace gloss {

at::Tensor log_normalizers(const at::Tensor& logits) {
  if (!logits.is_cpu()) return logits.logsumexp(-1);
  auto result = at::empty({logits.size(0)}, logits.options());
  at::parallel_for(0, logits.size(0), 1, [&](std::int64_t first, std::int64_t last) {
    const c10::InferenceMode inference;
    const ThreadCount one(1);
    for (auto row = first; row < last; ++row) result[row].copy_(logits[row].logsumexp(0));
  });
  return result;
}

}  // namespace gloss
