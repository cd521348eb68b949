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
constexpr Names<SelfAttentionNorm, 2> kSelfAttentionNorms{
    {{"all", SelfAttentionNorm::kAll}, {"query", SelfAttentionNorm::kQuery}}};
constexpr Names<NormType, 4> kNormTypes{
    {{"layer", NormType::kLayer}, {"batch", NormType::kBatch}, {"rms", NormType::kRms}, {"none", NormType::kNone}}};
constexpr Names<AttentionScore, 6> kScores{{{"scaled_dot", AttentionScore::kScaledDot},
                                            {"dot", AttentionScore::kDot},
                                            {"general", AttentionScore::kGeneral},
                                            {"additive", AttentionScore::kAdditive},
                                            {"cosine", AttentionScore::kCosine},
                                            {"location", AttentionScore::kLocation}}};
constexpr Names<EncoderMask, 2> kEncoderMasks{{{"full", EncoderMask::kFull}, {"causal", EncoderMask::kCausal}}};
constexpr Names<DecoderLayerType, 2> kDecoderLayers{
    {{"attention", DecoderLayerType::kAttention}, {"ssru", DecoderLayerType::kSsru}}};
constexpr Names<DecoderStart, 2> kDecoderStarts{{{"bos", DecoderStart::kBosRow}, {"zero", DecoderStart::kZero}}};
constexpr Names<Activation, 6> kActivations{{{"relu", Activation::kRelu},
                                             {"gelu", Activation::kGelu},
                                             {"gelu_sigmoid", Activation::kGeluSigmoid},
                                             {"swish", Activation::kSwish},
                                             {"glu", Activation::kGlu},
                                             {"swiglu", Activation::kSwiglu}}};
constexpr Names<Positions, 5> kPositions{{{"sinusoidal", Positions::kSinusoidal},
                                          {"learned", Positions::kLearned},
                                          {"none", Positions::kNone},
                                          {"rotary", Positions::kRotary},
                                          {"relative", Positions::kRelative}}};
constexpr Names<PositionFrequencies, 2> kFrequencies{
    {{"paper", PositionFrequencies::kPaper}, {"tensor2tensor", PositionFrequencies::kTensor2Tensor}}};
constexpr Names<EmbeddingScale, 2> kEmbeddingScales{{{"sqrt", EmbeddingScale::kSqrt}, {"one", EmbeddingScale::kOne}}};
constexpr Names<RecurrentAttention, 2> kRecurrentAttentions{
    {{"additive", RecurrentAttention::kAdditive}, {"none", RecurrentAttention::kNone}}};
constexpr Names<TieEmbeddings, 3> kTies{
    {{"all", TieEmbeddings::kAll}, {"decoder", TieEmbeddings::kDecoder}, {"none", TieEmbeddings::kNone}}};

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
  expect_default("self_attention_norm", config.norms_keys());
  expect_default("norm_type", config.norm_type == transformer.norm_type);
  expect_default("layer_norm_epsilon", config.layer_norm_epsilon == transformer.layer_norm_epsilon);
  expect_default("embedding_norm", config.embedding_norm == transformer.embedding_norm);
  expect_default("residual", config.residual == transformer.residual);
  expect_default("attention_score", config.attention_score == transformer.attention_score);
  expect_default("encoder_mask", config.encoder_mask == transformer.encoder_mask);
  expect_default("decoder_layer", config.decoder_layer == transformer.decoder_layer);
  expect_default("activation", config.activation == transformer.activation);
  expect_default("positions", config.positions == transformer.positions);
  expect_default("position_frequencies", config.position_frequencies == transformer.position_frequencies);
  expect_default("first_position", config.first_position == transformer.first_position);
  require(config.d_model % 2 == 0, "model.d_model", "an even number for the two directions of the recurrent encoder",
          config.d_model);
}

/// Throws UsageError if a key of the sinusoids differs from its default with other positions, or the sinusoids cannot
/// have these frequencies.
void validate_sinusoids(const ModelConfig& config) {
  const bool other_frequencies = config.position_frequencies != PositionFrequencies::kPaper;
  if (config.positions != Positions::kSinusoidal && (other_frequencies || config.first_position != 0)) {
    throw UsageError(std::string("model.") + (other_frequencies ? "position_frequencies" : "first_position") +
                     ": has an effect with model.positions sinusoidal only");
  }
  if (other_frequencies)
    require(config.d_model % 2 == 0, "model.d_model", "an even number for model.position_frequencies tensor2tensor",
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
        {.key = "encoder_layers", .help = "layers of the encoder (N)", .range = between(1, Config::kMaxLayers)}},
       {field(&Config::decoder_layers),
        {.key = "decoder_layers", .help = "layers of the decoder (N)", .range = between(1, Config::kMaxLayers)}},
       {field(&Config::d_model),
        {.key = "d_model", .help = "width of the output of every layer", .range = between(1, Config::kMaxWidth)}},
       {field(&Config::d_ff),
        {.key = "d_ff", .help = "width inside the feed-forward layers", .range = between(1, Config::kMaxWidth)}},
       {field(&Config::d_ff_decoder).writing([](const Config& config) {
          return config.decoder_d_ff() == config.d_ff ? Json() : Json(config.decoder_d_ff());
        }),
        {.key = "d_ff_decoder",
         .help = "width inside the feed-forward layers of the decoder",
         .range = between(1, Config::kMaxWidth),
         .shown_default = "as `d_ff`",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::heads),
        {.key = "heads", .help = "attention heads; divides `d_model`", .range = between(1, Config::kMaxWidth)}},
       {choice_field(&Config::norm, kNorms),
        {.key = "norm",
         .help = "`pre`: x + f(norm(x)), the Annotated Transformer's; `post`: norm(x + f(x)), the paper's"}},
       {field(&Config::final_norm).writing([](const Config& config) { return config.has_final_norm(); }),
        {.key = "final_norm",
         .help = "a norm after the last layer of encoder and decoder",
         .shown_default = "true with `pre`, else false"}},
       {choice_field(&Config::self_attention_norm, kSelfAttentionNorms),
        {.key = "self_attention_norm",
         .help = "`all`: `pre` norms query, keys and values of self-attention; `query`: the query alone, as Marian",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::norm_type, kNormTypes),
        {.key = "norm_type",
         .help = "normalization of a vector (`layer`, `rms`), over a shard of the batch (`batch`), or none",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::layer_norm_epsilon),
        {.key = "layer_norm_epsilon",
         .help = "added to the variance in norms; Marian has 1e-6",
         .range = between(1e-12, 1),
         .identity = Identity::kUnlessDefault}},
       {field(&Config::embedding_norm),
        {.key = "embedding_norm",
         .help = "a norm after embeddings plus positions, before dropout",
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
       {choice_field(&Config::decoder_layer, kDecoderLayers),
        {.key = "decoder_layer",
         .help = "self-`attention` to earlier tokens, or a recurrence in its place (`ssru`, Kim et al. 2019)",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::decoder_start, kDecoderStarts),
        {.key = "decoder_start",
         .help = "first input of the decoder: the embedding of `bos`, or the `zero` vector, as in Marian",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::activation, kActivations),
        {.key = "activation",
         .help = "in the feed-forward layers; `gelu` is exact, `gelu_sigmoid` Marian's; `glu`, `swiglu` have a gate"}},
       {choice_field(&Config::positions, kPositions),
        {.key = "positions", .help = "order of the tokens; `learned` has `max_positions`, the others no limit"}},
       {choice_field(&Config::position_frequencies, kFrequencies),
        {.key = "position_frequencies",
         .help = "frequencies of the sinusoids: the paper's, or those of Tensor2Tensor, Marian and fairseq",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::first_position),
        {.key = "first_position",
         .help = "position of the first token in the sinusoids; fairseq has 2",
         .range = between(0, Config::kMaxPositions),
         .identity = Identity::kUnlessDefault}},
       {field(&Config::max_positions),
        {.key = "max_positions",
         .help = "longest sentence of learned positions and location scores; a longer one is an error",
         .range = between(1, Config::kMaxPositions)}},
       {choice_field(&Config::embedding_scale, kEmbeddingScales),
        {.key = "embedding_scale",
         .help = "embeddings are multiplied by the root of `d_model` or by one",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::recurrent_attention, kRecurrentAttentions),
        {.key = "recurrent_attention",
         .help = "attention of a `recurrent` decoder to the source; `none`: one vector (Sutskever et al. 2014)",
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
  validate_sinusoids(*this);
  if (norm == NormPlace::kPost && !norms_keys())
    throw UsageError("model.self_attention_norm: has an effect with model.norm pre only");
  if (embedding_norm && norm_type == NormType::kNone)
    throw UsageError(
        "model.embedding_norm: has an effect with a norm only; set it to false or choose another "
        "model.norm_type than none");
  if (positions == Positions::kRotary && d_model / heads % 2 != 0) {
    throw UsageError("model.positions: rotary: wanted an even width of heads, model.d_model / model.heads, got " +
                     std::to_string(d_model / heads));
  }
}

ModelConfig read_model_config(ConfigSection section) { return model_settings().read(std::move(section)); }

Json to_json(const ModelConfig& config) { return model_settings().to_json(config); }

}  // namespace gloss
