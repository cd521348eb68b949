#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "translation/word_alignment.h"

namespace gloss {

/// The attention that an alignment is read from: cross-attention of a decoder layer.
struct AttentionSite {
  std::int64_t layer = 0;            ///< from 0
  std::optional<std::int64_t> head;  ///< from 0; absent: the mean of all heads
};

/// Parses "decoder.2.cross" or, for one head, "decoder.2.cross.3". Throws UsageError with the key "alignment_from" and
/// the valid layers and heads.
AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config);

/// Returns the default: the mean of the last layer's heads (reasons: docs/translation_report.md).
AttentionSite usual_attention_site(const ModelConfig& config);

/// Translations to align. Sources are pieces and eos, targets pieces without eos.
struct AlignedPairs {
  std::span<const Ids> sources, targets;
  std::int64_t together = 1;  ///< number of pairs in a batch; longest sources first
  bool plain = false;         ///< Pass::plain
};
/// Receives the weights [T, S] of a pair, float32 on the CPU. Rows sum to 1.
using TakeWeights = std::function<void(std::size_t pair, const at::Tensor& weights)>;

/// Computes cross-attention weights by teacher forcing (the decoder's input is bos and all pieces but the last) and
/// passes each pair's matrix to `take`. If `together` is 1 and the device is a CPU, the pairs are divided among
/// threads, which call `take` concurrently; the result then depends neither on neighbors nor on the number of threads,
/// bit for bit. An empty target has weights [0, S]. Throws DataError if counts differ, and UsageError if a target is
/// longer than a model with learned positions allows.
void cross_attention(const EncoderDecoder& model, const AttentionSite& site, const AlignedPairs& pairs,
                     const TakeWeights& take);

/// Returns the strongest link of each row of weights [T, S], S including eos; the first of equals.
std::vector<PieceLink> strongest_links(const at::Tensor& weights);

}  // namespace gloss
