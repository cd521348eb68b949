#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/text/text_span.h"

namespace gloss {

/// A scalar of YAML with its place in a document.
struct YamlScalar {
  enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral, kFolded };

  Style style = Style::kPlain;
  TextSpan range;            ///< bytes: with the quotes; of a block without the spaces and line ends around it
  std::string text;          ///< decoded; of a block without the line ends around it
  std::size_t indent = 0;    ///< spaces before each line of a block
  bool in_brackets = false;  ///< in a list or map in brackets
};

/// Finds the scalar with a value, whose anchor, tag or text begins at `offset`. Returns nothing for blocks that cannot
/// be written anew: with an indentation indicator, or folded with indented lines; and if the value is not there.
std::optional<YamlScalar> find_yaml_scalar(std::string_view bytes, std::size_t offset, std::string_view value,
                                           bool in_brackets);

/// Returns whether a plain scalar may be a number, a boolean or null, by YAML 1.1 or 1.2.
bool is_yaml_constant(std::string_view text);

/// Returns another text in the style of a scalar, for its range. A plain scalar becomes one in double quotes if the
/// text could be read as anything else.
std::string spelled_yaml(const YamlScalar& scalar, std::string_view text, std::string_view line_end);

}  // namespace gloss
