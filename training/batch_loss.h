#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "model/padding.h"
#include "training/label_smoothing.h"
#include "training/training_config.h"

namespace gloss {

/// A batch as tensors on a device. Their copies may still be under way.
struct PaddedBatch {
  PaddedIds source;
  ShiftedTarget target;
  at::Tensor filled;             ///< [N] int64: positions in [B * T] without padding; undefined if there is no padding
  std::int64_t tokens = 0;       ///< N
  at::Tensor links = {};         ///< [L] int64: positions in [B * T * S] of the links; undefined if there are none
  at::Tensor link_weights = {};  ///< [L] float32: 1 / number of links of the target piece
};

/// Pads a batch and copies it to a device, without waiting for the copies.
PaddedBatch pad_batch(const Batch& batch, at::Device device);

/// Computes the loss of guided alignment (Chen et al. 2016) of attention weights a [B, T, S] against the links of each
/// pair, summed over the target pieces:
///
///     -sum over links (s, t) of log(a_ts + 1e-6) / (number of links of t)
///
/// A target piece without links does not count. The batch must have links. Returns a scalar, float64.
at::Tensor guided_alignment_loss(const at::Tensor& weights, const PaddedBatch& batch);

/// Computes the loss of a batch by teacher forcing. Only the positions of the targets that are not padding go through
/// the generator. A plain pass computes the generator, then label_smoothed_loss; other passes compute
/// `output_loss`. Sets Pass::batch. For a validation, use a pass that is not training, under at::NoGradGuard.
/// `guided`: adds its weight times guided_alignment_loss to the smoothed sum, if the batch has links.
Loss batch_loss(EncoderDecoder& model, const PaddedBatch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided = {});
Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided = {});

}  // namespace gloss
