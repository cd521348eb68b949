#include "run/config/run_config.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "common/config/settings.h"
#include "common/error.h"
#include "common/special_ids.h"
#include "common/text/printable.h"
#include "model/weights.h"
#include "training/freeze.h"
#include "translation/alignment.h"

namespace gloss {
namespace {

constexpr int kMaxCompared = 10;  // unknown keys of a section

/// Throws UsageError for an unknown key that resembles no key of its section but one of another section. The sections
/// themselves refuse other unknown keys.
void expect_no_misplaced_keys(const Json& json) {
  const auto sections = run_settings();
  const auto names_of = [&](std::string_view section) {
    std::vector<std::string> names;
    for (const auto& [name, settings] : sections) {
      if (name == section)
        for (const auto& setting : settings) names.emplace_back(setting.key.substr(0, setting.key.find('.')));
      if (section.empty() && !name.empty()) names.emplace_back(name);
    }
    return names;
  };
  const auto check = [&](const std::string& section, const Json& object) {
    if (!object.is_object()) return;
    const auto known = names_of(section);
    int unknown = 0;  // a comparison with all names of gloss takes long; the section refuses the other keys
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) != known.end() || unknown++ >= kMaxCompared || nearest_name(key, known))
        continue;
      if (const auto similar = similar_key(key))
        throw UsageError(printable(section.empty() ? key : section + '.' + key) + ": unknown key; did you mean \"" +
                         *similar + "\"?");
    }
  };
  check("", json);
  for (const auto& [name, settings] : sections)
    if (!name.empty() && json.is_object() && json.contains(name)) check(std::string(name), json[std::string(name)]);
}

/// Returns json_of(settings, values) for the keys outside of sections and for each section.
template <typename JsonOf>
Json join(const RunConfig& config, JsonOf json_of) {
  Json json = json_of(top_settings(), config);
  json["tokenizer"] = json_of(tokenizer_settings(), config.tokenizer);
  json["data"] = json_of(data_settings(), config.data);
  json["model"] = json_of(model_settings(), config.model);
  json["training"] = json_of(training_settings(), config.training);
  json["decoding"] = json_of(decoding_settings(), config.decoding);
  json["evaluation"] = json_of(evaluation_settings(), config.evaluation);
  json["lens"] = json_of(lens_settings(), config.lens);
  return json;
}

void expect_parts(const ModelConfig& model, const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (const auto& [name, weight] : network_weights(model, {kSpecialIds, kSpecialIds})) names.push_back(name);
  frozen_parameters(parts, names);
}

}  // namespace

void LensConfig::validate() const {
  const auto key = lens_settings().at("sentences").name();
  require(sentences.size() <= kMaxSentences, key, "at most " + std::to_string(kMaxSentences) + " sentences",
          sentences.size());
  require(std::ranges::none_of(sentences, &std::string::empty), key, "sentences that are not empty", sentences);
}

GuidedAlignment RunConfig::guided_alignment() const {
  if (!data.has_alignment() || training.guided_alignment == 0) return {};
  constexpr const char* kKey = "training.guided_alignment_head";
  require(model.is_transformer(), kKey, "a transformer, whose attention has heads", to_json(model)["architecture"]);
  const auto& name = training.guided_alignment_head;
  const auto site = name.empty() ? AttentionSite{.head = 0} : parse_attention_site(name, model, kKey);
  require(site.head.has_value(), kKey, "one head, such as decoder.0.cross.0", name);
  return {training.guided_alignment, site.layer.value_or(model.decoder_layers - 1), *site.head};
}

TranslatorConfig RunConfig::translator() const {
  return {tokenizer, model, decoding, {data.source_language, data.target_language}, data.max_length};
}

void RunConfig::validate() const {
  top_settings().validate(*this);
  data.validate();
  translator().validate();
  training.validate();
  lens.validate();
  if (!tokenizer.joint && !tokenizer.model_file.empty())
    throw UsageError("tokenizer.model_file: names one model; it goes with tokenizer.joint true only");
  if (tokenizer.type == TokenizerType::kChar && tokenizer.model_file.empty())
    require(data.subword_sampling == 0, "data.subword_sampling", {"0, since ", Key{"tokenizer.type"}, " is char"},
            data.subword_sampling);
  require(!data.has_alignment() || !trains_tokenizer(), "data.train_alignment",
          {"no links unless ", Key{"tokenizer.model_file"}, " or ", Key{"training.start_from"},
           " names the tokenizer whose pieces they join"},
          data.train_alignment);
  guided_alignment();  // throws
  if (const auto limit = model.position_limit())
    require(data.max_length <= *limit, "data.max_length",
            "at most model.max_positions (" + std::to_string(*limit) + ")", data.max_length);
  if (training.early_stop.patience > 0 && !data.training_texts().empty())
    require(data.validates(), "data.valid_source", "validation data, which training.early_stop needs",
            data.valid_source);
  if (!training.freeze.empty()) expect_parts(model, training.freeze);
}

RunConfig read_sections(const Json& json) {
  expect_no_misplaced_keys(json);
  RunConfig config;
  ConfigSection file(json, "");
  top_settings().read_into(config, file);
  config.tokenizer = read_tokenizer_config(file.section("tokenizer"));
  config.data = read_data_config(file.section("data"));
  config.model = read_model_config(file.section("model"));
  config.training = read_training_config(file.section("training"));
  config.decoding = read_decoding_config(file.section("decoding"));
  config.evaluation = read_evaluation_config(file.section("evaluation"));
  config.lens = lens_settings().read(file.section("lens"));
  file.finish();
  return config;
}

RunConfig parse_run_config(const Json& json) {
  auto config = read_sections(json);
  config.validate();
  return config;
}

std::vector<PathKey> path_keys(RunConfig& config) {
  auto keys = data_settings().paths(config.data);
  std::ranges::move(tokenizer_settings().paths(config.tokenizer), std::back_inserter(keys));
  std::ranges::move(training_settings().paths(config.training), std::back_inserter(keys));
  return keys;
}

Json to_json(const RunConfig& config) {
  return join(config, [](const auto& settings, const auto& values) { return settings.to_json(values); });
}

Json to_portable_json(const RunConfig& config) {
  auto json = join(config, [](const auto& settings, const auto& values) { return settings.to_portable_json(values); });
  json.erase("lens");
  json["data"].erase("stages");
  return json;
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
