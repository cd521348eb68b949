#pragma once
namespace sentencepiece {
class SentencePieceProcessor;
}

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Returns the version of SentencePiece that gloss was built with, from its package; empty if unknown. The library
/// itself does not report one.
std::string sentencepiece_version();

/// Suppresses SentencePiece's log lines on stderr. Its errors are returned as a status and become exceptions of gloss.
void silence_sentencepiece();

/// Returns the message of a status of SentencePiece in printable form, without the place in its sources and the
/// condition that failed: "Internal: src/a.cc(12) [x == y] Too small." becomes "Too small.". A condition without a text
/// after it stays.
std::string sentencepiece_message(std::string_view message);

/// Maximum size of a SentencePiece model.
inline constexpr std::size_t kMaxSentencePieceBytes = 64 << 20;  // bytes

/// A loaded model. Safe to share between threads.
using SentencePiece = std::shared_ptr<const sentencepiece::SentencePieceProcessor>;

/// Loads the bytes of a `.model` file as check_sentencepiece_model writes them anew, and compares the pieces. `shown`
/// is their name in messages, safe to print. Throws ModelError.
SentencePiece load_sentencepiece(std::string_view bytes, const std::string& shown);

/// Returns the pieces of a text by their spelling.
std::vector<std::string> cut_pieces(const SentencePiece& model, std::string_view text);

/// Splits text into the pieces of a SentencePiece model with any special ids. Only the spelling of the pieces is used.
class PieceCutter {
 public:
  /// Loads a `.model` file. Throws DataError if it is missing, IoError if it cannot be read, ModelError if it cannot be
  /// parsed.
  explicit PieceCutter(const std::filesystem::path& path);

  /// Returns the pieces separated by spaces, with U+2581 for a space of the text. Safe to call from several threads.
  std::string cut(std::string_view line) const;
  const std::string& sha256() const { return sha256_; }  ///< SHA-256 of the file

 private:
  SentencePiece model_;
  std::string sha256_;
};

}  // namespace gloss
