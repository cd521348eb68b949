#include "decoding/constraints.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "decoding/log_normalizers.h"
#include "decoding/phrase_progress.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

void sort_and_remove_duplicates(Ids& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Adds the tokens that would repeat an n-gram.
void add_repeating(const Ids& generated, std::int64_t n, Ids& ids) {
  const auto last =
      generated.end() - std::min<std::int64_t>(n - 1, std::ssize(generated));  // where the next n-gram begins
  for (auto first = generated.begin(); std::distance(first, generated.end()) >= n; ++first)
    if (std::equal(last, generated.end(), first)) ids.push_back(*(first + (n - 1)));
}

/// Removes the next pieces of phrases from the bans.
void allow_phrases(const PhraseProgress& progress, Ids& ids) {
  if (progress.missing() == 0) return;
  const auto next = progress.next();
  std::erase_if(ids, [&next](Id id) { return std::ranges::binary_search(next, id); });
}

at::Tensor index_on(const at::Tensor& logits, const std::vector<std::int64_t>& index) {
  return to_device(index, logits.device());
}

/// Returns the best `width` tokens of each row that are not banned. `top` is wider by the longest list of bans.
TopTokens without(const std::vector<Ids>& banned, const TopTokens& top, std::int64_t width) {
  const auto rows = std::ssize(top.log_normalizers);
  TopTokens left{width, std::vector<float>(static_cast<std::size_t>(rows * width), kBannedLogit),
                 Ids(static_cast<std::size_t>(rows * width), kPad), top.log_normalizers};
  for (std::int64_t row = 0; row < rows; ++row) {
    auto to = row * width;
    for (auto from = row * top.width; from < (row + 1) * top.width && to < (row + 1) * width; ++from) {
      if (std::ranges::binary_search(banned[row], top.ids[from])) continue;
      left.logits[to] = top.logits[from];
      left.ids[to++] = top.ids[from];
    }
  }
  return left;
}

}  // namespace

Scorer::Step Constraints::step(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens,
                               std::span<const Row> rows, const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  auto step = scorer.step(state, tokens, site);
  step.logits = step.logits.contiguous();  // [rows, V]
  if (config_->repetition_penalty != 1) penalize_repetitions(rows, step);
  ban(rows, step.logits);
  force(rows, step);
  return step;
}

Scorer::TopStep Constraints::step_top(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens,
                                      std::span<const Row> rows, std::int64_t width,
                                      const std::optional<AttentionSite>& site) const {
  width = std::min(width, scorer.vocabulary_size());
  const bool changes_logits = config_->repetition_penalty != 1 ||
                              std::ranges::any_of(rows, [this](const Row& row) { return forced(row).has_value(); });
  if (changes_logits) {
    const auto changed = step(scorer, state, tokens, rows, site);
    return {top_tokens_of(changed, width), changed.attention};
  }
  std::vector<Ids> bans;
  std::size_t max_bans = 0;
  for (const auto& row : rows) max_bans = std::max(max_bans, bans.emplace_back(banned(row)).size());
  const auto wider = std::min(width + static_cast<std::int64_t>(max_bans), scorer.vocabulary_size());
  auto top = scorer.step_top(state, tokens, wider, site);
  if (max_bans == 0) return top;
  return {without(bans, top, width), std::move(top.attention)};
}

Ids Constraints::banned(const Row& row) const {
  Ids ids;
  if (row.length < 0 || forced(row)) return ids;
  if (row.length < config_->min_length) ids.push_back(kEos);
  if (config_->no_unk) ids.push_back(kUnk);
  if (config_->no_repeat_ngram > 0) add_repeating(*row.generated, config_->no_repeat_ngram, ids);
  if (row.phrases) allow_phrases(*row.phrases, ids);
  sort_and_remove_duplicates(ids);
  return ids;
}

std::optional<Id> Constraints::forced(const Row& row) const {
  if (row.length < 0 || prefixes_.empty()) return std::nullopt;
  const auto& prefix = prefixes_[row.sentence];
  return row.length < std::ssize(prefix) ? std::optional(prefix[row.length]) : std::nullopt;
}

void Constraints::penalize_repetitions(std::span<const Row> rows, Scorer::Step& step) const {
  const auto V = step.logits.size(1);
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < std::ssize(rows); ++row) {
    if (rows[row].length < 0) continue;
    auto generated = *rows[row].generated;
    sort_and_remove_duplicates(generated);
    for (const auto id : generated) places.push_back(row * V + id);
  }
  if (places.empty()) return;
  const auto index = index_on(step.logits, places);
  auto flat = step.logits.view(-1);  // [rows * V]
  const auto logits = flat.index_select(0, index);
  const auto penalty = config_->repetition_penalty;
  flat.index_copy_(0, index, at::where(logits > 0, logits / penalty, logits * penalty));
  step.log_normalizer = log_normalizers(step.logits);  // [rows]
}

void Constraints::ban(std::span<const Row> rows, at::Tensor& logits) const {
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < std::ssize(rows); ++row)
    for (const auto id : banned(rows[row])) places.push_back(row * logits.size(1) + id);
  if (!places.empty()) logits.view(-1).index_fill_(0, index_on(logits, places), kBannedLogit);
}

void Constraints::force(std::span<const Row> rows, Scorer::Step& step) const {
  auto& logits = step.logits;
  const auto V = logits.size(1);
  std::vector<std::int64_t> forced_rows, places, given_rows, given_places;
  for (std::int64_t row = 0; row < std::ssize(rows); ++row) {
    const auto id = forced(rows[row]);
    if (!id) continue;
    if (*id < 0 || *id >= V)
      throw UsageError("prefix: wanted tokens below " + std::to_string(V) + ", got " + std::to_string(*id) +
                       "; it is of another vocabulary");
    forced_rows.push_back(row);
    places.push_back(row * V + *id);
    if (rows[row].length >= given_tokens_) continue;
    given_rows.push_back(row);
    given_places.push_back(places.back());
  }
  if (places.empty()) return;
  auto flat = logits.view(-1);  // [rows * V]
  if (!given_rows.empty())
    step.log_normalizer = step.log_normalizer.index_copy(
        0, index_on(step.log_normalizer, given_rows),
        flat.index_select(0, index_on(logits, given_places)).to(step.log_normalizer.options()));
  const auto index = index_on(logits, places);
  const auto forced_logits = flat.index_select(0, index);
  logits.index_fill_(0, index_on(logits, forced_rows), kBannedLogit);
  flat.index_copy_(0, index, forced_logits);
}

}  // namespace gloss
