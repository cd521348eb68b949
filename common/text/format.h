#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Formats like printf, with any length. Throws std::runtime_error if that fails.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// Returns a number with `decimals` decimals, or with three digits from a million on: "7.39", "3.05e+135".
std::string number_text(double value, int decimals = 2);

/// Returns a number of bytes as text: "12.3 MiB", below 100 KiB as "12.3 KiB".
std::string bytes_text(std::uintmax_t bytes);
/// Returns a number of bytes as text with a decimal only below ten: "9.5 MiB", "123 MiB".
std::string short_bytes_text(std::int64_t bytes);

/// Returns a count with its noun: "1 pair", "0 pairs", "3 batches". The plural of `noun` ends with "s", or with "es"
/// after "s" and "tch".
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  const bool has_sibilant = noun.ends_with('s') || noun.ends_with("tch");
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : has_sibilant ? "es" : "s");
}

/// Counts lines with some property and stores the numbers (from 1) of the first five.
struct NotedLines {
  std::int64_t count = 0;
  std::vector<std::int64_t> first_lines;

  void note(std::int64_t line);
  /// Returns "first lines: 3, 7, 9".
  std::string text() const;
};

/// Throws DataError with both names and numbers unless two texts, or the statistics of two texts, have equally many
/// lines.
///
///     expect_equal_lines("out.txt", 3, "test.de", 4);  // out.txt has 3 lines, test.de 4; ...
void expect_equal_lines(const std::string& name, std::int64_t lines, const std::string& reference_name,
                        std::int64_t reference_lines);

/// Returns the text as one word of a shell command: in quotation marks if it is empty or has special characters.
std::string shell_quoted(const std::string& text);

/// Returns the bytes in base64 (RFC 4648), padded, without line ends.
std::string base64(std::string_view bytes);

/// Returns the bytes of such a text; nothing if it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gloss
