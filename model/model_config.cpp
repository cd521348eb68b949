#include "model/model_config.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/settings.h"
#include "common/error.h"

namespace gloss {
namespace {

template <typename Value, std::size_t count>
using Names = std::array<std::pair<std::string_view, Value>, count>;

constexpr Names<Architecture, 2> kArchitectures{
    {{"transformer", Architecture::kTransformer}, {"recurrent", Architecture::kRecurrent}}};
constexpr Names<NormPlace, 2> kNorms{{{"pre", NormPlace::kPre}, {"post", NormPlace::kPost}}};
constexpr Names<NormType, 4> kNormTypes{
    {{"layer", NormType::kLayer}, {"batch", NormType::kBatch}, {"rms", NormType::kRms}, {"none", NormType::kNone}}};
constexpr Names<AttentionScore, 6> kScores{{{"scaled_dot", AttentionScore::kScaledDot},
                                            {"dot", AttentionScore::kDot},
                                            {"general", AttentionScore::kGeneral},
                                            {"additive", AttentionScore::kAdditive},
                                            {"cosine", AttentionScore::kCosine},
                                            {"location", AttentionScore::kLocation}}};
constexpr Names<EncoderMask, 2> kEncoderMasks{{{"full", EncoderMask::kFull}, {"causal", EncoderMask::kCausal}}};
constexpr Names<Activation, 5> kActivations{{{"relu", Activation::kRelu},
                                             {"gelu", Activation::kGelu},
                                             {"swish", Activation::kSwish},
                                             {"glu", Activation::kGlu},
                                             {"swiglu", Activation::kSwiglu}}};
constexpr Names<Positions, 5> kPositions{{{"sinusoidal", Positions::kSinusoidal},
                                          {"learned", Positions::kLearned},
                                          {"none", Positions::kNone},
                                          {"rotary", Positions::kRotary},
                                          {"relative", Positions::kRelative}}};
constexpr Names<EmbeddingScale, 2> kEmbeddingScales{{{"sqrt", EmbeddingScale::kSqrt}, {"one", EmbeddingScale::kOne}}};
constexpr Names<RecurrentAttention, 2> kRecurrentAttentions{
    {{"additive", RecurrentAttention::kAdditive}, {"none", RecurrentAttention::kNone}}};
constexpr Names<TieEmbeddings, 3> kTies{
    {{"all", TieEmbeddings::kAll}, {"decoder", TieEmbeddings::kDecoder}, {"none", TieEmbeddings::kNone}}};

// Upper bounds so that no count of weights overflows.
constexpr std::int64_t kMaxLayers = 1000;
constexpr std::int64_t kMaxWidth = 1 << 17;
constexpr std::int64_t kMaxPositions = 1 << 24;

/// Throws UsageError if a choice of the Transformer differs from its default, or if d_model is odd. Sizes and dropouts
/// that the network does not use are ignored.
void validate_recurrent(const ModelConfig& config) {
  const ModelConfig transformer;
  const auto expect_default = [](const char* key, bool is_default) {
    if (is_default) return;
    throw UsageError(std::string("model.") + key +
                     ": applies to the Transformer only; leave it out with model.architecture recurrent");
  };
  expect_default("norm", config.norm == transformer.norm);
  expect_default("final_norm", config.has_final_norm() == transformer.has_final_norm());
  expect_default("norm_type", config.norm_type == transformer.norm_type);
  expect_default("residual", config.residual == transformer.residual);
  expect_default("attention_score", config.attention_score == transformer.attention_score);
  expect_default("encoder_mask", config.encoder_mask == transformer.encoder_mask);
  expect_default("activation", config.activation == transformer.activation);
  expect_default("positions", config.positions == transformer.positions);
  require(config.d_model % 2 == 0, "model.d_model", "an even number for the two directions of the recurrent encoder",
          config.d_model);
}

}  // namespace

const Settings<ModelConfig>& model_settings() {
  using Config = ModelConfig;
  static const Settings<Config> settings(
      "model",
      {{choice_field(&Config::architecture, kArchitectures),
        {.key = "architecture",
         .help = "`transformer`, or a `recurrent` network of GRUs (Bahdanau et al. 2015)",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::encoder_layers),
        {.key = "encoder_layers", .help = "layers of the encoder (N)", .range = between(1, kMaxLayers)}},
       {field(&Config::decoder_layers),
        {.key = "decoder_layers", .help = "layers of the decoder (N)", .range = between(1, kMaxLayers)}},
       {field(&Config::d_model),
        {.key = "d_model", .help = "width of the output of every layer", .range = between(1, kMaxWidth)}},
       {field(&Config::d_ff),
        {.key = "d_ff", .help = "width inside the feed-forward layers", .range = between(1, kMaxWidth)}},
       {field(&Config::heads),
        {.key = "heads", .help = "attention heads; divides `d_model`", .range = between(1, kMaxWidth)}},
       {choice_field(&Config::norm, kNorms),
        {.key = "norm",
         .help = "`pre`: x + f(norm(x)), the Annotated Transformer's; `post`: norm(x + f(x)), the paper's"}},
       {field(&Config::final_norm).writing([](const Config& config) { return config.has_final_norm(); }),
        {.key = "final_norm",
         .help = "a norm after the last layer of encoder and decoder",
         .shown_default = "true with `pre`, else false"}},
       {choice_field(&Config::norm_type, kNormTypes),
        {.key = "norm_type",
         .help = "normalization of a vector (`layer`, `rms`), over a shard of the batch (`batch`), or none",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::residual),
        {.key = "residual",
         .help = "the input of a sublayer is added to its output",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::attention_score, kScores),
        {.key = "attention_score",
         .help = "score of a key for a query; `location` has `max_positions` keys",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::encoder_mask, kEncoderMasks),
        {.key = "encoder_mask",
         .help = "self-attention of the encoder sees the whole source, or no later position",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::activation, kActivations),
        {.key = "activation", .help = "of the feed-forward layers; `gelu` is exact; `glu` and `swiglu` have a gate"}},
       {choice_field(&Config::positions, kPositions),
        {.key = "positions", .help = "order of the tokens; `learned` has `max_positions`, the others no limit"}},
       {field(&Config::max_positions),
        {.key = "max_positions",
         .help = "longest sentence of learned positions and location scores; a longer one is an error",
         .range = between(1, kMaxPositions)}},
       {choice_field(&Config::embedding_scale, kEmbeddingScales),
        {.key = "embedding_scale",
         .help = "embeddings are multiplied by the root of `d_model` or by one",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::recurrent_attention, kRecurrentAttentions),
        {.key = "recurrent_attention",
         .help = "of a `recurrent` decoder to the source; with `none` it gets one vector (Sutskever et al. 2014)",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::tie_embeddings, kTies),
        {.key = "tie_embeddings",
         .help = "one matrix for source, target and output (`all`) or the last two (`decoder`)"}},
       {field(&Config::dropout),
        {.key = "dropout",
         .help = "dropout on embeddings plus positions and on the output of each sublayer",
         .range = from_below(0, 1)}},
       {field(&Config::attention_dropout).writing([](const Config& config) { return config.dropout_on_attention(); }),
        {.key = "attention_dropout",
         .help = "dropout on attention weights",
         .range = from_below(0, 1),
         .shown_default = "as `dropout`"}},
       {field(&Config::feed_forward_dropout).writing([](const Config& config) {
          return config.dropout_in_feed_forward();
        }),
        {.key = "feed_forward_dropout",
         .help = "dropout inside the feed-forward layers",
         .range = from_below(0, 1),
         .shown_default = "as `dropout`"}}});
  return settings;
}

std::optional<std::int64_t> ModelConfig::position_limit() const {
  const bool limited = positions == Positions::kLearned || attention_score == AttentionScore::kLocation;
  return limited && is_transformer() ? std::optional(max_positions) : std::nullopt;
}

void ModelConfig::validate() const {
  model_settings().validate(*this);
  require(d_model % heads == 0, "model.heads", "a divisor of model.d_model " + std::to_string(d_model), heads);
  if (!is_transformer()) return validate_recurrent(*this);
  if (recurrent_attention != RecurrentAttention::kAdditive) {
    throw UsageError("model.recurrent_attention: has an effect with model.architecture recurrent only");
  }
  if (positions == Positions::kRotary && d_model / heads % 2 != 0) {
    throw UsageError("model.positions: rotary: wanted an even width of heads, model.d_model / model.heads, got " +
                     std::to_string(d_model / heads));
  }
}

ModelConfig read_model_config(ConfigSection section) { return model_settings().read(std::move(section)); }

Json to_json(const ModelConfig& config) { return model_settings().to_json(config); }

}  // namespace gloss
