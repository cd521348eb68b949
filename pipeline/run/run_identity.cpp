#include "pipeline/run/run_identity.h"

#include "common/files/sha256.h"

namespace gloss {
namespace {

// An option that stands at its default is left out, so that runs from before there was one can be resumed.
Json settings_of_greedy_search(const DecodingConfig& config) {
  Json settings = {{"max_length", config.max_length}, {"min_length", config.min_length}};
  const auto all = to_json(config), usual = to_json(DecodingConfig{});
  for (const auto* key : {"no_repeat_ngram", "repetition_penalty", "no_unk"})
    if (all[key] != usual[key]) settings[key] = all[key];
  return settings;
}

}  // namespace

Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator) {
  auto identity = settings_identity(config);
  identity["training corpus"] = corpus.hash();
  if (validator) identity["validation set"] = validator->hash();
  for (const auto& [name, tokenizer] : tokenizers.by_name()) identity[name] = sha256(tokenizer->serialized());
  return identity;
}

Json settings_identity(const RunConfig& config) {
  auto settings = to_portable_json(config);
  settings.erase("defaults");
  for (const auto* key : {"source_language", "target_language"}) settings["data"].erase(key);
  if (!config.data.hold_out) settings["data"].erase("hold_out");
  auto& training = settings["training"];
  for (const auto* key : {"max_steps", "max_epochs", "max_hours", "validate_every", "save_every", "keep_checkpoints"})
    training.erase(key);
  training["early_stop"].erase("patience");
  if (config.training.freeze.empty()) training.erase("freeze");
  settings.erase("decoding");
  if (!config.data.validates()) settings.erase("evaluation");
  if (config.data.validates()) settings["decoding"] = settings_of_greedy_search(config.decoding);

  Json identity = Json::object();
  for (const auto& [section, value] : settings.items()) {
    if (!value.is_object())
      identity[section] = value;
    else
      for (const auto& [key, setting] : value.items()) identity[section + "." + key] = setting;
  }
  return identity;
}

}  // namespace gloss
