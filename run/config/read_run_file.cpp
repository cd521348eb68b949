#include "run/config/read_run_file.h"

#include <algorithm>
#include <stdexcept>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_kind.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "run/config/initial_weights.h"
#include "run/config/run_file_keys.h"
#include "run/config/run_files.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxRunFile = 1 << 20;

/// Returns the value of an override: JSON, or a string if it is not JSON.
Json override_value(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const std::invalid_argument&) {
    return text;
  }
}

/// Sets json["a"]["b"] from "a.b=value".
void apply_override(Json& json, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--set " + printable(text) + ": wanted key=value, such as training.max_steps=100");
  try {
    set_key(json, text.substr(0, equals), override_value(text.substr(equals + 1)));
  } catch (const UsageError& error) {
    throw UsageError(std::string("--set ") + error.what());
  }
}

std::string absolute_beside(const std::string& path, const std::filesystem::path& folder) {
  return path.empty() ? path : (folder / path).lexically_normal().string();
}

/// Reads a JSON object. Throws UsageError if the file is not JSON, or not an object.
Json read_json(const std::filesystem::path& path) {
  const auto where = printable(path.string()) + ": ";
  std::string text;
  Json json;
  try {
    text = read_file(path, kMaxRunFile);
    json = parse_json(text);
  } catch (const std::invalid_argument& error) {
    const auto kind = file_kind(text);
    throw UsageError(where +
                     (kind == "a JSON text" ? "is not valid JSON: "
                                            : "is not a run file: wanted a JSON text { ... }, got " +
                                                  std::string(kind.empty() ? "something else" : kind) + "; ") +
                     error.what());
  } catch (const DataError& error) {
    throw UsageError(error.what());
  }
  if (!json.is_object()) throw UsageError(where + "wanted an object { ... }, got " + json.type_name());
  return json;
}

/// Fills in open keys from the model that the run starts from, if there is one. `kept` is the configuration of the run
/// to resume; it is used if the model is missing.
void complete_from_start_model(Json& json, const std::filesystem::path& folder, const std::filesystem::path& kept) {
  if (!json.contains("training") || !json["training"].is_object()) return;
  const auto start_from = json["training"].find("start_from");
  if (start_from == json["training"].end() || !start_from->is_string()) return;
  const auto path = start_from->get<std::string>();
  if (path.empty() || path.find('\0') != path.npos) return;
  const auto model = absolute_beside(path, folder);
  const bool is_gone = !std::filesystem::exists(model_path(model)) && std::filesystem::exists(kept);
  complete_from(is_gone ? parse_run_config(read_json(kept)) : config_of_start_model(model), json);
}

/// Returns the configuration in a run folder; null if there is none or it cannot be read.
Json kept_config(const std::filesystem::path& file) {
  try {
    return !file.empty() && std::filesystem::is_regular_file(file) ? read_json(file) : Json();
  } catch (const Error&) {
    return {};
  }
}

/// Returns the size of the texts; absent if they cannot be read or have no pairs.
std::optional<TextSize> size_of(TrainingTexts& texts) {
  try {
    const auto size = *texts.scan().size;
    return size.pairs > 0 ? std::optional(size) : std::nullopt;
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns the training texts of a run file that is not complete yet; null if it names none. A run without a validation
/// text holds pairs out by default.
std::shared_ptr<TrainingTexts> open_texts(const Json& json, RunConfig config, const std::filesystem::path& folder) {
  for (const auto& [key, file] : path_keys(config)) *file = absolute_beside(*file, folder);
  auto& data = config.data;
  auto texts = data.training_texts();
  const auto is_open = [](const TextFiles& text) { return text.source.empty() || text.target.empty(); };
  if (texts.empty() || std::ranges::any_of(texts, is_open)) return nullptr;
  if (!json.value("data", Json::object()).contains("hold_out"))
    data.hold_out = data.valid_source.empty() && data.valid_target.empty();
  auto options = scan_options(config);
  options.size = true;
  return std::make_shared<TrainingTexts>(std::move(texts), options);
}

/// Fills in the keys whose defaults depend on the text, unless "defaults" is "fixed". A resumed run keeps its kind of
/// defaults; earlier versions had only the fixed ones.
void complete_from_text(Json& json, const std::filesystem::path& folder, const Json& kept, RunFile& result) {
  const auto config = read_sections(json);
  if (!json.contains("defaults"))
    json["defaults"] = kept.is_object() && kept.value("defaults", Json()) != "text" ? "fixed" : "text";
  if (json["defaults"] == "fixed") return;
  if (kept.is_object()) complete_from_kept(json, kept);
  if (!has_open_defaults(json)) return;
  result.texts = open_texts(json, config, folder);
  if (!result.texts) return;
  const auto size = size_of(*result.texts);
  if (!size) return;
  result.text = *size;
  result.chosen = complete_defaults(json, *size);
}

void set_data_files(Json& json, const RunFileSource& source) {
  if (source.data_files.empty()) return;
  auto& data = json["data"];
  if (data.is_null()) data = Json::object();
  if (!data.is_object()) return;  // parse_run_config reports the error
  for (const auto& [key, file] : source.data_files) data[key] = std::filesystem::absolute(file).string();
}

std::string section_of(const std::string& key) { return key.substr(0, key.find('.')); }
std::string name_of(const std::string& key) { return key.substr(key.find('.') + 1); }

}  // namespace

RunFile read_run_file(const RunFileSource& source) {
  const auto& path = source.path;
  const auto where = path.empty() ? "" : printable(path.string()) + ": ";
  Json json = Json::object();
  if (!path.empty()) {
    if (!std::filesystem::exists(path)) throw UsageError(where + "there is no such run file");
    if (!std::filesystem::is_regular_file(path)) throw UsageError(where + "is no file; a run file is a JSON text");
    json = read_json(path);
  }
  try {
    for (const auto& text : source.overrides) apply_override(json, text);
    set_data_files(json, source);
    const auto folder = source.base    ? *source.base
                        : path.empty() ? std::filesystem::current_path()
                                       : std::filesystem::absolute(path).parent_path();
    const auto kept = source.run_folder.empty() ? std::filesystem::path() : source.run_folder / "config.json";
    complete_from_start_model(json, folder, kept);
    RunFile result;
    complete_from_text(json, folder, kept_config(kept), result);
    auto& config = result.config = parse_run_config(json);
    for (const auto& [key, file] : path_keys(config)) *file = absolute_beside(*file, folder);
    auto& data = config.data;
    const auto is_open = [&](const char* key) { return !json.contains("data") || !json["data"].contains(key); };
    const auto texts = data.training_texts();
    const auto first = texts.empty() ? TextFiles() : texts.front();
    if (is_open("source_language")) data.source_language = language_of_file(first.source);
    if (is_open("target_language")) data.target_language = language_of_file(first.target);
    return result;
  } catch (const UsageError& error) {
    throw UsageError(where + error.what());
  }
}

RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder) {
  return read_run_file({.path = path, .overrides = overrides, .run_folder = run_folder}).config;
}

std::vector<std::string> chosen_lines(const std::vector<ChosenDefault>& defaults, const TextSize& text) {
  if (defaults.empty()) return {};
  std::vector<std::string> lines{"values chosen for " + counted(text.pairs, "sentence pair") + ", " +
                                 counted(text.words, "word") + " (a run file or --set KEY=VALUE can set others):"};
  std::string section, reason;
  const auto end_line = [&] {
    if (lines.size() > 1) lines.back() += ": " + reason;
  };
  for (const auto& chosen : defaults) {
    const bool has_same_reason = chosen.reason == reason && section_of(chosen.key) == section;
    if (!has_same_reason) {
      end_line();
      lines.push_back("  " + chosen.key);
    } else {
      lines.back() += ", " + name_of(chosen.key);
    }
    lines.back() += ' ' + value_text(chosen.value);
    section = section_of(chosen.key);
    reason = chosen.reason;
  }
  end_line();
  return lines;
}

}  // namespace gloss
