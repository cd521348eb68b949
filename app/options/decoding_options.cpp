#include "app/options/decoding_options.h"

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::int64_t kBatchesAtOnce = 4;

constexpr std::string_view kNBestHelp = "print the N best as `line-number ||| text ||| score`, lines from 1";

/// Returns the texts of an option's help, whose default is the model's value. For the groups Search and Sampling the
/// heading states this once for all options.
SettingOption option_of(const Setting& setting) {
  if (setting.key == "n_best") return {.help = kNBestHelp, .default_text = ""};
  if (setting.group == "Search" || setting.group == "Sampling")
    return {.default_text = "", .heading_note = "defaults: the model's"};
  return {.default_text = "the model's"};
}

/// Returns the option that turned a switch on. If the model's run file did, returns the key and the option that turns
/// it off, with its effect.
std::string why_on(const GivenSettings& given, std::string_view key, std::string_view effect_of_off) {
  const auto& setting = decoding_settings().at(key);
  if (const auto option = given.option_of(setting); !option.empty()) return option;
  return setting.name() + " of the model's run file; " + std::string(setting.off_flag) + ' ' +
         std::string(effect_of_off);
}

/// Throws UsageError if an option has no effect.
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
  for (const auto& setting : decoding_settings().list())
    if (!setting.flag.empty()) add_setting(command, setting, given, option_of(setting));
}

void add_best_decoding_options(CLI::App& command, GivenSettings& given) {
  for (const auto& setting : decoding_settings().list()) {
    if (setting.flag.empty() || setting.key == "n_best") continue;
    auto option = option_of(setting);
    if (setting.key == "sampling.seed") option.flag = "--sample-seed";
    add_setting(command, setting, given, option);
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
