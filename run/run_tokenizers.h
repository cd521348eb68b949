#pragma once

#include <map>
#include <memory>
#include <string>

#include "run/config/run_config.h"
#include "run/corpus_cache.h"
#include "run/run_folder.h"
#include "tokenizer/tokenizer.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// The tokenizers of a run, by their names in run folders and model files: "tokenizer.model" if joint, otherwise
/// "source_tokenizer.model" and "target_tokenizer.model".
class RunTokenizers {
 public:
  /// Takes the tokenizers from the first source that has them:
  /// - `given`: bytes by name;
  /// - the file that the run file names;
  /// - the run folder, if a checkpoint is resumed (also if the named file is missing), or if training would produce the
  ///   same tokenizer again (CorpusCache::known_tokenizer);
  /// - training on the training texts.
  ///
  /// Throws DataError if a named file is missing, UsageError as with_tags, if a named file lacks one of
  /// tokenizer.symbols, or if tokenizer.shared_ids is set for tokenizers that are trained, and as train_tokenizer.
  RunTokenizers(const RunConfig& config, const RunFolder& folder, const CorpusCache& cache,
                const std::map<std::string, std::string>& given = {});
  RunTokenizers(const RunConfig& config, const RunFolder& folder)
      : RunTokenizers(config, folder, CorpusCache(config, folder)) {}

  /// Return the tokenizers with the language tags of tokenizer.source_tag and target_tag.
  const std::shared_ptr<const Tokenizer>& source() const { return tagged_.first; }
  const std::shared_ptr<const Tokenizer>& target() const { return tagged_.second; }
  /// Returns the tokenizers without tags.
  const std::map<std::string, std::shared_ptr<const Tokenizer>>& by_name() const { return by_name_; }
  Vocabularies vocabularies() const { return {source()->vocabulary_size(), target()->vocabulary_size()}; }

  /// Writes the tokenizers into the run folder.
  void save(const RunFolder& folder) const;

 private:
  std::map<std::string, std::shared_ptr<const Tokenizer>> by_name_;
  TokenizerPair tagged_;
};

}  // namespace gloss
