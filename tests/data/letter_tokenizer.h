#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Every byte but a space is a piece: id 4 + byte.
class LetterTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override { return 4 + 256; }
  const std::string& serialized() const override { return name_; }

 private:
  std::string name_ = "letters";
};

/// The two files of a corpus in a folder of their own.
class CorpusFiles {
 public:
  CorpusFiles(const std::string& source, const std::string& target);
  std::filesystem::path source() const { return folder_ / "source"; }
  std::filesystem::path target() const { return folder_ / "target"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace gloss
