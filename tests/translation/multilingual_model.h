#pragma once

#include <filesystem>
#include <string>

namespace gloss {

/// Writes a model file that was not trained. It has two tokenizers that share their ids, tags of the languages "deu",
/// "eng" and "fra", whose ids are 4, 5 and 6, and words of the letters a to e. The section `tokenizer` of its
/// configuration has `source_tag` and `target_tag`; its own languages are `source` and `target`.
struct MultilingualModel {
  std::string source_tag = "source";
  bool target_tag = true;
  std::string source = {}, target = {};

  void write(const std::filesystem::path& path) const;
};

}  // namespace gloss
