#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/options/command_options.h"
#include "data/grammar/lexicon.h"

namespace gloss {

enum class CorpusKind { kDemo, kCopy, kReverse };
using LanguagePair = std::pair<grammar::Language, grammar::Language>;

/// Options of `gloss make-corpus`.
struct MakeCorpusOptions {
  CommonOptions common;
  CorpusKind kind = CorpusKind::kDemo;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> size, words, max_words;
  std::optional<LanguagePair> pair;
  std::filesystem::path out;
  bool overwrite = false;
};

}  // namespace gloss
