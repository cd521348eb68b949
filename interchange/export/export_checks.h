#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "interchange/model_family.h"
#include "interchange/refusals.h"
#include "tokenizer/mapped_tokenizer.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the number of positions in a file for a program that fails beyond the last one. It suffices for the run file
/// of the model, and is at least 2048.
std::int64_t exported_positions(const TranslationModel& model);

/// Returns the tokenizers by the names of their files: tokenizer.model, or source_tokenizer.model and
/// target_tokenizer.model.
std::vector<std::pair<std::string, const Tokenizer*>> named_tokenizers(const TranslationModel& model);

/// Returns the tokenizer if it has ids of its own, otherwise null.
const MappedTokenizer* as_mapped(const Tokenizer& tokenizer);

/// Returns the spellings of the pieces by id.
std::vector<std::string> pieces_by_id(const Tokenizer& tokenizer);

/// Returns the bytes of the SentencePiece model that cuts lines for a tokenizer.
std::string sentencepiece_bytes(const Tokenizer& tokenizer);

/// Compares the run file of a model with the values that another program can compute. All reasons are collected.
class ExportChecks {
 public:
  explicit ExportChecks(const TranslationModel& model);

  /// Adds a reason unless the key of section `model` has one of these values.
  void expect(std::string_view key, const std::vector<Json>& wanted);
  /// Adds a reason for an activation that the other program lacks.
  void expect_activation(std::optional<std::string_view> ActivationNames::*program);
  /// Adds a reason if the decoder starts with a zero vector, but the row of bos, which replaces it, is not zero.
  void expect_zero_start();
  /// Adds a reason for a tokenizer that rewrites lines before SentencePiece cuts them; no other program does this.
  void expect_no_normalizer();
  /// Adds a reason for a model of several languages whose default languages are not set; the exported folder is for
  /// these.
  void expect_languages();
  /// Adds a reason for each piece that is spelled as an earlier one: the other program finds pieces by their spelling.
  /// `tokenizer` is the tokenizer's name in messages.
  void expect_distinct(const std::string& tokenizer, const std::vector<std::string>& pieces);
  /// Adds a reason for a tokenizer whose pieces have other ids than in its SentencePiece model.
  void expect_sentencepiece();

  Refusals refusals;

 private:
  const TranslationModel* model_;
  Json config_;  ///< the section `model`
};

}  // namespace gloss
