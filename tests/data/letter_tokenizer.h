#pragma once

#include <filesystem>
#include <string>

#include "data/parallel_corpus.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// A tokenizer whose pieces are all bytes except the space: id 4 + byte.
class LetterTokenizer final : public Tokenizer {
 public:
  explicit LetterTokenizer(bool has_source_eos = true) : has_source_eos_(has_source_eos) {}
  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override { return 4 + 256; }
  bool has_source_eos() const override { return has_source_eos_; }
  const std::string& serialized() const override { return name_; }

 private:
  bool has_source_eos_;
  std::string name_ = "letters";
};

/// A temporary folder with the two files of a corpus.
class CorpusFiles {
 public:
  CorpusFiles(const std::string& source, const std::string& target);
  std::filesystem::path source() const { return folder_ / "source"; }
  std::filesystem::path target() const { return folder_ / "target"; }

 private:
  TemporaryFolder folder_;
};

/// Reads a text with an alignment, whose sides have one tokenizer, the target without a tag.
ParallelCorpus read_with_links(const CorpusFiles& files, const std::string& alignment, const Tokenizer& source,
                               EncodingOptions options = {});

}  // namespace gloss
