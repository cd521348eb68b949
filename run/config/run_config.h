#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/settings.h"
#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "evaluation/scoring/evaluation_config.h"
#include "model/model_config.h"
#include "tokenizer/tokenizer_config.h"
#include "training/training_config.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// Section `lens` of the run file: sentences that each validation translates and shows. They have no effect on the
/// weights.
struct LensConfig {
  static constexpr std::size_t kMaxSentences = 20;

  std::vector<std::string> sentences;  ///< of the source language

  /// Checks the sentences. Throws UsageError naming the key if one is empty or there are too many.
  void validate() const;
};
/// Returns the declarations of the section's keys.
const Settings<LensConfig>& lens_settings();

/// Source of the values of open keys: kText chooses some of them from the size of the training text.
enum class DefaultsKind { kFixed, kText };

/// A run file. The result of train-translate is a function of it and of the files that it names.
struct RunConfig {
  std::int64_t seed = 1;
  DefaultsKind defaults = DefaultsKind::kFixed;
  TokenizerConfig tokenizer;
  DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  DecodingConfig decoding;
  EvaluationConfig evaluation;
  LensConfig lens;
  bool plain = false;  ///< the option --plain, not a key: training and translating use plain passes (Pass::plain)

  /// Returns whether the run trains its tokenizers. Otherwise they come from tokenizer.model_file or the start model.
  bool trains_tokenizer() const { return tokenizer.model_file.empty() && training.start_from.empty(); }

  /// Returns the head that learns the alignments of the training texts; of weight 0 without them. Throws UsageError
  /// naming the key if the model has no such head.
  GuidedAlignment guided_alignment() const;
  /// Returns the settings that decide translations.
  TranslatorConfig translator() const;
  /// Checks each section and the rules between sections. Throws UsageError naming the key.
  void validate() const;
};

/// Reads the sections of a run file. Open keys get the fixed defaults. Names and types of keys are checked, ranges are
/// not. Throws UsageError naming the key.
RunConfig read_sections(const Json& json);
/// Reads the sections and validates them. Paths are unchanged. Throws UsageError naming the key.
RunConfig parse_run_config(const Json& json);
/// Returns all keys of a run file whose values are paths.
std::vector<PathKey> path_keys(RunConfig& config);

/// Returns the declarations of the keys outside of sections.
const Settings<RunConfig>& top_settings();
/// The declarations of a section's keys; `name` is empty for the keys outside of sections.
struct SectionSettings {
  std::string_view name;
  std::span<const Setting> settings;
};
/// Returns every key of a run file, in the order of configs/README.md.
std::vector<SectionSettings> run_settings();
/// Returns the key that `name` may mean; absent if there is none. It is the first key of any section whose last part is
/// equal, else similar, else has these words, else these initials. A name may be dotted, or spelled as an option
/// without its dashes.
///
///     similar_key("model.batch_tokens")  // "data.batch_tokens"
///     similar_key("epochs")              // "training.max_epochs"
///     similar_key("lr")                  // "training.learning_rate"
std::optional<std::string> similar_key(std::string_view name);

/// Returns every key with its value, defaults filled in.
Json to_json(const RunConfig& config);
/// Returns the JSON that a model file stores. It leaves out the user's paths, `data.stages`, which belongs to them, and
/// `lens`, which has no effect on the model.
Json to_portable_json(const RunConfig& config);
/// Returns the settings that must be equal to resume a run, by dotted key (Setting::identity). The keys of decoding and
/// evaluation count only if there is a validation set, since they decide which checkpoint is the best.
Json settings_identity(const RunConfig& config);

}  // namespace gloss
