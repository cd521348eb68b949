#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gloss {

/// Cuts text into the pieces of a SentencePiece model of whatever special ids, where only their spelling counts.
class PieceCutter {
 public:
  /// From a `.model` file. Throws DataError where it is missing, IoError where it cannot be read, ModelError where it
  /// does not parse.
  explicit PieceCutter(const std::filesystem::path& path);
  ~PieceCutter();

  /// The pieces with a space between them, U+2581 standing for a space of the text. Several threads may call it.
  std::string cut(std::string_view line) const;
  const std::string& sha256() const { return sha256_; }  ///< of the file

 private:
  struct Processor;

  std::unique_ptr<Processor> processor_;
  std::string sha256_;
};

}  // namespace gloss
