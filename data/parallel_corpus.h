#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/files/mapped_file.h"
#include "data/aligned_reader.h"
#include "data/batch.h"
#include "data/corpus_writer.h"
#include "data/encode_corpus.h"
#include "data/pair_verdict.h"

namespace gloss {

/// Aligned sentences as ids, pieces and eos, in a mapped file (docs/file_formats.md). Memory holds only the index, 2 or
/// 4 bytes for each length, so that no read is outside the file even if the file changes. Each pair is checked by its
/// sum whenever it is read.
class ParallelCorpus {
 public:
  using Options = EncodingOptions;

  /// Encodes texts into a file in memory, one after the other. Throws as encode_corpus.
  static ParallelCorpus read(std::span<const TextFiles> texts, const Tokenizer& source_tokenizer,
                             const Tokenizer& target_tokenizer, const Options& options);
  static ParallelCorpus read(const std::filesystem::path& source, const std::filesystem::path& target,
                             const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                             const Options& options);
  /// Encodes lines in memory: line i of `targets` is the translation of line i of `sources`. The corpus may be empty.
  static ParallelCorpus of_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                                 const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                                 std::int64_t max_length);
  /// Extent of the check of a file that is opened. kWhole reads all pairs of a file of up to `kCheckedAtOnce` bytes;
  /// kIndex leaves their check to the first use, as for a file that was just written.
  enum class Check { kWhole, kIndex };
  /// Opens a corpus file; `path` is its name in messages. Throws DataError if the file is damaged.
  static ParallelCorpus open(MappedFile file, std::filesystem::path path, Check check = Check::kWhole);
  static constexpr std::uint64_t kCheckedAtOnce = std::uint64_t{1} << 30;

  std::int64_t size() const { return static_cast<std::int64_t>(layout_.pairs); }
  std::int64_t source_length(std::int64_t index) const { return length(layout_.source_lengths_at(), index); }
  std::int64_t target_length(std::int64_t index) const { return length(layout_.target_lengths_at(), index); }
  Ids source(std::int64_t index) const { return pair(index).source; }  ///< pieces and eos
  Ids target(std::int64_t index) const { return pair(index).target; }  ///< pieces and eos
  /// Returns the pairs at `indices`. Throws DataError if the file was damaged or cut short after it was opened, or has
  /// an id outside the vocabulary.
  Batch batch(std::span<const std::int64_t> indices) const;
  /// Sets the sizes of the vocabularies. All ids must be below them.
  void set_vocabularies(std::int64_t source, std::int64_t target);
  /// Adds the links of each pair to its batches: those that encode_corpus wrote to EncodingOptions::links.
  void set_links(ParallelCorpus links);
  const ParallelCorpus* links() const { return links_.get(); }  ///< null: none

  /// Returns the report of each text, in the order of their pairs. The pairs of the reports add up to size().
  const std::vector<CorpusReport>& reports() const { return reports_; }
  /// Returns the SHA-256 over the lengths and ids of all pairs, independent of their width in the file.
  const std::string& hash() const { return hash_; }
  /// Returns the key that CorpusWriter::finish got.
  const Json& key() const { return key_; }

 private:
  struct Pair {
    Ids source, target;
    std::vector<std::byte> bytes = {};  ///< as in the file
  };

  ParallelCorpus(MappedFile file, std::filesystem::path path);
  static ParallelCorpus in_memory(const Tokenizer& source, const Tokenizer& target, std::int64_t max_length,
                                  const std::function<std::vector<CorpusReport>(CorpusWriter&)>& encode);
  std::string text_at(std::uint64_t place, std::uint64_t bytes) const;
  void read_footer();
  void read_index();
  void check_pairs(Check check) const;
  const std::byte* in_index(std::uint64_t place) const { return index_.data() + (place - layout_.index_at()); }
  std::int64_t length(std::uint64_t lengths_at, std::int64_t index) const {
    const auto place = lengths_at + static_cast<std::uint64_t>(index) * layout_.length_bytes;
    return load_number(in_index(place), layout_.length_bytes);
  }
  std::uint64_t start(std::int64_t index) const;  ///< in ids
  bool read_pair(std::int64_t index, std::uint64_t start, Pair& pair) const;
  Pair pair(std::int64_t index) const;

  MappedFile file_;
  std::filesystem::path path_;
  CorpusLayout layout_;
  std::vector<std::byte> index_;  ///< the file's bytes from index_at() to sums_at()
  std::int64_t source_vocabulary_ = std::numeric_limits<Id>::max(), target_vocabulary_ = source_vocabulary_;
  std::vector<CorpusReport> reports_;
  std::string hash_, index_sha256_;
  Json key_;
  std::shared_ptr<const ParallelCorpus> links_;
};

}  // namespace gloss
