#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/files/atomic_file.h"
#include "common/files/same_file.h"
#include "data/hold_out.h"
#include "data/parallel_corpus.h"
#include "data/scan_texts.h"
#include "run/config/run_config.h"
#include "run/config/training_texts.h"
#include "run/run_folder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The SHA-256 of a text file, and the file's stamp before it was read.
struct TextHash {
  std::string sha256;
  FileStamp stamp;
  bool lasting = false;  ///< the stamp was settled: the hash is valid while the file has this stamp

  /// Returns whether the hash is lasting and the file still has the stamp. This relies on the file system: device,
  /// inode, size and both times to the nanosecond. Throws IoError.
  bool is_current(const std::filesystem::path& path) const;
};

TextHash hash_of(const ScannedText& text);

Json to_json(const TextHash& hash);
/// Parses a hash; absent if `json` is not one.
std::optional<TextHash> read_text_hash(const Json& json);

/// Cache of the encoded training data of a run: the file corpus.cache in its folder. A later start does not encode the
/// texts again. The file names its texts (by SHA-256, in the order of their pairs), tokenizers, language tags,
/// data.max_length, filters of pairs and version of the program. If one of them differs, or if the file is damaged, it
/// is made again. If a text has an alignment, the file corpus.links.cache has the links of all pairs, in the same form,
/// and both are made together.
class CorpusCache {
 public:
  using Tokenizers = std::map<std::string, std::shared_ptr<const Tokenizer>>;

  /// Opens the file in the folder and compares its texts with those of the run. Reads the texts if the file exists and
  /// their stamps have changed since the last start. `texts`: the texts of the run, by default those of `config`.
  /// Throws as TrainingTexts::scan.
  CorpusCache(const RunConfig& config, const RunFolder& folder, std::shared_ptr<TrainingTexts> texts = nullptr);

  /// Returns whether the file is intact and was made of these texts by this version of the program. If so, the texts
  /// have been checked.
  bool has_texts() const { return cached_.has_value(); }
  TrainingTexts& texts() const { return *texts_; }
  /// Returns the SHA-256 of the tokenizer that training under this name would produce; empty if it is unknown.
  std::string known_tokenizer(const std::string& name) const;
  /// Takes the ids from the file, or encodes the texts on `threads` threads into an unnamed file. `held_out`: the pairs
  /// to leave out; required if data.hold_out is set. Throws as encode_corpus, IoError, and Stopped after a signal.
  void load(const Tokenizers& by_name, const Tokenizer& source, const Tokenizer& target, int threads,
            const HoldOut* held_out = nullptr);
  const ParallelCorpus& corpus() const { return *corpus_; }
  /// Gives the file of `load` its name. If the texts have changed meanwhile, warns and keeps no file. Throws IoError.
  void keep();

 private:
  /// The files of a text: their stamps before the first use, such as training a tokenizer, and their contents.
  struct TextState {
    FileStamp source_at_start, target_at_start, alignment_at_start;
    TextHash source = {}, target = {}, alignment = {};
  };

  const std::vector<TextFiles>& files() const { return texts_->files(); }
  void hash_texts();
  Json key(const Json& tokenizers) const;
  void encode(const Json& key, const Tokenizer& source, const Tokenizer& target, int threads, const HoldOut* held_out);

  const RunConfig* config_;
  std::shared_ptr<TrainingTexts> texts_;
  std::filesystem::path corpus_file_, links_file_, texts_file_;
  std::vector<TextState> states_;         ///< of files()
  std::string kept_texts_;                ///< the contents of texts_file_
  std::optional<ParallelCorpus> cached_;  ///< the file's corpus, if it is of these texts
  std::optional<ParallelCorpus> cached_links_;
  std::optional<ParallelCorpus> corpus_;
  std::unique_ptr<AtomicFile> made_, made_links_;
};

}  // namespace gloss
