#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_check.h"
#include "run/config/run_config.h"

namespace gloss {

/// Two aligned texts and their use in training.
struct DataSet {
  enum class Use { kTraining, kValidation, kTest };
  Use use = Use::kTraining;
  std::filesystem::path source, target, alignment = {};
};
std::string use_name(DataSet::Use use);  ///< "training", "validation", "test"

/// A problem of a set.
struct Finding {
  std::string kind;     ///< one word for programs: "repeated"
  std::string side;     ///< "source", "target", or "" for the pair
  std::string message;  ///< what `lines` counts, or the whole message if `refused`
  NotedLines lines = {};
  bool refused = false;  ///< training would end before its first step
};

/// The result for one set.
struct SetCheck {
  DataSet set;
  std::optional<CorpusCheck> corpus;  ///< absent if the texts cannot be read
  std::vector<Finding> findings;
};

/// The results for all sets.
struct DataCheck {
  std::vector<SetCheck> sets;
  bool in_pieces = false;  ///< units are pieces; otherwise words

  /// Returns whether training would accept the sets.
  bool usable() const;
};

/// Options of check_data.
struct DataCheckOptions {
  std::vector<DataSet> sets = {};
  std::shared_ptr<const Tokenizer> source_tokenizer = {}, target_tokenizer = {};  ///< both set or both null
  std::int64_t max_length = 256;
  std::optional<double> max_ratio = {};        ///< ratio of lengths above which a pair is reported
  PairFilters filters = {};                    ///< of the training texts
  std::optional<RepeatedPairs> repeated = {};  ///< finds repetitions in the training texts; absent: no pair is skipped
  Normalization normalization = Normalization::kNmtNfkc;  ///< of tokenizers that are not trained yet

  /// A file of training.initial_embeddings.
  struct Embeddings {
    std::filesystem::path path;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null: only the lines are checked
  };
  std::vector<Embeddings> embeddings = {};
  std::int64_t embedding_width = 0;
};

/// Returns the options for a run file: its sets, data.max_length, filters of pairs, initial embeddings, and the
/// tokenizers of tokenizer.model_file or training.start_from, if any. Throws UsageError if it names no training text,
/// and as configured_tokenizers.
DataCheckOptions data_check_options(const RunConfig& config);

/// Checks every set, the training text last, so that it can be compared with the others. Throws IoError, and UsageError
/// if a file is a pipe or a device.
DataCheck check_data(const DataCheckOptions& options);

Json to_json(const DataCheck& check);

}  // namespace gloss
