#pragma once

#include <optional>
#include <string_view>

#include "data/grammar/grammar.h"

namespace gloss::grammar {

/// A form that the lines of a language may use.
struct UseEntry {
  Language language;
  char word;              ///< n noun, v verb, a adjective, t adverb, m modal
  std::string_view text;  ///< the name of the form after the slot
  Use use;
  bool argument;  ///< another slot must follow
};

/// Returns the entry, or null if the language has no such form for this kind of word.
const UseEntry* find_use(Language language, SlotKind kind, std::string_view text);

}  // namespace gloss::grammar
