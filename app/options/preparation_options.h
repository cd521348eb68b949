#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/command_options.h"
#include "app/options/given_settings.h"
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

/// Options of `gloss tokenizer train`.
struct TrainTokenizerOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> input;
  GivenSettings given;
  std::filesystem::path output;
  bool overwrite = false;
};

/// Options of a command that converts the lines of stdin by a tokenizer.
struct ConvertLinesOptions {
  CommonOptions common;
  std::filesystem::path model;
};
/// Options of `gloss tokenizer encode`.
struct EncodeOptions : ConvertLinesOptions {};
/// Options of `gloss tokenizer decode`.
struct DecodeOptions : ConvertLinesOptions {};

/// Two texts and the options that name them.
struct TextPairOptions {
  std::string_view source_flag, target_flag;
  std::optional<std::filesystem::path> source = {}, target = {};
};

/// Options of `gloss check-data`.
struct CheckDataOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config;
  std::vector<std::string> overrides;
  TextPairOptions training{"--source", "--target"};
  TextPairOptions validation{"--valid-source", "--valid-target"};
  TextPairOptions test{"--test-source", "--test-target"};
  std::optional<std::filesystem::path> tokenizer;
  std::optional<std::int64_t> max_length;
  std::optional<double> max_ratio;
  bool json = false;
};

/// Options of `gloss doctor`.
struct DoctorOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config, out;
  std::vector<std::string> overrides;
  bool json = false;
};

}  // namespace gloss
