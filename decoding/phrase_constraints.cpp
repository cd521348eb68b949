#include "decoding/phrase_constraints.h"

#include <algorithm>
#include <utility>

#include "decoding/phrase_banks.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

/// Returns the logits [rows, V] of each row's ids, row by row.
std::vector<float> logits_of(const at::Tensor& logits, const std::vector<Ids>& ids) {
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < std::ssize(ids); ++row)
    for (const auto id : ids[row]) places.push_back(row * logits.size(1) + id);
  const auto index = to_device(places, logits.device());
  const auto found = logits.reshape(-1).index_select(0, index).to(at::kCPU, at::kFloat).contiguous();
  return {found.const_data_ptr<float>(), found.const_data_ptr<float>() + found.numel()};
}

/// Returns the index of the first phrase that has no room in `limit` pieces, of alternatives the first counts.
std::size_t first_of_more(std::span<const Phrase> phrases, std::int64_t limit) {
  std::int64_t pieces = 0;
  for (std::size_t i = 0; i < phrases.size(); ++i)
    if (i == 0 || !phrases[i].replaces(phrases[i - 1]))
      if ((pieces += std::ssize(phrases[i].ids)) > limit) return i;
  return phrases.size();
}

/// Returns the first phrases that fit after a prefix. Each piece of the prefix can be one of their pieces.
std::span<const Phrase> fitting_phrases(std::span<const Phrase> phrases, const Ids& prefix,
                                        std::span<const std::uint8_t> continues_word, std::int64_t limit) {
  phrases = phrases.first(first_of_more(phrases, limit));
  const auto missing = [&] {
    PhraseProgress progress(phrases, continues_word);
    for (const auto id : prefix) progress.add(id);
    return progress.missing();
  };
  while (!phrases.empty() && std::ssize(prefix) + missing() > limit) phrases = phrases.first(phrases.size() - 1);
  return phrases;
}

}  // namespace

PhraseConstraints::PhraseConstraints(const SearchInputs& given, std::vector<std::vector<ReplacedWord>> replaced,
                                     std::span<const std::int64_t> limits, std::int64_t beam_size)
    : beam_size_(beam_size) {
  const Ids no_prefix;
  for (std::size_t b = 0; b < given.phrases.size(); ++b) {
    const std::span<const Phrase> all = given.phrases[b];
    const auto& prefix = given.prefixes.empty() ? no_prefix : given.prefixes[b];
    const auto phrases = fitting_phrases(all, prefix, given.continues_word, limits[b]);
    const PhraseProgress start(phrases, given.continues_word);
    sentences_.push_back({start, phrases, replaced.empty() ? std::vector<ReplacedWord>() : std::move(replaced[b]),
                          std::ssize(all) - std::ssize(phrases), limits[b],
                          beam_size + std::min(start.missing(), kMaxExtraRows)});
    needs_attention_ = needs_attention_ || std::ranges::any_of(phrases, &Phrase::has_source);
  }
}

std::vector<PhraseProgress> PhraseConstraints::advance(std::span<const PhraseProgress> before,
                                                       std::span<const Beam::Row> rows) {
  std::vector<PhraseProgress> result;
  result.reserve(rows.size());
  for (const auto& row : rows) result.emplace_back(before[row.parent]).add(row.ids.back());
  return result;
}

TopTokens PhraseConstraints::with_next(const TopTokens& top, const at::Tensor& logits,
                                       std::span<const Constraints::Row> rows) const {
  std::vector<Ids> next;
  std::int64_t max_next = 0;
  for (const auto& row : rows) {
    next.push_back(row.phrases ? row.phrases->next() : Ids{});
    max_next = std::max(max_next, std::ssize(next.back()));
  }
  if (max_next == 0) return top;
  const auto found = logits_of(logits, next);
  TopTokens wider{top.width + max_next, {}, {}, top.log_normalizers};
  auto logit = found.begin();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto add = [&wider](Id id, float its_logit) {
      if (!(its_logit > kBannedLogit)) return;
      wider.ids.push_back(id);
      wider.logits.push_back(its_logit);
    };
    for (const auto id : next[row]) add(id, *logit++);
    const auto first = static_cast<std::int64_t>(row) * top.width;
    for (auto index = first; index < first + top.width; ++index)
      if (!std::ranges::binary_search(next[row], top.ids[index])) add(top.ids[index], top.logits[index]);
    const auto filled = (row + 1) * static_cast<std::size_t>(wider.width);
    wider.ids.resize(filled, kPad);
    wider.logits.resize(filled, kBannedLogit);
  }
  return wider;
}

std::vector<Candidate> PhraseConstraints::choose(std::int64_t sentence, const PlacementStep& step,
                                                 std::span<const Candidate> candidates) const {
  const auto length = std::ssize(step.rows.front().ids);
  const auto& [start, phrases, replaced, left_out, limit, rows] = sentences_[sentence];
  std::vector<BankedCandidate> banked;
  for (const auto& candidate : rank_by_placement(phrases, replaced, step, candidates)) {
    const auto missing = step.progress[candidate.row].missing_after(candidate.id);
    if (length + 1 + missing <= limit) banked.push_back({candidate, missing});
  }
  return share_rows(banked, beam_size_, rows);
}

}  // namespace gloss
