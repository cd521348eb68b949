#include "pipeline/run/run_config.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "common/config/settings.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_kind.h"
#include "common/log.h"
#include "common/special_ids.h"
#include "common/system/stop.h"
#include "data/language_tag.h"
#include "model/storage/parameter_shapes.h"
#include "pipeline/run/start_model.h"
#include "training/freeze.h"

namespace gloss {
namespace {

constexpr std::size_t kLargestRunFile = 1 << 20;
constexpr std::array kDefaultsNames = {std::pair{std::string_view("fixed"), DefaultsKind::kFixed},
                                       std::pair{std::string_view("text"), DefaultsKind::kText}};

/// Every text of a run file that names a file of the user's.
std::vector<std::string*> paths_of(RunConfig& config) {
  auto paths = tokenizer_settings().paths(config.tokenizer);
  for (auto* path : data_settings().paths(config.data)) paths.push_back(path);
  for (auto* path : training_settings().paths(config.training)) paths.push_back(path);
  return paths;
}

/// Puts "a.b=value" at json["a"]["b"].
void apply_override(Json& json, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--set " + printable(text) + ": wanted key=value, such as training.max_steps=100");
  const auto key = text.substr(0, equals), value = text.substr(equals + 1);
  Json* place = &json;
  for (std::size_t begin = 0; begin <= key.size();) {
    const auto end = std::min(key.find('.', begin), key.size());
    if (!place->is_object())
      throw UsageError("--set " + printable(key) + ": " + printable(key.substr(0, begin - 1)) + " is no section");
    place = &(*place)[key.substr(begin, end - begin)];
    if (place->is_null() && end < key.size()) *place = Json::object();
    begin = end + 1;
  }
  try {
    *place = parse_json(value);
  } catch (const std::invalid_argument&) {
    *place = value;
  }
}

std::string absolute_beside(const std::string& path, const std::filesystem::path& folder) {
  return path.empty() ? path : (folder / path).lexically_normal().string();
}

/// Throws UsageError where it is no JSON, or none of objects.
Json read_json(const std::filesystem::path& path) {
  const auto where = printable(path.string()) + ": ";
  std::string text;
  Json json;
  try {
    text = read_file(path, kLargestRunFile);
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

/// Where the run starts from a model, what the run file leaves to that. `kept`: the configuration of the run that goes
/// on.
void complete_from_start_model(Json& json, const std::filesystem::path& folder, const std::filesystem::path& kept) {
  if (!json.contains("training") || !json["training"].is_object()) return;
  const auto start_from = json["training"].find("start_from");
  if (start_from == json["training"].end() || !start_from->is_string()) return;
  const auto path = start_from->get<std::string>();
  if (path.empty() || path.find('\0') != path.npos) return;
  const auto model = absolute_beside(path, folder);
  const bool is_gone = !std::filesystem::exists(start_model_file(model)) && std::filesystem::exists(kept);
  complete_from(is_gone ? parse_run_config(read_json(kept)) : config_of_start_model(model), json);
}

/// Types and names of keys are checked, ranges are not.
RunConfig read_sections(const Json& json) {
  RunConfig config;
  ConfigSection file(json, "");
  top_settings().read_into(config, file);
  config.tokenizer = read_tokenizer_config(file.section("tokenizer"));
  config.data = read_data_config(file.section("data"));
  config.model = read_model_config(file.section("model"));
  config.training = read_training_config(file.section("training"));
  config.decoding = read_decoding_config(file.section("decoding"));
  config.evaluation = read_evaluation_config(file.section("evaluation"));
  file.finish();
  return config;
}

/// `json_of(settings, values)` of the keys outside of sections and of each section.
template <typename JsonOf>
Json join(const RunConfig& config, JsonOf json_of) {
  Json json = json_of(top_settings(), config);
  json["tokenizer"] = json_of(tokenizer_settings(), config.tokenizer);
  json["data"] = json_of(data_settings(), config.data);
  json["model"] = json_of(model_settings(), config.model);
  json["training"] = json_of(training_settings(), config.training);
  json["decoding"] = json_of(decoding_settings(), config.decoding);
  json["evaluation"] = json_of(evaluation_settings(), config.evaluation);
  return json;
}

/// The configuration that a run left in its folder; null where there is none that can be read.
Json kept_config(const std::filesystem::path& file) {
  try {
    return !file.empty() && std::filesystem::is_regular_file(file) ? read_json(file) : Json();
  } catch (const Error&) {
    return {};
  }
}

/// Absent where the texts cannot be read or have no pairs.
std::optional<TextSize> training_text_size(const DataConfig& data, const std::filesystem::path& folder) {
  if (data.train_source.empty() || data.train_target.empty()) return std::nullopt;
  try {
    const auto size = measure_texts(absolute_beside(data.train_source, folder),
                                    absolute_beside(data.train_target, folder), stop_where_requested);
    return size.pairs > 0 ? std::optional(size) : std::nullopt;
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Fills in the keys whose defaults depend on the text, unless the run file sets the fixed ones or the run starts from
/// a model. A run that is resumed keeps its kind of defaults; those of runs before there was a choice were fixed.
void complete_from_text(Json& json, const std::filesystem::path& folder, const Json& kept, RunFile& result) {
  const auto config = read_sections(json);
  if (!json.contains("defaults")) {
    const bool is_fixed =
        !config.training.start_from.empty() || (kept.is_object() && kept.value("defaults", Json()) != "text");
    json["defaults"] = is_fixed ? "fixed" : "text";
  }
  if (json["defaults"] == "fixed") return;
  if (!config.training.start_from.empty())
    throw UsageError(
        "defaults: wanted \"fixed\" beside training.start_from, whose model gives the values, got \"text\"");
  if (kept.is_object()) complete_from_kept(json, kept);
  if (!has_open_defaults(json)) return;
  const auto size = training_text_size(config.data, folder);
  if (!size) return;
  result.text = *size;
  result.chosen = complete_defaults(json, *size);
}

void set_data_files(Json& json, const RunFileSource& source) {
  if (source.data_files.empty()) return;
  auto& data = json["data"];
  if (data.is_null()) data = Json::object();
  if (!data.is_object()) return;  // refused where it is read
  for (const auto& [key, file] : source.data_files) data[key] = std::filesystem::absolute(file).string();
}

void expect_parts(const ModelConfig& model, const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (const auto& [name, shape] : parameter_shapes(model, {kSpecialIds, kSpecialIds})) names.push_back(name);
  frozen_parameters(parts, names);
}

}  // namespace

const Settings<RunConfig>& top_settings() {
  static const Settings<RunConfig> settings(
      "", {{field(&RunConfig::seed),
            {.key = "seed",
             .help = "every random number of a run is a function of it",
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

void RunConfig::validate() const {
  top_settings().validate(*this);
  tokenizer.validate();
  data.validate();
  model.validate();
  training.validate();
  decoding.validate();
  if (!tokenizer.joint && model.tie_embeddings == TieEmbeddings::kAll)
    throw UsageError(
        "model.tie_embeddings: all needs one vocabulary for both languages; set it to decoder or none, or "
        "tokenizer.joint to true");
  if (!tokenizer.joint && !tokenizer.model_file.empty())
    throw UsageError("tokenizer.model_file: names one model; it goes with tokenizer.joint true only");
  if (tokenizer.type == TokenizerType::kChar && tokenizer.model_file.empty())
    require(data.subword_sampling == 0, "data.subword_sampling", {"0, since ", Key{"tokenizer.type"}, " is char"},
            data.subword_sampling);
  if (model.positions == Positions::kLearned) {
    require(data.max_length <= model.max_positions, "data.max_length",
            "at most model.max_positions (" + std::to_string(model.max_positions) + ")", data.max_length);
    require(decoding.max_length <= model.max_positions || decoding.min_length < model.max_positions,
            "decoding.min_length", "less than model.max_positions (" + std::to_string(model.max_positions) + ")",
            decoding.min_length);
  }
  if (training.early_stop.patience > 0 && !data.train_source.empty())
    require(data.validates(), "data.valid_source", "validation data, which training.early_stop needs",
            data.valid_source);
  if (!training.freeze.empty()) expect_parts(model, training.freeze);
}

RunConfig parse_run_config(const Json& json) {
  auto config = read_sections(json);
  config.validate();
  return config;
}

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
    for (auto* file : paths_of(config)) *file = absolute_beside(*file, folder);
    auto& data = config.data;
    const auto is_open = [&](const char* key) { return !json.contains("data") || !json["data"].contains(key); };
    if (is_open("source_language")) data.source_language = language_of_file(data.train_source);
    if (is_open("target_language")) data.target_language = language_of_file(data.train_target);
    return result;
  } catch (const UsageError& error) {
    throw UsageError(where + error.what());
  }
}

RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder) {
  return read_run_file({.path = path, .overrides = overrides, .run_folder = run_folder}).config;
}

std::vector<SectionSettings> run_settings() {
  return {{"", top_settings().list()},
          {"tokenizer", tokenizer_settings().list()},
          {"data", data_settings().list()},
          {"model", model_settings().list()},
          {"training", training_settings().list()},
          {"decoding", decoding_settings().list()},
          {"evaluation", evaluation_settings().list()}};
}

Json to_json(const RunConfig& config) {
  return join(config, [](const auto& settings, const auto& values) { return settings.to_json(values); });
}

Json to_portable_json(const RunConfig& config) {
  return join(config, [](const auto& settings, const auto& values) { return settings.to_portable_json(values); });
}

Json settings_identity(const RunConfig& config) {
  auto json = join(config, [](const auto& settings, const auto& values) { return settings.identity(values); });
  if (!config.data.validates()) {
    json.erase("decoding");
    json.erase("evaluation");
  }
  Json identity = Json::object();
  for (const auto& [section, value] : json.items()) {
    if (!value.is_object())
      identity[section] = value;
    else
      for (const auto& [key, setting] : value.items()) identity[section + "." + key] = setting;
  }
  return identity;
}

}  // namespace gloss
