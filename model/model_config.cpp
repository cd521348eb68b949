#include "model/model_config.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/settings.h"

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
constexpr std::int64_t kMaxLayers = 1000;
constexpr std::int64_t kMaxWidth = 1 << 17;
constexpr std::int64_t kMaxPositions = 1 << 24;

}  // namespace

const Settings<ModelConfig>& model_settings() {
  using Config = ModelConfig;
  static const Settings<Config> settings(
      "model",
      {{field(&Config::encoder_layers),
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
       {choice_field(&Config::activation, kActivations),
        {.key = "activation", .help = "activation of the feed-forward layers; `gelu` is exact, by erf"}},
       {choice_field(&Config::positions, kPositions),
        {.key = "positions", .help = "`sinusoidal` has no limit of length, `learned` has `max_positions`"}},
       {field(&Config::max_positions),
        {.key = "max_positions",
         .help = "longest sentence of learned positions; a longer one is an error",
         .range = between(1, kMaxPositions)}},
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

void ModelConfig::validate() const {
  model_settings().validate(*this);
  require(d_model % heads == 0, "model.heads", "a divisor of model.d_model " + std::to_string(d_model), heads);
}

ModelConfig read_model_config(ConfigSection section) { return model_settings().read(std::move(section)); }

Json to_json(const ModelConfig& config) { return model_settings().to_json(config); }

}  // namespace gloss
