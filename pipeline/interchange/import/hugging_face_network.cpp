#include "pipeline/interchange/import/hugging_face_network.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/special_ids.h"
#include "common/text/printable.h"
#include "pipeline/interchange/import/json_fields.h"
#include "pipeline/interchange/import/network_limits.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr auto kMaxPieces = TokenizerConfig::kMaxVocabulary;

constexpr std::array<std::pair<std::string_view, HuggingFaceType>, 3> kHuggingFaceTypes{
    {{"marian", HuggingFaceType::kMarian},
     {"pegasus", HuggingFaceType::kPegasus},
     {"m2m_100", HuggingFaceType::kM2M100}}};
constexpr std::array<std::pair<std::string_view, Activation>, 5> kHuggingFaceActivations{
    {{"relu", Activation::kRelu},
     {"gelu", Activation::kGelu},
     {"silu", Activation::kSwish},
     {"swish", Activation::kSwish},
     {"quick_gelu", Activation::kGeluSigmoid}}};

std::optional<HuggingFaceType> hugging_face_type(std::string_view name) {
  const auto found = std::ranges::find(kHuggingFaceTypes, name, &std::pair<std::string_view, HuggingFaceType>::first);
  return found == kHuggingFaceTypes.end() ? std::nullopt : std::optional(found->second);
}

void read_sizes(JsonFields& fields, ModelConfig& model) {
  const auto size = [&](const char* key, std::int64_t min, std::int64_t max) {
    if (!fields.has(key)) fields.expect(false, key, "a whole number");
    return fields.integer(key, min, max, min);
  };
  model.encoder_layers = size("encoder_layers", 1, kMaxLayers);
  model.decoder_layers = size("decoder_layers", 1, kMaxLayers);
  model.d_model = size("d_model", 4, kMaxWidth);
  fields.expect(model.d_model % 2 == 0, "d_model", "an even number");
  model.heads = size("encoder_attention_heads", 1, kMaxWidth);
  fields.expect(model.d_model % model.heads == 0, "encoder_attention_heads",
                "a divisor of d_model " + std::to_string(model.d_model));
  fields.expect(size("decoder_attention_heads", 1, kMaxWidth) == model.heads, "decoder_attention_heads",
                "as many as encoder_attention_heads, " + std::to_string(model.heads));
  model.d_ff = size("encoder_ffn_dim", 1, kMaxWidth);
  if (const auto decoder = size("decoder_ffn_dim", 1, kMaxWidth); decoder != model.d_ff) model.d_ff_decoder = decoder;
}

void read_switches(JsonFields& fields, HuggingFaceNetwork& network) {
  auto& model = network.model;
  const bool is_pre = network.type != HuggingFaceType::kMarian;
  model.norm = is_pre ? NormPlace::kPre : NormPlace::kPost;
  model.final_norm = is_pre;
  const auto activation = fields.text("activation_function", "relu");
  const auto found =
      std::ranges::find(kHuggingFaceActivations, activation, &std::pair<std::string_view, Activation>::first);
  fields.expect(found != kHuggingFaceActivations.end(), "activation_function", "relu, gelu, silu, swish or quick_gelu");
  if (found != kHuggingFaceActivations.end()) model.activation = found->second;
  model.embedding_scale = fields.flag("scale_embedding", false) ? EmbeddingScale::kSqrt : EmbeddingScale::kOne;
  fields.expect(fields.flag("static_position_embeddings", true), "static_position_embeddings", "true");
  fields.expect(fields.flag("normalize_before", is_pre) == is_pre, "normalize_before", is_pre ? "true" : "false");
  fields.expect(fields.flag("add_final_layer_norm", is_pre) == is_pre || !is_pre, "add_final_layer_norm", "true");
  fields.expect(!fields.flag("normalize_embedding", false), "normalize_embedding", "false");
  fields.expect(!fields.flag("add_bias_logits", false), "add_bias_logits", "false");
  fields.expect(!fields.has("quantization_config"), "quantization_config", "none");
  // Probabilities of dropout have an effect on fine-tuning only.
  model.dropout = fields.number("dropout", 0, 0.99, 0.1);
  model.attention_dropout = fields.number("attention_dropout", 0, 0.99, 0);
  model.feed_forward_dropout = fields.number("activation_dropout", 0, 0.99, 0);
}

void read_vocabularies(JsonFields& fields, HuggingFaceNetwork& network) {
  auto& model = network.model;
  if (!fields.has("vocab_size")) fields.expect(false, "vocab_size", "a whole number");
  network.source_size = network.target_size = fields.integer("vocab_size", kSpecialIds, kMaxPieces, kSpecialIds);
  const bool shares = fields.flag("share_encoder_decoder_embeddings", true);
  if (!shares) network.target_size = fields.integer("decoder_vocab_size", kSpecialIds, kMaxPieces, network.source_size);
  const bool ties = fields.flag("tie_word_embeddings", true);
  model.tie_embeddings = !ties ? TieEmbeddings::kNone : shares ? TieEmbeddings::kAll : TieEmbeddings::kDecoder;

  const auto last = std::min(network.source_size, network.target_size) - 1;
  const auto row = [&](const char* key, std::int64_t fallback) { return fields.integer(key, 0, last, fallback); };
  auto& specials = network.specials;
  const auto is = [&](HuggingFaceType type) { return network.type == type; };
  specials.pad = row("pad_token_id", is(HuggingFaceType::kM2M100) ? 1 : is(HuggingFaceType::kPegasus) ? 0 : last);
  specials.eos = row("eos_token_id", is(HuggingFaceType::kM2M100) ? 2 : is(HuggingFaceType::kPegasus) ? 1 : 0);
  network.decoder_start = row("decoder_start_token_id", is(HuggingFaceType::kM2M100) ? specials.eos : specials.pad);
  // MarianMT and Pegasus have no bos; their configurations may name one nevertheless.
  if (network.is_own || is(HuggingFaceType::kM2M100)) specials.bos = row("bos_token_id", 0);
  fields.expect(specials.eos != specials.pad, "eos_token_id", "another piece than pad_token_id");
  fields.expect(specials.bos != specials.pad && specials.bos != specials.eos, "bos_token_id",
                "another piece than pad_token_id and eos_token_id");
}

void set_formulas(std::optional<ModelFamily> wanted, HuggingFaceNetwork& network, Refusals& refusals) {
  const bool by_marian = network.type == HuggingFaceType::kMarian && !network.is_own;
  network.formulas = wanted.value_or(by_marian ? ModelFamily::kMarian : ModelFamily::kHuggingFace);
  auto& model = network.model;
  model.position_frequencies =
      network.type == HuggingFaceType::kM2M100 ? PositionFrequencies::kTensor2Tensor : PositionFrequencies::kPaper;
  model.first_position = network.type == HuggingFaceType::kM2M100 ? 2 : 0;
  if (network.formulas != ModelFamily::kMarian) return;
  refusals.require(network.type == HuggingFaceType::kMarian,
                   "--formulas marian: applies to models that Marian trained, got model_type " + network.type_name);
  model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  model.layer_norm_epsilon = kMarianEpsilon;
}

}  // namespace

HuggingFaceNetwork hugging_face_network(const Json& config, std::optional<ModelFamily> formulas, Refusals& refusals) {
  JsonFields fields(config, refusals);
  HuggingFaceNetwork network;
  network.type_name = printable(fields.text("model_type", "none"), 80);
  network.type = hugging_face_type(network.type_name);
  fields.expect(network.type.has_value(), "model_type", "marian, pegasus or m2m_100 (M2M100 and NLLB)");
  if (!network.type) return network;
  network.is_own = fields.has("exported_by");
  read_sizes(fields, network.model);
  read_switches(fields, network);
  read_vocabularies(fields, network);
  network.max_positions = fields.integer("max_position_embeddings", 1, kMaxPositions, 1024);
  set_formulas(formulas, network, refusals);
  return network;
}

void set_hugging_face_search(const Json& generation, DecodingConfig& decoding, std::vector<std::string>& notes) {
  Refusals unusable;
  JsonFields fields(generation, unusable);
  decoding.beam_size = fields.integer("num_beams", 1, 1000, decoding.beam_size);
  decoding.length_penalty = fields.number("length_penalty", 0, 10, decoding.length_penalty);
  // The other program counts the decoder's first input, too.
  if (const auto length = fields.optional_integer("max_length", 2, kMaxPositions))
    decoding.max_length = std::min(*length - 1, DecodingConfig::kMaxTargetLength);
  decoding.no_repeat_ngram = fields.integer("no_repeat_ngram_size", 0, 100, 0);
  decoding.repetition_penalty = fields.number("repetition_penalty", 1e-3, 10, 1);
  for (const auto& reason : unusable.reasons()) notes.push_back(reason + "; the default holds");
  constexpr std::array<std::pair<const char*, std::string_view>, 7> kOthers{{{"do_sample", "false"},
                                                                             {"early_stopping", "false"},
                                                                             {"num_beam_groups", "1"},
                                                                             {"diversity_penalty", "0.0"},
                                                                             {"encoder_no_repeat_ngram_size", "0"},
                                                                             {"min_length", "0"},
                                                                             {"penalty_alpha", "null"}}};
  for (const auto& [key, usual] : kOthers)
    if (fields.has(key) && to_text(generation.at(key)) != usual)
      notes.push_back(std::string(key) + ' ' + printable(to_text(generation.at(key)), 80) +
                      ": not taken over; see gloss translate --help");
}

}  // namespace gloss
