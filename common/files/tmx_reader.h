#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <pugixml.hpp>

#include "common/files/document_input.h"
#include "common/text/text_pair.h"

namespace gloss {

/// Cuts a TMX file into translation units, <tu>...</tu>, and the bytes between them. Memory does not depend on the size
/// of the file.
class TmxScanner {
 public:
  struct Part {
    std::string bytes;
    bool is_unit = false;
  };
  explicit TmxScanner(DocumentInput input) : input_(std::move(input)) {}

  /// Reads the next part; the parts, joined, are the file. Returns false at the end. Throws DataError if the file is
  /// not TMX, ends before </tmx>, or a unit or comment has more than kMaxUnitBytes; and as DocumentInput.
  bool next(Part& part);
  /// Returns the start of a message: "memory.tmx: line 12: ".
  std::string where() const;
  std::int64_t line() const { return input_.line_number(); }  ///< of the end of the last part

  static constexpr std::size_t kMaxUnitBytes = 4 << 20;

 private:
  bool fill();
  std::size_t find(std::string_view wanted, std::size_t place);
  bool hand_out(std::size_t bytes, bool is_unit, Part& part);

  DocumentInput input_;
  std::string buffer_;
  bool has_begun_ = false;  ///< <tmx> was found
  bool has_ended_ = false;  ///< </tmx> was found
};

/// Returns the <tuv> of a <tu> whose language fits best (language_match), but not `other`; the first one for the
/// language
/// "". Null if there is none.
pugi::xml_node tmx_variant(pugi::xml_node unit, std::string_view language, pugi::xml_node other = {});

/// Reads the pairs of a TMX file one by one, in UTF-8 or UTF-16. Units that lack one of the languages are skipped.
class TmxReader {
 public:
  /// Languages are BCP 47. With "" as source language, the first variant of a unit is the source, and with "" as target
  /// language, the first other one is the target. Throws as DocumentInput.
  TmxReader(const std::filesystem::path& path, std::string source_language, std::string target_language);

  /// Reads the next pair: text without the codes of inline elements, with one space for each run of white space.
  /// Returns false at the end. Throws as TmxScanner, and DataError if a unit is not well-formed XML.
  bool next(TextPair& pair);

 private:
  TmxScanner scanner_;
  std::string source_, target_;
};

/// Returns a text with one space for each run of white space, and none at its ends.
std::string single_spaced_text(std::string_view text);

}  // namespace gloss
