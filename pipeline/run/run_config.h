#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/settings.h"
#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "evaluation/evaluation_config.h"
#include "model/model_config.h"
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

/// Reads the sections of a run file. Open keys get the fixed defaults. Names and types of keys are checked, ranges are
/// not. Throws UsageError naming the key.
RunConfig read_sections(const Json& json);

/// The same with ranges checked; paths stay as they are.
RunConfig parse_run_config(const Json& json);

/// All keys of a run file whose values are paths.
std::vector<PathKey> path_keys(RunConfig& config);

/// The declarations of the keys outside of sections.
const Settings<RunConfig>& top_settings();
/// The declarations of a section's keys; `name` is empty for the keys outside of sections.
struct SectionSettings {
  std::string_view name;
  std::span<const Setting> settings;
};
/// Every key of a run file, in the order of configs/README.md.
std::vector<SectionSettings> run_settings();
/// The key that `name` may mean: a key of another section with this last part, with a similar one, with these words, or
/// with these initials. A name may be dotted, or spelled as an option without its dashes.
///
///     similar_key("model.batch_tokens")  // "data.batch_tokens"
///     similar_key("epochs")              // "training.max_epochs"
///     similar_key("lr")                  // "training.learning_rate"
std::optional<std::string> similar_key(std::string_view name);

/// Every key with its value, defaults filled in.
Json to_json(const RunConfig& config);
/// The same without the user's paths, as a model file keeps it.
Json to_portable_json(const RunConfig& config);

/// Settings that must be equal for a run to be resumed, by dotted key (Setting::identity). Those of decoding and
/// evaluation belong to it only where there is a validation set: they decide which checkpoint is the best.
Json settings_identity(const RunConfig& config);

}  // namespace gloss
