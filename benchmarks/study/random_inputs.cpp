#include "benchmarks/study/random_inputs.h"

#include <ATen/ops/empty.h>

#include "common/random.h"

namespace gloss::study {

at::Tensor random_normal(const std::vector<std::int64_t>& shape, std::string_view name) {
  const RandomStream random(1, name);
  auto values = at::empty(shape, at::kFloat);
  auto* const data = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i)
    data[i] = static_cast<float>(random.normal(static_cast<std::uint64_t>(i)));
  return values;
}

std::vector<Ids> random_sentences(std::int64_t count, std::int64_t length, std::int64_t vocabulary,
                                  std::string_view name) {
  const RandomStream random(1, name);
  std::uint64_t drawn = 0;
  std::vector<Ids> sentences(static_cast<std::size_t>(count), Ids(static_cast<std::size_t>(length)));
  for (auto& sentence : sentences) {
    for (auto& id : sentence)
      id = static_cast<Id>(kSpecialIds + random.below(static_cast<std::uint64_t>(vocabulary - kSpecialIds), drawn++));
    sentence.back() = kEos;
  }
  return sentences;
}

}  // namespace gloss::study
