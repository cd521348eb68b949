#include "decoding/phrases/phrase_progress.h"

#include <algorithm>
#include <utility>

namespace gloss {
namespace {

bool begins_with(std::span<const Id> ids, std::span<const Id> beginning) {
  return ids.size() >= beginning.size() && std::ranges::equal(ids.first(beginning.size()), beginning);
}

}  // namespace

/// The state after one more piece.
struct PhraseProgress::Said {
  Ids begun;
  std::vector<std::size_t> met = {};  ///< phrases that it completes
};

PhraseProgress::PhraseProgress(std::span<const Phrase> phrases, std::span<const std::uint8_t> continues_word)
    : phrases_(phrases), goes_on_(continues_word), met_(phrases.size()) {
  for (const auto& phrase : phrases) unmet_ += std::ssize(phrase.ids);
}

void PhraseProgress::say(Id id) {
  if (unmet_ == 0) return;
  auto said = after(id);
  for (const auto i : said.met) {
    met_[i] = true;
    unmet_ -= std::ssize(phrases_[i].ids);
  }
  begun_ = std::move(said.begun);
}

std::int64_t PhraseProgress::missing_after(Id id) const {
  if (unmet_ == 0) return 0;
  const auto said = after(id);
  auto unmet = unmet_;
  for (const auto i : said.met) unmet -= std::ssize(phrases_[i].ids);
  return unmet - std::ssize(said.begun);
}

std::vector<bool> PhraseProgress::continued_by(Id id) const {
  std::vector<bool> result(phrases_.size());
  if (unmet_ == 0) return result;
  const auto said = after(id);
  for (std::size_t i = 0; i < phrases_.size() && !said.begun.empty(); ++i)
    result[i] = begins_with(phrases_[i].ids, said.begun);
  return result;
}

Ids PhraseProgress::next() const {
  Ids ids;
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    const auto& phrase = phrases_[i].ids;
    if (met_[i]) continue;
    ids.push_back(phrase.front());
    if (phrase.size() > begun_.size() && begins_with(phrase, begun_)) ids.push_back(phrase[begun_.size()]);
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(ids, [this](Id id) { return missing_after(id) >= missing(); });
  return ids;
}

PhraseProgress::Said PhraseProgress::after(Id id) const {
  Said said{begun_};
  said.begun.push_back(id);
  while (!said.begun.empty() && !begins_unmet(said)) break_off(said);
  return said;
}

bool PhraseProgress::is_met(std::size_t phrase, const Said& said) const {
  return met_[phrase] || std::ranges::find(said.met, phrase) != said.met.end();
}

bool PhraseProgress::begins_unmet(const Said& said) const {
  for (std::size_t i = 0; i < phrases_.size(); ++i)
    if (begins_with(phrases_[i].ids, said.begun) && !is_met(i, said)) return true;
  return false;
}

/// Removes the longest completed phrase from the front of the partial match, or else one piece. No phrase continues the
/// match as it stands.
void PhraseProgress::break_off(Said& said) const {
  const std::span<const Id> begun = said.begun;
  auto longest = phrases_.size();
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    const auto& phrase = phrases_[i];
    if (phrase.ids.size() >= begun.size() || !begins_with(begun, phrase.ids) || is_met(i, said)) continue;
    if (phrase.ends_in_word && goes_on_[begun[phrase.ids.size()]]) continue;
    if (longest == phrases_.size() || phrase.ids.size() > phrases_[longest].ids.size()) longest = i;
  }
  auto taken = std::ptrdiff_t{1};
  if (longest < phrases_.size()) {
    said.met.push_back(longest);
    taken = std::ssize(phrases_[longest].ids);
  }
  said.begun.erase(said.begun.begin(), said.begun.begin() + taken);
}

}  // namespace gloss
