#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/model_config.h"
#include "model/part.h"
#include "translation/word_alignment.h"

namespace gloss {

/// Parses "decoder.2.cross" or, for one head, "decoder.2.cross.3". Throws UsageError with `key` and the valid layers
/// and heads.
AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config,
                                   const std::string& key = "alignment_from");

/// Returns the default of alignments: the mean of the last layer's heads (reasons: docs/translation_report.md), or what
/// `name` says if it is not empty (decoding.alignment_from).
AttentionSite default_attention_site(const ModelConfig& config, std::string_view name = "");

/// Returns the strongest link of each row of weights [T, S]; the first of equals. If `has_eos`, the last position is
/// eos (Tokenizer::has_source_eos). The first `tags` positions are language tags, which count as eos does: they are no
/// piece, and attention to them has no other place.
std::vector<PieceLink> strongest_links(const at::Tensor& weights, std::size_t tags = 0, bool has_eos = true);

}  // namespace gloss
