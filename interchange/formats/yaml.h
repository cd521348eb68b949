#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A value of a YAML document.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  int line = 0;                 ///< counted from 1
  std::string text;             ///< of a scalar; of a null, the word that is written for it, or empty
  bool quoted = false;          ///< a scalar in quotes is always a text
  std::string key;              ///< of a value in a map
  std::vector<YamlNode> items;  ///< values of a list or a map, in the order of the document; in a map each key once
};

/// Bounds on a YAML document.
struct YamlLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t nodes = 2'000'000;
  int depth = 16;
};

/// Maximum number of bytes from one value to the next. Lists and maps in brackets count as one value if they stand at
/// the beginning of a line.
inline constexpr std::size_t kMaxYamlReadAhead = std::size_t{64} << 10;

/// Returns whether gloss was built with yaml-cpp.
bool has_yaml();

/// Parses one YAML document with yaml-cpp. Keys are scalars; a plain null as a key is its text. Throws
/// ModelError("name: line N: ...") for text that is not UTF-8, several documents, anchors and aliases, tags of types,
/// repeated keys and a document beyond the limits or kMaxYamlReadAhead. Throws UsageError if gloss was built without
/// yaml-cpp.
YamlNode parse_yaml(std::string_view text, const std::string& name, const YamlLimits& limits = {});

}  // namespace gloss
