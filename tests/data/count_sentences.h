#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "data/grammar/draw.h"

namespace gloss::grammar {

/// Counts the sentences of a grammar exactly.
class SentenceCount {
 public:
  explicit SentenceCount(const Grammar& grammar) : chooser_(grammar) {}

  /// Returns the number of ways to fill the slots of all patterns of the construction.
  std::uint64_t of(const Construction& construction) {
    std::uint64_t total = 0;
    for (const auto& pattern : construction.patterns) {
      Sentence sentence{&construction, &pattern, std::vector<Choice>(pattern.slots.size())};
      total += count_from(sentence, 0);
    }
    return total;
  }

 private:
  std::uint64_t count_from(Sentence& sentence, std::size_t slot) {
    const auto& slots = sentence.pattern->slots;
    if (slot == slots.size()) return 1;
    const auto& fitting =
        chooser_.words(slots[slot], slots[slot].depends() ? sentence.choices[slots[slot].of].word : nullptr);
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
          const auto all = chooser_.determiners(slots[slot], *word);
          place->second =
              std::set(all.begin(), all.end()).size() * (1 + chooser_.attributes(slots[slot], *word).size());
        }
        ways = place->second;
      }
      total += ways * count_from(sentence, slot + 1);
    }
    return total;
  }

  Chooser chooser_;
  std::map<std::pair<const Slot*, const Entry*>, std::uint64_t> stands_;  ///< number of phrases of a noun in a slot
};

}  // namespace gloss::grammar
