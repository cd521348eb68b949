#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace gloss {

using Json = nlohmann::json;

/// Parses strict JSON: UTF-8 without a byte order mark, comments, trailing commas, repeated keys, NaN, infinity or text
/// after the value. Accepts at most `max_depth` levels. Throws std::invalid_argument with one line: the place ("line 3,
/// column 7: ...", at or just after the fault; a repeated key by its dotted name, too) and the reason. The caller adds
/// the file and converts it to its own kind of error.
Json parse_json(std::string_view text, int max_depth = 32);

/// Returns one line with sorted keys and the shortest doubles that read back equal. Bytes that are not UTF-8 are
/// replaced.
std::string to_text(const Json& value);
/// Returns several lines, indented by two spaces, with a final newline; otherwise as to_text.
std::string to_pretty_text(const Json& value);
/// Returns a string without quotes and escapes, and another value as to_text.
std::string value_text(const Json& value);

/// Limits on a JSON text. A value takes up to 150 bytes of memory, but two in the text; with these, memory stays below
/// 500 MB.
struct JsonLimits {
  int depth = 32;
  /// Texts, objects, lists and members of objects; eight numbers in a list count as one of them.
  std::size_t values = 2'000'000;
};

/// Parses as above, with other limits.
Json parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace gloss
