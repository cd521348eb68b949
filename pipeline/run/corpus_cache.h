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
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The training data of a run as ids, in a file of its folder (corpus.cache), so that another start need not encode the
/// texts again. The file is good for the texts (by SHA-256), the tokenizers, data.max_length and the version of the
/// program that it names; of others, or where it is damaged, it is made again.
class CorpusCache {
 public:
  using Tokenizers = std::map<std::string, std::shared_ptr<const Tokenizer>>;

  /// Finds out what the folder holds and which texts they are; they are read where their file stamps are not those of
  /// the last start. Throws as TextHash::of.
  CorpusCache(const RunConfig& config, const RunFolder& folder);

  /// The file is whole, and made of these very texts by this version of the program: they were looked at then.
  bool knows_texts() const { return cached_.has_value(); }
  /// The SHA-256 of the tokenizer that training one of that name would give once more; empty: not known.
  std::string known_tokenizer(const std::string& name) const;

  /// Takes the ids from the file, or encodes the texts on so many threads into one that has no name yet, without the
  /// pairs of `held_out`, which must be there where data.hold_out is set. Throws as encode_corpus, IoError, and Stopped
  /// where a signal asks for an end.
  void load(const Tokenizers& by_name, const Tokenizer& source, const Tokenizer& target, int threads,
            const HoldOut* held_out = nullptr);
  const ParallelCorpus& corpus() const { return *corpus_; }
  /// Gives what `load` made its name in the folder, unless the texts were changed meanwhile, which is warned of. Throws
  /// IoError.
  void keep();

 private:
  Json key(const Json& tokenizers) const;
  void encode(const Json& key, const Tokenizer& source, const Tokenizer& target, int threads, const HoldOut* held_out);

  const RunConfig* config_;
  std::filesystem::path corpus_file_, texts_file_;
  TextHash source_, target_;
  std::string kept_texts_;                       ///< what the folder has as texts_file_
  std::optional<ParallelCorpus> cached_;         ///< of these texts
  FileStamp source_at_start_, target_at_start_;  ///< a tokenizer may be trained on the texts before they are encoded
  std::optional<ParallelCorpus> corpus_;
  std::unique_ptr<AtomicFile> made_;
};

}  // namespace gloss
