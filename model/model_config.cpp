#include "model/model_config.h"

#include <array>
#include <string>

namespace gloss {
namespace {

using Named = std::string_view;
constexpr std::array<std::pair<Named, NormPlace>, 2> kNorms{{{"pre", NormPlace::kPre}, {"post", NormPlace::kPost}}};
constexpr std::array<std::pair<Named, Activation>, 2> kActivations{
    {{"relu", Activation::kRelu}, {"gelu", Activation::kGelu}}};
constexpr std::array<std::pair<Named, Positions>, 2> kPositions{
    {{"sinusoidal", Positions::kSinusoidal}, {"learned", Positions::kLearned}}};
constexpr std::array<std::pair<Named, TieEmbeddings>, 3> kTies{
    {{"all", TieEmbeddings::kAll}, {"decoder", TieEmbeddings::kDecoder}, {"none", TieEmbeddings::kNone}}};

// Far beyond any Transformer that was ever trained, and small enough that no count of weights overflows.
constexpr std::int64_t kMostLayers = 1000;
constexpr std::int64_t kMostWidth = 1 << 17;
constexpr std::int64_t kMostPositions = 1 << 24;

void require_size(std::int64_t value, std::int64_t most, const char* key) {
  require(value >= 1 && value <= most, key, "a whole number from 1 to " + std::to_string(most), value);
}

void require_probability(double value, const char* key) {
  require(value >= 0 && value < 1, key, "a number from 0 up to but not 1", value);
}

}  // namespace

void ModelConfig::validate() const {
  require_size(encoder_layers, kMostLayers, "model.encoder_layers");
  require_size(decoder_layers, kMostLayers, "model.decoder_layers");
  require_size(d_model, kMostWidth, "model.d_model");
  require_size(d_ff, kMostWidth, "model.d_ff");
  require_size(heads, kMostWidth, "model.heads");
  require(d_model % heads == 0, "model.heads", "a divisor of model.d_model " + std::to_string(d_model), heads);
  require_size(max_positions, kMostPositions, "model.max_positions");
  require_probability(dropout, "model.dropout");
  require_probability(dropout_on_attention(), "model.attention_dropout");
  require_probability(dropout_in_feed_forward(), "model.feed_forward_dropout");
}

ModelConfig read_model_config(ConfigSection section) {
  ModelConfig config;
  section.read("encoder_layers", config.encoder_layers);
  section.read("decoder_layers", config.decoder_layers);
  section.read("d_model", config.d_model);
  section.read("d_ff", config.d_ff);
  section.read("heads", config.heads);
  section.read("norm", config.norm, Choices<NormPlace>(kNorms));
  section.read("final_norm", config.final_norm);
  section.read("activation", config.activation, Choices<Activation>(kActivations));
  section.read("positions", config.positions, Choices<Positions>(kPositions));
  section.read("max_positions", config.max_positions);
  section.read("tie_embeddings", config.tie_embeddings, Choices<TieEmbeddings>(kTies));
  section.read("dropout", config.dropout);
  section.read("attention_dropout", config.attention_dropout);
  section.read("feed_forward_dropout", config.feed_forward_dropout);
  section.finish();
  return config;
}

Json to_json(const ModelConfig& config) {
  return {
      {"encoder_layers", config.encoder_layers},
      {"decoder_layers", config.decoder_layers},
      {"d_model", config.d_model},
      {"d_ff", config.d_ff},
      {"heads", config.heads},
      {"norm", choice_name(config.norm, Choices<NormPlace>(kNorms))},
      {"final_norm", config.has_final_norm()},
      {"activation", choice_name(config.activation, Choices<Activation>(kActivations))},
      {"positions", choice_name(config.positions, Choices<Positions>(kPositions))},
      {"max_positions", config.max_positions},
      {"tie_embeddings", choice_name(config.tie_embeddings, Choices<TieEmbeddings>(kTies))},
      {"dropout", config.dropout},
      {"attention_dropout", config.dropout_on_attention()},
      {"feed_forward_dropout", config.dropout_in_feed_forward()},
  };
}

}  // namespace gloss
