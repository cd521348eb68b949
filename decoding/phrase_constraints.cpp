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

std::int64_t size_of(const Phrase& phrase) { return std::ssize(phrase.ids); }

/// Alternatives of one phrase, which follow each other, and their lengths.
struct Group {
  std::size_t first, last;  ///< half open
  std::int64_t shortest, longest;
};

std::vector<Group> groups_of(std::span<const Phrase> phrases) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    const auto pieces = size_of(phrases[i]);
    if (i == 0 || !phrases[i].replaces(phrases[i - 1])) groups.push_back({i, i, pieces, pieces});
    auto& group = groups.back();
    group = {group.first, i + 1, std::min(group.shortest, pieces), std::max(group.longest, pieces)};
  }
  return groups;
}

/// Removes the longest alternatives of the group in which they are longest, or the last phrase if no group has a
/// shorter alternative.
void remove_longest(std::vector<Phrase>& phrases) {
  const auto groups = groups_of(phrases);
  const auto gain = [](const Group& group) { return group.longest == group.shortest ? 0 : group.longest; };
  const auto& group = *std::ranges::max_element(groups, {}, gain);
  const auto begin = phrases.begin();
  if (gain(group) == 0) {
    phrases.erase(begin + static_cast<std::ptrdiff_t>(groups.back().first), phrases.end());
    return;
  }
  const auto end = begin + static_cast<std::ptrdiff_t>(group.last);
  phrases.erase(std::remove_if(begin + static_cast<std::ptrdiff_t>(group.first), end,
                               [&](const Phrase& phrase) { return size_of(phrase) == group.longest; }),
                end);
}

/// Returns the phrases that fit after a prefix, and of these the alternatives that fit beside the others. Each piece of
/// the prefix can be one of their pieces. The order of alternatives has no influence.
std::vector<Phrase> fitting_phrases(std::span<const Phrase> all, const Ids& prefix,
                                    std::span<const std::uint8_t> continues_word, std::int64_t limit) {
  std::int64_t pieces = 0;
  std::size_t fitting = 0;
  for (const auto& group : groups_of(all)) {  // the shortest alternatives decide how many phrases fit
    if ((pieces += group.shortest) > limit) break;
    fitting = group.last;
  }
  std::vector<Phrase> phrases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(fitting));
  const auto missing = [&] {
    PhraseProgress progress(phrases, continues_word);
    for (const auto id : prefix) progress.add(id);
    return progress.missing();
  };
  while (!phrases.empty() && std::ssize(prefix) + missing() > limit) remove_longest(phrases);
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
    auto phrases = fitting_phrases(all, prefix, given.continues_word, limits[b]);
    const PhraseProgress start(phrases, given.continues_word);
    const auto left_out = std::ssize(groups_of(all)) - std::ssize(groups_of(phrases));
    sentences_.push_back({start, std::move(phrases),
                          replaced.empty() ? std::vector<ReplacedWord>() : std::move(replaced[b]), left_out, limits[b],
                          beam_size + std::min(start.missing(), kMaxExtraRows)});
    needs_attention_ = needs_attention_ || std::ranges::any_of(sentences_.back().phrases, &Phrase::has_source);
  }
}

std::vector<PhraseProgress> PhraseConstraints::advance(std::span<const PhraseProgress> before,
                                                       std::span<const Beam::Row> rows) {
  std::vector<PhraseProgress> result;
  result.reserve(rows.size());
  for (const auto& row : rows) result.emplace_back(before[row.parent]).add(row.last);
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
  const auto length = step.beam.length();
  const auto& [start, phrases, replaced, left_out, limit, rows] = sentences_[sentence];
  std::vector<BankedCandidate> banked;
  for (const auto& candidate : rank_by_placement(phrases, replaced, step, candidates)) {
    const auto missing = step.progress[candidate.row].missing_after(candidate.id);
    if (length + 1 + missing <= limit) banked.push_back({candidate, missing});
  }
  return share_rows(banked, beam_size_, rows);
}

}  // namespace gloss
