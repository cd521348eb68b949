#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/batched_search.h"

namespace gloss {

/// Runs batched_search and returns the hypotheses of each sentence, best first, in the order of `sources`; none for an
/// empty row.
inline std::vector<std::vector<Hypothesis>> collected_search(const Scorer& scorer, std::span<const Ids> sources,
                                                             const DecodingConfig& config,
                                                             const SearchInputs& given = {}, SearchHooks hooks = {}) {
  std::vector<std::vector<Hypothesis>> result(sources.size());
  hooks.on_found = [&result, also = hooks.on_found](std::int64_t sentence, const std::vector<Hypothesis>& found) {
    result[static_cast<std::size_t>(sentence)] = found;
    if (also) also(sentence, found);
  };
  batched_search(scorer, sources, config, given, hooks);
  return result;
}

}  // namespace gloss
