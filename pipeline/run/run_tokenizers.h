#pragma once

#include <map>
#include <memory>
#include <string>

#include "pipeline/run/corpus_cache.h"
#include "pipeline/run/run_config.h"
#include "pipeline/run/run_folder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The tokenizers of a run, by the names that run folders and model files give them: "tokenizer.model" where joint,
/// else "source_tokenizer.model" and "target_tokenizer.model".
class RunTokenizers {
 public:
  /// Those whose bytes are `given` by name; else the one that the run file names; else, where a checkpoint is resumed,
  /// those that the run folder kept, also in place of one that is named and missing; else newly trained on the training
  /// texts, unless the folder has what `cache` says that training would give once more. Throws DataError where a named
  /// file is missing, and as train_tokenizer.
  RunTokenizers(const RunConfig& config, const RunFolder& folder, const CorpusCache& cache,
                const std::map<std::string, std::string>& given = {});
  RunTokenizers(const RunConfig& config, const RunFolder& folder)
      : RunTokenizers(config, folder, CorpusCache(config, folder)) {}

  const std::shared_ptr<const Tokenizer>& source() const;
  const std::shared_ptr<const Tokenizer>& target() const;
  const std::map<std::string, std::shared_ptr<const Tokenizer>>& by_name() const { return by_name_; }
  Vocabularies vocabularies() const { return {source()->vocabulary_size(), target()->vocabulary_size()}; }

  /// Writes each into the run folder.
  void save(const RunFolder& folder) const;

 private:
  std::map<std::string, std::shared_ptr<const Tokenizer>> by_name_;
};

}  // namespace gloss
