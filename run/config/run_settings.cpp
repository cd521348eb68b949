#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/settings.h"
#include "common/text/split.h"
#include "run/config/run_config.h"

namespace gloss {
namespace {

constexpr std::array kDefaultsNames = {std::pair{std::string_view("fixed"), DefaultsKind::kFixed},
                                       std::pair{std::string_view("text"), DefaultsKind::kText}};

/// Returns "batch_tokens" for "model.batch_tokens" and for "batch-tokens".
std::string last_part(std::string_view name) {
  std::string part(name.substr(name.rfind('.') + 1));
  std::ranges::replace(part, '-', '_');
  return part;
}

/// Returns "lr" for "learning_rate".
std::string initials_of(const std::string& part) {
  std::string initials;
  for (const auto word : split_text(part, '_'))
    if (!word.empty()) initials += word.front();
  return initials;
}

/// Returns whether every word of `part` is a word of `other`, as in "epochs" and "max_epochs".
bool has_words(const std::string& other, const std::string& part) {
  const auto words = split_text(other, '_');
  return std::ranges::all_of(split_text(part, '_'),
                             [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); });
}

}  // namespace

const Settings<LensConfig>& lens_settings() {
  static const Settings<LensConfig> settings(
      "lens", {{field(&LensConfig::sentences),
                {.key = "sentences",
                 .help = "at most 20 source sentences whose attention each validation writes to `lens.jsonl`",
                 .identity = Identity::kNever}}});
  return settings;
}

const Settings<RunConfig>& top_settings() {
  static const Settings<RunConfig> settings(
      "", {{field(&RunConfig::seed),
            {.key = "seed",
             .help = "seed of all random numbers of a run",
             .range = at_least(0),
             .flag = "--seed",
             .group = "Training"}},
           {choice_field(&RunConfig::defaults, kDefaultsNames),
            {.key = "defaults",
             .help = "`text`: open keys get values chosen from the training text; `fixed`: those of the tables below",
             .shown_default = "`\"text\"` in a run file",
             .identity = Identity::kNever}}});
  return settings;
}

std::vector<SectionSettings> run_settings() {
  return {{"", top_settings().list()},
          {"tokenizer", tokenizer_settings().list()},
          {"data", data_settings().list()},
          {"model", model_settings().list()},
          {"training", training_settings().list()},
          {"decoding", decoding_settings().list()},
          {"evaluation", evaluation_settings().list()},
          {"lens", lens_settings().list()}};
}

std::optional<std::string> similar_key(std::string_view name) {
  const auto part = last_part(name);
  std::vector<std::string> names, parts;
  for (const auto& section : run_settings())
    for (const auto& setting : section.settings) {
      names.push_back(setting.name());
      parts.push_back(last_part(setting.key));
    }
  const auto first = [&](auto&& fits) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(parts, fits);
    if (found == parts.end()) return std::nullopt;
    return names[static_cast<std::size_t>(found - parts.begin())];
  };
  if (auto equal = first([&](const std::string& other) { return other == part; })) return equal;
  if (const auto nearest = nearest_name(part, parts))
    return first([&](const std::string& other) { return other == *nearest; });
  if (auto words = first([&](const std::string& other) { return has_words(other, part); })) return words;
  return first([&](const std::string& other) { return part.size() > 1 && initials_of(other) == part; });
}

}  // namespace gloss
