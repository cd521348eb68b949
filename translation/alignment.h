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

/// Parses "decoder.2.cross" or, for one head, "decoder.2.cross.3". Throws UsageError with `key` and the valid layers
/// and heads.
AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config,
                                   const std::string& key = "alignment_from");

/// Returns the default of alignments: the mean of the last layer's heads (reasons: docs/translation_report.md), or what
/// `name` says if it is not empty (decoding.alignment_from).
AttentionSite default_attention_site(const ModelConfig& config, std::string_view name = "");

/// Translations to align. Sources are pieces and eos, targets pieces without eos.
struct AlignedPairs {
  std::span<const Ids> sources, targets;
  std::int64_t batch_size = 1;  ///< number of pairs in a batch
  bool plain = false;           ///< Pass::plain
};
/// Receives the weights [T, S] of a pair, float32 on the CPU. Rows sum to 1.
using TakeWeights = std::function<void(std::size_t pair, const at::Tensor& weights)>;

/// Computes cross-attention weights by teacher forcing (the decoder's input is bos and all pieces but the last) and
/// passes each pair's matrix to `take`. Batches are computed one after the other, longest sources first. An empty
/// target has weights [0, S].
///
/// If batch_size is 1 and the device is a CPU, the pairs are divided among threads instead, which call `take`
/// concurrently. The result then depends neither on neighbors nor on the number of threads, bit for bit.
///
/// `before_batch`, unless empty, is called before each batch, on the thread that computes it, but by one thread at a
/// time. It may throw to leave.
///
/// Throws UsageError if there are not as many targets as sources, if batch_size is less than 1, if the model has no
/// attention to its source, or if a target is longer than a model with learned positions allows.
void cross_attention(const EncoderDecoder& model, const AttentionSite& site, const AlignedPairs& pairs,
                     const TakeWeights& take, const std::function<void()>& before_batch = {});

/// Returns the strongest link of each row of weights [T, S], S including eos; the first of equals. The first `tags`
/// positions are language tags, which count as eos does: they are no piece, and attention to them has no other place.
std::vector<PieceLink> strongest_links(const at::Tensor& weights, std::size_t tags = 0);

}  // namespace gloss
