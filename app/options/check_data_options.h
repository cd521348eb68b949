#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/command_options.h"

namespace gloss {

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

}  // namespace gloss
