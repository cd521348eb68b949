#include "decoding/phrase_constraints.h"

#include <algorithm>
#include <limits>

#include <ATen/ops/tensor.h>

#include "decoding/phrase_banks.h"

namespace gloss {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// The logits [rows, V] of the ids named of each row, row by row.
std::vector<float> logits_of(const at::Tensor& logits, const std::vector<Ids>& ids) {
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < std::ssize(ids); ++row)
    for (const auto id : ids[row]) places.push_back(row * logits.size(1) + id);
  const auto index = at::tensor(places, at::kLong).to(logits.device());
  const auto found = logits.reshape(-1).index_select(0, index).to(at::kCPU, at::kFloat).contiguous();
  return {found.const_data_ptr<float>(), found.const_data_ptr<float>() + found.numel()};
}

}  // namespace

PhraseConstraints::PhraseConstraints(const PerSentence& given, std::int64_t limit)
    : limit_(limit), goes_on_(given.goes_on) {
  const Ids no_prefix;
  for (std::size_t b = 0; b < given.phrases.size(); ++b) {
    std::span<const Phrase> phrases = given.phrases[b];
    const auto& prefix = given.prefixes.empty() ? no_prefix : given.prefixes[b];
    while (!phrases.empty() && std::ssize(prefix) + say(phrases, prefix).missing() > limit)
      phrases = phrases.first(phrases.size() - 1);
    phrases_.push_back(phrases);
  }
}

PhraseProgress PhraseConstraints::say(std::span<const Phrase> phrases, const Ids& said) const {
  PhraseProgress progress(phrases, goes_on_);
  for (const auto id : said) progress.say(id);
  return progress;
}

std::int64_t PhraseConstraints::rows(std::int64_t sentence, std::int64_t beam_size) const {
  return none() ? beam_size : beam_size + std::min(after(sentence, {}).missing(), kMostMoreRows);
}

TopTokens PhraseConstraints::with_next(const TopTokens& top, const at::Tensor& logits,
                                       std::span<const Constraints::Row> rows) const {
  std::vector<Ids> next;
  std::int64_t most = 0;
  for (const auto& row : rows) {
    next.push_back(row.said ? after(row.sentence, *row.said).next() : Ids{});
    most = std::max(most, std::ssize(next.back()));
  }
  if (most == 0) return top;
  const auto found = logits_of(logits, next);
  TopTokens wider{top.width + most, {}, {}, top.log_normalisers};
  auto logit = found.begin();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto add = [&wider](Id id, float its_logit) {
      if (!(its_logit > kNothing)) return;
      wider.ids.push_back(id);
      wider.logits.push_back(its_logit);
    };
    for (const auto id : next[row]) add(id, *logit++);
    const auto first = static_cast<std::int64_t>(row) * top.width;
    for (auto place = first; place < first + top.width; ++place)
      if (!std::ranges::binary_search(next[row], top.ids[place])) add(top.ids[place], top.logits[place]);
    const auto filled = (row + 1) * static_cast<std::size_t>(wider.width);
    wider.ids.resize(filled, kPad);
    wider.logits.resize(filled, kNothing);
  }
  return wider;
}

std::vector<Candidate> PhraseConstraints::choose(std::int64_t sentence, std::span<const Beam::Row> rows,
                                                 std::span<const Candidate> candidates, std::int64_t beam_size) const {
  std::vector<PhraseProgress> progress;
  for (const auto& row : rows) progress.push_back(after(sentence, row.ids));
  std::vector<BankedCandidate> banked;
  for (const auto& candidate : candidates) {
    auto then = progress[candidate.row];
    then.say(candidate.id);
    const auto said = std::ssize(rows[candidate.row].ids) + 1;
    if (said + then.missing() <= limit_) banked.push_back({candidate, then.missing()});
  }
  return share_rows(banked, beam_size, this->rows(sentence, beam_size));
}

}  // namespace gloss
