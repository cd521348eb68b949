#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "common/random.h"
#include "decoding/candidates.h"
#include "decoding/constraints.h"
#include "decoding/length_limit.h"
#include "decoding/sampling.h"
#include "decoding/search.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxRanked = 256;  // a scorer finds as many without ranking all logits

/// A sentence that still has translations to draw.
struct Sampled {
  std::int64_t sentence = 0;
  std::vector<std::int64_t> live;     ///< indices of the unfinished translations, one for each row
  std::vector<std::int64_t> parents;  ///< the row of the previous step that each continues
};

/// The rows of a step, sentence-major. Sentences with fewer rows are filled up.
struct SampledRows {
  Ids tokens;                                     ///< [B * K], each row's last
  std::vector<std::int64_t> parents;              ///< [B * K]
  std::vector<Constraints::Row> constraint_rows;  ///< [B * K]
  std::int64_t width = 1;                         ///< K
};

using Drawn = std::vector<std::vector<Hypothesis>>;

SampledRows sampled_rows(const std::vector<Sampled>& unfinished, const Drawn& drawn) {
  SampledRows rows;
  for (const auto& [sentence, live, parents] : unfinished) rows.width = std::max(rows.width, std::ssize(live));
  for (const auto& [sentence, live, parents] : unfinished)
    for (std::int64_t k = 0; k < rows.width; ++k) {
      const auto* const ids = k < std::ssize(live) ? &drawn[sentence][live[k]].ids : nullptr;
      rows.tokens.push_back(ids ? ids->back() : kPad);
      rows.parents.push_back(ids ? parents[k] : 0);
      rows.constraint_rows.push_back({sentence, ids ? std::ssize(*ids) : -1, ids});
    }
  return rows;
}

/// Returns one row for each sentence, without tokens yet: all its translations begin there.
SampledRows first_rows(const Drawn& drawn) {
  SampledRows rows;
  for (std::int64_t sentence = 0; sentence < std::ssize(drawn); ++sentence) {
    rows.tokens.push_back(kBos);
    rows.constraint_rows.push_back({sentence, 0, &drawn[sentence].front().ids});
  }
  return rows;
}

/// Returns all tokens, sorted by id.
TopTokens all_tokens_of(const Scorer::Step& step) {
  const auto rows = step.logits.size(0), V = step.logits.size(1);
  const auto logits = step.logits.to(at::kCPU, at::kFloat).contiguous();                // [rows, V]
  const auto normalizers = step.log_normalizer.to(at::kCPU, at::kDouble).contiguous();  // [rows]
  TopTokens all{V, {}, {}, {}};
  all.logits.assign(logits.const_data_ptr<float>(), logits.const_data_ptr<float>() + rows * V);
  all.ids.resize(all.logits.size());
  for (auto row = all.ids.begin(); row != all.ids.end(); row += V) std::iota(row, row + V, 0);
  all.log_normalizers.assign(normalizers.const_data_ptr<double>(), normalizers.const_data_ptr<double>() + rows);
  return all;
}

/// A step that computes only as many tokens as the draws need.
class SamplingStep {
 public:
  SamplingStep(const Scorer& scorer, const DecodingConfig& config, const SearchInputs& given)
      : scorer_(&scorer), sampling_(&config.sampling), constraints_(config, given.prefixes, given.given_tokens) {}

  TopTokens operator()(Scorer::State& state, const SampledRows& rows) const {
    const auto V = scorer_->vocabulary_size(), k = sampling_->top_k;
    if (k > 0 && k <= kMaxRanked) return constraints_.step_top(*scorer_, state, rows.tokens, rows.constraint_rows, k);
    const auto step = constraints_.step(*scorer_, state, rows.tokens, rows.constraint_rows, std::nullopt);
    if (k > 0 || sampling_->top_p < 1) return top_tokens_of(step, k > 0 ? std::min(k, V) : V);
    return all_tokens_of(step);
  }

 private:
  const Scorer* scorer_;
  const SamplingConfig* sampling_;
  Constraints constraints_;
};

/// Draws one more token. Returns false if none is allowed.
bool draw(const TopTokens& top, std::int64_t row, double share, const SamplingConfig& config, Hypothesis& hypothesis) {
  const std::span logits(top.logits.data() + row * top.width, static_cast<std::size_t>(top.width));
  const auto so_far = log_probability_offset(hypothesis.log_probability, top.log_normalizers[row]);
  const auto probabilities = sampling_distribution(logits, config);
  if (probabilities.empty()) return false;
  const auto drawn = index_of_share(probabilities, share);
  const auto id = top.ids[row * top.width + static_cast<std::int64_t>(drawn)];
  const auto logit = static_cast<double>(logits[drawn]);
  hypothesis.log_probability = so_far + logit;
  hypothesis.token_log_probabilities.push_back(logit - top.log_normalizers[row]);
  hypothesis.ended = id == kEos;
  if (!hypothesis.ended) hypothesis.ids.push_back(id);
  return true;
}

/// Sets the scores and sorts by them.
void sort_by_score(std::vector<Hypothesis>& drawn, const DecodingConfig& config) {
  for (auto& hypothesis : drawn) hypothesis.score = score_of(hypothesis, config);
  std::ranges::stable_sort(drawn, std::greater{}, &Hypothesis::score);
}

}  // namespace

std::vector<std::vector<Hypothesis>> sampling_search(const Scorer& scorer, const PaddedIds& source,
                                                     const DecodingConfig& config, const SearchInputs& given,
                                                     const SearchHooks& hooks) {
  const auto limits = length_limits(config, scorer, source.lengths, given.prefixes);
  const SamplingStep do_step(scorer, config, given);
  const RandomStream random(static_cast<std::uint64_t>(config.sampling.seed), "sampling");
  Drawn drawn(source.lengths.size(), std::vector<Hypothesis>(static_cast<std::size_t>(config.n_best)));
  if (drawn.empty()) return drawn;

  std::vector<std::size_t> sent(drawn.size());  // tokens of the best translation, by hooks.on_token
  std::vector<Sampled> unfinished;
  for (std::int64_t sentence = 0; sentence < std::ssize(drawn); ++sentence) {
    auto& sampled = unfinished.emplace_back(Sampled{sentence, {}, std::vector<std::int64_t>(config.n_best)});
    for (std::int64_t index = 0; index < config.n_best; ++index) sampled.live.push_back(index);
  }
  const auto state = start_search(scorer, source, config, given);
  auto rows = first_rows(drawn);
  for (std::int64_t length = 1;; ++length) {
    if (hooks.before_step) hooks.before_step();
    const auto top = do_step(*state, rows);
    std::vector<std::int64_t> kept;
    std::vector<Sampled> still_unfinished;
    for (std::int64_t b = 0; b < std::ssize(unfinished); ++b) {
      const auto sentence = unfinished[b].sentence;
      const auto input_index = given.input_indices.empty() ? sentence : given.input_indices[sentence];
      Sampled next{sentence, {}, {}};
      for (std::int64_t k = 0; k < std::ssize(unfinished[b].live); ++k) {
        const auto index = unfinished[b].live[k], row = length == 1 ? 0 : k;
        const auto stream = random.at(static_cast<std::uint32_t>(input_index), static_cast<std::uint32_t>(index));
        auto& hypothesis = drawn[sentence][index];
        const auto share = stream.uniform(static_cast<std::uint64_t>(length));
        if (!draw(top, b * rows.width + row, share, config.sampling, hypothesis)) continue;
        if (config.n_best == 1) hooks.send_tokens(sentence, hypothesis, sent[sentence]);
        if (hypothesis.ended || length == limits[sentence]) continue;
        next.live.push_back(index);
        next.parents.push_back(row);
      }
      if (next.live.empty()) {
        sort_by_score(drawn[sentence], config);
        hooks.send_tokens(sentence, drawn[sentence].front(), sent[sentence]);
        if (hooks.on_found) hooks.on_found(sentence, drawn[sentence]);
        continue;
      }
      if (!hooks.wants(sentence)) continue;
      kept.push_back(b);
      still_unfinished.push_back(std::move(next));
    }
    if (kept.empty()) break;
    unfinished = std::move(still_unfinished);
    rows = sampled_rows(unfinished, drawn);
    scorer.select(*state, kept, rows.parents);
  }
  return drawn;
}

}  // namespace gloss
