#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// The vocabulary of a MappedTokenizer.
struct MappedVocabulary {
  enum class Normalizer {
    kNone,
    kOpusMt,  ///< opus_normalized (tokenizer/opus_normalizer.h), before SentencePiece's own normalization
  };

  /// By id, with U+2581 for a space. Ids 0 to 3 are pad, unk, bos and eos. The others are distinct. Each is nonempty
  /// UTF-8 of at most 1000 bytes without NUL.
  std::vector<std::string> pieces = {};
  Normalizer normalizer = Normalizer::kNone;
  /// Ids of language tags, from 4, by the name of the language. Two names may share a tag. Text never becomes a tag.
  std::map<std::string, Id, std::less<>> languages = {};

  /// Throws ModelError("name: ...") if the above does not hold.
  void validate(const std::string& name) const;
  /// Returns the tag of a language, or 0 if there is none. The name may be spelled with other cases or with "-" for
  /// "_", or be the beginning of just one name up to a "_" or "-": "deu" for "deu_Latn".
  Id tag_of(std::string_view language) const;
};

/// Returns the header of a stored MappedTokenizer: a magic line and a line of JSON (docs/file_formats.md).
std::string to_header(const MappedVocabulary& vocabulary);
/// Returns whether bytes begin with the magic line.
bool has_mapped_header(std::string_view bytes);

/// A vocabulary and the size of its header.
struct ParsedVocabulary {
  MappedVocabulary vocabulary;
  std::size_t header_bytes = 0;
};
/// Parses the header at the beginning of `bytes` and validates the vocabulary. Throws ModelError("name: ...").
ParsedVocabulary parse_header(std::string_view bytes, const std::string& name);

}  // namespace gloss
