#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"

namespace gloss::study {

/// Pieces of the networks that the study makes.
inline constexpr std::int64_t kVocabulary = 1000;

/// Independent normal numbers of variance 1, by the name of their stream.
at::Tensor random_normal(const std::vector<std::int64_t>& shape, std::string_view name);

/// `count` sentences of `length` tokens, the last of them eos.
std::vector<Ids> random_sentences(std::int64_t count, std::int64_t length, std::int64_t vocabulary,
                                  std::string_view name);

}  // namespace gloss::study
