#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/files/atomic_file.h"
#include "common/files/file_stamp.h"
#include "data/hold_out.h"
#include "data/parallel_corpus.h"
#include "pipeline/run/run_config.h"
#include "pipeline/run/run_folder.h"
#include "pipeline/run/text_hash.h"
#include "pipeline/run/training_texts.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The training data of a run as ids, in a file of its folder (corpus.cache), so that another start need not encode the
/// texts again. The file is good for the texts (by SHA-256), the tokenizers, data.max_length and the version of the
/// program that it names; of others, or where it is damaged, it is made again.
class CorpusCache {
 public:
  using Tokenizers = std::map<std::string, std::shared_ptr<const Tokenizer>>;

  /// Opens the file in the folder and compares the texts with those that it was made of. Reads the texts where there is
  /// such a file but their stamps have changed since the last start. `texts`: the texts of the run, by default new
  /// ones. Throws as TrainingTexts::scan.
  CorpusCache(const RunConfig& config, const RunFolder& folder, std::shared_ptr<TrainingTexts> texts = nullptr);

  /// True where the file is whole and was made of these texts by this version of the program, which checked them.
  bool knows_texts() const { return cached_.has_value(); }
  TrainingTexts& texts() const { return *texts_; }
  /// The SHA-256 of the tokenizer that training under this name would give again; empty: unknown.
  std::string known_tokenizer(const std::string& name) const;

  /// Takes the ids from the file, or encodes the texts on `threads` threads into a file without a name. `held_out`: the
  /// pairs to leave out; required where data.hold_out is set. Throws as encode_corpus, IoError, and Stopped where a
  /// signal asks for an end.
  void load(const Tokenizers& by_name, const Tokenizer& source, const Tokenizer& target, int threads,
            const HoldOut* held_out = nullptr);
  const ParallelCorpus& corpus() const { return *corpus_; }
  /// Names the file that `load` made. Where the texts were changed meanwhile, warns and keeps nothing. Throws IoError.
  void keep();

 private:
  TextHash known_or_scanned(const std::filesystem::path& path, const std::string& side) const;
  Json key(const Json& tokenizers) const;
  void encode(const Json& key, const Tokenizer& source, const Tokenizer& target, int threads, const HoldOut* held_out);

  const RunConfig* config_;
  std::shared_ptr<TrainingTexts> texts_;
  std::filesystem::path corpus_file_, texts_file_;
  TextHash source_, target_;
  std::string kept_texts_;                       ///< the contents of texts_file_
  std::optional<ParallelCorpus> cached_;         ///< of these texts
  FileStamp source_at_start_, target_at_start_;  ///< a tokenizer may be trained on the texts before they are encoded
  std::optional<ParallelCorpus> corpus_;
  std::unique_ptr<AtomicFile> made_;
};

}  // namespace gloss
