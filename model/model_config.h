#pragma once

#include <cstdint>
#include <optional>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

enum class NormPlace { kPre, kPost };
enum class Activation { kRelu, kGelu };
enum class Positions { kSinusoidal, kLearned };
enum class TieEmbeddings { kAll, kDecoder, kNone };

/// The section `model` of the run file. The defaults are the base model of Vaswani et al. 2017, table 3, except for
/// pre-norm with a final norm, and for dropout on attention weights and inside the feed-forward, which the Annotated
/// Transformer has too.
struct ModelConfig {
  std::int64_t encoder_layers = 6;
  std::int64_t decoder_layers = 6;
  std::int64_t d_model = 512;  ///< width of every layer's output
  std::int64_t d_ff = 2048;    ///< width inside the feed-forward
  std::int64_t heads = 8;      ///< divides d_model
  NormPlace norm = NormPlace::kPre;
  std::optional<bool> final_norm;  ///< a norm after the last layer; default: with pre-norm only
  Activation activation = Activation::kRelu;
  Positions positions = Positions::kSinusoidal;
  std::int64_t max_positions = 1024;  ///< learned positions only
  TieEmbeddings tie_embeddings = TieEmbeddings::kAll;
  double dropout = 0.1;                        ///< on embeddings plus positions and on each sublayer's output
  std::optional<double> attention_dropout;     ///< on attention weights; default: dropout
  std::optional<double> feed_forward_dropout;  ///< inside the feed-forward; default: dropout

  bool has_final_norm() const { return final_norm.value_or(norm == NormPlace::kPre); }
  double dropout_on_attention() const { return attention_dropout.value_or(dropout); }
  double dropout_in_feed_forward() const { return feed_forward_dropout.value_or(dropout); }

  /// Throws UsageError naming the key.
  void validate() const;
};

/// The declarations of the section's keys.
const Settings<ModelConfig>& model_settings();

ModelConfig read_model_config(ConfigSection section);
/// Every key with its value, defaults filled in.
Json to_json(const ModelConfig& config);

/// Numbers of pieces of the two tokenizers.
struct Vocabularies {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

}  // namespace gloss
