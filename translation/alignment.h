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

/// Whose weights an alignment is read from: the cross-attention of a layer of the decoder.
struct AttentionSite {
  std::int64_t layer = 0;            ///< from 0
  std::optional<std::int64_t> head;  ///< from 0; none: the mean of all
};

/// "decoder.2.cross" or, of one head, "decoder.2.cross.3". Throws UsageError, whose key is "alignment_from", that says
/// which layers and heads there are.
AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config);

/// The mean of the last layer's heads (docs/translation_report.md says why).
AttentionSite usual_attention_site(const ModelConfig& config);

/// Translations to be aligned: sources are pieces and eos, targets pieces without eos.
struct AlignedPairs {
  std::span<const Ids> sources, targets;
  std::int64_t together = 1;  ///< so many are computed at once, the longest sources first
  bool plain = false;         ///< Pass::plain
};
/// Takes the weights [T, S] of a pair, float32 on the CPU, rows that sum to 1.
using TakeWeights = std::function<void(std::size_t pair, const at::Tensor& weights)>;

/// What each piece of the targets looked at in its source when it was said, the decoder's input being bos and all but
/// the last (teacher forcing); each pair's is told to `take`, and let go then. Where `together` is 1 and the device a
/// CPU the pairs are shared between threads, which call `take`, each for pairs of its own, at the same time; a result
/// then depends neither on neighbors nor on the number of threads, bit for bit. An empty target has no weights,
/// [0, S]. Throws DataError where counts differ, UsageError where a target is longer than a model with learned
/// positions takes.
void cross_attention(const EncoderDecoder& model, const AttentionSite& site, const AlignedPairs& pairs,
                     const TakeWeights& take);

/// The strongest link of each row of weights [T, S], S counting the eos; the first of equals.
std::vector<PieceLink> strongest_links(const at::Tensor& weights);

}  // namespace gloss
