#include "interchange/export/export_checks.h"

#include <algorithm>
#include <unordered_set>

#include "common/error.h"
#include "common/text/printable.h"
#include "model/weights.h"

namespace gloss {

std::int64_t exported_positions(const TranslationModel& model) {
  constexpr std::int64_t kMinPositions = 2048;
  const auto target = model.config.decoding.max_length + 1;  // transformers counts the start of the decoder
  return std::max({kMinPositions, model.config.max_source_length(), target});
}

std::vector<std::pair<std::string, const Tokenizer*>> named_tokenizers(const TranslationModel& model) {
  const auto *const source = model.source_tokenizer.get(), *const target = model.target_tokenizer.get();
  if (source == target) return {{kJointTokenizer, source}};
  return {{kSourceTokenizer, source}, {kTargetTokenizer, target}};
}

const MappedTokenizer* as_mapped(const Tokenizer& tokenizer) {
  return dynamic_cast<const MappedTokenizer*>(&tokenizer);
}

std::vector<std::string> pieces_by_id(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string sentencepiece_bytes(const Tokenizer& tokenizer) {
  const auto* const mapped = as_mapped(tokenizer);
  return mapped == nullptr ? tokenizer.serialized() : std::string(mapped->sentencepiece());
}

ExportChecks::ExportChecks(const TranslationModel& model) : model_(&model), config_(to_json(model.config.model)) {}

void ExportChecks::expect(std::string_view key, const std::vector<Json>& wanted) {
  const auto value = config_.value(std::string(key), Json());
  if (std::ranges::find(wanted, value) != wanted.end()) return;
  std::string list;
  for (const auto& item : wanted) list += (list.empty() ? "" : ", ") + value_text(item);
  refusals.add("model." + std::string(key) + ": wanted " + (wanted.size() > 1 ? "one of " : "") + list + ", got " +
               value_text(value));
}

void ExportChecks::expect_activation(std::optional<std::string_view> ActivationNames::*program) {
  std::vector<Json> wanted;
  ModelConfig config;
  for (const auto& names : kActivationNames) {
    config.activation = names.activation;
    if (names.*program) wanted.push_back(to_json(config).at("activation"));
  }
  expect("activation", wanted);
}

void ExportChecks::expect_zero_start() {
  const auto& config = model_->config.model;
  if (!config.starts_from_zero()) return;
  const auto name = stored_name(kTargetEmbedding, config.tie_embeddings);
  const bool is_zero = (model_->file.model.weights(name).rows(kBos, 1).to_float() == 0).all().item<bool>();
  refusals.require(is_zero, name + ": wanted zeros in row " + std::to_string(kBos) +
                                ", bos, because of model.decoder_start zero, got other numbers");
}

void ExportChecks::expect_no_normalizer() {
  for (const auto& [name, tokenizer] : named_tokenizers(*model_)) {
    const auto* const mapped = as_mapped(*tokenizer);
    if (mapped != nullptr && mapped->vocabulary().normalizer != MappedVocabulary::Normalizer::kNone)
      refusals.add(name +
                   ": wanted a tokenizer that SentencePiece alone computes, got one that normalizes lines as "
                   "OPUS-MT packages do");
  }
}

void ExportChecks::expect_languages() {
  try {
    static_cast<void>(model_->tagged_tokenizers());
  } catch (const UsageError& error) {
    refusals.add("wanted the languages of the language tags in the model file, got none (" + std::string(error.what()) +
                 "); import it again with --source-language and --target-language");
  }
}

void ExportChecks::expect_distinct(const std::string& tokenizer, const std::vector<std::string>& pieces) {
  std::unordered_set<std::string_view> seen;
  for (const auto& piece : pieces)
    if (!seen.insert(piece).second)
      refusals.add(tokenizer + ": wanted each piece once, got " + printable(piece, 80) + " twice");
}

void ExportChecks::expect_sentencepiece() {
  for (const auto& [name, tokenizer] : named_tokenizers(*model_))
    refusals.require(as_mapped(*tokenizer) == nullptr,
                     name + ": wanted a SentencePiece model with its own ids, got one with a table of other ids");
}

}  // namespace gloss
