#pragma once

#include <cstddef>
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
  /// Called before each step of the model, or before its results are taken if the search runs ahead on a device.
  std::function<void()> before_step = {};
  /// Asked after each step for each sentence that goes on. False drops the sentence: no other hook is called for it,
  /// and what the search returns for it is incomplete.
  std::function<bool(std::int64_t sentence)> wanted = {};
  /// Returns whether the sentence is to go on.
  bool wants(std::int64_t sentence) const { return !wanted || wanted(sentence); }
  /// Called with each token except eos of the translation that will be the best one, in order, as soon as it is
  /// certain: by greedy search and for a single draw when it is found; by beam search as Beam::certain says; the rest
  /// when the sentence is done, before on_found.
  std::function<void(std::int64_t sentence, Id token, double log_probability)> on_token = {};
  /// Called for each sentence whose phrases do not all fit into the length limit, before the first step of its batch.
  /// `phrases` is the number of phrases left out (the last ones).
  std::function<void(std::int64_t sentence, std::int64_t phrases)> on_left_out = {};
  /// Called by beam search after each step of a sentence. `candidates` are the continuations that it considered, best
  /// first; `beam` is the result.
  std::function<void(std::int64_t sentence, std::span<const Candidate> candidates, const Beam& beam)> on_beam = {};
  /// Called once for each sentence, as soon as it is done, with the search's result for it.
  std::function<void(std::int64_t sentence, const std::vector<Hypothesis>& found)> on_found = {};

  /// Calls on_token, if there is one, for the tokens after the first `sent`, and counts them.
  void send_tokens(std::int64_t sentence, const Hypothesis& certain, std::size_t& sent) const {
    if (!on_token) return;
    for (; sent < certain.ids.size(); ++sent)
      on_token(sentence, certain.ids[sent], certain.token_log_probabilities[sent]);
  }
};

}  // namespace gloss
