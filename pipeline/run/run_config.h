#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "evaluation/evaluation_config.h"
#include "model/model_config.h"
#include "pipeline/run/text_defaults.h"
#include "tokenizer/tokenizer_config.h"
#include "training/training_config.h"

namespace gloss {

/// Where the values of open keys come from: kText chooses some of them from the size of the training text.
enum class DefaultsKind { kFixed, kText };

/// A whole run file: everything that train-translate does is a function of it and of the files it names.
struct RunConfig {
  std::int64_t seed = 1;
  DefaultsKind defaults = DefaultsKind::kFixed;
  TokenizerConfig tokenizer;
  DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  DecodingConfig decoding;
  EvaluationConfig evaluation;
  bool plain = false;  ///< no key but an option, --plain: training and translating by plain passes (Pass::plain)

  /// Each section's own rules and those between sections. Throws UsageError naming the key.
  void validate() const;
};

/// Sources of a run's configuration.
struct RunFileSource {
  std::filesystem::path path = {};  ///< the run file; empty: `data_files` and `overrides` alone
  std::span<const std::string> overrides =
      {};  ///< "dotted.key=value"; the value is JSON or, where it is none, a string
  /// Keys of `data` and their files, relative to the working directory. They replace those of the run file.
  std::span<const std::pair<std::string, std::filesystem::path>> data_files = {};
  /// Folder of a run that is resumed, or empty. Open keys whose defaults depend on the text take the values of its
  /// config.json. A run whose model to start from is gone is completed from there, too.
  std::filesystem::path run_folder = {};
  /// Folder of relative paths; by default the run file's own, without a run file the working directory.
  std::optional<std::filesystem::path> base = {};
};

struct RunFile {
  RunConfig config;
  std::vector<ChosenDefault> chosen = {};  ///< from the training text
  TextSize text = {};                      ///< that they were chosen for
};

/// Reads a run's configuration, completed from the model that it starts from, if there is one
/// (pipeline/run/start_model.h), and from the training text, which is read once where "defaults" is "text" and keys are
/// open (text_defaults.h). A training text that cannot be read leaves the fixed defaults: the run itself reports what
/// is wrong with it. Paths come out absolute. data.source_language and data.target_language are taken from the names of
/// the training files where they are open. Throws UsageError where the file is missing, is not strict JSON, or names an
/// unknown key or a wrong value; IoError where it cannot be read; DataError and ModelError for the model to start from;
/// Stopped where a signal asks for an end.
RunFile read_run_file(const RunFileSource& source);

/// The configuration alone.
RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder = {});

/// The same from JSON: open keys have the fixed defaults; paths as they are.
RunConfig parse_run_config(const Json& json);

/// The declarations of the keys outside of sections.
const Settings<RunConfig>& top_settings();
/// The declarations of a section's keys; `name` is empty for the keys outside of sections.
struct SectionSettings {
  std::string_view name;
  std::span<const Setting> settings;
};
/// Every key of a run file, in the order of configs/README.md.
std::vector<SectionSettings> run_settings();

/// Every key with its value, defaults filled in.
Json to_json(const RunConfig& config);
/// The same without the user's paths, as a model file keeps it.
Json to_portable_json(const RunConfig& config);

/// Settings that must be equal for a run to be resumed, by dotted key (Setting::identity). Those of decoding and
/// evaluation belong to it only where there is a validation set: they decide which checkpoint is the best.
Json settings_identity(const RunConfig& config);

}  // namespace gloss
