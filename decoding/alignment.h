#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "decoding/word_alignment.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// Whose weights an alignment is read from: the cross-attention of a layer of the decoder.
struct AttentionSite {
  std::int64_t layer = 0;            ///< from 0
  std::optional<std::int64_t> head;  ///< from 0; none: the mean of all
};

/// "decoder.2.cross" or, of one head, "decoder.2.cross.3". Throws UsageError, whose key is "alignment_from", that says
/// which layers and heads there are.
AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config);

/// The mean of the last layer's heads, which is nearer than earlier ones to what a word alignment model finds
/// (docs/translation_report.md).
AttentionSite usual_attention_site(const ModelConfig& config);

/// What each piece of the targets looked at in its source when it was said: [T, S] a pair, float32 on the CPU, rows
/// that sum to 1. Sources are pieces and eos; targets are pieces without eos, the decoder's input being bos and all but
/// the last (teacher forcing). `together` pairs are computed at once, the longest sources first; where it is 1 the
/// pairs are shared between threads, each computed by one, and on a CPU a result depends neither on neighbours nor on
/// the number of threads, bit for bit. An empty target has no weights,
/// [0, S]. Throws DataError where counts differ, UsageError where a target is longer than a model with learned
/// positions takes.
std::vector<at::Tensor> cross_attention(const EncoderDecoder& model, const AttentionSite& site,
                                        std::span<const Ids> sources, std::span<const Ids> targets,
                                        std::int64_t together);

/// The strongest link of each row of weights [T, S], S counting the eos; the first of equals.
std::vector<PieceLink> strongest_links(const at::Tensor& weights);

}  // namespace gloss
