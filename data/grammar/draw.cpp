#include "data/grammar/draw.h"

#include <algorithm>
#include <set>

namespace gloss::grammar {
namespace {

constexpr double kWithAdjective = 0.4;

/// Draws one value after the other from a stream.
class Dice {
 public:
  explicit Dice(const RandomStream& random) : random_(random) {}
  template <typename T>
  const T& choose(const std::vector<T>& from) {
    return from[random_.below(from.size(), element_++)];
  }
  bool happens(double probability) {
    constexpr std::uint64_t kParts = 1'000'000;
    return random_.below(kParts, element_++) < static_cast<std::uint64_t>(probability * kParts);
  }

 private:
  const RandomStream& random_;
  std::uint64_t element_ = 0;
};

bool depends(const Slot& slot) {
  return slot.kind == SlotKind::kRole || slot.kind == SlotKind::kLike || slot.kind == SlotKind::kAdjective;
}

bool goes_with(const Slot& slot, const Entry& word, const Entry* governor) {
  switch (slot.kind) {
    case SlotKind::kRole:
      return governor->takes(slot.role, word);
    case SlotKind::kLike:
      return !word.classes.empty() && word.classes[0] == governor->classes[0];
    case SlotKind::kAdjective:
      return word.takes("of", *governor);
    default:
      return true;
  }
}

bool can_be_place(const Slot& slot, const Entry& noun) {
  if (slot.place && !std::ranges::all_of(noun.forms, [](const auto& forms) { return forms.options.contains("at"); }))
    return false;
  return !slot.goal || noun.in(Language::kGerman).options.contains("to");
}

/// Returns whether the word in `slot` goes with those of the filled slots before it. No word occurs twice, there is at
/// most one personal pronoun, and an adjective of a comparison must suit both nouns.
bool goes_together(const Sentence& sentence, std::size_t slot) {
  const auto& slots = sentence.pattern->slots;
  const auto& word = *sentence.choices[slot].word;
  for (std::size_t i = 0; i < slot; ++i) {
    const auto& other = *sentence.choices[i].word;
    if (&word == &other || (word.is("pronoun") && other.is("pronoun"))) return false;
    if (slots[slot].kind == SlotKind::kLike && slots[i].kind == SlotKind::kAdjective && slots[i].of == slots[slot].of &&
        !other.takes("of", word))
      return false;
  }
  return true;
}

}  // namespace

const std::vector<const Entry*>& Chooser::words(const Slot& slot, const Entry* governor) {
  const auto [place, is_new] = words_.try_emplace({&slot, governor});
  auto& fitting = place->second;
  if (!is_new) return fitting;
  for (const auto& entry : lexicon_.entries(entry_kind(slot.kind))) {
    if (!slot.has_classes(entry) || !goes_with(slot, entry, governor)) continue;
    if (slot.is_noun() && (!can_be_place(slot, entry) || determiners(slot, entry).empty())) continue;
    fitting.push_back(&entry);
  }
  return fitting;
}

std::vector<const Entry*> Chooser::determiners(const Slot& slot, const Entry& noun) const {
  std::vector<const Entry*> fitting;
  for (const auto* determiner : slot.determiners)
    if (can_stand(*determiner, noun) && (!slot.referable || is_referable({&noun, determiner, nullptr})))
      fitting.push_back(determiner);
  return fitting;
}

std::vector<const Entry*> Chooser::attributes(const Slot& slot, const Entry& noun) const {
  std::vector<const Entry*> fitting;
  if (!slot.adjectives || noun.is("pronoun") || noun.is("proper")) return fitting;
  for (const auto& adjective : lexicon_.entries(EntryKind::kAdjective))
    if (adjective.takes("of", noun) && !adjective.in(Language::kChinese).words[0].empty())
      fitting.push_back(&adjective);
  return fitting;
}

std::optional<Sentence> Chooser::draw(const Construction& construction, const RandomStream& random) {
  Dice dice(random);
  const auto& pattern = dice.choose(construction.patterns);
  Sentence sentence{&construction, &pattern, std::vector<Choice>(pattern.slots.size())};
  for (std::size_t i = 0; i < pattern.slots.size(); ++i) {
    const auto& slot = pattern.slots[i];
    auto& choice = sentence.choices[i];
    const auto& fitting = words(slot, depends(slot) ? sentence.choices[slot.of].word : nullptr);
    if (fitting.empty()) return std::nullopt;
    choice.word = dice.choose(fitting);
    if (!goes_together(sentence, i)) return std::nullopt;
    if (!slot.is_noun()) continue;
    choice.determiner = dice.choose(determiners(slot, *choice.word));
    const auto adjectives = attributes(slot, *choice.word);
    if (!adjectives.empty() && dice.happens(kWithAdjective)) choice.adjective = dice.choose(adjectives);
  }
  return sentence;
}

std::uint64_t Chooser::count(const Construction& construction) {
  std::uint64_t total = 0;
  for (const auto& pattern : construction.patterns) {
    Sentence sentence{&construction, &pattern, std::vector<Choice>(pattern.slots.size())};
    total += count_from(sentence, 0);
  }
  return total;
}

std::uint64_t Chooser::count_from(Sentence& sentence, std::size_t slot) {
  const auto& slots = sentence.pattern->slots;
  if (slot == slots.size()) return 1;
  const auto& fitting = words(slots[slot], depends(slots[slot]) ? sentence.choices[slots[slot].of].word : nullptr);
  // Nothing depends on an adverb or a modal verb.
  if (slots[slot].kind == SlotKind::kAdverb || slots[slot].kind == SlotKind::kModal) {
    if (fitting.empty()) return 0;
    sentence.choices[slot].word = fitting[0];
    return fitting.size() * count_from(sentence, slot + 1);
  }
  std::uint64_t total = 0;
  for (const auto* word : fitting) {
    sentence.choices[slot].word = word;
    if (!goes_together(sentence, slot)) continue;
    std::uint64_t ways = 1;
    if (slots[slot].is_noun()) {
      const auto [place, is_new] = stands_.try_emplace({&slots[slot], word});
      if (is_new) {
        const auto all = determiners(slots[slot], *word);
        place->second = std::set(all.begin(), all.end()).size() * (1 + attributes(slots[slot], *word).size());
      }
      ways = place->second;
    }
    total += ways * count_from(sentence, slot + 1);
  }
  return total;
}

}  // namespace gloss::grammar
