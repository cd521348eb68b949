#include "data/grammar/held_out.h"

#include <algorithm>

namespace gloss::grammar {

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
