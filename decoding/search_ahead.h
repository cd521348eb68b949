#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/candidates.h"
#include "decoding/decoding_config.h"
#include "decoding/scorer.h"
#include "decoding/search_hooks.h"

namespace gloss {

// Greedy and beam search whose rows stay on the scorer's device. The device takes some steps without the host; each
// step continues the likeliest rows that do not end. One transfer then brings the candidates of these steps to the
// host, which repeats the decisions step by step. Only the host finishes hypotheses and ends sentences. If a sentence
// ends before the last of the steps, the host skips its later candidates. The order of equal log-probabilities is not
// specified.

/// Number of steps between two waits of the host. Not measured on a GPU.
inline constexpr std::int64_t kStepsAhead = 4;

/// The live rows with which such a search begins.
struct LiveRows {
  std::vector<std::int64_t> sentences;    ///< [B], by their names in the hooks
  Ids tokens;                             ///< [B * K], each row's last
  std::vector<double> log_probabilities;  ///< [B * K]; -inf for a row that only fills up the batch
  std::int64_t length = 0;                ///< tokens of each row, without bos
};

/// Limits of a step: `width` candidates of each sentence, of which the first `rows` without eos continue.
struct AheadLimits {
  std::int64_t width = 1, rows = 1;
  std::int64_t length = 0;  ///< of the longest sentence, eos included
};

/// Takes the candidates of a step of a sentence, best first, and returns whether the sentence goes on.
using TakeCandidates = std::function<bool(std::int64_t sentence, std::vector<Candidate>& candidates)>;

/// Returns whether the scorer stays on a device, and a search depends on the tokens so far by their number alone, from
/// `length` tokens on.
bool may_run_ahead(const Scorer& scorer, const DecodingConfig& config, std::span<const Ids> prefixes,
                   std::int64_t length);

/// Searches until `take` has ended all sentences. Before the host repeats a step it calls hooks.before_step; it drops a
/// sentence that is not wanted. The state has the rows of `live`. Throws ModelError as log_probability_offset.
void search_ahead(const Scorer& scorer, Scorer::State& state, const DecodingConfig& config, LiveRows live,
                  const AheadLimits& limits, const SearchHooks& hooks, const TakeCandidates& take);

}  // namespace gloss
