#pragma once

#include "tests/documents/office/stored_archive.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

/// Returns a ZIP archive: the input itself if it is one, otherwise that of its entries. An entry is a line with its
/// name and its bytes; a line of ---- ends it.
inline std::string archive_input(std::string_view input) {
  constexpr std::string_view kBorder = "\n----\n";
  if (input.starts_with("PK")) return std::string(input);
  std::vector<StoredEntry> entries;
  while (!input.empty()) {
    const auto end = std::min(input.find(kBorder), input.size());
    auto bytes = input.substr(0, end);
    const std::string name(take_line(bytes));
    entries.push_back({name, std::string(bytes)});
    input.remove_prefix(std::min(end + kBorder.size(), input.size()));
  }
  return archive_of(entries);
}

}  // namespace gloss
