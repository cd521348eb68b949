#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sentences/sentence_splitter.h"
#include "documents/model/passage.h"
#include "documents/sentence_translator.h"

namespace gloss {

/// Returns a known translation of a sentence or a whole unit; empty if there is none.
using KnownTranslation = std::function<std::optional<std::string>(std::string_view source)>;

struct UnitTranslatorOptions {
  std::shared_ptr<const SentenceSplitter> splitter;  ///< not null
  KnownTranslation known = {};                       ///< a translation memory; may be empty
  /// Gets each sentence that `known` lacks, and the text of each unit of several sentences; may be empty.
  std::function<void(const Unit& unit, std::string_view text)> on_unknown = {};
  bool changes_case = true;  ///< of sentences in capitals; not with Turkish letters (has_dotless_i)
};

/// Returns the options for two languages (BCP 47; empty: unknown), with the rules of the source's sentences if there is
/// no other splitter.
UnitTranslatorOptions options_for(std::string_view source_language, std::string_view target_language,
                                  std::shared_ptr<const SentenceSplitter> splitter = nullptr);

/// Numbers of a job.
struct UnitCounts {
  std::int64_t units = 0, sentences = 0;
  std::int64_t from_memory = 0;            ///< units with a known translation
  std::int64_t sentences_from_memory = 0;  ///< sentences of other units with a known translation
  std::int64_t cut = 0;             ///< sentences that were cut, because the model does not read them to their end
  std::int64_t searched_again = 0;  ///< sentences that had lost a quantity, and were searched again with a constraint
  std::int64_t put_back = 0;        ///< sentences that lacked one even then; it was put back by links
  std::int64_t lacking_phrase = 0;  ///< sentences without a phrase that the glossary requires
  std::int64_t left = 0;            ///< units that have no translation, because the job ended first
};

/// Translates units: keeps placeholders, cuts texts into sentences, translates these, and places the elements.
///
/// Every byte between two sentences stays, and so does a list mark at the beginning of a line. A line end within a
/// sentence (kWrapped) has a counterpart in its translation. Quantities stay in the text that the model reads,
/// unless a glossary translates them; other placeholders are taken out of it. Without links the words of a sentence are
/// linked in proportion. A placeholder occurs in the translation as often as in the source. Of two units with equal
/// texts both have the same translation.
class UnitTranslator {
 public:
  /// `sentences` must outlive this object.
  UnitTranslator(const SentenceTranslator& sentences, UnitTranslatorOptions options)
      : sentences_(sentences), options_(std::move(options)) {}

  /// Returns a translation for each unit, in order. Adds to `counts`.
  std::vector<UnitTranslation> translate(std::span<const Unit> units, UnitCounts& counts) const;

 private:
  const SentenceTranslator& sentences_;
  UnitTranslatorOptions options_;
};

}  // namespace gloss
