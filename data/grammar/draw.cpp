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

}  // namespace

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
    const auto& fitting = words(slot, slot.depends() ? sentence.choices[slot.of].word : nullptr);
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

std::vector<std::string> combinations(const Sentence& sentence) {
  std::vector<std::string> all;
  const auto& slots = sentence.pattern->slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& slot = slots[i];
    const auto& choice = sentence.choices[i];
    const auto& name = choice.word->name;
    if (slot.kind == SlotKind::kVerb) all.push_back(sentence.construction->name + " with " + name);
    if (slot.kind == SlotKind::kAdjective && !sentence.choices[slot.of].word->is("pronoun"))
      all.push_back(name + " " + sentence.choices[slot.of].word->name);
    if (!slot.is_noun() || choice.word->is("pronoun")) continue;
    if (slot.kind == SlotKind::kRole)
      all.push_back(sentence.choices[slot.of].word->name + " " + slot.role + " " + name);
    else
      all.push_back(sentence.construction->name + " with " + name);
    if (choice.adjective != nullptr) all.push_back(choice.adjective->name + " " + name);
  }
  return all;
}

bool HeldOut::holds(const std::string& combination) {
  const auto [place, is_new] = known_.try_emplace(combination);
  if (is_new) place->second = random_.stream(combination).uniform(0) < share_;
  return place->second;
}

bool HeldOut::holds_any(const Sentence& sentence) {
  return std::ranges::any_of(combinations(sentence), [&](const auto& one) { return holds(one); });
}

}  // namespace gloss::grammar
