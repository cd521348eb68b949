#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/text/utf8.h"
#include "tests/support/temporary_folder.h"

namespace gloss {

/// Ends the program if a property does not hold, with the line of the call: libFuzzer then writes the input to a file.
inline void expect(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: the property does not hold\n", file, line);
  std::abort();
}

/// Returns the input of a target as text.
inline std::string_view input_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Takes a line off the beginning of a text, without its end.
inline std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

inline bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

/// Returns whether `read` returns. Ends the program if it throws anything else than a gloss error of this kind, whose
/// message is safe to print.
template <typename Failure = Error>
bool is_read(const auto& read) {
  try {
    read();
    return true;
  } catch (const Failure& error) {
    expect(is_text(error.what()) && !has_control(error.what()));
    expect(error.exit_code() == ExitCode::kData || error.exit_code() == ExitCode::kUsage);
    return false;
  }
}

/// Takes a byte off the beginning of a text; 0 if there is none.
inline unsigned take_byte(std::string_view& text) {
  if (text.empty()) return 0;
  const auto byte = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  return byte;
}

/// Writes a file into a folder that all inputs share, and returns its path.
inline std::filesystem::path put_input(const std::string& name, std::string_view bytes) {
  static const TemporaryFolder folder;
  const auto path = folder / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace gloss
