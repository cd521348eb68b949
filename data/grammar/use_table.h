#pragma once

#include <optional>
#include <string_view>

#include "data/grammar/grammar.h"

namespace gloss::grammar {

/// A form that a line of a language may ask for.
struct UseEntry {
  Language language;
  char word;              ///< n noun, v verb, a adjective, t adverb, m modal
  std::string_view text;  ///< what stands behind the slot
  Use use;
  bool argument;  ///< whether another slot follows
};

/// Null where that language has no such form of such a word.
const UseEntry* find_use(Language language, SlotKind kind, std::string_view text);

}  // namespace gloss::grammar
