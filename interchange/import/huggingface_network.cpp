#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/special_ids.h"
#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/huggingface_folder.h"
#include "interchange/model_family.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr auto kMaxPieces = TokenizerConfig::kMaxVocabulary;

constexpr std::array<std::pair<std::string_view, HuggingFaceType>, 3> kHuggingFaceTypes{
    {{"marian", HuggingFaceType::kMarian},
     {"pegasus", HuggingFaceType::kPegasus},
     {"m2m_100", HuggingFaceType::kM2M100}}};

std::optional<HuggingFaceType> huggingface_type(std::string_view name) {
  const auto found = std::ranges::find(kHuggingFaceTypes, name, &std::pair<std::string_view, HuggingFaceType>::first);
  return found == kHuggingFaceTypes.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the values of keys that config.json leaves out: the fields of the class in transformers
/// (configuration_marian.py, configuration_pegasus.py and configuration_m2m_100.py of version 5.23).
Json class_defaults(HuggingFaceType type) {
  Json defaults = {{"encoder_layers", 12},
                   {"decoder_layers", 12},
                   {"d_model", 1024},
                   {"encoder_attention_heads", 16},
                   {"decoder_attention_heads", 16},
                   {"encoder_ffn_dim", 4096},
                   {"decoder_ffn_dim", 4096},
                   {"max_position_embeddings", 1024},
                   {"dropout", 0.1},
                   {"activation_dropout", 0.0},
                   {"tie_word_embeddings", true}};
  switch (type) {
    case HuggingFaceType::kMarian:
      defaults.update({{"vocab_size", 58101},
                       {"pad_token_id", 58100},
                       {"eos_token_id", 0},
                       {"decoder_start_token_id", 58100},
                       {"share_encoder_decoder_embeddings", true},
                       {"activation_function", "gelu"},
                       {"scale_embedding", false},
                       {"attention_dropout", 0.0}});
      break;
    case HuggingFaceType::kPegasus:
      defaults.update({{"vocab_size", 50265},
                       {"pad_token_id", 0},
                       {"eos_token_id", 1},
                       {"decoder_start_token_id", 0},
                       {"activation_function", "gelu"},
                       {"scale_embedding", false},
                       {"attention_dropout", 0.0}});
      break;
    case HuggingFaceType::kM2M100:
      defaults.update({{"vocab_size", 128112},
                       {"pad_token_id", 1},
                       {"eos_token_id", 2},
                       {"bos_token_id", 0},
                       {"decoder_start_token_id", 2},
                       {"activation_function", "relu"},
                       {"scale_embedding", true},
                       {"attention_dropout", 0.1}});
      break;
  }
  return defaults;
}

/// Other names of keys, the `attribute_map` of the classes.
constexpr std::array<std::pair<const char*, const char*>, 3> kOtherNames{
    {{"hidden_size", "d_model"},
     {"num_hidden_layers", "encoder_layers"},
     {"num_attention_heads", "encoder_attention_heads"}}};

/// Returns `config` with the values of the class for keys that are missing or null.
Json with_class_defaults(const Json& config, HuggingFaceType type) {
  auto result = class_defaults(type);
  for (const auto& [other, key] : kOtherNames)
    if (const auto found = config.find(other); found != config.end() && !found->is_null()) result[key] = *found;
  for (const auto& [key, value] : config.items())
    if (!value.is_null()) result[key] = value;
  return result;
}

void read_sizes(JsonFields& fields, HuggingFaceType type, ModelConfig& model) {
  const auto size = [&](const char* key, std::int64_t min, std::int64_t max) {
    return fields.integer(key, min, max, min);
  };
  model.encoder_layers = size("encoder_layers", 1, ModelConfig::kMaxLayers);
  model.decoder_layers = size("decoder_layers", 1, ModelConfig::kMaxLayers);
  // The frequencies of M2M100 divide by d_model / 2 - 1.
  model.d_model = size("d_model", type == HuggingFaceType::kM2M100 ? 4 : 2, ModelConfig::kMaxWidth);
  fields.expect(model.d_model % 2 == 0, "d_model", "an even number");
  model.heads = size("encoder_attention_heads", 1, ModelConfig::kMaxWidth);
  fields.expect(model.d_model % model.heads == 0, "encoder_attention_heads",
                "a divisor of d_model " + std::to_string(model.d_model));
  fields.expect(size("decoder_attention_heads", 1, ModelConfig::kMaxWidth) == model.heads, "decoder_attention_heads",
                "as many as encoder_attention_heads, " + std::to_string(model.heads));
  model.d_ff = size("encoder_ffn_dim", 1, ModelConfig::kMaxWidth);
  if (const auto decoder = size("decoder_ffn_dim", 1, ModelConfig::kMaxWidth); decoder != model.d_ff)
    model.d_ff_decoder = decoder;
}

void read_switches(JsonFields& fields, HuggingFaceNetwork& network) {
  auto& model = network.model;
  const bool is_pre = network.type != HuggingFaceType::kMarian;
  model.norm = is_pre ? NormPlace::kPre : NormPlace::kPost;
  model.final_norm = is_pre;
  const auto activation = fields.text("activation_function", "");
  const std::optional<std::string_view> name = activation == "swish" ? "silu" : std::string_view(activation);
  const auto found = std::ranges::find(kActivationNames, name, &ActivationNames::huggingface);
  fields.expect(found != kActivationNames.end(), "activation_function", "relu, gelu, silu, swish or quick_gelu");
  if (found != kActivationNames.end()) model.activation = found->activation;
  model.embedding_scale = fields.flag("scale_embedding", false) ? EmbeddingScale::kSqrt : EmbeddingScale::kOne;
  fields.expect(fields.flag("static_position_embeddings", true), "static_position_embeddings", "true");
  fields.expect(fields.flag("normalize_before", is_pre) == is_pre, "normalize_before", is_pre ? "true" : "false");
  fields.expect(!is_pre || fields.flag("add_final_layer_norm", true), "add_final_layer_norm", "true");
  fields.expect(!fields.flag("normalize_embedding", false), "normalize_embedding", "false");
  fields.expect(!fields.flag("add_bias_logits", false), "add_bias_logits", "false");
  fields.expect(!fields.has("quantization_config"), "quantization_config", "none");
  fields.expect(fields.flag("is_encoder_decoder", true), "is_encoder_decoder", "true");
  // Probabilities of dropout have an effect on fine-tuning only.
  model.dropout = fields.number("dropout", 0, 0.99, 0);
  model.attention_dropout = fields.number("attention_dropout", 0, 0.99, 0);
  model.feed_forward_dropout = fields.number("activation_dropout", 0, 0.99, 0);
}

void read_vocabularies(JsonFields& fields, HuggingFaceNetwork& network) {
  auto& model = network.model;
  const bool is_marian = network.type == HuggingFaceType::kMarian, is_m2m100 = network.type == HuggingFaceType::kM2M100;
  network.source_size = network.target_size = fields.integer("vocab_size", kSpecialIds, kMaxPieces, kSpecialIds);
  // The other classes always share.
  const bool shares = !is_marian || fields.flag("share_encoder_decoder_embeddings", true);
  if (!shares) network.target_size = fields.integer("decoder_vocab_size", kSpecialIds, kMaxPieces, network.source_size);
  const bool ties = fields.flag("tie_word_embeddings", true);
  model.tie_embeddings = !ties ? TieEmbeddings::kNone : shares ? TieEmbeddings::kAll : TieEmbeddings::kDecoder;

  const auto last = std::min(network.source_size, network.target_size) - 1;
  const auto row = [&](const char* key) { return fields.integer(key, 0, last, PieceRows::kNoRow); };
  auto& specials = network.specials;
  specials.pad = row("pad_token_id");
  specials.eos = row("eos_token_id");
  network.decoder_start = row("decoder_start_token_id");
  // MarianMT and Pegasus have no bos; their configurations may name one nevertheless.
  if (network.is_own || is_m2m100) specials.bos = row("bos_token_id");
  const auto differ = [](std::int64_t a, std::int64_t b) { return a != b || a == PieceRows::kNoRow; };
  fields.expect(differ(specials.eos, specials.pad), "eos_token_id", "another piece than pad_token_id");
  fields.expect(differ(specials.bos, specials.pad) && differ(specials.bos, specials.eos), "bos_token_id",
                "another piece than pad_token_id and eos_token_id");
  // Pad has no position in M2M100, so that the decoder's positions would begin later than the encoder's.
  fields.expect(!is_m2m100 || differ(network.decoder_start, specials.pad), "decoder_start_token_id",
                "another piece than pad_token_id");
}

void set_formulas(std::optional<ModelFamily> wanted, HuggingFaceNetwork& network, Refusals& refusals) {
  const bool by_marian = network.type == HuggingFaceType::kMarian && !network.is_own;
  network.formulas = wanted.value_or(by_marian ? ModelFamily::kMarian : ModelFamily::kHuggingFace);
  auto& model = network.model;
  if (network.type == HuggingFaceType::kM2M100) {
    model.position_frequencies = PositionFrequencies::kTensor2Tensor;
    model.first_position = network.specials.pad + 1;
  }
  if (network.formulas != ModelFamily::kMarian) return;
  refusals.require(network.type == HuggingFaceType::kMarian,
                   "--formulas marian: applies to models that Marian trained, got model_type " + network.type_name);
  model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  model.layer_norm_epsilon = kMarianEpsilon;
}

}  // namespace

HuggingFaceNetwork huggingface_network(const Json& config, std::optional<ModelFamily> formulas, Refusals& refusals) {
  HuggingFaceNetwork network;
  JsonFields given(config, refusals);
  network.type_name = printable(given.text("model_type", "none"), 80);
  network.type = huggingface_type(network.type_name);
  given.expect(network.type.has_value(), "model_type", "marian, pegasus or m2m_100 (M2M100 and NLLB)");
  if (!network.type) return network;
  const auto complete = with_class_defaults(config, *network.type);
  JsonFields fields(complete, refusals);
  network.is_own = fields.has("exported_by");
  network.tokenizer_class = fields.text("tokenizer_class", "");
  read_sizes(fields, *network.type, network.model);
  read_switches(fields, network);
  read_vocabularies(fields, network);
  network.max_positions = fields.integer("max_position_embeddings", 1, ModelConfig::kMaxPositions, 1);
  set_formulas(formulas, network, refusals);
  return network;
}

}  // namespace gloss
