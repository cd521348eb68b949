#pragma once

#include <span>

#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "training/label_smoothing.h"
#include "training/training_config.h"

namespace gloss {

/// Computes the loss of guided alignment (Chen et al. 2016) of attention weights a [B, T, S] against the links of each
/// pair, summed over the target pieces:
///
///     -sum over links (s, t) of log(a_ts + 1e-6) / (number of links of t)
///
/// A target piece without links does not count. Returns a scalar, float64.
at::Tensor guided_alignment_loss(const at::Tensor& weights, std::span<const Links> links);

/// Computes the loss of a batch by teacher forcing. Only the batch.target_tokens() positions that are not padding go
/// through the generator. A plain pass computes the generator, then label_smoothed_loss; other passes compute
/// `output_loss`. Sets Pass::batch. For a validation, use a pass that is not training, under at::NoGradGuard.
/// `guided`: adds its weight times guided_alignment_loss to the smoothed sum, for the pairs of the batch with links.
Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided = {});

}  // namespace gloss
