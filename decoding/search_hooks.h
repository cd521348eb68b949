#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decoding/hypothesis.h"

namespace gloss {

/// What a caller sees of a search while it goes on. Each may be empty, and may throw, which gives the search up.
/// `sentence` is a place in the sources that the search was called with.
struct SearchHooks {
  /// Before each batch of sentences.
  std::function<void()> before_batch = {};
  /// Before each step of the model.
  std::function<void()> before_step = {};
  /// Greedy search only: each token as it is found, eos left out, and the log-probability of all so far.
  std::function<void(std::int64_t sentence, Id token, double log_probability)> on_token = {};
  /// Before the first step of a batch, for each sentence of it without room for all its phrases: how many, its last
  /// ones, are left out.
  std::function<void(std::int64_t sentence, std::int64_t phrases)> on_left_out = {};
  /// Once for each sentence that is searched, as soon as it is done: what the search will return for it.
  std::function<void(std::int64_t sentence, const std::vector<Hypothesis>& found)> on_found = {};
};

}  // namespace gloss
