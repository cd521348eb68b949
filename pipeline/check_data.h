#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_check.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Two aligned texts, and what they are for.
struct DataSet {
  enum class Use { kTraining, kValidation, kTest };
  Use use = Use::kTraining;
  std::filesystem::path source, target;
};
std::string use_name(DataSet::Use use);  ///< "training", "validation", "test"

/// One thing that is odd, or wrong, about a set.
struct Finding {
  std::string kind;     ///< one word for programs: "repeated"
  std::string side;     ///< "source", "target", or "" for the pair
  std::string message;  ///< what there are so many of; of what is refused, all that is to be said
  NotedLines lines = {};
  bool refused = false;  ///< training would end before its first step
};

struct SetCheck {
  DataSet set;
  std::optional<CorpusCheck> corpus;  ///< none where the texts cannot be read
  std::vector<Finding> findings;
};

struct DataCheck {
  std::vector<SetCheck> sets;
  bool in_pieces = false;  ///< units are pieces, else words

  bool usable() const;
};

struct DataCheckOptions {
  std::vector<DataSet> sets = {};
  std::shared_ptr<const Tokenizer> source_tokenizer = {}, target_tokenizer = {};  ///< both or none
  std::int64_t max_length = 256;
  std::optional<double> max_ratio = {};
  Normalization normalization = Normalization::kNmtNfkc;  ///< of the tokenizers that are yet to be trained

  /// A file of training.initial_embeddings.
  struct Embeddings {
    std::filesystem::path path;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null: its lines alone are checked
  };
  std::vector<Embeddings> embeddings = {};
  std::int64_t embedding_width = 0;
};

/// The sets that a run file names, its data.max_length and initial embeddings, and the tokenizers of
/// tokenizer.model_file or training.start_from, if there are such. Throws UsageError where it names no training text,
/// and as the tokenizers.
DataCheckOptions data_check_options(const RunConfig& config);

/// Looks at every set, the training text last, so that it can be compared with the others. Throws IoError, and
/// UsageError where a file is a pipe or a device.
DataCheck check_data(const DataCheckOptions& options);

Json to_json(const DataCheck& check);

}  // namespace gloss
