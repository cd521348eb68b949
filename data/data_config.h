#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"
#include "data/aligned_reader.h"
#include "data/pair_verdict.h"
#include "data/training_stage.h"

namespace gloss {

/// Probabilities of the changes that training makes to a pair; 0: never.
struct AugmentationConfig {
  double upper_case = 0, title_case = 0;  ///< both sides; title: a capital for each word
  double lower_case = 0;                  ///< the source; the target stays
  double no_end_mark = 0;                 ///< both sides without the marks at their ends
  double typos = 0;                       ///< one to three typing errors in the source
  double placeholders = 0;                ///< one to three made-up placeholders in both sides

  double cases() const { return upper_case + title_case + lower_case; }
  bool is_on() const { return cases() + no_end_mark + typos + placeholders > 0; }
};

/// The section `data` of the run file. Paths are as the file spells them; run/config resolves them against its folder.
struct DataConfig {
  std::string train_source, train_target;
  std::string train_alignment;                   ///< links between the pieces of each pair (data/links.h); optional
  std::vector<TrainingStage> stages;             ///< in place of the keys above
  std::string valid_source, valid_target;        ///< optional, both or neither
  std::string test_source, test_target;          ///< optional, both or neither
  std::string source_language, target_language;  ///< language tags (common/text/language_tag.h); empty: unknown
  std::int64_t max_length = 256;                 ///< pieces and eos; a longer pair is left out of training
  PairFilters filters;                           ///< of training pairs; other texts are not filtered
  std::int64_t batch_tokens = 4096;              ///< max(source, target) positions times sentences, padding included
  /// Validates on pairs of the training text, which are left out of training (data/hold_out.h).
  bool hold_out = false;

  double subword_sampling = 0;      ///< bpe: share of merges left out; unigram: alpha; 0: the best pieces
  AugmentationConfig augmentation;  ///< of training pairs; other texts stay

  /// Returns the stages, or one stage of one text for train_source. Empty if no key names a text.
  std::vector<TrainingStage> training_stages() const;
  /// Returns the texts of all stages, each once, in the order of their first use.
  std::vector<TextFiles> training_texts() const;
  /// Returns the judge of repetitions in training_texts(), without pairs; absent if they are not skipped.
  std::optional<RepeatedPairs> repeated_pairs() const;
  /// Returns whether the run has a validation set.
  bool validates() const { return hold_out || !valid_source.empty(); }
  /// Returns whether a training text has an alignment.
  bool has_alignment() const;

  /// Throws UsageError naming the key if a value is wrong.
  void validate() const;
};

/// Returns the declarations of the section's keys.
const Settings<DataConfig>& data_settings();

/// Reads the section. Throws UsageError if a key is unknown or of the wrong type; validate() checks ranges.
DataConfig read_data_config(ConfigSection section);
Json to_json(const DataConfig& config);

}  // namespace gloss
