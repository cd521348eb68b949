#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_config.h"

namespace gloss {

/// A part of the network that `gloss explain` can remove, and its name. Layers and heads count from 0.
///
///     encoder.2            a layer
///     decoder.2.cross      a sublayer: self or recurrence, cross, or feed_forward
///     decoder.2.cross.3    a head
///     tokens, positions    the terms of the input, on both sides
///
/// Without the part the rest still computes. A layer of a recurrent network cannot be removed, because no residual
/// connection bypasses it; neither can positions that are not added to the embeddings.
struct Part {
  enum class Kind { kTokens, kPositions, kLayer, kSublayer, kHead };
  enum class Side { kEncoder, kDecoder };
  enum class Sublayer { kSelf, kRecurrence, kCross, kFeedForward };

  Kind kind = Kind::kLayer;
  Side side = Side::kEncoder;
  std::int64_t layer = 0;
  Sublayer sublayer = Sublayer::kSelf;  ///< of a sublayer or head
  std::int64_t head = 0;                ///< of a head

  /// Returns the name: "decoder.2.cross.3".
  std::string name() const;
  /// Returns the site (model/pass.h) of the layer or sublayer; for a head that of its sublayer:
  /// "decoder.layers.2.cross_attention".
  std::string site() const;

  /// Returns whether it is, or belongs to, a sublayer with attention heads.
  bool is_attention() const { return sublayer == Sublayer::kSelf || sublayer == Sublayer::kCross; }

  bool operator==(const Part&) const = default;
};

/// A cross-attention of the decoder, as the part of a step's result that alignments are read from.
struct AttentionSite {
  std::optional<std::int64_t> layer = {};  ///< from 0; absent: the last one
  std::optional<std::int64_t> head = {};   ///< from 0; absent: the mean of all heads

  bool operator==(const AttentionSite&) const = default;
};

/// Parses a name. Returns nothing unless the network of `config` has such a part.
std::optional<Part> parse_part(std::string_view name, const ModelConfig& config);

/// Returns the sublayers of a layer in the order of the network. A recurrent network has one at most, the
/// cross-attention of the decoder's first layer.
std::vector<Part> sublayers(const ModelConfig& config, Part::Side side, std::int64_t layer);

/// Returns the sublayers that are attention, in the order of the network: the encoder's, then the decoder's.
std::vector<Part> attention_sublayers(const ModelConfig& config);

/// Returns all layers of both stacks, each followed by its heads, in the order of the network. The cross-attention of a
/// recurrent network takes the place of a layer.
std::vector<Part> layers_and_heads(const ModelConfig& config);

/// Returns names of some parts that the network of `config` has, for a message: "encoder.0, decoder.1.self, ... or
/// tokens".
std::string example_parts(const ModelConfig& config);

}  // namespace gloss
