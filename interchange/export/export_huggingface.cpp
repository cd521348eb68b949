#include "common/files/atomic_file.h"
#include "common/version.h"
#include "interchange/export/export_checks.h"
#include "interchange/export/tokenizer_json.h"
#include "interchange/model_family.h"
#include "interchange/weight_map.h"
#include "model/weights.h"

namespace gloss {
namespace {

bool is_pegasus(const ModelConfig& config) { return config.norm == NormPlace::kPre; }

std::string huggingface_class(const ModelConfig& config) {
  return is_pegasus(config) ? "PegasusForConditionalGeneration" : "MarianMTModel";
}

/// Returns the special ids, which are gloss's own.
Json special_ids() {
  return {{"pad_token_id", kPad}, {"bos_token_id", kBos}, {"eos_token_id", kEos}, {"decoder_start_token_id", kBos}};
}

Json huggingface_config(const TranslationModel& model) {
  const auto& config = model.config.model;
  const bool shared = config.tie_embeddings == TieEmbeddings::kAll;
  Json json = {{"architectures", Json::array({huggingface_class(config)})},
               {"model_type", is_pegasus(config) ? "pegasus" : "marian"},
               {"exported_by", "gloss " + std::string(kVersion)},
               {"vocab_size", model.file.vocabularies.source},
               {"d_model", config.d_model},
               {"encoder_layers", config.encoder_layers},
               {"decoder_layers", config.decoder_layers},
               {"encoder_attention_heads", config.heads},
               {"decoder_attention_heads", config.heads},
               {"encoder_ffn_dim", config.d_ff},
               {"decoder_ffn_dim", config.decoder_d_ff()},
               {"activation_function", activation_names(config.activation).huggingface.value()},
               {"dropout", config.dropout},
               {"attention_dropout", config.dropout_on_attention()},
               {"activation_dropout", config.dropout_in_feed_forward()},
               {"scale_embedding", config.embedding_scale == EmbeddingScale::kSqrt},
               {"max_position_embeddings", exported_positions(model)},
               {"static_position_embeddings", true},
               {"is_encoder_decoder", true},
               {"tie_word_embeddings", config.tie_embeddings != TieEmbeddings::kNone},
               {"forced_eos_token_id", nullptr},
               {"dtype", "float32"}};
  if (!is_pegasus(config))
    json.update({{"decoder_vocab_size", model.file.vocabularies.target},
                 {"share_encoder_decoder_embeddings", shared},
                 {"normalize_before", false},
                 {"add_bias_logits", false}});
  json.update(special_ids());
  return json;
}

Json generation_config(const DecodingConfig& config) {
  auto json = special_ids();
  json.update({{"num_beams", config.beam_size},
               {"do_sample", false},
               {"max_new_tokens", config.max_length},
               {"length_penalty", config.length_penalty},
               {"early_stopping", config.beam_size > 1 && config.length_penalty > 0}});
  if (config.min_length > 0) json["min_new_tokens"] = config.min_length;
  if (config.no_repeat_ngram > 0) json["no_repeat_ngram_size"] = config.no_repeat_ngram;
  if (config.repetition_penalty != 1) json["repetition_penalty"] = config.repetition_penalty;
  if (config.no_unk) json["suppress_tokens"] = {kUnk};
  return json;
}

WeightMap huggingface_map(const TranslationModel& model) {
  const SpecialRows specials{.pad = kPad, .unk = kUnk, .bos = kBos, .eos = kEos};
  const auto& [source, target] = model.file.vocabularies;
  return {ModelFamily::kHuggingFace, model.config.model, piece_rows(source, specials), piece_rows(target, specials)};
}

void write_safetensors_weights(const TranslationModel& model, WeightPrecision precision,
                               const std::filesystem::path& path) {
  const auto map = huggingface_map(model);
  FileTensors stored;
  for (const auto& [weight, info] : network_weights(model.config.model, model.file.vocabularies)) {
    const auto foreign = map.names(weight).front();
    const auto values = map.to_foreign(weight, foreign, model.file.model.weights(weight).to_float());
    store_weight(weight, values.view(info.shape), precision, stored);  // the precision depends on gloss's name
    auto view = stored.tensors.extract(weight);
    view.key() = foreign.name;
    view.mapped().shape = values.sizes().vec();
    stored.tensors.insert(std::move(view));
  }
  write_safetensors(path, stored.tensors, {{"format", "pt"}});
}

/// Writes the files of a tokenizer with vocabularies of its own for both languages, a MarianTokenizer.
void write_side(const std::string& name, const Tokenizer& tokenizer, OutputFolder& folder) {
  const bool is_target = name == kTargetTokenizer;
  Json vocabulary = Json::object();
  for (const auto& piece : pieces_by_id(tokenizer)) vocabulary[piece] = vocabulary.size();
  write_file(folder.file(is_target ? "target.spm" : "source.spm"), tokenizer.serialized());
  write_file(folder.file(is_target ? "target_vocab.json" : "vocab.json"), to_pretty_text(vocabulary));
}

void write_tokenizers(const TranslationModel& model, OutputFolder& folder) {
  const auto tokenizers = named_tokenizers(model);
  const bool is_separate = tokenizers.size() > 1;
  for (const auto& [name, tokenizer] : tokenizers) {
    write_file(folder.file(name), tokenizer->serialized());
    if (is_separate) write_side(name, *tokenizer, folder);
  }
  const auto& bytes = tokenizers.front().second->serialized();
  auto config = tokenizer_config_json(bytes, model.config.max_source_length());
  if (is_separate) config.update({{"tokenizer_class", "MarianTokenizer"}, {"separate_vocabs", true}});
  if (!is_separate) write_file(folder.file("tokenizer.json"), to_pretty_text(tokenizer_json(bytes)));
  write_file(folder.file("tokenizer_config.json"), to_pretty_text(config));
  write_file(folder.file("special_tokens_map.json"), to_pretty_text(special_tokens_json(bytes)));
}

}  // namespace

Refusals huggingface_refusals(const TranslationModel& model, WeightPrecision precision) {
  ExportChecks checks(model);
  checks.expect("architecture", {"transformer"});
  if (!checks.refusals.empty()) return checks.refusals;
  const bool pegasus = is_pegasus(model.config.model);
  checks.expect("self_attention_norm", {"all"});
  checks.expect("norm_type", {"layer"});
  checks.expect("final_norm", {pegasus});
  if (pegasus) checks.expect("tie_embeddings", {"all"});
  checks.expect("embedding_norm", {false});
  checks.expect("layer_norm_epsilon", {1e-5});
  checks.expect("residual", {true});
  checks.expect("attention_score", {"scaled_dot"});
  checks.expect("encoder_mask", {"full"});
  checks.expect("decoder_layer", {"attention"});
  checks.expect_activation(&ActivationNames::huggingface);
  checks.expect("positions", {"sinusoidal"});
  checks.expect("position_frequencies", {"paper"});
  checks.expect("first_position", {0});
  checks.refusals.require(model.config.model.d_model % 2 == 0,
                          "model.d_model: wanted an even number, got " + std::to_string(model.config.model.d_model));
  checks.refusals.require(precision != WeightPrecision::kInt8, "--precision: wanted float32 or bfloat16, got int8");
  checks.expect_zero_start();
  checks.expect_sentencepiece();
  const auto tokenizers = named_tokenizers(model);
  for (const auto& [name, tokenizer] : tokenizers) {
    check_tokenizer_json(sentencepiece_bytes(*tokenizer), name, checks.refusals);
    if (tokenizers.size() > 1) checks.expect_distinct(name, pieces_by_id(*tokenizer));
  }
  return checks.refusals;
}

std::string export_huggingface(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder) {
  write_file(folder.file("config.json"), to_pretty_text(huggingface_config(model)));
  write_file(folder.file("generation_config.json"), to_pretty_text(generation_config(model.config.decoding)));
  write_safetensors_weights(model, precision, folder.file("model.safetensors"));
  write_tokenizers(model, folder);
  return huggingface_readme(model, precision, huggingface_class(model.config.model));
}

}  // namespace gloss
