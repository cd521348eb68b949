#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/sentences/sentence_splitter.h"
#include "common/text/text_span.h"
#include "documents/model/inline_text.h"

namespace gloss {

/// Text that is translated as a whole: a paragraph, a cell, a message, a group of subtitles.
struct Unit {
  std::string id;     ///< for messages: "line 12", "unit greeting", "sheet 1, cell 3"
  InlineText source;  ///< what is translated; not empty
  SentenceMode mode = SentenceMode::kParagraph;
  bool has_placeholders = true;  ///< {name}, %s, URLs and the like are kept; false: a reader has found all elements
};

/// A stretch of a translation and the stretch of the source that it translates, in bytes of InlineText::text.
struct AlignedSpan {
  TextSpan target, source;
  double weight = 1;  ///< share of the attention that the link has, 0 to 1
};

/// The translation of a unit.
struct UnitTranslation {
  InlineText target;                        ///< elements are those of the source, each once; pairs are well nested
  std::vector<AlignedSpan> links;           ///< ascending by target; stretches without a source are missing
  std::vector<AlignedSpan> sentences = {};  ///< ascending; `weight` is the confidence of each
  double confidence = 0;     ///< geometric mean of the probabilities of its tokens, 0 to 1; 1: from a memory
  bool from_memory = false;  ///< a translation memory has the unit
  bool translated = true;    ///< false: not translated, because the job ended first; the source stays
};

/// Returns a translation whose text contains the texts of the elements without `source`, which are left out.
UnitTranslation with_element_texts(const UnitTranslation& translation);

/// New bytes in place of a range of a passage: texts, and ranges of the passage that are copied. Within copied ranges
/// other replacements apply, so that a tag can move while its attributes are translated.
struct Replacement {
  TextSpan range;  ///< empty: an insertion
  std::vector<std::variant<std::string, TextSpan>> parts;
};

/// Returns the bytes with each range replaced. Ranges are disjoint, or lie within a copied range of another
/// replacement. Insertions at one place keep their order. Throws Error (a defect of the caller) if two overlap.
std::string apply_replacements(std::string_view bytes, std::vector<Replacement> replacements);

/// Returns the parts of an inline text: its text through `escape`, and its elements, copied or through `escape`.
std::vector<std::variant<std::string, TextSpan>> rendered(const InlineText& text,
                                                          const std::function<std::string(std::string_view)>& escape);

/// A stretch of a document that is read and written at once: a paragraph of text, a group of subtitles, a whole tree.
struct Passage {
  std::string bytes;  ///< as in the document; UTF-8 (the reader of a document in another encoding converts)
  std::vector<Unit> units;
  /// Returns the replacements for these translations, one for each unit, all `translated`. Bytes without a replacement
  /// stay. Empty: there are no units.
  std::function<std::vector<Replacement>(std::span<const UnitTranslation>)> render;
};

/// Reads the passages of a document of text, one after the other. Their bytes, joined, are the document.
class PassageReader {
 public:
  virtual ~PassageReader() = default;
  /// Returns the next passage; nothing at the end. Throws DataError, and as LineReader.
  virtual std::optional<Passage> next() = 0;
};

/// Limit of the parts with text of an office file, all of them, unpacked.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

/// A job, as far as readers need to know it.
struct DocumentOptions {
  std::string name;                              ///< of the document, for messages; safe to print
  std::string source_language, target_language;  ///< BCP 47; empty: unknown
  bool overwrite_translations = false;           ///< also translates units that have a translation
  std::vector<std::string> kept_elements = {};   ///< of HTML: small letters; not translated, as with translate="no"
  std::uint64_t max_text_bytes = kMaxTextBytes;
};

/// Limit of documents that are read as a tree: HTML, XML, JSON, YAML, office files (each part of them, unpacked).
inline constexpr std::size_t kMaxTreeBytes = 256 << 20;
/// Limit of the depth of elements in these.
inline constexpr std::size_t kMaxDepth = 256;

}  // namespace gloss
