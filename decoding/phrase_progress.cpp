#include "decoding/phrase_progress.h"

#include <algorithm>
#include <utility>

namespace gloss {
namespace {

bool begins_with(std::span<const Id> ids, std::span<const Id> beginning) {
  return ids.size() >= beginning.size() && std::ranges::equal(ids.first(beginning.size()), beginning);
}

}  // namespace

/// The state after one more piece.
struct PhraseProgress::Match {
  Ids pieces;
  std::vector<std::size_t> completed = {};  ///< phrases that it completes
};

PhraseProgress::PhraseProgress(std::span<const Phrase> phrases, std::span<const std::uint8_t> continues_word)
    : phrases_(phrases), continues_word_(continues_word), met_(phrases.size()), needed_(phrases.size()) {
  for (std::size_t first = 0, i = 0; i < phrases.size(); ++i) {
    if (!phrases[i].replaces(phrases[first])) first = i;
    for (auto j = first; j <= i; ++j) needed_[j] = std::max(needed_[first], std::ssize(phrases[i].ids));
    if (i + 1 == phrases.size() || !phrases[i + 1].replaces(phrases[i])) unmet_ += needed_[i];
  }
}

void PhraseProgress::add(Id id) {
  if (unmet_ == 0) return;
  auto match = after(id);
  for (const auto i : match.completed) {
    for (std::size_t j = 0; j < phrases_.size(); ++j) met_[j] = met_[j] || phrases_[j].replaces(phrases_[i]);
    unmet_ -= needed_[i];
  }
  matched_pieces_ = pieces_of(match);
  matched_ = std::move(match.pieces);
}

std::int64_t PhraseProgress::missing_after(Id id) const {
  if (unmet_ == 0) return 0;
  const auto match = after(id);
  auto unmet = unmet_;
  for (const auto i : match.completed) unmet -= needed_[i];
  return unmet - pieces_of(match);
}

std::vector<bool> PhraseProgress::continued_by(Id id) const {
  std::vector<bool> result(phrases_.size());
  if (unmet_ == 0) return result;
  const auto match = after(id);
  for (std::size_t i = 0; i < phrases_.size() && !match.pieces.empty(); ++i)
    if (begins_with(phrases_[i].ids, match.pieces))
      for (std::size_t j = 0; j < phrases_.size(); ++j) result[j] = result[j] || phrases_[j].replaces(phrases_[i]);
  return result;
}

Ids PhraseProgress::next() const {
  Ids ids;
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    const auto& phrase = phrases_[i].ids;
    if (met_[i]) continue;
    ids.push_back(phrase.front());
    if (phrase.size() > matched_.size() && begins_with(phrase, matched_)) ids.push_back(phrase[matched_.size()]);
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(ids, [this](Id id) { return missing_after(id) >= missing(); });
  return ids;
}

PhraseProgress::Match PhraseProgress::after(Id id) const {
  Match match{matched_};
  match.pieces.push_back(id);
  while (!match.pieces.empty() && !begins_unmet(match)) break_off(match);
  return match;
}

bool PhraseProgress::is_met(std::size_t phrase, const Match& match) const {
  return met_[phrase] ||
         std::ranges::any_of(match.completed, [&](std::size_t i) { return phrases_[i].replaces(phrases_[phrase]); });
}

/// Returns the number of missing pieces that a partial match provides.
std::int64_t PhraseProgress::pieces_of(const Match& match) const {
  std::int64_t pieces = 0;
  for (std::size_t i = 0; i < phrases_.size() && !match.pieces.empty(); ++i)
    if (begins_with(phrases_[i].ids, match.pieces) && !is_met(i, match))
      pieces = std::max(pieces, needed_[i] - std::ssize(phrases_[i].ids) + std::ssize(match.pieces));
  return pieces;
}

bool PhraseProgress::begins_unmet(const Match& match) const {
  for (std::size_t i = 0; i < phrases_.size(); ++i)
    if (begins_with(phrases_[i].ids, match.pieces) && !is_met(i, match)) return true;
  return false;
}

/// Removes the longest completed phrase from the front of the partial match, or else one piece. No phrase continues the
/// match as it stands.
void PhraseProgress::break_off(Match& match) const {
  const std::span<const Id> pieces = match.pieces;
  auto longest = phrases_.size();
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    const auto& phrase = phrases_[i];
    if (phrase.ids.size() >= pieces.size() || !begins_with(pieces, phrase.ids) || is_met(i, match)) continue;
    if (phrase.ends_in_word && continues_word_[pieces[phrase.ids.size()]]) continue;
    if (longest == phrases_.size() || phrase.ids.size() > phrases_[longest].ids.size()) longest = i;
  }
  auto taken = std::ptrdiff_t{1};
  if (longest < phrases_.size()) {
    match.completed.push_back(longest);
    taken = std::ssize(phrases_[longest].ids);
  }
  match.pieces.erase(match.pieces.begin(), match.pieces.begin() + taken);
}

}  // namespace gloss
