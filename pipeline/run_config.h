#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "evaluation/evaluation_config.h"
#include "model/model_config.h"
#include "tokenizer/tokenizer_config.h"
#include "training/training_config.h"

namespace gloss {

/// A whole run file: everything that train-translate does is a function of it and of the files it names.
struct RunConfig {
  std::int64_t seed = 1;
  TokenizerConfig tokenizer;
  DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  DecodingConfig decoding;
  EvaluationConfig evaluation;

  /// Each section's own rules and those between sections. Throws UsageError naming the key.
  void validate() const;
};

/// Reads a run file, completed from the model that it starts from, if there is one (pipeline/start_model.h);
/// `overrides` are "dotted.key=value", the value being JSON or, where it is none, a string. Relative paths, also those
/// of overrides, are taken from the run file's folder and come out absolute. Throws UsageError where the file is
/// missing, is not strict JSON, or names an unknown key or a wrong value; IoError where it cannot be read; DataError
/// and ModelError for the model to start from. Where that is gone, the file is completed from config.json in
/// `run_folder`, if that is named and has one: a run that goes on does not need the model any more.
RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder = {});

/// The same from JSON; paths as they are.
RunConfig parse_run_config(const Json& json);

/// Every key with its value, defaults filled in.
Json to_json(const RunConfig& config);
/// The same without the user's paths, as a model file keeps it.
Json to_portable_json(const RunConfig& config);

}  // namespace gloss
