#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/config/json.h"
#include "common/special_ids.h"
#include "decoding/search.h"
#include "explain/recorded_pass.h"
#include "model/model_config.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translator.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns the ids of a translation, with eos if it ended.
Ids target_ids(const Hypothesis& hypothesis);

/// Returns the pieces of a text as `{"piece", "id", "begin", "end"}`. `ids` are those of `text`, and eos at its end.
Json pieces_json(const Ids& ids, const PieceSpans& text, const Tokenizer& tokenizer);

/// Returns the text of a translation, its pieces and its score.
Json target_json(const Hypothesis& hypothesis, const Tokenizer& tokenizer);

/// Adds to each piece of target_json() its log-probability, from the logits [T, V] of a pass. The first `tags` pieces,
/// which are given, get 0. Returns the sum.
double add_log_probabilities(const at::Tensor& logits, std::size_t tags, Json& target);

/// Returns the piece of each id.
Json piece_names(const std::set<Id>& ids, const Tokenizer& tokenizer);

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
