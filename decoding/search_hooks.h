#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decoding/beam.h"
#include "decoding/candidates.h"
#include "decoding/hypothesis.h"

namespace gloss {

/// Callbacks of a running search. Each may be empty, and may throw to leave the search. `sentence` is an index into the
/// sources of the search.
struct SearchHooks {
  /// Called by batched_search only, before each batch, with its number of sentences.
  std::function<void(std::int64_t sentences)> before_batch = {};
  /// Called before each step of the model.
  std::function<void()> before_step = {};
  /// Asked after each step for each sentence that goes on. False drops the sentence: no other hook is called for it,
  /// and what the search returns for it is incomplete.
  std::function<bool(std::int64_t sentence)> wanted = {};
  /// Returns whether the sentence is to go on.
  bool wants(std::int64_t sentence) const { return !wanted || wanted(sentence); }
  /// Called by greedy search with each token except eos, and the log-probability of all tokens so far.
  std::function<void(std::int64_t sentence, Id token, double log_probability)> on_token = {};
  /// Called for each sentence whose phrases do not all fit into the length limit, before the first step of its batch.
  /// `phrases` is the number of phrases left out (the last ones).
  std::function<void(std::int64_t sentence, std::int64_t phrases)> on_left_out = {};
  /// Called by beam search after each step of a sentence. `candidates` are the continuations that it considered, best
  /// first; `beam` is the result.
  std::function<void(std::int64_t sentence, std::span<const Candidate> candidates, const Beam& beam)> on_beam = {};
  /// Called once for each sentence, as soon as it is done, with the search's result for it.
  std::function<void(std::int64_t sentence, const std::vector<Hypothesis>& found)> on_found = {};
};

}  // namespace gloss
