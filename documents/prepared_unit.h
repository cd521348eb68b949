#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"
#include "documents/model/placeholders.h"

namespace gloss {

/// A unit as the model reads it: placeholders are taken out of its text, and so are the spaces that only they and other
/// word elements need.
struct PreparedUnit {
  /// A placeholder that stays in the text.
  struct Kept {
    TextSpan span;
    bool in_order = false;
  };

  InlineText text;                  ///< placeholders that were taken out are elements
  std::vector<Kept> kept;           ///< ascending, disjoint
  std::vector<std::size_t> origin;  ///< the byte of the unit's text that each byte of `text` comes from, and its end
};

/// Takes out the placeholders for which `keeps` is false. Tags are always taken out.
PreparedUnit prepare(const Unit& unit,
                     const std::function<bool(Placeholder::Kind kind, std::string_view placeholder)>& keeps);

/// Gives the word elements of a translation their spaces: one before (after) each that had one in the source, unless it
/// is at the edge of the text, beside a space, or before (after) punctuation. `spans` of the text move with it; none is
/// empty.
void restore_spaces(InlineText& target, std::initializer_list<std::vector<AlignedSpan>*> spans);

}  // namespace gloss
