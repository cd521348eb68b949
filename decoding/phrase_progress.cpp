#include "decoding/phrase_progress.h"

#include <algorithm>

namespace gloss {
namespace {

bool begins_with(std::span<const Id> ids, std::span<const Id> beginning) {
  return ids.size() >= beginning.size() && std::ranges::equal(ids.first(beginning.size()), beginning);
}

}  // namespace

PhraseProgress::PhraseProgress(std::span<const Phrase> phrases, std::span<const std::uint8_t> goes_on)
    : phrases_(phrases), goes_on_(goes_on), met_(phrases.size()) {
  for (const auto& phrase : phrases) unmet_ += std::ssize(phrase.ids);
}

void PhraseProgress::say(Id id) {
  if (unmet_ == 0) return;
  begun_.push_back(id);
  while (!begun_.empty() && !begins_unmet(begun_)) break_off();
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
  std::erase_if(ids, [this](Id id) {
    auto then = *this;
    then.say(id);
    return then.missing() >= missing();
  });
  return ids;
}

bool PhraseProgress::begins_unmet(std::span<const Id> ids) const {
  for (std::size_t i = 0; i < phrases_.size(); ++i)
    if (!met_[i] && begins_with(phrases_[i].ids, ids)) return true;
  return false;
}

/// Takes from the front of `begun_`, which goes on as no phrase does, the longest phrase that it has said, else a
/// piece.
void PhraseProgress::break_off() {
  const std::span<const Id> begun = begun_;
  auto longest = phrases_.size();
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    const auto& phrase = phrases_[i];
    if (met_[i] || phrase.ids.size() >= begun.size() || !begins_with(begun, phrase.ids)) continue;
    if (phrase.ends_in_word && goes_on_[begun[phrase.ids.size()]]) continue;
    if (longest == phrases_.size() || phrase.ids.size() > phrases_[longest].ids.size()) longest = i;
  }
  auto taken = std::ptrdiff_t{1};
  if (longest < phrases_.size()) {
    met_[longest] = true;
    taken = std::ssize(phrases_[longest].ids);
    unmet_ -= taken;
  }
  begun_.erase(begun_.begin(), begun_.begin() + taken);
}

}  // namespace gloss
