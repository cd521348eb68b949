#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include <ATen/core/Tensor.h>

#include "common/error.h"
#include "decoding/beam.h"
#include "decoding/constraints.h"
#include "decoding/length_limit.h"
#include "decoding/phrase_constraints.h"
#include "decoding/replaced_words.h"
#include "decoding/search.h"
#include "decoding/search_ahead.h"

namespace gloss {
namespace {

/// The rows of all live beams, sentence-major. A beam with fewer rows than the widest is filled up with rows of
/// probability 0.
struct BeamBatch {
  Ids tokens;                                     ///< [B * K], each row's last
  std::vector<std::int64_t> parents;              ///< [B * K]
  std::vector<double> log_probabilities;          ///< [B * K]
  std::vector<Constraints::Row> constraint_rows;  ///< [B * K]
  std::deque<Ids> generated;                      ///< of each live row, if the constraints read them
  std::int64_t rows = 0;                          ///< K, of each sentence
};

/// Progress of each beam's rows with their phrases, or empty.
using Progress = std::vector<std::vector<PhraseProgress>>;

BeamBatch batch_of(const std::vector<Beam>& beams, const Progress& progress,
                   const std::vector<std::int64_t>& unfinished, bool with_ids) {
  BeamBatch result;
  for (const auto b : unfinished) result.rows = std::max(result.rows, std::ssize(beams[b].rows()));
  for (const auto b : unfinished) {
    const auto& rows = beams[b].rows();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto& row = rows[k];
      result.tokens.push_back(row.last);
      result.parents.push_back(row.parent);
      result.log_probabilities.push_back(row.log_probability);
      const auto* const ids = with_ids ? &result.generated.emplace_back(beams[b].ids(row)) : nullptr;
      result.constraint_rows.push_back({b, beams[b].length(), ids, progress.empty() ? nullptr : &progress[b][k]});
    }
    for (auto k = std::ssize(rows); k < result.rows; ++k) {
      result.tokens.push_back(kPad);
      result.parents.push_back(0);
      result.log_probabilities.push_back(-std::numeric_limits<double>::infinity());
      result.constraint_rows.push_back({b});
    }
  }
  return result;
}

/// Constant inputs of a search.
struct SearchContext {
  const Scorer& scorer;
  const DecodingConfig& config;
  Constraints constraints;
  PhraseConstraints phrases;
};

/// Scores the next tokens of all rows and selects the most likely ones of each. The attention is on the CPU if coverage
/// or places of phrases need it, otherwise undefined.
Scorer::TopStep score_next_tokens(const SearchContext& context, Scorer::State& state, const BeamBatch& batch) {
  const auto& [scorer, config, constraints, phrases] = context;
  const auto width = 2 * config.beam_size;
  const bool with_attention = config.coverage_penalty > 0 || phrases.needs_attention();
  const auto site = with_attention ? std::optional(AttentionSite{}) : std::nullopt;
  Scorer::TopStep top;
  if (phrases.none()) {
    top = constraints.step_top(scorer, state, batch.tokens, batch.constraint_rows, width, site);
  } else {
    const auto step = constraints.step(scorer, state, batch.tokens, batch.constraint_rows, site);
    const auto likeliest = top_tokens_of(step, std::min(width, scorer.vocabulary_size()));
    top = {phrases.with_next(likeliest, step.logits, batch.constraint_rows), step.attention};
  }
  if (config.coverage_penalty > 0 && !top.attention.defined())
    throw UsageError("decoding.coverage_penalty: this model has no attention to its source; set it to 0");
  if (top.attention.defined()) top.attention = top.attention.to(at::kCPU, at::kFloat).contiguous();
  return top;
}

/// Returns a sentence's part of the attention [B * K, S]: the first `length` positions of its `live` rows.
std::vector<float> attention_of(const at::Tensor& attention, std::int64_t first_row, std::int64_t live,
                                std::int64_t length) {
  std::vector<float> result;
  if (!attention.defined()) return result;
  for (std::int64_t row = first_row; row < first_row + live; ++row) {
    const auto* const begin = attention.const_data_ptr<float>() + row * attention.size(1);
    result.insert(result.end(), begin, begin + length);
  }
  return result;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const Scorer& scorer, const PaddedIds& source,
                                                 const DecodingConfig& config, const SearchInputs& given,
                                                 const SearchHooks& hooks) {
  const auto limits = length_limits(config, scorer, source.lengths, given.prefixes);
  const SearchContext context{scorer,
                              config,
                              {config, given.prefixes, given.given_tokens},
                              {given, replaced_words(scorer, source, config, given, hooks), limits, config.beam_size}};
  const auto& phrases = context.phrases;
  std::vector<Beam> beams;
  Progress progress;
  for (std::int64_t b = 0; b < std::ssize(source.lengths); ++b) {
    beams.emplace_back(config, limits[b], phrases.none() ? config.beam_size : phrases.rows(b));
    if (phrases.none()) continue;
    progress.push_back(phrases.start(b));
    if (hooks.on_left_out && phrases.left_out(b) > 0) hooks.on_left_out(b, phrases.left_out(b));
  }
  std::vector<std::size_t> sent(beams.size());         // tokens of the best translation, by hooks.on_token
  std::vector<std::int64_t> unfinished(beams.size());  // indices of sentences
  std::iota(unfinished.begin(), unfinished.end(), 0);

  if (!beams.empty()) {
    const auto state = start_search(scorer, source, config, given);
    // Appends the next token of a sentence, and returns whether it goes on.
    const auto advance = [&](std::int64_t sentence, std::vector<Candidate>& candidates,
                             const std::vector<float>& attended) {
      auto& beam = beams[sentence];
      if (!phrases.none()) candidates = phrases.choose(sentence, {beam, progress[sentence], attended}, candidates);
      beam.advance(candidates, config.coverage_penalty > 0 ? attended : std::vector<float>());
      if (hooks.on_beam) hooks.on_beam(sentence, candidates, beam);
      if (!phrases.none()) progress[sentence] = PhraseConstraints::advance(progress[sentence], beam.rows());
      if (hooks.on_token) hooks.send_tokens(sentence, beam.certain(), sent[sentence]);
      if (!beam.done()) return true;
      if (hooks.on_found) hooks.on_found(sentence, beam.best());
      return false;
    };
    auto batch = batch_of(beams, progress, unfinished, context.constraints.reads_tokens());
    while (true) {
      const auto length = beams[unfinished.front()].length();
      if (phrases.none() && may_run_ahead(scorer, config, given.prefixes, length)) {
        search_ahead(scorer, *state, config, {unfinished, batch.tokens, batch.log_probabilities, length},
                     {2 * config.beam_size, config.beam_size, std::ranges::max(limits)}, hooks,
                     [&](std::int64_t sentence, auto& candidates) { return advance(sentence, candidates, {}); });
        break;
      }
      if (hooks.before_step) hooks.before_step();
      const auto B = std::ssize(unfinished);
      const auto top = score_next_tokens(context, *state, batch);
      const auto count = phrases.none() ? 2 * config.beam_size : batch.rows * top.width;
      auto candidates = best_candidates(top, batch.log_probabilities, B, count);

      std::vector<std::int64_t> kept, still_unfinished;
      for (std::int64_t b = 0; b < B; ++b) {
        const auto sentence = unfinished[b];
        const auto live = std::ssize(beams[sentence].rows());
        const auto attended = attention_of(top.attention, b * batch.rows, live, source.lengths[sentence]);
        if (!advance(sentence, candidates[b], attended) || !hooks.wants(sentence)) continue;
        kept.push_back(b);
        still_unfinished.push_back(sentence);
      }
      if (kept.empty()) break;
      unfinished = std::move(still_unfinished);
      batch = batch_of(beams, progress, unfinished, context.constraints.reads_tokens());
      scorer.select(*state, kept, batch.parents);
    }
  }

  std::vector<std::vector<Hypothesis>> result;
  result.reserve(beams.size());
  for (const auto& beam : beams) result.push_back(beam.best());
  return result;
}

}  // namespace gloss
