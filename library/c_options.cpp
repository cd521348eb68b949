#include "library/c_options.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/settings.h"
#include "common/error.h"
#include "library/search_options.h"

namespace gloss {
namespace {

/// A key of an object and the member that it sets.
template <typename Options>
struct OptionKey {
  std::string_view key;
  Field<Options> field;
};

/// Returns the field of a member that `read` reads.
template <typename Options>
Field<Options> field_read_by(std::function<void(ConfigSection&, std::string_view key, Options&)> read) {
  return {.type = SettingType::kText, .read = std::move(read)};
}

template <typename Options>
Field<Options> file_field(std::filesystem::path Options::*member) {
  return field_read_by<Options>([member](ConfigSection& section, std::string_view key, Options& options) {
    auto path = (options.*member).string();
    section.read(key, path);
    options.*member = path;
  });
}

template <typename Options>
void read_keys(ConfigSection& section, const std::vector<OptionKey<Options>>& keys, Options& options) {
  for (const auto& [key, field] : keys) field.read(section, key, options);
}

constexpr std::array kPrecisions = {std::pair{std::string_view("auto"), MatrixPrecision::kAuto},
                                    std::pair{std::string_view("float32"), MatrixPrecision::kFloat32},
                                    std::pair{std::string_view("bfloat16"), MatrixPrecision::kBfloat16},
                                    std::pair{std::string_view("int8"), MatrixPrecision::kInt8},
                                    std::pair{std::string_view("float16"), MatrixPrecision::kFloat16}};
constexpr std::array kSplits = {std::pair{std::string_view("line"), SentenceSplit::kLine},
                                std::pair{std::string_view("paragraph"), SentenceSplit::kParagraph},
                                std::pair{std::string_view("wrapped"), SentenceSplit::kWrapped}};

void read_threads(ConfigSection& section, std::string_view key, TranslatorSettings& settings) {
  std::int64_t threads = settings.threads;
  section.read(key, threads);
  require(std::in_range<int>(threads), key, "a number of threads", threads);
  settings.threads = static_cast<int>(threads);
}

void read_deadline(ConfigSection& section, std::string_view key, TranslationOptions& options) {
  constexpr std::int64_t kMaxMilliseconds = 1'000'000'000'000;  // 31 years; the clock ends after 292
  std::optional<std::int64_t> milliseconds;
  section.read(key, milliseconds);
  if (!milliseconds) return;
  require(*milliseconds >= 0 && *milliseconds <= kMaxMilliseconds, key, "0 to " + std::to_string(kMaxMilliseconds),
          *milliseconds);
  options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(*milliseconds);
}

void read_glossary(ConfigSection& section, std::string_view key, TranslationOptions& options) {
  for (auto& phrase : section.sections(key)) {
    auto& entry = options.glossary.emplace_back();
    phrase.read("source", entry.source);
    phrase.read("target", entry.target);
    phrase.finish();
  }
}

void read_search(ConfigSection& section, TranslationOptions& options) {
  using Options = TranslationOptions;
  static const std::vector<OptionKey<Options>> keys = {{"first_line", field(&Options::first_line)},
                                                       {"prefixes", field(&Options::prefixes)},
                                                       {"source_language", field(&Options::source_language)},
                                                       {"target_language", field(&Options::target_language)},
                                                       {"deadline_ms", field_read_by<Options>(read_deadline)},
                                                       {"glossary", field_read_by<Options>(read_glossary)},
                                                       {"confidence", field(&Options::confidence)},
                                                       {"alignment", field(&Options::alignment)},
                                                       {"replace_unknown", field(&Options::replace_unknown)},
                                                       {"alignment_from", field(&Options::alignment_from)}};
  for (const auto& [name, key, field] : public_options()) field.read(section, name, options);
  read_keys(section, keys, options);
}

/// Replaces a glossary {"phrase": "translation"} by a list of objects with "source" and "target".
void list_phrases(Json& options) {
  const auto glossary = options.find("glossary");
  if (glossary == options.end() || !glossary->is_object()) return;
  Json list = Json::array();
  for (const auto& [source, target] : glossary->items()) list.push_back({{"source", source}, {"target", target}});
  *glossary = std::move(list);
}

/// Parses the text of an argument and calls `read` with its object, all keys of which must have been read then.
void read_object(const char* text, std::string_view argument, const auto& read) {
  Json json = Json::object();
  try {
    if (text != nullptr) json = parse_json(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string(argument) + ": " + error.what());
  }
  require(json.is_object(), argument, "an object", json);
  list_phrases(json);
  if (const auto search = json.find("search"); search != json.end()) list_phrases(*search);
  ConfigSection section(json, "");
  read(section);
  section.finish();
}

}  // namespace

TranslatorSettings read_settings(const char* text) {
  using Settings = TranslatorSettings;
  static const std::vector<OptionKey<Settings>> keys = {{"device", field(&Settings::device)},
                                                        {"threads", field_read_by<Settings>(read_threads)},
                                                        {"precision", choice_field(&Settings::precision, kPrecisions)},
                                                        {"alignment", field(&Settings::alignment)},
                                                        {"plain", field(&Settings::plain)}};
  Settings settings;
  read_object(text, "settings", [&](ConfigSection& section) { read_keys(section, keys, settings); });
  return settings;
}

TranslationOptions read_translation_options(const char* text) {
  TranslationOptions options;
  read_object(text, "options", [&](ConfigSection& section) { read_search(section, options); });
  return options;
}

TextOptions read_text_options(const char* text) {
  static const std::vector<OptionKey<TextOptions>> keys = {
      {"search", field_read_by<TextOptions>([](ConfigSection& section, std::string_view key, TextOptions& options) {
         auto search = section.section(key);
         read_search(search, options.search);
         search.finish();
       })},
      {"format", field(&TextOptions::format)},
      {"split", choice_field(&TextOptions::split, kSplits)},
      {"srx", file_field(&TextOptions::srx)},
      {"memory", file_field(&TextOptions::memory)},
      {"overwrite_translations", field(&TextOptions::overwrite_translations)}};
  TextOptions options;
  read_object(text, "options", [&](ConfigSection& section) { read_keys(section, keys, options); });
  return options;
}

SplitOptions read_split_options(const char* text) {
  static const std::vector<OptionKey<SplitOptions>> keys = {{"language", field(&SplitOptions::language)},
                                                            {"split", choice_field(&SplitOptions::split, kSplits)}};
  SplitOptions options;
  read_object(text, "options", [&](ConfigSection& section) { read_keys(section, keys, options); });
  return options;
}

}  // namespace gloss
