#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "explain/removal.h"
#include "model/model_config.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translator.h"

namespace gloss {

/// A source sentence in pieces and in words, as the model reads it. The words of a text without spaces are its pieces.
class ExplainedSource {
 public:
  ExplainedSource(const LineTranslator& translator, const std::string& line, const Tokenizer& tokenizer);

  const PieceSpans& pieces() const { return pieces_; }  ///< without eos
  const Ids& ids() const { return ids_; }               ///< with eos; empty for a line without pieces
  /// Returns the translation of a line that is copied. Absent for other lines.
  std::optional<std::string> copied() const { return truncated_ ? std::nullopt : copied_line(pieces_.text); }

  /// Returns the removal of a part by its name (model/part.h), or of word N by "source.N". Throws UsageError with the
  /// key "without".
  Removal removal(const std::string& name, const ModelConfig& config) const;
  /// Returns the removal of each word.
  std::vector<Removal> word_removals() const;
  /// Returns pieces and words (docs/explanation_format.md).
  Json to_json() const;

 private:
  struct Word {
    std::string text;
    std::size_t first, last;  ///< pieces, half open
  };

  void find_words();

  const Tokenizer& tokenizer_;
  PieceSpans pieces_;
  Ids ids_;
  bool truncated_;
  std::vector<Word> words_;
};

}  // namespace gloss
