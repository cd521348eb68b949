#pragma once

#include <filesystem>
#include <string>

namespace gloss {

/// The files of two aligned texts: line n of `target` is the translation of line n of `source`.
struct TextFiles {
  std::filesystem::path source, target;

  bool operator==(const TextFiles&) const = default;
};

/// Returns both names for messages: "train.en and train.de".
std::string names_of(const TextFiles& files);

}  // namespace gloss
