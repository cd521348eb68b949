#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/config_section.h"
#include "data/aligned_reader.h"

namespace gloss {

/// A text of a stage of training.
struct StageText {
  std::string source, target;  ///< files, as TextFiles
  double weight = 1;           ///< how often an epoch has each pair; 0.25: a quarter of the pairs in each epoch
  std::string alignment = {};  ///< of its pieces (data/links.h); empty: none

  static constexpr double kMinWeight = 1e-6, kMaxWeight = 1000;
};

/// A part of a training run that trains on texts of its own.
struct TrainingStage {
  std::vector<StageText> sources;
  std::optional<std::int64_t> until_epochs;  ///< epochs of this stage; absent in the last, which lasts until the end
};

/// Reads `data.stages`, a list of {"sources": [{"source", "target", "alignment", "weight"}, ...], "until_epochs"}.
/// Throws UsageError if a key is unknown or of the wrong type; validate_stages() checks the rest.
std::vector<TrainingStage> read_training_stages(ConfigSection& section, std::string_view key);
Json to_json(std::span<const TrainingStage> stages);

/// Throws UsageError with the key of the first invalid stage or text, such as "data.stages[1].sources[0].weight". A
/// stage is invalid if it has no text or the same text twice, if a weight is out of range, or if it is not the last and
/// has no end.
void validate_stages(std::span<const TrainingStage> stages);

/// Returns the place of a text below the key "data.stages": "[1].sources[0]".
std::string place_of_text(std::size_t stage, std::size_t text);
/// Returns the key of a text: "data.stages[1].sources[0]".
std::string key_of_text(std::size_t stage, std::size_t text);

/// The distinct texts of stages.
struct StageTexts {
  std::vector<TextFiles> files;                    ///< in the order of their first use
  std::vector<std::vector<std::size_t>> of_stage;  ///< [stage][text]: the index in `files`
};
StageTexts texts_of(std::span<const TrainingStage> stages);

/// Returns for each text the earlier ones that some stage trains on together with it, in ascending order.
std::vector<std::vector<std::size_t>> earlier_texts_of_stages(const StageTexts& texts);

/// Returns the stages without paths: a text is the index of StageTexts::files under the key "text".
Json to_json_without_paths(std::span<const TrainingStage> stages);

}  // namespace gloss
