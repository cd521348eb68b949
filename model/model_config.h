#pragma once

#include <cstdint>
#include <optional>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

enum class Architecture { kTransformer, kRecurrent };
enum class NormPlace { kPre, kPost };
enum class SelfAttentionNorm { kAll, kQuery };
enum class NormType { kLayer, kBatch, kRms, kNone };
enum class AttentionScore { kScaledDot, kDot, kGeneral, kAdditive, kCosine, kLocation };
enum class Activation { kRelu, kGelu, kGeluSigmoid, kSwish, kGlu, kSwiglu };
/// Returns whether the feed-forward network has a gate.
constexpr bool has_gate(Activation activation) {
  return activation == Activation::kGlu || activation == Activation::kSwiglu;
}
enum class Positions { kSinusoidal, kLearned, kNone, kRotary, kRelative };
enum class PositionFrequencies { kPaper, kTensor2Tensor };
enum class EmbeddingScale { kSqrt, kOne };
enum class EncoderMask { kFull, kCausal };
enum class DecoderLayerType { kAttention, kSsru };
enum class DecoderStart { kBosRow, kZero };
enum class RecurrentAttention { kAdditive, kNone };
enum class TieEmbeddings { kAll, kDecoder, kNone };

/// The section `model` of the run file. The defaults are the base model of Vaswani et al. 2017, table 3, except for
/// pre-norm with a final norm, and for dropout on attention weights and inside the feed-forward, which the Annotated
/// Transformer has too. Most values of the enumerations are alternatives to compare it with (model/alternatives).
struct ModelConfig {
  /// Upper bounds of layers, widths and positions, so that no count of weights overflows.
  static constexpr std::int64_t kMaxLayers = 1000, kMaxWidth = 1 << 17, kMaxPositions = 1 << 24;

  Architecture architecture = Architecture::kTransformer;
  std::int64_t encoder_layers = 6;
  std::int64_t decoder_layers = 6;
  std::int64_t d_model = 512;                ///< width of every layer's output
  std::int64_t d_ff = 2048;                  ///< width inside the feed-forward
  std::optional<std::int64_t> d_ff_decoder;  ///< the decoder's; default: d_ff
  std::int64_t heads = 8;                    ///< divides d_model
  NormPlace norm = NormPlace::kPre;          ///< place of the norm in a sublayer (sublayer_connection.h)
  /// kQuery: with pre-norm, keys and values of self-attention come from its input without the norm, as in Marian.
  SelfAttentionNorm self_attention_norm = SelfAttentionNorm::kAll;
  NormType norm_type = NormType::kLayer;
  double layer_norm_epsilon = 1e-5;  ///< of all types of norms
  std::optional<bool> final_norm;    ///< a norm after the last layer; default: with pre-norm only
  bool embedding_norm = false;       ///< a norm of embeddings plus positions, one for each side
  bool residual = true;              ///< a sublayer's input is added to its output
  AttentionScore attention_score = AttentionScore::kScaledDot;
  EncoderMask encoder_mask = EncoderMask::kFull;                  ///< kCausal hides later positions
  DecoderLayerType decoder_layer = DecoderLayerType::kAttention;  ///< kSsru: a recurrence for self-attention
  DecoderStart decoder_start = DecoderStart::kBosRow;             ///< see starts_from_zero()
  Activation activation = Activation::kRelu;
  Positions positions = Positions::kSinusoidal;
  PositionFrequencies position_frequencies = PositionFrequencies::kPaper;  ///< of the sinusoids
  std::int64_t first_position = 0;                                         ///< position of the first token
  std::int64_t max_positions = 1024;                                       ///< see position_limit()
  EmbeddingScale embedding_scale = EmbeddingScale::kSqrt;                  ///< factor sqrt(d_model) or 1
  RecurrentAttention recurrent_attention = RecurrentAttention::kAdditive;  ///< of the recurrent network only
  /// kAll: source, target and generator are one matrix. kDecoder: target and generator are. kNone: each has its own.
  TieEmbeddings tie_embeddings = TieEmbeddings::kAll;
  double dropout = 0.1;                        ///< on embeddings plus positions and on each sublayer's output
  std::optional<double> attention_dropout;     ///< on attention weights; default: dropout
  std::optional<double> feed_forward_dropout;  ///< inside the feed-forward; default: dropout

  bool has_final_norm() const { return final_norm.value_or(norm == NormPlace::kPre); }
  bool norms_keys() const { return self_attention_norm == SelfAttentionNorm::kAll; }
  double dropout_on_attention() const { return attention_dropout.value_or(dropout); }
  double dropout_in_feed_forward() const { return feed_forward_dropout.value_or(dropout); }
  std::int64_t decoder_d_ff() const { return d_ff_decoder.value_or(d_ff); }
  bool is_transformer() const { return architecture == Architecture::kTransformer; }
  bool has_decoder_self_attention() const { return is_transformer() && decoder_layer == DecoderLayerType::kAttention; }
  /// Returns whether the zero vector takes the place of the embedding of bos, as in Marian. The rows of pad and bos of
  /// the target's embedding are zero and are not trained.
  bool starts_from_zero() const { return decoder_start == DecoderStart::kZero; }
  /// Returns whether vectors of positions are added to the embeddings. Otherwise the order comes from attention itself
  /// or from a recurrence, or is not given.
  bool adds_positions() const {
    return is_transformer() && (positions == Positions::kSinusoidal || positions == Positions::kLearned);
  }
  /// Returns false for the recurrent network whose decoder gets one vector.
  bool has_cross_attention() const { return is_transformer() || recurrent_attention == RecurrentAttention::kAdditive; }
  /// Returns the maximum length of a sentence in ids, eos included: max_positions with learned positions or location
  /// scores, otherwise no limit.
  std::optional<std::int64_t> position_limit() const;

  /// Throws UsageError naming the key.
  void validate() const;
};

/// Returns the declarations of the section's keys.
const Settings<ModelConfig>& model_settings();

ModelConfig read_model_config(ConfigSection section);
/// Returns every key with its value, defaults filled in.
Json to_json(const ModelConfig& config);

/// Numbers of pieces of the two tokenizers.
struct Vocabularies {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

}  // namespace gloss
