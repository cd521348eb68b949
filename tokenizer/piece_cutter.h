#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gloss {

/// Splits text into the pieces of a SentencePiece model with any special ids. Only the spelling of the pieces is used.
class PieceCutter {
 public:
  /// Loads a `.model` file. Throws DataError if it is missing, IoError if it cannot be read, ModelError if it cannot be
  /// parsed.
  explicit PieceCutter(const std::filesystem::path& path);
  ~PieceCutter();

  /// Returns the pieces separated by spaces, with U+2581 for a space of the text. Safe to call from several threads.
  std::string cut(std::string_view line) const;
  const std::string& sha256() const { return sha256_; }  ///< SHA-256 of the file

 private:
  struct Processor;

  std::unique_ptr<Processor> processor_;
  std::string sha256_;
};

}  // namespace gloss
