#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gloss {

/// The pieces of another program's vocabulary, by id.
struct Vocabulary {
  enum class Kind { kYaml, kJson, kJsonList, kText, kSentencePiece };

  Kind kind = Kind::kText;
  std::string name;                 ///< of the file, for messages
  std::vector<std::string> pieces;  ///< by id; nonempty UTF-8, each once
  std::string sentencepiece;        ///< bytes of the model; empty for the other kinds

  std::int64_t size() const { return static_cast<std::int64_t>(pieces.size()); }
};

/// Bounds on a vocabulary file.
inline constexpr std::size_t kMaxVocabularyBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxVocabularyPieces = 1'000'000;

/// Reads a vocabulary, decompressed if its name ends in .gz. The kind follows from the ending before that: .yml and
/// .yaml (a map of piece to id), .json (the same), .spm and .model (SentencePiece), otherwise a text with one piece a
/// line, in the order of the ids; a tab and a score may follow each piece. Ids are 0 to n-1, each once. Throws
/// ModelError with the path, the line or entry, and the fault; IoError; UsageError if the file is YAML and gloss was
/// built without yaml-cpp.
Vocabulary read_vocabulary(const std::filesystem::path& path);
/// Parses the bytes of a vocabulary. CTranslate2 has a JSON list of the pieces by id.
Vocabulary parse_vocabulary(Vocabulary::Kind kind, std::string bytes, std::string name);

}  // namespace gloss
