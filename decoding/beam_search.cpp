#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <ATen/ops/tensor.h>

#include "decoding/beam.h"
#include "decoding/length_limit.h"
#include "decoding/search.h"

namespace gloss {
namespace {

/// The rows of the beams that go on as one rectangle, sentence-major. A beam with fewer rows than the widest is filled
/// up with rows of probability 0.
struct Rectangle {
  std::vector<std::int64_t> tokens;       ///< [B * K], each row's last
  std::vector<std::int64_t> parents;      ///< [B * K]
  std::vector<double> log_probabilities;  ///< [B * K]
  std::int64_t width = 0;                 ///< K
};

Rectangle rectangle_of(const std::vector<Beam>& beams, const std::vector<std::int64_t>& searched) {
  Rectangle result;
  for (const auto b : searched) result.width = std::max(result.width, std::ssize(beams[b].rows()));
  for (const auto b : searched) {
    const auto& rows = beams[b].rows();
    for (const auto& row : rows) {
      result.tokens.push_back(row.ids.empty() ? kBos : row.ids.back());
      result.parents.push_back(row.parent);
      result.log_probabilities.push_back(row.log_probability);
    }
    for (auto k = std::ssize(rows); k < result.width; ++k) {
      result.tokens.push_back(kPad);
      result.parents.push_back(0);
      result.log_probabilities.push_back(-std::numeric_limits<double>::infinity());
    }
  }
  return result;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const Scorer& scorer, const PaddedIds& source,
                                                 const DecodingConfig& config) {
  const auto limit = length_limit(config, scorer);
  std::vector<Beam> beams(source.lengths.size(), Beam(config, limit));
  std::vector<std::int64_t> searched(beams.size());  // the sentences that are not done
  std::iota(searched.begin(), searched.end(), 0);

  if (!beams.empty()) {
    const auto state = scorer.start(source);
    auto rows = rectangle_of(beams, searched);
    while (true) {
      // All beams are at the same length: what one bans all do.
      const auto banned = beams[searched.front()].bans_eos() ? std::optional(kEos) : std::nullopt;
      const auto B = std::ssize(searched);
      const auto tokens = at::tensor(rows.tokens, at::kLong).view({B, rows.width}).to(scorer.device());  // [B, K]
      const auto top =
          scorer.step_top(*state, tokens, tokens_wanted(2 * config.beam_size, banned, scorer.vocabulary_size()));
      const auto candidates = best_candidates(top, rows.log_probabilities, B, 2 * config.beam_size, banned);

      std::vector<std::int64_t> kept, still_searched;
      for (std::int64_t b = 0; b < B; ++b) {
        auto& beam = beams[searched[b]];
        beam.advance(candidates[b]);
        if (beam.done()) continue;
        kept.push_back(b);
        still_searched.push_back(searched[b]);
      }
      if (kept.empty()) break;
      searched = std::move(still_searched);
      rows = rectangle_of(beams, searched);
      scorer.select(*state, kept, rows.parents);
    }
  }

  std::vector<std::vector<Hypothesis>> result;
  result.reserve(beams.size());
  for (const auto& beam : beams) result.push_back(beam.best());
  return result;
}

}  // namespace gloss
