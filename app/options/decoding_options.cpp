#include "app/options/decoding_options.h"

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::int64_t kBatchesAtOnce = 4;

constexpr std::string_view kNBestHelp = "print the N best as `line-number ||| text ||| score`, lines from 1";

/// Defaults are the model's. The headings that no other options have state that for all of theirs.
SettingOption option_of(const Setting& setting) {
  if (setting.key == "n_best") return {.help = kNBestHelp, .default_text = ""};
  if (setting.group == "Search" || setting.group == "Sampling")
    return {.default_text = "", .heading_note = "defaults: the model's"};
  return {.default_text = "the model's"};
}

/// The option that turns a switch on or, where the model's run file does that, its key and the effect of its opposite.
std::string why_on(const GivenSettings& given, std::string_view key, std::string_view effect_of_off) {
  const auto& setting = decoding_settings().at(key);
  if (const auto option = given.option_of(setting); !option.empty()) return option;
  return setting.name() + " of the model's run file; " + std::string(setting.off_flag) + ' ' +
         std::string(effect_of_off);
}

/// Throws UsageError where an option has no effect.
void expect_to_matter(const GivenSettings& given, const DecodingConfig& config) {
  const auto& settings = decoding_settings();
  const auto* const idle = settings.without_effect(given.values(), config);
  if (idle == nullptr) return;
  const auto option = given.option_of(*idle) + ": has ";
  if (!idle->only_with.empty())
    throw UsageError(option + "an effect beside " + std::string(settings.at(idle->only_with).flag) + " only");
  throw UsageError(option + "no effect where translations are drawn (" + why_drawn(given) + ")");
}

}  // namespace

void add_decoding_options(CLI::App& command, GivenSettings& given) {
  for (const auto& setting : decoding_settings().list()) add_setting(command, setting, given, option_of(setting));
}

void add_best_decoding_options(CLI::App& command, GivenSettings& given) {
  for (const auto& setting : decoding_settings().list()) {
    auto option = option_of(setting);
    if (setting.key == "sampling.seed") option.flag = "--sample-seed";
    if (setting.key != "n_best") add_setting(command, setting, given, option);
  }
}

void add_decoding_options(CLI::App& command, GivenSettings& given, std::initializer_list<std::string_view> keys) {
  for (const auto key : keys) {
    const auto& setting = decoding_settings().at(key);
    add_setting(command, setting, given, option_of(setting));
  }
}

std::string why_drawn(const GivenSettings& given) { return why_on(given, "sampling.enabled", "searches"); }

std::string why_no_unk(const GivenSettings& given) { return why_on(given, "no_unk", "allows it"); }

std::size_t lines_at_once(const DecodingConfig& config) {
  return static_cast<std::size_t>(kBatchesAtOnce * config.batch_size);
}

DecodingConfig decoding_config(const GivenSettings& given, DecodingConfig config) {
  config.n_best = 1;  // one line out for each line in, unless --n-best is given
  config = given.over(decoding_settings(), config);
  expect_to_matter(given, config);
  name_by_option(given.names(), [&] { config.validate(); });
  return config;
}

}  // namespace gloss
