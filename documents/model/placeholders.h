#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// A part of a text that a translation keeps as it is.
struct Placeholder {
  enum class Kind {
    kCode,      ///< {name}, %s, ${x}, an ICU message, an entity, a URL, an e-mail address, an emoji
    kQuantity,  ///< a number with a unit: 5 km, 20 °C, 50 %
    kOpening,   ///< a tag: <b>, <0>
    kClosing,   ///< </b>, </0>
    kMark,      ///< <br/>, <0/>
    kSign,      ///< ©, €, ×, →: kept where the vocabulary lacks it
  };
  TextSpan span;
  Kind kind = Kind::kCode;

  bool operator==(const Placeholder&) const = default;
};

/// Returns the placeholders of a text, ascending and disjoint:
///
/// - formats of printf, with names, positions, Apple's %@ and Qt's %1: %s, %1$d, %(count)d, %.2f, %%
/// - names in braces, without white space: {name}, {0}, {{user.name}}, #{x}, ${x}, {% tag %}; messages of ICU:
///   {n, plural, one {# file} other {# files}}; $name$ and $t(key) of i18next
/// - tags of HTML and numbered ones, entities, URLs, e-mail addresses, emoji, numbers with units, signs
///
/// `text` is valid UTF-8.
std::vector<Placeholder> find_placeholders(std::string_view text);

/// Returns the number of bytes of the list mark that a text begins with, and of the white space after it: "- ", "• ",
/// "2. ", "1.2. ", "(a) ", "iv) ". 0 if there is none, or nothing after it. A letter needs a bracket, since "z. B." and
/// "A. Smith" begin sentences.
std::size_t list_mark_length(std::string_view text);

}  // namespace gloss
