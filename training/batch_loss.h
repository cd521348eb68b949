#pragma once

#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "training/label_smoothing.h"

namespace gloss {

/// Computes the loss of a batch by teacher forcing. Only the batch.target_tokens() positions that are not padding go
/// through the generator. A plain pass computes the generator, then label_smoothed_loss; other passes compute
/// `output_loss`. Sets Pass::batch. For a validation, use a pass that is not training, under at::NoGradGuard.
Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass);

}  // namespace gloss
